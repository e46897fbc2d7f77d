#!/usr/bin/env python3
"""Functions of random programs (generate.py) as C (`covec emit`): what the C text gives must have the bits of machine code, in
drawn and in special inputs, or the function must be refused, with line and reason.

    emitted.py --covec COMMAND --programs 1000 --seed 1 --jobs 2
    emitted.py --covec COMMAND FILE…         these programs instead (those that were found, say)

Each use of a function (a call, a derivative, a map) becomes a function whose arguments have fixed types. A program has the
command for each in a line `# emit NAME TYPES`. Where bits differ, something crashes or takes too long, the program is made
smaller and saved in --found. Exit status 1 then. Start at Emitted.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generate import Program  # noqa: E402
from jobs import results  # noqa: E402
from scope import Fun, Lst, Num, Rec, Tup  # noqa: E402
from shrink import shrink  # noqa: E402
from words import learn  # noqa: E402

BUILDS = ["gcc -O2", "clang -O2", "gcc -O3 -march=native", "gcc -O0"]  # in turn: a compiler is most of the time
DRAWS = "30"
SAME, REFUSED, FAILED = "the same bits", "refused", "failed"


class Emitted(Program):
    """A program of definitions alone; what it would print are functions of what it would print them for."""

    def text(self):
        self.danger, self.talk, self.session = self.pick([(8, 0.0), (1, 0.02)]), 0.0, False
        self.found = []
        for _ in range(self.random.randint(0, 1)):
            self.global_()
        for _ in range(self.random.randint(1, 2)):
            self.function()
        for f in list(self.functions):
            for _ in range(2):
                self.inside = []
                self.pick([(4, self.plain), (2.6, self.gradient), (1, self.forward), (1, self.pullback), (1, self.mapped_call),
                           (0.7, self.jacobian), (0.3, self.hessian), (0.6, self.stepped)])(f)
        return self.imports() + "\n".join(self.lines + [f"# emit {name} {types}" for name, types in self.found]) + "\n"

    def body(self, scope, count):
        """Short: what one statement is refused for says nothing about the others."""
        super().body(scope, min(count, 2))

    def given(self, text):
        return text

    def datum(self, type_, dtypes):
        """The parameter, or, of functions and lists, what holds them."""
        if self.inside is None:
            return super().datum(type_, dtypes)
        if isinstance(type_, Fun):
            return super().datum(type_, dtypes)
        if isinstance(type_, Lst):
            return "list(" + ", ".join(self.datum(type_.item, dtypes) for _ in range(self.random.randint(1, 3))) + ")"
        if isinstance(type_, Tup) and self.chance(0.4):
            return "(" + ", ".join(self.datum(t, dtypes) for t in type_.items) + ")"
        self.inside.append((self.names.fresh("a"), self.written(type_, dtypes)))
        return self.inside[-1][0]

    def written(self, type_, dtypes):
        if isinstance(type_, Num):
            return dtypes[type_.cls] + (f"[{', '.join(type_.shape)}]" if type_.shape else "")
        if isinstance(type_, Rec):
            return "{" + ", ".join(f"{n}: {self.written(t, dtypes)}" for n, t in type_.fields) + "}"
        return "(" + ", ".join(self.written(t, dtypes) for t in type_.items) + ")"

    def plain(self, f):
        self.show(f"{f.name}({self.call_text(self.data(f))})")

    def show(self, text, before=()):
        if not self.inside:
            return
        name = self.names.fresh("w")
        self.open(f"fn {name}({', '.join(parameter for parameter, _ in self.inside)})")
        for line in before:
            self.put(line)
        self.put(f"return {text}")
        self.close()
        self.found.append((name, ", ".join(types for _, types in self.inside)))


class Worker:
    def __init__(self, covec, limit, folder):
        self.covec, self.limit = covec, limit
        self.folder = tempfile.mkdtemp(dir=folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("COVEC_") or k in ("COVEC_PATH", "COVEC_TEST_CACHE")}

    def outcome(self, text, name, types, build):
        """(SAME, REFUSED, FAILED as programs do, or what is wrong; why)."""
        with open(os.path.join(self.folder, "program.covec"), "w", encoding="utf-8") as file:
            file.write(text)
        command = [self.covec, "verify", "--emit", "--draws", DRAWS, "--build", build, "--types", types, f"program.covec:{name}"]
        try:
            done = subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=self.limit)
        except subprocess.TimeoutExpired:
            return "takes too long", ""
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        message = re.search(r"^error: (.*)", err, re.M)
        said = message.group(1) if message else err.strip().split("\n")[0]
        if done.returncode == 0 and "the same bits" in out:
            return SAME, ""
        if " differ, input " in out:
            return "differs", out
        if done.returncode not in (0, 1) or "bug in covec" in err or "ended with status" in err or not said:
            return f"crash: {done.returncode} {said}", err[:1500]
        refused = re.search(r"cannot be written as C: (.*)", said)
        if refused:
            placed = re.search(r"^ *--> program\.covec:\d+:\d+", err, re.M)
            return (REFUSED, refused.group(1)) if placed else ("refused without a line", said)
        return FAILED, said

    def examine(self, text, number):
        """[(name, types, kind, why)] of the program's functions."""
        build = BUILDS[number % len(BUILDS)]
        return build, [(name, types, *self.outcome(text, name, types, build)) for name, types in re.findall(r"^# emit (\w+) (.*)", text, re.M)]


