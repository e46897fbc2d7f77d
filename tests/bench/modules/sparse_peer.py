import ctypes
import pathlib
import subprocess
import sys

import numpy as np
import scipy.io as files
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from scipy.integrate import solve_ivp
from scipy.optimize._numdiff import group_columns
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

# The flags of stdlib/sparse: no vectors.
FLAGS = ["-O2", "-DNDEBUG", "-std=c++20", "-DEIGEN_DONT_VECTORIZE", "-DEIGEN_DONT_PARALLELIZE", "-DEIGEN_NO_DEBUG"]
source = pathlib.Path(__file__).with_name("sparse_eigen.cpp")
subprocess.run(["c++", *FLAGS, "-isystem", "/usr/include/eigen3", "-shared", "-fPIC", "-o", "./sparse_eigen.so", source], check=True)
factor_ldlt = ctypes.CDLL("./sparse_eigen.so").factor_ldlt
factor_ldlt.restype = ctypes.c_double
arrays = [np.ascontiguousarray(part, kind) for part, kind in ((laplacian.indptr, np.int32), (laplacian.indices, np.int32), (laplacian.data, float))]
arguments = [316**2, laplacian.nnz, *(ctypes.c_void_p(part.ctypes.data) for part in arrays)]
assert factor_ldlt(*arguments) > 0
report("LDLT of the Laplacian 316 x 316 (Eigen)", lambda: factor_ldlt(*arguments))
report("solve, Laplacian 316 x 316", lambda: linalg.spsolve(laplacian, b), 2)  # by LU: there is no sparse Cholesky
report("solve by LU, Laplacian 316 x 316", lambda: linalg.spsolve(laplacian, b), 2)
big = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(333334, 333334), dtype=float).tocoo()
files.mmwrite("big.mtx", big)
report("read .mtx, 10^6 entries", lambda: files.mmread("big.mtx"), 2)
report("write .mtx, 10^6 entries", lambda: files.mmwrite("big.mtx", big), 2)
inner = sparse.diags([1, 1, 1], [-1, 0, 1], shape=(1000, 1000))
five = (sparse.kron(inner, sparse.eye(1000)) + sparse.kron(sparse.eye(1000), inner)).tocsr()
report("colours of a 5-point grid 1000 x 1000", lambda: group_columns(five), 2)


def heat(_, u):
    return (np.concatenate([u[1:], [0.0]]) - 2 * u + np.concatenate([[0.0], u[:-1]])) * 10001.0**2


bump = np.sin(np.pi * np.linspace(0, 1, 10002)[1:-1])
tridiagonal = sparse.diags([1, 1, 1], [-1, 0, 1], shape=(10000, 10000))
report("heat equation, 10^4 unknowns, bdf, rtol 1e-6",
       lambda: solve_ivp(heat, (0, 0.1), bump, method="BDF", jac_sparsity=tridiagonal, rtol=1e-6, atol=1e-8, t_eval=[0.1]), 2)

# --- the Brusselator: at the same error against a reference ---
side, jump, end = 128, 1.1, 11.5
grid = np.arange(side) / side
x, y = np.meshgrid(grid, grid)
spot = 5.0 * ((x - 0.3) ** 2 + (y - 0.6) ** 2 <= 0.01)
start = np.stack([22 * y * (1 - y) ** 1.5, 27 * x * (1 - x) ** 1.5])


def react(t, s):
    made = s[0] ** 2 * s[1]
    return np.stack([1 + made - 4.4 * s[0] + spot * (t >= jump), 3.4 * s[0] - made])


def rates(t, flat):
    s = flat.reshape(start.shape)
    neighbours = sum(np.roll(s, by, axis) for by in (1, -1) for axis in (1, 2))
    return (react(t, s) + 0.1 * side**2 * (neighbours - 4 * s)).ravel()


