#!/usr/bin/env python3
"""save, load and write_csv against readers and writers made here of struct, json and zipfile alone, and what files that
are wrong are told. Usage: formats_test.py COVEC"""

import io
import json
import os
import pathlib
import resource
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

COVEC = ""


def npy(descr, shape, data, fortran=False, version=1, header=None):
    text = header or f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    raw = text.encode("latin1") + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(raw))
    return b"\x93NUMPY" + bytes([version, 0]) + length + raw + data


def zipped(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def read_safetensors(raw):
    """The metadata, and (dtype, shape, bytes) by name."""
    length, = struct.unpack("<Q", raw[:8])
    assert length % 8 == 0
    header = json.loads(raw[8:8 + length])
    data = raw[8 + length:]
    metadata = header.pop("__metadata__", {})
    spans = sorted(entry["data_offsets"] for entry in header.values())
    assert [b for _, b in spans[:-1]] == [a for a, _ in spans[1:]] and (not spans or spans[0][0] == 0)
    assert (spans[-1][1] if spans else 0) == len(data)
    return metadata, {name: (e["dtype"], e["shape"], data[slice(*e["data_offsets"])]) for name, e in header.items()}


# What files call a dtype, how struct does, what Covec makes of it, values.
DTYPES = [
    ("b1", "BOOL", "?", "bool", [False, True, True]),
    ("i1", "I8", "b", "i8", [-128, 0, 127]),
    ("u1", "U8", "B", "u8", [0, 1, 255]),
    ("i2", "I16", "h", "i16", [-32768, 0, 32767]),
    ("u2", "U16", "H", "u16", [0, 1, 65535]),
    ("i4", "I32", "i", "i32", [-2**31, 0, 2**31 - 1]),
    ("u4", "U32", "I", "u32", [0, 1, 2**32 - 1]),
    ("i8", "I64", "q", "i64", [-2**63, 0, 2**63 - 1]),
    ("u8", "U64", "Q", "i64", [0, 1, 2**63 - 1]),
    ("f2", "F16", "e", "f16", [-1.5, 2.0**-24, 65504.0]),
    ("f4", "F32", "f", "f32", [-1.5, 2.0**-149, 16777215.0]),
    ("f8", "F64", "d", "f64", [-0.1, 5e-324, 1.7976931348623157e308]),
]

PACKED = {"f32": "f", "f16": "e"}


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def covec(self, program, **options):
        return subprocess.run([COVEC], input=program, capture_output=True, text=True, cwd=self.folder, timeout=60, **options)

    def prints(self, program, expected):
        result = self.covec(program)
        self.assertEqual((result.stderr, result.stdout), ("", expected))

    def write(self, name, raw):
        (self.folder / name).write_bytes(raw)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def says(self, name, raw, *parts):
        if raw is not None:
            self.write(name, raw)
        result = self.covec(f'load("{name}")\n')
        self.assertEqual((result.returncode, result.stdout), (1, ""), parts)
        for part in (f"cannot read {name}: ", *parts):
            self.assertIn(part, result.stderr)

    def values(self, program):
        """The numbers that a tensor has, as Python reads them."""
        result = self.covec(f"x = {program}\nprint(x.dtype)\nfor y in x {{ print(y) }}\n")
        self.assertEqual(result.stderr, "")
        dtype, *lines = result.stdout.split()
        words = {"true": True, "false": False}
        return dtype, [words[w] if w in words else float(w) if "f" in dtype else int(w) for w in lines]


class Parts(Files):
    """Rows and names: only what is asked for is read, and what cannot be is said."""

    def says_of(self, call, *parts):
        result = self.covec(f"x = {call}\n")
        self.assertEqual((result.returncode, result.stdout), (1, ""), call)
        for part in (":1:5", *parts):
            self.assertIn(part, result.stderr, call)

    def sparse(self, name, head, size, at, data):
        with open(self.folder / name, "wb") as file:
            file.write(head)
            file.seek(len(head) + at)
            file.write(data)
            file.truncate(len(head) + size)

    def test_rows_of_files_beyond_the_memory(self):
        row, data = 3 * 8, struct.pack("<6d", *range(6))
        rows = 1 << 36
        self.sparse("t.npy", npy("<f8", (rows, 3), b""), rows * row, 5 * row, data)
        self.prints('print(load("t.npy", rows=(5, 7)))\n', "[[0.0, 1.0, 2.0],\n [3.0, 4.0, 5.0]]\n")
        header = {"w": {"dtype": "F64", "shape": [rows, 3], "data_offsets": [0, rows * row]},
                  "f": {"dtype": "F8_E4M3", "shape": [8], "data_offsets": [rows * row, rows * row + 8]}}
        self.sparse("t.safetensors", safetensors(header), rows * row + 8, 5 * row, data)
        self.prints('print(load("t.safetensors", names=("w",), rows=(5, 7)).w[1])\n', "[3.0, 4.0, 5.0]\n")
        self.says_of('load("t.npy")', "out of memory")
        self.says_of('load("t.safetensors", rows=(5, 7))', "the tensor 'f' has elements of 'F8_E4M3'")

    def test_byte_orders_and_integers(self):
        self.write("t.npy", npy(">u8", (3,), struct.pack(">3Q", 1, 2, 2**64 - 1)))
        self.prints('print(load("t.npy", rows=(1, 2)), load("t.npy", rows=(0, 2)).dtype)\n', "[2] i64\n")
        self.says_of('load("t.npy", rows=(2, 3))', "does not fit in i64")

    def test_column_major(self):
        data = struct.pack("<6d", *range(6))
        self.write("t.npy", npy("<f8", (3, 2), data, fortran=True))
        self.says_of('load("t.npy", rows=(0, 1))', "column-major order", "load it without rows= and slice it")
        self.write("t.npy", npy("<f8", (6,), data, fortran=True))
        self.prints('print(load("t.npy", rows=(1, 3)))\n', "[1.0, 2.0]\n")

    def test_no_rows_and_no_elements(self):
        self.write("t.npy", npy("<f8", (0, 2), b""))
        self.prints('print(load("t.npy", rows=(0, 0)).shape)\n', "(0, 2)\n")
        self.says_of('load("t.npy", rows=(0, 1))', "its tensor has 0 rows, and rows=(0, 1) asks for more")
        self.write("t.npy", npy("<f8", (4, 0), b""))
        self.prints('print(load("t.npy", rows=(1, 3)).shape)\n', "(2, 0)\n")

    def test_only_bools_that_are_read_are_checked(self):
        self.write("t.safetensors", safetensors({"m": {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]}}, b"\x00\x01\x02"))
        self.prints('print(load("t.safetensors", rows=(0, 2)).m)\n', "[false, true]\n")
        self.says_of('load("t.safetensors", rows=(2, 3))', "has a byte of 2")

    def test_the_whole_header_is_checked(self):
        header = {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "b": {"dtype": "F32", "shape": [1], "data_offsets": [8, 12]}}
        self.write("t.safetensors", safetensors(header, bytes(12)))
        self.says_of('load("t.safetensors", names=("a",))', "the tensor 'b' does not begin where the one before it ends")


