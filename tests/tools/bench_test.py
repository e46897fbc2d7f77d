#!/usr/bin/env python3
"""covec bench: which functions are timed, what is saved, and the arithmetic of a comparison, on times that are given. Times are not tested.

    python3 bench_test.py COVEC
"""
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

COVEC = ""
PROGRAM = """x = [1.0, 2.0, 3.0]
@bench
fn first() = sum(x * x)
@bench
@compile
fn second() {
    s = 0.0
    for i in range(100) { s += sqrt(i + 1.0) }
    return s
}
fn other() = error("not called")
@test
fn tested() = error("not called")
print("loaded", len(args()))
"""


def interval(seconds):
    """The median's interval of 95 %: between the order statistics that the binomial distribution gives."""
    count, seconds = len(seconds), sorted(seconds)
    outside = 0
    while outside < count // 2 and sum(math.comb(count, heads) for heads in range(outside + 1)) / 2**count <= 0.025:
        outside += 1
    outside = max(outside - 1, 0)
    return seconds[outside], seconds[count - 1 - outside]


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def bench(self, *arguments):
        return subprocess.run([COVEC, "bench", *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def results(self, name, **functions):
        self.write(name, "covec bench 1\n" + "".join(f"{function} 10 {' '.join(map(repr, seconds))}\n" for function, seconds in functions.items()))

    def test_functions_that_are_marked(self):
        self.write("p.covec", PROGRAM)
        done = self.bench("--rounds", "3", "--save", "a.bench", "p.covec")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        time = r" +\d[\d.]+ (?:ns|us|ms|s)"
        self.assertRegex(done.stdout, rf"^loaded 0\nfunction    minimum     median   spread  rounds\n(?:(?:first   |second  ){time}{time} +\d+\.\d%  3 x \d+\n){{2}}$")
        head, *lines = (self.folder / "a.bench").read_text().splitlines()
        self.assertEqual((head, [line.split()[0] for line in lines]), ("covec bench 1", ["first", "second"]))
        for line in lines:
            _, calls, *seconds = line.split()
            self.assertEqual(len(seconds), 3)
            self.assertGreater(int(calls) * max(map(float, seconds)), 0.005)
        shown = self.bench("a.bench")  # what was saved is shown as it was
        self.assertEqual("loaded 0\n" + shown.stdout, done.stdout)

    def test_filters_and_arguments(self):
        self.write("p.covec", PROGRAM)
        done = self.bench("--rounds", "1", "-k", "eco", "p.covec", "one", "--rounds")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^loaded 2\nfunction.*\nsecond .*  1 x \d+\n$")
        done = self.bench("-k", "third", "p.covec")
        self.assertEqual((done.returncode, done.stderr), (1, "error: no function with @bench has a name that contains `third`\n"))

    def test_filters_of_saved_results(self):
        self.results("before", first=[1.0], second=[2.0], gone=[1.0])
        self.results("now", first=[1.0], second=[2.0], added=[1.0])
        head, *lines = self.bench("-k", "eco", "-k", "add", "now").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["second", "added"])
        # What is left out is neither new nor gone.
        done = self.bench("-k", "eco", "--against", "before", "now")
        self.assertEqual((done.returncode, done.stdout), (0, """function     before        now   ratio  interval
second       2.00 s     2.00 s   1.000  1.000 to 1.000
"""))
        self.write("p.covec", PROGRAM)
        done = self.bench("--rounds", "1", "-k", "first", "-k", "gone", "--against", "before", "p.covec")
        self.assertRegex(done.stdout, r"^loaded 0\nfunction.*\nfirst  .*\ngone      is gone\n$")
        done = self.bench("-k", "third", "-k", "fourth", "now")
        self.assertEqual((done.returncode, done.stderr), (1, "error: no function in now has a name that contains `third` or `fourth`\n"))
        self.write("empty", "covec bench 1\n")
        done = self.bench("empty")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "error: empty holds results of no function\n"))

    def test_summaries(self):
        self.results("a.bench", f=[3e-6, 1e-6, 2e-6, 5e-6, 4e-6], long_name_of_one=[2.5], g=[1.5e-9, 999.4e-9], h=[0.0123])
        self.assertEqual(self.bench("a.bench").stdout, """function            minimum     median   spread  rounds
f                   1.00 us    3.00 us    66.7%  5 x 10
long_name_of_one     2.50 s     2.50 s     0.0%  1 x 10
g                   1.50 ns     500 ns    99.7%  2 x 10
h                   12.3 ms    12.3 ms     0.0%  1 x 10
""")

    def test_ratios_and_intervals(self):
        draws = random.Random(3)
        for rounds in (1, 2, 5, 6, 8, 9, 17, 30, 31, 100):
            before, now = ([abs(draws.gauss(1e-3, 1e-4)) for _ in range(rounds)] for _ in range(2))
            self.results("before", f=before)
            self.results("now", f=now)
            told = self.bench("--against", "before", "now")
            ratio, low, high = map(float, re.search(r"\nf .* (\d\.\d{3})  (\d\.\d{3}) to (\d\.\d{3})\n$", told.stdout).groups())
            self.assertAlmostEqual(ratio, statistics.median(now) / statistics.median(before), delta=6e-4)
            (low_now, high_now), (low_before, high_before) = interval(now), interval(before)
            self.assertAlmostEqual(low, low_now / high_before, delta=6e-4, msg=rounds)
            self.assertAlmostEqual(high, high_now / low_before, delta=6e-4, msg=rounds)

    def test_limits(self):
        steady = [1e-3 + i * 1e-6 for i in range(20)]
        self.results("before", f=steady, g=steady)
        for factor, limit, status in ((1.2, "1.1", 1), (1.05, "1.1", 0), (1.0, "1.0", 0), (0.5, "1.0", 0), (1.05, "1.0", 1), (1.3, None, 0)):
            self.results("now", f=[factor * seconds for seconds in steady], g=steady)
            done = self.bench("--against", "before", *(("--limit", limit) if limit else ()), "now")
            self.assertEqual(done.returncode, status, done.stdout)
            self.assertEqual(done.stdout.count("beyond the limit"), status, done.stdout)
        # Where rounds differ by more than the functions do, nothing is beyond a limit.
        self.results("before", f=[1e-3, 2e-3] * 5)
        self.results("now", f=[1e-3, 2e-3, 2e-3] * 4)
        done = self.bench("--against", "before", "--limit", "1.1", "now")
        self.assertRegex(done.stdout, r"f .* 1\.333  0\.500 to 2\.000\n")
        self.assertEqual(done.returncode, 0)

    def test_new_and_gone_functions(self):
        self.results("before", kept=[1.0], gone=[1.0])
        self.results("now", kept=[1.0], added=[1.0])
        self.assertEqual(self.bench("--against", "before", "--limit", "1.1", "now").stdout, """function     before        now   ratio  interval
kept         1.00 s     1.00 s   1.000  1.000 to 1.000
added     is new
gone      is gone
""")

    def test_errors(self):
        self.write("none.covec", "fn f() = 1\n")
        self.assertEqual(self.bench("none.covec").stderr, "error: no function of the program has @bench\n")
        self.write("bad.covec", "@bench\nfn f(x) = x\n")
        done = self.bench("bad.covec")
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (1, "error: f(x) is called without a value for `x`"))
        self.write("fails.covec", "@bench\nfn f() {\n    return [1][3]\n}\n")
        self.assertRegex(self.bench("fails.covec").stderr, r"^error: index 3 .*\n  --> fails\.covec:3:16\n")
        self.write("option.covec", "@bench(3)\nfn f() = 1\n")
        self.assertRegex(self.bench("option.covec").stderr, r"^error: `@bench` takes no arguments\n")
        self.write("other.covec", "@benc\nfn f() = 1\n")
        self.assertRegex(self.bench("other.covec").stderr, r"did you mean `@bench`\?")
        for text in ("covec bench 1\nf 10\n", "covec bench 1\nf x 1.0\n", "covec bench 1\nf 10 1.0 one\n", "covec bench 1\nf 10 -1.0\n", "covec bench 2\n", ""):
            self.write("old", text)
            done = self.bench("--against", "old", "none.covec")
            self.assertEqual((done.returncode, done.stderr), (1, "error: old holds no results of covec bench\n"))
        self.assertEqual(self.bench("--against", "missing", "none.covec").stderr, "error: cannot read missing\n")
        self.results("a", f=[1.0])
        self.assertEqual(self.bench("--save", "nowhere/b", "a").returncode, 1)

    def test_wrong_use(self):
        for arguments in ((), ("--rounds", "0", "a"), ("--limit", "1.1", "a"), ("--limit", "0.5", "--against", "a", "a")):
            self.assertEqual(self.bench(*arguments).returncode, 2, arguments)


if __name__ == "__main__":
    COVEC = sys.argv.pop(1)
    unittest.main()
