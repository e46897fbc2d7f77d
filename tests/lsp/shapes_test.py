#!/usr/bin/env python3
"""Shapes on hover: what a variable of an annotated function holds. In the programs `#? name: type` says what the first `name`
of its line shows; `nothing` where nothing is to be shown.

    shapes_test.py COVEC
"""
import os
import re
import subprocess
import sys
import time
import unittest

import server_test
from server_test import Server

TRIES = 50  # a machine that is busy may be late: then nothing is shown
QUESTION = re.compile(r"#\? (\w+): (.*)$")

STATEMENTS = """\
rate = 0.1
data = read_csv("missing.csv")
@compile
fn f(x: f64[n, k], w: f64[k], s: f64, m: i64, z: c128[n], b: f32[3, _]) -> f64 {
    y = x @ w                        #? y: f64[n]
    scaled = y * s + rate            #? scaled: f64[n]
    positive = scaled > 0            #? positive: bool[n]
    tail = x[1:]                     #? tail: f64[n - 1, k]
    both = concat((x, tail))         #? both: f64[n + n - 1, k]
    flat = reshape(x, -1)            #? flat: f64[n * k]
    row = x[0]                       #? row: f64[k]
    turned = b.T                     #? turned: f32[_, 3]
    made = zeros(m, len(y))          #? made: f64[m, n]
    fixed = ones(2, 3)               #? fixed: f64[2, 3]
    phase = z * 2                    #? phase: c128[n]
    pair = (y, m)                    #? pair: (f64[n], i64)
    both_of = {a: x, b: {c: s}}      #? both_of: {a: f64[n, k], b: {c: f64}}
    (first, second) = (w, x.T)       #? second: f64[k, n]
    some = y[positive]               #? some: nothing
    text = "abc"                     #? text: nothing
    known = n + k                    #? known: i64
    values = [v^2 for v in y]        #? v: nothing
    print(values)                    #? values: f64[n]
    y = y[0]                         #? y: f64
    print(y)                         #? y: f64
    x = x[:, 1:]
    print(x, w)                      #? x: f64[n, k - 1]
    read = data                      #? read: nothing
    return y + sum(x)
}
"""
CONTROL = """\
fn f(x: f64[n], s: f64) {
    if s > 0 { y = x } else { y = 2 * x }
    print(y)                         #? y: f64[n]
    if s > 0 { a = x } else { a = x[1:] }
    print(a)                         #? a: nothing
    if s > 1 { late = x }
    print(late)                      #? late: nothing
    total = x
    for i in range(5) {              #? i: i64
        before = total               #? before: f64[n]
        total = total + i
        print(total)                 #? total: f64[n]
    }
    for row in x {                   #? row: f64
        print(row)                   #? row: f64
    }
    while sum(x) > 1 {               #? x: nothing
        x = x[1:]
    }
    count = 0
    while count < s {                #? count: i64
        count += 1                   #? count: i64
    }
    return total
}
"""
FUNCTIONS = """\
fn f(x: f64[n, k], p: {w: f64[k], b: f64}) {
    y = x @ p.w
    fn twice(a: f64[q]) {
        c = 2 * a                    #? c: f64[q]
        d = c + y                    #? d: f64[q]
        print(y)                     #? y: f64[n]
        return d
    }
    fn any(a) {
        e = 2 * a                    #? e: nothing
        return e
    }
    fn never(a: f64[r]) {
        g = a                        #? g: nothing
        return g
    }
    fn often(a: f64[q]) {
        h = concat((a, x[0]))        #? h: nothing
        return h
    }
    weights = p.w                    #? weights: f64[k]
    often(y)
    often(weights)
    q = {...p, b: y}                 #? q: {w: f64[k], b: f64[n]}
    derivative = grad(v -> sum((x @ v)^2))(p.w)  #? derivative: f64[k]
    return twice(y) + any(y) + q.b + derivative[0]
}
fn g(x, y: f64[n]) {
    z = 2 * y                        #? z: nothing
    return z + x
}
fn h() {
    z = zeros(3)                     #? z: f64[3]
    return z
}
top = h()                            #? top: nothing
"""
RECURSION = """\
fn f(x: f64[n], m: i64) {
    y = 2 * x                        #? y: f64[n]
    if m > 0 { y = f(y, m - 1) }
    return y
}
"""
MODULES = """\
import util
import stats
import "lib/shapes.covec" as shapes
fn f(x: f64[n, k]) {
    y = util.scale(x, by=2.0)        #? y: f64[n, k]
    z = stats.zscore(x[0])           #? z: f64[k]
    a = shapes.area({width: x, height: 1.0})  #? a: f64[n, k]
    return y
}
"""


class Asking(Server):
    def setUp(self):
        super().setUp()
        self.client = self.start()
        self.client.open("main.covec")

    def shape(self, line, character):
        found = self.client.ask("textDocument/hover", **self.client.at("main.covec", line, character))
        return found and found["contents"]["value"].removeprefix("```covec\n").removesuffix("\n```\n")

    def shown(self, line, character, tries=TRIES):
        for _ in range(tries):
            if (found := self.shape(line, character)) is not None:
                return found
        return None

    def check(self, text, at_least):
        """All questions of a text; the last one that has an answer shows that the server answers."""
        self.client.change("main.covec", text)
        self.client.problems("main.covec")
        asked = 0
        for line, written in enumerate(text.splitlines()):
            if (question := QUESTION.search(written)) is None:
                continue
            name, wanted = question.groups()
            character = re.search(rf"\b{name}\b", written).start()
            with self.subTest(written):
                nothing = wanted == "nothing"
                found = self.shown(line, character, tries=3 if nothing else TRIES)
                self.assertEqual(found, None if nothing else f"{name}: {wanted}")
            asked += 1
        self.assertGreaterEqual(asked, at_least)


