#!/usr/bin/env python3
"""site_test BUILD: makes the site of the documents (tools/site) and reads its pages. Every document, builtin, module and example
has a page; every link inside leads to a page and, with #, to a place on it; nothing is loaded from another machine; programs are
coloured as the lexer reads them. Only with COVEC_LONG=1 (tools/test --long), for mkdocs-material is large.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOADING = {"src", "srcset", "data", "poster"}  # attributes whose address a browser asks for, in any element


class Page(html.parser.HTMLParser):
    """What a page links to, what it loads, which places it has, and the classes of its spans."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places, self.classes = [], [], set(), set()
        self.text = path.read_text()
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given.get("id"), given.get("name")}
        self.classes |= set((given.get("class") or "").split()) if tag == "span" else set()
        self.loads += [given[name] for name in LOADING & given.keys()]
        if tag == "link":
            self.loads.append(given["href"])
        elif "href" in given:
            self.links.append(given["href"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("mkdocs"):
            raise RuntimeError("mkdocs is missing: apt-get install mkdocs-material")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="covec_site_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        made = cls.folder / "made"  # tools/wasm/build may not have made one
        made.mkdir()
        (made / "index.html").write_text('<script src="app.js"></script>')
        (made / "app.js").write_text("// a page")
        run = subprocess.run(["/usr/bin/python3", ROOT / "tools/site_pages.py", BUILD, cls.folder / "site", made],
                             capture_output=True, text=True)
        cls.folder /= "site"
        if run.returncode != 0:
            raise RuntimeError(run.stdout + run.stderr)
        cls.pages = {path: Page(path) for path in cls.folder.rglob("*.html")}

    def local_path(self, page, address):
        """The file of an address on a page, and the place on it; None where it leads elsewhere."""
        parts = urllib.parse.urlsplit(address)
        if parts.scheme or parts.netloc:
            return None, ""
        if address.startswith("/"):  # 404.html does not know where it is shown
            path = self.folder / parts.path[1:]
        else:
            path = page.parent / urllib.parse.unquote(parts.path) if parts.path else page
        path = pathlib.Path(os.path.normpath(path))
        return path / "index.html" if path.is_dir() else path, urllib.parse.unquote(parts.fragment)

    def test_links_lead_somewhere(self):
        broken = []
        for path, page in self.pages.items():
            for address in page.links + page.loads:
                target, place = self.local_path(path, address)
                if target is None:
                    continue
                known = self.pages.get(target)
                if not target.is_file() or (place and known and place not in known.places | {"__codelineno"}):
                    broken.append(f"{path.relative_to(self.folder)}: {address}")
        self.assertEqual(broken, [])

    def test_nothing_is_loaded_from_another_machine(self):
        for path, page in self.pages.items():
            for address in page.loads:
                self.assertNotRegex(address, r"^(\w+:)?//", path)
        for path in self.folder.rglob("*.css"):
            self.assertNotRegex(path.read_text(), r"(@import|url\()\s*[\"']?(https?:)?//", path)

    def test_all_has_a_page(self):
        pages = {str(path.parent.relative_to(self.folder)) for path in self.pages}
        for document in [*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.covec")]:
            self.assertIn(str(document.relative_to(ROOT).with_suffix("")), pages)
        for module in (ROOT / "stdlib/modules").glob("[a-z]*.covec"):
            self.assertIn(f"build/docs/modules/{module.stem}", pages)
        builtins = self.pages[self.folder / "build/docs/builtins/index.html"]
        names = re.findall(r"(?m)^### `(\w+)", (BUILD / "docs/builtins.md").read_text())
        self.assertGreater(len(names), 200)
        self.assertLessEqual(set(names), builtins.places)

    def test_the_page_that_runs_programs_is_in_it(self):
        self.assertEqual((self.folder / "page/app.js").read_text(), "// a page")
        self.assertEqual(self.pages[self.folder / "page/index.html"].loads, ["app.js"])
        for path in ("index.html", "docs/language/index.html"):
            targets = [self.local_path(self.folder / path, link)[0] for link in self.pages[self.folder / path].links]
            self.assertIn(self.folder / "page/index.html", targets)

    def test_programs_are_coloured(self):
        orbit = self.pages[self.folder / "examples/24_orbit/index.html"]
        self.assertLessEqual({"c1", "k", "nb", "nf", "m", "s2"}, orbit.classes)


if __name__ == "__main__":
    if os.environ.get("COVEC_LONG") != "1":
        print("SKIPPED: tools/test --long makes the site")
        sys.exit(77)
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
