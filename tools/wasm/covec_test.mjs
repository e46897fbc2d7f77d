#!/usr/bin/env node
// covec_test.mjs MODULE: what covec.js does with what leaves the module, how deep programs may nest, and that the module's memory
// does not fill up. Exit status 1 when something fails. tools/wasm/test runs it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {Covec, LARGER_STACK, LIMITS} from './covec.js';
import {Exit} from './wasi.js';

const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const PROGRAM = 'program.covec';
const encoder = new TextEncoder();

// A session, with what it has told.
class Tried extends Covec {
  constructor(stack = LARGER_STACK) {
    super(module, {tell: (kind, bytes) => { this[kind] = (this[kind] ?? '') + Buffer.from(bytes); }, log: () => {},
                   limits: {...LIMITS, stack}});
  }

  async tried(text) {
    this.output = this.value = this.error = '';
    const given = this.giveFile(PROGRAM, encoder.encode(text));
    const status = given ? await this.run(PROGRAM, true) : -1;
    return {status, output: this.output + this.value, error: this.error};
  }
}

function thrower(error) {
  return () => { throw error; };
}

class InternalError extends Error {}  // Firefox's

const LEAVES = [
  [new WebAssembly.Exception(new WebAssembly.Tag({parameters: []}), []), /out of memory/],
  [new RangeError('Maximum call stack size exceeded'), /nested too deeply/],
  [new InternalError('too much recursion'), /nested too deeply/],
  [new WebAssembly.RuntimeError('memory access out of bounds'), /nested too deeply/],
  [new RangeError('Array buffer allocation failed'), /out of memory/],
  [new WebAssembly.RuntimeError('unreachable'), /ended \(unreachable\)/],
  [new Exit(134), /ended with status 134/],
  ['a text', /ended \(a text\)/],
];

const TESTS = {
  async whatLeavesIsTold() {
    for (const [error, told] of LEAVES) {
      for (const name of ['covec_page_run', 'covec_page_room', 'covec_page_give_file']) {
        const covec = new Tried();
        await covec.tried('x = 1');
        covec.calls = {...covec.calls, [name]: thrower(error), covec_page_flush: thrower(error)};
        const {status} = await covec.tried('print(2)');
        assert.match(covec.error, told);
        assert.equal(status, name === 'covec_page_run' ? 1 : 0, name);  // what cannot be given is given to the new session
        assert.equal((await covec.tried('print(1 + 1)')).output, '2\n');
        assert.match((await covec.tried('x')).error, /unknown name `x`/);
      }
      for (const [name, ask, none] of [['covec_page_complete', covec => covec.complete('pri'), {from: 3, candidates: []}],
                                       ['covec_page_tell_files', covec => covec.paths(), []],
                                       ['covec_page_tell_file', covec => covec.fileAt('/a'), undefined]]) {
        const covec = new Tried();
        covec.calls = {...covec.calls, [name]: thrower(error)};
        assert.deepEqual(ask(covec), none);
        assert.match(covec.error, told);
        assert.equal((await covec.tried('print(3)')).output, '3\n');
      }
    }
  },

  async noRoom() {
    const covec = new Tried();
    covec.giveFile('kept', encoder.encode('"kept"'));
    assert.equal(covec.giveFile('large', {length: 2 ** 31}), false);  // more than the module's memory
    assert.match(covec.error, /out of memory/);
    assert.equal((await covec.tried('print(read_text("kept"))')).output, '"kept"\n');
    assert.deepEqual(covec.complete('prin').candidates, ['print']);
  },

  // The module's memory does not grow by what earlier runs have read.
  async textsGo() {
    const covec = new Tried();
    const size = () => covec.calls.memory.buffer.byteLength;
    const calls = covec.calls;
    for (const [text, status] of [[i => `# ${'c'.repeat(17e6)} ${i}\n`, 1], [i => `s = "${'c'.repeat(8e6)}${i}"\n`, 0],
                                  [i => `x = [${'1, '.repeat(20000)}${i}]\n`, 0]]) {
      let before;
      for (let i = 0; i < 24; ++i) {
        if (i === 12) before = size();
        const ran = await covec.tried(text(i));
        assert.equal(ran.status, status, ran.error);
      }
      assert.ok(size() <= before, `grows from ${before} to ${size()} bytes`);
    }
    assert.equal(covec.calls, calls);
  },

  async filesHaveALimit() {
    for (const program of ['t = "ab345678" * 4000000\nfor i in range(20) { write_text(f"a{i}", t) }',
                           'for i in range(10^6) { write_text(f"q{i}", "ab345678" * 2000) }',
                           'for i in range(10^6) { write_text(f"q{i}", "") }']) {
      const covec = new Tried(), calls = covec.calls;
      const {status, error} = await covec.tried(program);
      assert.equal(status, 1);
      assert.match(error, /cannot write \w+: files have 256 MB of memory in a page/);
      assert.equal((await covec.tried('print(1)')).output, '1\n');
      assert.equal((await covec.tried('print(sum(ones(4 * 10^7)))')).output, '40000000.0\n');
      assert.match((await covec.tried('write_text("b", "b" * 40000000)')).error, /files have 256 MB/);
      assert.equal(covec.calls, calls);
    }
    const covec = new Tried();  // one that is replaced counts once
    const {error} = await covec.tried('t = "ab345678" * 4000000\nfor i in range(20) { write_text("a", t) }');
    assert.equal(error, '');
  },

  // How deep the notes say that it goes.
  async depth() {
    const nested = n => `print(${'('.repeat(n)}1${')'.repeat(n)})`;
    const calls = n => `fn f(n) {\n    if n == 0 { return 0 }\n    x = f(n - 1)\n    return x + 1\n}\nprint(f(${n}))`;
    const covec = new Tried();
    const before = covec.calls;
    assert.equal((await covec.tried(nested(500))).output, '1\n');
    assert.match((await covec.tried(nested(1000))).error, /nested too deeply: more than/);
    assert.equal((await covec.tried(calls(900))).output, '900\n');
    assert.match((await covec.tried(calls(5000))).error, /recursion too deep/);
    assert.equal(covec.calls, before);
  },

  async messagesSpeakOfThePage() {
    const {error} = await new Tried().tried('import image\nimage.write("a.png", zeros(2, 2, 3))');
    assert.match(error, /PNG needs libpng: the page loads no libraries/);
  },

  async breakpointsAreTold() {
    const covec = new Tried();
    for (let i = 0; i < 2; ++i) assert.match((await covec.tried('breakpoint()\nprint(1)')).error, /the program goes on/);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(TESTS)) {
  try {
    await test();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error?.stack ?? error}`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
