#!/usr/bin/env python3
"""What the REPL's help finds: pages of modules and keywords, the search; through a pseudo-terminal.

    python3 manual_test.py COVEC
"""

import pathlib
import re
import subprocess
import unittest

import terminal
from terminal import Repl

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "interpreter"
MODULES = ("audio", "fft", "image", "integrate", "linalg", "nn", "ode", "optim", "parallel", "plot", "signal", "sparse", "stats", "table")
LITERAL = r'"((?:[^"\\]|\\.)*)"'


def rows_in(header):
    """Rows of strings in a table of C++."""
    text = re.sub(r'"\s*\n\s*"', "", (SOURCES / header).read_text())
    rows = [re.findall(LITERAL, row) for row in re.findall(r"\{((?:\s*" + LITERAL + r",?)+)\s*\}", text) for row in row[:1]]
    return [[item.encode().decode("unicode_escape").encode("latin-1").decode() for item in row] for row in rows]


class Manual(Repl):
    def ask(self, t, question):
        """The lines that it shows."""
        before = len(t.screen.cells)
        t.enter(question)
        lines = [t.screen.line(row) for row in range(before - 1, len(t.screen.cells))]
        self.assertEqual(lines[0], f"> {question}")
        return lines[1:-1]


class Modules(Manual):
    def test_each_is_a_page(self):
        for columns in (80, 50):
            t = self.start(columns=columns)
            for module in MODULES:
                lines = self.ask(t, f"?{module}")
                self.assertLessEqual(len(lines), 23, module)
                self.assertTrue(lines[0].startswith(f"{module}: module. "))
                self.assertEqual(lines[-1], f"Not imported yet: `import {module}`.")

    def test_a_line_for_each_function(self):
        t = self.start()
        lines = self.ask(t, "?plot")
        self.assertEqual(lines[2], "line(x, …)             A line through the points (x, y); with one argument thro…")
        self.assertEqual(lines[11], "quiver(x, y, u, v, …)  An arrow (u, v) at each point (x, y), all vectors; up or…")
        # The help of a module has at most 23 lines: the last functions have none of their own.
        self.assertEqual(lines[17:20], ["save(figure, path, …)  Writes a figure to a file whose name ends in .svg or .pn…", "and svg, text, show",
                                        "Options of many: label, color, width, alpha, title, xlabel, ylabel, xlim, ylim,"])
        self.assertEqual(lines[21], "`?plot.line` shows one with all that it takes, `??plot` all of them.")
        everything = self.ask(t, "??plot")
        self.assertIn("plot.save(figure, path, scale=2.0)", everything)
        t.run("import plot")
        self.assertEqual(self.ask(t, "?plot"), lines[:-1])
        self.assertEqual(self.ask(t, "plot??"), everything[:-1])

    def test_names_of_those_that_have_no_line(self):
        t = self.start()
        text = " ".join(line.strip() for line in self.ask(t, "?nn"))
        for name in ("and leaky_relu, elu,", "conv1d_init,", "batches, fit Options"):
            self.assertIn(name, text)
        t = self.start(rows=8)
        self.assertLessEqual(len(self.ask(t, "?integrate")), 8)

    def test_own_modules(self):
        pathlib.Path(self.folder, "own.covec").write_text("# Of trees. More.\nfn _p() = 1\n# Grows.\nfn grow(t, by=1) = t + by\nage = 3\n")
        t = self.start()
        t.run("import own")
        t.run("?own", "own: module.", "grow(t, …)  Grows.", "age: i64",
              "`?own.grow` shows one with all that it takes, `??own` all of them.")
        self.assertRegex(self.ask(t, '?"grows"')[0], r"^own.grow\(t, …\) +Grows.$")


class Keywords(Manual):
    def test_each_has_an_example_that_runs(self):
        pages = rows_in("assist/keyword_pages.hpp")
        tokens = subprocess.run([terminal.covec, "doc", "--tokens"], capture_output=True, text=True, check=True).stdout
        words = set(re.findall(r"^keyword (\w+)$", tokens, re.M))
        self.assertIn("while", words)
        self.assertLessEqual(words, {page[0] for page in pages})
        sections = re.findall(r"^#+ (.*)$", (SOURCES.parent / "docs/language.md").read_text(), re.M)
        t = self.start()
        for word, form, _, example, section in pages:
            lines = self.ask(t, f"?{word}")
            self.assertEqual(lines[0], form)
            shown = [line[4:] for line in lines if line.startswith("    ")]
            self.assertEqual(shown[-len(example.split("\n")):], example.split("\n"))
            self.assertIn(section, sections)
            ran = subprocess.run([terminal.covec, "-e", example], capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), word)

    def test_while(self):
        t = self.start()
        t.run("while?", "while c { … }", "    A loop that runs as long as the condition is true.", "", "    n = 1",
              "    while n < 100 { n *= 2 }", "    print(n)", "", 'The section "Statements" of docs/language.md has more.')


