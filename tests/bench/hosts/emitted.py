#!/usr/bin/env python3
"""What functions take as C (`covec emit`) beside the same functions as prepared calls (covec_prepare), with the same inputs.

    python3 emitted.py BUILD          the folder with covec and interpreter/libcovec.so

Each function of ../../tools/emit/six.covec and its gradient; gcc -O3 -march=native, and -O2, where the code asks the processor
for its instruction for fma.
Times are the thread's own, the least of nine rounds, both sides in turn.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIX = HERE.parents[1] / "tools" / "emit" / "six.covec"
LARGE = """fn soft_large(w: f64[7, 5], x: f64[20000, 7], t: i64[20000]) {
    l = x @ w
    m = max(l, axis=1, keepdims=true)
    e = exp(l - m)
    return -mean(log(e[arange(20000), t] / sum(e, axis=1)))
}
"""
ROWS = [(SIX, name, derivative) for name in ("cost", "pose", "newton", "mlp", "soft", "ode")
        for derivative in ("", "jacobian" if name == "pose" else "grad")] + [(LARGE, "soft_large", ""), (LARGE, "soft_large", "grad")]
MAIN = r"""
#define _GNU_SOURCE
#include <covec/covec.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "NAME.h"
enum { rounds = 9 };
static void need(covec_session* session, covec_status status) {
  if (status == COVEC_OK) return;
  fputs(covec_error_text(session), stderr);
  exit(1);
}
static double own_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
ARRAYS
static double out[1 << 20], work[NAME_work_bytes / 8 + 8];
static int by_text(void) { return NAME(ARGUMENTS, work); }
static covec_worker* worker;
static int by_worker(void) { return covec_worker_run(worker) != COVEC_OK; }
static double least_of(int (*call)(void), double least, long calls) {
  const double before = own_seconds();
  for (long i = 0; i < calls; ++i) {
    if (call() != 0) exit(1);
  }
  const double taken = 1e9 * (own_seconds() - before) / (double)calls;
  return taken < least ? taken : least;
}
int main(void) {
  const covec_options options = {.threads = 1};
  covec_session* session = covec_open(&options);
  covec_value* function = NULL;
  covec_prepared* prepared = NULL;
  FILL
  need(session, covec_run(session, "program", PROGRAM, NULL));
  need(session, covec_run(session, "function", "FUNCTION", &function));
  need(session, covec_prepare(session, function, "TYPES", &prepared));
  need(session, covec_worker_open(prepared, &worker));
  BIND
  long calls = 1;
  while (least_of(by_worker, 1e18, calls) * (double)calls < 1e7) calls *= 2;
  double text = 1e18, code = 1e18;
  for (int round = 0; round < rounds; ++round) {
    text = least_of(by_text, text, calls);
    code = least_of(by_worker, code, calls);
  }
  printf("%.1f %.1f\n", text, code);
  return 0;
}
"""


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main_text(name, function, program, header):
    takes, gives = re.search(r"Takes (.*), gives (.*?)\. Tensors", re.sub(r"\s+", " ", header)).groups()
    types = ", ".join(dtype + shape for _, dtype, shape in re.findall(r"(\w+): (\w+)(\[[^\]]*\])?", takes))
    arrays, fill, bind, arguments, place = [], [], [], [], 0
    for k, (_, dtype, shape) in enumerate(re.findall(r"(\w+): (\w+)(\[[^\]]*\])?", takes)):
        count = 1
        for extent in re.findall(r"\d+", shape):
            count *= int(extent)
        ctype = {"f64": "double", "i64": "int64_t"}[dtype]
        arrays.append(f"static {ctype} in{k}[{count}];")
        fill.append(f"for (int i = 0; i < {count}; ++i) in{k}[i] = " + ("i % 5;" if dtype == "i64" else "0.01 + 0.1 * (i % 17);"))
        bind.append(f"covec_worker_bind_input(worker, {k}, in{k});")
        arguments.append(f"in{k}" if shape else f"*in{k}")
    for k, (_, _, shape) in enumerate(re.findall(r"(\w+): (\w+)(\[[^\]]*\])?", gives)):
        bind.append(f"covec_worker_bind_output(worker, {k}, out + {place});")
        arguments.append(f"out + {place}")
        place += 1
        for extent in [eval(re.sub(", ", " * ", shape[1:-1]))] if shape else []:
            place += extent
    text = MAIN
    for key, value in (("ARRAYS", "\n".join(arrays)), ("ARGUMENTS", ", ".join(arguments)), ("FILL", "\n  ".join(fill)), ("BIND", "\n  ".join(bind)),
                       ("PROGRAM", quoted(program)), ("FUNCTION", function), ("TYPES", types), ("NAME", name)):
        text = text.replace(key, value)
    return text


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    print("load", open("/proc/loadavg").read().strip())
    print(f"{'':22} {'prepared':>12} {'C -O3 native':>14} {'ratio':>6} {'C -O2':>12} {'ratio':>6}")
    for source, name, derivative in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.covec"
            program = source if isinstance(source, str) else source.read_text()
            path.write_text(program)
            subprocess.run([build / "covec", "emit", *(["--" + derivative] if derivative else []), "-o", folder, f"{path}:{name}"], check=True)
            made = name + ("_" + derivative if derivative else "")
            (path.parent / "main.c").write_text(
                main_text(made, f"{derivative}({name})" if derivative else name, program, (path.parent / (made + ".h")).read_text()))
            times = []
            for flags in (["-O3", "-march=native"], ["-O2"]):
                subprocess.run(["gcc", "-std=c99", "-ffp-contract=off", *flags, "-I", HERE.parents[2] / "interpreter" / "include", "-o", "main", "main.c",
                                made + ".c", build / "interpreter" / "libcovec.so", "-lm"], check=True, cwd=folder)
                run = subprocess.run(["taskset", "-c", "1", "./main"], capture_output=True, text=True, cwd=folder, env={"LD_LIBRARY_PATH": build / "interpreter"})
                if run.returncode != 0:
                    sys.exit(f"{made}: {run.stderr}")
                times.append([float(x) for x in run.stdout.split()])
            (fast, code), (plain, other) = times
            code = min(code, other)  # one and the same
            print(f"{made:22} {code:9.1f} ns {fast:11.1f} ns {fast / code:6.2f} {plain:9.1f} ns {plain / code:6.2f}", flush=True)


if __name__ == "__main__":
    main()
