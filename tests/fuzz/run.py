#!/usr/bin/env python3
"""Runs random programs (generate.py) on several engines. What they write and how they end must be the same, byte for
byte: values, printed in the middle or at the end, errors with their places, warnings.

    run.py --covec COMMAND --programs 1000 --seed 1 --jobs 2
    run.py --covec COMMAND --session build/tests/fuzz_session --kind mutants …      scripts that were changed (mutate.py) instead
    run.py --covec COMMAND --engines eager-baseline,eager-avx2,eager-avx512 …
    run.py --covec COMMAND FILE…         these programs instead (those that were found, say)

The first engine is the reference. One written name/k is asked for every k-th program only. Where engines differ, or one
of them crashes, the program is made smaller and saved in --found, with both outputs. Exit status 1 then. A program with
lines `# ---` is a session that goes on after errors (session.cpp); one with lines `# file NAME` is several files. Who takes
too long is no verdict among mutants, which may well count to 10^18.
"""
import argparse
import collections
import contextlib
import difflib
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generate import generate  # noqa: E402
from jobs import results  # noqa: E402
from mutate import learn_scripts, mutant  # noqa: E402
from shrink import shrink  # noqa: E402
from words import learn  # noqa: E402

ENGINES = {
    "eager": {"COVEC_ENGINE": "eager"},
    "compiled-avx2": {"COVEC_ENGINE": "compiled", "COVEC_ISA": "avx2"},
    "compiled-avx512": {"COVEC_ENGINE": "compiled", "COVEC_ISA": "avx512"},
    "c99": {"COVEC_ENGINE": "c99"},
    "opencl": {"COVEC_ENGINE": "compiled", "COVEC_DEVICE": "opencl"},
    "checked-avx2": {"COVEC_ENGINE": "compiled", "COVEC_ISA": "avx2", "COVEC_CHECK": "1"},
    "checked-avx512": {"COVEC_ENGINE": "compiled", "COVEC_ISA": "avx512", "COVEC_CHECK": "1"},
    "eager-baseline": {"COVEC_ENGINE": "eager", "COVEC_ISA": "baseline"},
    "eager-avx2": {"COVEC_ENGINE": "eager", "COVEC_ISA": "avx2"},
    "eager-avx512": {"COVEC_ENGINE": "eager", "COVEC_ISA": "avx512"},
}
Outcome = collections.namedtuple("Outcome", "status out err")
WRONG_DERIVATIVE = b"wrong derivative"  # what a program prints that has compared one with differences
TIMEOUT = "timeout"
KINDS = {"programs": (learn, generate), "mutants": (learn_scripts, mutant)}
LONGEST = 1 << 20  # bytes of output that are compared


class Worker:
    """One process's folder and settings."""

    def __init__(self, covec, engines, limit, folder, session=None, kind="programs"):
        self.covec, self.engines, self.limit, self.session = covec, engines, limit, session
        self.make, self.hangs_count = KINDS[kind][1], kind == "programs"
        self.folder = tempfile.mkdtemp(dir=folder)
        base = {k: v for k, v in os.environ.items() if not k.startswith("COVEC_") or k in ("COVEC_PATH", "COVEC_TEST_CACHE")}
        self.seen = collections.Counter()  # kinds of crashes; each is made smaller a few times only
        if any(name == "opencl" for name, _ in engines):  # the others are told of the same devices
            base["COVEC_DEVICE"] = "opencl"
        self.environments = {name: {**base, **ENGINES[name]} for name, _ in engines}

    def outcome(self, text, engine, file="program.covec"):
        """In an empty folder, so that no engine finds another's files; always of one name, which messages tell."""
        folder = os.path.join(self.folder, "run")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for name, part in files_of(text, file):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as program:
                program.write(part)
        seconds = math.ceil(self.limit * (1 if engine == self.engines[0][0] else 30 if engine in ("c99", "opencl") else 3))
        command = self.session if self.session and re.search("^# ---", text, re.M) else self.covec
        # A session of its own: who takes too long goes with whatever it has started.
        with subprocess.Popen([command, file], cwd=folder, env=self.environments[engine], start_new_session=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                # Of processor time, of all threads together, so that a busy machine changes no verdict. One that waits has longer.
                resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 1))
                out, err = process.communicate(timeout=10 * seconds)
            except subprocess.TimeoutExpired:
                return Outcome(TIMEOUT, b"", b"")
            finally:
                end_group(process.pid)
        if process.returncode == -signal.SIGXCPU:
            return Outcome(TIMEOUT, b"", b"")
        written = b"".join(contents_of(folder, name) for name in sorted(os.listdir(folder)) if not name.endswith(".covec"))
        return Outcome(process.returncode, out[:LONGEST] + written[:LONGEST], err[:LONGEST])

    def difference(self, text, engine, reference=None):
        """How an engine's outcome differs from the reference's: '' or a word for the kind."""
        reference = reference or self.outcome(text, self.engines[0][0])
        if reference.status == TIMEOUT:
            return ""
        other = self.outcome(text, engine) if engine != self.engines[0][0] else reference
        if is_crash(other):
            return f"crash: {reference.status} became {other.status} {message_of(other)}".rstrip()
        if WRONG_DERIVATIVE in other.out:
            return "derivative"  # all engines may agree about it
        if other.status == TIMEOUT:
            return "hang" if self.hangs_count else ""
        if b"error: out of memory" in reference.out + reference.err:
            return ""  # what is fused needs less: each engine has its own limit
        if other.status != reference.status:
            return f"status {reference.status} became {other.status} {message_of(other) or message_of(reference)}"
        return "stdout" if other.out != reference.out else "stderr" if other.err != reference.err else ""

    def examine(self, number, text):
        """(outcome of the reference, [(engine, kind)])."""
        reference, found = self.outcome(text, self.engines[0][0]), []
        for name, every in self.engines:
            if number % every == 0:
                kind = self.difference(text, name, reference)
                if kind:
                    found.append((name, kind))
        return reference, found

    def smaller(self, text, engine, kind):
        return shrink(text, lambda t: self.difference(t, engine) == kind, 40)

    def report(self, text, engine, kind):
        """The program, with what the two engines made of it."""
        reference = self.engines[0][0]
        said = []
        for name in (reference, engine):
            outcome = self.outcome(text, name)
            said.append([f"status {outcome.status}", *(outcome.out + outcome.err).decode("utf-8", "replace").split("\n")])
        lines = list(difflib.unified_diff(*said, reference, engine, lineterm="")) or said[0]
        return "\n".join(f"# {line[:200]}".rstrip() for line in [kind, *lines[:50]]) + "\n" + text


