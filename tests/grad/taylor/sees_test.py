#!/usr/bin/env python3
"""check.py, tried on a Covec with known mistakes: it must name each of them, and leave little of the program.

    sees_test.py COVEC
"""
import argparse
import os
import stat
import sys
import tempfile

import check

# What one engine prints has another last digit, or another digit in the middle.
WRONG = """#!/bin/sh
if [ "$COVEC_ENGINE" = {engine} ]; then "{covec}" "$@" | sed '{change}'; else exec "{covec}" "$@"; fi
"""
MISTAKES = [
    ("eager", "s/\\(: [[]*-\\{0,1\\}[0-9]*\\.\\)./\\18/", "eager", "other numbers than the oracle"),
    ("compiled", "s/[0-9]\\(\\]*\\)$/8\\1/", "whole", "other bits"),
]
SEEDS = range(1, 6)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for engine, change, found_by, kind in MISTAKES:
            path = os.path.join(folder, f"wrong_{engine}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(WRONG.format(engine=engine, covec=os.path.abspath(sys.argv[1]), change=change))
            os.chmod(path, stat.S_IRWXU)
            failed = check.examine((SEEDS, argparse.Namespace(covec=path, seconds=0, known=(), filters=False)))
            wrong = [(seed, k) for seed, k, bad, _ in failed if bad == (found_by, kind)]
            assert len(wrong) > 10, failed
            runner, (seed, k) = check.Runner(path, folder), wrong[0]
            small = check.reduced(check.draw(seed), k, (found_by, kind), runner, 10)
            assert len(small.text()) < 150, small.text()


if __name__ == "__main__":
    main()
