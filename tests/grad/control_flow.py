#!/usr/bin/env python3
"""Derivatives of control flow: random functions with branches, loops, exits, calls and updates in place, under compositions of
transformations. Compiled code must give the bits of eager code, and sparse Jacobians must be the dense ones.

    control_flow.py COVEC [--programs 40] [--seed 1] [--whole] [--lists] [--filters] [--recursion] [--long]

--filters: comprehensions with filters, and of records. --long: functions of so many statements that their machine code is cut into parts. --recursion: programs with a function that calls
itself. --lists: programs with lists that grow, of numbers and of vectors. --whole prints what was not compiled whole, by reason; that
is no failure. Exit status 1 where bits differ.
"""
import collections
import sys
import tempfile

import random_programs

TRANSFORMS = {
    "value": "f",
    "grad": "grad(f)",
    "jvp": "x -> jvp(f, (x,), (x * x,))[1]",
    "jacobian": "jacobian(x -> f(x) * x)",
    "wide": "jacobian(x -> concat([f(x) * x, x * x, [f(x * x[0])]]) if x[0] > 0 else concat([x, x, [x[1]]]))",
    "hessian": "hessian(f)",
    "grad_grad": "grad(x -> sum(grad(f)(x)^2))",
    "vmap_grad": "x -> vmap(grad(f))(stack([x, x * 0.7]))",
    "vjp_twice": "x -> { v, back = vjp(f, x)\n return back(1.0) + back(0.5) }",
    "grad_vmap": "grad(x -> sum(vmap(f)(stack([x, x * 0.7]))))",
    "checkpoint": "grad(checkpoint(f))",
    "bounded": "grad(f, memory=1)",
    "bounded_more": "grad(f, memory=400)",
    "vmap_bounded": "x -> vmap(grad(f, memory=200))(stack([x, x * 0.7]))",
    "bounded_vmap": "grad(x -> sum(vmap(f)(stack([x, x * 0.7]))), memory=100)",
}

# What eager code without bounds gives, where that is written in another way.
REFERENCES = {
    "bounded": "grad",
    "bounded_more": "grad",
    "vmap_bounded": "vmap_grad",
    "bounded_vmap": "grad_vmap",
}

# Of long functions.
LONG = ("value", "grad", "jvp", "vmap_grad", "hessian", "bounded_more")

# The sign and payload of a NaN are nobody's.
ALIKE = "fn alike(a, b) = same(where(isnan(a), 0.0, a), where(isnan(b), 0.0, b)) and same(isnan(a), isnan(b))\n"