class Shapes(Asking):
    def test_statements(self):
        self.check(STATEMENTS, 23)
        self.end(self.client)

    def test_statements_run_as_shown(self):
        """What is shown, with numbers for the names, is what a run has; types of one tensor or number."""
        sizes = {"n": 5, "k": 4, "m": 7, "_": 6}
        lines, wanted = [], []
        for line in STATEMENTS.splitlines():
            question = QUESTION.search(line)
            simple = re.fullmatch(r"(\w+)(?:\[(.*)\])?", question.group(2)) if question else None
            if line.startswith("data = "):
                line = "data = 0"
            lines.append(line)
            if not simple or simple.group(1) == "nothing":
                continue
            name, extents = question.group(1), simple.group(2)
            lines.append(f'    print("{name}", {name}.dtype, {name}.shape)')
            numbers = [eval(each, {}, sizes) for each in extents.split(", ")] if extents else []
            wanted.append(f"{name} {simple.group(1)} {tuple(numbers)}")
        lines.append("f(ones(5, 4), ones(4), 2.0, 7, ones(5) * 1im, f32(ones(3, 6)))")
        (self.folder / "run.covec").write_text("\n".join(lines) + "\n")
        done = subprocess.run([server_test.COVEC, "run.covec"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        printed = [line for line in done.stdout.splitlines() if line.split(" ")[0] in {each.split(" ")[0] for each in wanted}]
        self.assertEqual(printed, wanted)
        self.assertGreater(len(wanted), 14)
        self.end(self.client)

    def test_branches_and_loops(self):
        self.check(CONTROL, 11)
        self.end(self.client)

    def test_functions(self):
        self.check(FUNCTIONS, 12)
        self.end(self.client)

    def test_recursion(self):
        self.check(RECURSION, 1)
        self.end(self.client)

    def test_modules(self):
        self.check(MODULES, 3)
        self.end(self.client)

    def test_a_text_that_is_not_saved(self):
        self.client.tell("textDocument/didOpen", textDocument={
            "uri": "untitled:1", "languageId": "covec", "version": 1, "text": "fn f(x: f64[n]) {\n    y = x\n    return y\n}\n"})
        place = {"textDocument": {"uri": "untitled:1"}, "position": {"line": 1, "character": 4}}
        found = [self.client.ask("textDocument/hover", **place) for _ in range(TRIES)]
        self.assertIn("```covec\ny: f64[n]\n```\n", [each and each["contents"]["value"] for each in found])
        self.end(self.client)

    def test_of_texts_with_errors_there_are_none(self):
        text = "fn f(x: f64[n]) {\n    y = 2 * x\n    return y\n}\n"
        self.client.change("main.covec", text)
        self.assertEqual(self.shown(1, 4), "y: f64[n]")
        for wrong in (text + "z = (\n", text + "fn g() = unheard_of\n", text + "import unheard_of\n"):
            self.client.change("main.covec", wrong)
            self.assertIsNone(self.shown(1, 4, tries=3))
        self.client.change("main.covec", text)
        self.assertEqual(self.shown(1, 4), "y: f64[n]")
        self.end(self.client)


class Limits(Asking):
    def waits(self, text, line, character):
        """Seconds until nothing is shown; the server goes on."""
        self.client.change("main.covec", text)
        self.client.problems("main.covec")
        begin = time.monotonic()
        self.assertIsNone(self.shape(line, character))
        took = time.monotonic() - begin
        self.client.change("main.covec", "fn f(x: f64[n]) {\n    y = x\n    return y\n}\n")
        self.assertEqual(self.shown(1, 4), "y: f64[n]")
        return took

    def test_what_does_not_end(self):
        (self.folder / "endless.covec").write_text("while true { }\n")
        (self.folder / "memory.covec").write_text("x = zeros(1000)\nwhile true { x = concat((x, x)) }\n")
        for module in ("endless", "memory"):
            took = self.waits(f"import {module}\nfn f(x: f64[n]) {{\n    y = x\n    return y\n}}\n", 2, 4)
            self.assertLess(took, 3)  # 0.2 s, on a machine that is not busy
        self.check("while true { }\nfn f(x: f64[n]) {\n    y = x                            #? y: f64[n]\n    while true { }\n}\n", 1)
        self.end(self.client)

    def test_calls_without_an_end(self):
        deep = "fn g(x) = g(concat((x, x)))\nfn f(x: f64[n]) {\n    z = g(x)\n    y = z\n    return y\n}\n"
        self.assertLess(self.waits(deep, 3, 4), 3)
        self.end(self.client)

    def test_nothing_outside_is_touched(self):
        touched = self.folder / "touched.csv"
        write = f'write_csv("{touched}", {{a: [1]}})\n'
        (self.folder / "writes.covec").write_text(write + "fn g(x) = x\n")
        self.waits("import writes\nfn f(x: f64[n]) {\n    y = writes.g(x)\n    return y\n}\n", 2, 4)
        self.check(f"{write}fn f(x: f64[n]) {{\n    {write}    y = x                            #? y: f64[n]\n    return y\n}}\n{write}", 1)
        self.end(self.client)
        self.assertFalse(touched.exists())


if __name__ == "__main__":
    server_test.COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
