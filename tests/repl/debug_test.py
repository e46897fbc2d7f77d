#!/usr/bin/env python3
"""The prompt that looks at variables: `:debug` after an error, and breakpoint(); through a pseudo-terminal.

    python3 debug_test.py COVEC
"""

import pathlib
import unittest

import terminal
from terminal import Repl, control


class Debugging(Repl):
    def run_debug(self, t, text, *lines):
        """As Terminal.run, at the inner prompt."""
        t.type(text, f"debug> {text}|")
        t.type("\r", f"debug> {text}", *lines, "debug> |")

    def fails(self, t, text):
        t.send(text + "\r")
        t.until(lambda: any(line.startswith("error: ") for line in t.screen.lines()) and t.screen.lines(cursor=True)[-1] == "> |", text)

    def opens(self, t, text, *lines):
        t.type(text, f"> {text}|")
        t.type("\r", *lines, "debug> |")


class AfterAnError(Debugging):
    def start_with(self, *texts, **options):
        t = self.start(**options)
        for text in texts:
            t.run(text)
        return t

    def test_the_variables_of_the_function(self):
        t = self.start_with("fn f(x, k=3) { y = x * 2; z = [1, 2, 3]; return y + z[k] + sum(z) }")
        self.fails(t, "f(5)")
        self.opens(t, ":debug", "f(x, k), <input 1>:1", "   1 | fn f(x, k=3) { y = x * 2; z = [1, 2, 3]; return y + z[k] + sum(z) }")
        self.run_debug(t, "y", "10")
        self.run_debug(t, "z[k - 1] + x", "8")
        self.run_debug(t, ":vars", "x: i64 = 5", "k: i64 = 3", "y: i64 = 10", "z: i64[3]")
        self.run_debug(t, "w = 2 * y")  # the prompt's own
        self.run_debug(t, "w", "20")
        t.type(":quit\r", "debug> :quit", "> |")
        t.run('"w" in "gone"', "false")

    def test_variables_are_listed_as_inputs_have_left_them(self):
        t = self.start_with("fn f(a) { n = len(a); return a // n + a[n] }")
        self.fails(t, "f([1, 2])")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "n = 7")
        self.run_debug(t, "a = 3")
        self.run_debug(t, ":vars", "a: i64 = 3", "n: i64 = 7")

    def test_nested_calls(self):
        t = self.start_with("fn inner(a) = 1 // a", "fn middle(b) { c = b - 1; return inner(c) + c }", "fn outer(d) = middle(d) + 1")
        self.fails(t, "outer(1)")
        self.opens(t, ":debug", "inner(a), <input 1>:1", "   1 | fn inner(a) = 1 // a")
        self.run_debug(t, ":where", "→ inner(a), <input 1>:1", "  middle(b), <input 2>:1", "  outer(d), <input 3>:1", "  <input 4>:1")
        self.run_debug(t, ":down", "error: this is the innermost call")
        self.run_debug(t, ":up", "middle(b), <input 2>:1", "   1 | fn middle(b) { c = b - 1; return inner(c) + c }")
        self.run_debug(t, "c", "0")
        self.run_debug(t, ":up", "outer(d), <input 3>:1", "   1 | fn outer(d) = middle(d) + 1")
        self.run_debug(t, ":up", "<input 4>:1", "   1 | outer(1)")
        self.run_debug(t, ":up", "error: this is the outermost call")
        self.run_debug(t, ":down", "outer(d), <input 3>:1", "   1 | fn outer(d) = middle(d) + 1")
        self.run_debug(t, "d", "1")

    def test_a_deep_recursion(self):
        t = self.start_with("fn down(n) = 1 // n if n == 0 else down(n - 1) + 1")
        self.fails(t, "down(100)")
        self.opens(t, ":debug", "down(n), <input 1>:1", "   1 | fn down(n) = 1 // n if n == 0 else down(n - 1) + 1")
        self.run_debug(t, ":where", "→ down(n), <input 1>:1", *["  down(n), <input 1>:1"] * 7, "  … 89 more calls",
                       *["  down(n), <input 1>:1"] * 4, "  <input 2>:1")
        for depth in range(7):
            self.run_debug(t, ":up", "down(n), <input 1>:1", "   1 | fn down(n) = 1 // n if n == 0 else down(n - 1) + 1")
        self.run_debug(t, "n", "7")
        self.run_debug(t, ":up", "down(n), <input 1>:1", "   1 | fn down(n) = 1 // n if n == 0 else down(n - 1) + 1")
        self.run_debug(t, "n", "97")

    def test_variables_that_were_moved(self):
        t = self.start_with("fn take(v) = v[9]", "fn give(n) { a = zeros(n); s = sum(a); return take(a) + s }")
        self.fails(t, "give(3)")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "v", "[0.0, 0.0, 0.0]")
        t.type(":up\r", "debug> |")
        self.run_debug(t, ":vars", "n: i64 = 3", "a: moved at its last use", "s: f64 = 0.0")
        self.run_debug(t, "a + 1", "error: `a` was moved at its last use", "  --> <debug>:1:1", "   1 | a + 1", "     | ^",
                       "  hint: a function with breakpoint() keeps its variables")

    def test_a_comprehension_and_what_its_names_hide(self):
        t = self.start_with("xs = list(1, 2, 0)", "fn inverses(n, x) = list(n // x for x in xs)")
        self.fails(t, 'inverses(6, "outer")')
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "x", "0")
        self.run_debug(t, "(n, len(xs))", "(6, 3)")

    def test_examples_that_run_all_at_once(self):
        t = self.start_with("fn f(n) = [[1, 2, 3][i] * i for i in range(n)]")
        self.fails(t, "f(4)")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "i", "[0, 1, 2, 3]")

    def test_a_library_module(self):
        t = self.start_with("import linalg", "import stats")
        self.fails(t, "stats.zscore(2)")
        t.type(":debug\r", "debug> |")
        t.type(":where\r", "  <input 3>:1", "debug> |")
        t.shows_part("→ ")

    def test_a_module_of_ones_own(self):
        pathlib.Path(self.folder, "own.covec").write_text("scale = 3\nfn get(i) {\n    part = [1, 2][i]\n    return part * scale\n}\n")
        t = self.start_with("import own")
        self.fails(t, "own.get(2)")
        self.opens(t, ":debug", "get(i), own.covec:3", "   3 |     part = [1, 2][i]")
        self.run_debug(t, "(i, scale)", "(2, 3)")
        self.run_debug(t, ":vars", "i: i64 = 2", "part: no value yet")

    def test_the_text_of_a_module_that_fails(self):
        pathlib.Path(self.folder, "bad.covec").write_text("first = 4\nsecond = first // 0\n")
        t = self.start()
        self.fails(t, "import bad")
        self.opens(t, ":debug", "bad.covec:2", "   2 | second = first // 0")
        self.run_debug(t, ":where", "→ bad.covec:2", "  <input 1>:1")
        self.run_debug(t, ":vars", "first: i64 = 4")

    def test_functions_and_captures(self):
        t = self.start_with("fn make(k) = v -> [1, 2][v + k]", "f = make(5)")
        self.fails(t, "f(1)")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, ":vars", "k: i64 = 5 (of an enclosing function)", "v: i64 = 1")
        self.run_debug(t, "v + k", "6")

    def test_a_name_that_hides_a_builtin(self):
        t = self.start_with("fn f(sum) = sum // 0")
        self.fails(t, "f(7)")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "sum", "7")
        self.run_debug(t, "max([sum, 9])", "9")

    def test_errors_at_the_inner_prompt(self):
        t = self.start_with("fn f(x) = x // 0")
        self.fails(t, "f(7)")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "x // 0", "error: integer division by zero", "  --> <debug>:1:1", "   1 | x // 0", "     | ^ x is i64", "     |      ^ 0 is i64")
        self.run_debug(t, "y", "error: unknown name `y`", "  --> <debug>:1:1", "   1 | y", "     | ^")
        self.run_debug(t, "x", "7")  # and the error that is looked at is still the first
        self.run_debug(t, ":continue", "error: the error has ended the run; :quit leaves this prompt")
        self.run_debug(t, "?x", "x: i64 = 7")
        self.run_debug(t, "?none", "none", "    No value: what a function without a return gives. Test it by == none.", "",
                       "    fn f(x, limit=none) = x if limit == none else minimum(x, limit)", "    print(f(3), f(3, limit=2))", "",
                       "The section \"Values\" of docs/language.md has more.")
        self.run_debug(t, ":step", "error: there is no command :step here (:help lists them)")

    def test_keys(self):
        t = self.start_with("fn f(x, weights) = x // 0")
        self.fails(t, "f(7, 2)")
        t.type(":debug\r", "debug> |")
        t.type("x + weig", "debug> x + weig|")
        t.type("\t", "debug> x + weights|")
        t.type(control("C"), "debug> x + weights^C", "debug> |")
        t.type(":wh\t", "debug> :where|")
        t.type(control("U"), "debug> |")
        t.type("{\r", "debug> {", "     .     |")
        t.type(control("C"), "     .     ^C", "debug> |")
        t.type(control("D"), "debug> ", "> |")

    def test_an_interrupt_while_an_input_runs(self):
        t = self.start_with("fn f(x) = x // 0")
        self.fails(t, "f(7)")
        t.type(":debug\r", "debug> |")
        t.type("while true { x = x + 1 }\r", "debug> while true { x = x + 1 }", "|")
        t.send(control("C"))
        t.shows_part("error: interrupted")
        t.shows("debug> |")
        self.run_debug(t, ":where", "→ f(x), <input 1>:1", "  <input 2>:1")

    def test_an_interrupted_loop_is_looked_at(self):
        t = self.start_with("fn f(n) { i = 1; print(i); while i < n { i = i + 1 }; return i }")
        t.type("f(1e18)\r", "> f(1e18)", "1", "|")
        t.send(control("C"))
        t.shows_part("error: interrupted")
        t.shows("> |")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "i > 0", "true")

    def test_without_an_error(self):
        t = self.start()
        t.run(":debug", "error: there is no error to look at: `:debug` comes after one")
        self.fails(t, "unknown + 1")
        t.run(":debug", "error: nothing is kept of that error: its text was not run, or another was")

    def test_something_else_has_run_since(self):
        t = self.start_with("fn f(x) = x // 0")
        self.fails(t, "f(7)")
        t.run(":vars", "f: f(x)")
        t.type(":debug\r", "debug> |")
        t.type(":quit\r", "debug> :quit", "> |")
        t.run(":type 1", "number: i64")
        t.run(":debug", "error: nothing is kept of that error: its text was not run, or another was")

    def test_an_error_that_was_caught_is_not_it(self):
        t = self.start_with("fn f(x) { try { return x // 0 } catch { return x } }")
        t.run("f(3)", "3")
        t.run(":debug", "error: there is no error to look at: `:debug` comes after one")

    def test_an_error_that_is_raised_again(self):
        t = self.start_with("fn f(x) { try { return x // 0 } catch err { y = 8; error(err) } }")
        self.fails(t, "f(3)")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "(x, y)", "(3, 8)")

    def test_it_goes_with_the_next_input(self):
        t = self.start_with("fn f(x) = x // 0")
        self.fails(t, "f(7)")
        t.run("1 + 1", "2")
        t.run(":debug", "error: there is no error to look at: `:debug` comes after one")

    def test_derivatives_show_values(self):
        t = self.start_with("fn f(x) { y = x * x; return [1.0, 2.0][2] + y * x }")
        self.fails(t, "grad(f)(3.0)")
        t.type(":debug\r", "debug> |")
        self.run_debug(t, "(x, y)", "(3.0, 9.0)")

    def test_compiled_code_has_no_variables(self):
        t = self.start_with("fn f(xs, i) { ys = xs * 2; return ys[i] }", "c = compile(f, strict=true)", "xs = zeros(4)")
        t.run("c(xs, 1)", "0.0")
        self.fails(t, "c(xs, 9)")
        t.type(":debug\r", "debug> |")
        t.type(":where\r", "  <input 5>:1", "debug> |")


