"""Random statements about maps, spread, errors that are caught, and the order of items. Start at Maps.newer_statement()."""
from effects import Effects
from scope import Num


class Maps(Effects):
    def newer_statement(self, scope):
        self.pick([(2, self.map_of), (1, self.map_made), (1, self.counted), (2, self.caught), (1.5, self.spread_call), (1, self.spread_parts), (1, self.items_in_order),
                   (0.8, self.popped), (0.7, self.contained), (0.5, self.as_vector)])(scope)

    def numbers_of(self, scope, count, depth=1):
        return [self.number(scope, "f", (), depth) for _ in range(count)]

    # --- maps ---

    def map_of(self, scope):
        """A map of a few keys: written to, walked, read."""
        name, key = scope.names.fresh("m"), self.choose(['"c"', "7", "(1, 2)", "true", '"a"'])
        a, b, c, d = self.numbers_of(scope, 4)
        self.put(f'{name} = {{"a": {a}, "b": {b}, -3: {c}}}')
        self.put(self.choose([f"{name}[{key}] = {d}", f'{name}["a"] += {d}', f'if {self.condition(scope, 1)} {{ {name}[{key}] = {d} }}', f"{name}.remove(-3)",
                              f'{name} = {{...{name}, {key if key[0] in chr(34) + "7" else "(" + key + ")"}: {d}}}']))
        k, v, total = scope.names.fresh("k"), scope.names.fresh("v"), scope.names.fresh("t")
        self.put(f"{total} = {d}")
        head = self.choose([f"for {k}, {v} in items({name})", f"for {v} in values({name})", f"for {k} in {name}", f"for {k} in keys({name})"])
        scope.loops_inside = True
        self.open(head)
        self.put(f"{total} = {total} * 0.5 + " + (v if v in head else f"{name}[{k}]"))
        self.close()
        scope.add(total, Num("f", ()))
        self.bound(scope, "t", self.choose([f'get({name}, {key}, {a})', f'{name}["a"] + {name}["b"]', f'({name}[{key}] if {key} in {name} else {b})', f"f64(len({name})) * {a}",
                                            f'tree_map(q -> q * 2, {name})["b"]', f'(1.0 if {name} == {{...{name}, "a": {a}}} else {c})', f'({c} if has({name}, {key}) else {d})']), Num("f", ()))

    def map_made(self, scope):
        """Of pairs; keys that only the run knows."""
        name, i, x = scope.names.fresh("m"), scope.names.fresh("i"), self.number(scope, "i", (), 1)
        inner = scope.inner()
        inner.add(i, Num("i", ()))
        self.put(f"{name} = map(({i}, {self.number(inner, 'f', (), 1)}) for {i} in range(3))")
        self.put(f"{name}[{x} % 5] = {self.number(scope, 'f', (), 1)}")
        self.bound(scope, "t", self.choose([f"sum(values({name}))", f"get({name}, {x} % 5, 0.5)", f"{name}[2]", f'map({{w: {name}[0]}})["w"]']), Num("f", ()))

    def counted(self, scope):
        name, i, dim = scope.names.fresh("m"), scope.names.fresh("i"), self.dim(scope)
        scope.loops_inside = True
        self.put(f"{name} = map()")
        self.open(f"for {i} in range({dim})")
        self.put(f"{name}[{i} % 2] = get({name}, {i} % 2, 0) + {self.choose(['1', i])}")
        self.close()
        self.bound(scope, "t", f"sum(list(*values({name}), 0))", Num("i", ()))

    # --- errors ---

    def caught(self, scope):
        name, err = scope.names.fresh("t"), scope.names.fresh("err")
        a, b, c = self.numbers_of(scope, 3, 2)
        self.put(f"{name} = {a}")
        self.open("try")
        fails = self.choose([f'error("no", kind="{self.choose(["user", "value", "key", "shape"])}")', f'assert {self.condition(scope, 1)}, "so"', "{\"a\": 1}[\"z\"]", "[1.0, 2.0] + [1.0, 2.0, 3.0]", "1 // 0"])
        fails = fails if fails[0] in "ea" else f"{name} = {name} + sum({fails} * 1.0)"
        before, after = f"{name} = {b}", f"if {self.condition(scope, 1)} {{ {fails} }}"
        for line in self.choose([[before, after], [after, before], [before, after, f"{name} = {name} * 2"]]):
            self.put(line)
        self.depth -= 1
        self.put(self.choose([f"}} catch {err} {{", "} catch {"]))
        named = err in self.lines[-1]
        self.depth += 1
        if named and self.talk:
            self.put(f"print({err}.kind, {err}.message, {err}.line, {err}.column, {err}.calls)")
        self.put(f"{name} = {name} * 0.5 + {c}")
        if named and self.chance(0.1):
            self.put(f"error({err})")
        self.close()
        scope.add(name, Num("f", ()))

    # --- spread ---

    def spread_call(self, scope):
        name = scope.names.fresh("h")
        a, b, c = self.numbers_of(scope, 3)
        made, use = self.choose([("(a, *b) -> a + sum(q * 1.0 for q in b)", "{0}({1}, {2}) + {0}(*({1}, {2}, {3}))"), ("fn(a, *b, k=2.0) { return a * k + len(b) }", "{0}({1}, 1, *(2, 3), k={2}) + {0}({3})"),
                                 ("(a, b) -> a - b", "{0}(*({1}, {2})) + {0}({3}, **{{b: {1}}})"), ("compile((a, *b) -> a * 2.0 + sum(b))", "{0}({1}, {2}, {3})"), ("(*a) -> max(a)", "{0}(*list({1}, {2}, {3}))"),
                                 ("{f: fn(a, b=1.5) { return a * b }}", '{0}.f(*({1},)) + {0}.f({2}, **{{"b": {3}}})')])
        self.put(f"{name} = {made}")
        self.bound(scope, "t", use.format(name, a, b, c), Num("f", ()))

    def spread_parts(self, scope):
        a, b, c = self.numbers_of(scope, 3)
        x, y, z = (scope.names.fresh("t") for _ in range(3))
        if self.chance(0.5):
            self.put(self.choose([f"{x}, *{y} = ({a}, {b}, {c})", f"*{y}, {x} = list({a}, {b}, {c})", f"{x}, *{y}, {z} = ({a}, {b}, {c})", f"{x}, *{y} = [{a}, {b}]"]))
            scope.add(x, Num("f", ()))
            return self.bound(scope, "t", f"sum({y})", Num("f", ()))
        self.put(f"{y} = {{w: {a}, b: {b}}}")
        self.bound(scope, "t", self.choose([f"sum((*({a}, {b}), {c}))", f"sum([*[{a}, {b}], {c}])", f"{{...{y}, b: {c}}}.b", f"{{...{y}, c: {c}}}.w", f"len([*{y}, \"q\"]) * {a}"]), Num("f", ()))

    # --- items ---

    def items_in_order(self, scope):
        a, b, c = self.numbers_of(scope, 3)
        x = self.number(scope, "f", ("3",), 1)
        self.bound(scope, "t", self.choose([f"sort(list({a}, {b}, {c}))[0]", f"sort(({a}, {b}), by=q -> -q)[0]", f"sort({x}, by=q -> abs(q))[1]", f"sum(filter({x}, q -> q > {a}))",
                                            f"sum((*filter(list({a}, {b}), q -> q < {c}), 0.5))", f"max(({a}, {b}))", f"max(list({a}, {b}, {c}), by=q -> abs(q))", f"min(({a}, {b}), by=q -> -q)", f"mean(list({a}, {b}))", f"f64(len(sort([\"b\", \"a\"]))) * {a}",
                                            f"sort({x}, axis=0, descending=true, by=q -> q)[0]", f'len([["m", "n"][1] for q in ({a}, {b})]) * {c}']), Num("f", ()))

    def popped(self, scope):
        name, v, i = scope.names.fresh("l"), scope.names.fresh("t"), scope.names.fresh("i")
        a, b = self.numbers_of(scope, 2)
        self.put(f"{name} = list({a}, {b}, 0.5)")
        if self.chance(0.4):
            scope.loops_inside = True
            self.open(f"for {i} in range({self.choose(['2', '3', '1'])})")
            self.put(f"{name}.push({i} * {a})")
            self.close()
        self.put(f"{v} = {name}.pop({self.choose(['', '0', '-1'])})")
        scope.add(v, Num("f", ()))
        self.bound(scope, "t", self.choose([f"sum({name})", f"f64(len({name}))", f"pop({name})[1]", f'{{"a": {a}, "b": {b}}}["a"] + pop({{"q": {b}}}, key="q")[1]']), Num("f", ()))

    def contained(self, scope):
        n, x = self.number(scope, "i", (), 1), self.number(scope, "i", ("3",), 1)
        text = self.choose([f"{n} in (1, 2, 3)", f"{n} not in [0, 1]", f"{n} in {x}", f"{n} in range(0, 9, 2)", '"a" in "abc"', f"{n} in {{1: 2, 3: 4}}", f"({n}, 1) in list((1, 1), 2)", f"same({n}, \"1\")",
                            f"not {n} in (1,)", f"same(({n}, 1), (1, 1))"])
        self.bound(scope, "t", f"({text})", Num("b", ()))

    def as_vector(self, scope):
        a, x = self.number(scope, "f", (), 1), self.number(scope, "f", ("3",), 1)
        v, back = scope.names.fresh("t"), scope.names.fresh("h")
        self.put(f"{v}, {back} = tree_vector({{w: {x}, n: 2, b: {a}}})")
        scope.add(v, Num("f", ("4",)))
        self.bound(scope, "t", f"{back}({v} * 2).w[1]", Num("f", ()))
