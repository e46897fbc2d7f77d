// Covec's module as an object: its memory, addresses and kinds of output stay in here. A page's worker and node use it alike.
// (interpreter/web/page.hpp says what the module's functions do.)
import {wasi} from './wasi.js';

// What comes from the module, by the numbers of interpreter/web/host.hpp.
const KINDS = ['output', 'error', 'progress', 'value', 'svg', 'html', 'path', 'bytes', 'candidate'];

// Engines run a module on the stack that called it, of which workers of Chromium have 500 KB: or, where they can, on one of its own,
// of about 1 MB. (Nothing waits there, though that is what it is for.)
const promising = WebAssembly.promising;

// Bytes of stack in the module's memory that fit beside 984 KB of the engine's own, which is what node has, too; calls trap at
// 600,000 to 870,000. interpreter/web/page.cpp has the number for 500 KB.
export const LARGER_STACK = 600_000;

// Bytes of values; bytes of stack in the module's memory and calls that may be open: 0 are the module's own.
export const LIMITS = {memory: 512 << 20, stack: promising ? LARGER_STACK : 0, calls: 0};

const encoder = new TextEncoder(), decoder = new TextDecoder();

class NoMemory extends Error {}

// What is told of an error that has left the module, or what it has called. C++ exceptions leave it only where its memory is full.
function reasonOf(error) {
  const text = String(error?.message ?? error);
  if (error instanceof WebAssembly.Exception || error instanceof NoMemory || /allocat|out of memory/i.test(text))
    return 'out of memory: the page has none left';
  // The engine's stack is full, or the one in memory.
  if (/call stack|recursion|out of bounds/i.test(text)) return 'calls or expressions are nested too deeply for this page';
  return `the program was ended (${text})`;
}

// Whatever leaves the module in a call of a Covec is told as an error, and the session is new.
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

  // Addresses and lengths of the bytes in the module's memory, as the module's functions take them.
  place(parts) {
    return parts.flatMap(part => {
      const room = this.calls.covec_page_room(part.length) >>> 0;
      if (room === 0) throw new NoMemory();
      new Uint8Array(this.calls.memory.buffer, room, part.length).set(part);
      return [room, part.length];
    });
  }

  release(places) {
    for (let i = 0; i < places.length; i += 2) this.calls.covec_page_release(places[i]);
  }

  // Calls `use` with the addresses and the lengths of the bytes.
  within(parts, use) {
    const places = this.place(parts), result = use(...places);
    this.release(places);
    return result;
  }

  // An error has left the module.
  recover(error) {
    this.flush();
    this.tell('error', encoder.encode(`error: ${reasonOf(error)}\n`));
    this.start();
  }

  // What `use` gives; `otherwise` after an error.
  attempt(use, otherwise) {
    try {
      return use();
    } catch (error) {
      this.recover(error);
      return otherwise;
    }
  }

  give(path, bytes) {
    this.within([encoder.encode(path), bytes], (...at) => this.calls.covec_page_give_file(...at));
    return true;
  }

  // False: there is no room for the file, not even in a new session.
  giveFile(path, bytes) {
    this.files.delete(path);
    const given = this.attempt(() => this.give(path, bytes), false) || this.attempt(() => this.give(path, bytes), false);
    if (given) this.files.set(path, bytes);
    return given;
  }

  // Runs a file that was given, and gives the status: 0, 1 after an error, or that of exit().
  async run(path, shows) {
    try {
      const places = this.place([encoder.encode(path)]), run = this.calls.covec_page_run;
      const status = await (promising ? promising(run) : run)(...places, shows ? 1 : 0);
      this.release(places);
      return status;
    } catch (error) {
      this.recover(error);
      return 1;
    }
  }

  // Tells what had been printed before the module ended; one that has ended in the middle may be unable to.
  flush() {
    try {
      this.calls.covec_page_flush();
    } catch (error) {
      this.log(encoder.encode(`some output is lost (${error?.message ?? error})\n`));
    }
  }

  // The bytes of each text that the module tells in `use`.
  told(use) {
    const found = [], tell = this.tell;
    this.tell = (kind, bytes) => found.push(bytes);
    try {
      use();
    } finally {
      this.tell = tell;
    }
    return found;
  }

  // The paths of all files, those that programs wrote among them.
  paths() {
    return this.attempt(() => this.told(() => this.calls.covec_page_tell_files()), []).map(bytes => decoder.decode(bytes));
  }

  // The bytes of one; undefined: there is none.
  fileAt(path) {
    const look = () => this.within([encoder.encode(path)], (...at) => this.calls.covec_page_tell_file(...at));
    return this.attempt(() => this.told(look), [])[0];
  }

  // What may follow a text up to the cursor.
  complete(text) {
    const bytes = encoder.encode(text);
    let from = bytes.length;
    const look = () => this.within([bytes], (...at) => from = this.calls.covec_page_complete(...at));
    const candidates = this.attempt(() => this.told(look), []).map(bytes => decoder.decode(bytes));
    return {from, candidates};
  }
}
