"""The same work in PyTorch, eagerly, on as many threads as COVEC_THREADS says."""

import os

import numpy
import torch

import torch_derivatives
from timing import serve

torch.set_num_threads(int(os.environ.get("COVEC_THREADS", "1")))
torch.manual_seed(1)


def repeated(f):
    def run(n):
        for _ in range(n):
            z = f()  # noqa: F841  keeps the last result, as the Covec program does
    return run


def small_op():
    x, y = torch.tensor([1.0, 2, 3]), torch.tensor([4.0, 5, 6])

    def run(n):
        for _ in range(n):
            z = x + y  # noqa: F841
    return run


def gradient(f, *shape):
    def prepare():
        x = (torch.rand(*shape) - 0.5).requires_grad_()
        return repeated(lambda: torch.autograd.grad(f(x), x)[0])
    return prepare


def elementwise(make):
    def prepare():
        x, y = torch.rand(1000, 1000) + 0.5, torch.rand(1000, 1000) + 0.5
        return repeated(make(x, y, torch.rand(1000), torch.rand(1000, 1), x > y))
    return prepare


def reduction(make):
    return lambda: repeated(make(torch.rand(1000, 1000) - 0.5))


def product(left, right, dtype=torch.float32):
    def prepare():
        a, b = torch.rand(*left, dtype=dtype), torch.rand(*right, dtype=dtype)
        return repeated(lambda: a @ b)
    return prepare


def square(size, dtype=torch.float32):
    return product((size, size), (size, size), dtype)


def chain(size):
    def prepare():
        a, b, c = (torch.rand(size, size, dtype=torch.float64) for _ in range(3))
        return repeated(lambda: torch.einsum("ij,jk,kl->il", a, b, c))
    return prepare


def crosswise(side):
    def prepare():
        x = torch.rand(side, side)
        return repeated(lambda: x.T.contiguous())
    return prepare


def of(shape, f, dtype=torch.float32):
    """A function of centred numbers."""
    def prepare():
        x = torch.rand(*shape, dtype=dtype) - 0.5
        return repeated(lambda: f(x))
    return prepare


def layernorm():
    x, scale, shift = torch.rand(4096, 1024), torch.rand(1024), torch.rand(1024)
    return repeated(lambda: torch.nn.functional.layer_norm(x, (1024,), scale, shift, 1e-5))


def at_random(make):
    def prepare():
        size = 10000000
        return repeated(make(torch.rand(size) - 0.5, torch.randint(0, size, (size,))))
    return prepare


def dense_relu():
    x, w, b = torch.rand(512, 784), torch.rand(784, 256), torch.rand(256)
    return repeated(lambda: torch.relu(torch.addmm(b, x, w)))


def convolution():
    x, w = torch.rand(32, 64, 56, 56) - 0.5, torch.rand(64, 64, 3, 3) - 0.5
    return repeated(lambda: torch.nn.functional.conv2d(x, w, padding=1))


def solve():
    a, b = torch.rand(100000, 4, 4, dtype=torch.float64) - 0.5, torch.rand(100000, 4, 1, dtype=torch.float64)
    return repeated(lambda: torch.linalg.solve(a, b))


def chain_gradient(*shape):
    return gradient(lambda x: torch.sin(torch.exp(torch.log(torch.abs(x)))).sum(), *shape)


def fused(dtype):
    def prepare():
        x = (4 * torch.rand(1000000, dtype=torch.float64) - 2).to(dtype)
        return repeated(lambda: 1.5 * torch.exp(-torch.square(x)) + 0.5 * torch.sin(x) + torch.sqrt(torch.abs(x)))
    return prepare


def scripted_call():
    add = torch.jit.CompilationUnit("def f(x: float, y: float):\n    return x + y\n").f
    return repeated(lambda: add(1.5, 2.5))


def scripting():
    """A function from its text to its second result: the first call only watches."""
    text = "def f(x, a: float, b: float):\n    return a * torch.exp(-x ** 2) + b * torch.sin(x) + torch.sqrt(torch.abs(x))\n"
    x = torch.tensor([0.5, 1.5])

    def work():
        f = torch.jit.CompilationUnit(text).f
        f(x, 1.5, 0.5)
        return f(x, 1.5, 0.5)
    return repeated(work)


def marshal():
    memory = numpy.zeros((1000, 1000))
    return repeated(lambda: torch.from_numpy(memory).numpy())


