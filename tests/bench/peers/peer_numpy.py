"""The same work in NumPy: whole-array operators, fresh results."""

import numpy as np

from numpy_mixture import mixture
from timing import serve

generator = np.random.default_rng(1)


def array(*shape):
    return generator.random(shape, dtype=np.float32)


def repeated(f):
    def run(n):
        for _ in range(n):
            z = f()  # noqa: F841  keeps the last result, as the Covec program does
    return run


def small_op():
    x, y = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)

    def run(n):
        for _ in range(n):
            z = x + y  # noqa: F841
    return run


def elementwise(make):
    def prepare():
        x, y = array(1000, 1000) + np.float32(0.5), array(1000, 1000) + np.float32(0.5)
        return repeated(make(x, y, array(1000), array(1000, 1), x > y))
    return prepare


def reduction(make):
    return lambda: repeated(make(array(1000, 1000) - np.float32(0.5)))


def product(left, right, dtype=np.float32):
    def prepare():
        a, b = array(*left).astype(dtype), array(*right).astype(dtype)
        return repeated(lambda: a @ b)
    return prepare


def square(size, dtype=np.float32):
    return product((size, size), (size, size), dtype)


def chain(size):
    def prepare():
        a, b, c = (np.random.rand(size, size) for _ in range(3))
        return repeated(lambda: np.einsum("ij,jk,kl->il", a, b, c, optimize=True))
    return prepare


FACTORIZATIONS = {
    "qr": np.linalg.qr,
    "eigh": np.linalg.eigh,
    "svd": np.linalg.svd,
    "pinv": np.linalg.pinv,
    "lstsq": lambda a: np.linalg.lstsq(a, a[:, 0], rcond=None),
}


def factorization(what, size):
    def prepare():
        a = generator.standard_normal((size, size))
        if what == "eigh":
            a = a + a.T
        return repeated(lambda: FACTORIZATIONS[what](a))
    return prepare


def fused(dtype):
    def prepare():
        x = (4 * generator.random(1000000) - 2).astype(dtype)
        a, b = dtype(1.5), dtype(0.5)
        return repeated(lambda: a * np.exp(-x ** 2) + b * np.sin(x) + np.sqrt(np.abs(x)))
    return prepare


def crosswise(side):  # x.T + 0 would leave the result transposed as it is
    def prepare():
        x = array(side, side)
        return repeated(lambda: np.ascontiguousarray(x.T))
    return prepare


def of(*shape):
    """For a function of centred numbers."""
    def decorate(f):
        def prepare():
            x = array(*shape) - np.float32(0.5)
            return repeated(lambda: f(x))
        return prepare
    return decorate


@of(4096, 1024)
def softmax_rows(x):
    parts = np.exp(x - x.max(axis=1, keepdims=True))
    return parts / parts.sum(axis=1, keepdims=True)


def layernorm():
    x, scale, shift = array(4096, 1024), array(1024), array(1024)

    def work():
        centred = x - x.mean(axis=1, keepdims=True)
        variance = np.square(centred).mean(axis=1, keepdims=True)
        return centred / np.sqrt(variance + np.float32(1e-5)) * scale + shift
    return repeated(work)


def at_random(make):
    def prepare():
        size = 10000000
        return repeated(make(array(size) - np.float32(0.5), generator.integers(0, size, size)))
    return prepare


def vmap_if():
    x = generator.random(1000000) - 0.5
    return repeated(lambda: np.where(x > 0, x * x - x, np.sqrt(np.abs(x) + 1)))


def dense_relu():
    x, w, b = array(512, 784), array(784, 256), array(256)
    return repeated(lambda: np.maximum(x @ w + b, 0))


def sort():
    x = generator.random(10000000)
    return repeated(lambda: np.sort(x))


def solve():
    a, b = generator.random((100000, 4, 4)) - 0.5, generator.random((100000, 4, 1))
    return repeated(lambda: np.linalg.solve(a, b))


def loop():
    turn = np.linalg.qr(generator.standard_normal((3, 3)))[0]

    def work():
        p = np.eye(3)
        for _ in range(100000):
            p = p @ turn
        return p
    return repeated(work)


def short_rows(name):
    pairs, eights, row = generator.random((500000, 2)), generator.random((125000, 8)), generator.random(2)
    numbers = generator.random(1000000)

    def halved():
        x = numbers.copy()
        x[1:-1] *= 0.5
        return x
    ways = {"add_row": lambda: pairs + row, "argmax": lambda: pairs.argmax(axis=1),
            "sums": lambda: (eights * eights).sum(axis=1), "halved": halved}
    return repeated(ways[name])


def row_recurrence(width):
    def work():
        x = matrix.copy()
        for i in range(1, len(x)):
            x[i] = x[i] * 0.5 + x[i - 1] * 0.25
    matrix = generator.random((1000, width))
    return lambda: repeated(work)


