#!/usr/bin/env node
// node.mjs FILE: runs a script by the module for browsers, as the command covec would. The files beside it, and in folders beside
// it, can be read; what it writes stays in memory. node.mjs -e TEXT shows the value of a text's last expression. COVEC_MODULE
// names the module (build/wasm/covec.wasm).
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {Covec} from './covec.js';

const LARGEST = 1 << 24;  // bytes of a file that is given
const STREAMS = {output: 1, value: 1, error: 2};

const [file, text] = process.argv.slice(2);
if (file === undefined || (file === '-e') !== (text !== undefined)) {
  console.error('usage: node.mjs FILE | -e TEXT');
  process.exit(2);
}

function write(stream, bytes) {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(stream, bytes, done);
}

const beside = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../build/wasm/covec.wasm');
const module = new WebAssembly.Module(fs.readFileSync(process.env.COVEC_MODULE ?? beside));
const covec = new Covec(module, (kind, bytes) => kind in STREAMS && write(STREAMS[kind], bytes), bytes => write(2, bytes));

// And of folders in it, so many deep.
function giveFolder(folder, deep) {
  for (const entry of fs.readdirSync(folder, {withFileTypes: true})) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory() && deep > 0) giveFolder(place, deep - 1);
    if (entry.isFile() && fs.statSync(place).size <= LARGEST) covec.giveFile(place, fs.readFileSync(place));
  }
}

if (text !== undefined) {
  covec.giveFile('/-e', new TextEncoder().encode(text));
  process.exitCode = covec.run('/-e', true);
} else {
  giveFolder(path.dirname(file), 1);
  process.exitCode = covec.run(file, false);
}
