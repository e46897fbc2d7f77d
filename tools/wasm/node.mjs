#!/usr/bin/env node
// node.mjs FILE: runs a script by the module for browsers, as the command covec would. The files beside it, and in folders beside
// it, can be read; what it writes stays in memory. input() reads standard input. node.mjs -e TEXT shows the value of a text's last
// expression. COVEC_MODULE names the module (build/wasm/covec.wasm).
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {Covec, LARGER_STACK, LIMITS} from './covec.js';

const LARGEST = 1 << 24;  // bytes of a file that is given
const PIECE = 1 << 16;  // bytes that are read at once
const WAIT = 20;  // milliseconds until a terminal without a line is read again
const END = 10;  // of a line, '\n'
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

let read = Buffer.alloc(0);  // of standard input, and not asked for

// Adds what comes next; false at the end.
function readMore() {
  const piece = Buffer.alloc(PIECE);
  for (;;) {
    try {
      const count = fs.readSync(0, piece);
      read = Buffer.concat([read, piece.subarray(0, count)]);
      return count > 0;
    } catch (error) {
      if (error.code !== 'EAGAIN') return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT);
    }
  }
}

function ask() {
  let end;
  while ((end = read.indexOf(END)) < 0 && readMore()) continue;
  if (end < 0 && read.length === 0) return null;
  const line = end < 0 ? read : read.subarray(0, end);
  read = end < 0 ? Buffer.alloc(0) : read.subarray(end + 1);
  return end >= 0 && line.at(-1) === 13 ? line.subarray(0, -1) : line;  // '\r'
}

const covec = new Covec(module, {
  tell: (kind, bytes) => kind in STREAMS && write(STREAMS[kind], bytes),
  log: bytes => write(2, bytes),
  ask,
  limits: {...LIMITS, stack: LARGER_STACK},
});

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
  process.exitCode = await covec.run('/-e', true);
} else {
  giveFolder(path.dirname(file), 1);
  process.exitCode = await covec.run(file, false);
}
