#!/usr/bin/env python3
"""debug_test COVEC ISA,…: debug(f) and `covec --debug-nan` name the line where a NaN or infinity arises (programs.txt), on each engine, and
leave programs alone where there is none."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from random_programs import Program

HERE = pathlib.Path(__file__).resolve().parent
ENGINES = ("eager", "compiled", "")


def programs(file):
    """(name, text, number of the marked line or None, what the error tells besides) of each program."""
    for part in (HERE / file).read_text().split("\n## ")[1:]:
        name, text = part.split("\n", 1)
        lines = [line for line in text.split("\n") if not line.startswith("# tells: ")]
        marked = [number for number, line in enumerate(lines, 1) if line.endswith("# here")]
        yield name, "\n".join(lines), next(iter(marked), None), re.findall(r"(?m)^# tells: (.*)$", text)


def run(text, *options, engine="", entered="", isa=""):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.covec"
        path.write_text(text)
        environment = {**os.environ, **({"COVEC_ENGINE": engine} if engine else {}), **({"COVEC_ISA": isa} if isa else {})}
        return subprocess.run([COVEC, *options, path], capture_output=True, text=True, env=environment, cwd=folder, input=entered,
                              timeout=120)


class Found(unittest.TestCase):
    def assert_found(self, ended, line, tells):
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        error = next(one for one in map(json.loads, ended.stderr.splitlines()) if one["severity"] == "error")
        said = "\n".join([error["message"], *error["notes"], *(f"in `{call['function']}`" for call in error["calls"])])
        self.assertEqual([label["line"] for label in error["labels"]][:1], [line], error)
        for part in tells:
            self.assertIn(part, said)

    def test_debug_names_the_line(self):
        for name, text, line, tells in programs("programs.txt"):
            for engine in ENGINES:
                with self.subTest(name, engine=engine):
                    self.assert_found(run(text, "--json", engine=engine), line, tells)

    def test_debug_names_what_reached_the_result(self):
        for name, text, line, tells in programs("reached.txt"):
            for engine in ENGINES:
                with self.subTest(name, engine=engine):
                    ended = run(text, "--json", engine=engine)
                    if line is not None:
                        self.assert_found(ended, line, tells)
                    else:
                        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_whole_programs(self):
        for name, text, line, tells in programs("programs.txt"):
            with self.subTest(name):
                self.assert_found(run(re.sub(r"\bdebug\((?!\))", "(", text), "--json", "--debug-nan"), line, tells)


class RandomPrograms(unittest.TestCase):
    """What is named made the value that reached the result: random_programs.py knows the lines that may be."""

    # The first ones, a quotient of NaN and 0, and NaNs that a sum makes of an infinity and a NaN.
    SEEDS = (*range(400), 443, 1601, 1614, 2817, 3864)

    def test_each(self):
        drawn = {seed: Program(seed) for seed in self.SEEDS}
        text, firsts = "", []
        for seed, program in drawn.items():
            firsts.append(text.count("\n"))
            text += program.text + f"try {{\n    _ = debug(f{seed})({program.given})\n    print(0)\n}} catch e {{ print(e.line) }}\n"
        ended = run(text)
        named = [int(line) for line in ended.stdout.split()]
        self.assertEqual(len(named), len(drawn), ended.stderr)
        for (seed, program), line, first in zip(drawn.items(), named, firsts):
            with self.subTest(seed, text=program.text, given=program.given):
                self.assertIn(line and line - first, program.expected() or {0})
        self.assertGreater(sum(line > 0 for line in named), 100)


class EveryElement(unittest.TestCase):
    """The result is looked at in pieces that differ between instruction sets: an element anywhere is found, the largest number is not."""

    def test_each_place_of_a_row(self):
        text = """fn count(largest, dtype) {
    found = 0
    for n in (1, 2, 17, 71) {
        x = dtype(ones(n)) * largest
        f = debug(d -> x / d)
        _ = f(dtype(ones(n)))
        for i in range(n) {
            d = dtype(ones(n))
            d[i] = 0.0
            try { _ = f(d) } catch { found += 1 }
            x[i] = 0.0
            try { _ = debug(d -> x / d)(d) } catch { found += 1000 }
            x[i] = largest
        }
    }
    return found
}
print(count(65504.0, f16), count(3.38e38, bf16), count(3.4e38, f32), count(1.7e308, f64))
"""
        for isa in ISAS:
            with self.subTest(isa=isa):
                self.assertEqual(run(text, isa=isa).stdout, "91091 91091 91091 91091\n")


class LeftAlone(unittest.TestCase):
    def assert_prints(self, text, printed, warned="", **options):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                ended = run(text, engine=engine, **options)
                self.assertEqual((ended.stdout, ended.returncode), (printed, 0), ended.stderr)
                self.assertIn(warned, ended.stderr)
                self.assertEqual(bool(warned), bool(ended.stderr), ended.stderr)

    def test_numbers(self):
        self.assert_prints("print(debug(x -> sum(x)^2)([1.0, 2.0]), debug(grad(x -> x^3))(2.0))\n", "9.0 12.0\n")

    def test_what_is_given(self):
        self.assert_prints("print(debug((x, y) -> (x + 1.0, y))(nan, -inf))\n", "(nan, -inf)\n")

    def test_what_is_masked(self):
        self.assert_prints("print(debug(x -> where(x > 0.0, log(x), 0.0))([0.0, 1.0]))\n", "[0.0, 0.0]\n")
        self.assert_prints("fn f(x) {\n    if isnan(0.0 * (1.0 / x)) { return 1.0 }\n    return 2.0\n}\nprint(debug(f)(0.0))\n", "1.0\n")

    def test_what_was_there_before(self):
        self.assert_prints("table = [1.0, nan]\nfn lookup(i) = table[i]\nprint(debug(lookup)(1))\n", "nan\n",
                           warned="lookup gives a NaN, which no operator has made of numbers")

    def test_what_was_written_and_not_computed(self):
        told = "f gives an infinity, which no operator has made of numbers: a literal, a text, a file or another variable has it"
        for f in ("where(x > 0.0, x, inf)", "min([x, inf]) if x > 0.0 else inf", "f64(str(log(0.0 * x)))"):
            self.assert_prints(f"fn f(x) = {f}\nprint(isinf(debug(f)(-1.0)))\n", "true\n", warned=told)

    def test_a_place_is_told_once(self):
        text = """fn f(x) = inf
