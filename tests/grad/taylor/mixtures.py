"""Draws mixtures of derivatives: functions of a program's input x made of its function f, as Covec writes them and as
jets have them.

A mixture is a tuple. Its first entry is its kind, its second the mixture that it transforms; ("f",) is the program's
function. A jet of order 4 is all that is to be known of f at a point: a transformation takes derivatives of the jets
that its mixture gives. Nothing is differentiated twice, whatever is nested.
"""
import dataclasses
import math

import jets as J
from jets import applied


@dataclasses.dataclass
class Tensor:
    shape: tuple
    items: list     # row by row


def each(function, *tensors):
    return Tensor(tensors[0].shape, [function(*items) for items in zip(*(tensor.items for tensor in tensors))])


@dataclasses.dataclass(frozen=True)
class Kind:
    """One kind of mixture. The text and the action take what else stands in the tuple."""
    order: int          # the derivatives that it takes
    scalar: bool        # whether it needs a number as the result of its part
    shape: object       # (shape of the part, shape of the input) → its own
    text: object        # (text of the part, …) → a function, as Covec writes it
    act: object         # (the part, the world, point, …) → Tensor
    draw: object = lambda random: ()
    weight: float = 1.0


class World:
    """A program at hand: f's jets at points, and the shape of its input."""

    def __init__(self, f, shape, of_f):
        self.f, self.shape, self.of_f, self.known = f, shape, of_f, {}

    def at(self, mixture, point):
        """The mixture's result, as jets of the displacement from a point."""
        if (mixture, point) not in self.known:
            if mixture == ("f",):
                result = self.f(point)
                found = Tensor((len(result),), result) if isinstance(result, list) else Tensor((), [result])
            else:
                found = KINDS[mixture[0]].act(mixture[1], self, point, *mixture[2:])
            self.known[mixture, point] = found
        return self.known[mixture, point]

    def moved(self, mixture, point, factor):
        """The mixture at factor · x, as jets of the displacement of x."""
        return each(lambda p: J.scaled(p, factor), self.at(mixture, tuple(p * factor for p in point)))

    def shape_of(self, mixture):
        return self.of_f if mixture == ("f",) else KINDS[mixture[0]].shape(self.shape_of(mixture[1]), self.shape)


def inputs(point):
    return [J.variable(k, p) for k, p in enumerate(point)]


def order_of(mixture):
    return 0 if mixture == ("f",) else KINDS[mixture[0]].order + order_of(mixture[1])


def growth(mixture):
    """How much longer code becomes, about."""
    if mixture == ("f",):
        return 1.0
    kind = mixture[0]
    return growth(mixture[1]) * 3.0 ** KINDS[kind].order * (2.0 if kind == "loop" else 1.5 if "vmap" in kind else 1.0)


def text(mixture, f, first):
    """The function, as an expression. `first` is the first input, as the program writes it."""
    return f if mixture == ("f",) else KINDS[mixture[0]].text(text(mixture[1], f, first), *mixture[2:]).replace("FIRST", first)


def fits(mixture, world):
    """Whether it is defined: gradients are of numbers."""
    return mixture == ("f",) or (fits(mixture[1], world) and not (KINDS[mixture[0]].scalar and world.shape_of(mixture[1]))
                                 and (mixture[0] != "dot" or world.shape_of(mixture[1]) == world.shape))


# --- directions: what jvp takes beside x ---

DIRECTIONS = {
    "x * x": lambda xs: [x * x for x in xs], "sin(x)": lambda xs: [applied("sin", x) for x in xs], "x": lambda xs: xs,
    "ones_like(x)": lambda xs: [1.0 for _ in xs], "0.5 * x - 1.0": lambda xs: [0.5 * x - 1.0 for x in xs],
}


def along(tensor, way):
    """The derivative in a direction."""
    return each(lambda p: J.total([J.derivative(p, k) * w for k, w in enumerate(way)]), tensor)


def jvp(part, world, point, way):
    return along(world.at(part, point), DIRECTIONS[way](inputs(point)))


def jacobian(part, world, point, *_):
    whole = world.at(part, point)
    return Tensor(whole.shape + world.shape, [J.derivative(p, k) for p in whole.items for k in range(len(point))])


def hessian(part, world, point, *_):
    slopes = jacobian(part, world, point)
    return Tensor(slopes.shape + world.shape, [J.derivative(p, k) for p in slopes.items for k in range(len(point))])


