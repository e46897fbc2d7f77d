#!/usr/bin/env python3
"""Integers of 8 and 16 bits and u32 against their definition in plain Python: operators wrap to the dtype that the operands
promote to, sums and products are wide, casts of floats saturate. Every expression runs interpreted, compiled for numbers,
rows and matrices, and over the examples of a `vmap`; all must agree.

    narrow_integers_test.py COMMAND [SEED]
"""
import math
import os
import random
import subprocess
import sys
import tempfile

BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64}
NARROW = [name for name in BITS if name not in ("i32", "i64")]
LENGTH = 37  # whole vectors and a rest, for every instruction set
PRELUDE = """fn check(name, got, wanted, dtype) {
  if got.dtype != dtype { print("wrong dtype:", name, got.dtype) }
  if got.shape != wanted.shape or not all(i64(got) == wanted) { print("wrong:", name, got, wanted) }
}
"""


def bounds(dtype):
    bits = BITS[dtype]
    return (0, 2**bits - 1) if dtype[0] == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)


def wrap(number, dtype):
    least, most = bounds(dtype)
    return (number - least) % (most - least + 1) + least


def join(a, b):
    """The smallest dtype that holds the numbers of both (the array API's table)."""
    least, most = min(bounds(a)[0], bounds(b)[0]), max(bounds(a)[1], bounds(b)[1])
    fitting = [d for d in BITS if bounds(d)[0] <= least and bounds(d)[1] >= most]
    return min(fitting, key=lambda d: (BITS[d], d not in (a, b)))


def saturate(number, dtype):
    if math.isnan(number):
        return 0
    least, most = bounds(dtype)
    return least if number <= least else most if number >= most else int(number)


def divide(a, b):
    return a // b


def written(numbers):
    return "[" + ", ".join(str(n) if n != -(2**63) else "-9223372036854775807 - 1" for n in numbers) + "]"


BINARY = {
    "{} + {}": lambda a, b: a + b,
    "{} - {}": lambda a, b: a - b,
    "{} * {}": lambda a, b: a * b,
    "{} // {}": divide,
    "{} % {}": lambda a, b: a % b,
    "{} & {}": lambda a, b: a & b,
    "{} | {}": lambda a, b: a | b,
    "xor({}, {})": lambda a, b: a ^ b,
    "gcd({}, {})": math.gcd,
    "lcm({}, {})": math.lcm,
    "maximum({}, {})": max,
    "minimum({}, {})": min,
    "where({0} > 3, {0}, {1})": lambda a, b: a if a > 3 else b,
}
COMPARISONS = {
    "{} < {}": lambda a, b: a < b,
    "{} <= {}": lambda a, b: a <= b,
    "{} == {}": lambda a, b: a == b,
    "{} != {}": lambda a, b: a != b,
}
UNARY = {
    "-{}": lambda a: -a,
    "abs({})": abs,
    "{0} * {0} + {0}": lambda a: a * a + a,
    "{} ^ 2": lambda a: a * a,
    "shift_left({}, 3)": lambda a: a << 3,
    "shift_right({}, 2)": lambda a: a >> 2,
    "bit_not({})": lambda a: ~a,
    "clip({}, 2, 100)": lambda a: min(max(a, 2), 100),
    "({} + 100) // 2": None,  # wraps in between
}


