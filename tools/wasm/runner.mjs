// A process of tools/wasm/test: runs scripts by the module, one after the other, each in a session of its own. A line of JSON on
// standard input asks {file, given, writes, to}: the script, the paths of the files that it can read, and where a file that it
// writes is wanted. A line answers {status, out, err}. A trap ends the script's session only (covec.js). Scripts read no input.
import fs from 'node:fs';
import readline from 'node:readline';
import {Covec, LARGER_STACK, LIMITS} from './covec.js';

const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const read = new Map();  // files that many scripts are given
let out = [], err = [];

function tell(kind, told) {
  if (kind === 'output' || kind === 'value') out.push(told);
  if (kind === 'error') err.push(told);
}

const covec = new Covec(module, {tell, log: told => err.push(told), ask: () => null,
                                 limits: {...LIMITS, stack: LARGER_STACK}});

async function run({file, given, writes, to}) {
  out = [], err = [];
  covec.files.clear();
  let status = -1;
  try {
    covec.start();
    for (const path of [file, ...given]) {
      if (!read.has(path)) read.set(path, fs.readFileSync(path));
      covec.giveFile(path, read.get(path));
    }
    status = await covec.run(file, false);
    const bytes = writes && covec.fileAt(writes);
    if (bytes) fs.writeFileSync(to, bytes);
  } catch (error) {
    err.push(Buffer.from(`${error.stack}\n`));  // a defect of the module's JavaScript, or of this file
  }
  return {status, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString()};
}

for await (const line of readline.createInterface({input: process.stdin})) {
  fs.writeSync(1, JSON.stringify(await run(JSON.parse(line))) + '\n');
}
