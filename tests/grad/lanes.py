#!/usr/bin/env python3
"""Loops whose iterations run side by side, in lanes of vectors: random functions of numbers over 1, 3, 8 and 13 examples, with
branches, loops that end differently, draws, numbers of many dtypes and arrays of their own, their derivatives, and random loops
that set elements.
Compiled code must give the bits and the errors of eager code, and those of calls one by one; sparse Jacobians must be the
dense ones.

    lanes.py COVEC [--programs 200] [--seed 1] [--long]

--long: 5,000 programs. Exit status 1 where something differs.
"""
import random

import random_programs

HEAD = random_programs.PLAIN + random_programs.SPARSE + """fn outcome(f, *args) {
    seed(3)
    value, error = 0.0, ""
    try { value = plain(f(*args)) } catch err { error = err.message.split(" at element")[0] }
    return ((value, rand()), error)
}
fn examples(n) = linspace(-2.0, 2.5, n) if n > 1 else [0.75]
"""

# Of a function f(x, k, n, w): of all examples, and of one.
FORMS = {
    "vmap": ("vmap((x, k) -> {f}(x, k, n, w))(xs, ks)", "{f}(x, k, n, w)"),
    "comprehension": ("[{f}(xs[i], ks[i], n, w) for i in range(len(xs))]", "{f}(x, k, n, w)"),
    "value_and_grad": ("vmap((x, k) -> value_and_grad(x -> {f}(x, k, n, w))(x))(xs, ks)",
                       "value_and_grad(x -> {f}(x, k, n, w))(x)"),
    "grad_of_table": ("vmap((x, k) -> grad(w -> {f}(x, k, n, w))(w))(xs, ks)", "grad(w -> {f}(x, k, n, w))(w)"),
    "jvp": ("vmap((x, k) -> jvp(x -> {f}(x, k, n, w), (x,), (0.5,)))(xs, ks)",
            "jvp(x -> {f}(x, k, n, w), (x,), (0.5,))"),
    "second": ("vmap((x, k) -> grad(grad(x -> {f}(x, k, n, w)))(x))(xs, ks)", "grad(grad(x -> {f}(x, k, n, w)))(x)"),
    "nested": ("vmap(x -> vmap(k -> {f}(x, k, n, w))(ks))(xs)", "vmap(k -> {f}(x, k, n, w))(ks)"),
}


