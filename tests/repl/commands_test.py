#!/usr/bin/env python3
"""The REPL's commands that deal with files, folders, times and modules that change; through a pseudo-terminal.

    python3 commands_test.py COVEC
"""

import pathlib
import re
import subprocess
import time
import unittest

import terminal
from terminal import Repl, control


class Commands(Repl):
    def path(self, name, text=None):
        path = pathlib.Path(self.folder, name)
        if text is not None:
            path.write_text(text)
        return path

    def script(self, name, text):
        path = self.path(name, "#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)


class Folders(Commands):
    def test_cd(self):
        self.path("inner").mkdir()
        self.path("inner/own.covec", "value = 3\n")
        t = self.start(columns=120)
        t.run(":cd", self.folder)
        t.type(":cd in\t", "> :cd inner/|")
        t.type("\r", "> :cd inner/", "> |")
        t.run(":cd", self.folder + "/inner")
        t.run("import own")
        t.run("own.value", "3")
        t.run(":cd ..")
        t.run(":cd", self.folder)
        t.run(":cd nowhere", "error: cannot go to nowhere: No such file or directory")
        t.run(":cd ~/inner")
        t.run(":cd", self.folder + "/inner")

    def test_sh(self):
        t = self.start(SHELL="/bin/sh")
        t.run(":sh echo $((6*7))", "42")
        t.run(":sh exit 3", "error: the command has ended with exit status 3")
        t.run(":sh printf 'a\\nb\\n' | wc -l", "2")
        t.send(":sh\r")
        t.until(lambda: t.screen.lines(cursor=True)[-1].rstrip("|").rstrip() in ("$", "#"), "a shell")
        t.send("echo inside\rexit\r")
        t.shows_part("inside")
        t.shows("> |")

    def test_an_interrupted_command_of_the_shell(self):
        t = self.start()
        t.send(":sh echo started; sleep 100\r")
        t.shows("started", "|")
        begin = time.monotonic()
        while t.screen.lines(cursor=True)[-1] != "> |":  # dash may lose one that comes before its child
            self.assertLess(time.monotonic() - begin, terminal.PATIENCE)
            t.send(control("C"))
            t.pump(0.3)
        t.run("1", "1")


class Editing(Commands):
    def test_a_file_runs_again(self):
        editor = self.script("editor", f'echo "$@" > {self.folder}/called\necho "x = 7" > "$1"\n')
        t = self.start(EDITOR=editor)
        t.run(":edit new.covec")
        t.run("x", "7")
        self.assertEqual(self.path("called").read_text(), "new.covec\n")
        t.run(":save own.covec")
        self.assertIn("x = 7", self.path("own.covec").read_text())

    def test_a_function_of_a_file(self):
        self.path("own file.covec", "k = 2\n\nfn f(x) = x + k\n")
        editor = self.script("editor", f'echo "$@" > {self.folder}/called\nsed -i s/x\\ +/x\\ */ "$2"\n')
        t = self.start(EDITOR="no-such-program", VISUAL=editor)
        t.run(":load own file.covec")
        t.run("f(5)", "7")
        t.run(":edit f")
        t.run("f(5)", "10")
        self.assertEqual(self.path("called").read_text(), "+3 own file.covec\n")

    def test_a_function_of_a_module(self):
        self.path("own.covec", "fn f(x) = x + 2\n")
        editor = self.script("editor", 'sed -i s/+/*/ "$1"\n')
        t = self.start(EDITOR=editor)
        t.run("import own")
        t.run(":edit own.f", "note: read own.covec again, because it or a module that it imports has changed")
        t.run("own.f(5)", "10")

    def test_a_function_of_the_prompt(self):
        editor = self.script("editor", 'sed -i s/+/*/ "$1"\n')
        t = self.start(EDITOR=editor)
        t.run("fn f(x) = x + 2")
        t.run(":edit f")
        t.run("f(5)", "10")

    def test_what_cannot_be_edited(self):
        t = self.start(EDITOR="false")
        t.run(":edit", "error: which file or function? `:edit FILE`, `:edit NAME`")
        t.run(":edit nothing", "error: there is no file and no function nothing")
        t.run("import optim")
        t.run(":edit optim.sgd", "error: optim.sgd comes with Covec: it has no file here")
        t.run(":edit a.covec", "error: the editor has failed: false ($VISUAL or $EDITOR names another)")
        t.run("fn f(x) = x")
        t.run(":edit f", "error: the editor has failed: false ($VISUAL or $EDITOR names another)")


class Measuring(Commands):
    def test_the_time_of_a_statement(self):
        t = self.start()
        t.run("k = 0")
        t.send(":time for i in range(3) { k += 1 }\r")
        t.shows_part(" (once), at most ")
        t.shows("> |")
        self.assertTrue(any(re.fullmatch(r"[0-9.]+ [nµm]?s \(once\), at most [0-9.]+ [kKMG]?i?B of memory", line) for line in t.screen.lines()),
                        t.screen.lines())
        t.run("k", "3")
        t.type(":time for i in range(4) {\r", "> :time for i in range(4) {", ".     |")
        t.send("k += 1\r}\r")
        t.shows_part(" (once), at most ")
        t.shows("> |")
        t.run("k", "7")
        t.send(":time x = zeros(1000000)\r")
        t.until(lambda: any("8.0 MB" in line or "8.00 MB" in line or "8 MB" in line for line in t.screen.lines()), "8 MB")
        t.run("len(x)", "1000000")
        t.run(":time y = qqqq", "error: unknown name `qqqq`", "  --> <input 8>:1:11", "   1 |       y = qqqq", "     |           ^^^^")

    def test_the_type_of_an_expression(self):
        t = self.start()
        t.run("fn f(x, k=2) = x")
        t.run(":type", "error: of which expression? `:type EXPRESSION`")
        for expression, line in (("zeros(3, 2)", "tensor: f64[3, 2]"), ("1", "number: i64"), ("f32(1)", "number: f32"), ("true", "number: bool"),
                                 ("(1, 2.5)", "tuple: (i64, f64)"), ("list(1, 2)", "list of 2 i64"), ('"text"', "string"), ("none", "none"),
                                 ("{w: [1.0], n: 2}", "record: {w: f64[1], n: i64}"), ("f", "function: f(x, k=2)"),
                                 ("[1.0][4]", "error: index 4 is out of range for axis 0 of size 1")):
            t.send(f":type {expression}\r")
            t.shows_part(line)
            t.shows("> |")


class Saving(Commands):
    def runs(self, name):
        done = subprocess.run([terminal.covec, name], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), self.path(name).read_text())
        return done.stdout

    def test_inputs_that_succeeded(self):
        t = self.start()
        t.run(":save a.covec", "error: no input has succeeded yet")
        t.run("# Doubles x.")
        t.run("fn f(x) = 2 * x")
        t.send("f(\rnowhere)\r")
        t.shows_part("error: unknown name")
        t.run("y = f(3)  # six")
        t.run("y + 1", "7")
        t.run("z = y * 2")
        t.run(":save a.covec")
        self.assertEqual(self.path("a.covec").read_text(), "# Doubles x.\nfn f(x) = 2 * x\ny = f(3)  # six\nprint(y + 1)\nz = y * 2\n")
        self.assertEqual(self.runs("a.covec"), "7\n")
        t.run("z", "12")
        t.run(":save a.covec")  # its own file again
        self.assertEqual(self.runs("a.covec"), "7\n12\n")

    def test_statements_before_an_error(self):
        t = self.start()
        t.enter("q = 5; [1][4]")
        t.run("q + 1", "6")
        t.run("r = 2; q + r", "7")
        t.run(":save a.covec")
        self.assertEqual(self.path("a.covec").read_text(), "q = 5\nprint(q + 1)\nr = 2\nprint(q + r)\n")
        self.assertEqual(self.runs("a.covec"), "6\n7\n")

    def test_a_loaded_file_that_fails(self):
        self.path("own.covec", "k = 2\nfn f(x) = [1][x]\nf(k)\nl = 3\n")
        t = self.start()
        t.enter(":load own.covec")
        t.run("k", "2")
        t.run(":save a.covec")
        self.assertEqual(self.path("a.covec").read_text(), "k = 2\nfn f(x) = [1][x]\nprint(k)\n")

    def test_the_last_value(self):
        t = self.start()
        t.run("3 * 4  # twelve", "12")
        t.run("_ + ans", "24")
        t.run("for _ in range(2) { print(_) }", "0", "1")
        t.run(":save a.covec")
        self.assertEqual(self.runs("a.covec"), "12\n24\n0\n1\n")

    def test_figures_functions_and_loaded_files(self):
        self.path("own.covec", "scale = 2\n")
        t = self.start(columns=40)
        t.run(":load own.covec")
        t.run("import plot")
        t.enter("plot.bar([1, 2])")
        t.enter("sum")
        t.run("scale", "2")
        t.run(":save a.covec")
        self.assertEqual(self.runs("a.covec"), "2\n")

    def test_a_file_that_is_there(self):
        self.path("own.covec", "precious = 1\n")
        t = self.start()
        t.run("1", "1")
        t.run(":save own.covec", "error: own.covec is there already, and :save replaces no file")
        t.run(":save nowhere/own.covec", "error: cannot write nowhere/own.covec")
        t.run(":save", "error: into which file? `:save FILE`")
        self.assertEqual(self.path("own.covec").read_text(), "precious = 1\n")