class Script:
    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.lines = [PRELUDE]
        self.count = 0

    def numbers(self, dtype, count=LENGTH):
        least, most = bounds(dtype)
        edges = [n for n in (least, most, least + 1, most - 1, 0, 1, 2, 3, 5, 127, 128, 255, 256) if least <= n <= most]
        return [self.choose.choice(edges) if self.choose.random() < 0.4 else self.choose.randint(least, most) for _ in range(count)]

    def case(self, expression, names, operands, wanted, dtype):
        """`operands`: (dtype, numbers) for each name; all of them rows."""
        self.count += 1
        f = f"case{self.count}"
        self.lines.append(f"fn {f}({', '.join(names)}) = {expression}")
        given = []
        for name, (of, numbers) in zip(names, operands):
            self.lines.append(f"{name} = {of}({written(numbers)})")
            given.append(name)
        call = ", ".join(given)
        want = written(wanted)
        title = expression + " of " + ", ".join(of for of, _ in operands)
        self.lines.append(f'check("{title}", {f}({call}), tensor({want}), {dtype})')
        self.lines.append(f'check("compiled {title}", compile({f}, strict=true)({call}), tensor({want}), {dtype})')
        self.lines.append(f'check("vmap {title}", vmap({f})({call}), tensor({want}), {dtype})')
        columns = ", ".join(f"{name}[:36:2].reshape(9, 2).T" for name in given)
        self.lines.append(f'check("strided {title}", compile({f})({columns}), tensor({want})[:36:2].reshape(9, 2).T, {dtype})')
        at = self.choose.randrange(LENGTH)
        one = ", ".join(f"{name}[{at}]" for name in given)
        self.lines.append(f'check("number {title}", {f}({one}), tensor({want})[{at}], {dtype})')
        self.lines.append(f'check("compiled number {title}", compile({f}, strict=true)({one}), tensor({want})[{at}], {dtype})')

    def binary(self):
        for a in NARROW:
            for b in BITS:
                both = join(a, b)
                for text, f in BINARY.items():
                    if self.choose.random() > 0.35:
                        continue
                    x, y = self.numbers(a), self.numbers(b)
                    if "//" in text or "%" in text:
                        y = [n if n != 0 else 3 for n in y]
                    x, y = [wrap(n, both) for n in x], [wrap(n, both) for n in y]
                    self.case(text.format("a", "b"), ("a", "b"), ((a, x), (b, y)), [wrap(f(p, q), both) for p, q in zip(x, y)], both)
                for text, f in COMPARISONS.items():
                    if self.choose.random() > 0.25:
                        continue
                    x, y = self.numbers(a), self.numbers(b)
                    y[::3] = [wrap(n, b) for n in x[::3]]
                    self.case(text.format("a", "b"), ("a", "b"), ((a, x), (b, y)), [int(f(p, q)) for p, q in zip(x, y)], "bool")

    def unary(self):
        for a in NARROW:
            for text, f in UNARY.items():
                x = self.numbers(a)
                f = f or (lambda n: wrap(n + 100, a) // 2)
                self.case(text.format("a"), ("a",), ((a, x),), [wrap(f(n), a) for n in x], a)

    def casts(self):
        for a in NARROW:
            floats = [self.choose.choice([0.5, -0.5, 2.9, -2.9, 127.5, 128.0, 255.9, 256.0, 65535.5, 65536.0, 4294967295.0, 4294967296.0, 1e20,
                                          -1e20, -128.0, -129.0]) for _ in range(LENGTH)]
            for of in ("f64", "f32"):
                rounded = floats if of == "f64" else [float(n) for n in floats if n not in (4294967295.0,)]
                self.lines.append(f'check("{a} of {of}", {a}({of}({rounded})), tensor({written([saturate(n, a) for n in rounded])}), {a})')
                self.lines.append(f'check("compiled {a} of {of}", compile(x -> {a}(x))({of}({rounded})), '
                                  f'tensor({written([saturate(n, a) for n in rounded])}), {a})')
            for b in BITS:
                x = self.numbers(b)
                self.case(f"{a}(a)", ("a",), ((b, x),), [wrap(n, a) for n in x], a)
            x = self.numbers(a)
            for of in ("f64", "f32", "f16", "bool"):
                back = f"{of}({a}({written(x)}))"
                self.lines.append(f'if not all({back} == {of}({written(x)})) {{ print("wrong: {of} of {a}") }}')
                self.lines.append(f'if not all(compile(x -> {of}(x))({a}({written(x)})) == {of}({written(x)})) {{ print("wrong: compiled {of} of {a}") }}')

    def reductions(self):
        for a in NARROW:
            x, y = self.numbers(a), self.numbers(a)
            running, product = [], 1
            for n in x:
                running.append(n + (running[-1] if running else 0))
            for n in x[:3]:
                product = wrap(product * n, "i64")
            known = [("sum(x)", sum(x), "i64"), ("prod(x[:3])", product, "i64"), ("max(x)", max(x), a), ("min(x)", min(x), a),
                     ("argmax(x)", x.index(max(x)), "i64"), ("argmin(x)", x.index(min(x)), "i64"),
                     ("x @ y", wrap(sum(p * q for p, q in zip(x, y)), "i64"), "i64"),
                     ("count_nonzero(x)", sum(n != 0 for n in x), "i64")]
            rows = [("cumsum(x)", running, "i64"), ("sort(x)", sorted(x), a), ("unique(x)", sorted(set(x)), a), ("x[::-1]", x[::-1], a),
                    ("concat((x, y))", x + y, a), ("roll(x, 3)", x[-3:] + x[:-3], a), ("x[i8([3, -1, 0])]", [x[3], x[-1], x[0]], a),
                    ("x[u8([3, 5])]", [x[3], x[5]], a), ("x[u32([3, 5])]", [x[3], x[5]], a), ("zeros(3, dtype=%s)" % a, [0, 0, 0], a)]
            self.lines.append(f"x = {a}({written(x)})\ny = {a}({written(y)})")
            for text, wanted, dtype in known + rows:
                value = written(wanted) if isinstance(wanted, list) else str(wanted) if wanted != -(2**63) else "-9223372036854775807 - 1"
                f = "(x, y) -> " + text
                self.lines.append(f'check("{text} of {a}", ({f})(x, y), tensor({value}), {dtype})')
                self.lines.append(f'check("compiled {text} of {a}", compile({f})(x, y), tensor({value}), {dtype})')
            self.lines.append(f"fn mean_of(x) = mean(x)\nif mean_of(x) != mean(f64(x)) or compile(mean_of)(x) != mean(f64(x)) {{ print(\"wrong: mean of {a}\") }}")
            self.lines.append(f"""fn loop(x) {{
  total = {a}(0)
  y = x
  for i in range(len(x)) {{
    total += x[i]
    y[i] = total
    y[i] += 1
    if x[i] > 3 {{ y[i] -= 2 }}
  }}
  return y
}}""")
            total, wanted = 0, []
            for n in x:
                total = wrap(total + n, a)
                wanted.append(wrap(total + 1 - (2 if n > 3 else 0), a))
            self.lines.append(f'check("loop of {a}", loop(x), tensor({written(wanted)}), {a})')
            self.lines.append(f'check("compiled loop of {a}", compile(loop, strict=true)(x), tensor({written(wanted)}), {a})')


def main():
    command, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    script = Script(seed)
    for part in (script.unary, script.casts, script.reductions, script.binary):
        part()
    script.lines.append('print("done")')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "narrow_integers.covec")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(script.lines) + "\n")
        run = subprocess.run([command, path], capture_output=True, text=True, check=False)
        if len(sys.argv) > 3:
            print(open(path, encoding="utf-8").read())
    shown = (run.stdout + run.stderr).strip()
    print(shown[-6000:])
    print(f"{script.count} expressions")
    return 0 if shown == "done" and run.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
