#!/usr/bin/env python3
"""Files between Covec and NumPy, both ways, bit for bit. Usage: numpy_test.py COVEC. Exit status 77: there is no NumPy."""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("there is no NumPy here")
    sys.exit(77)

COVEC = ""
CODES = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
WIDER = {"u8": "i8"}
SHAPES = [(), (1,), (7,), (2, 3), (4, 1, 5), (0,), (3, 0, 2), (1,) * 16, (40, 50)]


def arrays():
    random = np.random.default_rng(7)
    for code in CODES:
        for shape in SHAPES:
            raw = random.integers(0, 256, (*shape, np.dtype(code).itemsize), np.uint8)
            array = np.frombuffer(raw.tobytes(), code).reshape(shape)
            if code[0] == "f":
                array = np.where(np.isnan(array), np.array(np.nan, code), array)
            if code[0] == "c":
                parts = array.reshape(-1).view(f"f{array.itemsize // 2}")
                array = np.where(np.isnan(parts), np.array(np.nan, parts.dtype), parts).view(code).reshape(shape)
            if code == "b1":
                array = (raw[..., 0] % 2 == 1).reshape(shape)
            if code == "u8":
                array = array >> np.uint64(1)
            yield np.asarray(array)


class NumPy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def covec(self, program):
        result = subprocess.run([COVEC], input=program, capture_output=True, text=True, cwd=self.folder, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def same(self, got, sent):
        code = sent.dtype.newbyteorder("<").str[1:]
        wanted = np.ascontiguousarray(sent.astype(WIDER.get(code, code))).reshape(sent.shape)
        self.assertEqual((got.dtype, got.shape, got.tobytes()), (wanted.dtype, wanted.shape, wanted.tobytes()))

    def test_npy(self):
        sent = []
        for array in arrays():
            sent += [array, np.asfortranarray(array), array.astype(array.dtype.newbyteorder(">"))]
        for i, array in enumerate(sent):
            np.save(self.folder / f"{i}.npy", array)
        self.covec(f'for i in range({len(sent)}) {{ save(f"back{{i}}.npy", load(f"{{i}}.npy")) }}\n')
        for i, array in enumerate(sent):
            got = np.load(self.folder / f"back{i}.npy")
            self.same(got, array)
            again = io.BytesIO()
            np.save(again, got)
            self.assertEqual(again.getvalue(), (self.folder / f"back{i}.npy").read_bytes(), "as numpy.save writes it")

    def test_npz(self):
        sent = {f"a.{i}.b": array for i, array in enumerate(arrays())}
        np.savez(self.folder / "plain.npz", **sent)
        np.savez_compressed(self.folder / "packed.npz", **sent)
        for name in ("plain", "packed"):
            self.covec(f'x = load("{name}.npz")\nassert len(x.a) == {len(sent)}, "items"\nsave("back.npz", x)\n')
            with np.load(self.folder / "back.npz") as back:
                self.assertEqual(back.files, list(sent))
                for key, array in sent.items():
                    self.same(back[key], array)

    def test_npz_with_a_note(self):
        self.covec('save("t.npz", list({a: [1.0, 2.0]}, ()))\nsave("u.npz", [1, 2])\n')
        with np.load(self.folder / "t.npz") as tree, np.load(self.folder / "u.npz") as one:
            self.assertEqual((tree.files, one.files), (["0.a"], ["arr_0"]))
            self.assertEqual(one["arr_0"].tolist(), [1, 2])

    def test_csv(self):
        sent = np.random.default_rng(3).standard_normal((200, 5)) * 10.0 ** np.arange(-200, 300, 100)
        np.savetxt(self.folder / "t.csv", sent, delimiter=",", fmt="%.17g", header="a,b,c,d,e", comments="")
        self.covec('x = read_csv("t.csv", header="names")\nsave("t.npz", x)\nwrite_csv("u.csv", x)\n')
        with np.load(self.folder / "t.npz") as columns:
            self.assertEqual(np.stack([columns[k] for k in "abcde"], 1).tobytes(), sent.tobytes())
        self.assertEqual(np.loadtxt(self.folder / "u.csv", delimiter=",", skiprows=1).tobytes(), sent.tobytes())


if __name__ == "__main__":
    COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
