#!/usr/bin/env python3
"""Random compositions of moves (reshape, slices, roll, pad, concat, repeat, tile, flip, diag, assignments at indices …) of
tensors with named extents, as C (`covec emit`): of all small extents, primes and some larger ones, each element must lie
where the interpreter puts it, or both must fail.

    moves.py --covec COMMAND --programs 10 --seed 1

A program has 30 functions. Those that are refused are counted. The interpreter tells the number of elements that a function
gives, and their sum, each times a number of its place: all are integers, so that no sum is rounded. The C program has
arrays of just these sizes, and sanitizers. Exit status 1 where something differs. Start at Moves.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

FUNCTIONS = 30  # of a program
EXTENTS = [*range(41), 43, 47, 48, 53, 54, 59, 61, 64, 67, 71, 72, 73, 79, 83, 89, 96, 97, 101, 120, 127, 128]
LARGE = 1000  # only of what has one named axis
WIDTHS = [0, 1, 1, 2, 3, 4, 5, 7, 9, 13, 20, 33, 50]
FLAGS = ["-std=c99", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffp-contract=off"]


class Moves:
    """A function that moves the elements of x: each statement reassigns y, of rank self.rank. Its elements are at most as many
    as the square of an extent, times a small number."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def width(self):
        return self.random.choice(WIDTHS)

    def function(self, name):
        self.shape = self.pick("n", "n", "n", "n, 1", "n, 3", "n, 6", "2, n", "4, n", "n, m", "n, n")
        self.rank, self.lines = self.shape.count(",") + 1, ["y = x"]
        self.squared = self.shape in ("n, m", "n, n")
        steps = [self.slice, self.slice, self.slice, self.roll, self.pad, self.concat, self.repeat, self.flip, self.diagonal, self.turn,
                 self.reshape, self.stack, self.broadcast, self.element, self.assign, self.assign, self.gather, self.new_axis, self.triangle]
        for _ in range(self.random.randint(1, 4)):
            self.axis = self.random.randrange(self.rank)
            self.random.choice(steps)()
        return f"fn {name}(x: f64[{self.shape}]) {{\n" + "".join(f"    {line}\n" for line in self.lines) + "    return y\n}\n"

    def put(self, value):
        self.lines.append(f"y = {value}")

    def items(self, item):
        """An index with this along the axis."""
        return ", ".join(item if axis == self.axis else ":" for axis in range(self.rank))

    def bound(self):
        extent = self.pick("x.shape[0]", f"y.shape[{self.random.randrange(self.rank)}]")
        return self.pick("", "", self.width(), self.width(), -max(1, self.width()), extent, f"{extent} - {self.width()}",
                         f"{self.width()} - {extent}", f"-{extent}", f"{extent} + {self.width()}")

    def range(self):
        return f"{self.bound()}:{self.bound()}{self.pick('', '', '', ':-1', ':2', ':-2', ':3')}"

    def slice(self):
        self.put(f"y[{self.items(self.pick(self.range(), f'{self.width()}:', f':-{max(1, self.width())}'))}]")

    def roll(self):
        self.put(f"roll(y, {self.pick(1, -1, 2, 3, -5, 12, -20)}{self.pick('', f', axis={self.axis}')})")

    def pad(self):
        widths = ", ".join(f"({self.width()}, {self.width()})" if axis == self.axis else "(0, 0)" for axis in range(self.rank))
        self.put(f"pad(y, ({widths},){self.pick('', ', 7.0')})")

    def concat(self):
        other = self.pick("y", f"flip(y, axis={self.axis})", f"y[{self.items(f'{self.width()}:')}]")
        self.put(f"concat([{self.pick(f'y, {other}', f'{other}, y')}], axis={self.axis})")

    def repeat(self):
        self.put(self.pick(f"repeat(y, {self.pick(1, 2, 3)}, axis={self.axis})", f"tile(y, {self.pick(1, 2, 3)})"))

    def flip(self):
        self.put(f"flip(y{self.pick('', f', axis={self.axis}')})")

    def diagonal(self):
        if self.rank < 3 - self.squared or self.rank == 2:
            self.put(f"diag(y, {self.pick(0, 0, 1, -1, -3, 9)})")
            self.squared |= self.rank == 1
            self.rank = 3 - self.rank

    def turn(self):
        self.put(f"permute(y, {tuple(self.random.sample(range(self.rank), self.rank))})" if self.rank > 1 else "flip(y)")

    def reshape(self):
        shapes = ["-1", "(y.shape[0], 1)" if self.rank == 1 else "(y.shape[0] * y.shape[1], -1)" if self.rank == 3 else "(y.shape[1], y.shape[0])"]
        shape = self.random.choice(shapes)
        self.put(f"reshape(y, {shape})")
        self.rank = 1 if shape == "-1" else 2

    def stack(self):
        if self.rank < 3:
            self.put(f"stack([y, {self.pick('y + 1.0', f'flip(y, axis={self.axis})')}], axis={self.random.randrange(self.rank + 1)})")
            self.rank += 1

    def broadcast(self):
        if self.rank == 1:
            self.put(f"broadcast_to(y, ({self.pick('3', '1') if self.squared else 'x.shape[0]'}, y.shape[0]))")
            self.rank, self.squared = 2, True

    def element(self):
        if self.rank > 1:
            self.put(f"y[{self.items(self.pick('0', '-1', '2'))}]")
            self.rank -= 1

    def assign(self):
        item = self.pick(self.range(), self.range(), "0", "-1", "2", "[0, 2, 1]", "[1, 1]", "[3, 0, 3, 1]")
        self.lines.append(f"y[{self.items(item)}] {self.pick('=', '+=')} {self.width()}.0")

    def gather(self):
        places = self.pick("[0, 2, 1]", "[1, 1]", "[-1, 0]", "[4, 3, 2, 1, 0]", "[[0, 1], [2, 0]]")
        if self.rank > 1 and self.pick(True, False):
            self.put(f"y[{', '.join([places] * 2 + [':'] * (self.rank - 2))}]")
            self.rank += places.count("[[") - 1
        elif self.rank + places.count("[[") <= 3:
            self.put(f"y[{self.items(places)}]")
            self.rank += places.count("[[")

    def new_axis(self):
        if self.rank < 3:
            self.put(f"unsqueeze(y, {self.random.randint(0, self.rank)})")
            self.rank += 1

    def triangle(self):
        if self.rank == 2:
            self.put(f"{self.pick('tril', 'triu')}(y, {self.pick(0, 1, -2, 5)})")