class Completing(Commands):
    def test_letters_by_their_names(self):
        t = self.start()
        t.type("\\alpha", "> \\alpha|")
        t.type("\t", "> α|")
        t.type(" = 3 * \\Ome\t", "> α = 3 * \\Omega|")
        t.type("\t", "> α = 3 * Ω|")
        t.type(control("U"), "> |")
        t.type("\\alp\t", "> \\alpha|")
        t.type("\t\r", "> α", "error: unknown name `α`", "  --> <input 1>:1:1", "   1 | α", "     | ^", "> |")
        t.run("β = 2")
        t.type("\\beta\t + 1\r", "> β + 1", "3", "> |")
        t.type("\\eps\t", "> \\epsilon|")
        t.type("\t", "> ϵ|")
        t.type(control("U") + "\\nothing\t", "> \\nothing|")

    def test_keys(self):
        t = self.start()
        t.run('m = {"first": 1, "second": 2, 3: 4}')
        t.run('r = {width: 1, weight: 2, inner: {deep: 5}}')
        t.type('m["f\t', '> m["first"]|')
        t.type("\r", '> m["first"]', "1", "> |")
        t.type("m['\t", "first']   second']", "> m['|")
        t.type(control("U") + 'r["wi\t', '> r["width"]|')
        t.type(control("U") + 'r.inner["\t', '> r.inner["deep"]|')
        t.type("\r", '> r.inner["deep"]', "5", "> |")

    def test_other_strings_are_paths(self):
        self.path("data.csv", "1\n")
        t = self.start()
        t.run("m = map()")
        t.type('read_csv("da\t', '> read_csv("data.csv|')


