"""The small language of the programs: a tree that prints as Covec and runs over jets.

A Node's parts are Nodes, blocks (tuples of statements), and plain names or numbers. An expression has a type
(vocabulary.py), a statement has none. TEXT and RUN hold a function for each kind of expression that is not an operator of
the vocabulary; lines() and execute() do the statements.
"""
import dataclasses

import jets as J
from vocabulary import OPS, add, multiply, pairs, subtract


@dataclasses.dataclass(frozen=True)
class Node:
    op: str
    type: str
    parts: tuple


@dataclasses.dataclass(frozen=True)
class Def:
    """A function of the module: its parameters, statements and result."""
    name: str
    parameters: tuple   # (name, type)
    block: tuple
    result: Node
    marked: bool = False

    def lines(self):
        head = ["@compile"] if self.marked else []
        body = lines(self.block, 1) + [f"    return {text(self.result)}"]
        return head + [f"fn {self.name}({', '.join(name for name, _ in self.parameters)}) {{"] + body + ["}"]

    def run(self, arguments, functions):
        env = {"functions": functions, **{name: argument for (name, _), argument in zip(self.parameters, arguments)}}
        try:
            execute(self.block, env)
        except Return as given:
            return given.value
        return value(self.result, env)


@dataclasses.dataclass(frozen=True)
class Ruled:
    """A function with derivative rules: its text, and its action on jets."""
    name: str
    source: tuple       # lines
    action: object      # of the arguments

    def lines(self):
        return list(self.source)

    def run(self, arguments, _):
        return self.action(*arguments)


@dataclasses.dataclass(frozen=True)
class Slope:
    """The action of a function of a number whose rules, for both modes, say that its derivative is `slope` of the number t
    and the result r. So it solves a differential equation, one Taylor coefficient after the other."""
    body: Node          # of t: gives the value alone
    slope: Node

    def __call__(self, t):
        start = J.value(value(self.body, {"t": J.value(t)}))
        if not isinstance(t, J.Jet):
            return start
        outer, count = J.Jet.ring, J.Jet.ring.degree + 1
        J.Jet.ring, found = J.ring_of(1, outer.degree), [start] + [0.0] * (count - 1)
        for k in range(count - 1):
            slope = value(self.slope, {"t": J.variable(0, t.c[0]), "r": J.Jet(list(found))})
            found[k + 1] = (slope.c[k] if isinstance(slope, J.Jet) else slope * (k == 0)) / (k + 1)
        J.Jet.ring = outer
        return J.composed(found, t)


class Return(Exception):
    def __init__(self, value):
        super().__init__()
        self.value = value


class Break(Exception):
    pass


# --- expressions ---


def text(node):
    if node.op in OPS:
        return OPS[node.op][3].format(*(text(part) for part in node.parts))
    return TEXT[node.op](*node.parts)


STEPS = [0]     # operators that have been applied


def value(node, env):
    if node.op in OPS:
        STEPS[0] += 1
        operands = [value(part, env) for part in node.parts]
        if "^2" in node.op:
            refuse_squares_of_lengths(node.parts, operands)
        return OPS[node.op][4](*operands)
    return RUN[node.op](env, *node.parts)


def refuse_squares_of_lengths(nodes, operands):
    """abs(e)^2, written so, is smooth at 0 although abs is not: asked of neither."""
    for node, operand in zip(nodes, operands):
        items = operand if isinstance(operand, list) else [operand]
        if node.op.startswith(("abs(", "hypot(")) and any(not isinstance(item, J.Jet) and item == 0 for item in items):
            raise J.NearKink


def number_text(number):
    return repr(number) if number >= 0 else f"({number!r})"


def closure(env, parameter, body):
    captured = dict(env)
    return lambda t: value(body, {**captured, parameter: t})


TEXT = {
    "name": lambda name: name,
    "number": number_text,
    "numbers": lambda *numbers: f"[{', '.join(map(repr, numbers))}]",
    "stack": lambda *items: f"[{', '.join(map(text, items))}]",
    "list": lambda *items: f"list({', '.join(map(text, items))})",
    "call": lambda name, *arguments: f"{name}({', '.join(map(text, arguments))})",
    "lambda": lambda parameter, body: f"({parameter} -> {text(body)})",
    "choice": lambda parameter, condition, yes, no:
        f"({parameter} -> {{ if {text(condition)} {{ return {text(yes)} }}; return {text(no)} }})",
    "map": lambda parameter, body, over: f"[{text(body)} for {parameter} in {text(over)}]",
    "vmap": lambda parameter, body, over: f"vmap({parameter} -> {text(body)})({text(over)})",
    "total": lambda parameter, body, over: f"sum({text(body)} for {parameter} in {text(over)})",
    "reduced": lambda reduction, parameter, body, over, filter_: f"{reduction}({filtered_text(parameter, body, over, filter_)})",
    "chosen": lambda reduction, parameter, body, over, filter_: f"{reduction}([{filtered_text(parameter, body, over, filter_)}])",
    "records": lambda parameter, body, over, filter_:
        f"sum(r.p * r.q for r in [{{p: {text(body)}, q: {parameter}}}{filtered_text(parameter, None, over, filter_)}])",
    "fields": lambda parameter, body, over: f"stack([{{p: {text(body)}, q: {parameter}}} for {parameter} in {text(over)}]).p",
}


