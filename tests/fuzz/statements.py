"""Random statements: the body of a function, a line (or a block) at a time. Start at Statements.body()."""
from elements import Elements
from scope import Function, Num, Rec, Tup


class Statements(Elements):
    def __init__(self, random):
        super().__init__(random)
        self.lines = []
        self.depth = 0
        self.danger = 0.0  # how likely a statement is one that may fail
        self.talk = 0.0  # … one that prints
        self.uses_library = False
        self.uses_parallel = False

    def put(self, text):
        self.lines.append("  " * self.depth + text)

    def open(self, head):
        self.put(head + " {")
        self.depth += 1

    def close(self, tail=""):
        self.depth -= 1
        self.put("}" + tail)

    # --- blocks ---

    def body(self, scope, count):
        """Statements, then a return of the scope's result."""
        for _ in range(count):
            self.statement(scope)
        self.put("return " + self.result(scope))

    def result(self, scope):
        if isinstance(scope.result, Tup) and self.chance(0.4):
            return ", ".join(self.value(scope, item, 2) for item in scope.result.items)
        text = self.value(scope, scope.result, 3)
        # What has been computed counts.
        if isinstance(scope.result, Num) and scope.result.cls == "f":
            made = [v for v in scope.numbers("fi") if v.writable]
            for v in self.random.sample(made, min(len(made), self.random.randint(1, 4))):
                if v.type.shape == scope.result.shape:
                    text += f" + {v.path}"
                else:
                    text += f" + {self.choose(['sum', 'mean', 'sum'])}({v.path}) * 0.125"
        return text

    def block(self, scope, count):
        """What it binds is not bound after it on every path: forgotten."""
        variables, indices = len(scope.vars), dict(scope.indices)
        for _ in range(count):
            self.statement(scope)
        del scope.vars[variables:]
        scope.indices = indices

    def statement(self, scope):
        if self.chance(self.danger):
            return self.dangerous(scope)
        if self.chance(self.talk):
            return self.say(scope)
        deep = self.depth >= 4
        options = [(6 if self.depth < 2 else 2, self.new), (4, self.again), (3, self.augmented), (4, self.update), (0.5, self.tuple_), (1.0, self.record),
                   (2.5, self.list_), (0.6, self.swap), (0.25, self.tree), (0.3, self.check), (1.0, self.local_function), (1.5, self.strange_statement), (1.5, self.newer_statement)]
        if not deep:
            options += [(3.5, self.if_), (2.5, self.for_), (1.2, self.while_), (0.7, self.join), (0.4, self.growing), (0.6, self.element_loop), (0.6, self.complex_)]
        if scope.loops and self.depth > 1:
            options += [(2.5, self.leave_loop)]
        if scope.result is not None:
            options += [(0.7, self.early_return)]
        self.pick(options)(scope)

    # --- assignments ---

    def new(self, scope):
        cls = self.pick([(6, "f"), (2.5, "i"), (1.2, "b")])
        type_ = Num(cls, self.shape(scope))
        name = scope.names.fresh("t")
        self.put(f"{name} = {self.value(scope, type_, 3)}")
        scope.add(name, type_)

    def again(self, scope):
        found = scope.numbers(writable=True)
        if not found:
            return self.new(scope)
        v = self.choose(found)
        text = self.value(scope, v.type, 2)
        if scope.loops and v.type.cls == "f":
            text = self.choose([f"0.5 * {v.path} + 0.25 * {text}", f"tanh({text})", f"{v.path} + 0.1 * sin({text})"])
        self.put(f"{v.path} = {text}")

    def augmented(self, scope):
        found = scope.numbers(writable=True)
        if not found:
            return self.new(scope)
        v = self.choose(found)
        cls, operand = v.type.cls, self.operand(scope, v.type.cls, v.type.shape, 2)
        if cls == "b":
            return self.put(f"{v.path} {self.choose(['&=', '|='])} {operand}")
        if cls == "i":
            operator = self.choose(["+=", "-=", "*=", "//=", "%="])
            with self.apart():
                if self.chance(0.1):
                    return self.put(f"{v.path} {self.choose(['<<=', '>>='])} abs({operand}) % 3")
            return self.put(f"{v.path} {operator} {f'(abs({operand}) + 1)' if operator in ('//=', '%=') else operand}")
        operator = self.choose(["+=", "+=", "-=", "*=", "/=", "^=", "%="])
        if operator in ("/=", "%="):
            operand = f"(abs({operand}) + 1.0)"
        if operator == "*=":
            operand = f"cos({operand})"
        self.put(f"{v.path} {operator} {'2' if operator == '^=' else operand}")

    def update(self, scope):
        """x[…] = v and its kind, by places of every sort."""
        found = scope.tensors(writable=True)
        if not found:
            return self.new_tensor(scope)
        v = self.choose(found)
        cls, shape, x = v.type.cls, v.type.shape, v.path
        way = self.random.randrange(7)
        if way <= 2:
            count = self.random.randint(1, len(shape))
            places = [self.index(scope, dim) for dim in shape[:count]]
            rest = shape[count:]
            if count == 1 and len(shape) == 2 and self.chance(0.4):
                places, rest = [":", self.index(scope, shape[1])], shape[:1]
            target, operand = f"{x}[{', '.join(places)}]", self.operand(scope, cls, rest, 2)
        elif way == 3:
            bounds = self.choose(["1:", ":1", "::2", "-2:", ":-1", "::-1", "1:3", ":"])
            target, operand = f"{x}[{bounds}]", self.operand(scope, cls, shape[1:], 2)
            if self.chance(0.3):
                operand = f"({self.number(scope, cls, shape, 1)})[{bounds}]"
        elif way == 4:
            target, operand = f"{x}[{self.number(scope, 'b', shape, 1)}]", self.number(scope, cls, (), 2)
        else:
            k = self.dim(scope)
            target = f"{x}[{self.number(scope, 'i', (k,), 1)} % {shape[0]}]"
            operand = self.operand(scope, cls, (k,) + shape[1:], 2)
        operators = {"b": ["="], "i": ["=", "+=", "-=", "="], "f": ["=", "+=", "*=", "-=", "="]}[cls]
        self.put(f"{target} {self.choose(operators)} {operand}")

    def new_tensor(self, scope):
        name, shape = scope.names.fresh("t"), self.shape(scope, self.random.choice([1, 1, 2]))
        self.put(f"{name} = {self.value(scope, Num('f', shape), 1)}")
        scope.add(name, Num("f", shape))

    def swap(self, scope):
        found = scope.numbers(writable=True)
        if len(found) < 2:
            return self.new(scope)
        a = self.choose(found)
        same = [v for v in found if v.type == a.type and v.path != a.path]
        if not same:
            return self.augmented(scope)
        b = self.choose(same)
        self.put(f"{a.path}, {b.path} = {b.path}, {self.value(scope, a.type, 1)}")

    # --- trees ---

    def some_type(self, scope):
        return Num(self.choose("ffib"), self.shape(scope))

    def tuple_(self, scope):
        types = [self.some_type(scope) for _ in range(self.random.randint(2, 3))]
        if self.chance(0.5):
            names = [scope.names.fresh("t") for _ in types]
            self.put(f"{', '.join(names)} = {self.value(scope, Tup(tuple(types)), 2)}")
            for name, type_ in zip(names, types):
                scope.add(name, type_)
            return
        name = scope.names.fresh("u")
        self.put(f"{name} = {self.value(scope, Tup(tuple(types)), 2)}")
        scope.add(name, Tup(tuple(types)))

    def record(self, scope):
        fields = tuple((name, self.some_type(scope)) for name in ("w", "b", "c")[: self.random.randint(1, 3)])
        name = scope.names.fresh("r")
        self.put(f"{name} = {self.value(scope, Rec(fields), 2)}")
        scope.add(name, Rec(fields))

    def tree(self, scope):
        trees = [v for v in scope.vars if isinstance(v.type, (Rec, Tup))]
        if not trees:
            return self.record(scope)
        v, name, q = self.choose(trees), scope.names.fresh("q"), scope.names.fresh("z")
        self.put(f"{name} = tree_map({q} -> {self.choose([f'{q} * 2', f'{q} + 1', f'sum({q} * 1.0)'])}, {v.path})")
        parts = v.type.fields if isinstance(v.type, Rec) else [(k, t) for k, t in enumerate(v.type.items)]
        part, type_ = self.choose(parts)
        if isinstance(type_, Num):
            text = f"{name}.{part}" if isinstance(v.type, Rec) else f"{name}[{part}]"
            t = scope.names.fresh("t")
            self.put(f"{t} = sum({text} * 0.5)")
            scope.add(t, Num("f", ()))

    # --- control ---

    def complex_(self, scope):
        """A complex variable through loops, branches and updates; what is kept of it is real."""
        z, t, i = (scope.names.fresh(name) for name in "zti")
        shape = self.shape(scope)
        kind = self.choose(["", "", "c64"])
        self.put(f"{z} = {kind}(complex({self.number(scope, 'f', shape, 2)}, {self.number(scope, 'f', shape, 1)}))")
        for _ in range(self.random.randint(1, 3)):
            other = self.number(scope, "f", shape, 1)
            step = self.choose([f"{z} * (0.5 - 0.25im) + {other}", f"conj({z}) * 0.5im", f"exp({z} * 0.125im)", f"{z} / (2 + 1im * {other})", f"sqrt({z}) + 1",
                                f"tanh({z})", f"where(real({z}) > {other}, {z}, 0.5im)", f"polar(0.5, {other}) - {z}"])
            way = self.random.randrange(5)
            if way == 0:
                self.put(f"{z} = {step}")
            elif way == 1:
                self.open(f"for {i} in range({self.choose(['0', '1', '3'])})")
                self.put(f"{z} = {step}")
                if self.chance(0.5):
                    self.put(f"if {self.condition(scope, 1)} {{ break }}")
                self.close()
            elif way == 2:
                self.open(f"if {self.condition(scope, 1)}")
                self.put(f"{z} = {step}")
                self.close()
            elif way == 3 and shape:
                self.put(f"{z}[{self.index(scope, shape[0])}] {self.choose(['=', '+=', '*='])} {self.choose(['0.5im', '2', '1 - 1im'])}")
            else:
                self.put(f"{z} {self.choose(['+=', '-=', '*='])} {self.choose(['1im', '(0.5 + 2im)', '0.5'])} * {other}")
        self.put(f"{t} = {self.choose(['abs', 'real', 'imag', 'real', 'imag', 'angle'])}({z})")
        scope.add(t, Num("f", shape))

    def if_(self, scope):
        both = None
        if self.chance(0.3):
            both = scope.names.fresh("t"), self.some_type(scope)
        self.open(f"if {self.condition(scope, 2)}")
        self.part(scope, both)
        while self.chance(0.25):
            self.depth -= 1
            statements, scope.statements = scope.statements, False
            self.open(f"}} else if {self.condition(scope, 1)}")
            scope.statements = statements
            self.part(scope, both)
        if both is not None or self.chance(0.5):
            self.depth -= 1
            self.open("} else")
            self.part(scope, both)
        self.close()
        if both is not None:
            scope.add(*both)

    def part(self, scope, both):
        self.block(scope, self.random.randint(0 if both else 1, 2))
        if both is not None:
            self.put(f"{both[0]} = {self.value(scope, both[1], 2)}")

    def for_(self, scope):
        scope.loops_inside = True
        tensors = scope.tensors()
        way = self.random.randrange(10)
        small = scope.loops > 0
        variables, indices = len(scope.vars), dict(scope.indices)
        i = scope.names.fresh("i")
        if way < 4 or not tensors or small:
            dim = self.choose(scope.dims) if scope.dims and not small else self.choose(["0", "1", "2", "3"])
            if not small and self.chance(0.03):
                dim = "150"
            head = self.choose([f"range({dim})", f"range({dim})", f"range(1, {dim})", f"range({dim} - 1, -1, -1)",
                                f"range(0, {dim}, 2)"])
            self.open(f"for {i} in {head}")
            scope.add(i, Num("i", ()), False)
            scope.indices[i] = dim
        elif way < 6:
            x = self.choose(tensors)
            self.open(f"for {i} in {x.path}")
            scope.add(i, Num(x.type.cls, x.type.shape[1:]))
        elif way < 8:
            x, v = self.choose(tensors), scope.names.fresh("v")
            self.open(f"for {i}, {v} in enumerate({x.path})")
            scope.add(i, Num("i", ()), False)
            scope.indices[i] = x.type.shape[0]
            scope.add(v, Num(x.type.cls, x.type.shape[1:]))
        elif way == 8:
            x, y, v = self.choose(tensors), self.choose(tensors), scope.names.fresh("v")
            self.open(f"for {i}, {v} in zip({x.path}, {y.path})")
            scope.add(i, Num(x.type.cls, x.type.shape[1:]))
            scope.add(v, Num(y.type.cls, y.type.shape[1:]))
        else:
            type_ = self.some_type(scope)
            items = [self.value(scope, type_, 1) for _ in range(self.random.randint(1, 3))]
            self.open(f"for {i} in {self.choose(['list', 'list', '']) if len(items) > 1 else 'list'}({', '.join(items)})")
            scope.add(i, type_)
        scope.loops += 1
        self.block(scope, self.random.randint(1, 3))
        scope.loops -= 1
        self.close()
        del scope.vars[variables:]
        scope.indices = indices

    def while_(self, scope):
        scope.loops_inside = True
        counter, bound = scope.names.fresh("c"), self.choose(scope.dims + ["3", "4"]) if not scope.loops else "2"
        start = self.choose(["0", "0", "1"])
        self.put(f"{counter} = {start}")
        scope.add(counter, Num("i", ()), False)
        condition = f"{counter} < {bound}"
        if self.chance(0.4):
            condition = f"{condition} and {self.condition(scope, 1)}"
        self.open(f"while {condition}")
        scope.loops += 1
        if self.chance(0.7):
            self.put(f"{counter} += 1")
            self.block(scope, self.random.randint(1, 3))
        else:
            # The last statement counts; a `continue` before it would go on for ever.
            scope.loops, outer = 0, scope.loops
            self.block(scope, self.random.randint(1, 2))
            scope.loops = outer
            self.put(f"{counter} += 1")
        scope.loops -= 1
        self.close()

    def leave_loop(self, scope):
        word = self.choose(["break", "continue"])
        if self.chance(0.8):
            self.open(f"if {self.condition(scope, 1)}")
            if self.chance(0.4):
                self.block(scope, 1)
            self.put(word)
            self.close()
        else:
            self.put(f"if {self.condition(scope, 1)} {{ {word} }}")

    def early_return(self, scope):
        self.open(f"if {self.condition(scope, 2)}")
        if self.chance(0.4):
            self.block(scope, 1)
        odd = scope.odd_results and self.chance(0.7)
        self.put("return " + self.value(scope, self.choose([Num("i", ()), Tup((Num("f", ()), Num("b", ()))), self.some_type(scope)])
                                        if odd else scope.result, 2))
        self.close()

    def join(self, scope):
        """A name that has another type on another path."""
        name, condition = scope.names.fresh("t"), self.condition(scope, 1)
        types = [Num(self.choose("fi"), self.shape(scope)) for _ in range(2)]
        self.open(f"if {condition}")
        self.put(f"{name} = {self.value(scope, types[0], 1)}")
        self.depth -= 1
        self.open("} else")
        self.put(f"{name} = {self.value(scope, types[1], 1)}")
        self.close()
        result = scope.names.fresh("t")
        self.put(f"{result} = sum({name} * 0.5)")
        scope.add(result, Num("f", ()))
        if self.chance(0.3):
            self.put(f'print("{name}", type_of({name}), {name}, digits=17)')

    def growing(self, scope):
        """A loop that changes a shape, or a dtype in its first pass."""
        scope.loops_inside = True
        name, i = scope.names.fresh("t"), scope.names.fresh("i")
        start, step = self.choose([("ones(1)", "concat(({}, [{}]))"), ("[0.5]", "concat(({}, {} * [1.0, 2.0]))"),
                                   ("1", "{} + {}"), ("zeros(2)", "stack(({} + {}, ones(2)))[0] * 0.5")])
        self.put(f"{name} = {start}")
        self.open(f"for {i} in range({self.choose('0123')})")
        self.put(f"{name} = {step.format(name, self.number(scope, 'f', (), 1))}")
        self.close()
        result = scope.names.fresh("t")
        self.put(f"{result} = {self.choose(['sum', 'mean'])}({name} * 1.5)")
        scope.add(result, Num("f", ()))

    # --- functions ---

    def local_function(self, scope):
        name, arguments = scope.names.fresh("h"), []
        inner = scope.inner()
        result = Num(self.choose("ffi"), self.choose([(), self.shape(scope)]))
        for _ in range(self.random.randint(1, 2)):
            p = scope.names.fresh("p")
            type_ = self.some_type(scope)
            inner.add(p, type_)
            arguments.append((p, type_, None))
        f = Function(name, arguments, result)
        names = ", ".join(p for p, _, _ in arguments)
        style = self.random.randrange(3)
        if style == 0:
            self.put(f"{name} = ({names}) -> {self.value(inner, result, 2)}")
        elif style == 1:
            self.put(f"fn {name}({names}) = {self.value(inner, result, 2)}")
        else:
            self.open(f"fn {name}({names})")
            inner.result, inner.loops = result, 0
            talk, self.talk = self.talk, 0.0
            self.body(inner, self.random.randint(0, 2))
            self.talk = talk
            self.close()
        f.loops = inner.loops_inside or inner.calls_loops
        scope.calls_loops = scope.calls_loops or f.loops
        scope.functions = scope.functions + [f]
        # Called at once: where it is bound.
        t = scope.names.fresh("t")
        self.put(f"{t} = {name}({self.arguments(scope, f, {}, 1)})")
        scope.functions = scope.functions[:-1]
        scope.add(t, result)

    # --- effects and mistakes ---

    def say(self, scope):
        tag = scope.names.fresh("say")
        if self.chance(0.5):
            self.put(f'print("{tag}", {self.value(scope, self.some_type(scope), 1)}, digits=17)')
        elif self.chance(0.5):
            self.put(f'print(f"{tag} {{{self.number(scope, "f", (), 1)}:.4f}} {{{self.number(scope, "i", (), 1)}}}")')
        else:
            x = self.value(scope, self.some_type(scope), 1)
            self.put(f'print("{tag}", type_of({x}))')

    def check(self, scope):
        self.put(f'assert {self.choose(["1 < 2", *(f"{d} >= 0" for d in scope.dims)])}, "never"')

    def dangerous(self, scope):
        """May fail, as programs do: always with a message of its own."""
        tensors, integers = scope.tensors(), scope.numbers("i", ())
        name = scope.names.fresh("t")
        guard = self.condition(scope, 2)
        options = [f'assert {guard}, "asserted {name}"', f'if {guard} {{ error("stopped {name}") }}',
                   f"{name} = {self.number(scope, 'f', (), 1)} + zeros(5)[{self.number(scope, 'i', (), 1)}]"]
        if tensors:
            x = self.choose(tensors).path
            options += [f"{name} = {x}[{self.choose(['2', '3', '-4', '16'])}]", f"{name} = {x} + ones(4)",
                        f"{name} = max({x}[1:])", f"{name} = reshape({x}, 3, -1)", f"{name} = {x} @ ones(3)",
                        f"{name} = concat(({x}, ones(2, 2)))"]
        if integers:
            i = self.choose(integers).path
            options += [f"{name} = 7 // {i}", f"{name} = 5 % ({i} - 1)", f"{name} = 2 ^ (1 - {i})", f"{name} = 3 ^ -{i}"]
        whole = [v for v in scope.tensors("i", True)]
        if whole:
            x = self.choose(whole).path
            options += [f"{x}[0] = 0.5", f"{name} = {x} // ({x} - 1) + i64(zeros(0))", f"{name} = reshape(7 % {x}, (-1, 1)) * reshape(i64([]), (1, 0))", f"{name} = (2 ^ -{x}) * zeros(0)"]
        loops = [(i, d) for i, d in scope.indices.items()]
        if loops and tensors:
            i, _ = self.choose(loops)
            options += [f"{name} = {self.choose(tensors).path}[{i} + 1]"]
        if self.chance(0.15):
            self.put(f"if {guard} {{ {name} = 1.5 }}")
            return self.put(f'print("{name}", {name})')
        if self.chance(0.4):
            return self.put(f"if {self.condition(scope, 1)} {{ {self.choose(options)} }}")
        self.put(self.choose(options))
