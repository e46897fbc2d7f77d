"""The table of cases: each row's name, who runs it, and what Covec must reach. Times are nanoseconds; "peers" are the servers
and scripts of peers/, "limit" is a program of limits/ with its argument."""

import pathlib
import re
from dataclasses import dataclass, replace

HERE = pathlib.Path(__file__).resolve().parent

MILLISECOND = 1e6
MICROSECOND = 1e3
PEER, LIMIT, ABSOLUTE, GROWTH = "peer", "limit", "absolute", "growth"


@dataclass
class Row:
    name: str
    program: str = ""                 # cases/PROGRAM.covec …
    function: str = "run"             # … and the function that it gives to report()
    peers: tuple = ()
    limit: tuple = ()                 # (program, argument)
    target: str = PEER                # ≤ factor × the fastest peer or the limit; ≤ a time; ≤ factor × the time of another row
    factor: float = 1.0
    goal: float = 0.0                 # a time
    against: str = ""                 # peers that the target counts (all when empty), or the row that is grown from
    threads: tuple = (1,)
    report: str = "report"            # of cases/timing.covec; "process": the whole process; "host": hosts/PROGRAM.c;
                                      # "bytes", "blocks", "mallocs", "making": as hosts/account.c says
    text: str = ""                    # put before the program
    scales: bool = False              # two threads must be 1.8 times as fast as one, or as much as the limit is
    large: bool = False               # left out of a quick run of all cases
    unit: str = "ns"                  # of what is measured; or "bytes", "blocks", "mallocs"


def interpreter_rows():
    lua = ("luajit -joff", "lua", "cpython")
    return [
        Row("interp_loop", "interp_loop", peers=lua, target=ABSOLUTE, goal=20 * MILLISECOND),
        Row("interp_fib", "interp_fib", peers=lua, target=ABSOLUTE, goal=12 * MILLISECOND),
        Row("small_op", "small_op", peers=("numpy", "torch"), limit=("small_op", "add"), target=ABSOLUTE, goal=100),
        Row("small_op_grad", "small_op_grad", peers=("torch",), target=ABSOLUTE, goal=2 * MICROSECOND),
        Row("push_loop", "push_loop", peers=("cpython", "lua", "luajit -joff"), against="cpython"),
        *[Row(f"text_scan.{name}", "text_scan", f"run_{name}", ("cpython",), factor=2)
          for name in ("index", "index_accented", "for", "grown")],
        *[Row(f"long_texts.{name}", "long_texts", f"run_{name}", ("cpython",), factor=2)
          for name in ("tail", "tail_accented", "upper", "upper_accented", "lower", "replace", "replace_accented")],
        *[Row(f"long_lists.{name}", "long_lists", f"run_{name}", ("cpython",), factor=2)
          for name in ("sum", "sort_rising", "sort_shuffled", "sort_texts", "brackets", "grouped", "queue")],
        Row("update_grad.1000", "update_grad", "run_1000", target=""),
        Row("update_grad.10000", "update_grad", "run_10000", target=GROWTH, against="update_grad.1000", factor=12),
    ]


def table_rows(case, names, without_limit=()):
    return [Row(f"{case}.{name}", case, f"run_{name}", ("numpy", "torch"), () if name in without_limit else (case, name),
                threads=(1, 2)) for name in names.split()]


