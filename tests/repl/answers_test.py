#!/usr/bin/env python3
"""What the REPL answers: its commands and words, help, values, progress, stops; through a pseudo-terminal.

    python3 answers_test.py COVEC
"""

import os
import pathlib
import unittest

import terminal
from terminal import Repl, control


class Words(Repl):
    def test_what_newcomers_type_to_leave(self):
        for word in ("exit", "quit", "exit()", "quit()", ":quit", ":q"):
            with self.subTest(word):
                t = self.start()
                t.send(word + "\r")
                self.assertEqual(t.ends(), 0)

    def test_a_variable_of_that_name_is_one(self):
        t = self.start()
        t.run("quit = 3")
        t.run("quit", "3")
        t.run("help = 4")
        t.run("help", "4")

    def test_help(self):
        t = self.start(columns=50)
        for word in ("help", "help()", ":help", "?"):
            t.enter(word, "  :quit              leaves; also `exit`, `quit`,", "                     Ctrl-D", "",
                    "Tab completes names, fields, arguments and paths.", "The arrows go through lines, then through earlier",
                    "texts that begin with what is typed; Page-up goes", "through all, Ctrl-R searches. Alt-Enter begins a",
                    "new line anywhere. Ctrl-C interrupts. The language", "itself is described in docs/language.md.")
        t.enter("help(exp)", "- Compiled: fused kernels", "- Accuracy: ≤ 1 ulp; first partials ≤ 1, second ≤", "  1")

    def test_a_question_mark_before_or_behind(self):
        t = self.start()
        t.run("width = 3")
        for question in ("?width", "width?", "width ?", "width??", "? width", "??width"):
            t.run(question, "width: i64")
        t.run("p = {deep: {w: 1.0}}")
        t.run("p.deep?", "p.deep: {w: f64}")
        t.run("# what?")
        t.run('"what?"', '"what?"')

    def test_no_such_command(self):
        t = self.start()
        t.run(":tim", "error: there is no command :tim (:help lists them)")


class Figures(Repl):
    def test_a_figure_is_a_picture(self):
        t = self.start(columns=40)
        t.run("import plot")
        t.enter("plot.bar([1, 2], xlim=(-1, 2))", "    │       █████████  █████████", " 0.0┤       █████████  █████████",
                "    └┬──────────┬──────────┬──────────┬", "    −1          0          1          2")
        t.run("ans.figure", '"axes"')
        t.run("f = plot.line([1.0])")
        t.run("f.options = 3")  # no figure any more: shown as the record that it is
        t.enter("f", " options: 3}")


class Tables(Repl):
    def test_columns_with_words_are_a_table(self):
        t = self.start(columns=60)
        t.run('names = ["oak", "yew"]')
        t.enter("{name: names, height: [20.5, 9.0]}", "   name  height", "   text     f64", "0  oak     20.5", "1  yew      9.0", "2 rows, 2 columns")
        t.run("{w: [1.0, 2.0], b: [0.5, 1.0]}", "{w: [1.0, 2.0], b: [0.5, 1.0]}")
        t.run('{name: names, b: [0.5]}', '{name: list("oak", "yew"), b: [0.5]}')

    def test_long_trees_are_cut(self):
        t = self.start(columns=80)
        t.run("list(*range(200))", "list(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … 180 more, 190, 191, 192, 193, 194, 195,", "     196, 197, 198, 199)")
        t.run('print("100, 101" in str(list(*range(200))))', "true")


