#!/usr/bin/env python3
"""A corpus is one text file of the repository, an input a line in hexadecimal digits; libFuzzer wants a folder with a file each.

    corpus.py unpack corpus/npy.txt FOLDER
    corpus.py pack FOLDER corpus/npy.txt [--largest BYTES] [--count INPUTS]      the smallest first
    corpus.py seeds COMMAND FOLDER       a folder of inputs for each fuzzer, from files that a program writes and from the scripts
"""
import argparse
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = """trees = list(1.5, true, i32([1, 2, 3]), f32(zeros(2, 0)), {w: [[1.0, nan], [inf, -0.0]], b: list({c: 1}, (2, true))}, ())
for i, t in enumerate(trees) { for end in ("npz", "safetensors") { save(f"{i}.{end}", t) } }
for i, t in enumerate(trees[:4]) { save(f"{i}.npy", t) }
write_csv("0.csv", [[1.0, 2.5], [nan, -inf]], header=("a", "b c"))
write_csv("1.csv", arange(3), separator=";", digits=3)
"""


def unpack(path, folder):
    os.makedirs(folder, exist_ok=True)
    with open(path, encoding="ascii") as file:
        for line in file:
            write(folder, bytes.fromhex(line.strip()))


def write(folder, data):
    with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as file:
        file.write(data)


def pack(folder, path, largest, count):
    inputs = [open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)]
    inputs = sorted((data for data in set(inputs) if len(data) <= largest), key=lambda data: (len(data), data))[:count]
    with open(path, "w", encoding="ascii") as file:
        file.writelines(data.hex() + "\n" for data in inputs)
    print(f"{path}: {len(inputs)} inputs, {os.path.getsize(path)} bytes")


def seeds(covec, to):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([covec], input=PROGRAM, text=True, cwd=folder, check=True)
        for name in os.listdir(folder):
            kind = os.path.splitext(name)[1][1:]
            os.makedirs(os.path.join(to, kind), exist_ok=True)
            data = open(os.path.join(folder, name), "rb").read()
            for first in (range(0, 32, 5) if kind == "csv" else [None]):
                write(os.path.join(to, kind), data if first is None else bytes([first]) + data)
    os.makedirs(os.path.join(to, "text"), exist_ok=True)
    scripts = glob.glob(os.path.join(HERE, "../language/*.covec")) + glob.glob(os.path.join(HERE, "../errors/*.covec"))
    for path in scripts:
        for part in re.split(r"\n\n+", open(path, encoding="utf-8").read()):
            if len(part) < 600 and "save" not in part and "write_csv" not in part:
                write(os.path.join(to, "text"), part.encode())
    os.makedirs(os.path.join(to, "calls"), exist_ok=True)
    for k in range(40):  # an open session, then something of each kind
        steps = [0, 0, 15] + [v for s in range(12) for v in ((s * (k + 1) + k) % 12, 0, (k * 7 + s) % 24, 3, s % 8, k % 8)]
        write(os.path.join(to, "calls"), bytes(steps))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=["unpack", "pack", "seeds"])
    options.add_argument("source")
    options.add_argument("to")
    options.add_argument("--largest", type=int, default=600)
    options.add_argument("--count", type=int, default=150)
    given = options.parse_args()
    if given.what == "unpack":
        unpack(given.source, given.to)
    elif given.what == "pack":
        pack(given.source, given.to, given.largest, given.count)
    else:
        seeds(os.path.abspath(given.source), given.to)


if __name__ == "__main__":
    sys.exit(main())