worker = None


def start(*settings):
    global worker
    worker = Worker(*settings)


def task(job):
    number, path, found_folder = job
    text = Emitted(number).text() if path is None else open(path, encoding="utf-8").read()
    build, outcomes = worker.examine(text, number)
    reports = []
    for name, types, kind, why in outcomes:
        if kind in (SAME, REFUSED, FAILED):
            continue
        small = re.sub(r"^# emit .*\n", "", text, flags=re.M)
        if found_folder:
            small = shrink(small, lambda t: worker.outcome(t, name, types, build)[0] == kind, 60)
            os.makedirs(found_folder, exist_ok=True)
        report = f"# {kind}, {build}\n" + "".join(f"# {line}\n" for line in why.split("\n")[:6]) + small + f"# emit {name} {types}\n"
        if found_folder:
            with open(os.path.join(found_folder, f"e{number}_{name}.covec"), "w", encoding="utf-8") as file:
                file.write(report)
        reports.append((kind, report))
    return number, path, [(kind, why) for _, _, kind, why in outcomes], reports


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--covec", required=True)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=120, help="seconds for one function")
    parser.add_argument("--found", default="", help="the folder for programs with faults; '' saves none and shrinks none")
    parser.add_argument("--reasons", type=int, default=20, help="how many of the commonest reasons to tell")
    given = parser.parse_args()
    covec = os.path.abspath(given.covec)
    learn(covec)
    jobs = [(number, path, None) for number, path in enumerate(given.files)] if given.files else [
        (seed, None, given.found or None) for seed in range(given.seed, given.seed + given.programs)]
    kinds, reasons, failures, faults, began = collections.Counter(), collections.Counter(), collections.Counter(), 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="covec-fuzz-") as folder:
        for number, path, outcomes, reports in results(task, jobs, given.jobs, start, (covec, given.limit, folder)):
            for kind, why in outcomes:
                kinds[kind if kind in (SAME, REFUSED, FAILED) else "wrong"] += 1
                plain = re.sub(r"\d+", "N", re.sub(r"^\w+ cannot", "cannot", why))
                (reasons if kind == REFUSED else failures)[plain] += kind in (REFUSED, FAILED)
            for kind, report in reports:
                faults += 1
                print(f"--- {path or f'seed {number}'}: {kind}\n{report}", flush=True)
    total, seconds = sum(kinds.values()), time.monotonic() - began
    print(f"{total} functions of {len(jobs)} programs in {seconds:.0f} s: {kinds[SAME]} have the same bits, {kinds[REFUSED]} are refused, "
          f"{kinds[FAILED]} fail as programs do, {kinds['wrong']} are wrong")
    for title, counter in (("refused", reasons), ("failed", failures)):
        for why, count in counter.most_common(given.reasons):
            if count:
                print(f"{count:6} {title}: {why[:160]}")
    if given.files or total < 20:
        return 1 if faults else 0
    return 1 if faults or kinds[SAME] * 5 < total else 0  # that most are refused would be a fault, too


if __name__ == "__main__":
    sys.exit(main())
