#!/usr/bin/env python3
"""How often a deleted token makes `covec check` tell an unknown name that the whole program binds. Run by hand:

    python3 tests/errors/recovery/deletions.py build/covec examples --count 500 --seed 1 [--show]
"""

import argparse
import json
import pathlib
import random
import re
import subprocess

TOKEN = re.compile(r"#[^\n]*|f?\"(?:[^\"\\\n]|\\.)*\"|f?'(?:[^'\\\n]|\\.)*'|[^\W\d]\w*|\d[\w.]*|\*\*=?|//=?|[-+*/%^@&|<>=!]=|->|<<|>>|\.\.\.|\S")
NAME = re.compile(r"[^\W\d]\w*")


def tokens_of(text):
    return [match for match in TOKEN.finditer(text) if not match.group().startswith("#")]


def unknown_names(covec, text, folder):
    done = subprocess.run([covec, "check", "--json", "-"], input=text, capture_output=True, text=True, cwd=folder, timeout=60)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    names = {text.encode()[slice(*each["labels"][0]["bytes"])].decode() for each in found if each["code"] == "unknown_name"}
    return names, any(each["severity"] == "error" and each["code"] != "unknown_name" for each in found)


def main():
    parser = argparse.ArgumentParser(description="Delete tokens, and count unknown names that are known.")
    parser.add_argument("covec")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    covec = str(pathlib.Path(options.covec).resolve())
    files = sorted(options.folder.rglob("*.covec"))
    random.seed(options.seed)
    wrong = itself = syntax = 0
    for _ in range(options.count):
        path = random.choice(files)
        text = path.read_text(encoding="utf-8")
        token = random.choice(tokens_of(text))
        names, broken = unknown_names(covec, text[:token.start()] + " " + text[token.end():], path.parent)
        told = names & set(NAME.findall(text))
        syntax += broken
        wrong += bool(told)
        itself += told == {token.group()}
        if told and options.show:
            line = text.count("\n", 0, token.start())
            print(f"{path}:{line + 1}: without `{token.group()}`: {sorted(told)}: {text.splitlines()[line].strip()}")
    share = 100 / options.count
    print(f"{options.count} deletions, {syntax} with syntax errors: {wrong} told unknown names that are bound ({share * wrong:.1f} %), "
          f"{wrong - itself} ({share * (wrong - itself):.1f} %) where the deleted token was another than that name")


if __name__ == "__main__":
    main()
