"""A table by folder of gcovr's summary: coverage_table.py SUMMARY.json."""

import json
import sys
from collections import defaultdict

COUNTS = ("line_total", "line_covered", "branch_total", "branch_covered")


def folder_of(path):
    """Two levels, three below stdlib/ops."""
    parts = path.split("/")[:-1]
    if parts[1:2] == ["roots"]:  # build-coverage/roots/ROOM/…: headers, as the targets of each room see them
        parts = parts[3:]
    return "/".join(parts[: 3 if parts[:2] == ["stdlib", "ops"] else 2])


def share(covered, total):
    return f"{100 * covered / total:.1f} %" if total else "–"


def main():
    with open(sys.argv[1]) as file:
        files = json.load(file)["files"]
    folders = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
    for entry in files:
        for folder in (folder_of(entry["filename"]), "**all**"):
            for count in COUNTS:
                folders[folder][count] += entry[count]
    print("| folder | lines | executed | branches | taken |\n| --- | --- | --- | --- | --- |")
    for folder, n in sorted(folders.items()):
        lines = share(n["line_covered"], n["line_total"])
        branches = share(n["branch_covered"], n["branch_total"])
        print(f"| {folder} | {n['line_total']} | {lines} | {n['branch_total']} | {branches} |")


if __name__ == "__main__":
    main()
