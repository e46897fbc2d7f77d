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
from uses import Uses
from words import learn



class Program(Uses):
    def __init__(self, seed):
        super().__init__(random.Random(seed))
        self.names = Names()
        self.functions = []
        self.globals = []
        self.strange = False
        self.inside = None
        self.top = Scope(self.names, self.functions)
        self.top.statements = True

    def text(self):
        self.danger = self.pick([(8, 0.0), (2, 0.02), (0.3, 0.08)])
        self.talk = self.pick([(6, 0.0), (2, 0.05), (1, 0.15)])
        if self.chance(0.3):
            self.put(f"seed({self.random.randint(1, 99)})")
        self.session = self.chance(0.2)  # goes on after errors (session.cpp)
        if self.session and self.chance(0.5):
            self.danger = 0.08
        for _ in range(self.random.randint(0, 2)):
            self.global_()
        for _ in range(self.random.randint(1, 3)):
            self.function()
        if self.chance(0.25):
            self.recursive()
        if self.chance(0.15):
            self.recursive_numbers()
        if self.chance(0.15):
            self.marked()
        taking_options = self.taking_options() if self.chance(0.12) else None
        defined = len(self.lines)
        for f in list(self.functions):
            self.uses(f)
        if taking_options is not None:
            self.uses_of_options(taking_options)
        return self.imports() + self.parted(defined)

    def imports(self):
        return ("import nn\nimport optim as optim\n" if self.uses_library else "") + ("import parallel\n" if self.uses_parallel else "")

    def parted(self, defined):
        """The whole text: one file; what is defined as a module of its own, which the rest imports; or the pieces of a session."""
        definitions, rest = self.lines[:defined], self.lines[defined:]
        if self.session:
            return "\n".join(definitions + ["# ---"] + self.pieces(rest)) + "\n"
        if self.chance(0.1) and not any(name in line for name, _ in self.globals for line in rest):
            names = [f.name for f in self.functions]
            used = [f"{name} = part.{name}" for name in names]
            main = ['import "part.covec" as part', *used, *rest]
            return "\n".join(main) + "\n# file part.covec\n" + self.imports() + "\n".join(definitions) + "\n"
        return "\n".join(definitions + rest) + "\n"

    def pieces(self, lines):
        """Each outermost statement by itself, some of them again at the end."""
        found, depth = [[]], 0
        for line in lines:
            found[-1].append(line)
            depth += line.count("{") - line.count("}") if line.endswith("{") or line.strip() == "}" or line.strip().startswith("} else") else 0
            if depth == 0 and not line.startswith("@"):
                found.append([])
        found = [part for part in found if part]
        found += [self.choose(found) for _ in range(self.random.randint(0, 4)) if found]
        return [line for part in found for line in part + ["# ---"]]

    def marked(self):
        """What decorators mean: the rule of a function whose body needs no more than its arguments, tests, options."""
        plain = [f for f in self.functions if f.callable and not f.effects and isinstance(f.result, Num) and f.result.cls == "f"
                 and all(isinstance(t, Num) and d is None for _, t, d in f.parameters)]
        way = self.random.randrange(4)
        if way == 0 and plain:
            return self.rule(self.choose(plain))
        name = self.names.fresh("k")
        head = self.choose(["@test", "@compile(strict=true)", '@compile(device="cpu")', '@compile(device="auto", strict=false)', '@compile(device="auto", precision="tf32")', "@test\n@compile", "@bench"])
        self.put(head)
        self.put(f"fn {name}(){' -> f64' if self.chance(0.5) else ''} = sin(0.5) * 2.0")
        self.put(f"print({name}())")

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
            if self.chance(0.1):
                self.put("@compile")
            self.open(f"fn {f.name}({', '.join(heads)}){self.result_text(f, annotated)}")
            self.name_dims(f, annotated)
            scope.result, scope.statements = f.result, True
            scope.odd_results = self.chance(0.06)
            f.callable = not scope.odd_results
            self.body(scope, self.random.randint(1, 6))
            self.close()
            f.effects = any(word in line for line in self.lines[start:] for word in ("print(", "rand", "save(", "write_csv(", "choice(", "permutation(", "parallel."))
            f.writes = any(word in line for line in self.lines[start:] for word in ("save(", "write_csv("))
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
            elif kind < 0.94:
                type_ = Lst(Num(self.choose("ffi"), rank()))
            elif kind < 0.97:
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
        if isinstance(type_, Lst):
            return self.dims_of(type_.item, f)
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
            text += ": " + self.choose([{"f": "float", "i": "int", "b": "bool"}[type_.cls]] * 5 + ["any"])
            text += f"[{', '.join(type_.shape)}]" if type_.shape else ""
        elif annotated and isinstance(type_, Rec):
            fields = (f"{n}: float" + (f"[{', '.join(t.shape)}]" if t.shape else "") for n, t in type_.fields)
            text += ": {" + ", ".join(fields) + "}"
        elif annotated:
            text += ""
        return text + (f"={default}" if default is not None else "")

    def result_text(self, f, annotated):
        """The annotation of what comes out: a number's class may depend on the call, its shape does not."""
        if not annotated or not isinstance(f.result, Num) or self.chance(0.6):
            return ""
        dims = [d if d in f.dims or d.isdigit() else "_" for d in f.result.shape]
        return " -> any" + (f"[{', '.join(dims)}]" if dims else "") if self.chance(0.5) else f" -> any[...]"

    def name_dims(self, f, annotated=False):
        """Statements that bind the dimensions; annotations bind those of parameters that are no tuples."""
        for d in f.dims:
            if annotated and any(d in self.dims_of(t, f) for _, t, _ in f.parameters if not isinstance(t, (Tup, Lst))):
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
        if isinstance(type_, Lst):
            return self.path_to(dim, f"{path}[0]", type_.item)
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
        self.end_recursive(f)

    def recursive_numbers(self):
        """Of numbers alone, so that it is compiled as a call of the machine's: constants and others in each place, before the call and after."""
        floats = [self.names.fresh("x") for _ in range(self.random.randint(1, 3))]
        depth = self.names.fresh("x")
        f = Function(self.names.fresh("f"), [(x, Num("f", ()), None) for x in floats] + [(depth, Num("i", ()), None)], Num("f", ()))
        known = list(floats)

        def number():
            x = self.choose(known)
            return self.choose([x, x, f"{x} * 0.5", f"sin({x})", f"{depth} * 0.25", "0.5", "1.0", "-2.0", "3", "0.0"])

        def again(steps):
            return f"{f.name}({', '.join(number() for _ in floats)}, {depth} - {steps})"

        self.open(f"fn {f.name}({', '.join(floats)}, {depth})")
        if self.chance(0.3):
            return self.ignored_call(f, depth, number, again, known)
        self.put(f"if {depth} <= 0 {{ return {number()} + {number()} }}")
        if self.chance(0.5):
            name = self.names.fresh("t")
            self.put(f"{name} = {self.choose([number(), again(1)])} * 0.5 + {number()}")
            known.append(name)
        parts = [number(), again(1)] + ([again(2)] if self.chance(0.3) else []) + ([number()] if self.chance(0.5) else [])
        self.random.shuffle(parts)
        text = parts[0]
        for part in parts[1:]:
            text = f"({text}) {self.choose(['+', '-', '+ 0.5 *', '* 0.25 +'])} {part}"
        self.put(f"return {text}")
        self.end_recursive(f)

    def ignored_call(self, f, depth, number, again, known):
        """What is given back is there before a call that nothing depends on."""
        flag, early, copy, ignored = (self.names.fresh("t") for _ in range(4))
        self.put(f"{flag} = {number()} {self.choose(['<', '>', '==', '<='])} {number()}")
        self.put(f"{early} = {self.choose(known)} * {self.choose(['2.0', '3', number()])}")
        known += [early, early]
        if self.chance(0.5):
            self.put(f"{copy} = {early}; for {self.names.fresh('i')} in range({depth}) {{ {copy} = {copy} * 0.5 + {number()} }}")
            known.append(copy)
        if self.chance(0.3):
            self.put(f"if {flag} {{ {depth} = {depth} - 1 }}")
        self.put(f"if {depth} > 0 {{ {ignored} = {again(1)} }}")
        self.put(f"return {self.choose([early, early, f'{early} if {flag} else {number()}', f'0.0 if {flag} else {early}'])}")
        self.end_recursive(f)

    def taking_options(self):
        """A function that takes the other named arguments: (its name, those that it needs, whether it takes any, whether it has a rest)."""
        name, x, rest, others = (self.names.fresh(letter) for letter in "fxrw")
        wanted = [self.names.fresh("k") for _ in range(self.random.randint(0, 2))]
        of_any, has_rest = self.chance(0.5), self.chance(0.2)
        scope = Scope(self.names, [])
        scope.add(x, Num("f", ()), False)
        for option in wanted:
            scope.add(f"{others}.{option}", Num("f", ()), False)
        if self.chance(0.3):
            self.put("@compile")
        default = f", {self.names.fresh('x')}=0.5" if self.chance(0.4) else ""
        self.open(f"fn {name}({x}{f', *{rest}' if has_rest else ''}{default}, **{others})")
        if not of_any:
            self.put(f"check_names({others}, ({', '.join(map(repr, wanted))}{',' if wanted else ''}))".replace("'", '"'))
        y, k, v = (self.names.fresh("t") for _ in range(3))
        self.put(f"{y} = {self.value(scope, Num('f', ()), 3)}")
        if has_rest:
            self.put(f"for {v} in {rest} {{ {y} = {y} + sin({v}) }}")
        if of_any:
            self.put(f"for {k}, {v} in items({others}) {{ {y} = {y} * 0.5 + sin({v}) }}")
        self.put(f"return {y}")
        self.close()
        return name, wanted, of_any, has_rest

    def uses_of_options(self, f):
        """Calls with several sets of names, in any order, some of them of records; derivatives and maps."""
        name, wanted, of_any, has_rest = f
        for _ in range(self.random.randint(2, 4)):
            names = wanted + [self.choose("abc") + "_" for _ in range(self.random.randint(0, 1) if of_any else 0)]
            self.random.shuffle(names)
            given = [(n, self.choose(["0.5", "-1.25", "2.0"])) for n in names]
            if self.chance(0.03):
                given.append(("lost", "1.0"))  # an error, unless it takes any
            kind = self.random.random()
            first = "0.75" + (", 2.0" if has_rest and self.chance(0.5) else "")
            if kind < 0.15 and given:
                size = self.random.randint(1, 3)
                self.show(f"vmap({name})({', '.join(['linspace(0.5, 2, %d)' % size] + [f'{n}=linspace({v}, 3, {size})' for n, v in given])})")
                continue
            text = ", ".join([first] + [f"{n}={v}" for n, v in given])
            if given and self.chance(0.3):
                text = f"{first}, **{{{', '.join(f'{n}: {v}' for n, v in given)}}}"
            callee = self.choose([name, f"grad({name})", f"compile({name})", f"compile(grad({name}))"] if kind < 0.7 or not given else
                                 [f"grad({name}, wrt=\"{self.others_of(name)}\")", f"compile(grad({name}, wrt=\"{self.others_of(name)}\"))"])
            self.show(f"{callee}({text})")

    def others_of(self, name):
        """The name of the parameter that takes the options of a function."""
        head = next(line for line in self.lines if line.startswith(f"fn {name}("))
        return head[head.index("**") + 2 : head.index(") {")]

    def end_recursive(self, f):
        self.close()
        f.loops, f.callable = True, False
        f.small = True
        self.functions.append(f)


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