def compiled_rows():
    """What @compile is for. A row NAME.compiled has the peers of NAME."""
    lua = ("luajit", "lua", "cpython")
    compiled = [
        Row("call_add.interpreter", "call_add", "run_interpreter", ("cpython", "torch"), target=ABSOLUTE, goal=60),
        Row("call_add.compiled", "call_add", "run_compiled", ("luajit",), ("loops", "call_add"), ABSOLUTE, goal=5),
        Row("compile_latency.ew_fused", "compile_latency", peers=("torch",), target=ABSOLUTE, goal=0.5 * MILLISECOND,
            report="report_first"),
        Row("compile_latency.ops_1000", "", target=ABSOLUTE, goal=10 * MILLISECOND, report="report_first",
            text=thousand_operations()),
        Row("compile_latency.cold", "compile_cold", target=ABSOLUTE, goal=6 * MILLISECOND, report="process"),
        Row("cond_loop", "cond_loop", peers=lua, limit=("loops", "cond_loop"), target=LIMIT),
        *[Row(f"row_recurrence.{name}", "row_recurrence", f"cases.{name}", ("numpy",), ("row_recurrence", name), LIMIT, 1.3)
          for name in ("short", "wide")],
        Row("pow_loop", "pow_loop", peers=lua, limit=("loops", "pow_loop"), target=LIMIT),
        Row("interp_fib.compiled", "interp_fib_compiled", peers=lua, limit=("loops", "fib")),
        Row("marshal", "marshal", peers=("numpy", "torch"), target=ABSOLUTE, goal=100, report="host"),
        Row("small_vector.turn", "small_vector", "run_turn", limit=("loops", "turn"), target=ABSOLUTE, goal=0.3 * MILLISECOND),
        Row("small_vector.rk4", "small_vector", "run_rk4", limit=("loops", "rk4"), target=ABSOLUTE, goal=25 * MICROSECOND),
        Row("small_vector.grad", "small_vector", "run_grad", limit=("loops", "rk4"), target=LIMIT, factor=6),
        Row("loop_grad", "loop_grad", limit=("loops", "loop_grad"), target=LIMIT, factor=6),
    ]
    elements = (("stencil", "stencil", 1.1), ("slices", "stencil", 1.1), ("rows", "rows", 1.1), ("columns", "columns", 1.1),
                ("product", "product", 1.5), ("squares", "squares", 3.0))
    compiled += [Row(f"elements.{name}", "elements", f"run_{name}", limit=("elements", limit), target=LIMIT, factor=factor)
                 for name, limit, factor in elements]
    compiled += [Row(f"ew_fused.{dtype}", "ew_fused", f"run_{dtype}", ("numpy", "torch"), ("ew_fused", dtype), LIMIT, factor,
                     threads=(1, 2), scales=True) for dtype, factor in (("f32", 1.05), ("f64", 1.0))]
    gradients = (("square", "ew_grad", 1.05), ("where", "ew_grad", 1.1), ("chain", "ew_fused", 1.0))
    compiled += [Row(f"ew_grad_{name}.compiled", "ew_grad_compiled", f"run_{name}", ("torch",), (program, name), LIMIT, factor,
                     threads=(1, 2)) for name, program, factor in gradients]
    compiled += [Row(f"matmul.{size}.compiled", "matmul_compiled", f"square({size})", ("numpy", "torch")) for size in (64, 256, 1000)]
    return compiled


def memory_rows():
    """What memory bounds, on one thread and two, against C: eager as NAME, compiled as NAME.compiled."""
    def both(name, program, function, factor, limit, **more):
        ways = {name: function, f"{name}.compiled": f"{function}_compiled"}
        return [memory_row(row, program, f"cases.{way}", limit, factor, **more) for row, way in ways.items()]

    def memory_row(name, program, function, limit, factor, peers=("numpy", "torch"), threads=(1, 2), **more):
        return Row(name, program, function, peers, limit, LIMIT, factor, threads=threads, scales=len(threads) > 1, **more)

    ways = {"compiled": "f", "eager": "eagerly"}
    large = "ew_grad_chain.10000"
    return [
        *[memory_row(f"crosswise.{way}", "crosswise", f"repeat({f}, 2048)", ("crosswise", "2048"), 1.1) for way, f in ways.items()],
        memory_row("transpose_4096", "crosswise", "repeat(eagerly, 4096)", ("crosswise", "4096"), 1.1),
        memory_row("transpose_4096.compiled", "crosswise", "repeat(f, 4096)", ("crosswise", "4096"), 1.1),
        *both("sum_10M", "large_sums", "sum_10M", 1.0, ("large_sums", "sum_10M")),
        *both("column_sum", "large_sums", "column_sum", 1.1, ("large_sums", "column_sum")),
        *[row for name, factor in (("add_row", 1.3), ("argmax", 2.0), ("sums", 2.0))
          for row in both(f"short_rows.{name}", "short_rows", name, factor, ("short_rows", name), peers=("numpy",), threads=(1,))],
        memory_row("short_rows.halved.compiled", "short_rows", "cases.halved_compiled", ("short_rows", "halved"), 1.3,
                   peers=("numpy",), threads=(1,)),
        *both("softmax_rows", "row_norms", "softmax_rows", 1.05, ("row_norms", "softmax_rows")),
        *both("layernorm", "row_norms", "layernorm", 1.05, ("row_norms", "layernorm")),
        *both("gather_scatter.gather", "gather_scatter", "gather", 1.1, ("gather_scatter", "gather")),
        *both("gather_scatter.scatter", "gather_scatter", "scatter", 1.1, ("gather_scatter", "scatter"), threads=(1,)),
        memory_row("vmap_if.compiled", "vmap_if", "run", ("vmap_if", "branch"), 1.5),
        *[memory_row(f"vmap_if.{name}.compiled", "vmap_if", f"run_{name}", ("vmap_if", name), 2.0) for name in ("functions", "long")],
        memory_row(f"{large}.compiled", "ew_grad_large", "run", ("ew_fused", "chain_10000"), 1.0, peers=("torch",), large=True),
    ]


