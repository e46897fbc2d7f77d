"""convert_test.py COVEC: nbconvert runs a notebook of Covec and makes a page of it."""
import base64
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

FOLDER = tempfile.TemporaryDirectory()
DATA = pathlib.Path(FOLDER.name, "data")
os.environ.update(JUPYTER_DATA_DIR=str(DATA), JUPYTER_RUNTIME_DIR=str(pathlib.Path(FOLDER.name, "run")),
                  IPYTHONDIR=str(pathlib.Path(FOLDER.name, "ipython")), JUPYTER_CONFIG_DIR=str(pathlib.Path(FOLDER.name, "config")))
try:
    import nbformat
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import ExecutePreprocessor
except ImportError:
    sys.exit("jupyter-nbconvert is missing: apt-get install jupyter-nbconvert")

COVEC = os.path.abspath(sys.argv.pop(1))
PATIENCE = int(float(os.environ.get("COVEC_PATIENCE", 60)))  # seconds after which something never comes
CELLS = ["""import plot
print("a < b & c")
x = linspace(0.0, 6.0, 50)
""", """plot.line(x, sin(x), title="A sine")
""", """trees = {name: ["oak & ash", "<yew>"], height: [20.5, 15.0]}
trees
""", """for i in progress(range(3), "slowly") { sleep(0.11) }
""", """y = x[1]
x[70]
""", """x[:3]
"""]


class Convert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([COVEC, "jupyter", "install", "--user"], check=True, stdout=subprocess.DEVNULL)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
        notebook.metadata.kernelspec = {"name": "covec", "display_name": "Covec", "language": "covec"}
        warnings.simplefilter("ignore")  # no lexer of this language may be installed
        ExecutePreprocessor(timeout=PATIENCE, allow_errors=True).preprocess(notebook, {"metadata": {"path": FOLDER.name}})
        cls.notebook = notebook
        cls.page, _ = HTMLExporter().from_notebook_node(notebook)

    @classmethod
    def tearDownClass(cls):
        FOLDER.cleanup()

    def only(self, cell):
        output, = self.notebook.cells[cell].outputs
        return output

    def test_the_notebook(self):
        self.assertEqual(self.only(0).text, "a < b & c\n")
        self.assertEqual(self.only(1).output_type, "execute_result")
        self.assertEqual(set(self.only(1).data), {"text/plain", "text/html", "image/svg+xml"})
        self.assertEqual(set(self.only(2).data), {"text/plain", "text/html"})
        self.assertRegex(self.only(3).data["text/plain"], r"^slowly  100% \[#+\] 3/3 ")
        self.assertEqual((self.only(4).output_type, self.only(4).ename), ("error", "index_range"))
        self.assertEqual(self.notebook.metadata.language_info.name, "covec")

    def has(self, pattern):
        self.assertTrue(re.search(pattern, self.page, re.S), pattern)

    def test_figures_keep_their_curves(self):
        pictures = re.findall(r'<img [^>]*src="data:image/svg\+xml;base64,([^"]*)"/>', self.page)
        self.assertEqual([base64.b64decode(each).decode() for each in pictures], [self.only(1).data["image/svg+xml"]])
        self.assertRegex(self.only(1).data["image/svg+xml"], r"<path d=\"M[0-9. ]*L[0-9. ]{200,}\"[\s\S]*A sine")

    def test_the_page(self):
        self.has("a &lt; b &amp; c")
        self.has(r"<table>\s*<thead>\s*<tr>[^\n]*name</th>.*<td[^>]*>oak &amp; ash</td><td[^>]*>20\.5</td>.*<td[^>]*>&lt;yew&gt;</td>.*</table>")
        self.has(r"100% \[")
        self.has("index 70 is out of range for axis 0 of size 50")
        self.has(r"In \[5\]:2:3")


if __name__ == "__main__":
    unittest.main()
