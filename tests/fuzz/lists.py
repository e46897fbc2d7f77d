"""Random statements about lists: made with items or empty, pushed to in loops and branches, read, written and walked."""
from expressions import Expressions
from scope import Lst, Num


class Lists(Expressions):
    def list_(self, scope):
        lists = [v for v in scope.vars if isinstance(v.type, Lst)]
        if lists and self.chance(0.75):
            v = self.choose(lists)
            return self.pick([(2, self.read_item), (2, self.write_item), (1.5, self.push_item), (1, self.of_items), (0.6, self.copied),
                              (0.5, self.walked), (1.2 if scope.loops == 0 else 0.2, self.filling)])(scope, v)
        item = Num(self.choose("ffi"), self.choose([(), (), self.shape(scope)]))
        name = scope.names.fresh("l")
        if scope.loops < 2 and self.depth < 4 and self.chance(0.5):
            return self.collected(scope, name, item)
        self.put(f"{name} = {self.value(scope, Lst(item), 2)}")
        scope.add(name, Lst(item))

    def place(self, scope, v):
        """An index of an item, as the list has one at least."""
        if self.chance(0.5):
            return self.choose(["0", "-1", "len({0}) - 1", "-len({0})"]).format(v.path)
        inside = f"{self.number(scope, 'i', (), 1)} % len({v.path})"
        return self.choose([inside, inside, f"-1 - {inside}"])

    def read_item(self, scope, v):
        name = scope.names.fresh("t")
        self.put(f"{name} = {v.path}[{self.place(scope, v)}]")
        scope.add(name, v.type.item)

    def write_item(self, scope, v):
        if not v.writable:
            return self.read_item(scope, v)
        operators = {"i": ["=", "=", "+=", "*="], "f": ["=", "=", "+=", "-="]}[v.type.item.cls]
        self.put(f"{v.path}[{self.place(scope, v)}] {self.choose(operators)} {self.value(scope, v.type.item, 2)}")

    def push_item(self, scope, v):
        if not v.writable:
            return self.read_item(scope, v)
        text = f"{v.path}.push({self.value(scope, v.type.item, 2)})"
        self.put(f"if {self.condition(scope, 1)} {{ {text} }}" if self.chance(0.5) else text)

    def of_items(self, scope, v):
        """A number or another list made of all items."""
        item, name, x = v.type.item, scope.names.fresh("t"), scope.names.fresh("v")
        if item.shape:
            made = f"sum(concat({v.path}))" if self.chance(0.5) and len(item.shape) == 1 else f"sum(stack({v.path}))"
            self.put(f"{name} = {made}")
            return scope.add(name, Num(item.cls, ()))
        way = self.random.randrange(6)
        if way == 5:  # all but the last, or from the front, and one more: never empty
            self.put(f"{name} = {v.path}[{self.choose([':-1', '1:', '::2', '::-1', ':' + self.number(scope, 'i', (), 1)])}]")
            self.put(f"{name}.push({self.value(scope, item, 1)})")
            return scope.add(name, v.type)
        if way == 0:
            self.put(f"{name} = sum({x} * 2 for {x} in {v.path})")
        elif way == 1:
            self.put(f"{name} = sum(stack({v.path}) * 2)")
        elif way == 2:
            self.put(f"{name} = list({x} + 1 for {x} in {v.path})")
            return scope.add(name, v.type)
        elif way == 3:
            self.put(f'print("{name}", {v.path}, len({v.path}), digits=17)')
            return self.put(f"{name} = {v.path}[-1]") or scope.add(name, item)
        else:
            self.put(f"{name} = len({v.path})")
            return scope.add(name, Num("i", ()))
        scope.add(name, item)

    def copied(self, scope, v):
        """Two lists that go their own ways."""
        name = scope.names.fresh("l")
        self.put(f"{name} = {v.path}")
        scope.add(name, v.type)
        self.push_item(scope, self.choose([v, scope.vars[-1]]))

    def walked(self, scope, v):
        scope.loops_inside = True
        variables, x = len(scope.vars), scope.names.fresh("v")
        if self.chance(0.3):
            i = scope.names.fresh("i")
            self.open(f"for {i}, {x} in enumerate({v.path})")
            scope.add(i, Num("i", ()), False)
        else:
            self.open(f"for {x} in {v.path}")
        scope.add(x, v.type.item)
        scope.loops += 1
        self.block(scope, self.random.randint(1, 2))
        scope.loops -= 1
        self.close()
        del scope.vars[variables:]

    def pushes(self, scope, path, item):
        """A loop that makes a list longer, and reads what is there."""
        scope.loops_inside = True
        i, variables = scope.names.fresh("i"), len(scope.vars)
        self.open(f"for {i} in range({self.choose(scope.dims + ['3', '5']) if scope.loops == 0 else '2'})")
        scope.add(i, Num("i", ()), False)
        scope.loops += 1
        if self.chance(0.25):
            self.put(f"if {self.condition(scope, 1)} {{ {self.choose(['continue', 'break'])} }}")
        text = self.value(scope, item, 2)
        if self.chance(0.3):
            text = f"{path}[-1] * 0.5 + {text} if len({path}) > 0 else {text}" if item.cls == "f" else text
        push = f"{path}.push({text})"
        way = self.random.randrange(4)
        if way == 0:
            self.put(f"if {self.condition(scope, 1)} {{ {push} }}")
        elif way == 1 and scope.loops < 2:
            j = scope.names.fresh("i")
            self.put(f"for {j} in range({self.choose(['2', '3', i])}) {{ {push} }}")
        else:
            self.put(push)
        scope.loops -= 1
        del scope.vars[variables:]
        self.close()

    def filling(self, scope, v):
        if not v.writable:
            return self.read_item(scope, v)
        self.pushes(scope, v.path, v.type.item)
        name = scope.names.fresh("t")
        self.put(f"{name} = len({v.path})")
        scope.add(name, Num("i", ()))

    def collected(self, scope, name, item):
        """A list that is empty at first; it has an item at least when it is read."""
        if self.chance(0.25) and scope.loops == 0:
            x = scope.names.fresh("v")
            inner = scope.inner()
            inner.add(x, Num("i", ()))
            inner.loops += 1
            self.put(f"{name} = list({self.value(inner, item, 2)} for {x} in range({self.choose(scope.dims + ['3'])}))")
        else:
            self.put(f"{name} = list()")
            self.pushes(scope, name, item)
        self.put(f"{name}.push({self.value(scope, item, 1)})")
        scope.add(name, Lst(item))