class AtABreakpoint(Debugging):
    def test_assignments_stay(self):
        t = self.start()
        t.run("fn f(x) { y = x + 1; breakpoint(); return x * y }")
        self.opens(t, "f(3)", "f(x), <input 1>:1", "   1 | fn f(x) { y = x + 1; breakpoint(); return x * y }")
        self.run_debug(t, ":vars", "x: i64 = 3", "y: i64 = 4")
        self.run_debug(t, "y = 100")
        self.run_debug(t, "x * y", "300")
        t.type(":continue\r", "debug> :continue", "300", "> |")

    def test_variables_are_listed_as_inputs_have_left_them(self):
        t = self.start()
        t.run("table = [7, 8]")
        t.run("fn g(k) { h = fn() { a = 1; breakpoint(); b = k; return a + b }; return h() }")
        t.type("g(4)\r", "debug> |")
        self.run_debug(t, ":vars", "k: i64 = 4 (of an enclosing function)", "a: i64 = 1", "b: no value yet")
        self.run_debug(t, "a = [1, 2]")
        self.run_debug(t, "a[0] = 9")
        self.run_debug(t, "b = 2.5")
        self.run_debug(t, "k = 5")
        self.run_debug(t, "table[0] = 70")
        self.run_debug(t, ":vars", "k: i64 = 5", "a: i64[2]", "b: f64 = 2.5")
        self.run_debug(t, "a?", "a: i64[2]")
        self.run_debug(t, "?b", "b: f64 = 2.5")
        t.type(":c\r", "debug> :c", "note: table is no variable of that call: it keeps its value",
               "note: k is no variable of that call: it keeps its value", "[13, 6]", "> |")

    def test_names_of_the_text_are_listed_as_inputs_have_left_them(self):
        t = self.start()
        t.run("n = 1")
        t.type("for i in range(1) { breakpoint() }\r", "debug> |")
        self.run_debug(t, "n = 20")
        self.run_debug(t, "n?", "n: i64 = 20")
        self.run_debug(t, ":vars", "n: i64 = 20", "i: i64 = 0")
        t.type(":c\r", "debug> :c", "> |")
        t.run("n", "20")

    def test_updates_of_parts_stay_and_of_others_do_not(self):
        t = self.start()
        t.run("table = [7, 8]")
        t.run("fn f(xs) { breakpoint(); return xs + table }")
        t.type("f([1, 2])\r", "debug> |")
        self.run_debug(t, "xs[0] = 50")
        self.run_debug(t, "table[0] = 70")
        t.type(":c\r", "debug> :c", "note: table is no variable of that call: it keeps its value", "[57, 10]", "> |")

    def test_variables_of_calls_around_it(self):
        t = self.start()
        t.run("fn inner(a) { breakpoint(); return a }")
        t.run("fn outer(b) { breakpoint(); c = 5; d = inner(b); return c + d }")
        t.type("outer(1)\r", "debug> |")
        t.type(":c\r", "   1 | fn inner(a) { breakpoint(); return a }", "debug> |")
        t.type(":up\r", "debug> |")
        self.run_debug(t, "c = 40")
        t.type(":c\r", "debug> :c", "41", "> |")

    def test_variables_are_kept_after_their_last_use(self):
        t = self.start()
        t.run("fn f(n) { a = ones(n); b = sum(a); breakpoint(); return b }")
        t.type("f(3)\r", "debug> |")
        self.run_debug(t, "a", "[1.0, 1.0, 1.0]")
        t.type(":c\r", "3.0", "> |")

    def test_quit_ends_the_run(self):
        t = self.start()
        t.run("fn f(x) { try { breakpoint() } catch { return 0 }; return x }")
        t.type("f(3)\r", "debug> |")
        t.type(control("D"), "debug> ", "error: ended at a breakpoint", "  --> <input 1>:1:17",
               "   1 | fn f(x) { try { breakpoint() } catch { return 0 }; return x }", "     |                 ^^^^^^^^^^^^", "> |")
        t.run("1 + 1", "2")

    def test_a_loop_stops_each_time(self):
        t = self.start()
        t.run("k = 0")
        t.type("for i in range(2) { k = k + 10; breakpoint() }\r", "debug> |")
        self.run_debug(t, "(i, k)", "(0, 10)")
        self.run_debug(t, "k = 500")
        t.type(":c\r", "debug> |")
        self.run_debug(t, "(i, k)", "(1, 510)")
        t.type(":c\r", "debug> :c", "> |")
        t.run("k", "510")

    def test_under_derivatives_it_shows_values(self):
        t = self.start()
        t.run("fn f(x) { y = x * x; breakpoint(); return y * x }")
        t.type("grad(f)(2.0)\r", "debug> |")
        self.run_debug(t, "(x, y)", "(2.0, 4.0)")
        self.run_debug(t, "grad(z -> z^3)(x)", "12.0")
        t.type(":c\r", "debug> :c", "12.0", "> |")

    def test_under_vmap_it_is_an_error(self):
        t = self.start()
        t.run("fn f(x) { breakpoint(); return x }")
        t.send("vmap(f)([1.0, 2.0])\r")
        t.shows_part("error: breakpoint stops in one call, and all examples of a vmap")

    def test_a_function_that_is_to_be_compiled(self):
        t = self.start()
        t.run("fn f(x) { y = x + 1.0; breakpoint(); return y }")
        t.run("c = compile(f)")
        t.type("c(1.0)\r", "debug> |")
        self.run_debug(t, "y", "2.0")
        t.type(":c\r", "debug> :c", "2.0", "> |")
        t.send("explain(c)\r")
        t.shows_part("interpreted: a breakpoint() (<input 1>:1); remove it to compile the function")

    def test_a_function_of_the_prompt_keeps_what_it_uses(self):
        t = self.start()
        t.run("fn f(x) { g = v -> v; breakpoint(); return g(2) }")
        t.type("f(5)\r", "debug> |")
        self.run_debug(t, "g = v -> v * x")
        t.type(":c\r", "debug> :c", "10", "> |")

    def test_a_call_that_debug_looks_at(self):
        t = self.start()
        t.run("fn f(x) { y = x + 1.0; breakpoint(); return log(y) }")
        t.type("debug(f)(0.0)\r", "debug> |")
        self.run_debug(t, "y = 0.0")
        t.type(":c\r", "debug> :c", "warning: f gives an infinity; debug cannot call it again, for variables were cha", "nged at a breakpoint",
               "  --> <input 2>:1:1", "   1 | debug(f)(0.0)", "     | ^^^^^^^^^^^^^", "-inf", "> |")
        t.type("debug(f)(-1.0)\r", "debug> |")
        self.run_debug(t, "y", "0.0")
        t.type(":c\r", "debug> :c", "error: `log` makes -inf of numbers: x is 0.0", "  --> <input 1>:1:45",
               "   1 | fn f(x) { y = x + 1.0; breakpoint(); return log(y) }", "     |                                             ^^^^^^",
               "  in f(x), called from <input 3>:1:1", "> |")

    def test_a_breakpoint_inside_an_input_of_the_prompt(self):
        t = self.start()
        t.run("fn f(x) { breakpoint(); return x }")
        t.type("f(1)\r", "debug> |")
        t.type("f(2)\r", "f(x), <input 1>:1", "   1 | fn f(x) { breakpoint(); return x }", "debug> |")
        self.run_debug(t, "x", "2")
        t.type(":c\r", "debug> :c", "2", "debug> |")
        self.run_debug(t, "x", "1")
        t.type(":c\r", "debug> :c", "1", "> |")

    def test_a_program_at_a_terminal(self):
        program = pathlib.Path(self.folder, "program.covec")
        program.write_text("fn f(x) {\n    breakpoint()\n    return x\n}\nprint(f(1))\n")
        t = self.run_on_terminal(terminal.covec, [str(program)])
        t.shows(f"f(x), {program}:2", "   2 |     breakpoint()", "debug> |")
        self.run_debug(t, "x = 9")
        t.type(":continue\r", "debug> :continue", "9", "|")
        self.assertEqual(t.ends(), 0)

    def test_exit_at_the_prompt_ends_the_program(self):
        t = self.start()
        t.run("fn f(x) { breakpoint(); return x }")
        t.type("f(3)\r", "debug> |")
        t.send("exit(3)\r")
        self.assertEqual(t.ends(), 3)

    def test_exit_and_quit_leave_the_prompt(self):
        t = self.start()
        t.run("fn f(x) { breakpoint(); return x }")
        for word in ("exit", "quit"):
            t.type("f(3)\r", "debug> |")
            t.enter(word, "error: ended at a breakpoint", "  --> <input 1>:1:11", "   1 | fn f(x) { breakpoint(); return x }", "     |           ^^^^^^^^^^^^")
        t.run("fn g(quit) { breakpoint(); return quit }")
        t.type("g(3)\r", "debug> |")
        self.run_debug(t, "quit", "3")
        t.type(":c\r", "debug> :c", "3", "> |")

    def test_help(self):
        t = self.start()
        t.run("fn f(x) { breakpoint(); return x }")
        t.type("f(3)\r", "debug> |")
        self.run_debug(t, ":help", "  :where     lists the calls that are open, the innermost first", "  :up        goes to the call around this one",
                       "  :down      goes back to the call inside it", "  :vars      lists the variables of this call",
                       "  :continue  lets the program go on, at a breakpoint; also :c",
                       "  :quit      leaves this prompt; at a breakpoint it ends the program; also :q")


if __name__ == "__main__":
    terminal.main()
