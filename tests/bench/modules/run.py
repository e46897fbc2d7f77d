#!/usr/bin/env python3
"""The modules beside the libraries that people would name for the same tasks: SciPy, PyTorch, pandas, Pillow, Matplotlib (Debian's packages).

    /usr/bin/python3 tests/bench/modules/run.py --covec build/covec [--rounds 3] [--document docs/performance_results.md] [NAME…]

NAME_tasks.covec and NAME_peer.py write a line `task: milliseconds` for each task, the least of several calls, start-up and compiling excluded. They run in turns, one thread each; a
row is the ratio's median over the rounds and the best times; a task without a peer has no ratio. With --document the table takes the place of the one between its marks.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

folder = pathlib.Path(__file__).resolve().parent
PEERS = {"image": "Pillow, SciPy, Matplotlib", "linalg": "SciPy", "nn": "PyTorch", "ode": "SciPy", "optim": "SciPy, PyTorch", "plot": "Matplotlib", "signal": "SciPy", "sparse": "SciPy",
         "stats": "SciPy", "table": "pandas"}
MARKS = ("<!-- modules: begin -->", "<!-- modules: end -->")


def times_of(command, where):
    single = {"COVEC_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "SKYLAKEX"}
    done = subprocess.run(command, cwd=where, env={**os.environ, **single}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    sys.stderr.write(done.stderr)
    return {name: float(ms) for name, ms in re.findall(r"^(.+): ([0-9.e+-]+)$", done.stdout, re.M)}


def shown(ms):
    return f"{ms / 1e3:.2g} s" if ms >= 1000 else f"{ms:.3g} ms" if ms >= 0.1 else f"{1e3 * ms:.2g} µs"


def rows_of(name, covec, rounds):
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as where:
        for _ in range(rounds):
            ours.append(times_of([covec, folder / f"{name}_tasks.covec"], where))
            theirs.append(times_of([sys.executable, folder / f"{name}_peer.py"], where))
    for task in {**ours[0], **theirs[0]}:
        if task not in theirs[0]:
            if not task.endswith(", compiled"):
                yield f"| `{name}` | {task} | {shown(min(a[task] for a in ours))} | – | – |"
            continue
        ratio = statistics.median(a[task] / b[task] for a, b in zip(ours, theirs))
        compiled = f"{task}, compiled"
        row = f"| `{name}` | {task} | {shown(min(a[task] for a in ours))}"
        if compiled in ours[0]:
            row += f"; compiled {shown(min(a[compiled] for a in ours))}"
            ratio = min(ratio, statistics.median(a[compiled] / b[task] for a, b in zip(ours, theirs)))
        yield f"{row} | {shown(min(b[task] for b in theirs))} | {ratio:.2f} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--covec", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    lines = ["| module | task | Covec | peer | ratio |", "| --- | --- | --- | --- | --- |"]
    for name in options.names or sorted(PEERS):
        if not (folder / f"{name}_tasks.covec").exists():
            continue
        for row in rows_of(name, os.path.abspath(options.covec), options.rounds):
            lines.append(row)
            print(row, flush=True)
    if options.document:
        text = options.document.read_text(encoding="utf-8")
        before, rest = text.split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        options.document.write_text(f"{before}{MARKS[0]}\n" + "\n".join(lines) + f"\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