class Program(random_programs.Writer):
    """One function f of a vector of four numbers, which gives a number."""

    def __init__(self, seed, lists=False, recursion=False, long=False, filters=False):
        super().__init__(seed)
        self.filters = filters
        self.recursion = recursion
        self.statements = (100, 140) if long else (3, 7)
        self.lists = lists
        self.numbers = ["a", "b", "c"]
        self.vectors = ["x", "u", "v"]
        self.loops = 0

    def item(self):
        return self.random.choice(["0", "-1"] + [f"i{k}" for k in range(self.loops)])

    def list_statement(self, pad):
        return pad + self.pick(f"xs.push({self.number()})\n", f"us.push({self.vector()})\n",
                               f"xs[{self.item()}] {self.pick('=', '+=', '*=')} {self.number()}\n",
                               f"us[{self.item()}] = {self.vector()}\n",
                               f"for w in xs {{ a += w * b }}\n", f"v += us[{self.item()}] * xs[{self.item()}]\n",
                               f"if {self.condition()} {{ xs.push({self.number()}) }}\n")

    def filtered(self, depth):
        over = self.vector(depth + 1)
        body = self.pick("q * q", f"q * {self.number(depth + 1)}", f"sin({self.number(depth + 1)}) * q")
        test = self.pick("q > a", "q < 0.6", f"{self.number(2)} < q", "q > b and c < 2", self.condition())
        passed = f" for q in {over} if {test}"
        return self.pick(f"sum({body}{passed})", f"sum([{body}{passed}])", f"prod({body}{passed})",
                         f"sum(stack(list({body}{passed}) + list(a)))", f"sum([u * ({body}){passed}])",
                         f"sum(r.p * r.v[1] for r in [{{p: {body}, v: u * q}}{passed}])",
                         f"sum(sum(q * w for q in x if q > w) for w in {over})",
                         f"sum(u[k] * a for k in range(4) if x[k] > b)")

    def fields(self, depth):
        return self.pick(f"[sum(q * w for q in {self.vector(depth + 1)} if q > w) for w in x]",
                         f"stack([{{p: q * {self.number(depth + 1)}, s: q}} for q in x]).p",
                         f"[sum(x[j] * u[k] for k in range(4) if k != j) for j in range(4)]")

    def number(self, depth=0):
        r = self.random.random()
        if self.filters and depth < 2 and r > 0.7:
            return self.filtered(depth)
        if self.lists and r > 0.9:
            return f"xs[{self.item()}]"
        if r < 0.25 or depth > 2:
            return self.random.choice(self.numbers)
        if r < 0.35:
            return f"{self.random.choice(self.vectors)}[{self.index()}]"
        if r < 0.45:
            return f"sum({self.vector(depth + 1)})"
        if r < 0.5:
            return self.pick("0.5", "1.25", "0.75")
        if r < 0.6:
            return f"({self.number(depth + 1)} if {self.condition()} else {self.number(depth + 1)})"
        if r < 0.68:
            return f"pick({self.number(depth + 1)}, {self.number(depth + 1)})"
        if r < 0.8:
            return f"sin({self.number(depth + 1)})"
        return f"tanh({self.number(depth + 1)} {self.pick('+', '-', '*')} {self.number(depth + 1)})"

    def vector(self, depth=0):
        r = self.random.random()
        if self.filters and depth < 2 and r > 0.85:
            return self.fields(depth)
        if self.lists and r > 0.9:
            return f"us[{self.item()}]"
        if r < 0.3 or depth > 2:
            return self.random.choice(self.vectors)
        if r < 0.4:
            return f"({self.vector(depth + 1)} if {self.condition()} else {self.vector(depth + 1)})"
        if r < 0.5:
            return f"turn({self.vector(depth + 1)}, {self.number(depth + 1)})"
        if r < 0.7:
            return f"{self.vector(depth + 1)} * {self.number(depth + 1)}"
        return f"tanh({self.vector(depth + 1)} {self.pick('+', '-', '*')} {self.vector(depth + 1)})"

    def index(self):
        return self.random.choice(["0", "1", "3"] + [f"i{k}" for k in range(self.loops)])

    def condition(self):
        if self.loops and self.random.random() < 0.4:
            return f"i{self.loops - 1} {self.pick('<', '==', '>')} {self.random.randrange(3)}"
        return self.pick("a > b", "sum(u) > c", "x[0] > 0.3", "b < 0.4", "u[1] > v[2]", "x[3] < 2")

    def block(self, depth, indent):
        return "".join(self.statement(depth, indent) for _ in range(self.random.randrange(1, 4)))

    def statement(self, depth, indent):
        pad = "    " * indent
        if self.lists and self.random.random() < 0.3:
            return self.list_statement(pad)
        r = self.random.random()
        if depth < 3 and r < 0.16:
            text = f"{pad}if {self.condition()} {{\n{self.block(depth + 1, indent + 1)}{pad}}}"
            if self.random.random() < 0.5:
                text += f" else {{\n{self.block(depth + 1, indent + 1)}{pad}}}"
            return text + "\n"
        if depth < 3 and self.loops < 3 and r < 0.3:
            name = f"i{self.loops}"
            self.loops += 1
            body = self.block(depth + 1, indent + 1)
            self.loops -= 1
            if self.random.random() < 0.75:
                return f"{pad}for {name} in range({self.pick('3', '2', 'len(x)', 'n')}) {{\n{body}{pad}}}\n"
            return f"{pad}{name} = 0\n{pad}while {name} < {self.pick('3', 'n')} {{\n{body}{pad}    {name} += 1\n{pad}}}\n"
        if depth > 0 and r < 0.34:
            exits = ["return " + self.number()]
            if self.loops:
                exits += ["break", "continue"]
            leave = self.random.choice(exits)
            if leave == "continue":
                leave = "break"
            return f"{pad}if {self.condition()} {{ {leave} }}\n"
        if r < 0.44:
            return f"{pad}{self.random.choice(['u', 'v'])}[{self.index()}] {self.pick('=', '+=', '*=')} {self.number()}\n"
        if r < 0.5:
            return f"{pad}s.{self.pick('p', 'q')} = {self.number()}\n"
        if r < 0.54:
            return f"{pad}{self.random.choice(self.numbers)} = s.{self.pick('p', 'q')}\n"
        if r < 0.6:
            return f"{pad}a, b = (b, a)\n" if self.random.random() < 0.5 else f"{pad}u, v = (v, u)\n"
        if r < 0.8:
            return f"{pad}{self.random.choice(self.numbers)} = {self.number()}\n"
        return f"{pad}{self.random.choice(['u', 'v'])} = {self.vector()}\n"

    # Once or twice; how deep it goes, the run or the walk knows.
    def recursive_function(self):
        calls, statements = self.random.randrange(1, 3), [self.statement(1, 1) for _ in range(self.random.randrange(1, 4))]
        for _ in range(calls):
            call = self.pick(f"c = go(x, {self.vector()}, {self.number()}, m - 1)", f"c += go(x, u, {self.number()}, m - 1) * b",
                             f"if a > b {{ c = go(x, {self.vector()}, a * 0.9, m - 1) }}",
                             f"c = go(x, v, {self.number()}, m - 1) if a < 2 else b",
                             f"for k in range(2) {{ c += 0.5 * go(x, v * 0.5, a - k, m - 1) }}")
            statements.insert(self.random.randrange(len(statements) + 1), f"    {call}\n")
        return ("fn go(x, u, a, m) {\n    if m <= 0 or a > 9 { return a * u[1] }\n    n = 2\n    b = u[0]\n    c = a * 0.5\n    v = tanh(u * a)\n"
                "    s = {p: b, q: a}\n" + "".join(statements) + "    return tanh(c) + sum(tanh(v) * u) * b + s.p * tanh(s.q)\n}\n")

    def text(self):
        body = "".join(self.statement(0, 1) for _ in range(self.random.randrange(*self.statements)))
        lists, result, before = "", "", ""
        if self.recursion:
            before = self.recursive_function()
            depth = self.pick("3", "len(x) - 1", "2 if x[0] > 0.2 else 3")
            result = f" + go(x, u, b, {depth}) * a"
        if self.lists:
            lists = "    xs = list(a, b * 0.5, x[2], c)\n    us = list(x, v, u * 0.5, x)\n"
            result = " + sum(tanh(stack(xs))) + sum(stack(us) * 0.1) + xs[-1]"
        # What is carried is kept small, so that nothing overflows.
        return (f"{before}fn pick(p, q) {{\n    if p > q {{ return p }}\n    return q\n}}\n"
                "fn turn(w, t) {\n    if t > 0.5 { w = w * t }\n    return w\n}\n"
                "fn f(x, n=3) {\n    a = x[0]\n    b = x[1] * x[2]\n    c = 0.5\n    u = x\n    v = x * x\n    s = {p: x[3], q: a}\n"
                f"{lists}"
                f"{body}"
                "    return sum(tanh(u) * x) + sum(tanh(v) * u) + tanh(a) * tanh(b) + sin(c) + s.p * tanh(s.q)"
                f"{result}\n}}\n")


