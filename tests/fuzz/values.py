#!/usr/bin/env python3
"""Random expressions and their gradients against NumPy's arrays of mpmath's numbers with 50 digits. Engines that agree with each
other may all be wrong; this asks somebody else.

    values.py --covec COMMAND --session build/tests/fuzz_session --cases 500 --seed 1

How far may a result be off? Each expression is evaluated exactly, and a few times with every intermediate result changed by some
units in the last place: what that moves the result by is what rounding may. Gradients are central differences of either, with a
step of 1e-15 of the number, whose own error is some 1e-30. Skipped (77) where NumPy or mpmath is missing.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import mpmath
    import numpy as np
except ImportError:
    print("needs numpy and mpmath")
    sys.exit(77)

mp = mpmath.mp
mp.dps = 50
STEP = mpmath.mpf(10) ** -15
HOSTILE = [2.0**-40, 2.0**-20, 20.0, 37.0, 700.0, 2.0**20, 2.0**60]  # where derivatives cancel, or ends of ranges are near


def each(function):
    return lambda x: np.vectorize(function, otypes=[object])(x) if np.ndim(x) else function(x[()] if isinstance(x, np.ndarray) else x)


def pairs(function):
    return lambda x, y: np.vectorize(function, otypes=[object])(x, y) if np.ndim(x) or np.ndim(y) else function(x, y)


def matrix(a):
    return mpmath.matrix([[a[i, j] for j in range(a.shape[1])] for i in range(a.shape[0])])


def array(m):
    return np.array([[m[i, j] for j in range(m.cols)] for i in range(m.rows)], dtype=object)


def singular_values(x):
    return mpmath.svd_r(matrix(x), compute_uv=False)


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def logsumexp(x):
    largest = max(np.ravel(x))
    return largest + mpmath.log(sum(mpmath.exp(v - largest) for v in np.ravel(x)))


def softmax(x):
    rows = x.reshape(-1, x.shape[-1])
    return np.array([[mpmath.exp(v - logsumexp(row)) for v in row] for row in rows], dtype=object).reshape(x.shape)


def conv1d(x, w):
    """(c, n), (o, c, 3) → (o, n), zeros at the ends."""
    c, n = x.shape
    padded = np.full((c, n + 2), mpmath.mpf(0), dtype=object)
    padded[:, 1:-1] = x
    return np.array([[sum(np.ravel(w[o] * padded[:, i : i + 3])) for i in range(n)] for o in range(w.shape[0])], dtype=object)


def variance(x, correction=0):
    flat = np.ravel(x)
    mean = sum(flat) / len(flat)
    return sum((v - mean) ** 2 for v in flat) / (len(flat) - correction)


# text with {}, what it is of elements.
UNARY = [("sin({})", each(mpmath.sin)), ("cos({})", each(mpmath.cos)), ("tanh({})", each(mpmath.tanh)), ("exp(-abs({}))", each(lambda x: mpmath.exp(-abs(x)))),
         ("log(abs({}) + 0.5)", each(lambda x: mpmath.log(abs(x) + mpmath.mpf("0.5")))), ("sqrt(abs({}) + 0.25)", each(lambda x: mpmath.sqrt(abs(x) + mpmath.mpf("0.25")))),
         ("sigmoid({})", each(sigmoid)), ("softplus({})", each(lambda x: mpmath.log1p(mpmath.exp(x)))), ("gelu({})", each(lambda x: x * mpmath.ncdf(x))),
         ("erf({})", each(mpmath.erf)), ("erfc({})", each(mpmath.erfc)), ("lgamma(abs({}) + 1.5)", each(lambda x: mpmath.loggamma(abs(x) + mpmath.mpf("1.5")))),
         ("digamma(abs({}) + 1.5)", each(lambda x: mpmath.digamma(abs(x) + mpmath.mpf("1.5")))), ("asinh({})", each(mpmath.asinh)), ("atan({})", each(mpmath.atan)),
         ("expm1(tanh({}))", each(lambda x: mpmath.expm1(mpmath.tanh(x)))), ("log1p(abs({}))", each(lambda x: mpmath.log1p(abs(x)))), ("relu({})", each(lambda x: max(x, mpmath.mpf(0)))),
         ("abs({})", each(abs)), ("({} ^ 2)", each(lambda x: x * x)), ("({} ^ 3)", each(lambda x: x**3)), ("(-{})", each(lambda x: -x)), ("cbrt(abs({}) + 0.5)", each(lambda x: mpmath.cbrt(abs(x) + mpmath.mpf("0.5")))),
         ("rsqrt(abs({}) + 0.5)", each(lambda x: 1 / mpmath.sqrt(abs(x) + mpmath.mpf("0.5")))), ("sinh(tanh({}))", each(lambda x: mpmath.sinh(mpmath.tanh(x)))),
         ("acosh(abs({}) + 1.5)", each(lambda x: mpmath.acosh(abs(x) + mpmath.mpf("1.5")))), ("atanh(0.5 * sin({}))", each(lambda x: mpmath.atanh(mpmath.sin(x) / 2))),
         ("asin(0.75 * sin({}))", each(lambda x: mpmath.asin(mpmath.sin(x) * 3 / 4))), ("log2(abs({}) + 0.5)", each(lambda x: mpmath.log(abs(x) + mpmath.mpf("0.5"), 2))),
         ("clip({}, -0.75, 1.25)", each(lambda x: min(max(x, mpmath.mpf("-0.75")), mpmath.mpf("1.25")))), ("tan(0.5 * sin({}))", each(lambda x: mpmath.tan(mpmath.sin(x) / 2)))]
BINARY = [("({} + {})", lambda x, y: x + y), ("({} - {})", lambda x, y: x - y), ("({} * {})", lambda x, y: x * y), ("({} / (abs({}) + 1.0))", lambda x, y: x / (abs(y) + 1)),
          ("maximum({}, {})", pairs(max)), ("minimum({}, {})", pairs(min)), ("atan2({}, {})", pairs(mpmath.atan2)), ("hypot({}, {})", pairs(mpmath.hypot)),
          ("pow(abs({}) + 0.2, {})", pairs(lambda x, y: (abs(x) + mpmath.mpf(0.2)) ** y)), ("where({0} > {1}, {0}, {1} * 0.5)", pairs(lambda x, y: x if x > y else y / 2))]
TO_SCALAR = [("sum({})", lambda x: sum(np.ravel(x))), ("mean({})", lambda x: sum(np.ravel(x)) / np.size(x)), ("prod(tanh({}))", lambda x: np.prod(each(mpmath.tanh)(np.ravel(x)))), ("max({})", lambda x: max(np.ravel(x))),
             ("min({})", lambda x: min(np.ravel(x))), ("logsumexp({})", logsumexp), ("var({})", variance), ("var({}, correction=1)", lambda x: variance(x, 1)), ("std({})", lambda x: mpmath.sqrt(variance(x))),
             ("norm({})", lambda x: mpmath.sqrt(sum(v * v for v in np.ravel(x)))), ("norm(ravel({}), 1)", lambda x: sum(abs(v) for v in np.ravel(x)))]
SAME = [("cumsum({}, axis=-1)", lambda x: np.cumsum(x, axis=-1)), ("cumprod({}, axis=-1)", lambda x: np.cumprod(x, axis=-1)), ("softmax({}, axis=-1)", softmax), ("log_softmax({}, axis=-1)", lambda x: each(mpmath.log)(softmax(x))),
        ("flip({})", lambda x: np.flip(x)), ("roll({}, 1)", lambda x: np.roll(x, 1)), ("sort({}, axis=-1)", lambda x: np.sort(x, axis=-1)), ("({})[::-1]", lambda x: x[::-1])]
SQUARE = [("inv({} + 4 * eye({n}))", lambda x: array(matrix(x + 4 * np.eye(len(x), dtype=int)) ** -1)), ("({} @ {}.T)", lambda x: x @ x.T), ("{}.T", lambda x: x.T), ("tril({})", lambda x: np.tril(x)), ("triu({}, 1)", lambda x: np.triu(x, 1)),
          ("cholesky({} @ {}.T + eye({n}))", lambda x: array(mpmath.cholesky(matrix(x @ x.T + np.eye(len(x), dtype=int))))), ("solve({} + 4 * eye({n}), {})", lambda x: array(matrix(x + 4 * np.eye(len(x), dtype=int)) ** -1 * matrix(x)))]
SQUARE_TO_SCALAR = [("det({})", lambda x: mpmath.det(matrix(x))), ("slogdet({} + 4 * eye({n}))[1]", lambda x: mpmath.log(abs(mpmath.det(matrix(x + 4 * np.eye(len(x), dtype=int)))))), ("trace({})", lambda x: np.trace(x)),
                    ("svd({})[1][0]", lambda x: singular_values(x)[0]), ("norm({}, 2)", lambda x: max(singular_values(x))), ("norm({}, -2)", lambda x: min(singular_values(x))),
                    ('norm({}, "nuc")', lambda x: sum(singular_values(x))), ("norm({}, 1)", lambda x: max(sum(abs(x)))), ("norm({}, -inf)", lambda x: min(sum(abs(x.T)))),
                    ("eigh({} + {}.T)[0][0]", lambda x: mpmath.eigsy(matrix(x + x.T), eigvals_only=True)[0]),
                    ("sum(pinv({} + 4 * eye({n})))", lambda x: sum(np.ravel(array(matrix(x + 4 * np.eye(len(x), dtype=int)) ** -1))))]


class Noise:
    """Changes every intermediate result by up to `size`, relatively, and its derivative as well: what lies around the point
    where it was taken (`base`: the exact results there, in order) is stretched. Always the same changes for the same seed."""

    def __init__(self, seed, size, base):
        self.random, self.size, self.base = random.Random(seed), size, iter(base)

    def __call__(self, x):
        change = lambda v, exact: v + self.size * (self.uniform() * v + self.uniform() * (v - exact))
        return pairs(change)(x, next(self.base))

    def uniform(self):
        return mpmath.mpf(self.random.uniform(-1, 1))


class Exact:
    """Changes nothing, and notes what it saw."""

    def __init__(self):
        self.seen = []

    def __call__(self, x):
        self.seen.append(x)
        return x


class Case:
    """An expression of x: its text, and what it is of an array of mpmath's numbers."""

    def __init__(self, seed, hostile=False):
        self.random = random.Random(seed)
        self.shape = self.random.choice([(), (3,), (4,), (2, 3), (3, 3), (3, 3), (2, 2)])
        self.single = self.random.random() < 0.25
        count = int(np.prod(self.shape, dtype=int))
        self.numbers = [round(self.random.uniform(-2, 2) * 1024) / 1024 or 0.5 for _ in range(count)]  # exact in both dtypes
        if hostile:
            self.numbers = [self.random.choice([v, v, self.random.choice(HOSTILE) * self.random.choice([1, -1])]) for v in self.numbers]
        self.text, self.function = self.scalar(self.random.randint(2, 4))

    def input_text(self):
        text = f"reshape({self.numbers}, {', '.join(map(str, self.shape))})" if len(self.shape) > 1 else str(self.numbers if self.shape else self.numbers[0])
        return f"f32({text})" if self.single else text

    def scalar(self, depth):
        if not self.shape:
            return self.like(depth)
        text, function = self.like(depth - 1)
        square = len(self.shape) == 2 and self.shape[0] == self.shape[1]
        outer = self.random.choice(SQUARE_TO_SCALAR if square and self.random.random() < 0.4 else TO_SCALAR)
        return self.applied(outer, text, function)

    def applied(self, outer, text, function):
        written = outer[0].replace("{n}", str(self.shape[0] if self.shape else 1)).replace("{}", text)
        return written, lambda x, noise: noise(outer[1](function(x, noise)))

    def like(self, depth):
        """Of x's shape."""
        if depth <= 0:
            return ("x", lambda x, noise: x) if self.random.random() < 0.9 else ("(0.0 * x + 0.75)", lambda x, noise: x * 0 + mpmath.mpf("0.75"))
        way = self.random.random()
        if way < 0.35:
            (text, a), (other, b), outer = self.like(depth - 1), self.like(depth - 1), self.random.choice(BINARY)
            return outer[0].format(text, other), lambda x, noise: noise(outer[1](a(x, noise), b(x, noise)))
        table = UNARY
        if self.shape and way > 0.75:
            table = SQUARE if len(self.shape) == 2 and self.shape[0] == self.shape[1] and way > 0.85 else SAME
        return self.applied(self.random.choice(table), *self.like(depth - 1))

    # --- what it should be ---

    def at(self, x, noise):
        return self.function(x, noise)

    def points(self):
        flat = np.array([mpmath.mpf(v) for v in self.numbers], dtype=object)
        return flat.reshape(self.shape) if self.shape else flat[0]

    def gradient(self, noise):
        x, found = self.points(), []
        for k, number in enumerate(self.numbers):
            size, values = STEP * min(abs(mpmath.mpf(number)), 1), []
            for step in (size, -size):
                moved = x + step if not self.shape else x.copy()
                if self.shape:
                    moved[np.unravel_index(k, self.shape)] += step
                values.append(self.at(moved, noise()))
            found.append((values[0] - values[1]) / (2 * size))
        return found

    def wanted(self):
        """[(the exact number, how far off it may be)]: the value, then the gradient."""
        size = mpmath.mpf(2) ** (-21 if self.single else -50)
        exact = Exact()
        results = [[self.at(self.points(), exact)] + self.gradient(Exact)]
        for seed in range(1, 6):
            noise = lambda: Noise(seed, size, exact.seen)
            results.append([self.at(self.points(), noise())] + self.gradient(noise))
        scale = [0] + [max([abs(v) for v in results[0][1:]] + [0])] * len(self.numbers)
        inside = 16 if re.search(r"inv|solve|cholesky|det|svd|eigh", self.text) else 1  # the roundings of a factorization
        smallest = mpmath.mpf(2) ** -(126 if self.single else 1000)
        return [(number, 8 * inside * max(abs(other[k] - number) for other in results[1:]) + 4 * size * (abs(number) + scale[k]) + smallest)
                for k, number in enumerate(results[0])]


