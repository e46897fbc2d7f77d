#!/usr/bin/env python3
"""Compares the listings in a Markdown file with what the commands print that stand above them:

    <!-- file: peak.covec -->                    the block below is a file of this name
    <!-- covec dump --ir peak.covec:peak -->     the block below is what this command prints

A line `…` stands for any lines, and the space before a line does not count. VARIABLE=value may stand before the command.
--update writes the listings without such a line anew. Start reading at complaints().
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^<!-- ([^\n]*) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANYTHING = "…"


def lines_of(text):
    """Without the numbers of instructions and of labels, and without times: what is compared is the program."""
    text = re.sub(r"\([0-9.e-]+ m?s\)", "(time)", text)
    return [re.sub(r"^\s*(\d+  )?\s*", "", line).rstrip() for line in text.splitlines() if line.strip()]


def first_difference(expected, actual):
    """The first line of `expected` that `actual` lacks at its place, or None."""
    at, free = 0, False
    for number, line in enumerate(expected):
        if line == ANYTHING:
            free = True
            continue
        block = [line]
        for following in expected[number + 1:]:  # after a gap, as many lines as stand together must match
            if following == ANYTHING:
                break
            block.append(following)
        if free:
            places = [k for k in range(at, len(actual) - len(block) + 1) if actual[k:k + len(block)] == block]
            last = number + len(block) == len(expected)
            if not places:
                return line
            at = places[-1] if last else places[0]
        if at >= len(actual) or actual[at] != line:
            return line
        at, free = at + 1, False
    return None if free or at == len(actual) else f"the end, but there is more: {actual[at]}"


def printed(covec, command, folder):
    words = shlex.split(command)
    environment = {"PATH": "/usr/bin:/bin"}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        environment[name] = value
    return subprocess.run([covec, *words[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          cwd=folder, env=environment, timeout=60)


def updated(text, body, printed_text):
    return text if ANYTHING in body else text.replace(body, printed_text.rstrip("\n") + "\n", 1)


def complaints(covec, path, update=False):
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for head, body in BLOCK.findall(text):
            if head.startswith("file: "):
                (pathlib.Path(folder) / head.removeprefix("file: ")).write_text(body)
                continue
            result = printed(covec, head, folder)
            if result.returncode != 0:
                if "no AVX2" not in result.stderr:
                    yield f"{head}\n  {result.stderr}"
                continue
            missing = first_difference(lines_of(body), lines_of(result.stdout))
            if missing is not None and update:
                path.write_text(updated(path.read_text(encoding="utf-8"), body, result.stdout), encoding="utf-8")
            if missing is not None:
                yield f"{head}\n  expected: {missing}\n  it prints:\n{result.stdout}"


def self_check():
    """The comparison can fail."""
    for expected, actual, same in (("a\n…\nc", "a\nb\nb\nc", True), ("a\nc", "a\nb\nc", False), ("a", "a\nb", False),
                                   ("…\nb\nc\n…", "b\nx\nb\nc\nd", True), ("a\n…\nd", "a\nb", False), ("…\nb", "b\na\nb", True)):
        assert (first_difference(lines_of(expected), lines_of(actual)) is None) == same, (expected, actual)


def main():
    parser = argparse.ArgumentParser(description="Compare the listings of a document with what the commands print.")
    parser.add_argument("--covec", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--update", action="store_true", help="write what has changed into the files")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    self_check()
    found = [complaint for path in options.files for complaint in complaints(options.covec, path, options.update)]
    print("\n".join(found) if found else "the listings are what the commands print")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
