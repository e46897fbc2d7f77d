"""What tests with random programs share: what writes them, and what runs them and compares."""
import argparse
import os
import random
import subprocess
import sys
import tempfile

AT_ONCE = 10  # programs in a file

# The sign and payload of a NaN are nobody's.
PLAIN = "fn plain(tree) = tree_map(y -> where(isnan(y), 123456.0, y), tree)\n"

# What is wrong with sparse Jacobians of f: entries of dense ones that patterns lack, and numbers that differ at three points. Forward
# ones have the bits of dense ones; others agree up to rounding. Where a dense one is not finite, columns of one colour are not apart.
SPARSE = """import sparse
fn spread(a) {
    entries = zeros(a.shape[0], a.shape[1], dtype=a.data.dtype)
    for i in range(a.shape[0]) {
        row = (a.indptr[i], a.indptr[i + 1])
        entries[i, a.indices[row[0]:row[1]]] = a.data[row[0]:row[1]]
    }
    return entries
}
fn sparse_faults(f, x, rounding=1e-12) {
    faults = list()
    g = y -> tree_vector(f(y))[0]
    for mode in ("forward", "reverse", "auto") {
        made, rows = jacobian(g, sparse=true, mode=mode), none
        for point in (x, 0.75 * x, x + 0.25 * sin(40 * x)) {
            try { dense = jacobian(g, mode=mode)(point) } catch err { continue }
            if same(rows, none) { rows = len(g(point)) }
            if len(g(point)) != rows { continue }    # a pattern is of results of one size
            p = sparse.pattern(g, point)
            dense = reshape(dense, p.shape)
            lacks = (dense != 0) & isfinite(dense) & (spread({...p, data: ones(len(p.indices))}) == 0)
            if any(lacks) { faults.push(f"{mode}: the pattern lacks {nonzero(lacks)}") }
            if not all(isfinite(dense)) { continue }
            off = abs(spread(made(point)) - dense)
            most = (rounding if same(dense.dtype, f64) else 1e-4) * (1 + norm(reshape(dense, -1)))
            if any(off > (0.0 if mode == "forward" else most)) { faults.push(f"{mode}: off by {max(off)} at {point}") }
        }
    }
    return faults
}
"""


class Writer:
    """Of one program, which its seed tells."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def one_of(self, items):
        return self.random.choice(items)


def parser(doc, programs):
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("covec")
    made.add_argument("--programs", type=int, default=programs)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--long", action="store_true")
    return made


def run(covec, folder, text):
    path = os.path.join(folder, "f.covec")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([covec, path], capture_output=True, text=True, timeout=300)


def script(head, program, seeds):
    text = head
    for seed in seeds:
        f = f"p{seed}"  # f32 is a dtype
        text += program(seed).text(f) + f'try {{ check_{f}() }} catch err {{ print("{f}", "fails", err.message) }}\n'
    return text


def compare(doc, head, program):
    """Runs programs that print what differs. `program(seed).text(f)` has a function f, and check_f, which compares."""
    args = parser(doc, 200).parse_args()
    programs, bad = 5000 if args.long else args.programs, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + programs, AT_ONCE):
            seeds = range(seed, min(seed + AT_ONCE, args.seed + programs))
            done = run(args.covec, folder, script(head, program, seeds))
            if done.returncode != 0 or done.stdout:
                names = sorted({line.split()[0] for line in done.stdout.splitlines() if " differs" in line or " fails" in line})
                bad += max(1, len(names))
                print(f"--- seeds from {seed}: status {done.returncode}\n{done.stdout[:4000]}{done.stderr[-2000:]}")
                for name in names:
                    print(program(int(name[1:])).text(name))
    print(f"{programs} programs, {bad} differ")
    sys.exit(1 if bad else 0)
