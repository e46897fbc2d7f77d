#!/usr/bin/env python3
"""covec check: what it finds and where; and the JSON of covec check, covec FILE and covec test, held against the schema of
docs/tools.md.

    check_test.py COVEC DOCS_FOLDER
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COVEC = ""
SCHEMA = {}


def schema_in(page):
    blocks = re.findall(r"^```json\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    return next(each for each in map(json.loads, blocks) if "$schema" in each)


KINDS = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}


def require(value, schema, where=""):
    """The part of JSON Schema that the page uses; a keyword that is not known is an error."""
    if "$ref" in schema:
        return require(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], where)
    for keyword, wanted in schema.items():
        right = {
            "$schema": lambda: True,
            "$defs": lambda: True,
            "type": lambda: any(isinstance(value, KINDS[kind]) for kind in ([wanted] if isinstance(wanted, str) else wanted)),
            "enum": lambda: value in wanted,
            "required": lambda: value is None or all(name in value for name in wanted),
            "additionalProperties": lambda: value is None or (not wanted and set(value) <= set(schema["properties"])),
            "properties": lambda: value is None or all(require(value[name], part, f"{where}.{name}") for name, part in wanted.items() if name in value),
            "items": lambda: value is None or all(require(item, wanted, f"{where}[]") for item in value),
            "minItems": lambda: value is None or len(value) >= wanted,
            "maxItems": lambda: value is None or len(value) <= wanted,
            "minimum": lambda: value is None or value >= wanted,
            "pattern": lambda: re.search(wanted, value) is not None,
        }[keyword]()
        assert right, f"{where}: {value!r} is not as {keyword} says"
    return True


class Tools(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def covec(self, *arguments, given=None, **variables):
        done = subprocess.run([COVEC, *arguments], input=given, capture_output=True, text=True, cwd=self.folder, timeout=120,
                              env={"PATH": "/usr/bin:/bin", **variables})
        return done.returncode, done.stdout, done.stderr

    def objects(self, text):
        found = [json.loads(line) for line in text.splitlines()]
        for each in found:
            require(each, SCHEMA)
            for place in each["labels"] + each["also"] + [call for call in each["calls"] if call["bytes"]] + [each["fix"]] * bool(each["fix"]):
                self.check_place(place)
        return found

    def check_place(self, place):
        """Bytes, line and column say the same."""
        path = self.folder / place["file"]
        if not path.is_file():
            return
        before = path.read_bytes()[:place["bytes"][0]].decode()
        self.assertEqual((place["line"], place["column"]), (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1))

    def text_at(self, place):
        return (self.folder / place["file"]).read_bytes()[slice(*place["bytes"])].decode()

    def checked(self, text, *arguments, status=1):
        """What `covec check --json` says of a text: codes with what they mark."""
        self.write("a.covec", text)
        code, out, err = self.covec("check", "--json", *arguments, "a.covec")
        self.assertEqual((code, err), (status, ""), text + out)
        self.found = self.objects(out)
        return [(each["code"], self.text_at(each["labels"][0])) for each in self.found]


class Check(Tools):
    def test_nothing_runs(self):
        self.write("lib.covec", 'write_text("ran.txt", "lib")\nfn f(x) = x\n')
        self.assertEqual(self.checked('import lib\nwrite_text("ran.txt", "a")\nprint(lib.f(1))\nerror("never")\n', status=0), [])
        self.assertFalse((self.folder / "ran.txt").exists())

    def test_syntax_errors(self):
        self.assertEqual(self.checked("x = (1,\ny = 2\n")[0][0], "unclosed_bracket")
        self.assertEqual([code for code, _ in self.checked("x = = 1\nprint(z)\ny = 2 + / 3\n")], ["expected_expression", "unknown_name", "expected_expression"])
        self.write("a.covec", b"x = 1\n\xff\n")
        code, out, _ = self.covec("check", "--json", "a.covec")
        self.assertEqual((code, [each["code"] for each in map(json.loads, out.splitlines())]), (1, ["invalid_utf8"]))

    def test_names_beside_syntax_errors(self):
        """One statement is broken in a middle function; the names of the first and the last one are told all the same."""
        text = """fn first(x) {
    return x + alpha
}
fn middle(x, y) {
    z = call(x,
             scale=2)
    BROKEN
    return z + y
}
fn call(x, scale=1) {
    return x * scale
}
fn last(x) {
    w = call(
        x,
        scale=3
    )
    return w + omega
}
"""
        for broken in ("z = x +", "z = call(x", "z = call(x,", "z = [1.0, 2.0", "z = {a: x", "z = x.", "z = x,,", 'z = "half', "z = f\"half {x", "z = = 3", "if x > 1",
                       "for z in", "z = x * (y", "import", "z = 3 4", "assert", "z = x[", "z = call(x))", "} z = 3", "while { z", "try { z = 1 }"):
            found = [each for each in self.checked(text.replace("BROKEN", broken)) if each[0] == "unknown_name"]
            self.assertIn(("unknown_name", "alpha"), found, broken)
            self.assertLessEqual(set(found), {("unknown_name", "alpha"), ("unknown_name", "omega")}, broken)
            self.assertGreater(len(self.found), len(found), broken)
            if not broken.startswith("}") and "{" not in broken:
                self.assertIn(("unknown_name", "omega"), found, broken)

    def test_names_that_a_broken_statement_may_bind(self):
        for broken in ("lost = 1 + )", "lost, other = (1", "fn lost(x = {", "import lost as", 'lost = "half', "for lost in {", "lost = f'{x"):
            found = self.checked(f"{broken}\nprint(lost)\n")
            self.assertNotIn("unknown_name", [code for code, _ in found], broken)
        for broken in ("fn f(a, lost", "lost 10", "lost, other 1, 2", "= 10", "other, = 1", "fn g x, lost) {\n    return lost\n}", "lost(1) = 3; lost = 1 2",
                       "try { x = 1 } catch lost } { print(lost) }", "if x > { lost = 3 }", "lost = $3", 'import "a.covec" lost as'):
            found = self.checked(f"x = 1\n{broken}\nprint(lost)\n")
            self.assertNotIn("unknown_name", [code for code, _ in found], broken)

    def test_names_that_a_broken_statement_only_reads(self):
        for broken in ("x = lost +", "x = f(lost", "x = f(lost=1, 2", "print(lost x)", "x = [lost", "return lost lost"):
            found = self.checked(f"fn f(a, b) = a\n{broken}\nprint(lost)\n")
            self.assertIn(("unknown_name", "lost"), found, broken)
        self.assertEqual(self.checked("fn f(x) {\n    = 10\n    return lost\n}\nfn g(x) = lost\n")[1:], [("unknown_name", "lost")])
        self.assertEqual([place["line"] for place in self.found[1]["labels"]], [5], "a statement without a target may bind any name of its function")

    def test_statements_that_are_wrong_in_themselves(self):
        self.assertEqual(self.checked("f(x) = 3\nprint(a)\nfn g(x, x) = b\nprint(g(1, 2))\nc = 1, 2, d\n"),
                         [("bad_target", "f(x)"), ("unknown_name", "a"), ("duplicate_parameter", "x"), ("unknown_name", "d")])
        self.assertEqual(self.checked("for f(1) in xs {\n    x = 1, 2, 3\n    print(c)\n    y = 1\n}\nprint(y, d)\n"), [("bad_target", "f(1)"), ("unknown_name", "d")])
        self.assertEqual([code for code, _ in self.checked("a = b = 3\nx = 1 2\nprint(a, c)\n")], ["chained_assignment", "run_on", "unknown_name"])

    def test_what_is_missing_is_no_other_error(self):
        """Arguments, warnings and `return` depend on what could not be read."""
        self.assertEqual(self.checked("fn f(x = {\n    return x\n}\nsin(1, 2)\n1 + 2\n")[1:], [])
        self.assertEqual([code for code, _ in self.checked("x = = 1\nsin(1, 2)\nfn f(pi) = pi\n")], ["expected_expression"])

    def fixed(self, text, status=0):
        """The text after `covec check --fix`, which a second call leaves alone."""
        self.write("a.covec", text)
        self.assertEqual(self.covec("check", "--fix", "a.covec")[0], status, text)
        result = (self.folder / "a.covec").read_text(encoding="utf-8")
        code, _, err = self.covec("check", "--fix", "a.covec")
        self.assertEqual((code, err, (self.folder / "a.covec").read_text(encoding="utf-8")), (status, "", result), "a second call")
        return result

    def test_fixes(self):
        self.write("lib/helper.covec", "fn f(x) = x\nrate = 0.5\n")
        for text, result in (
                ('import "lib/helper.covec"\nprint(helper.f(1))\n', 'import "lib/helper.covec" as helper\nprint(helper.f(1))\n'),
                ('import "lib/helper.covec" as h\nprint(h.rat)\n', 'import "lib/helper.covec" as h\nprint(h.rate)\n'),
                ("import nn\nx = optim.adam\nprint(nn, x)\n", "import optim\nimport nn\nx = optim.adam\nprint(nn, x)\n"),
                ("#!/usr/bin/covec\n# What it does.\n\nprint(nn.dense)\n", "#!/usr/bin/covec\n# What it does.\n\nimport nn\nprint(nn.dense)\n"),
                ("# About f.\nfn f(x) = nn.dense(x)\n", "import nn\n# About f.\nfn f(x) = nn.dense(x)\n"),
                ("#!/usr/bin/covec\nprint(nn.dense)\n", "#!/usr/bin/covec\nimport nn\nprint(nn.dense)\n"),
                ("\ufeffprint(nn.dense)", "\ufeffimport nn\nprint(nn.dense)"),
                ("länge = 1\nprint(läng, läng)\n", "länge = 1\nprint(länge, länge)\n"),
                ("x := [1, 2\n# more\ny := sum(x\n", "x = [1, 2]\n# more\ny = sum(x)\n"),
                ("fn f(x)\n    return x\n}\nprint(f(True\n", "fn f(x) {\n    return x\n}\nprint(f(True\n"),
                ("@tset\nfn f() { assert not False }\n", "@test\nfn f() { assert not false }\n"),
                ("x = 3\r\ny = !x\r\n", "x = 3\r\ny = not x\r\n")):
            with self.subTest(text):
                self.write("a.covec", text)
                status = 0 if "print(f(True" not in text else 1
                self.assertEqual(self.fixed(text, status).replace("\r", ""), result.replace("\r", ""))
        self.assertEqual((self.folder / "a.covec").read_bytes(), b"x = 3\r\ny = not x\r\n")

    def test_an_inserted_line_ends_as_the_others(self):
        for text, result in (
                (b"x = 1\r\nprint(nn.dense)\r\n", b"import nn\r\nx = 1\r\nprint(nn.dense)\r\n"),
                (b"print(nn.dense)\r\n", b"import nn\r\nprint(nn.dense)\r\n"),
                (b"# A text.\r\n\r\nprint(nn.dense)\r\n", b"# A text.\r\n\r\nimport nn\r\nprint(nn.dense)\r\n"),
                (b"print(nn.dense)", b"import nn\nprint(nn.dense)")):
            self.write("a.covec", text)
            self.assertEqual(self.covec("check", "--fix", "a.covec")[0], 0)
            self.assertEqual((self.folder / "a.covec").read_bytes(), result)

    def test_no_fix_where_there_is_a_choice(self):
        for text in ("x = f(g(1\n", "x = 1 +\ny = 2\n", "x = [1,\n     2\ny = 3\n", "aa = 1\nprint(np.zeros(3))\n", "x = 1, 2\nprint(unknown_and_far)\n",
                     "import 'no-name.covec'\n", "import '1st.covec'\n", "import 'fn.covec'\n", "x = '\u2013\n", "sqare = 1\nprint(square(3))\n"):
            self.assertEqual(self.fixed(text, 1), text)

    def test_fixes_of_files_that_cannot_be_written(self):
        self.write("a.covec", "x := 1\n")
        self.assertEqual(self.covec("check", "--fix", "-", given="x := 1\n")[:2], (2, ""))
        code, out, err = self.covec("check", "--fix", ".", "a.covec")
        self.assertEqual((code, out, err), (0, "", "./a.covec: 1 fix\n"))
        self.write("sub/b.covec", "x := 1\n")
        os.chmod(self.folder / "sub", 0o555)
        self.addCleanup(os.chmod, self.folder / "sub", 0o755)
        if os.geteuid() != 0:
            self.assertEqual(self.covec("check", "--fix", "sub")[0], 2)

    def test_many_errors_are_kept(self):
        self.assertEqual(len(self.checked("".join(f"print(q{i})\n" for i in range(30)))), 30)
        self.assertEqual(len(self.checked("x = = 1\n" * 1200)), 1000)
        self.assertEqual(len(self.checked("".join(f"print(unknown{i})\n" for i in range(1200)))), 1000)
        code, out, err = self.covec("--json", "a.covec")
        self.assertEqual((code, out, len(self.objects(err))), (1, "", 20), "a run shows 20")

    def test_an_unknown_name_is_one_error(self):
        self.assertEqual(self.checked("print(a)\nfn f(x) = a + x\nprint(b, ä, a)\n"), [("unknown_name", "a"), ("unknown_name", "b"), ("unknown_name", "ä")])
        self.assertEqual([self.text_at(place) + str(place["line"]) for place in self.found[0]["also"]], ["a2", "a3"])
        self.assertEqual([each["also"] for each in self.found[1:]], [[], []])

    def test_errors_and_warnings_in_the_order_of_the_text(self):
        text = "print(first)\nx = list()\nfn f(x) { x + 1 }\nsin(1.0, 2.0)\nprint(last)\n"
        codes = [code for code, _ in self.checked(text)]
        self.assertEqual((codes[0], codes[-1]), ("unknown_name", "unknown_name"))
        self.assertGreater(len(codes), 2)
        places = [each["labels"][0]["bytes"][0] for each in self.found]
        self.assertEqual(places, sorted(places))

    def test_warnings_and_strict(self):
        text = "fn f(pi) = pi + 1\nprint(f(2))\n"
        self.assertEqual(self.checked(text, status=0), [("hides_constant", "pi")])
        self.assertEqual(self.found[0]["severity"], "warning")
        self.checked(text, "--strict", status=1)
        self.checked("x = 1\n", "--strict", status=0)

    def test_what_nothing_reads(self):
        text = """import nn