serve({
    "crosswise": crosswise(2048),
    "crosswise.eager": crosswise(2048),
    "transpose_4096": crosswise(4096),
    "sum_10M": of((10000000,), torch.sum),
    "column_sum": of((4096, 4096), lambda x: x.sum(dim=0)),
    "softmax_rows": of((4096, 1024), lambda x: torch.softmax(x, dim=1)),
    "layernorm": layernorm,
    "gather_scatter.gather": at_random(lambda x, at: lambda: x[at]),
    "gather_scatter.scatter": at_random(lambda x, at: lambda: torch.zeros(len(x)).index_add_(0, at, x)),
    "vmap_if": of((1000000,), lambda x: torch.where(x > 0, x * x - x, torch.sqrt(torch.abs(x) + 1)), torch.float64),
    "dense_relu": dense_relu,
    "conv2d": convolution,
    "sort": of((10000000,), lambda x: torch.sort(x)[0], torch.float64),
    "randn": lambda: repeated(lambda: torch.randn(10000000, dtype=torch.float64)),
    "small_batch.solve": solve,
    "ew_fused.f32": fused(torch.float32),
    "ew_fused.f64": fused(torch.float64),
    "call_add.interpreter": scripted_call,
    "compile_latency.ew_fused": scripting,
    "marshal": marshal,
    "small_op": small_op,
    **torch_derivatives.ROWS,
    "small_op_grad": gradient(lambda x: (x * x).sum(), 3),
    "elementwise_1000.add": elementwise(lambda x, y, r, c, m: lambda: x + y),
    "elementwise_1000.mul": elementwise(lambda x, y, r, c, m: lambda: x * y),
    "elementwise_1000.div": elementwise(lambda x, y, r, c, m: lambda: x / y),
    "elementwise_1000.add_scalar": elementwise(lambda x, y, r, c, m: lambda: x + 2.0),
    "elementwise_1000.add_row": elementwise(lambda x, y, r, c, m: lambda: x + r),
    "elementwise_1000.add_column": elementwise(lambda x, y, r, c, m: lambda: x + c),
    "elementwise_1000.negate": elementwise(lambda x, y, r, c, m: lambda: -x),
    "elementwise_1000.abs": elementwise(lambda x, y, r, c, m: lambda: torch.abs(x)),
    "elementwise_1000.sqrt": elementwise(lambda x, y, r, c, m: lambda: torch.sqrt(x)),
    "elementwise_1000.exp": elementwise(lambda x, y, r, c, m: lambda: torch.exp(x)),
    "elementwise_1000.log": elementwise(lambda x, y, r, c, m: lambda: torch.log(x)),
    "elementwise_1000.sin": elementwise(lambda x, y, r, c, m: lambda: torch.sin(x)),
    "elementwise_1000.tanh": elementwise(lambda x, y, r, c, m: lambda: torch.tanh(x)),
    "elementwise_1000.maximum": elementwise(lambda x, y, r, c, m: lambda: torch.maximum(x, y)),
    "elementwise_1000.less": elementwise(lambda x, y, r, c, m: lambda: x < y),
    "elementwise_1000.where": elementwise(lambda x, y, r, c, m: lambda: torch.where(m, x, y)),
    "reduce_1000.sum": reduction(lambda x: lambda: x.sum()),
    "reduce_1000.sum_axis0": reduction(lambda x: lambda: x.sum(dim=0)),
    "reduce_1000.sum_axis1": reduction(lambda x: lambda: x.sum(dim=1)),
    "reduce_1000.max": reduction(lambda x: lambda: x.max()),
    "reduce_1000.max_axis0": reduction(lambda x: lambda: x.amax(dim=0)),
    "reduce_1000.max_axis1": reduction(lambda x: lambda: x.amax(dim=1)),
    "reduce_1000.mean": reduction(lambda x: lambda: x.mean()),
    **{f"matmul.{size}": square(size) for size in (64, 256, 1000, 2048)},
    **{f"matmul.f64_{size}": square(size, torch.float64) for size in (1000, 2048)},
    "matmul_shapes.row": product((1, 1000), (1000, 1000)),
    "matmul_shapes.column": product((1000, 1000), (1000, 1)),
    "matmul_shapes.8": square(8),
    "matmul_shapes.32": square(32),
    "matmul_shapes.batched_4": product((10000, 4, 4), (10000, 4, 4)),
    "einsum_chain.500": chain(500),
    "ew_grad_square": gradient(lambda x: torch.square(x).sum(), 1000, 1000),
    "ew_grad_where": gradient(lambda x: torch.where(x > 0, x * x, -x).sum(), 1000, 1000),
    "ew_grad_chain": chain_gradient(1000, 1000),
    "ew_grad_chain.10000": chain_gradient(10000, 10000),
})