TOLD = """fn tell(name, n, m, f, x) {
    try {
        y = f(x)
        print(name, n, m, prod(y.shape), i64(sum(reshape(y, -1) * f64(arange(prod(y.shape)) % 1009 + 1))))
    } catch { print(name, n, m, -1, 0) }
}
fn elements(*shape) = reshape(f64(arange(prod(shape))) + 1.0, shape)
"""
MAIN = r"""#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static int64_t sum_of(const double* y, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += (int64_t)y[i] * (i % 1009 + 1);
  return sum;
}
static void tell(const char* name, int64_t n, int64_t m, int64_t count, int64_t sum, int number, const char* text, const double* y) {
  if (count < 0 ? number != 0 : number == 0 && sum_of(y, count) == sum) return;
  printf("%s n=%d m=%d: %s\n", name, (int)n, (int)m, count < 0 ? "no error" : number != 0 ? text : "another element");
}
static double* elements(int64_t count) {
  double* const x = malloc((size_t)count * sizeof *x + 1);
  for (int64_t i = 0; i < count; ++i) x[i] = (double)(i + 1);
  return x;
}
"""
ROOM = 4_000_000  # elements of a result that is an error for the interpreter


def cases_of(text, shape):
    """(n, m), of which a function's parameter has the first, or both."""
    cases = [(n, (5 * n + 2) % 37) for n in EXTENTS]
    squared = shape == "n, n" or any(word in text for word in ("diag", "broadcast_to"))
    return [(n, m) for n, m in cases if n <= 64] if squared else cases + [(LARGE, 3)]