class Npy(Files):
    def test_dtypes_and_byte_orders(self):
        for code, _, letter, dtype, numbers in DTYPES:
            for order in "<>|=":
                raw = struct.pack(("<" if order in "|=" else order) + f"3{letter}", *numbers)
                self.write("t.npy", npy(order + code, (3,), raw))
                got_dtype, got = self.values('load("t.npy")')
                self.assertEqual(got_dtype, dtype, code)
                # A scalar prints in the shortest form that reads back in its dtype.
                same = [struct.pack(PACKED[dtype], a) == struct.pack(PACKED[dtype], b) if dtype in PACKED else a == b for a, b in zip(got, numbers)]
                self.assertEqual((len(got), all(same)), (3, True), (order + code, got))

    def test_half_precision_not_finite(self):
        self.write("t.npy", npy("<f2", (4,), struct.pack("<4e", float("inf"), float("-inf"), float("nan"), -0.0)))
        self.prints('print(load("t.npy"))\n', "[inf, -inf, nan, -0.0]\n")

    def test_bools_are_zero_or_one(self):
        self.write("t.npy", npy("|b1", (3,), b"\x00\x02\xff"))
        self.prints('print(load("t.npy"), sum(load("t.npy")))\n', "[false, true, true] 2\n")

    def test_a_shape_is_a_tuple(self):
        header = npy("<f8", (1,), b"\0" * 8)
        self.says("t.npy", header.replace(b"(1,)", b"(1) "), "its shape (1) is not a tuple of integers")
        for shape in ("(1.0,)", "(2, 1.5)", "( 1 2)"):
            self.says("t.npy", npy("<f8", shape, b"\0" * 8), f"its shape {shape} is not a tuple of integers")

    def test_complex_numbers(self):
        for descr, order, code in (("<c8", "<", "f"), (">c8", ">", "f"), ("<c16", "<", "d"), (">c16", ">", "d")):
            data = struct.pack(f"{order}6{code}", 1, -0.0, 2, 3, float("inf"), -4)
            self.write("t.npy", npy(descr, (3,), data))
            name = "c64" if code == "f" else "c128"
            self.prints('x = load("t.npy")\nprint(type_of(x), x)\nsave("u.npy", x)\n',
                        f"{name}[3] [1.0-0.0im, 2.0+3.0im, complex(inf, -4.0)]\n")
            self.assertEqual(self.read("u.npy")[-len(data):], struct.pack(f"<6{code}", 1, -0.0, 2, 3, float("inf"), -4))
            self.assertIn(f"'<{descr[1:]}'".encode(), self.read("u.npy"))
        self.write("t.npy", npy("<c16", (2, 2), struct.pack("<8d", *range(8)), fortran=True))
        self.prints('print(load("t.npy"))\n', "[[0.0+1.0im, 4.0+5.0im],\n [2.0+3.0im, 6.0+7.0im]]\n")
        self.write("t.npy", npy("<c16", (), struct.pack("<2d", 2.5, -1)))
        self.prints('print(load("t.npy") + 1)\n', "3.5-1.0im\n")
        self.says("t.npy", npy("<c16", (3,), b"\0" * 24), "its shape [3] does not match the 24 bytes")
        self.prints('save("t.npy", complex(-nan, 1))\n', "")
        self.assertEqual(self.read("t.npy")[-16:], struct.pack("<Qd", 0x7FF8 << 48, 1))
        self.prints('p = {z: [[1im, 2]].T, s: c64(1 - 2im), x: list(1.5, 2im)}\nsave("t.npz", p)\nprint(same(load("t.npz"), p), same(load("t.npz", like=p), p))\n',
                    "true true\n")
        self.prints('p = {z: c64([1im, 2]), x: 1.5, b: i8(3)}\nsave("t.safetensors", p)\nprint(same(load("t.safetensors", like=p), p))\n',
                    "true\n")
        _, tensors = read_safetensors(self.read("t.safetensors"))
        self.assertEqual(tensors["z"], ("C64", [2], struct.pack("<4f", 0, 1, 2, 0)))
        result = self.covec('save("t.safetensors", {z: [1im]})\n')
        self.assertIn("cannot write t.safetensors: 'z' is c128, which the format does not have", result.stderr)
        self.assertIn("a .npz file has it", result.stderr)
        self.write("t.npy", npy("<c16", (1,), struct.pack("<2d", 1, 2)))
        for like, text in (("c64([1im])", "is c128[1] in the file and c64[1] in like"), ("[1.0]", "is c128[1] in the file and f64[1] in like"),
                           ("[1im, 2]", "is c128[1] in the file and c128[2] in like"), ("{a: 1im}", "the file holds one tensor, like is a record")):
            self.assertIn(text, self.covec(f'load("t.npy", like={like})\n').stderr)

    def test_orders_shapes_and_versions(self):
        data = struct.pack("<6d", *range(6))
        for version in (1, 2, 3):
            self.write("t.npy", npy("<f8", (2, 3), data, version=version))
            self.prints('print(load("t.npy"))\n', "[[0.0, 1.0, 2.0],\n [3.0, 4.0, 5.0]]\n")
        self.write("t.npy", npy("<f8", (2, 3), data, fortran=True))
        self.prints('x = load("t.npy")\nprint(x, sum(x @ ones(3)))\n', "[[0.0, 2.0, 4.0],\n [1.0, 3.0, 5.0]] 15.0\n")
        self.write("t.npy", npy("<f8", (2, 0, 3), b"", fortran=True))
        self.prints('print(load("t.npy").shape)\n', "(2, 0, 3)\n")
        self.write("t.npy", npy("<f8", (), struct.pack("<d", 2.5)))
        self.prints('print(load("t.npy") + 1)\n', "3.5\n")
        self.write("t.npy", npy("", "", data[:24], header='{"shape": (3L,), "fortran_order": False, "descr": "<f8"}'))
        self.prints('print(load("t.npy"))\n', "[0.0, 1.0, 2.0]\n")

    def test_what_is_written(self):
        self.prints('save("t.npy", [[1.0, 2.0, 3.0]])\n', "")
        raw = self.read("t.npy")
        start = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }"
        self.assertEqual(raw, start + b" " * (127 - len(start)) + b"\n" + struct.pack("<3d", 1, 2, 3))
        self.prints('save("t.npy", zeros(2, 3, dtype=i32).T[1:])\nprint(load("t.npy"))\n', "[[0, 0],\n [0, 0]]\n")
        self.prints('save("t.npy", -nan)\n', "")
        self.assertEqual(self.read("t.npy")[-8:], struct.pack("<Q", 0x7FF8 << 48))
        self.prints('save("t.npy", f32([-nan, -1]))\n', "")
        self.assertEqual(self.read("t.npy")[-8:], struct.pack("<If", 0x7FC00000, -1))

    def test_wrong_files(self):
        good = npy("<f8", (3,), struct.pack("<3d", 1, 2, 3))
        self.says("t.npy", b"", "at byte 0: it is too short")
        self.says("t.npy", b"PK\x03\x04" + good, "it does not begin as a .npy file does")
        self.says("t.npy", good[:-1], "its shape [3] does not match the 23 bytes")
        self.says("t.npy", good + b"x", "its shape [3] does not match the 25 bytes")
        self.says("t.npy", good[:30], "its header is cut off")
        self.says("t.npy", npy("<f8", (3,), b"", version=4), "its version is 4; 1, 2 and 3 are read")
        self.says("t.npy", npy("<f8", (2**40, 2**40), b""), "does not match the 0 bytes")
        self.says("t.npy", npy("<f8", (2**63,), b""), "cannot be read at '9223372036854775808")
        self.says("t.npy", npy("<f8", (-1,), b""), "cannot be read at '-1")
        self.says("t.npy", npy("<f8", (1,) * 17, b"12345678"), "its rank is more than 16")
        self.says("t.npy", npy("", "", b"", header="{'descr': '<f8'}"), "lacks descr, fortran_order or shape")
        self.says("t.npy", npy("", "", b"", header="{'descr': '<f8', 'descr': '<f8'}"), "field 'descr' more than once")
        self.says("t.npy", npy("", "", b"", header="{'other': 1}"), "has the field 'other'")
        self.says("t.npy", npy("", "", b"", header="{" * 1000), "its header cannot be read at '{{{")
        self.says("t.npy", npy("", "", b"", header="[" + " " * 100000, version=2), "of 100002 bytes is too long")
        for descr, name in (("<c32", "complex numbers of that size"), ("|O", "Python objects"), ("<U3", "strings"), ("|S3", "strings"),
                            ("<M8[s]", "times"), ("|V4", "raw bytes"), ("<f16", "floats of that size"), ("", "unknown")):
            self.says("t.npy", npy(descr, (1,), b"\0" * 16), f"its elements are '{descr}', {name}; only bools")
        self.says("t.npy", npy([("a", "<f8")], (1,), b"\0" * 8), "its elements are records")
        self.says("t.npy", npy("<u8", (2,), struct.pack("<2Q", 1, 2**63)), "9223372036854775808 does not fit in i64")

    def test_what_is_no_file(self):
        (self.folder / "d.npy").mkdir()
        os.mkfifo(self.folder / "p.npy")
        os.symlink("/dev/zero", self.folder / "z.npy")
        self.says("d.npy", None, "it is a directory")
        self.says("p.npy", None, "it is not a regular file")
        self.says("z.npy", None, "it is not a regular file")
        self.says("none.npy", None, "No such file or directory", "relative to the working directory")
        for name in ("d.npy", "p.npy", "z.npy"):
            result = self.covec(f'save("{name}", 1)\n')
            self.assertIn(f"cannot write {name}: it is ", result.stderr)