def exponential_steps(s, begin, end, count):
    """Steps of fourth order that are exact for diffusion (Cox and Matthews, 2002; coefficients as means over a circle: Kassam and Trefethen, 2005)."""
    h = (end - begin) / count
    of_axis = 2 * np.cos(2 * np.pi * np.arange(side) / side) - 2
    z = h * 0.1 * side**2 * (of_axis[:, None] + of_axis[None, : side // 2 + 1])
    c = z[..., None] + np.exp(1j * np.pi * (np.arange(32) + 0.5) / 32)
    whole, half = np.exp(z), np.exp(z / 2)
    stage = h * np.mean((np.exp(c / 2) - 1) / c, -1).real
    first = h * np.mean((-4 - c + np.exp(c) * (4 - 3 * c + c**2)) / c**3, -1).real
    middle = h * np.mean((2 + c + np.exp(c) * (c - 2)) / c**3, -1).real
    last = h * np.mean((-4 - 3 * c - c**2 + np.exp(c) * (4 - c)) / c**3, -1).real
    v = np.fft.rfft2(s)
    for _ in range(count):
        forces = [np.fft.rfft2(react(begin, np.fft.irfft2(v)))]
        a = half * v + stage * forces[0]
        forces.append(np.fft.rfft2(react(begin, np.fft.irfft2(a))))
        forces.append(np.fft.rfft2(react(begin, np.fft.irfft2(half * v + stage * forces[1]))))
        forces.append(np.fft.rfft2(react(begin, np.fft.irfft2(half * a + stage * (2 * forces[2] - forces[0])))))
        v = whole * v + first * forces[0] + 2 * middle * (forces[1] + forces[2]) + last * forces[3]
    return np.fft.irfft2(v)


ring = sparse.diags([1] * 5, [1 - side, -1, 0, 1, side - 1], shape=(side, side))
around = sparse.kron(ring, sparse.eye(side)) + sparse.kron(sparse.eye(side), ring)
pattern = sparse.kron(np.eye(2), around) + sparse.kron(np.ones((2, 2)), sparse.eye(side**2))
found = {}
report("Brusselator, 2 x 128^2 unknowns",
       lambda: found.update(theirs=solve_ivp(rates, (0, end), start.ravel(), method="BDF", jac_sparsity=pattern, rtol=1e-4, atol=1e-4).y[:, -1]), 1)
# Short steps first, as the start is not smooth across the edges.
reference = exponential_steps(start, 0.0, 0.01, 10)
reference = exponential_steps(reference, 0.01, jump, 109)
reference = exponential_steps(reference, jump, end, 1040)
of_theirs = np.abs(found["theirs"].reshape(start.shape) - reference).max()
of_ours = np.abs(np.load("brusselator.npy") - reference).max()
print(f"errors of the Brusselator: Covec's {of_ours:.2g}, SciPy's {of_theirs:.2g}", file=sys.stderr)
if of_ours > of_theirs:
    sys.exit("Covec's error is larger: the times do not compare")

# --- bundle adjustment: derivatives by hand ---
source = pathlib.Path(__file__).with_name("sparse_bundle.cpp")
subprocess.run(["c++", "-O3", "-march=native", "-std=c++20", "-shared", "-fPIC", "-o", "./sparse_bundle.so", source], check=True)
bundle_jacobian = ctypes.CDLL("./sparse_bundle.so").bundle_jacobian
scene = np.load("bundle.npz")
parts = [np.ascontiguousarray(scene[name]) for name in ("camera_of", "point_of", "turn", "place", "point")]
found = np.zeros(18 * len(parts[0]))
arguments = [ctypes.c_long(len(parts[0])), *(ctypes.c_void_p(part.ctypes.data) for part in (*parts, found))]
bundle_jacobian(*arguments)
assert np.allclose(found, scene["data"], rtol=1e-9, atol=1e-7)
report("bundle adjustment's Jacobian, 63,686 x 23,622 (by hand)", lambda: bundle_jacobian(*arguments))
