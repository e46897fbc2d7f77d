// Runs programs, so that the page stays usable. It gets {do: 'begin', module, files} and then {do: 'run', text} from the page, and
// tells pieces {kind, text} of output in the order in which they came, {kind: 'file', path, bytes} of each file that the program
// wrote, and {kind: 'done', status, seconds} after them.
import {Covec} from './covec.js';

const PROGRAM = 'program.covec';
const encoder = new TextEncoder(), decoder = new TextDecoder();

let covec, told = tell;

function tell(kind, bytes) {
  postMessage({kind, text: decoder.decode(bytes)});
}

function log(bytes) {
  tell('error', bytes);
}

// What the module tells while it is asked.
function answers(ask) {
  const found = [];
  told = (kind, bytes) => found.push(bytes);
  ask();
  told = tell;
  return found;
}

const known = new Map();  // what each file held when it was last looked at: a length and a sum

function sum(bytes) {
  let value = bytes.length;
  for (const byte of bytes) value = (Math.imul(value, 31) + byte) | 0;
  return value;
}

// Tells the files that are new, or have changed.
function tellFiles(silent = false) {
  const paths = answers(() => covec.calls.covec_page_tell_files()).map(bytes => decoder.decode(bytes));
  for (const path of paths) {
    if (path === `/${PROGRAM}`) continue;
    const room = encoder.encode(path);
    const [bytes] = answers(() => covec.within([room], (...at) => covec.calls.covec_page_tell_file(...at)));
    if (bytes === undefined || known.get(path) === sum(bytes)) continue;
    known.set(path, sum(bytes));
    if (!silent) postMessage({kind: 'file', path, bytes});
  }
}

function begin({module, files}) {
  covec = new Covec(module, (kind, bytes) => told(kind, bytes), log);
  for (const [path, bytes] of files) covec.giveFile(path, bytes);
  tellFiles(true);
  postMessage({kind: 'ready'});
}

function run({text}) {
  covec.giveFile(PROGRAM, encoder.encode(text));
  const start = performance.now();
  const calls = covec.calls;
  const status = covec.run(PROGRAM, true);
  const seconds = (performance.now() - start) / 1000;
  tellFiles();
  postMessage({kind: 'done', status, seconds, anew: covec.calls !== calls});
}

onmessage = ({data}) => ({begin, run})[data.do](data);