class Npz(Files):
    def test_stored_and_deflated(self):
        a, b = npy("<f8", (2,), struct.pack("<2d", 1, 2)), npy("|u1", (100000,), b"\x07" * 100000)
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            self.write("t.npz", zipped([("p.a.npy", a), ("p.b.npy", b)], method))
            self.prints('x = load("t.npz")\nprint(x.p.a, sum(x.p.b))\n', "[1.0, 2.0] 700000\n")

    def test_what_is_written(self):
        self.prints('save("t.npz", {b: [1, 2], a: (true, f32(1.5)), ä: 1})\nprint(load("t.npz"))\n',
                    "{b: [1, 2], a: (true, 1.5), ä: 1}\n")
        with zipfile.ZipFile(self.folder / "t.npz") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.namelist(), ["b.npy", "a.0.npy", "a.1.npy", "ä.npy"])
            self.assertEqual(archive.comment, b"")
            self.assertEqual(archive.read("a.1.npy")[-4:], struct.pack("<f", 1.5))
        first = self.read("t.npz")
        self.prints('save("t.npz", load("t.npz"))\n', "")
        self.assertEqual(self.read("t.npz"), first, "the same content gives the same bytes")

    def test_wrong_files(self):
        array = npy("<f8", (2,), struct.pack("<2d", 1, 2))
        good = zipped([("a.npy", array)])
        self.says("t.npz", b"", "it is not a zip archive, or it is cut off")
        self.says("t.npz", good[:-1], "it is not a zip archive, or it is cut off")
        self.says("t.npz", good.replace(struct.pack("<d", 2), struct.pack("<d", 3)), "'a.npy': its checksum does not match")
        self.says("t.npz", zipped([("a.txt", b"x")]), "the member 'a.txt' is not a .npy file")
        self.says("t.npz", zipped([("a.npy", b"x")]), "the member 'a.npy': it is too short to be a .npy file")
        self.says("t.npz", zipped([("a.npy", array)], zipfile.ZIP_BZIP2), "is packed by method 12")
        twice = zipped([("a.npy", array), ("b.npy", array)]).replace(b"b.npy", b"a.npy")
        self.says("t.npz", twice, "the member 'a.npy' is there twice")
        end = good.rfind(b"PK\x05\x06")
        self.says("t.npz", good[:end + 16] + b"\xff\0\0\0" + good[end + 20:], "the directory of the archive lies outside")
        self.says("t.npz", good[:end + 10] + b"\x02\0" + good[end + 12:], "has another length than its end says")
        central = good.rfind(b"PK\x01\x02")
        self.says("t.npz", good[:central] + b"XX" + good[central + 2:], "the directory of the archive is damaged")
        self.says("t.npz", good[:central + 8] + b"\x01" + good[central + 9:], "the member 'a.npy' is encrypted")
        sizes = struct.pack("<II", 10**6, 10**6)
        self.says("t.npz", good[:central + 20] + sizes + good[central + 28:], "the member 'a.npy' overlaps what follows")
        self.says("t.npz", b"XX" + good[2:], "the member 'a.npy' has a damaged header")
        self.says("t.npz", good.replace(b"a.npy", b"\xff.npy"), "the member '\\xff.npy' has a name that is not UTF-8")
        packed = zipped([("a.npy", array * 50)], zipfile.ZIP_DEFLATED)
        at = packed.rfind(b"PK\x01\x02") + 24
        self.says("t.npz", packed[:at] + b"\xff\xff\xff\x7f" + packed[at + 4:], "claims 2147483647 bytes, too many for")
        self.says("t.npz", packed[:35] + b"\xff" + packed[36:], "the member 'a.npy': its packed bytes are damaged")


