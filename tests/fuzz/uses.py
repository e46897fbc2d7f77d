"""What a program does with its functions: calls with data of several shapes and dtypes, derivatives, maps, all of it printed.
Start at Uses.uses()."""
from scope import Fun, Lst, Num, Rec, Scope, Tup
from statements import Statements

EXTENTS = [(2, 2), (5, 3), (2, 1), (2.0, 7), (1.2, 17), (0.7, 70), (0.12, 300), (0.25, 0)]
DTYPES = {"f": ["f64", "f64", "f32", "f64", "f64", "f32", "f16", "bf16"], "i": ["i64", "i64", "i32", "i64", "i64", "i32", "i16", "i8"], "b": ["bool"]}


class Uses(Statements):
    length = None  # of the lists among the data; None: any

    def uses(self, f):
        for call in range(self.random.randint(2, 4)):
            if self.globals and self.chance(0.2):
                name, type_ = self.choose(self.globals)
                self.put(f"{name} = {self.value(self.top, type_, 1)}")
            if call == 2 and self.chance(0.1) and f.callable:
                self.redefine(f)
            self.inside = [] if self.chance(0.5) else None
            self.pick([(4, self.plain), (2.6, self.gradient), (1.2, self.forward), (1, self.pullback), (1.2, self.mapped_call),
                       (0.7, self.jacobian), (0.5, self.hessian), (0.8, self.repeated), (0.8, self.stepped), (6 if self.has_list(f) else 0, self.lengths)])(f)

    # --- the same inside of a function, where compilers see it whole ---

    def given(self, text):
        """A datum; where the use is put into a function, the parameter that it comes as."""
        if self.inside is None:
            return text
        self.inside.append((self.names.fresh("a"), text))
        return self.inside[-1][0]

    def enclosed(self, text, before=()):
        """The text of a use; where it is put into a function, a call of that."""
        if not self.inside:
            return text
        name, parameters = self.names.fresh("w"), ", ".join(name for name, _ in self.inside)
        if self.chance(0.3):
            self.put("@compile")
        if before or self.chance(0.3):
            self.open(f"fn {name}({parameters})")
            for line in before:
                self.put(line)
            self.put(f"return {text}")
            self.close()
        else:
            self.put(f"fn {name}({parameters}) = {text}")
        return f"{name}({', '.join(text for _, text in self.inside)})"

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
        if isinstance(type_, Lst):
            if self.length is not None:
                return f"list({self.datum(type_.item, dtypes)} for q in range({self.length}))"
            return "list(" + ", ".join(self.datum(type_.item, dtypes) for _ in range(self.random.randint(1, 4))) + ")"
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
            dtypes["f"] = self.choose(["i64", "i32", "i64", "i32", "i16"])
        self.strange = False
        values = []
        for p in f.parameters:
            left_out = p[2] is not None and not every and self.chance(0.5)
            values.append((p, None if left_out else self.given(self.datum(self.instance(p[1], known), dtypes))))
        return values

    def call_text(self, values):
        return ", ".join(f"{p[0]}={text}" if p[2] is not None else text for p, text in values if text is not None)

    def show(self, text, before=()):
        self.put(f"print({self.enclosed(text, before)}, digits=17)")

    def plain(self, f):
        self.strange = self.chance(0.02)  # integers where floats are expected
        text = f"{f.name}({self.call_text(self.data(f))})"
        if self.chance(0.2):
            name, call = self.names.fresh("y"), self.enclosed(text)
            self.put(f"{name} = {call}")
            self.put(f"print(type_of({name}), {name}, digits=17)")
        else:
            self.show(text)

    def repeated(self, f):
        """Calls in a loop, each with other extents."""
        if not f.dims:
            return self.plain(f)
        self.inside = None
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

    @staticmethod
    def has_list(f):
        return any(isinstance(t, Lst) for _, t, _ in f.parameters)

    def lengths(self, f):
        """Calls with lists of several lengths, for which there is one code in the end."""
        self.inside = None
        k = self.names.fresh("m")
        self.open(f"for {k} in ({', '.join(self.random.sample(['1', '2', '3', '4', '5', '9'], 5))}{', 0' if self.chance(0.1) else ''})")
        self.length = k
        values = self.data(f, 17)
        self.length = None
        self.show(f"{f.name}({self.call_text(values)})")
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
                return self.wrapped(f.name)
            call = f"{self.wrapped(f.name)}({names})"
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
        if self.chance(0.1) and "->" in g:
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
        texts = [self.given(self.datum(t, dtypes)) for t in types]
        tangents = [self.given(self.datum(t, dtypes)) if t.cls == "f" else "none" for t in types]
        join = lambda xs: xs[0] if len(xs) == 1 else f"({', '.join(xs)})"
        self.show(f"jvp({self.wrapped(f.name)}, {join(texts)}, {join(tangents)})")

    def pullback(self, f):
        functions = any(isinstance(p[1], Fun) for p in f.parameters)
        if functions or not self.float_parameters(f) or not isinstance(f.result, Num) or f.result.cls != "f":
            return self.gradient(f)
        y, pull = self.names.fresh("y"), self.names.fresh("y")
        taken = f"{y}, {pull} = vjp({self.wrapped(f.name)}, {self.primals(f, self.data(f, 17, True))})"
        if self.inside:
            return self.show(f"({y}, {pull}({y} * 0.5 + 1))", [taken])
        self.put(taken)
        self.show(f"{y}")
        self.show(f"{pull}({y} * 0.5 + 1)")

    def stepped(self, f):
        """Gradient descent: a derivative in a loop."""
        first = f.parameters[0][1]
        g = self.scalar_of(f)
        if g is None or not isinstance(first, Num) or first.cls != "f" or f.loops and self.chance(0.5):
            return self.gradient(f)
        self.inside = []
        values = self.data(f, 7, True)
        x = self.inside[0][0]
        derivative = self.choose([f"grad({g})", f"compile(grad({g}))", f"checkpoint(grad({g}))", f'grad({g}, zero="ieee")'])
        rest = self.call_text(values)
        head = self.choose([f"for s in range(3) {{ {x} = {x} - 0.1 * {derivative}({rest}) }}", f"s = 0; while s < 2 {{ s += 1; {x} -= 0.1 * {derivative}({rest}) }}",
                            f"d = {derivative}; for s in range(2) {{ {x} = {x} - 0.1 * d({rest}) if s > 0 else {x} }}"])
        self.show(f"{x}", [head])

    def mapped_call(self, f):
        if f.writes:
            return self.plain(f)
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
            texts.append(self.given(self.datum(type_, dtypes)))
        if all(axis == "none" for axis in axes):
            self.inside = None
            return self.plain(f)
        g = self.wrapped(f.name)
        first = parameters[0][1]
        if f.result == Num("f", ()) and isinstance(first, Num) and first.cls == "f" and self.chance(0.4):
            g = f"grad({g})"
        spec = f", in_axes=({', '.join(axes)},)" if any(a != "0" for a in axes) or self.chance(0.3) else ""
        if self.chance(0.15) and "grad" not in g and isinstance(f.result, Num) and f.result.cls == "f" and len(axes) == 1 and first.cls == "f":
            return self.show(f"grad(q -> sum(vmap({g}{spec})(q)))({texts[0]})")
        self.show(f"vmap({g}{spec})({', '.join(texts)})")

    def jacobian(self, f):
        if not self.float_parameters(f) or not isinstance(f.result, Num) or f.result.cls != "f":
            return self.gradient(f)
        k, p = self.choose(self.float_parameters(f))
        mode = self.choose(["", ', mode="forward"', ', mode="reverse"'])
        self.show(f"jacobian({self.wrapped(f.name)}, wrt={k}{mode})({self.call_text(self.data(f, 3, p[2] is not None))})")

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
