"""Random expressions of a wanted type, from what a scope holds. Start at Expressions.value()."""
import contextlib
from random import Random

from scope import Fun, Lst, Num, Rec, Tup
from transforms import Transforms
from vocabulary import Vocabulary
from words import WORDS

FLOAT_LITERALS = ["0.5", "1.5", "0.25", "2.0", "0.1", "3.0", "(-0.75)", "(-2.0)", "1e-3", "0.0", "1.0"]
INT_LITERALS = ["0", "1", "2", "3", "5", "7", "(-1)", "(-3)"]
# Safe of any argument, or with a NaN now and then ({} twice).
FLOAT_UNARY = [
    "sin({})", "cos({})", "tanh({})", "sigmoid({})", "relu({})", "abs({})", "(-{})", "sqrt(abs({}))", "exp(-abs({}))",
    "log(abs({}) + 0.5)", "floor({})", "sign({})", "({} ^ 2)", "({} ^ 3)", "(abs({}) + 0.1) ^ -2", "exp(sin({}))",
    "clip({}, -1.5, 1.5)", "({} * 0.5)", "({} + 1)", "(2 * {})", "(1.0 / (1.0 + {} ^ 2))", "sqrt({})", "log({})",
    "real(complex({}, 0.5) * (1 - 2im))", "abs(complex(0.25, {}))", "imag(exp(complex({}, im=1.5) / 4))", "angle(conj(complex({}, 2.0)))",
    "real(sqrt(polar(1.5, {})))", "imag(c128({}) ^ 2 * 1im)", "real(c64({}) + 2im)", "imag(log1p(complex({}, 0.5)))", "real(expm1(complex(tanh({}), 0.5)))", "real(log2(complex({}, 1.5)))", "imag(log10(complex({}, -2)))", "({} if is_complex(1im) else 0.0)",
    "stop_gradient({})", "f64({})", "f32({})", "f16({})", "bf16({})", "(abs({}) + 0.2) ^ 1.7",
]
FLOAT_BINARY = ["({} + {})", "({} - {})", "({} * {})", "({} * {})", "({} + {})", "({} / (abs({}) + 1.0))", "minimum({}, {})",
                "maximum({}, {})", "atan2({}, {})", "({} % (abs({}) + 0.7))", "({} / {})", "pow(abs({}) + 0.1, sin({}))",
                "({} // (abs({}) + 0.7))"]
INT_UNARY = ["(-{})", "abs({})", "({} % 5)", "({} // 3)", "({} * 2)", "({} + 1)", "(~{})", "({} ^ 2)", "sign({})", "i32({})", "i8({})", "u16({})",
             "i64({})", "(7 - {})", "({} % -4)"]
