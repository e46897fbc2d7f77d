"""kernel_test.py COVEC: `covec kernel` without Jupyter, by lines of JSON."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from client import Client, only, text_of, value_of

COVEC = os.path.abspath(sys.argv.pop(1))


class Cells(unittest.TestCase):
    """All in one session, as cells of one notebook."""

    @classmethod
    def setUpClass(cls):
        cls.kernel = Client(COVEC)

    @classmethod
    def tearDownClass(cls):
        if cls.kernel.end() != 0:
            raise AssertionError("the exit status is not 0")

    def run_cell(self, text, *answers):
        return self.kernel.run(text, *answers)

    def fails(self, text, *answers):
        """The error that ends the cell."""
        found = self.run_cell(text, *answers)
        self.assertTrue(found[-1]["failed"], found)
        return only(found, "error")

    def test_it_says_what_it_is(self):
        self.assertEqual(self.kernel.ready["is"], "ready")
        self.assertIn("version", self.kernel.ready)

    def test_texts_and_a_value(self):
        found = self.run_cell("x = [1.5, 2.5]\nprint(\"one\")\nprint(\"two\", to=\"stderr\")\nprint(\"three\")\nx + 1")
        self.assertEqual([each["is"] for each in found], ["begun", "text", "text", "text", "value", "done"])
        self.assertEqual([each["text"] for each in found if each["is"] == "text"], ["one\n", "two\n", "three\n"])
        self.assertEqual(value_of(found), "[2.5, 3.5]")
        self.assertEqual(found[-1], {"is": "done", "id": self.kernel.id, "failed": False, "leaves": False})
        self.assertTrue(all(each["id"] == self.kernel.id for each in found))

    def test_no_value(self):
        for text in ("", "  \n", "# a comment", "y = 3", "none", "y = 1\ny = 2"):
            self.assertEqual([each["is"] for each in self.run_cell(text)], ["begun", "done"], text)

    def test_values_have_the_numbers_of_their_cells(self):
        self.run_cell("40 + 2")
        first = self.kernel.number
        self.run_cell("first = \"not the value\"")
        self.assertEqual(value_of(self.run_cell(f"_{first} + _ + ans")), "126")
        self.assertNotIn(f"_{first}", text_of(self.run_cell(":vars")))

    def test_a_cell_aside_keeps_no_value(self):
        self.run_cell("7")
        self.kernel.number += 1
        found = self.kernel.ask("run", text="beside = 5\nbeside + 1", number=self.kernel.number, aside=True)
        self.assertEqual(value_of(found), "6")
        self.assertEqual(value_of(self.run_cell("(_, ans, beside)")), "(7, 7, 5)")
        self.fails(f"_{self.kernel.number - 1}")

    def test_a_saved_notebook_runs(self):
        self.kernel.ask("reset")
        with tempfile.TemporaryDirectory() as folder:
            self.run_cell("20 + 1")
            number = self.kernel.number
            self.run_cell(f"b = _{number} * 2\nnobody")
            self.run_cell(f"b = _{number} * 2")
            self.assertEqual(self.run_cell(f":save {folder}/saved.covec")[-1]["failed"], False)
            run = subprocess.run([COVEC, f"{folder}/saved.covec"], capture_output=True, text=True)
            self.assertEqual((run.stdout, run.stderr), ("21\n", ""))

    def test_a_saved_notebook_has_all_that_has_run(self):
        for cells, printed in ((["z = 3\nz + 1", "y = _1 + 1", "y"], "4\n5\n"), (["q = 5\n[1][4]\nq = 9", "q + 1"], "6\n"),
                               (["import plot\nfg = plot.line([1, 2])\nsum([1, 2], axis=5)", "fg", "3"], "3\n"),
                               (["a = 1; (a + 1) * 2;  # four\n# more", "_ + 1", "_2 + a"], "4\n5\n6\n"),
                               (["fn bad(x) {\n    [1][x]\n}\nw = 4; bad(2)", "w"], "4\n"),
                               (["r = 2\nexit(0)\nr = 3", "r"], "2\n"), (["unknown\nu = 1", "f\"{1}\"; 2"], "2\n")):
            self.kernel.ask("reset")
            self.kernel.number = 0
            with tempfile.TemporaryDirectory() as folder:
                for cell in [*cells, f":save {folder}/saved.covec"]:
                    self.run_cell(cell)
                run = subprocess.run([COVEC, f"{folder}/saved.covec"], capture_output=True, text=True)
                self.assertEqual((run.stdout, run.stderr), (printed, ""), cells)

    def test_an_error_counts_the_lines_of_its_cell(self):
        error = self.fails("a = 1\n\nb = [1, 2]\nb[7]")
        self.assertEqual(error["code"], "index_range")
        self.assertEqual(error["message"], "index 7 is out of range for axis 0 of size 2")
        self.assertEqual(error["text"].split("\n")[1:4],
                         [f"  --> In [{self.kernel.number}]:4:3", "   4 | b[7]", "     |   ^ index 7"])

    def test_an_error_ends_its_cell(self):
        found = self.run_cell("print(\"before\")\n1 // 0\nprint(\"after\")")
        self.assertEqual(text_of(found), "before\n")
        self.assertTrue(found[-1]["failed"])
        found = self.run_cell("nobody\n:vars")
        self.assertEqual(text_of(found), "")

    def test_a_cell_that_is_not_whole(self):
        error = self.fails("fn f(x) {\n    x")
        self.assertEqual(error["message"], "`{` is never closed")
        self.assertIn(f"In [{self.kernel.number}]:1:9", error["text"])

    def test_a_warning(self):
        found = self.run_cell("c = 0.5\nlog([-1.0])[0] == c\nx = 1\nfn f() { breakpoint(); return 2 }\nf()")
        self.assertIn(f"In [{self.kernel.number}]:4", text_of(found, "err"))
        self.assertIn("warning: ", text_of(found, "err"))
        self.assertEqual(value_of(found), "2")

    def test_commands_between_programs(self):
        found = self.run_cell("q = 5\n:type q\nr = q + 1\n?exp\n\n:time q + 1\nr + nobody")
        self.assertIn("number: i64\nexp(x)\n", text_of(found))
        self.assertRegex(text_of(found), r"\n[0-9.]+ .s \(median of [0-9]+\)\n$")
        self.assertIn(f"In [{self.kernel.number}]:7:5", only(found, "error")["text"])

    def test_errors_of_commands_show_what_was_written(self):
        for code in ("x = [1][3]", "[1][3]", "(", "1 +", "nobody", "fn f() = [1][3]; f()"):
            for name in (":time", ":type"):
                line = f"{name} {code}"
                error = self.fails(f"a = 1\n\n{line}")["text"].split("\n")
                self.assertRegex(error[1], rf"^  --> In \[{self.kernel.number}\]:3:[0-9]+$", line)
                self.assertEqual(error[2].replace(":time ", " " * 6), f"   3 | {line}".replace(":time ", " " * 6), error)
        for line in (":time x = [1][3]", ":time [1][3]", ":type [1][3]"):
            error = self.fails(f"\n{line}")["text"].split("\n")
            self.assertEqual((error[1], error[3].find("^")), (f"  --> In [{self.kernel.number}]:2:{line.find('3') + 1}", 7 + line.find("3")), error)
            self.assertEqual(error[4:], [""])

    def test_a_command_in_brackets_is_none(self):
        self.assertEqual(value_of(self.run_cell("v = [1, 2, 3, 4]\nv[1\n:3]")), "[2, 3]")

    def test_a_statement_over_lines_is_timed(self):
        found = self.run_cell(":time for i in range(3) {\n    print(i)\n}\n:type 2.5")
        self.assertRegex(text_of(found), r"^0\n1\n2\n[0-9.]+ .s \(once\), at most .* of memory\nnumber: f64\n$")

    def test_no_editor(self):
        self.run_cell("fn edited(x) = x")
        for text in (":edit edited", ":edit nothing.covec"):
            self.assertIn("an editor needs a terminal, which is not here", self.fails(text)["message"])

    def test_questions_about_names(self):
        for text in ("?exp", "exp?", "help(exp)", ":help exp"):
            self.assertIn("e to the power x, elementwise.", text_of(self.run_cell(text)), text)
        self.assertIn(":reload", text_of(self.run_cell(":help")))

    def test_commands_that_fail_end_their_cells(self):
        for text, why in ((":foo", "there is no command :foo (:help lists them)"), (":sh exit 3", "the command has ended with exit status 3"),
                          (":cd nowhere", "cannot go to nowhere: No such file or directory"), (":save", "into which file? `:save FILE`"),
                          (":type", "of which expression? `:type EXPRESSION`"), (":load nowhere.covec", "cannot read nowhere.covec")):
            found = self.run_cell(text + "\nprint(\"after\")")
            self.assertTrue(found[-1]["failed"], text)
            self.assertIn(why, only(found, "error")["text"])
            self.assertEqual(text_of(found), "", text)
        self.assertEqual(text_of(self.run_cell(":sh false || true\nprint(\"after\")")), "after\n")

    def test_the_shell_is_captured(self):
        found = self.run_cell(":sh echo to the output; echo to the error >&2; cat; exit 3")
        self.assertEqual((text_of(found), text_of(found, "err")), ("to the output\n", "to the error\n"))

    def test_a_function_is_shown_with_its_comment(self):
        self.run_cell("# Twice as much.\nfn twice(x) = 2 * x")
        self.assertEqual(text_of(self.run_cell("twice")),
                         f"twice(x)\n    Twice as much.\n    defined at In [{self.kernel.number - 1}]:2\n")

    def test_what_programs_show(self):
        found = self.run_cell("import plot\nimport table\nplot.show(plot.line([1.0, 2.0]))\ntable.show({a: [1, 2]})\nplot.line([1.0, 2.0])")
        line, shown, _ = forms = [each["forms"] for each in found if "forms" in each]
        self.assertEqual(forms[2], line)  # as a value
        self.assertEqual(len(line["text/plain"].split("\n")), 24)
        self.assertTrue(shown["text/plain"].endswith("2 rows, 1 column"))

    def test_input(self):
        found = self.run_cell("print(\"hello\")\nname = input(\"who? \")\nage = input()\n(name, age)", "Ada λ", "36")
        self.assertEqual([each["prompt"] for each in found if each["is"] == "question"], ["who? ", ""])
        self.assertEqual(text_of(found), "hello\n")
        self.assertEqual(value_of(found), "(\"Ada λ\", \"36\")")
        self.assertEqual(value_of(self.run_cell("input() == none", None)), "true")
        self.assertEqual(self.fails("input()")["code"], "no_input")

    def test_a_line_without_an_end_is_seen(self):
        self.kernel.begin("print(\"at once\", end=\"\")\nwhile true { }")
        self.assertEqual(text_of(self.kernel.until("text")), "at once")
        self.kernel.interrupt()
        self.assertTrue(self.kernel.until("done")[-1]["failed"])

    def test_many_lines_become_few_messages(self):
        found = self.run_cell("for i in range(20000) { print(i) }")
        self.assertEqual(text_of(found), "".join(f"{i}\n" for i in range(20000)))
        self.assertLess(len(found), 200)

    def test_progress(self):
        found = self.run_cell("for i in progress(range(3), \"slowly\") { :sleep }".replace(":sleep", "sleep(0.11)"))
        lines = [each["text"] for each in found if each["is"] == "progress"]
        self.assertGreater(len(lines), 1)
        self.assertRegex(lines[-1], r"^slowly  100% \[#+\] 3/3 ")

    def test_interrupts(self):
        self.run_cell("kept = 17")
        for text in ("while true { }", "x = ones(300, 300)\nwhile true { x = x @ x / 300 }",
                     "@compile fn f(n) { s = 0.0\n    for i in range(n) { s += sin(f64(i)) }\n    return s }\nf(10^12)",
                     ":time while true { }", ":sh echo; sleep 60", ":sh sleep 60; sleep 60", "sleep(60)"):
            for how in ("signal", "message"):
                self.kernel.begin(text)
                self.kernel.until("text") if text.startswith(":sh echo") else time.sleep(0.05)
                begin = time.monotonic()
                self.kernel.interrupt() if how == "signal" else self.kernel.send(do="interrupt")
                found = self.kernel.until("done")
                self.assertLess(time.monotonic() - begin, 10, text)
                self.assertEqual(only(found, "error")["code"], "interrupted", text)
            self.assertEqual(value_of(self.run_cell("kept + 1")), "18", text)

    def test_an_interrupted_command_ends_its_cell(self):
        for how in ("signal", "message"):
            self.kernel.begin(":sh trap 'echo heard; kill $!' INT; sleep 60 & echo; wait; exit 3\nreached = 1")
            self.kernel.until("text")
            self.kernel.interrupt() if how == "signal" else self.kernel.send(do="interrupt")
            found = self.kernel.until("done")
            self.assertEqual(text_of(found), "heard\n")  # once; the status is no error of its own
            self.assertEqual(only(found, "error")["code"], "interrupted")
            self.assertIn("unknown name", self.fails("reached")["message"])

    def test_an_interrupt_while_it_asks(self):
        for text in ("input(\"? \")", "fn f() { breakpoint() }\nf()"):
            for how in ("signal", "message"):
                self.kernel.begin(text, asks=True)
                self.kernel.until("question")
                self.kernel.interrupt() if how == "signal" else self.kernel.send(do="interrupt")
                self.assertTrue(self.kernel.until("done")[-1]["failed"])
                self.assertEqual(value_of(self.run_cell("1 + 1")), "2")

    def test_an_interrupt_that_comes_too_late(self):
        self.run_cell("1")
        self.kernel.interrupt()
        self.kernel.send(do="interrupt")
        time.sleep(0.1)
        self.assertEqual(value_of(self.run_cell("s = 0\nfor i in range(100) { s += i }\ns")), "4950")

    def test_an_interrupt_before_it_begins(self):
        self.kernel.send(do="run", id=1000, text="while true { }", number=7)
        self.kernel.send(do="run", id=1001, text="while true { }", number=8)
        self.kernel.send(do="interrupt")
        self.kernel.until("done")
        self.kernel.send(do="interrupt")
        self.assertTrue(self.kernel.until("done")[-1]["failed"])

    def test_completion(self):
        self.run_cell("growth = {alpha_one: 1.0}")
        for text, matches, begin in (("a = 1\ngrow", ["growth"], 6), ("αβ = 1\ngrowth.al", ["alpha_one"], 14), (":ti", [":time"], 0),
                                     ("a = 1\n:ti", [":time"], 6), ("import opt", ["optim"], 7)):
            found = self.kernel.ask("complete", text=text, cursor=len(text))[-1]
            self.assertEqual((found["matches"], found["from"], found["to"]), (matches, begin, len(text)), text)
        found = self.kernel.ask("complete", text="grow + 1", cursor=4)[-1]
        self.assertEqual((found["matches"], found["from"], found["to"]), (["growth"], 0, 4))
        self.assertEqual(self.kernel.ask("complete", text="grow", cursor=400)[-1]["to"], 4)

    def test_description(self):
        self.run_cell("# Adds a half.\nfn half_more(x, y=1) = x + 0.5")
        for text, cursor, part in (("αβ + exp(2)", 7, "e to the power x"), ("exp(2)", 6, ""), ("half_more(3, ", 13, "Adds a half."),
                                   ("half_more(\"exp\", 1)", 12, "Adds a half."), ("while true", 2, "A loop that runs"),
                                   ("mean(x, axis", 12, "mean(x"), ("mean(x, axis = 0)", 10, "mean(x"), ("half_more(1, y=half_more)", 13, "Adds a half."),
                                   ("half_more(1, exp = 2)", 14, "Adds a half."), ("half_more(1, exp == 2)", 14, "e to the power x"),
                                   ("a = 1\n:time exp(2)", 9, ":time CODE"), ("a = 1\n:time exp(2)", 14, "e to the power x"), ("moving", 3, ""),
                                   ("nothing_of_this_name", 3, ""), ("", 0, ""), ("x = 12.5", 8, "")):
            found = self.kernel.ask("describe", text=text, cursor=cursor)[-1]
            self.assertEqual((found["is"], part in found["text"], found["text"] == ""), ("description", True, part == ""), text)

    def test_wholeness(self):
        for text, whole, indent in (("x = 1", "whole", 0), ("fn f(x) {", "open", 4), ("fn f(x) {\n    if x {", "open", 8), ("x = (1", "open", 4),
                                    ("x = )", "wrong", 0), (":time for i in x {", "open", 4), (":time sum(\n[1", "open", 4), (":time x = )", "wrong", 0), (":time", "whole", 0), (":sh echo {", "whole", 4), ("?exp", "whole", 0), ("", "whole", 0),
                                    ("unknown_name", "whole", 0), ("a = 1\n?exp", "whole", 0)):
            found = self.kernel.ask("is_whole", text=text)[-1]
            self.assertEqual((found["text"], found["indent"]), (whole, indent), text)

    def test_a_program_that_ends_itself(self):
        self.run_cell("stays = 1")
        found = self.run_cell("exit(0)\nprint(\"never\")")
        self.assertEqual(([each["is"] for each in found], found[-1]["failed"]), (["begun", "done"], False))
        self.assertEqual(self.fails("exit(3)")["message"], "the program has ended itself with status 3")
        self.assertEqual(value_of(self.run_cell("stays")), "1")
        for text in (":quit", "exit", "quit", "exit()", "quit()"):
            self.assertTrue(self.run_cell(text)[-1]["leaves"], text)
        for text in ("exit(0)", "x = 1\nexit()", "exit()\nx = 1"):
            self.assertFalse(self.run_cell(text)[-1]["leaves"], text)

    def test_debug_after_an_error(self):
        self.fails("fn ratio(a, b) { n = len(a); return a // b[n] }\nfn outer(q) = ratio(q, q)\nouter([1, 2])")
        found = self.run_cell(":debug", ":where", "n + 1", ":up", ":vars", "unknown", ":continue", ":quit")
        self.assertEqual([each["prompt"] for each in found if each["is"] == "question"], ["debug> "] * 7)
        self.assertIn(f"→ ratio(a, b), In [{self.kernel.number - 1}]:1\n", text_of(found))
        self.assertIn("q: moved at its last use", text_of(found))
        self.assertEqual(only(found, "value")["forms"]["text/plain"], "3")
        self.assertIn("unknown name", only(found, "error")["message"])
        self.assertIn("the error has ended the run", text_of(found, "err"))
        self.assertFalse(found[-1]["failed"])
        self.assertIn("nobody can be asked here", text_of(self.run_cell(":debug"), "err"))
        self.run_cell("1")
        self.assertIn("there is no error to look at", self.fails(":debug", ":quit")["message"])

    def test_breakpoint(self):
        text = "fn g(x) {\n    y = x + 1\n    breakpoint()\n    return y\n}\ng(1)"
        found = self.run_cell(text, "y", "y = 40", ":continue")
        self.assertIn(f"g(x), In [{self.kernel.number}]:3\n", text_of(found))
        self.assertEqual([each["forms"]["text/plain"] for each in found if each["is"] == "value"], ["2", "40"])
        self.assertEqual(self.fails(text, ":quit")["code"], "ended_at_breakpoint")
        self.assertEqual(self.fails(text, None)["code"], "ended_at_breakpoint")
        self.assertEqual(value_of(self.run_cell(text)), "2")  # nobody can be asked: it goes on

    def test_names_that_a_breakpoint_of_a_cell_gives(self):
        self.assertEqual(value_of(self.run_cell("gl = 1\nbreakpoint()\ngl", "nw = 2", "fn tw(x) = nw * x", "gl = 5", ":continue")), "5")
        self.assertEqual(value_of(self.run_cell("nw + tw(gl)")), "12")

    def test_reset(self):
        self.run_cell("gone = 1\ngone")
        number = self.kernel.number
        self.assertFalse(self.kernel.ask("reset")[-1]["failed"])
        self.assertIn("unknown name", self.fails("gone")["message"])
        self.assertIn("unknown name", self.fails(f"_{number}")["message"])

    def test_what_nobody_can_read(self):
        for line in (b"nonsense", b"3", b"[]", b"{\"do\":\"run\"", b"{\"do\":\"run\",\"text\":\"\xff\"}", b"\"\\ud800\"", b"{\"do\":\"run\",\"text\":\"\\ud800\"}"):
            self.kernel.send_line(line)
            self.assertEqual(self.kernel.receive(), {"is": "refused", "id": None, "message": "a line is no JSON object"}, line)
        self.kernel.send_line(b"")
        for fields, why in (({}, "\"do\" must be a text"), ({"do": 3}, "\"do\" must be a text"),
                            ({"do": "fly"}, "there is no request \"fly\""), ({"do": "run"}, "\"text\" must be a text"),
                            ({"do": "run", "text": 5, "number": 1}, "\"text\" must be a text"),
                            ({"do": "run", "text": "1"}, "\"number\" must be a number without a sign"),
                            ({"do": "run", "text": "1", "number": 2**32}, "\"number\" must be less than 4294967296"),
                            ({"do": "run", "text": "1", "number": 1, "asks": 1}, "\"asks\" must be true or false"),
                            ({"do": "complete", "text": "x", "cursor": -1}, "\"cursor\" must be a number without a sign"),
                            ({"do": "complete", "text": "x", "cursor": "1"}, "\"cursor\" must be a number without a sign"),
                            ({"do": "is_whole"}, "\"text\" must be a text")):
            self.kernel.send(id="abc", **fields)
            self.assertEqual(self.kernel.receive(), {"is": "refused", "id": "abc", "message": why}, fields)
        self.kernel.send(do="answer", id=5, text="to nothing")
        self.assertEqual(self.kernel.receive(), {"is": "refused", "id": 5, "message": "nothing was asked"})
        self.assertEqual(value_of(self.run_cell("1 + 1")), "2")

    def test_long_lines(self):
        text = "# " + "x" * 3_000_000 + "\n5"
        self.assertEqual(value_of(self.run_cell(text)), "5")
        found = self.run_cell("print(\"y\" * 3000000)")
        self.assertEqual(len(text_of(found)), 3_000_001)
        deep = b"[" * 200_000
        self.kernel.send_line(deep)
        self.assertEqual(self.kernel.receive()["is"], "refused")
        self.kernel.send_line(b"{\"do\":" + deep + b"]" * 200_000 + b"}")
        self.assertEqual(self.kernel.receive()["message"], "\"do\" must be a text")

    def test_texts_that_are_no_utf8(self):
        self.assertEqual(text_of(self.run_cell(r":sh printf 'a\377b\316'; sleep 0.1; printf '\261c'")), "a\ufffdbαc")


class Ends(unittest.TestCase):
    def test_the_end_of_the_input_while_a_program_runs(self):
        for text in ("while true { }", "input()", ":sh sleep 60; sleep 60", ":sh trap '' INT; sleep 60; sleep 60"):
            kernel = Client(COVEC)
            kernel.begin(text, asks=True)
            begin = time.monotonic()
            self.assertEqual(kernel.end(), 0)
            self.assertLess(time.monotonic() - begin, 10, text)

    def test_a_command_in_the_background_goes_on(self):
        kernel = Client(COVEC)
        found = kernel.run(":sh timeout 60 yes </dev/null & echo $! >&2")
        yes = int(text_of(found, "err"))
        try:
            self.assertEqual(value_of(kernel.run("1 + 1")), "2")
            os.kill(yes, 0)  # it is there
        finally:
            os.kill(yes, signal.SIGTERM)
        self.assertEqual(kernel.end(), 0)

    def test_nobody_reads(self):
        read_end, write_end = os.pipe()
        process = subprocess.Popen([COVEC, "kernel"], stdin=subprocess.PIPE, stdout=write_end)
        os.close(read_end)
        os.close(write_end)
        process.communicate(b"{\"do\":\"run\",\"text\":\"for i in range(1000) { print(i) }\",\"number\":1}\n", timeout=30)
        self.assertEqual(process.returncode, 0)

    def test_it_can_be_ended(self):
        kernel = Client(COVEC)
        kernel.begin("while true { }")
        kernel.process.send_signal(signal.SIGTERM)
        self.assertEqual(kernel.end(), -signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
