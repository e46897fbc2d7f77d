#!/usr/bin/env python3
"""Random programs under random mixtures of derivatives up to order 4, against an oracle that is not Covec.

    check.py COVEC [--count 300] [--seed 1] [--jobs 1] [--keep FOLDER]
    check.py COVEC --times          which programs take the most processor time to compile
    check.py COVEC --show SEED      the program of a seed

--filters draws comprehensions with filters and of records in the place of many expressions.

Each program (programs.py) meets four mixtures (mixtures.py). The oracle runs it over truncated Taylor series (jets.py),
plain Python. Eager code must give the oracle's numbers, up to 1e-9 of the largest term. Code that is compiled whole, and
eager code with marked parts, must give eager code's bits. A program that fails is made smaller; --keep saves it. Exit
status 1 where something differs.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import jets as J  # noqa: E402
import mixtures as M  # noqa: E402
import tree  # noqa: E402
from programs import Program  # noqa: E402
from tree import Break, Def, Return, smaller  # noqa: E402

ENGINES = {
    "eager": {"COVEC_ENGINE": "eager"},
    "whole": {"COVEC_ENGINE": "compiled"},                          # each function is compiled with what it calls
    "marked": {"COVEC_TIER": "code"},                               # marked functions alone, from the first call on
}
KEPT = ("COVEC_PATH", "COVEC_ISA", "COVEC_TEST_CACHE")
TOLERANCE = 1e-9
LARGEST = 1e4           # terms beyond it say little about the digits of what is left
MIXTURES = 4
LONGEST = 50000         # characters of a program with a mixture written out, about: what compiles within a second
CHARACTERS = 10         # for each operator that runs
# Filters in brackets under vmap or in a comprehension, where the examples' lengths would differ.
REFUSAL = "status 1: error: the length differs between examples"
BATCH = 25              # programs for each process
SECONDS = 60            # of processor time, for a program by itself
UNDEFINED = (ArithmeticError, ValueError, LookupError, TypeError, AttributeError, RecursionError, Break, Return)


@dataclasses.dataclass
class Case:
    """A program, its mixtures, and what they should give."""
    label: str
    functions: dict
    point: tuple
    size: int
    mixtures: list
    wanted: list = None     # numbers for each mixture
    largest: float = 0.0    # of all terms
    steps: int = 0          # operators that one run of f applies

    def evaluate(self):
        """Fills in `wanted`; raises one of UNDEFINED where it is not to be had."""
        J.Jet.ring, J.Jet.largest = J.ring_of(len(self.point), max([M.order_of(m) for m in self.mixtures], default=0)), 0.0
        before = tree.STEPS[0]
        main = self.functions[f"p{self.label}_f"]

        def f(point):
            jets = M.inputs(point)
            return main.run([jets if self.size else jets[0]], self.functions)

        first = f(self.point)
        self.steps = tree.STEPS[0] - before
        world = M.World(f, (self.size,) if self.size else (), (len(first),) if isinstance(first, list) else ())
        if not all(M.fits(mixture, world) for mixture in self.mixtures):
            raise ValueError("a gradient of what is not a number")
        self.wanted = [[J.value(item) for item in world.at(mixture, self.point).items] for mixture in self.mixtures]
        self.largest = max([J.Jet.largest] + [abs(number) for numbers in self.wanted for number in numbers])
        if not self.largest < LARGEST:
            raise OverflowError

    def used(self):
        """The functions that f reaches, in their order."""
        texts = {name: "\n".join(f.lines()) for name, f in self.functions.items()}
        found, new = set(), [f"p{self.label}_f"]
        while new:
            name = new.pop()
            found.add(name)
            new += [other for other in texts if other not in found and re.search(rf"\b{other}\b", texts[name])]
        return [text for name, text in texts.items() if name in found]

    def text(self, only=None):
        """All of it, or one mixture."""
        x = repr(list(self.point)) if self.size else repr(self.point[0])
        lines = self.used()
        for k, mixture in enumerate(self.mixtures):
            if only is None or k == only:
                name = f"p{self.label}_t{k}"
                lines.append(f"fn {name}(x) = {M.text(mixture, f'p{self.label}_f', 'x[0]' if self.size else 'x')}(x)")
                lines.append(f'print("{self.label}.{k}:", {name}({x}), digits=17)')
        return "\n".join(lines) + "\n"


def draw(seed, filters=False):
    """The first attempt of a seed that is defined and of moderate numbers."""
    for attempt in range(1000):
        program = Program(f"{seed}.{attempt}", f"p{seed}_", filters)
        given, of_f = (program.size,) if program.size else (), () if program.result == "S" else (program.length,)
        case = Case(str(seed), program.functions, tuple(program.point), program.size, [])
        try:
            case.evaluate()
            size = max(sum(len(text) for text in case.used()), CHARACTERS * case.steps)
            while len(case.mixtures) < MIXTURES:
                drawn = M.mixture(program.random, program.pick((2, 1), (3, 2), (3, 3), (3, 4)), given, of_f)
                if size * M.growth(drawn) < LONGEST or M.order_of(drawn) < 2:
                    case.mixtures.append(drawn)
            case.evaluate()
            return case
        except (ArithmeticError, ValueError, LookupError):
            continue
    raise AssertionError(f"seed {seed} has no program")


# --- Covec ---


class Runner:
    def __init__(self, covec, folder):
        self.covec, self.path = covec, os.path.join(folder, "program.covec")
        self.base = {name: value for name, value in os.environ.items() if not name.startswith("COVEC_") or name in KEPT}

    def run(self, text, engine, programs=1):
        """(status, {label: text of the value}, errors)"""
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)
        seconds = SECONDS * programs
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        try:
            done = subprocess.run([self.covec, self.path], capture_output=True, text=True, errors="replace", check=False,
                                  preexec_fn=limit, timeout=10 * seconds, env={**self.base, **ENGINES[engine]})
        except subprocess.TimeoutExpired:
            return -1, {}, "error: nothing happens"
        found = re.findall(r"^(\d+\.\d+): (.*?)(?=^\d+\.\d+: |\Z)", done.stdout, re.M | re.S)
        return done.returncode, {label: " ".join(value.split()) for label, value in found}, done.stderr

    def outcomes(self, cases, engine):
        """{label.mixture: value, or the error}. Where a process fails, its cases run one by one, and then mixture by mixture."""
        status, found, _ = self.run("".join(case.text() for case in cases), engine, len(cases))
        if status == 0:
            return found
        if len(cases) > 1:
            return {label: value for case in cases for label, value in self.outcomes([case], engine).items()}
        case, found = cases[0], {}
        for k in range(len(case.mixtures)):
            status, values, errors = self.run(case.text(k), engine)
            found[f"{case.label}.{k}"] = values.get(f"{case.label}.{k}", "") if status == 0 else failure(status, errors)
        return found


def failure(status, errors):
    message = re.search(r"^error: .*|.*bug in covec.*", errors, re.M)
    return f"status {status}: " + (re.sub(r"\d[\d.]*|`[^`]*`|p\d+_\w+", "N", message.group(0)) if message else "")


def numbers_in(text):
    return [float(word) for word in re.findall(r"-?(?:inf|nan|\d[\d.]*(?:e[+-]?\d+)?)", text)]


def verdict(case, k, found):
    """How one engine's outcomes differ: (engine, kind) or None. `found` has those of eager code first."""
    label = f"{case.label}.{k}"
    eager = found["eager"].get(label, "")
    refused = eager.startswith(REFUSAL)
    if eager.startswith("status") and not refused:
        return "eager", eager
    numbers, wanted = numbers_in(eager), case.wanted[k]
    if len(numbers) != len(wanted) and not refused:
        return "eager", f"{len(numbers)} numbers instead of {len(wanted)}"
    if not refused and not all(abs(p - q) <= TOLERANCE * case.largest for p, q in zip(numbers, wanted)):
        return "eager", "other numbers than the oracle"
    for engine in found:
        other = found[engine].get(label, "")
        if other != eager:
            return engine, other if other.startswith("status") else "a bare type" if "<f" in other else "other bits"
    return None


