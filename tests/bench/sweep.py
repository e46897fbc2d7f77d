#!/usr/bin/env python3
"""Every builtin beside NumPy and PyTorch, eager and compiled, at several numbers of elements.

    python3 tests/bench/sweep.py [--size N]… [--row TEXT]… [--rounds K] [--threads T] [--json FILE] [--document FILE]

For each row and size the contenders are measured one after the other, `rounds` times; the shortest time of each counts, and a
ratio is ours to the faster peer's. Measured figures are kept in the JSON file, so that single rows can be measured again;
--document writes the tables between the marks of a Markdown file. Start reading at measure(); the rows are in sweep_rows.py.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

from contenders import PYTHON, Failure, environment, output_of, pinned
from run import spelled
from sweep_rows import CHAPTERS, ROWS

HERE = pathlib.Path(__file__).resolve().parent
SIZES = [10, 10_000, 10_000_000]
MARKS = ("<!-- sweep -->", "<!-- end of sweep -->")
SLACK_NS = 50.0  # of a call of a function: not told apart


class Peer:
    def __init__(self, name, threads):
        self.name = name
        self.process = subprocess.Popen([PYTHON, str(HERE / "peers" / "sweep_peer.py"), name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment(threads),
                                        preexec_fn=pinned(threads))

    def seconds(self, row, words):
        if not getattr(row, self.name):
            return None
        request = {"arguments": {k: getattr(made, self.name).format(**words) for k, made in row.arguments.items()},
                   "call": getattr(row, self.name).format(**words), "seconds": words["seconds"]}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer.startswith("failed") or not answer:
            print(f"    {self.name}: {row.name}: {answer}", file=sys.stderr)
            return None
        return float(answer)


def covec_seconds(command, row, words, threads):
    """(eager, compiled)."""
    names = ", ".join(row.arguments)
    made = "".join(f"{name} = {value.covec.format(**words)}\n" for name, value in row.arguments.items())
    text = (f"{made}fn f({names}) = {row.covec.format(**words)}\nprint(timeit(f, {names}, seconds={words['seconds']}))\n"
            f"print(timeit(compile(f), {names}, seconds={words['seconds']}))\n")
    return [float(line) for line in output_of([command], threads, text).splitlines()]


def measure(row, size, peers, options):
    size = min(size, row.largest)
    side = max(2, math.isqrt(size))
    sides = {channels: max(3, math.isqrt(size // channels)) for channels in (1, 4, 16)}
    words = {"n": size, "sides": sides, "side": side, "half": max(1, side // 2), "seconds": 0.005 if size <= 100_000 else 0.0}
    best = {}

    def note(name, seconds):
        if seconds is not None:
            best[name] = min(seconds, best.get(name, math.inf))

    for _ in range(options.rounds):
        eager, compiled = covec_seconds(options.covec, row, words, options.threads)
        note("eager", eager)
        note("compiled", compiled)
        for peer in peers:
            note(peer.name, peer.seconds(row, words))
    return best


def ratios(best):
    """Ours to the faster peer's, eager and compiled; (None, None) where there is none."""
    theirs = min((best[name] for name in ("numpy", "torch") if name in best), default=None)
    if theirs is None:
        return None, None
    return best["eager"] / theirs, best["compiled"] / theirs


def misses(row, best):
    """The ratio that counts: eager's and compiled's worse, where it is beyond the row's factor and a call's noise."""
    pair = ratios(best)
    if pair[0] is None:
        return None
    theirs = best["eager"] / pair[0]
    worst = max(pair)
    return worst if (worst * theirs - row.factor * theirs) * 1e9 > SLACK_NS else None


def table(rows, measured, sizes):
    head = "| builtin | " + " | ".join(f"{size:,}: ours" + " | ratios" for size in sizes) + " |"
    lines = [head, "| --- |" + " --- | --- |" * len(sizes)]
    for row in rows:
        cells = [row.name]
        for size in sizes:
            best = measured.get(f"{row.name}/{size}")
            if best is None:
                cells += ["–", "–"]
                continue
            ours = min(best["eager"], best["compiled"])
            pair = ratios(best)
            text = "–" if pair[0] is None else f"{pair[0]:.2f}, {pair[1]:.2f}"
            cells += [spelled(ours * 1e9), f"**{text}**" if misses(row, best) else text]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report(measured, sizes):
    parts = []
    for title, rows in CHAPTERS.items():
        parts.append(f"### {title}\n\n{table(rows, measured, sizes)}\n")
    return "\n".join(parts)


def summary(measured, sizes):
    found, count = [], 0
    for row in ROWS:
        for size in sizes:
            best = measured.get(f"{row.name}/{size}")
            if best is None or ratios(best)[0] is None:
                continue
            count += 1
            if misses(row, best):
                found.append((misses(row, best) / row.factor, row.name, size, best))
    found.sort(key=lambda item: -item[0])
    lines = [f"{count - len(found)} of {count} within their limit; beyond it:"]
    for over, name, size, best in found:
        times = ", ".join(f"{contender} {spelled(seconds * 1e9)}" for contender, seconds in best.items())
        lines.append(f"  {over:5.2f} × the limit  {name} at {size:,}: {times}")
    return "\n".join(lines)


def put_into(path, text):
    document = path.read_text()
    before, rest = document.split(MARKS[0])
    path.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--covec", default=str(HERE.parents[1] / "build" / "covec"))
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--row", action="append", default=[], help="only rows whose name has this (exactly: =name)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("sweep.json"))
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--only-report", action="store_true")
    options = parser.parse_args()
    measured = json.loads(options.json.read_text()) if options.json.exists() else {}
    wanted = [row for row in ROWS if not options.row or any(
        row.name == text[1:] if text.startswith("=") else text in row.name for text in options.row)]
    if not options.only_report:
        peers = [Peer(name, options.threads) for name in ("numpy", "torch")]
        for row in wanted:
            for size in options.size or SIZES:
                try:
                    best = measured[f"{row.name}/{size}"] = measure(row, size, peers, options)
                except Failure as failure:
                    print(f"{row.name} at {size}: {failure}", file=sys.stderr)
                    continue
                pair = ratios(best)
                shown = "" if pair[0] is None else f"{pair[0]:6.2f} {pair[1]:6.2f}  {'MISS' if misses(row, best) else ''}"
                print(f"{row.name:24} {size:>10,} {spelled(best['eager'] * 1e9):>10} {shown}", flush=True)
            options.json.write_text(json.dumps(measured, indent=1))
    print(summary(measured, SIZES))
    if options.document:
        put_into(options.document, report(measured, SIZES))


if __name__ == "__main__":
    main()