def pulled(value, cotangents, world):
    """Σ cotangent · ∂value"""
    count = world.shape[0] if world.shape else 1
    return Tensor(world.shape, [J.total([J.derivative(p, k) * c for p, c in zip(value.items, cotangents)]) for k in range(count)])


def vjp(part, world, point):
    value = world.at(part, point)
    return pulled(value, [applied("cos", p) for p in value.items], world)


def value_and_grad(part, world, point):
    value = world.at(part, point)
    slopes = pulled(value, [1.0], world)
    return each(lambda p: p * value.items[0], slopes)


def pullback_twice(part, world, point):
    value = world.at(part, point)
    return pulled(value, [value.items[0] + 0.5], world)


def stacked(tensors):
    return Tensor((len(tensors),) + tensors[0].shape, [p for tensor in tensors for p in tensor.items])


def vmap(part, world, point):
    return stacked([world.at(part, point), world.moved(part, point, 0.7)])


def vmap_of_jvp(part, world, point):
    value, xs = world.at(part, point), inputs(point)
    return stacked([along(value, DIRECTIONS[way](xs)) for way in ("x * x", "ones_like(x)")])


def tree(part, world, point):
    """r.w · r.k for r = the gradient of F(p.w · p.k) at {w: x, k: 0.5}."""
    scale, xs = 0.5, inputs(point)
    slopes = each(lambda p: J.scaled(p, scale), jacobian(part, world, tuple(p * scale for p in point)))
    by_k = J.total([p * x for p, x in zip(slopes.items, xs)])
    return each(lambda p: scale * p * by_k, slopes)


def summed(part, world, point):
    return Tensor((), [J.total(world.at(part, point).items)])


def squares(part, world, point):
    return Tensor((), [J.total([p * p for p in world.at(part, point).items])])


def dotted(part, world, point):
    return Tensor((), [J.total([p * x for p, x in zip(world.at(part, point).items, inputs(point) * 99)])])


def sine(part, world, point):
    return each(lambda p: applied("sin", p), world.at(part, point))


def product(part, world, point):
    first = inputs(point)[0]
    return each(lambda p: p * first, world.at(part, point))


def held(part, world, point):
    return each(lambda p: p * J.constant(p), world.at(part, point))


def branch(part, world, point):
    if J.compared(inputs(point)[0], J.Exact(0.25)) > 0:
        return each(lambda p: p * p, world.at(part, point))
    return each(lambda p: applied("tanh", p), world.at(part, point))


def loop(part, world, point):
    result = Tensor((), [0.5])
    for factor in (1.0, 0.75):
        result = Tensor((), [result.items[0] * J.total(world.moved(part, point, factor).items) + result.items[0]])
    return result


def itself(part, world, point):
    return world.at(part, point)


def same(part, given):
    return part


def longer(part, given):
    return part + given


def shape_of_input(part, given):
    return given


def number(part, given):
    return ()


def doubled(part, given):
    return (2,) + part


def block(*lines):
    """A function of x with statements."""
    return "(x -> {\n" + "".join(f"    {line}\n" for line in lines) + "})"


def grad_text(part, way):
    return {"": f"grad({part})", "named": f'grad(x -> {part}(x), wrt="x")',
            "aux": f"(x -> grad(x -> ({part}(x), x), has_aux=true)(x)[0])"}[way]


def vmap_text(part, way):
    if way == "axes":
        return f"(x -> vmap((y, k) -> {part}(y * k), in_axes=(none, 0))(x, [1.0, 0.7]))"
    return f"(x -> vmap({part})(stack([x, x * 0.7])))"


def tree_text(part, way):
    if way == "record":
        return block(f"r = grad(p -> {part}(p.w * p.k))({{w: x, k: 0.5}})", "return r.w * r.k")
    return block(f"p, q = grad((y, z) -> {part}(y * z), wrt=(0, 1))(x, 0.5)", "return p * q")


def one_of(*choices):
    return lambda random: (random.choice(choices),)


