"""The results as Markdown: a section for each machine, in it a table for each group of cases. Start reading at put_into().

A table has only the columns that its rows fill. A number of threads, or a target, that all its rows share stands above it."""

import re

BEGIN, END = "<!-- results -->", "<!-- end of results -->"
COLUMNS = ("case", "threads", "covec", "peer", "limit", "÷ peer", "÷ limit", "target", "× one thread", "calls to gain", "verdict")

GROUPS = {
    "Start": "startup",
    "Interpreter": "new_shape interp_loop interp_fib small_op small_op_grad push_loop text_scan long_texts long_lists "
                   "update_grad",
    "Elementwise operators and reductions": "elementwise_1000 reduce_1000",
    "Matrix products and large builtins": "matmul matmul_shapes small_batch dense_relu einsum_chain conv2d sort randn",
    "Factorizations": "factorizations",
    "Bound by memory": "crosswise transpose_4096 sum_10M column_sum short_rows softmax_rows layernorm gather_scatter vmap_if",
    "Compiled code": "call_add compile_latency interp_fib.compiled cond_loop row_recurrence pow_loop marshal small_vector loop_grad "
                     "elements ew_fused",
    "Derivatives and training": "ew_grad_square ew_grad_where ew_grad_chain jac_small jac_mlp jac_ew train_step_sgd train_step_adam "
                                "mlp_train_step rnn_step gmm loops",
    "What gradients cost": "grad_memory grad_memory_eager steady_allocs steady_mallocs grad_compile",
    "Compiled beside eager": "never_slower",
}

NEW = f"""# Results

Written by `python3 tests/bench/run.py --document docs/performance_results.md`, and by `tests/bench/modules/run.py` and
`tests/bench/sweep.py` with the same option. [performance.md](performance.md) says how they measure and what the columns mean.

{BEGIN}
{END}

## Modules

<!-- modules: begin -->
<!-- modules: end -->

## Every builtin

<!-- sweep -->
<!-- end of sweep -->
"""


def group_of(case):
    """The group that names the row, or else its case."""
    named = (title for name in (case, case.split(".")[0]) for title, names in GROUPS.items() if name in names.split())
    return next(named, "Other cases")


def table(rows):
    """Of dictionaries from COLUMNS to text."""
    first = rows[0]
    shared = {name: first[name] for name in ("threads", "target")
              if first.get(name) and all(row.get(name) == first[name] for row in rows)}
    kept = [name for name in COLUMNS if name not in shared and any(row.get(name) for row in rows)]
    lines = [f"All rows: {', '.join(f'{name} {value}' for name, value in shared.items())}.", ""] if shared else []
    lines += ["| " + " | ".join(kept) + " |", "| --- " * len(kept) + "|"]
    return lines + [re.sub(r"\|  (?=\|)", "| ", "| " + " | ".join(row.get(name, "") for name in kept) + " |") for row in rows]


def section(machine, rows):
    lines = [f"## {machine}", ""]
    for title in [*GROUPS, "Other cases"]:
        if found := [row for row in rows if group_of(row["case"]) == title]:
            lines += [f"### {title}", "", *table(found), ""]
    return "\n".join(lines) + "\n"


def put_into(path, machine, rows, pictures):
    """Replaces the machine's section, or adds it before the others. The charts are of the last run."""
    text = path.read_text(encoding="utf-8") if path.exists() else NEW
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    others = [part for part in re.split(r"^(?=## )", old, flags=re.MULTILINE)[1:] if not part.startswith(f"## {machine}\n")]
    charts = "".join(f"![{title}](pictures/{file})\n\n" for file, title in pictures)
    path.write_text(f"{before}{BEGIN}\n{charts}{section(machine, rows)}{''.join(others)}{END}{after}", encoding="utf-8")
