// Runs the program of the active editor in a terminal, and starts the language server, which tells errors while one types.
"use strict";
const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function commandFor(uri) {
  return vscode.workspace.getConfiguration("covec", uri).get("path");
}

// --- running ---

function taskOf(file, folder) {
  const execution = new vscode.ProcessExecution(commandFor(vscode.Uri.file(file)), [file], { cwd: path.dirname(file) });
  const task = new vscode.Task({ type: "process" }, folder || vscode.TaskScope.Workspace, path.basename(file), "covec", execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: true, clear: true };
  return task;
}

async function run() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !(await editor.document.save())) return;
  const folder = vscode.workspace.getWorkspaceFolder(editor.document.uri);
  await vscode.tasks.executeTask(taskOf(editor.document.uri.fsPath, folder));
}

// --- the server ---

async function start() {
  const command = commandFor();
  const options = {
    documentSelector: [{ language: "covec" }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.covec") },
  };
  client = new LanguageClient("covec", "Covec", { command, args: ["lsp"] }, options);
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`Covec: \`${command} lsp\` cannot be started: ${error.message}. The setting covec.path names the command.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.isRunning()) await old.stop();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("covec.run", run),
    vscode.commands.registerCommand("covec.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("covec.path") && restart()),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
