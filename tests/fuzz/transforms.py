"""Random functions as values, and what takes a function: derivatives in all their forms, vmap, checkpoint, compile, in each
other. A function is a lambda, or a definition with statements of its own (control flow included) that is put before the
statement at hand. Start at Transforms.derivative()."""
from scope import Function, Num

SCALAR = Num("f", ())


class Transforms:
    """A part of Expressions."""

    # --- functions of one argument ---

    def lambda_of(self, scope, argument, cls, shape, depth):
        """A function of one argument, as text."""
        if self.chance(0.3):
            text = self.hoisted(scope, argument, Num(cls, shape))
            if text is not None:
                return text
        inner, name = scope.inner(), scope.names.fresh("z")
        inner.add(name, argument, False)
        inner.add(name, argument, False)  # twice: chosen more often
        inner.nested += 1
        text = self.number(inner, cls, shape, depth)
        # It should depend on its argument.
        if cls == "f" and argument.cls == "f" and self.chance(0.7):
            text += f" + {name}" if argument.shape == shape else f" * 0.5 + {self.choose(['sum', 'mean'])}({name} ^ 2)"
        return f"{name} -> {text}"

    def hoisted(self, scope, argument, result):
        """The name of a function that is defined before the statement at hand; None where no statement may stand."""
        if not scope.statements or scope.nested or scope.loops > 1 or self.depth > 3:
            return None
        name, parameter, inner = scope.names.fresh("h"), scope.names.fresh("z"), scope.inner()
        ruled = argument.cls == "f" and result.cls == "f" and self.chance(0.12)
        if ruled:  # it speaks of its arguments only
            inner.vars, inner.functions, inner.indices = [], [], {}
        inner.add(parameter, argument)
        inner.add(parameter, argument)
        inner.result, inner.loops, inner.statements = result, 0, self.chance(0.3)
        talk, self.talk = self.talk, 0.0
        if self.chance(0.15):
            self.put("@compile")
        self.open(f"fn {name}({parameter})")
        self.body(inner, self.random.randint(1, 3))
        self.close()
        self.talk = talk
        scope.calls_loops = scope.calls_loops or inner.loops_inside or inner.calls_loops
        if ruled:
            self.rule(Function(name, [(parameter, argument, None)], result))
        return name

    def rule(self, f):
        """Derivatives of one's own, which have little to do with f's: for reverse mode, forward mode or both, in either order."""
        rules = self.pick([(4, [self.reverse_rule]), (2, [self.forward_rule]), (1, [self.reverse_rule, self.forward_rule]), (1, [self.forward_rule, self.reverse_rule])])
        for rule in rules:
            rule(f)

    def forward_rule(self, f):
        names = [p[0] for p in f.parameters]
        self.put(f'@derivative(of={f.name}, mode="forward")')
        moved = [f"{self.choose(['0.5', 'sum(sin(' + n + '))', '1.5'])} * sum(d_{n})" for n, t, _ in f.parameters if t.cls == "f"]
        body = f"result * {self.choose(['0.5', '1.0'])} * ({' + '.join(moved)})" if moved else "none"
        self.put(f"fn {f.name}_push({', '.join(names)}, result, {', '.join('d_' + n for n in names)}) = {body}")

    def reverse_rule(self, f):
        names = [p[0] for p in f.parameters]
        mode = ', mode="reverse"' if self.chance(0.2) else ""
        self.put(f"@derivative(of={f.name}{mode})")
        weights = [f"{n} * {self.choose(['0.5', 'result', 'sum(sin(' + n + '))'])} * sum(ct)" if t.cls == "f" else "none" for n, t, _ in f.parameters]
        if f.result.shape:
            weights = [w.replace("result", "mean(result)") for w in weights]
        given = weights[0] if len(weights) == 1 else f"({', '.join(weights)})"
        self.put(f"fn {f.name}_rule({', '.join(names)}, result, ct) = {given}")

    def wrapped(self, f):
        """The same function, as something that transformations must see through."""
        return self.pick([(6, "{0}"), (2, "checkpoint({0})"), (1.2, "compile({0})"), (0.5, "checkpoint(checkpoint({0}))"), (0.4, "compile(checkpoint({0}))"),
                          (0.4, "checkpoint(compile({0}))"), (0.2, 'compile({0}, device="auto")'), (0.2, 'compile({0}, device="cpu", strict=false)'), (0.2, 'compile({0}, precision="bf16")'), (0.1, 'compile({0}, device="auto", precision="tf32")')]).format(f)

    # --- derivatives ---

    def derivative(self, scope, _, shape, depth):
        """Of the shape of what it is taken by."""
        if scope.nested > 1 or (scope.loops and self.chance(0.6)):
            return None
        x, way = self.number(scope, "f", shape, min(depth, 1)), self.random.random()
        if way < 0.5:
            return self.by_scalar(scope, x, shape, depth)
        if way < 0.65 and not shape:
            f = self.wrapped(self.lambda_of(scope, SCALAR, "f", (), depth))
            return self.choose([f"grad(grad({f}))({x})", f"hessian({f})({x})", f"grad(checkpoint(grad({f})))({x})", f"jvp(grad({f}), {x}, 1.0)[1]",
                                f"grad(zz -> jvp({f}, zz, 1.0)[1])({x})", f"vjp(grad({f}), {x})[1](0.5)", f"compile(grad(grad({f})))({x})",
                                f"jacobian({f})({x})", f"sum(vmap(grad({f}))({x} + zeros(2)))"])
        if len(shape) == 1 and self.chance(0.6):
            return self.by_vector(scope, x, shape, depth)
        g = self.wrapped(self.lambda_of(scope, Num("f", shape), "f", shape, depth))
        t = self.number(scope, "f", shape, 0)
        return self.choose([f"jvp({g}, {x}, {t})[1]", f"jvp({g}, ({x},), ({t},))[0]", f"vjp({g}, {x})[1]({t})", f"vjp({g}, ({x},))[0]", f"vjp({g}, {x})[1](ones_like({x}))",
                            f"jvp(compile({g}), {x}, {t})[1]", f"grad(qq -> sum(vjp({g}, qq)[1]({t})))({x})"])

    def by_scalar(self, scope, x, shape, depth):
        f = self.wrapped(self.lambda_of(scope, Num("f", shape), "f", (), depth + 1))
        name = f if f.isidentifier() else f"(zz -> ({f})(zz))"
        return self.pick([
            (5, f"grad({f})({x})"), (1, f"value_and_grad({f})({x})[1]"), (0.5, f'grad({f}, zero="ieee")({x})'), (0.3, f"grad({f}, wrt=0)({x})"),
            (0.3, f"grad(zz -> ({name}(zz), zz), has_aux=true)({x})[0]"), (0.2, f'value_and_grad(zz -> ({name}(zz), 1), wrt="zz", has_aux=true, zero="ieee")({x})[1]'),
            (0.3, f"real(grad(zz -> sum(exp(zz * 0.5)), holomorphic=true)(complex({x}, 0.5)))"), (0.3, f"imag(value_and_grad(zz -> sum(zz ^ 3), holomorphic=true)(complex({x}, 0.5))[1])"),
            (0.3, f"grad({f}, memory=1)({x})"), (0.2, f'value_and_grad({f}, memory="300 B")({x})[1]'), (0.3, f'compile(grad({f}, memory="1 kB"))({x})'),
            (0.1, f"grad({f}, debug=true)({x})"), (0.3, f"value_and_grad({f}, debug=true)({x})[1]"), (0.3, f"grad((zz, yy) -> {name}(zz) * yy, wrt=(0, 1))({x}, 0.5)[0]"),
            (0.3, f"grad(r -> {name}(r.w) + r.b)({{w: {x}, b: 2.0}}).w"), (0.3, f"grad(u -> {name}(u[0]))(({x}, 1.5))[0]"), (1, f"compile(grad({f}))({x})"),
            (0.5, f"grad(compile({f}))({x})"), (0.5, f"checkpoint(grad({f}))({x})"), (0.5, f"vjp({f}, {x})[1](2.0)"), (0.4, f"compile(qq -> grad({f})(qq))({x})"),
            (0.3, f"grad(zz -> {name}(zz) + {name}(stop_gradient(zz)))({x})"), (0.3, f"compile(value_and_grad({f}))({x})[1]")])

    def by_vector(self, scope, x, shape, depth):
        if self.chance(0.4):
            f = self.wrapped(self.lambda_of(scope, Num("f", shape), "f", (), depth))
            return self.choose([f"sum(hessian({f})({x}), axis={self.choose('01')})", f"diag(hessian({f}, wrt=0)({x}))", f"jacobian(grad({f}))({x})[0]",
                                f"jvp(grad({f}), {x}, {x})[1]", f"jacobian(grad({f}), mode=\"forward\")({x})[:, 0]", f"sum(compile(hessian({f}))({x}), axis=0)"])
        g = self.wrapped(self.lambda_of(scope, Num("f", shape), "f", shape, depth))
        mode = self.choose(["", ', mode="auto"', ', mode="forward"', ', mode="reverse"', ", wrt=0"])
        return self.choose([f"sum(jacobian({g}{mode})({x}), axis={self.choose('01')})", f"diag(jacobian({g}{mode})({x}))", f"sum(compile(jacobian({g}{mode}))({x}), axis=0)"])

    # --- many examples ---

    def mapped(self, scope, cls, shape, depth):
        if scope.nested > 1 or not shape:
            return None
        rest = self.choose([(), (), shape[1:]])
        argument = self.choose("ffi")
        f = self.wrapped(self.lambda_of(scope, Num(argument, rest), cls, shape[1:], depth + 1))
        x = self.number(scope, argument, shape[:1] + rest, min(depth, 1))
        y = self.number(scope, "f", (), 0)
        return self.pick([(5, f"vmap({f})({x})"), (0.7, f"vmap({f}, in_axes=0)({x})"), (0.7, f"vmap({f}, 0)({x})"), (0.6, f"compile(vmap({f}))({x})"), (0.6, f"vmap(compile({f}))({x})"),
                          (0.5, f"vmap((a, b) -> ({f})(a), in_axes=(0, none))({x}, {y})"), (0.4, f'vmap((a, b) -> ({f})(a), in_axes="a")({x}, {y})'),
                          (0.4, f"vmap(r -> ({f})(r.a), in_axes=({{a: 0, b: none}},))({{a: {x}, b: {y}}})"),
                          (0.4, f"vmap(vmap({f}, in_axes=0), in_axes=0)(({x})[newaxis])[0]")])