def program_of(seed, args):
    return Program(seed, args.lists, args.recursion, args.long, args.filters)


def script(seed, args):
    lines = [ALIKE, random_programs.SPARSE, program_of(seed, args).text(), "x = [0.31, 0.82, 0.47, 0.66]\n"]
    for name, transform in TRANSFORMS.items():
        if args.long and name not in LONG:
            continue
        lines.append(f"""
fn of_{name}() {{
    e = {transform}
    r = {TRANSFORMS[REFERENCES.get(name, name)]}
    g = compile(e)
    wanted = r(x)
    g(x)
    found = g(x)
    print("{name}", alike(wanted, found) and alike(wanted, e(x)), "all of it" in str(explain(g)))
    if not alike(wanted, found) {{ print(wanted, found) }}
}}
try {{ of_{name}() }} catch err {{ print("{name}", "vmap" in "{name}" and err.message.starts_with("the length differs"), err) }}
""")
    if not args.long:
        lines.append('for fault in sparse_faults(x -> f(x) * x, x) + sparse_faults(grad(f), x) { print("sparse", fault) }\n')
    return "".join(lines)


def main():
    parser = random_programs.parser(__doc__, 40)
    parser.add_argument("--lists", action="store_true")
    parser.add_argument("--filters", action="store_true")
    parser.add_argument("--recursion", action="store_true")
    parser.add_argument("--whole", action="store_true")
    args = parser.parse_args()
    bad, whole = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.programs):
            run = random_programs.run(args.covec, folder, script(seed, args))
            differs = run.returncode != 0
            for line in run.stdout.splitlines():
                name, _, rest = line.partition(" ")
                differs |= name == "sparse"
                if name not in TRANSFORMS:
                    continue
                differs |= rest.startswith("false")
                whole[name] += rest.endswith("true")
            if differs:
                bad += 1
                print(f"--- seed {seed}: status {run.returncode}\n{run.stdout}{run.stderr}{program_of(seed, args).text()}")
    print(f"{args.programs} programs, {bad} differ")
    if args.whole:
        print("compiled whole: " + ", ".join(f"{name} {whole[name]}" for name in TRANSFORMS))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
