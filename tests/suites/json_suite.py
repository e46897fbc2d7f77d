#!/usr/bin/env python3
"""JSONTestSuite (Nicolas Seriot) read with table.read_json and written with table.write_json, against Python's json module.

json_suite.py COVEC [--report]

data/json/cases.json has the texts by their names, LICENSE beside it the terms. Texts that are no UTF-8 are left out: the
package they are from has lost their bytes. n_ must be refused with an error; y_ must be read, and what is written again
must be the same; i_ may be either. A table is an array of objects or an object of arrays. So each text is put where one
holds it: an array is a column, an object a row, anything else a cell.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = 293

# Valid JSON that is no table, by the part of the error that says so.
NO_TABLE = {
    "y_array_arraysWithSpaces": "a cell of column 'a' is an array",
    "y_array_heterogeneous": "a cell of column 'a' is an object",
    "y_object_duplicated_key": "a row has two 'a'",
    "y_object_duplicated_key_and_value": "a row has two 'a'",
    "y_object_long_strings": "a cell of column 'x' is an array",
    "y_object_simple": "a cell of column 'a' is an array",
    "y_string_null_escape": "a text holds a zero character",
}
# No JSON by itself, but an empty column where a cell is to be.
EMPTY = ("n_single_space", "n_structure_no_data")


def table_of(text):
    """The text within a table."""
    start = text.lstrip()[:1]
    return '{"a": ' + text + "}" if start == "[" else "[" + text + "]" if start == "{" else '{"a": [' + text + "]}"


def columns_of(text):
    """What is to be read, as an object of columns."""
    value = json.loads(text)
    if isinstance(value, dict):
        return {name: [cell] for name, cell in value.items()}
    return {"a": value if isinstance(value, list) else [value]}


def read(covec, folder, cases):
    """Of each case "read", or the error's kind and message."""
    lines = ["import table"]
    for number, (name, text) in enumerate(cases.items()):
        with open(os.path.join(folder, f"{number}.json"), "w", encoding="utf-8", newline="") as file:
            file.write(text if name in EMPTY else table_of(text))
        lines += ["try {", f'  t = table.read_json("{number}.json")', f'  print({number}, "read")',
                  f'  table.write_json("{number}.out", t, rows=false)',
                  f'}} catch err {{ print({number}, err.kind, err.message) }}']
    with open(os.path.join(folder, "read.covec"), "w") as file:
        file.write("\n".join(lines) + "\n")
    run = subprocess.run([covec, "read.covec"], cwd=folder, capture_output=True, text=True, timeout=120)
    if run.returncode:
        sys.exit(f"covec ended with {run.returncode}: {run.stderr[:2000]}")
    answers = dict(line.split(" ", 1) for line in run.stdout.splitlines())
    return {name: answers.get(str(number), "no answer") for number, name in enumerate(cases)}


def wrong(name, text, answer, path):
    """What is wrong with an answer, or ""."""
    if answer != "read" and not answer.startswith("file "):
        return answer
    if name in NO_TABLE:
        return "" if NO_TABLE[name] in answer else answer
    if name[0] != "y":
        return "is to be refused" if name[0] == "n" and answer == "read" else ""
    if answer != "read":
        return answer
    with open(path, encoding="utf-8") as file:
        written = json.load(file)
    return "" if written == columns_of(text) else f"{written}, not {columns_of(text)}"


def main():
    covec, report = os.path.abspath(sys.argv[1]), "--report" in sys.argv
    with open(os.path.join(HERE, "data", "json", "cases.json")) as file:
        cases = json.load(file)
    cases["n_structure_100000_opening_arrays"] = "[" * 100000
    cases["n_structure_open_array_object"] = '[{"":' * 50000 + "\n"
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        answers = read(covec, folder, cases)
        for number, (name, text) in enumerate(cases.items()):
            what = wrong(name, text, answers[name], os.path.join(folder, f"{number}.out"))
            failed += bool(what)
            if what or report:
                print(f"{name}: {what or answers[name]}")
    print(f"{len(cases) - failed} texts passed, {failed} failed")
    return 1 if failed or len(cases) != CASES else 0


if __name__ == "__main__":
    sys.exit(main())
