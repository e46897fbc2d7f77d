#!/usr/bin/env python3
"""What an older processor runs holds none of the newer instructions.

    baseline_test.py BUILD_FOLDER

Kernels are compiled once per instruction set, in targets of their own, and the code generator's helpers run beside
generated code only. No other object may hold an AVX instruction; and no function that the linker keeps one copy of may
stand in objects of both kinds, since the copy may be the newer one.
"""
import re
import subprocess
import sys
from pathlib import Path

NEWER = re.compile(r"_(avx2|avx512)\.dir/|jit/simd|covec_jit_simd")
INSTRUCTION = re.compile(r"\tv[a-z0-9]+ .*%[xyz]mm")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def objects(build):
    folders = ("frontend", "stdlib", "jit", "interpreter")
    return [path for folder in folders for path in (build / folder).rglob("*.cpp.o")]


def shared_functions(paths):
    names = output("nm", "--defined-only", *map(str, paths)).splitlines()
    return {line.split()[-1] for line in names if " W " in line}


def main():
    newer, older = [], []
    for path in objects(Path(sys.argv[1])):
        (newer if NEWER.search(str(path)) else older).append(path)
    wrong = [path for path in older if INSTRUCTION.search(output("objdump", "-d", "--no-show-raw-insn", str(path)))]
    kernels = [path for path in newer if "avx" in str(path)]
    both = shared_functions(kernels) & shared_functions(older)
    for what in [*wrong, *sorted(both)]:
        print("newer instructions in", what)
    print(f"{len(older)} objects for every processor, {len(newer)} for newer ones")
    return 1 if wrong or both or len(older) < 50 or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