class Commands(Repl):
    def test_variables_with_the_shapes_inside(self):
        t = self.start()
        t.run(":vars", "no variables yet")
        t.run("p = {w: zeros(3, 2), deep: {b: [1.0]}, pair: (1, 2.5)}")
        t.run("xs = list(i for i in range(3))")
        t.run("ys = list((1, [1.0]), 2)")
        t.run("fn f(x, k=2) = x")
        t.run(":vars", "p: {w: f64[3, 2], deep: {b: f64[1]}, pair: (i64, f64)}", "xs: list of 3 i64",
              "ys: list of 2: (i64, f64[1]), i64", "f: f(x, k=2)")
        t.run("?p", "p: {w: f64[3, 2], deep: {b: f64[1]}, pair: (i64, f64)}")
        t.run(":reset")
        t.run(":vars", "no variables yet")

    def test_long_ones_are_wrapped(self):
        t = self.start(columns=30)
        t.enter("p = {first: zeros(3, 2), second: zeros(2)}")
        t.run(":vars", "p: {first: f64[3, 2], second:", "    f64[2]}")

    def test_modules_before_and_after_their_import(self):
        t = self.start()
        t.enter("?optim", "Not imported yet: `import optim`.")
        self.assertFalse(any("_optim" in line for line in t.screen.lines()))
        t.run("?optim.sgd", "sgd(p, g, lr=0.01)",
              "One step of gradient descent: p - lr * g, leaf by leaf. It has no state, so lr", "is a number.",
              "", "    print(optim.sgd({w: [1.0, 2.0]}, {w: [10.0, 0.0]}, lr=0.01).w) # [0.9, 2.0]",
              "Not imported yet: `import optim`.")
        t.run("import optim")
        t.run("?optim.sgd", "sgd(p, g, lr=0.01)",
              "One step of gradient descent: p - lr * g, leaf by leaf. It has no state, so lr", "is a number.",
              "", "    print(optim.sgd({w: [1.0, 2.0]}, {w: [10.0, 0.0]}, lr=0.01).w) # [0.9, 2.0]")
        pathlib.Path(self.folder, "own.covec").write_text("print(1)\n")
        t.run("?own", "error: there is no name own: `import own` first", '  hint: ?"own" searches the manual')

    def test_modules_are_read_again_when_their_file_has_changed(self):
        inner, outer = pathlib.Path(self.folder, "inner.covec"), pathlib.Path(self.folder, "outer.covec")
        inner.write_text("value = 1\n")
        outer.write_text("import inner\nfn get() = inner.value\n")
        t = self.start()
        t.run("import outer")
        t.run("old = outer.get")
        t.run("import outer")  # nothing has changed, so nothing is said
        inner.write_text("value = 2\n")
        t.run("outer.get()", "1", "note: inner.covec has changed; :reload reads it again")
        t.run("import outer", "note: read inner.covec again, because it or a module that it imports has changed",
              "note: read outer.covec again, because it or a module that it imports has changed")
        t.run("outer.get()", "2")
        t.run("old()", "1")
        outer.write_text("fn get() = 3\n")
        t.run("import outer", "note: read outer.covec again, because it or a module that it imports has changed")
        t.run("outer.get()", "3")

    def test_names_that_are_not_there(self):
        t = self.start()
        t.run("?sume", "error: there is no name sume; did you mean sum?", '  hint: ?"sume" searches the manual')
        t.run("?x", "error: there is no name x", '  hint: ?"x" searches the manual')
        t.run("?DataFrames", "error: there is no name DataFrames", '  hint: ?"DataFrames" searches the manual')
        t.run("?DataFrame", "error: there is no name DataFrame",
              '  hint: a table is a record of columns: write t = {x: [1.0, 2.0], name: list("a"', ', "b")}')

    def test_time(self):
        t = self.start()
        t.run(":time", "`:time EXPRESSION` repeats an expression for a while and shows the median of the", "times: `:time sum(x)`; `:time STATEMENT` runs a statement once")
        t.enter(":time 1 + 1")
        self.assertRegex("\n".join(t.screen.lines()), r"\n[0-9.]+ .s \(median of [0-9]+\)")

    def test_files_are_run(self):
        pathlib.Path(self.folder, "two words.covec").write_text("x = 6\nprint('run', end='')\n")
        t = self.start()
        t.run(":load two words.covec", "run")
        t.run("x", "6")
        t.run(":load", "error: which file? `:load FILE`")


class Output(Repl):
    def test_the_prompt_has_a_line_of_its_own(self):
        t = self.start()
        t.run('print("open", end="")', "open")
        t.run('print("open", end=""); 3', "open", "3")
        t.enter('print("open", end=""); nothing()')

    def test_progress_ends_its_line(self):
        t = self.start()
        t.enter("for i in progress(range(3)) { sleep(0.11) }")
        self.assertRegex(t.screen.lines()[-2], r"^100% \[#+\] 3/3 ")
        t.run("1", "1")

    def test_progress_inside_progress(self):
        t = self.start()
        t.enter('for i in progress(range(2), "outer") { for j in progress(range(3), "inner") { sleep(0.11) } }')
        lines = t.screen.lines()
        self.assertRegex(lines[-2], r"^outer  100% \[#+\] 2/2  [0-9.]+/s  [0-9.]+ s$")
        self.assertFalse([line for line in lines if line.startswith("inner")])

    def test_the_last_value(self):
        t = self.start()
        t.run("1 + 1", "2")
        t.run("ans * 3", "6")
        t.run('"text"', '"text"')


