"""The wheel that tools/wheel packs: installed in an empty environment it runs, on the libraries that it has brought, and goes
without rest."""
import base64
import csv
import email
import hashlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["PYTHONPATH"]).parent
PROGRAM = """
import covec
f = covec.compile('''
fn f(x) {
    y = sin(x) * x
    return sum(y * y)
}''')
x = [1.0, 2.0, 3.0]
print(f(x), f.grad(x))
print(sum(covec.run("zeros(100000) + 1").tolist()))
for line in open("/proc/self/maps"):
    if ".so" in line and any(name in line for name in ("covec", "antlr", "tbb")):
        print(line.split()[-1])
"""

ABOUT = """
import importlib.metadata, importlib.resources, covec
print(covec.__version__, importlib.metadata.version("covec"), importlib.resources.files("covec").joinpath("py.typed").is_file())"""


LEXER = """
import sys
sys.path.insert(0, sys.argv[1])
import pygments, pygments.formatters, pygments.lexers
lexer = pygments.lexers.get_lexer_for_filename("a.covec")
print(lexer.name, "covec" in sys.modules, pygments.highlight("fn f(x) = 2", lexer, pygments.formatters.NullFormatter()))"""


def run(*command):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Wheel(unittest.TestCase):
    def test_installs_runs_and_goes(self):
        for tool in ("patchelf", "strip", "ldd"):
            if shutil.which(tool) is None:
                self.skipTest(f"there is no {tool}")
        if importlib.util.find_spec("ensurepip") is None:
            self.skipTest("there is no ensurepip (Debian: python3-venv)")
        with tempfile.TemporaryDirectory() as folder:
            wheel = run(sys.executable, ROOT / "tools" / "wheel", BUILD, folder).strip()
            run(sys.executable, "-m", "venv", f"{folder}/venv")
            python = f"{folder}/venv/bin/python3"
            run(python, "-m", "pip", "install", "--no-index", wheel)
            value, total, *loaded = run(python, "-c", PROGRAM).splitlines()
            self.assertEqual((value, total), ("4.194594370074148 [2.3254443, 0.28007726, -2.3952503]", "100000.0"))
            self.assertEqual({path.startswith(os.path.realpath(folder)) for path in loaded}, {True}, loaded)
            self.assertEqual({pathlib.Path(path).name.split(".")[0] for path in loaded}, {"_covec", "libcovec", "libantlr4-runtime", "libtbb"})
            run(python, "-m", "pip", "check")
            self.check_metadata(wheel, run(python, "-m", "pip", "show", "--files", "--verbose", "covec"), run(python, "-c", ABOUT).split())
            self.check_lexer(*map(str, pathlib.Path(folder, "venv").rglob("site-packages")))
            run(python, "-m", "pip", "uninstall", "-y", "covec")
            self.assertEqual([str(path) for path in pathlib.Path(folder, "venv").rglob("*covec*")], [])

    def check_lexer(self, installed):
        """Debian's Pygments finds the lexer, which does not load the module."""
        if importlib.util.find_spec("pygments") is None:
            self.fail("there is no Pygments (Debian: python3-pygments); tools/test installs it")
        self.assertEqual(run(sys.executable, "-c", LEXER, installed), "Covec False fn f(x) = 2\n\n")

    def check_metadata(self, wheel, shown, told):
        version = subprocess.run([BUILD / "covec", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.assertEqual(told, [version, version, "True"])
        for line in ("Name: covec", f"Version: {version}", "License: Apache-2.0", "Summary: A small tensor language with derivatives as builtins",
                     "Typing :: Typed", "covec/__init__.pyi", "covec/py.typed"):
            self.assertIn(line, shown)
        with zipfile.ZipFile(wheel) as zipped:
            self.assertIsNone(zipped.testzip())
            info = f"covec-{version}.dist-info"
            metadata = email.message_from_bytes(zipped.read(f"{info}/METADATA"))
            self.assertEqual((metadata["Metadata-Version"], metadata["Requires-Python"]), ("2.1", "==%d.%d.*" % sys.version_info[:2]))
            self.assertIn("# Covec in Python", metadata.get_payload())
            self.assertEqual(email.message_from_bytes(zipped.read(f"{info}/WHEEL"))["Tag"], "-".join(pathlib.Path(wheel).stem.split("-")[2:]))
            records = {}
            for name, digest, size in csv.reader(zipped.read(f"{info}/RECORD").decode().splitlines()):
                records[name] = (digest, size)
            self.assertEqual(set(records), set(zipped.namelist()))
            for name, (digest, size) in records.items():
                if name != f"{info}/RECORD":
                    data = zipped.read(name)
                    made = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), (f"sha256={made}", str(len(data))), name)


if __name__ == "__main__":
    unittest.main()