fn g(x) = x / 0.0  # here
for i in range(3) { _ = debug(f)(1.0) }
for h in list(f, f, g) {
    try { _ = debug(h)(1.0) } catch err { print(err.line) }
}
"""
        for engine in ENGINES:
            ended = run(text, engine=engine)
            self.assertEqual(ended.stdout, "2\n", ended.stderr)
            self.assertEqual([int(line) for line in re.findall(r"program.covec:(\d+)", ended.stderr)], [3, 5])

    def test_later_random_numbers_are_those_without_debug(self):
        text = "seed(3)\nbad = nan\nfn f(n) = rand(n) * bad\nx = %s(2)\nprint(rand())\n"
        plain = run(text % "f").stdout
        self.assert_prints(text % "debug(f)", plain, warned="which no operator")

    def test_debug_is_a_function_like_others(self):
        self.assert_prints("fn f(x, k=2.0) = k * x\nd = debug(f)\nprint(d(3.0), d(3.0, k=4.0), [d(x) for x in [1.0, 2.0]], list(d(x) for x in [5.0]))\n"
                           "@compile\nfn g(x) = debug(f)(x) + 1.0\nprint(g(1.0), grad(d)(1.0), vmap(d)([1.0, 2.0]))\n",
                           "6.0 12.0 [2.0, 4.0] list(10.0)\n3.0 2.0 [2.0, 4.0]\n")


    def test_a_pattern_of_one(self):
        self.assert_prints("import sparse\nfn g(x) = debug(v -> v * v[0])(x)\nprint(sparse.pattern(g, [1.0, 2.0]), sparse.pattern(debug(g), [1.0, 2.0]))\n",
                           "sparse f64[2, 2], 3 nonzeros\n 1.0    .\n 1.0  1.0 sparse f64[2, 2], 3 nonzeros\n 1.0    .\n 1.0  1.0\n")
        text = """import sparse
