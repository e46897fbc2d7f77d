#!/usr/bin/env python3
"""Runs scripts by the module for browsers, in node, and by the native command without its compiler and vectors, and compares all
that they print, and the bits of what they save. differences.txt lists what may differ.

    compare.py COMMAND SAMPLES MODULE [NAME…]    SAMPLES: tests/entry_samples; NAME: scripts of these names alone ("samples/*")

Prints each script that differs, and at last how many are equal, listed and failed. Exit status 1 if any failed.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time

import differences
import scripts

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS = 4            # in the last place, of what is listed as `digits`
MOST_LEFT_OUT = 0.1  # of the scripts of tests/
SECONDS = float(os.environ.get("COVEC_SCRIPT_SECONDS", 900))  # of a script
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")
SLOW = 60  # seconds from which a script is named


class Runner:
    """A process of node that runs scripts by the module. It is started again after one that does not end."""

    def __init__(self, module):
        self.module = module
        self.process = None

    def run(self, script, to):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(["node", os.path.join(HERE, "runner.mjs"), self.module], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
        ask = {"file": script.file, "given": script.given, "writes": script.writes, "to": to}
        try:
            self.process.stdin.write(json.dumps(ask).encode() + b"\n")
            self.process.stdin.flush()
            ready = select.select([self.process.stdout], [], [], SECONDS)[0]
            line = self.process.stdout.readline() if ready else b""
        except BrokenPipeError:
            line = b""
        if line:
            return json.loads(line)
        how = "node ended" if self.process.poll() is not None else f"no end in {SECONDS:g} s"
        self.close()
        return {"status": -1, "out": "", "err": how}

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None


def run_native(command, script, folder):
    setting = {"COVEC_ISA": "baseline", "COVEC_ENGINE": "eager", "COVEC_THREADS": "1"}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COVEC_")}
    try:
        done = subprocess.run([command, script.file], cwd=folder, env=inherited | setting, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"status": -2, "out": "", "err": f"no end in {SECONDS:g} s"}
    out, err = (told.decode("utf-8", "replace").replace(folder, "/") for told in (done.stdout, done.stderr))  # the module's folder
    return {"status": done.returncode, "out": out, "err": err}


# --- comparing ---


def ordered(pattern, width):
    """Bit patterns of floats in the order of the numbers."""
    return pattern if pattern >= 0 else -(1 << (8 * width - 1)) - pattern - 1


def units_between(wanted, got):
    """The most units in the last place between two .npy files; inf where they are not floats of one shape."""
    head = 10 + struct.unpack("<H", wanted[8:10])[0] if len(wanted) > 10 else 0
    found = re.search(rb"'<f([48])'", wanted[:head])
    if not found or wanted[:head] != got[:head] or len(wanted) != len(got):
        return float("inf")
    width = int(found[1])
    a, b = (struct.unpack(f"<{(len(one) - head) // width}{'q' if width == 8 else 'i'}", one[head:]) for one in (wanted, got))
    return max((abs(ordered(x, width) - ordered(y, width)) for x, y in zip(a, b) if x != y), default=0)


def close_numbers(wanted, got):
    """Equal, or by a few units: in the last place, and of the last digit that both have."""
    if wanted == got:
        return True
    x, y = float(wanted), float(got)
    a, b = (ordered(struct.unpack("<q", struct.pack("<d", value))[0], 8) for value in (x, y))
    digits = min(len(re.sub(r"e.*|\D", "", text).lstrip("0")) for text in (wanted, got))
    return abs(a - b) <= UNITS or abs(x - y) <= max(abs(x), abs(y)) * 10.0 ** (1 - digits) * (digits < 15)


def close_texts(wanted, got):
    if NUMBER.sub("#", wanted) != NUMBER.sub("#", got):
        return False
    return all(map(close_numbers, NUMBER.findall(wanted), NUMBER.findall(got)))


def first_difference(wanted, got):
    for i, (a, b) in enumerate(zip(wanted.split("\n"), got.split("\n"))):
        if a != b:
            return f"line {i + 1}\n    native: {a[:400]}\n    module: {b[:400]}"
    a, b = wanted.count("\n"), got.count("\n")
    return f"{a} lines natively, {b} by the module, ends in {(wanted if a > b else got)[-300:]!r}"


class Comparison:
    """What is found of a script: equal, close (numbers alone differ, by little), different, absent (has no such operands)."""

    def __init__(self, verdict, text=""):
        self.verdict, self.text = verdict, text


def content(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def compare(script, command, runner):
    with tempfile.TemporaryDirectory() as folder:
        wanted = run_native(command, script, folder)
        if script.must_end and wanted["status"] != 0:
            return Comparison("absent" if wanted["status"] == 1 else "different", wanted["err"])
        got = runner.run(script, os.path.join(folder, "by_module"))
        if wanted["status"] != got["status"]:
            return Comparison("different", f"status {wanted['status']} natively, {got['status']} by the module\n{got['err'][-400:]}")
        close = []
        for what in ("out", "err"):
            if wanted[what] != got[what]:
                close.append(close_texts(wanted[what], got[what]))
                text = f"{what}, {first_difference(wanted[what], got[what])}"
        if script.writes:
            a, b = content(os.path.join(folder, script.writes)), content(os.path.join(folder, "by_module"))
            if a is None or b is None:
                return Comparison("different", f"{script.writes} is not written")
            if a != b:
                units = units_between(a, b)
                close.append(units <= UNITS)
                text = f"{script.writes}: {units} units in the last place"
    if not close:
        return Comparison("equal")
    return Comparison("close" if all(close) else "different", text)


# --- all ---


def listed(rows, kind, name):
    return any(row[0] == kind and fnmatch.fnmatchcase(name, row[1]) for row in rows)


class Report:
    def __init__(self, rows):
        self.rows = rows
        self.counts = {}  # of a group: {verdict: scripts}
        self.lock = threading.Lock()

    def add(self, script, found, seconds):
        verdict = found.verdict
        if verdict == "close" and listed(self.rows, "digits", script.name):
            verdict = "listed"
        if verdict in ("close", "different"):
            verdict = "failed"
        group = script.name.split("/")[0] if not script.name.startswith("tests/") else "/".join(script.name.split("/")[:2])
        with self.lock:
            counts = self.counts.setdefault(group, {})
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict == "failed":
                print(f"FAILED {script.name}: {found.text}", flush=True)
            elif verdict == "listed" or seconds > SLOW:
                print(f"{verdict} {script.name} ({seconds:.0f} s) {found.text}", flush=True)

    def of(self, verdict, prefix=""):
        return sum(counts.get(verdict, 0) for group, counts in self.counts.items() if group.startswith(prefix))

    def end(self):
        order = ["equal", "listed", "failed", "out", "absent"]
        print(f"{'':16}" + "".join(f"{verdict:>8}" for verdict in order))
        for group, counts in self.counts.items():
            print(f"{group:16}" + "".join(f"{counts.get(verdict, 0):8}" for verdict in order))
        print(f"scripts: {self.of('equal')} equal, {self.of('listed')} listed, {self.of('failed')} failed, {self.of('out')} left out")
        run = self.of("equal", "tests/") + self.of("listed", "tests/") + self.of("failed", "tests/")
        too_many = self.of("out", "tests/") > MOST_LEFT_OUT * (run + self.of("out", "tests/"))
        if too_many:
            print("more than a tenth of the scripts of tests/ are left out")
        return 1 if too_many or self.of("failed") or not self.of("equal") else 0


def refused(verdicts):
    """Operators that took none of the dtypes that they were tried with: nothing was compared of them."""
    tried = {}
    for name, verdict in verdicts.items():
        if name.startswith("elementwise/"):
            tried.setdefault(name.split("/")[2], []).append(verdict)
    return [name for name, found in tried.items() if all(verdict == "absent" for verdict in found)]


def reads_lines(command, module):
    """Whether input() gives node.mjs the lines of standard input that it gives the command."""
    with tempfile.TemporaryDirectory() as folder:
        file = scripts.write(os.path.join(folder, "input.covec"), 'for i in range(5) { print(input("line? ")) }\n')
        given = "one\r\n\ntwo \r three\nä".encode()
        told = [subprocess.run([*runs, file], input=given, capture_output=True, env=os.environ | {"COVEC_MODULE": module}).stdout
                for runs in ([command], ["node", os.path.join(HERE, "node.mjs")])]
    if told[0] != told[1] or not told[0]:
        print(f"FAILED input: {told[0]!r} natively, {told[1]!r} by the module")
    return told[0] == told[1] != b""


def may_match(pattern, group):
    """Whether a name of the group may."""
    return fnmatch.fnmatchcase(group, "/".join(pattern.split("/")[:group.count("/") + 1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("samples")
    parser.add_argument("module")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    command, rows, verdicts = os.path.abspath(options.command), [row for group in differences.read() for row in group.rows], {}
    report, runners, place = Report(rows), [], threading.local()

    def check(script):
        if listed(rows, "out", script.name):
            return report.add(script, Comparison("out"), 0)
        if not hasattr(place, "runner"):
            place.runner = Runner(os.path.abspath(options.module))
            runners.append(place.runner)
        begin = time.monotonic()
        found = compare(script, command, place.runner)
        if found.verdict == "absent" and not script.name.startswith("elementwise/"):
            found.verdict = "different"
        verdicts[script.name] = found.verdict
        return report.add(script, found, time.monotonic() - begin)

    with tempfile.TemporaryDirectory() as work:
        lines = [line.split("\t") for line in
                 subprocess.run([options.samples], capture_output=True, check=True, text=True).stdout.splitlines()]
        names = options.names or ["*"]
        made = scripts.all_scripts(work, command, lines, lambda group: any(may_match(name, group) for name in names))
        chosen = [script for script in made if any(fnmatch.fnmatchcase(script.name, name) for name in names)]
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("COVEC_JOBS", os.cpu_count()))) as pool:
            for done in [pool.submit(check, script) for script in chosen]:
                done.result()
        for runner in runners:
            runner.close()
    status = report.end()
    if not options.names and not reads_lines(command, options.module):
        status = 1
    for name in refused(verdicts):
        print(f"{name} took none of the dtypes")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
