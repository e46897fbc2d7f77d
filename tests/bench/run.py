#!/usr/bin/env python3
"""The benchmarks: measures Covec beside its peers and beside C programs, in turns, and prints a table.

    python3 tests/bench/run.py [--case NAME] [--quick] [--threads N] [--json FILE] [--document FILE] [--covec COMMAND]

Every round measures all contenders of a row one after the other; a ratio is the median of the rounds' ratios, so slow drifts of
the machine cancel. A target is met within 3 % + 20 ns. A miss is printed as a miss; it does not fail the run. Start reading at
measure_row(); the cases are in cases.py.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

import cases
import charts
import tables
from contenders import (Beside, Covec, Eager, Failure, Limits, Programs, Server, environment, installed_peers, output_of, pinned,
                        time_of)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLACK, SLACK_NS = 1.03, 20.0
TWO_THREADS = 1.8                     # times as fast as one, where memory allows


LARGER = {"ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs")), "bytes": ((1e6, "MB"), (1e3, "KB"))}


def spelled(number, unit="ns"):
    if number is None:
        return "–"
    for size, larger in LARGER.get(unit, ()):
        if number >= size:
            return f"{number / size:.3g} {larger}"
    return f"{number:.3g} ns" if unit == "ns" else f"{number:.0f} {unit}"


class Bench:
    def __init__(self, options, folder):
        self.rounds = 3 if options.quick else 7
        self.programs = Programs(folder)
        self.covec = Covec(options.covec, self.programs)
        self.limits = Limits(self.programs)
        self.peers = {**installed_peers(), "eager": Eager(options.covec, self.programs),
                      "product": Beside(options.covec, self.programs, lambda _: "run_product"),
                      "function": Beside(options.covec, self.programs, lambda name: name.replace("gradient_of", "function_of"))}
        self.measured = {}

    def contenders(self, row):
        found = {"covec": self.covec}
        found.update({name: self.peers[name] for name in row.peers if name in self.peers})
        if row.limit and not (missing := self.programs.misses(row.limit[0])):
            found["limit"] = self.limits
        elif row.limit:
            print(f"SKIPPED: the limit of {row.name} needs {missing}, which is not installed", file=sys.stderr)
        return found

    def measure_row(self, row, threads):
        contenders = self.contenders(row)
        times = {name: [] for name in contenders}
        for _ in range(self.rounds):
            for name, contender in contenders.items():
                times[name].append(time_of(contender, row, threads))
        result = {"row": row.name, "threads": threads, "unit": row.unit, "rounds": times}
        result["medians"] = {name: statistics.median(series) for name, series in times.items()}
        self.measured[row.name, threads] = result
        judge(row, result, self.measured)
        if row.report == "report_both":
            result["pays_after"] = self.break_even(row, result["medians"])
        return result

    def break_even(self, row, medians):
        """The calls after which compiling has paid, or None where it never does."""
        eager = self.peers["eager"]
        extra = statistics.median(self.covec.first[row.name]) - statistics.median(eager.first[row.name])
        gain = medians["eager"] - medians["covec"]
        return 1 if extra <= 0 else math.ceil(extra / gain) + 1 if gain > 0 else None

    def close(self):
        for peer in self.peers.values():
            if isinstance(peer, Server):
                peer.close()


def median_ratio(above, below):
    return statistics.median(a / b for a, b in zip(above, below))


def judge(row, result, measured):
    """Adds the fastest peer, the ratios, the target in words and whether it is met."""
    medians, rounds = result["medians"], result["rounds"]
    ours, slack = medians["covec"], SLACK_NS if row.unit == "ns" else 0
    counted = [name for name in row.peers if name in medians and row.against in ("", name)]
    best = min(counted or [n for n in row.peers if n in medians], key=medians.get, default=None)
    result["peer"] = best
    if best:
        result["ratio_to_peer"] = median_ratio(rounds["covec"], rounds[best])
    if "limit" in rounds:
        result["ratio_to_limit"] = median_ratio(rounds["covec"], rounds["limit"])
    if row.target == cases.ABSOLUTE:
        result["target"] = f"≤ {spelled(row.goal, row.unit)}"
        result["met"] = ours <= row.goal * SLACK + slack
    elif row.target == cases.GROWTH:
        small = measured.get((row.against, result["threads"]))
        result["target"] = f"≤ {row.factor:g} × {row.against}"
        if small:
            result["growth"] = median_ratio(rounds["covec"], small["rounds"]["covec"])
            result["met"] = result["growth"] <= row.factor * SLACK
    elif row.target == cases.LIMIT:
        result["target"] = f"≤ {row.factor:g} × limit" if row.factor != 1 else "≤ limit"
        if "limit" in rounds:
            result["met"] = result["ratio_to_limit"] <= row.factor * SLACK or ours <= row.factor * medians["limit"] + slack
    elif row.target == cases.PEER:
        result["target"] = f"≤ {row.factor:g} × {row.against or 'faster peer'}" if row.factor != 1 else f"≤ {row.against or 'faster peer'}"
        if counted:
            allowed = row.factor * SLACK
            result["met"] = result["ratio_to_peer"] <= allowed or ours <= row.factor * medians[best] + slack
    if row.limit and "limit" not in rounds:
        result["target"] += " (limit skipped)"
    judge_threads(row, result, measured)


def judge_threads(row, result, measured):
    """Adds how many times as fast as on one thread Covec is, and the limit, which shows what memory allows."""
    alone = measured.get((row.name, 1))
    if result["threads"] == 1 or not alone:
        return
    gained = {name: median_ratio(alone["rounds"][name], result["rounds"][name])
              for name in ("covec", "limit") if name in result["rounds"] and name in alone["rounds"]}
    result["scaling"] = gained
    if row.scales and result.get("met"):
        result["met"] = gained["covec"] * SLACK >= min(TWO_THREADS, gained.get("limit", TWO_THREADS))


def startup(options, folder, rounds):
    """Whole processes from fork to exit, and their peak memory."""
    launch = Programs(folder).limit("launch")
    commands = {name: [word.format(covec=options.covec) for word in command]
                for name, command in cases.STARTUP_COMMANDS.items()}
    times, memory = {}, {}
    for number in range(4 * rounds + 1):
        for name, command in commands.items():
            if name in ("numpy", "torch") and number % 8:
                continue
            ran = subprocess.run([launch, *command], capture_output=True, text=True, env=environment(2),
                                 preexec_fn=pinned(2), check=False)
            if ran.returncode == 0 and number > 0:
                nanoseconds, kib = map(float, ran.stdout.split())
                times.setdefault(name, []).append(nanoseconds)
                memory.setdefault(name, []).append(kib)
            elif name == "covec" and ran.returncode != 0:
                raise Failure(f"covec -e 1+1 ends with status {ran.returncode}")
    medians = {name: statistics.median(series) for name, series in times.items()}
    kib = {name: statistics.median(series) for name, series in memory.items()}
    best = min((name for name in medians if name != "covec"), key=medians.get, default=None)
    met = medians["covec"] <= cases.STARTUP_TIME * SLACK and kib["covec"] <= cases.STARTUP_KIB
    return {"row": "startup", "threads": 2, "rounds": times, "medians": medians, "kib": kib, "peer": best, "met": met,
            "target": f"≤ {spelled(cases.STARTUP_TIME)}, {cases.STARTUP_KIB // 1024} MB"}


def new_shape(options):
    """Compilations after the first, and the mean time of a call, for a thousand shapes."""
    printed = output_of([options.covec], 1, (cases.HERE / "cases" / "new_shape.covec").read_text())
    before, after = printed.split("after\n")
    made = after.count("  for (") - before.count("  for (")
    nanoseconds = float(after.split("nanoseconds")[1])
    if before.count("  for (") != 1 or "interpreted" in after:
        raise Failure("the function of new_shape is not compiled")
    return {"row": "new_shape", "threads": 1, "rounds": {"covec": [nanoseconds]}, "medians": {"covec": nanoseconds},
            "compilations": made, "met": made == 0, "target": f"0 compilations (is {made})"}


HEADINGS = ("case", "threads", "covec", "peer", "limit", "÷ peer", "÷ limit", "target", "verdict")
WIDTHS = (30, 7, 18, 22, 9, 7, 8, 34, 7)


def print_line(cells):
    print("  ".join(str(cell).ljust(width) for cell, width in zip(cells, WIDTHS)).rstrip(), flush=True)


def columns_of(result):
    """What a row says, by tables.COLUMNS; what it does not say is absent."""
    medians, peer, unit = result["medians"], result.get("peer"), result.get("unit", "ns")
    ours = spelled(medians["covec"], unit)
    if "kib" in result:
        ours += f", {result['kib']['covec'] / 1024:.1f} MB"
    found = {"case": result["row"], "threads": str(result["threads"]), "covec": ours, "target": result.get("target", ""),
             "verdict": {True: "pass", False: "MISS", None: ""}[result.get("met")]}
    if peer:
        found["peer"] = f"{spelled(medians[peer], unit)} ({peer})"
    if "limit" in medians:
        found["limit"] = spelled(medians["limit"], unit)
    for key, column in (("ratio_to_peer", "÷ peer"), ("ratio_to_limit", "÷ limit")):
        if key in result:
            found[column] = f"{result[key]:.2f}"
    if "growth" in result:
        found["target"] += f" (is {result['growth']:.1f})"
    if "pays_after" in result:
        found["calls to gain"] = str(result["pays_after"] or "never")
    if "scaling" in result:
        gained = {name: f"{times:.2f}" for name, times in result["scaling"].items()}
        found["× one thread"] = gained["covec"] + (f" (limit {gained['limit']})" if "limit" in gained else "")
    return found


def cells_of(result):
    """The same for print_line()."""
    found = columns_of(result)
    if "calls to gain" in found:
        found["target"] += f", calls to gain: {found['calls to gain']}"
    if "× one thread" in found:
        found["target"] += f", × one thread: {found['× one thread']}"
    return [found.get(name) or "–" for name in HEADINGS]


def write_document(path, results):
    """Puts this machine's tables, and charts of them, into a Markdown file."""
    facts = machine()
    pictures = charts.write(path.parent / "pictures", results)
    rows = [columns_of(result) for result in results if "medians" in result]
    tables.put_into(path, f"{facts['processor']}, {facts['cores']} cores", rows, pictures)


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return {"processor": model, "cores": len(os.sched_getaffinity(0)), "system": platform.platform(), "load": os.getloadavg()[0]}


