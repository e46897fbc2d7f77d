#!/usr/bin/env python3
"""Functions that hold active values, given to functions with rules of their own and to `checkpoint`.

    hidden_captures.py COVEC

Pullbacks, gradients, Jacobians, compiled functions and others are made of x and given to a function that multiplies
what they give at 1 by x². Its derivatives by x up to order 3, in all mixtures of grad and jvp and some with sparse
Jacobians, must be those of Taylor
series in Python; eager and compiled. Exit status 1 where a number differs.
"""
import itertools
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "taylor"))
import jets as J  # noqa: E402

POINT, ORDER, TOLERANCE = 0.7, 3, 1e-10


def sin(x):
    return J.applied("sin", x)


def cos(x):
    return J.applied("cos", x)


def exp(x):
    return J.applied("exp", x)


# What is made of x, and what it gives at 1.
MAKERS = {
    "pullback": ("back(y -> sin(x * y) + y^3, x)", lambda x: x * cos(x * x) + 3 * x * x),
    "closure_of_pullback": ("held(back(y -> sin(x * y) + y^3, x))", lambda x: x * cos(x * x) + 3 * x * x),
    "pullback_of_pullback": ("back(v -> back(y -> exp(x * y), x)(v)^2, x)", lambda x: 2 * x * x * x * exp(2 * x * x)),
    "pullback_that_holds_one": ("squared(back(y -> exp(x * y), x), x)", lambda x: 2 * x * x * x * x * x * exp(2 * x * x)),
    "pullback_in_value": ("back(y -> y * back(z -> exp(z * x), x)(y), x)", lambda x: 2 * x * x * exp(x * x)),
    "compiled_pullback": ("compiled(back(y -> exp(x * y), x))", lambda x: x * exp(x * x)),
    "pullback_of_vmap": ("back(y -> sum(vmap(z -> sin(x * z))(y * [1.0, 2.0])), x)",
                         lambda x: x * cos(x * x) + 2 * x * cos(2 * x * x)),
    "pullback_of_rule": ("back(y -> both(z -> sin(x * z) * y, y), x)", lambda x: 2 * x * sin(x)),
    "pullback_of_rule_of_pullback": ("back(y -> both(back(z -> sin(x * z) * y, y), y), x)",
                                     lambda x: 2 * x * x * cos(x * x) - x * x * x * x * sin(x * x)),
    "pullback_of_loop": ("in_loop(x)", lambda x: 0.001 * x * x * x * exp(0.3 * x * x) * x * cos(x * x)),
    "pullback_of_branch": ("in_branch(x)", lambda x: x * exp(x * x)),
    "stopped_pullback": ("stop_gradient(back(y -> exp(x * y), x))", lambda x: J.value(x) * math.exp(J.value(x)**2)),
    "pullback_of_checkpoint": ("back(checkpoint(y -> sin(x * y)), x)", lambda x: x * cos(x * x)),
    "checkpoint_of_pullback": ("checkpoint(back(y -> sin(x * y), x))", lambda x: x * cos(x * x)),
    "checkpoint": ("checkpoint(y -> sin(x * y))", sin),
    "gradient": ("grad(y -> sin(x * y) * y)", lambda x: sin(x) + x * cos(x)),
    "value_and_gradient": ("product(value_and_grad(y -> exp(x * y)))", lambda x: x * exp(2 * x)),
    "jacobian": ("summed(jacobian(y -> [sin(x * y), y^2 * x]))", lambda x: x * cos(x) + 2 * x),
    "hessian": ("hessian(y -> exp(x * y))", lambda x: x * x * exp(x)),
    "plan": ("of_plan(x)", lambda x: x * cos(x) + 2 * x),
    "tangent": ("times(jvp(z -> exp(z * x), x, x)[1])", lambda x: x * x * exp(x * x)),
    "compiled_function": ("compile(y -> sin(x * y))", sin),
    "vmap": ("of_examples(vmap(y -> sin(x * y)))", lambda x: sin(x) + sin(2 * x)),
    "default": ("with_default(x)", sin),
    "way_back": ("of_vector(tree_vector({a: x, b: 2 * x})[1], x)", lambda x: 3 * x),
    "chosen_gradient": ("chosen(x, grad(y -> exp(x * y)), grad(y -> sin(x * y)))", lambda x: x * exp(x)),
    "other_gradient": ("chosen(-x, grad(y -> exp(x * y)), grad(y -> sin(x * y)))", lambda x: x * cos(x)),
    "chosen_examples": ("of_examples(chosen(x, vmap(y -> exp(x * y)), vmap(y -> sin(x * y))))",
                        lambda x: exp(x) + exp(2 * x)),
    "chosen_checkpoint": ("chosen(x, checkpoint(y -> exp(x * y)), y -> sin(x * y))", exp),
    "chosen_pullback": ("pullback_of_path(x)", lambda x: x * exp(2 * x * x)),
    "gradient_of_path": ("gradient_of_path(x)", lambda x: sin(x) * cos(sin(x))),
    "gradient_of_loop": ("gradient_of_loop(x)", lambda x: x * cos(x) * x * cos(x) * x),
    "module_function": ("of_spline(x)", lambda x: 0.5 * x),
}

