"""Sparse matrices: records of the module `sparse`, and SciPy's. The extension imports this for the first one; SciPy only where a program has one or asks for one."""
import sys

import numpy


class SparseMatrix(dict):
    """A sparse matrix: the dict of its record, with `data`, `indices`, `indptr` and `shape`."""

    def to_scipy(self):
        """The same matrix as a scipy.sparse.csr_array; its elements are not copied."""
        from scipy.sparse import csr_array
        parts = (numpy.asarray(self[name]) for name in ("data", "indices", "indptr"))
        return csr_array(tuple(parts), shape=tuple(self["shape"]))

    def __copy__(self):
        return SparseMatrix(self)

    def __reduce__(self):
        return SparseMatrix, (dict(self),)


def _check(matrix):
    """Says where indices lie outside: SciPy's own conversions to rows do not look. Those of rows are checked later."""
    if matrix.format in ("csc", "bsr"):
        matrix.check_format(full_check=True)
    if matrix.format == "coo" and matrix.nnz > 0:
        for name, indices, extent in (("row", matrix.row, matrix.shape[0]), ("column", matrix.col, matrix.shape[1])):
            if indices.min() < 0 or indices.max() >= extent:
                raise ValueError(f"the matrix has {name} indices from {indices.min()} to {indices.max()}, but {extent} {name}s")


def parts_of(matrix):
    """The fields of the record of any sparse matrix of SciPy: rows in order, columns that rise, none twice."""
    _check(matrix)
    rows = sys.modules["scipy.sparse"].csr_array(matrix)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    indices, indptr = (numpy.asarray(part, dtype="int64") for part in (rows.indices, rows.indptr))
    return {"data": rows.data, "indices": indices, "indptr": indptr, "shape": tuple(int(extent) for extent in rows.shape)}