fn g(x) = debug(v -> v / (v - v))(x)
try { sparse.pattern(g, [1.0, 2.0]) } catch err { print(err.message) }
"""
        self.assert_prints(text, "`divide` makes inf at [0] of numbers: a is 1.0, b is 0.0\n")


class SecondCall(unittest.TestCase):
    """What is done outside, printed or asked happens once."""

    def test_effects_happen_once(self):
        text = """write_text("in.txt", "0.0")
fn f(x) {
    print("called")
    y = f64(read_text("in.txt"))
    write_text("in.txt", "7.0")
    z = f64(input("? "))
    print("asked")
    return x / (y * z)  # here
}
try {
    debug(f)(1.0)
} catch e {
    print(e.message)
}
print(read_text("in.txt"), input("? "))
"""
        for engine in ENGINES:
            ended = run(text, engine=engine, entered="2.0\nnext\n")
            self.assertEqual(ended.stdout, "called\n? asked\n`divide` makes inf of numbers: a is 1.0, b is 0.0\n? 7.0 next\n",
                             ended.stderr)

    def test_a_debug_inside(self):
        text = """write_text("in.txt", "0.0")
fn inner(x) {
    y = log(x * f64(read_text("in.txt")))
    print(read_text("in.txt"))
    return y
}
fn f(x) {
    y = debug(inner)(x + nan)
    try {
        y = debug(inner)(x)
    } catch err {
        y = 0.0
    }
    z = f64(read_text("in.txt"))
    write_text("in.txt", "7.0")
    return y / z
}
try {
    debug(f)(1.0)
} catch e {
    print(e.message, e.line)
}
print(read_text("in.txt"))
"""
        for engine in ENGINES:
            self.assertEqual(run(text, engine=engine).stdout,
                             "0.0\n0.0\n`divide` makes nan of numbers: a is 0.0, b is 0.0 16\n7.0\n")

    def test_the_session_goes_on(self):
        text = "try { debug(log)(0.0) } catch e { print(e.kind) }\nx = 0.0\nfor i in range(3) { x += 1.0 / f64(i) }\nprint(x, log(0.0))\n"
        for engine in ENGINES:
            self.assertEqual(run(text, engine=engine).stdout, "value\ninf -inf\n")


class Full(unittest.TestCase):
    """What is too much to keep goes on as without debug."""

    def test_what_is_too_much_to_keep(self):
        text = """save("large.npy", concat((zeros(1), ones(8999999))))
fn f(x, i) {
    a = load("large.npy")
    b = load("large.npy")
    write_text("out.txt", read_text("out.txt") + "+")
    return x / b[i]
}
write_text("out.txt", "")
print(debug(f)(1.0, 1), debug(f)(1.0, 0), read_text("out.txt"))
"""
        for engine in ENGINES:
            ended = run(text, engine=engine)
            self.assertEqual((ended.returncode, ended.stdout), (0, "1.0 inf ++\n"))
            self.assertEqual(ended.stderr.count("warning: "), 1)
            self.assertIn("f gives an infinity; debug cannot call it again, for it reads more than 64 MiB from outside", ended.stderr)


class Command(unittest.TestCase):
    def test_a_program_without_one_runs(self):
        ended = run("x = [1.0, nan, inf]\nprint(x + 1.0, where(isnan(x), 0.0, x))\n", "--debug-nan")
        self.assertEqual((ended.returncode, ended.stdout), (0, "[2.0, nan, inf] [1.0, 0.0, inf]\n"), ended.stderr)

    def test_it_needs_a_program(self):
        ended = subprocess.run([COVEC, "--debug-nan", "doc", "sin"], capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stderr), (2, "error: --debug-nan is for a program: a file, -e or standard input\n"))


if __name__ == "__main__":
    COVEC, ISAS = pathlib.Path(sys.argv.pop(1)).resolve(), sys.argv.pop(1).split(",")
    unittest.main()
