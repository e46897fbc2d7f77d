"""The operators that programs use: as Covec writes them, and as they act on jets.

Types: S a number, V a vector of the program's length, I an integer, B a condition, F a function of a number, LS and LV
lists of numbers and of vectors, R the record {p: S, v: V}.
"""
import math

import jets as J
from jets import applied


def each(function):
    return lambda v: [function(item) for item in v]


def pairs(function):
    def act(u, v):
        if isinstance(u, list) and isinstance(v, list):
            return [function(p, q) for p, q in zip(u, v)]
        return [function(p, v) for p in u] if isinstance(u, list) else [function(u, q) for q in v]
    return act


def named(name):
    return lambda x: applied(name, x)


def add(p, q):
    return p + q


def subtract(p, q):
    return p - q


def multiply(p, q):
    return p * q


def bounded_divide(p, q):
    return p / (1.5 + q * q)


def dot(u, v):
    return J.total(pairs(multiply)(u, v))


def mean(v):
    return J.total(v) * (1 / len(v))


def spread(v):
    middle = mean(v)
    return mean([(p - middle) * (p - middle) for p in v])


def length(v):
    return applied("sqrt", dot(v, v))


def product(v):
    return J.running(v, multiply)[-1]


def rolled(v):
    return v[-1:] + v[:-1]


def where(c, a, b):
    return a if c else b


def outer_product(u, v, w):
    """outer(u, v) @ w"""
    return [J.total([(p * q) * r for q, r in zip(v, w)]) for p in u]


