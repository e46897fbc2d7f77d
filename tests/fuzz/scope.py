"""What the generator knows while it writes a program: types, names, and what can be read where.

A type is Num(cls, shape), Tup, Rec, Lst or Fun. `cls` is 'b', 'i' or 'f': which integer and float dtype it is depends on the
call, so that one function serves several. A dimension is text: a number, or the name of an i64 variable that holds it.
"""
from collections import namedtuple

Num = namedtuple("Num", "cls shape")
Tup = namedtuple("Tup", "items")
Rec = namedtuple("Rec", "fields")  # ((name, type), …)
Lst = namedtuple("Lst", "item")
Fun = namedtuple("Fun", "argument result")  # of one Num
Var = namedtuple("Var", "path type writable")

SCALARS = {cls: Num(cls, ()) for cls in "bif"}


class Function:
    """A function of the program, as its callers see it."""

    def __init__(self, name, parameters, result):
        self.name, self.parameters, self.result = name, parameters, result  # parameters: [(name, type, default or None)]
        self.dims = []  # the names that stand for extents in its types
        self.loops = False  # not to be called in a loop
        self.effects = False  # prints, draws or may fail
        self.writes = False  # files: not under vmap
        self.callable = True
        self.small = False  # to be called with small numbers only


class Names:
    """Gives names that no other name of the program is equal to."""

    def __init__(self):
        self.counts = {}

    def fresh(self, prefix):
        self.counts[prefix] = self.counts.get(prefix, 0) + 1
        return f"{prefix}{self.counts[prefix]}"


class Scope:
    """The variables of one function at one place of it."""

    def __init__(self, names, functions, dims=()):
        self.names, self.functions = names, functions
        self.vars = []
        self.dims = list(dims)
        self.indices = {}  # name → the dimension that it stays below
        self.loops = 0  # around this place
        self.nested = 0  # derivatives and maps around this place
        self.result = None
        self.loops_inside = False
        self.odd_results = False  # an early return may give another type
        self.calls_loops = False
        self.statements = False  # more of them may be put before the one at hand

    def add(self, path, type_, writable=True):
        self.vars.append(Var(path, type_, writable))
        if isinstance(type_, Fun):
            self.functions = self.functions + [Function(path, [("", type_.argument, None)], type_.result)]
        if isinstance(type_, Rec):
            for name, field in type_.fields:
                self.add(f"{path}.{name}", field, writable)
        elif isinstance(type_, Tup):
            for number, item in enumerate(type_.items):
                self.add(f"{path}[{number}]", item, False)

    def inner(self):
        """The scope of a function made here: everything can be read, nothing assigned."""
        scope = Scope(self.names, self.functions, self.dims)
        scope.vars = [Var(v.path, v.type, False) for v in self.vars]
        scope.indices = dict(self.indices)
        scope.loops, scope.nested = self.loops, self.nested
        return scope

    def numbers(self, cls=None, shape=None, writable=False):
        return [
            v
            for v in self.vars
            if isinstance(v.type, Num)
            and (cls is None or v.type.cls in cls)
            and (shape is None or v.type.shape == shape)
            and (v.writable or not writable)
        ]

    def tensors(self, cls=None, writable=False):
        return [v for v in self.numbers(cls, None, writable) if v.type.shape]
