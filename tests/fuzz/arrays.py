#!/usr/bin/env python3
"""Random functions of matrices: products, rows and columns, softmax, slices that are set, loops that compute rows from rows. Each is called
eagerly and as machine code, with its derivatives and over examples, for several shapes and dtypes; values, and errors with their places, must
be the same to the bit.

    arrays.py --covec COMMAND --programs 10 --seed 1
    arrays.py --covec COMMAND --complex ...        functions of complex vectors that branches, loops, records, lists and calls hand on

A program that differs, or crashes, is kept in --found. Exit status 1 then.
"""
import argparse
import os
import random
import subprocess
import sys

MATRICES, VECTORS, NUMBERS = ("x", "y", "z"), ("v", "u"), ("s", "t")
FUNCTIONS = 8  # of a program

PRELUDE = '''
fn alike(a, b) {
    if same(a, b) { return true }
    if type_of(a) != type_of(b) { return false }
    if type_of(a) == "tuple" {
        for i in range(len(a)) { if not alike(a[i], b[i]) { return false } }
        return len(a) == len(b)
    }
    try {
        p, q = where(isnan(a), 0, a), where(isnan(b), 0, b)
        return a.shape == b.shape and same(a.dtype, b.dtype) and same(isnan(a), isnan(b)) and same(p, q) and same(1 / p, 1 / q)
    } catch err { return false }
}
fn outcome(f, args) { try { return (f(*args), "") } catch err { return (0, f"{err.message} {err.line}:{err.column}") } }
fn agree(name, f, *args) {
    wanted = outcome(f, args)
    made = compile(f)
    for k in range(2) {
        got = outcome(made, args)
        if not (alike(got[0], wanted[0]) and got[1] == wanted[1]) { print("DIFFERS", name, "eager:", wanted[1], "code:", got[1]) }
    }
}
'''

