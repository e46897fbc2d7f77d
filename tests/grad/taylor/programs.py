"""Draws programs: a function f of a number or of a vector of 2 to 4, with the functions that it calls.

A program has some of the features of FEATURES; the others do not occur in it, so that it stays small. Start at
Program().
"""
import dataclasses
import random

import jets as J
from jets import applied
from tree import Def, Node, Ruled, Slope, text
from vocabulary import OPS, dot

FEATURES = {"lists": 0.4, "records": 0.4, "recursion": 0.3, "closures": 0.5, "choices": 0.3, "rules": 0.3, "helpers": 0.6,
            "special": 0.12}
NEEDS = {"LS": "lists", "LV": "lists", "R": "records", "F": "closures"}

# Functions of a number and their derivatives: t the number, r the result.
SLOPES = [
    ("sin(t) * t", "sin(t) + t * cos(t)", lambda t: applied("sin", t) * t), ("tanh(t)", "1.0 - r^2", lambda t: applied("tanh", t)),
    ("exp(0.5 * sin(t))", "0.5 * r * cos(t)", lambda t: applied("exp", 0.5 * applied("sin", t))),
    ("1.0 / (1.0 + t^2)", "-2.0 * t * r^2", lambda t: J.reciprocal(1.0 + t * t)),
    ("sqrt(t^2 + 0.25)", "t / r", lambda t: applied("sqrt", t * t + 0.25)),
]


@dataclasses.dataclass
class Scope:
    variables: dict     # name: type
    loops: tuple = ()   # the integers of the loops around, the innermost last
    depth: int = 0      # of statements
    inside_loop: bool = False
    result: str = "S"   # the type that return gives
    exits: bool = True  # whether return may stand here


def name(variable, type_):
    return Node("name", type_, (variable,))


def number(value):
    return Node("number", "I" if isinstance(value, int) else "S", (value,))


def statement(kind, *parts):
    return Node(kind, "", parts)


