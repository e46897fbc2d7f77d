#!/usr/bin/env python3
"""Random names of programs are renamed: their core stays the same, but for names.

    rename_test.py COVEC [RENAMES [SEED]]
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from client import Client, apply_edits

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRESH = "renamed_name"
WORD = re.compile(r"[^\W\d]\w*")


def core_of(covec, path):
    """Its text; None of a program with errors."""
    done = subprocess.run([covec, "dump", "--core", path.name], cwd=path.parent, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def utf16(text):
    return len(text.encode("utf-16-le")) // 2


def rename(client, covec, path, number, at):
    """Renames what stands at a place: what it was called, and the core after it; None where the server refuses."""
    text = path.read_text()
    before = text[:at]
    place = {"line": before.count("\n"), "character": utf16(before[before.rfind("\n") + 1:])}
    answer = client.answer(client.request("textDocument/rename", textDocument={"uri": path.as_uri()}, position=place, newName=FRESH))
    if "error" in answer:
        return None
    changed = path.with_name(f"renamed_{number}.covec")
    edits = answer["result"]["changes"].pop(path.as_uri())
    assert not answer["result"]["changes"], "a name of another file"
    changed.write_text(apply_edits(text, edits))
    return core_of(covec, changed)


def main():
    covec = os.path.abspath(sys.argv[1])
    count, seed = int((sys.argv[2:] or [60])[0]), int((sys.argv[3:] or [1])[0])
    random_ = random.Random(seed)
    programs = sorted(path for folder in ("examples", "tests/language") for path in (ROOT / folder).glob("*.covec")
                      if max(path.read_text()) <= "\uffff" and FRESH not in path.read_text())
    folder = pathlib.Path(tempfile.mkdtemp()).resolve()
    renamed = wrong = refused = 0
    try:
        client = Client(covec, folder, seconds=60 + count)
        while renamed < count:
            path = pathlib.Path(shutil.copy(random_.choice(programs), folder / "program.covec"))
            old = core_of(covec, path)
            text = path.read_text()
            if old is None:
                continue
            client.open("program.covec", text)
            for _ in range(5):
                name = random_.choice(list(WORD.finditer(text)))
                new = rename(client, covec, path, renamed, name.start())
                refused += new is None
                if new is None:
                    continue
                renamed += 1
                if new.replace(FRESH, name.group()) != old:
                    wrong += 1
                    print(f"{name.group()} at byte {name.start()} of a program:\n{text}")
            client.tell("textDocument/didClose", textDocument={"uri": client.uri("program.covec")})
        client.close()
    finally:
        shutil.rmtree(folder)
    print(f"{renamed} names renamed, {refused} refused, {wrong} programs mean something else")
    return 1 if wrong or refused > 20 * renamed else 0


if __name__ == "__main__":
    sys.exit(main())
