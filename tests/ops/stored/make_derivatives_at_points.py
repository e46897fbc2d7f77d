#!/usr/bin/env python3
"""Writes derivatives_at_points.txt: derivatives 1 to 6 of elementwise operators at special points, by mpmath.

    make_derivatives_at_points.py > derivatives_at_points.txt

Special points are 0, ±1, the ends of a domain and points far out: there a rule that puts a constant in place of an
expression, or divides by what is 0, goes wrong at the next order. A line is `function; point; d1 … d6`, where the
function is an expression of Covec in t. Rows by number come from the Taylor series of the function. At an end of a
domain the derivatives are one-sided limits, from inside; rows with infinities are written down here. Before a kink a
row ends.
"""
import mpmath as mp

mp.mp.dps = 60
ORDERS = 6
inf = float("inf")


def line(text, point, numbers):
    def shown(number):
        if number in (inf, -inf):
            return repr(float(number))
        return repr(float(number)) if number != 0 else "0.0"
    print(f"{text}; {point!r}; {' '.join(shown(n) for n in numbers)}")


def taylor(function, point):
    """Derivatives 1 to 6 by Cauchy's integral on a circle on which the function is analytic, around the point."""
    radius, count = max(mp.mpf(1), abs(mp.mpf(point))) / 1024, 64
    angles = [mp.expjpi(2 * mp.mpf(k) / count) for k in range(count)]
    values = [function(mp.mpf(point) + radius * angle) for angle in angles]
    numbers = []
    for n in range(1, ORDERS + 1):
        mean = mp.re(mp.fsum(value / angle ** n for value, angle in zip(values, angles))) / count
        rounding = mp.mpf(10) ** (5 - mp.mp.dps) * max(1, *map(abs, values))
        numbers.append(mp.factorial(n) / radius ** n * (mean if abs(mean) > rounding else 0))
    return numbers


def row(text, function, *points):
    for point in points:
        line(text, point, taylor(function, point))


def signs(text, point, pattern):
    """A row of infinities: + and − for their signs, 0 for 0."""
    line(text, point, [{"+": inf, "-": -inf, "0": 0.0}[c] for c in pattern])


