#!/usr/bin/env python3
"""What covec lsp knows of names: definitions, uses, renaming, signatures, and formatting; on the project of four files.

    navigation_test.py COVEC
"""
import os
import pathlib
import subprocess
import sys
import unittest

import server_test
from client import apply_edits, uri_of
from project import FILES, place
from server_test import Server


class Navigation(Server):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.client = self.start(environment={"COVEC_CACHE": str(self.cache)})
        self.client.open("main.covec")

    def ask(self, method, name, text, number=0, behind=False, **params):
        return self.client.ask(f"textDocument/{method}", **self.client.at(name, *place(name, text, number, behind)), **params)

    def refusal(self, name, text, new, number=0):
        error = self.client.refused("textDocument/rename", **self.client.at(name, *place(name, text, number)), newName=new)
        self.assertEqual(error["code"], -32803)
        return error["message"]

    def where(self, location):
        """A location as the file's name and what stands there."""
        name = str(pathlib.Path(location["uri"].removeprefix("file://")).relative_to(self.folder))
        start, end = location["range"]["start"], location["range"]["end"]
        line = FILES[name].splitlines()[start["line"]]
        return f"{name}:{start['line']}:{start['character']} {line[start['character']:end['character']]}"

    def places(self, *texts):
        """The same of texts: (file, text, number)."""
        found = []
        for name, text, number in texts:
            line, character = place(name, text, number)
            found.append(f"{name}:{line}:{character} {text}")
        return sorted(found)


class Definitions(Navigation):
    def test_in_the_text(self):
        for text, definition in (("x * times", "x, times"), ("times\n", "times=2"), ("inner(x)", "inner(z)"), ("y\n    return", "y = x"),
                                 ("total, by", "total = "), ("i) for", "i in range")):
            found = self.where(self.ask("definition", "main.covec", text))
            line, character = place("main.covec", definition)
            self.assertEqual(found.split()[0], f"main.covec:{line}:{character}", text)
        self.end(self.client)

    def test_in_modules(self):
        self.assertEqual(self.where(self.ask("definition", "main.covec", "scale(")), *self.places(("util.covec", "scale", 0)))
        for text in ("util.scale", "import util", "util\n"):
            self.assertEqual(self.where(self.ask("definition", "main.covec", text)), "util.covec:0:0 ")
        self.assertEqual(self.where(self.ask("definition", "main.covec", "lib/shapes")), "lib/shapes.covec:0:0 ")
        self.end(self.client)

    def test_of_the_library_opens_a_copy_for_reading(self):
        found = self.ask("definition", "main.covec", "adam_init")
        path = pathlib.Path(found["uri"].removeprefix("file://"))
        self.assertTrue(path.is_relative_to(self.cache), path)
        self.assertEqual((path.name, path.stat().st_mode & 0o222), ("optim.covec", 0))
        line = path.read_text().splitlines()[found["range"]["start"]["line"]]
        self.assertTrue(line.startswith("fn adam_init("), line)
        self.assertEqual(self.ask("definition", "main.covec", "adam_init"), found)
        self.assertEqual(self.client.open(os.path.relpath(path, self.folder), path.read_text() + "x = y\n"), [])
        self.end(self.client)

    def test_there_is_none(self):
        for text in ("sum(", "Learns", "* times", "width: 1.0"):
            self.assertIsNone(self.ask("definition", "main.covec", text), text)
        self.end(self.client)


