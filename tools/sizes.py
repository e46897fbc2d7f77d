#!/usr/bin/env python3
"""sizes.py CLANG BUILD [FILE…]: looks for numbers that lose bits without a cast, in all sources of a build or in these.

CLANG compiles them without making code and warns where a number of 64 bits becomes one of 32. The options are those of the build:
where it is one for wasm32, size_t has 32 bits. Sources that the build compiles together are compiled together here, too; that takes
minutes instead of an hour. What is found is printed once, then one line with the counts. The exit status is 1 if something was found,
or does not compile. Start reading at main().
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
JOBS = 2  # a unit takes up to 1 GB of memory
CHECK = ["-fsyntax-only", "-Wno-everything", "-Wshorten-64-to-32", "-ferror-limit=0"]
# The options that count: where headers are, definitions, the language, and what it is compiled for. GCC has others that clang does not
# know.
KEPT = re.compile(r"-(?:I|D|std=|-target=|-sysroot=|f(?:no-)?(?:char8_t|exceptions|wasm-exceptions)|m(?!llvm|prefer)).*")
INCLUDED = re.compile(r'^#include "([^"]+)"', re.M)
FINDING = re.compile(r"^(?:In file included from .*\n)*(?P<what>\S+:\d+:\d+: (?:warning|error|fatal error): .*)", re.M)
PREFIX = re.compile(rf"(?:/\S*?/roots/[^/\s]+|{re.escape(str(ROOT))})/")  # of a path in the project


def options_of(words):
    """The options of a command that count here."""
    options = []
    for i, word in enumerate(words):
        if word == "-isystem":
            options += words[i:i + 2]
        elif KEPT.fullmatch(word):
            options.append(word)
    return options


def units_of(build, files):
    """Options and chosen sources of what the build compiles at a time; of copies for instruction sets the first."""
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"])
        if file in units or file.suffix == ".c":
            continue
        sources = INCLUDED.findall(file.read_text()) if "Unity" in file.parts else [str(file)]
        sources = [os.path.relpath(os.path.realpath(source), ROOT) for source in sources]
        units[file] = options_of(shlex.split(entry["command"])), [
            source for source in sources if (source in files or not files) and not source.startswith(("..", "build"))]
    return [unit for unit in units.values() if unit[1]]


def check(clang, unit, options, sources):
    """What clang says of sources that are compiled together."""
    unit.write_text("".join(f'#include "{ROOT / source}"\n' for source in sources))
    done = subprocess.run([clang, *options, *CHECK, str(unit)], capture_output=True, text=True)
    return done.stderr + ("" if done.returncode >= 0 else f"{unit}:1:1: error: the compiler was killed, for {' '.join(sources)}\n")


def new_findings(text, seen):
    """What is found in this unit and in none before."""
    text = PREFIX.sub("", text)
    found = list(FINDING.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    new = {match["what"]: text[match.start():end] for match, end in zip(found, ends) if match["what"] not in seen}
    seen.update(new)
    return new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clang")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    folder = options.build / "sizes"
    folder.mkdir(exist_ok=True)
    units = units_of(options.build, set(options.files))
    seen = set()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        texts = pool.map(lambda number: check(options.clang, folder / f"{number}.cpp", *units[number]), range(len(units)))
        for text in texts:
            print("".join(new_findings(text, seen).values()), end="", flush=True)
    print(f"sizes: {sum(len(sources) for _, sources in units)} sources, {len(seen)} findings")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
