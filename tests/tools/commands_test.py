#!/usr/bin/env python3
"""Checks `covec dump FILE:function` at each stage of the compiler, its messages, and `covec verify`.

    python3 commands_test.py COVEC

Start reading at the cases.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COVEC = ""

PROGRAM = """
print("printed while it runs")
scale = 2.0
@compile
fn f(x: f64[_], p: {w: f64[n], b: f64}) {
    s = p.b
    for i in range(9) { s += x[i] }
    return scale * exp(x) + p.w, s
}
fn plain(x) = sum(x^2)
slope = grad(plain)
fn pair(x) = (x[0].a, x[1])
fn any_rank(x: f64[...]) = x
fn any_dtype(x: float[n]) = x
fn reads(path) = read_csv("none.csv")
"""


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("program.covec", PROGRAM)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def covec(self, *arguments, **environment):
        return subprocess.run([COVEC, *arguments], capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={"PATH": "/usr/bin:/bin", **environment})

    def dump(self, stage, function, *arguments, **environment):
        result = self.covec("dump", f"--{stage}", f"program.covec:{function}", *arguments, **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def assert_refused(self, *parts, status=1, arguments=()):
        result = self.covec("dump", *arguments)
        self.assertEqual((result.returncode, result.stdout), (status, ""))
        for part in parts:
            self.assertIn(part, result.stderr)


class Dump(Commands):
    def test_a_program_prints_nothing_on_the_way(self):
        self.assertTrue(self.dump("ir", "f").startswith("function f("))

    def test_the_graph_before_and_after_the_passes(self):
        staged, optimised = self.dump("ir", "f"), self.dump("opt", "f")
        self.assertIn("= exp(", staged)
        self.assertIn("= exp(", optimised)
        self.assertIn("undefined()", staged)
        self.assertNotIn("undefined()", optimised)
        self.assertIn(": f64[_] x, ", staged)

    def test_the_loop_program(self):
        text = self.dump("loops", "f")
        self.assertTrue(text.startswith("code f\n"))
        self.assertIn("kernel f_kernel0", text)
        self.assertIn("end_loop", text)

    def test_the_listing(self):
        avx2 = self.dump("asm", "f", COVEC_ISA="avx2")
        self.assertIn("vfmadd", avx2)
        self.assertIn("ymm", avx2)
        self.assertNotIn("zmm", avx2)

    def test_the_c_text_compiles(self):
        self.write("f.c", self.dump("c", "f"))
        subprocess.run(["cc", "-std=c99", "-c", "-o", "/dev/null", "f.c"], cwd=self.folder, check=True)

    def test_types_are_given_by_hand(self):
        self.assertIn("%0: f32[_, _] x", self.dump("ir", "plain", "--types", "f32[_, _]"))
        self.assertIn("%0: i64 x", self.dump("ir", "plain", "--types", " i64 "))
        self.assertIn("(%0, %1)", self.dump("ir", "pair", "--types", "({a: i32}, f32[_])"))
        record = self.dump("ir", "f", "--types", "f64[_], {w: f64[_], b: f64}")
        self.assertIn("%0: f64[_] x, %1: f64[_] p, %2: f64 p", record)

    def test_extents_are_given_by_hand(self):
        self.assertIn("(%0: f64[6] x)", self.dump("opt", "plain", "--types", "f64[6]"))
        named = self.dump("ir", "f", "--types", "f64[n], {w: f64[n], b: f64}")
        self.assertIn("%0: f64[_] x, %1: f64[x.0] p, %2: f64 p", named)
        self.assertNotIn("broadcast", named)
        self.assertIn("%0: f64[_] x, %1: f64[_] p", self.dump("ir", "f", "--types", "f64[_], {w: f64[n], b: f64}"))
        self.assert_refused("'3x' is not an extent", "f64[_, 3]", arguments=("--ir", "program.covec:plain", "--types", "f64[3x]"))
        self.assert_refused("'-1' is not an extent", arguments=("--ir", "program.covec:plain", "--types", "f64[-1]"))

    def test_complex_types_are_two_of_their_parts(self):
        text = self.dump("ir", "plain", "--types", "c128[_]")
        self.assertIn("(%0: f64[_] x, %1: f64[v0.0] x)", text)
        self.assertNotIn("|", text)
        self.assert_refused("'c32' is not a dtype: bool i32", "c64 c128", arguments=("--ir", "program.covec:plain", "--types", "c32"))

    def test_a_derivative_is_a_function_too(self):
        self.assertIn("multiply(", self.dump("opt", "slope", "--types", "f64[_]"))

    def test_what_is_wrong_is_said(self):
        self.assert_refused("the type of 'x' is not known", "--types", arguments=("--ir", "program.covec:plain"))
        self.assert_refused("the type of 'x' is not known", arguments=("--ir", "program.covec:any_rank"))
        self.assert_refused("'float' is not a dtype", arguments=("--ir", "program.covec:any_dtype"))
        self.assert_refused("the types of the parameters", arguments=("--ir", "program.covec:slope"))
        self.assert_refused("'f9' is not a dtype", arguments=("--ir", "program.covec:plain", "--types", "f9"))
        self.assert_refused("the types end too early", arguments=("--ir", "program.covec:plain", "--types", "f32[_"))
        self.assert_refused("cannot read the types from ')'", arguments=("--ir", "program.covec:plain", "--types", "f32)"))
        self.assert_refused("--types gives 2 types, the function has 1", arguments=(
            "--ir", "program.covec:plain", "--types", "f64, f64"))
        self.assert_refused("no function 'scale'", arguments=("--ir", "program.covec:scale"))
        self.assert_refused("needs a function", status=2, arguments=("--ir", "program.covec"))
        self.assert_refused("cannot read none.covec", arguments=("--ir", "none.covec:f"))

    def test_a_processor_without_avx2(self):
        result = self.covec("dump", "--asm", "program.covec:f", COVEC_ISA="baseline")
        self.assertEqual(result.returncode, 1)
        self.assertIn("f is not compiled", result.stderr)
        self.assertIn("kernel f_kernel0", self.dump("loops", "f", COVEC_ISA="baseline"))


# What explain says is one of the few things in which engines differ.
EXPLAINED = "@compile\nfn f(x) = x + 1\ny = f([1.0])\n"


class Verify(Commands):
    def verify(self, text, *arguments):
        self.write("tried.covec", text)
        return self.covec("verify", *arguments, "tried.covec")

    def test_a_program_that_ends_itself(self):
        result = self.verify("print(1)\nexit(3)\nprint(2)\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("2 statements, the same bits in 2 engines, the last one ends the program\n", result.stdout)

    def test_engines_agree(self):
        result = self.verify(PROGRAM + "print(f([1.0, 2, 3], {w: [1.0, 2, 3], b: 1.0}))\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("10 statements, the same bits in 2 engines", result.stdout)
        self.assertNotIn("printed", result.stdout)

    def test_trees_deeper_than_the_stack(self):
        result = self.verify("deep = list()\nfor i in range(200000) { deep = list(deep) }\nx = {a: (1, list(0.5, {\"k\": nan}))}\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("3 statements, the same bits in 2 engines", result.stdout)

    def test_three_engines(self):
        result = self.verify("fn f(x) = exp(x) + 1\ny = f([1.0, 2.0])\n", "--c")
        self.assertEqual(result.returncode, 0)
        self.assertIn("2 statements, the same bits in 3 engines", result.stdout)

    def test_a_number_that_differs(self):
        result = self.verify(EXPLAINED + "x = {t: [0.5, len(explain(f))]}\nprint(1)\n")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"tried.covec:4: eager and compiled differ in x\.t\[1\]: [0-9]+ and [0-9]+\n"
                                        r"  x = \{t: ")

    def test_output_that_differs(self):
        result = self.verify(EXPLAINED + 'print("same")\nprint(explain(f))\n')
        self.assertEqual(result.returncode, 1)
        self.assertIn("tried.covec:5: eager and compiled differ in what it prints", result.stdout)

    def test_all_engines_see_one_clock(self):
        result = self.verify("t = time()\nprint(time() - t, t)\nfn f(x) = sum(x^2)\nprint(timeit(f, ones(9), seconds=0.001))\n"
                             "@compile\nfn g(x) {\n    s = time()\n    return x + (time() - s)\n}\ny = g(ones(3))\n", "--c")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("6 statements, the same bits in 3 engines\n", result.stdout)

    def test_all_engines_see_one_folder(self):
        result = self.verify("fn step(p) {\n    x = load(p)\n    save(p, x + 1)\n    return load(p), x\n}\n"
                             'save("n.npy", [time()])\ny = step("n.npy")\ny = step("n.npy")\nsave("n.npy", y[0] - y[1])\n'
                             'write_csv("a.csv", zeros(2, 2))\nx = read_csv("a.csv")\nload("none.npy")\n', "--c")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("8 statements, the same bits in 3 engines, the last one with this error:\n"
                      "error: cannot read none.npy: No such file or directory\n", result.stdout)
        self.assertEqual(self.covec("-e", 'load("n.npy")').stdout, "[1.0]\n")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.csv", "n.npy", "program.covec", "tried.covec"])

    def test_all_engines_read_one_input(self):
        self.write("tried.covec", 'a = input("? ")\nb = input()\nprint(a, b, input())\n')
        result = subprocess.run([COVEC, "verify", "--c", "tried.covec"], input="one\ntwo\n", capture_output=True, text=True,
                                timeout=120, cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout), (0, "tried.covec: 3 statements, the same bits in 3 engines\n"))

    def test_a_statement_may_touch_many_files(self):
        self.write("tried.covec", 'for i in range(100) { save(f"{i}.npy", [i]) }\n'
                                  'print(sum([load(f"{i}.npy")[0] for i in range(100)]))\n')
        few_descriptors = ["/bin/sh", "-c", 'ulimit -Sn 32; exec "$0" verify tried.covec', COVEC]
        result = subprocess.run(few_descriptors, capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout), (0, "tried.covec: 2 statements, the same bits in 2 engines\n"))

    def test_engines_that_look_elsewhere(self):
        for statement, said in (
                ("x = time() if len(explain(f)) > 99 else 0.0", "what they read from the system\n  eager: nothing more\n  other: the clock"),
                ('x = 1.0 if len(explain(f)) > 99 else load("n.npy")[0]',
                 "what they read from the system\n  eager: the file n.npy\n  other: nothing more"),
                ('save("c.npy", [len(explain(f))])', "the output to c.npy")):
            with self.subTest(statement):
                result = self.verify(EXPLAINED + 'save("n.npy", [1.0])\n' + statement + "\n")
                self.assertEqual((result.returncode, result.stderr), (1, ""))
                self.assertIn(f"tried.covec:5: eager and compiled differ in {said}\n  {statement}\n", result.stdout)

    def test_a_program_has_arguments(self):
        self.write("tried.covec", 'assert args()[0] == "one" and args()[1] == "--c"\n')
        result = self.covec("verify", "tried.covec", "one", "--c")
        self.assertEqual((result.returncode, result.stdout), (0, "tried.covec: 1 statements, the same bits in 2 engines\n"))

    def test_an_error_of_the_program_is_agreed_upon(self):
        result = self.verify("fn f(x) = x[9]\n\ny = f([1.0])\nz = 1\n")
        self.assertEqual(result.returncode, 0)
        self.assertIn("2 statements, the same bits in 2 engines, the last one with this error", result.stdout)
        self.assertIn("tried.covec:1:13", result.stdout)

    def test_statements_of_many_lines_names_used_early_and_imports(self):
        self.write("lib/part.covec", "fn twice(x) = 2 * x\n")
        self.write("beside.covec", "one = 1\n")
        result = self.verify('import "lib/part.covec" as part\nimport beside\nfn f(x) = later(x)\n'
                             "fn later(x) {\n    # a comment\n\n    return part.twice(x)\n}\n"
                             "y = [1, 2,\n     3]\n  # between\n  .sum()\nassert f(y) == 12 * beside.one\n")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("6 statements, the same bits in 2 engines\n", result.stdout)

    def test_a_built_in_module_wins_over_a_file_beside(self):
        self.write("folder/optim.covec", "fn special() = 1\n")
        self.write("folder/tried.covec", 'import optim\nimport "./optim.covec" as own\nassert own.special() == 1\nf = optim.sgd\n')
        result = self.covec("folder/tried.covec")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: `import optim` is the built-in module, not folder/optim.covec\n", result.stderr)
        self.assertIn('hint: import "./optim.covec" imports the file', result.stderr)

    def test_no_program(self):
        self.assertIn("tried.covec:1", self.verify("x = (\n").stderr)
        self.assertEqual(self.verify("x = (\n").returncode, 2)
        self.assertEqual(self.covec("verify", "none.covec").returncode, 2)


class Doc(Commands):
    def written(self, *arguments):
        result = self.covec("doc", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_every_builtin_has_a_chapter_and_a_page(self):
        book = self.written()
        self.assertNotIn("## Others", book)
        index = re.findall(r"`(\w+)`", book[book.index("\n- "):book.index("\n## ")])
        pages = re.findall(r"^### `(\w+)", book, re.MULTILINE)
        self.assertEqual(sorted(index), sorted(pages))
        self.assertIn("svd", pages)
        self.assertEqual(len(pages), len(set(pages)))

    def test_pages_show_what_a_builtin_does(self):
        page = self.written("sum")
        for part in ("### `sum(x, axis=none, keepdims=false)`", "# expect: [4.5, -2.0]", "f64[2, 2], axis=0 → f64[2]",
                     "bool i32 i64 i8 u8 u16 u32 i16 → i64 · f16 → f16 · bf16 → bf16 · f32 → f32", "Derivative: linear"):
            self.assertIn(part, page)
        self.assertIn("Accuracy: ≤ 1 ulp", self.written("exp"))
        self.assertIn("| `exp` | fused kernels | elementwise | at once | ≤ 1 ulp; first partials ≤ 1, second ≤ 1 |", self.written("--status"))

    def test_pages_without_an_example_are_few(self):
        without = [page.split("(")[0].split("`")[0] for page in self.written().split("\n### `")[1:] if "```covec" not in page]
        self.assertEqual(sorted(without), ["args", "e", "inf", "input", "nan", "pi", "π"])

    def test_the_words(self):
        self.assertIn("softmax/1 f64: - f64[3] f64[2,3] f64[3,3]\n", self.written("--words"))

    def test_the_tokens(self):
        lines = self.written("--tokens").splitlines()
        for line in ("keyword while", "keyword fn", "builtin sum", "builtin compile", "type f32", "constant pi", "constant π"):
            self.assertEqual(lines.count(line), 1, line)
        self.assertEqual([line for line in lines if len(line.split()) != 2], [])

    def test_a_page_for_a_browser(self):
        page = self.written("--html", "sum")
        self.assertIn("<title>sum</title>", page)
        self.assertIn('<h3 id="sum"><code>sum(x, axis=none, keepdims=false)</code></h3>', page)
        self.assertRegex(page, r'<pre>print\(sum\(\[\[?<span class="n">')
        whole = self.written("--html")
        for part in ('<a href="#svd">svd</a>', '<h2 id="stats"><code>stats</code></h2>', '<a href="#optim.adam">optim.adam</a>', "x &lt; "):
            self.assertIn(part, whole)
        self.assertEqual(len(re.findall(r' id="([^"]*)"', whole)), len(set(re.findall(r' id="([^"]*)"', whole))))
        self.assertIn("<h3 id=\"stats.normal\">", self.written("--html", "stats"))
        self.assertIn("The normal distribution.", self.written("--html", "stats.normal"))
        self.assertEqual(self.covec("doc", "--html", "stats.nothing").returncode, 1)

    def test_a_file_of_ones_own(self):
        path = pathlib.Path(self.folder, "own.covec")
        path.write_text("# Waves.\n#\n#     w = wave(1.0)\n\nprint(1 / 0)\n\n# A sine of <x>,\n# long.\nfn wave(x: float, size=1.0) = size * sin(x)\n\n"
                        "fn _hidden(x) = x\nfn more(*all) { return all }\n", encoding="utf-8")
        text = self.written(str(path))
        self.assertEqual(text, f"# `{path}`\n\nWaves.\n\n```covec\nw = wave(1.0)\n```\n\n## `wave(x: float, size=1.0)`\n\nA sine of <x>,\nlong.\n\n"
                               "## `more(*all)`\n\n\n")
        page = self.written("--html", str(path))
        self.assertIn('<h2 id="wave"><code>wave(x: float, size=1.0)</code></h2>', page)
        self.assertNotIn("_hidden", page)
        path.write_text("fn wave(", encoding="utf-8")
        result = self.covec("doc", str(path))
        self.assertEqual(result.returncode, 1)
        self.assertIn("own.covec:1:8", result.stderr)
        self.assertIn("error: ", self.covec("doc", "none.covec").stderr)

    def test_no_such_builtin(self):
        result = self.covec("doc", "none_such")
        self.assertEqual((result.returncode, result.stderr), (1, "error: there is no builtin or module none_such\n"))
        for name, part in (("optim.adam", "One step of Adam"), ("nn", "nn.dense(layer: {w: any[inputs, outputs]")):
            result = self.covec("doc", name)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(part, result.stdout)


TESTS = """
@test fn adds() { assert 1 + 1 == 2 }
@test fn near() {
    x = 0.25
    assert abs(x) < 0.1, "too far"
}
@test fn stops() { error("stopped") }
fn helper() { error("never called") }
"""


class Test(Commands):
    def setUp(self):
        super().setUp()
        self.write("some/tests.covec", TESTS)
        self.write("some/no_tests.covec", 'error("is not run")')

    def lines(self, *arguments, status):
        result = self.covec("test", *arguments)
        self.assertEqual((result.returncode, result.stderr), (status, ""), result.stdout)
        return re.sub(r" \([0-9.e+-]+ ms\)", " (T)", result.stdout).splitlines()

    def test_all_run_and_failures_are_listed(self):
        lines = self.lines("some", status=1)
        self.assertEqual(lines[1:3], ["ok    some/tests.covec adds (T)", "FAIL  some/tests.covec near (T)"])
        self.assertIn("  abs(x) is 0.25", lines)
        self.assertEqual(lines[-4:], ["failed:", "  some/tests.covec near", "  some/tests.covec stops",
                                      "1 passed, 2 failed, 1 without a test (T)"])
        self.assertIn("none  some/no_tests.covec (no test in it)", lines)

    def test_filters_choose_by_file_and_name(self):
        self.assertEqual(self.lines("some", "-k", "adds", status=0), ["ok    some/tests.covec adds (T)",
                                                                      "1 passed, 0 failed (T)"])
        self.assertEqual(self.lines("-k", "adds", "--filter", "stops", "some", status=1)[-1], "1 passed, 1 failed (T)")
        result = self.covec("test", "some", "-k", "nothing")
        self.assertEqual((result.returncode, result.stderr), (1, "error: no test has a file and a name that contain it\n"))
        self.assertEqual(self.lines("some", "-k", "some/tests", status=1)[-1], "1 passed, 2 failed (T)")

    def test_the_first_failure_ends_it(self):
        lines = self.lines("some", "--stop", status=1)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 1 without a test (T)")
        self.assertNotIn("failed:", lines)

    def test_what_a_program_expects_of_itself(self):
        self.write("right.covec", 'print(1)  # expect: 1\n@test fn t() { print("shown") }\n# expect error: out of range\n[1.0][2]\n')
        self.assertEqual(self.lines("right.covec", status=0), ["ok    right.covec output (T)", "1 passed, 0 failed (T)"])
        self.write("right.covec", 'print(1)  # expect: 1\n@test fn t() { print("shown") }\n')
        self.assertEqual(self.lines("right.covec", status=0), [
            "ok    right.covec output (T)", "shown", "ok    right.covec t (T)", "2 passed, 0 failed (T)"])
        self.write("right.covec", '# `# expect: x` is no expectation here\nprint("a", 1.25)  # expect: a 1…\nprint("b\\nc\\nd")\n# expect: …\n# expect: d\n'
                                  '# expect error: index … range\n[1.0][2]\n')
        self.assertEqual(self.lines("right.covec", status=0), ["ok    right.covec output (T)", "1 passed, 0 failed (T)"])
        for name, text, said in (
                ("a part", "print(15)  # expect: 1…4\n", 'folder/wrong.covec:1: line 1 of its output is "15", expected "1…4"'),
                ("other", "\nprint(1)  # expect: 2\n", 'folder/wrong.covec:2: line 1 of its output is "1", expected "2"'),
                ("more", "print(1)  # expect: 1\nprint(2)",
                 'folder/wrong.covec: line 2 of its output is "2", expected nothing'),
                ("less", "# expect: 1\n", 'folder/wrong.covec:1: line 1 of its output is nothing, expected "1"'),
                ("a warning", "x = 1\n# expect warning: rebinds\n",
                 'folder/wrong.covec:2: warning 1 is nothing, expected "rebinds"'),
                ("another warning", "grad(x -> 3.0)(1.0) # expect warning: nothing of it\n",
                 'folder/wrong.covec:1: warning 1 is "warning: grad(a lambda): the result does not depend on x", expected "nothing of it"'),
                ("fails", "x = [1.0][1]  # expect: 1\n", "error: index 1 is out of range for axis 0 of size 1"),
                ("no error", "# expect error: range\n", "folder/wrong.covec:1: it ends without the error that is expected: range"),
                ("another", "x = 1 + ''  # expect error: range\n", "folder/wrong.covec:1: it ends with another error than the one expected, range")):
            with self.subTest(name):
                self.write("folder/wrong.covec", text)
                lines = self.lines("folder", status=1)
                self.assertEqual((lines[0], lines[-1]), ("FAIL  folder/wrong.covec output (T)", "0 passed, 1 failed (T)"))
                self.assertIn(said, lines)

    def test_warnings_that_are_expected_are_not_shown(self):
        self.write("warns.covec", "grad(x -> 3.0)(1.0)  # expect warning: does not depend on x\n")
        self.assertEqual(self.lines("warns.covec", status=0), ["ok    warns.covec output (T)", "1 passed, 0 failed (T)"])

    def test_nothing_to_test(self):
        result = self.covec("test", "some/no_tests.covec", "-k", "nothing")
        self.assertEqual(result.returncode, 1)
        self.write("quiet.covec", "x = 1\n")
        result = self.covec("test", "quiet.covec")
        self.assertEqual((result.returncode, result.stderr),
                         (1, "error: there is no test: no function has @test and no line has `# expect:`\n"))

    def test_no_such_path(self):
        result = self.covec("test", "none")
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (2, "", "error: there is no file or folder none\n"))


if __name__ == "__main__":
    COVEC = str(pathlib.Path(sys.argv.pop(1)).resolve())
    sys.exit(unittest.main())
