#!/usr/bin/env python3
"""covec lsp, as a client sees it: what the protocol demands, and every request on a project of four files.

    server_test.py COVEC
"""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from client import Client
from project import FILES, place, write

COVEC = ""
SEEN_WITHIN = 10  # seconds for a change on disk; the server looks once a second


class Server(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        write(self.folder)
        self.clients = []
        self.addCleanup(lambda: [client.process.kill() or client.wait() for client in self.clients])

    def start(self, **options):
        self.clients.append(Client(COVEC, self.folder, **options))
        return self.clients[-1]

    def end(self, client):
        self.clients.remove(client)
        self.assertEqual(client.close(), 0)
        self.assertEqual(client.errors, b"")


class Protocol(Server):
    def test_the_life_of_a_server(self):
        c = self.start(initialize=False)
        self.assertEqual(c.refused("textDocument/hover", **c.at("main.covec", 0, 0))["code"], -32002)
        c.tell("textDocument/didOpen", textDocument={"uri": c.uri("main.covec"), "version": 1, "text": "x = y"})  # is not heard
        answer = c.ask("initialize", capabilities={})
        version = subprocess.run([COVEC, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.assertEqual(answer["serverInfo"], {"name": "covec", "version": version})
        self.assertEqual(answer["capabilities"]["positionEncoding"], "utf-16")
        self.assertIsNone(c.ask("textDocument/hover", **c.at("main.covec", 0, 0)))
        self.assertIsNone(c.ask("shutdown"))
        self.assertEqual(c.refused("textDocument/hover", **c.at("main.covec", 0, 0))["code"], -32600)
        c.tell("exit")
        self.clients.remove(c)
        self.assertEqual((c.wait(), c.errors), (0, b""))

    def test_unknown_methods_and_wrong_messages(self):
        c = self.start()
        self.assertEqual(c.refused("textDocument/teleport")["code"], -32601)
        c.tell("$/unheardOf")
        self.assertEqual(c.refused("textDocument/hover")["code"], -32602)
        self.assertEqual(c.refused("textDocument/hover", textDocument={"uri": 3}, position=4)["code"], -32602)
        self.assertIsNone(c.ask("textDocument/hover", **c.at("never_opened.covec", 0, 0)))
        for body, code in ((b"{]", -32700), (b"", -32700), (b"\xff\xfe", -32700), (b"[1]", -32600), (b"7", -32600),
                           (b'{"id": [], "method": "shutdown"}', -32600), (b'{"id": 1, "method": 5}', -32600)):
            c.send_bytes(body)
            answer = c.receive()
            self.assertEqual((answer["id"], answer["error"]["code"]), (None, code), body)
        c.send_bytes(b'{"method": "textDocument/didOpen"}')
        c.send_bytes(b'{"method": "textDocument/didChange", "params": {"textDocument": []}}')
        c.send_bytes(b'{"id": 99, "result": null}')
        c.send_bytes(b'{"id": "a", "method": "textDocument/hover", "params": [1]}')
        self.assertEqual(c.answer("a")["error"]["code"], -32602)
        self.end(c)

    def test_headers(self):
        c = self.start()
        body = json.dumps({"id": 1000, "method": "nothing"}).encode()
        c.process.stdin.write(b"content-length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" % len(body))
        c.process.stdin.flush()
        for byte in body:
            c.process.stdin.write(bytes([byte]))
            c.process.stdin.flush()
        self.assertEqual(c.answer(1000)["error"]["code"], -32601)
        self.end(c)

    def test_a_header_without_an_end_is_no_message(self):
        c = self.start()
        self.clients.remove(c)
        with contextlib.suppress(BrokenPipeError):  # it may leave before it has been sent all
            c.process.stdin.raw.write(b"x" * 100000)
        self.assertEqual(c.wait(), 1)

    def test_closed_pipes(self):
        for closed in ("stdin", "stdout"):
            with self.subTest(closed):
                c = self.start()
                c.open("main.covec")
                getattr(c.process, closed).close()
                if closed == "stdout":
                    c.change("main.covec", "x = y")  # what is told of it cannot be
                    self.assertEqual(c.process.wait(timeout=20), 1)
                self.clients.remove(c)
                c.process.stdin.close()
                self.assertEqual(c.process.wait(timeout=20), 1)
                c.watchdog.cancel()
                self.assertEqual(c.process.stderr.read(), b"")
                for pipe in (c.process.stdout, c.process.stderr):
                    pipe.close()

    def test_requests_are_cancelled(self):
        c = self.start()
        c.open("main.covec", "fn f(x) = x\n" * 3000)
        c.change("main.covec", "fn f(x) = x + 1\n" * 3000)
        first = c.request("textDocument/documentSymbol", textDocument={"uri": c.uri("main.covec")})
        second = c.request("textDocument/documentSymbol", textDocument={"uri": c.uri("main.covec")})
        c.tell("$/cancelRequest", id=second)
        c.tell("$/cancelRequest", id=4000)
        self.assertEqual(len(c.answer(first)["result"]), 3000)
        self.assertEqual(c.answer(second)["error"]["code"], -32800)
        self.end(c)

    def test_nothing_of_a_program_runs(self):
        c = self.start()
        touched = self.folder / "touched.csv"
        util = f'write_csv("{touched}", {{a: [1]}})\nprint("hello")\nfn scale(x, by=1) = x\n'
        c.open("util.covec", util)
        c.open("main.covec", f'import util\nwrite_csv("{touched}", {{a: [1]}})\nwhile true {{ }}\nprint(util.scale(1))\n')
        c.ask("textDocument/completion", **c.at("main.covec", 3, 11))
        c.ask("textDocument/hover", **c.at("main.covec", 3, 12))
        self.end(c)
        self.assertFalse(touched.exists())


class Problems(Server):
    def test_of_texts_that_are_open(self):
        c = self.start()
        self.assertEqual(c.open("main.covec"), [])
        self.assertEqual(c.open("lib/shapes.covec"), [])
        c.change("main.covec", FILES["main.covec"].replace("twice(1,", "twise(1,") + "twise(2)\n")
        line, begin = place("main.covec", "twice(1,")
        found = c.problems("main.covec")
        self.assertEqual(found[1], {
            "range": {"start": {"line": line, "character": begin}, "end": {"line": line, "character": begin + 5}},
            "severity": 1, "code": "unknown_name", "source": "covec",
            "message": "unknown name `twise`\nhint: did you mean `twice`?"})
        self.assertEqual([each["range"]["start"]["line"] for each in found], [line + 2, line])  # its other use, too
        self.end(c)

    def test_places_have_related_ones(self):
        c = self.start()
        (found,) = c.open("main.covec", "x = [1, 2)\n")
        place_of = lambda character: {"start": {"line": 0, "character": character}, "end": {"line": 0, "character": character + 1}}
        self.assertEqual((found["code"], found["range"]), ("mismatched_bracket", place_of(9)))
        self.assertEqual(found["relatedInformation"],
                         [{"location": {"uri": c.uri("main.covec"), "range": place_of(4)}, "message": "opened here"}])
        self.end(c)

    def test_warnings(self):
        c = self.start()
        (found,) = c.open("main.covec", "1 + 2\n")
        self.assertEqual((found["severity"], found["code"]), (2, "unused_value"))
        self.end(c)

    def test_unsaved_texts_win(self):
        c = self.start()
        c.open("main.covec")
        c.open("util.covec")
        c.change("util.covec", "fn other(x) = x\n")
        self.assertEqual(c.problems("util.covec"), [])
        self.assertEqual([each["code"] for each in c.problems("main.covec")], ["module_name"])
        c.tell("textDocument/didClose", textDocument={"uri": c.uri("util.covec")})  # the file is as it was
        self.assertEqual(c.problems("main.covec"), [])
        self.end(c)

    def test_a_module_that_is_not_saved_yet(self):
        c = self.start()
        self.assertEqual([each["code"] for each in c.open("main.covec", "import fresh\nprint(fresh.f(1))\n")], ["module_not_found"])
        c.open("fresh.covec", "fn f(x) = x\n")
        self.assertEqual(c.problems("main.covec"), [])
        self.end(c)

    def test_changes_on_disk_are_noticed(self):
        c = self.start()
        c.open("main.covec")
        (self.folder / "util.covec").write_text("fn other(x) = x\n")
        self.assertEqual([each["code"] for each in c.problems("main.covec")], ["module_name"])
        (self.folder / "util.covec").unlink()
        self.assertEqual([each["code"] for each in c.problems("main.covec")], ["module_not_found"])
        (self.folder / "util.covec").write_text(FILES["util.covec"])
        self.assertEqual(c.problems("main.covec"), [])
        self.end(c)

    def test_the_client_can_tell_of_changes_on_disk(self):
        c = self.start()
        c.open("main.covec")
        (self.folder / "util.covec").write_text("fn other(x) = x\n")
        c.tell("workspace/didChangeWatchedFiles", changes=[{"uri": c.uri("util.covec"), "type": 2}])
        self.assertEqual([each["code"] for each in c.problems("main.covec")], ["module_name"])
        self.end(c)

    def test_closed_texts_have_none(self):
        c = self.start()
        c.open("main.covec", "x = y\n")
        c.tell("textDocument/didClose", textDocument={"uri": c.uri("main.covec")})
        self.assertEqual(c.receive()["params"], {"uri": c.uri("main.covec"), "diagnostics": []})
        self.assertIsNone(c.ask("textDocument/documentSymbol", textDocument={"uri": c.uri("main.covec")}))
        self.end(c)

    def test_a_text_that_is_no_file(self):
        c = self.start()
        c.tell("textDocument/didOpen", textDocument={"uri": "untitled:Untitled-1", "version": 1, "text": "import optim\nx = optim.no\n"})
        params = c.receive()["params"]
        self.assertEqual((params["uri"], [each["code"] for each in params["diagnostics"]]), ("untitled:Untitled-1", ["module_name"]))
        self.end(c)

    def test_names_of_files(self):
        c = self.start()
        name = "a b%41 \u00e9.covec"
        (self.folder / name).write_text("x = y\n")
        self.assertEqual([each["code"] for each in c.open(name)], ["unknown_name"])
        c.open("main.covec", f'import "{name}" as named\nprint(named.x)\n')
        self.end(c)


class Positions(Server):
    TEXT = 's = "\U0001F600\u00e9"; y = unknown\r\nt = "\U0001F600" + other\r'

    def columns(self, capabilities, *edits):
        """Where unknown names are, by the encoding that was agreed on, after edits of TEXT."""
        c = self.start(capabilities=capabilities)
        found = c.open("main.covec", self.TEXT)
        if edits:
            c.change("main.covec", *edits)
            found = c.problems("main.covec")
        self.end(c)
        places = [each["range"]["start"] for each in found]
        return c.capabilities["positionEncoding"], [(each["line"], each["character"]) for each in places]

    @staticmethod
    def range(*numbers):
        return {"start": {"line": numbers[0], "character": numbers[1]}, "end": {"line": numbers[2], "character": numbers[3]}}

    def test_utf16(self):
        self.assertEqual(self.columns({}), ("utf-16", [(0, 15), (1, 11)]))
        self.assertEqual(self.columns({"general": {"positionEncodings": ["utf-16"]}})[0], "utf-16")

    def test_utf8(self):
        self.assertEqual(self.columns({"general": {"positionEncodings": ["utf-8", "utf-16"]}}), ("utf-8", [(0, 18), (1, 13)]))

    def test_edits_count_likewise(self):
        edit = (self.range(0, 5, 0, 7), "abc")  # the character of two units
        self.assertEqual(self.columns({}, edit)[1], [(0, 16), (1, 11)])
        utf8 = {"general": {"positionEncodings": ["utf-8"]}}
        self.assertEqual(self.columns(utf8, (self.range(0, 5, 0, 9), "abc"))[1], [(0, 17), (1, 13)])

    def test_places_behind_ends(self):
        edits = [(self.range(0, 99, 1, 0), " "), (self.range(9, 9, 9, 9), "z = third")]
        self.assertEqual(self.columns({}, *edits)[1][-1], (1, 4))


class Symbols(Server):
    def test_outline(self):
        c = self.start()
        c.open("main.covec")
        found = c.ask("textDocument/documentSymbol", textDocument={"uri": c.uri("main.covec")})
        outline = [(each["name"], each["kind"], [inner["name"] for inner in each["children"]]) for each in found]
        self.assertEqual(outline, [("optim", 2, []), ("util", 2, []), ("shapes", 2, []), ("twice", 12, ["inner"]), ("p", 13, []),
                                   ("total", 13, []), ("state", 13, [])])
        twice = found[3]
        self.assertEqual(twice["detail"], "twice(x, times=2)")
        line, character = place("main.covec", "twice(x")
        self.assertEqual(twice["selectionRange"]["start"], {"line": line, "character": character})
        self.assertEqual(twice["range"], {"start": {"line": line, "character": 0}, "end": {"line": line + 4, "character": 1}})
        self.end(c)

    def test_outline_of_a_broken_text(self):
        c = self.start()
        c.open("main.covec", "fn f(x) {\n    y = x +\n    return y\n}\nz = (1\nfn g(x) = x\n")
        found = c.ask("textDocument/documentSymbol", textDocument={"uri": c.uri("main.covec")})
        self.assertEqual(found[0]["name"], "f")
        self.end(c)


class Hover(Server):
    def page(self, c, name, text, number=0):
        line, character = place(name, text, number)
        found = c.ask("textDocument/hover", **c.at(name, line, character))
        return found and found["contents"]["value"]

    def test_of_what_a_text_names(self):
        c = self.start()
        c.open("main.covec")
        manual = subprocess.run([COVEC, "doc", "sum"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.page(c, "main.covec", "sum("), manual)
        self.assertEqual(self.page(c, "main.covec", "twice(i)"),
                         "```covec\nfn twice(x, times=2)\n```\n\nDoubles a number.\n\n```covec\ntwice(2)  # 4\n```\n")
        self.assertEqual(self.page(c, "main.covec", "scale("), "```covec\nfn scale(x, by=factor)\n```\n\nScales a number.\n")
        self.assertEqual(self.page(c, "main.covec", "times\n"), "```covec\ntimes=2\n```\n\nA parameter of `twice(x, times=2)`.\n")
        self.assertEqual(self.page(c, "main.covec", "util."), "```covec\nimport util\n```\n\nHelpers of all.\n")
        self.assertTrue(self.page(c, "main.covec", "adam_init").startswith("```covec\nfn adam_init(p)\n```\n"))
        self.assertTrue(self.page(c, "main.covec", "for i").startswith("```covec\nfor i in range(n) { … }\n```\n"))
        self.assertIsNone(self.page(c, "main.covec", "total"))
        self.assertIsNone(self.page(c, "main.covec", "Learns"))
        self.assertIsNone(self.page(c, "main.covec", "+ y"))
        self.end(c)

    def test_of_methods_and_of_what_is_missing(self):
        c = self.start()
        c.open("main.covec", "import optim\nx = [1.0, 2.0]\nprint(x.mean(), optim.nothing, x.nothing)\nprint(\"sum for\")\n")
        at = lambda character, line=2: c.ask("textDocument/hover", **c.at("main.covec", line, character))
        self.assertTrue(at(9)["contents"]["value"].startswith("### `mean("))
        self.assertEqual(at(9)["range"], {"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 12}})
        self.assertEqual([at(23), at(34), at(8, line=3), at(12, line=3)], [None] * 4)
        self.end(c)


class TwoTexts(Server):
    def test_answers_are_of_the_text_that_is_asked_about(self):
        c = self.start()
        c.open("main.covec")
        c.open("util.covec")
        for round_ in range(20):
            c.change("main.covec", f"fn first{round_}(x) = x\nprint(second{round_})\n")
            c.change("util.covec", f"fn second{round_}(x) = x\nprint(first{round_})\n")
            asked = {name: c.request("textDocument/documentSymbol", textDocument={"uri": c.uri(name)})
                     for name in ("main.covec", "util.covec")}
            for name, word, other in (("main.covec", "first", "second"), ("util.covec", "second", "first")):
                self.assertEqual(c.answer(asked[name])["result"][0]["name"], f"{word}{round_}")
            found = {name: c.problems(name)[0]["message"].split("`")[1] for name in ("util.covec", "main.covec")}
            self.assertEqual(found, {"main.covec": f"second{round_}", "util.covec": f"first{round_}"})
        self.end(c)


class Completion(Server):
    def labels(self, c, text):
        """What is offered where `|` stands in the text."""
        before, after = text.split("|")
        c.change("main.covec", before + after)
        line = before.count("\n")
        found = c.ask("textDocument/completion", **c.at("main.covec", line, len(before) - before.rfind("\n") - 1))
        return [each["label"] for each in found["items"]]

    def setUp(self):
        super().setUp()
        self.client = self.start()
        self.client.open("main.covec")

    def test_names(self):
        text = FILES["main.covec"]
        inside = self.labels(self.client, text.replace("z + y", "z + |y"))
        for name in ("z", "y", "x", "times", "inner", "twice", "total", "util", "sum", "pi", "return"):
            self.assertIn(name, inside)
        self.assertNotIn("i", inside)  # of a comprehension elsewhere
        self.assertEqual(self.labels(self.client, text + "print(tw|"), ["twice"])
        self.assertEqual(self.labels(self.client, text + "tot|"), ["total"])
        self.assertEqual(self.labels(self.client, "fn f(abc) {\n    abd = abc +\n    ab|\n}\n"), ["abc", "abd", "abs", "abs2"])
        self.end(self.client)

    def test_kinds_and_details(self):
        c = self.client
        c.change("main.covec", FILES["main.covec"] + "\n")
        line = FILES["main.covec"].count("\n")
        items = {each["label"]: each for each in c.ask("textDocument/completion", **c.at("main.covec", line, 0))["items"]}
        self.assertEqual(items["twice"], {"label": "twice", "kind": 3, "detail": "twice(x, times=2)"})
        self.assertEqual(items["util"], {"label": "util", "kind": 9})
        self.assertEqual(items["total"], {"label": "total", "kind": 6})
        self.assertEqual(items["while"], {"label": "while", "kind": 14})
        self.assertEqual(items["inf"]["kind"], 21)
        self.assertEqual(items["sum"]["detail"], "sum(x, axis=none, keepdims=false)")
        self.end(c)

    def test_members(self):
        text = FILES["main.covec"]
        self.assertEqual(self.labels(self.client, text + "util.|"), ["factor", "scale"])
        self.assertEqual(self.labels(self.client, text + "util._|"), ["_hidden"])
        self.assertEqual(self.labels(self.client, text + "shapes.|\nx = 1\n"), ["area", "half"])
        self.assertEqual(self.labels(self.client, text + "print(optim.adam_|)"), ["adam_init"])
        self.assertEqual(self.labels(self.client, text + "p.wid|"), ["width"])
        fields = self.labels(self.client, text + "p.|")
        for name in ("width", "height", "shape", "T", "mean"):
            self.assertIn(name, fields)
        self.assertNotIn("print", fields)
        self.assertEqual(self.labels(self.client, "x = 1.|"), [])
        self.end(self.client)

    def test_modules_and_paths(self):
        self.assertEqual(self.labels(self.client, "import opt|"), ["optim"])
        self.assertEqual(self.labels(self.client, "import uti|"), ["util"])
        self.assertEqual(self.labels(self.client, 'import "|"'), ["lib/", "main.covec", "util.covec"])
        self.assertEqual(self.labels(self.client, 'import "lib/|"'), ["lib/other.covec", "lib/shapes.covec"])
        self.assertEqual(self.labels(self.client, 'print("lib/s|")'), ["lib/shapes.covec"])
        self.assertEqual(self.labels(self.client, 'print("su|")'), [])
        self.end(self.client)

    def test_named_arguments(self):
        text = FILES["main.covec"]
        self.assertEqual(self.labels(self.client, text + "twice(1, t|)")[:1], ["times="])
        self.assertEqual(self.labels(self.client, text + "util.scale(1, b|")[:1], ["by="])
        self.assertIn("keepdims=", self.labels(self.client, text + "sum(p, axis=0, ke|)"))
        self.assertIn("axis=", self.labels(self.client, text + "total.sum(a|)"))
        self.assertNotIn("axis=", self.labels(self.client, text + "sum(p, axis=0, a|)"))
        self.assertNotIn("x=", self.labels(self.client, text + "twice(1, |)"))
        self.end(self.client)

    def test_names_of_options(self):
        text = "import plot\nknown = (\"width\", \"height\")\nfn f(x, *rest, **options) {\n    check_names(options, known)\n    return x\n}\n"
        self.assertEqual(self.labels(self.client, text + "f(1, wid|)")[:1], ["width="])
        self.assertNotIn("width=", self.labels(self.client, text + "f(1, width=2, wi|)"))
        self.assertNotIn("options=", self.labels(self.client, text + "f(1, opt|)"))
        self.assertEqual(self.labels(self.client, text + "plot.line([1.0], xla|)"), ["xlabel="])
        for known in ('["width", "zoom"]', 'list("width", "zoom")', "keys({width: 1, zoom: 2})", "keys(record)", "names"):
            text = f"record = {{width: 1}}\nnames = keys(record)\nfn f(x, **o) = check_names(o, {known})\nf(1, wid|)"
            self.assertEqual(self.labels(self.client, text)[:1], ["width="], known)
        self.assertEqual(self.labels(self.client, "n = keys(n)\nfn f(**o) = check_names(o, n)\nf(wid|)"), [])
        self.end(self.client)

    def test_nothing_in_comments_strings_and_numbers(self):
        for text in ("# su|", 'x = "su|', "x = 12|", 'x = f"{1} su|'):
            self.assertEqual(self.labels(self.client, text), [], text)
        self.assertIn("sum", self.labels(self.client, 'x = f"{su|'))
        self.end(self.client)


if __name__ == "__main__":
    COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
