"""Truncated Taylor series in several variables: numbers that carry all their derivatives up to an order.

A Jet holds the coefficients of a polynomial in the displacements of a program's inputs, up to the degree of its Ring.
A constant is a plain float. Programs compute with jets as with numbers, so one run of a program gives its derivatives of
every order: a coefficient times the factorials of its powers is a partial derivative. Nothing here knows Covec.

Comparisons look at values. Two values that are closer than MARGIN, and not both exact, raise NearKink: rounding might
decide between them. Inputs and literals are exact, so that kinks can be asked for. There the selections follow the
manual's table.
"""
import functools
import itertools
import math

MARGIN = 1e-6


class NearKink(ArithmeticError):
    pass


class Exact(float):
    """A constant as the program writes it. Arithmetic with it gives plain floats."""


class Ring:
    """Polynomials in some variables up to a degree: monomials by rising degree, tables of products and derivatives."""

    def __init__(self, variables, degree):
        self.variables, self.degree = variables, degree
        powers_up_to = itertools.product(range(degree + 1), repeat=variables)
        self.monomials = sorted((powers for powers in powers_up_to if sum(powers) <= degree), key=lambda powers: (sum(powers), powers))
        self.size = len(self.monomials)
        self.degrees = [sum(powers) for powers in self.monomials]
        place = {powers: k for k, powers in enumerate(self.monomials)}
        self.products = [[(j, place[tuple(map(int.__add__, p, q))])
                          for j, q in enumerate(self.monomials) if sum(p) + sum(q) <= degree] for p in self.monomials]
        self.derivatives = []
        for i in range(variables):
            raised = [p[:i] + (p[i] + 1,) + p[i + 1:] for p in self.monomials]
            self.derivatives.append([(k, place[q], q[i]) for k, q in enumerate(raised) if q in place])


@functools.cache
def ring_of(variables, degree):
    return Ring(variables, degree)


class Jet:
    __slots__ = ("c", "exact")
    ring = None     # of all jets at a time
    largest = 0.0   # the largest coefficient that has come up

    def __init__(self, c, exact=False):
        self.c, self.exact = c, exact

    def __add__(self, other):
        if isinstance(other, Jet):
            return Jet([p + q for p, q in zip(self.c, other.c)])
        return Jet([self.c[0] + other] + self.c[1:])

    __radd__ = __add__

    def __neg__(self):
        return Jet([-p for p in self.c])

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if not isinstance(other, Jet):
            return Jet([p * other for p in self.c])
        result, right = [0.0] * Jet.ring.size, other.c
        for p, row in zip(self.c, Jet.ring.products):
            if p:
                for j, k in row:
                    result[k] += p * right[j]
        Jet.largest = max(Jet.largest, max(result), -min(result))
        return Jet(result)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self * reciprocal(other)

    def __rtruediv__(self, other):
        return reciprocal(self) * other


def variable(k, at):
    c = [0.0] * Jet.ring.size
    c[0] = at
    if Jet.ring.degree:
        c[Jet.ring.monomials.index(tuple(int(i == k) for i in range(Jet.ring.variables)))] = 1.0
    return Jet(c, exact=True)


def value(x):
    return x.c[0] if isinstance(x, Jet) else float(x)


def constant(x):
    """What derivatives see of stop_gradient(x)."""
    return value(x)


def derivative(x, k):
    if not isinstance(x, Jet):
        return 0.0
    c = [0.0] * Jet.ring.size
    for at, source, factor in Jet.ring.derivatives[k]:
        c[at] = factor * x.c[source]
    return Jet(c)


def scaled(x, factor):
    """x(factor · displacement)."""
    return Jet([p * factor**d for p, d in zip(x.c, Jet.ring.degrees)]) if isinstance(x, Jet) else x


# --- one variable: lists of Taylor coefficients ---


def times(a, b):
    return [sum(a[j] * b[k - j] for j in range(k + 1)) for k in range(len(a))]


