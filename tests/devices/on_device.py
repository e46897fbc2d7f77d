#!/usr/bin/env python3
"""on_device.py COVEC SCRIPT…: run_scripts.py, where COVEC finds a device; else that is said, and the test is skipped.

on_device.py COVEC --program PROGRAM ARGUMENT…: the same with another program. --long before either: only where COVEC_LONG
is set.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if rest[0] == "--long":
        rest = rest[1:]
        if not os.environ.get("COVEC_LONG"):
            print("SKIPPED: it takes long; COVEC_LONG=1 runs it")
            return 77
    if os.environ.get("COVEC_LONG"):
        os.environ.pop("POCL_EXTRA_BUILD_FLAGS", None)  # kernels as users have them, however long PoCL optimizes them
    found = subprocess.run([command, "-e", "len(devices())"], capture_output=True, text=True)
    wanted = os.environ.get("COVEC_DEVICE") != "none"
    if wanted and found.stdout.strip() == "0":
        print("SKIPPED: there is no OpenCL device (Debian: pocl-opencl-icd)")
        return 77
    runner = rest[1:] if rest[0] == "--program" else [sys.executable, os.path.join(HERE, "..", "language", "run_scripts.py"),
                                                      command, *rest]
    return subprocess.run(runner).returncode


sys.exit(main())