class Reloading(Commands):
    NOTE = "note: own.covec has changed; :reload reads it again"
    AGAIN = "note: read own.covec again, because it or a module that it imports has changed"

    def test_a_changed_module_is_announced_once_and_read_again(self):
        self.path("own.covec", "value = 1\nfn get() = value\n")
        t = self.start()
        t.run("import own")
        t.run("old = own.get")
        t.run(":reload", "no module has changed")
        self.path("own.covec", "value = 2\nfn get() = value\n")
        t.run("own.value", "1", self.NOTE)
        t.run("own.value", "1")
        t.run(":reload", self.AGAIN)
        t.run("(own.value, own.get(), old())", "(2, 2, 1)")
        t.run(":reload", "no module has changed")

    def test_a_module_that_imports_one_that_changed(self):
        self.path("inner.covec", "value = 1\n")
        self.path("outer.covec", "import inner\nfn get() = inner.value\n")
        t = self.start()
        t.run("import outer")
        t.run("import inner")
        self.path("inner.covec", "value = 2\n")
        t.run("1", "1", "note: inner.covec has changed; :reload reads it again")
        t.enter(":reload")
        t.run("(outer.get(), inner.value)", "(2, 2)")

    def test_where_the_new_text_fails_all_is_as_before(self):
        self.path("inner.covec", "value = 1\n")
        self.path("outer.covec", "import inner\nfn get() = inner.value\n")
        t = self.start()
        t.run("import inner")
        t.run("import outer")
        self.path("inner.covec", "value = 2\n")
        self.path("outer.covec", "import inner\nfn get() = inner.value\nx = 1 // 0\n")
        t.run("1", "1", "note: inner.covec has changed; :reload reads it again", "note: outer.covec has changed; :reload reads it again")
        t.enter(":reload", "error: integer division by zero", "  --> outer.covec:3:5", "   3 | x = 1 // 0", "     |     ^ 1 is i64", "     |          ^ 0 is i64")
        t.run("(outer.get(), inner.value)", "(1, 1)")
        self.path("outer.covec", "import inner\nfn get() = 10 * inner.value\n")
        t.run("1", "1", "note: outer.covec has changed; :reload reads it again")
        t.enter(":reload")
        t.run("(outer.get(), inner.value)", "(20, 2)")

    def test_debug_after_a_reload_that_has_failed(self):
        self.path("own.covec", "value = 1\n")
        t = self.start()
        t.run("import own")
        self.path("own.covec", "value = 2\nfn half(x) = x // 0\nvalue = half(value)\n")
        t.run("1", "1", self.NOTE)
        t.enter(":reload")
        t.type(":debug\r", "half(x), own.covec:2", "   2 | fn half(x) = x // 0", "debug> |")
        t.type("x\r", "debug> x", "2", "debug> |")

    def test_commands_that_stand_alone(self):
        t = self.start()
        t.run("x = 1")
        for command in (":reload", ":auto", ":reset", ":vars", ":debug"):
            t.run(f"{command} nope", f"error: `{command}` stands alone, without `nope`")
        t.run("x", "1")

    def test_before_each_input(self):
        self.path("own.covec", "value = 1\n")
        t = self.start()
        t.run("import own")
        t.run(":auto", "changed modules are read again before each input")
        self.path("own.covec", "value = 2\n")
        t.run("own.value", self.AGAIN, "2")
        self.path("own.covec", "value = (\n")
        t.enter("own.value", "2")
        self.assertTrue(any("error: " in line for line in t.screen.lines()))
        t.run("own.value", "2")  # the same text is not tried again
        self.path("own.covec", "value = 3\n")
        t.run("own.value", self.AGAIN, "3")
        t.run(":auto", "changed modules are read again by `:reload` and `import` alone")
        self.path("own.covec", "value = 4\n")
        t.run("own.value", "3", self.NOTE)


if __name__ == "__main__":
    terminal.main()
