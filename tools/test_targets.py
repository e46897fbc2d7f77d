#!/usr/bin/env python3
"""test_targets.py BUILD PATTERN: prints what ninja must build before the tests run whose names match PATTERN (ctest -R).

A script's test names what it needs in its command and environment. The tests of an executable are known to ctest only after it
is built, so their names are read from the sources. Prints nothing where no test matches: everything is built then.
"""
import json
import pathlib
import re
import subprocess
import sys

GTEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.M)
PREFIX = re.compile(r'gtest_discover_tests\((\w+)[^)]*TEST_PREFIX\s+"?([^"\s)]+)')


def outputs(build):
    """Every file that ninja makes, as a path relative to the build folder."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True)
    return {line.rsplit(": ", 1)[0] for line in listed.stdout.splitlines() if ": " in line}


def of_scripts(build, pattern, made):
    """What the commands of matching tests name."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        if not pattern.search(test["name"]):
            continue
        words = list(test.get("command", []))
        for entry in test.get("properties", []):
            if entry["name"] == "ENVIRONMENT":
                words += [word for value in entry["value"] for word in re.split("[=:]", value)]
        for word in words:
            if word == str(build):
                yield "all"
            elif word.startswith(f"{build}/"):
                path = word[len(str(build)) + 1:]
                yield from (target for target in made if target == path or target.startswith(path + "/"))


def prefixes(source):
    """What CMake puts before the names of an executable's tests, by target."""
    texts = (path.read_text() for path in source.glob("tests/*/*.cmake"))
    return dict(match for text in texts for match in PREFIX.findall(text))


def of_executables(build, pattern):
    """The executables with a test whose name, read from the source, matches."""
    before = prefixes(pathlib.Path(__file__).resolve().parents[1])
    for entry in json.loads((build / "compile_commands.json").read_text()):
        target = re.search(r"-o (tests/CMakeFiles/(\w+)\.dir)/", entry["command"])
        if target is None:
            continue
        for suite, name in GTEST.findall(text_of(pathlib.Path(entry["file"]))):
            if pattern.search(f"{before.get(target[2], '')}{suite}.{name}"):
                yield target[2]
                break


def text_of(source):
    """The text of a source, and of those that it includes where they are compiled together (COVEC_UNITY)."""
    text = source.read_text()
    parts = re.findall(r'^#include "([^"]+)"', text, re.M) if source.parent.name == "Unity" else []
    return "\n".join([text, *(pathlib.Path(part).read_text() for part in parts)])


def main():
    build, pattern = pathlib.Path(sys.argv[1]), re.compile(sys.argv[2])
    made = outputs(build)
    for target in sorted({*of_scripts(build, pattern, made), *of_executables(build, pattern)}):
        print(target)


main()
