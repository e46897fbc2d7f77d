// Covec's module as an object: its memory, addresses and kinds of output stay in here. A page's worker and node use it alike.
// (interpreter/web/page.hpp says what the module's functions do.)
import {wasi, Exit} from './wasi.js';

// What comes from the module, by the numbers of interpreter/web/host.hpp.
const KINDS = ['output', 'error', 'progress', 'value', 'svg', 'html', 'path', 'bytes', 'candidate'];

// Bytes of values; bytes of stack in the module's memory and calls that may be open: 0 are the module's own, which fit what
// engines have on their stacks (interpreter/web/page.cpp).
export const LIMITS = {memory: 512 << 20, stack: 0, calls: 0};

const encoder = new TextEncoder(), decoder = new TextDecoder();

export class Covec {
  // `tell(kind, bytes)` gets what programs write; the bytes are its own. `log(bytes)` gets what only defects write. `ask()` gives
  // the bytes of the user's next line: null at the end of the input, undefined where nobody can be asked.
  constructor(module, {tell, log, ask = () => undefined, limits = LIMITS}) {
    Object.assign(this, {module, tell, log, ask, limits});
    this.files = new Map();
    this.start();
  }

  // Begins anew, with the files that were given.
  start() {
    const output = (kind, at, count) => this.tell(KINDS[kind], this.bytes(at, count));
    const memory = () => this.calls.memory;
    this.calls = new WebAssembly.Instance(this.module, {
      wasi_snapshot_preview1: wasi(this.module, memory, (stream, bytes) => this.log(bytes.slice())),
      env: {covec_page_output: output, covec_page_ask: () => this.answer()},
    }).exports;
    this.calls._initialize();
    this.calls.covec_page_start(this.limits.memory, this.limits.stack, this.limits.calls);
    for (const [path, bytes] of this.files) this.give(path, bytes);
  }

  bytes(at, count) {
    return new Uint8Array(this.calls.memory.buffer, at, count).slice();
  }

  // What the module gets when it asks for a line (interpreter/web/host.hpp).
  answer() {
    const line = this.ask();
    if (line) this.within([line], (...at) => this.calls.covec_page_give_line(...at));
    return line ? 1 : line === null ? 0 : -1;
  }

  // Calls `use` with the address and the length of each of the bytes.
  within(parts, use) {
    const rooms = parts.map(part => this.calls.covec_page_room(part.length));
    try {
      parts.forEach((part, i) => new Uint8Array(this.calls.memory.buffer, rooms[i], part.length).set(part));
      return use(...parts.flatMap((part, i) => [rooms[i], part.length]));
    } finally {
      rooms.forEach(room => this.calls.covec_page_release(room));
    }
  }

  give(path, bytes) {
    this.within([encoder.encode(path), bytes], (...at) => this.calls.covec_page_give_file(...at));
  }

  giveFile(path, bytes) {
    this.files.set(path, bytes);
    this.give(path, bytes);
  }

  // Runs a file that was given, and gives the status: 0, 1 after an error, or that of exit(). What ends the module (a stack that is
  // too deep, abort) is told as an error, and the session is new.
  run(path, shows) {
    const room = encoder.encode(path);
    try {
      return this.within([room], (...at) => this.calls.covec_page_run(...at, shows ? 1 : 0));
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof WebAssembly.RuntimeError || error instanceof Exit)) throw error;
      const deep = error instanceof RangeError || /out of bounds/.test(error.message);
      const reason = deep ? 'calls or expressions are nested too deeply for this page' : `the program was ended (${error.message})`;
      this.flush();
      this.tell('error', encoder.encode(`error: ${reason}\n`));
      this.start();
      return 1;
    }
  }

  // Tells what had been printed before the module ended; one that has ended in the middle may be unable to.
  flush() {
    try {
      this.calls.covec_page_flush();
    } catch (error) {
      this.log(encoder.encode(`some output is lost (${error.message})\n`));
    }
  }

  // What may follow a text up to the cursor.
  complete(text) {
    const candidates = [], tell = this.tell;
    this.tell = (kind, bytes) => candidates.push(decoder.decode(bytes));
    try {
      const from = this.within([encoder.encode(text)], (...at) => this.calls.covec_page_complete(...at));
      return {from, candidates};
    } finally {
      this.tell = tell;
    }
  }
}