def integral(start, slope):
    return [start] + [p / (k + 1) for k, p in enumerate(slope[:-1])]


def grown(start, rule, count):
    """y with y' = rule(y), coefficient by coefficient."""
    y = [start] + [0.0] * (count - 1)
    for k in range(count - 1):
        y[k + 1] = rule(y)[k] / (k + 1)
    return y


def padded(a, count):
    return (list(a) + [0.0] * count)[:count]


def to_power(a, exponent):
    """By a·y' = exponent·a'·y."""
    y = [a[0] ** exponent]
    for k in range(1, len(a)):
        y.append(sum((exponent * j - (k - j)) * a[j] * y[k - j] for j in range(1, k + 1)) / (k * a[0]))
    return y


def exponential(a):
    y = [math.exp(a[0])]
    for k in range(1, len(a)):
        y.append(sum(j * a[j] * y[k - j] for j in range(1, k + 1)) / k)
    return y


def square_plus(sign, x, count):
    """1 ± (x + t)²"""
    return padded([1 + sign * x * x, sign * 2 * x, sign], count)


def normal(x, count):
    """exp(-(x + t)²)"""
    return exponential(padded([-x * x, -2 * x, -1.0], count))


def waves(x, count):
    """sin, by its derivatives in turn."""
    turn = [math.sin(x), math.cos(x), -math.sin(x), -math.cos(x)]
    return [turn[k % 4] / math.factorial(k) for k in range(count)]


def plus_one(a):
    return [a[0] + 1] + a[1:]


def logistic(x, count):
    return grown(1 / (1 + math.exp(-x)), lambda y: [p - q for p, q in zip(y, times(y, y))], count)


def power_series(exponent):
    return lambda x, n: to_power(padded([x, 1.0], n), exponent)


def exp_series(x, n, scale=1.0):
    return exponential(padded([scale * x, scale], n))


SERIES = {
    "exp": exp_series,
    "exp2": lambda x, n: exp_series(x, n, math.log(2)),
    "exp10": lambda x, n: exp_series(x, n, math.log(10)),
    "expm1": lambda x, n: [math.expm1(x)] + exp_series(x, n)[1:],
    "log": lambda x, n: integral(math.log(x), to_power(padded([x, 1.0], n), -1)),
    "log2": lambda x, n: [p / math.log(2) for p in SERIES["log"](x, n)],
    "log10": lambda x, n: [p / math.log(10) for p in SERIES["log"](x, n)],
    "log1p": lambda x, n: integral(math.log1p(x), to_power(padded([1 + x, 1.0], n), -1)),
    "sqrt": power_series(0.5),
    "rsqrt": power_series(-0.5),
    "cbrt": lambda x, n: power_series(1 / 3)(x, n) if x > 0 else [-p * (-1)**k for k, p in enumerate(power_series(1 / 3)(-x, n))],
    "reciprocal": power_series(-1),
    "sin": waves,
    "cos": lambda x, n: waves(x + math.pi / 2, n),
    "tan": lambda x, n: grown(math.tan(x), lambda y: plus_one(times(y, y)), n),
    "asin": lambda x, n: integral(math.asin(x), to_power(square_plus(-1.0, x, n), -0.5)),
    "acos": lambda x, n: integral(math.acos(x), [-p for p in to_power(square_plus(-1.0, x, n), -0.5)]),
    "atan": lambda x, n: integral(math.atan(x), to_power(square_plus(1.0, x, n), -1)),
    "sinh": lambda x, n: [(p - q) / 2 for p, q in zip(exp_series(x, n), exp_series(x, n, -1.0))],
    "cosh": lambda x, n: [(p + q) / 2 for p, q in zip(exp_series(x, n), exp_series(x, n, -1.0))],
    "tanh": lambda x, n: grown(math.tanh(x), lambda y: plus_one([-p for p in times(y, y)]), n),
    "asinh": lambda x, n: integral(math.asinh(x), to_power(square_plus(1.0, x, n), -0.5)),
    "atanh": lambda x, n: integral(math.atanh(x), to_power(square_plus(-1.0, x, n), -1)),
    "sigmoid": logistic,
    "softplus": lambda x, n: integral(math.log1p(math.exp(x)), logistic(x, n)),
    "erf": lambda x, n: integral(math.erf(x), [2 / math.sqrt(math.pi) * p for p in normal(x, n)]),
    "erfc": lambda x, n: integral(math.erfc(x), [-2 / math.sqrt(math.pi) * p for p in normal(x, n)]),
}
SERIES["gelu"] = lambda x, n: times(padded([x, 1.0], n),
                                    [(p + (k == 0)) / 2 * 0.5 ** (k / 2) for k, p in enumerate(SERIES["erf"](x / math.sqrt(2), n))])


