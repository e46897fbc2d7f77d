#!/usr/bin/env python3
"""python.py [BUILD]: what the Python module costs, as docs/python.md and CHANGELOG tell it: minima of many rounds, and differences of
rows that run in turn. The same calls from C are hosts/gradient.c, built here. Run it with the Python that the module is for, on a quiet
machine."""
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build"
sys.path.insert(0, str(BUILD / "python"))
import covec  # noqa: E402
import numpy as np  # noqa: E402

CALLS, ROUNDS = 20000, 40


def loop(call, arguments=()):
    """A function that makes the call, a text or a function of the arguments, again and again."""
    names = ", ".join(f"a{k}" for k in range(len(arguments)))
    text = call if isinstance(call, str) else f"f({names})"
    space = {"call": call, "arguments": arguments}
    exec(f"def run(count, f=call, a={{}}):\n    [{names}] = arguments\n    for _ in range(count):\n        {text}\n", {**globals(), **space}, space)
    return space["run"]


def nanoseconds(rows):
    """The least time of each row, by turns."""
    least = dict.fromkeys(rows, 1e9)
    for run in rows.values():
        run(5000)
    for _ in range(ROUNDS):
        for name, run in rows.items():
            begin = time.perf_counter()
            run(CALLS)
            least[name] = min(least[name], (time.perf_counter() - begin) / CALLS * 1e9)
    return least


def calls():
    x = np.array([1.0, 2.0, 3.0])
    global gradient
    gradient = covec.compile("fn q(x) = sum(x * x)").grad
    rows = {
        "empty": loop("pass"),
        "float": loop(covec.run("fn f(x) = sin(x) * x + 1\nf"), (1.5,)),
        "compiled float": loop(covec.compile("fn g(x) = sin(x) * x + 1"), (1.5,)),
        "gradient": loop(gradient, (x,)),
        "gradient to ndarray": loop("gradient(a0).numpy()", (x,)),
        "function of an array": loop(covec.builtin("sum"), (covec.run("[1.0, 2.0, 3.0]"),)),
        "method of an array": loop("a0.sum()", (covec.run("[1.0, 2.0, 3.0]"),)),
    }
    for count in range(1, 5):
        names = ", ".join(f"a{k}" for k in range(count))
        rows[f"{count} arrays"] = loop(covec.run(f"({names}) -> 1.0"), (x,) * count)
    least = nanoseconds(rows)
    print(f"a float in and out: {least['float'] - least['empty']:.0f} ns, compiled {least['compiled float'] - least['empty']:.0f} ns")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O2", f"-I{ROOT}/interpreter/include", HERE / "gradient.c", "-o", f"{folder}/gradient",
                        f"-L{BUILD}/interpreter", "-lcovec", f"-Wl,-rpath,{BUILD}/interpreter"], check=True)
        native = min(float(subprocess.run([f"{folder}/gradient"], capture_output=True, text=True, check=True).stdout) for _ in range(5))
    print(f"the gradient of three numbers, from ndarray to ndarray: {least['gradient to ndarray'] - least['empty']:.0f} ns; from C {native:.0f} ns")
    print(f"a.sum() of three numbers: {least['method of an array'] - least['empty']:.0f} ns; "
          f"the function sum {least['function of an array'] - least['empty']:.0f} ns")
    print(f"each further array: {(least['4 arrays'] - least['1 arrays']) / 3:.0f} ns")


def start():
    """Of the process, above python3 -c pass."""
    def least(text):
        times = []
        for _ in range(30):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", text], check=True, env={"PYTHONPATH": str(BUILD / "python")})
            times.append(time.perf_counter() - begin)
        return min(times) * 1e3
    print(f"import covec, above python3 -c pass: {least('import covec') - least('pass'):.1f} ms")


def memory():
    f = covec.compile("fn f(x, y) = x * y + 1")
    x = np.arange(100.0)

    def calls(count):
        for _ in range(count):
            f(x, y=x).numpy()
    calls(10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(1_000_000)
    print(f"growth by 10^6 calls: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before} KB")


def threads():
    """Calls of about 1 ms by one and by two threads."""
    def work(done):
        f = covec.Session(threads=1).run("@compile\nfn f(x) { s = 0.0\n for i in range(60000) { s = s + sin(s + i * 1e-3) }\n return s + x }\nf")
        f(1.0)
        done.append(lambda: [f(1.0) for _ in range(400)])
    runs = []
    work(runs), work(runs)
    best = 0.0
    for _ in range(8):
        begin = time.perf_counter()
        runs[0]()
        one = time.perf_counter() - begin
        both = [threading.Thread(target=run) for run in runs]
        begin = time.perf_counter()
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        best = max(best, 2 * one / (time.perf_counter() - begin))
    print(f"two threads: {best:.2f} times the calls of one, of {one / 400 * 1e3:.2f} ms each")


def turns():
    """Quick calls of one session by threads that wait for each other."""
    f = covec.compile("fn f(x) = sin(x) * x + 1")
    long = covec.compile("fn f(n) { s = 0.0\n for i in range(n) { s = s + sin(s + i) }\n return s }")

    def microseconds(count, calls):
        begin, begins, ends = threading.Barrier(count), [], []

        def work():
            begin.wait()
            long(1_000_000)  # from here on there is a queue
            begins.append(time.perf_counter())
            for _ in range(calls // count):
                f(1.5)
            ends.append(time.perf_counter())
        many = [threading.Thread(target=work) for _ in range(count)]
        for thread in many:
            thread.start()
        for thread in many:
            thread.join()
        return (max(ends) - max(begins)) / calls * 1e6
    for count in (1, 2, 6):
        times = sorted(microseconds(count, 20000) for _ in range(9))
        print(f"a quick call in turns, {count} threads: {times[4]:.1f} µs, {times[0]:.1f} to {times[-1]:.1f}")


calls(), start(), memory(), threads(), turns()