class Safetensors(Files):
    def test_dtypes(self):
        for _, code, letter, dtype, numbers in DTYPES:
            raw = struct.pack(f"<3{letter}", *numbers)
            self.write("t.safetensors", safetensors({"x": {"dtype": code, "shape": [3], "data_offsets": [0, len(raw)]}}, raw))
            got_dtype, got = self.values('load("t.safetensors").x')
            self.assertEqual(got_dtype, dtype, code)
            same = [struct.pack(PACKED[dtype], a) == struct.pack(PACKED[dtype], b) if dtype in PACKED else a == b for a, b in zip(got, numbers)]
            self.assertTrue(all(same), (code, got))
        raw = b"".join(struct.pack("<f", x)[2:] for x in (1.5, -2.0))
        self.write("t.safetensors", safetensors({"x": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}, raw))
        self.prints('x = load("t.safetensors").x\nprint(x.dtype, x)\n', "bf16 [1.5, -2.0]\n")

    def test_a_file_of_others(self):
        header = {"__metadata__": {"format": "pt"},
                  "layers.10.w": {"dtype": "F32", "shape": [1], "data_offsets": [8, 12]},
                  "layers.0.w": {"dtype": "F64", "shape": [], "data_offsets": [0, 8]}}
        self.write("t.safetensors", safetensors(header, struct.pack("<df", 2.5, 1)))
        self.prints('x = load("t.safetensors")\nprint(x, get(x.layers, "10").w)\n', "{layers: {10: {w: [1.0]}, 0: {w: 2.5}}} [1.0]\n")

    def test_what_is_written(self):
        self.prints('save("t.safetensors", {b: true, a: list({w: [1.0, 2.0]}, i32(7)), e: zeros(0, 3)})\nprint(load("t.safetensors"))\n',
                    "{b: true, a: list({w: [1.0, 2.0]}, 7), e: [] (f64[0, 3])}\n")
        metadata, tensors = read_safetensors(self.read("t.safetensors"))
        self.assertEqual(metadata, {"covec.structure": '{"b":*,"a":[{"w":*},*],"e":*}'})
        self.assertEqual(tensors, {"b": ("BOOL", [], b"\x01"), "a.0.w": ("F64", [2], struct.pack("<2d", 1, 2)),
                                   "a.1": ("I32", [], struct.pack("<i", 7)), "e": ("F64", [0, 3], b"")})

    def test_wrong_files(self):
        def entry(**changes):
            return {"x": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8], **changes}}

        eight = b"\0" * 8
        name = "t.safetensors"
        self.says(name, b"1234567", "it is too short")
        self.says(name, struct.pack("<Q", 2**63) + eight, "at byte 0: its header claims 9223372036854775808 bytes")
        self.says(name, struct.pack("<Q", 9) + eight, "its header claims 9 bytes")
        self.says(name, safetensors(b" {}"), "at byte 8: its header does not begin with {")
        self.says(name, safetensors(json.dumps(entry()).encode() + b"\0\0", eight), "its header has a zero byte")
        self.says(name, safetensors(entry(dtype="BOOL", shape=[8]), b"\1" * 7 + b"\2"), "has a byte of 2, and bools are 0 or 1")
        self.says(name, safetensors(b"{]"), "at byte 10: its header is not JSON in UTF-8")
        self.says(name, safetensors(b'{"\xff": 1}'), "its header is not JSON in UTF-8")
        self.says(name, safetensors(b'{"x":{"a":' * 100000), "the tensor 'x' has the field 'a'")
        self.says(name, safetensors(b"{" + b'"x":' + b"[" * 100000), "its header has an array in 'x'")
        self.says(name, safetensors({"x": 1}), "its header has a number in 'x'")
        self.says(name, safetensors({"__metadata__": {"a": 1}}), "its header has a number in '__metadata__'")
        self.says(name, safetensors(entry(shape=[-1]), eight), "has a negative number in 'x'")
        self.says(name, safetensors(entry(shape=[1.5]), eight), "a number that is not an integer")
        self.says(name, safetensors(entry(shape=None), eight), "has null in 'x'")
        self.says(name, safetensors(entry(shape=True), eight), "has a boolean in 'x'")
        self.says(name, safetensors(entry(shape="1"), eight), "has a string in 'x'")
        self.says(name, safetensors(entry(shape={}), eight), "has an object in 'x'")
        self.says(name, safetensors(entry(more=1), eight), "the tensor 'x' has the field 'more'")
        self.says(name, safetensors({"x": {"dtype": "F64", "shape": [1]}}, eight), "lacks one of dtype, shape and data_offsets")
        self.says(name, safetensors(b'{"x":{"dtype":"F64","dtype":"F64"}}'), "the tensor 'x' says dtype twice")
        text = json.dumps(entry())
        self.says(name, safetensors((text[:-1] + "," + text[1:]).encode(), eight), "the tensor 'x' is there twice")
        metadata = b'"__metadata__":{"a":"1"}'
        self.says(name, safetensors(b"{" + metadata + b"," + metadata + b"}"), "its header has '__metadata__' twice")
        self.says(name, safetensors(b'{"__metadata__":{"a":"1","a":"1"}}'), "its header has 'a' in '__metadata__' twice")
        self.says(name, safetensors(entry(data_offsets=[0]), eight), "needs two data_offsets")
        self.says(name, safetensors(entry(data_offsets=[0, 8, 8]), eight), "needs two data_offsets")
        self.says(name, safetensors(entry(data_offsets=[8, 0]), eight), "does not begin where the one before it ends")
        self.says(name, safetensors(entry(data_offsets=[8, 16]), eight * 2), "does not begin where the one before it ends, at 0")
        both = {"a": entry()["x"], "b": {"dtype": "F64", "shape": [1], "data_offsets": [4, 12]}}
        self.says(name, safetensors(both, eight * 2), "the tensor 'b' does not begin where the one before it ends, at 8")
        self.says(name, safetensors(entry(), eight + b"x"), "its tensors have 8 bytes, the file 9")
        self.says(name, safetensors(entry(), eight[1:]), "its tensors have 8 bytes, the file 7")
        self.says(name, safetensors(entry(data_offsets=[0, 2**64 - 1]), eight), "the file 8")
        for shape in ([2], [2**63], [2**32, 2**32], [2**62, 4]):
            self.says(name, safetensors(entry(shape=shape), eight), "has another number of elements")
        self.says(name, safetensors(entry(shape=[1] * 17), eight), "has a rank of more than 16")
        self.says(name, safetensors(entry(dtype="F8_E4M3"), eight), "has elements of 'F8_E4M3'; only bools")


