#!/usr/bin/env python3
"""The programs of the project that are formatted as `covec fmt` does it: all but those of KEPT.

    formatted.py COVEC [--write] [FILE…]     FILE: only these of them, by their paths in the project

Names those that are not, with exit status 1; --write formats them."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = {
    "tests/errors": "the texts of errors, and where they are",
    "tests/fuzz/found": "as they were found",
    "tests/colours": "blanks and indentation as people write them, open strings",
}


def programs():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.covec"], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode != 0:
        return []  # this is no clone
    return [path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file() and not is_kept(path)]


def is_kept(path):
    return any(path.startswith(folder + "/") for folder in KEPT)


def main(covec, *arguments):
    writes = "--write" in arguments
    wanted = set(arguments) - {"--write"}
    paths = [path for path in programs() if not wanted or path in wanted]
    if not paths:
        print("no program to look at")
        return 0
    done = subprocess.run([pathlib.Path(covec).resolve(), "fmt", *([] if writes else ["--check"]), *paths], cwd=ROOT)
    print(f"{len(paths)} programs")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