def filtered_text(parameter, body, over, filter_):
    return f"{text(body) if body else ''} for {parameter} in {text(over)} if {text(filter_)}"


def each_value(env, parameter, body, over):
    return [value(body, {**env, parameter: item}) for item in value(over, env)]


def passed(env, parameter, body, over, filter_):
    """Pairs of the body's value and the item, where the filter is true."""
    inner = [{**env, parameter: item} for item in value(over, env)]
    return [(value(body, each), each[parameter]) for each in inner if value(filter_, each)]


REDUCTIONS = {
    "sum": J.total,
    "mean": lambda items: J.total(items) * (1 / len(items)),
    "prod": lambda items: J.running([1.0, *items], multiply)[-1],
    "max": lambda items: J.first_best(items, 1),
    "min": lambda items: J.first_best(items, -1),
}


def reduced(env, reduction, *parts):
    return REDUCTIONS[reduction]([item for item, _ in passed(env, *parts)])


RUN = {
    "name": lambda env, name: env[name] if name in env else (lambda t: env["functions"][name].run([t], env["functions"])),
    "number": lambda env, number: number if isinstance(number, int) else J.Exact(number),
    "numbers": lambda env, *numbers: [J.Exact(number) for number in numbers],
    "stack": lambda env, *items: [value(item, env) for item in items],
    "list": lambda env, *items: [value(item, env) for item in items],
    "call": lambda env, name, *arguments: env["functions"][name].run([value(a, env) for a in arguments], env["functions"]),
    "lambda": closure,
    "choice": lambda env, parameter, *parts: closure(env, parameter, Node("({1} if {0} else {2}):BSS", "S", parts)),
    "map": each_value,
    "vmap": each_value,
    "total": lambda env, parameter, body, over: J.total(each_value(env, parameter, body, over)),
    "reduced": reduced,
    "chosen": reduced,
    "records": lambda env, *parts: J.total([p * q for p, q in passed(env, *parts)]),
    "fields": each_value,
}


# --- statements ---


def updated(op, old, new):
    if op == "=":
        return new
    act = {"+=": add, "-=": subtract, "*=": multiply}[op]
    return pairs(act)(old, new) if isinstance(old, list) else act(old, new)


def with_item(items, k, op, new):
    result = list(items)
    result[k] = updated(op, items[k], new)
    return result


def with_slice(items, low, high, op, new):
    return [updated(op, p, new) if low <= k < high else p for k, p in enumerate(items)]


def shrunk(v):
    while len(v) > 1:
        v = pairs(multiply)(v[:-1], v[1:])
    return v[0]


def line(node):
    """A statement of one line."""
    p = node.parts
    return {
        "set": lambda: f"{p[0]} {p[1]} {text(p[2])}",
        "swap": lambda: f"{p[0]}, {p[1]} = ({p[1]}, {p[0]})",
        "both": lambda: f"{p[0]}, {p[1]} = ({text(p[2])}, {text(p[3])})",
        "item": lambda: f"{p[0]}[{text(p[1])}] {p[2]} {text(p[3])}",
        "slice": lambda: f"{p[0]}[{p[1]}:{p[2]}] {p[3]} {text(p[4])}",
        "field": lambda: f"{p[0]}.{p[1]} {p[2]} {text(p[3])}",
        "field_item": lambda: f"{p[0]}.v[{text(p[1])}] {p[2]} {text(p[3])}",
        "push": lambda: f"{p[0]}.push({text(p[1])})",
        "pop": lambda: f"{p[1]} = {p[0]}.pop()",
        "break": lambda: f"if {text(p[0])} {{ break }}",
        "return": lambda: f"if {text(p[0])} {{ return {text(p[1])} }}",
    }[node.op]()


