#!/usr/bin/env python3
"""Damaged pictures: every file of tests/modules/data/pictures cut off at many places and with bytes changed is read as a picture or gives an error, in a process
that goes on and stays small. What is no picture, what claims more than it can hold, and what is read while memory is short are errors too.

    pictures_test.py COVEC
"""
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile
import zlib

covec = sys.argv[1]
pictures = pathlib.Path(__file__).resolve().parents[1] / "modules" / "data" / "pictures"


sanitized = "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ  # they reserve terabytes of addresses


def run(program, folder, limit=None):
    def limited():
        if limit and not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return subprocess.run([covec, "-e", program], cwd=folder, capture_output=True, text=True, timeout=600, preexec_fn=limited)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(columns, rows, depth=8, kind=2, body=b""):
    head = struct.pack(">IIBBBBB", columns, rows, depth, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")


def summed(data):
    """A PNG whose chunks have the right sums, whatever is in them."""
    result, at = bytearray(data[:8]), 8
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        if at + 12 + length > len(data):
            break
        result += chunk(data[at + 4:at + 8], data[at + 8:at + 8 + length])
        at += 12 + length
    return bytes(result) + data[at:]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    choose = random.Random(5)
    count = 0
    for file in sorted(pictures.iterdir()):
        whole = file.read_bytes()
        variants = [whole[:n] for n in range(0, len(whole), max(1, len(whole) // 60))]
        for _ in range(150):
            changed = bytearray(whole)
            for _ in range(choose.randint(1, 4)):
                changed[choose.randrange(len(changed))] = choose.randrange(256)
            variants.append(bytes(changed))
            if file.suffix == ".png":  # with the sums put right, so that what is wrong gets further
                variants.append(summed(bytes(changed)))
        for variant in variants:
            (folder / f"{count}").write_bytes(variant)
            count += 1
    for claim in (png(2**31 - 1, 2**31 - 1), png(2**31 - 1, 2**31 - 1, 16, 6), png(100000, 100000), png(0, 5), png(5, 5, 3), png(5, 5, 8, 5), png(40000, 3)):
        (folder / f"{count}").write_bytes(claim)
        count += 1
    program = """
pictures, errors = 0, 0
for i in range(%d) {
    try {
        x = read_image(f"{i}")
        pictures += x.rank == 3 and x.size > 0 and all(isfinite(x)) and min(x) >= 0 and max(x) <= 1
    } catch err { errors += err.kind == "file" }
}
print(pictures, errors)
""" % count
    done = run(program, folder, limit=4 << 30)
    assert done.returncode == 0, done.stderr
    read, errors = map(int, done.stdout.split())
    assert read + errors == count and errors > count // 3 and read > 0, (read, errors, count)

    # What cameras leave before the end mark loses nothing.
    smooth = (pictures / "smooth.jpg").read_bytes()
    (folder / "smooth.jpg").write_bytes(smooth)
    (folder / "more.jpg").write_bytes(smooth[:-2] + bytes(4) + smooth[-2:])
    done = run('print(same(read_image("more.jpg"), read_image("smooth.jpg")))', folder)
    assert done.stdout == "true\n", (done.stdout, done.stderr)

    # But a picture that goes on beyond its claimed height, and one whose transparency is damaged or too long, would lose something in silence.
    at = smooth.index(b"\xff\xc0") + 5
    (folder / "half.jpg").write_bytes(smooth[:at] + struct.pack(">H", struct.unpack_from(">H", smooth, at)[0] // 2) + smooth[at + 2:])
    palette = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 3, 0, 0, 0)) + chunk(b"PLTE", bytes(6))
    rest = chunk(b"IDAT", zlib.compress(b"\0\0\1")) + chunk(b"IEND", b"")
    (folder / "whole.png").write_bytes(palette + chunk(b"tRNS", b"\x80\xff") + rest)
    (folder / "sum.png").write_bytes(palette + chunk(b"tRNS", b"\x80\xff")[:-1] + b"!" + rest)
    (folder / "long.png").write_bytes(palette + chunk(b"tRNS", b"\x80\xff\0") + rest)
    says = 'for f in list("whole.png", "half.jpg", "sum.png", "long.png") { try { print(read_image(f).shape) } catch err { print(err.kind) } }'
    done = run(says, folder)
    assert done.stdout == "(1, 2, 4)\nfile\nfile\nfile\n", (done.stdout, done.stderr)

    # A picture that cannot be written leaves what was there; one that memory does not hold is an error.
    done = run('write_image("a.png", ones(8, 8))\ntry { write_image("a.png", [[nan]]) } catch e { print(e.kind) }\nprint(read_image("a.png").shape)', folder)
    assert done.stdout == "file\n(8, 8, 1)\n", (done.stdout, done.stderr)
    (folder / "large.png").write_bytes(png(20000, 20000, 8, 2, bytes(20000 * 60001)))
    if not sanitized:
        done = run('read_image("large.png")', folder, limit=2 << 30)
        assert done.returncode == 1 and "memory" in done.stderr, done.stderr
        # A small file that claims much is damaged before room is made for it; one that deflate has made small is not.
        (folder / "claim.png").write_bytes(png(2 * 10**9, 2 * 10**9, body=bytes(2000)))
        done = run('read_image("claim.png")', folder, limit=1 << 30)
        assert done.returncode == 1 and "too short for its size" in done.stderr, done.stderr
    (folder / "white.png").write_bytes(png(6000, 4000, 1, 0, (b"\0" + b"\xff" * 750) * 4000))
    done = run('x = read_image("white.png")\nprint(x.shape, min(x))', folder)
    assert done.stdout == "(4000, 6000, 1) 1.0\n", (done.stdout, done.stderr)
    print(f"{count} damaged pictures: {read} read, {errors} errors")