def product_rows():
    peers, shapes = ("numpy", "torch"), "matmul_shapes"
    squares = {**{str(size): f"square({size}, f32)" for size in (64, 256, 1000, 2048)},
               **{f"f64_{size}": f"square({size}, f64)" for size in (1000, 2048)}}
    eigen = {"8": "square(8)", "32": "square(32)", "batched_4": "cases.batched_4()"}
    return [
        *[Row(f"matmul.{name}", "matmul", function, peers, threads=(1, 2)) for name, function in squares.items()],
        *[Row(f"{shapes}.{name}", shapes, f"cases.{name}()", peers, ("thin_products", name)) for name in ("row", "column")],
        *[Row(f"{shapes}.{name}", shapes, function, peers, ("fixed_sizes", name)) for name, function in eigen.items()],
        Row("small_batch.solve", "small_batch", "run_solve", peers, ("fixed_sizes", "solve"), LIMIT, 1.2),
        Row("small_batch.loop", "small_batch", "run_loop", ("numpy",), ("fixed_sizes", "loop"), LIMIT, 1.2),
        *[Row(name, "dense_relu", function, (*peers, "product"), against="product", threads=(1, 2))
          for name, function in {"dense_relu": "run_eager", "dense_relu.compiled": "run"}.items()],
        Row("einsum_chain.500", "einsum_chain", "chain(500)", peers, factor=1.3, threads=(1, 2)),
        Row("conv2d", "large_builtins", "convolution()", ("torch",), factor=1.25, threads=(1, 2)),
        Row("sort", "large_builtins", "sorting()", peers, threads=(1, 2)),
        Row("randn", "large_builtins", "drawing()", peers, threads=(1, 2)),
    ]


def derivative_rows():
    """Jacobians, steps of training, a mixture's gradient, and what gradients cost beside their functions."""
    small = {"peers": ("torch",), "limit": ("jacobians", "small"), "target": ABSOLUTE}
    steps = {"train_step_sgd": ("sgd", 0.8), "train_step_adam": ("adam", 0.8), "mlp_train_step": ("mlp", 0.9), "rnn_step": ("rnn", 0.9)}
    return [
        Row("jac_small", "jacobians", "run_small", **small, goal=3 * MICROSECOND),
        Row("jac_small.compiled", "jacobians", "run_small_compiled", **small, goal=0.3 * MICROSECOND),
        *jacobian_rows("mlp", ("networks", "jac_mlp"), 1.15),
        *jacobian_rows("ew", ("jacobians", "ew"), 1.1),
        *[Row(name, "training", f"run_{step}", ("torch",), ("networks", step), LIMIT, factor)
          for name, (step, factor) in steps.items()],
        Row("compile_latency.adam_mlp", "training", "first_network_step", target=ABSOLUTE, goal=4.4 * MILLISECOND,
            report="report_first"),
        *mixture_rows("2_5"),
        *mixture_rows("64_25"),
        *gradient_cost_rows(),
        *loop_gradient_rows(),
    ]


def jacobian_rows(name, limit, factor):
    return [Row(f"jac_{name}", "jacobians", f"run_{name}", ("torch",), limit),
            Row(f"jac_{name}.compiled", "jacobians", f"run_{name}_compiled", ("torch",), limit, LIMIT, factor)]


def mixture_rows(sizes):
    """The gradient is judged by its function."""
    rows = {what: Row(f"gmm.{sizes}.{what}", "gmm", f"run_{what}({sizes.replace('_', ', ')})", ("numpy",), ("gmm", f"{sizes}.{what}"))
            for what in ("function", "gradient")}
    return [rows["function"], replace(rows["gradient"], target=GROWTH, against=rows["function"].name, factor=3)]


