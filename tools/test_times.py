#!/usr/bin/env python3
"""test_times.py BUILD [-R NAME]: prints where the last run of the tests and the last build spent their time; with -R the seconds of the tests
whose names match NAME, and their sum.

Seconds of tests are by the clock, while other tests ran beside them (last_tests.xml, which tools/test has ctest write: its own log is
lost as soon as somebody asks it for the names of tests). Seconds of the build are shares of the processors (ninja's .ninja_log). Start reading at main().
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

SLOWEST = 25  # tests that are listed by name
OBJECT = re.compile(r"CMakeFiles/(\w+)\.dir/.*(\.o|\.gch)$")


def executables(build):
    """The executable of each test of GoogleTest, whose own names begin with a suite."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    commands = ((test["name"], test.get("command", [])) for test in json.loads(listed.stdout)["tests"])
    return {name: pathlib.Path(command[0]).name for name, command in commands if "--gtest_filter=" in " ".join(command)}


def group(name, executables):
    """A test's group: the first part of its name; the C compiler and scripts on devices stand apart, since they cost most."""
    parts = name.split(".")
    if name in executables and executables[name].split("_")[0] != parts[0]:
        return executables[name]
    if "c99" in parts[1:]:
        return f"{parts[0]}.c99"
    if parts[0] == "devices" and len(parts) > 2:
        return f"devices.{parts[1]}"
    return parts[0]


def steps_of(log):
    """(start, end, file made) of each step of the last build that did something. Within a build, ends never go back."""
    steps, last = {}, 0.0
    for line in log.read_text().splitlines():
        fields = line.split("\t")
        if len(fields) != 5:
            continue  # the first line
        start, end = int(fields[0]) / 1000, int(fields[1]) / 1000
        if end < last:
            steps = {}
        last = end
        if "verify_globs" not in fields[3]:
            steps[start, end, fields[4]] = fields[3]  # a step that makes several files counts once
    return [(start, end, path) for (start, end, _), path in steps.items()]


def processor_seconds(steps):
    """(seconds of a processor, file made) of each step: ninja runs more steps at once than there are processors to share."""
    changes = sorted([(start, 1) for start, _, _ in steps] + [(end, -1) for _, end, _ in steps])
    spent, running, before, sums = 0.0, 0, 0.0, {0.0: 0.0}  # sums: what a step that has run all along got until then
    for when, change in changes:
        if running:
            spent += (when - before) * min(1.0, os.cpu_count() / running)
        sums[when], running, before = spent, running + change, when
    return [(sums[end] - sums[start], path) for start, end, path in steps]


def table(title, seconds, limit=None):
    """Prints `seconds` by name, a number of seconds each or a list, most first."""
    rows = [(sum(times), len(times), name) for name, times in seconds.items()]
    print(f"\n{title}")
    for total, count, name in sorted(rows, reverse=True)[:limit]:
        print(f"{total:9.1f} s {count:6}  {name}" if limit is None else f"{total:9.1f} s  {name}")
    if limit is None:
        print(f"{sum(row[0] for row in rows):9.1f} s {sum(row[1] for row in rows):6}  in all")


def times_of(tests):
    """The seconds of each test of the last run."""
    return {case.get("name"): [float(case.get("time"))] for case in xml.etree.ElementTree.parse(tests).iter("testcase")}


def main():
    build = pathlib.Path(sys.argv[1])
    tests, made = build / "last_tests.xml", build / ".ninja_log"
    if len(sys.argv) == 4 and sys.argv[2] == "-R" and tests.exists():
        return table(f"The tests of the last run that match {sys.argv[3]}",
                     {name: seconds for name, seconds in times_of(tests).items() if re.search(sys.argv[3], name)})
    if not made.exists():
        sys.exit(f"covec: nothing was built in {build}: run tools/test first")
    compiling = collections.defaultdict(list)
    for seconds, path in processor_seconds(steps_of(made)):
        target = OBJECT.search(path)
        compiling[target[1] if target else "(links and generated files)"].append(seconds)
    table("The last build: seconds and steps by target", compiling)
    sys.stdout.flush()
    if not tests.exists():
        sys.exit(f"covec: no tests have run in {build}: run tools/test first")
    times = times_of(tests)
    of_executables, groups = executables(build), collections.defaultdict(list)
    for name, seconds in times.items():
        groups[group(name, of_executables)] += seconds
    table("The last run: seconds and tests by group", groups)
    table("The slowest tests", times, SLOWEST)


main()
