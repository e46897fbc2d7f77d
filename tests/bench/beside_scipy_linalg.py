#!/usr/bin/python3
"""What beside_scipy_linalg.covec measures, by SciPy: python3 tests/bench/beside_scipy_linalg.py (one thread)."""
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX")
import numpy as np  # noqa: E402
import scipy.sparse as sparse  # noqa: E402
import scipy.sparse.linalg as linalg  # noqa: E402


def least_of_five(name, call):
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    print(f"{name} {1e3 * min(times):.1f} ms")


n = 100
second = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n))
poisson = (sparse.kron(sparse.eye(n), second) + sparse.kron(second, sparse.eye(n))).tocsr()
least_of_five("cg", lambda: linalg.cg(poisson, np.ones(n * n), tol=1e-8))
draws = np.random.default_rng(1)
m = draws.normal(size=(1000, 1000))
least_of_five("lanczos", lambda: linalg.eigsh(m + m.T, 6, which="LA", tol=1e-10))
c = draws.normal(size=1000)
least_of_five("gmres", lambda: linalg.gmres(m / 40 + 2 * np.eye(1000), c, tol=1e-10, restart=30))
