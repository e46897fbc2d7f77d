#!/usr/bin/env python3
"""Sparse matrices in files: Matrix Market's, damaged ones with their lines, thousands of mutations, and SciPy's both ways. Usage: sparse_files_test.py COVEC."""
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    import scipy.io
    import scipy.sparse as sp
except ImportError:
    sp = None

COVEC = ""
HEAD = "%%MatrixMarket matrix coordinate real general\n"
DAMAGED = [  # text, what the error says behind the path
    ("", "line 1: it does not begin with %%MatrixMarket"),
    (HEAD + "1 1 1\n1 1 +-1\n", "line 3: '+-1' is no number"),
    (HEAD + "1 1 1\n1 1 1d\n", "line 3: '1d' is no number"),
    (HEAD + "1 1 1\n1 1 1D999\n", "line 3: '1D999' is too large or too small for f64"),
    ("1 1 1\n1 1 1\n", "line 1: it does not begin with %%MatrixMarket"),
    ("%%MatrixMarket matrix array real general\n2 2\n", "line 1: the format is 'array'; read are: coordinate"),
    ("%%MatrixMarket vector coordinate real general\n", "line 1: the object is 'vector'; read are: matrix"),
    ("%%MatrixMarket matrix coordinate complex general\n", "line 1: the field is 'complex'; read are: real, integer, double, pattern"),
    ("%%MatrixMarket matrix coordinate real hermitian\n", "line 1: the symmetry is 'hermitian'; read are: general, symmetric, skew-symmetric"),
    ("%%MatrixMarket matrix coordinate real general more\n", "line 1: 'more' is too much"),
    (HEAD, "line 1: the file ends before the sizes"),
    (HEAD + "% a\n%b\n2 2\n", "line 4: '' is no number of entries"),
    (HEAD + "2 -2 1\n", "line 2: there cannot be -2 columns"),
    (HEAD + "2 2 999\n1 1 1\n", "line 2: it announces 999 entries, more than the file can hold"),
    (HEAD + "2 2 2\n1 1 1\n", "line 3: the file ends after 1 of the 2 entries that line 2 announces"),
    (HEAD + "2 2 1\n1 1 1\n\n1 2 1\n", "line 5: there is more behind the 1 entries that line 2 announces"),
    (HEAD + "2 2 1\n3 1 1\n", "line 3: row 3 is outside the matrix, which has 2"),
    (HEAD + "2 2 1\n1 0 1\n", "line 3: column 0 is outside the matrix, which has 2"),
    (HEAD + "2 2 1\n1 x 1\n", "line 3: 'x 1' is no column"),
    (HEAD + "2 2 1\n1 1\n", "line 3: '' is no number"),
    (HEAD + "2 2 1\n1 1 1.5x\n", "line 3: '1.5x' is no number"),
    (HEAD + "2 2 1\n1 1 1e999\n", "line 3: '1e999' is too large or too small for f64"),
    (HEAD + "2 2 1\n1 1 1 1\n", "line 3: '1' is too much"),
    (HEAD.replace("general", "skew-symmetric") + "2 2 1\n1 1 1\n", "line 3: a skew-symmetric matrix has no entries on its diagonal"),
    (HEAD.replace("general", "symmetric") + "2 3 1\n1 3 1\n", "line 3: the matrix has no mirror image of this entry: it is not square"),
    (HEAD.replace("real", "pattern") + "2 2 1\n1 1 1\n", "line 3: '1' is too much"),
]
READ = [  # text, the matrix
    (HEAD + "1 2 2\n1 1 1.5D1\n1 2 -25d-2\n", "[[15.0, -0.25]]"),
    (HEAD + "% a comment\n\n2 3 3\n1 3 4\n 2\t1 -5e-1 \n1 1 +2\n", "[[ 2.0,  0.0,  4.0],\n [-0.5,  0.0,  0.0]]"),
    (HEAD.replace("\n", "\r\n") + "2 2 2\r\n1 2 1\r\n1 2 2", "[[0.0, 3.0],\n [0.0, 0.0]]"),
    (HEAD.upper().replace("%%MATRIXMARKET", "%%MatrixMarket") + "1 1 0\n", "[[0.0]]"),
    (HEAD.replace("real", "integer").replace("general", "symmetric") + "2 2 2\n1 1 7\n2 1 3\n", "[[7.0, 3.0],\n [3.0, 0.0]]"),
    (HEAD.replace("general", "skew-symmetric") + "2 2 1\n2 1 3\n", "[[ 0.0, -3.0],\n [ 3.0,  0.0]]"),
    (HEAD.replace("real", "pattern") + "2 2 2\n1 2\n2 2\n", "[[0.0, 1.0],\n [0.0, 1.0]]"),
]


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def covec(self, program):
        result = subprocess.run([COVEC], input="import sparse\n" + program, capture_output=True, text=True, cwd=self.folder, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_matrix_market(self):
        for k, (text, _) in enumerate(READ):
            (self.folder / f"{k}.mtx").write_bytes(text.encode())
        out = self.covec("".join(f'print(sparse.to_dense(sparse.read("{k}.mtx")))\n' for k in range(len(READ))))
        self.assertEqual(out, "".join(matrix + "\n" for _, matrix in READ))

    def test_damaged_files_tell_the_line(self):
        for k, (text, _) in enumerate(DAMAGED):
            (self.folder / f"{k}.mtx").write_bytes(text.encode())
        out = self.covec("for k in range(" + str(len(DAMAGED)) + ') { try { sparse.read(f"{k}.mtx") } catch err { print(f"{err.kind}: {err.message}") } }\n')
        self.assertEqual(out.splitlines(), [f"file: sparse.read: cannot read {k}.mtx: {why}" for k, (_, why) in enumerate(DAMAGED)])

    def test_written_files_are_read_back(self):
        out = self.covec("""
seed(1)
for cast in (f64, f32) {
    a = sparse.from_dense(cast(where(rand(9, 7) < 0.4, randn(9, 7) * 10.0^(20 * randn(9, 7)), 0)))
    for name in ("a.mtx", "a.npz") {
        sparse.write(name, a)
        b = sparse.read(name)
        print(all(cast(b.data) == a.data), all(b.indices == a.indices), all(b.indptr == a.indptr), b.shape, b.data.dtype)
    }
}
""")
        self.assertEqual(out, "true true true (9, 7) f64\ntrue true true (9, 7) f64\ntrue true true (9, 7) f64\ntrue true true (9, 7) f32\n")

    def test_integers_and_bools_are_written_as_floats(self):
        out = self.covec("""
for data in ([1, 2], [true, true]) {
    a = {data: data, indices: [1, 0], indptr: [0, 1, 2], shape: (2, 2)}
    for name in ("i.mtx", "i.npz") {
        sparse.write(name, a)
        print(sparse.read(name).data)
    }
}
""")
        self.assertEqual(out, "[1.0, 2.0]\n[1.0, 2.0]\n[1.0, 1.0]\n[1.0, 1.0]\n")

    def test_mutations_are_values_or_errors(self):
        chance = random.Random(5)
        valid = {"mtx": READ[0][0].encode()}
        self.covec('sparse.write("v.npz", sparse.eye(3))\n')
        valid["npz"] = (self.folder / "v.npz").read_bytes()
        program = ""
        for form, data in valid.items():
            for k in range(400):
                changed = bytearray(data)
                for _ in range(chance.randint(1, 3)):
                    at = chance.randrange(len(changed))
                    kind = chance.randrange(3)
                    if kind == 0:
                        changed[at] = chance.choice(b"0123456789 \n-e.%\xff\x00")
                    elif kind == 1:
                        del changed[at:at + chance.randint(1, 9)]
                    else:
                        changed[at:at] = changed[max(0, at - 6):at]
                    changed = changed or bytearray(b" ")
                (self.folder / f"m{k}.{form}").write_bytes(changed)
            program += f'for k in range(400) {{ try {{ print(sparse.read(f"m{{k}}.{form}") @ zeros(0)) }} catch err {{ if err.kind == "internal" {{ print("internal", k) }} }} }}\n'
        self.assertNotIn("internal", self.covec(program))


@unittest.skipIf(sp is None, "there is no SciPy here")
class SciPy(Files):
    def matrices(self):
        rng = np.random.default_rng(3)
        for m, n, count in ((1, 1, 1), (5, 4, 9), (3, 8, 0), (40, 30, 200)):
            rows, columns = rng.integers(0, m, count), rng.integers(0, n, count)
            yield sp.coo_array((rng.normal(size=count), (rows, columns)), shape=(m, n))

    def test_scipy_reads_and_writes(self):
        program, wanted = "", ""
        for k, matrix in enumerate(self.matrices()):
            m, n = matrix.shape
            np.save(self.folder / f"{k}.npy", matrix.toarray())
            for form in ("csr", "csc", "coo"):
                sp.save_npz(self.folder / f"{k}{form}.npz", matrix.asformat(form), compressed=form != "csr")
                program += f'print(max(abs(sparse.to_dense(sparse.read("{k}{form}.npz")) - load("{k}.npy"))) < 1e-15)\n'
            scipy.io.mmwrite(str(self.folder / f"{k}.mtx"), matrix.tocoo(), precision=17)
            program += f'a = sparse.read("{k}.mtx")\nprint(max(abs(sparse.to_dense(a) - load("{k}.npy"))) < 1e-15)\n'
            program += f'sparse.write("{k}out.npz", a)\nsparse.write("{k}out.mtx", a)\n'
            wanted += "true\n" * 4
        self.assertEqual(self.covec(program), wanted)
        for k, matrix in enumerate(self.matrices()):
            for read in (sp.load_npz(self.folder / f"{k}out.npz"), scipy.io.mmread(str(self.folder / f"{k}out.mtx"))):
                np.testing.assert_allclose(read.toarray(), matrix.toarray(), rtol=1e-15, atol=0)
            self.assertEqual(sp.load_npz(self.folder / f"{k}out.npz").format, "csr")

    def test_archives_that_are_no_matrices(self):
        whole = {"data": np.ones(2), "indices": np.array([0, 1]), "indptr": np.array([0, 1, 2]), "shape": np.array([2, 2]), "format": np.array(b"csr")}
        cases = [({"format": None}, "it has no array format: a matrix that scipy.sparse.save_npz writes has one"),
                 ({"format": np.array(b"bsr")}, "its format is 'bsr'; csr, csc and coo are read"),
                 ({"data": None}, "it has no array data"),
                 ({"data": np.ones((2, 1))}, "its array data is f64[2, 1], no vector of real numbers"),
                 ({"indices": np.ones(2)}, "its array indices is f64[2], not of integers"),
                 ({"indices": np.array([0, 2])}, "it has column 2, but there are 2"),
                 ({"indices": np.array([0])}, "it has 2 numbers and 1 indices"),
                 ({"indptr": np.array([0, 2])}, "its indptr has 2 numbers, not 3"),
                 ({"indptr": np.array([0, 2, 1])}, "its indptr falls at 2"),
                 ({"indptr": np.array([0, 1, 1])}, "its indptr does not go from 0 to the number of indices"),
                 ({"shape": np.array([2])}, "its shape has 1 numbers"),
                 ({"shape": np.array([2, -2])}, "its shape is negative")]
        for k, (change, _) in enumerate(cases):
            np.savez(self.folder / f"{k}.npz", **{name: array for name, array in {**whole, **change}.items() if array is not None})
        np.savez(self.folder / "coo.npz", data=np.ones(1), row=np.array([5]), col=np.array([0]), shape=np.array([2, 2]), format=np.array("coo"))
        program = "for k in range(" + str(len(cases)) + ') { try { sparse.read(f"{k}.npz") } catch err { print(err.message) } }\n'
        program += 'try { sparse.read("coo.npz") } catch err { print(err.message) }\n'
        wanted = [f"sparse.read: cannot read {k}.npz: {why}" for k, (_, why) in enumerate(cases)]
        self.assertEqual(self.covec(program).splitlines(), [*wanted, "sparse.read: cannot read coo.npz: it has row 5, but there are 2"])


if __name__ == "__main__":
    COVEC = sys.argv.pop(1)
    unittest.main()
