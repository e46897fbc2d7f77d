#!/usr/bin/env python3
"""Random einsums of three to eight operands against sums written out in plain Python: any letters, repeated ones, extents of
0 and 1, stretched operands. Their gradients against finite differences, compiled code and `vmap` against eager code to the bit.

    einsum_test.py COMMAND SEED ISA…
"""
import itertools
import os
import random
import subprocess
import sys
import tempfile

CASES = 120
PRELUDE = """fn near(a, b) = a.shape == b.shape and all(abs(a - b) <= 1e-9 * (1 + abs(b)))
fn check(name, holds) { if not holds { print("wrong:", name) } }
"""


def size(shape):
    elements = 1
    for extent in shape:
        elements *= extent
    return elements


def element(tensor, indices):
    shape, numbers = tensor
    at = 0
    for extent, index in zip(shape, indices):
        at = at * extent + (index if extent != 1 else 0)
    return numbers[at]


def by_definition(terms, output, operands, extents):
    reduced = sorted(set("".join(terms)) - set(output))
    numbers = []
    for outer in itertools.product(*[range(extents[letter]) for letter in output]):
        total = 0.0
        for inner in itertools.product(*[range(extents[letter]) for letter in reduced]):
            at = dict(zip(output, outer)) | dict(zip(reduced, inner))
            product = 1.0
            for term, operand in zip(terms, operands):
                product *= element(operand, [at[letter] for letter in term])
            total += product
        numbers.append(total)
    return [extents[letter] for letter in output], numbers


def written(tensor):
    shape, numbers = tensor
    dimensions = "(" + "".join(f"{extent}, " for extent in shape) + ")"
    if not shape:
        return str(numbers[0])
    return f"reshape(tensor({numbers}), {dimensions})" if numbers else f"zeros({dimensions})"


def random_case(choose):
    """The subscripts, the operands, and every letter's extent; not too many terms to add up here."""
    while True:
        letters = "abcdefg"[:choose.randint(1, 6)]
        extents = {letter: choose.choice([0, 1, 2, 2, 2, 3, 3, 3, 4]) for letter in letters}
        terms = ["".join(choose.choices(letters, k=choose.randint(0, 3))) for _ in range(choose.randint(3, 8))]
        used = sorted(set("".join(terms)))
        if size(extents[letter] for letter in used) < 3000:
            break
    output = "".join(choose.sample(used, choose.randint(0, min(len(used), 4))))
    operands, whole = [], set()
    for term in terms:
        shape = [1 if letter in output and letter in whole and choose.random() < 0.2 else extents[letter] for letter in term]
        whole |= set(term)
        operands.append((shape, [float(choose.randint(-3, 3)) for _ in range(size(shape))]))
    return terms, output, operands, extents


def program(seed):
    choose = random.Random(seed)
    lines = [PRELUDE]
    for _ in range(CASES):
        terms, output, operands, extents = random_case(choose)
        subscripts = f"{','.join(terms)}->{output}"
        first, *rest = map(written, operands)
        rest = ", ".join(rest)
        expected = written(by_definition(terms, output, operands, extents))
        lines += [f'f = x -> einsum("{subscripts}", x, {rest})', f"x = {first}"]
        checks = {
            "": f"near(f(x), {expected})",
            "compiled": "all(compile(f)(x) == f(x))",
            "vmap": "all(vmap(f)(stack((0 * x, 2 * x)))[1] == f(2 * x))",
        }
        if 0 < size(operands[0][0]) < 10:
            lines.append("s = x -> sum(f(x)) / 1024")
            checks |= {
                "gradient": "check_grad(s, x) < 1e-5",
                "compiled gradient": "all(compile(grad(s))(x) == grad(s)(x))",
                "vmap of the gradient": "all(vmap(grad(s))(stack((0 * x, 2 * x)))[1] == grad(s)(2 * x))",
            }
        lines += [f'check("{subscripts} {what}", {holds})' for what, holds in checks.items()]
    return "\n".join(lines) + "\nprint(\"done\")\n"


def main():
    command, seed, isas = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    with tempfile.NamedTemporaryFile("w", suffix=".covec") as file:
        file.write(program(seed))
        file.flush()
        for isa in isas:
            ran = subprocess.run([command, file.name], capture_output=True, text=True, timeout=300, env={**os.environ, "COVEC_ISA": isa})
            if ran.returncode != 0 or ran.stdout != "done\n":
                sys.exit(f"{isa}, seed {seed}, status {ran.returncode}\n{ran.stdout}{ran.stderr}")


if __name__ == "__main__":
    main()
