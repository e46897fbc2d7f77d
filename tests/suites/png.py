#!/usr/bin/env python3
"""PngSuite (Willem van Schaik) read with image.read, against a decoder of its own here.

png.py COVEC [--report]

data/pngsuite/pngsuite.zip has the files, LICENSE beside it the terms. A file whose name begins with x is damaged and must
be refused with an error. Of the others every number must be the decoder's, and again so in a file that image.write makes.
"""
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
FILES, DAMAGED = 174, 14

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
# Adam7: the first column and row of each pass, and the steps.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunks(data):
    place = 8
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        yield kind, data[place + 8:place + 8 + size]
        place += 12 + size


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def rows_of(data, place, count, size, step):
    """`count` rows of `size` bytes from `place` on, their filters undone; `step` is a pixel's bytes."""
    rows, above = [], bytes(size)
    for _ in range(count):
        kind, row = data[place], bytearray(data[place + 1:place + 1 + size])
        for i in range(size):
            a, b, c = row[i - step] if i >= step else 0, above[i], above[i - step] if i >= step else 0
            row[i] = (row[i] + [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) & 255
        rows.append(row)
        above = row
        place += 1 + size
    return rows, place


def samples(row, count, depth):
    if depth == 8:
        return list(row)
    if depth == 16:
        return [row[2 * i] << 8 | row[2 * i + 1] for i in range(count)]
    return [row[i * depth // 8] >> 8 - depth - i * depth % 8 & (1 << depth) - 1 for i in range(count)]


def decoded(data):
    """Rows, columns, channels and the numbers from 0 to 1."""
    parts, packed = {}, b""
    for kind, content in chunks(data):
        if kind == b"IDAT":
            packed += content
        parts.setdefault(kind, content)
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    channels, raw = CHANNELS[colour], zlib.decompress(packed)
    picture = [[None] * width for _ in range(height)]
    place = 0
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        columns, count = -(-(width - x0) // dx), -(-(height - y0) // dy)
        if columns <= 0 or count <= 0:
            continue
        rows, place = rows_of(raw, place, count, (columns * channels * depth + 7) // 8, max(channels * depth // 8, 1))
        for r, row in enumerate(rows):
            numbers = samples(row, columns * channels, depth)
            for c in range(columns):
                picture[y0 + r * dy][x0 + c * dx] = tuple(numbers[c * channels:(c + 1) * channels])
    most, transparent = (1 << depth) - 1, parts.get(b"tRNS")
    if colour == 3:
        palette = [tuple(parts[b"PLTE"][3 * i:3 * i + 3]) for i in range(len(parts[b"PLTE"]) // 3)]
        if transparent is not None:
            palette = [entry + (transparent[i] if i < len(transparent) else 255,) for i, entry in enumerate(palette)]
        picture, most = [[palette[pixel[0]] for pixel in row] for row in picture], 255
    elif transparent is not None:
        key = struct.unpack(f">{channels}H", transparent)
        picture = [[pixel + (0 if pixel == key else most,) for pixel in row] for row in picture]
    return height, width, len(picture[0][0]), [n / most for row in picture for pixel in row for n in pixel]


def read(covec, folder, names):
    """Of each file what was read, by its name, or the error's kind and message."""
    lines = ["import image"]
    for name in names:
        lines += ["try {", f'  x = image.read("{name}")', f'  save("{name}.npy", x)', '  image.write("again.png", x, depth=16)',
                  f'  print("{name}", x.shape[0], x.shape[1], x.shape[2], max(abs(image.read("again.png") - x)) < 1e-5)',
                  f'}} catch err {{ print("{name}", err.kind, err.message) }}']
    with open(os.path.join(folder, "read.covec"), "w") as file:
        file.write("\n".join(lines) + "\n")
    run = subprocess.run([covec, "read.covec"], cwd=folder, capture_output=True, text=True, timeout=120)
    if run.returncode:
        sys.exit(f"covec ended with {run.returncode}: {run.stderr[:2000]}")
    return dict(line.split(" ", 1) for line in run.stdout.splitlines())


def numbers_of(path):
    """The f32s of a .npy file."""
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def differs(name, line, data, folder):
    """What is wrong with what was read, or ""."""
    rows, columns, channels, wanted = decoded(data)
    if line != f"{rows} {columns} {channels} true":
        return f"{line}, not {rows} {columns} {channels} true"
    got = numbers_of(os.path.join(folder, name + ".npy"))
    far = max(abs(g - w) for g, w in zip(got, wanted))
    return "" if len(got) == len(wanted) and far <= 6e-8 else f"numbers differ by {far}"


def main():
    covec, report = os.path.abspath(sys.argv[1]), "--report" in sys.argv
    failed, refused, passed = 0, 0, 0
    with zipfile.ZipFile(os.path.join(HERE, "data", "pngsuite", "pngsuite.zip")) as archive, \
            tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        archive.extractall(folder)
        results = read(covec, folder, names)
        if any("libpng16" in line for line in results.values()):
            print("SKIPPED: libpng is not here; apt-get install libpng16-16")
            return SKIPPED
        for name in names:
            line = results.get(name, "no answer")
            if name.startswith("x"):
                wrong = "" if line.startswith("file ") else f"is to be refused: {line}"
                refused += not wrong
            else:
                wrong = differs(name, line, archive.read(name), folder)
            passed += not wrong
            failed += bool(wrong)
            if wrong or report:
                print(f"{name}: {wrong or line}")
    print(f"{passed} files passed, {refused} of them refused, {failed} failed")
    return 1 if failed or passed != FILES or refused != DAMAGED else 0


if __name__ == "__main__":
    sys.exit(main())
