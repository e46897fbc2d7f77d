"""Updates that fail and are caught: what they were about to change keeps its value and its derivative. A mistake there is the same
on every engine, so the program compares the derivative with differences itself, and run.py looks for the line that says so."""

# How the variable y of three numbers is held, and the place of it in there.
HOLDERS = [("y = {x}", "y"), ("y = {{w: {x}, n: 1}}", "y.w"), ("y = ({x}, 1.5)", "y[0]"), ("y = list({x}, [1.0])", "y[0]"),
           ("y = map(list((\"a\", {x})))", 'y["a"]'), ("y = list({{w: ({x}, 2)}})", "y[0].w[0]"), ("y = {{b: list(1, {x})}}", "y.b[1]")]

# What fails there, of tensors; {i}: an index that is out of range.
FAILING = ["{p}[{i}] = 1.0", "{p}[{i}] += 1.0", "{p}[0] += ones(4)", "{p} += ones(7)", "{p} *= \"a\"", "{p}[[0, {i}]] *= 2.0", "{p}[[0, 0]] /= ones(5)",
           "{p}[1:] = ones(9)", "{p}[:] -= ones(2, 2)", "{p} @= ones(5, 5)", "{p}[{i}] ^= 2", "{p}.push(1.0)", "{p}[0, 0] = 2.0", "{p}.nothing = 1", "{p}[1:][5] = 1.0"]
SCALES = ["{q} * 2", "sin({q})", "{q}", "{q} * {q} + 1", "exp({q} * 0.5)"]
RESULTS = ["sum({p} * {q})", "sum({p} ^ 2)", "{p}[0] * {p}[2] + {q}[1]", "sum(sin({p}))"]
# The derivative in each mode, of f at x, against the difference quotients of all three elements.
MODES = ["grad({f})({x})", "jacobian({f}, mode=\"forward\")({x})", "grad(compile({f}))({x})", "vmap(grad({f}))(stack(({x}, {x})))[1]", "compile(grad({f}))({x})"]


class Caught:
    def caught_update(self, scope):
        f, q = scope.names.fresh("h"), scope.names.fresh("q")
        holder, place = self.choose(HOLDERS)
        self.open(f"fn {f}({q})")
        self.put(holder.format(x=self.choose(SCALES).format(q=q)))
        for _ in range(self.random.randint(1, 2)):
            self.open("try")
            if self.chance(0.3):
                self.put(f"{place}[1] *= 1.5")
            self.put(self.choose(FAILING).format(p=place, i=self.choose(["3", "9", "-4"])))
            self.close(" catch { }")
        self.put("return " + self.choose(RESULTS).format(p=place, q=q))
        self.close()
        x = self.choose(["[0.5, 1.25, 2.0]", "[1.0, -0.75, 0.25]"])
        d, n = scope.names.fresh("t"), scope.names.fresh("t")
        self.put(f"{d} = {self.choose(MODES).format(f=f, x=x)}")
        self.put(f"{n} = [({f}({x} + 1e-5 * eye(3)[i]) - {f}({x} - 1e-5 * eye(3)[i])) / 2e-5 for i in range(3)]")
        self.put(f'if not allclose({d}, {n}, rtol=1e-6, atol=1e-6) {{ print("wrong derivative", {d}, {n}) }}')
