#!/usr/bin/env python3
"""Runs a script of the language and compares what it writes with what its comments expect.

tests/language/*.covec: each `# expect: text` is one line of standard output, in order; `# expect error: text` says that
the program ends with a message that contains the text, `# expect warning: text` that it warns so, in order. tests/errors/*.covec: cases between `#--- name` lines; a case's
`#> …` lines are the whole of standard error, character by character (the program is called name.covec). What follows a
line `#+++ other.covec` in a case is another file beside it.

    run_scripts.py COMMAND FILE…            runs; exit status 1 when something differs
    run_scripts.py --update COMMAND FILE…   writes what was said into the `#>` lines, to be read over afterwards
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile


def run(command, path, cwd=None):
    done = subprocess.run([command, path], cwd=cwd, capture_output=True,
                          timeout=float(os.environ.get("COVEC_SCRIPT_SECONDS", 600)))
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


UNUSED = "warning: the value of this statement is not used"


def without_unused(err):
    """What provokes an error is written as a statement of its own: that its value is not used is not what is looked at."""
    blocks = re.split(r"^(?=warning: |error: )", err, flags=re.M)
    return "".join(block for block in blocks if not block.startswith(UNUSED))


def differences(wanted, got, name):
    return "\n".join(difflib.unified_diff(wanted, got, "expected", name, lineterm=""))


def check_script(command, path):
    lines = open(path, encoding="utf-8").read().split("\n")
    wanted, wanted_error, warnings = [], None, []
    for line in lines:
        found = re.search(r"# expect: ?(.*)$", line)
        if found:
            wanted.append(found.group(1))
        found = re.search(r"# expect warning: (.*)$", line)
        if found:
            warnings.append(found.group(1))
        found = re.search(r"# expect error: (.*)$", line)
        if found:
            wanted_error = found.group(1)
    with tempfile.TemporaryDirectory() as folder:  # what it writes is gone with it
        status, out, err = run(command, os.path.abspath(path), folder)
    if not any(warning.startswith(UNUSED[9:]) for warning in warnings):
        err = without_unused(err)
    problems = []
    got = out.split("\n")[:-1] if out.endswith("\n") else out.split("\n") if out else []
    if got != wanted:
        problems.append(differences(wanted, got, path))
    warned = [line[9:] for line in err.split("\n") if line.startswith("warning: ")]
    if len(warned) != len(warnings) or not all(part in line for part, line in zip(warnings, warned)):
        problems.append(differences(warnings, warned, path))
    if wanted_error is None and (status != 0 or "error: " in err):
        problems.append(f"{path}: ended with status {status}\n{err}")
    if wanted_error is not None and (status != 1 or wanted_error not in err):
        problems.append(f"{path}: expected the error '{wanted_error}', got status {status}\n{err}")
    return len(wanted) + len(warnings) + (wanted_error is not None), problems


def cases_of(path):
    """(name, program, expected, index of its first line) of each case."""
    cases, name, program, expected = [], None, [], []
    for line in open(path, encoding="utf-8").read().split("\n"):
        if line.startswith("#--- "):
            if name:
                cases.append((name, program, expected))
            name, program, expected = line[5:].strip(), [], []
        elif line.startswith("#>"):
            expected.append(line[3:])
        elif name:
            program.append(line)
    if name:
        cases.append((name, program, expected))
    return cases


def files_of_case(name, program):
    """The texts of its files by their names."""
    files, current = {name + ".covec": []}, name + ".covec"
    for line in program:
        if line.startswith("#+++ "):
            current = line[5:].strip()
            files[current] = []
        else:
            files[current].append(line)
    return {path: "\n".join(lines).rstrip("\n") + "\n" for path, lines in files.items()}


def run_case(command, name, program, folder):
    for path, text in files_of_case(name, program).items():
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(text)
    return run(command, name + ".covec", folder)


def check_cases(command, path):
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, program, expected in cases_of(path):
            count += 1
            status, _, err = run_case(command, name, program, folder)
            err = without_unused(err)
            got = [line.rstrip() for line in err.rstrip("\n").split("\n")]
            if status != 1 or got != [line.rstrip() for line in expected]:
                problems.append(f"{path}: case {name} (status {status})\n" + differences(expected, got, name))
    return count, problems


def update_cases(command, path):
    text = open(path, encoding="utf-8").read().split("\n")
    head = text[: next(i for i, line in enumerate(text) if line.startswith("#--- "))]
    with tempfile.TemporaryDirectory() as folder:
        for name, program, _ in cases_of(path):
            err = without_unused(run_case(command, name, program, folder)[2])
            while program and not program[-1]:
                program.pop()
            head += [f"#--- {name}", *program, *("#> " + line for line in err.rstrip("\n").split("\n")), ""]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(head))


def main():
    args = sys.argv[1:]
    update = args[0] == "--update"
    command, paths = os.path.abspath(args[update]), args[update + 1:]
    count, problems = 0, []
    for path in paths:
        in_cases = any(line.startswith("#--- ") for line in open(path, encoding="utf-8"))
        if update:
            if in_cases:
                update_cases(command, path)
            continue
        checked, wrong = (check_cases if in_cases else check_script)(command, path)
        count += checked
        problems += wrong
    print("\n".join(problems) if problems else f"{count} expectations hold")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
