#!/usr/bin/env python3
"""How long a Ctrl-C waits: large operators, and programs around them, are interrupted at random moments.

    python3 interrupts.py COVEC [PART OF A NAME] [--times N]

Prints a row for each: the longest and the median milliseconds from the signal to the error's text.
"""

import argparse
import random
import signal
import statistics
import subprocess
import time

SETUP = "x = rand(30000000)\nm = rand(5000, 5000)\na = rand(3000, 3000)\n"
LARGE = ["sort(x)", "sort(m, axis=0)", "argsort(x)", "topk(x, 10)", "unique(x)", "sum(x)", "std(x)", "sum(m, axis=0)", "cumsum(x)",
         "cumprod(m, axis=0)", "argmax(x)", "exp(x)", "where(x > 0.5, x, -x)", "a @ a", "m @ m[0]", "x @ x", "vmap(p -> p @ p)(rand(40, 500, 500))",
         "permutation(30000000)", "randint(0, 10, 30000000)", "randn(30000000)", "linspace(0, 1, 30000000)", "ravel(m.T)", "m.T + 1.0",
         "x[::-1] + x", "x[x > 0.5]", "searchsorted(x[:1000], x)", "conv1d(x[newaxis], ones(1, 1, 64))", "conv2d(rand(8, 16, 200, 200), rand(16, 16, 5, 5))",
         "sum(m[i, j] * m[j, i] for i, j)", "concat([x, x])", "str(list(x[:100000]))", "grad(x -> sum(sin(x) * x))(x)",
         "compile(x -> sum(sin(x) * x))(x)", "compile(() -> timeit(() -> 1, seconds=100))()", "timeit(compile(() -> 1), seconds=100)",
         "load(\"x.npy\")", "save(\"x.npy\", x)", "tensor(list(range(1000000)))", "list(i for i in range(10^7))"]


def latency(covec, text):
    program = f"{SETUP}print(1)\nwhile true {{ y = {text} }}\n"
    process = subprocess.Popen([covec, "-e", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    time.sleep(1.5)  # making the numbers
    time.sleep(random.random())
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    said = process.stderr.readline()
    waited = 1000 * (time.monotonic() - start)
    process.kill()
    process.communicate()
    return waited if said.startswith(b"error: interrupted") else said.decode().strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("covec")
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    subprocess.run([arguments.covec, "-e", SETUP + 'save("x.npy", x)'], check=True)
    for text in LARGE:
        if arguments.part not in text:
            continue
        found = [latency(arguments.covec, text) for _ in range(arguments.times)]
        others = [each for each in found if isinstance(each, str)]
        if others:
            print(f"{text:60} {others[0]}")
        else:
            print(f"{text:60} {max(found):8.1f} {statistics.median(found):8.1f}", flush=True)


if __name__ == "__main__":
    main()