def end_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def files_of(text, main):
    """[(name, text)] of a program: what stands before the first line `# file NAME` is the main one."""
    parts = re.split(r"^# file (\S+)\n", text, flags=re.M)
    return [(main, parts[0]), *zip(parts[1::2], parts[2::2])]


def contents_of(folder, name):
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return name.encode()
    with open(path, "rb") as file:
        return b"\n" + name.encode() + b": " + file.read(LONGEST)


def is_crash(outcome):
    return outcome.status not in (0, 1, TIMEOUT) or b"bug in covec" in outcome.err


def message_of(outcome):
    """What it failed with, without the numbers; '' if it did not."""
    found = re.search(rb"^(.*bug in covec.*|error: .*)", outcome.err, re.M)
    return re.sub(r"\d[\d.]*", "N", found.group(0).decode("utf-8", "replace")) if found else ""


worker = None


def start(*settings):
    global worker
    worker = Worker(*settings)


def task(job):
    number, path, found_folder = job
    text = worker.make(number) if path is None else open(path, encoding="utf-8").read()
    reference, found = worker.examine(number if path is None else 0, text)
    saved = []
    for engine, kind in found[:1]:
        worker.seen[kind] += 1
        if kind.startswith(("crash", "status")) and worker.seen[kind] > 2:
            saved.append((engine, kind, ""))
            continue
        small = worker.smaller(text, engine, kind) if found_folder else text
        report = worker.report(small, engine, kind)
        if found_folder:
            os.makedirs(found_folder, exist_ok=True)
            name = f"{'' if worker.hangs_count else 'm'}{number}.covec" if path is None else os.path.basename(path)
            with open(os.path.join(found_folder, name), "w", encoding="utf-8") as file:
                file.write(report)
        saved.append((engine, kind, report))
    return number, path, reference.status, message_of(reference), saved


def engines_of(text):
    engines = []
    for part in text.split(","):
        name, _, every = part.partition("/")
        if name not in ENGINES:
            sys.exit(f"no engine {name}; there are {', '.join(ENGINES)}")
        engines.append((name, int(every or 1)))
    return engines


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--covec", required=True)
    parser.add_argument("--session", help="the program fuzz_session; without it no program is a session")
    parser.add_argument("--kind", choices=KINDS, default="programs")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", default="eager,compiled-avx2,compiled-avx512,c99/10")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=10, help="seconds of processor time for one program on the reference")
    parser.add_argument("--found", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "found"),
                        help="the folder for programs on which engines differ; '' saves none and shrinks none")
    parser.add_argument("--stop-after", type=int, default=20, help="differences")
    parser.add_argument("--show-errors", action="store_true", help="what the programs that fail fail with")
    return parser.parse_args()


def main():
    given = options()
    if not given.files:
        KINDS[given.kind][0](given.covec)
    if not {"ASAN_OPTIONS", "TSAN_OPTIONS"} & set(os.environ):  # their shadows lie everywhere
        resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if given.files:
        jobs = [(number, path, None) for number, path in enumerate(given.files)]
    else:
        jobs = [(seed, None, given.found or None) for seed in range(given.seed, given.seed + given.programs)]
    statuses, mistakes, kinds = (collections.Counter() for _ in range(3))
    differences, began = 0, time.monotonic()
    folder = tempfile.TemporaryDirectory(prefix="covec-fuzz-")
    session = os.path.abspath(given.session) if given.session else None
    settings = (os.path.abspath(given.covec), engines_of(given.engines), given.limit, folder.name, session, given.kind)
    with folder, contextlib.closing(results(task, jobs, given.jobs, start, settings)) as ended:
        for number, path, status, mistake, saved in ended:
            statuses[status] += 1
            if sum(statuses.values()) % 1000 == 0 and given.programs > 1000:
                print(f"{sum(statuses.values())} programs, {differences} differ", file=sys.stderr, flush=True)
            mistakes[mistake] += 1
            if status == TIMEOUT and given.kind == "programs":
                print(f"{path or f'seed {number}'} takes too long on {given.engines.split(',')[0]}", flush=True)
            for engine, kind, report in saved:
                differences += 1
                kinds[engine, kind] += 1
                print(f"--- {path or f'seed {number}'}: {engine}: {kind}\n{report}", flush=True)
            if differences >= given.stop_after:
                print("stopped: enough differences", flush=True)
                break
    seconds, total = time.monotonic() - began, sum(statuses.values())
    print(f"{total} programs in {seconds:.1f} s ({total / seconds:.0f}/s): {statuses[0]} ran to the end, {statuses[1]} failed as "
          f"programs do, {statuses[TIMEOUT]} took too long, {differences} differ")
    for (engine, kind), count in kinds.most_common():
        print(f"{count:6} {engine}: {kind}")
    if given.show_errors:
        for mistake, count in mistakes.most_common():
            print(f"{count:6} {mistake or 'nothing'}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
