#!/usr/bin/env python3
"""make.py BUILD FOLDER: writes the page into FOLDER, in which covec.wasm and NOTICES.txt are, with the words that BUILD/editors has.

The examples of the page are the blocks of the tutorial and the programs of examples/, with the files that they read. left_out.txt
names those that the page lists only, and differences.txt what differs there. Start reading at main().
"""
import html
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import differences  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
STATIC = ("style.css", "icon.svg", "app.js", "worker.js", "colours.js", "link.js", "output.js", "input.js", "service.js")
FILE = re.compile(r"<!-- file: (\S+) -->$")
READ = re.compile(r'"(examples/data/[\w.]+)"')


def blocks_of(path):
    """(heading, text, name of the file that it is or None) of each program of a document."""
    heading, before, block, name = "", "", None, None
    for line in path.read_text().splitlines():
        if block is not None and line == "```":
            yield heading, "\n".join(block) + "\n", name
            block = None
        elif block is not None:
            block.append(line)
        elif line == "```covec":
            found = FILE.match(before)
            block, name = [], found and found[1]
        elif line.startswith("## "):
            heading = line[3:]
        before = line


def tutorial():
    """Its programs; those that are files of one folder, or ask what the compiler did, are left to the installed command."""
    counts = {}
    for heading, text, name in blocks_of(ROOT / "docs/tutorial.md"):
        if name is None and "explain(" not in text:
            counts[heading] = counts.get(heading, 0) + 1
            yield {"group": "The tutorial", "title": f"{heading} {counts[heading]}", "text": text, "files": []}


def titles():
    """What the gallery calls programs, and lessons themselves."""
    gallery = re.findall(r"\[\*\*(.+?)\*\*\]\(\.\./examples/(\w+)\.covec\)", (ROOT / "docs/gallery.md").read_text())
    found = {name: title for title, name in gallery}
    for path in (ROOT / "examples").glob("0*.covec"):
        title = re.match(r"# Lesson \d+: (.+?)[.:]", path.read_text())[1]
        found[path.stem] = title[:1].upper() + title[1:]
    return found


def drawing(text):
    """A program that draws where it is told a name for its picture, with such a name; not one that prints a sketch else."""
    return text if "} else {" in text[text.rfind("settings.out"):] else re.sub(r'(options\(\{.*?out: )""', r'\1"picture.svg"', text)


def programs(left_out):
    titled = titles()
    for path in sorted((ROOT / "examples").glob("[0-9]*.covec")):
        if path.stem not in left_out:
            text = path.read_text()
            group = "Lessons" if path.stem < "20" else "The gallery"
            yield {"group": group, "title": titled[path.stem], "text": drawing(text), "files": sorted(set(READ.findall(text))),
                   "path": str(path.relative_to(ROOT))}


def front():
    """The page's HTML, with what differences.txt lists."""
    groups = differences.read()
    digits = any(kind == "digits" for group in groups for kind, *_ in group.rows)
    items = "\n".join(f"<li>{html.escape(group.comment)}</li>" for group in groups)
    text = (HERE / "index.html").read_text()
    return text.replace("{but for a few}", ", but for a few" if digits else "").replace("{differences}", items)


def main():
    build, folder = map(pathlib.Path, sys.argv[1:3])
    (folder / "index.html").write_text(front())
    for name in STATIC:
        shutil.copy(HERE / name, folder)
    for name in ("covec.js", "wasi.js"):
        shutil.copy(HERE.parent / name, folder)
    shutil.copy(build / "editors/page/tokens.js", folder)
    rows = (line.split(maxsplit=1) for line in (HERE / "left_out.txt").read_text().splitlines() if not line.startswith("#"))
    left_out = {name: note for name, note in rows}
    offered = [*tutorial(), *programs(left_out)]
    for path in {path for example in offered for path in example["files"]}:
        (folder / "files" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / "files" / path)
    listed = []
    for name, note in left_out.items():
        picture = ROOT / "docs/gallery" / f"{name}.svg"
        if picture.exists():
            (folder / "pictures").mkdir(exist_ok=True)
            shutil.copy(picture, folder / "pictures")
        listed.append({"title": titles()[name], "note": note,
                       "picture": f"pictures/{name}.svg" if picture.exists() else None})
    (folder / "examples.json").write_text(json.dumps({"offered": offered, "left_out": listed}, ensure_ascii=False, indent=1) + "\n")


main()