def mirrored_convolution(u, v):
    """The middle of convolve(u, v): as long as they are."""
    n = len(u)
    full = [J.total([u[i] * v[k - i] for i in range(n) if 0 <= k - i < n]) for k in range(2 * n - 1)]
    return full[(n - 1) // 2:(n - 1) // 2 + n]


# Functions of a number, in a form that is defined everywhere and does not grow fast; {0} is the operand.
SMOOTH = [
    ("sin({0})", named("sin")), ("cos({0})", named("cos")), ("tanh({0})", named("tanh")), ("sigmoid({0})", named("sigmoid")),
    ("atan({0})", named("atan")), ("asinh({0})", named("asinh")), ("softplus({0})", named("softplus")), ("erf({0})", named("erf")),
    ("gelu({0})", named("gelu")), ("exp(sin({0}))", lambda x: applied("exp", applied("sin", x))),
    ("exp(-({0}^2))", lambda x: applied("exp", -(x * x))), ("log({0}^2 + 0.5)", lambda x: applied("log", x * x + 0.5)),
    ("sqrt({0}^2 + 0.25)", lambda x: applied("sqrt", x * x + 0.25)),
    ("cbrt(2.0 + sin({0}))", lambda x: applied("cbrt", 2.0 + applied("sin", x))),
    ("rsqrt(1.0 + {0}^2)", lambda x: applied("rsqrt", 1.0 + x * x)), ("((1.0 + {0}^2)^-1)", lambda x: J.reciprocal(1.0 + x * x)),
    ("((1.5 + cos({0}))^1.5)", lambda x: J.power(1.5 + applied("cos", x), 1.5)), ("({0}^3 * 0.25)", lambda x: x * x * x * 0.25),
    ("log1p(sigmoid({0}))", lambda x: applied("log1p", applied("sigmoid", x))),
    ("expm1(sin({0}))", lambda x: applied("expm1", applied("sin", x))),
    ("tan(0.5 * tanh({0}))", lambda x: applied("tan", 0.5 * applied("tanh", x))),
    ("asin(0.5 * sin({0}))", lambda x: applied("asin", 0.5 * applied("sin", x))),
    ("acos(0.75 * tanh({0}))", lambda x: applied("acos", 0.75 * applied("tanh", x))),
    ("atanh(0.5 * cos({0}))", lambda x: applied("atanh", 0.5 * applied("cos", x))),
    ("sinh(sin({0}))", lambda x: applied("sinh", applied("sin", x))),
    ("cosh(tanh({0}))", lambda x: applied("cosh", applied("tanh", x))),
    ("exp2(tanh({0}))", lambda x: applied("exp2", applied("tanh", x))),
    ("log2(1.5 + sin({0}))", lambda x: applied("log2", 1.5 + applied("sin", x))),
    ("log10(1.5 + sin({0}))", lambda x: applied("log10", 1.5 + applied("sin", x))), ("erfc({0})", named("erfc")),
    ("exp10(0.25 * sin({0}))", lambda x: applied("exp10", 0.25 * applied("sin", x))),
]
# With kinks, or with steps.
BROKEN = [
    ("abs({0})", J.absolute), ("relu({0})", J.relu), ("clip({0}, -0.5, 0.75)", lambda x: J.clip(x, J.Exact(-0.5), J.Exact(0.75))),
    ("({0} - floor({0}))", lambda x: x - J.rounded(x, math.floor)), ("({0} * round({0}))", lambda x: x * J.rounded(x, round)),
    ("({0} % 0.75)", lambda x: J.remainder(x, 0.75)), ("stop_gradient({0})", J.constant), ("({0} * sign({0}))", J.absolute),
]
BINARY = [
    ("({0} + {1})", add, 4), ("({0} - {1})", subtract, 3), ("({0} * {1})", multiply, 5),
    ("({0} / (1.5 + {1}^2))", bounded_divide, 1),
    ("maximum({0}, {1})", J.maximum, 1), ("minimum({0}, {1})", J.minimum, 1),
    ("((1.5 + sin({0}))^{1})", lambda x, y: applied("exp", y * applied("log", 1.5 + applied("sin", x))), 0.4),
    ("hypot({0}, {1})", J.hypot, 0.3), ("atan2({0}, 1.5 + {1}^2)", lambda y, x: applied("atan", y / (1.5 + x * x)), 0.3),
    ("logaddexp({0}, {1})", lambda x, y: J.logsumexp([x, y]), 0.2), ("fma({0}, {1}, 0.5)", lambda x, y: x * y + 0.5, 0.2),
]


# name: (type, types of operands, weight, text, action)
OPS = {}


def operator(kind, operands, weight, text, action):
    OPS[text + ":" + operands.replace(" ", "")] = (kind, operands.split(), weight, text, action)


for text, action in SMOOTH:
    operator("S", "S", 4 / len(SMOOTH), text, action)
    operator("V", "V", 3 / len(SMOOTH), text, each(action))
for text, action in BROKEN:
    operator("S", "S", 0.7 / len(BROKEN), text, action)
    operator("V", "V", 0.5 / len(BROKEN), text, each(action))
for text, action, weight in BINARY:
    operator("S", "S S", weight / 2.5, text, action)
    operator("V", "V V", weight / 5, text, pairs(action))
    operator("V", "V S", weight / 6, text, pairs(action))
    operator("V", "S V", weight / 14, text, pairs(action))
for text, action, weight in [
        ("sum({0})", J.total, 2), ("mean({0})", mean, 0.5), ("prod({0})", product, 0.3),
        ("max({0})", lambda v: J.first_best(v, 1), 0.3),
        ("min({0})", lambda v: J.first_best(v, -1), 0.3), ("norm({0})", length, 0.2), ("logsumexp({0})", J.logsumexp, 0.2),
        ("var({0})", spread, 0.2), ("{0}[0]", lambda v: v[0], 0.7), ("{0}[-1]", lambda v: v[-1], 0.7),
        ("{0}[1]", lambda v: v[1], 0.7)]:
    operator("S", "V", weight, text, action)
operator("S", "V I", 0.8, "{0}[{1} % len({0})]", lambda v, k: v[k % len(v)])
operator("S", "V V", 0.6, "({0} @ {1})", dot)
operator("S", "I", 0.3, "({0} * 0.25)", lambda k: k * 0.25)
operator("S", "B S S", 0.8, "({1} if {0} else {2})", where)
operator("S", "B S S", 0.4, "where({0}, {1}, {2})", where)
operator("V", "B V V", 0.5, "({1} if {0} else {2})", where)
operator("V", "V V V", 0.4, "where({0} > 0.25, {1}, {2})",
         lambda c, a, b: [q if J.compared(p, 0.25) > 0 else r for p, q, r in zip(c, a, b)])
for text, action, weight in [
        ("cumsum({0})", lambda v: J.running(v, add), 0.2), ("cumprod({0})", lambda v: J.running(v, multiply), 0.2),
        ("cummax({0})", lambda v: J.running(v, lambda p, q: q if J.compared(q, p) > 0 else p), 0.1), ("sort({0})", J.in_order, 0.2),
        ("{0}[::-1]", lambda v: v[::-1], 0.3), ("roll({0}, 1)", rolled, 0.3), ("softmax({0})", J.softmax, 0.15),
        ("concat([{0}[1:], {0}[:1]])", lambda v: v[1:] + v[:1], 0.3)]:
    operator("V", "V", weight, text, action)
operator("V", "V V V", 0.15, "(outer({0}, {1}) @ {2})", outer_product)
operator("V", "V V", 0.1, 'convolve({0}, {1}, mode="same")', mirrored_convolution)
operator("B", "S S", 2, "({0} > {1})", lambda p, q: J.compared(p, q) > 0)
operator("B", "S S", 1, "({0} < {1})", lambda p, q: J.compared(p, q) < 0)
operator("B", "S", 1, "({0} > 0.25)", lambda p: J.compared(p, 0.25) > 0)
operator("B", "V V", 0.4, "any({0} > {1})", lambda u, v: any([J.compared(p, q) > 0 for p, q in zip(u, v)]))
operator("B", "B B", 0.3, "({0} and {1})", lambda p, q: p and q)
operator("B", "B", 0.3, "(not {0})", lambda p: not p)
operator("B", "I", 1.5, "({0} % 2 == 0)", lambda k: k % 2 == 0)
operator("B", "I", 0.7, "({0} == 1)", lambda k: k == 1)
operator("S", "R", 0.5, "{0}.p", lambda r: r["p"])
operator("V", "R", 0.5, "{0}.v", lambda r: r["v"])
operator("R", "S V", 1, "{{p: {0}, v: {1}}}", lambda p, v: {"p": p, "v": v})
operator("R", "R S", 0.7, "{{...{0}, p: {1}}}", lambda r, p: {**r, "p": p})
operator("R", "B R R", 0.4, "({1} if {0} else {2})", where)
operator("S", "LS", 0.7, "{0}[-1]", lambda xs: xs[-1])
operator("S", "LS", 0.5, "{0}[0]", lambda xs: xs[0])
operator("S", "LS I", 0.5, "{0}[{1} % len({0})]", lambda xs, k: xs[k % len(xs)])
operator("S", "LS", 0.5, "sum(stack({0}))", J.total)
operator("V", "LV", 0.7, "{0}[-1]", lambda xs: xs[-1])
operator("V", "LV I", 0.5, "{0}[{1} % len({0})]", lambda xs, k: xs[k % len(xs)])
operator("V", "LV", 0.4, "sum(stack({0}), axis=0)", lambda xs: [J.total(column) for column in zip(*xs)])
operator("S", "LV", 0.3, "sum(stack({0}))", lambda xs: J.total([p for v in xs for p in v]))
operator("S", "F S", 2, "{0}({1})", lambda g, p: g(p))
operator("F", "B F F", 1, "({1} if {0} else {2})", where)
operator("F", "F F I", 0.2, "list({0}, {1})[{2} % 2]", lambda g, h, k: (g, h)[k % 2])
for size in range(2, 5):
    operator("I", "I", 0, f"({{0}} % {size})", lambda k, size=size: k % size)
for steps in (1, 2):
    operator("I", "I", 0, f"({{0}} - {steps})", lambda k, steps=steps: k - steps)
operator("B", "I", 0, "({0} <= 0)", lambda k: k <= 0)
