#!/usr/bin/env python3
"""Loops over rows and their derivatives: random functions of matrices whose loops read rows, compute with them, and set and
add rows, in outer loops, with branches, sums, slices and rows of one element. Short rows of equal lengths are computed
column by column. Compiled code must give the bits and the errors of eager code, and sparse Jacobians must be the dense ones.

    row_programs.py COVEC [--programs 200] [--seed 1] [--long]

--long: 5,000 programs. Exit status 1 where something differs.
"""
import element_loops
import random_programs


class Program(random_programs.Writer):
    def __init__(self, seed):
        super().__init__(seed)
        self.dtype = self.pick("f64", "f64", "f64", "f32")
        self.loops = 0

    def index(self, i):
        return self.pick(i, i, i, "0", "-1", f"r - 1 - {i}", f"({i} + 1) % r", f"{i} - 1", f"{i} + 1", "1")

    def row(self, i, depth=2):
        r = self.random.random()
        if depth <= 0 or r < 0.35:
            at = self.index(i)
            return self.pick("p", "q", "p", "q", f"a[{at}]", f"b[{at}]", f"x[{at}]", f"g[{at}, {self.pick(0, 1, 2, -1)}]", f"u[{self.pick(0, 1, 2)}]",
                             f"z[{at}, :m]", f"z[{at}, m:]", "y")
        if r < 0.65:
            return f"({self.row(i, depth - 1)} {self.pick('+', '-', '*', '*')} {self.pick(self.row(i, depth - 1), self.row(i, depth - 1), self.number(i))})"
        if r < 0.93:
            called = self.pick("sin({})", "sigmoid({})", "tanh({})", "sqrt(abs({}) + 0.5)", "exp(-abs({}))", "-({})", "({}) * o")
            return called.format(self.row(i, depth - 1))
        return f"where({self.row(i, 0)} < {self.row(i, 0)}, {self.row(i, depth - 1)}, {self.row(i, depth - 1)})"

    def number(self, i):
        return self.pick("s", "0.5", "1.25", f"{i} * 0.125", f"a[{self.index(i)}, 0]")

    def statement(self, pad, i, depth):
        r = self.random.random()
        if r < 0.35:
            return f"{pad}{self.pick('p', 'q')} = {self.row(i, 3)}\n"
        if r < 0.7:
            target = self.pick(f"a[{self.index(i)}]", f"b[{self.index(i)}]", f"g[{self.index(i)}, {self.pick(0, 1, 2)}]")
            return f"{pad}{target} {self.pick('=', '+=')} {self.pick(self.row(i, 3), self.row(i, 2), self.number(i))}\n"
        if r < 0.76:
            return f"{pad}u = g[{self.index(i)}]\n"
        if r < 0.8:
            return f"{pad}s = s * 0.5 + {self.pick('sum', 'max', 'mean')}({self.row(i)})\n"
        if r < 0.86 and depth > 0:
            return f"{pad}if {self.pick('s > 0.1', f'{i} % 2 == 1', 't == 0')} {{\n{self.block(pad + '    ', i, depth - 1)}{pad}}}\n"
        if r < 0.92 and depth > 0:
            return self.loop(pad, depth - 1)
        if r < 0.94:
            return f"{pad}if {i} == 2 {{ {self.pick('break', 'continue')} }}\n"
        return f"{pad}{self.pick('u = u * 0.5', 'b = a * 0.5', 'p = zeros(m) + p', 'u = zeros([3, m]) + y')}\n"

    def block(self, pad, i, depth):
        return "".join(self.statement(pad, i, depth) for _ in range(self.random.randrange(2, 6)))

    def loop(self, pad, depth):
        self.loops += 1
        i = f"i{self.loops}"
        count = self.pick("range(r)", "range(r)", "range(1, r)", "range(r - 1, -1, -1)", "range(2)")
        return f"{pad}for {i} in {count} {{\n{self.block(pad + '    ', i, depth)}{pad}}}\n"

    def text(self, f):
        body = "".join(self.loop("        ", 1) for _ in range(self.random.randrange(1, 3)))
        form = self.pick(*element_loops.FORMS).format(f=f).replace("(y,))", "(x * 0.5,))")
        return f"""fn {f}(x, y, n) {{
    r, m, s, o = len(x), x.shape[1], 0.25, {self.pick('y[:1]', 'y', 'y[:1] + x[:, :1][0]')}
    a, b, z = x * 0.5, x + y, concat([x * 2, x + 1], axis=1)
    g = stack([x, x * 0.25, x + 1], axis=1)
    p, q, u = y * 1.5, y, g[0]
    for t in {self.pick('range(n)', 'range(n)', 'range(2)')} {{
{body}        if not (abs(s) < 1e6) {{ s = 1.0 }}
    }}
    return sum(a) * 0.5 + sum(b)^2 * 0.1 + sum(p * q) + sum(g) * 0.25 + s
}}
fn made_{f}(x, y, n) = {form}
fn check_{f}() {{
    code = compile(made_{f})
    for m in (1, 8, 9, 14, 33, 64, 65) {{
        for r in (1, 3) {{
            x = {self.dtype}(reshape(linspace(-1.0, 1.25, r * m), (r, m)))
            y = {self.dtype}(linspace(0.5, -0.75, {self.pick('m', 'm', 'm', 'm', '1 if r == 3 else m')}))
            (wanted, error) = outcome(made_{f}, x, y, 2)
            (found, other) = outcome(code, x, y, 2)
            if error != other or not same(wanted, found) {{ print("{f}", m, r, "differs", error, other, wanted, found) }}
            if error != "" or m > 8 {{ continue }}
            for fault in sparse_faults(x -> made_{f}(x, y, 2), x) {{ print("{f}", m, r, "differs", fault) }}
        }}
    }}
}}
"""


if __name__ == "__main__":
    random_programs.compare(__doc__, element_loops.HEAD, Program)
