"""What the Python peers share: a server that measures the rows asked for on standard input, so that a peer is loaded
once and its measurements still stand beside the others'. A peer is a dictionary from a row's name to a function that prepares
it and gives run(n), which does the work n times."""

import sys
import time


def seconds(run, n):
    start = time.perf_counter()
    run(n)
    return time.perf_counter() - start


def nanoseconds(run):
    """Of one call, three times; n grows until a block lasts long enough to be read off a clock."""
    n, spent = 1, seconds(run, 1)
    while spent < 0.02:
        n *= 2
        spent = seconds(run, n)
    return [seconds(run, n) / n * 1e9 for _ in range(3)]


def serve(rows):
    prepared = {}
    print(" ".join(rows), flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name not in prepared:
            prepared.clear()
            prepared[name] = rows[name]()
        print(" ".join(map(repr, nanoseconds(prepared[name]))), flush=True)
