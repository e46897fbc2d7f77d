#!/usr/bin/env python3
"""What the module `parallel` costs: measured under each MPI that is installed, on one thread a rank, beside its aims.

    python3 tests/bench/parallel/run.py [--covec COMMAND] [--before COMMAND] [--rounds N]

Contenders of a row run in turns, each N times, and the least time of each counts. `--before` is another build, whose start is
compared. A miss is printed as a miss; it does not fail the run. Close other programs first: ranks share two cores.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LAUNCHERS = {
    "Open MPI": ("openmpi", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "btl_base_warn_component_unused", "0"]),
    "MPICH": ("mpich", ["mpiexec.mpich"]),
}


def output_of(command, **variables):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, "COVEC_THREADS": "1", **variables})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def least_in_turns(contenders, rounds):
    """What each gives: numbers, of which the least count, each by itself."""
    least = {}
    for _ in range(rounds):
        for name, measure in contenders.items():
            found = measure()
            least[name] = [min(pair) for pair in zip(least.get(name, found), found)]
    return least


def row(name, value, aim, meets, detail=""):
    print(f"{name:60}{value:>12}{aim:>14}  {'met ' if meets else 'MISS'}  {detail}", flush=True)


def milliseconds(seconds):
    return f"{1e3 * seconds:.2f} ms"


class Bench:
    def __init__(self, options):
        self.covec, self.rounds = options.covec, options.rounds

    def work(self, launcher, ranks, task):
        return lambda: [float(output_of([*launcher, "-n", ranks, self.covec, HERE / "work.covec", "--task", task]))]

    def header(self, title, launcher):
        def measure():
            text = output_of([*launcher, "-n", "2", self.covec, "ranks"])
            return [float(re.search(r"a header takes ([\d.]+) us", text)[1])]
        (us,), = least_in_turns({"header": measure}, self.rounds).values()
        row(f"{title}: header, 2 ranks", f"{us:.1f} µs", "≤ 3 µs", us <= 3)

    def speed(self, title, launcher):
        for task, words, aim in (("train", "training step, 64 parts", 1.8), ("carlo", "Monte Carlo, 64 parts", 1.95)):
            jobs = {"alone": lambda task=task: [float(output_of([self.covec, HERE / "work.covec", "--task", task]))]}
            jobs.update({ranks: self.work(launcher, ranks, task) for ranks in "124"})
            least = {name: found[0] for name, found in least_in_turns(jobs, self.rounds).items()}
            two = least["1"] / least["2"]
            row(f"{title}: {words}, 2 ranks ÷ 1", f"{two:.2f} ×", f"≥ {aim} ×", two >= aim,
                f"{milliseconds(least['1'])} → {milliseconds(least['2'])}; without a launcher {milliseconds(least['alone'])}")
            four = least["4"] / least["2"]
            row(f"{title}: {words}, time of 4 ranks on 2 cores ÷ 2", f"{four:.2f}", "≤ 1.2", four <= 1.2, milliseconds(least["4"]))

    def all_sum(self, title, compiler, launcher, folder):
        if shutil.which(f"mpicc.{compiler}") is None:
            print(f"{title}: all_sum is not compared: mpicc.{compiler} is not installed")
            return
        program = os.path.join(folder, compiler)
        output_of([f"mpicc.{compiler}", "-O3", "-march=native", HERE / "allreduce.c", "-o", program])

        def seconds(command):
            return lambda: [float(line.split()[1]) for line in output_of([*launcher, "-n", "2", *command]).splitlines()]
        least = least_in_turns({"covec": seconds([self.covec, HERE / "all_sum.covec"]), "C": seconds([program])}, self.rounds)
        for size, covec, c in zip(("1 MiB", "64 MiB"), least["covec"], least["C"]):
            row(f"{title}: all_sum of {size} ÷ MPI_Allreduce", f"{covec / c:.2f}", "≤ 1.5", covec <= 1.5 * c,
                f"{milliseconds(covec)}, {milliseconds(c)}")

    def alone(self):
        for line in output_of([self.covec, HERE / "alone.covec"]).splitlines():
            size, parts, loop, sums = map(float, line.split())
            allowed = 1.02 * loop + 2e-6 * parts
            row(f"parallel.sum without ranks, {int(parts)} parts of {int(size)} numbers", f"{1e6 * (sums - loop) / parts:+.2f} µs/part",
                "≤ 2 % + 2 µs", sums <= allowed, f"a part of the loop takes {1e6 * loop / parts:.2f} µs")

    def start(self, before):
        def start(covec, **variables):
            def measure():
                begun = time.perf_counter()
                output_of([covec, "-e", "1"], **variables)
                return [time.perf_counter() - begun]
            return measure
        launched = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
        starts = {"now": start(self.covec), "launched": start(self.covec, **launched)}
        if before:
            starts["before"] = start(before)
        least = {name: found[0] for name, found in least_in_turns(starts, 40 * self.rounds).items()}
        for name, words in (("launched", "start without `import parallel`, under a launcher ÷ alone"), ("before", "start, now ÷ before")):
            if name in least:
                ratio = least["launched"] / least["now"] if name == "launched" else least["now"] / least["before"]
                row(words, f"{ratio:.2f}", "≤ 1.03", ratio <= 1.03, f"{milliseconds(least['now'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--covec", default=str(ROOT / "build" / "covec"))
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    bench = Bench(options)
    print(f"{'':60}{'measured':>12}{'aim':>14}")
    bench.alone()
    bench.start(options.before)
    with tempfile.TemporaryDirectory() as folder:
        for title, (compiler, launcher) in LAUNCHERS.items():
            if shutil.which(launcher[0]) is None:
                print(f"{title} is not installed")
                continue
            bench.header(title, launcher)
            bench.speed(title, launcher)
            bench.all_sum(title, compiler, launcher, folder)


if __name__ == "__main__":
    main()