INT_BINARY = ["({} + {})", "({} - {})", "({} * {})", "minimum({}, {})", "maximum({}, {})", "({} & {})", "({} | {})",
              "xor({}, {})", "({} // (abs({}) + 1))", "({} % (abs({}) + 2))"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


class Expressions(Vocabulary, Transforms):
    def __init__(self, random):
        self.random = random
        self.late = Random(repr(random.getstate()[1][:4]))  # see apart()
        self.choose = random.choice

    def chance(self, p):
        return self.random.random() < p

    def pick(self, options):
        """One of [(weight, thing)]."""
        at = self.random.random() * sum(weight for weight, _ in options)
        for weight, thing in options:
            at -= weight
            if at < 0:
                return thing
        return options[-1][1]

    # --- any type ---

    def value(self, scope, type_, depth=2):
        if isinstance(type_, Num):
            return self.number(scope, type_.cls, type_.shape, depth)
        if isinstance(type_, Tup):
            items = [self.value(scope, item, depth) for item in type_.items]
            return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
        if isinstance(type_, Rec):
            return "{" + ", ".join(f"{name}: {self.value(scope, field, depth)}" for name, field in type_.fields) + "}"
        if isinstance(type_, Fun):
            return self.lambda_of(scope, type_.argument, type_.result.cls, type_.result.shape, depth)
        assert isinstance(type_, Lst)
        return "list(" + ", ".join(self.value(scope, type_.item, depth) for _ in range(self.random.randint(1, 3))) + ")"

    def shape(self, scope, rank=None):
        """A shape that something in the scope has, or one from its dimensions."""
        tensors = scope.tensors()
        if rank is None and tensors and self.chance(0.75):
            return self.choose(tensors).type.shape
        rank = self.pick([(3, 0), (5, 1), (4, 2), (0.7, 3)]) if rank is None else rank
        if rank == 3:  # one large extent at most
            return tuple(self.random.sample([self.dim(scope), "2", "3"], 3))
        return tuple(self.dim(scope) for _ in range(rank))

    def dim(self, scope):
        return self.choose(scope.dims) if scope.dims and self.chance(0.75) else self.choose(["1", "2", "3", "3", "4"])

    def number(self, scope, cls, shape, depth):
        if depth <= 0 or self.chance(0.12):
            return self.leaf(scope, cls, shape)
        for _ in range(4):
            text = self.pick(self.ways(cls, shape))(scope, cls, shape, depth - 1)
            if text is not None:
                return text
        return self.leaf(scope, cls, shape)

    def ways(self, cls, shape):
        options = [(2.0, self.ternary), (1.2, self.call), (1.2, self.where), (0.5, self.method), (1.6, self.builtin)]
        if cls == "b":
            options += [(8, self.comparison), (3, self.logic), (1, self.any_all)]
        else:
            options += [(7, self.unary), (10, self.binary), (0.6, self.convert)]
        if cls == "f":
            options += [(0.5, self.draw), (1.0, self.derivative), (0.6, self.mapped)]
        if not shape:
            options += [(5, self.element), (5, self.reduction), (2, self.reducing_comprehension)]
            options += [(1.5, self.size)] if cls == "i" else [(1, self.product)] if cls == "f" else []
            return options
        options += [(2.5, self.rearranged), (2.0, self.comprehension), (1.5, self.axis_reduction), (2.0, self.gathered)]
        if cls != "b":
            options += [(1.5, self.product)]
        return options + [(1.5, self.row), (1, self.joined), (1.0, self.broadcast)]

    # --- leaves ---

    def literal(self, cls):
        return self.choose({"f": FLOAT_LITERALS, "i": INT_LITERALS, "b": ["true", "false"]}[cls])

    def leaf(self, scope, cls, shape):
        exact = scope.numbers(cls, shape)
        if exact and self.chance(0.9):
            return self.recent(exact)
        if self.chance(0.85):
            text = self.derived(scope, cls, shape)
            if text is not None:
                return text
        if not shape:
            return self.literal(cls)
        dims = ", ".join(shape)
        count = " * ".join(shape)
        ramp = f"arange({count})" if len(shape) == 1 else f"reshape(arange({count}), {dims})"
        if cls == "f":
            return self.choose([f"ones({dims})", f"zeros({dims})", f"full(({dims},), {self.literal('f')})", f"({ramp} * 0.3)",
                                f"sin({ramp})", f"zeros({dims}, dtype={self.choose(['f32', 'f32', 'f16', 'bf16'])})", f"(f32({ramp}) - 1.5)"])
        if cls == "i":
            return self.choose([f"({ramp} - 2)", f"({ramp} % 3)", f"i32({ramp})", f"full(({dims},), {self.literal('i')})"])
        return self.choose([f"({ramp} % 2 == 0)", f"({ramp} > 1)", f"full(({dims},), {self.literal('b')})"])

    def derived(self, scope, cls, shape):
        """From a variable of another class or shape, so that little is constant."""
        found = scope.numbers("fi")
        if not found:
            return None
        v = [self.choose(found) for _ in range(4)]
        v = next((x for x in v if x.type.shape == shape), v[0])
        x, other = v.path, v.type.cls
        if v.type.shape == shape:
            if cls == "b":
                return f"({x} {self.choose(COMPARISONS)} {self.literal(other)})"
            return self.choose([f"({x} * 0.25)", f"f64({x})", f"f32({x})", f"f16({x})", f"bf16({x})"] if cls == "f" else [f"i64({x})", f"i32({x})", f"i64({x})", f"i32({x})", f"u8({x})", f"i16({x})"])
        number = self.choose(["sum({})", "mean({})", "sum(sin({}))"]).format(x) if v.type.shape else x
        if shape:
            dims = ", ".join(shape)
            text = self.choose([f"full(({dims},), {number})", f"({number} + zeros({dims}))", f"broadcast_to({number}, {dims})"])
        else:
            text = number
        if cls == "f":
            return text if other == "f" or "mean" in text or "sin" in text else f"({text} * 0.5)"
        if cls == "i":
            return f"len({x})" if not shape and v.type.shape and self.chance(0.4) else f"i64({text})"
        return f"({text} {self.choose(['<', '>', '>=', '!='])} {self.literal('f')})"

    def recent(self, variables):
        """The later ones more often."""
        return variables[-1 - int(len(variables) * self.random.random() ** 2)].path

    # --- elementwise ---

    def operand(self, scope, cls, shape, depth):
        """Of a shape that broadcasts to the wanted one."""
        if not shape or self.chance(0.7):
            return self.number(scope, cls, shape, depth)
        way = self.random.randrange(4)
        if way == 0 and len(shape) > 1:
            return self.number(scope, cls, shape[1:], depth)
        if way == 1:
            return self.number(scope, cls, ("1",) + shape[1:], depth)
        if way == 2 and len(shape) == 2:
            return f"unsqueeze({self.number(scope, cls, shape[:1], depth)}, 1)"
        return self.number(scope, cls, (), depth)

    def weaker(self, cls):
        """A class whose numbers may stand beside numbers of this one."""
        return cls if self.chance(0.88) else {"f": "i", "i": "i", "b": "b"}[cls]

    def unary(self, scope, cls, shape, depth):
        if self.chance(0.35):
            text = self.word(scope, cls, shape, depth)
            if text is not None:
                return text
        return self.choose(FLOAT_UNARY if cls == "f" else INT_UNARY).format(self.number(scope, cls, shape, depth))

    def word(self, scope, cls, shape, depth):
        """One of all builtins that give numbers like those they take."""
        options = [(4, WORDS.unary[cls])]
        if shape:
            options.append((2, WORDS.tensors[cls]))
        if len(shape) >= 2 and shape[-1] == shape[-2]:
            options.append((2, WORDS.squares[cls]))
        names = self.pick(options)
        return f"{self.choose(names)}({self.number(scope, cls, shape, depth)})" if names else None

    @contextlib.contextmanager
    def apart(self):
        """What is drawn inside does not change what is drawn after it: programs that were found stay what they were."""
        self.random, before = self.late, self.random
        self.choose = self.random.choice
        try:
            yield
        finally:
            self.random = before
            self.choose = before.choice

    def binary(self, scope, cls, shape, depth):
        if WORDS.binary[cls] and self.chance(0.15):
            name = self.choose(WORDS.binary[cls])
            if cls == "i" and name in ("pow", "shift_left", "shift_right") and self.chance(0.95):  # of a negative number: an error
                of, by = self.number(scope, cls, shape, depth), f"abs({self.number(scope, cls, shape, depth)}) % 70"
                with self.apart():
                    if name != "pow" and self.chance(0.5):
                        return f"(({of}) {'<<' if name == 'shift_left' else '>>'} {by})"
                return f"{name}({of}, {by})"
            return f"{name}({self.number(scope, cls, shape, depth)}, {self.number(scope, cls, shape, depth)})"
        pair = [self.number(scope, cls, shape, depth), self.operand(scope, self.weaker(cls), shape, depth)]
        pattern = self.choose(FLOAT_BINARY if cls == "f" else INT_BINARY)
        if "(abs" not in pattern:
            self.random.shuffle(pair)
        return pattern.format(*pair)

    def convert(self, scope, cls, shape, depth):
        if cls == "f":
            return self.choose(["f32({})", "f64({})", "f16({})", "bf16({})"]).format(self.number(scope, self.choose("bif"), shape, depth))
        return self.choose(["i32({})", "i64({})", "i32({})", "i64({})", "u32({})", "i8({})"]).format(self.number(scope, self.choose("bif"), shape, depth))

    def comparison(self, scope, _, shape, depth):
        cls = self.choose("iff")
        if WORDS.tests[cls] and self.chance(0.1):
            return f"{self.choose(WORDS.tests[cls])}({self.number(scope, cls, shape, depth)})"
        left, right = self.number(scope, cls, shape, depth), self.operand(scope, cls, shape, depth)
        if self.chance(0.1):
            return f"({self.operand(scope, cls, shape, 0)} < {left} <= {right})"
        return f"({left} {self.choose(COMPARISONS)} {right})"

    def logic(self, scope, _, shape, depth):
        left = self.number(scope, "b", shape, depth)
        if self.chance(0.2):
            return f"(not {left})" if not shape else f"(~{left})"
        operators = ["and", "or"] if not shape and self.chance(0.7) else ["&", "|", "=="]
        return f"({left} {self.choose(operators)} {self.number(scope, 'b', shape, depth)})"

    def where(self, scope, cls, shape, depth):
        a, b = self.number(scope, cls, shape, depth), self.operand(scope, self.weaker(cls), shape, depth)
        return f"where({self.operand(scope, 'b', shape, depth)}, {a}, {b})"

    def ternary(self, scope, cls, shape, depth):
        a, b = self.number(scope, cls, shape, depth), self.number(scope, self.weaker(cls), shape, depth)
        return f"({a} if {self.condition(scope, depth)} else {b})"

    def condition(self, scope, depth=1):
        return self.number(scope, "b", (), depth)

    def method(self, scope, cls, shape, depth):
        x = scope.numbers(cls, shape)
        if not x or cls == "b":
            return None
        name = self.choose(["abs()", "sign()", "maximum(1)", "minimum(0.5)" if cls == "f" else "minimum(3)"])
        return f"{self.choose(x).path}.{name}"

    def draw(self, scope, _, shape, depth):
        if scope.nested and self.chance(0.7):
            return None
        dims = ", ".join(shape)
        return f"{self.choose(['rand', 'randn'])}({dims})"

    # --- numbers from tensors ---

    def index(self, scope, dim):
        """An index that is in range unless the extent is 0."""
        loops = [name for name, bound in scope.indices.items() if bound == dim]
        if loops and self.chance(0.7):
            return self.choose(loops)
        return self.choose(["0", "-1", "0", f"({self.number(scope, 'i', (), 1)}) % {dim}"])

    def element(self, scope, cls, _, depth):
        tensors = scope.tensors(cls)
        if not tensors:
            return None
        x = self.choose(tensors)
        return f"{x.path}[{', '.join(self.index(scope, dim) for dim in x.type.shape)}]"

    def reduction(self, scope, cls, _, depth):
        shape = self.shape(scope, None if self.chance(0.7) else 1) or self.shape(scope, 1)
        if cls == "b":
            return self.any_all(scope, cls, (), depth)
        if WORDS.reductions[cls] and self.chance(0.25):
            return f"{self.choose(WORDS.reductions[cls])}({self.number(scope, cls, shape, depth)})"
        if cls == "i":
            name = self.pick([(4, "sum"), (1, "max"), (1, "min"), (1, "prod"), (1, "argmax"), (1, "argmin")])
            inner = "f" if name.startswith("arg") else self.choose("ibi") if name == "sum" else "i"
        else:
            name = self.pick([(6, "sum"), (4, "mean"), (1, "max"), (1, "min"), (1, "prod"), (1, "logsumexp")])
            inner = "f"
        x = self.number(scope, inner, shape, depth)
        if name == "sum" and self.chance(0.1) and scope.tensors("f"):
            y = self.choose(scope.tensors("f"))
            x = f"{y.path}[{y.path} > {self.literal('f')}]" if cls == "f" else f"i64({y.path}[{y.path} > 0.1])"
        return f"({x}).{name}()" if self.chance(0.1) else f"{name}({x})"

    def any_all(self, scope, cls, shape, depth):
        if shape:
            return None
        return f"{self.choose(['any', 'all'])}({self.number(scope, 'b', self.shape(scope, 1), depth)})"

    def size(self, scope, cls, _, depth):
        tensors = scope.tensors()
        if not tensors:
            return self.choose(scope.dims) if scope.dims else None
        x = self.choose(tensors)
        axis = self.random.randrange(len(x.type.shape))
        return self.choose([f"len({x.path})", f"{x.path}.size", f"{x.path}.shape[{axis}]", f"{x.path}.rank", *scope.dims])

    # --- tensors from tensors ---

    def product(self, scope, cls, shape, depth):
        if cls == "i" and self.chance(0.7):
            return None
        k = self.dim(scope)
        if not shape:
            name = self.choose(["dot({}, {})", "({} @ {})"])
            return name.format(self.number(scope, cls, (k,), depth), self.number(scope, cls, (k,), depth))
        left, right = (shape[:-1] + (k,), (k, shape[-1])) if len(shape) > 1 else ((shape[0], k), (k,))
        return f"({self.number(scope, cls, left, depth)} @ {self.number(scope, cls, right, depth)})"

    def axis_reduction(self, scope, cls, shape, depth):
        if cls == "b":
            name = self.choose(["any", "all"])
        else:
            name = self.pick([(5, "sum"), (3, "mean" if cls == "f" else "sum"), (1, "max"), (1, "min"), (0.5, "prod")])
            if cls == "f" and self.chance(0.1):
                name = "logsumexp"
        axis = self.random.randint(0, len(shape))
        extra = self.dim(scope) if name in ("sum", "mean", "any", "all", "prod") else self.choose(["2", "3", "1"])
        if len(shape) == 3:
            return None
        extra = "2" if len(shape) == 2 else extra
        inner = self.number(scope, cls, shape[:axis] + (extra,) + shape[axis:], depth)
        where = axis if self.chance(0.6) else axis - len(shape) - 1
        if self.chance(0.2):
            return f"squeeze({name}({inner}, axis={where}, keepdims=true), {axis})"
        return f"{name}({inner}, axis={where})"

    def rearranged(self, scope, cls, shape, depth):
        first = shape[0]
        inner = lambda s: self.number(scope, cls, s, depth)
        options = [f"flip({inner(shape)}, axis={self.random.randrange(len(shape))})", f"({inner(shape)})[::-1]"]
        if len(shape) == 2:
            with self.apart():
                transposed = self.choose(["transpose({})", "swapaxes({}, 0, -1)", "moveaxis({}, 0, 1)", "moveaxis({}, (0, 1), (1, 0))"])
            options += [f"({inner(shape[::-1])}).T", transposed.format(inner(shape[::-1])), f"reshape({inner(shape)}, {', '.join(shape)})"]
        if len(shape) == 1:
            options += [f"squeeze({inner(('1',) + shape)}, 0)",
                        f"reshape({inner(shape + ('2',))}, -1)[::2]"]
        if len(shape) == 3:
            options += [f"permute({inner((shape[1], shape[2], shape[0]))}, 2, 0, 1)"]
        if first.isdigit() and int(first) >= 2:
            options += [f"repeat({inner(('1',) + shape[1:])}, {first}, axis=0)"]
        return self.choose(options)

    def gathered(self, scope, cls, shape, depth):
        sources = [v for v in scope.tensors(cls) if v.type.shape[1:] == shape[1:]]
        if not sources:
            return None
        x = self.choose(sources)
        return f"{x.path}[{self.number(scope, 'i', shape[:1], depth)} % {x.type.shape[0]}]"

    def row(self, scope, cls, shape, depth):
        sources = [v for v in scope.tensors(cls) if len(v.type.shape) == len(shape) + 1]
        for v in sources:
            if v.type.shape[1:] == shape:
                return f"{v.path}[{self.index(scope, v.type.shape[0])}]"
            if v.type.shape[0] == shape[0] and len(shape) == 1:
                return f"{v.path}[:, {self.index(scope, v.type.shape[1])}]"
        return None

    def joined(self, scope, cls, shape, depth):
        first = shape[0]
        if first.isdigit() and 2 <= int(first) <= 4:
            items = [self.number(scope, cls, shape[1:], depth) for _ in range(int(first))]
            return f"stack(({', '.join(items)}))" if shape[1:] or self.chance(0.3) else f"[{', '.join(items)}]"
        x = scope.numbers(cls, shape)
        y = scope.numbers(cls, shape)
        if not x or first.isdigit():
            return None
        return f"concat(({self.choose(x).path}[:1], {self.choose(y).path}[1:]))"

    def broadcast(self, scope, cls, shape, depth):
        inner = self.number(scope, cls, shape[1:], depth)
        return f"broadcast_to({inner}, {', '.join(shape)})"

    # --- index notation ---

    def comprehension(self, scope, cls, shape, depth):
        if scope.nested > 1 or len(shape) > 2:
            return None
        count = self.random.randint(1, len(shape))
        inner, clauses = scope.inner(), []
        for dim in shape[:count]:
            sources = [v for v in scope.tensors() if v.type.shape[0] == dim] if count == 1 else []
            if sources and self.chance(0.35):
                x, name = self.choose(sources), scope.names.fresh("v")
                inner.add(name, Num(x.type.cls, x.type.shape[1:]), False)
                if self.chance(0.4):
                    i = scope.names.fresh("i")
                    inner.add(i, Num("i", ()), False)
                    inner.indices[i] = dim
                    clauses.append(f"({i}, {name}) in enumerate({x.path})")
                else:
                    clauses.append(f"{name} in {x.path}")
            else:
                name = scope.names.fresh("i")
                inner.add(name, Num("i", ()), False)
                inner.indices[name] = dim
                clauses.append(f"{name} in range({dim})")
        inner.nested += 1
        return f"[{self.number(inner, cls, shape[count:], depth)} for {', '.join(clauses)}]"

    def reducing_comprehension(self, scope, cls, _, depth):
        if scope.nested > 1:
            return None
        contraction = self.contraction(scope, cls)
        if contraction is not None and self.chance(0.4):
            return contraction
        inner, clauses = scope.inner(), []
        for _ in range(self.pick([(4, 1), (1, 2)])):
            dim, name = self.dim(scope), scope.names.fresh("i")
            inner.add(name, Num("i", ()), False)
            inner.indices[name] = dim
            clauses.append(f"{name} in range({dim})")
        inner.nested += 1
        name = self.choose(["any", "all"]) if cls == "b" else self.choose(["sum", "sum", "sum", "max", "prod"])
        head = f"{self.number(inner, cls, (), depth)} for {', '.join(clauses)}"
        with self.apart():
            if name == "max" or not self.chance(0.3):
                return f"{name}({head})"
            condition = f"({self.condition(inner)})"
            # In brackets the length must not depend on what is around.
            return f"{name}([{head} if {condition}])" if scope.nested == 0 and self.chance(0.4) else f"{name}({head} if {condition})"

    def contraction(self, scope, cls):
        """Products of tensors indexed by plain names: sum(x[i] * y[i] for i), with ranges left out."""
        if cls == "b":
            return None
        pairs = [(x, y) for x in scope.tensors(cls) for y in scope.tensors(cls)
                 if "." not in x.path + y.path and "[" not in x.path + y.path and x.type.shape[-1] == y.type.shape[0]]
        pairs = [(x, y) for x, y in pairs if len(x.type.shape) <= 2 and len(y.type.shape) <= 2]
        if not pairs:
            return None
        x, y = self.choose(pairs)
        k, a, b = (scope.names.fresh("k") for _ in range(3))
        left = f"{x.path}[{k}]" if len(x.type.shape) == 1 else f"{x.path}[{a}, {k}]"
        right = f"{y.path}[{k}]" if len(y.type.shape) == 1 else f"{y.path}[{k}, {b}]"
        outer = [n for n, v in ((a, x), (b, y)) if len(v.type.shape) == 2]
        text = f"sum({left} * {right} for {k})"
        return f"sum([{text} for {', '.join(outer)}])" if outer else text

    # --- functions ---

    def call(self, scope, cls, shape, depth):
        found = []
        for f in scope.functions:
            if not f.callable or not isinstance(f.result, Num) or f.result.cls != cls:
                continue
            if (f.loops and (scope.loops or scope.nested)) or (f.effects and scope.nested):
                continue
            known = self.unify(f.result.shape, shape, f.dims)
            if known is not None:
                found.append((f, known))
        if not found:
            return None
        f, known = self.choose(found)
        for d in f.dims:
            known.setdefault(d, self.dim(scope))
        scope.calls_loops = scope.calls_loops or f.loops
        return f"{f.name}({self.arguments(scope, f, known, depth)})"

    def arguments(self, scope, f, known, depth):
        texts = []
        for name, type_, default in f.parameters:
            if default is not None and self.chance(0.5):
                continue
            text = self.value(scope, self.instance(type_, known), min(depth, 1))
            texts.append(f"{name}={text}" if default is not None else text)
        return ", ".join(texts)

    def unify(self, pattern, shape, dims):
        if len(pattern) != len(shape):
            return None
        known = {}
        for p, d in zip(pattern, shape):
            if p in dims:
                if known.setdefault(p, d) != d:
                    return None
            elif p != d:
                return None
        return known

    def instance(self, type_, known):
        if isinstance(type_, Num):
            return Num(type_.cls, tuple(known.get(d, d) for d in type_.shape))
        if isinstance(type_, Tup):
            return Tup(tuple(self.instance(t, known) for t in type_.items))
        if isinstance(type_, Fun):
            return type_
        if isinstance(type_, Lst):
            return Lst(self.instance(type_.item, known))
        return Rec(tuple((name, self.instance(t, known)) for name, t in type_.fields))