class Uses(Navigation):
    SCALE = [("util.covec", "scale", 0), ("main.covec", "scale", 0), ("lib/shapes.covec", "scale", 0)]

    def references(self, name, text, number=0, declaration=True):
        found = self.ask("references", name, text, number, context={"includeDeclaration": declaration})
        return sorted(map(self.where, found))

    def test_in_all_files(self):
        self.assertEqual(self.references("main.covec", "scale("), self.places(*self.SCALE))
        self.assertEqual(self.references("main.covec", "scale(", declaration=False), self.places(*self.SCALE[1:]))
        self.client.open("lib/shapes.covec")
        self.assertEqual(self.references("lib/shapes.covec", "scale("), self.places(*self.SCALE))
        self.assertEqual(self.references("lib/shapes.covec", "area"),
                         self.places(("lib/shapes.covec", "area", 0), ("lib/shapes.covec", "area", 1), ("main.covec", "area", 0)))
        self.assertEqual(self.references("lib/shapes.covec", "half"),
                         self.places(("lib/shapes.covec", "half", 0), ("lib/other.covec", "half", 0)))
        self.end(self.client)

    def test_of_parameters(self):
        self.client.open("util.covec")
        self.assertEqual(self.references("util.covec", "by="),
                         self.places(("util.covec", "by", 0), ("util.covec", "by", 1), ("main.covec", "by", 0)))
        self.assertEqual(self.references("main.covec", "times=2"), self.places(*(("main.covec", "times", i) for i in range(3))))
        self.end(self.client)

    def test_unsaved_texts_count(self):
        self.client.open("lib/other.covec", "import \"../util.covec\" as u\nprint(u.scale(1))\n")
        found = self.ask("references", "main.covec", "scale(", context={"includeDeclaration": True})
        self.assertIn(self.client.uri("lib/other.covec"), [each["uri"] for each in found])
        self.end(self.client)

    def test_highlights(self):
        found = [(each["range"]["start"]["line"], each["kind"]) for each in self.ask("documentHighlight", "main.covec", "y = x")]
        line = place("main.covec", "y = x")[0]
        self.assertEqual(found, [(line, 3), (line + 1, 2)])
        self.assertEqual(len(self.ask("documentHighlight", "main.covec", "sum(")), 1)
        self.assertEqual(len(self.ask("documentHighlight", "main.covec", "scale(")), 1)
        self.assertIsNone(self.ask("documentHighlight", "main.covec", "Learns"))
        self.end(self.client)

    def test_symbols_of_the_workspace(self):
        found = self.client.ask("workspace/symbol", query="A")
        names = {(each["name"], each["kind"], each["containerName"]) for each in found}
        self.assertEqual(names, {("area", 12, "shapes"), ("half", 12, "shapes"), ("scale", 12, "util"), ("factor", 13, "util"),
                                 ("total", 13, "main"), ("state", 13, "main")})
        for each in found:
            self.assertTrue(self.where(each["location"]).endswith(" " + each["name"]))
        self.assertEqual([each["name"] for each in self.client.ask("workspace/symbol", query="inner")], ["inner"])
        self.end(self.client)