class LastValue(Repl):
    def none_in(self, number):
        return "error: `_` has no value yet", f"  --> <input {number}>:1:1", "   1 | _", "     | ^"

    def test_it_is_what_was_shown_last(self):
        t = self.start()
        t.run("_", *self.none_in(1))
        t.run("1 + 1", "2")
        t.run("_ * 3 + ans", "8")
        t.run("x = 5; none")
        t.run("print(1)", "1")
        t.run("error('e')", "error: e", "  --> <input 6>:1:1", "   1 | error('e')", "     | ^^^^^^^^^^")
        t.run("_", "8")
        t.run("ans = 3")
        t.run("_", "8")
        t.run("ans = 3")
        t.run(":vars", "ans: i64", "x: i64")

    def test_programs_may_use_the_name(self):
        pathlib.Path(self.folder, "own.covec").write_text("for _ in range(3) { }\n")
        t = self.start()
        t.run("for _ in range(2) { print(_) }", "0", "1")
        t.run("_", *self.none_in(2))
        t.run("1 + 5", "6")
        t.run("for _ in range(3) { }; a, _ = (1, 2); (_, a) = (3, 4); print(_)", "3")
        t.run("sum(_ for _ in range(4))", "6")
        t.run("try { error('e') } catch _ { print(_.message) }", "e")
        t.run(":load own.covec")
        t.run("_", "6")
        t.run("_ = 5; error('e')", "error: e", "  --> <input 8>:1:8", "   1 | _ = 5; error('e')", "     |        ^^^^^^^^^^")
        t.run("_", "6")

    def test_a_name_that_a_program_gives_a_value_is_its_own(self):
        for assigns in ("_ = 5", "if true { _ = 5 }", "_ = 4; _ += 1", "for i in range(3) { _ = 3 + i }",
                        "while true { _ = 5; break }", "try { error('e') } catch { _ = 5 }"):
            t = self.start()
            t.run("1 + 1", "2")
            t.run(assigns)
            t.run("3 + 4", "7")
            t.run("(_, ans)", "(5, 7)")
            t.run("fn f() = _")
            t.run("f()", "5")
            t.run(":reset")
            t.run("1 + 1", "2")
            t.run("_", "2")


class Functions(Repl):
    def test_one_shows_what_it_is(self):
        pathlib.Path(self.folder, "own.covec").write_text("\n# Divides\n# by 2.\nfn half(x: f64) = x / 2\n")
        t = self.start(columns=60)
        t.run("import own")
        t.run("own.half", "half(x: f64)", "    Divides by 2.", "    defined at own.covec:4")
        t.run("?own.half", "half(x: f64)", "Divides by 2.", "Defined at own.covec:4.")
        t.run("# Adds k.")
        t.run("fn f(x, k=2) = x + k")
        t.run("f", "f(x, k=2)", "    Adds k.", "    defined at the prompt")
        t.run("_(1)", "3")
        t.run("compile(f)", "f(x, k=2)", "    Adds k.", "    defined at the prompt")
        t.run("x -> x + 1", "x -> x + 1", "    defined at the prompt")
        t.run("softplus", "softplus(x)", "    ln(1 + e^x), elementwise, without overflow.")
        t.run("import optim")
        t.run("optim.sgd", "sgd(p, g, lr=0.01)", "    One step of gradient descent: p - lr * g, leaf by leaf.",
              "    defined in the module optim")

    def test_others_are_values(self):
        t = self.start()
        t.run("fn f(x) = x")
        t.run("grad(f)", "<fn grad(f)>")
        t.run("[1.0].dtype", "f64")
        t.run("f32", "f32")
        t.run("(f, sum)", "(<fn f>, <fn sum>)")
        t.run("# Comment of nothing.")
        t.run("1", "1")
        t.run("fn g(x) = x")
        t.run("g", "g(x)", "    defined at the prompt")


class Inputs(Repl):
    def test_they_have_numbers_in_messages(self):
        t = self.start()
        t.run("fn f(x) = 1 // x")
        t.run("x = 0")
        t.run(":vars", "f: f(x)", "x: i64")  # a command is none
        t.run("f(x)", "error: integer division by zero", "  --> <input 1>:1:11", "   1 | fn f(x) = 1 // x", "     |           ^ 1 is i64",
              "     |                ^ x is i64", "  in f(x), called from <input 3>:1:1")
        t.enter("max([1, 2], 0)", "  --> <input 4>:1:1", "   1 | max([1, 2], 0)", "     | ^^^^^^^^^^^^^^", "2")  # a warning
        t.type("f(\r", "> f(", ".     |")
        t.type("qqqq)\r", "> f(", ".     qqqq)", "error: unknown name `qqqq`", "  --> <input 5>:2:5", "   2 |     qqqq)",
               "     |     ^^^^", "> |")

    def test_explain_names_them(self):
        t = self.start(columns=120)
        t.run("1", "1")
        t.run("@compile fn f(x) { y = x; for i in range(9) { try { y += x } catch { y = x } }; return y }")
        t.run("f(1.0)", "10.0")
        t.send("explain(f)\r")
        t.shows_part("the loop at <input 2>:1")


class Texts(Repl):
    def test_one_with_line_ends_is_shown_in_lines(self):
        t = self.start()
        t.run(r'"one\ntwo\n"', "one", "two")
        t.run(r'"one\n  \"two\""', "one", '  "two"')
        t.run('"one"', '"one"')
        t.run(r'("a\nb", 1)', r'("a\nb", 1)')
        t.run("@compile fn g(x) = x + x")
        t.run("g(1.0)", "2.0")
        t.enter("explain(g)", "  dearest: nothing stands out", "  nothing to change: compiled code would be slower")