KINDS = {
    "grad": Kind(1, True, shape_of_input, grad_text, jacobian, one_of("", "", "", "", "aux", "named"), 4),
    "bounded": Kind(1, True, shape_of_input, lambda part, bytes_: f"grad({part}, memory={bytes_})", jacobian,
                    one_of(1, 100, 400), 0.7),
    "tree": Kind(1, True, shape_of_input, tree_text, lambda part, world, point, _: tree(part, world, point),
                 one_of("record", "wrt"), 0.7),
    "jvp": Kind(1, False, same, lambda part, way: f"(x -> jvp({part}, (x,), ({way},))[1])", jvp, one_of(*DIRECTIONS), 3),
    "jacobian": Kind(1, False, longer, lambda part, mode: f"jacobian({part}{mode})", jacobian,
                     one_of("", "", ', mode="forward"', ', mode="reverse"'), 2.5),
    "hessian": Kind(2, True, lambda part, given: given + given, lambda part: f"hessian({part})", hessian, weight=2),
    "vjp": Kind(1, False, shape_of_input, lambda part: block(f"r, back = vjp({part}, x)", "return back(cos(r))"), vjp),
    "twice": Kind(1, True, shape_of_input, lambda part: block(f"r, back = vjp({part}, x)", "return back(r) + back(0.5)"),
                  pullback_twice, weight=0.5),
    "value_and_grad": Kind(1, True, shape_of_input, lambda part: block(f"r, slope = value_and_grad({part})(x)", "return r * slope"),
                           value_and_grad),
    "vmap": Kind(0, False, doubled, vmap_text, lambda part, world, point, _: vmap(part, world, point), one_of("", "", "axes"), 1.3),
    "vmap_of_jvp": Kind(1, False, doubled,
                        lambda part: f"(x -> vmap(way -> jvp({part}, (x,), (way,))[1])(stack([x * x, ones_like(x)])))", vmap_of_jvp,
                        weight=0.7),
    "sum": Kind(0, False, number, lambda part: f"(x -> sum({part}(x)))", summed),
    "squares": Kind(0, False, number, lambda part: f"(x -> sum({part}(x)^2))", squares),
    "dot": Kind(0, False, number, lambda part: f"(x -> sum({part}(x) * x))", dotted, weight=0.8),
    "sine": Kind(0, False, same, lambda part: f"(x -> sin({part}(x)))", sine, weight=0.5),
    "product": Kind(0, False, same, lambda part: f"(x -> {part}(x) * FIRST)", product, weight=0.4),
    "held": Kind(0, False, same, lambda part: block(f"r = {part}(x)", "return r * stop_gradient(r)"), held, weight=0.3),
    "branch": Kind(0, False, same, lambda part: block(f"r = {part}(x)", "if FIRST > 0.25 { return r * r }", "return tanh(r)"),
                   branch, weight=0.6),
    "loop": Kind(0, False, number,
                 lambda part: block("r = 0.5", f"for k in range(2) {{ r = r * sum({part}(x * (1.0 - 0.25 * k))) + r }}",
                                    "return r"), loop, weight=0.5),
    "checkpoint": Kind(0, False, same, lambda part: f"checkpoint({part})", itself, weight=0.4),
    "compile": Kind(0, False, same, lambda part: f"compile({part})", itself, weight=0.6),
}
MOST = 64       # elements of a result


def elements(shape):
    return math.prod(shape)


def possible(name, left, plain, shape, given):
    """Whether this kind may come next: `left` derivatives are to be taken, `plain` kinds without any have come since the last."""
    kind = KINDS[name]
    if kind.order > left or kind.scalar and shape or math.prod(kind.shape(shape, given)) > MOST:
        return False
    if name in ("sum", "squares") and not shape or name == "dot" and shape != given:
        return False
    return kind.order > 0 or plain < 2


def mixture(random, order, given, of_f):
    """One of just so many derivatives. `given` is the shape of the input, `of_f` that of f's result."""
    found, shape, left, plain = ("f",), of_f, order, 0
    while left or plain == 0 and random.random() < 0.15:
        names = [name for name in KINDS if possible(name, left, plain, shape, given)]
        if not names:
            raise ValueError("no transformation fits")
        name = random.choices(names, [KINDS[name].weight for name in names])[0]
        kind = KINDS[name]
        found, shape, left = (name, found, *kind.draw(random)), kind.shape(shape, given), left - kind.order
        plain = 0 if kind.order else plain + 1
    return found


def smaller(found):
    """The mixture without one of its transformations."""
    if found != ("f",):
        yield found[1]
        for less in smaller(found[1]):
            yield (found[0], less, *found[2:])