def marshal():
    memory = bytearray(8 * 1000 * 1000)

    def work():
        x = np.frombuffer(memory, np.float64).reshape(1000, 1000)
        return memoryview(x)
    return repeated(work)


serve({
    "crosswise": crosswise(2048),
    "crosswise.eager": crosswise(2048),
    "transpose_4096": crosswise(4096),
    "sum_10M": of(10000000)(np.sum),
    "column_sum": of(4096, 4096)(lambda x: x.sum(axis=0)),
    "row_recurrence.short": row_recurrence(16),
    "row_recurrence.wide": row_recurrence(256),
    **{f"short_rows.{name}": lambda name=name: short_rows(name) for name in ("add_row", "argmax", "sums", "halved")},
    "softmax_rows": softmax_rows,
    "layernorm": layernorm,
    "gather_scatter.gather": at_random(lambda x, at: lambda: x[at]),
    "gather_scatter.scatter": at_random(lambda x, at: lambda: np.bincount(at, x, len(x)).astype(np.float32)),
    "vmap_if": vmap_if,
    "dense_relu": dense_relu,
    "sort": sort,
    "randn": lambda: repeated(lambda: generator.standard_normal(10000000)),
    "small_batch.solve": solve,
    "small_batch.loop": loop,
    "ew_fused.f32": fused(np.float32),
    "ew_fused.f64": fused(np.float64),
    **{f"gmm.{d}_{k}.{what}": lambda what=what, d=d, k=k: repeated(mixture(what, d, k))
       for d, k in ((2, 5), (64, 25)) for what in ("function", "gradient")},
    "marshal": marshal,
    "small_op": small_op,
    "elementwise_1000.add": elementwise(lambda x, y, r, c, m: lambda: x + y),
    "elementwise_1000.mul": elementwise(lambda x, y, r, c, m: lambda: x * y),
    "elementwise_1000.div": elementwise(lambda x, y, r, c, m: lambda: x / y),
    "elementwise_1000.add_scalar": elementwise(lambda x, y, r, c, m: lambda: x + 2.0),
    "elementwise_1000.add_row": elementwise(lambda x, y, r, c, m: lambda: x + r),
    "elementwise_1000.add_column": elementwise(lambda x, y, r, c, m: lambda: x + c),
    "elementwise_1000.negate": elementwise(lambda x, y, r, c, m: lambda: -x),
    "elementwise_1000.abs": elementwise(lambda x, y, r, c, m: lambda: np.abs(x)),
    "elementwise_1000.sqrt": elementwise(lambda x, y, r, c, m: lambda: np.sqrt(x)),
    "elementwise_1000.exp": elementwise(lambda x, y, r, c, m: lambda: np.exp(x)),
    "elementwise_1000.log": elementwise(lambda x, y, r, c, m: lambda: np.log(x)),
    "elementwise_1000.sin": elementwise(lambda x, y, r, c, m: lambda: np.sin(x)),
    "elementwise_1000.tanh": elementwise(lambda x, y, r, c, m: lambda: np.tanh(x)),
    "elementwise_1000.maximum": elementwise(lambda x, y, r, c, m: lambda: np.maximum(x, y)),
    "elementwise_1000.less": elementwise(lambda x, y, r, c, m: lambda: x < y),
    "elementwise_1000.where": elementwise(lambda x, y, r, c, m: lambda: np.where(m, x, y)),
    "reduce_1000.sum": reduction(lambda x: lambda: x.sum()),
    "reduce_1000.sum_axis0": reduction(lambda x: lambda: x.sum(axis=0)),
    "reduce_1000.sum_axis1": reduction(lambda x: lambda: x.sum(axis=1)),
    "reduce_1000.max": reduction(lambda x: lambda: x.max()),
    "reduce_1000.max_axis0": reduction(lambda x: lambda: x.max(axis=0)),
    "reduce_1000.max_axis1": reduction(lambda x: lambda: x.max(axis=1)),
    "reduce_1000.mean": reduction(lambda x: lambda: x.mean()),
    **{f"matmul.{size}": square(size) for size in (64, 256, 1000, 2048)},
    **{f"matmul.f64_{size}": square(size, np.float64) for size in (1000, 2048)},
    "matmul_shapes.row": product((1, 1000), (1000, 1000)),
    "matmul_shapes.column": product((1000, 1000), (1000, 1)),
    "matmul_shapes.8": square(8),
    "matmul_shapes.32": square(32),
    "matmul_shapes.batched_4": product((10000, 4, 4), (10000, 4, 4)),
    "einsum_chain.500": chain(500),
    **{f"factorizations.{what}_{size}": factorization(what, size) for what in FACTORIZATIONS for size in (100, 500, 2000)},
})