import optim
import stats
fn early() = stats.normal
fn f(a, b, *rest) {
    import fft
    y = 2
    y = 3
    _z = 4
    for i in range(3) { k = i }
    (p, q) = (1, 2)
    count = 0
    count += 1
    a = 5
    used = 3
    g = t -> t + used
    xs = zeros(3)
    xs[0] = 1
    fn never() = 1
    both = 1
    for both in range(3) { }
    xs.push(list(1))
    try { v = 1 } catch err { }
}
fn h(x: f64[n]) {
    s = n
    inner = 3
    options = 1
    fn deep(y, z=options) { return inner }
    [0 for late in range(late_end(x))]
    return f"{s:.2f}"
}
top = optim.adam
late_end = x -> 3
"""
        self.assertEqual([each for each in self.checked(text.replace("    [0", "    _q = [0").replace("    xs.push(list(1))\n", ""), status=0)],
                         [("unread_import", "import nn"), ("unread_import", "import fft"), ("unread_variable", "y"), ("unread_variable", "k"),
                          ("unread_variable", "count"), ("unread_variable", "g"), ("unread_variable", "xs"), ("unread_variable", "v")])
        self.assertEqual({each["severity"] for each in self.found}, {"warning"})
        self.assertEqual(self.covec("a.covec"), (0, "", ""), "a run does not tell")
        self.assertEqual(self.checked("import optim\nx = = 1\n")[0][0], "expected_expression", "the broken statement may read it")
        self.assertEqual([code for code, _ in self.checked("import none_such\n")], ["module_not_found"])

    def test_what_is_never_reached(self):
        for block, marked in (("return 1\n    x = 2\n    x = 3", "x = 2"), ("while true {\n        break\n        print(1)\n    }", "print(1)"),
                              ("if x { return 1 } else if x > 1 { return 3 } else { return 2 }\n    print(2)", "print(2)"),
                              ("try { return 1 } catch { return 2 }\n    print(3)", "print(3)"),
                              ("for i in x { if i { continue } else { break }\n print(4) }", "print(4)")):
            found = self.checked(f"fn f(x) {{\n    {block}\n}}\n", status=0)
            self.assertIn(("unreachable", marked), found, block)
            self.assertEqual([code for code, _ in found].count("unreachable"), 1, block)
        for block in ("if x { return 1 }\n    print(2)", "if x { return 1 } else { print(1) }\n    print(2)", "for i in x { break }\n    print(2)",
                      "while x { return 1 }\n    print(2)", "try { return 1 } catch { print(1) }\n    print(2)", "g = y -> { return 1 }\n    print(g)"):
            self.assertEqual(self.checked(f"fn f(x) {{\n    {block}\n}}\n", status=0), [], block)

    def test_members_of_modules(self):
        self.write("lib.covec", "fn f(x) = x\nrate = 0.5\nif rate > 1 { late = 1 }\n")
        self.assertEqual(self.checked("import lib\nprint(lib.f(1), lib.rate, lib.late)\nprint(lib.g(1), lib.rat, lib.g)\n"),
                         [("module_name", "g"), ("module_name", "rat")])
        self.assertEqual([self.text_at(place) for place in self.found[0]["also"]], ["g"])
        self.assertEqual(self.found[1]["hint"], "did you mean `rate`?")
        self.assertEqual(self.checked("import optim\nprint(optim.adam, optim.adams)\n"), [("module_name", "adams")])
        self.assertEqual(self.checked('import "lib.covec" as l\nprint(l.g)\n'), [("module_name", "g")])

    def test_members_inside_of_functions(self):
        self.write("lib.covec", "fn f(x) = x\n")
        for text in ("import lib\nfn h(x) = lib.g(x)\n", "import lib\nfn h(x) {\n    k = y -> lib.g(y)\n    return k(x)\n}\n",
                     "fn h(x) {\n    import lib\n    return lib.g(x)\n}\n", "fn h(x) {\n    import lib\n    fn k(y, z=lib.g) = z(y)\n    return k(x)\n}\n",
                     "fn h(x) {\n    import lib\n    k = y -> (z -> lib.g(z))(y)\n    return k(x)\n}\n",
                     "import lib\nx = [lib.g(i) for i in range(3)]\n", "import lib\nx = list(0)\nx[lib.g] = 1\n", 'import lib\nprint(f"{lib.g}")\n',
                     "import lib\nwhile lib.g { if true { } else if lib.g { } }\n".replace("{ }", "{ print(1) }")):
            self.assertEqual(self.checked(text), [("module_name", "g")], text)

    def test_names_that_something_else_may_bind(self):
        self.write("lib.covec", "fn f(x) = x\n")
        for text in ("import lib\nlib = {g: 1}\nprint(lib.g)\n", "if time() > 0 { import lib } else { lib = {g: 1} }\nprint(lib.g)\n",
                     "import lib\nfn h(lib) = lib.g\n", "import lib\nprint(list(lib.g for lib in list({g: 1})))\n",
                     "import lib\nfor lib in list({g: 1}) { print(lib.g) }\n", "fn h(x) {\n    import lib\n    lib = {g: x}\n    return lib.g\n}\n",
                     "import lib\ntry { error(\"no\") } catch lib { print(lib.message) }\n"):
            self.assertEqual([each for each in self.checked(text, status=0) if each[0] == "module_name"], [], text)

    def test_modules_that_are_missing_or_wrong(self):
        self.assertEqual(self.checked("import nothing\nprint(nothing.f)\n"), [("module_not_found", "import nothing")])
        self.assertEqual(self.checked('import "no/such.covec" as n\n')[0][0], "module_not_found")
        self.write("bad.covec", "x = 1\nfn f( {\n")
        self.assertEqual(self.checked("import bad\nprint(bad.f, bad.x)\n", status=0), [("module_errors", "import bad")])
        self.assertIn("bad.covec:2:", self.found[0]["notes"][0])
        self.write("bad.covec", "x = unknown\n")
        self.assertEqual(self.checked("import bad\nprint(bad.f)\n", status=0), [("module_errors", "import bad")])
        self.write("lib/part.covec", "import helper\nx = helper.nothing\n")
        self.write("lib/helper.covec", "y = 1\n")
        self.assertEqual(self.checked('import "lib/part.covec" as p\nprint(p.x)\n', status=0), [], "a module's own members are its own check")
        self.write("optim.covec", "x = 1\n")
        self.assertEqual(self.checked("import optim\n", status=0), [("builtin_module", "import optim")])

    def test_modules_are_found_as_by_a_run(self):
        self.write("deep/lib.covec", "x = 1\n")
        self.write("deep/a.covec", "import lib\nprint(lib.x, lib.y)\n")
        code, out, _ = self.covec("check", "--json", "deep/a.covec")
        self.assertEqual((code, [each["code"] for each in self.objects(out)]), (1, ["module_name"]))
        self.write("b.covec", "import lib\nprint(lib.y)\n")
        code, out, _ = self.covec("check", "--json", "b.covec")
        self.assertEqual([each["code"] for each in self.objects(out)], ["module_not_found"])
        code, out, _ = self.covec("check", "--json", "b.covec", COVEC_PATH=str(self.folder / "deep"))
        self.assertEqual([each["code"] for each in self.objects(out)], ["module_name"])

    def test_files_folders_and_standard_input(self):
        self.write("one.covec", "print(a)\n")
        self.write("sub/two.covec", "print(b)\n")
        self.write("sub/other.txt", "print(c)\n")
        code, out, _ = self.covec("check", "--json", ".", "one.covec")
        self.assertEqual((code, [each["labels"][0]["file"] for each in self.objects(out)]), (1, ["./one.covec", "./sub/two.covec", "one.covec"]))
        code, out, _ = self.covec("check", "--json", "sub/other.txt")
        self.assertEqual((code, len(self.objects(out))), (1, 1))
        code, out, _ = self.covec("check", "--json", "-", given="import one\nprint(x)\n")
        found = self.objects(out)
        self.assertEqual((code, [(each["code"], each["labels"][0]["file"]) for each in found]),
                         (1, [("module_errors", "<standard input>"), ("unknown_name", "<standard input>")]))
        self.assertEqual(self.covec("check", "-", given="x = 1\n"), (0, "", ""))

    def test_as_text(self):
        self.write("a.covec", "x = 1\nprint(y)\n")
        self.assertEqual(self.covec("check", "a.covec"), (1, self.covec("a.covec")[2], ""), "what a run says")
        self.assertIn("error: unknown name `y`\n  --> a.covec:2:7\n", self.covec("check", "a.covec")[1])
        self.write("a.covec", "x = 1\n")
        self.assertEqual(self.covec("check", "a.covec"), (0, "", ""))

    def test_usage(self):
        self.write("a.covec", "x = 1\n")
        for arguments in (["check"], ["check", "none.covec"], ["check", "a.covec", "none"], ["check", "--no", "a.covec"], ["--json", "check", "a.covec"],
                          ["--json", "dump", "--core", "a.covec"]):
            code, out, err = self.covec(*arguments)
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertNotEqual(err, "", arguments)

    def test_exit_status(self):
        """The table of docs/tools.md."""
        self.write("good.covec", "x = 1\n")
        self.write("bad.covec", "x = [1][5]\n")
        self.write("wrong.covec", "x = = 1\n")
        self.write("ends.covec", "exit(7)\n")
        self.write("test.covec", "@test\nfn t() { assert true }\n")
        self.write("fails.covec", "@test\nfn t() { assert false }\n")
        for status, commands in ((0, ("good.covec", "-e 1", "test test.covec", "check good.covec bad.covec", "verify good.covec", "verify bad.covec", "doc sin",
                                      "dump --core good.covec", "cache")),
                                 (1, ("bad.covec", "none.covec", "-e q", "test fails.covec", "test good.covec", "check wrong.covec", "doc nothing", "dump --core none.covec",
                                      "emit none.covec:f")),
                                 (2, ("--nonsense", "test none", "check none", "check", "verify none.covec", "verify wrong.covec", "dump", "emit", "cache more")),
                                 (7, ("ends.covec",))):
            for command in commands:
                self.assertEqual(self.covec(*command.split())[0], status, command)

    def test_else_if_without_end(self):
        text = "x = 1\nif x == 0 { print(0) }" + "".join(f" else if x == {i} {{ print({i}) }}" for i in range(1, 20000)) + "\n"
        self.assertEqual(self.checked(text, status=0), [])


class Json(Tools):
    def test_a_run(self):
        self.write("a.covec", 'fn f(x) {\n    assert x > 1, "too small"\n}\nprint("before", 1)\nprint("é", to="stderr")\nf(0)\n')
        code, out, err = self.covec("--json", "a.covec")
        self.assertEqual((code, out), (1, "before 1\n"))
        first, *rest = err.splitlines()
        self.assertEqual(first, "é")
        (found,) = self.objects("\n".join(rest))
        self.assertEqual((found["severity"], self.text_at(found["labels"][0])), ("error", "x > 1"))
        self.assertEqual([(call["function"], self.text_at(call)) for call in found["calls"]], [("f(x)", "f(0)")])

    def test_kinds_of_runs(self):
        for arguments, given in ((["--json", "-e", "1 +"], None), (["--json", "-e", "[1, 2][5]"], None), (["--json"], "print(q)\n"), (["--json", "none.covec"], None)):
            code, out, err = self.covec(*arguments, given=given)
            self.assertEqual((code, out), (1, ""), arguments)
            self.assertEqual([each["severity"] for each in self.objects(err)], ["error"], arguments)
        self.assertEqual(self.covec("--json", "-e", "1 + 1"), (0, "2\n", ""))
        self.assertEqual(self.covec("--json", "-e", "exit(3)"), (3, "", ""))

    def test_warnings_of_a_run(self):
        self.write("t.csv", "a\n12345678901234567891\n")
        self.write("a.covec", 'fn f(pi) = pi\nprint(read_csv("t.csv", header=true).shape)\n')
        code, out, err = self.covec("--json", "a.covec")
        self.assertEqual((code, out), (0, "(1, 1)\n"))
        self.assertEqual([(each["severity"], each["code"]) for each in self.objects(err)], [("warning", "hides_constant"), ("warning", "warning")])

    def test_what_errors_hold_is_quoted(self):
        self.write("a.covec", 'error("a \\"b\\" \\\\ \\t\\u{1}é\\n")\n')
        _, _, err = self.covec("--json", "a.covec")
        self.assertIn('a "b" \\ ', json.loads(err)["message"])

    def test_texts_of_the_program_may_have_line_ends(self):
        for text, message in (('error("a\\nb")', "a\nb"), ('error("a\\r\\n")', "a\r\n"), ('error("")', ""),
                              ('assert 1 > 2, "a\\nb"', "assertion failed: a\nb"), ('x = {a: 1}\nx["p\\nq"]', "the record has no field `p\nq`")):
            self.write("a.covec", text + "\n")
            self.write("t.covec", "@test\nfn t() {\n" + text + "\n}\n")
            for arguments, stream in ((["--json", "a.covec"], 2), (["test", "--json", "t.covec"], 1)):
                (found,) = self.objects(self.covec(*arguments)[stream].removesuffix("\n"))
                self.assertEqual(found["message"], message, arguments)

    def test_errors_of_tests(self):
        self.write("t.covec", '@test\nfn good() { assert 1 < 2 }\n@test\nfn bad() {\n    print("from bad")\n    assert 2 < 1, "wrong"\n}\n@test\nfn worse() { [1][3] }\n')
        self.write("u.covec", "print(1)  # expect: 2\n")
        self.write("v.covec", "print(\n")
        self.write("w.covec", "print(1)  # expect: 1\nfn f(pi) = pi\n")
        code, out, err = self.covec("test", "--json")
        self.assertEqual(code, 1)
        found = self.objects(out)
        self.assertEqual([(each["severity"], each["labels"][0]["file"]) for each in found],
                         [("error", "./t.covec"), ("error", "./t.covec"), ("error", "./u.covec"), ("warning", "./w.covec")])
        self.assertEqual(found[2]["code"], "unexpected_output")
        self.assertEqual(self.text_at(found[0]["labels"][0]), "2 < 1")
        for part in ("from bad", "FAIL  ./t.covec bad", "ok    ./t.covec good", "2 passed, 3 failed"):
            self.assertIn(part, err)
        code, out, err = self.covec("test", "--json", "w.covec", "-k", "output")
        self.assertEqual((code, len(self.objects(out))), (0, 1))


class Schema(unittest.TestCase):
    def test_it_refuses(self):
        """The validator itself: what is wrong in one field only."""
        right = {"code": "a", "severity": "error", "message": "m", "notes": [], "hint": None, "fix": None, "also": [], "calls": [],
                 "labels": [{"file": "a", "bytes": [0, 1], "line": 1, "column": 1, "text": ""}]}
        require(right, SCHEMA)
        place = right["labels"][0]
        for change in ({"code": 1}, {"severity": "note"}, {"message": 1}, {"more": 1}, {"labels": [{**place, "line": 0}]}, {"labels": [{**place, "bytes": [1]}]},
                       {"labels": [{"file": "a"}]}, {"hint": 3}, {"fix": "x"}, {"fix": {"text": "x"}}, {"fix": {**place, "text": 3}}, {"also": [place]}, {"calls": [place]}):
            with self.assertRaises(AssertionError, msg=str(change)):
                require({**right, **change}, SCHEMA)
        with self.assertRaises(AssertionError):
            require({name: value for name, value in right.items() if name != "fix"}, SCHEMA)


if __name__ == "__main__":
    SCHEMA = schema_in(pathlib.Path(sys.argv.pop(2)) / "tools.md")
    COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
