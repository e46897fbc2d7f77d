#!/usr/bin/env python3
"""No program ends the command by its memory: limits of the session and of the system become errors, with their places.

    python3 memory_test.py COVEC SHIM

LIMITED: programs that would take all memory, on a machine that has little and under `ulimit -v`, in each engine.
PROGRAMS: the allocator refuses, anywhere. Start reading there.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

COVEC = SHIM = ""

# A name, a program that never has enough, and what the error's second line says.
LIMITED = {
    "records in a list": ("x = list()\nwhile true { x.push({a: 1.0, b: 2}) }\n", "  --> program.covec:2:"),
    "numbers in a list": ("x = list()\nwhile true { x.push(1.0) }\n", "  --> program.covec:2:"),
    "strings in a list": ('x = list()\nwhile true { x.push("a longer text than fits " + str(len(x))) }\n', "  --> program.covec:2:"),
    "functions in a list": ("x = list()\nwhile true { n = len(x)\nx.push(() -> n) }\n", "  --> program.covec:"),
    "tuples in tuples": ("x = ()\nwhile true { x = (x, 1) }\n", "  --> program.covec:2:"),
    "lists in lists": ("x = list()\nwhile true { x = list(x) }\n", "  --> program.covec:2:"),
    "a list that doubles": ("x = list(1, 2)\nwhile true { y = x\nfor part in y { x.push(part) } }\n", "  --> program.covec:3:"),
    "a list of a long range": ("x = list(i for i in range(10^12))\n", "  --> program.covec:1:"),
    "a string that doubles": ('x = "ab"\nwhile true { x = x + x }\n', "  --> program.covec:2:"),
    "a formatted string": ('x = "ab"\nwhile true { x = f"{x}{x}" }\n', "  --> program.covec:2:"),
    "tensors in a list": ("x = list()\nwhile true { x.push(zeros(1000)) }\n", "  --> program.covec:2:"),
    "a function's list": ("fn f(n) {\n  x = list()\n  for i in range(n) { x.push(1.0 * i) }\n  return len(x)\n}\nf(10^12)\n",
                          "  --> program.covec:3:"),
    "a chain of closures": (
        "fn chain(n) {\n  f = x -> x\n  for i in range(n) { g = f\n  f = x -> g(x) }\n  return f\n}\nchain(10^12)\n",
        "  --> program.covec:"),
    "residuals of a loop": ("fn f(x, n) {\n    for i in range(n) { x = sin(x) }\n    return x\n}\ngrad(f)(1.0, 10^12)\n",
                            "  --> program.covec:"),
    "residuals of a loop of tensors": (
        "fn f(x, n) {\n    for i in range(n) { x = sin(x) }\n    return sum(x)\n}\ngrad(f)(ones(3), 10^12)\n", "  --> program.covec:"),
}

# Each makes what others do not: a tree, a compiled function, a derivative, an error, text, a file, threads.
PROGRAMS = {
    "trees": 'x = list()\nfor i in range(300) { x.push({a: [1.0, i], b: (i, "text " + str(i))}) }\nprint(len(x), x[:2])\n',
    "compiled": "@compile\nfn f(x, n) {\n  s = list()\n  for i in range(n) { s.push(x * i) }\n  return sum(s[i] for i in range(n))\n}\n"
                "print(f(2.0, 50), grad(f)(2.0, 50))\n",
    "derivatives": "fn f(p) = sum(tanh(p.w @ p.x))\nprint(grad(f)({w: ones(3, 3), x: ones(3)}).w[0], hessian(x -> sum(x^3))(ones(2)))\n",
    "vmap": "print(vmap(x -> sum(x[i] * x[j] for i, j))(ones(3, 2)), list(i^2 for i in range(5)))\n",
    "an error": "fn f(x) = x[7]\nfn g(x) = f(x) + 1\ng([1.0, 2.0])\n",
    "a syntax error": "x = (1, 2\ny = = 3\n",
    "threads": "x = rand(300, 300)\nprint(sum(sort(x @ x)) > 0, sum(exp(rand(500, 500))) > 0)\n",
    "files": 'save("t.npz", {a: ones(3), b: list(1, 2)})\nprint(load("t.npz"))\nwrite_csv("t.csv", ones(2, 2))\nprint(read_csv("t.csv"))\n',
    "modules": "import optim\nimport nn\nprint(optim.sgd({w: 1.0}, {w: 1.0}, lr=0.1))\n",
    "factors": "a = eye(4) * 2\nprint(inv(a)[0, 0], svd(a)[1], det(a), solve(a, ones(4)))\n",
}


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, text, address_space=None, shim=True, **environment):
        (self.folder / "program.covec").write_text(text)
        limit = address_space and (lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space)))
        preload = {"LD_PRELOAD": SHIM} if shim else {}
        environment = {"PATH": "/usr/bin:/bin", "COVEC_THREADS": "2", **preload, **environment}
        return subprocess.run([COVEC, "program.covec"], capture_output=True, text=True, cwd=self.folder, timeout=100,
                              env=environment, preexec_fn=limit)

    def assert_refused(self, result, place):
        self.assertEqual(result.returncode, 1, result.stderr[:2000])
        lines = result.stderr.splitlines()
        self.assertTrue(lines[0].startswith("error: out of memory: "), lines[:3])
        self.assertTrue(lines[1].startswith(place), lines[:3])

    def test_a_small_machine(self):
        for name, (text, place) in LIMITED.items():
            for engine in ("eager", "compiled"):
                with self.subTest(name, engine=engine):
                    result = self.run_program(text, MACHINE_MEMORY=str(1 << 26), COVEC_ENGINE=engine)
                    self.assert_refused(result, place)
                    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
                    self.assertLess(peak, 400_000, "kB: it went on far beyond the limit of 50 MB")

    def test_little_address_space(self):
        for name, (text, place) in LIMITED.items():
            for engine in ("eager", "compiled"):
                with self.subTest(name, engine=engine):
                    self.assert_refused(self.run_program(text, address_space=1_100_000_000, shim=False, COVEC_ENGINE=engine), place)

    def peak_of(self, text):
        (self.folder / "program.covec").write_text(text)
        child = subprocess.Popen([COVEC, "program.covec"], stdout=subprocess.DEVNULL, cwd=self.folder)
        _, child.returncode, used = os.wait4(child.pid, 0)
        self.assertEqual(child.returncode, 0)
        return used.ru_maxrss

    def test_what_a_compiled_function_does_not_reach(self):
        text = ("@compile\nfn f(x) {\n  if x > 1.0 { return sum(arange(N)) + sum(linspace(0.0, 1.0, N)) + len(triu_indices(N)[0]) }\n"
                "  return x\n}\nprint(f(0.5))\n")
        few, many = (self.peak_of(text.replace("N", n)) for n in ("10", "10^7"))
        self.assertLess(many - few, 20_000, "kB: compiling computes a tensor of 80 MB")

    def assert_told(self, result, normal):
        if result.returncode == 0 and normal.returncode == 0:
            return self.assertEqual(result.stdout, normal.stdout)
        self.assertEqual(result.returncode, 1, f"{result.stderr[:2000]}")
        if result.stderr != normal.stderr:
            self.assertIn("out of memory", result.stderr)

    def test_an_allocation_that_fails(self):
        steps = int(os.environ.get("COVEC_MEMORY_STEPS", "25"))
        for name, text in PROGRAMS.items():
            for engine in ("eager", "compiled"):
                self.run_program(text, COVEC_ENGINE=engine, COUNT_FILE="count")
                normal = self.run_program(text, COVEC_ENGINE=engine)
                count = int((self.folder / "count").read_text())
                for step in range(steps):
                    number = 1 + step * count // steps + step * 7 % max(1, count // steps)
                    with self.subTest(name, engine=engine, number=number):
                        self.assert_told(self.run_program(text, COVEC_ENGINE=engine, FAIL_AT=str(number)), normal)

    def test_a_heap_that_is_full(self):
        for name, text in PROGRAMS.items():
            for engine in ("eager", "compiled"):
                normal = self.run_program(text, COVEC_ENGINE=engine)
                for room in [2**k + 2**k // 7 * part for k in range(15, 22) for part in (0, 3)]:
                    with self.subTest(name, engine=engine, room=room):
                        self.assert_told(self.run_program(text, COVEC_ENGINE=engine, HEAP_ROOM=str(room)), normal)


if __name__ == "__main__":
    SHIM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    COVEC = str(pathlib.Path(sys.argv.pop(1)).resolve())
    sys.exit(unittest.main())
