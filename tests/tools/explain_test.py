#!/usr/bin/env python3
"""What explain(f) says: its first line and its cures; the dearest line and what to do about it. What stands beside a
function is the same with the cure or advice, and compiled as a whole, or without tensors in loops.

    python3 explain_test.py COVEC
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COVEC = ""

# What is explained, the line, and the function with the cure.
CASES = [
    ("fn f(x) {\n  y = x * 2\n  for i in range(3) {\n    try { y = y + i } catch { y = 0.0 }\n  }\n  return y\n}", "f(1.0)",
     "interpreted, because too few of its 6 statements could be compiled without the loop at p:4: a `try` statement; "
     "put the `try` around the call", "fn f(x) {\n  y = x * 2\n  for i in range(3) { y = y + i }\n  return y\n}"),
    ("fn f(n) = n if n < 2 else f(n - 1) + f(n - 2)", "f(5)", "compiled, all of it", None),
    ("fn f(x, n) = x if n < 2 else f(2 * x, n - 1) + 1", "f(ones(2), 5)",
     "compiled, all of it", None),
    ("fn f(x, n) = sum(jacobian(v -> [v, v^2] if n > 2 else [v, v])(x))", "f(2.0, 3)",
     "compiled, all of it", None),
    ("fn f(x, n) = sum(jacobian(v -> sum(v) * v if n > 2 else v)(x))", "f([1.0, 2.0], 3)", "compiled, all of it", None),
    ("fn g(x) {\n  for i in range(3) { x = x * x + x }\n  return x\n}\n@compile fn f(x) = grad(grad(grad(g)))(x)", "f(1.0)",
     "compiled, all of it", None),
    ("fn g(x) {\n  for i in range(3) { x = x * x + x }\n  return x\n}\n"
     "fn h(x) { y, back = vjp(g, x); return back(x) + back(x * x) }\n@compile fn f(x) = grad(h)(x)", "f(1.0)",
     "interpreted: a derivative of two pullbacks of one loop (p:6); use forward mode for the outer derivative: `jacobian(…, mode=\"forward\")`, `jvp`",
     "fn g(x) {\n  for i in range(3) { x = x * x + x }\n  return x\n}\n"
     "fn h(x) { y, back = vjp(g, x); return back(x) + back(x * x) }\n@compile fn f(x) = jvp(h, (x,), (1.0,))[1]"),
    ("import parallel\nfn g(x) {\n  while parallel.all_sum(x) < 9 { x = x * x }\n  return x\n}\n@compile fn f(x) = parallel.grad(g)(x)", "f(2.0)",
     "interpreted: a collective in the condition of a loop, in a derivative (p:6); put it into the loop: `while true { if …collective… { break } … }`",
     "import parallel\nfn g(x) {\n  while true {\n    if parallel.all_sum(x) >= 9 { break }\n    x = x * x\n  }\n  return x\n}\n"
     "@compile fn f(x) = parallel.grad(g)(x)"),
    ("import parallel\nfn f(x) {\n  while parallel.all_sum(x) < 9 { x = x * x }\n  return x\n}", "f(2.0)", "compiled, all of it", None),
    ("import parallel\nfn g(x) {\n  while parallel.all_sum(x) < 9 { x = x * x }\n  return x\n}\n@compile fn f(x) = jvp(g, (x,), (1.0,))", "f(2.0)",
     "compiled, all of it", None),
    ("fn f(a, b) = jacobian(x -> x @ b)(a)", "f(ones(2, 3), ones(3))", "compiled, all of it", None),
    ("fn f(x) {\n  for i in range(3) { sleep(0); x = vmap(v -> v[i])(x) * x }\n  return x\n}", "f(ones(4, 4))", "compiled, all of it", None),
    ("fn f(x, n) {\n  time()\n  return x if n < 2 else [f(2 * x, n - 1)][0]\n}", "f(3.0, 2)", "compiled, all of it", None),
    ("fn f(x, n) = x if n < 2 else f(2 * x, n - 1) * x", "grad(x -> 2 * f(x, 2))(3.0)",
     "interpreted: an operation of a derivative might have to run again (p:2)", None),
    ("fn f(x) = squeeze(x) * 2", "f(ones(1, 3))",
     "interpreted: whether an axis has size 1 is known only at run time (p:2); name the axis: `squeeze(x, axis)`",
     "fn f(x) = squeeze(x, 0) * 2"),
    ("fn f(n) { xs = list(); for i in range(n) { xs.push(\"a\") }; return len(xs) }", "f(3)",
     "interpreted, because too few of its 4 statements could be compiled without the loop at p:2: the items of a list of trees or of several types; use one list for each field",
     "fn f(n) { ys = list(); for i in range(n) { ys.push(i) }; return len(ys) }"),
    ("fn f(n) {\n  xs = list(0.0)\n  for i in range(n) {\n    xs.push(1.0 * i)\n    if i % 2 == 0 { xs.pop(0) }\n  }\n"
     "  return len(xs)\n}", "f(3)",
     "interpreted, because too few of its 6 statements could be compiled without the loop at p:4: a list that grows and shrinks "
     "in a loop; let the list only grow, and keep a count",
     "fn f(n) { xs = list(0.0); k = 1; for i in range(n) { xs.push(1.0 * i); k += 1; if i % 2 == 0 { k -= 1 } }; return k }"),
    ("fn f(x) {\n  xs = list(x, 2.0)\n  s = 0.0\n  while len(xs) > 0 {\n    a = xs.pop(0)\n    s += a\n    if a > 0.0 { xs.push(a - 0.5) }\n  }\n"
     "  return s\n}", "f(1.0)",
     "interpreted, because too few of its 8 statements could be compiled without the loop at p:5: a list that grows and shrinks "
     "in a loop; let the list only grow, and keep a count", None),
    ("import optim\nfn f(c) = optim.bracketed_root(x -> x^3 - c, 0.0, 3.0).x", "f(2.0)",
     "interpreted: optim.bracketed_root: an import is known only at run time (p:3)", None),
    ("fn f(x) { import optim; s = 0.0; for i in range(9) { s += x }; return s }", "f(1.0)",
     "compiled, 4 of its 5 statements, not p:2: an import; import at the top of the file",
     "import optim\nfn f(x) { s = 0.0; for i in range(9) { s += x }; return s }"),
    ("fn f(x) {\n  y = x\n  for i in range(9) { y += x }\n  if y < 0.0 { breakpoint() }\n  return y\n}", "f(1.0)",
     "interpreted: a breakpoint() (p:5); remove it to compile the function", "fn f(x) {\n  y = x\n  for i in range(9) { y += x }\n  return y\n}"),
    ("fn f(path) {\n  t = read_csv(path)\n  s = 0.0\n  for row in t { s += sum(row) }\n  for i in range(9) { s += i }\n  return s\n}",
     "f(\"t.csv\")",
     "interpreted, because too few of its 7 statements could be compiled without the loops at p:5, p:6: the type of a value is known only at run time; pass it as an argument, or give it one type on all paths", None),
    ("fn f(x) = sum(x^2)", "f([1.0])", "compiled, all of it", None),
]

LOOP = "  s = 0.0\n  for k in range(n) {\n"
NUMBERS = "nothing to change: its loops run on numbers"
# A function and a call; what the second line has; the advice; and the function that follows it.
ADVICE = [
    (f"fn f(x, n) {{\n{LOOP}    x = 0.9 * x + 0.1 * x[::-1]\n    s += sum(x)\n  }}\n  return s\n}}", "f(ones(16), 40)",
     "p:6: sum(x), in each iteration of the loop at p:4: 1 library call on small tensors, about",
     "write `x: f64[16]`, if it always has this size: then numbers alone, about", ("f(x, n)", "f(x: f64[16], n)")),
    (f"fn f(n, m) {{\n{LOOP}    s += sum(randn(m)^2)\n  }}\n  return s\n}}", "f(40, 3)", "p:5: randn(m)^2, in each iteration of the loop at p:4: 1 library call",
     "write the number itself as the size, not `m`: then numbers alone, about", ("randn(m)", "randn(3)")),
    (f"fn f(X, n) {{\n{LOOP}    d = X[k] - X[0]\n    s += sum(d * d)\n  }}\n  return s\n}}", "f(ones(50, 12), 40)", "p:6: d * d, in each iteration of the loop at p:4: ",
     "write `X: f64[_, 12]`, if it always has this size: then numbers alone, about", ("f(X, n)", "f(X: f64[_, 12], n)")),
    (f"fn f(p, n) {{\n{LOOP}    s += sum(p.w * s + p.b)\n  }}\n  return s\n}}", "f({w: ones(12), b: 0.1 * ones(12), c: 1.0}, 4)", "p:5: p.w * s + p.b, in each iteration of",
     "write `p: {w: f64[12], b: f64[12], c: f64}`, if it always has this size: then numbers alone", ("f(p, n)", "f(p: {w: f64[12], b: f64[12], c: f64}, n)")),
    (f"fn f(p, n) {{\n{LOOP}    s += sum(p[0] * s + p[1])\n  }}\n  return s\n}}", "f((ones(12), 0.1 * ones(12)), 4)", "p:5: p[0] * s + p[1], in each iteration of",
     "write `p: (f64[12], f64[12])`, if it always has this size: then numbers alone", ("f(p, n)", "f(p: (f64[12], f64[12]), n)")),
    (f"fn g(x, n) {{\n{LOOP}    x = 0.9 * x + 0.1 * x[::-1]\n    s += sum(x * x)\n  }}\n  return s\n}}\n@compile fn f(x, n) = grad(g)(x, n)", "f(ones(16), 40)",
     "in each iteration of the loop at p:3: ", "write `x: f64[16]`, if it always has this size: then numbers alone, about", ("f(x, n)", "f(x: f64[16], n)")),
    (f"fn step(x) {{\n  y = x[::-1]\n  return 0.9 * x + 0.1 * y\n}}\n@compile fn f(x, n) {{\n{LOOP}    x = step(x)\n  }}\n  return x\n}}", "f(ones(16), 40)",
     "p:2: x[::-1], in each iteration of the loop at p:7: 1 library call on small tensors, about", "write `x: f64[16]`, if it always has this size: then numbers alone", ("f(x, n)", "f(x: f64[16], n)")),
]
# What the second line is, and the third, where there is nothing to change.
NOTHING = [
    ("fn f(x) = sum(x^2) / 2 + sum(1 - cos(x))", "f(ones(1000))", "p:2: ", "the time goes into whole tensors"),
    ("fn f(A, x) = sum(exp(A @ x))", "f(ones(300, 200), ones(200))", "p:2: A @ x: 1 library call and 1 kernel on tensors of up to 60,000 elements, about", "the time goes into whole tensors"),
    ("fn f(x) = x * 2 + x[0] + sum(x)", "f([1.0, 2.0])", "p:2: ", "each operation runs once in a call"),
    ("fn f(x) = sin(x) + cos(x) * exp(x)", "f(1.0)", "nothing stands out", "all of it is fast"),
    (f"fn f(x, n) {{\n{LOOP}    s += sin(x + k)\n  }}\n  return s\n}}", "f(1.0, 9)", "p:5: sin(x + k), in each iteration of the loop at p:4: numbers alone", "its loops run on numbers"),
    (f"fn f(x, n) {{\n{LOOP}    s += sort(x + s)[0]\n  }}\n  return s\n}}", "f(ones(3), 9)", "p:5: sort(x + s), in each iteration of", "`sort` works on tensors alone"),
    (f"fn f(x, n) {{\n{LOOP}    s += sum(sin(x + s))\n  }}\n  return s\n}}", "f(ones(12), 9)", "p:5: sin(x + s), in each iteration of", "the code serves any size of these small tensors"),
    (f"fn f(x, n) {{\n{LOOP}    s += sum(x + s)\n  }}\n  return s\n}}", "f(ones(100), 9)", "p:5: x + s, in each iteration of the loop at p:4: 1 kernel on tensors of up to 100 elements, about", "the time goes into whole tensors"),
    (f"fn f(x, n) {{\n{LOOP}    if k % 3 == 0 {{ print(s) }}\n  }}\n  return s\n}}", "f(1.0, 9)", "p:5: print(s), in each iteration of the loop at p:4: 1 library call, about", "the time goes into calls of the library"),
    ("fn f(x, n) = x if n < 2 else f(2 * x, n - 1) + 1", "f(ones(2), 5)", "p:2: ", "only the run knows how large these tensors are"),
    ("fn f(n) = n if n < 2 else f(n - 1) + f(n - 2)", "f(5)", "nothing stands out", "all of it is fast"),
    ("fn f(X) = sum(vmap(x -> sum(x * x) / 2)(X))", "f(ones(100, 5))", "p:2: ", "the time goes into whole tensors"),
    ("fn f(x) = jacobian(v -> v * sum(v))(x)", "f(ones(100))", "p:2: ", "the time goes into whole tensors"),
    ("fn f(x, y) = x + y", "f(1.0, 2.0)", "nothing stands out", "compiled code would be slower"),
    ("fn f(x) { names = map(); for i in range(9) { names[f\"{i}\"] = x }; return x }", "f(1.0)", "p:2: the interpreter runs it", "no other way to write it is known"),
]


class Explain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "t.csv").write_text("1,2\n3,4\n")

    def run_program(self, program):
        (self.folder / "p").write_text(program)
        return subprocess.run([COVEC, "p"], capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={"PATH": "/usr/bin:/bin"})

    def explained(self, program):
        done = self.run_program(program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def marked(self, function):
        return function if "@compile" in function else function.replace("fn f", "@compile\nfn f", 1)

    def test_the_first_line_and_its_cure(self):
        for function, call, line, cured in CASES:
            with self.subTest(function):
                made = self.explained(f"{self.marked(function)}\n_ = {call}\nprint(explain(f))")
                self.assertEqual(made.splitlines()[0], f"f: {line}")
                if cured is None:
                    continue
                text = self.explained(f"{self.marked(cured)}\n_ = {call}\nprint(explain(f))")
                self.assertEqual(text.splitlines()[0], "f: compiled, all of it")
                values = [self.explained(f"{f}\nprint({call})") for f in (function, cured)]
                self.assertEqual(values[0], values[1])

    def lines(self, function, call, *arguments):
        asked = ", ".join(["f", *arguments])
        text = self.explained(f"{self.marked(function)}\n_ = {call}\nprint(\"@@\")\nprint(explain({asked}))")
        return text[text.index("@@\n") + 3:].splitlines()

    def test_advice_helps(self):
        for function, call, dearest, advice, (before, after) in ADVICE:
            with self.subTest(function):
                lines = self.lines(function, call)
                self.assertEqual((lines[0], lines[3:]), ("f: compiled, all of it", [""]))
                self.assertIn(dearest, lines[1])
                self.assertTrue(lines[2].startswith("  to do: " + advice), lines)
                followed = function.replace("fn " * before.startswith("f(") + before, "fn " * before.startswith("f(") + after)
                lines = self.lines(followed, call)
                self.assertEqual(lines[2], "  " + NUMBERS, lines)
                self.assertRegex(lines[1], r"^  dearest: p:\d+: .*: numbers alone$")
                inside = "\n".join(self.lines(followed, call, "detail=true"))
                self.assertNotIn("kernel 0", inside)
                if "randn" not in function:
                    values = [self.explained(f"{f}\nprint({call})") for f in (function, followed)]
                    self.assertEqual(values[0], values[1])

    def test_iterations_at_once(self):
        """Where arrays keep a loop out of lanes it says why, and where."""
        loop = "fn f(x, n) {\n  y = zeros(len(x))\n  for i in range(len(x)) {\n    u = %s\n    for k in range(1, n) { %s }\n    y[i] = %s\n  }\n  return y\n}"
        swept, map_of = "u[k] = u[k - 1] * x[i] + 0.5", "u[k] = x[i] + k"
        at_once, one = r"the loop at p:4: \d iterations at once", "the loop at p:4: one iteration at a time, as "
        for made, set_by, given, told in (
                ("zeros(n)", swept, "u[n - 1]", at_once + "$"), ("ones(n, 2)[:, 0]", swept, "u[n - 1]", one + "it has an operation on tensors, at p:5$"),
                ("full(n, x[i])", map_of, "u[n - 1]", at_once + ", where arrays have at most 128 elements$"),
                ("zeros(n)", swept, "sum(u)", one + "it has an operation on tensors, at p:7$"),
                ("zeros(n)", swept, "sort(u)[0]", one + "it has an operation on tensors, at p:7$"),
                ("x", swept, "u[n - 1]", at_once + "$"), ("x[i]", "y[i] = u * k", "u", None),
                ("x[i]", "z[i, k] = u * k", "u", one + "a loop in it is a kernel, at p:6$")):
            with self.subTest(made=made, set_by=set_by, given=given):
                text = loop % (made, set_by, given)
                if "z[i" in text:
                    text = text.replace("y = zeros(len(x))", "y, z = zeros(len(x)), zeros(len(x), n)").replace("return y", "return (y, z)")
                lines = [line.strip() for line in self.lines(text, "f(linspace(0.1, 0.9, 9), 6)", "detail=true") if "the loop at p:4" in line]
                self.assertEqual(len(lines), 0 if told is None else 1, lines)
                if told is not None:
                    self.assertRegex(lines[0], told)

    def test_examples_one_at_a_time(self):
        """Of each loop over examples it says that lanes run it, or why not, and where."""
        loop = "fn r(x) = x if x > 3.0 else r(x + 1.0) * 0.5\n" \
               "fn g(x, w) {\n  s = x\n  while abs(s) < 9.0 {\n    s = abs(s) + 1.0\n    %s\n  }\n  return s\n}\n"
        vectors = "fn g(x, w) {\n  v = w[0] * x\n  for k in range(9) { if v[0] > 1.0 { v = w @ v } else { v = v + x } }\n  return v\n}\n"
        compiled = "@compile\nfn f(xs, w) = vmap(g, in_axes=(0, none))(xs, w)"
        many, one = r"\d iterations at once", "one iteration at a time, as "
        tensors, itself, lists = "it has an operation on tensors", "it calls a function that calls itself", "it has a list or text"
        for program, told in (
                (loop % "if s > 3.0 { s = s * 1.5 }", many),
                (loop % "if s > 3.0 { w = w @ w }\n    s = s + w[0, 0]", many),
                (loop % "w = w @ w\n    s = s + w[0, 0]", f"{one}{tensors}, at p:6"),
                (loop % "s = s + sum(sort(w[0]))", f"{one}{tensors}, at p:6"),
                (loop % "s = s + r(s)", f"{one}{itself}, at p:6"),
                (loop % "s = s + len(list(i for i in range(i64(s))))", f"{one}{lists}, at p:6"),
                (vectors, f"{one}{tensors}, at p:3"),
                (loop % "" + "g = (x, w) -> r(x)\n", f"{one}{itself}, at p:10")):
            with self.subTest(program):
                lines = self.lines(program + compiled, "f(linspace(0.1, 0.9, 9), ones(9, 9))", "detail=true")
                self.assertRegex("\n".join(lines), r"the loop at p:\d+: " + told)

    def test_the_gradient_inside_of_vmap(self):
        """Around it, examples run all at once; each by itself has numbers alone."""
        model = "fn h(p, x) {\n  s = x\n  for k in range(100) { s = s + 0.01 * (p[0] * s - p[1] * s * s) }\n  return s\n}\n"
        model += "xs = linspace(0.1, 0.9, 16)\n"
        around = model + "fn loss(p) = sum(vmap(x -> h(p, x))(xs))\n@compile fn f(p) = value_and_grad(loss)(p)"
        inside = model + "@compile fn f(p) {\n  v, g = vmap(value_and_grad(h), in_axes=(none, 0))(p, xs)\n  return sum(v), sum(g, axis=0)\n}"
        call = "f([1.0, 0.5])"
        lines = self.lines(around, call)
        self.assertRegex(lines[1], r"^  dearest: p:3: .*, in each iteration of its loop: \d library calls? and \d kernels? on small tensors, about ")
        self.assertEqual(lines[2], "  to do: take the gradient inside, `vmap(value_and_grad(f))`, and add, if the results are only added")
        lines = self.lines(inside, call)
        self.assertRegex(lines[1], r"^  dearest: p:3: .*, in each iteration of its loop: numbers alone$")
        self.assertIn(NUMBERS, lines[2])  # and in lanes of vectors, as many as there are
        values = [self.explained(f"{f}\nv, g = {call}\nprint(round(v * 1e9) , round(g * 1e6))") for f in (around, inside)]
        self.assertEqual(values[0], values[1])
        # Not of an example that is a vector by itself, nor of many or long ones; and not where no gradient is around it.
        self.assertNotIn("value_and_grad", self.lines(around.replace("0.9, 16", "0.9, 64"), call)[2])
        self.assertNotIn("value_and_grad", self.lines(around.replace("s * s", "sin(s)"), call)[2])
        self.assertNotIn("value_and_grad", self.lines(around.replace("s = x\n", "s = [x, x]\n").replace("return s\n", "return sum(s)\n"), call)[2])
        self.assertNotIn("value_and_grad", self.lines(around.replace("value_and_grad(loss)", "loss"), call)[2])

    def test_nothing_to_change(self):
        for function, call, dearest, why in NOTHING:
            with self.subTest(function):
                lines = self.lines(function, call)
                self.assertTrue(lines[1].startswith("  dearest: " + dearest), lines)
                self.assertEqual(lines[2:], ["  nothing to change: " + why, ""])

    def test_what_the_interpreter_runs_comes_first(self):
        for function, call, line, cured in CASES:
            lines = self.lines(function, call)
            if "interpreted" not in line and "not p:" not in line and "not the" not in line:
                continue
            with self.subTest(function):
                self.assertRegex(lines[1], r"^  dearest: p:\d+: the interpreter runs it$")
                cure = line.rpartition("; ")[2]
                self.assertEqual(lines[2], f"  to do: {cure}" if "; " in line else "  nothing to change: no other way to write it is known")

    def test_short_ones_have_no_words_of_the_compiler(self):
        for function, call in [(case[0], case[1]) for case in (*CASES, *ADVICE, *NOTHING)]:
            lines = self.lines(function, call)
            for line in lines[1:]:
                self.assertLessEqual(len(line), 160)
                self.assertNotRegex(line, r"\bv\d+\.\d|\bshape\[|kernel \d|bytes of code|\?|: ,|``")
        deep = self.folder / ("long_" * 30)
        deep.mkdir()
        (deep / "p").write_text(f"{self.marked(ADVICE[0][0])}\n_ = {ADVICE[0][1]}\nprint(explain(f))")
        done = subprocess.run([COVEC, f"{deep.name}/p"], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertRegex(done.stdout.splitlines()[1], r"^  dearest: \S+/p:6, in each iteration of the loop at line 4: 1 library call")  # no room for what stands there

    def test_combinations(self):
        function = f"fn f(x, n) {{\n{LOOP}    x = 0.9 * x + 0.1 * x[::-1]\n    s += sum(x)\n  }}\n  return s\n}}"
        calls = "\n".join(f"_ = f(ones({m}), {m * 10})" for m in range(1, 5))
        lines = self.explained(f"{self.marked(function)}\n{calls}\nprint(explain(f))").splitlines()
        self.assertEqual(lines[0], "f: compiled, all of it (for 4 combinations of types)")
        self.assertTrue(lines[1].startswith("  dearest, for (x: f64[_], n: i64): p:6: sum(x), in each iteration of the loop at p:4: "), lines)
        self.assertEqual(lines[2], "  nothing to change: the code serves any size of these small tensors")  # no annotation says four sizes
        self.assertEqual(lines[3], "  for (x: f64[1], n: i64): the first call")
        self.assertEqual(len(lines), 8)

    def test_the_dearest_is_the_measured_one(self):
        function = "fn f(x, n) {\n  s = 0.0\n  for k in range(n) { s += sum(sin(x) * k) }\n  return s + sum(sort(x))\n}"
        text = self.explained(self.marked(function) + "\n_ = f(ones(100), 20)\nprint(explain(f, measure=true))\n_ = f(ones(100), 20)\nprint(explain(f, measure=true))")
        before, after = text.split("\n\n")[:2]
        self.assertIn("\n  measured from now on: call it, then ask again", before)
        self.assertNotIn("measured from now on", after)
        self.assertRegex(after, r"\n  dearest: p:4.*; measured: (once|\d+ times), ")

    def test_the_first_line_is_that_of_the_worst(self):
        """A call with what cannot be compiled does not make it look as if nothing were."""
        done = self.run_program(self.marked("fn f(v) {\n  s = 0.0\n  for e in v { s += e^2 }\n  return s\n}")
                                + "\nf([1.0, 2.0])\ntry { f(\"a\") } catch err { print(err.kind) }\nprint(explain(f))")
        said = done.stdout.splitlines()[1]
        self.assertTrue(said.startswith("f: interpreted"), said)
        self.assertTrue(said.endswith("(the worst of 2 combinations of types)"), said)

    def test_how_much_is_checked(self):
        """Of a wide record more than the two numbers that are used."""
        fields = ", ".join(f"f{k}: {k}.0" for k in range(20))
        for record, is_said in (("{f0: 0.0, f19: 19.0}", False), (f"{{{fields}}}", True)):
            done = self.run_program(self.marked("fn f(r, n) {\n  s = r.f0\n  for k in range(n) { s += r.f19 * k }\n  return s\n}")
                                    + f"\nf({record}, 1000)\nprint(explain(f, detail=true))")
            self.assertEqual("parts of its arguments" in done.stdout, is_said, done.stdout)

    def test_what_is_not_compiled_by_itself(self):
        self.assertEqual(self.explained("fn f(x) = x\nprint(explain(f))\nprint(explain(sin))\nprint(explain(compile(f)))\n"
                                        "fn g(x) { if x < 0 { breakpoint() }; return x }\nprint(explain(g))"),
                         "f: not marked @compile, so it is interpreted; as part of a compiled function, it is compiled\n"
                         "sin: a builtin, always native code\n"
                         "f: not compiled yet: the first call compiles it\n"
                         "g: interpreted, because it contains a breakpoint(), also as part of a compiled function\n")

    def test_lists_of_records_that_grow_are_interpreted_after_a_while(self):
        program = ("@compile\nfn add(m, v) {\n  m.xs.push({a: v})\n  return m\n}\nm = {xs: list()}\nfor i in range(5000) { m = add(m, i) }\n"
                   "print(len(m.xs), explain(add))")
        done = self.run_program(program)
        self.assertTrue(done.stdout.startswith("5000 add: interpreted: too few operations: calling compiled code costs more than it saves (for "), done.stdout)
        self.assertEqual(done.stderr, "")  # beyond a few they were not worth it

    def test_there_is_one_code_for_lists_of_any_length_and_any_text(self):
        """Some have code of their own first; long lists have not."""
        function = "fn f(xs, name) {\n  s = 0.0\n  for x in xs { s += sum(x * 2.0) }\n  print(name, s)\n  return s\n}"
        for item, types in (("0.5 * k", "list f64"), ("[1.0 * k, 2.0]", "list f64[_]"), ("i32(k)", "list i32"), ("f32([[k, 1]])", "list f32[_, _]")):
            for longest, count in ((40, 4), (200, 4)):
                with self.subTest(item=item, longest=longest):
                    done = self.run_program(f"{self.marked(function)}\nfor n in range(1, {longest}) {{ s = f(list({item} for k in range(n)), f\"n{{n}}\") }}\nprint(explain(f))")
                    said = done.stdout[done.stdout.index("f: compiled"):].splitlines()
                    self.assertEqual(said[0], f"f: compiled, all of it (for {count} combinations of types)")
                    self.assertIn(f"  for (xs: {types}, name: string): xs: {types} after xs: list(", done.stdout)
                    self.assertEqual(done.stderr, "")
        done = self.run_program(f"{self.marked(function)}\ns = f(list(1.0 for k in range(65)), \"a\")\nprint(explain(f, detail=true))")
        self.assertIn("\n  for (xs: list f64, name: string): the first call\n", done.stdout)

    def test_so_there_is_for_what_is_made_of_a_function(self):
        function = "fn f(x, ws, name) {\n  s = 0.0\n  for w in ws { s += sum(x * w) }\n  return s\n}\ng = compile(grad(f))\nv = compile(vmap(f, in_axes=(0, none, none)))\n"
        done = self.run_program(function + "for n in range(1, 100) {\n  ws = list(0.5 * k for k in range(n))\n  a, b = (g([1.0], ws, f\"a{n}\"), v([[1.0], [2.0]], ws, f\"a{n}\"))\n}\n"
                                "print(a, b)\nprint(explain(g))\nprint(explain(v))")
        self.assertTrue(done.stdout.startswith("[2425.5] [2425.5, 4851.0]\n"), done.stdout)
        self.assertIn("grad(f): compiled, all of it (for 4 combinations of types)", done.stdout)
        self.assertIn("vmap(f): compiled, all of it (for 4 combinations of types)", done.stdout)

    def test_what_a_text_decides_keeps_code_for_each(self):
        done = self.run_program("@compile\nfn f(x, how) {\n  if how == \"twice\" { return x * 2 }\n  for i in range(10) { x = x * 1.5 }\n  return x\n}\n"
                                "for how in list(\"twice\", \"a\", \"b\", \"c\", \"d\", \"twice\") { y = f(1.0, how) }\nprint(y, explain(f))")
        self.assertTrue(done.stdout.startswith("2.0 f: compiled, all of it (for 5 combinations of types)"), done.stdout)
        self.assertNotIn("string", done.stdout)

    def test_what_is_made_stays_in_use(self):
        """After many texts the code of one that is known is found again; a strict function may have many, too."""
        program = ("@compile\nfn f(x, tag) { s = 0.0; for i in range(i64(x)) { s += x * i }; return s }\nfor i in range(100) { s = f(1.0, f\"w{i}\") }\n"
                   "t = time()\nfor k in range(200) { s = f(1.0, \"w3\") }\nprint(f(10.0, \"w3\"))\n"
                   "@compile(strict=true)\nfn total(a) { s = 0.0; for v in a { s += v }; return s }\na = list()\n"
                   "for i in range(40) { a.push(1.0); s = total(a) }\nprint(s)")
        done = self.run_program(program)
        self.assertEqual((done.returncode, done.stdout), (0, "450.0\n40.0\n"), done.stderr)

    def test_what_is_captured_is_nothing_new(self):
        kinds = "(1, 1.0, f32(1), [1], [1.0], f32([1]), [[1]], [[1.0]])"
        done = self.run_program("fn made(name) {\n  @compile\n  fn inner(x, y) { s = 0.0; for i in range(3) { s += sum(x * y) + len(name) }; return s }\n"
                                f"  return inner\n}}\nf = made(\"text\")\nfor a in {kinds} {{ for b in {kinds} {{ s = f(a, b) }} }}\nprint(explain(f))")
        self.assertTrue(done.stdout.startswith("inner: compiled, all of it (for 64 combinations of types)"), done.stdout[:200])

    def test_what_is_too_little_to_compile(self):
        text = self.explained("@compile\nfn f(x, y) = x + y\n_ = f(1.0, 2.0)\nprint(explain(f))")
        self.assertIn("interpreted: too few operations: calling compiled code costs more than it saves", text)
        more = "@compile\nfn f(x, y) = ((x + y) * x - y) * (x - y) / (y + x)\n_ = f(1.0, 2.0)\nprint(explain(f))"
        self.assertTrue(self.explained(more).startswith("f: compiled, all of it"))
        inside = "@compile\nfn f(x) = x + 1\n@compile\nfn g(x) { for i in range(9) { x = f(x) }; return x }\n_ = g(1.0)\nprint(explain(g))"
        self.assertTrue(self.explained(inside).startswith("g: compiled, all of it"))

    def test_what_was_too_little_is_weighed_again(self):
        """Of many more elements, or where it is to be measured."""
        many = ", ".join(f"k{i}: {i}" for i in range(20))
        made = f"@compile\nfn f(p, k) {{ w = p.w * k + p.b; return {{...p, w: w * 2.0}} }}\nfn big(n) = {{w: zeros(n), b: ones(n), {many}}}\nfor i in range(300) {{ _ = f(big(2), 2.0) }}\n"
        self.assertTrue(self.explained(made + "print(explain(f))").startswith("f: interpreted: too few operations"))
        grown = made + "for i in range(300) { _ = f(big(100000), 2.0) }\nprint(explain(f))"
        self.assertTrue(self.explained(grown).startswith("f: compiled, all of it"))
        measured = made + "_ = explain(f, measure=true)\nfor i in range(9) { _ = f(big(2), 2.0) }\nprint(explain(f, detail=true, measure=true))"
        self.assertIn("measured: 9 times", self.explained(measured))
        # What is read of the module goes in once, and does not count as grown.
        globals_too = ("c = ones(100000)\nd = 4.0\ne = 5.0\n@compile\nfn f(x) = (c, d, e, x)\n_ = f(1.0)\nfor i in range(30) { r = f(2.0) }\nprint(explain(f, detail=true))\n_ = explain(f, measure=true)\n"
                       "for i in range(3) { r = f(3.0) }\nprint(r[1:], sum(r[0]))\nprint(explain(f, detail=true))\n"
                       "h = d\n@compile\nfn g(p) = {...p, w: p.w * h * d * e}\n@compile(strict=true)\nfn s(p) = {...p, w: p.w * h * d * e}\n"
                       f"fn big(n) = {{w: ones(n), {many}}}\nfor n in [2, 100000] {{ for f in list(g, s) {{ for i in range(300) {{ r = f(big(n)) }}; print(sum(r.w)) }} }}\nprint(explain(g, detail=true), explain(s, detail=true))")
        done = self.run_program(globals_too)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(4.0, 5.0, 3.0) 100000.0\n", done.stdout)
        self.assertIn("160.0\n160.0\n8000000.0\n8000000.0\n", done.stdout)
        self.assertEqual([done.stdout.count(cause) for cause in (": the first call", ": it is to be measured", ": its tensors have grown")], [1, 1, 2], done.stdout)

    def test_strict_takes_no_code_that_is_not_whole(self):
        program = ("fn f(s, x) { t = 0.0; for i in range(100) { t += x * i }; if s == \"b\" { t = (t, 1) }; return t }\nlong = \"a\" * 2001\n"
                   "loose = compile(f)\nstrict = compile(f, strict=true)\nprint(loose(long, 1.0), loose(long, 1.0), strict(long, 1.0), strict(long, 2.0))")
        done = self.run_program(program)
        self.assertEqual((done.returncode, done.stdout), (0, "4950.0 4950.0 4950.0 9900.0\n"), done.stderr)

    def test_what_staging_has_done_is_not_too_little(self):
        for body in ("{ s = 0.0; for v in list(1.0, 2.0, 3.0, 4.0) { s += sqrt(v) }; return x * s }", "= [3, 1, 4][x]"):
            text = self.explained(f"@compile\nfn f(x) {body}\n_ = f(2)\nprint(explain(f))")
            self.assertTrue(text.startswith("f: compiled, all of it"), text)

    def test_unknown_extents_are_no_numbers(self):
        program = "@compile\nfn f(x) = [x, x[:, newaxis]]\ntry { f([1.0, 2.0]) } catch err { print(err.message) }\nprint(explain(f))"
        text = self.explained(program)
        self.assertIn("row 1 has shape [2, 1], row 0 has 2 elements", text)
        self.assertIn("row 1 has shape [?, 1], row 0 has shape [?]", text)

    def test_another_number_of_arguments(self):
        text = self.explained("@compile\nfn f(*xs) = len(xs)\n_ = f(1)\n_ = f(1, 2)\nprint(explain(f))")
        self.assertIn("another number of arguments", text)

    def test_long_ones_are_shortened_unless_asked(self):
        kernels = "\n".join(f"  s += sum(sin(x * {i}))\n  print(s)" for i in range(20))
        program = f"@compile\nfn f(x) {{\n  s = 0.0\n{kernels}\n  return s\n}}\n_ = f([1.0])\n"
        short, full = self.explained(program + "print(explain(f))"), self.explained(program + "print(explain(f, detail=true))")
        self.assertEqual((short.count("kernel "), full.count("kernel ")), (1, 20))
        self.assertEqual(("licm" in short, "licm" in full), (False, True))
        self.assertNotIn("from ?", full)
        many = "@compile\nfn f(xs) { s = 0.0; for i in range(9) { s += i * xs[-1] }; return s * len(xs) }\n" + "\n".join(f"_ = f(({'1, ' * i}))" for i in range(1, 13))
        self.assertIn("… and 4 combinations more", self.explained(many + "\nprint(explain(f))"))
        long_types = "@compile\nfn f(xs) = xs[0]\n_ = f((*range(1000),))\n"
        self.assertLess(len(self.explained(long_types + "print(explain(f))")), 200)
        self.assertGreater(len(self.explained(long_types + "print(explain(f, detail=true))")), 4000)

    NESTS = """fn f(x, w, b) {
    y = maximum(exp(x * 2) @ w + b, 0.0)
    v = zeros(100)
    for i in range(1, 99) { v[i] = 0.5 * (x[0, i - 1] + x[0, i + 1]) }
    return sum(y, axis=0), sort(y[0]), v
}
x, w, b = rand(100, 100), rand(100, 100), rand(100)
expected = f(x, w, b)
f = compile(f)
"""

    @staticmethod
    def without_times(text):
        """Each measured number as #."""
        text = re.sub(r"this machine \(.*\): .*", "this machine", text)
        return re.sub(r"(?<=measured: )(once|\d+ times), .*", lambda m: re.sub(r"\d+(\.\d+)? (ns|us|ms|s|GB/s|GFLOP/s|%)(?![^\s,:])", r"# \2", m[0]), text)

    def test_measured(self):
        """Nothing before it is asked for; then from the first call on, with the same results."""
        program = self.NESTS + ("print(explain(f, detail=true, measure=true))\n_ = f(x, w, b)\nprint(explain(f, detail=true))\nprint(explain(f, detail=true, measure=true))\n"
                                "for i in range(4) { _ = f(x, w, b) }\nprint(explain(f, detail=true, measure=true))\n"
                                "print([all(p == q) for (p, q) in zip(f(x, w, b), expected)])")
        before, rest = self.explained(program).split("\n", 1)
        self.assertEqual(before, "f: not compiled yet: the first call compiles it, and measures from then on")
        plain, once, often = self.without_times(rest).split("\n\n")[:3]
        self.assertTrue(rest.endswith("[true, true, true]\n"), rest)
        self.assertNotIn("measured", plain)
        self.assertNotIn("this machine", plain)
        measured = [line.strip() for line in once.splitlines() if "measured: " in line]
        times = [line for line in measured if re.fullmatch(r"measured: once, # (ns|us|ms)", line)]
        self.assertEqual(times, [line for line in measured if "roofline" not in line], once)
        kinds = {"".join(line.split("%")[-1:]) for line in measured if "roofline" in line}
        self.assertLessEqual(kinds, {f" of the roofline ({bound})" for bound in ("arithmetic", "cache", "memory")})
        self.assertRegex(once, r"this machine\n")
        for nest in (r"kernel \d+: multiply exp", r"kernel \d+: add maximum", r"loop at p:4", r"sort from p:5"):
            self.assertRegex(once, rf"    {nest}.*\n(      (?!measured).*\n)*      measured: once, # (ns|us|ms)")
            self.assertRegex(often, rf"    {nest}.*\n(      (?!measured).*\n)*      measured: 5 times, each # (ns|us|ms)")

    # Of a call it is in loops of numbers most of the time; one loop is left from inside, one has others in it.
    LOOPS = ("@compile\nfn f(x, n) {\n  y, s, k = 0.0 * x, 0.0, 0\n  for i in range(len(x)) {\n    s = s + sin(x[i]) * s\n    y[i] = s\n  }\n"
             "  while k < 60 * n {\n    k += 1\n    s = s * 0.5 + y[k % len(x)]\n  }\n  for i in range(n) {\n    for j in range(3) { s = cos(s + j) }\n"
             "    if s > 2 { return s }\n  }\n  return s + sum(sort(y))\n}\nx = rand(100000)\n")

    def test_loops_of_numbers_are_measured(self):
        program = self.LOOPS + "expected = f(x, 20000)\n_ = explain(f, measure=true)\nfor i in range(60) { print(f(x, 20000) == expected) }\nprint(explain(f, detail=true, measure=true), explain(f, measure=true))"
        same, text = self.explained(program).split("f: compiled", 1)
        self.assertEqual(same, "true\n" * 60)
        for line, why in ((4, "its iterations are not seen to be independent"), (8, "only the run knows when it ends"), (12, "its iterations are not seen to be independent")):
            self.assertRegex(text, rf"    the loop at p:{line}: one iteration at a time, as {why}\n      measured: 60 times, each ")
        self.assertNotIn("the loop at p:13", text)
        self.assertRegex(text, r"    a call: 60 times, each .*; of all calls \d+ % are timed below")
        self.assertRegex(text, r"\n  dearest: p:\d+.*: numbers alone; measured: 60 times, each .* the loop\n")

    def test_the_dearest_line_in_lanes_is_measured(self):
        """The library calls around the loop over the examples take a thousandth of its time."""
        program = ("@compile\nfn f(xs, n) = vmap(x -> {\n  s = x\n  for i in range(n) {\n    s = sin(s) * x + 0.5\n    if s > 1.0 { s = s - 1.0 }\n  }\n"
                   "  return s\n})(xs)\nxs = linspace(-1.0, 1.0, 100)\n_ = f(xs, 3000)\n_ = explain(f, measure=true)\n"
                   "for i in range(5) { _ = f(xs, 3000) }\nprint(explain(f, measure=true))")
        self.assertRegex(self.explained(program), r"\n  dearest: p:5.*: numbers alone; measured: 5 times, each ")

    def test_sweeps_of_elements_make_zeros_once(self):
        """Not in each of 1,000 iterations."""
        for way in ("grad(f)", 'grad(f, zero="ieee")', "x -> jvp(grad(f), (x,), (x,))"):
            text = self.explained("fn shifted(x, y) {\n  z = zeros(len(x))\n  for i in range(1, len(x)) { z[i] = x[i] * y[i - 1] }\n  return z\n}\n"
                                  "fn f(x) {\n  y = x\n  for s in range(3) {\n    for i in range(len(y)) { y[i] += 0.1 * x[i] }\n    y = shifted(x, y)\n  }\n"
                                  f"  return sum(y)\n}}\nx = sin(arange(1000.0))\ng = compile({way})\n_ = g(x)\n_ = explain(g, measure=true)\n_ = g(x)\n"
                                  "print(explain(g, measure=true, detail=true))")
            self.assertIn("a call: once", text)
            for times in re.findall(r"measured: (\d+) times", text):
                self.assertLess(int(times), 100, f"{way}: {text}")

    def test_code_that_is_there_is_measured_from_now_on(self):
        program = ("@compile\nfn f(x) = sum(x * 2 + 1)\nx = rand(1000)\nfor i in range(3) { s = f(x) }\nprint(explain(f, detail=true, measure=true))\n"
                   "for i in range(2) { s = f(x) }\n_ = f(f32(x))\nprint(explain(f, detail=true, measure=true))\nprint(f(x) == sum(x * 2 + 1))")
        text = self.explained(program)
        self.assertEqual(text.count("    measured from now on: call it, then ask again\n"), 1)
        self.assertEqual((text.count("measured: 2 times, each "), text.count("measured: once, ")), (1, 1), text)
        self.assertTrue(text.endswith("true\n"))

    def test_one_operator_and_its_errors_are_measured_too(self):
        program = ("@compile\nfn f(a, b) = a @ b\nm = ones(4, 3)\n_ = f(m, ones(3))\ns = explain(f, measure=true)\n_ = f(m, ones(3))\n"
                   "try { f(m, ones(5)) } catch err { print(err.message) }\nprint(explain(f, detail=true, measure=true))")
        text = self.explained(program)
        eager = self.explained(program.replace("@compile\n", "", 1))
        self.assertEqual(text.splitlines()[0], eager.splitlines()[0])
        self.assertIn("      measured: once, ", text)

    def test_the_work_that_is_measured(self):
        """Time and rates, of three digits, give back the operations and bytes that there are."""
        images = "rand(8, 3, 32, 32), rand(16, 3, 5, 5)"
        windows = 2 * 8 * 16 * 28 * 28 * 3 * 5 * 5
        image_bytes = 8 * (8 * 3 * 32 * 32 + 16 * 3 * 5 * 5 + 8 * 16 * 28 * 28)
        cases = [
            ("(a, b) -> a @ b", "rand(200, 300), rand(300, 100)", "matmul", 2 * 200 * 300 * 100, 8 * (60000 + 30000 + 20000)),
            ("(a, b) -> a @ b", "f32(rand(4, 200, 300)), f32(rand(300, 100))", "matmul", 8 * 200 * 300 * 100, 4 * (240000 + 30000 + 80000)),
            ("(a, b) -> maximum(a @ b + 1, 0.0) * 2", "rand(200, 300), rand(300, 100)", r"kernel \d+", None, 8 * (60000 + 30000 + 20000)),
            ("(a, b) -> grad(a -> sum(exp(a @ b)))(a)", "rand(200, 300), rand(300, 100)", "scaled_matmul", 2 * 200 * 300 * 100, 8 * (60000 + 30000 + 20000)),
            ("(a, b) -> einsum(\"ijk,kj->i\", a, b)", "rand(30, 40, 50), rand(50, 40)", "contract", 2 * 30 * 40 * 50, 8 * (60000 + 2000 + 30)),
            ("(a, b) -> conv2d(a, b)", images, "convolve_windows", windows, image_bytes),
            ("(a, b) -> grad(a -> sum(conv2d(a, b)^2))(a)", images, "convolve_input", windows, image_bytes),
            ("(a, b) -> grad(b -> sum(conv2d(a, b)^2))(b)", images, "convolve_weight", windows, image_bytes),
            ("(a, b) -> sum(a)", "rand(1000, 300), 1", "sum", 300000, 8 * 300000),
            ("(a, b) -> sum(a * b, axis=0)", "rand(1000, 300), rand(1000, 300)", r"kernel \d+", 2 * 300000, 8 * (600000 + 300)),
            ("(a, b) -> a * b + 1", "rand(1000, 300), rand(300)", r"kernel \d+", 2 * 300000, 8 * (600000 + 300)),
        ]
        for function, args, nest, operations, size in cases:
            with self.subTest(function):
                text = self.explained(f"f = compile({function})\n_ = explain(f, measure=true)\n_ = f({args})\nprint(explain(f, detail=true, measure=true))")
                found = re.search(rf"    {nest}.*\n(?:      .*\n)*?      measured: once, ([\d.]+) (ns|us|ms), ([\d.]+) GB/s, ([\d.]+) GFLOP/s: [\d.]+ % of the roofline", text)
                self.assertIsNotNone(found, text)
                seconds = float(found[1]) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[found[2]]
                if seconds >= 10e-6 and float(found[3]) >= 0.1:
                    self.assertAlmostEqual(seconds * float(found[3]) * 1e9 / size, 1, delta=0.06, msg=text)
                if seconds >= 10e-6 and operations is not None and float(found[4]) >= 0.1:
                    self.assertAlmostEqual(seconds * float(found[4]) * 1e9 / operations, 1, delta=0.06, msg=text)

    def test_products(self):
        """Their shapes, what they do, and why what stands around them is no part of them."""
        program = ("@compile\nfn f(x, w, b) {\n  h = maximum(exp(x * 2) @ w + b, 0.0)\n  return h, sum((x @ w)^2), b @ w\n}\n"
                   "_ = f(ones(8, 4), ones(4, 4), ones(4))\nprint(explain(f, detail=true))")
        text = self.explained(program)
        xw = "[x.shape[0], x.shape[1]] @ [w.shape[0], w.shape[1]]\n      2 * x.shape[0] * w.shape[1] * x.shape[1] operations on f64, 8 * ("
        self.assertRegex(text, "matmul from p:3: " + re.escape(xw) + r".*\n.*kernel \d+ before it stays separate: each element is needed many times"
                         r".*\n      kernel \d+ is its epilogue, row by row\n")
        self.assertRegex(text, "matmul from p:4: " + re.escape(xw) + r".*\n      kernel \d+ after it is not its epilogue: it reduces what it reads\n")
        self.assertRegex(text, r"matmul from p:4: \[b.shape\[0\]\] @ \[w.shape\[0\], w.shape\[1\]\]\n      2 \* w.shape\[1\] \* b.shape\[0\] operations")
        known = "@compile\nfn f(x: f64[3, 20], w: f64[20, 5]) = x @ w\n_ = f(ones(3, 20), ones(20, 5))\nprint(explain(f, detail=true))"
        self.assertIn("[3, 20] @ [20, 5]\n      600 operations on f64, 8 * (60 + 100 + 15) bytes\n", self.explained(known))

    def test_kept_tensors(self):
        """A gradient keeps no tensor that a cheap kernel gives from tensors that stay, and counts none for `memory`."""
        cases = [  # what an iteration does, what stands behind the loop, and the bytes that are saved and computed again
            ("s += sum(sin(x - mu[j]))", "", {}, {"64 * x.shape[0]": 1}),
            ("s += sum(exp(-(x - mu[j])^2))", "", {"64 * x.shape[0]": 1}, {"64 * x.shape[0]": 1}),
            ("s += sum(((x - mu[j]) @ x.T)^2)", "", {"8 * x.shape[0] * x.shape[0]": 1}, {"64 * x.shape[0]": 1}),
            ("s += sum(sin(2.0 * (x - mu[j, newaxis, :])))", "", {}, {"64 * x.shape[0]": 1}),
            ("s += sum(sin(x[:, j % 8] - mu[3, j % 8]))", "", {}, {"8 * x.shape[0]": 1}),
            ("s += sum(sin(2.0 * (x - mu[j]) + x))", "", {"64 * x.shape[0]": 1}, {}),          # three operations
            ("s += sum(sin(exp(x) - mu[j]))", "", {}, {"64 * x.shape[0]": 1}),
            ("s += sum(sin(x - mu[j]))", "mu[0] = 3.0\n", {"64 * x.shape[0]": 1}, {}),          # it changes behind the loop
            ("s += sum(sin(x - mu[j]))\nmu[0] += 1.0", "", {"64 * x.shape[0]": 1}, {}),         # in it
            ("s += sum(sin(x - mu[j]))\nx = 1.5 * x", "", {"64 * x.shape[0]": 1}, {}),
        ]
        for body, behind, saved, again in cases:
            with self.subTest(body + behind):
                program = (f"fn f(x, mu) {{\ns = 0.0\nfor j in range(len(mu)) {{\n{body}\n}}\n{behind}return s + sum(mu)\n}}\n"
                           "g = compile(value_and_grad(f, wrt=(0, 1)))\n_ = g(ones(10, 8), ones(9, 8))\nprint(explain(g, detail=true))")
                text = self.explained(program)
                for what, expected in (("saved per iteration", saved), ("computed again", again)):
                    found = re.findall(rf"    {what} for the derivative, at p:\d+: (.*) bytes", text)
                    self.assertEqual({size: found.count(size) for size in found if "shape" in size}, expected, text)
        # Everything fits, so no iteration runs twice.
        program = ("fn f(x, mu) {\ns = 0.0\nfor j in range(len(mu)) { s += sum(abs(x - mu[j])) }\nreturn s\n}\n"
                   "g = compile(grad(f, wrt=1, memory=4000))\nx, mu = ones(10, 8), ones(27, 8)\n_ = g(x, mu)\n"
                   "_ = explain(g, measure=true)\n_ = g(x, mu)\nprint(explain(g, detail=true, measure=true))")
        self.assertIn("measured: 27 times", self.explained(program))

    def test_cliffs_are_told(self):
        """A function that is interpreted after all says so once, when that has taken two seconds."""
        functions = ("@compile\nfn left(n) {\n  s = 0.0\n  for i in range(n) { s += i }\n  try { sleep(0.7) } catch { s = 0.0 }\n  return s\n}\n"
                     "@compile\nfn quick(n) {\n  s = 0.0\n  for i in range(n) { s += i }\n  try { s += 1 } catch { s = 0.0 }\n  return s\n}\n")
        calls = functions + "for k in range(4) { left(100) }\nfor k in range(100) { quick(100) }\n"
        run = self.run_program(calls)
        said = "warning: left runs mostly in the interpreter: compiled, "
        self.assertEqual(run.stderr.count("warning"), 1, run.stderr)
        self.assertIn(said, run.stderr)
        self.assertIn("put the `try` around the call", run.stderr)


if __name__ == "__main__":
    COVEC = sys.argv.pop(1)
    unittest.main()