def loop_gradient_rows():
    """Each gradient is judged by its function; second derivatives are figures."""
    rows, most = [], {"product": 4, "elimination": 3, "pairs": 4, "triple": 4.5, "heat": 4, "filter": 5, "neighbours": 4,
                      "saved": 4, "steps": 6, "nearest": 3}
    for case, factor in most.items():
        function, gradient, second = (Row(f"loops.{case}.{what}", "loop_gradients", f"run_{what}(cases.{case})", target="")
                                      for what in ("function", "gradient", "second"))
        rows += [function, replace(gradient, target=GROWTH, against=function.name, factor=factor), second]
    return rows


def gradient_cost_rows():
    """Of the cases of cases/gradients.covec: memory against the function's (as a figure) and the eager gradient's, blocks, calls of
    malloc, and the time that compiling takes against the function's."""
    def row(kind, case, what="gradient", **more):
        return Row(f"{kind}.{case}", "gradients", f"{what}_of(cases.{case.split('.')[0]})", text="fn prepared(f) = compile(f)\n", **more)

    names, held = ("chain", "loop", "update", "mlp", "mlp_20", "lstm", "conv"), {"report": "bytes", "unit": "bytes"}
    counted = {"report": "blocks", "unit": "blocks", "target": ABSOLUTE, "goal": 0}
    return [
        *[row("grad_memory", name, peers=("function",), target="", **held) for name in names],
        *[row("grad_memory_eager", name, peers=("eager",), against="eager", **held) for name in names],
        *[row("steady_allocs", name, **counted) for name in names],
        *[row("steady_allocs", f"{name}.function", what="function", **counted) for name in names],
        *[row("steady_mallocs", name, peers=("eager",), against="eager", report="mallocs", unit="mallocs") for name in names],
        *[row("grad_compile", name, peers=("function",), against="function", factor=3, report="making") for name in names],
    ]


def thousand_operations():
    lines = ["x = x * y + 0.25", "y = y - x / 3.0", "x = sqrt(abs(x)) + y"]  # eight operations
    body = "\n    ".join(lines * 125)
    return f"@compile\nfn f(x, y) {{\n    {body}\n    return x\n}}\nfn run() {{ f([0.5, 1.5], [1.5, 0.25]) }}\n"


def never_slower_rows(source):
    """Every case of cases/never_slower.covec, compiled; the peer "eager" is the same text without the compiler."""
    names = re.findall(r"^    (\w+): (?:one|two)\(", source, re.MULTILINE)
    return [Row(f"never_slower.{name}", "never_slower", f"cases.{name}", ("eager",), against="eager", report="report_both",
                text="fn prepared(f) = compile(f)\n") for name in names]


def rows():
    elementwise = ("add mul div add_scalar add_row add_column negate abs sqrt exp log sin tanh maximum less where")
    reductions = "sum sum_axis0 sum_axis1 max max_axis0 max_axis1 mean"
    gradients = [Row(f"ew_grad_{name}", "ew_grad", f"run_{name}", ("torch",), ("ew_grad", name) if name != "chain" else (),
                     threads=(1, 2)) for name in ("square", "where", "chain")]
    return [
        *interpreter_rows(),
        *table_rows("elementwise_1000", elementwise, without_limit=("exp", "log", "sin", "tanh")),
        *table_rows("reduce_1000", reductions),
        *product_rows(),
        *memory_rows(),
        *[Row(f"factorizations.{what}_{size}", "factorizations", f"cases.{what}({size})", ("numpy",), factor=1.5, large=size == 2000)
          for what in ("qr", "eigh", "svd", "pinv", "lstsq") for size in (100, 500, 2000)],
        *gradients,
        *compiled_rows(),
        *derivative_rows(),
        *never_slower_rows((HERE / "cases" / "never_slower.covec").read_text()),
    ]


# startup is a case of its own: whole processes, with their memory in KiB.
STARTUP_COMMANDS = {
    "covec": ["{covec}", "-e", "1+1"],
    "lua": ["lua5.4", "-e", "print(1+1)"],
    "cpython": ["/usr/bin/python3", "-c", "print(1+1)"],
    "numpy": ["/usr/bin/python3", "-c", "import numpy; print(numpy.add(1, 1))"],
    "torch": ["/usr/bin/python3", "-c", "import torch; print(torch.tensor(1) + 1)"],
}
STARTUP_TIME = 8 * MILLISECOND
STARTUP_KIB = 15 * 1024