class Rename(Navigation):
    def renamed(self, name, text, new, number=0):
        """The files that change, by their names."""
        changes = self.ask("rename", name, text, number, newName=new)["changes"]
        names = {self.client.uri(each): each for each in FILES}
        return {names[uri]: apply_edits(FILES[names[uri]], edits) for uri, edits in changes.items()}

    def core(self):
        """What the project means, with all its files."""
        texts = []
        for name in FILES:
            done = subprocess.run([server_test.COVEC, "dump", "--core", name], cwd=self.folder, capture_output=True, text=True, check=True)
            texts.append(done.stdout)
        run = subprocess.run([server_test.COVEC, "main.covec"], cwd=self.folder, capture_output=True, text=True, check=True)
        return texts, run.stdout

    def test_in_all_files(self):
        before = self.core()
        for name, text, old, new, files in (
                ("main.covec", "scale(", "scale", "stretch", {"main.covec", "util.covec", "lib/shapes.covec"}),
                ("main.covec", "twice(i)", "twice", "doubled", {"main.covec"}),
                ("main.covec", "times\n", "times", "number", {"main.covec"}),
                ("main.covec", "i in", "i", "index", {"main.covec"}),
                ("main.covec", "inner", "inner", "nested", {"main.covec"}),
                ("main.covec", "shapes.area", "shapes", "forms", {"main.covec"}),
                ("main.covec", "total", "total", "whole", {"main.covec"})):
            with self.subTest(old):
                changed = self.renamed(name, text, new)
                self.assertEqual(changed.keys(), set(files))
                for file, contents in changed.items():
                    (self.folder / file).write_text(contents)
                texts, output = self.core()
                for file, contents in FILES.items():
                    (self.folder / file).write_text(contents)
                self.assertEqual(([each.replace(new, old) for each in texts], output), before)
        self.end(self.client)

    def test_parameters_of_modules(self):
        self.client.open("util.covec")
        changed = self.renamed("util.covec", "by=", "amount")
        self.assertEqual(changed.keys(), {"util.covec", "main.covec"})
        self.assertIn("fn scale(x, amount=factor) = x * amount", changed["util.covec"])
        self.assertIn("util.scale(total, amount=3)", changed["main.covec"])
        self.end(self.client)

    def test_parameters_by_the_calls(self):
        """What a call names is renamed where the function is known, and else refused; what has another name is no matter."""
        unknown, spread = "gives `alpha` to a function that only a run knows", "spreads a record into arguments, whose names only a run knows"
        f = "fn f(alpha) = alpha\n"
        for text, told in (
                ("h = fn(alpha) { return alpha }\nh(alpha=2)\n", None),
                ("h = alpha -> alpha + 1\nh(alpha=2)\n", None),
                ("h = alpha -> alpha\nh = x -> x\nh(alpha=2)\n", f"line 3 {unknown}"),
                (f + "f(**{alpha: 3})\n", None),
                (f + "fn outer(f) = f(alpha=3)\n", f"line 2 {unknown}"),
                (f + "g = f\ng(alpha=5)\n", f"line 3 {unknown}"),
                (f + "g = f\ng(beta=5)\n", None),
                (f + "g = f\ng(**{alpha: 5})\n", f"line 3 {unknown}"),
                (f + "r = {f: f}\nr.f(alpha=5)\n", f"line 3 {unknown}"),
                (f + "fn make() = f\nmake()(alpha=5)\n", f"line 3 {unknown}"),
                (f + "xs = list(f)\nxs[0](alpha=5)\n", f"line 3 {unknown}"),
                (f + "r = {alpha: 1}\nf(**r)\n", f"line 3 {spread}"),
                (f + "r = {x: 1}\nf(**{...r})\n", f"line 3 {spread}"),
                (f + "g = f\nr = {alpha: 1}\ng(**r)\n", f"line 4 {spread}"),
                (f + "fn other(x) = x\nr = {x: 1}\nother(**r)\n", None),
                ("fn f(alpha) {\n    alpha = alpha + 1\n    return alpha\n}\nf(alpha=1)\n", None)):
            with self.subTest(text):
                self.client.change("main.covec", text)
                at = {"textDocument": {"uri": self.client.uri("main.covec")}, "position": {"line": 0, "character": text.index("alpha")}}
                if told is None:
                    (edits,) = self.client.ask("textDocument/rename", **at, newName="other_name")["changes"].values()
                    self.assertEqual(apply_edits(text, edits), text.replace("alpha", "other_name"))
                else:
                    for method, more in (("rename", {"newName": "other_name"}), ("prepareRename", {})):
                        self.assertEqual(self.client.refused(f"textDocument/{method}", **at, **more)["message"], told)
        self.end(self.client)

    def test_names_of_options(self):
        """A parameter gets no name that a call gives as an option."""
        f = "fn f(x, alpha=1, *rest, k=2, **o) = (alpha, rest, k, o)\n"
        option, unknown = "gives `z` as an option", "gives `z` to a function that only a run knows"
        for text, old, told in (
                (f + "f(1, z=3)\n", "alpha", f"line 2 {option}"), (f + "f(1, k=3, z=3)\n", "k", f"line 2 {option}"),
                (f + "f(1, **{z: 3})\n", "alpha", f"line 2 {option}"), (f + "g = f\ng(1, z=3)\n", "alpha", f"line 3 {unknown}"),
                (f + "grad(f)(1, z=3)\n", "alpha", f"line 2 {unknown}"), (f + "f(1, 2, 3, y=3)\n", "alpha", None),
                (f + "f(1, z=3)\n", "rest", None), (f + "f(1, z=3)\n", "o)", None), (f + "f(1, rest=3)\n", "rest", None),
                (f + "r = {y: 3}\nf(1, **r)\n", "o)", None),
                ("fn f(x, alpha=1) = alpha\nfn other(**o) = o\nother(z=3)\n", "alpha", None)):
            with self.subTest(text=text, old=old):
                self.client.change("main.covec", text)
                at = self.client.at("main.covec", 0, text.index(old))
                if told is None:
                    (edits,) = self.client.ask("textDocument/rename", **at, newName="z")["changes"].values()
                    self.assertNotIn("rest=z", apply_edits(text, edits))
                else:
                    self.assertEqual(self.client.refused("textDocument/rename", **at, newName="z")["message"], told)
        other = self.folder / "other.covec"
        self.client.open("util.covec", "fn scale(x, by=1, **o) = (x, by, o)\n")
        for call, told in (("scale(1, z=3)", f"line 2 of {other} {option}"), ("scale(1, y=3)", None)):
            other.write_text(f"import util\nx = util.{call}\n")
            at = self.client.at("util.covec", 0, 12)
            if told is None:
                self.client.ask("textDocument/rename", **at, newName="z")
            else:
                self.assertEqual(self.client.refused("textDocument/rename", **at, newName="z")["message"], told)
        self.end(self.client)

    def test_methods_take_arguments_of_their_own(self):
        f = "fn f(x, axis=0) = x.sum(axis=axis)\n"
        for text, why in ((f, None), (f + "r = {sum: f}\nr.sum(axis=1)\n", "line 1 gives `axis` to a function that only a run knows")):
            self.client.change("main.covec", text)
            at = self.client.at("main.covec", 0, text.index("axis"))
            if why is None:
                (edits,) = self.client.ask("textDocument/rename", **at, newName="along")["changes"].values()
                self.assertEqual(apply_edits(text, edits), "fn f(x, along=0) = x.sum(axis=along)\n")
            else:
                self.assertEqual(self.client.refused("textDocument/rename", **at, newName="along")["message"], why)
        self.end(self.client)

    def test_parameters_that_texts_name(self):
        f = "fn f(p, x) = p * x\n"
        told = "line 2 names `x` in a text"
        for text, why in ((f + 'print(grad(f, wrt="x")(1.0, 2.0))\n', told), (f + 'print(grad(f, "x")(1.0, 2.0))\n', told),
                          (f + 'print(hessian(f, wrt=("p", "x"))(1.0, 2.0))\n', told), (f + 'g = f\nprint(grad(g, wrt="x")(1.0, 2.0))\n', told.replace("2", "3")),
                          (f + 'print(grad(f, wrt="p")(1.0, 2.0))\n', None), (f + 'print("x", "wrt")\n', None),
                          (f + 'print(grad((p, x) -> p * x, wrt="x")(1.0, 2.0))\n', None), (f + 'h = (p, x) -> p\nprint(grad(h, wrt="x")(1.0, 2.0))\n', None),
                          ('print(grad((p, x) -> p * x, wrt="x")(1.0, 2.0))\n', told.replace("2", "1"))):
            with self.subTest(text):
                self.client.change("main.covec", text)
                at = self.client.at("main.covec", 0, text.index("x)"))
                if why is None:
                    (edits,) = self.client.ask("textDocument/rename", **at, newName="place")["changes"].values()
                    self.assertEqual(apply_edits(text, edits), "fn f(p, place) = p * place\n" + text[len(f):])
                else:
                    self.assertEqual(self.client.refused("textDocument/rename", **at, newName="place")["message"], why)
        self.end(self.client)

    def test_parameters_by_calls_in_other_texts(self):
        other = self.folder / "other.covec"
        util = "fn scale(x, by=1) {\n    by = by + 1\n    return x * by\n}\nstretch = scale\nshrunk = fn(x, by=2) { return x / by }\n"
        self.client.open("util.covec", util)
        line = f"line 2 of {other}"
        for call, why in (("scale(1, by=3)", None), ("stretch(1, by=3)", f"{line} gives `by` to a function that only a run knows"),
                          ("shrunk(1, by=3)", None), ("scale(1, **{by: 3})", None),
                          ("scale(1, **r)", f"{line} spreads a record into arguments, whose names only a run knows")):
            with self.subTest(call):
                other.write_text(f"import util\nx = util.{call}\n")
                at = self.client.at("util.covec", 0, util.index("by"))
                if why is None:
                    changes = self.client.ask("textDocument/rename", **at, newName="amount")["changes"]
                    self.assertEqual(self.client.uri("other.covec") in changes, "scale" in call)
                else:
                    self.assertEqual(self.client.refused("textDocument/rename", **at, newName="amount")["message"], why)
        other.write_text("import util\nx = util.shrunk(1, by=3)\n")
        changes = self.client.ask("textDocument/rename", **self.client.at("util.covec", 5, util.splitlines()[5].index("by")), newName="amount")["changes"]
        self.assertEqual(apply_edits(other.read_text(), changes[self.client.uri("other.covec")]), "import util\nx = util.shrunk(1, amount=3)\n")
        self.end(self.client)

    def test_a_module_keeps_its_name(self):
        changed = self.renamed("main.covec", "util.", "tools")["main.covec"]
        self.assertIn("import util as tools\n", changed)
        self.assertIn("tools.scale(", changed)
        self.end(self.client)

    def test_refusals(self):
        for text, new, why in (("twice(x", "sum", "`sum` is a builtin"), ("twice(x", "while", "`while` is a keyword"),
                               ("twice(x", "2x", "`2x` is no name"), ("twice(x", "a b", "`a b` is no name"),
                               ("twice(x", "ndim", "`ndim` is a name of other systems, which errors explain"),
                               ("sum(", "total2", "`sum` is a builtin"), ("Learns", "x", "there is no name that can be renamed"),
                               ("adam_init", "init", "`adam_init` belongs to a module that comes with Covec"),
                               ("twice(x", "total", "`total` means something else there"),  # in the same scope
                               ("y = x", "x", "`x` means something else there"),
                               ("z + y", "y", "`y` means something else there"),  # catches a use of an outer one
                               ("y = x", "z", "`z` means something else there")):  # is caught
            with self.subTest(new):
                self.assertEqual(self.refusal("main.covec", text, new), why)
        self.assertEqual(self.refusal("main.covec", "scale(", "factor"), "`factor` means something else there")
        self.end(self.client)

    def test_copies_of_modules(self):
        found = self.ask("definition", "main.covec", "adam_init")
        path = pathlib.Path(found["uri"].removeprefix("file://"))
        name = os.path.relpath(path, self.folder)
        self.client.open(name, path.read_text())
        start = found["range"]["start"]
        lines = path.read_text().splitlines()
        line = next(number for number in range(start["line"], len(lines)) if "fn adam_init(" in lines[number])
        for character, word in ((lines[line].index("adam_init"), "adam_init"), (lines[line].index("(") + 1, lines[line].split("(")[1].split(")")[0])):
            for method, more in (("rename", {"newName": "other"}), ("prepareRename", {})):
                error = self.client.refused(f"textDocument/{method}", **self.client.at(name, line, character), **more)
                self.assertEqual(error["message"], f"`{word}` belongs to a module that comes with Covec")
        self.end(self.client)

    def test_texts_with_errors(self):
        main = FILES["main.covec"]
        unknown = "the text has syntax errors, so not all uses of `total` are known"
        for broken in (main + "print(total +\n", main.replace("p = {width", "p = width"), main + "}\n"):
            self.client.change("main.covec", broken)
            self.assertEqual(self.refusal("main.covec", "total", "whole"), unknown)
            error = self.client.refused("textDocument/prepareRename", **self.client.at("main.covec", *place("main.covec", "total")))
            self.assertEqual(error["message"], unknown)
        self.client.change("main.covec", main + "print(unheard_of, total)\n")  # all uses are known
        self.assertEqual(len(self.ask("rename", "main.covec", "total", newName="whole")["changes"][self.client.uri("main.covec")]), 3)
        self.assertEqual(self.refusal("main.covec", "total", "unheard_of"), "`unheard_of` means something else there")
        self.client.change("main.covec", main)
        (self.folder / "other.covec").write_text("import (\nx = util.scale(2)\n")
        self.assertEqual(self.refusal("main.covec", "scale(", "stretch"),
                         f"{self.folder / 'other.covec'} has syntax errors, so not all uses of `scale` are known")
        self.assertEqual(self.renamed("main.covec", "total", "whole").keys(), {"main.covec"})  # it does not name that
        self.end(self.client)

    def test_names_that_are_hidden_elsewhere(self):
        self.assertEqual(self.renamed("main.covec", "i in", "y").keys(), {"main.covec"})
        self.end(self.client)

    def test_prepared(self):
        found = self.ask("prepareRename", "main.covec", "scale(")
        line, character = place("main.covec", "scale(")
        self.assertEqual(found, {"placeholder": "scale", "range": {"start": {"line": line, "character": character},
                                                                   "end": {"line": line, "character": character + 5}}})
        error = self.client.refused("textDocument/prepareRename", **self.client.at("main.covec", *place("main.covec", "sum(")))
        self.assertEqual(error["message"], "`sum` is a builtin")
        self.end(self.client)