def composed(series, x):
    """The function of these Taylor coefficients at the value of x, applied to x, by Horner's rule."""
    away = Jet([0.0] + x.c[1:])
    result = Jet([0.0] * Jet.ring.size) + series[-1]
    for coefficient in reversed(series[:-1]):
        result = result * away + coefficient
    return result


def applied(name, x):
    if not isinstance(x, Jet):
        return SERIES[name](float(x), 1)[0]
    return composed(SERIES[name](x.c[0], Jet.ring.degree + 1), x)


def reciprocal(x):
    return applied("reciprocal", x)


def power(x, exponent):
    """A literal whole exponent is a product; any other is a power of a positive number."""
    if exponent == int(exponent) and exponent >= 0:
        return functools.reduce(lambda p, q: p * q, [x] * int(exponent), 1.0)
    if not isinstance(x, Jet):
        return float(x) ** exponent
    return composed(power_series(exponent)(x.c[0], Jet.ring.degree + 1), x)


# --- comparisons and kinks: the table of docs/language.md ---


def is_exact(x):
    return isinstance(x, (Exact, int)) or isinstance(x, Jet) and x.exact


def compared(a, b):
    """-1, 0 or 1."""
    difference = value(a) - value(b)
    if abs(difference) < MARGIN and not (is_exact(a) and is_exact(b)):
        raise NearKink
    return (difference > 0) - (difference < 0)


def maximum(a, b):
    return a if compared(a, b) >= 0 else b


def minimum(a, b):
    return a if compared(a, b) <= 0 else b


def absolute(x):
    side = compared(x, Exact(0))
    return x if side > 0 else -x if side < 0 else 0.0


def relu(x):
    return x if compared(x, Exact(0)) > 0 else 0.0


def clip(x, low, high):
    return low if compared(x, low) < 0 else high if compared(x, high) > 0 else x


def rounded(x, how):
    """floor and the like: constants to derivatives."""
    steps = value(x) * 2 if how is round else value(x)
    if abs(steps - round(steps)) < MARGIN:
        raise NearKink
    return float(how(value(x)))


def remainder(x, y):
    """x % y: 1 to x, −(x // y) to y."""
    return x - y * rounded(value(x) / value(y), math.floor)


def first_best(items, better):
    """max and min: all to the first."""
    best = items[0]
    for item in items[1:]:
        if compared(item, best) == better:
            best = item
    return best


def in_order(items):
    return sorted(items, key=functools.cmp_to_key(compared))


def running(items, combine):
    return list(itertools.accumulate(items, combine))


def total(items):
    return functools.reduce(lambda p, q: p + q, items, 0.0)


def hypot(x, y):
    if compared(x, Exact(0)) == 0 and compared(y, Exact(0)) == 0:
        return 0.0
    return applied("sqrt", x * x + y * y)


def logsumexp(items):
    return applied("log", total([applied("exp", item) for item in items]))


def softmax(items):
    whole = logsumexp(items)
    return [applied("exp", item - whole) for item in items]
