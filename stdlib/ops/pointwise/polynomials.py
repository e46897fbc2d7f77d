#!/usr/bin/env python3
"""Derives the polynomials of functions.hpp and power.hpp (needs mpmath): python3 polynomials.py

Each is the minimax polynomial of a weighted error (relative to the function computed) on an interval, found by Remez'
exchange, its coefficients rounded to the working precision. Printed: the coefficients, lowest first, and the error reached after
rounding.
"""
from mpmath import mp, mpf, atanh, cos, exp, fabs, floor, frexp, ldexp, log, log1p, lu_solve, matrix, nint, pi, sin, sqrt, tanh

mp.dps = 60


def rounded(x, bits):
    mantissa, exponent = frexp(x)
    return ldexp(nint(ldexp(mantissa, bits)), exponent - bits)


def rounded_down(x, bits):
    mantissa, exponent = frexp(x)
    return ldexp(floor(ldexp(mantissa, bits)), exponent - bits)


def remez(f, weight, low, high, powers):
    """Coefficients of the minimax fit of sum c·x^p to f, weighted; gives them and the error."""
    n = len(powers)
    points = [(low + high) / 2 + (high - low) / 2 * cos(pi * (n - i) / n) for i in range(n + 1)]
    grid = [low + (high - low) * mpf(i) / 2000 for i in range(1201)]
    values = [(x, f(x), weight(x)) for x in grid]
    for _ in range(12):
        a = matrix(n + 1, n + 1)
        b = matrix(n + 1, 1)
        for i, x in enumerate(points):
            for j, p in enumerate(powers):
                a[i, j] = x**p
            a[i, n] = (-1) ** i / weight(x)
            b[i] = f(x)
        c = lu_solve(a, b)
        error = [(x, (sum(c[j] * x**p for j, p in enumerate(powers)) - y) * w) for x, y, w in values]
        runs, best = [], error[0]
        for x, e in error[1:]:
            if (e > 0) == (best[1] > 0):
                best = (x, e) if fabs(e) > fabs(best[1]) else best
            else:
                runs.append(best)
                best = (x, e)
        runs.append(best)
        if len(runs) < n + 1:
            break
        while len(runs) > n + 1:
            runs.pop(0 if fabs(runs[0][1]) < fabs(runs[-1][1]) else -1)
        points = [x for x, _ in runs]
        if max(fabs(e) for _, e in runs) < mpf("1.0001") * min(fabs(e) for _, e in runs):
            break
    return [c[j] for j in range(n)], max(fabs(e) for _, e in error)


def fit(name, f, weight, low, high, degree, bits):
    low, high = mpf(low), mpf(high)
    positive = lambda x: weight(x) + mpf("1e-7")  # a weight of zero would leave the system singular
    c, _ = remez(f, positive, low, high, list(range(degree + 1)))
    c = [rounded(x, bits) for x in c]
    grid = [low + (high - low) * mpf(i) / 1000 for i in range(1001)]
    error = max(fabs((sum(c * x**i for i, c in enumerate(c)) - f(x)) * weight(x)) for x in grid)
    print(f"{name}: error 2^{float(log(error, 2)):.1f}")
    print("  " + ", ".join(float(x).hex() for x in c))


def series(f, direct_from, terms):
    """f near 0 from its series (`terms` gives coefficient i), where the direct formula cancels."""
    return lambda x: f(x) if fabs(x) > direct_from else sum(terms(i) * x**i for i in range(25))