class Signatures(Navigation):
    def help(self, text):
        """Of a call that ends the text: its label and the parameter that is written."""
        self.client.change("main.covec", FILES["main.covec"] + text)
        line = FILES["main.covec"].count("\n") + text.count("\n")
        found = self.client.ask("textDocument/signatureHelp", **self.client.at("main.covec", line, len(text.split("\n")[-1])))
        if found is None:
            return None
        (signature,), number = found["signatures"], found["activeParameter"]
        for each in signature["parameters"]:
            self.assertIn(each["label"], signature["label"])
        names = [each["label"] for each in signature["parameters"]]
        return signature["label"], names[number] if number < len(names) else None

    def test_of_functions_modules_and_builtins(self):
        self.assertEqual(self.help("twice("), ("twice(x, times=2)", "x"))
        for name in ("rest", "o", "more"):
            self.assertEqual(self.help(f"fn f(x, *rest, k=1, **o) = x\nf(1, {name}="), ("f(x, *rest, k=1, **o)", "**o"))
        self.assertEqual(self.help("twice(1, "), ("twice(x, times=2)", "times=2"))
        self.assertEqual(self.help("twice(times=3"), ("twice(x, times=2)", "times=2"))
        self.assertEqual(self.help("twice(1, 2, "), ("twice(x, times=2)", None))
        self.assertEqual(self.help("util.scale([1, 2], "), ("scale(x, by=factor)", "by=factor"))
        self.assertEqual(self.help("sum(p, axis="), ("sum(x, axis=none, keepdims=false)", "axis=none"))
        self.assertEqual(self.help("total.sum("), ("sum(x, axis=none, keepdims=false)", "axis=none"))
        self.assertEqual(self.help("sum(p, axis=\nsum("), ("sum(x, axis=none, keepdims=false)", "x"))
        taken = "f(x, *rest, by=1, **options)"
        for text, parameter in (("1", "x"), ("1, 2", "*rest"), ("1, 2, 3, 4, 5", "*rest"), ("1, by=2", "by=1"), ("1, k=2", "**options")):
            self.assertEqual(self.help(f"fn {taken} = x\nf({text}"), (taken, parameter))
        for text in ("fn f(", "x = [1, ", "nothing(", "(1, ", "twice(1)"):
            self.assertIsNone(self.help(text), text)
        self.end(self.client)