PROGRAM = """import sparse
fn plain(f, b) = b * f(1.0)
fn reverse(f, b) = b * f(1.0)
@derivative(of=reverse)
fn reverse_vjp(f, b, result, ct) = (g -> ct * b * g(1.0), ct * reverse(f, 1.0))
fn forward(f, b) = b * f(1.0)
@derivative(of=forward, mode="forward")
fn forward_jvp(f, b, result, df, db) = db * forward(f, 1.0) + b * df(1.0)
fn both(f, b) = b * f(1.0)
@derivative(of=both)
fn both_vjp(f, b, result, ct) = (g -> ct * b * g(1.0), ct * both(f, 1.0))
@derivative(of=both, mode="forward")
fn both_jvp(f, b, result, df, db) = db * both(f, 1.0) + b * df(1.0)
fn of_record(r) = r.scale * r.inner.f(1.0)
@derivative(of=of_record)
fn of_record_vjp(r, result, ct) {
    return {scale: ct * of_record({scale: 1.0, inner: r.inner}), inner: {f: g -> ct * r.scale * g(1.0)}}
}
fn record(f, b) = of_record({scale: b, inner: {f: f}})
fn checked(f, b) = checkpoint(plain)(f, b)

fn back(f, x) = vjp(f, (x,))[1]
fn held(f) = v -> v * f(v)
fn squared(f, x) = back(v -> f(v * x)^2, x)
fn compiled(f) = compile(v -> f(v))
fn product(f) {
    return v -> { (value, slope) = f(v)
        return value * slope }
}
fn summed(f) = v -> sum(f(v))
fn times(slope) = v -> v * slope
fn of_examples(f) = v -> sum(f([v, 2 * v]))
fn with_default(x) {
    fn inner(v, k=x) = sin(v * k)
    return inner
}
fn of_vector(f, x) {
    return v -> { tree = f([v, 2 * v] * x)
        return tree.a + tree.b }
}
fn of_plan(x) {
    f = y -> [sin(x * y[0]), y[0]^2 * x]
    plan = jacobian(f, sparse=sparse.from_dense([[1.0], [1.0]]))
    return v -> sum(plan([v]).data)
}
fn of_spline(x) = interp_of([0.0, x])
fn interp_of(ys) = v -> interp(0.5 * v, [0.0, 1.0], ys)
fn in_loop(x) {
    b = back(y -> sin(x * y), x)
    for i in range(3) {
        w = b(1.0)
        b = back(y -> exp(y * x * 0.1) * w, x)
    }
    return b
}
fn in_branch(x) {
    w = x
    if x > 0 { w = 2 * x } else { w = 3 * x }
    return back(y -> exp(y * w * 0.5), x)
}
fn chosen(x, one, other) {
    if x > 0 { return one }
    return other
}
fn pullback_of_path(x) {
    b = back(y -> sin(x * y), x)
    if x > 0 { b = back(y -> exp(y * x), x * 2) }
    return b
}
fn gradient_of_path(x) {
    f = grad(y -> exp(y))
    if x > 0 {
        w = sin(x)
        f = grad(y -> sin(w * y))
    }
    return f
}
fn gradient_of_loop(x) {
    f = grad(y -> x * y)
    for i in range(2) {
        w = f(1.0)
        f = grad(y -> sin(x * y) * w)
    }
    return f
}
fn g(f) = grad(f)
fn j(f) = x -> jvp(f, x, 1.0)[1]
fn s(f) = x -> sum(jacobian(f, sparse=true)(x).data)
"""
FORMS = ("plain", "reverse", "forward", "both", "record", "checked")
MIXTURES = ["".join(letters) for order in range(ORDER + 1) for letters in itertools.product("gj", repeat=order)]
MIXTURES += ["s", "sg", "sj", "gs", "js"]


def program():
    lines = [PROGRAM]
    for name, (maker, _) in MAKERS.items():
        for form in FORMS:
            lines.append(f"fn {name}_{form}(x) = {form}({maker}, x^2)")
            for mixture in MIXTURES:
                text = f"{name}_{form}"
                for letter in reversed(mixture):
                    text = f"{letter}({text})"
                lines.append(f'print("{name} {form} {mixture or "value"}", ({text})({POINT}), compile({text})({POINT}))')
    return "\n".join(lines) + "\n"


def wanted():
    J.Jet.ring = J.ring_of(1, ORDER)
    x = J.variable(0, POINT)
    return {name: [c * math.factorial(k) for k, c in enumerate((x * x * gives(x)).c)] for name, (_, gives) in MAKERS.items()}


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.covec")
        with open(path, "w") as file:
            file.write(program())
        run = subprocess.run([sys.argv[1], path], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    numbers, wrong, seen = wanted(), 0, 0
    for line in run.stdout.splitlines():
        name, form, mixture, *found = line.split()
        right = numbers[name][0 if mixture == "value" else len(mixture)]
        for engine, number in zip(("eager", "compiled"), map(float, found)):
            seen += 1
            if not abs(number - right) <= TOLERANCE * (1 + max(map(abs, numbers[name]))):
                wrong += 1
                print(f"{name}, {form}, {mixture}, {engine}: {number}, not {right}")
    expected = 2 * len(MAKERS) * len(FORMS) * len(MIXTURES)
    if seen != expected:
        sys.exit(f"{seen} numbers, not {expected}")
    print(f"{seen} numbers, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