def normal(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def one_variable():
    row("exp(t)", mp.exp, 0.0, 1.0, -1.0, -40.0)
    row("exp2(t)", lambda x: mp.mpf(2) ** x, 0.0, 1.0, -3.0)
    row("exp10(t)", lambda x: mp.mpf(10) ** x, 0.0, 1.0, -3.0)
    row("expm1(t)", mp.expm1, 0.0, 1.0, -1.0, -40.0)
    row("log(t)", mp.log, 1.0, 2.0)
    row("log2(t)", lambda x: mp.log(x) / mp.log(2), 1.0, 2.0)
    row("log10(t)", lambda x: mp.log(x) / mp.log(10), 1.0, 10.0)
    row("log1p(t)", lambda x: mp.log(1 + x), 0.0, 1.0, -0.5)
    row("sin(t)", mp.sin, 0.0, 1.0, -1.0, 100.0)
    row("cos(t)", mp.cos, 0.0, 1.0, -1.0, 100.0)
    row("tan(t)", mp.tan, 0.0, 1.0, -1.0)
    row("asin(t)", mp.asin, 0.0, 0.5, -0.5)
    row("acos(t)", mp.acos, 0.0, 0.5, -0.5)
    row("atan(t)", mp.atan, 0.0, 1.0, -1.0, 20.0)
    row("sinh(t)", mp.sinh, 0.0, 1.0, -1.0, 20.0)
    row("cosh(t)", mp.cosh, 0.0, 1.0, -1.0, 20.0)
    row("tanh(t)", mp.tanh, 0.0, 1.0, -1.0, 20.0)
    row("asinh(t)", mp.asinh, 0.0, 1.0, -1.0, 20.0)
    row("acosh(t)", mp.acosh, 1.5, 2.0, 20.0)
    row("atanh(t)", mp.atanh, 0.0, 0.5, -0.5)
    row("sigmoid(t)", lambda x: 1 / (1 + mp.exp(-x)), 0.0, 1.0, -1.0, 40.0, -40.0)
    row("softplus(t)", lambda x: mp.log(1 + mp.exp(x)), 0.0, 1.0, -1.0, 40.0, -40.0)
    row("erf(t)", mp.erf, 0.0, 1.0, -1.0, 5.0)
    row("erfc(t)", mp.erfc, 0.0, 1.0, -1.0, 5.0)
    row("gelu(t)", lambda x: x * normal(x), 0.0, 1.0, -1.0, -6.0)
    row("sqrt(t)", mp.sqrt, 1.0, 4.0)
    row("rsqrt(t)", lambda x: 1 / mp.sqrt(x), 1.0, 4.0)
    row("cbrt(t)", mp.cbrt, 1.0, 8.0)
    row("cbrt(t)", lambda x: -mp.cbrt(-x), -1.0)
    row("lgamma(t)", mp.loggamma, 1.0, 2.0, 0.5, 30.0)
    row("digamma(t)", mp.digamma, 1.0, 2.0, 0.5, 30.0)
    row("gamma(t)", mp.gamma, 1.0, 2.0, 0.5, -0.5)
    row("abs(t)", lambda x: x, 1.0)
    row("relu(t)", lambda x: x, 1.0)
    row("relu(t)", lambda x: 0 * x, -1.0)
    row("clip(t, -0.5, 2.0)", lambda x: x, 1.0)
    row("t * t", lambda x: x * x, 0.0, 1.0)
    row("fma(t, t, t)", lambda x: x * x + x, 0.0, 1.0)
    row("1.0 / t", lambda x: 1 / x, 1.0, -1.0, 8.0)
    row("t / 3.0", lambda x: x / 3, 0.0, 1.0)
    row("t % 3.0", lambda x: x, 1.0)
    row("copysign(t, -1.0)", lambda x: -x, 1.0)
    row("floor(t)", lambda x: 0 * x, 0.5)
    row("sign(t)", lambda x: 0 * x, 1.0)
    # ends of domains
    signs("log(t)", 0.0, "+-+-+-")
    signs("log2(t)", 0.0, "+-+-+-")
    signs("log10(t)", 0.0, "+-+-+-")
    signs("log1p(t)", -1.0, "+-+-+-")
    signs("sqrt(t)", 0.0, "+-+-+-")
    signs("rsqrt(t)", 0.0, "-+-+-+")
    signs("cbrt(t)", 0.0, "+-+-+-")
    signs("asin(t)", 1.0, "++++++")
    signs("asin(t)", -1.0, "+-+-+-")
    signs("acos(t)", 1.0, "------")
    signs("acos(t)", -1.0, "-+-+-+")
    signs("acosh(t)", 1.0, "+-+-+-")
    signs("atanh(t)", 1.0, "++++++")
    signs("atanh(t)", -1.0, "+-+-+-")
    signs("lgamma(t)", 0.0, "-+-+-+")
    signs("digamma(t)", 0.0, "-+-+-+"[::-1])
    signs("1.0 / t", 0.0, "-+-+-+")
    # far out
    for far in (1e300, inf):
        for name in ("atan", "tanh", "sigmoid", "erf", "erfc", "asinh", "acosh", "log", "sqrt", "cbrt", "rsqrt"):
            if far == inf or name not in ("asinh", "acosh", "log", "sqrt", "cbrt", "atan"):
                line(f"{name}(t)", far, [0.0] * ORDERS)
        for text in ("softplus(t)", "gelu(t)", "logaddexp(t, 0.0)", "hypot(t, 2.0)"):
            line(text, far, [1.0] + [0.0] * (ORDERS - 1))
        for text in ("logaddexp(0.0, t)", "atan2(t, 1.0)"):
            line(text, -far, [0.0] * ORDERS)
        for name in ("tanh", "sigmoid", "softplus", "erf", "erfc", "gelu", "exp", "exp2", "exp10", "expm1"):
            line(f"{name}(t)", -far, [0.0] * ORDERS)


    for text, first in (("asinh(t)", 1e-300), ("acosh(t)", 1e-300), ("log(t)", 1e-300), ("sqrt(t)", 5e-151),
                        ("cbrt(t)", mp.mpf(10) ** -200 / 3), ("atan(t)", 0.0), ("digamma(t)", 1e-300)):
        line(text, 1e300, [first] + [0.0] * (ORDERS - 1))


def powers():
    for n in (0, 1, 2, 3, 4, 5, 7, 12):
        row(f"t ^ {n}", lambda x: x ** n, 0.0, 1.0, -1.0)
        row(f"t ^ {n}.0", lambda x: x ** n, 0.0, 1.0, -1.0)
    for n in (-1, -2, -5):
        row(f"t ^ {n}", lambda x: x ** n, 1.0, -1.0)
        row(f"t ^ {n}.0", lambda x: x ** n, 1.0, -1.0)
    signs("t ^ -1", 0.0, "-+-+-+")
    signs("t ^ -1.0", 0.0, "-+-+-+")
    signs("t ^ -2", 0.0, "-+-+-+")
    signs("t ^ -2.0", 0.0, "-+-+-+")
    for y in (0.5, 2.5, -0.5):
        row(f"t ^ {y}", lambda x: x ** mp.mpf(y), 1.0, 2.0)
    signs("t ^ 0.5", 0.0, "+-+-+-")
    signs("t ^ 2.5", 0.0, "00+-+-")
    signs("t ^ -0.5", 0.0, "-+-+-+")
    row("2.0 ^ t", lambda y: mp.mpf(2) ** y, 0.0, 1.0, -1.0)
    row("1.0 ^ t", lambda y: mp.mpf(1) + 0 * y, 0.0, 1.0)
    row("0.0 ^ t", lambda y: 0 * y, 1.0, 3.0)
    row("t ^ t", lambda x: x ** x, 1.0, 2.0)
    row("(1.0 + t) ^ (1.0 - t)", lambda x: (1 + x) ** (1 - x), 0.0, 0.5)
    row("d(x -> x ^ t, 1)(1.5)", lambda y: y * mp.mpf(1.5) ** (y - 1), 0.0, 1.0, 2.0)
    row("d(x -> x ^ t, 2)(1.5)", lambda y: y * (y - 1) * mp.mpf(1.5) ** (y - 2), 0.0, 1.0, 2.0)
    row("d(x -> x ^ t, 3)(1.5)", lambda y: y * (y - 1) * (y - 2) * mp.mpf(1.5) ** (y - 3), 0.0, 1.0, 2.0)
    row("d(y -> t ^ y, 1)(2.0)", lambda x: x ** 2 * mp.log(x), 1.0, 1.5)
    row("d(y -> t ^ y, 2)(3.0)", lambda x: x ** 3 * mp.log(x) ** 2, 1.0, 1.5)
    row("d(y -> t ^ y, 3)(1.0)", lambda x: x * mp.log(x) ** 3, 1.0, 1.5)
    row("sum([1.0, 2.0, 3.0, 4.0, 5.0] * t ^ arange(5))",
        lambda x: mp.polyval([5, 4, 3, 2, 1], x), 0.0, 1.0, -1.0)
    # complex powers
    row("real(complex(t, 0.0) ^ 3.0)", lambda x: x ** 3, 0.0, 1.0, -1.0)
    row("real(t ^ complex(2.0, 0.0))", lambda x: x ** 2, 0.0, 1.0, -1.0)
    row("imag(complex(0.0, t) ^ 5.0)", lambda x: x ** 5, 0.0, 1.0, -1.0)
    row("real(sum([5.0, 7.0, 11.0, 13.0] * complex(t, 0.0) ^ arange(4)))",
        lambda x: mp.polyval([13, 11, 7, 5], x), 0.0, 1.0, -1.0)
    def real_part(f):  # of a function that is real to real numbers but for i: f(x, i)
        return lambda x: (f(x, mp.mpc(0, 1)) + f(x, mp.mpc(0, -1))) / 2

    row("real(complex(t, 1.0) ^ complex(0.5, 2.0))", real_part(lambda x, i: (x + i) ** (mp.mpf(0.5) + 2 * i)), 0.0, 1.0)
    row("real(complex(2.0, 1.0) ^ t)", real_part(lambda x, i: (2 + i) ** x), 0.0, 1.0)
    row("real(complex(2.0, 1.0) ^ complex(0.0, t))", real_part(lambda x, i: (2 + i) ** (i * x)), 0.0, 1.0)
    row("d(x -> real(complex(x, 1.0) ^ t), 1)(2.0)", real_part(lambda x, i: x * (2 + i) ** (x - 1)), 0.0, 1.0, 2.0)
    row("real(complex(t, t) ^ 4.0)", lambda x: -4 * x ** 4, 0.0, 1.0)
    row("real(complex(t, t) ^ complex(3.0, 0.0))", lambda x: -2 * x ** 3, 0.0, 1.0)
    signs("real(complex(t, 0.0) ^ 0.5)", 0.0, "+-+-+-")
    signs("real(complex(t, 0.0) ^ complex(2.5, 0.0))", 0.0, "00+-+-")
    row("real(complex(0.0, 0.0) ^ t)", lambda x: 0 * x, 1.0, 2.5)


def two_variables():
    row("hypot(t, 2.0)", lambda x: mp.sqrt(x * x + 4), 0.0, 1.0, -1.0)
    row("hypot(1.0, t)", lambda x: mp.sqrt(x * x + 1), 0.0, 1.0)
    row("hypot(t, 0.0)", lambda x: x, 1.0)
    row("atan2(t, 1.0)", mp.atan, 0.0, 1.0, -1.0)
    row("atan2(1.0, t)", lambda x: mp.pi / 2 - mp.atan(x), 0.0, 1.0, -1.0)
    row("atan2(t, 0.0)", lambda x: 0 * x, 1.0)
    row("logaddexp(t, 0.0)", lambda x: mp.log(1 + mp.exp(x)), 0.0, 1.0, -1.0)
    row("logaddexp(t, t)", lambda x: x + mp.log(2), 0.0, 1.0)
    row("beta(t, 2.0)", lambda x: mp.gamma(x) / mp.gamma(x + 2), 1.0, 2.0)
    row("beta(2.0, t)", lambda x: mp.gamma(x) / mp.gamma(x + 2), 1.0, 2.0)
    row("zeta(2.0, t)", lambda q: mp.psi(1, q), 1.0, 2.0)


def bessel():
    row("i0(t)", lambda x: mp.besseli(0, x), 0.0, 1e-3, 1.0, -1.0, 30.0)
    row("i1(t)", lambda x: mp.besseli(1, x), 0.0, 1e-3, 1.0, -1.0, 30.0)
    row("i0e(t)", lambda x: mp.besseli(0, x) * mp.exp(-x), 1e-3, 1.0, 30.0, 300.0)
    row("i1e(t)", lambda x: mp.besseli(1, x) * mp.exp(-x), 1e-3, 1.0, 30.0, 300.0)
    row("i0e(t)", lambda x: mp.besseli(0, x) * mp.exp(x), -1.0)
    row("i1e(t)", lambda x: mp.besseli(1, x) * mp.exp(x), -1.0)
    line("i1e(t)", 0.0, [0.5])
    signs("i0(t)", inf, "++++++")
    signs("i1(t)", inf, "++++++")
    signs("i1(t)", -inf, "+-+-+-")
    signs("i0e(t)", inf, "000000")
    signs("i1e(t)", inf, "000000")


def sinc():
    def series(x):  # of sin(pi x)/(pi x), which has no division by what is 0
        return mp.fsum((-1) ** k * (mp.pi * x) ** (2 * k) / mp.factorial(2 * k + 1) for k in range(40))

    row("sinc(t)", series, 0.0, 1e-3, 0.25)
    row("sinc(t)", lambda x: mp.sinpi(x) / (mp.pi * x), 0.5, -1.0, 2.0, 30.5)
    signs("sinc(t)", inf, "000000")


def incomplete():
    def gamma_series(a):  # P(a, x) of a whole a
        return lambda x: 1 - mp.exp(-x) * mp.fsum(x ** k / mp.factorial(k) for k in range(a))

    def beta_series(a, b):
        n = a + b - 1
        return lambda x: mp.fsum(mp.binomial(n, k) * x ** k * (1 - x) ** (n - k) for k in range(a, n + 1))

    for a in (1, 2, 3, 8):
        row(f"gammainc({a}.0, t)", gamma_series(a), 0.0, 1.0, 20.0)
        row(f"gammaincc({a}.0, t)", lambda x: 1 - gamma_series(a)(x), 0.0, 1.0)
    for a, b in ((1, 1), (1, 3), (2, 3), (4, 2), (8, 8)):
        row(f"betainc({a}.0, {b}.0, t)", beta_series(a, b), 0.0, 0.5, 1.0)
        row(f"betaincc({a}.0, {b}.0, t)", lambda x: 1 - beta_series(a, b)(x), 0.0, 1.0)
    row("gammainc(0.5, t)", lambda x: mp.erf(mp.sqrt(x)), 1.0)
    row("betainc(0.5, 0.5, t)", lambda x: 2 / mp.pi * mp.asin(mp.sqrt(x)), 0.5)
    signs("gammainc(0.5, t)", 0.0, "+-+-+-")
    signs("gammainc(1.5, t)", 0.0, "0+-+-+")
    signs("gammainc(2.5, t)", 0.0, "00+-+-")
    signs("betainc(0.5, 0.5, t)", 0.0, "+-+-+-")
    signs("betainc(0.5, 0.5, t)", 1.0, "++++++")
    signs("betainc(2.5, 0.5, t)", 0.0, "00+-+-")
    signs("betainc(0.5, 1.5, t)", 1.0, "0-----")
    for far in (1e300, inf):
        signs("gammainc(2.5, t)", far, "000000")
    # inverses
    row("gammaincinv(1.0, t)", lambda p: -mp.log(1 - p), 0.0, 0.5)
    row("gammainccinv(1.0, t)", lambda q: -mp.log(q), 0.5, 1.0)
    row("betaincinv(1.0, 3.0, t)", lambda p: 1 - mp.cbrt(1 - p), 0.0, 0.5)
    row("betaincinv(3.0, 1.0, t)", mp.cbrt, 0.5, 1.0)
    row("betainccinv(1.0, 3.0, t)", lambda q: 1 - mp.cbrt(q), 0.5, 1.0)
    row("erfinv(t)", lambda y: mp.findroot(lambda x: mp.erf(x) - y, mp.mpf(0)), 0.0, 0.5)
    row("erfcinv(t)", lambda y: mp.findroot(lambda x: mp.erfc(x) - y, mp.mpf(0)), 1.0, 0.5)
    row("ndtri(t)", lambda p: mp.findroot(lambda x: normal(x) - p, mp.mpf(0)), 0.5, 0.25)
    signs("erfinv(t)", 1.0, "++++++")
    signs("erfinv(t)", -1.0, "+-+-+-")
    signs("erfcinv(t)", 0.0, "-+-+-+")
    signs("ndtri(t)", 0.0, "+-+-+-")


one_variable()
powers()
two_variables()
bessel()
sinc()
incomplete()
