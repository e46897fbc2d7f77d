"""The table of cases: each row's name, who runs it, and what Covec must reach. Times are nanoseconds; "peers" are the servers
and scripts of peers/, "limit" is a program of limits/ with its argument."""

from dataclasses import dataclass

MILLISECOND = 1e6
MICROSECOND = 1e3
PEER, ABSOLUTE, GROWTH = "peer", "absolute", "growth"


@dataclass
class Row:
    name: str
    program: str = ""                 # cases/PROGRAM.covec …
    function: str = "run"             # … and the function that it gives to report()
    peers: tuple = ()
    limit: tuple = ()                 # (program, argument)
    target: str = PEER                # ≤ factor × the fastest peer; ≤ a time; ≤ factor × the time of another row
    factor: float = 1.0
    goal: float = 0.0                 # a time
    against: str = ""                 # peers that the target counts (all when empty), or the row that is grown from
    threads: tuple = (1,)


def interpreter_rows():
    lua = ("luajit -joff", "lua", "cpython")
    return [
        Row("interp_loop", "interp_loop", peers=lua, target=ABSOLUTE, goal=20 * MILLISECOND),
        Row("interp_fib", "interp_fib", peers=lua, target=ABSOLUTE, goal=12 * MILLISECOND),
        Row("small_op", "small_op", peers=("numpy", "torch"), limit=("small_op", "add"), target=ABSOLUTE, goal=100),
        Row("small_op_grad", "small_op_grad", peers=("torch",), target=ABSOLUTE, goal=2 * MICROSECOND),
        Row("push_loop", "push_loop", peers=("cpython", "lua", "luajit -joff"), against="cpython"),
        Row("update_grad.1000", "update_grad", "run_1000", target=""),
        Row("update_grad.10000", "update_grad", "run_10000", target=GROWTH, against="update_grad.1000", factor=12),
    ]


def table_rows(case, names, factor=1.0, without_limit=()):
    return [Row(f"{case}.{name}", case, f"run_{name}", ("numpy", "torch"), () if name in without_limit else (case, name),
                factor=factor, threads=(1, 2)) for name in names.split()]


def rows():
    elementwise = ("add mul div add_scalar add_row add_column negate abs sqrt exp log sin tanh maximum less where")
    reductions = "sum sum_axis0 sum_axis1 max max_axis0 max_axis1 mean"
    products = "64 256 1000"
    gradients = [Row(f"ew_grad_{name}", "ew_grad", f"run_{name}", ("torch",), ("ew_grad", name) if name != "chain" else (),
                     threads=(1, 2)) for name in ("square", "where", "chain")]
    return [
        *interpreter_rows(),
        *table_rows("elementwise_1000", elementwise, without_limit=("exp", "log", "sin", "tanh")),
        *table_rows("reduce_1000", reductions),
        *table_rows("matmul", products, factor=1.3, without_limit=products.split()),
        *gradients,
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
