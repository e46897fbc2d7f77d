"""The least of several calls, as `task: milliseconds`."""
import time


def report(name, call, times=5):
    least = float("inf")
    for _ in range(times):
        begun = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - begun)
    print(f"{name}: {1e3 * least:.6g}", flush=True)
