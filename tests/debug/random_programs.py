"""Random programs on vectors, with the lines that each NaN and infinity of their results may come from: what debug(f) names must be
one of them. `Program(seed)` has the text of a function, its argument, and the lines, counted from the function's first."""
import math
import random

NUMBERS = (0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 1e200)
SIZE = 4


class Element:
    """A number and the lines that made it, if it is not finite."""

    def __init__(self, value, lines=frozenset()):
        self.value = value
        self.lines = lines if not math.isfinite(value) else frozenset()

    @property
    def kind(self):
        return "nan" if math.isnan(self.value) else "number" if math.isfinite(self.value) else "infinity"


def computed(value, operands, line):
    """An element that arithmetic gives: a NaN comes from a NaN, else from an infinity, else it is made here."""
    kinds = ("nan", "infinity") if math.isnan(value) else ("infinity",)
    for kind in kinds:
        lines = frozenset().union(*(e.lines for e in operands if e.kind == kind))
        if lines:
            return Element(value, lines)
    return Element(value, frozenset({line}))


def moved(value, operands):
    """An element that is one of some."""
    same = [e for e in operands if e.kind == "nan" == Element(value).kind or e.value == value]
    return Element(value, frozenset().union(*(e.lines for e in same)))


def quiet(f):
    def g(*x):
        try:
            return f(*x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
    return g


def quotient(a, b):
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 else math.copysign(math.inf, a) * math.copysign(1.0, b)


def largest(a, b):
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


def ordered(a):
    return sorted((e.value for e in a if e.kind != "nan")) + [math.nan] * sum(e.kind == "nan" for e in a)


FUNCTIONS = {"log({})": lambda x: -math.inf if x == 0.0 else math.log(x), "sqrt({})": math.sqrt, "exp({})": math.exp}
OPERATORS = {"{} + {}": lambda a, b: a + b, "{} - {}": lambda a, b: a - b, "{} * {}": lambda a, b: a * b, "{} / {}": quotient}


class Program:
    def __init__(self, seed):
        draw = random.Random(seed)
        self.given = [draw.choice(NUMBERS) for _ in range(SIZE)]
        values = [[Element(x) for x in self.given]]
        lines = [f"fn f{seed}(v0) {{"]
        for line in range(2, 2 + draw.randint(3, 9)):
            text, value = self.statement(draw, values, line)
            lines.append(f"    v{len(values)} = {text}")
            values.append(value)
        lines += [f"    return v{len(values) - 1}", "}"]
        self.text = "\n".join(lines) + "\n"
        self.lines = len(lines)
        self.result = values[-1]

    def statement(self, draw, values, line):
        i, j = (draw.randrange(max(0, len(values) - 4), len(values)) for _ in range(2))
        a, b, names = values[i], values[j], (f"v{i}", f"v{j}")
        form = draw.randrange(10)
        if form < 3:
            text, f = draw.choice(list(FUNCTIONS.items()))
            return text.format(names[0]), [computed(quiet(f)(x.value), [x], line) for x in a]
        if form < 5:
            text, f = draw.choice(list(OPERATORS.items()))
            return text.format(*names), [computed(quiet(f)(x.value, y.value), [x, y], line) for x, y in zip(a, b)]
        if form == 5:
            limit = draw.choice(NUMBERS)
            return f"where(v0 > {limit}, {names[0]}, {names[1]})", [
                x if c.value > limit else y for c, x, y in zip(values[0], a, b)]
        if form == 6:
            return f"maximum({names[0]}, {names[1]})", [moved(largest(x.value, y.value), [x, y]) for x, y in zip(a, b)]
        if form == 7:
            return f"sort({names[0]})", [moved(x, a) for x in ordered(a)]
        if form == 8:
            return f"concat(({names[0]}[2:], flip({names[1]})[:2]))", [a[2], a[3], b[3], b[2]]
        sums = [0.0]
        for x in a:
            sums.append(sums[-1] + x.value)
        return f"cumsum({names[0]})", [computed(s, a[:n + 1], line) for n, s in enumerate(sums[1:])]

    def expected(self):
        """The lines that may be named; none: the result is finite."""
        for kind in ("nan", "infinity"):
            for element in self.result:
                if element.kind == kind:
                    return element.lines
        return frozenset()
