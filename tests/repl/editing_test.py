#!/usr/bin/env python3
"""The REPL as a person meets it, through a pseudo-terminal: keys, blocks, pasting, searching, colours, windows, signals.

    python3 editing_test.py COVEC

Start reading at the cases; terminal.py says what they are written in.
"""

import os
import pathlib
import random
import signal
import subprocess
import unittest

import terminal
from terminal import Repl, control

LEFT, RIGHT, UP, DOWN = "\033[D", "\033[C", "\033[A", "\033[B"
PAGE_UP, PAGE_DOWN = "\033[5~", "\033[6~"
BLOCK = "fn f(x) {\n    y = x^2\n\n    return y + 1\n}"


def pasted(text):
    return "\033[200~" + text.replace("\n", "\r") + "\033[201~"


class Keys(Repl):
    def test_moving_and_changing(self):
        t = self.start()
        t.type("one two", "> one two|")
        t.type(LEFT + LEFT, "> one t|wo")
        t.type(control("A") + "x", "> x|one two")
        t.type(control("E"), "> xone two|")
        t.type("\033b", "> xone |two")
        t.type("\033[1;5D", "> |xone two")
        t.type("\033[3~", "> |one two")
        t.type("\033f", "> one| two")
        t.type(control("T"), "> on e|two")
        t.type(control("K"), "> on e|")
        t.type(control("W"), "> on |")
        t.type(control("Y"), "> on e|")
        t.type(control("_"), "> on |")
        t.type(control("_"), "> on e|")
        t.type(control("U"), "> |")
        t.type("1 + 1\r", "> 1 + 1", "2", "> |")

    def test_letters_of_any_script(self):
        t = self.start()
        t.type("s = \"日本e\u0301\"", "> s = \"日本e\u0301\"|")
        t.type(LEFT + "\x7f", '> s = "日本|"')
        t.type(LEFT + "x", '> s = "日x|本"')
        t.type("\033[3~\r", '> s = "日x"', "> |")
        t.run("größe = 2", )
        t.run("größe", "2")

    def test_a_tab_completes(self):
        t = self.start()
        t.run("apple_one = {weight: 1}")
        t.run("apple_two = 2")
        t.type("ap\t", "> apple_|")
        t.type("\t", "> apple_", "apple_one  apple_two", "> apple_|")
        t.type("one.\t", "> apple_one.weight|")
        t.type(control("U") + "sum([1.0], ax\t", "> sum([1.0], axis=|")
        t.type(control("U") + "import op\t", "> import optim|")
        t.type("\r", "> |")
        t.type("optim.adam\t", "adam        adam_init   adamw       adamw_init", "> optim.adam|")
        t.type(control("U") + "optim._ste\t", "> optim._steps|")
        t.type(control("U") + "zzz\t", "> zzz|")
        t.until(lambda: t.screen.bells > 0, "a bell")

    def test_arguments_first_then_names(self):
        t = self.start()
        t.run("fn f(apple, pear=1, *rest) = apple")
        t.type("f(1, pe\t", "pear=", "permutation  permute", "> f(1, pe|")
        t.type("a\t", "> f(1, pear=|")
        t.type("pe\t", "> f(1, pear=permut|")  # a value
        for call in ("f(pear=2, pe", "f(1, 2, pe", "f(1 + pe", "f([pe", "f(1).g(pe", "(pe", "fn f(pe", "# f(pe"):
            t.type(control("U") + call + "\t", f"> {call}rmut|")
        for call in ('f(")", pea', "f((1, 2), pea", "f(sum([1, 2], axis=0), pea", "f(f(1, pear=2), pea"):
            t.type(control("U") + call + "\t", f"> {call}r=|")
        t.type(control("U") + pasted("f(#'(\n1, pea") + "\t", "> f(#'(", ". 1, pear=|")
        t.type(control("C"), ". 1, pear=^C", "> |")
        t.run("fn h(apple, *rest, pear=1, **others) = apple")
        t.type("h(1, pea\t", "> h(1, pear=|")
        t.type(control("U") + "h(1, oth\t", "> h(1, oth|")
        t.type(control("U"), "> |")
        t.run("fn k(x, **others) { check_names(others, ('colour', 'width')); return x }")
        t.type("k(1, col\t", "> k(1, colour=|")
        t.type(control("U") + "k(1, colour=2, wid\t", "> k(1, colour=2, width=|")
        t.type(control("U"), "> |")
        t.run("import optim")
        t.type("optim.sgd({w: 1.0}, lr\t", "> optim.sgd({w: 1.0}, lr=|")
        t.type(control("U") + "[1.0].sum(keepd\t", "> [1.0].sum(keepdims=|")
        t.type(control("U") + "?signa\t", "> ?signal|")
        t.type(control("U") + "[1.0].sum(x\t", "> [1.0].sum(xor|")  # the tensor is x

    def test_methods_are_those_that_take_the_value(self):
        t = self.start()
        t.run("x = [1.0]")
        t.run("text = 'a'")
        t.run("p = {deep: {weight: x}}")
        for typed, rest in {"x.argso": "rt", "x.sha": "pe", "p.deep.weight.argso": "rt", "text.upp": "er", "'a'.upp": "er",
                            "p.": "deep", "p.deep.": "weight", "list(1)[0].argso": "rt"}.items():
            t.type(control("U") + typed + "\t", f"> {typed}{rest}|")
        for count, nothing in enumerate(("text.argso", "text.sha", "x.upp", "1.arg", "p.deep.x")):
            t.type(control("U") + nothing + "\t", f"> {nothing}|")
            t.until(lambda: t.screen.bells == count + 1, "a bell")

    def test_methods_of_complex_tensors_maps_lists_and_tuples(self):
        t = self.start()
        t.run("z = [1im, 2.0]")
        t.run("m = {'a': 1}")
        t.run("items = list(1)")
        t.run("pair = (1, 2)")
        for typed, rest in {"z.rea": "l", "z.ima": "g", "z.sha": "pe", "m.key": "s", "m.rem": "ove", "m.ge": "t",
                            "items.pus": "h", "items.po": "p"}.items():
            t.type(control("U") + typed + "\t", f"> {typed}{rest}|")
        for count, nothing in enumerate(("pair.pus", "pair.po", "z.erf", "z.maxim", "m.sha", "z.uppe")):
            t.type(control("U") + nothing + "\t", f"> {nothing}|")
            t.until(lambda: t.screen.bells == count + 1, "a bell")

    def test_paths_and_values_in_strings(self):
        pathlib.Path(self.folder, "größe.csv").write_text("1\n")
        t = self.start()
        t.run("apple = 3")
        t.type('read_csv("gr\t', '> read_csv("größe.csv|')
        t.type(control("U") + 'f"{1} {app\t', '> f"{1} {apple|')
        t.type(control("U") + 'f"{"}"} {len("a")} {{ {[app\t', '> f"{"}"} {len("a")} {{ {[apple|')
        t.type(control("U") + 'f"{1} gr\t', '> f"{1} gr|')
        t.type(control("U") + "1 # it's app\t", "> 1 # it's apple|")

    def test_the_arrows_go_through_what_was_typed(self):
        t = self.start()
        t.run("1 + 1", "2")
        t.run("2 + 2", "4")
        t.type(UP, "> 2 + 2|")
        t.type(UP, "> 1 + 1|")
        t.type(UP, "> 1 + 1|")
        t.type("0" + PAGE_DOWN, "> 2 + 2|")
        t.type(UP, "> 1 + 10|")  # as it was left
        t.type(DOWN + DOWN, "> |")
        t.type(DOWN, "> |")
        t.type("draft" + PAGE_UP, "> 2 + 2|")
        t.type(DOWN, "> draft|")

    def test_the_arrows_go_through_what_begins_as_the_text(self):
        pathlib.Path(self.history).write_text(
            "_HiStOrY_V2_\nläuft(1)\nsum(1)\nlast\nläuft(2)\nsum(2)\nläuft(2)\nf(läuft)\n")
        t = self.start()
        t.type("lä", "> lä|")
        t.type(UP, "> läuft(2)|")
        t.type(UP, "> läuft(1)|")  # the other läuft(2) would seem to be no step
        t.type(UP, "> läuft(1)|")
        t.until(lambda: t.screen.bells == 1, "a bell")
        t.type(DOWN, "> läuft(2)|")
        t.type(DOWN, "> lä|")
        t.type(UP + LEFT, "> läuft(2|)")
        t.type(UP, "> läuft(1)|")  # the walk goes on while the text is the entry
        t.type(control("U") + "sum" + UP, "> sum(2)|")
        t.type("\x7f3)" + UP, "> sum(23)|")  # another text: nothing begins so
        t.type(control("A") + UP, "> f(läuft)|")  # nothing before the cursor: all
        t.type(DOWN, "> sum(23)|")
        t.type(control("U") + "xläuft" + control("A") + RIGHT + UP, "> x|läuft")
        t.type("\x7fs" + UP, "> sum(2)|")

    def test_the_arrows_pass_texts_of_several_lines(self):
        pathlib.Path(self.history).write_text("_HiStOrY_V2_\nf(0)\nf(1,\\012\\0402)\ng(3)\n")
        t = self.start()
        t.type("f(" + UP, "> f(1,", ".  2)|")
        t.type(UP, "> f(1|,", ".  2)")
        t.type(UP, "> f(0)|")
        t.type(DOWN, "> f(1,", ".  2)|")
        t.type(DOWN, "> f(|")

    def test_a_fresh_window(self):
        t = self.start()
        t.run("1", "1")
        t.type("abc" + LEFT, "> ab|c")
        t.send(control("L"))
        t.until(lambda: t.screen.lines(cursor=True) == ["> ab|c"], "one line")


