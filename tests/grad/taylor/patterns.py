#!/usr/bin/env python3
"""Random programs whose sparse Jacobians must be the dense ones, and whose patterns must hold every nonzero of those.

    patterns.py COVEC [--count 300] [--seed 1]

The programs are those of check.py: functions of a number or a vector with loops, branches, lists, records, recursion,
rules and closures. Looked at are f, its gradient or Jacobian, and f over examples, each at three points, as
random_programs.SPARSE does it. With COVEC_LONG there are 20,000 programs.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import random_programs  # noqa: E402
from check import UNDEFINED, Case  # noqa: E402
from programs import Program  # noqa: E402

AT_ONCE = 20    # programs in a file
LONG = 20000    # programs
HEAD = random_programs.SPARSE + """
fn check(label, f, x) {
    try {
        for fault in sparse_faults(f, x) { print(label, fault) }
    } catch err { print(label, "fails", err.message) }
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
    lines, mode = case.used(), ("forward", "reverse", "auto")[int(case.label) % 3]
    examples = f"stack(({x}, 0.5 * {x}))"
    for name, what, point in (("f", f, x), ("slopes", f'jacobian({f}, mode="{mode}")', x), ("examples", f"vmap({f})", examples)):
        lines.append(f'check("{case.label}.{name}:", {what}, {point})')
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("covec")
    parser.add_argument("--count", type=int, default=LONG if os.environ.get("COVEC_LONG") else 300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    count, bad = args.count, 0
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
