#!/usr/bin/env python3
"""GradBench's twelve problems (examples/gradbench) beside PyTorch and C: functions f, derivatives g, and g divided by f.

    PYTHONPATH=build/python /usr/bin/python3 tests/bench/gradbench/run.py [NAME…]

Prints a table, in a minute, on one thread. Times are milliseconds of the processor, so that other programs disturb little, and the
least of some calls after ten that are not counted: some of those compile, and some are interpreted to compare times. What PyTorch and C
give is compared with Covec's results. Columns of what is not installed stay empty. by_hand.c has the derivatives by hand.
"""
import argparse
import ctypes
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
UNCOUNTED = 10     # calls before the first that counts
SHORTEST = 0.15    # seconds that calls of a function are repeated, at least
FEWEST = 3         # times that are compared, at least
LONG = 1e-4        # seconds of one time, at least: short calls are measured together
NEAR = 1e-9        # how near results of others are, relative to the largest number

sys.path.insert(0, str(HERE))
try:
    import in_torch
except ImportError:
    in_torch = None
import covec    # noqa: E402

session = covec.Session(threads=1)


def program(name):
    path = ROOT / "examples/gradbench" / f"{name}.covec"
    session.run(f'import "{path}" as {name}_program')
    return session[f"{name}_program"]


# --- measuring ---

def leaves(value):
    """All numbers of a result as one vector: of tensors, tuples of them, dicts in their order."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return numpy.concatenate([leaves(part) for part in value])
    return numpy.asarray(value, dtype=numpy.float64).reshape(-1)


def seconds(call, uncounted=UNCOUNTED):
    """(the least time of a call, its result)"""
    for _ in range(uncounted):
        begin = time.process_time()
        result = call()
        elapsed = time.process_time() - begin
    together = max(1, int(LONG / max(elapsed, 1e-7)))
    least, total, times = float("inf"), 0.0, 0
    while times < FEWEST or total < SHORTEST:
        begin = time.process_time()
        for _ in range(together):
            result = call()
        elapsed = time.process_time() - begin
        least, total, times = min(least, elapsed / together), total + elapsed, times + 1
    return least, result


def compared(name, got, expected):
    got, expected = leaves(got), leaves(expected)
    if got.shape != expected.shape or not numpy.max(numpy.abs(got - expected)) <= NEAR * numpy.max(numpy.abs(expected)):
        sys.exit(f"{name}: results differ")


@dataclasses.dataclass
class Row:
    name: str
    arguments: tuple
    f: str                        # names of the program's functions
    g: str
    torch: tuple = ()             # arguments of in_torch's function, where that has one
    c: object = None              # (f, g) of no arguments
    times: dict = dataclasses.field(default_factory=dict)

    def measure(self, functions):
        calls = {"f": self.f, "g": self.g}
        results = {}
        for which, function in calls.items():
            call = getattr(functions, function)
            self.times[which], results[which] = seconds(lambda: call(*self.arguments))
        others = {}
        if in_torch and self.torch:
            others["torch"] = getattr(in_torch, self.name.split()[0].rstrip(","))(*self.torch)
        if self.c:
            others["c"] = self.c
        for other, pair in others.items():
            for which, call in zip("fg", pair):
                self.times[f"{other} {which}"], result = seconds(call, 2)    # nothing compiles there
                compared(f"{self.name} {which}, {other}", result, results[which])


# --- the same in C ---

def library(folder):
    """by_hand.c, or None without a compiler."""
    path = os.path.join(folder, "by_hand.so")
    command = ["cc", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC", str(HERE / "by_hand.c"), "-o", path, "-lm"]
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        return None
    found = ctypes.CDLL(path)
    for name in ("lse", "llsq", "det", "kmeans"):
        getattr(found, name).restype = ctypes.c_double
    return found


def given(x):
    """Arguments of C: integers, and pointers to doubles."""
    return ctypes.c_long(x) if isinstance(x, int) else ctypes.c_void_p(x.ctypes.data)


def in_c(c, f, g, arguments, gradient, value=None):
    """Calls of C's functions f and g. g fills the gradient, and f the value where it is no number."""
    if not c:
        return None
    call_f, call_g = getattr(c, f), getattr(c, g)
    inputs = [given(x) for x in arguments]

    def run(call, out):
        result = call(*inputs, *([] if out is None else [given(out)]))
        return result if out is None else out
    return lambda: run(call_f, value), lambda: run(call_g, gradient)


# --- the problems ---