class Program(random_programs.Writer):
    def __init__(self, seed):
        super().__init__(seed)
        self.sets = self.random.random() < 0.3  # a loop that sets elements
        few = 2 if self.sets else 0
        self.floats = [f"s{k}" for k in range(self.pick(3, 3, 6 - few, 14 - 4 * few))]
        self.ints = [f"k{k}" for k in range(self.pick(2, 2, 6 - few))]
        self.bools = [f"b{k}" for k in range(self.pick(1, 2, 8 - 2 * few))]
        self.halves = [f"h{k}" for k in range(self.pick(0, 1, 4))]
        self.narrow = [(f"n{k}", self.pick("i8", "u8", "i16", "u16", "i32", "u32")) for k in range(self.pick(0, 0, 1, 3))]
        self.arrays = ["u0", "u1"] if not self.sets and self.random.random() < 0.4 else []
        self.size = self.pick("n + 2", "len(w)", "5")
        self.loops = 0
        self.chance = random.Random(f"draws of {seed}")
        self.draws = not self.sets and self.chance.random() < 0.4  # examples then differ from calls one by one

    def number(self, depth=2):
        if self.draws and self.chance.random() < 0.15:
            return self.chance.choice(["rand()", "randn()", "randn(2)[1]", "f64(rand(dtype=f32))", "rand(key=k)",
                                       "choice([0.5, 1.5])", "sum(randn(12)) / 12.0"][:7 if self.chance.random() < 0.1 else 6])
        r = self.random.random()
        if depth <= 0 or r < 0.3:
            return self.pick(*self.floats, *self.floats, "x", "0.5", "1.25", "(-2.0)")
        if r < 0.6:
            return f"({self.number(depth - 1)} {self.pick('+', '-', '*', '/')} {self.number(depth - 1)})"
        if r < 0.7:
            called = self.pick("sin({})", "exp(-abs({}))", "sqrt(abs({}) + 0.1)", "tanh({})", "floor({})")
            return called.format(self.number(depth - 1))
        if self.arrays and r < 0.74:
            return f"{self.one_of(self.arrays)}[{self.place()}]"
        if r < 0.78:
            return f"w[({self.integer(1)}) % 5]" if self.random.random() < 0.9 else f"w[{self.integer(0)}]"
        if r < 0.86:
            return f"f64({self.pick(*self.ints, *self.halves, *[name for name, _ in self.narrow])})"
        if r < 0.93:
            return f"where({self.condition(depth - 1)}, {self.number(depth - 1)}, {self.number(depth - 1)})"
        return f"minimum({self.number(depth - 1)}, {self.number(depth - 1)})"

    def place(self):  # in an array
        if self.random.random() < 0.03:
            return self.integer(0)
        return self.pick("0", "-1", f"i0 % {self.size}", f"-1 - i0 % ({self.size})", f"({self.integer(1)}) % ({self.size})")

    def change_array(self):
        if self.random.random() < 0.7:
            return f"{self.one_of(self.arrays)}[{self.place()}] {self.pick('=', '+=')} {self.number()}"
        return self.pick("u0 = u1", "u1 = u0", "u0, u1 = u1, u0", f"u0 = zeros({self.size})", f"u1 = full({self.size}, {self.number(1)})",
                         "u0 = u0 * 0.5 + u1", "u1 = where(u0 > 0.5, u1, u0 * 0.25)")

    def integer(self, depth=2):
        if self.draws and self.chance.random() < 0.1:
            return self.chance.choice(["randint(-3, 5)", "choice(4)", "randint(0, 1 + abs(k))", "randint(0, k + 2)"])
        r = self.random.random()
        if depth <= 0 or r < 0.35:
            return self.pick(*self.ints, *self.ints, "k", "n", "2", "7")
        if r < 0.7:
            return f"({self.integer(depth - 1)} {self.pick('+', '-', '*')} {self.integer(depth - 1)})"
        if r < 0.85:
            by = self.pick("2", "3", "-3", f"(1 + abs({self.one_of(self.ints)}))", self.one_of(self.ints), "5", "7")
            return f"({self.integer(depth - 1)} {self.pick('//', '%')} {by})"
        if r < 0.93:
            return f"xor({self.integer(depth - 1)}, {self.integer(depth - 1)})"
        return f"({self.integer(depth - 1)} {self.pick('<<', '>>')} (abs({self.one_of(self.ints)}) % 5))"

    def condition(self, depth=2):
        r = self.random.random()
        if r < 0.5:
            return f"{self.number(depth - 1)} {self.pick('<', '>', '<=', '>=')} {self.number(depth - 1)}"
        if r < 0.7:
            return f"{self.integer(depth - 1)} {self.pick('==', '!=', '<')} {self.integer(depth - 1)}"
        if r < 0.85 and depth > 0:
            return f"({self.condition(depth - 1)} {self.pick('and', 'or')} {self.condition(depth - 1)})"
        return self.one_of(self.bools)

    def block(self, pad, depth, inside):
        return "".join(self.statement(pad, depth, inside) for _ in range(self.random.randrange(1, 4)))

    def statement(self, pad, depth, inside):
        r = self.random.random()
        if depth > 0 and r < 0.2:
            text = f"{pad}if {self.condition()} {{\n{self.block(pad + '    ', depth - 1, inside)}{pad}}}"
            if self.random.random() < 0.5:
                text += f" else {{\n{self.block(pad + '    ', depth - 1, inside)}{pad}}}"
            return text + "\n"
        if depth > 0 and r < 0.35:
            self.loops += 1
            name = f"i{self.loops}"
            body = self.block(pad + "    ", depth - 1, True)
            if self.random.random() < 0.5:
                count = self.pick("3", "n", f"abs({self.one_of(self.ints)}) % 4")
                return f"{pad}for {name} in range({count}) {{\n{body}{pad}}}\n"
            goes_on = f"{self.condition(1)} and {name} < {self.pick('5', '9', 'n + 2')}"
            return f"{pad}{name} = 0\n{pad}while {goes_on} {{\n{pad}    {name} += 1\n{body}{pad}}}\n"
        if r < 0.4 and inside:
            return f"{pad}if {self.condition(1)} {{ {self.pick('break', 'continue')} }}\n"
        if r < 0.42 and not self.sets:
            return f"{pad}if {self.condition(1)} {{ return {self.number(1)} }}\n"
        if self.sets and r < 0.5:
            return pad + self.set_element() + "\n"
        if self.sets and r < 0.52:
            seen = self.pick("kept = out", "kept = out * 0.5", "out = out + 1.0", "x0 = x0 * 0.5", "kept = x0",
                             "kept = two[i]", "sum_of += s0", "s0 = out[i]", "s0 = two[0, i]",
                             'assert s0 < 4.0, f"{i} is large"')
            if self.random.random() < 0.8:
                return f"{pad}if s0 > {self.pick('1.0', '2.5', '5.0')} {{ {seen} }}\n"
            return f"{pad}{seen}\n"
        if self.arrays and r < 0.54:
            return pad + self.change_array() + "\n"
        if self.halves and r < 0.58:
            half = self.one_of(self.halves)
            more = self.pick(self.one_of(self.halves), f"f32({self.one_of(self.ints)})")
            return f"{pad}{half} = {half} * f32({self.pick('0.5', '1.25')}) + {more}\n"
        if self.narrow and r < 0.64:
            name, dtype = self.one_of(self.narrow)
            return f"{pad}{name} = {dtype}(abs({self.one_of(self.ints + [name])} * 3) % 100)\n"
        if r < 0.72:
            return f"{pad}{self.one_of(self.ints)} = {self.integer()} % 50\n"
        if r < 0.8:
            return f"{pad}{self.one_of(self.bools)} = {self.condition()}\n"
        return f"{pad}{self.one_of(self.floats)} = {self.number()}\n"

    def set_element(self):
        place = self.pick("i, 0", "i, 2", "i, k0 % 3", "i, i", "1, i", "0, i", "k0 % 3, i")
        return self.pick(f"out[i] = {self.number()}", f"two[{place}] = {self.number()}", f"three[i] = {self.condition(1)}",
                         f"four[i] = f32({self.number()})")

    def begin(self, pad):
        lines = [f"{name} = x * {self.random.uniform(-2, 2):.3f} + {self.random.uniform(-1, 1):.3f}" for name in self.floats]
        lines += [f"{name} = k + {self.random.randrange(9)}" for name in self.ints]
        lines += [f"{name} = x > {self.random.uniform(-2, 2):.2f}" for name in self.bools]
        lines += [f"{name} = f32(x) * f32({self.random.uniform(-2, 2):.2f})" for name in self.halves]
        lines += [f"{name} = {dtype}(abs(k) % 50)" for name, dtype in self.narrow]
        if self.arrays:
            lines += [f"u0 = {self.pick('zeros', 'ones')}({self.size})", f"u1 = full({self.size}, x)"]
        return "".join(f"{pad}{line}\n" for line in lines)

    # What is carried is kept small, so that not all becomes infinite.
    def bound(self, pad):
        bounds = [(name, "1e6", "1.0") for name in self.floats] + [(name, "f32(1000)", "f32(0.5)") for name in self.halves]
        text = "".join(f"{pad}if not (abs({name}) < {most}) {{ {name} = {small} }}\n" for name, most, small in bounds)
        for name in self.arrays:
            text += f"{pad}for k in range({self.size}) {{ if not (abs({name}[k]) < 1e6) {{ {name}[k] = 0.5 }} }}\n"
        return text

    def result(self):
        names = self.ints + self.bools + self.halves + [name for name, _ in self.narrow]
        elements = [f"{name}[{at}]" for name in self.arrays for at in ("0", "-1")]
        return " + ".join(self.floats + [f"f64({name})" for name in names] + elements)

    def text(self, f):
        if self.sets:
            return self.text_that_sets(f)
        all_of, one_of = (text.format(f=f) for text in FORMS[self.one_of(list(FORMS))])
        return (f"fn {f}(x, k, n, w) {{\n{self.begin('    ')}    for i0 in range(n) {{\n{self.block('        ', 3, True)}"
                f"{self.bound('        ')}    }}\n    return {self.result()}\n}}\n"
                f"fn all_{f}(xs, ks, n, w) = {all_of}\nfn one_{f}(x, k, ks, n, w) = {one_of}\n"
                f"""fn check_{f}() {{
    made = compile(all_{f})
    w = [0.5, -1.0, 2.0, 0.25, 1.5]
    for c in (1, 3, 8, 13) {{
        xs, ks = examples(c), [i * 3 % 7 - 2 for i in range(c)]
        for n in (0, 1, 4) {{
            (wanted, error) = outcome(all_{f}, xs, ks, n, w)
            (found, other) = outcome(made, xs, ks, n, w)
            if error != other or not same(wanted, found) {{ print("{f}", c, n, "differs", error, other, wanted, found) }}
            if error != "" or {"true" if self.draws else "false"} {{ continue }}
            if c == 3 and n == 4 {{  # some numbers are f32
                for fault in sparse_faults(xs -> all_{f}(xs, ks, n, w), xs, 1e-4) {{ print("{f}", c, n, "differs", fault) }}
            }}
            for i in range(c) {{
                single = plain(one_{f}(xs[i], ks[i], ks, n, w))
                if not same(single, tree_map(y -> y[i], found[0])) {{ print("{f}", c, n, i, "differs", single) }}
            }}
        }}
    }}
}}
""")

    def text_that_sets(self, f):
        other_name = self.pick("", "", "", "    two = two.T\n", "    kept = out\n", "    two = two[::-1]\n",
                               "    out = x0\n", "    x0 = out\n")
        # Two iterations set one element; an iteration sees what others have set.
        crossing = self.pick(("0, i", "i, 1"), ("i, 2", "1, i"), ("k0 % 3, i", "i, i % 3"), ("i, 0", "i, k0 % 3"))
        last = self.pick(f"out[i] = {self.result()}", f"two[i, 1] = {self.result()}",
                         f"two[{crossing[0]}] = {self.result()}\n        two[{crossing[1]}] = s0",
                         f"out[i] = {self.result()}\n        if s0 > {self.pick('0.5', '2.0')} {{ two[i, 1] = sum(out) }}")
        loop = self.pick("m", "m", "m", "m - 1", "1, m")
        return (f"fn {f}(x0, y, ks, n, w) {{\n    m = len(x0)\n    out, two = zeros(m), zeros(m, m + 3)\n"
                f"    three, four, kept, sum_of = zeros(m) > 1, f32(zeros(m)), zeros(2), 0.0\n"
                f"{other_name}    for i in range({loop}) {{\n"
                f"        x, k = x0[{self.pick('i', 'i', '-1 - i')}] + y[i, {self.pick('0', 'i % 3', '-1')}], ks[i]\n"
                f"{self.begin('        ')}{self.block('        ', 3, False)}{self.bound('        ')}        {last}\n    }}\n"
                "    return (out, two, where(three, 1.0, 0.0), four, kept, sum_of)\n}\n"
                f"""fn check_{f}() {{
    made = compile({f})
    w = [0.5, -1.0, 2.0, 0.25, 1.5]
    table = reshape(linspace(-1.0, 1.0, 169), (13, 13))
    for c in (1, 3, 8, 13) {{
        ks = [i * 3 % 7 - 2 for i in range(13)]
        for (xs, y) in list((examples(c), table), (examples(2 * c + 1)[1::2][::-1], table.T)) {{
            (wanted, error) = outcome({f}, xs, y, ks, 3, w)
            (found, other) = outcome(made, xs, y, ks, 3, w)
            if error != other or not same(wanted, found) {{ print("{f}", c, "differs", error, other, wanted, found) }}
            if error != "" or c != 3 {{ continue }}
            for fault in sparse_faults(x -> {f}(x, y, ks, 3, w), xs, 1e-4) {{ print("{f}", c, "differs", fault) }}
        }}
    }}
}}
""")


if __name__ == "__main__":
    random_programs.compare(__doc__, HEAD, Program)
