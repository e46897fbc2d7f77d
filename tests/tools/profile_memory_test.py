#!/usr/bin/env python3
"""covec profile --memory: programs of which it is known which lines take memory, and hold it when the program holds most.

    python3 profile_memory_test.py COVEC SOURCE

Start reading at Known.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COVEC, SOURCE = "", pathlib.Path()
ENGINES = ("eager", "compiled", "c99")
MB, HEADERS = 1_000_000, 4_000  # bytes; the most of a tensor's header, and of what calls hold beside it
UNITS = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
ROW = re.compile(r" *([\d.]+ \w+) +([\d.]+ \w+) +([\d.]+ \w+) +(\d+)  (.*)")


def number(text):
    amount, unit = text.split(" ")
    return float(amount) * UNITS[unit]


class Profiled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *arguments, **environment):
        return subprocess.run([COVEC, *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder, env={**os.environ, **environment})

    def profile(self, text, *options, status=0, **environment):
        (self.folder / "p.covec").write_text(text)
        done = self.command("profile", "--memory", *options, "p.covec", **environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def lines(self, told):
        """Of each line its bytes at the peak, its own and with what it calls, and those that it has taken, and their blocks."""
        part = told.split("blocks  lines\n")[1].split("\n\n")[0]
        rows = [ROW.fullmatch(row).groups() for row in part.rstrip("\n").split("\n")]
        return {int(re.match(r"p\.covec:(\d+)", name)[1]): (number(own), number(whole), number(taken), int(blocks))
                for own, whole, taken, blocks, name in rows if name.startswith("p.covec:")}

    def assert_bytes(self, found, wanted, message=None):
        self.assertTrue(wanted * 0.99 <= found <= wanted * 1.01 + HEADERS, f"{found} for {wanted}: {message}")


class Known(Profiled):
    """Lines that hold 1 : 2 : 7 MB at the peak, and one that has let go of what it took."""

    def check(self, told, held, gone):
        lines = self.lines(told)
        for line, megabytes in held.items():
            self.assert_bytes(lines[line][0], megabytes * MB, told)
        for line, megabytes in gone.items():
            self.assertLess(lines[line][0], HEADERS, told)
            self.assert_bytes(lines[line][2], megabytes * MB, told)
        others = {line: row[0] for line, row in lines.items() if line not in held}
        self.assertLess(sum(others.values()), 3 * HEADERS, told)
        peak = number(re.match(r"memory: ([\d.]+ \w+) at the peak\n", told)[1])
        self.assertTrue(sum(held.values()) * MB <= peak <= sum(held.values()) * MB + 1.5 * MB, told)

    def test_statements(self):
        for engine in ENGINES:
            told = self.profile("""a = zeros(125_000)
b = zeros(4, 62_500)
d = zeros(500_000)
d = none
c = list(zeros(437_500), zeros(437_500))
e = a + 1.0
print(sum(a) + sum(b))
""", COVEC_ENGINE=engine)
            self.assertEqual(told.stdout, "0.0\n")
            self.check(told.stderr, {1: 1, 2: 2, 5: 7, 6: 1}, {3: 4})

    def test_functions(self):
        for engine in ENGINES:
            told = self.profile("""fn one(n) {
    a = zeros(n)
    t = sum(zeros(3 * n))
    return a
}
fn all(n) {
    a = one(n)
    b = linspace(0.0, 1.0, n)
    c = concat((a, b, zeros(5 * n)))
    return (a, b, c)
}
r = all(125_000)
r = none
s = zeros(200_000)
""", COVEC_ENGINE=engine).stderr
            lines = self.lines(told)
            for line, megabytes in {2: 1, 8: 1, 9: 12}.items():  # the joined parts are there while they are joined
                self.assert_bytes(lines[line][0], megabytes * MB, told)
            self.assertLess(lines[3][0], HEADERS, told)
            self.assert_bytes(lines[3][2], 3 * MB, told)
            self.assert_bytes(lines[12][1], 14 * MB, told)
            self.assertLess(lines[12][0], HEADERS, told)
            self.assert_bytes(lines[14][2], 1.6 * MB, told)
            self.assertEqual(lines[14][1], 0, told)
            if engine == "eager":
                self.assert_bytes(lines[7][1], MB, told)
                self.assertRegex(told, r"blocks  functions\n +13\.0 MB +14\.0 MB +13\.0 MB +\d+  all  p\.covec\n")
            else:
                self.assertRegex(told, r"blocks  compiled code\n +7\.0 MB +7\.0 MB +7\.0 MB +\d+  all, compiled: concat  p\.covec:9\n")

    def test_lines_of_compiled_loops(self):
        for engine in ("compiled", "c99"):
            self.check_lines_of_a_loop(engine)

    def check_lines_of_a_loop(self, engine):
        told = self.profile("""@compile
