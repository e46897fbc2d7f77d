import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from scipy.spatial.distance import cdist
from timing import report


n = 100
second = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n))
poisson = (sparse.kron(sparse.eye(n), second) + sparse.kron(second, sparse.eye(n))).tocsr()
report("conjugate gradients, Poisson 100 x 100", lambda: linalg.cg(poisson, np.ones(n * n), tol=1e-8))
draws = np.random.default_rng(1)
m = draws.normal(size=(1000, 1000))
report("Lanczos, 6 eigenvalues of 1000 x 1000", lambda: linalg.eigsh(m + m.T, 6, which="LA", tol=1e-10))
c = draws.normal(size=1000)
report("GMRES, dense 1000 x 1000", lambda: linalg.gmres(m / 40 + 2 * np.eye(1000), c, tol=1e-10, restart=30))
for k in (3, 10, 33):
    a, b = draws.normal(size=(1000, k)), draws.normal(size=(1000, k))
    report(f"distances of 1000 and 1000 points of {k} numbers", lambda: cdist(a, b))
    report(f"distances of 1000 and 1000 points of {k} numbers, value and gradient", lambda: cdist(a, b))  # its value alone
