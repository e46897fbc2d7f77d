#!/usr/bin/env python3
"""Gradients of random expressions of complex numbers: Covec's in reverse, forward and by differences, interpreted and compiled to the
same bits, beside dual numbers of Python's cmath and, where SymPy is there, its derivatives at 30 digits.

    complex_expressions_test.py COVEC [--count N] [--seed N]
"""
import argparse
import cmath
import math
import random
import subprocess
import sys

try:
    import sympy
except ImportError:
    sympy = None

FUNCTIONS = {  # the derivative by the argument and the value
    "exp": lambda z, f: f, "log": lambda z, f: 1 / z, "sqrt": lambda z, f: 0.5 / f, "sin": lambda z, f: cmath.cos(z), "cos": lambda z, f: -cmath.sin(z),
    "tan": lambda z, f: 1 + f * f, "sinh": lambda z, f: cmath.cosh(z), "cosh": lambda z, f: cmath.sinh(z), "tanh": lambda z, f: 1 - f * f,
    "asin": lambda z, f: 1 / cmath.sqrt(1 - z * z), "acos": lambda z, f: -1 / cmath.sqrt(1 - z * z), "atan": lambda z, f: 1 / (1 + z * z),
    "asinh": lambda z, f: 1 / cmath.sqrt(1 + z * z), "acosh": lambda z, f: 1 / (cmath.sqrt(z - 1) * cmath.sqrt(z + 1)), "atanh": lambda z, f: 1 / (1 - z * z),
    "expm1": lambda z, f: 1 + f, "log1p": lambda z, f: 1 / (1 + z), "log2": lambda z, f: 1 / (z * math.log(2)), "log10": lambda z, f: 1 / (z * math.log(10))}
COMPOSED = {"expm1": lambda m, z: m.exp(z) - 1, "log1p": lambda m, z: m.log(1 + z), "log2": lambda m, z: m.log(z) / m.log(2), "log10": lambda m, z: m.log(z) / m.log(10)}


def function_of(library, name):
    return (lambda z: COMPOSED[name](library, z)) if name in COMPOSED else getattr(library, name)


class Dual:
    """A value and its derivatives by z and w."""

    def __init__(self, value, by=(0j, 0j)):
        self.value, self.by = value, by

    def through(self, value, derivative):
        return Dual(value, tuple(derivative * d for d in self.by))


def number(text):
    return complex(text.replace("im", "j").replace(" ", ""))


def make(rng, depth):
    """An expression as a nested tuple; real numbers stand beside complex ones alone."""
    kind = rng.random()
    if depth == 0 or kind < 0.1:
        return ("leaf", rng.choice(["z", "w", "z", "w", f"({rng.uniform(-2, 2):.2f} + {rng.uniform(0.1, 2):.2f}im)"]))
    if kind < 0.5:
        return ("function", rng.choice(list(FUNCTIONS)), make(rng, depth - 1))
    if kind < 0.9:
        operands = [make(rng, depth - 1), make(rng, depth - 1) if rng.random() < 0.8 else ("leaf", f"{rng.uniform(-2, 2):.2f}")]
        rng.shuffle(operands)
        return ("operator", rng.choice("+-*/*"), *operands)
    return ("power", rng.choice([2, 3, -1, 0.5, 1.5, None]), make(rng, depth - 1), make(rng, 0))


def text(e):
    if e[0] == "leaf":
        return e[1]
    if e[0] == "function":
        return f"{e[1]}({text(e[2])})"
    if e[0] == "operator":
        return f"({text(e[2])} {e[1]} {text(e[3])})"
    return f"({text(e[2])})^({text(e[3]) if e[1] is None else e[1]})"


def dual(e, z, w):
    if e[0] == "leaf":
        return Dual(z, (1, 0)) if e[1] == "z" else Dual(w, (0, 1)) if e[1] == "w" else Dual(number(e[1]))
    a = dual(e[2], z, w)
    if e[0] == "function":
        value = function_of(cmath, e[1])(a.value)
        return a.through(value, FUNCTIONS[e[1]](a.value, value))
    b = Dual(complex(e[1])) if e[0] == "power" and e[1] is not None else dual(e[3], z, w)
    if e[0] == "power":
        value = a.value ** b.value
        by_exponent = value * cmath.log(a.value) if any(b.by) else 0
        return Dual(value, tuple(b.value * value / a.value * p + by_exponent * q for p, q in zip(a.by, b.by)))
    x, y = a.value, b.value
    if e[1] in "+-":
        sign = 1 if e[1] == "+" else -1
        return Dual(x + sign * y, tuple(p + sign * q for p, q in zip(a.by, b.by)))
    if e[1] == "*":
        return Dual(x * y, tuple(p * y + x * q for p, q in zip(a.by, b.by)))
    return Dual(x / y, tuple((p - x / y * q) / y for p, q in zip(a.by, b.by)))


