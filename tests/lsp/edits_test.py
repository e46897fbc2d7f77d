#!/usr/bin/env python3
"""After each of many random edits, covec lsp tells what covec check tells of the same text.

    edits_test.py COVEC [EDITS [SEED]]
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import project
from client import Client

PIECES = ["(", ")", "[", "]", "{", "}", ",", ".", "=", "+", " ", "\n", "\"", "f\"{", "#", "fn ", "if x {\n", "}\n", "return ", "import util\n",
          "x", "nothing", "twice(2)", "util.scale(1)", "util.none_such", "y = ", "1.5", "for i in range(3) { }\n", "\U0001F600", "é",
          "# \U0001F600 \"\n", "\r\n", "\t", "break\n", "@compile\n"]


def position(text, at):
    """Line and UTF-16 character of a place; lines end as the protocol has it."""
    before = text[:at].replace("\r\n", "\n").replace("\r", "\n") if not text[at - 1:at + 1] == "\r\n" else text[:at - 1]
    line = before[before.rfind("\n") + 1:]
    return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}


def edited(random_, text):
    """A change as the protocol has it, and the text after it. No edit falls between "\\r" and "\\n"."""
    while True:
        begin = random_.randrange(len(text) + 1)
        end = min(len(text), begin + random_.choice([0, 0, 1, 2, 10]))
        if all(text[at - 1:at + 1] != "\r\n" for at in (begin, end)):
            break
    piece = random_.choice(PIECES) if random_.random() < 0.8 else ""
    range_ = {"start": position(text, begin), "end": position(text, end)}
    return (range_, piece), text[:begin] + piece + text[end:]


def expected(found, text):
    """The objects of covec check as diagnostics, without what is related."""
    data = text.encode()
    for each in found:
        message = "\n".join([each["message"], *each["notes"], *(["hint: " + each["hint"]] if each["hint"] else [])])
        for place in each["labels"][:1] + each["also"]:
            begin, end = (position(text, len(data[:at].decode())) for at in place["bytes"])
            yield [each["severity"] == "error", each["code"], message, begin, end]


def told(found):
    for each in found:
        yield [each["severity"] == 1, each["code"], each["message"], each["range"]["start"], each["range"]["end"]]


def sorted_texts(rows):
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def check(covec, folder, texts):
    """What covec check says of each text, in a folder of its own with the project's other files."""
    for number, text in enumerate(texts):
        place = folder / f"{number:04}"
        place.mkdir()
        (place / "main.covec").write_bytes(text.encode())
        for name in ("util.covec", "lib"):
            (place / name).symlink_to(folder / name)
    lines = subprocess.run([covec, "check", "--json", *(f"{number:04}/main.covec" for number in range(len(texts)))], cwd=folder,
                           capture_output=True, text=True, check=False).stdout.splitlines()
    found = [[] for _ in texts]
    for each in map(json.loads, lines):
        found[int(each["labels"][0]["file"].split("/")[0])].append(each)
    return found


def main():
    covec = os.path.abspath(sys.argv[1])
    count, seed = int((sys.argv[2:] or [200])[0]), int((sys.argv[3:] or [1])[0])
    random_ = random.Random(seed)
    folder = pathlib.Path(tempfile.mkdtemp()).resolve()
    try:
        project.write(folder)
        client = Client(covec, folder)
        start = text = project.FILES["main.covec"]
        client.open("main.covec")
        texts, answers = [], []
        for number in range(count):
            if number % 20 == 0:  # before nothing is left that could be read
                text = start
                client.change("main.covec", text)
            edits = []
            for _ in range(random_.choice([1, 1, 2, 3])):
                edit, text = edited(random_, text)
                edits.append(edit)
            client.change("main.covec", *edits)
            texts.append(text)
            answers.append(client.problems("main.covec"))
        assert client.close() == 0
        wrong = 0
        for number, found in enumerate(check(covec, folder, texts)):
            want, got = sorted_texts(expected(found, texts[number])), sorted_texts(told(answers[number]))
            if want != got:
                wrong += 1
                print(f"after edit {number}:\n{texts[number]!r}", *(f"  check: {row}" for row in want if row not in got),
                      *(f"  lsp:   {row}" for row in got if row not in want), sep="\n")
        with_problems = sum(map(bool, answers))
        print(f"{count} edits, {with_problems} texts with problems, {wrong} differences")
        return 1 if wrong or with_problems < count // 4 else 0
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