class Replacing(Files):
    def nothing_left(self):
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith(".covec")], [])

    def test_mode_is_kept_and_new_files_follow_the_umask(self):
        self.prints('save("t.npy", 1)\n', "")
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "t.npy").st_mode), 0o666 & ~mask)
        os.chmod(self.folder / "t.npy", 0o640)
        self.prints('save("t.npy", 2)\nprint(load("t.npy"))\n', "2\n")
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "t.npy").st_mode), 0o640)
        self.nothing_left()

    def test_links_are_followed(self):
        (self.folder / "d").mkdir()
        os.symlink("d/one.npy", self.folder / "t.npy")
        os.symlink("t.npy", self.folder / "u.npy")
        for number in (1, 2):
            self.prints(f'save("u.npy", {number})\nprint(load("d/one.npy"))\n', f"{number}\n")
        self.assertTrue(os.path.islink(self.folder / "t.npy") and os.path.islink(self.folder / "u.npy"))
        os.symlink("loop.npy", self.folder / "loop.npy")
        self.assertIn("symbolic links", self.covec('save("loop.npy", 1)\n').stderr)
        self.nothing_left()

    def test_a_full_disk_leaves_the_old_file(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        for name, call in (("t.npy", "save({}, zeros(100000))"), ("t.npz", "save({}, {{a: 1, b: zeros(100000)}})"),
                           ("t.safetensors", "save({}, {{b: zeros(100000)}})"), ("t.csv", "write_csv({}, zeros(100000))")):
            self.write(name, b"old")
            result = self.covec(call.format(f'"{name}"') + "\n", preexec_fn=small_files, restore_signals=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"cannot write {name}: File too large", result.stderr)
            self.assertEqual(self.read(name), b"old")
            self.nothing_left()

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_no_permission(self):
        self.write("t.npy", b"old")
        os.chmod(self.folder / "t.npy", 0o444)
        self.assertIn("cannot write t.npy: Permission denied", self.covec('save("t.npy", 1)\n').stderr)
        os.chmod(self.folder, 0o555)
        self.assertIn("cannot write u.npy: Permission denied", self.covec('save("u.npy", 1)\n').stderr)
        os.chmod(self.folder, 0o755)

    def test_no_folder(self):
        result = self.covec('save("none/t.npy", 1)\n')
        self.assertIn("cannot write none/t.npy: No such file or directory", result.stderr)
        self.assertIn("relative to the working directory", result.stderr)

    def test_an_interrupt_leaves_a_whole_file(self):
        for name, call in (("t.npy", "save('t.npy', x)"), ("t.npz", "save('t.npz', {x: x})"), ("t.csv", "write_csv('t.csv', x)")):
            self.write("run.covec", f"x = ones(1000000)\n{call}\nprint(1)\nwhile true {{ {call} }}\n".encode())
            process = subprocess.Popen([COVEC, "run.covec"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 30
            while not (self.folder / name).exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            whole = os.path.getsize(self.folder / name)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 1)
            self.assertTrue(err.startswith("error: interrupted\n"), err)
            self.assertEqual(os.path.getsize(self.folder / name), whole)
            self.nothing_left()


class Csv(Files):
    def test_what_is_written(self):
        self.prints('write_csv("t.csv", {a: [0.1, -nan, 1e300], b: [1, 2, 3]})\n', "")
        self.assertEqual(self.read("t.csv"), b"a,b\n0.1,1\nnan,2\n1e+300,3\n")
        self.prints('write_csv("t.csv", {a: [0.5], b: [true]}, header=false, separator=";")\n', "")
        self.assertEqual(self.read("t.csv"), b"0.5;1\n")
        self.prints('write_csv("t.csv", [[1 / 3, -inf]], header=("a b", "say \\"x\\""), digits=3)\n', "")
        self.assertEqual(self.read("t.csv"), b'"a b","say ""x"""\n0.333,-inf\n')
        self.prints('write_csv("t.csv", [f32(0.1), f32(2)])\nprint(f32(read_csv("t.csv"))[0, 0] == f32(0.1))\n', "true\n")
        self.assertEqual(self.read("t.csv"), b"0.1\n2\n")
        self.prints('write_csv("t.csv", zeros(0, 2), header=list("a", "b"))\n', "")
        self.assertEqual(self.read("t.csv"), b"a,b\n")

    def test_bits_come_back(self):
        self.prints('seed(3)\nx = randn(300, 7) * exp(100 * randn(300, 7))\nwrite_csv("t.csv", x.T)\nprint(all(read_csv("t.csv").T == x))\n',
                    "true\n")

    def test_tables_with_names_come_back(self):
        self.write("t.csv", b'"x, 1"; " say ""y"""\n1;2\n')
        self.prints('x = read_csv("t.csv", header="names", separator=";")\nwrite_csv("u.csv", x)\n'
                    'y = read_csv("u.csv", header="names")\nprint(x == y, keys(y), get(y, "x, 1"))\n',
                    'true list("x, 1", " say \\"y\\"") [1.0]\n')


if __name__ == "__main__":
    COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
