#!/usr/bin/env python3
"""Writes random programs of the language: functions, and calls of them that print what they give.

A program is a function of its seed and of the builtins that there are. It has no syntax errors and is well-typed; most run to their end, the others
fail in one of the ways in which programs do (Statements.dangerous, or an extent of 0 where there must be elements).

    generate.py SEED --covec COMMAND            one program, to standard output
    generate.py SEED --count N --to FOLDER   programs SEED … SEED + N − 1, as files
"""
import argparse
import os
import random

from scope import Fun, Function, Lst, Names, Num, Rec, Scope, Tup
from statements import Statements
from words import learn

EXTENTS = [(2, 2), (5, 3), (2, 1), (2.0, 7), (1.2, 17), (0.7, 70), (0.12, 300), (0.25, 0)]
DTYPES = {"f": ["f64", "f64", "f32"], "i": ["i64", "i64", "i32"], "b": ["bool"]}


class Program(Statements):
    def __init__(self, seed):
        super().__init__(random.Random(seed))
        self.names = Names()
        self.functions = []
        self.globals = []
        self.strange = False
        self.top = Scope(self.names, self.functions)

    def text(self):
        self.danger = self.pick([(8, 0.0), (2, 0.02), (0.3, 0.08)])
        self.talk = self.pick([(6, 0.0), (2, 0.05), (1, 0.15)])
        if self.chance(0.3):
            self.put(f"seed({self.random.randint(1, 99)})")
        for _ in range(self.random.randint(0, 2)):
            self.global_()
        for _ in range(self.random.randint(1, 3)):
            self.function()
        if self.chance(0.25):
            self.recursive()
        for f in list(self.functions):
            self.uses(f)
        return "\n".join(self.lines) + "\n"

    # --- definitions ---

    def global_(self):
        name, type_ = self.names.fresh("g"), self.choose([Num("f", ()), Num("f", ("3",)), Num("i", ())])
        self.put(f"{name} = {self.value(self.top, type_, 1)}")
        self.globals.append((name, type_))

    def function(self):
        f = Function(self.names.fresh("f"), [], None)
        scope = Scope(self.names, list(self.functions))
        for name, type_ in self.globals:
            scope.add(name, type_, False)
        annotated = self.chance(0.4)
        f.dims = [self.names.fresh("n") for _ in range(self.random.randint(1, 2))]
        self.parameters(f)
        f.result = self.result_type(f)
        heads = [self.parameter_text(p, annotated) for p in f.parameters]
        shown = {d for _, t, _ in f.parameters for d in self.dims_of(t, f)}
        f.dims = [d for d in f.dims if d in shown]
        f.result = self.without_lost_dims(f)
        scope.dims = list(f.dims)
        for name, type_, _ in f.parameters:
            scope.add(name, type_)
        if not annotated and not f.dims and self.chance(0.3) and isinstance(f.result, Num):
            self.put(f"fn {f.name}({', '.join(heads)}) = {self.value(scope, f.result, 4)}")
        else:
            start = len(self.lines)
            self.open(f"fn {f.name}({', '.join(heads)})")
            self.name_dims(f, annotated)
            scope.result = f.result
            scope.odd_results = self.chance(0.06)
            f.callable = not scope.odd_results
            self.body(scope, self.random.randint(1, 6))
            self.close()
            f.effects = any(word in line for line in self.lines[start:] for word in ("print(", "rand"))
        f.loops = scope.loops_inside or scope.calls_loops
        self.functions.append(f)

    def parameters(self, f):
        for k in range(self.random.randint(1, 3)):
            name = self.names.fresh("x")
            rank = lambda: tuple(self.choose(f.dims) if self.chance(0.9) else "3" for _ in range(self.pick([(3, 0), (5, 1), (3, 2), (0.4, 3)])))
            kind = self.random.random()
            if kind < 0.86 or k == 0:
                type_ = Num("f" if k == 0 and self.chance(0.85) else self.choose("fffib"), rank())
            elif kind < 0.90:
                type_ = Fun(Num("f", ()), Num("f", ()))
            elif kind < 0.96:
                type_ = Rec((("w", Num("f", rank())), ("b", Num("f", ()))))
            else:
                type_ = Tup((Num("f", rank()), Num("i", ())))
            f.parameters.append((name, type_, None))
        if self.chance(0.2):
            earlier = [n for n, t, _ in f.parameters if t == Num("f", ())]
            default = self.choose(["0.5", "2.0", *(f"{n} * 2" for n in earlier)])
            f.parameters.append((self.names.fresh("x"), Num("f", ()), default))

    def result_type(self, f):
        number = lambda: Num(self.choose("ffi"), tuple(self.choose(f.dims) for _ in range(self.random.randint(0, 2))))
        return self.pick([(6, Num("f", ())), (1, Num(self.choose("ib"), ())), (3, number()), (1, Tup((Num("f", ()), number()))),
                          (0.7, Rec((("a", number()), ("b", number()))))])

    def dims_of(self, type_, f):
        if isinstance(type_, Num):
            return [d for d in type_.shape if d in f.dims]
        if isinstance(type_, Fun):
            return []
        parts = type_.items if isinstance(type_, Tup) else [t for _, t in type_.fields]
        return [d for part in parts for d in self.dims_of(part, f)]

    def without_lost_dims(self, f):
        lost = {d: "2" for _, d in enumerate(sorted({*self.dims_of_all(f.result)} - set(f.dims)))}
        return self.instance(f.result, lost)

    def dims_of_all(self, type_):
        if isinstance(type_, Num):
            return [d for d in type_.shape if not d.isdigit()]
        parts = type_.items if isinstance(type_, Tup) else [t for _, t in type_.fields]
        return [d for part in parts for d in self.dims_of_all(part)]

    def parameter_text(self, parameter, annotated):
        name, type_, default = parameter
        text = name
        if annotated and isinstance(type_, Num):
            text += ": " + {"f": "float", "i": "int", "b": "bool"}[type_.cls]
            text += f"[{', '.join(type_.shape)}]" if type_.shape else ""
        elif annotated and isinstance(type_, Rec):
            fields = (f"{n}: float" + (f"[{', '.join(t.shape)}]" if t.shape else "") for n, t in type_.fields)
            text += ": {" + ", ".join(fields) + "}"
        elif annotated:
            text += ""
        return text + (f"={default}" if default is not None else "")

    def name_dims(self, f, annotated=False):
        """Statements that bind the dimensions; annotations bind those of parameters that are no tuples."""
        for d in f.dims:
            if annotated and any(d in self.dims_of(t, f) for _, t, _ in f.parameters if not isinstance(t, Tup)):
                continue
            for name, type_, _ in f.parameters:
                path = self.path_to(d, name, type_)
                if path is not None:
                    self.put(f"{d} = {path}")
                    break

    def path_to(self, dim, path, type_):
        if isinstance(type_, Num):
            if dim not in type_.shape:
                return None
            axis = type_.shape.index(dim)
            return f"len({path})" if axis == 0 and self.chance(0.5) else f"{path}.shape[{axis}]"
        if isinstance(type_, Fun):
            return None
        parts = ([(f"{path}[{k}]", t) for k, t in enumerate(type_.items)] if isinstance(type_, Tup)
                 else [(f"{path}.{n}", t) for n, t in type_.fields])
        for part, t in parts:
            found = self.path_to(dim, part, t)
            if found is not None:
                return found
        return None

    def recursive(self):
        f = Function(self.names.fresh("f"), [(self.names.fresh("x"), Num("f", ()), None), (self.names.fresh("x"), Num("i", ()), None)],
                     Num("f", ()))
        (x, _, _), (d, _, _) = f.parameters
        scope = Scope(self.names, list(self.functions))
        for name, type_, _ in f.parameters:
            scope.add(name, type_, False)
        scope.loops = 1  # so that it calls nothing that loops
        self.open(f"fn {f.name}({x}, {d})")
        self.put(f"if {d} <= 0 {{ return {self.value(scope, f.result, 2)} }}")
        for _ in range(self.random.randint(0, 2)):
            self.new(scope)
        argument = self.choose([f"{x} * 0.5", f"sin({x}) + 0.1", f"{x} + {d}", self.value(scope, Num("f", ()), 2)])
        again = f"{f.name}({argument}, {d} - 1)"
        if self.chance(0.4):
            again = f"({again} + {f.name}({x} * 0.25, {d} - 2))"
        self.put(f"return {self.value(scope, f.result, 2)} + {self.choose(['0.5 * ', 'sin', ''])}({again})" if self.chance(0.8)
                 else f"return {again} * 0.5 if {self.condition(scope)} else {self.value(scope, f.result, 1)}")
        self.close()
        f.loops, f.callable = True, False
        f.small = True
        self.functions.append(f)

    # --- uses ---

    def uses(self, f):
        for call in range(self.random.randint(2, 4)):
            if self.globals and self.chance(0.2):
                name, type_ = self.choose(self.globals)
                self.put(f"{name} = {self.value(self.top, type_, 1)}")
            if call == 2 and self.chance(0.1) and f.callable:
                self.redefine(f)
            self.pick([(5, self.plain), (2.2, self.gradient), (1.2, self.forward), (1, self.pullback), (1.2, self.mapped_call),
                       (0.7, self.jacobian), (0.5, self.hessian), (0.8, self.repeated)])(f)

    def redefine(self, f):
        """Another function of that name and signature."""
        scope = Scope(self.names, [g for g in self.functions if g is not f and int(g.name[1:]) < int(f.name[1:])], [])
        for name, type_, _ in f.parameters:
            scope.add(name, type_)
        scope.dims, scope.result = list(f.dims), f.result
        self.open(f"fn {f.name}({', '.join(self.parameter_text(p, False) for p in f.parameters)})")
        self.name_dims(f)
        self.body(scope, self.random.randint(0, 2))
        self.close()

    def extents(self, f, largest=300):
        while True:
            found = {d: str(self.pick(EXTENTS)) for d in f.dims}
            if all(int(n) <= (min(largest, 70) if f.loops else largest) for n in found.values()):
                product = 1
                for n in found.values():
                    product *= max(int(n), 1)
                if product <= 1200:
                    return found

    def datum(self, type_, dtypes):
        """A value to call with."""
        if isinstance(type_, Tup):
            return "(" + ", ".join(self.datum(t, dtypes) for t in type_.items) + ")"
        if isinstance(type_, Rec):
            return "{" + ", ".join(f"{n}: {self.datum(t, dtypes)}" for n, t in type_.fields) + "}"
        if isinstance(type_, Fun):
            return self.choose(["sin", "tanh", "z -> z * 2.0", "z -> z * z + 1", "z -> z if z > 0 else 0.5 * z", "abs"])
        dtype, shape = dtypes[type_.cls], type_.shape
        count = self.product_of(shape)
        if not shape:
            text = {"f": ["0.7", "1.5", "(-0.3)", "2.0", "0.0"], "i": ["2", "3", "0", "4", "(-1)"], "b": ["true", "false"]}[type_.cls]
            text = self.choose(text)
        else:
            a = self.choose(["0.37", "1.3", "0.11"])
            text = self.choose({
                "f": [f"linspace(-1.5, 2, {count})", f"sin(arange({count}) * {a})", f"randn({count})", f"(cos(arange({count}) * {a}) * 2)",
                      f"rand({count})", f"(arange({count}) * {a} - 1.0)"],
                "i": [f"(arange({count}) % 5 - 2)", f"arange({count})", f"(3 - arange({count}))", f"randint(0, 9, {count})"],
                "b": [f"(arange({count}) % 2 == 0)", f"(arange({count}) % 3 != 1)", f"(rand({count}) < 0.5)"],
            }[type_.cls])
            if len(shape) > 1:
                text = f"reshape({text}, {', '.join(shape)})"
        return text if dtype in ("f64", "i64", "bool") else f"{dtype}({text})"

    @staticmethod
    def product_of(shape):
        count = 1
        for d in shape:
            if not d.isdigit():
                return " * ".join(shape)
            count *= int(d)
        return count

    def data(self, f, largest=300, every=False, known=None):
        """[(parameter, text or None)] of a call; None: its default."""
        known = known or self.extents(f, 7 if f.small else largest)
        dtypes = {cls: self.choose(names) for cls, names in DTYPES.items()}
        if self.strange:
            dtypes["f"] = self.choose(["i64", "i32"])
        self.strange = False
        values = []
        for p in f.parameters:
            text = self.datum(self.instance(p[1], known), dtypes)
            values.append((p, None if p[2] is not None and not every and self.chance(0.5) else text))
        return values

    def call_text(self, values):
        return ", ".join(f"{p[0]}={text}" if p[2] is not None else text for p, text in values if text is not None)

    def show(self, text):
        self.put(f"print({text}, digits=17)")

    def plain(self, f):
        self.strange = self.chance(0.02)  # integers where floats are expected
        text = f"{f.name}({self.call_text(self.data(f))})"
        if self.chance(0.2):
            name = self.names.fresh("y")
            self.put(f"{name} = {text}")
            self.put(f"print(type_of({name}), {name}, digits=17)")
        else:
            self.show(text)

    def repeated(self, f):
        """Calls in a loop, each with other extents."""
        if not f.dims:
            return self.plain(f)
        names = [self.names.fresh("m") for _ in f.dims]
        if len(names) == 1:
            self.open(f"for {names[0]} in ({', '.join(self.random.sample(['1', '2', '3', '7', '17', '40'], 3))})")
        else:
            self.open(f"for {names[0]}, {names[1]} in zip({self.choose(['(1, 3, 7)', '(2, 5)', '(17, 2, 1)'])}, {self.choose(['(3, 1, 4)', '(7, 2)', '(1, 33)'])})")
        values = self.data(f, known=dict(zip(f.dims, names)))
        g = f.name
        first = f.parameters[0][1]
        if f.result == Num("f", ()) and isinstance(first, Num) and first.cls == "f" and self.chance(0.4):
            g = f"grad({g})"
        self.show(f"{g}({self.call_text(values)})")
        self.close()

    def float_parameters(self, f):
        return [(k, p) for k, p in enumerate(f.parameters)
                if isinstance(p[1], (Rec, Tup)) or isinstance(p[1], Num) and p[1].cls == "f"]

    def scalar_of(self, f):
        """The function, or one of its result's parts summed up; None if nothing is differentiable."""
        if not self.float_parameters(f):
            return None
        names = ", ".join(p[0] for p in f.parameters)
        if f.result == Num("f", ()):
            if self.chance(0.7):
                return f.name
            call = f"{f.name}({names})"
            return f"({names}) -> " + self.choose([call, f"{call} * 2.0 + {call}", f"sin({call})"])
        part = {Tup: "[0]", Rec: ".a"}.get(type(f.result), "")
        return f"({names}) -> {self.choose(['sum', 'mean'])}({f.name}({names}){part} * 1.0)"

    def gradient(self, f):
        g = self.scalar_of(f)
        if g is None:
            return self.plain(f)
        k, p = self.choose(self.float_parameters(f))
        wrt = self.choose([f", wrt={k}", f', wrt="{p[0]}"', f", wrt=({k},)"]) if k else self.choose(["", "", ", wrt=0"])
        name = self.choose(["grad", "grad", "value_and_grad"])
        if self.chance(0.1):
            g = f"checkpoint({g})"
        every = "->" in g or p[2] is not None
        self.show(f"{name}({g}{wrt})({self.call_text(self.data(f, 17, every))})")

    def primals(self, f, values):
        texts = [text for _, text in values]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def plain_floats(self, f):
        return all(isinstance(p[1], Num) for p in f.parameters) and self.float_parameters(f)

    def forward(self, f):
        if not self.plain_floats(f):
            return self.gradient(f)
        known = self.extents(f, 17)
        dtypes = {cls: self.choose(names) for cls, names in DTYPES.items()}
        types = [self.instance(p[1], known) for p in f.parameters]
        texts = [self.datum(t, dtypes) for t in types]
        tangents = [self.datum(t, dtypes) if t.cls == "f" else "none" for t in types]
        join = lambda xs: xs[0] if len(xs) == 1 else f"({', '.join(xs)})"
        self.show(f"jvp({f.name}, {join(texts)}, {join(tangents)})")

    def pullback(self, f):
        functions = any(isinstance(p[1], Fun) for p in f.parameters)
        if functions or not self.float_parameters(f) or not isinstance(f.result, Num) or f.result.cls != "f":
            return self.gradient(f)
        y, pull = self.names.fresh("y"), self.names.fresh("y")
        self.put(f"{y}, {pull} = vjp({f.name}, {self.primals(f, self.data(f, 17, True))})")
        self.show(f"{y}")
        self.show(f"{pull}({y} * 0.5 + 1)")

    def mapped_call(self, f):
        batch = str(self.pick(EXTENTS)) if self.chance(0.2) and not f.small else self.choose("123")
        known, dtypes = self.extents(f, 7), {cls: self.choose(names) for cls, names in DTYPES.items()}
        parameters = [p for p in f.parameters if p[2] is None]
        axes, texts = [], []
        for p in parameters:
            type_ = self.instance(p[1], known)
            if isinstance(type_, Num) and (not texts or self.chance(0.7)):
                axis = self.random.randint(0, len(type_.shape)) if self.chance(0.2) else 0
                type_ = Num(type_.cls, type_.shape[:axis] + (batch,) + type_.shape[axis:])
                axes.append(str(axis))
            else:
                axes.append("none")
            texts.append(self.datum(type_, dtypes))
        if all(axis == "none" for axis in axes):
            return self.plain(f)
        g = f.name
        first = parameters[0][1]
        if f.result == Num("f", ()) and isinstance(first, Num) and first.cls == "f" and self.chance(0.4):
            g = f"grad({g})"
        spec = f", in_axes=({', '.join(axes)},)" if any(a != "0" for a in axes) or self.chance(0.3) else ""
        if self.chance(0.1) and g == f.name and isinstance(f.result, Num) and f.result.cls == "f" and len(axes) == 1 and first.cls == "f":
            return self.show(f"grad(q -> sum(vmap({g}{spec})(q)))({texts[0]})")
        self.show(f"vmap({g}{spec})({', '.join(texts)})")

    def jacobian(self, f):
        if not self.float_parameters(f) or not isinstance(f.result, Num) or f.result.cls != "f":
            return self.gradient(f)
        k, p = self.choose(self.float_parameters(f))
        mode = self.choose(["", ', mode="forward"', ', mode="reverse"'])
        self.show(f"jacobian({f.name}, wrt={k}{mode})({self.call_text(self.data(f, 3, p[2] is not None))})")

    def hessian(self, f):
        g = self.scalar_of(f)
        if g is None:
            return self.plain(f)
        k, p = self.choose(self.float_parameters(f))
        values = self.call_text(self.data(f, 3, True))
        if self.chance(0.6) or not isinstance(p[1], Num):
            return self.show(f"hessian({g}, wrt={k})({values})")
        names = ", ".join(p[0] for p in f.parameters)
        inner = ", ".join(p[0] for p in f.parameters)
        self.show(f"grad(({names}) -> sum(grad({g}, wrt={k})({inner}) ^ 2), wrt={k})({values})")


def generate(seed):
    return Program(seed).text()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("seed", type=int)
    options.add_argument("--count", type=int)
    options.add_argument("--to", default=".")
    options.add_argument("--covec", help="the command whose builtins are used; without it some of them are")
    given = options.parse_args()
    if given.covec:
        learn(given.covec)
    if given.count is None:
        print(generate(given.seed), end="")
        return
    for seed in range(given.seed, given.seed + given.count):
        with open(os.path.join(given.to, f"{seed}.covec"), "w", encoding="utf-8") as file:
            file.write(generate(seed))


if __name__ == "__main__":
    main()