CALLS = '''
for shape in list((4, 5), (5, 40), (3, 1)) {
    n, m = shape
    for x in list(randn(n, m), f32(randn(n, m)), randn(m, n).T, f16(randn(n, m)), i32(randn(n, m) * 4), u8(abs(randn(n, m)) * 90), i16(randn(n, m) * 9)) {
        w = (f32(randn(m, m)) if same(x.dtype, f32) else randn(m, m)) / m
        what = f"{f} {shape} {type_of(x)}"
        agree(what, f, x, x * 0.5, w, x[0], 0.5)
        agree(what + " of one", f, x, x, w, w[0], 2)
        if m == 5 {
            agree(what + " grad", x -> grad(x -> { r = f(x, x * 0.5, w, x[0], 0.5); return sum(r[0]) + sum(r[1] * r[2]) })(x), x)
            agree(what + " jvp", x -> jvp(x -> f(x, x * 0.5, w, x[0], 0.5), (x,), (x,)), x)
            agree(what + " vmap", x -> vmap(x -> f(x, x * 0.5, w, x[0], 0.5))(x), stack([x, x]))
        }
    }
}
'''


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, *choices):
        """One of (weight, text or function)."""
        made = self.random.choices([choice for _, choice in choices], [weight for weight, _ in choices])[0]
        return made() if callable(made) else made

    def of(self, names):
        return self.random.choice(names)

    def index(self):
        return self.of(("0", "1", "2", "-1", "i", "i - 1", "i + 1", "-i", "i % 2", "(i + 1) % 3", "n - 1", "-1 - i", "2 - i"))

    def slice(self):
        return self.of(("1:-1", "1:", "::2", "i:i + 1", "1:3", ":-1"))

    def function(self):
        return self.of(("exp", "tanh", "abs", "sigmoid", "sqrt", "relu", "sin", "floor", "-"))

    def number(self):
        return self.one(
            (35, lambda: self.of(NUMBERS)), (25, lambda: self.of(("0.5", "2", "1", "-0.25", "3.0", "0"))),
            (10, lambda: f"{self.of(MATRICES)}[{self.index()}, {self.of('01')}]"), (10, lambda: f"x.shape[{self.of('01')}]"),
            (10, lambda: f"{self.of(('sum', 'max', 'mean'))}({self.of(MATRICES)})"),
            (10, lambda: f"({self.number()} {self.of('+-*')} {self.number()})"))

    def vector(self, depth=0):
        if depth > 3:
            return self.of(VECTORS)
        deeper = depth + 1
        return self.one(
            (20, lambda: self.of(VECTORS)), (25, lambda: f"{self.of(MATRICES)}[{self.index()}]"),
            (5, lambda: f"{self.of(('sum', 'max', 'mean'))}({self.matrix(depth + 2)}, axis=0)"),
            (15, lambda: f"{self.function()}({self.vector(deeper)})"), (5, lambda: f"({self.of(VECTORS)} @ w)"),
            (5, lambda: f"where({self.vector(deeper)} {self.of('<>')} {self.number()}, {self.vector(deeper)}, {self.number()})"),
            (10, lambda: f"maximum({self.vector(deeper)}, {self.number()})"),
            (15, lambda: f"({self.vector(deeper)} {self.of('+-*')} {self.of((self.vector(deeper), self.number()))})"))

    def column(self, depth):
        return self.one((1, "c"), (4, lambda: f"{self.of(('sum', 'max', 'mean', 'min'))}({self.matrix(depth + 1)}, axis=1, keepdims=true)"))

    def beside(self, depth):
        """What broadcasts with a matrix."""
        return self.one((1, lambda: self.vector(depth)), (1, lambda: self.column(depth)), (1, self.number))

    def matrix(self, depth=0):
        if depth > 3:
            return self.of(MATRICES)
        deeper = depth + 1
        return self.one(
            (20, lambda: self.of(MATRICES)), (15, lambda: f"({self.of(MATRICES)} @ w)"), (5, lambda: f"({self.matrix(deeper)} @ w)"),
            (10, lambda: f"{self.function()}({self.matrix(deeper)})"), (6, lambda: f"softmax({self.matrix(deeper)})"),
            (2, lambda: f"log_softmax({self.matrix(deeper)})"), (3, lambda: f"{self.of(MATRICES)}[::-1]"),
            (4, lambda: f"where({self.matrix(deeper)} > {self.beside(deeper)}, {self.beside(deeper)}, {self.matrix(deeper)})"),
            (15, lambda: f"({self.matrix(deeper)} {self.of('+-*/')} {self.beside(deeper)})"),
            (20, lambda: f"({self.matrix(deeper)} {self.of('+-*')} {self.matrix(deeper)})"))

    def block(self, depth, loops, count):
        inner = "\n".join(self.statement(depth, loops) for _ in range(count))
        return "{\n" + inner + "\n" + "    " * (depth - 1) + "}"

    def statement(self, depth=1, loops=False):
        choices = [
            (22, lambda: f"{self.of(MATRICES)} = {self.matrix()}"), (25, lambda: f"{self.of(MATRICES)}[{self.index()}] = {self.vector()}"),
            (8, lambda: f"{self.of(MATRICES)}[{self.slice()}] = {self.matrix()}[{self.slice()}]{self.of((' * 2', ' + v', ''))}"),
            (3, lambda: f"{self.of(MATRICES)}[:, {self.of(('0', '-1'))}] = sum({self.matrix()}, axis=1)"),
            (8, lambda: f"{self.of(VECTORS)} = {self.vector()}"), (4, lambda: f"c = {self.column(1)}"),
            (5, lambda: f"{self.of(NUMBERS)} = {self.number()}"), (3, lambda: f"{self.of(MATRICES)} = {self.of(MATRICES)}"),
            (3, lambda: f"{self.of(MATRICES)}[{self.index()}, {self.of(('0', '-1', 'i'))}] = {self.number()}"),
            (2, lambda: f"print({self.number()})")]
        if depth < 3:
            choices += [
                (3, lambda: f"try {self.block(depth + 1, loops, 2)} catch err {{ {self.of(NUMBERS)} = 1.5 }}"),
                (4, lambda: f"if {self.number()} > {self.number()} {self.block(depth + 1, loops, 2)} else {self.block(depth + 1, loops, 2)}")]
            if not loops:
                passes = ("range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(3)")
                choices.append((10, lambda: f"for i in {self.of(passes)} {self.block(depth + 1, True, self.random.randint(1, 4))}"))
        return "    " * depth + self.one(*choices)

    def program(self):
        text = PRELUDE
        for k in range(FUNCTIONS):
            body = "\n".join(self.statement() for _ in range(self.random.randint(2, 6)))
            text += (f"fn f{k}(x, y, w, v, s) {{\n    z, u, c, t = y * 1, v + 1, sum(x, axis=1, keepdims=true), s\n    i, n = 1, len(x)\n"
                     f"{body}\n    return x, y, z, v, u, c, s, t\n}}\n")
        calls = "".join("    " + line + "\n" for line in CALLS.strip().split("\n"))
        return text + f"seed({self.random.randint(1, 999)})\nfor f in list({', '.join(f'f{k}' for k in range(FUNCTIONS))}) {{\n{calls}}}\nprint(\"done\")\n"


