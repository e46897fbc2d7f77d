#!/usr/bin/env python3
"""Derivatives 1 to 6 of elementwise operators at special points, against stored/derivatives_at_points.txt.

    derivatives_at_points_test.py COMMAND

Four ways: gradients of gradients, tangents of tangents, tangents of gradients, and the first of these compiled. A way
is one program; each row of the table is a line of its output.
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).parent / "stored" / "derivatives_at_points.txt"
ORDERS = 6
# Beside the exact number, or 1/100 of the row's largest, which a derivative that vanishes is measured by.
BOUND = 1e-11

HEAD = """
fn d(f, k) = f if k == 0 else d(grad(f), k - 1)
fn tangent(f) = x -> jvp(f, x, 1.0)[1]
fn forward(f, k) = f if k == 0 else forward(tangent(f), k - 1)
fn mixed(f, k) = d(f, k) if k < 2 else tangent(d(f, k - 1))
fn compiled(f, k) = compile(d(f, k))
"""
ALL = range(1, ORDERS + 1)
WAYS = {"d": ALL, "forward": ALL, "mixed": ALL[1:], "compiled": (1, 3, 6)}


def rows_of_table():
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        function, point, numbers = line.split("; ")
        yield function, point, [float(number) for number in numbers.split()]


def program(rows, way):
    lines = [HEAD]
    for function, point, wanted in rows:
        numbers = " ".join(f"{{{way}(t -> {function}, {k})({point}):.17g}}" for k in WAYS[way] if k <= len(wanted))
        lines.append(f'print(f"{numbers}")')
    return "\n".join(lines) + "\n"


def is_near(got, wanted, size):
    if not math.isfinite(wanted) or not math.isfinite(got):
        return got == wanted
    return abs(got - wanted) <= BOUND * max(abs(wanted), size / 100)


def misses(command, rows, way):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "points.covec"
        path.write_text(program(rows, way), encoding="utf-8")
        engine = {"COVEC_ENGINE": "compiled"} if way == "compiled" else {}
        done = subprocess.run([command, str(path)], capture_output=True, text=True, env=os.environ | engine)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != len(rows):
        return [f"{way}: the program ends after {len(lines)} of {len(rows)} rows\n{done.stderr[-2000:]}"]
    found = []
    for (function, point, numbers), line in zip(rows, lines):
        size = max((abs(number) for number in numbers if math.isfinite(number)), default=0)
        for order, got in zip(WAYS[way], map(float, line.split())):
            wanted = numbers[order - 1]
            if not is_near(got, wanted, size):
                found.append(f"{way}: derivative {order} of {function} at t = {point} is {got!r}, not {wanted!r}")
    return found


def main():
    rows = list(rows_of_table())
    found = [miss for way in WAYS for miss in misses(sys.argv[1], rows, way)]
    print("\n".join(found))
    print(f"{len(rows)} rows, {len(found)} misses")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
