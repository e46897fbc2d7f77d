// Runs the program of the active editor in a terminal.
"use strict";
const path = require("path");
const vscode = require("vscode");

function taskOf(file, folder) {
  const command = vscode.workspace.getConfiguration("covec", vscode.Uri.file(file)).get("path");
  const execution = new vscode.ProcessExecution(command, [file], { cwd: path.dirname(file) });
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

function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand("covec.run", run));
}

module.exports = { activate };
