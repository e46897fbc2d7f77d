#!/usr/bin/env python3
"""What loops over small vectors, matrices and records cost, compared with the same by scalars.

    python3 tests/bench/small/run.py [--covec COMMAND] [--before COMMAND] [NAME…]

Each program gives a function as people write it, with extents in its annotations, and by scalars; it checks that values and
gradients of the forms agree (measure.covec). A row has nanoseconds of an iteration, the least of several calls in turns, and the
ratios to the scalars. Then come draws in loops, vmap of loops, a Hessian, and what compiling the programs in examples/ takes,
which needs gdb. Everything runs on one thread, except `threads`. `unchanged` and `compiling` divide by the same of another build
of Covec, if `--before` says one: `unchanged` is about what lanes must not make slower.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = ["pairs", "orbit", "joints", "rigid", "cloth", "rays", "chain", "gates", "network", "carlo", "markov", "fit", "filters",
            "kalman", "newton"]
OTHERS = {"draws": "nanoseconds of a draw", "batches": "time of an example under vmap, divided by that of a single call",
          "hessian": "nanoseconds of the function, and the others divided by it",
          "lanes": "iterations side by side: an example divided by a single call; the rest divided as it says"}
SPECIAL = ("threads", "unchanged", "compiling")
FORMS = ("written", "annotated", "scalars")


ROUNDS = 5  # processes of each kind, in turns


def printed(covec, path, threads=1):
    done = subprocess.run([covec, path], capture_output=True, text=True, env={**os.environ, "COVEC_THREADS": str(threads)})
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stdout}{done.stderr}")
    return done.stdout


def least(commands, path):
    """Of each (command, threads): the least microseconds of each row."""
    found = [{} for _ in commands]
    for _ in range(ROUNDS):
        for rows, (covec, threads) in zip(found, commands):
            for line in printed(covec, path, threads).splitlines():
                name, microseconds = line.rsplit(" ", 1)
                rows[name] = min(rows.get(name, float("inf")), float(microseconds))
    return found


def sharing(covec):
    print("threads: time of 1,000 examples on one thread, divided by that on two")
    one, two = least([(covec, 1), (covec, 2)], HERE / "threads.covec")
    for name, microseconds in one.items():
        print(f"{name} {microseconds / two[name]:.3g}", flush=True)


def unchanged(covec, before):
    print("unchanged: microseconds" + (", and the same divided by those of the build before" if before else ""))
    now, *then = least([(command, 1) for command in (covec, before) if command], HERE / "unchanged.covec")
    for name, microseconds in now.items():
        print(f"{name} {microseconds:.4g}" + "".join(f" {microseconds / rows[name]:.3g}" for rows in then), flush=True)


def programs(covec, names):
    """The table of the programs and the medians of their ratios."""
    print(f"{'program':10}{'':10}" + "".join(f"{form:>11}" for form in FORMS) + f"{'÷ scalars':>11}{'annotated':>11}")
    ratios = {}
    for name in names:
        for line in printed(covec, HERE / f"{name}.covec").splitlines():
            kind, rest = line.split()[1], line.split()[2:]
            ns = dict(zip(rest[::2], map(float, rest[1::2])))
            times = [ns[form] / ns["scalars"] for form in ("written", "annotated") if form in ns]
            for form, ratio in zip(("written", "annotated"), times):
                ratios.setdefault((kind, form), []).append(ratio)
            cells = [f"{ns[form]:.4g}" if form in ns else "–" for form in FORMS] + [f"{ratio:.2f}" for ratio in times]
            print(f"{name:10}{kind:10}" + "".join(f"{cell:>11}" for cell in cells), flush=True)
    for (kind, form), found in ratios.items():
        print(f"{kind}s {form}: median {statistics.median(found):.2f}, worst {max(found):.2f}")


def stages_of(covec, program):
    """(functions, milliseconds) that a program compiles."""
    command = ["gdb", "-q", "-batch", "-x", HERE / "stages.py", "--args", covec, program.name]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, env={**os.environ, "COVEC_THREADS": "1"})
    found = re.search(r"^stages (\d+) ([\d.]+)$", done.stdout, re.M)
    if not found:
        sys.exit(f"gdb does not count what {program} compiles: {done.stdout[-500:]}{done.stderr[-500:]}")
    return int(found[1]), float(found[2])


def compiling(covec):
    """Functions that the examples compile (one for each combination of types), and the least milliseconds which that takes."""
    functions, milliseconds = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(shutil.copytree(ROOT / "examples", pathlib.Path(folder) / "examples"))  # some write files
        for program in sorted(copy.glob("*.covec")):
            count, least = stages_of(covec, program)
            if count == 0:
                continue
            least = min(least, *(stages_of(covec, program)[1] for _ in range(2)))
            print(f"compiling {program.name}: {count} in {least:.1f} ms", flush=True)
            functions, milliseconds = functions + count, milliseconds + least
    print(f"compiling examples: {functions} in {milliseconds:.1f} ms")
    return milliseconds


def main():
    parser = argparse.ArgumentParser(description="What small things cost in loops.")
    parser.add_argument("--covec", default=str(ROOT / "build/covec"))
    parser.add_argument("--before", help="another build, for unchanged and compiling")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*PROGRAMS, *OTHERS, *SPECIAL])}")
    options = parser.parse_args()
    covec, before = os.path.abspath(options.covec), options.before and os.path.abspath(options.before)
    wanted = lambda name: not options.names or name in options.names
    if chosen := [name for name in PROGRAMS if wanted(name)]:
        programs(covec, chosen)
    for name, what in OTHERS.items():
        if wanted(name):
            print(f"{name}: {what}\n" + printed(covec, HERE / f"{name}.covec"), end="", flush=True)
    if wanted("threads"):
        sharing(covec)
    if wanted("unchanged"):
        unchanged(covec, before)
    if wanted("compiling") and not shutil.which("gdb"):
        print("compiling: skipped, gdb is not installed")
    elif wanted("compiling"):
        milliseconds = compiling(covec)
        if before:
            print(f"compiling examples now/before: {milliseconds / compiling(before):.3g}")


if __name__ == "__main__":
    main()
