#!/usr/bin/env python3
"""Sixty programs of ten functions, each with one statement broken as typing breaks it: `covec check` tells the error, the
unknown names of the first and the last function, and nothing else.

cases.txt has blocks divided by blank lines: "# PROGRAM: what is broken", "- " lines of the program, "+ " lines in their place, and
all that is told: the code, line and column, and the text that is marked.

    recovery_test.py COVEC [--update]    with --update it writes what is told; read it
"""

import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def told(covec, text):
    done = subprocess.run([covec, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=60)
    for line in done.stdout.splitlines():
        found = json.loads(line)
        place = found["labels"][0]
        marked = text.encode()[slice(*place["bytes"])].decode()
        yield f"{found['code']} {place['line']}:{place['column']} {marked}".rstrip()


def broken(title, old, new):
    program = title.removeprefix("# ").partition(":")[0]
    text = (FOLDER / "programs" / f"{program}.txt").read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{title}: the program has {text.count(old)} times\n{old}"
    return text.replace(old, new)


def main():
    covec, update = sys.argv[1], "--update" in sys.argv
    blocks = (FOLDER / "cases.txt").read_text(encoding="utf-8").strip("\n").split("\n\n")
    failures, out = [], []
    for block in blocks:
        lines = block.split("\n")
        old, new = ("".join(line[2:] + "\n" for line in lines if line.startswith(sign)) for sign in ("- ", "+ "))
        expected = [line for line in lines[1:] if line[:2] not in ("- ", "+ ")]
        found = list(told(covec, broken(lines[0], old, new)))
        out.append("\n".join([line for line in lines if line not in expected] + found))
        if found != expected:
            failures.append("\n".join([lines[0], "expected", *expected, "found", *found]))
    if update:
        (FOLDER / "cases.txt").write_text("\n\n".join(out) + "\n", encoding="utf-8")
    print(f"{len(blocks)} programs, {len(failures)} failures", *failures, sep="\n")
    return 1 if (failures and not update) or len(blocks) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
