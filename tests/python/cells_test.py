"""The magic %%covec in a shell of IPython, in this process, and what notebooks show of values and errors."""
import base64
import copy
import html.parser
import os
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import covec

HOME = tempfile.TemporaryDirectory()
os.environ["IPYTHONDIR"] = HOME.name
try:
    from IPython.core.displaypub import CapturingDisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from traitlets.config import Config
except ImportError:
    raise SystemExit("there is no IPython (Debian: python3-ipykernel); tools/test installs it") from None


class Rows(html.parser.HTMLParser):
    """The cells of a table."""

    def __init__(self):
        super().__init__()
        self.rows, self.is_in_cell = [], False

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.is_in_cell = True

    def handle_endtag(self, tag):
        self.is_in_cell = self.is_in_cell and tag not in ("td", "th")

    def handle_data(self, text):
        if self.is_in_cell:
            self.rows[-1][-1] += text


class Unwilling:
    def __array__(self, *_, **__):
        raise KeyError("no")


def drawing_in(image):
    return base64.b64decode(re.fullmatch(r'<img [^>]*src="data:image/svg\+xml;base64,([^"]*)"/>\n', image)[1]).decode()


def rows_of(page):
    rows = Rows()
    rows.feed(page)
    return [[cell.strip() for cell in row] for row in rows.rows]


LINE = "import plot\nplot.line([0.0, 1.0, 4.0], title=\"Squares\")"