def main():
    half = log(2) / 2
    tiny = mpf("0.01")
    fact = mp.factorial
    p_exp = series(lambda r: (exp(r) - 1 - r) / r**2, tiny, lambda i: 1 / fact(i + 2))
    for bits, degree in ((53, 9), (24, 4), (24, 5), (53, 5)):
        fit(f"exp {bits}: (e^r - 1 - r)/r^2, degree {degree}", p_exp, lambda r: r**2 / exp(r), -half, half, degree, bits)
    quarter = pi / 4
    p_sin = series(lambda z: (1 - sin(sqrt(z)) / sqrt(z)) / z, tiny, lambda i: (-1) ** i / fact(2 * i + 3))
    p_cos = series(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, tiny, lambda i: (-1) ** i / fact(2 * i + 4))
    top = (quarter * mpf("1.0001")) ** 2
    sinc = lambda z: z * sqrt(z) / sin(sqrt(z)) if z > 0 else mpf(0)
    for bits, degree in ((53, 5), (24, 2), (24, 3)):
        fit(f"sin {bits}: (r - sin r)/r^3 in r^2, degree {degree}", p_sin, sinc, 0, top, degree, bits)
        fit(f"cos {bits}: (cos r - 1 + r^2/2)/r^4 in r^2, degree {degree}", p_cos, lambda z: z**2 / cos(sqrt(z)), 0, top, degree, bits)
    s = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1) * mpf("1.0001")
    p_log = series(lambda z: 2 * (atanh(sqrt(z)) / sqrt(z) - 1) / z, tiny, lambda i: mpf(2) / (2 * i + 3))
    for bits, degree in ((53, 6), (53, 4), (24, 2), (24, 3)):
        fit(f"log {bits}: (2 atanh s - 2 s)/s^3 in s^2, degree {degree}", p_log, lambda z: z, 0, s**2, degree, bits)
    p_tail = series(lambda z: ((atanh(sqrt(z)) / sqrt(z) - 1) / z - mpf(1) / 3) / z, tiny, lambda i: mpf(1) / (2 * i + 5))
    fit("pow 53: (atanh u/u - 1 - u^2/3)/u^4 in u^2, degree 7", p_tail, lambda z: mpf(5), 0, s**2, 7, 53)
    low, high = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
    p_log1p = series(lambda f: (log1p(f) - f + f**2 / 2) / f**3, tiny, lambda i: mpf((-1) ** i) / (i + 3))
    for degree in (6, 7):
        fit(f"log 24: (log1p f - f + f^2/2)/f^3, degree {degree}", p_log1p, lambda f: fabs(f) ** 2 + mpf("1e-9"), low, high, degree, 24)
    p_tanh = lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z if z > tiny else sum(
        mp.mpf(2) ** (2 * n) * (mp.mpf(2) ** (2 * n) - 1) * mp.bernoulli(2 * n) / fact(2 * n) * z ** (n - 2) for n in range(2, 30))
    for bits, bound, degree in ((53, "0.55", 9), (53, "0.625", 10), (24, "0.625", 4), (24, "0.55", 4)):
        fit(f"tanh {bits}: (tanh x - x)/x^3 in x^2 to {bound}, degree {degree}", p_tanh,
            lambda z: z * sqrt(z) / tanh(sqrt(z)) if z > 0 else mpf(0), 0, mpf(bound) ** 2, degree, bits)
    third = mpf(1) / 3
    print("third", float(third).hex(), float(third - rounded(third, 53)).hex())
    for bits in (24, 53):
        parts, rest = [], log(2)
        for _ in range(4):
            parts.append(rounded(rest, bits))
            rest -= parts[-1]
        print("ln2", bits, [float(c).hex() for c in parts])
    for bits, second in ((24, 11), (53, 28)):
        parts, rest = [], pi / 2
        for some in (bits, second, bits, bits):
            parts.append(rounded_down(rest, some))
            rest -= parts[-1]
        print("pi/2", bits, [float(c).hex() for c in parts])
    print("1/ln2, 2/pi:", float(1 / log(2)).hex(), float(2 / pi).hex(), float(rounded(1 / log(2), 24)).hex(), float(rounded(2 / pi, 24)).hex())
    mp.prec = 1600
    two_over_pi = 2 / mp.pi
    print("2/pi words of 64 bits:", ", ".join(hex(int(mp.floor(two_over_pi * mpf(2) ** (64 * (i + 1)))) & (2**64 - 1)) for i in range(20)))


main()
