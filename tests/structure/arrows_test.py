"""Includes follow the arrows of docs/architecture.md: against them they do not compile. Uses the build's own compile commands.

Usage: arrows_test.py BUILD_FOLDER SOURCE_FOLDER
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HEADERS = {
    "frontend": "frontend/source/source.hpp",
    "stdlib": "stdlib/value/value.hpp",
    "interpreter": "interpreter/session/session.hpp",
    "jit": "jit/ir/graph.hpp",
    "compiler": "interpreter/compiler.hpp",
}
# Which headers a file of a folder may include. interpreter/main and interpreter/repl belong to the composition root.
ALLOWED = {
    "frontend/source": {"frontend"},
    "frontend/resolve": {"frontend"},
    "stdlib/ops": {"stdlib"},
    "stdlib/autodiff": {"stdlib"},
    "interpreter/eval": {"frontend", "stdlib", "interpreter", "compiler"},
    "jit/lower": {"frontend", "stdlib", "jit", "compiler"},
}
# Library headers and the only folder that may name them.
PRIVATE = {r"antlr4-runtime": "frontend/parse", r"Eigen/": "stdlib/kernels", r"asmjit": "jit/simd", r"nlohmann/": "stdlib/files",
           r"^zlib\.h$": "stdlib/files"}


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


def main():
    build, source = sys.argv[1:3]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    failures, checks = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for place, allowed in ALLOWED.items():
            like = next(c for c in commands if c["file"].startswith(os.path.join(source, place) + "/"))
            for name, header in HEADERS.items():
                checks += 1
                if compiles(like, header, folder) != (name in allowed):
                    failures.append(f"{place} {'cannot' if name in allowed else 'can'} include {header}")
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