class Program:
    def __init__(self, seed, prefix, filters=False):
        self.random, self.prefix = random.Random(seed), prefix
        self.long = self.chance(0.5)
        share = 1 if self.long else 0.6
        self.features = {feature for feature, chance in FEATURES.items() if self.random.random() < chance * share}
        self.filters = filters
        self.size = self.pick((1, 0), (3, 2), (2, 3), (1, 4))      # 0: a number
        self.length = self.size or self.random.randrange(2, 4)
        self.functions, self.signatures = {}, {}    # and ([types of parameters], type of the result) by name
        self.point = self.inputs()
        for feature, draw in (("rules", self.ruled), ("helpers", self.helpers), ("closures", self.makers),
                              ("recursion", self.recursive)):
            if feature in self.features:
                draw()
        self.main()

    # --- drawing ---

    def pick(self, *weighted):
        return self.random.choices([item for _, item in weighted], [weight for weight, _ in weighted])[0]

    def chance(self, share):
        return self.random.random() < share

    def inputs(self):
        point = [round(self.random.uniform(0.1, 1.2) * self.random.choice((1, 1, -1)), 2) for _ in range(max(self.size, 1))]
        if "special" in self.features:
            point[-1] = self.random.choice((0.0, point[0], 0.75))
        return point

    def literal(self):
        return number(self.random.choice((0.5, 1.0, -2.0, 0.25, 1.5, -0.75, 0.0)))

    def named(self, type_, scope):
        found = [variable for variable, t in scope.variables.items() if t == type_]
        return name(self.random.choice(found), type_) if found else None

    def integer(self, scope):
        if scope.loops and self.chance(0.9):
            return name(scope.loops[-1] if self.chance(0.7) else self.random.choice(scope.loops), "I")
        return number(self.random.randrange(3))

    def expression(self, type_, scope, depth=0):
        if type_ == "I":
            return self.integer(scope)
        leaf = self.named(type_, scope)
        if type_ in ("LS", "LV"):
            return leaf
        if leaf and self.chance((0.1, 0.4, 0.75, 0.9, 1.0)[min(depth, 4)]):
            return leaf
        if type_ == "S" and self.chance(0.08 + 0.1 * depth):
            return self.literal()
        if type_ == "F" and self.chance(0.4):
            return self.function(scope, depth)
        calls = [f for f in self.functions.values() if self.type_of(f) == type_ and not f.name.endswith("go")]
        if calls and self.chance(0.5 if type_ == "F" else 0.2):
            return self.call(self.random.choice(calls), scope, depth)
        if type_ in ("S", "V") and depth < 2 and self.chance(0.35 if self.filters else 0.06):
            return self.comprehension(type_, scope, depth)
        if type_ == "V" and self.chance(0.1):
            return Node("stack", "V", tuple(self.expression("S", scope, depth + 1) for _ in range(self.length)))
        if depth > 3:
            return leaf or self.simplest(type_)
        possible = [(weight, op) for op, (kind, operands, weight, _, _) in OPS.items()
                    if kind == type_ and all(self.possible(operand, scope) for operand in operands)]
        if not possible:
            return leaf or self.simplest(type_)
        op = self.pick(*possible)
        operands = [self.expression(operand, scope, depth + 1) for operand in OPS[op][1]]
        if len(operands) == 2 and operands[0] == operands[1]:   # x > x says little
            operands[1] = self.expression(OPS[op][1][1], scope, depth + 1)
        return Node(op, type_, tuple(operands))

    def simplest(self, type_):
        return {"S": number(0.5), "V": Node("numbers", "V", (0.5, 0.25, -0.5, 0.75)[:self.length]),
                "R": Node("{{p: {0}, v: {1}}}:SV", "R", (number(0.5), name("x", "V"))),
                "B": Node("({0} == 1):I", "B", (number(1),)),
                "F": Node("lambda", "F", ("t", Node("sin({0}):S", "S", (name("t", "S"),))))}[type_]

    def possible(self, operand, scope):
        if operand == "I":
            return bool(scope.loops)
        if operand in ("LS", "LV", "R"):
            return operand in scope.variables.values()
        return operand != "F" or "closures" in self.features

    def function(self, scope, depth):
        plain = [f for f in self.functions.values() if self.parameters_of(f) == ["S"] and self.type_of(f) == "S"]
        if plain and self.chance(0.3):
            return Node("name", "F", (self.random.choice(plain).name,))
        if self.chance(0.3) and self.named("F", scope):
            return self.named("F", scope)
        inner = dataclasses.replace(scope, variables={**scope.variables, "t": "S"})
        if self.chance(0.15):
            ways = (self.expression("S", inner, max(depth, 1)) for _ in range(2))
            return Node("choice", "F", ("t", self.condition(inner), *ways))
        body = self.expression("S", inner, max(depth, 1))
        return Node("lambda", "F", ("t", Node("({0} * {1}):SS", "S", (body, name("t", "S"))) if self.chance(0.5) else body))

    def comprehension(self, type_, scope, depth):
        over = self.expression("V", scope, depth + 2)
        inner = dataclasses.replace(scope, variables={**scope.variables, "q": "S"})
        body = self.expression("S", inner, depth + 1)
        if self.filters and self.chance(0.9 if type_ == "S" else 0.4):
            return self.filtered(type_, body, over, inner)
        kind = "total" if type_ == "S" else "vmap" if self.chance(0.3) else "map"
        return Node(kind, type_, ("q", Node("({0} * {1}):SS", "S", (body, name("q", "S"))), over))

    def filtered(self, type_, body, over, inner):
        """A comprehension with a filter, or over records."""
        if type_ == "V":
            return Node("fields", "V", ("q", body, over))
        q = name("q", "S")
        other = self.literal() if self.chance(0.4) else self.expression("S", inner, 2)
        filter_ = Node(self.random.choice(("({0} > {1}):SS", "({0} < {1}):SS")), "B", (q, other))
        if self.chance(0.2):
            filter_ = self.condition(inner)
        kind = self.pick((4, "reduced"), (3, "chosen"), (2, "records"))
        if kind == "records":
            return Node(kind, "S", ("q", body, over, filter_))
        reductions = ((5, "sum"), (1, "mean"), (1, "prod"), (1, "max"), (1, "min"))
        return Node(kind, "S", (self.pick(*reductions), "q", body, over, filter_))

    def parameters_of(self, f):
        return self.signatures[f.name][0] if f.name in self.signatures else []

    def type_of(self, f):
        return self.signatures[f.name][1] if f.name in self.signatures else None

    def call(self, f, scope, depth):
        arguments = tuple(self.expression(type_, scope, depth + 1) for type_ in self.parameters_of(f))
        return Node("call", self.type_of(f), (f.name, *arguments))

    # --- statements ---

    def block(self, scope, least=1, most=2):
        inner = dataclasses.replace(scope, depth=scope.depth + 1)
        return tuple(self.statement(inner) for _ in range(self.random.randrange(least, most + 1)))

    def statement(self, scope):
        kinds = [(6, self.assignment), (1.5, self.update), (1.5, self.item)]
        pairs = [type_ for type_ in ("S", "V", "F", "R") if self.pair(type_, scope)]
        if pairs:
            kinds.append((1.2, self.swap))
        if scope.depth < 3:
            kinds.append((2, self.branch))
            if len(scope.loops) < 2:
                kinds.append((2.5, self.loop))
        if "lists" in self.features and "LS" in scope.variables.values():
            kinds.append((4, self.list_statement))
        if "R" in scope.variables.values():
            kinds.append((1, self.field))
        if scope.depth and scope.exits:
            kinds.append((0.9, self.exit))
        if any(type_ == "S" for _, type_ in self.targets(scope)):
            kinds.append((0.15, self.shrink))
        return self.pick(*kinds)(scope)

    def targets(self, scope):
        return [(variable, type_) for variable, type_ in scope.variables.items()
                if type_ in ("S", "V", "R", "F") and len(variable) == 1 and variable not in "xtqm"]

    def assignment(self, scope):
        variable, type_ = self.random.choice(self.targets(scope))
        new = self.expression(type_, scope)
        return statement("set", variable, "=", self.expression(type_, scope) if new == name(variable, type_) else new)

    def update(self, scope):
        found = [(variable, type_) for variable, type_ in self.targets(scope) if type_ in ("S", "V")]
        variable, type_ = self.random.choice(found)
        op = self.random.choice(("+=", "-=", "*="))
        return statement("set", variable, op, self.expression("S" if self.chance(0.5) else type_, scope))

    def item(self, scope):
        vectors = [variable for variable, type_ in self.targets(scope) if type_ == "V"]
        if not vectors:
            return self.assignment(scope)
        variable, op, new = self.random.choice(vectors), self.random.choice(("=", "+=", "*=")), self.expression("S", scope)
        if self.chance(0.25):
            low = self.random.randrange(self.length - 1)
            return statement("slice", variable, low, self.random.randrange(low + 1, self.length + 1), op, new)
        return statement("item", variable, self.index(scope), op, new)

    def index(self, scope):
        if scope.loops and self.chance(0.6):
            return Node(f"({{0}} % {self.length}):I", "I", (name(scope.loops[-1], "I"),))
        return number(self.random.choice((0, 1, -1)))

    def pair(self, type_, scope):
        found = [variable for variable, t in self.targets(scope) if t == type_]
        return self.random.sample(found, 2) if len(found) > 1 else None

    def swap(self, scope):
        type_ = self.random.choice([type_ for type_ in ("S", "V", "F", "R") if self.pair(type_, scope)])
        pair = self.pair(type_, scope)
        if self.chance(0.35):
            return statement("both", *pair, self.expression(type_, scope, 1), self.expression(type_, scope, 1))
        return statement("swap", *pair)

    def condition(self, scope):
        return self.expression("B", scope, 1)

    def branch(self, scope):
        return statement("if", self.condition(scope), self.block(scope), self.block(scope) if self.chance(0.5) else ())

    def loop(self, scope):
        variable = f"i{len(scope.loops)}"
        inner = dataclasses.replace(scope, loops=scope.loops + (variable,), inside_loop=True)
        way = self.random.random()
        if way < 0.55:
            count = self.random.choice((2, 3, self.length))
            written = "len(x)" if count == self.length and self.size and "x" in scope.variables else str(count)
            return statement("for", variable, f"range({written})", count, self.block(inner))
        if way < 0.75:
            over, known = self.expression("V", scope, 2), {**scope.variables, "q": "S"}
            if self.chance(0.4):
                return statement("enumerate", variable, "q", over, self.block(dataclasses.replace(inner, variables=known)))
            return statement("each", "q", over, self.block(dataclasses.replace(scope, inside_loop=True, variables=known)))
        more = self.condition(scope) if self.chance(0.4) else None
        return statement("while", variable, self.random.randrange(2, 4), more, self.block(inner))

    def list_statement(self, scope):
        list_ = self.random.choice([variable for variable, type_ in scope.variables.items() if type_ in ("LS", "LV")])
        item = "S" if scope.variables[list_] == "LS" else "V"
        way = self.random.random()
        if way < 0.5:
            return statement("push", list_, self.expression(item, scope))
        if way < 0.8 or item == "V" and self.length == 1:
            at = number(self.random.choice((0, -1, 1)))
            return statement("item", list_, at, self.random.choice(("=", "=", "+=", "*=")), self.expression(item, scope))
        if way < 0.9:
            inner = dataclasses.replace(scope, variables={**scope.variables, "q": item})
            return statement("each", "q", name(list_, "LS"), (self.assignment(inner),))
        to = self.random.choice([variable for variable, type_ in self.targets(scope) if type_ == item])
        return statement("push", list_, self.expression(item, scope)) if scope.inside_loop else statement("pop", list_, to)

    def field(self, scope):
        record = self.random.choice([variable for variable, type_ in scope.variables.items() if type_ == "R"])
        if self.chance(0.4):
            at, op = self.index(scope), self.random.choice(("=", "+=", "*="))
            return statement("field_item", record, at, op, self.expression("S", scope))
        field, type_ = self.random.choice((("p", "S"), ("v", "V")))
        return statement("field", record, field, self.random.choice(("=", "=", "+=", "*=")), self.expression(type_, scope))

    def exit(self, scope):
        if scope.inside_loop and self.chance(0.5):
            return statement("break", self.condition(scope))
        return statement("return", self.condition(scope), self.expression(scope.result, scope, 1))

    def shrink(self, scope):
        target = self.random.choice([variable for variable, type_ in self.targets(scope) if type_ == "S"])
        return statement("shrink", target, self.expression("V", scope, 1))

    # --- functions ---

    def define(self, short, parameters, result, prologue, least, most, before=(), marked=0.5):
        """`prologue`: what is set first, (variable, type, expression)."""
        scope = Scope({**dict(parameters), **{variable: type_ for variable, type_, _ in prologue}}, result=result)
        block = tuple(statement("set", variable, "=", new) for variable, _, new in prologue) + before
        block += tuple(self.statement(scope) for _ in range(self.random.randrange(least, most + 1)))
        return Def(self.prefix + short, tuple(parameters), block, self.expression(result, scope, 0), self.chance(marked))

    def add(self, f, parameters, result):
        self.functions[f.name] = f
        self.signatures[f.name] = ([type_ for _, type_ in parameters], result)

    def ruled(self):
        way, label = self.random.random(), self.prefix + "h"
        both = [mode for mode in ("reverse", "forward") if self.chance(0.6)] or ["reverse"]
        if way < 0.35:
            body, slope, action = self.random.choice(SLOPES)
            self.add(Ruled(label, tuple(self.rule_lines(label, body, slope, both)), action), [("t", "S")], "S")
        elif way < 0.7:     # rules that are not the derivative of the body
            scope = Scope({"t": "S"})
            body = self.expression("S", scope, 2)
            slope = self.expression("S", Scope({"t": "S", "r": "S"}), 2)
            action = Slope(body, slope)
            rules = self.rule_lines(label, text(body), text(slope), self.random.sample(("reverse", "forward"), 2))
            self.add(Ruled(label, tuple(rules), action), [("t", "S")], "S")
        elif way < 0.85:
            rules = [f"fn {label}(w) = sqrt(sum(w^2) + 0.25)"]
            rules += [f"@derivative(of={label})", f"fn {label}_back(w, r, ct) = ct / r * w"] if "reverse" in both else []
            if "forward" in both:
                rules += [f'@derivative(of={label}, mode="forward")', f"fn {label}_ahead(w, r, dw) = sum(w * dw) / r"]
            self.add(Ruled(label, tuple(rules), lambda w: applied("sqrt", dot(w, w) + 0.25)), [("w", "V")], "S")
        else:
            rules = [f"fn {label}(w, t) = t * sin(t) * w"]
            if "reverse" in both:
                rules += [f"@derivative(of={label})",
                          f"fn {label}_back(w, t, r, ct) = (t * sin(t) * ct, sum(ct * w) * (sin(t) + t * cos(t)))"]
            if "forward" in both:
                rules += [f'@derivative(of={label}, mode="forward")',
                          f"fn {label}_ahead(w, t, r, dw, dt) = dw * (t * sin(t)) + w * (dt * (sin(t) + t * cos(t)))"]
            action = lambda w, t: [t * applied("sin", t) * p for p in w]
            self.add(Ruled(label, tuple(rules), action), [("w", "V"), ("t", "S")], "V")

    @staticmethod
    def rule_lines(label, body, slope, modes):
        found = [f"fn {label}(t) = {body}"]
        for mode in modes:
            if mode == "reverse":
                found += [f"@derivative(of={label})", f"fn {label}_back(t, r, ct) = ct * ({slope})"]
            else:
                found += [f'@derivative(of={label}, mode="forward")', f"fn {label}_ahead(t, r, dt) = dt * ({slope})"]
        return found

    def helpers(self):
        for short, parameters, result in self.random.sample([
                ("pick", [("a", "S"), ("b", "S")], "S"), ("turn", [("u", "V"), ("a", "S")], "V"), ("half", [("a", "S")], "S"),
                ("both", [("a", "S"), ("u", "V")], "R"), ("low", [("u", "V")], "S")], self.random.randrange(1, 3)):
            if result == "R" and "records" not in self.features:
                continue
            self.add(self.define(short, parameters, result, [], 1, 2), parameters, result)

    def makers(self):
        """Functions that take functions, and that give them."""
        if self.chance(0.5):
            parameters = [("g", "F"), ("a", "S")]
            self.add(self.define("apply", parameters, "S", [], 0, 1), parameters, "S")
        if self.chance(0.6):
            parameters = [("u", "V"), ("a", "S")]
            scope = Scope(dict(parameters))
            branch = statement("if", self.condition(scope), (statement("set", "g", "=", self.function(scope, 1)),),
                               (statement("set", "g", "=", self.function(scope, 1)),))
            result = name("g", "F")
            f = Def(self.prefix + "made", tuple(parameters), (branch,), result, self.chance(0.5))
            self.add(f, parameters, "F")

    def recursive(self):
        label = self.prefix + "go"
        parameters = [("u", "V"), ("a", "S"), ("m", "I")] if self.chance(0.5) else [("a", "S"), ("b", "S"), ("m", "I")]
        scope = Scope(dict(parameters), exits=False)
        less = lambda steps: Node(f"({{0}} - {steps}):I", "I", (name("m", "I"),))
        end = statement("return", Node("({0} <= 0):I", "B", (name("m", "I"),)), self.expression("S", scope, 1))
        block = (end, statement("set", "c", "=", self.expression("S", scope, 1)))
        scope.variables["c"] = "S"
        for _ in range(self.random.randrange(1, 3)):
            arguments = tuple(self.expression(type_, scope, 2) for _, type_ in parameters[:2])
            again = Node("call", "S", (label, *arguments, less(self.pick((3, 1), (1, 2)))))
            again = Node("({0} * {1}):SS", "S", (again, self.expression("S", scope, 2))) if self.chance(0.4) else again
            use = statement("set", "c", self.random.choice(("=", "+=", "+=")), again)
            block += (statement("if", self.condition(scope), (use,), ()) if self.chance(0.3) else use,)
            if self.chance(0.5):
                block += (self.statement(dataclasses.replace(scope, depth=2)),)
        result = Node("tanh({0}):S", "S", (name("c", "S"),)) if self.chance(0.5) else name("c", "S")
        self.add(Def(label, tuple(parameters), block, result, self.chance(0.3)), parameters, "S")

    def main(self):
        x = name("x", "V" if self.size else "S")
        first = Node("{0}[0]:V", "S", (x,)) if self.size else x
        scope = Scope({"x": x.type})
        spread = x if self.size else Node("stack", "V", tuple(self.expression("S", scope, 2) for _ in range(self.length)))
        prologue = [("a", "S", first), ("b", "S", self.expression("S", scope, 1)), ("u", "V", spread)]
        if self.chance(0.5):
            prologue.append(("c", "S", number(0.5)))
        known = Scope({"x": x.type, "a": "S", "b": "S", "u": "V"})
        prologue.append(("v", "V", self.expression("V", known, 1)))
        if "special" in self.features:
            prologue.append(("d", "S", self.special(x)))
        if "records" in self.features:
            fields = (self.expression("S", known, 1), self.expression("V", known, 1))
            prologue.append(("s", "R", Node("{{p: {0}, v: {1}}}:SV", "R", fields)))
        if "closures" in self.features or "choices" in self.features:
            prologue.append(("g", "F", self.function(known, 1)))
        if "choices" in self.features:
            prologue.append(("h", "F", self.function(known, 1)))
        if "lists" in self.features:
            prologue.append(("xs", "LS", Node("list", "LS", tuple(self.expression("S", known, 2) for _ in range(2)))))
            if self.chance(0.5):
                prologue.append(("us", "LV", Node("list", "LV", tuple(self.expression("V", known, 2) for _ in range(2)))))
        self.result = self.pick((2, "S"), (1, "V"))
        parameters = [("x", x.type)]
        f = self.define("f", parameters, self.result, prologue, *((1, 4) if self.long else (0, 2)), marked=0.4)
        self.functions[f.name] = dataclasses.replace(f, result=self.together(prologue))

    def together(self, prologue):
        """A result to which every variable contributes."""
        terms = []
        for variable, type_, _ in prologue:
            use = {"S": "{0}", "V": "sum({0}):V", "R": "{0}.p:R", "LS": "{0}[-1]:LS", "LV": "sum(stack({0})):LV"}.get(type_)
            if type_ == "F":
                term = Node("{0}({1}):FS", "S", (name(variable, "F"), name("a", "S")))
            else:
                term = name(variable, "S") if type_ == "S" else Node(use, "S", (name(variable, type_),))
            terms.append(Node("sin({0}):S", "S", (term,)) if self.chance(0.5) else term)
        calls = [f for f in self.functions.values() if f.name.endswith("go")]
        if calls:
            f = calls[0]
            first = name("u", "V") if self.parameters_of(f)[0] == "V" else name("b", "S")
            terms.append(Node("call", "S", (f.name, first, name("a", "S"), number(self.pick((2, 2), (1, 3))))))
        whole = terms[0]
        for term in terms[1:]:
            whole = Node("({0} * {1}):SS" if self.chance(0.2) else "({0} + {1}):SS", "S", (whole, term))
        return whole if self.result == "S" else Node("({0} * {1}):VS", "V", (name(self.random.choice("uv"), "V"), whole))

    def special(self, x):
        """At a kink, or nearly one: the last input is 0, or equals the first one, or an edge of clip."""
        last = Node("{0}[-1]:V", "S", (x,)) if self.size else x
        first = Node("{0}[0]:V", "S", (x,)) if self.size else x
        numbers, vectors = (), ("max({0}):V", "min({0}):V", "sum({0}):V")
        if self.point[-1] == 0:
            numbers, vectors = ("abs({0}):S", "relu({0}):S"), ("prod({0}):V", "sum({0}):V")
        elif self.point[-1] == 0.75:
            numbers, vectors = ("clip({0}, -0.5, 0.75):S",), ()
        if self.size and vectors and (not numbers or self.chance(0.4)):
            op = self.random.choice(vectors)
            inner = Node("cumprod({0}):V" if numbers else "sort({0}):V", "V", (x,)) if op == "sum({0}):V" else x
            return Node(op, "S", (Node("({0} * {1}):VV", "V", (inner, x)) if inner is not x else x,))
        if numbers:
            return Node(self.random.choice(numbers), "S", (last,))
        return Node(self.random.choice(("maximum({0}, {1}):SS", "minimum({0}, {1}):SS")), "S", (first, last))