def wanted(row, options):
    if not options.case:
        return not (row.large and options.quick)
    return any(row.name == name or row.name.startswith(name + ".") for name in options.case)


def run(options, folder):
    bench = Bench(options, folder)
    results = []

    def take(name, threads, measure):
        try:
            results.append(measure())
            print_line(cells_of(results[-1]))
        except (Failure, subprocess.TimeoutExpired) as failure:
            results.append({"row": name, "threads": threads, "error": str(failure)})
            print_line((name, threads, f"ERROR {failure}"))

    if os.getloadavg()[0] > 0.5:
        print(f"warning: the machine is busy (load {os.getloadavg()[0]:.1f}); the figures will be off\n", file=sys.stderr)
    print_line(HEADINGS)
    if wanted(cases.Row("startup"), options):
        take("startup", 2, lambda: startup(options, folder, bench.rounds))
    if wanted(cases.Row("new_shape"), options):
        take("new_shape", 1, lambda: new_shape(options))
    for row in filter(lambda row: wanted(row, options), cases.rows()):
        for threads in row.threads:
            if threads <= machine()["cores"] and options.threads in (0, threads):
                take(row.name, threads, lambda: bench.measure_row(row, threads))
    bench.close()
    return results


def main():
    parser = argparse.ArgumentParser(description="Measure Covec beside its peers and beside C.")
    parser.add_argument("--case", action="append", help="a case or one of its rows; may be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--threads", type=int, default=0, help="only the measurements on so many threads")
    parser.add_argument("--json", type=pathlib.Path, help="write all measurements there")
    parser.add_argument("--document", type=pathlib.Path, help="put the tables into this Markdown file (docs/performance_results.md)")
    parser.add_argument("--covec", default=str(ROOT / "build/covec"), help="the command to measure")
    options = parser.parse_args()
    options.covec = str(pathlib.Path(options.covec).resolve())
    if not os.access(options.covec, os.X_OK):
        parser.error(f"{options.covec} is not there: build it first (tools/run -e 1)")
    with tempfile.TemporaryDirectory() as folder:
        results = run(options, pathlib.Path(folder))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "results": results}, indent=1, ensure_ascii=False) + "\n")
    if options.document:
        write_document(options.document, results)
    judged = [result for result in results if result.get("met") is not None]
    errors = sum("error" in result for result in results)
    print(f"\n{sum(result['met'] for result in judged)} of {len(judged)} targets met" + (f", {errors} errors" if errors else ""))
    return 1 if errors or not results else 0


if __name__ == "__main__":
    sys.exit(main())
