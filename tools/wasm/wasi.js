// The functions of WASI that the module imports, as far as a page needs them: writing to the two streams, the clock, random bytes
// and the end. There are no files, arguments or variables of an environment. Start reading at wasi().

// WASI's numbers of errors.
const BADF = 8, NOSYS = 52;

// The program has ended itself: by abort(), or by what only ends programs.
export class Exit extends Error {
  constructor(status) {
    super(`the program has ended with status ${status}`);
    this.status = status;
  }
}

// The imports of `module` (a WebAssembly.Module). `write(stream, bytes)` gets what is written to stream 1 or 2; the bytes are valid
// during the call only. `memory()` gives the memory of the instance.
export function wasi(module, memory, write) {
  const view = () => new DataView(memory().buffer);
  const functions = {
    fd_write(stream, vectors, count, written) {
      if (stream !== 1 && stream !== 2) return BADF;
      let total = 0;
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(vectors + 8 * i, true), length = view().getUint32(vectors + 8 * i + 4, true);
        write(stream, new Uint8Array(memory().buffer, at, length));
        total += length;
      }
      view().setUint32(written, total, true);
      return 0;
    },
    clock_time_get(clock, precision, result) {
      const now = performance.now() + (clock === 0 ? performance.timeOrigin : 0);  // 0: the calendar's, else any
      view().setBigUint64(result, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    random_get(at, length) {
      for (let done = 0; done < length; done += 65536) {  // no more at once
        crypto.getRandomValues(new Uint8Array(memory().buffer, at + done, Math.min(65536, length - done)));
      }
      return 0;
    },
    environ_sizes_get(count, bytes) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
    proc_exit(status) {
      throw new Exit(status);
    },
  };
  const imports = {};
  for (const {module: from, name, kind} of WebAssembly.Module.imports(module)) {
    if (from !== 'wasi_snapshot_preview1' || kind !== 'function') continue;
    imports[name] = functions[name] ?? (name.startsWith('fd_') ? () => BADF : () => NOSYS);
  }
  return imports;
}