class Formatting(Navigation):
    def formatted(self, text):
        self.client.change("main.covec", text)
        found = self.client.ask("textDocument/formatting", textDocument={"uri": self.client.uri("main.covec")},
                                options={"tabSize": 4, "insertSpaces": True})
        self.assertLessEqual(len(found), 1)
        return apply_edits(text, found)

    def test_of_a_text(self):
        self.assertEqual(self.formatted(FILES["main.covec"]), FILES["main.covec"])
        self.assertEqual(self.formatted("x=1\ny  =  [1,2]\nfn f(a){\nreturn a+x\n}\n"),
                         "x = 1\ny = [1, 2]\nfn f(a) {\n    return a + x\n}\n")
        self.assertEqual(self.formatted("x = 1\r\ny = 2\r\n"), "x = 1\ny = 2\n")
        self.assertEqual(self.formatted("x = 1"), "x = 1\n")
        self.assertEqual(self.formatted(""), "")
        self.end(self.client)

    def test_of_a_text_that_is_left_alone(self):
        self.client.change("main.covec", "x = (1,\n")
        error = self.client.refused("textDocument/formatting", textDocument={"uri": self.client.uri("main.covec")}, options={})
        self.assertEqual(error["message"], "the text is kept as it was: `(` is never closed")
        self.end(self.client)


class Imports(Navigation):
    def edits(self, text):
        self.client.change("main.covec", text)
        last = text.split("\n")[-1]
        found = self.client.ask("textDocument/completion", **self.client.at("main.covec", text.count("\n"), len(last)))
        (item,) = [each for each in found["items"] if each["label"] == "stats"]
        return apply_edits(text, item["additionalTextEdits"])

    def test_a_modules_name_adds_its_import(self):
        self.assertEqual(self.edits("x = 1\ny = stat"), "import stats\nx = 1\ny = stat")
        self.assertEqual(self.edits("# A text.\n\nimport optim\ny = stat"), "# A text.\n\nimport stats\nimport optim\ny = stat")
        self.assertEqual(self.edits("#!/usr/bin/env covec\n# A text.\n\ny = stat"), "#!/usr/bin/env covec\n# A text.\nimport stats\n\ny = stat")
        self.assertEqual(self.edits("# Of f.\nfn f(x) = x\ny = stat"), "import stats\n# Of f.\nfn f(x) = x\ny = stat")
        self.assertEqual(self.edits("# A text.\r\n\r\ny = stat"), "# A text.\r\nimport stats\r\n\r\ny = stat")
        self.end(self.client)


if __name__ == "__main__":
    server_test.COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