def verdicts(case, runner, engines):
    found = {engine: runner.outcomes([case], engine) for engine in dict.fromkeys(("eager", *engines))}
    return [verdict(case, k, found) for k in range(len(case.mixtures))]


def reduced(case, k, bad, runner, seconds):
    """The smallest case with one mixture that fails in the same way."""
    until = time.monotonic() + seconds
    case = dataclasses.replace(case, mixtures=[case.mixtures[k]])

    def still(other):
        try:
            other.evaluate()
        except UNDEFINED:
            return False
        return verdicts(other, runner, [bad[0]]) == [bad]

    if not seconds or not still(case):
        return case
    again = True
    while again and time.monotonic() < until:
        again = False
        for other in candidates(case):
            if time.monotonic() > until:
                break
            if still(other):
                case, again = other, True
                break
    return case


def candidates(case):
    for mixture in M.smaller(case.mixtures[0]):
        yield dataclasses.replace(case, mixtures=[mixture])
    for name, f in case.functions.items():
        if not isinstance(f, Def) or not any(re.search(rf"^fn {name}\(", text, re.M) for text in case.used()):
            continue
        options = [dataclasses.replace(f, marked=False)] if f.marked else []
        options += [dataclasses.replace(f, block=block) for block in smaller(f.block)]
        options += [dataclasses.replace(f, result=result) for result in smaller(f.result)]
        for option in options:
            yield dataclasses.replace(case, functions={**case.functions, name: option})