class Program:
    def __init__(self, covec, seed, folder):
        self.covec, self.folder = covec, folder
        moves = Moves(seed)
        self.functions = {f"f{seed}_{k}": moves.function(f"f{seed}_{k}") for k in range(FUNCTIONS)}
        self.shapes = {name: re.search(r"f64\[(.*?)\]", text).group(1) for name, text in self.functions.items()}
        self.outcomes, self.faults = collections.Counter(), []

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=900)
        return done.returncode, done.stdout, done.stderr

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def emitted(self, name):
        status, _, said = self.run(self.covec, "emit", f"program.covec:{name}")
        if status == 0:
            return True
        refused = re.search(r"cannot be written as C: (.*)", said)
        if not refused:
            self.faults.append(f"{said}{self.functions[name]}")
        self.outcomes["refused" if refused else "wrong"] += 1
        return False

    def examine(self):
        self.write("program.covec", "".join(self.functions.values()))
        names = [name for name in self.functions if self.emitted(name)]
        told = "".join(self.functions[name] for name in names) + TOLD
        for name in names:
            for n, m in cases_of(self.functions[name], self.shapes[name]):
                shape = ", ".join({"n": str(n), "m": str(m)}.get(extent, extent) for extent in self.shapes[name].split(", "))
                told += f'tell("{name}", {n}, {m}, {name}, elements({shape}))\n'
        self.write("told.covec", told)
        status, expected, said = self.run(self.covec, "told.covec")
        if status != 0:
            raise SystemExit(f"the interpreter fails: {said}")
        cases = collections.defaultdict(list)
        for line in expected.splitlines():
            name, *numbers = line.split(" ")
            cases[name].append(", ".join(numbers))
        self.compare(names, cases)

    def compare(self, names, cases):
        main, calls = MAIN, ""
        for name in names:
            given = ["n"] + ["m"] * (self.shapes[name] == "n, m")
            arguments = ", ".join(given)
            count = self.shapes[name].replace(", ", " * ")
            main += f'#include "{name}.h"\nstatic void of_{name}(int64_t n, int64_t m, int64_t count, int64_t sum) {{\n'
            main += f"  double *const x = elements({count}), *const y = elements(count < 0 ? {ROOM} : count);\n"
            main += f"  void* const work = malloc((size_t){name}_work_bytes({arguments}));\n"
            main += f"  const int number = {name}({arguments}, x, y, work);\n"
            main += f'  tell("{name}", n, m, count, sum, number, {name}_error(number), y);\n  free(x), free(y), free(work);\n}}\n'
            calls += "".join(f"  of_{name}({case});\n" for case in cases[name])
            self.outcomes["extents"] += len(cases[name])
        self.write("main.c", main + "int main(void) {\n" + calls + "  return 0;\n}\n")
        status, _, said = self.run("gcc", *FLAGS, "-w", "-o", "main", "main.c", *[f"{name}.c" for name in names], "-lm")
        if status != 0:
            raise SystemExit(f"gcc: {said}")
        status, out, said = self.run("./main")
        wrong = collections.defaultdict(list)
        for line in out.splitlines():
            wrong[line.split(" ")[0]].append(line)
        self.faults += ["\n".join(lines[:5]) + "\n" + self.functions[name] for name, lines in wrong.items()]
        if status != 0:
            self.faults.append(f"status {status}\n{said}")
        self.outcomes["wrong"] += len(wrong) + (status != 0)
        self.outcomes["written"] += len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--covec", required=True)
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    outcomes = collections.Counter()
    for seed in range(given.seed, given.seed + given.programs):
        with tempfile.TemporaryDirectory(prefix="covec-fuzz-") as folder:
            program = Program(os.path.abspath(given.covec), seed, folder)
            program.examine()
        outcomes.update(program.outcomes)
        for fault in program.faults:
            print(f"--- seed {seed}\n{fault}", flush=True)
    print(f"{outcomes['written']} functions are written, {outcomes['refused']} are refused; {outcomes['extents']} extents, "
          f"{outcomes['wrong']} functions are wrong")
    return 1 if outcomes["wrong"] or outcomes["written"] < outcomes["refused"] // 3 else 0


if __name__ == "__main__":
    sys.exit(main())
