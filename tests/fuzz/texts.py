"""Random statements about strings: made of literals and numbers, indexed, sliced, walked over, taken apart and put together; what
they give goes into numbers, so that it counts in the result. Start at Texts.texts()."""
from lists import Lists
from scope import Num

WORDS = ['"a,b,,c"', '"naïve €😀"', '""', '" one  two "', '"-7.25"', '"0x1F"', '"Straße"', '"aaa"', '"x=1;y=2"', '"é"']
PARTS = ['","', '"a"', '"aa"', '"é"', '" "', '"="', '"zz"']


class Texts(Lists):
    def texts(self, scope):
        name = self.bound(scope, "s", self.some_text(scope, 2), None)
        for _ in range(self.random.randint(1, 3)):
            self.choose([self.text_grown, self.text_walked, self.text_counted, self.text_parts, self.text_number, self.text_codes])(scope, name)
        if self.talk:
            self.put(f"print({name}, end=\"|\\n\")")
        elif self.chance(0.1):
            self.put(f'print({name}, to="{self.choose(["stderr", "warning"])}")')

    def some_text(self, scope, depth):
        if depth == 0 or self.chance(0.2):
            return self.choose(WORDS)
        inner = self.some_text(scope, depth - 1)
        i, j = (self.random.randint(-4, 5) for _ in range(2))
        return self.choose([
            f"str({self.number(scope, 'i', (), 1)})", f"({inner} + {self.some_text(scope, depth - 1)})", f"{inner}[{i}:{j}]", f"{inner}[::{self.choose(['2', '-1', '-2'])}]",
            f"({inner} * ({self.number(scope, 'i', (), 0)} % 4))[:40]",
            f"{inner}.{self.choose(['strip', 'lower', 'upper'])}()", f"{inner}.split({self.choose(['', *PARTS])}).join({self.choose(PARTS)})",
            f"from_codes(codes({inner}))", f"({self.choose(PARTS)} * {self.random.randint(-1, 4)})", f"{inner}.replace({self.choose(PARTS)}, {self.choose(PARTS)})"])

    def text_grown(self, scope, name):
        self.put(f"{name} += {self.choose(PARTS)}" if self.chance(0.8) else f"{name} *= {self.random.randint(-1, 3)}")
        if self.chance(0.4):
            i = scope.names.fresh("i")
            self.put(f"for {i} in range({self.random.randint(0, 5)}) {{ {name} += {self.choose(PARTS + [f'str({i})', f'{name}[:2]'])} }}")

    def text_walked(self, scope, name):
        c = scope.names.fresh("c")
        total = self.bound(scope, "t", "0", Num("i", ()))
        self.put(self.choose([
            f"for {c} in {name} {{ if {c} {self.choose(['==', '!=', '<', '>='])} {self.choose(PARTS)} {{ {total} += 1 }} }}",
            f"for {c} in range(len({name})) {{ {total} += i64({name}[{c}] == {name}[-1 - {c}]) }}",
            f"for {c}, {c}x in enumerate({name}) {{ if {c}x == {self.choose(PARTS)} {{ {total} += {c} }} }}",
            f"for {c} in {name}.split({self.choose(PARTS)}) {{ {total} = {total} * 3 + len({c}) }}",
            f"{total} = sum([len({c}) for {c} in ({name} + \",b\").split(\",\")])"]))

    def text_counted(self, scope, name):
        self.bound(scope, "t", self.choose([f"len({name})", f"{name}.count({self.choose(PARTS)})", f"i64({name}.starts_with({self.choose(PARTS)}))",
                                            f"i64({name} {self.choose(['<', '<=', '>', '>=', '==', '!='])} {self.some_text(scope, 1)})", f"i64(ends_with({name}, {self.choose(PARTS)}))",
                                            f"(-1 if {name}.find({self.choose(PARTS)}) == none else 7)"]), Num("i", ()))

    def text_parts(self, scope, name):
        parts = self.bound(scope, "l", f"{name}.split({self.choose(['', 'by=' + self.choose(PARTS), self.choose(PARTS)])})", None)
        self.bound(scope, "t", f"len({parts})", Num("i", ()))
        self.put(f"{name} = {parts}.join({self.choose(PARTS)})")

    def text_number(self, scope, name):
        """Of text that is a number, or, in dangerous programs, of any."""
        if self.chance(self.danger):
            return self.bound(scope, "t", f"{self.choose(['f64', 'i64', 'f32'])}({name})", Num("f", ()))
        cls = self.choose("fi")
        number = self.number(scope, cls, (), 1)
        self.bound(scope, "t", f"{'f64' if cls == 'f' else 'i64'}(\" \" + str({number}))", Num(cls, ()))

    def text_codes(self, scope, name):
        self.bound(scope, "t", f"sum(codes({name}) % {self.random.randint(2, 9)})", Num("i", ()))
