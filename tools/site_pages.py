#!/usr/bin/env python3
"""site_pages BUILD FOLDER [PAGE]: writes the documents, the manual that BUILD has, the gallery and the examples as static pages into
FOLDER. PAGE (BUILD/wasm/page) is the folder of the page that runs programs; where it is, the site has it.

The pages lie under BUILD/site_pages as in the project, so that links between them hold: the documents as they are, programs with
their text, folders with a list. Then mkdocs makes HTML of them; a link to what is no page is an error.
"""
import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

LANGUAGES = {".covec": "covec", ".c": "c", ".cpp": "cpp", ".py": "python"}
LONGEST_TITLE = 60  # characters: two lines of the list of pages
FENCE = re.compile(r"^ *(```+|~~~+)")
# Links in the dark palette stand out as in the light one; the head of a table without titles is no row.
STYLE = """\
[data-md-color-scheme="slate"] { --md-typeset-a-color: #8ab4f8; }
.md-typeset table:not([class]) thead:not(:has(th:not(:empty))) { display: none; }
"""
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
MANUAL = re.compile(r"`(build/docs/[\w.]+)`")


class Pages:
    """The Markdown of the site, at the paths of the project."""

    def __init__(self, root, build):
        self.root = root
        self.build = build
        self.folder = build / "site_pages"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.pages = {}  # path in the project -> path of its page
        self.documents = []  # those with links as in the project

    def write(self, source, page, text):
        self.pages[source] = page
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def copy(self, source, path):
        self.pages[source] = source
        target = self.folder / source
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        if source.endswith(".md"):
            self.documents.append(source)

    def add_documents(self):
        for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
            self.copy(name, self.root / name)
        self.write("LICENSE", "LICENSE.md", f"# License\n\n```text\n{(self.root / 'LICENSE').read_text()}```\n")
        for path in sorted((self.root / "docs").rglob("*")):
            if path.is_file():
                self.copy(str(path.relative_to(self.root)), path)

    def add_manual(self):
        for name in ("status.md", "manual.html"):
            self.copy(f"build/docs/{name}", self.build / "docs" / name)
        page = "build/docs/builtins.md"
        self.write(page, page, with_links(with_anchors((self.build / "docs/builtins.md").read_text())))
        for path in sorted((self.root / "stdlib/modules").glob("[a-z]*.covec")):
            told = subprocess.run([self.build / "covec", "doc", path], check=True, capture_output=True, text=True).stdout
            title, text = told.split("\n", 1)
            if not title.startswith("# "):
                raise SystemExit(f"the manual of {path.name} has no title: {title}")
            page = f"build/docs/modules/{path.stem}.md"
            self.write(page, page, with_anchors(f"# Functions of `{path.stem}`\n{text}"))

    def add_examples(self):
        folder = self.root / "examples"
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(self.root))
            if path.name == "README.md":
                self.copy(name, path)
            elif path.suffix in LANGUAGES:
                self.add_program(name, path)
        for path in [folder, *sorted(p for p in folder.iterdir() if p.is_dir())]:
            self.add_list(path)

    def add_program(self, name, path):
        text = path.read_text()
        title = title_of(text) or path.stem.lstrip("0123456789_").replace("_", " ").capitalize()
        picture = self.root / "docs/gallery" / f"{path.stem}.svg"
        shown = f"![{title}](../docs/gallery/{picture.name})\n\n" if picture.exists() else ""
        self.write(name, name.removesuffix(".covec").replace(".", "_") + ".md",
                   f"# {title}\n\n`{name}`\n\n{shown}````{LANGUAGES[path.suffix]}\n{text}````\n")

    def add_list(self, folder):
        name = str(folder.relative_to(self.root))
        if f"{name}/README.md" in self.pages:
            self.pages[name] = f"{name}/README.md"
            return
        rows = []
        for source, page in sorted(self.pages.items()):
            if os.path.dirname(source) == name:
                title = (self.folder / page).read_text().split("\n", 1)[0].removeprefix("# ")
                rows.append(f"- [`{os.path.basename(source)}`]({os.path.basename(page)}): {title}\n")
        below = sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.name == "examples" else []
        rows += [f"- [{n}/]({n}/{'README' if (folder / n / 'README.md').exists() else 'index'}.md)\n" for n in below]
        self.write(name, f"{name}/index.md", f"# {folder.name.replace('_', ' ').capitalize()}\n\n" + "".join(rows))

    def add_page_that_runs(self, made):
        """The page that tools/wasm/build makes: files that are taken as they are. Gives its place in the list of pages."""
        if not made.exists():
            return []
        shutil.copytree(made, self.folder / "page")
        return [{"Try it": "page/index.html"}]

    # --- links ---

    def target(self, page, link):
        """Where a link of a page leads to in the site."""
        path, mark, anchor = link.partition("#")
        if not path or "://" in link or link.startswith("mailto:"):
            return link
        source = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if source not in self.pages:
            raise SystemExit(f"{page}: no page for the link {link}")
        return os.path.relpath(self.pages[source], os.path.dirname(page)) + mark + anchor

    def rewrite_links(self):
        for page in self.documents:
            path = self.folder / page
            lines, fence = [], None
            for line in path.read_text().split("\n"):
                mark = FENCE.match(line)
                if mark and (fence is None or mark[1] == fence):
                    fence = None if fence else mark[1]
                elif fence is None:
                    line = self.rewritten(page, line)
                lines.append(line)
            path.write_text("\n".join(lines))

    def rewritten(self, page, line):
        line = MANUAL.sub(lambda m: f"[{m[1]}]({os.path.relpath(m[1], os.path.dirname(page))})", line)
        parts = re.split(r"(`+[^`]*`+)(?!\])", line)  # code is kept, but for code that is a link's text
        return "".join(part if part.startswith("`") else LINK.sub(lambda m: f"]({self.target(page, m[1])})", part)
                       for part in parts)

    def nav(self):
        def under(folder):
            return [page for page in sorted(set(self.pages.values()))
                    if os.path.dirname(page) == folder and page.endswith(".md")]

        modules = [{pathlib.Path(page).stem: [page, f"build/{page}"]} for page in under("docs/modules")]
        parts = [{name.capitalize(): under(f"examples/{name}")} for name in
                 sorted({os.path.basename(os.path.dirname(p)) for p in self.pages.values() if p.startswith("examples/")})
                 if under(f"examples/{name}")]
        return [{"Manual": ["build/docs/builtins.md", "build/docs/status.md"]}, {"Modules": modules},
                {"Examples": ["docs/gallery.md", *under("examples"), *parts]}]