def lines(block, depth):
    """A block's text."""
    pad, found = "    " * depth, []
    for node in block:
        p = node.parts
        if node.op == "if":
            found += [f"{pad}if {text(p[0])} {{", *lines(p[1], depth + 1)]
            found += [f"{pad}}} else {{", *lines(p[2], depth + 1)] if p[2] else []
        elif node.op == "for":
            found += [f"{pad}for {p[0]} in {p[1]} {{", *lines(p[3], depth + 1)]
        elif node.op == "each":
            found += [f"{pad}for {p[0]} in {text(p[1])} {{", *lines(p[2], depth + 1)]
        elif node.op == "enumerate":
            found += [f"{pad}for {p[0]}, {p[1]} in enumerate({text(p[2])}) {{", *lines(p[3], depth + 1)]
        elif node.op == "while":
            more = f" and {text(p[2])}" if p[2] else ""
            found += [f"{pad}{p[0]} = 0", f"{pad}while {p[0]} < {p[1]}{more} {{", *lines(p[3], depth + 1), f"{pad}    {p[0]} += 1"]
        elif node.op == "shrink":
            found += [f"{pad}w = {text(p[1])}", f"{pad}while len(w) > 1 {{ w = w[:-1] * w[1:] }}", f"{pad}{p[0]} = w[0]"]
            continue
        else:
            found.append(pad + line(node))
            continue
        found.append(f"{pad}}}")
    return found


def execute(block, env):
    for node in block:
        STATEMENTS[node.op](env, *node.parts)


def run_loop(env, name, items, block):
    for item in items:
        env[name] = item
        try:
            execute(block, env)
        except Break:
            return


def run_enumerate(env, count, name, over, block):
    def set_both():
        for env[count], item in enumerate(value(over, env)):
            yield item
    run_loop(env, name, set_both(), block)


def run_while(env, name, limit, condition, block):
    env[name] = 0
    while env[name] < limit and (not condition or value(condition, env)):
        try:
            execute(block, env)
        except Break:
            return
        env[name] += 1


def leave(exception, condition, env):
    if value(condition, env):
        raise exception()


def put(env, name, thing):
    env[name] = thing


STATEMENTS = {
    "set": lambda env, name, op, new: put(env, name, updated(op, env.get(name), value(new, env))),
    "swap": lambda env, p, q: env.update({p: env[q], q: env[p]}),
    "both": lambda env, p, q, first, second: env.update({p: value(first, env), q: value(second, env)}),
    "item": lambda env, name, k, op, new: put(env, name, with_item(env[name], value(k, env), op, value(new, env))),
    "slice": lambda env, name, low, high, op, new: put(env, name, with_slice(env[name], low, high, op, value(new, env))),
    "field": lambda env, name, field, op, new: put(env, name, {**env[name], field: updated(op, env[name][field], value(new, env))}),
    "field_item": lambda env, name, k, op, new:
        put(env, name, {**env[name], "v": with_item(env[name]["v"], value(k, env), op, value(new, env))}),
    "push": lambda env, name, new: put(env, name, env[name] + [value(new, env)]),
    "pop": lambda env, name, to: env.update({to: env[name][-1], name: env[name][:-1]}),
    "break": lambda env, condition: leave(Break, condition, env),
    "return": lambda env, condition, new: leave(lambda: Return(value(new, env)), condition, env),
    "if": lambda env, condition, yes, no: execute(yes if value(condition, env) else no, env),
    "for": lambda env, name, _, count, block: run_loop(env, name, range(count), block),
    "each": lambda env, name, over, block: run_loop(env, name, value(over, env), block),
    "enumerate": run_enumerate,
    "while": run_while,
    "shrink": lambda env, name, new: put(env, name, shrunk(value(new, env))),
}


# --- smaller trees ---


def parts_of(thing):
    return thing.parts if isinstance(thing, Node) else thing


def inside(node, type_):
    """Expressions of a type below a node."""
    for part in node.parts:
        if isinstance(part, Node):
            if part.type == type_:
                yield part
            yield from inside(part, type_)


SIMPLEST = {"S": Node("number", "S", (0.5,)), "I": Node("number", "I", (1,))}


def smaller(thing):
    """A node or block with one statement less, or one expression replaced by a part of it; the large steps first."""
    if isinstance(thing, Node):
        if thing.type:
            yield from inside(thing, thing.type)
            if thing.type in SIMPLEST and thing.op not in ("number", "name"):
                yield SIMPLEST[thing.type]
        for k, part in enumerate(thing.parts):
            if isinstance(part, (Node, tuple)):
                for less in smaller(part):
                    yield Node(thing.op, thing.type, thing.parts[:k] + (less,) + thing.parts[k + 1:])
        return
    for k, statement in enumerate(thing):
        yield thing[:k] + thing[k + 1:]
        for block in statement.parts:
            if isinstance(block, tuple):
                yield thing[:k] + block + thing[k + 1:]
    for k, statement in enumerate(thing):
        for less in smaller(statement):
            yield thing[:k] + (less,) + thing[k + 1:]