def symbolic(e, z, w):
    if e[0] == "leaf":
        if e[1] in "zw":
            return z if e[1] == "z" else w
        c = number(e[1])
        return sympy.Float(c.real, 30) + sympy.I * sympy.Float(c.imag, 30)
    a = symbolic(e[2], z, w)
    if e[0] == "function":
        return function_of(sympy, e[1])(a)
    b = sympy.Rational(e[1]) if e[0] == "power" and e[1] is not None else symbolic(e[3], z, w)
    return {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[e[1]] if e[0] == "operator" else a ** b


# What a real number is made of, and its gradient ∂/∂x + i·∂/∂y from the values and derivatives of A and B.
OUTER = {"real({a})": lambda a, da, b, db: da.conjugate(), "imag({a})": lambda a, da, b, db: 1j * da.conjugate(),
         "abs({a})^2": lambda a, da, b, db: 2 * a * da.conjugate(), "abs({a})": lambda a, da, b, db: a / abs(a) * da.conjugate(),
         "real({a} * conj({b}))": lambda a, da, b, db: b * da.conjugate() + a * db.conjugate(),
         "angle({a})": lambda a, da, b, db: 1j * (da / a).conjugate()}


def is_usable(duals, f, z, w):
    """No number is far from 1, and no cut close by."""
    for d in duals:
        if not all(1e-2 < abs(x) < 1e2 for x in (d.value, max(map(abs, d.by)))):
            return False
    h = 1e-5
    for e, d in f:
        for k, step in enumerate([(h, 0), (0, h)]):
            for turn in (1, 1j):
                up, down = (dual(e, z + s * turn * step[0], w + s * turn * step[1]).value for s in (1, -1))
                if abs((up - down) / (2 * h * turn) - d.by[k]) > 1e-5 * (1 + abs(d.by[k])):
                    return False
    return True


def cases(rng, count):
    found = []
    while len(found) < count:
        a, b = make(rng, rng.randint(2, 4)), make(rng, rng.randint(1, 2))
        point = lambda: complex(rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5))
        z, w = point(), point()
        try:
            duals = dual(a, z, w), dual(b, z, w)
            usable = is_usable(duals, [(a, duals[0]), (b, duals[1])], z, w)
        except (ZeroDivisionError, OverflowError, ValueError):
            continue
        outer = rng.choice(list(OUTER))
        usable = usable and all(x in text(a) for x in "zw")
        if usable and not (outer == "angle({a})" and abs(duals[0].value.imag) < 1e-2):
            found.append((a, b, outer, z, w, *duals))
    return found


CHECK = """
fn look(i, f, z, w) {
    g = grad(f, wrt=(0, 1))
    both = g(z, w)
    for k in range(2) {
        up = [0.0, 0.0]
        along = (1, 1im)
        for turn in range(2) {
            fn at(h) = f(z + h * along[turn] * (1 - k), w + h * along[turn] * k)
            up[turn] = (at(1e-5) - at(-1e-5)) / 2e-5
        }
        assert abs(up[0] + 1im * up[1] - both[k]) < 1e-5 * (1 + abs(both[k])), f"{i}: differences"
        turns = [0.0, 0.0]
        for turn in range(2) { turns[turn] = jvp(f, (z, w), (along[turn] * (1 - k) + 0im, along[turn] * k + 0im))[1] }
        assert abs(turns[0] + 1im * turns[1] - both[k]) < 1e-11 * (1 + abs(both[k])), f"{i}: forward"
    }
    assert same(compile(f)(z, w), f(z, w)), f"{i}: the value compiled"
    assert same(compile(g)(z, w), both), f"{i}: the gradient compiled"
    many = ([z, z * 0.999, z], [w, w, w * 1.001])
    sums = (z, w) -> sum(f(z, w))
    over = grad(sums, wrt=(0, 1))
    assert same(compile(over)(*many), over(*many)), f"{i}: the gradient of many, compiled"
    assert abs(over(*many)[0][0] - both[0]) < 1e-12 * (1 + abs(both[0])), f"{i}: of many"
    small = [0.001, -0.002, 0.003]
    beside = grad((z, w, x) -> sum(f(z, w) * x + f(z + x, w) + f(x + z, w - x) * imag(complex(x, x) * z)), wrt=(0, 1, 2))
    assert same(compile(beside)(*many, small), beside(*many, small)), f"{i}: the gradient beside real tensors, compiled"
    print(real(both[0]), imag(both[0]), real(both[1]), imag(both[1]))
}
"""


def literal(z):
    return f"complex({z.real!r}, {z.imag!r})"


def close(got, wanted, digits):
    return abs(got - wanted) <= digits * (1 + abs(wanted))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("covec")
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    found = cases(random.Random(given.seed), given.count)
    program = CHECK
    for i, (a, b, outer, z, w, _, _) in enumerate(found):
        program += f"look({i}, (z, w) -> {outer.format(a=text(a), b=text(b))}, {literal(z)}, {literal(w)})\n"
    done = subprocess.run([given.covec], input=program, capture_output=True, text=True, timeout=600)
    lines = [line for line in done.stdout.splitlines() if line]
    wrong = 0
    for i, ((a, b, outer, z, w, da, db), line) in enumerate(zip(found, lines)):
        numbers = [float(part) for part in line.split()]
        got = [complex(*numbers[:2]), complex(*numbers[2:])]
        for k in range(2):
            wanted = {"dual numbers": OUTER[outer](da.value, da.by[k], db.value, db.by[k])}
            if sympy is not None:
                by_sympy(wanted, a, b, outer, z, w, k)
            for who, number_ in wanted.items():
                if not close(got[k], number_, 1e-10):
                    wrong += 1
                    print(f"{i}: by {'zw'[k]}: {outer.format(a=text(a), b=text(b))} at {z}, {w}: {got[k]}, {who}: {number_}")
    print(f"{len(lines)} of {len(found)} expressions, {wrong} differ; SymPy {'is there' if sympy else 'is not there'}")
    if done.returncode != 0 or done.stderr or len(lines) != len(found) or wrong:
        sys.exit(done.stderr or 1)


def by_sympy(wanted, a, b, outer, z, w, k):
    names = sympy.symbols("z w")
    at = {name: sympy.Float(v.real, 30) + sympy.I * sympy.Float(v.imag, 30) for name, v in zip(names, (z, w))}
    values = []
    for e in (a, b):
        expression = symbolic(e, *names)
        for part in (expression, sympy.diff(expression, names[k])):
            values.append(complex(sympy.N(part.subs(at) if hasattr(part, "subs") else part, 30)))
    wanted["SymPy"] = OUTER[outer](*values)


if __name__ == "__main__":
    main()