class LongHelp(Repl):
    def test_it_goes_through_the_pager(self):
        pager = pathlib.Path(self.folder, "pager")
        pager.write_text("#!/bin/sh\necho \"PAGER $(wc -l)\"\n")
        pager.chmod(0o755)
        t = self.start(PAGER=str(pager), rows=10)
        t.send("?grad\r")
        t.shows_part("PAGER ")
        t.shows("> |")
        t.send(":help\r")
        t.until(lambda: sum("PAGER" in line for line in t.screen.lines()) == 2, "PAGER")

    def test_what_the_window_holds_does_not(self):
        t = self.start(PAGER="echo PAGER", rows=24)
        t.run("x = 1")
        t.run("?x", "x: i64")

    def test_one_that_is_not_there(self):
        t = self.start(PAGER="no-such-program", rows=10)
        t.send("?grad\r")
        t.shows_part("print(grad(grad(x -> x^3))(2.0))")

    def test_without_a_terminal_it_does_not(self):
        t = self.run_on_terminal("/bin/sh", ["-c", f"{terminal.covec} | cat"], PAGER="echo PAGER", rows=10)
        t.send("?grad\r")
        t.shows_part("print(grad(grad(x -> x^3))(2.0))")
        t.send(control("D"))
        t.ends()
        self.assertFalse(any("PAGER" in line for line in t.screen.lines()))


class Comments(Repl):
    def test_places_are_those_of_the_text(self):
        t = self.start()
        t.run("# Of x.")
        t.enter("fn f(x) = x +* 2", "  --> <input 1>:1:14", "   1 | fn f(x) = x +* 2", "     |              ^",
                "  hint: *t gives items, **r arguments of a call; a lambda is (**o) -> o")
        t.run("# Of y.")
        t.run("# More.")
        t.run("fn g(y) = y")
        t.run("g", "g(y)", "    Of y. More.", "    defined at the prompt")

    def test_only_a_function_right_below_has_them(self):
        for between in ("?sin", ":vars", "help", "1", "fn ()"):
            t = self.start()
            t.run("# Of nothing.")
            t.enter(between)
            t.run("fn g(x) = x")
            t.run("g", "g(x)", "    defined at the prompt")
        t = self.start()
        t.run("# Of nothing.")
        t.type("f(", "> f(|")
        t.type(control("C"), "> f(^C", "> |")
        t.run("fn g(x) = x")
        t.run("g", "g(x)", "    defined at the prompt")
        t.run("# Of nothing.")
        t.send("h(\r\r\r")
        t.shows_part("given up")
        t.run("fn h(x) = x")
        t.run("h", "h(x)", "    defined at the prompt")


class Stops(Repl):
    def test_control_z_and_back(self):
        t = self.run_on_terminal("/bin/bash", ["--norc", "--noprofile", "-i"], PS1="$ ")
        t.shows("$ |")
        t.type(terminal.covec + "\r", "> |")
        t.enter("x = 5")
        t.type("x + 2", "> x + 2|")
        t.send(control("Z"))
        t.shows_part("Stopped")
        t.shows("$ |")
        t.type("echo $((6*7))\r", "42", "$ |")
        t.send("fg\r")
        t.shows("> x + 2|")
        t.type("\r", "> x + 2", "7", "> |")
        t.type("f(\r", "> f(", ".     |")
        t.type("2", "> f(", ".     2|")
        t.send(control("Z"))
        t.shows("$ |")
        t.send("fg\r")
        t.shows("> f(", ".     2|")
        self.assertEqual(sum(line == "> f(" for line in t.screen.lines()), 2)
        t.type(control("C") + control("D"), "$ |")


class History(Repl):
    def test_a_file_that_cannot_be_written(self):
        os.mkdir(self.history)
        t = self.start()
        t.run("1", "1")
        t.send(control("D"))
        self.assertEqual(t.ends(), 0)
        self.assertIn(f"warning: the history could not be written: {self.history}: Is a directory",
                      "".join(t.screen.lines()))

    def test_two_sessions_beside_each_other(self):
        one, two = self.start(), self.start()
        one.run("1", "1")
        two.run("2", "2")
        one.run("3", "3")
        self.assertEqual(self.entries(), ["1", "2", "3"])

    def test_a_long_one_is_shortened(self):
        pathlib.Path(self.history).write_text("_HiStOrY_V2_\n" + "".join(f"{i}\n" for i in range(20001)))
        t = self.start()
        self.assertEqual(len(self.entries()), 10000)
        t.type("\033[A", "> 20000|")


if __name__ == "__main__":
    terminal.main()