def new_shell():
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    return InteractiveShell(config=config)


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shell = new_shell()
        cls.run_cell("%load_ext covec")

    @classmethod
    def run_cell(cls, text):
        """The result of a cell and what it writes, as a notebook runs it."""
        with capture_output() as written:
            result = cls.shell.run_cell(text, store_history=True)
        return result, written

    def value(self, text):
        result, written = self.run_cell(text)
        self.assertTrue(result.success, written.stdout + written.stderr)
        return result.result

    def report(self, text):
        """What a cell that fails shows."""
        result, written = self.run_cell(text)
        self.assertFalse(result.success)
        return written.stdout + written.stderr

    def test_the_last_value_is_shown(self):
        result, written = self.run_cell("%%covec\nx = [1.0, 2.0]\nprint(\"so\")\nsum(x * x)")
        self.assertEqual((result.result, written.stdout.splitlines()), (5.0, ["so", f"Out[{self.shell.execution_count - 1}]: 5.0"]))
        result, written = self.run_cell("%%covec\ny = 3")
        self.assertEqual((result.result, written.stdout), (None, ""))
        self.assertEqual(self.value("%%covec\n_ = 4\n_ + y"), 7)

    def test_the_session_is_that_of_python(self):
        self.value("%%covec\nfn twice(v) = 2 * v")
        self.assertEqual(covec.get("twice")(4), 8)
        self.assertEqual(self.value("import covec\ncovec.get(\"twice\")(5)"), 10)
        self.value("covec.set(\"w\", [1.0, 2.0])")
        self.assertEqual(self.value("%%covec\ntwice(w)").tolist(), [2.0, 4.0])

    def test_variables_go_in_and_out(self):
        self.value("a, b, c = [1.0, 2.0], 3, {\"k\": \"text\"}")
        self.assertIsNone(self.value("%%covec -i a,b -i c -o total,names --output twice\ntotal = sum(a) * b\nnames = c.k\ntwice = 2 * a"))
        self.assertEqual(self.value("total, names, twice.tolist()"), (9.0, "text", [2.0, 4.0]))

    def test_wrong_use(self):
        for line, said in (("-i nowhere", "-i nowhere: Python has no variable of this name"),
                           ("-i f", "-i f: cannot convert a value of the type 'type' to Covec"),
                           ("-i fn", "-i fn: error: this is not the name of a variable"),
                           ("-o nowhere", "-o nowhere: the program has no variable of this name"),
                           ("-i 3", "argument -i/--input: '3' is not the name of a variable"), ("-x", "unrecognized arguments: -x"),
                           ("-i", "argument -i/--input: expected one argument"), ("-i 'a", "No closing quotation")):
            self.shell.user_ns.update(f=object, fn=1)
            self.assertEqual(self.report(f"%%covec {line}\n1").strip(), f"UsageError: %%covec: {said}")

    def test_errors_have_the_place_and_no_frames(self):
        number = self.shell.execution_count
        self.assertEqual(self.report("%%covec\nv = [1, 2, 3]\nv + [4, 5]"), f"""error: cannot add i64[3] and i64[2]: dimensions 3 and 2 differ on axis 0
  --> In [{number}]:3:1
   3 | v + [4, 5]
     | ^ v is i64[3]
     |     ^^^^^^ [4, 5] is i64[2]
  hint: to join vectors, write concat((v, [4, 5]))
""")
        self.assertIn(f"--> In [{number + 1}]:2:5\n   2 | z = (1 +\n", self.report("%%covec\nz = (1 +\n"))

    def test_errors_of_functions_that_other_cells_define(self):
        number = self.shell.execution_count
        self.value("%%covec\nfn pick(v) {\n    return v[7]\n}")
        told = self.report("%%covec\n\npick([1])")
        self.assertIn(f"--> In [{number}]:3:14\n   3 |     return v[7]\n", told)
        self.assertIn(f"in pick(v), called from In [{number + 1}]:3:1", told)
        self.assertNotIn("Traceback", told)
        told = self.report("import covec\ncovec.get(\"pick\")([1])")  # of Python's own cell: its frames, and the report
        self.assertRegex(told, r"Traceback[\s\S]*covec\.get\(\"pick\"\)\(\[1\]\)[\s\S]*--> In \[%d\]:3:14" % number)

    def test_an_error_ends_the_cell_and_keeps_the_rest(self):
        self.value("kept = 1")
        self.assertIn("--> In [", self.report("%%covec -o kept\nkept = 2\nerror(\"no\")"))
        self.assertEqual((self.value("kept"), self.value("%%covec\nkept")), (1, 2))
        self.assertIsInstance(self.run_cell("%%covec\nerror(\"no\")")[0].error_in_exec, covec.Error)

    def test_figures_are_pictures(self):
        result, written = self.run_cell(f"%%covec\n{LINE}")
        data, _ = self.shell.display_formatter.format(result.result)
        self.assertEqual(xml.etree.ElementTree.fromstring(data["image/svg+xml"]).tag, "{http://www.w3.org/2000/svg}svg")
        self.assertIn("Squares", data["image/svg+xml"])
        self.assertEqual(drawing_in(data["text/html"]), data["image/svg+xml"])
        self.assertEqual(data["text/plain"], covec.run("import plot\nplot.text")(result.result))
        self.assertIn("⡠", written.stdout)
        page = self.value(f"%%covec\n{LINE}\nplot.grid([plot.line([1, 2]), plot.line([2, 1])])")
        self.assertIn("<svg", page._repr_svg_())

    def test_figures_are_dicts(self):
        figure = covec.run(LINE)
        self.assertIsInstance(figure, dict)
        self.assertEqual(figure["options"]["title"], "Squares")
        for same in (copy.copy(figure), copy.deepcopy(figure), pickle.loads(pickle.dumps(figure))):
            self.assertEqual(same._repr_svg_(), figure._repr_svg_())
        with covec.Session() as session:
            other = session.run(LINE)
            self.assertEqual(copy.deepcopy(other)._repr_svg_(), figure._repr_svg_())
        self.assertIsNone(other._repr_svg_())  # its session is closed
        figure["marks"] = 3
        self.assertEqual(set(self.shell.display_formatter.format(figure)[0]), {"text/plain"})
        self.assertEqual(self.shell.display_formatter.format(figure)[0]["text/plain"], repr(figure))
        self.assertIs(type(covec.run("{figure: [1, 2]}")), dict)
        self.assertIs(type(covec.run("{figure: \"bronze\"}")), dict)

    def forms(self, value):
        return self.shell.display_formatter.format(value)[0]

    def test_arrays_are_tables(self):
        data = self.forms(self.value("%%covec\n[[1.0, 2.5], [3.0, nan]]"))
        self.assertRegex(data["text/plain"], r"covec\.Array\(\[\[1\.0, 2\.5\]")
        self.assertEqual(rows_of(data["text/html"]), [["", "0", "1"], ["0", "1.0", "2.5"], ["1", "3.0", "nan"]])
        self.assertIn("f64[2, 2]", data["text/html"])
        self.assertIn("⋮", self.forms(covec.run("zeros(300, 300)"))["text/html"])
        self.assertEqual(rows_of(self.forms(covec.run("f16([1.5, -2.0])"))["text/html"]), [["0", "1.5", "-2.0"]])
        for program in ("f32(2.5)", "zeros(0)"):  # a number, and nothing
            self.assertEqual(set(self.forms(covec.run(program))), {"text/plain"})
        with covec.Session() as other:
            array = other.run("[1.0, 2.0]")
            self.assertIn("text/html", self.forms(array))
        self.assertEqual(set(self.forms(array)), {"text/plain"})  # its session is closed

    def test_tables_are_tables(self):
        result, written = self.run_cell("%%covec\n{name: [\"<b>\", \"a & b\"], height: [20.5, nan], day: {seconds: [0.0, 86400.0]}}")
        table = result.result
        data = self.forms(table)
        self.assertEqual(rows_of(data["text/html"]),
                         [["", "name", "height", "day"], ["", "text", "f64", "date"], ["0", "<b>", "20.5", "1970-01-01"], ["1", "a & b", "nan", "1970-01-02"]])
        self.assertIn("   name   height  day", written.stdout)
        self.assertIn("2 rows, 3 columns", data["text/plain"])
        self.assertIsInstance(table, dict)
        self.assertEqual(table["name"], ["<b>", "a & b"])
        for same in (copy.copy(table), copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
            self.assertEqual(same._repr_html_(), table._repr_html_())
        odd = covec.run("table_record(list(\"a b\", \"if\"), (list(\"x\", none), [1, 2]))")
        self.assertEqual(rows_of(odd._repr_html_())[0], ["", "a b", "if"])
        table["name"] = 3
        self.assertEqual(self.forms(table), {"text/plain": repr(table)})
        for other in (object(), 10**400, "\ud800", Unwilling(), None):  # None: itself
            for changed in (covec.run("{name: [\"a\", \"b\"]}"), covec.run(LINE)):
                changed["model"] = changed if other is None else other
                with self.subTest(repr(other)):
                    self.assertEqual(self.forms(changed), {"text/plain": dict.__repr__(changed)})
        large = covec.run("{n: arange(100000), s: list(f\"row {i}\" for i in range(100000))}")
        self.assertIn("99980 more rows", large._repr_html_())
        for program in ("{a: [1.0, 2.0], b: [3.0, 4.0]}", "{a: list(\"x\"), b: [1.0, 2.0]}", "{a: list(1.5)}", "{a: \"x\"}", "{a: list((1, 2))}"):
            self.assertIs(type(covec.run(program)), dict, program)

    def test_programs_show_figures_and_tables(self):
        shows = "import plot\nimport table\nprint(\"before\")\nplot.show(plot.line([0.0, 1.0], title=\"Up\"))\ntable.show({a: [1, 2]})\nprint(\"after\")"
        self.assertRegex(self.run_cell(f"%%covec\n{shows}")[1].stdout, r"before\n +Up\n[\s\S]*2 rows, 1 column\nafter\n")  # a terminal has texts
        before, self.shell.display_pub = self.shell.display_pub, CapturingDisplayPublisher()
        result, written = self.run_cell(f"%%covec\n{shows}")
        self.assertTrue(result.success)
        self.assertEqual(written.stdout, "before\nafter\n")
        figure, table = (output["data"] for output in self.shell.display_pub.outputs)
        self.shell.display_pub = before
        self.assertEqual(set(figure), {"text/plain", "text/html", "image/svg+xml"})
        self.assertEqual(drawing_in(figure["text/html"]), figure["image/svg+xml"])
        self.assertIn("Up", figure["image/svg+xml"])
        self.assertIn("⡠", figure["text/plain"])
        self.assertEqual(rows_of(table["text/html"]), [["", "a"], ["", "i64"], ["0", "1"], ["1", "2"]])
        self.assertTrue(table["text/plain"].endswith("2 rows, 1 column"))
        said = []
        with covec.Session(output=lambda text, stream: said.append(text)) as plain:
            plain.run(shows)
            self.assertEqual((plain.display, said[-1], len(said)), (None, "after\n", 4))
            plain.display = said.append
            plain.run(shows)
            self.assertEqual([set(one) for one in said[5:7]], [{"text/plain", "image/svg+xml"}, {"text/plain", "text/html"}])
            self.assertEqual([said[5]["text/plain"] + "\n", said[6]["text/plain"] + "\n"], said[1:3])
            plain.display = lambda forms: forms[0]
            with self.assertRaises(KeyError):
                plain.run(shows)
            with self.assertRaisesRegex(TypeError, "display must be a function, not int"):
                plain.display = 3
            del plain.display
            plain.run(shows)
            self.assertEqual(said[-2], said[2])

    def test_arrays_are_told_in_rows(self):
        rows = self.run_cell("%%covec\n[[1.0, 2.0], [3.0, 4.0]]")[1].stdout
        self.assertRegex(rows, r"covec\.Array\(\[\[1\.0, 2\.0\],\n +\[3\.0, 4\.0\]\], f64\)")
        self.assertEqual(repr(covec.run("i32([[1, 2], [3, 4]])")), "covec.Array([[1, 2],\n             [3, 4]], i32)")
        large = repr(covec.run("zeros(100, 200)"))
        self.assertEqual({line.index("[0.0") for line in large.splitlines() if "[0.0" in line}, {13})
        self.assertTrue(large.endswith("], f64[100, 200])"), large)

    def test_help_and_unloading(self):
        magics = self.shell.magics_manager.magics["cell"]
        self.assertIn("-o, --output NAME", magics["covec"].__doc__)
        self.run_cell("%unload_ext covec")
        self.assertNotIn("covec", magics)
        self.run_cell("%load_ext covec")
        self.assertEqual(self.value("%%covec\n1 + 1"), 2)

    def test_importing_covec_does_not_import_ipython(self):
        told = subprocess.run([sys.executable, "-c", "import sys, covec; print('IPython' in sys.modules)"], capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout, "False\n")


if __name__ == "__main__":
    unittest.main()