class Blocks(Repl):
    def write_function(self, t):
        t.type("fn f(x) {", "> fn f(x) {|")
        t.type("\r", "> fn f(x) {", ".     |")
        t.type("y = [1,", ".     y = [1,|")
        t.type("\r", ".     y = [1,", ".         |")
        t.type("2", ".         2|")
        t.type("\r", ".         2", ".         |")
        t.type("]", ".         2", ".     ]|")
        t.type("\r", ".     ]", ".     |")
        t.type("return sum(y) * x", ".     return sum(y) * x|")
        t.type("\r", ".     return sum(y) * x", ".     |")
        t.type("}", ".     return sum(y) * x", ". }|")
        t.type("\r", ". }", "> |")

    def test_a_block_is_indented_run_and_recalled_whole(self):
        t = self.start()
        self.write_function(t)
        t.run("f(2)", "6")
        t.type(UP + UP, "> fn f(x) {", ".     y = [1,", ".         2", ".     ]", ".     return sum(y) * x", ". }|")
        t.type(UP + control("E"), ".     return sum(y) * x|", ". }")
        t.type(" + 1", ".     return sum(y) * x + 1|", ". }")
        t.type("\r", ".     return sum(y) * x + 1", ".     |", ". }")
        t.type(DOWN + "\r", ".", ". }", "> |")
        t.run("f(2)", "7")
        t.send(control("D"))
        self.assertEqual(t.ends(), 0)
        self.assertEqual(len(self.entries()), 4)
        self.assertTrue(self.entries()[0].startswith("fn\\040f(x)\\040{\\012\\040\\040\\040\\040y"))

    def test_another_session_recalls_it_and_what_libedit_kept(self):
        pathlib.Path(self.history).write_text("_HiStOrY_V2_\nx\\040=\\0401\nf(\\012\\0402)\n\"a\\\\nb\\M-C\\M-)\"\n")
        t = self.start()
        t.type(UP, '> "a\\nbé"|')
        t.type(UP, "> f(", ".  2)|")
        t.type(UP + UP, "> x = 1|")

    def test_blanks_of_the_indentation_go_together(self):
        t = self.start()
        t.type("f(\r", "> f(", ".     |")
        t.type("\t", ".         |")
        t.type("\x7f\x7f", ". |")
        t.type("\x7f", "> f(|")

    def test_two_empty_lines_give_up(self):
        t = self.start()
        t.type("f(1,\r", "> f(1,", ".     |")
        t.type("\r", "> f(1,", ".", ".     |")
        t.type("\r", "given up; press the up arrow to get it back", "> |")
        t.type(UP, "> f(1,|")

    def test_an_empty_line_does_nothing(self):
        t = self.start()
        t.type("\r", ">", "> |")
        t.type("   \r", ">", "> |")


