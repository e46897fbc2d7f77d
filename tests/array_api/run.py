#!/usr/bin/env python3
"""Checks elementwise functions against the special cases of the Python array API standard.

special_cases.txt has the cases and says how they are written. Each is tried on every sample that fits, in f32 and f64: in
vectors (at each place of the machine's vectors), as numbers, with a number on one side, and each of these compiled, too.
All must give the same bits; those of the vectors are compared with the table here.

    run.py COMMAND [--short]      --short: without `compile(…)`, for COVEC_ENGINE=c99, which compiles everything anyway
"""
import math
import operator
import os
import re
import struct
import subprocess
import sys
import tempfile

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "special_cases.txt")
LARGEST = {"f32": (2 - 2.0**-23) * 2.0**127, "f64": sys.float_info.max}
SMALLEST = {"f32": 2.0**-149, "f64": 2.0**-1074}

WORDS = {
    "any": lambda v: True,
    "nan": math.isnan,
    "finite": math.isfinite,
    "infinite": math.isinf,
    "zero": lambda v: v == 0,
    "integer": lambda v: math.isfinite(v) and v == math.floor(v),
    "odd": lambda v: math.isfinite(v) and v % 2 == 1,
    "nonzero": lambda v: math.isfinite(v) and v != 0,
    "positive": lambda v: math.isfinite(v) and v > 0,
    "negative": lambda v: math.isfinite(v) and v < 0,
    ">0": lambda v: v > 0,
    "<0": lambda v: v < 0,
    ">1": lambda v: v > 1,
    "<1": lambda v: v < 1,
    ">-1": lambda v: v > -1,
    "<-1": lambda v: v < -1,
    "outside": lambda v: abs(v) > 1,
    "unit": lambda v: abs(v) == 1,
    "inside": lambda v: abs(v) < 1,
}

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
              "%": operator.mod}

PROGRAM = """
fn same(a, b) = where(isnan(a), isnan(b), (a == b) & (copysign(1.0, a) == copysign(1.0, b)))
fn tell(way, got, wanted) {
    for i in range(len(wanted)) {
        if not all(same(got[i], wanted[i])) { print("differs:", way, i) }
    }
}
fn each1(f, wanted, x) {
    for i in range(len(x)) { wanted[:, i] = f(x[i]) }
    return wanted
}
fn each2(f, wanted, x, y) {
    for i in range(len(x)) { wanted[:, i] = f(x[i], y[i]) }
    return wanted
}
fn ways1(name, f, wanted, x) {
    tell(f"{name} in vectors", f(x), wanted)
    for k in range(1, 18) { tell(f"{name} in vectors from {k}", f(x[k:]), wanted[:, k:]) }
    tell(f"{name} of numbers", each1(f, wanted, x), wanted)
}
fn ways2(name, f, wanted, x, y, v) {
    tell(f"{name} in vectors", f(x, y), wanted)
    for k in range(1, 18) { tell(f"{name} in vectors from {k}", f(x[k:], y[k:]), wanted[:, k:]) }
    n = len(v)
    for i in range(n) {
        tell(f"{name} of a number and a vector", f(v[i], v), wanted[:, i * n:(i + 1) * n])
        tell(f"{name} of a vector and a number", f(v, v[i]), wanted[:, i::n])
    }
    tell(f"{name} of numbers", each2(f, wanted, x, y), wanted)
}
"""


def holds(word, v, first):
    """Whether the operand v fits a word of the table; first is the first operand."""
    if word.startswith("~"):
        return not holds(word[1:], v, first)
    if word in WORDS:
        return WORDS[word](v)
    return same(v, first if word == "x" else -first if word == "-x" else float(word))


def fits(operand, v, first):
    return all(holds(word, v, first) for word in operand.split("&"))


def rounded(v, dtype):
    """v as the nearest f32, if that is the dtype: once more is right after + - * / in f64."""
    try:
        return struct.unpack("f", struct.pack("f", v))[0] if dtype == "f32" else v
    except OverflowError:
        return math.copysign(math.inf, v)


def value_of(result, x, y, dtype):
    """(value, whether it is approximate) of a result as the table writes it."""
    words = {"x": x, "-x": -x, "y": y, "|x|": abs(x), "|y|": abs(y), "true": 1.0, "false": 0.0}
    if result in words:
        return words[result], False
    angle = re.fullmatch(r"(-?)(\d*)pi(?:/(\d+))?", result)
    if angle:
        return float(angle[1] + "1") * float(angle[2] or 1) * math.pi / float(angle[3] or 1), True
    operation = re.fullmatch(r"x(//|[-+*/%])y", result)
    if operation:
        return rounded(OPERATIONS[operation[1]](x, y), dtype), False
    return float(result), False


