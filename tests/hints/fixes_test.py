#!/usr/bin/env python3
"""What `covec check --fix` makes of the rows of hints.txt: their lines "#+ ", which run, or "#~ ", which need a file or have an
error of a run. A row with a fix has such lines, and a second call changes nothing.

    fixes_test.py COVEC [--update]    with --update it writes the lines; read them
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROWS = pathlib.Path(__file__).with_name("hints.txt")


def is_program(line):
    return not line.startswith(("#!", "#>", "#=", "#+", "#~", "##"))


def runs(covec, path):
    done = subprocess.run([covec, path.name], cwd=path.parent, capture_output=True, text=True, timeout=60)
    return done.returncode == 0, done.stderr


def main():
    covec, update = str(pathlib.Path(sys.argv[1]).resolve()), "--update" in sys.argv
    blocks = ROWS.read_text(encoding="utf-8").split("\n\n")
    failures, fixed = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths = [folder / f"row{number:04}.covec" for number in range(len(blocks))]
        texts = ["".join(line + "\n" for line in block.strip("\n").split("\n") if is_program(line)) for block in blocks]
        for path, text in zip(paths, texts):
            path.write_text(text, encoding="utf-8")
        found = subprocess.run([covec, "check", "--json", "."], cwd=folder, capture_output=True, text=True, timeout=120).stdout
        with_fix = {each["fix"]["file"] for each in map(json.loads, found.splitlines()) if each["fix"]}
        subprocess.run([covec, "check", "--fix", "."], cwd=folder, capture_output=True, timeout=120)
        after = [path.read_text(encoding="utf-8") for path in paths]
        subprocess.run([covec, "check", "--fix", "."], cwd=folder, capture_output=True, timeout=120)
        for number, (path, block) in enumerate(zip(paths, blocks)):
            expected = "".join(line[3:] + "\n" for line in block.split("\n") if line.startswith(("#+", "#~")))
            result = after[number] if after[number] != texts[number] else ""
            fixed += bool(result)
            if path.read_text(encoding="utf-8") != after[number]:
                failures.append(f"a second --fix changes\n{after[number]}")
            if bool(result) != (f"./{path.name}" in with_fix):
                failures.append(f"a fix that is not told, or not made:\n{texts[number]}")
            good, why = runs(covec, path) if result else (True, "")
            sign = "#+" if good else "#~"
            if result != expected:
                failures.append(f"of\n{texts[number]}expected\n{expected}found\n{result}")
            elif result and f"\n{sign} " not in block:
                failures.append(f"runs or does not, as it should not:\n{result}{why}")
            if update and result:
                lines = [line for line in block.rstrip("\n").split("\n") if not line.startswith(("#+", "#~"))]
                blocks[number] = "\n".join(lines + [f"{sign} {line}".rstrip() for line in result.rstrip("\n").split("\n")])
    if update:
        ROWS.write_text("\n\n".join(blocks).rstrip("\n") + "\n", encoding="utf-8")
    print(f"{len(blocks)} rows, {fixed} with a fix, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures or fixed < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