def numbers_in(text):
    return [mpmath.mpf({"nan": "nan", "inf": "inf", "-inf": "-inf"}.get(word, word)) for word in re.findall(r"-?(?:inf|nan|\d[\d.]*(?:e[+-]?\d+)?)", text)]


def outputs(session, cases, environment):
    """What a session prints for each case; None where it failed."""
    pieces = [f"x = {case.input_text()}\nprint(\"case {k}:\", value_and_grad(x -> {case.text})(x), digits=17)" for k, case in enumerate(cases)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.covec")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n# ---\n".join(pieces) + "\n")
        done = subprocess.run([session, path], capture_output=True, text=True, check=True, env={**os.environ, **environment})
    found = dict(re.findall(r"^case (\d+): (.*?)(?=^case |^error|^x )", done.stdout, re.M | re.S))
    return [found.get(str(k)) for k in range(len(cases))], done.stdout


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--session", required=True)
    options.add_argument("--cases", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--engine", default="eager")
    options.add_argument("--hostile", action="store_true", help="tiny and large numbers among the inputs")
    given = options.parse_args()
    wrong = failed = compared = 0
    for start in range(given.seed, given.seed + given.cases, 100):
        cases = [Case(seed, given.hostile) for seed in range(start, min(start + 100, given.seed + given.cases))]
        told, _ = outputs(given.session, cases, {"COVEC_ENGINE": given.engine})
        for seed, (case, text) in enumerate(zip(cases, told), start):
            if text is None:
                failed += 1
                continue
            try:
                wanted = case.wanted()
            except (ZeroDivisionError, ValueError, ArithmeticError):
                continue
            got = numbers_in(text)
            if not all(mpmath.isfinite(number) for number in got) and given.hostile:
                continue  # beyond the range of floats somewhere, which mpmath's numbers do not have
            compared += 1
            for k, (number, (exact, tolerance)) in enumerate(zip(got, wanted)):
                if not abs(number - exact) <= tolerance and mpmath.isfinite(exact) and abs(exact) < mpmath.mpf(10) ** (38 if case.single else 300):
                    wrong += 1
                    what = "value" if k == 0 else f"gradient[{k - 1}]"
                    print(f"seed {seed}: {what} is {mpmath.nstr(number, 17)}, should be {mpmath.nstr(exact, 17)} ± {mpmath.nstr(tolerance, 3)}\n  x = {case.input_text()}\n  value_and_grad(x -> {case.text})(x)", flush=True)
                    break
    print(f"{given.cases} cases: {compared} compared, {failed} failed as programs do, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
