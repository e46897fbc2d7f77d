"""One side of the sweep: reads a line of JSON for each row (what makes the arguments, what is called), writes the seconds of
one call. `sweep_peer.py numpy` or `sweep_peer.py torch`."""

import json
import os
import sys
import time

import numpy as np  # noqa: F401  the rows' expressions use it

if sys.argv[1] == "torch":
    import torch
    torch.set_num_threads(int(os.environ.get("COVEC_THREADS", "1")))

np.seterr(all="ignore")


def seconds_of(call, arguments, least):
    """As Covec's timeit: once for nothing, then as often as takes `least`, five times over; the shortest counts."""
    def block(calls):
        start = time.perf_counter()
        for _ in range(calls):
            call(*arguments)
        return time.perf_counter() - start
    block(1)
    calls, best = 1, block(1)
    while best < least:
        calls *= 2
        best = block(calls)
    return min([best] + [block(calls) for _ in range(4)]) / calls


for line in sys.stdin:
    row = json.loads(line)
    try:
        values = [eval(text) for text in row["arguments"].values()]
        call = eval(f"lambda {', '.join(row['arguments'])}: {row['call']}")
        print(seconds_of(call, values, row["seconds"]), flush=True)
        del values, call
    except Exception as error:  # a row that the peer cannot do is a row without it
        print("failed", type(error).__name__, str(error).splitlines()[:1], flush=True)
