"""Random statements about what is no tensor, and about the world: trees, text, none, assignments of several targets, updates of
every sort, random numbers, files, library modules, and clocks (whose readings are not printed). Start at Effects.strange_statement()."""
from caught import Caught
from scope import Num, Rec
from texts import Texts


class Effects(Caught, Texts):
    def strange_statement(self, scope):
        options = [(1, self.text_of), (1.5, self.texts), (0.7, self.compared), (0.7, self.leaves), (0.6, self.nothing), (0.8, self.several_targets), (1.2, self.rare_update),
                   (0.8, self.rare_loop), (0.5, self.given_rule), (0.7, self.small_functions), (0.5, self.standard_module), (0.8, self.equal_functions)]
        if not scope.nested:
            options += [(0.6, self.file), (1.5, self.table), (2.0, self.caught_update), (0.2, self.picture), (0.3, self.sound), (0.7, self.clock), (0.3, self.reseeded), (1.6, self.collective)]
        self.pick(options)(scope)

    def bound(self, scope, prefix, text, type_):
        name = scope.names.fresh(prefix)
        self.put(f"{name} = {text}")
        if type_ is not None:
            scope.add(name, type_)
        return name

    def given_rule(self, scope):
        """A rule for a function that is there already: from here on, in this iteration of a loop, or for all that the module does."""
        plain = [f for f in scope.functions if f.callable and not f.effects and isinstance(f.result, Num) and f.result.cls == "f" and f.name.isalnum()
                 and all(name and isinstance(type_, Num) and default is None for name, type_, default in f.parameters)]
        if not plain or scope.nested:
            return self.local_function(scope)
        f = self.choose(plain)
        if self.chance(0.5):
            self.slope_of(scope, f)
        if self.chance(0.2):
            self.open("try")
            self.rule(f)
            self.close(" catch err { print(err.message) }")
        else:
            self.rule(f)
        if self.chance(0.7):
            self.slope_of(scope, f)

    def slope_of(self, scope, f):
        """What the function's derivative is now counts from here on."""
        type_ = f.parameters[0][1]
        if type_.cls != "f" or f.result.shape or scope.result is None:
            return
        name = scope.names.fresh("t")
        self.put(f"{name} = grad({f.name})({', '.join(self.value(scope, t, 1) for _, t, _ in f.parameters)})")
        scope.add(name, type_)

    # --- text ---

    def text_of(self, scope):
        x = self.value(scope, self.some_type(scope), 1)
        number = self.number(scope, "f", (), 1)
        text = self.choose([f"str({x})", f'format({number}, "{self.choose([".3f", "10.2e", "+.4g", "%", ">12", "08.3f"])}")', f'f"{{{number}:.{self.random.randint(0, 17)}e}} {{{{}}}}"',
                            f"f'{{{self.number(scope, 'i', (), 1)}:>{self.random.randint(1, 9)}}}|'", f'format({self.number(scope, "i", (), 1)}, "{self.choose(["d", ",", "#x", "=+8d", "b"])}")',
                            f"str({x}.shape)", f'"a\\tb\\u{{3b1}}" if {self.condition(scope, 1)} else "c\\\\d"', f"str({x}.dtype)", f"format({x})", f'format({x}, spec=".2f")' if "true" not in x else "\"\""])
        name = self.bound(scope, "s", text, None)
        separator = self.quoted("", "; ")
        self.put(self.choose([f'print({name}, "", {name}, sep={separator}, end="|\\n")', f"print({name})"])
                 if self.talk or self.chance(0.2) else f"assert {name} == {name} and {name} != none")
        self.put(f"if {name} == \"0\" {{ print({name}, end=\"\", digits=3) }}")

    # --- trees ---

    def compared(self, scope):
        x, y = self.some_type(scope), self.some_type(scope)
        a, b = (f"{{w: {self.value(scope, x, 1)}, b: ({self.value(scope, y, 0)}, \"z\")}}" for _ in range(2))
        self.bound(scope, "t", f"({a} {self.choose(['==', '!='])} {b})", Num("b", ()))

    def equal_functions(self, scope):
        """Functions of one definition, with captures that are or are not the same, which come by branches, loops, lists and calls."""
        make, q, z = (scope.names.fresh(prefix) for prefix in ("u", "q", "q"))
        type_ = self.choose([Num("f", ()), Num("f", ()), Num("i", ()), self.some_type(scope)])
        captured = self.choose([q, f"({q}, 1.5)", f"{{w: {q}, b: \"a\"}}", f"list({q}, {q})"])
        body = self.choose([f"sum({q} * 1.0) * {z}", f"({captured}, {z})[1] * 2"]) if isinstance(type_, Num) else f"({captured}, {z})[1] + 1.0"
        known = self.choose(["sin", "abs", make])
        lines = self.choose([f"{q} -> {z} -> {body}", f"{q} -> grad({z} -> {body})", f"{q} -> vmap({z} -> {body})", f"{q} -> compile({z} -> {body})"])
        self.put(f"{make} = {lines}")
        x, y = self.value(scope, type_, 1), self.value(scope, type_, 1)
        f, g, h = (scope.names.fresh("u") for _ in range(3))
        self.put(f"{f} = {make}({x})")
        self.put(f"{g} = {self.choose([f, f'{make}({x})', f'{make}({y})', known])}")
        way = self.random.randrange(5)
        if way == 0:
            self.put(f"{h} = {f} if {self.condition(scope, 1)} else {self.choose([g, f'{make}({y})'])}")
        elif way == 1:
            self.put(f"{h} = {g}; for {q} in range({self.choose('0123')}) {{ {h} = {self.choose([f, f'{make}({y})'])} if {self.condition(scope, 1)} else {h} }}")
        elif way == 2:
            self.put(f"{h} = tree_leaves(({f}, {{a: {g}, b: {known}}}))[{self.choose('012')}]")
        elif way == 3:
            self.put(f"{h} = {self.choose(['compile(', '('])}{q} -> ({q}, {g}, {f}))(0.5)[{self.choose('12')}]")
        else:
            self.put(f"{h} = {f}; if {self.condition(scope, 1)} {{ {h} = {g} }}")
        ask = self.choose([f"{h} == {f}", f"{h} != {g}", f"same({h}, {g})", f"{h} in list({f}, {known})", f"({h}, 1) == ({f}, 1)", f"{g} == {f}", f"{h} == {known}",
                           f"(({h} == {f}) & ({h} == {h}))"])
        self.bound(scope, "t", f"({ask})", Num("b", ()))

    def leaves(self, scope):
        trees = [v for v in scope.vars if isinstance(v.type, Rec)]
        if not trees:
            return self.record(scope)
        v = self.choose(trees)
        q, p = scope.names.fresh("q"), scope.names.fresh("p")
        text = self.choose([f"len(tree_leaves({v.path})) + len(keys({v.path}))", f"i64(has({v.path}, \"{self.choose('wbq')}\"))",
                            f"len(tree_leaves(tree_map(({q}, {p}) -> {q} * 1 + {p}, {v.path}, {v.path})))", f"len(keys({v.path}))"])
        self.bound(scope, "t", text, Num("i", ()))
        name, type_ = self.choose(v.type.fields)
        self.bound(scope, "t", f"get({v.path}, \"{name}\")", type_)

    def nothing(self, scope):
        name = scope.names.fresh("t")
        self.put(f"{name} = none")
        self.put(f"if {self.condition(scope, 1)} {{ {name} = {self.number(scope, 'f', (), 1)} }}")
        self.bound(scope, "t", f"({self.literal('f')} if {name} == none else sum({name} * 1.0))", Num("f", ()))

    # --- assignments ---

    def several_targets(self, scope):
        types = [self.some_type(scope) for _ in range(3)]
        a, b, c = (scope.names.fresh("t") for _ in types)
        x, y, z = (self.value(scope, t, 1) for t in types)
        self.put(self.choose([f"({a}, {b}), {c} = ({x}, {y}), {z}", f"{a}, ({b}, {c}) = {x}, ({y}, {z})", f"{a}, {b}, {c} = ({x}, {y}, {z})"]))
        for name, type_ in zip((a, b, c), types):
            scope.add(name, type_)
        chained = scope.names.fresh("t")
        if self.chance(0.3):
            self.put(f"{chained} = {a}; {a} = {x}")
            scope.add(chained, types[0])

    def rare_update(self, scope):
        found = [v for v in scope.tensors("f", True)]
        if not found:
            return self.new_tensor(scope)
        v = self.choose(found)
        x, shape, number = v.path, v.type.shape, self.number(scope, "f", (), 1)
        options = [f"{x} **= 2", f"{x}[...] = {number}", f"{x}[..., -1:] += {number}", f"{x}[{x} > {number}] *= 0.5", f"{x}[{x} != {x}] = 0.0", f"{x}[::2] -= {number}",
                   f"{x}[-1:] = {x}[:1]", f"{x}[...] *= 0.5", f"{x} //= abs({number}) + 1.5", f"{x}[1:] += {x}[:-1]",
                   f"{x}[[0, 0]] += {number}" if shape[0].isdigit() else f"{x}[:] = {x} * 0.5"]
        if len(shape) == 2:
            options += [f"{x}[:, ::-1] = {x}", f"{x}[:, -1] *= {number}", f"{x}[..., 0] += {number}"] + ([f"{x} @= eye({shape[1]})"] * 2 if shape[0] == shape[1] else [f"{x} @= eye({shape[1]})"])
        if len(shape) == 1 and "[" not in x:
            record = scope.names.fresh("r")
            self.put(f"{record} = {{w: ({x}, {number}), c: {{d: {x}}}}}")
            self.put(self.choose([f"{record}.w[1] += {number}", f"{record}.c.d[:1] *= {number}", f"{record}.c.d = {x} * 2", f"{record}.w = ({x}, 1.5)"]))
            return self.bound(scope, "t", f"{record}.w[1] + sum({record}.c.d)", Num("f", ()))
        self.put(self.choose(options))

    # --- loops and functions ---

    def rare_loop(self, scope):
        if scope.loops or self.depth > 3:
            return self.nothing(scope)
        scope.loops_inside = True
        i, v, name = scope.names.fresh("i"), scope.names.fresh("v"), scope.names.fresh("t")
        self.put(f"{name} = {self.number(scope, 'f', (), 1)}")
        dim = self.dim(scope)
        heads = [(f"for {i}, {v} in enumerate(range({dim}), start=2)", f"{i} * 0.5 + {v}"), (f"for {i} in (0.5, 2, 1.5)", i), (f"for {i} in progress(range({dim}), \"steps\")", f"{i} * 0.1"),
                 (f"for {i} in range({dim}, 0, -2)", f"{i} * 0.25"), (f"for {i}, {v}, {name}x in zip(range({dim}), range(3), (1.5, 2.5))", f"{i} + {v} * {name}x"),
                 (f"for {i}, {v} in list((1.0, 2), (0.5, 3))", f"{i} * {v}"), (f"for {i} in reshape(arange(4.0), (2, 2))", f"sum({i})"), (f"for {i}, ({v}, {name}x) in enumerate(zip((1, 2), (0.5, 1.5)))", f"{i} + {v} * {name}x"),
                 (f"for {i} in range(0, {dim}, step=2)", f"{i} * 0.5")]
        head, term = self.choose(heads)
        self.open(head)
        if self.chance(0.4):
            self.put(f"if {self.condition(scope, 1)} {{ {self.choose(['break', 'continue'])} }}")
        self.put(f"{name} = {name} * 0.5 + {term}" if self.chance(0.7) else f"{name} += tanh({term})")
        if self.chance(0.15):
            self.put(f"progress_part({name})")
        self.close()
        scope.add(name, Num("f", ()))

    def small_functions(self, scope):
        """Forms of functions: blocks, defaults, named arguments, captured values, two levels, a function that gives one."""
        name, x = scope.names.fresh("h"), self.number(scope, "f", (), 1)
        forms = [(f"fn(a, b=2.0) {{ if a > b {{ return a }}; return b }}", f"{name}({x}) + {name}(b=0.5, a={x})"), ("() -> 0.25", f"{name}() * {x}"), ("(a, b) -> a * b", f"{name}({x}, b=1.5)"),
                 ("a -> b -> a - b", f"{name}({x})(0.5)"), ("fn(g, times=2) { return a -> g(g(a)) if times == 2 else g(a) }", f"{name}(sin)({x}) + {name}(cos, times=1)({x})"),
                 (f"fn(a: f64) -> f64 {{ return a * {x} }}", f"{name}(2.0)"), ("fn(a: float[n, ..., m], b: any[_, n + 1]) { return n + m * 0.5 }", f"{name}(ones(2, 3), ones(1, 3)) * {x}"), ("compile(a -> a * 2.0, strict=true)", f"{name}({x})"), ("(a, b) -> (b, a)", f"{name}({x}, 1.0)[1]"), ("list(sin, cos)", f"{name}[1]({x})"),
                 ("{f: a -> a + 1.0}", f"{name}.f({x})")]
        made, use = self.choose(forms)
        self.put(f"{name} = {made}")
        self.bound(scope, "t", use, Num("f", ()))

    def standard_module(self, scope):
        """The modules nn and optim, in the middle of a function: a program imports both at its top when it uses them."""
        self.uses_library = True
        w, y = self.number(scope, "f", ("3",), 1), self.number(scope, "f", ("3",), 1)
        self.bound(scope, "t", self.choose([f"nn.mse({w}, {y})", f"optim.sgd({{w: {w}}}, {{w: {y}}}, lr=0.5).w[0]", f"nn.dense({{w: eye(3), b: {w}}}, {y})[1]",
                                            f"optim.adam({{w: {w}}}, {{w: {y}}}, optim.adam_init({{w: {w}}}), lr=0.1)[0].w[2]"]), Num("f", ()))

    # --- the world ---

    def file(self, scope):
        """Written and read back: only whole programs write, since under vmap there would be no one value."""
        type_ = self.some_type(scope)
        if not isinstance(type_, Num) or scope.loops:
            return self.text_of(scope)
        x, name = self.value(scope, type_, 1), scope.names.fresh("file")
        way = self.random.randrange(4)
        if way == 0:
            self.put(f'save("{name}.npy", {x})')
            rows = f", rows=(0, ({x}).shape[0])" if len(type_.shape) > 0 and self.chance(0.5) else ""
            return self.bound(scope, "t", f'load("{name}.npy"{rows})', type_)
        if way == 1:
            end = self.choose(["npz", "safetensors"])
            self.put(f'save("{name}.{end}", {{w: {x}, b: list(1.5, (2, true))}})')
            like = self.choose(["", f', like={{w: {x}, b: list(1.5, (2, true))}}'])
            like = ', names=("w",)' if end == "safetensors" and self.chance(0.3) else like
            return self.bound(scope, "t", f'load("{name}.{end}"{like}).w', type_)
        table = self.number(scope, "f", ("3", "2"), 1)
        options = self.choose(["", ', header=("a", "b")', ', separator=";"', ", digits=5", ', separator="\\t", digits=17'])
        self.put(f'write_csv("{name}.csv", {table}{options})')
        reading = ", header=true" if "header" in options else ', separator=";"' if ";" in options else ', separator="\\t"' if "\\t" in options else ""
        self.bound(scope, "t", f'read_csv("{name}.csv"{reading}{self.choose(["", ", missing=0.5", ", columns=(1, 0)", ", part=(0, 1)"])})', Num("f", ("3", "2")))
        if self.chance(0.3):
            self.put(f'write_csv("{name}n.csv", {{a: {self.number(scope, "f", ("3",), 1)}, b: ones(3)}}, header=none)')
            self.bound(scope, "t", f'read_csv("{name}n.csv", header="names", columns=("a",)).a', Num("f", ("3",)))

    def picture(self, scope):
        name, x = scope.names.fresh("file"), self.number(scope, "f", ("3", "2"), 1)
        self.put(f'write_image("{name}.png", where(isnan({x}), 0.5, {x}){self.choose(["", ", depth=16", ", quality=50"])})')
        self.bound(scope, "t", f'f64(read_image("{name}.png"))[:, :, 0]', Num("f", ("3", "2")))

    def sound(self, scope):
        name, x = scope.names.fresh("file"), self.number(scope, "i", ("3", "2"), 1)
        dtype, bits = self.choose([("u8", ""), ("i16", ""), ("i32", ""), ("i32", ", bits=24"), ("f32", "")])
        self.put(f'write_wav("{name}.wav", {dtype}({x}), 8000{bits})')
        self.bound(scope, "t", f'f64(read_wav("{name}.wav")[0])[:, 0]', Num("f", ("3",)))

    def table(self, scope):
        """What the module table asks of C++."""
        x, name = self.number(scope, "f", ("3",), 1), scope.names.fresh("table")
        words = self.choose(['list("b", "a", "b")', 'list("é", none, "ab")', 'list("2024-02-29", "1969-12-31", none)'])
        t = f"{{a: {x}, s: {words}}}"
        how, match, part = (f'"{self.choose(words)}"' for words in (["sum", "max", "mean", "first"], ["is", "has", "starts", "ends"], ["day", "weekday", "hour"]))
        way = self.choose([0, 0, 1, 2, 3, 4])
        if way == 0 and not scope.loops:
            end, options = self.choose([("csv", ""), ("csv", ', separator=";"'), ("csv", ", digits=4"), ("json", ""), ("json", ", rows=false")])
            self.put(f'table_write_{end}("{name}.{end}", {t}{options})')
            if end == "json":
                return self.bound(scope, "t", f'f64(table_read_json("{name}.json").a)', Num("f", ("3",)))
            separator = '";"' if "separator" in options else self.choose(["none", '","'])
            reading = self.choose(['columns=list("a"), header=true', 'missing=list("NA", "")', 'comment="#", skip=0', "limit=3, quote=\"'\"", 'quote="\'"', 'escape="~", lenient=true',
                                   'ragged="pad", encoding="utf-8"', 'ragged="skip"'])
            if self.chance(0.3):
                self.put(f'print(table_sniff("{name}.csv").encoding, is_integer({x}[0]), is_integer(3), is_number(2.5), is_float(i32(1)), is_tensor({x}))')
            kinds = self.choose(["none", '{a: "f64"}'])
            return self.bound(scope, "t", f'f64(table_read_csv("{name}.csv", kinds={kinds}, separator={separator}, decimal=".", {reading}).a)', Num("f", ("3",)))
        if way == 1:
            made = self.choose([f"table_take({t}, [2, 0, 0]).a", f'table_take({x}, [2, 0, 0], name="a", floats="f64")', f'table_column({t}, "a", "f", "t")', *[f'table_record(list("x"), list({x})).x'] * 3,
                                f"table_from_rows(list({{x: {x}[0]}}, {{x: 0.5}}, {{x: {x}[1]}})).x", f"group_reduce({x}, [0, 2, 0], 3, {how})"])
            return self.bound(scope, "t", made, Num("f", ("3",)))
        if way == 2:
            made = self.choose([f"factorize({words})[0]", f"factorize({x}, ordered=false)[0]", "group_positions([1, 0, 1], 2)[0]", 'join_positions([0, 1, 1], [1, 0], 2, "left")[0][:3]',
                                f'i64(text_matches({words}, "a", {match}))', f'table_check({t}, "f", "t") + [0, 1, 2]'])
            return self.bound(scope, "t", made, Num("i", ("3",)))
        if way == 3:
            made = self.choose([f'f64(date_part(1e6 * round({x}), {part}))', f'date_floor(1e5 * round({x}), "day")',
                                'date_read(list("2024-02-29", "x" * 0, "1969-12-31T23:59:59.5Z"))', 'date_read(list("29.2.2024", "1.1.1970", none), format="%d.%m.%Y")'])
            return self.bound(scope, "t", made, Num("f", ("3",)))
        self.put(self.choose([f"print(table_text({t}, rows=2, width=30))", f"print(table_kind({words}), table_kind({x}))",
                              'print(date_texts([0.0, 1e9, nan]), date_texts([0.5], format="%Y %j"))']))

    def clock(self, scope):
        x = self.leaf(scope, "f", ())  # timeit calls as often as it likes: nothing there prints
        if self.chance(0.6):
            return self.asked(scope)
        self.put(self.choose([*["assert time() > 0"] * 3, f"assert timeit(q -> q + {x}, 1.5, seconds=0.00001) >= 0", f"assert timeit(q -> sin(q), {x}, seconds=0.00001) >= 0", f"assert timeit(q -> q * 2, {x}, seconds=0.00001) >= 0", "sleep(0)", "assert len(args()) == 0", "assert len(explain(compile(q -> q * 2))) >= 0", *["assert len(explain(compile(q -> q * 2), detail=true)) >= 0"] * 3, *["assert len(explain(compile(q -> q * 2), measure=true)) >= 0"] * 3,
                              *[f"print(\"checked\", check_grad(q -> sin(q) * 2, tanh({x})) < 1e-3)"] * 2,
                              *[f"print(\"checked\", check_grad(q -> sin(q) * 2im, complex(tanh({x}), 0.5), holomorphic=true) < 1e-3)"] * 2]))

    def asked(self, scope):
        """What a program asks of whoever runs it; here nobody answers."""
        file = scope.names.fresh("text")
        self.put(self.choose(['assert input("ask ") == none', "assert options({rate: 0.5}).rate == 0.5", f'if {self.condition(scope, 1)} {{ exit(0) }}', "assert eye(2, dtype=f32)[0, 0] == 1",
                              f'write_text("{file}.txt", "a\\nb"); assert read_text("{file}.txt") == "a\\nb"', f'write_text("{file}.txt", str({self.number(scope, "f", (), 1)})); assert len(read_lines("{file}.txt")) == 1']))

    def collective(self, scope):
        """What all ranks make together. One rank alone gets what it gives; two of them: ranks.py."""
        self.uses_parallel = True
        if self.chance(0.15):
            return self.put("parallel.barrier()")
        type_ = self.some_type(scope)
        whole = not isinstance(type_, Num) or type_.cls == "b"
        x = self.value(scope, type_, 1)
        if self.chance(0.8):  # a gradient of one rank goes by it
            x = f"stop_gradient({x})"
        text = f"parallel.{'broadcast' if whole else self.choose(['all_sum', 'all_sum', 'all_max', 'all_min', 'broadcast'])}({x})"
        if self.chance(0.2):
            return self.put(text)
        return self.bound(scope, "t", text, type_)

    def reseeded(self, scope):
        self.put(f"seed({self.choose(['1', '2', self.number(scope, 'i', (), 0)])})")
