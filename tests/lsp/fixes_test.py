#!/usr/bin/env python3
"""Quick fixes of covec lsp: what is offered, where, and the text after it.

    fixes_test.py COVEC
"""
import os
import pathlib
import subprocess
import sys
import unittest

import server_test
from client import Client, apply_edits
from server_test import Server

VERSIONED = {"workspace": {"workspaceEdit": {"documentChanges": True}}}


class Fixes(Server):
    def setUp(self):
        super().setUp()
        self.client = self.start(environment={"COVEC_CACHE": str(self.folder / "cache")})
        self.client.open("main.covec", "")

    def ask(self, begin, end=None, client=None, name="main.covec", **context):
        """The actions for places, each a line and a character from 0."""
        c = client or self.client
        range_ = {key: {"line": at[0], "character": at[1]} for key, at in (("start", begin), ("end", end or begin))}
        return c.ask("textDocument/codeAction", textDocument={"uri": c.uri(name)}, range=range_,
                     context={"diagnostics": [], **context})

    def fixed(self, text, line, character):
        """Title and text of the only fix that there is at a place."""
        self.client.change("main.covec", text)
        (action,) = self.ask((line, character))
        self.assertEqual((action["kind"], action["isPreferred"]), ("quickfix", True))
        told = self.client.problems("main.covec")
        self.assertTrue(action["diagnostics"])
        for each in action["diagnostics"]:
            self.assertIn(each, told)
        ((uri, edits),) = action["edit"]["changes"].items()
        self.assertEqual(uri, self.client.uri("main.covec"))
        return action["title"], apply_edits(text, edits)