class Pasting(Repl):
    def test_a_block_is_text_until_enter(self):
        t = self.start()
        t.type(pasted(BLOCK + "\n"), "> fn f(x) {", ".     y = x^2", ".", ".     return y + 1", ". }|")
        t.type("\r", ". }", "> |")
        t.run("f(3)", "10")
        t.send(control("D"))
        t.ends()
        self.assertEqual(len(self.entries()), 2)

    def test_statements_run_together(self):
        t = self.start()
        t.type(pasted("a = 1\n\n\nb = 2\nprint(a)\na + b"), ". print(a)", ". a + b|")
        t.type("\r", ". a + b", "1", "3", "> |")
        t.type(pasted("print(1)\tx"), "> print(1)    x|")

    def test_prompts_are_dropped(self):
        t = self.start()
        t.type(pasted(">>> a = 1\n... \n...   + 2\n>>> b\nno\n>>>\n"), "> a = 1", ".", ".   + 2", ". b", ". no|")
        t.type(control("C"), ". no^C", "> |")
        t.type("\033[200~    >>> x = 6\r\n    >>> x * 7\r\n\033[201~", "> x = 6", ". x * 7|")
        t.type("\r", ". x * 7", "42", "> |")
        t.type(pasted("> fn f(x) {\n.     return x\n. }\n> f(3)"), "> fn f(x) {", ".     return x", ". }", ". f(3)|")
        t.type("\r", ". f(3)", "3", "> |")
        t.type("g = [" + pasted(">>> 1]"), "> g = [>>> 1]|")
        t.type(control("U") + pasted("a = '\n>>> b'"), "> a = '", ". >>> b'|")  # the first line has none
        t.type(control("C"), ". >>> b'^C", "> |")
        t.type("(1\r", "> (1", ".     |")
        t.type(pasted("> 2)"), ".     > 2)|")
        t.type("\r", ".     > 2)", "false", "> |")

    def test_prompts_that_come_as_if_typed(self):
        t = self.start()
        t.run(">>> 1 + 2", "3")
        t.send(">>> fn f(x) {\r...     return x + 1\r... }\r>>> f(3)\r")
        t.shows("> >>> f(3)", "4", "> |")

    def test_one_that_does_not_end(self):
        t = self.start()
        t.send("\033[200~print(1)")
        t.type(control("C"), "> ^C", "> |")
        t.run("1 + 1", "2")

    def test_terminals_without_brackets(self):
        t = self.start()
        t.send(BLOCK.replace("\n", "\r") + "\rf(3)\r")
        t.shows("> f(3)", "10", "> |")
        self.assertIn(".     return y + 1", t.screen.lines())


