#!/usr/bin/env python3
"""Loops over elements and their derivatives: random functions of arrays whose loops set elements from elements, in steps
and offsets of their own, in outer loops, with branches, inner loops, breaks and sums. What the sweeps save lies on
stacks, which vectors fill and empty where they can. Compiled code must give the bits and the errors of eager code, and
sparse Jacobians must be the dense ones.

    element_loops.py COVEC [--programs 200] [--seed 1] [--long]

--long: 5,000 programs. Exit status 1 where something differs.
"""
import random_programs

HEAD = random_programs.PLAIN + random_programs.SPARSE + """fn outcome(f, *args) {
    try { return (plain(f(*args)), "") } catch err { return (0.0, err.message.split(" at element")[0]) }
}
"""

# Of a function f(x, y, n).
FORMS = ["grad(x -> {f}(x, y, n))(x)", "grad(x -> {f}(x, y, n))(x)", "grad((x, y) -> {f}(x, y, n), wrt=(0, 1))(x, y)",
         "grad((x, y) -> {f}(x, y, n), wrt=(0, 1))(x, y)", "value_and_grad(x -> {f}(x, y, n))(x)",
         "grad(x -> sum(grad(x -> {f}(x, y, n))(x)^2))(x)", "jvp(x -> grad(x -> {f}(x, y, n))(x), (x,), (y,))",
         "jvp(x -> {f}(x, y, n), (x,), (y,))", "vmap(x -> grad(x -> {f}(x, y, n))(x))(stack([x, x * 0.5]))",
         "grad(x -> {f}(x, y, n), memory=20)(x)"]


class Program(random_programs.Writer):
    def __init__(self, seed):
        super().__init__(seed)
        self.dtype = self.pick("f64", "f64", "f64", "f32")
        self.arrays = ["a", "b", "x", "y"]
        self.loops = 0

    def index(self, i):
        return self.pick(i, i, i, i, i, f"{i} - 1", f"{i} + 1", "2", f"m - 1 - {i}", "c", f"{i} // 2")

    def element(self, i):
        return f"{self.pick(*self.arrays)}[{self.index(i)}]"

    def number(self, i, depth=2):
        r = self.random.random()
        if depth <= 0 or r < 0.3:
            return self.pick(self.element(i), self.element(i), self.element(i), "s", "k", "0.5", "1.25", f"{i} * 0.125")
        if r < 0.6:
            return f"({self.number(i, depth - 1)} {self.pick('+', '-', '*', '*', '/')} {self.number(i, depth - 1)})"
        if r < 0.9:
            called = self.pick("sin({})", "exp(-abs({}))", "sqrt(abs({}) + 0.5)", "tanh({})", "({})^2", "-({})")
            return called.format(self.number(i, depth - 1))
        return f"where({self.condition(i)}, {self.number(i, depth - 1)}, {self.number(i, depth - 1)})"

    def condition(self, i):
        return self.pick(f"{self.number(i, 1)} {self.pick('<', '>', '<=')} {self.number(i, 1)}", f"{i} % 3 == 1",
                         f"{self.element(i)} > 0.2", "t == 0")

    def target(self, i):
        return f"{self.pick('a', 'b')}[{self.pick(i, i, i, i, i, f'{i} - 1', f'm - 1 - {i}', 'c')}]"

    def statement(self, pad, i, depth):
        r = self.random.random()
        if r < 0.55:
            return f"{pad}{self.target(i)} {self.pick('=', '=', '+=')} {self.number(i)}\n"
        if r < 0.65:
            return f"{pad}k = {self.number(i)}\n"
        if r < 0.7:
            return f"{pad}s = {self.pick('s + ', 's * 0.5 + ', '')}{self.number(i, 1)}\n"
        if r < 0.8 and depth > 0:
            text = f"{pad}if {self.condition(i)} {{\n{self.block(pad + '    ', i, depth - 1)}{pad}}}"
            if self.random.random() < 0.6:
                text += f" else {{\n{self.block(pad + '    ', i, depth - 1)}{pad}}}"
            return text + "\n"
        if r < 0.85 and depth > 0:
            return self.loop(pad, depth - 1)
        if r < 0.88:
            return f"{pad}if {self.condition(i)} {{ {self.pick('break', 'continue')} }}\n"
        if r < 0.9 and depth > 0:
            return f"{pad}{self.pick('b = a', 'a = x', 'b = b + 0.5', 'a = a * x', 'b = zeros(m) * a')}\n"
        return f"{pad}{self.target(i)} = {self.number(i)}\n"

    def block(self, pad, i, depth):
        return "".join(self.statement(pad, i, depth) for _ in range(self.random.randrange(1, 4)))

    def loop(self, pad, depth):
        self.loops += 1
        i = f"i{self.loops}"
        count = self.pick("range(m)", "range(m)", "range(1, m)", "range(1, m - 1)", "range(0, m, 2)", "range(m - 1, -1, -1)",
                          "range(m - 2, 0, -1)", "range(n)", "range(20)")
        if self.random.random() < 0.1:
            body = self.block(pad + "    ", i, depth)
            return f"{pad}{i} = -1\n{pad}while {i} < m - 2 {{\n{pad}    {i} += 1\n{body}{pad}}}\n"
        return f"{pad}for {i} in {count} {{\n{self.block(pad + '    ', i, depth)}{pad}}}\n"

    def text(self, f):
        name = f
        body = "".join(self.loop("        ", 1) for _ in range(self.random.randrange(1, 4)))
        form = self.pick(*FORMS).format(f=f)
        steps = self.pick("range(n)", "range(n)", "range(1)", "range(3)")
        return f"""fn {name}(x, y, n) {{
    m, s, k, c = len(x), 0.25, 0.5, 3
    a, b = x * 0.5, y + x
    for t in {steps} {{
{body}        if not (abs(s) < 1e6) {{ s = 1.0 }}
    }}
    return sum(a * 0.5) + sum(b)^2 * 0.1 + s
}}
fn made_{f}(x, y, n) = {form}
fn check_{f}() {{
    code = compile(made_{f})
    for m in (0, 1, 5, 17, 40, 130) {{
        x, y = {self.dtype}(linspace(-1.0, 1.25, m)), {self.dtype}(linspace(0.5, -0.75, m))
        for n in (0, 1, 4) {{
            (wanted, error) = outcome(made_{f}, x, y, n)
            (found, other) = outcome(code, x, y, n)
            if error != other or not same(wanted, found) {{ print("{f}", m, n, "differs", error, other, wanted, found) }}
            if error != "" or m != 5 or n == 4 {{ continue }}
            for fault in sparse_faults(x -> made_{f}(x, y, n), x) {{ print("{f}", m, n, "differs", fault) }}
        }}
    }}
}}
"""


if __name__ == "__main__":
    random_programs.compare(__doc__, HEAD, Program)