def rows(c):
    """Each problem at a size of GradBench's, in its forms."""
    random = numpy.random.default_rng(1)
    yield Row("hello", (3.0,), "square", "double", torch=(3.0,))

    d, k, n = 64, 25, 1000
    for scale in (1.0, 0.1):    # GradBench has 1; then most weights of components are too small for normal numbers
        parameters = {"alpha": random.normal(size=k), "mu": random.random((k, d)), "q": scale * random.normal(size=(k, d)),
                      "l": scale * random.normal(size=(k, d * (d - 1) // 2))}
        mixture = (parameters, random.normal(size=(n, d)), 1.0, 0)
        yield Row("gmm" if scale == 1.0 else "gmm, 0.1 q and l", mixture, "objective", "gradient", torch=mixture)

    n, m, p = 49, 7776, 31843
    cameras = numpy.tile([0.01, -0.02, 0.03, 0.1, 0.2, -4.0, 500.0, 1.0, 2.0, 0.01, -0.002], (n, 1))
    scene = (cameras, random.random((m, 3)), random.random(p), 100 * random.random((p, 2)), numpy.arange(p) % n, numpy.arange(p) % m)
    yield Row("ba, if", scene, "objective", "blocks", torch=scene)
    yield Row("ba, where", scene, "objective_by_where", "blocks_by_where")

    layers, b, steps = 2, 14, 1024
    network = (random.random((2 * layers, 4 * b)), random.random((3, b)), random.random((2 * layers, b)),
               (random.random((steps, b)) < 0.5) * 1.0)
    yield Row("lstm, tensors", network, "objective", "gradient", torch=network)
    yield Row("lstm, elements", network, "objective_by_elements", "gradient_by_elements")

    for points, vertices in ((100, 544), (800, 4352)):
        hand = {"parents": numpy.array([-1] + [0 if i % 4 == 1 else i - 1 for i in range(1, 22)]),
                "base_relatives": random.random((22, 4, 4)) - 0.5, "inverse_base_absolutes": random.random((22, 4, 4)) - 0.5,
                "base_positions": random.random((vertices, 4)), "weights": random.random((vertices, 22)) / 22, "is_mirrored": False}
        pose = (random.random(26), hand, random.integers(0, vertices, points), random.random((points, 3)))
        yield Row(f"ht, c{points}", pose, "objective", "by_pose", torch=pose)

    x = 20 * random.random(100_000)
    yield Row("lse", (x,), "primal", "gradient", torch=(x,), c=in_c(c, "lse", "lse_gradient", (len(x), x), numpy.empty(len(x))))

    x, s = random.random(1000), 100
    by_hand = in_c(c, "ode", "ode_gradient", (len(x), x, s), numpy.empty(len(x)), numpy.empty(len(x)))
    yield Row("ode, tensors", (x, s), "primal", "gradient", torch=(x, s), c=by_hand)
    yield Row("ode, elements", (x, s), "primal_by_elements", "gradient_by_elements", c=by_hand)

    x, n = random.random(128), 16392
    by_hand = in_c(c, "llsq", "llsq_gradient", (len(x), x, n), numpy.empty(len(x)))
    yield Row("llsq, elements", (x, n), "primal", "gradient", c=by_hand)
    yield Row("llsq, tensors", (x, n), "primal_by_tensors", "gradient_by_tensors", torch=(x, n), c=by_hand)

    a = random.random((7, 7))
    by_hand = in_c(c, "det", "det_gradient", (7, a), numpy.empty((7, 7)))
    yield Row("det, links", (a,), "primal", "gradient", c=by_hand)
    yield Row("det, bits", (a,), "primal_by_bits", "gradient_by_bits", c=by_hand)

    points = random.random((10_000, 16))
    centroids = points[-100:].copy()
    by_hand = in_c(c, "kmeans", "kmeans_direction", (len(points), len(centroids), 16, points, centroids), numpy.empty(centroids.shape))
    yield Row("kmeans, tensors", (points, centroids), "cost", "dir", torch=(points, centroids), c=by_hand)
    yield Row("kmeans, elements", (points, centroids), "cost_by_elements", "dir_by_elements", c=by_hand)


def shown(time_taken):
    """Milliseconds, or nothing."""
    return "" if time_taken is None else f"{time_taken * 1e3:.3g}" if time_taken < 1 else f"{time_taken * 1e3:.0f}"


def modes(name, argument):
    """A line with the times of the four mixtures of modes."""
    functions = program(name)
    times, results = zip(*(seconds(lambda: getattr(functions, mode)(argument)) for mode in ("ff", "fr", "rf", "rr")))
    for result in results:
        compared(name, result, results[0])
    print(f"{name}: " + ", ".join(f"{mode} {shown(taken)}" for mode, taken in zip(("ff", "fr", "rf", "rr"), times))
          + f" ms; slowest ÷ fastest {max(times) / min(times):.1f}")


def main():
    parser = argparse.ArgumentParser(description="GradBench's problems beside PyTorch and C.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="problems, all without one")
    names = parser.parse_args().names
    print(f"load {os.getloadavg()[0]:.1f}" + ("" if in_torch else "; PyTorch is not installed"), flush=True)
    heads = ("problem", "f", "g", "g ÷ f", "PyTorch f", "g", "C f", "g")
    print("| " + " | ".join(heads) + " |\n" + "| --- " * len(heads) + "|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(library(folder)):
            problem = row.name.split(",")[0]
            if names and problem not in names:
                continue
            row.measure(program(problem))
            times = row.times
            cells = [row.name, shown(times["f"]), shown(times["g"]), f"{times['g'] / times['f']:.1f}"]
            cells += [shown(times.get(other)) for other in ("torch f", "torch g", "c f", "c g")]
            print("| " + " | ".join(cells) + " |", flush=True)
    for name, argument in (("particle", 0.0), ("saddle", numpy.ones(2))):
        if not names or name in names:
            modes(name, argument)


if __name__ == "__main__":
    main()
