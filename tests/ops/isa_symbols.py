#!/usr/bin/env python3
"""Kernels compiled for an instruction set must not define code that another object could be given by the linker: every
function defined in their objects has to be in that instruction set's namespace (or about one of its types).
Usage: isa_symbols.py NM ISA OBJECT..."""
import subprocess
import sys


def main():
    nm, isa, objects = sys.argv[1], sys.argv[2], sys.argv[3:]
    bad = []
    for path in objects:
        text = subprocess.run([nm, "-C", "--defined-only", path], check=True, capture_output=True, text=True).stdout
        for line in text.splitlines():
            kind, name = line[17:18], line[19:]
            if kind in "TWi" and f"covec::{isa}::" not in name:
                bad.append(f"{path}: {kind} {name}")
    print("\n".join(bad) if bad else f"{isa}: {len(objects)} objects define nothing that is shared")
    return 1 if bad or not objects else 0


sys.exit(main())
