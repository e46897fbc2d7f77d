import numpy as np
import scipy.io as files
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from timing import report


n = 100000
a = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n), dtype=float).tocsr()
x = np.cos(np.arange(n))
report("product, 299,998 nonzeros", lambda: a @ x)
report("product of two tridiagonal matrices, n = 100,000", lambda: a @ a)
report("transpose, 299,998 nonzeros", lambda: a.T.tocsr())
line = sparse.diags([-1, 2.005, -1], [-1, 0, 1], shape=(316, 316))
laplacian = (sparse.kron(line, sparse.eye(316)) + sparse.kron(sparse.eye(316), line)).tocsc()
b = np.ones(316**2)
report("solve, Laplacian 316 x 316", lambda: linalg.spsolve(laplacian, b), 2)  # by LU: there is no sparse Cholesky
report("solve by LU, Laplacian 316 x 316", lambda: linalg.spsolve(laplacian, b), 2)
big = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(333334, 333334), dtype=float).tocoo()
files.mmwrite("big.mtx", big)
report("read .mtx, 10^6 entries", lambda: files.mmread("big.mtx"), 2)
report("write .mtx, 10^6 entries", lambda: files.mmwrite("big.mtx", big), 2)
