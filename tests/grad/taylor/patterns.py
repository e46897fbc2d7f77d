#!/usr/bin/env python3
"""Random programs whose patterns must hold: every nonzero of a dense Jacobian is in the pattern of sparse.pattern.

    patterns.py COVEC [--count 300] [--seed 1]

The programs are those of check.py: functions of a number or a vector with loops, branches, lists, records, recursion,
rules and closures. Looked at are f, its gradient or Jacobian, and f over examples. At a point where a program may take
another path its pattern says so itself; so each pattern is compared at its own point. With COVEC_LONG there are 20,000.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import UNDEFINED, Case  # noqa: E402
from programs import Program  # noqa: E402

AT_ONCE = 20    # programs in a file
LONG = 20000    # programs
HEAD = """import sparse
fn dense(p) {
    a = zeros(p.shape[0], p.shape[1])
    for i in range(p.shape[0]) { a[i, p.indices[p.indptr[i]:p.indptr[i + 1]]] = 1.0 }
    return a
}
fn flat(tree) = tree_vector(tree)[0]
fn missing(f, x) {
    pattern = dense(sparse.pattern(f, x))
    j = reshape(jacobian(y -> flat(f(y)))(x), pattern.shape)
    return count_nonzero((j != 0) & ~isnan(j) & (pattern == 0))
}
fn check(label, f, x) {
    try { plain = jacobian(y -> flat(f(y)))(x) } catch err { return none }
    try {
        n = missing(f, x)
        if n > 0 { print(label, "lacks", n) }
    } catch err { print(label, "fails", err.message) }
    return none
}
"""


def draw(seed):
    for attempt in range(1000):
        program = Program(f"{seed}.{attempt}", f"p{seed}_")
        case = Case(str(seed), program.functions, tuple(program.point), program.size, [])
        try:
            case.evaluate()
            return case
        except UNDEFINED:
            continue
    raise AssertionError(f"seed {seed} has no program")


def text(case):
    f, x = f"p{case.label}_f", repr(list(case.point)) if case.size else repr(case.point[0])
    lines = case.used()
    examples = f"stack(({x}, 0.5 * {x}))"
    for name, what, point in (("f", f, x), ("slopes", f"jacobian({f})", x), ("examples", f"vmap({f})", examples)):
        lines.append(f'check("{case.label}.{name}:", {what}, {point})')
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("covec")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    count = LONG if os.environ.get("COVEC_LONG") else args.count
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "patterns.covec")
        for first in range(args.seed, args.seed + count, AT_ONCE):
            cases = [draw(seed) for seed in range(first, min(first + AT_ONCE, args.seed + count))]
            with open(path, "w", encoding="utf-8") as file:
                file.write(HEAD + "".join(text(case) for case in cases))
            done = subprocess.run([args.covec, path], capture_output=True, text=True, timeout=600, check=False)
            wrong = sorted(set(re.findall(r"^(\d+)\.", done.stdout, re.M)))
            if done.returncode != 0 or done.stdout:
                bad += max(1, len(wrong))
                print(f"--- seeds from {first}: status {done.returncode}\n{done.stdout}{done.stderr[-2000:]}")
                for case in cases:
                    if case.label in wrong:
                        print(text(case))
    print(f"{count} programs, {bad} wrong")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
