#!/usr/bin/env python3
"""The runner and the shrinker, tried on an engine with a known mistake: where COVEC_ENGINE is `compiled`, what it
prints has another digit. The runner must say so, and the shrinker must leave little of the program. Likewise of sessions, of
programs of several files and of what they write, of mutants, and of values that all engines agree about.

    sees_test.py COMMAND SESSION
"""
import contextlib
import os
import stat
import subprocess
import sys
import tempfile
import time
from concurrent.futures.process import BrokenProcessPool

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = """#!/bin/sh
if [ "$COVEC_ENGINE" = compiled ]; then COVEC_ENGINE=eager "{0}" "$@" | sed 's/0\\.25/0.26/'; else exec "{0}" "$@"; fi
"""
PROGRAM = """fn f(x) {
  y = x * 2
  for i in range(3) {
    y[i % len(x)] += sin(x[0])
  }
  if sum(y) > 100 { error("large") }
  return (0.25, y)
}
print(f([1.0, 2.0]), digits=17)
print(f([3.0]), digits=17)
"""


# The pieces after the error count, and so does the module.
SESSION = """import "part.covec" as part
# ---
print(1 // 0)
# ---
print(part.quarter())
# file part.covec
fn quarter() = 0.25
"""


def wrong_command(folder, command):
    path = os.path.join(folder, "wrong_" + os.path.basename(command))
    with open(path, "w", encoding="utf-8") as file:
        file.write(WRONG.format(os.path.abspath(command)))
    os.chmod(path, stat.S_IRWXU)
    return path


def sees_sessions(folder, covec, session):
    from run import Worker, engines_of

    worker = Worker(wrong_command(folder, covec), engines_of("eager,compiled-avx2"), 10, folder, wrong_command(folder, session))
    said = worker.outcome(SESSION, "eager").out
    assert b"division by zero" in said and b"\n0.25\n" in said, said
    assert worker.examine(0, SESSION)[1] == [("compiled-avx2", "stdout")]
    assert worker.examine(0, SESSION.replace("0.25", "0.5"))[1] == []
    written = worker.outcome('save("x.npy", [1.5])', "eager").out
    assert b"x.npy" in written and b"NUMPY" in written, written


def sees_mutants(folder, covec, session):
    for kind, count in (("programs", "40"), ("mutants", "100")):
        command = [sys.executable, os.path.join(HERE, "run.py"), "--covec", wrong_command(folder, covec), "--session", wrong_command(folder, session),
                   "--kind", kind, "--programs", count, "--seed", "1", "--engines", "eager,compiled-avx2", "--found", "", "--jobs", "2",
                   "--stop-after", "1"]  # the first says it
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "took too long, 0 differ" not in done.stdout, done.stdout[-2000:]


def told(job):
    """A job that ends its process where it is asked to."""
    if job is None:
        os._exit(3)
    return job


def sees_jobs():
    """Who stops to read goes on, and a process that died is an error; neither waits for ever."""
    from jobs import results

    for _ in range(10):
        with contextlib.closing(results(told, range(1000), 2, time.sleep, (0,))) as ended:
            assert next(ended) in range(1000)
    try:
        list(results(told, [1, None, 2], 2, time.sleep, (0,)))
    except BrokenProcessPool:
        return
    raise AssertionError("a process that died was not seen")


def main():
    sys.path.insert(0, HERE)
    sees_jobs()
    from run import Worker, engines_of

    with tempfile.TemporaryDirectory() as folder:
        wrong = wrong_command(folder, sys.argv[1])
        worker = Worker(wrong, engines_of("eager,compiled-avx2"), 10, folder)
        _, found = worker.examine(0, PROGRAM)
        assert found == [("compiled-avx2", "stdout")], found
        assert worker.examine(0, PROGRAM.replace("0.25", "0.5"))[1] == []
        small = worker.smaller(PROGRAM, "compiled-avx2", "stdout")
        assert "0.25" in small and len(small) < 60, small
        report = worker.report(small, "compiled-avx2", "stdout")
        assert "0.26" in report, report
        sees_sessions(folder, sys.argv[1], sys.argv[2])
        sees_mutants(folder, sys.argv[1], sys.argv[2])


if __name__ == "__main__":
    main()
