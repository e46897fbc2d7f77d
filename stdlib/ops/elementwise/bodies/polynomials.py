#!/usr/bin/env python3
"""Derives the polynomials of the headers beside it (needs mpmath): python3 polynomials.py [part of a name]

Each is the minimax polynomial of a weighted error (relative to the function computed) on an interval, found by Remez'
exchange, its coefficients rounded to the working precision. Printed: the coefficients, lowest first, and the error reached after
rounding.
"""
import sys

from mpmath import (asin, atan, bernoulli, digamma, erf, erfc, euler, findroot, log10, loggamma, mp, mpf, atanh, cos, exp,
                    fabs, floor, frexp, ldexp, log, log1p, lu_solve, matrix, nint, pade, pi, polyval, psi, sin, sqrt, tan,
                    tanh, zeta)

mp.dps = 60


def rounded(x, bits):
    mantissa, exponent = frexp(x)
    return ldexp(nint(ldexp(mantissa, bits)), exponent - bits)


def rounded_down(x, bits):
    mantissa, exponent = frexp(x)
    return ldexp(floor(ldexp(mantissa, bits)), exponent - bits)


def remez(f, weight, low, high, powers, reach):
    """Coefficients of the minimax fit of sum c·x^p to f, weighted; gives them and the error. The error is looked at from
    low on, as far as `reach`, a part of the interval."""
    n = len(powers)
    points = [(low + high) / 2 + (high - low) / 2 * cos(pi * (n - i) / n) for i in range(n + 1)]
    grid = [low + (high - low) * reach * mpf(i) / 1200 for i in range(1201)]
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


def fit(name, f, weight, low, high, degree, bits, reach=1):
    if len(sys.argv) > 1 and sys.argv[1] not in name:
        return
    low, high = mpf(low), mpf(high)
    positive = lambda x: weight(x) + mpf("1e-7")  # a weight of zero would leave the system singular
    c, _ = remez(f, positive, low, high, list(range(degree + 1)), mpf(reach))
    c = [rounded(x, bits) for x in c]
    grid = [low + (high - low) * mpf(i) / 1000 for i in range(1001)]
    error = max(fabs((sum(c * x**i for i, c in enumerate(c)) - f(x)) * weight(x)) for x in grid)
    print(f"{name}: error 2^{float(log(error, 2)):.1f}")
    print("  " + ", ".join(float(x).hex() for x in c), flush=True)


def split(name, x, bits):
    high = rounded(x, bits)
    print(name, bits, float(high).hex(), float(rounded(x - high, bits)).hex())


def series(f, direct_from, terms):
    """f near 0 from its series (`terms` gives coefficient i), where the direct formula cancels."""
    return lambda x: f(x) if fabs(x) > direct_from else sum(terms(i) * x**i for i in range(25))


def first_functions():
    """Of functions.hpp and power.hpp. These fits looked at 0.6 of their intervals; the errors printed are those of all."""
    half = log(2) / 2
    tiny = mpf("0.01")
    fact = mp.factorial
    p_exp = series(lambda r: (exp(r) - 1 - r) / r**2, tiny, lambda i: 1 / fact(i + 2))
    for bits, degree in ((53, 9), (24, 4), (24, 5), (53, 5)):
        fit(f"exp {bits}: (e^r - 1 - r)/r^2, degree {degree}", p_exp, lambda r: r**2 / exp(r), -half, half, degree, bits, 0.6)
    quarter = pi / 4
    p_sin = series(lambda z: (1 - sin(sqrt(z)) / sqrt(z)) / z, tiny, lambda i: (-1) ** i / fact(2 * i + 3))
    p_cos = series(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, tiny, lambda i: (-1) ** i / fact(2 * i + 4))
    top = (quarter * mpf("1.0001")) ** 2
    sinc = lambda z: z * sqrt(z) / sin(sqrt(z)) if z > 0 else mpf(0)
    for bits, degree in ((53, 5), (24, 2), (24, 3)):
        fit(f"sin {bits}: (r - sin r)/r^3 in r^2, degree {degree}", p_sin, sinc, 0, top, degree, bits, 0.6)
        fit(f"cos {bits}: (cos r - 1 + r^2/2)/r^4 in r^2, degree {degree}", p_cos, lambda z: z**2 / cos(sqrt(z)), 0, top, degree, bits, 0.6)
    s = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1) * mpf("1.0001")
    p_log = series(lambda z: 2 * (atanh(sqrt(z)) / sqrt(z) - 1) / z, tiny, lambda i: mpf(2) / (2 * i + 3))
    for bits, degree in ((53, 6), (53, 4), (24, 2), (24, 3)):
        fit(f"log {bits}: (2 atanh s - 2 s)/s^3 in s^2, degree {degree}", p_log, lambda z: z, 0, s**2, degree, bits, 0.6)
    p_tail = series(lambda z: ((atanh(sqrt(z)) / sqrt(z) - 1) / z - mpf(1) / 3) / z, tiny, lambda i: mpf(1) / (2 * i + 5))
    fit("pow 53: (atanh u/u - 1 - u^2/3)/u^4 in u^2, degree 7", p_tail, lambda z: mpf(5), 0, s**2, 7, 53, 0.6)
    low, high = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
    p_log1p = series(lambda f: (log1p(f) - f + f**2 / 2) / f**3, tiny, lambda i: mpf((-1) ** i) / (i + 3))
    for degree in (6, 7):
        fit(f"log 24: (log1p f - f + f^2/2)/f^3, degree {degree}", p_log1p, lambda f: fabs(f) ** 2 + mpf("1e-9"), low, high, degree, 24, 0.6)
    p_tanh = lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z if z > tiny else sum(
        mp.mpf(2) ** (2 * n) * (mp.mpf(2) ** (2 * n) - 1) * mp.bernoulli(2 * n) / fact(2 * n) * z ** (n - 2) for n in range(2, 30))
    for bits, bound, degree in ((53, "0.55", 9), (53, "0.625", 10), (24, "0.625", 4), (24, "0.55", 4)):
        fit(f"tanh {bits}: (tanh x - x)/x^3 in x^2 to {bound}, degree {degree}", p_tanh,
            lambda z: z * sqrt(z) / tanh(sqrt(z)) if z > 0 else mpf(0), 0, mpf(bound) ** 2, degree, bits, 0.6)
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


