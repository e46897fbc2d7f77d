#!/usr/bin/env python3
"""Every public function of the modules written in Covec has an example in its comment (or in that of the functions written right above it, which
it shares), and each example runs and writes what it says: a line with `print` ends with a comment that is its output, blanks aside.

    module_examples_test.py COVEC ROOT
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

covec, root = sys.argv[1], pathlib.Path(sys.argv[2])
modules = root / "stdlib" / "modules"
FUNCTION = re.compile(r"fn ([a-z]\w*)\(")
ALIASES = re.compile(r"^([a-z]\w*(?:, [a-z]\w*)*) = (_\w+\.\w+(?:, _\w+\.\w+)*)$")


def comments(text):
    """The comment above each function; None for one that stands right below another and has none."""
    found, comment, last = {}, [], None
    for line in text.split("\n"):
        match = FUNCTION.match(line)
        if line.startswith("#"):
            comment.append(line)
        elif match:
            found[match[1]] = comment or (found.get(last) if last else None)
            last, comment = match[1], []
        elif not line.startswith("@"):
            if not line.strip():
                last, comment = None, []
    return found


def example_of(comment):
    """The first lines that are set in, as a program."""
    lines = [line[6:] for line in comment or () if line.startswith("#     ")]
    return "\n".join(lines)


def public_functions(file):
    text = file.read_text(encoding="utf-8")
    found = comments(text)
    for line in text.split("\n"):
        match = ALIASES.match(line)
        for name, path in zip(match[1].split(", "), match[2].split(", ")) if match else ():
            part, function = path.split(".")
            found[name] = comments((modules / f"{part}.covec").read_text(encoding="utf-8"))[function]
    return found


def check(module, name, program):
    if not program:
        return f"{module}.{name} has no example"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([covec, "-e", f"import {module}\n{program}"], cwd=folder, capture_output=True, text=True, timeout=600)
    wanted = "".join(line.rsplit(" # ", 1)[1] for line in program.split("\n") if "print(" in line and " # " in line)
    squeezed = [re.sub(r"\s", "", text) for text in (done.stdout if wanted else "", wanted)]
    if done.returncode != 0 or done.stderr or squeezed[0] != squeezed[1]:
        return f"{module}.{name}:\n{program}\ngives\n{done.stdout}{done.stderr}"
    return None


tasks = []
for file in sorted(modules.glob("[a-z]*.covec")):
    for name, comment in public_functions(file).items():
        tasks.append((file.stem, name, example_of(comment)))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    wrong = [said for said in pool.map(lambda task: check(*task), tasks) if said]
print("\n".join(wrong))
print(f"{len(tasks) - len(wrong)} of {len(tasks)} functions have an example that does what it says")
sys.exit(bool(wrong) or len(tasks) < 100)