class Searching(Repl):
    def test_back_and_forth(self):
        pathlib.Path(self.history).write_text("_HiStOrY_V2_\nalpha=1\nbeta=2\nalpha+1\ngamma=3\n")
        t = self.start()
        t.type(control("R"), "> |", "search:")
        t.type("al", "> |alpha+1", "search: al")
        t.type(control("R"), "> |alpha=1", "search: al")
        t.type(control("R"), "> |alpha=1", "not found: al")
        t.type(control("S"), "> |alpha+1", "search: al")
        t.type("\x7f\x7fta=", "> be|ta=2", "search: ta=")
        t.type(control("G"), "> |")
        t.type("mine" + control("R") + "gam" + control("C"), "> mine|")
        t.type(control("R") + "beta" + control("E") + "0\r", "> beta=20", "> |")
        t.type(control("R") + "beta\r", "> beta=20", "> |")

    def test_nothing_to_find(self):
        t = self.start()
        t.type(control("R") + "x", "> |", "not found: x")
        t.type(control("R") + control("S") + "\x7f", "> |", "search:")
        t.type("\033", "> |")


class Colours(Repl):
    def test_words_numbers_strings_comments(self):
        t = self.start()
        text = 'fn = 12.5e-3 + f"a b" # no'
        t.type(text, f"> {text}|")
        styles = [t.screen.style_at(text, text.index(part)) for part in ("fn", "12", "f\"", "#", "=")]
        self.assertEqual(styles, ["<35>", "<36>", "<32>", "<90>", ""])

    def test_brackets(self):
        t = self.start()
        t.type("f(a[1], '(')", "> f(a[1], '(')|")
        styles = "".join("x" if "7" in t.screen.style_at("f(a[", i) else "." for i in range(12))
        self.assertEqual(styles, ".x.........x")
        t.type(LEFT * 6, "> f(a[1]|, '(')")
        t.type(control("A") + "]", "> ]|f(a[1], '(')")
        self.assertEqual(t.screen.style_at("]f(a"), "<1;31>")

    def test_errors(self):
        t = self.start()
        t.type("1 + unheard\r", "> 1 + unheard", "error: unknown name `unheard`", "  --> <input 1>:1:5",
               "   1 | 1 + unheard", "     |     ^^^^^^^", "> |")
        self.assertEqual(t.screen.style_at("error:"), "<1;31>")
        self.assertEqual(t.screen.style_at("^^^"), "<1;31>")
        self.assertEqual(t.screen.style_at(": unknown", 1), "")

    def test_no_color(self):
        t = self.start(NO_COLOR="1")
        t.type("(1 + unheard)\r", "     |      ^^^^^^^", "> |")
        self.assertNotRegex(t.raw, rb"\x1b\[[0-9;]*m")
        t = self.start(NO_COLOR="")
        t.type("fn", "> fn|")
        self.assertEqual(t.screen.style_at("fn"), "<35>")

    def test_dumb_terminals_and_pipes(self):
        dumb = self.start(TERM="dumb")
        piped = self.run_on_terminal("/bin/sh", ["-c", f"{terminal.covec} 2>&1 | (trap \"\" INT; exec cat)"])
        piped.shows("> |")
        for t in (dumb, piped):
            t.type("fn f(x) {\n", "> fn f(x) {", ". |")
            t.type("return x + unheard\n}\n", "     |            ^^^^^^^", "> |")
            t.type("1 + 1\n", "2", "> |")
            t.type("f(\n", "> f(", ". |")
            t.type("\n", "> f(", ".", ". |")
            t.type("\n", "given up; press the up arrow to get it back", "> |")
            t.type("abc", "> abc|")
            t.type(control("C"), "> |")
            t.send(control("D"))
            t.ends()
            self.assertNotIn(b"\x1b", t.raw)

    def test_scripts(self):
        t = self.run_on_terminal(terminal.covec, ["-e", "nothing"])
        t.ends()
        self.assertEqual(t.screen.style_at("error:"), "<1;31>")
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            t = self.run_on_terminal(terminal.covec, ["-e", "nothing"], **environment)
            t.ends()
            self.assertNotIn(b"\x1b", t.raw)
        piped = subprocess.run([terminal.covec, "-e", "nothing"], capture_output=True, env={"TERM": "xterm"})
        self.assertNotIn(b"\x1b", piped.stderr)