def report(case, bad, runner):
    """The program, with what the oracle and the engines say."""
    case.evaluate()
    lines = [f"# {bad[0]}: {bad[1]}", f"# oracle: {case.wanted[0]}"]
    for engine in dict.fromkeys(("eager", bad[0])):
        lines.append(f"# {engine}: {runner.outcomes([case], engine)[case.label + '.0']}")
    return "\n".join(lines) + "\n" + case.text()


def examine(job):
    """The programs of some seeds: [(seed, mixture, verdict, report)], and their number."""
    seeds, given = job
    with tempfile.TemporaryDirectory(prefix="covec-taylor-") as folder:
        runner, cases, failed = Runner(given.covec, folder), [draw(seed, given.filters) for seed in seeds], []
        found = {engine: runner.outcomes(cases, engine) for engine in ENGINES}
        for case in cases:
            for k in range(len(case.mixtures)):
                bad = verdict(case, k, found)
                if f"{case.label}.{k}" in given.known:
                    if not bad:
                        failed.append((int(case.label), k, ("known", "nothing differs any more"), case.text(k)))
                elif bad:
                    small = reduced(case, k, bad, runner, given.seconds)
                    failed.append((int(case.label), k, bad, report(small, bad, runner)))
        return failed


def times(job):
    """[(processor time, seed, engine, times of the mixtures by themselves)], without what starting and eager code take."""
    seeds, given = job
    found = []
    with tempfile.TemporaryDirectory(prefix="covec-taylor-") as folder:
        runner = Runner(given.covec, folder)

        def spent(text, engine):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            runner.run(text, engine)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        for seed in seeds:
            case = draw(seed, given.filters)
            eager = spent(case.text(), "eager")
            for engine in ("whole", "marked"):
                seconds = spent(case.text(), engine) - eager
                parts = [spent(case.text(k), engine) for k in range(MIXTURES)] if seconds > 1 else []
                found.append((seconds, seed, engine, parts))
    return found


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("covec")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the programs that fail")
    parser.add_argument("--seconds", type=float, default=20, help="for making a program smaller; 0 leaves it as it is")
    parser.add_argument("--known", type=lambda text: text.split(","), default=[],
                        help="mixtures that differ, by seed and number, 3.0,14.2 say: it is an error where one does not")
    parser.add_argument("--filters", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--show", type=int)
    return parser.parse_args()


def main():
    given = options()
    if given.show is not None:
        print(draw(given.show, given.filters).text(), end="")
        return 0
    seeds = range(given.seed, given.seed + given.count)
    jobs = [(seeds[k:k + BATCH], given) for k in range(0, len(seeds), BATCH)]
    kinds, began = collections.Counter(), time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        if given.times:
            spent = sorted((item for part in pool.map(times, jobs) for item in part), reverse=True)
            for seconds, seed, engine, parts in spent[:20]:
                print(f"{seconds:8.2f} s  seed {seed}, {engine}  {' '.join(f'{part:.2f}' for part in parts)}")
            print(f"{sum(item[0] for item in spent):8.2f} s  in all")
            return 0
        for failed in pool.map(examine, jobs):
            for seed, k, bad, text in failed:
                kinds[bad] += 1
                print(f"--- seed {seed}, mixture {k}\n{text}", flush=True)
                if given.keep:
                    os.makedirs(given.keep, exist_ok=True)
                    with open(os.path.join(given.keep, f"{seed}_{k}.covec"), "w", encoding="utf-8") as file:
                        file.write(text)
    print(f"{given.count} programs in {time.monotonic() - began:.0f} s, "
          f"{sum(kinds.values())} of {MIXTURES * given.count} mixtures differ")
    for (engine, kind), count in kinds.most_common():
        print(f"{count:6} {engine}: {kind}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