class Offers(Fixes):
    def test_the_server_says_so(self):
        self.assertEqual(self.client.capabilities["codeActionProvider"], {"codeActionKinds": ["quickfix"]})
        self.end(self.client)

    def test_a_near_name_is_written_at_all_its_uses(self):
        text = "length = 3\nprint(lenght + 1)\nprint(lenght)\n"
        for line in (1, 2):
            self.assertEqual(self.fixed(text, line, 8), ("Change `lenght` to `length` (2 places)", text.replace("lenght", "length")))
        self.assertEqual(len(self.ask((1, 6))[0]["diagnostics"]), 2)
        self.end(self.client)

    def test_kinds_of_fixes(self):
        for text, place, title, after in (
                ("# A text.\n\nx = optim.adam_init({w: 1.0})\n", (2, 5), "Insert `import optim`",
                 "# A text.\n\nimport optim\nx = optim.adam_init({w: 1.0})\n"),
                ("# A text.\r\n\r\nx = optim.adam_init({w: 1.0})\r\n", (2, 5), "Insert `import optim`",
                 "# A text.\r\n\r\nimport optim\r\nx = optim.adam_init({w: 1.0})\r\n"),
                ("import optim\nprint(optim.adm(1))\n", (1, 13), "Change `adm` to `adam`", "import optim\nprint(optim.adam(1))\n"),
                ("x = (1 + 2\ny = x\n", (0, 4), "Insert `)`", "x = (1 + 2)\ny = x\n"),
                ("x = [1, 2\ny = x\n", (0, 4), "Insert `]`", "x = [1, 2]\ny = x\n"),
                ("x = True\n", (0, 8), "Change `True` to `true`", "x = true\n"),
                ("x := 3\n", (0, 3), "Change `:=` to `=`", "x = 3\n"),
                ("x = true && false\n", (0, 9), "Change `&&` to `and`", "x = true and false\n"),
                ("print(sum([[1, 2]], dim=0))\n", (0, 20), "Change `dim` to `axis`", "print(sum([[1, 2]], axis=0))\n"),
                ('import "util.covec"\n', (0, 0), "Insert `as util`", 'import "util.covec" as util\n')):
            with self.subTest(text):
                self.assertEqual(self.fixed(text, *place), (title, after))
        self.end(self.client)

    def test_a_near_name_is_written_where_it_is_visible(self):
        for text, fixed in (("fn f(value) = valu + 1\nfn g(x) = valu + x\n", "fn f(value) = value + 1\nfn g(x) = valu + x\n"),
                            ("fn g(x) = valu + x\nfn f(value) = valu + valu\n", "fn g(x) = valu + x\nfn f(value) = value + value\n"),
                            ("fn f(value) = valu + 1\nfn g(vals) = valu\n", "fn f(value) = value + 1\nfn g(vals) = vals\n"),
                            ("fn f(xs) { y = [valu for value in xs]; return valu + y }\n",
                             "fn f(xs) { y = [value for value in xs]; return valu + y }\n")):
            with self.subTest(text):
                self.client.change("main.covec", text)
                edits = [edit for action in self.ask((0, 0), (2, 0)) for edit in action["edit"]["changes"][self.client.uri("main.covec")]]
                self.assertEqual(apply_edits(text, edits), fixed)
        self.end(self.client)

    def test_an_import_of_a_path_gets_the_name_that_is_used(self):
        text = 'import "sub/optim.covec"\noptim.f(3)\n'
        self.assertEqual(self.fixed(text, 0, 0), ("Insert `as optim`", text.replace('covec"', 'covec" as optim')))
        self.assertEqual(self.ask((1, 0), (1, 5)), [])
        self.end(self.client)

    def test_an_import_gets_no_name_in_use(self):
        for text in ('import "sub/sum.covec"\nsum([1])\n', 'x = 3\nimport "x.covec"\n', 'import "x.covec"\nfn f(x) = x\n',
                     'import optim\nimport "sub/optim.covec"\n', 'import "a/util.covec"\nimport "b/util.covec"\n'):
            with self.subTest(text):
                self.client.change("main.covec", text)
                self.assertEqual(self.ask((0, 0), (2, 0)), [])
        self.end(self.client)

    def test_the_edit_is_that_of_covec_check(self):
        text = "length = 3\nprint(lenght, True)\nx = lenght\n"
        file = self.folder / "fixed.covec"
        file.write_text(text)
        subprocess.run([server_test.COVEC, "check", "--fix", file.name], cwd=self.folder, capture_output=True, check=False)
        self.client.change("main.covec", text)
        actions = self.ask((0, 0), (3, 0))
        edits = [edit for action in actions for edit in action["edit"]["changes"][self.client.uri("main.covec")]]
        self.assertEqual((len(actions), apply_edits(text, edits)), (2, file.read_text()))
        self.end(self.client)

    def test_only_where_a_problem_is(self):
        text = "length = 3\nprint(lenght)\nprint(unheard_of)\n"
        self.client.change("main.covec", text)
        offers = lambda *places: [len(self.ask(*place)) for place in places]
        self.assertEqual(offers([(1, 6)], [(1, 12)], [(0, 0), (2, 0)]), [1, 1, 1])
        self.assertEqual(offers([(1, 5)], [(1, 13)], [(0, 0)], [(0, 0), (1, 0)], [(2, 8)]), [0] * 5)
        self.end(self.client)

    def test_only_the_kinds_that_are_asked_for(self):
        self.client.change("main.covec", "x = True\n")
        for only, count in ((["quickfix"], 1), ([""], 1), (["refactor", "quickfix"], 1), (["refactor"], 0), (["source.organizeImports"], 0),
                            (["quickfix.other"], 0), ([], 0)):
            self.assertEqual(len(self.ask((0, 5), only=only)), count, only)
        self.end(self.client)

    def test_of_no_text_and_of_copies_of_modules(self):
        self.assertEqual(self.ask((0, 0), name="never_opened.covec"), [])
        self.client.change("main.covec", "import optim\nx = optim.adam_init({w: 1.0})\n")
        found = self.client.ask("textDocument/definition", **self.client.at("main.covec", 1, 12))
        path = pathlib.Path(found["uri"].removeprefix("file://"))
        name = os.path.relpath(path, self.folder)
        self.assertEqual(self.client.open(name, "x = True\n"), [])
        self.assertEqual(self.ask((0, 5), name=name), [])
        self.end(self.client)

    def test_wrong_parameters(self):
        uri = {"uri": self.client.uri("main.covec")}
        for params in ({}, {"textDocument": uri}, {"textDocument": uri, "range": 3}):
            self.assertEqual(self.client.refused("textDocument/codeAction", **params)["code"], -32602)
        self.end(self.client)


class Versions(Fixes):
    def test_a_text_that_has_changed_meanwhile(self):
        c = Client(server_test.COVEC, self.folder, capabilities=VERSIONED)
        self.clients.append(c)
        c.open("main.covec", "x = True\n")
        c.change("main.covec", "\n\nx = True\n")
        self.assertEqual(self.ask((0, 5), client=c), [])
        (action,) = self.ask((2, 5), client=c)
        (change,) = action["edit"]["documentChanges"]
        self.assertEqual(change["textDocument"], {"uri": c.uri("main.covec"), "version": 2})
        self.assertEqual(apply_edits("\n\nx = True\n", change["edits"]), "\n\nx = true\n")
        self.assertNotIn("changes", action["edit"])
        c.change("main.covec", "x = true\n")
        self.assertEqual(self.ask((0, 5), client=c), [])
        self.end(c)
        self.end(self.client)


if __name__ == "__main__":
    server_test.COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
