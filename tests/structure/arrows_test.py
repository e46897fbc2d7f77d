"""Includes follow the arrows of docs/architecture.md: against them they do not compile. Uses the build's own compile commands,
and rooms.txt, the list of stdlib's rooms with what each may see, which the build has written from stdlib/CMakeLists.txt.

Usage: arrows_test.py BUILD_FOLDER SOURCE_FOLDER
"""
import functools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HEADERS = {
    "common": "frontend/common/nearest.hpp",
    "frontend": "frontend/source/source.hpp",
    "stdlib": "stdlib/value/value.hpp",
    "interpreter": "interpreter/session/session.hpp",
    "jit": "jit/ir/graph.hpp",
    "compiler": "interpreter/compiler.hpp",
}
# Which headers a file of a folder may include. interpreter/main and interpreter/repl belong to the composition root.
ALLOWED = {
    "frontend/common": {"common"},
    "frontend/source": {"common", "frontend"},
    "frontend/resolve": {"common", "frontend"},
    "stdlib/ops/registry": {"stdlib"},
    "stdlib/autodiff": {"stdlib"},
    "interpreter/eval": {"common", "frontend", "stdlib", "interpreter", "compiler"},
    "jit/lower": {"common", "frontend", "stdlib", "jit", "compiler"},
}
# Library headers and the only folder that may name them.
PRIVATE = {r"antlr4-runtime": "frontend/parse", r"asmjit": "jit/simd",
           r"nlohmann/": ("stdlib/files", "interpreter/lsp", "interpreter/notebook"), r"^zlib\.h$": "stdlib/files"}


def compiles(command, header, folder):
    """Whether a file compiled like `command` can include `header`."""
    words = shlex.split(command["command"])
    if "ccache" in os.path.basename(words[0]):
        words = words[1:]
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MF", "-MT"):
            skip = True
        elif word != "-MD":
            kept.append(word)
    probe = os.path.join(folder, "probe.cpp")
    with open(probe, "w", encoding="utf-8") as out:
        out.write(f'#include "{header}"\n')
    run = subprocess.run([*kept, "-fsyntax-only", probe], cwd=command["directory"], capture_output=True, text=True)
    if run.returncode != 0 and "No such file" not in run.stderr:
        raise SystemExit(f"{header} does not compile by itself:\n{run.stderr}")
    return run.returncode == 0


class Includes:
    """What a file that is compiled like `command` can include: a header, and all that this includes, in the same way."""

    def __init__(self, command):
        self.folders = [word[2:] for word in shlex.split(command["command"]) if word.startswith("-I")]
        self.seen = {}

    def find(self, header):
        if header not in self.seen:
            self.seen[header] = True  # while it is looked into
            path = next((p for p in (os.path.join(f, header) for f in self.folders) if os.path.exists(p)), None)
            self.seen[header] = path is not None and all(self.find(name) for name in quoted_includes(path))
        return self.seen[header]


@functools.cache
def quoted_includes(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.read(), re.M)


def commands_of(build):
    """What compiles each source, also one that is compiled together with others (COVEC_UNITY)."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    for command in [c for c in commands if "/Unity/" in c["file"]]:
        with open(command["file"], encoding="utf-8") as file:
            commands += [{**command, "file": name} for name in re.findall(r'^#include "([^"]+)"', file.read(), re.M)]
    return commands


def rooms_of(build):
    """The rooms of stdlib, in the order of the arrows: name, folder, and the names of the rooms that it sees (`common` is none)."""
    with open(os.path.join(build, "rooms.txt"), encoding="utf-8") as file:
        rooms = [line.split() for line in file if line.strip()]
    return [(name, "stdlib/" + folder, [room for room in sees if room != "common"]) for name, folder, *sees in rooms]


def check_rooms(rooms, commands, source):
    """Every room finds the headers of the rooms that it sees, and no others; all that it sees stand before it."""
    def files(place, ending):
        return sorted(f for f in os.listdir(os.path.join(source, place)) if f.endswith(ending))
    failures, checks = [], 0
    headers = {name: f"{place}/{files(place, '.hpp')[0]}" for name, place, _ in rooms if files(place, ".hpp")}
    for number, (name, place, sees) in enumerate(rooms):
        failures += [f"{name} sees {other}, which does not stand before it"
                     for other in sees if other not in [room[0] for room in rooms[:number]]]
        sources = [os.path.join(source, place, f) for f in files(place, ".cpp")]
        like = next((c for c in commands if c["file"] in sources), None)
        includes = Includes(like) if like else None
        for other, header in headers.items() if like else ():
            checks += 1
            if includes.find(header) != (other == name or other in sees):
                failures.append(f"{name} {'cannot' if other in sees else 'can'} include {header}")
    return checks, failures


def main():
    build, source = sys.argv[1:3]
    commands = commands_of(build)
    failures, checks = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for place, allowed in ALLOWED.items():
            like = next(c for c in commands if c["file"].startswith(os.path.join(source, place) + "/"))
            for name, header in HEADERS.items():
                checks += 1
                if compiles(like, header, folder) != (name in allowed):
                    failures.append(f"{place} {'cannot' if name in allowed else 'can'} include {header}")
        more_checks, more_failures = check_rooms(rooms_of(build), commands, source)
        checks += more_checks
        failures += more_failures
    for root, _, files in os.walk(source):
        relative = os.path.relpath(root, source)
        if relative.split(os.sep)[0] not in ("frontend", "stdlib", "interpreter", "jit"):
            continue
        for name in files:
            if not name.endswith((".hpp", ".cpp", ".h")):
                continue
            with open(os.path.join(root, name), encoding="utf-8") as file:
                includes = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', file.read(), re.M)
            for pattern, home in PRIVATE.items():
                checks += 1
                if not relative.startswith(home) and any(re.search(pattern, i) for i in includes):
                    failures.append(f"{relative}/{name} includes {pattern}, which belongs to {home}")
    print(f"{checks} checks, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