class Search(Manual):
    def first(self, t, words, count=1):
        return [re.match(r"[^ (:]*", line)[0] for line in self.ask(t, f'?"{words}"')[:count]]

    def test_names_first_then_sentences_then_texts(self):
        t = self.start()
        self.assertEqual(self.first(t, "gradient descent leaf by"), ["optim.sgd"])
        self.assertEqual(self.first(t, "svd"), ["svd"])
        self.assertEqual(self.first(t, "least squares", 2), ["optim.least_squares", "lstsq"])
        self.assertIn("svd", self.first(t, "SINGULAR values", 5))
        self.assertEqual(self.ask(t, '?"zebras"'), ["The manual of the builtins has no page with these words; docs/language.md may", "describe them."])
        self.assertEqual(self.ask(t, '?""'), ['`?"TEXT"` lists the pages of the manual that have these words.'])

    def test_what_is_meant(self):
        t = self.start()
        for words in ("low pass", "low-pass", "lowpass", "low passes", "a low pass filter"):
            self.assertEqual(self.first(t, words, 2), ["signal.butterworth", "signal.fir"], words)
        self.assertEqual(self.first(t, "moving averages"), ["table.rolling"])
        self.assertEqual(self.first(t, "loop", 2), ["for", "while"])
        self.assertEqual(self.ask(t, "?lowpass")[0], "There is no name lowpass. Pages about it:")
        self.assertEqual(self.ask(t, "?low pass"), self.ask(t, '?"low pass"'))
        self.assertEqual(self.ask(t, '?"moving zebras"')[0], "No page has all of these words. Some have:")

    def test_words_that_are_spelled_alike(self):
        t = self.start()
        lines = self.ask(t, '?"fourrier transform"')
        self.assertEqual(lines[0], 'No page has these words. With "fourier transform":')
        self.assertTrue(lines[1].startswith("fft.fft("))
        self.assertTrue(self.ask(t, '?"moving avverages"')[1].startswith("table.rolling("))

    def test_other_words_are_not_corrected(self):
        t = self.start()
        lines = self.ask(t, '?"confusion matrix"')
        self.assertFalse([line for line in lines if "condition" in line])
        self.assertNotIn("With", lines[0])
        lines = self.ask(t, '?"inclusion of regression"')  # "conclusion", "inversion": not meant
        self.assertFalse(lines[0].startswith("No page has these words. With"))
        self.assertIn('With "histogram"', self.ask(t, '?"hsitogram"')[0])

    def test_what_is_meant_comes_alone(self):
        t = self.start()
        self.assertFalse([line for line in self.ask(t, '?"low pass"') if line.startswith("quantile(")])
        lines = self.ask(t, '?"clamp"')
        self.assertTrue(lines[0].startswith("clip("))
        self.assertTrue(lines[1].startswith("maximum("))

    def test_operators_by_their_signs(self):
        t = self.start()
        for question in ("?<<", '?"<<"', "? <<"):
            self.assertTrue(self.ask(t, question)[0].startswith("shift_left("), question)
        for sign, name in {"+": "add(", "//": "floor_divide(", "@": "matmul(", "==": "equal("}.items():
            self.assertTrue(self.ask(t, f"?{sign}")[0].startswith(name), sign)
        self.assertEqual(self.ask(t, "?in")[0], "x in xs")

    def test_own_functions(self):
        t = self.start()
        t.run("# Counts zebras.")
        t.run("fn herd(x) = 1")
        t.run('?"zebra"', "herd(x)  Counts zebras.")

    def test_a_line_each(self):
        for columns in (80, 30):
            t = self.start(columns=columns)
            for words in ("random", "x", "日本", "gamma"):
                lines = self.ask(t, f'?"{words}"')
                self.assertLessEqual(len(lines), 20)
                self.assertTrue(all(len(line) <= columns for line in lines))

    def test_every_page_that_a_term_names_is_there(self):
        t = self.start(rows=100, columns=200)
        for words, names in rows_in("repl/search_terms.hpp"):
            for name in names.split():
                self.assertFalse([line for line in self.ask(t, f"?{name}") if line.startswith("error:")], name)
            if "." in names.split()[0]:
                self.assertIn(names.split()[0], self.first(t, words, 18), words)


if __name__ == "__main__":
    terminal.main()
