#!/usr/bin/env python3
"""What matrix products take as C (`covec emit`) beside plain loops of C: the faster of i-j-k and i-k-j, with known extents.

    python3 products.py BUILD          the folder with covec

All with gcc -O2. For each extent n: a matrix times a matrix, a vector (A x) and before it (x A), with known extents and with
extents that the caller gives. Times are the thread's own, the least of nine rounds, all sides in turn; the factors are
multiples of the faster loops' time. The results have to be those of an exact chain of fma.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

EXTENTS = (4, 8, 16, 24, 32, 48, 64)
KINDS = {"A B": ("n", "n", "n"), "A x": ("n", "1", "n"), "x A": ("1", "n", "n")}
PLAIN = """
__attribute__((noinline)) void ijk(const T* restrict a, const T* restrict b, T* restrict c) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int t = 0; t < k; ++t) sum += a[i * k + t] * b[t * n + j];
      c[i * n + j] = sum;
    }
}
__attribute__((noinline)) void ikj(const T* restrict a, const T* restrict b, T* restrict c) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int t = 0; t < k; ++t)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * k + t] * b[t * n + j];
  }
}
"""
MAIN = r"""
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "known.h"
#include "named.h"
enum { rounds = 9, known = 2, sides = 4 };
void ijk(const T* a, const T* b, T* c);
void ikj(const T* a, const T* b, T* c);
static T a[64 * 64], b[64 * 64], c[64 * 64];
static double work[1 << 12];
static void call(int side) {
  if (side == 0) ijk(a, b, c);
  if (side == 1) ikj(a, b, c);
  if (side == 2) FUNCTION_known(a, b, c, work);
  if (side == 3) FUNCTION_named(GIVEN, a, b, c, work);
}
static double own_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double nanoseconds(int side, long calls) {
  const double before = own_seconds();
  for (long i = 0; i < calls; ++i) call(side);
  return 1e9 * (own_seconds() - before) / (double)calls;
}
int main(void) {
  double least[sides];
  long calls = 1;
  for (int i = 0; i < 64 * 64; ++i) a[i] = (T)(rand() % 1001 - 500) / 37, b[i] = (T)(rand() % 1001 - 500) / 37;
  for (int side = known; side < sides; ++side) {
    call(side);
    for (int i = 0; i < m * n; ++i) {
      T sum = 0;
      for (int t = 0; t < k; ++t) sum = FMA(a[i / n * k + t], b[t * n + i % n], sum);
      if (c[i] != sum) return 1;
      c[i] = 0;
    }
  }
  while (nanoseconds(known, calls) * (double)calls < 2e6) calls *= 2;
  for (int round = 0; round < rounds; ++round)
    for (int side = 0; side < sides; ++side) {
      const double time = nanoseconds(side, calls);
      if (round == 0 || time < least[side]) least[side] = time;
    }
  for (int side = 0; side < sides; ++side) printf("%.1f ", least[side]);
  return 0;
}
"""


def measured(build, folder, dtype, kind, extent):
    m, n, k = KINDS[kind]
    a, b = ("[k]" if m == "1" else "[m, k]"), ("[k]" if n == "1" else "[k, n]")
    type_, fma = {"f64": ("double", "fma"), "f32": ("float", "fmaf")}[dtype]
    numbers = {name: extent if each == "n" else 1 for name, each in (("m", m), ("n", n), ("k", k))}
    for name in ("known", "named"):
        shapes = [s if name == "named" else "[" + ", ".join(str(extent) for _ in s.split(",")) + "]" for s in (a, b)]
        (folder / "p.covec").write_text(f"fn product_{name}(a: {dtype}{shapes[0]}, b: {dtype}{shapes[1]}) = a @ b\n")
        subprocess.run([build / "covec", "emit", "-o", folder, f"{folder / 'p.covec'}:product_{name}"], check=True)
        (folder / f"product_{name}.h").rename(folder / f"{name}.h")
        text = (folder / f"product_{name}.c").read_text()
        (folder / f"{name}.c").write_text(text.replace(f'"product_{name}.h"', f'"{name}.h"'))
    head = f"#define T {type_}\nenum {{ m = {numbers['m']}, n = {numbers['n']}, k = {numbers['k']} }};\n"
    (folder / "plain.c").write_text(head + PLAIN)
    names = [name for name in ("m", "k", "n") if name in a + b]
    main = MAIN.replace("FUNCTION", "product").replace("GIVEN", ", ".join(names)).replace("FMA", fma)
    (folder / "main.c").write_text(main.replace("enum { rounds", head + "enum { rounds"))
    objects = []
    for name in ("plain", "known", "named", "main"):
        objects.append(f"{name}.o")
        subprocess.run(["gcc", "-std=c99", "-O2", "-ffp-contract=off", "-c", f"{name}.c"], check=True, cwd=folder)
    subprocess.run(["gcc", "-o", "main", *objects, "-lm"], check=True, cwd=folder)
    run = subprocess.run(["taskset", "-c", str(max(os.sched_getaffinity(0))), "./main"], capture_output=True, text=True, cwd=folder)
    if run.returncode != 0:
        sys.exit(f"{kind}, {dtype}, {extent}: not the bits of a chain of fma {run.stderr}")
    return [float(x) for x in run.stdout.split()]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    print("load", open("/proc/loadavg").read().strip())
    print(f"{'':18} {'i-j-k':>10} {'i-k-j':>10} {'known':>10} {'named':>10} ns {'known':>7} {'named':>7}")
    for kind in KINDS:
        for dtype in ("f64", "f32"):
            for extent in EXTENTS:
                with tempfile.TemporaryDirectory() as folder:
                    times = measured(build, pathlib.Path(folder), dtype, kind, extent)
                    faster = min(times[:2])
                    print(f"{kind}, {dtype}, {extent:<8}", *(f"{x:10.1f}" for x in times), f"   {times[2] / faster:7.2f} {times[3] / faster:7.2f}", flush=True)


if __name__ == "__main__":
    main()