class Windows(Repl):
    def test_a_line_that_is_longer_than_the_window(self):
        t = self.start(columns=20)
        t.type("a" * 18, "> " + "a" * 18, "|")
        t.type("bcd", "> " + "a" * 18, "bcd|")
        t.type(control("A") + LEFT, "> |" + "a" * 18, "bcd")
        t.type(control("E") + "\x7f\x7f\x7f", "> " + "a" * 18, "|")
        t.type("\x7f", "> " + "a" * 17 + "|")
        t.type("日", "> " + "a" * 17, "日|")

    def test_a_text_that_is_taller_than_the_window(self):
        t = self.start(rows=5, columns=20)
        t.type(pasted("[" + "\n".join(f"{i}," for i in range(10)) + "]"), ". 5,", ". 6,", ". 7,", ". 8,", ". 9,]|")
        t.type(UP * 6, ". 3,|", ". 4,", ". 5,", ". 6,", ". 7,")
        t.type("\033<", "> |[0,", ". 1,", ". 2,", ". 3,", ". 4,")
        t.type("\033>\r", "[0, 1, 2, 3, 4, 5, 6", ", 7, 8, 9]", "> |")

    def test_another_size(self):
        t = self.start(columns=40)
        t.type("x = 1 + 2 + 3 + 4 + 5 + 6", "> x = 1 + 2 + 3 + 4 + 5 + 6|")
        t.resize(24, 16)
        t.shows("> x = 1 + 2 + 3", "+ 4 + 5 + 6|")
        t.resize(24, 40)
        t.shows("> x = 1 + 2 + 3 + 4 + 5 + 6|")
        t.type("\rx\r", "21", "> |")
        self.assertEqual(sum("+ 6" in line for line in t.screen.lines()), 1)