def roots():
    for bits, degree in ((53, 6), (24, 2)):
        fit(f"cbrt {bits}: m^(-1/3), degree {degree}", lambda m: m ** (-mpf(1) / 3), lambda m: m ** (mpf(1) / 3), 1, 2, degree, bits)


def angles():
    tiny = mpf("1e-12")
    top = (pi / 4 * mpf("1.0001")) ** 2
    terms = [mpf(4) ** n * (mpf(4) ** n - 1) * fabs(bernoulli(2 * n)) / mp.factorial(2 * n) for n in range(1, 20)]
    tangent = lambda z: tan(sqrt(z)) / sqrt(z) if z > 0 else mpf(1)
    for bits, order, degree in ((53, 4, 3), (24, 2, 1)):
        _, q = pade(terms[: 2 * order + 1], order, order)
        q = [rounded(x / q[0], bits) for x in q]
        print(f"tan {bits}: the denominator", ", ".join(float(x).hex() for x in q))
        below = lambda z: polyval(q[::-1], z)
        f = lambda z: (tangent(z) * below(z) - 1) / z if z > tiny else terms[1] + q[1]
        fit(f"tan {bits}: (tan r/r·below - 1)/r^2 in r^2, degree {degree}", f, lambda z: z / (tangent(z) * below(z)), 0, top, degree, bits)
    p_asin = lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z if z > tiny else mpf(1) / 6 + z * 3 / 40
    for bits, degree in ((53, 12), (24, 4)):
        fit(f"asin {bits}: (asin t - t)/t^3 in t^2, degree {degree}", p_asin, lambda z: z * sqrt(z) / asin(sqrt(z)) if z > 0 else mpf(0), 0, mpf(1) / 4, degree, bits)
    p_atan = lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z if z > tiny else -mpf(1) / 3 + z / 5
    for bits, degree in ((53, 18), (24, 8)):
        fit(f"atan {bits}: (atan t - t)/t^3 in t^2, degree {degree}", p_atan, lambda z: z * sqrt(z) / atan(sqrt(z)) if z > 0 else mpf(0), 0, 1, degree, bits)


def hyperbolic():
    top = (log(2) / 2 * mpf("1.0001")) ** 2
    sine = lambda z: sum(z**i / mp.factorial(2 * i + 3) for i in range(20))
    cosine = lambda z: sum(z**i / mp.factorial(2 * i + 2) for i in range(20))
    for bits, degree in ((53, 4), (24, 1)):
        fit(f"sinh {bits}: (sinh r - r)/r^3 in r^2, degree {degree}", sine, lambda z: z, 0, top, degree, bits)
    for bits, degree in ((53, 4), (24, 2)):
        fit(f"cosh {bits}: (cosh r - 1)/r^2 in r^2, degree {degree}", cosine, lambda z: z, 0, top, degree, bits)
    p_atanh = lambda z: sum(z**i / (2 * i + 3) for i in range(80))
    for bits, degree in ((53, 8), (24, 3)):
        fit(f"atanh {bits}: (atanh s - s)/s^3 in s^2, degree {degree}", p_atanh, lambda z: z, 0, mpf("0.2775") ** 2, degree, bits)


