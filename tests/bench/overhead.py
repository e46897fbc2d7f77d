#!/usr/bin/env python3
"""What a profile and debug(f) cost, and whether programs that ask for neither run as fast as with another command.

    overhead.py profile COVEC [--rounds N]        covec profile FILE against covec FILE
    overhead.py memory COVEC [--rounds N]         covec profile --memory FILE against covec FILE
    overhead.py debug COVEC [--rounds N]          debug(f) against f, where nothing is wrong
    overhead.py nothing COVEC BEFORE [--rounds N]  two commands, none of which profiles

Programs run in turns; a ratio is that of the medians over all rounds. Start reading at main().
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

CASES = pathlib.Path(__file__).resolve().parent / "cases"
# A program's name: its file in cases/, what stands behind that, a function f and its arguments. The first is the loop of eager numbers.
PROGRAMS = {
    "loop of numbers": ("interp_loop", "f = work", "()"),
    "calls": ("interp_fib", "f = fib", "(18)"),
    "small tensors": ("small_op", "fn f(x) {\n    repeat(x, x, 1000)\n    return x\n}", "(f32([1, 2, 3]))"),
    "gradient of tensors": ("ew_grad", "f = grad(x -> sum(sin(exp(log(abs(x))))))", "(x)"),
    "products": ("matmul", "f = (a, b) -> a @ b\na = rand(400, 400)", "(a, a)"),
    "compiled gradient": ("gmm", "seed(1)\np = {alphas: randn(5), means: rand(5, 10), factors: 0.1 * randn(5, 55)}\n"
                          "x, place = randn(1000, 10), places(10)\nf = slope", "(p, x, place)"),
    "growing lists": ("push_loop", "f = work", "()"),
}
ENGINE = {"compiled gradient": "compiled"}


def text_of(name, debugged=False):
    case, function, arguments = PROGRAMS[name]
    parts = [(CASES / f"{file}.covec").read_text() for file in ("timing", case)]
    called = "debug(f)" if debugged else "f"
    return "\n".join([*parts, function, f"called = {called}", f"fn of_f(n) {{ for k in range(n) {{ called{arguments} }} }}", "report(of_f)", ""])


def nanoseconds(command, text, name):
    """The least of a run's three blocks."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "case.covec"
        path.write_text(text)
        environment = {**os.environ, "COVEC_THREADS": "1", "COVEC_ENGINE": ENGINE.get(name, "eager")}
        done = subprocess.run([*command, path], capture_output=True, text=True, check=True, env=environment)
    return min(float(line) for line in done.stdout.split())


def compare(ways, names, rounds):
    """`ways`: the two commands and whether f is debugged, the one that is judged first."""
    worst = 0.0
    for name in names:
        times = [[], []]
        for _ in range(rounds):
            for (command, debugged), found in zip(ways, times):
                found.append(nanoseconds(command, text_of(name, debugged), name))
        judged, other = map(statistics.median, times)
        worst = max(worst, judged / other)
        print(f"{name:20} {judged / 1e3:12.1f} us {other / 1e3:12.1f} us   ratio {judged / other:.3f}", flush=True)
    print(f"the largest ratio is {worst:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("profile", "memory", "debug", "nothing"))
    parser.add_argument("covec")
    parser.add_argument("before", nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    six = list(PROGRAMS)[:6]
    if given.what == "nothing":
        if not given.before:
            parser.error("the other command is missing")
        return compare((([given.covec], False), ([given.before], False)), PROGRAMS, given.rounds)
    judged = {"profile": ([given.covec, "profile"], False), "memory": ([given.covec, "profile", "--memory"], False), "debug": ([given.covec], True)}
    return compare((judged[given.what], ([given.covec], False)), six, given.rounds)


if __name__ == "__main__":
    main()
