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
PROGRAM = """trees = list(1.5, true, i32([1, 2, 3]), f32(zeros(2, 0)), {w: [[1.0, nan], [inf, -0.0]], b: list({c: 1}, (2, true))}, (), {z: c64([1im, 2]), b: 1})
save("z.npy", [[1im, nan]])
save("z.npz", (2im, f16(1)))
for i, t in enumerate(trees) { for end in ("npz", "safetensors") { save(f"{i}.{end}", t) } }
for i, t in enumerate(trees[:4]) { save(f"{i}.npy", t) }
write_csv("0.csv", [[1.0, 2.5], [nan, -inf]], header=("a", "b c"))
write_csv("1.csv", arange(3), separator=";", digits=3)
for c in (1, 2, 3, 4) { for d in (8, 16) { write_image(f"{c}{d}.png", arange(6.0 * c).reshape(2, 3, c) / (6 * c), depth=d) } }
for c in (1, 2) { for d in (u8, i16, i32, f32, f64) { write_wav(f"{c}{d}.wav", d(arange(3 * c)).reshape(3, c), 8000) } }
for c in (1, 3) { write_image(f"{c}.jpg", arange(16.0 * c).reshape(4, 4, c) / (16 * c), quality=20) }
"""
# What programs do not write: dates, quotes, rows of unlike length, comments, byte order marks; an object on each line.
TABLES = ["a,b\n1,x\n2.5,\n,NA\n", "a;b\n1,5;\"x;\"\"y\"\n", "when\tok\n2024-02-29\ttrue\n2023-01-01T10:20:30.5Z\tfalse\n", "\ufeffa|b\r\n01|é\r\n",
          "# c\na,a\n31.12.1999,9223372036854775808\n", "a\n\"one\ntwo\"\n\n", "1,2\n3\n", "a,b\n-1e400,0x1\n+.5,nan\n"]
JSON = ['[{"a": 1, "b": "x"}, {"a": 2.5, "c": null}]', '{"a": [1, 2], "b": ["\\u00e9\\n", null], "c": [true, false]}', '{"a": 1}\n{"a": -1e5, "b": "2024-02-29"}\n', "[]",
        '[{"a": [1, {"b": 2}]}]', '{"a": 9223372036854775808}', '[{"\\ud83d\\ude00": "\\ud83d"}]', '{"when": ["2024-02-29", "2023-01-01T10:20:30Z"]}']


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
            for first in (range(0, 32, 5) if kind == "csv" else [0] if kind == "png" else [None]):
                write(os.path.join(to, kind), data if first is None else bytes([first]) + data)
    tables_and_pictures(to)
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


def tables_and_pictures(to):
    for kind in ("table", "json", "png", "jpg"):
        os.makedirs(os.path.join(to, kind), exist_ok=True)
    for k, text in enumerate(TABLES):
        for how in (0, 1 << k % 8):
            write(os.path.join(to, "table"), bytes([how, how and k]) + text.encode())
    for text in JSON:
        write(os.path.join(to, "json"), text.encode())
    for path in glob.glob(os.path.join(HERE, "../modules/data/pictures/*")):
        kind = os.path.splitext(path)[1][1:]
        write(os.path.join(to, kind), bytes(kind == "png") + open(path, "rb").read())


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