def error_function():
    near = lambda z: erf(sqrt(z)) / sqrt(z) - 1 if z > mpf("1e-20") else 2 / sqrt(pi) - 1
    for bits, degree in ((53, 11), (24, 6)):
        fit(f"erf {bits}: erf x/x - 1 in x^2, degree {degree}", near, lambda z: 1 / (near(z) + 1), 0, 1, degree, bits)
    ratio = lambda w: erfc((1 / w - mpf("4.25")) / sqrt(mpf(2))) * exp((1 / w - mpf("4.25")) ** 2 / 2) / w
    for bits, degree, last, point in ((53, 22, "39", "0x1.77p-5"), (24, 9, "14.8", "0x1.238p-4")):
        point = mpf(float.fromhex(point))
        fit(f"normal tail {bits}: erfc(y/√2)·e^(y^2/2)/w at w = 1/(y + 4.25) = {point} + v, degree {degree}", lambda v: ratio(point + v),
            lambda v: 1 / ratio(point + v), 1 / (mpf("4.25") + mpf(last)) - point, 1 / mpf("4.25") - point, degree, bits)


def gamma():
    slope = 1 - euler
    split("lgamma: ψ(2)", slope, 53)
    middle = lambda y: (loggamma(2 + y).real / y - slope) / y if fabs(y) > mpf("1e-12") else (zeta(2) - 1) / 2 - (zeta(3) - 1) / 3 * y
    fit("lgamma 53: (ln Γ(2 + y)/y - ψ(2))/y, degree 16", middle, lambda y: fabs(y) / (slope + y * middle(y)), -0.5, 0.5, 16, 53)
    stirling = lambda w: (loggamma(1 / sqrt(w)).real + (1 / sqrt(w) - mpf(0.5)) * log(w) / 2 + 1 / sqrt(w) - log(2 * pi) / 2) / sqrt(w)
    fit("lgamma 53: Stirling's series in 1/x^2 from 8 on, degree 5", lambda w: stirling(w) if w > mpf("1e-6") else mpf(1) / 12 - w / 360 + w * w / 1260,
        lambda w: mpf(1), 0, mpf(1) / 64, 5, 53)
    root = findroot(digamma, mpf("1.4616"))
    slope_there = psi(1, root)
    split("digamma: its root", root, 53)
    split("digamma: the slope there", slope_there, 53)
    bend = lambda d: (digamma(root + d) / d - slope_there) / d if fabs(d) > mpf("1e-10") else psi(2, root) / 2 + psi(3, root) / 6 * d
    fit("digamma 53: (ψ(root + d)/d - slope)/d, degree 22", bend, lambda d: fabs(d) / (slope_there + d * bend(d)), 1 - root, 2 - root, 22, 53)
    asymptotic = lambda w: (-log(w) / 2 - sqrt(w) / 2 - digamma(1 / sqrt(w))) / w if w > mpf("1e-9") else mpf(1) / 12 - w / 120
    fit("digamma 53: x^2·(ln x - 1/(2x) - ψ(x)) in 1/x^2 from 4 on, degree 9", asymptotic, lambda w: mpf(1), 0, mpf(1) / 16, 9, 53)
    print("polygamma: B_2k/(2k)!", ", ".join(float(bernoulli(2 * k) / mp.factorial(2 * k)).hex() for k in range(1, 7)))
    print("lgamma: ln(2π)/2", float(log(2 * pi) / 2).hex())
    split("lgamma of negative numbers: ln(2π)/2 - 1/2", log(2 * pi) / 2 - mpf(0.5), 53)
    split("lgamma of negative numbers: ζ(2) - 1", zeta(2) - 1, 53)
    print("(ζ(2k) - 1)/k", ", ".join(float((zeta(2 * k) - 1) / k).hex() for k in range(2, 15)))
    split("digamma of negative numbers: 2(ζ(2) - 1)", 2 * (zeta(2) - 1), 53)
    split("digamma of negative numbers: 2(ζ(4) - 1)", 2 * (zeta(4) - 1), 53)
    print("2(ζ(2k) - 1)", ", ".join(float(2 * (zeta(2 * k) - 1)).hex() for k in range(3, 18)))


def constants():
    for bits, few in ((24, 13), (53, 40)):
        high = rounded_down(log10(mpf(2)), few)
        print("log10 2", bits, float(high).hex(), float(rounded(log10(mpf(2)) - high, bits)).hex())
        split("1/ln 2", 1 / log(2), bits)
        split("1/ln 10", 1 / log(10), bits)
        split("pi/2", pi / 2, bits)
        split("√2", sqrt(mpf(2)), bits)
    print("2^(-1/3), 2^(1/3)", float(mpf(2) ** (-mpf(1) / 3)).hex(), float(mpf(2) ** (mpf(1) / 3)).hex())


for part in (first_functions, roots, angles, hyperbolic, error_function, gamma, constants):
    mp.dps = 60
    part()
