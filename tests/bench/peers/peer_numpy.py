"""The same work in NumPy: whole-array operators, fresh results."""

import numpy as np

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


def product(size):
    def prepare():
        a, b = array(size, size), array(size, size)
        return repeated(lambda: a @ b)
    return prepare


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


def crosswise():  # x.T + 0 would leave the result transposed as it is
    x = array(2048, 2048)
    return repeated(lambda: np.ascontiguousarray(x.T))


def marshal():
    memory = bytearray(8 * 1000 * 1000)

    def work():
        x = np.frombuffer(memory, np.float64).reshape(1000, 1000)
        return memoryview(x)
    return repeated(work)


serve({
    "crosswise": crosswise,
    "crosswise.eager": crosswise,
    "ew_fused.f32": fused(np.float32),
    "ew_fused.f64": fused(np.float64),
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
    "matmul.64": product(64),
    "matmul.256": product(256),
    "matmul.1000": product(1000),
    "einsum_chain.500": chain(500),
    **{f"factorizations.{what}_{size}": factorization(what, size) for what in FACTORIZATIONS for size in (100, 500, 2000)},
})
