"""What the sweep measures: each builtin beside NumPy and PyTorch, which write it in their own words. A value is made by each
contender for itself, of the same shape and distribution. Start reading at ROWS; sweep.py measures."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Made:
    """One argument: how each contender makes it for n elements."""
    covec: str
    numpy: str
    torch: str


def uniform(low, high):
    return Made(f"{low} + {high - low} * rand({{n}})", f"np.random.uniform({low}, {high}, {{n}})",
                f"torch.from_numpy(np.random.uniform({low}, {high}, {{n}}))")


def same(text, torch=None):
    return Made(text, text, torch or text)


def integers(high):
    return Made(f"randint(0, {high}, {{n}})", f"np.random.randint(0, {high}, {{n}})", f"torch.randint(0, {high}, ({{n}},))")


def matrix(rows, columns):
    """Extents are expressions of n, which sweep.py evaluates."""
    return Made(f"randn({{{rows}}}, {{{columns}}})", f"np.random.randn({{{rows}}}, {{{columns}}})",
                f"torch.randn({{{rows}}}, {{{columns}}}, dtype=torch.float64)")


BOOLS = Made("rand({n}) < 0.5", "np.random.rand({n}) < 0.5", "torch.rand({n}) < 0.5")
MOSTLY_TRUE = Made("rand({n}) < 2", "np.random.rand({n}) < 2", "torch.rand({n}) < 2")
MOSTLY_FALSE = Made("rand({n}) > 2", "np.random.rand({n}) > 2", "torch.rand({n}) > 2")
SORTED = Made("sort(rand({n}))", "np.sort(np.random.rand({n}))", "torch.from_numpy(np.sort(np.random.rand({n})))")
DEFINITE = Made("({side} * eye({side}) + rand({side}, {side}))", "({side} * np.eye({side}) + np.random.rand({side}, {side}))",
                "({side} * torch.eye({side}, dtype=torch.float64) + torch.rand({side}, {side}, dtype=torch.float64))")
SYMMETRIC = Made("(x -> x + x.T)(randn({side}, {side}))", "(lambda x: x + x.T)(np.random.randn({side}, {side}))",
                 "(lambda x: x + x.T)(torch.randn({side}, {side}, dtype=torch.float64))")
POSITIVE = Made("(x -> x @ x.T + eye({side}))(randn({side}, {side}))",
                "(lambda x: x @ x.T + np.eye({side}))(np.random.randn({side}, {side}))",
                "(lambda x: x @ x.T + torch.eye({side}, dtype=torch.float64))(torch.randn({side}, {side}, dtype=torch.float64))")


@dataclasses.dataclass
class Row:
    name: str
    covec: str                  # of x, y, z
    numpy: str = ""             # "": has none
    torch: str = ""
    x: Made = uniform(-2.0, 2.0)
    y: Made = None
    z: Made = None
    factor: float = 1.2         # × the faster peer
    largest: int = 10_000_000   # elements; more would take minutes

    @property
    def arguments(self):
        return {name: made for name, made in (("x", self.x), ("y", self.y), ("z", self.z)) if made is not None}


def unary(name, numpy="", torch="", x=uniform(-2.0, 2.0), **more):
    return Row(name, f"{name}(x)", numpy and f"np.{numpy}(x)", torch and f"torch.{torch}(x)", x, **more)


def binary(name, operator, x=uniform(-2.0, 2.0), y=uniform(0.5, 2.0), **more):
    return Row(name, f"x {operator} y", f"x {operator} y", f"x {operator} y", x, y, **more)


ELEMENTWISE = [
    *(unary(name, name, name) for name in
      "abs sign exp expm1 sin cos tan sinh cosh tanh floor ceil round trunc isnan isinf isfinite".split()),
    *(unary(name, name, name, uniform(0.1, 4.0)) for name in "log log1p log2 log10 sqrt".split()),
    unary("rsqrt", "", "rsqrt", uniform(0.1, 4.0)), unary("cbrt", "cbrt"),
    unary("asin", "arcsin", "asin", uniform(-1.0, 1.0)), unary("acos", "arccos", "acos", uniform(-1.0, 1.0)),
    unary("atan", "arctan", "atan"), unary("asinh", "arcsinh", "asinh"),
    unary("acosh", "arccosh", "acosh", uniform(1.0, 4.0)), unary("atanh", "arctanh", "atanh", uniform(-1.0, 1.0)),
    *(unary(name, "", name) for name in "sigmoid relu erf erfc".split()),
    Row("gelu", "gelu(x)", "", "torch.nn.functional.gelu(x)"),
    Row("softplus", "softplus(x)", "", "torch.nn.functional.softplus(x)"),
    unary("lgamma", "", "lgamma", uniform(0.1, 8.0)), unary("digamma", "", "digamma", uniform(0.1, 8.0)),
    binary("add", "+"), binary("subtract", "-"), binary("multiply", "*"), binary("divide", "/"),
    binary("floor_divide", "//"), binary("mod", "%"), binary("less", "<"), binary("less_equal", "<="),
    binary("greater", ">"), binary("greater_equal", ">="), binary("equal", "=="), binary("not_equal", "!="),
    Row("pow", "x ^ y", "x ** y", "x ** y", uniform(0.1, 2.0), uniform(-2.0, 2.0)),
    Row("square", "x ^ 2", "x ** 2", "x ** 2"), Row("negative", "-x", "-x", "-x"), Row("positive", "+x", "+x", "+x"),
    Row("atan2", "atan2(x, y)", "np.arctan2(x, y)", "torch.atan2(x, y)", y=uniform(-2.0, 2.0)),
    Row("hypot", "hypot(x, y)", "np.hypot(x, y)", "torch.hypot(x, y)", y=uniform(-2.0, 2.0)),
    Row("copysign", "copysign(x, y)", "np.copysign(x, y)", "torch.copysign(x, y)", y=uniform(-2.0, 2.0)),
    Row("minimum", "minimum(x, y)", "np.minimum(x, y)", "torch.minimum(x, y)", y=uniform(-2.0, 2.0)),
    Row("maximum", "maximum(x, y)", "np.maximum(x, y)", "torch.maximum(x, y)", y=uniform(-2.0, 2.0)),
    Row("clip", "clip(x, -1.0, 1.0)", "np.clip(x, -1.0, 1.0)", "torch.clip(x, -1.0, 1.0)"),
    Row("where", "where(x, y, z)", "np.where(x, y, z)", "torch.where(x, y, z)", BOOLS, uniform(0.0, 1.0), uniform(0.0, 1.0)),
    Row("logical_not", "logical_not(x)", "np.logical_not(x)", "torch.logical_not(x)", BOOLS),
    *(Row(name, f"x {operator} y", f"x {operator} y", f"x {operator} y", integers(100), integers(100))
      for name, operator in (("bit_and", "&"), ("bit_or", "|"))),
    Row("xor", "xor(x, y)", "x ^ y", "x ^ y", integers(100), integers(100)),
    Row("bit_not", "~x", "~x", "~x", integers(100)),
    Row("shift_left", "shift_left(x, y)", "x << y", "x << y", integers(100), integers(8)),
    Row("shift_right", "shift_right(x, y)", "x >> y", "x >> y", integers(100), integers(8)),
    Row("sinc", "sinc(x)", "np.sinc(x)", "torch.sinc(x)"),
    Row("gcd", "gcd(x, y)", "np.gcd(x, y)", "torch.gcd(x, y)", integers(1000), integers(1000)),
    Row("lcm", "lcm(x, y)", "np.lcm(x, y)", "torch.lcm(x, y)", integers(1000), integers(1000)),
    Row("f32", "f32(x)", "x.astype(np.float32)", "x.to(torch.float32)"),
    Row("f64", "f64(x)", "x.astype(np.float64)", "x.to(torch.float64)", integers(100)),
    Row("i32", "i32(x)", "x.astype(np.int32)", "x.to(torch.int32)"),
    Row("i64", "i64(x)", "x.astype(np.int64)", "x.to(torch.int64)"),
    Row("bool", "bool(x)", "x.astype(bool)", "x.to(torch.bool)"),
]

REDUCE = [
    *(unary(name, name, name) for name in "sum mean min max prod argmin argmax".split()),
    *(Row(f"{name} of columns", f"{name}(x, axis=0)", f"np.{name}(x, axis=0)", f"torch.{torch}(x, dim=0)",
          matrix("side", "side")) for name, torch in (("sum", "sum"), ("max", "amax"), ("mean", "mean"))),
    *(Row(f"{name} of rows", f"{name}(x, axis=1)", f"np.{name}(x, axis=1)", f"torch.{torch}(x, dim=1)",
          matrix("side", "side")) for name, torch in (("sum", "sum"), ("max", "amax"), ("mean", "mean"))),
    Row("var", "var(x)", "np.var(x)", "torch.var(x, unbiased=False)"),
    Row("std", "std(x)", "np.std(x)", "torch.std(x, unbiased=False)"),
    Row("any", "any(x)", "np.any(x)", "torch.any(x)", MOSTLY_FALSE),
    Row("all", "all(x)", "np.all(x)", "torch.all(x)", MOSTLY_TRUE),
    Row("count_nonzero", "count_nonzero(x)", "np.count_nonzero(x)", "torch.count_nonzero(x)"),
    Row("cumsum", "cumsum(x)", "np.cumsum(x)", "torch.cumsum(x, 0)"),
    Row("cumprod", "cumprod(x)", "np.cumprod(x)", "torch.cumprod(x, 0)", uniform(0.9, 1.1)),
    Row("cumsum of columns", "cumsum(x, axis=0)", "np.cumsum(x, axis=0)", "torch.cumsum(x, 0)", matrix("side", "side")),
    Row("norm", "norm(x)", "np.linalg.norm(x)", "torch.linalg.norm(x)"),
    Row("logsumexp", "logsumexp(x)", "", "torch.logsumexp(x, 0)"),
    Row("softmax", "softmax(x)", "", "torch.softmax(x, 1)", matrix("side", "side")),
    Row("log_softmax", "log_softmax(x)", "", "torch.log_softmax(x, 1)", matrix("side", "side")),
]

STATISTICS = [
    Row("median", "median(x)", "np.median(x)", "torch.median(x)"),
    Row("median of columns", "median(x, axis=0)", "np.median(x, axis=0)", "torch.median(x, 0)", matrix("side", "side")),
    Row("quantile", "quantile(x, [0.1, 0.9])", "np.quantile(x, [0.1, 0.9])", ""),
    *(Row(name, f"{name}(x)", f"np.{name}(x)", "") for name in "nansum nanmean nanstd nanmax nanmedian".split()),
    Row("cov", "cov(x)", "np.cov(x)", "torch.cov(x)", matrix(10, "side")),
    Row("histogram", "histogram(x, 50)", "np.histogram(x, 50)", "torch.histogram(x, 50)"),
    Row("bincount", "bincount(x)", "np.bincount(x)", "torch.bincount(x)", integers(100)),
    Row("diff", "diff(x)", "np.diff(x)", "torch.diff(x)"),
    Row("cumulative_trapezoid", "cumulative_trapezoid(x)", "(np.cumsum((x[1:] + x[:-1]) * 0.5))", "torch.cumulative_trapezoid(x)"),
    Row("gradient", "gradient(x)", "np.gradient(x)", "torch.gradient(x)"),
    Row("unwrap", "unwrap(x)", "np.unwrap(x)"),
    Row("trapezoid", "trapezoid(x)", "np.trapz(x)", "torch.trapezoid(x)"),
    Row("cummax", "cummax(x)", "np.maximum.accumulate(x)", "torch.cummax(x, 0)"),
    Row("convolve", "convolve(x, x[:16])", "np.convolve(x, x[:16])", ""),
    Row("nonzero", "nonzero(x > 0)", "np.nonzero(x > 0)", "torch.nonzero(x > 0)"),
    Row("isclose", "isclose(x, x)", "np.isclose(x, x)", "torch.isclose(x, x)"),
    Row("mean with weights", "mean(x, weights=y)", "np.average(x, weights=y)", "", y=uniform(0.5, 2.0)),
    Row("nan_to_num", "nan_to_num(x)", "np.nan_to_num(x)", "torch.nan_to_num(x)"),
    Row("lerp", "lerp(x, y, 0.3)", "x + 0.3 * (y - x)", "torch.lerp(x, y, 0.3)", y=uniform(-2.0, 2.0)),
    Row("logit", "logit(x)", "np.log(x / (1 - x))", "torch.logit(x)", uniform(0.0, 1.0)),
    Row("log_sigmoid", "log_sigmoid(x)", "-np.logaddexp(0, -x)", "torch.nn.functional.logsigmoid(x)"),
    Row("logaddexp", "logaddexp(x, y)", "np.logaddexp(x, y)", "torch.logaddexp(x, y)", uniform(-2.0, 2.0), uniform(-2.0, 2.0)),
    Row("round to 2 digits", "round(x, 2)", "np.round(x, 2)", "torch.round(x, decimals=2)"),
]

MAKE = [
    Row("zeros", "zeros({n})", "np.zeros({n})", "torch.zeros({n}, dtype=torch.float64)"),
    Row("ones", "ones({n})", "np.ones({n})", "torch.ones({n}, dtype=torch.float64)"),
    Row("full", "full({n}, 2.5)", "np.full({n}, 2.5)", "torch.full(({n},), 2.5, dtype=torch.float64)"),
    Row("zeros_like", "zeros_like(x)", "np.zeros_like(x)", "torch.zeros_like(x)"),
    Row("ones_like", "ones_like(x)", "np.ones_like(x)", "torch.ones_like(x)"),
    Row("eye", "eye({side})", "np.eye({side})", "torch.eye({side}, dtype=torch.float64)"),
    Row("arange", "arange({n})", "np.arange({n})", "torch.arange({n})"),
    Row("linspace", "linspace(0, 1, {n})", "np.linspace(0, 1, {n})", "torch.linspace(0, 1, {n}, dtype=torch.float64)"),
    Row("logspace", "logspace(0, 1, {n})", "np.logspace(0, 1, {n})", "torch.logspace(0, 1, {n}, dtype=torch.float64)"),
    Row("geomspace", "geomspace(1, 10, {n})", "np.geomspace(1, 10, {n})"),
    Row("diag", "diag(x)", "np.diag(x)", "torch.diag(x)", matrix("side", "side")),
    Row("diag of a vector", "diag(x)", "np.diag(x)", "torch.diag(x)",
        Made("rand({side})", "np.random.rand({side})", "torch.rand({side}, dtype=torch.float64)")),
    Row("tril", "tril(x)", "np.tril(x)", "torch.tril(x)", matrix("side", "side")),
    Row("triu", "triu(x)", "np.triu(x)", "torch.triu(x)", matrix("side", "side")),
    Row("meshgrid", "meshgrid(x, x)", "np.meshgrid(x, x)", "torch.meshgrid(x, x, indexing='xy')",
        Made("rand({side})", "np.random.rand({side})", "torch.rand({side}, dtype=torch.float64)")),
    Row("rand", "rand({n})", "np.random.rand({n})", "torch.rand({n}, dtype=torch.float64)"),
    Row("randn", "randn({n})", "np.random.randn({n})", "torch.randn({n}, dtype=torch.float64)"),
    Row("randint", "randint(0, 100, {n})", "np.random.randint(0, 100, {n})", "torch.randint(0, 100, ({n},))"),
    Row("permutation", "permutation({n})", "np.random.permutation({n})", "torch.randperm({n})"),
    Row("choice", "choice(x, {n})", "np.random.choice(x, {n})", ""),
]

SHAPE = [
    Row("reshape", "reshape(x, -1, 2)", "x.reshape(-1, 2)", "x.reshape(-1, 2)"),
    Row("transpose, then copied", "x.T + 0.0", "np.ascontiguousarray(x.T)", "x.T.contiguous()", matrix("side", "side")),
    Row("transpose", "transpose(x)", "np.transpose(x)", "x.T", matrix("side", "side")),
    Row("concat", "concat((x, y))", "np.concatenate((x, y))", "torch.cat((x, y))", y=uniform(0.0, 1.0)),
    Row("stack", "stack((x, y))", "np.stack((x, y))", "torch.stack((x, y))", y=uniform(0.0, 1.0)),
    Row("stack of columns", "stack((x, y), axis=1)", "np.stack((x, y), axis=1)", "torch.stack((x, y), 1)", y=uniform(0.0, 1.0)),
    Row("split", "split(x, 2)", "np.split(x, 2)", "torch.tensor_split(x, 2)"),
    Row("tile", "tile(x, 2)", "np.tile(x, 2)", "torch.tile(x, (2,))"),
    Row("repeat", "repeat(x, 2)", "np.repeat(x, 2)", "torch.repeat_interleave(x, 2)"),
    Row("broadcast_to", "broadcast_to(x, 2, {n})", "np.broadcast_to(x, (2, {n}))", "torch.broadcast_to(x, (2, {n}))"),
    Row("rot90, then copied", "rot90(x) + 0.0", "np.ascontiguousarray(np.rot90(x))", "torch.rot90(x).contiguous()", matrix("side", "side")),
    Row("flip", "flip(x)", "np.flip(x).copy()", "torch.flip(x, (0,))"),
    Row("roll", "roll(x, 3)", "np.roll(x, 3)", "torch.roll(x, 3)"),
    Row("pad", "pad(x, 2)", "np.pad(x, 2)", "torch.nn.functional.pad(x, (2, 2))"),
    Row("squeeze", "squeeze(unsqueeze(x, 0))", "np.squeeze(x[None])", "torch.squeeze(torch.unsqueeze(x, 0))"),
    Row("permute, then copied", "permute(x, 2, 0, 1) + 0.0", "np.ascontiguousarray(x.transpose(2, 0, 1))",
        "x.permute(2, 0, 1).contiguous()",
        Made("rand({half}, {half}, 4)", "np.random.rand({half}, {half}, 4)", "torch.rand({half}, {half}, 4, dtype=torch.float64)")),
    Row("sort", "sort(x)", "np.sort(x)", "torch.sort(x)[0]", factor=1.5),
    Row("argsort", "argsort(x)", "np.argsort(x, kind='stable')", "torch.argsort(x, stable=True)", factor=1.5),
    Row("topk", "topk(x, 5)", "", "torch.topk(x, 5)"),
    Row("searchsorted", "searchsorted(x, y)", "np.searchsorted(x, y)", "torch.searchsorted(x, y)", SORTED, uniform(0.0, 1.0)),
    Row("unique with counts", "unique(x, counts=true)", "np.unique(x, return_counts=True)", "torch.unique(x, return_counts=True)", integers(1000), factor=1.5),
    Row("isin", "isin(x, y)", "np.isin(x, y)", "torch.isin(x, y)", integers(1000), integers(1000), factor=1.5),
    Row("union", "union(x, y)", "np.union1d(x, y)", "", integers(1000), integers(1000), factor=1.5),
    Row("unique", "unique(x)", "np.unique(x)", "torch.unique(x)", integers(1000), factor=1.5),
    Row("gather", "gather(x, y)", "np.take(x, y)", "torch.gather(x, 0, y)", y=integers("{n}")),
    Row("index by integers", "x[y]", "x[y]", "x[y]", y=integers("{n}")),
    Row("index by a mask", "x[y]", "x[y]", "x[y]", y=BOOLS),
    Row("slice, then copied", "x[1:] + 0.0", "x[1:] + 0.0", "x[1:] + 0.0"),
    Row("scatter_add", "scatter_add(x, y, z)", "", "torch.scatter_add(x, 0, y, z)", y=integers("{n}"), z=uniform(0.0, 1.0)),
    Row("one_hot", "one_hot(x, 4)", "np.eye(4, dtype=bool)[x]", "torch.nn.functional.one_hot(x, 4)", integers(4)),
    Row("sum_to", "sum_to(x, 1, {side})", "np.sum(x, axis=0, keepdims=True)", "torch.sum(x, 0, keepdim=True)",
        matrix("side", "side")),
]

LINEAR = [
    Row("matmul", "x @ y", "x @ y", "x @ y", matrix("side", "side"), matrix("side", "side"), largest=1_000_000),
    Row("matmul by a vector", "x @ y", "x @ y", "x @ y", matrix("side", "side"),
        Made("rand({side})", "np.random.rand({side})", "torch.rand({side}, dtype=torch.float64)")),
    Row("dot", "dot(x, y)", "np.dot(x, y)", "torch.dot(x, y)", y=uniform(0.0, 1.0)),
    Row("outer", "outer(x, x)", "np.outer(x, x)", "torch.outer(x, x)",
        Made("rand({side})", "np.random.rand({side})", "torch.rand({side}, dtype=torch.float64)")),
    Row("einsum", 'einsum("ij,jk->ik", x, y)', "np.einsum('ij,jk->ik', x, y, optimize=True)", "torch.einsum('ij,jk->ik', x, y)",
        matrix("side", "side"), matrix("side", "side"), largest=1_000_000),
    Row("trace", "trace(x)", "np.trace(x)", "torch.trace(x)", matrix("side", "side")),
    Row("kron", "kron(x, eye(2))", "np.kron(x, np.eye(2))", "torch.kron(x, torch.eye(2, dtype=torch.float64))",
        matrix("side", "side")),
    Row("solve", "solve(x, y)", "np.linalg.solve(x, y)", "torch.linalg.solve(x, y)", DEFINITE, matrix("side", "side"),
        largest=1_000_000),
    Row("inv", "inv(x)", "np.linalg.inv(x)", "torch.linalg.inv(x)", DEFINITE, largest=1_000_000),
    Row("det", "det(x)", "np.linalg.det(x)", "torch.linalg.det(x)", DEFINITE, largest=1_000_000),
    Row("slogdet", "slogdet(x)", "np.linalg.slogdet(x)", "torch.linalg.slogdet(x)", DEFINITE, largest=1_000_000),
    Row("cholesky", "cholesky(x)", "np.linalg.cholesky(x)", "torch.linalg.cholesky(x)", POSITIVE, largest=1_000_000),
    Row("qr", "qr(x)", "np.linalg.qr(x)", "torch.linalg.qr(x)", matrix("side", "side"), largest=1_000_000),
    Row("svd", "svd(x)", "np.linalg.svd(x)", "torch.linalg.svd(x)", matrix("side", "side"), factor=1.5, largest=1_000_000),
    Row("eigh", "eigh(x)", "np.linalg.eigh(x)", "torch.linalg.eigh(x)", SYMMETRIC, factor=1.5, largest=1_000_000),
    Row("pinv", "pinv(x)", "np.linalg.pinv(x)", "torch.linalg.pinv(x)", matrix("side", "side"), largest=1_000_000),
    Row("lstsq", "lstsq(x, y)", "np.linalg.lstsq(x, y, rcond=None)", "torch.linalg.lstsq(x, y[:, None], driver='gelsd')",
        matrix("side", "half"), Made("rand({side})", "np.random.rand({side})", "torch.rand({side}, dtype=torch.float64)"),
        largest=1_000_000),
]

def images(channels):
    """Square images of about n numbers in all."""
    side = "{sides[%d]}" % channels
    return Made(f"randn(1, {channels}, {side}, {side})", f"np.random.randn(1, {channels}, {side}, {side})",
                f"torch.randn(1, {channels}, {side}, {side}, dtype=torch.float64)")


def weights(*shape):
    text = ", ".join(map(str, shape))
    return Made(f"randn({text})", f"np.random.randn({text})", f"torch.randn({text}, dtype=torch.float64)")


SIGNAL = [
    Row("conv1d", "conv1d(x, y)", "", "torch.conv1d(x, y)",
        Made("randn(1, 1, {n})", "np.random.randn(1, 1, {n})", "torch.randn(1, 1, {n}, dtype=torch.float64)"), weights(1, 1, 5)),
    Row("conv2d of 1 channel", "conv2d(x, y)", "", "torch.conv2d(x, y)", images(1), weights(1, 1, 3, 3), factor=1.5),
    Row("conv2d of 16 channels", "conv2d(x, y, padding=1)", "", "torch.conv2d(x, y, padding=1)", images(16),
        weights(16, 16, 3, 3), factor=1.5),
    Row("max_pool2d", "max_pool2d(x, 2)", "", "torch.max_pool2d(x, 2)", images(4)),
    Row("avg_pool2d", "avg_pool2d(x, 2)", "", "torch.nn.functional.avg_pool2d(x, 2)", images(4)),
]

CHAPTERS = {"Elementwise": ELEMENTWISE, "Reductions": REDUCE, "Statistics": STATISTICS, "Making tensors": MAKE, "Shapes": SHAPE,
            "Linear algebra": LINEAR, "Signal": SIGNAL}
ROWS = [row for rows in CHAPTERS.values() for row in rows]