fn f(x, n) {
    y = concat((x, x))
    s = 0.0
    k = 0
    while k < n {
        z = concat((y, y, y))
        s += z[k]
        k += 1
    }
    return (y, s, concat((y, x)))
}
x = zeros(125_000)
r = f(x, 2)
""", COVEC_ENGINE=engine).stderr
        lines = self.lines(told)
        self.assert_bytes(lines[13][0], MB, told)
        self.assert_bytes(lines[3][0], 2 * MB, told)
        self.assert_bytes(lines[7][0], 6 * MB, told)
        self.assert_bytes(lines[7][2], 12 * MB, told)
        self.assert_bytes(lines[14][1], 8 * MB, told)
        self.assert_bytes(lines[11][2], 3 * MB, told)
        self.assertRegex(told, r"blocks  compiled code\n.*  f, compiled: concat.*  p\.covec:7\n")

    def test_lists_and_texts_belong_to_where_they_grow(self):
        for engine in ENGINES:
            told = self.profile("""xs = list()
for i in range(20_000) {
    xs = push(xs, i)
}
t = "abcd"
for i in range(16) { t = t + t }
m = map((k, k) for k in range(10_000))
""", COVEC_ENGINE=engine).stderr
            lines = self.lines(told)
            self.assertLess(lines.get(1, (0,))[0], HEADERS, told)
            self.assertTrue(320_000 <= lines[3][0] <= 700_000, told)
            self.assertTrue(4 * 65536 <= lines[6][0] <= 3 * 4 * 65536, told)
            self.assertGreater(lines[7][0], 320_000, told)

    def test_what_a_gradient_keeps(self):
        told = self.profile("""fn f(x) {
    a = sin(x)
    b = exp(a)
    return sum(b * a)
}
g = grad(f)(zeros(125_000))
""", COVEC_ENGINE="eager").stderr
        lines = self.lines(told)
        self.assertGreater(lines[2][0] + lines[3][0], 1.9 * MB, told)
        self.assertGreater(lines[6][1], 3 * MB, told)

    def test_with_checks(self):
        told = self.profile("a = zeros(125_000)\nb = zeros(250_000)\nd = zeros(500_000)\nd = none\nc = zeros(875_000)\n", COVEC_CHECK="1").stderr
        self.check(told, {1: 1, 2: 2, 5: 7}, {3: 4})


class Results(Profiled):
    PROGRAM = "a = zeros(125_000)\nfn f() = zeros(250_000)\nb = f()\n"

    def test_table(self):
        told = self.profile(self.PROGRAM).stderr
        self.assertRegex(told, r"^memory: 3\.\d MB at the peak\n  statements: 3\.0 MB at the peak, 3\.0 MB allocated in \d+ blocks\n\n"
                               r"  peak: own   peak: all   allocated  blocks  lines\n"
                               r"     2\.0 MB      2\.0 MB      2\.0 MB +\d+  p\.covec:2  fn f\(\) = zeros\(250_000\)\n"
                               r"     1\.0 MB      1\.0 MB      1\.0 MB +\d+  p\.covec:1  a = zeros\(125_000\)\n"
                               r" +\d.* +2\.0 MB +\d.*  p\.covec:3  b = f\(\)\n")

    def test_flame_graph_and_speedscope(self):
        self.profile(self.PROGRAM, "--svg", "p.svg", "--json", "p.json")
        graph = (self.folder / "p.svg").read_text()
        self.assertRegex(graph, r">p\.covec, 3\.\d MB at the peak<")
        self.assertRegex(graph, r"<title>f  p\.covec:2, 66\.\d %\n")
        read = json.loads((self.folder / "p.json").read_text())
        frames, [run] = read["shared"]["frames"], read["profiles"]
        self.assertEqual((run["type"], run["unit"], run["startValue"]), ("sampled", "bytes", 0))
        self.assertEqual(len(run["samples"]), len(run["weights"]))
        self.assertLessEqual(sum(run["weights"]), run["endValue"])
        held = {frames[stack[-1]]["line"]: weight for stack, weight in zip(run["samples"], run["weights"])}
        self.assert_bytes(held[1], MB)
        self.assert_bytes(held[2], 2 * MB)

    def test_out_of_memory(self):
        told = self.profile("a = zeros(125_000)\nb = zeros(10^15)\n", status=1).stderr
        self.assertRegex(told, r"(?s)^error: out of memory: .*\n  --> p\.covec:2:5\n.*\nmemory: 1\.\d MB at the peak\n")

    def test_no_line_takes_any(self):
        told = self.profile("x = 1\n").stderr
        self.assertRegex(told, r"^memory: [\d.]+ \w+ at the peak\n  statements: 0 bytes at the peak, 0 bytes allocated in 0 blocks\n$")


class Unchanged(Profiled):
    """Programs print what they print without a profile."""

    def test_scripts(self):
        for name in ("caught", "calls_itself", "closures", "bounded_gradients", "draws"):
            path = str(SOURCE / "tests" / "language" / f"{name}.covec")
            for engine in ("eager", "compiled"):
                plain = self.command(path, COVEC_ENGINE=engine)
                profiled = self.command("profile", "--memory", path, COVEC_ENGINE=engine)
                self.assertEqual((profiled.returncode, profiled.stdout), (plain.returncode, plain.stdout), f"{name}, {engine}")


if __name__ == "__main__":
    COVEC, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
    unittest.main()