class AnyKeys(Repl):
    PIECES = [b"a", b"b1", b"(", b")", b"{", b"}", b"[", b"]", b'"', b"'", b"#", b" ", b"\t", b"\r", b"\r", b"\xff", b"\xe6\x97", b"\xc2\x9b",
              "日".encode(), "e\u0301".encode(), "\u0301".encode(), b"\x7f", b"\x7f", b"\033", b"\033[", b"\033[3~", b"\033[1;5C", b"\033[99~",
              b"\033OA", b"\033\r", b"\033b", b"\033d", b"\033<", b"\033[200~f(\r\r\n\tx\x01\033[201~", b"\033[A", b"\033[A", b"\033[B", b"\033[C",
              b"\033[D", *(bytes([code]) for code in range(1, 32) if code not in (4, 19, 26, 28))]  # those that end and stop

    def computes(self, t):
        """Whether it does, after the keys that are still on their way; a text that runs takes away what comes with Ctrl-C."""
        for keys in (control("C"), "print(6 * 7)\r"):
            t.child.send(keys)
            while t.drain(0.2):
                pass
        return b"42\r\n" in t.raw

    def test_none_does_harm(self):
        chance = random.Random(1)
        for columns in (80, 7, 1):
            t = self.run_on_terminal(terminal.covec, rows=2 if columns == 1 else 24, columns=columns, COVEC_HISTORY="")
            t.until(lambda: b"\033[?2004h" in t.raw, "a prompt")
            for _ in range(1500):
                t.child.send(chance.choice(self.PIECES))
                if chance.random() < 0.02:
                    t.child.setwinsize(chance.randrange(1, 30), chance.randrange(1, 90))
                if chance.random() < 0.1:
                    t.drain()
            t.child.setwinsize(24, 80)
            self.assertTrue(any(self.computes(t) for _ in range(50)))
            t.child.send("exit\r")
            t.drain_to_the_end()
            self.assertEqual(t.child.exitstatus, 0)


class Signals(Repl):
    def test_control_c_drops_the_text(self):
        t = self.start()
        t.type("fn f(x) {\r", "> fn f(x) {", ".     |")
        t.type(control("C"), ".     ^C", "> |")
        t.run("1 + 1", "2")

    def test_control_c_stops_a_loop_and_keeps_the_session(self):
        t = self.start()
        t.run("x = 5")
        t.type("while true { }\r", "> while true { }", "|")
        t.send(control("C"))
        t.shows("^C", "error: interrupted", "  --> <input 2>:1:7", "   1 | while true { }", "     |       ^^^^", "> |")
        t.run("x", "5")

    def test_control_c_right_behind_the_end_of_the_line_stops_what_it_begins(self):
        t = self.start()
        for _ in range(20):
            seen = len(t.raw)
            t.send("while true { }\r")
            t.until(lambda: b"\r\n" in t.raw[seen:], "the end of the line")
            t.send(control("C"))
            t.until(lambda: b"interrupted" in t.raw[seen:], "an error")
            t.until(lambda: b"\033[?2004h" in t.raw[seen:], "the next prompt")

    def test_an_interrupt_from_elsewhere_is_a_control_c(self):
        t = self.start()
        t.type("1 + 41", "> 1 + 41|")
        os.kill(t.child.pid, signal.SIGINT)
        t.shows("> 1 + 41^C", "> |")
        t.run("1 + 2", "3")

    def test_the_terminal_is_as_it_was_however_it_ends(self):
        for name, end in {"end": control("D"), "exit": "exit\r", ":quit": ":quit\r"}.items():
            with self.subTest(name):
                t = self.start()
                t.send(end)
                self.assertEqual(t.ends(), 0)
                self.assertEqual(t.raw.count(b"\x1b[?2004h"), t.raw.count(b"\x1b[?2004l"))
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT):
            with self.subTest(number):
                t = self.run_on_terminal("/bin/sh", ["-c", f"ulimit -c 0; stty -a; {terminal.covec}; stty -a; echo over"])
                t.shows("> |")
                process = subprocess.run(["ps", "-o", "pid=", "--ppid", str(t.child.pid)], capture_output=True, text=True)
                os.kill(int(process.stdout.split()[0]), number)
                t.shows_part("over")
                settings = [part for part in t.raw.decode().replace("\r", "").split("\n") if "echo" in part or "icanon" in part]
                half = len(settings) // 2
                self.assertEqual(settings[:half], settings[half:])
                self.assertEqual(t.raw.count(b"\x1b[?2004h"), t.raw.count(b"\x1b[?2004l"))


if __name__ == "__main__":
    terminal.main()