COMPLEX_CALLS = '''
for n in list(3, 1, 8) {
    for dtype in list(c128, c64) {
        z, w = dtype(complex(randn(n), randn(n))), dtype(complex(randn(n), randn(n)))
        what = f"{f} {n} {dtype}"
        agree(what, f, z, w)
        agree(what + " grad", grad(f, wrt=(0, 1)), z, w)
        agree(what + " second", (x, y) -> grad(x -> sum(grad(x -> f(dtype(complex(x, y)), dtype(complex(y, x))))(x)^2))(x), randn(n), randn(n))
    }
}
'''


class ComplexWriter(Writer):
    """Functions of complex vectors. Both parts of one have one extent, whatever hands it on."""

    def value(self, depth=0):
        if depth > 2:
            return self.of("zwuv")
        deeper = depth + 1
        return self.one(
            (30, lambda: self.of("zwuv")), (20, lambda: f"({self.value(deeper)} {self.of('+-*')} {self.value(deeper)})"),
            (25, lambda: f"({self.value(deeper)} {self.of('+-*')} {self.of(('3', '0.5', 't', 'real(z)', '1im', '(0.5 + 2im)'))})"),
            (15, lambda: f"{self.of(('exp', 'conj', 'tanh', 'sqrt', 'sin', '-', 'expm1', 'log1p'))}({self.value(deeper)} * 0.5)"),
            (5, lambda: f"({self.value(deeper)} / ({self.of('zwuv')} + 4))"))

    def statement(self, depth=1, loops=False):
        choices = [(30, lambda: f"{self.of('uv')} = {self.value()}"), (5, lambda: f"t = tanh(sum({self.of(('real', 'imag', 'abs'))}({self.of('zwuv')})))"),
                   (6, lambda: f"r = {{a: {self.value()}, b: t}}"), (5, lambda: f"{self.of('uv')} = r.a * r.b"),
                   (6, lambda: f"xs.push({self.value()})"), (5, lambda: f"{self.of('uv')} = xs[-1]"),
                   (4, lambda: "u, v = v, u"), (4, lambda: f"{self.of('uv')} = turned({self.of('zwuv')}, {self.of('123')})")]
        if depth < 3:
            choices.append((15, lambda: f"if t > {self.of(('0.1', '-0.2'))} {self.block(depth + 1, loops, 2)} else {self.block(depth + 1, loops, 2)}"))
            if not loops:
                choices.append((15, lambda: f"for i in range({self.of('23')}) {self.block(depth + 1, True, self.random.randint(1, 3))}"))
        return "    " * depth + self.one(*choices)

    def program(self):
        text = PRELUDE + "fn turned(z, n) = z + 1 if n <= 0 else turned(z * z * 0.25 + 1, n - 1)\n"
        for k in range(FUNCTIONS):
            body = "\n".join(self.statement() for _ in range(self.random.randint(2, 6)))
            text += (f"fn f{k}(z, w) {{\n    u, v, t, xs = z * w, w, tanh(sum(real(z))), list(z)\n    r = {{a: z, b: 0.5}}\n{body}\n"
                     "    return sum(imag(sqrt(u + 3))) + sum(abs(u)) + sum(abs(sqrt(v + 1))) + sum(real(v * v * xs[-1])) + sum(imag(r.a + 2)) * t\n}\n")
        calls = "".join("    " + line + "\n" for line in COMPLEX_CALLS.strip().split("\n"))
        return text + f"seed({self.random.randint(1, 999)})\nfor f in list({', '.join(f'f{k}' for k in range(FUNCTIONS))}) {{\n{calls}}}\nprint(\"done\")\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--covec", required=True)
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=300, help="for one program")
    parser.add_argument("--found", default="arrays_found")
    parser.add_argument("--complex", action="store_true")
    options = parser.parse_args()
    failed = 0
    for seed in range(options.seed, options.seed + options.programs):
        os.makedirs(options.found, exist_ok=True)
        path = os.path.join(options.found, f"{'complex' if options.complex else 'arrays'}_{seed}.covec")
        with open(path, "w", encoding="utf-8") as file:
            file.write((ComplexWriter if options.complex else Writer)(seed).program())
        run = subprocess.run([options.covec, path], capture_output=True, text=True, timeout=options.seconds,
                             env={**os.environ, "COVEC_TIER": "code"})
        different = [line for line in run.stdout.split("\n") if line.startswith("DIFFERS")]
        if run.returncode == 0 and not different:
            os.remove(path)
            continue
        failed += 1
        print(f"seed {seed}: exit status {run.returncode}", *different[:3], run.stderr[-400:], sep="\n  ")
    print(f"{options.programs - failed} of {options.programs} programs are the same")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