def title_of(program):
    """What a program's first comment says that it is: its first sentence, or what stands before a colon or comma in it."""
    comment = re.sub(r"(?m)^(#!.*\n)?(# ?|// ?|/\* ?|\"\"\"|  ?)", "", program[:program.index("\n\n")]).replace("\n", " ")
    title = re.split(r"[.?](?: |$|\"\"\")", re.sub(r"^\d+: ", "", comment))[0]
    for end in (": ", " (", ", "):
        if len(title) > LONGEST_TITLE:
            title = title.split(end)[0]
    return title[:1].upper() + title[1:] if len(title) <= LONGEST_TITLE else ""


def with_anchors(manual):
    """A page of the manual whose functions are places by their names."""
    return re.sub(r"(?m)^(###? `(?:\w+\.)?(\w+)\b.*`)$", r"\1 {#\2}", manual)


def with_links(manual):
    """The page of the builtins, whose list of them leads to the places of `with_anchors`."""
    listed, mark, functions = manual.partition("\n## ")
    return re.sub(r"(?m)^- .*$", lambda row: re.sub(r"`(\w+)`", r"[`\1`](#\1)", row[0]), listed) + mark + functions


def make_lexer_known(build):
    """Puts Pygments' lexer where Python looks, with the metadata by which Pygments finds it."""
    folder = build / "site_lexer"
    about = folder / "covec-0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    root = pathlib.Path(__file__).resolve().parent.parent
    shutil.copy(build / "editors/pygments/covec_pygments.py", folder)
    shutil.copy(root / "interpreter/python/entry_points.txt", about)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: covec\nVersion: 0\n")
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


def main():
    build, site = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    made = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else build / "wasm/page"
    root = pathlib.Path(__file__).resolve().parent.parent
    make_lexer_known(build)
    from mkdocs import config
    from mkdocs.commands import build as command
    from pymdownx import slugs

    pages = Pages(root, build)
    pages.add_documents()
    pages.add_manual()
    pages.add_examples()
    runs = pages.add_page_that_runs(made)
    pages.rewrite_links()
    (pages.folder / "site.css").write_text(STYLE)
    settings = config.load_config(str(root / "tools/site.yml"), docs_dir=str(pages.folder), site_dir=str(site), strict=True)
    front, *rest = settings["nav"]
    settings["nav"] = [front, *runs, *rest[:2], *pages.nav(), *rest[2:]]
    settings["markdown_extensions"].append("toc")
    settings["mdx_configs"]["toc"] = {"slugify": slugs.gfm, "permalink": True}
    command.build(settings)
    print(site)


if __name__ == "__main__":
    main()