def same(a, b):
    return math.isnan(a) and math.isnan(b) or a == b and math.copysign(1, a) == math.copysign(1, b)


def agree(got, wanted, dtype):
    value, approximate = wanted
    if approximate:
        return abs(got - value) <= abs(value) * (3e-7 if dtype == "f32" else 5e-16)
    return same(got, value)


def read_cases():
    cases = []
    for number, line in enumerate(open(CASES, encoding="utf-8"), 1):
        fields = line.split("#")[0].split()
        if not fields:
            continue
        own = fields.pop() if fields[-2] == "!" else None
        if own:
            fields.pop()
        name, *operands, result = fields
        cases.append((number, name, operands, result, own))
    return cases


def samples(dtype):
    positive = [0.0, SMALLEST[dtype], 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, LARGEST[dtype], math.inf]
    return [math.nan] + positive + [-v for v in positive]


def literal(v):
    return repr(v) if math.isfinite(v) else str(v)


def functions(cases, arity):
    return list(dict.fromkeys(name for _, name, operands, _, _ in cases if len(operands) == arity))


def program(cases, short):
    lines = [PROGRAM]
    for arity, parameters in ((1, "x"), (2, "x, y")):
        calls = [f"{name}({parameters})" if name.isidentifier() else f"({name})" for name in functions(cases, arity)]
        lines.append(f"fn of{arity}({parameters}) = stack(({', '.join(f'f64({call})' for call in calls)}))")
        lines.append(f"fn types{arity}({parameters}) = ({', '.join(call + '.dtype' for call in calls)})")
    for dtype in ("f32", "f64"):
        lines.append(f"v = {dtype}([{', '.join(literal(v) for v in samples(dtype))}])")
        lines.append("n = len(v)")
        lines.append("x, y = repeat(v, n), tile(v, n)")
        for arity, a, g in ((1, "v", "v"), (2, "x, y", "x, y, v")):
            lines.append(f"for t in types{arity}({a}) {{ print(t) }}")
            lines.append(f"r = of{arity}({a})")
            lines.append("for row in r { for value in row { print(value) } }")
            lines.append(f'ways{arity}("{dtype}", of{arity}, r, {g})')
            if not short:
                lines.append(f'ways{arity}("compiled {dtype}", compile(of{arity}), r, {g})')
                lines.append(f'tell("compiled loop of {dtype}", compile(each{arity})(of{arity}, r, {a}), r)')
    return "\n".join(lines) + "\n"


def run(command, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.covec")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([command, path], capture_output=True, timeout=300, encoding="utf-8")
    if done.returncode != 0:
        sys.exit(f"the program ended with status {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return done.stdout.split("\n")[:-1]


def check(cases, lines):
    """(number of comparisons, problems) of what the program printed."""
    count, problems = 0, [line for line in lines if line.startswith("differs: ")]
    lines = iter([line for line in lines if not line.startswith("differs: ")])
    used = set()
    for dtype in ("f32", "f64"):
        values = samples(dtype)
        for arity in (1, 2):
            names = functions(cases, arity)
            types = [next(lines) for _ in names]
            pairs = [(v, 0.0) for v in values] if arity == 1 else [(v, w) for v in values for w in values]
            got = {name: [float({"true": 1, "false": 0}.get(line, line)) for line in (next(lines) for _ in pairs)]
                   for name in names}
            wanted = {}
            for number, name, operands, result, own in cases:
                if len(operands) != arity:
                    continue
                if types[names.index(name)] != ("bool" if result in ("true", "false") else dtype):
                    problems.append(f"{name} of {dtype} gives {types[names.index(name)]}")
                for place, pair in enumerate(pairs):
                    if not all(fits(operand, v, pair[0]) for operand, v in zip(operands, pair)):
                        continue
                    used.add(number)
                    count += 1
                    value = got[name][place]
                    rule, ours = value_of(result, *pair, dtype), value_of(own or result, *pair, dtype)
                    what = f"line {number}: {name}{pair[:arity]} of {dtype}"
                    if not agree(value, ours, dtype):
                        problems.append(f"{what} is {value!r}, not {ours[0]!r}")
                    if own and agree(value, rule, dtype):
                        problems.append(f"{what} is {value!r}, as the standard says: no exception")
                    before = wanted.setdefault((name, place), ours[0])
                    if not same(before, ours[0]):
                        problems.append(f"{what}: an earlier line says {before!r}")
    problems += [f"line {case[0]}: no sample fits" for case in cases if case[0] not in used]
    return count, problems


def main():
    cases = read_cases()
    count, problems = check(cases, run(os.path.abspath(sys.argv[1]), program(cases, "--short" in sys.argv)))
    own = sum(case[4] is not None for case in cases)
    print("\n".join(problems) if problems else f"{len(cases)} cases ({own} exceptions), {count} comparisons hold")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
