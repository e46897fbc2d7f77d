#!/usr/bin/env python3
"""The runner and the shrinker, tried on an engine with a known mistake: where COVEC_ENGINE is `compiled`, what it
prints has another digit. The runner must say so, and the shrinker must leave little of the program.

    sees_test.py COMMAND
"""
import os
import stat
import subprocess
import sys
import tempfile

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


def main():
    sys.path.insert(0, HERE)
    from run import Worker, engines_of

    with tempfile.TemporaryDirectory() as folder:
        wrong = os.path.join(folder, "wrong")
        with open(wrong, "w", encoding="utf-8") as file:
            file.write(WRONG.format(os.path.abspath(sys.argv[1])))
        os.chmod(wrong, stat.S_IRWXU)
        worker = Worker(wrong, engines_of("eager,compiled-avx2"), 10, folder)
        _, found = worker.examine(0, PROGRAM)
        assert found == [("compiled-avx2", "stdout")], found
        assert worker.examine(0, PROGRAM.replace("0.25", "0.5"))[1] == []
        small = worker.smaller(PROGRAM, "compiled-avx2", "stdout")
        assert "0.25" in small and len(small) < 60, small
        report = worker.report(small, "compiled-avx2", "stdout")
        assert "0.26" in report, report
        command = [sys.executable, os.path.join(HERE, "run.py"), "--covec", wrong, "--programs", "60", "--seed", "1",
                   "--engines", "eager,compiled-avx2", "--found", "", "--jobs", "2"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and " 0 differ" not in done.stdout, done.stdout[-2000:]


if __name__ == "__main__":
    main()
