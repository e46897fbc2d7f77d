"""editing_test.py EDITORS: what the files in the folder EDITORS set: which files are Covec's, comments, brackets, indentation.

Neovim and Emacs (with COVEC_LONG) indent indented.covec anew, without its blanks. The settings of the other editors are data, which
is read here. Start reading at the tests.
"""
import json
import os
import pathlib
import plistlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VSX = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
EDITORS = pathlib.Path(sys.argv.pop(1))
FILE = HERE / "indented.covec"


def written_by(program, package, *options):
    """The lines that a script of an editor writes."""
    if shutil.which(program) is None:
        raise AssertionError(f"there is no {program} (Debian: {package}); tools/test installs it")
    with tempfile.NamedTemporaryFile("r") as written:
        done = subprocess.run([program, *options], capture_output=True, text=True,
                              env={**os.environ, "COVEC_WRITTEN": written.name, "HOME": "/dev/null"}, check=False)
        lines = written.read().splitlines()
    if done.returncode != 0 or not lines:
        raise AssertionError(f"{program} failed:\n{done.stdout}{done.stderr}")
    return lines


class Editing(unittest.TestCase):
    maxDiff = None

    def test_neovim(self):
        *lines, settings = written_by("nvim", "neovim", "--headless", "-u", "NONE", "-i", "NONE", "--cmd", f"set rtp^={EDITORS}/vim",
                                      "--cmd", "filetype plugin indent on", "--cmd", "syntax on", "-S", HERE / "editing.vim",
                                      "+quitall!", FILE)
        self.assertEqual(lines, FILE.read_text().splitlines())
        self.assertEqual(settings, "['covec', '# %s', ':#', '(:),[:],{:}', 4, 1]")

    @unittest.skipUnless(os.environ.get("COVEC_LONG"), "Emacs is tested by tools/test --long")
    def test_emacs(self):
        *lines, settings = written_by("emacs", "emacs-nox", "-Q", "--batch", "-l", EDITORS / "emacs/covec-mode-autoloads.el", "-l",
                                      HERE / "editing.el", FILE)
        self.assertEqual(lines, FILE.read_text().splitlines())
        self.assertEqual(settings, '(covec-mode nil "(\\"negative ( width\\")" "# y = x + 1")')

    @unittest.skipUnless(os.environ.get("COVEC_LONG"), "Emacs is tested by tools/test --long")
    def test_emacs_finds_nothing_wrong_with_its_mode(self):
        with tempfile.TemporaryDirectory() as folder:
            mode = shutil.copy(EDITORS / "emacs/covec-mode.el", folder)
            done = subprocess.run(["emacs", "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)", "-f",
                                   "batch-byte-compile", mode], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_patterns_of_indentation(self):
        """Those of TextMate and VS Code look at one line each: they know brackets that are closed in their line, not strings."""
        configuration = json.loads((EDITORS / "vscode/language-configuration.json").read_text())
        preferences = plistlib.loads((EDITORS / "textmate/Covec.tmbundle/Preferences/Covec.tmPreferences").read_bytes())["settings"]
        for rules in (configuration["indentationRules"], preferences):
            increase, decrease = re.compile(rules["increaseIndentPattern"]), re.compile(rules["decreaseIndentPattern"])
            for line in ("fn f(x) {", "    x = [", "} else {", "f(1, (2, 3), [  # a list"):
                self.assertTrue(increase.search(line), line)
            for line in ("f(x)", "x = [1, 2]", "# fn f(x) {", "x = {a: [1]}", "}"):
                self.assertFalse(increase.search(line), line)
            self.assertEqual([bool(decrease.search(line)) for line in ("    })", "]", "x = [1]")], [True, True, False])

    def test_comments_and_brackets(self):
        configuration = json.loads((EDITORS / "vscode/language-configuration.json").read_text())
        preferences = plistlib.loads((EDITORS / "textmate/Covec.tmbundle/Preferences/Covec.tmPreferences").read_bytes())
        brackets = [["(", ")"], ["[", "]"], ["{", "}"]]
        self.assertEqual((configuration["comments"], configuration["brackets"]), ({"lineComment": "#"}, brackets))
        self.assertEqual(preferences["settings"]["shellVariables"], [{"name": "TM_COMMENT_START", "value": "# "}])
        self.assertEqual((preferences["scope"], preferences["settings"]["highlightPairs"]), ("source.covec", brackets))

    def test_the_grammars_are_one(self):
        bundle = EDITORS / "textmate/Covec.tmbundle"
        grammar = plistlib.loads((bundle / "Syntaxes/Covec.tmLanguage").read_bytes())
        self.assertEqual(grammar, json.loads((EDITORS / "vscode/syntaxes/covec.tmLanguage.json").read_text()))
        self.assertEqual((grammar["scopeName"], grammar["fileTypes"]), ("source.covec", ["covec"]))
        self.assertEqual(plistlib.loads((bundle / "info.plist").read_bytes())["name"], "Covec")

    def test_files_that_the_manifest_names(self):
        folder = EDITORS / "vscode"
        manifest = json.loads((folder / "package.json").read_text())
        contributed = manifest["contributes"]
        named = [manifest["main"], *(each["configuration"] for each in contributed["languages"]),
                 *(each["path"] for each in contributed["grammars"])]
        for path in named:
            self.assertTrue((folder / path).is_file(), path)
        self.assertRegex(manifest["version"], r"^\d+\.\d+\.\d+$")
        commands = {each["command"] for each in contributed["commands"]}
        for items in contributed["menus"].values():
            self.assertLessEqual({each["command"] for each in items}, commands)
        script = (folder / manifest["main"]).read_text()
        self.assertEqual(commands, set(re.findall(r'registerCommand\("([\w.]+)"', script)))
        settings = {f"covec.{name}" for name in re.findall(r'\.get\("(\w+)"\)', script)}
        self.assertEqual(settings, set(contributed["configuration"]["properties"]))
        lock = json.loads((folder / "package-lock.json").read_text())["packages"]
        self.assertEqual({key: lock[""][key] for key in ("name", "version", "dependencies", "engines")},
                         {key: manifest[key] for key in ("name", "version", "dependencies", "engines")})
        for name, library in lock.items():
            self.assertTrue(not name or library["integrity"].startswith("sha512-"), name)
            self.assertLessEqual({f"node_modules/{each}" for each in library.get("dependencies", {})}, lock.keys())
        needed = {each.split("/")[0] for each in re.findall(r'require\("([^"]+)"\)', script)} - {"path", "vscode"}
        self.assertEqual(needed, set(manifest["dependencies"]))

    def test_the_line_for_github(self):
        attributes = (ROOT / ".gitattributes").read_text().splitlines()
        self.assertIn(f"```text\n{attributes[-1]}\n```", (ROOT / "docs/tools.md").read_text())
        self.assertRegex(attributes[-1], r"^\*\.covec linguist-language=\w+$")

    def test_the_packed_extension(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, ROOT / "tools/vsix", EDITORS / "vscode", folder], capture_output=True, text=True,
                                  check=True)
            with zipfile.ZipFile(done.stdout.strip()) as zipped:
                parts = {name: zipped.read(name) for name in zipped.namelist()}
        files = {f"extension/{path.relative_to(EDITORS / 'vscode')}": path.read_bytes()
                 for path in (EDITORS / "vscode").rglob("*") if path.is_file()}
        self.assertEqual({name: data for name, data in parts.items() if name.startswith("extension/")}, files)
        package, manifest = json.loads(files["extension/package.json"]), ElementTree.fromstring(parts["extension.vsixmanifest"])
        identity = manifest.find(f"{VSX}Metadata/{VSX}Identity").attrib
        self.assertEqual([identity[key] for key in ("Id", "Version", "Publisher")],
                         [package[key] for key in ("name", "version", "publisher")])
        for asset in manifest.iter(f"{VSX}Asset"):
            self.assertIn(asset.attrib["Path"], parts)
        types = ElementTree.fromstring(parts["[Content_Types].xml"])
        known = {each.attrib.get("Extension") or each.attrib["PartName"] for each in types}
        for name in {*parts} - {"[Content_Types].xml"}:
            self.assertTrue({pathlib.Path(name).suffix, f"/{name}"} & known, name)


if __name__ == "__main__":
    unittest.main()
