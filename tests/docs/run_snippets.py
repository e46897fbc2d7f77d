#!/usr/bin/env python3
"""Runs the Covec programs in Markdown files (blocks that open with ```covec) and in *.covec files, and compares what
they print with their comments:

    print(1 + 1)      # expect: 2
    1 / [1, 2, 3, 4][7]    # expect error: out of range

`# expect:` lines are the whole of standard output, in order; `…` stands for anything. `# expect error:` and
`# expect warning:` are parts of standard error; with an error the exit status must be 1, else 0.

Each block runs in a folder of its own. One that stands under `<!-- file: NAME -->` is a file of this name in a folder that
such blocks of the document share, so that it may import and read what those before it are and leave there.
Start reading at main().
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FILE = re.compile(r"<!-- file: (\S+) -->$")
EXPECT = re.compile(r"#\s*expect( error| warning)?:(?: (.*)|)$")


class Snippet:
    def __init__(self, place, text, name=None, folder=None):
        self.place = place
        self.name, self.folder = name, folder  # of the file that the block is, if it is one
        self.text = text
        self.output, self.errors, self.warnings = [], [], []
        for line in text.splitlines():
            found = EXPECT.search(line)
            if found:
                {None: self.output, " error": self.errors, " warning": self.warnings}[found[1]].append(found[2] or "")


def snippets_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".covec":
        return [Snippet(str(path), text)]
    found, start, block, before, name = [], 0, None, "", None
    folder = tempfile.TemporaryDirectory()  # lives as long as one of the snippets that hold it
    for number, line in enumerate(text.splitlines(), 1):
        if block is None and line.strip() == "```covec":
            start, block, name = number, [], FILE.match(before)
        elif block is not None and line.strip() == "```":
            found.append(Snippet(f"{path}:{start}", "\n".join(block) + "\n", name and name[1], folder))
            block = None
        elif block is not None:
            block.append(line)
        before = line
    if block is not None:
        raise SystemExit(f"{path}:{start}: the block is not closed")
    return found


def matches(expected, actual):
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, actual) is not None


def started(command, folder, text=""):
    return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", errors="replace", timeout=300, cwd=folder)


def run(covec, snippet, directory):
    # A file runs as a file, so that its messages name it; a block comes through standard input, in a folder of its own.
    if snippet.place.endswith(".covec"):
        return started([covec, os.path.abspath(snippet.place)], directory)
    if snippet.name is not None:
        pathlib.Path(snippet.folder.name, snippet.name).write_text(snippet.text, encoding="utf-8")
        return started([covec, snippet.name], snippet.folder.name)
    with tempfile.TemporaryDirectory() as scratch:
        return started([covec], scratch, snippet.text)


def complaints(snippet, result):
    printed = result.stdout.splitlines()
    for number in range(max(len(printed), len(snippet.output))):
        expected = snippet.output[number] if number < len(snippet.output) else None
        actual = printed[number] if number < len(printed) else None
        if expected is None or actual is None or not matches(expected, actual):
            yield f"line {number + 1} of the output: expected {expected!r}, got {actual!r}"
            break
    for part in snippet.errors + snippet.warnings:
        if not re.search(".*".join(re.escape(piece) for piece in part.split("…")), result.stderr):
            yield f"standard error does not say {part!r}"
    wanted = 1 if snippet.errors else 0
    if result.returncode != wanted:
        yield f"exit status {result.returncode}, expected {wanted}"
    if not snippet.warnings and not snippet.errors and "warning:" in result.stderr:
        yield "an unexpected warning"


def check(covec, snippet, directory):
    try:
        result = run(covec, snippet, directory)
    except subprocess.TimeoutExpired:
        print(f"FAILED {snippet.place}: no end after 300 s")
        return False
    found = list(complaints(snippet, result))
    if found:
        print(f"FAILED {snippet.place}")
        for complaint in found:
            print(f"  {complaint}")
        print("  " + "\n  ".join(result.stderr.splitlines()[:20]))
    return not found


def main():
    parser = argparse.ArgumentParser(description="Run the Covec programs in documents and compare what they print.")
    parser.add_argument("--covec", required=True, help="the command to run them with")
    parser.add_argument("--root", default=".", help="the checkout, whose examples and tests *.covec files find where they run: in a folder of their own")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.covec = os.path.abspath(options.covec)
    if shutil.which(options.covec) is None:
        parser.error(f"{options.covec} is not there")
    snippets = [snippet for path in options.files for snippet in snippets_of(path)]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "tests"):
            os.symlink(os.path.join(os.path.abspath(options.root), name), os.path.join(folder, name))
        passed = sum([check(options.covec, snippet, folder) for snippet in snippets])
    print(f"{passed} of {len(snippets)} programs do as their comments say")
    return 0 if snippets and passed == len(snippets) else 1


if __name__ == "__main__":
    sys.exit(main())
