#!/usr/bin/env python3
"""Programs with checkpoint: every kind of control flow in the function that it is given, called in every way. Eager and
compiled, the gradients must be the same bits; without checkpoint the same numbers, added in another order.

    checkpoint_programs.py COMMAND
"""
import concurrent.futures
import math
import os
import re
import subprocess
import sys
import tempfile

import random_programs

# The bodies of block(x, w, r): x a number or vector, w a number, r a record {a, b} of numbers.
BODIES = {
    "straight": "return sin(x) * w + r.a",
    "while": "while sum(x * x) < 10.0 { x = x * w }\n return x",
    "while_and_record": "while sum(x * x) < 10.0 { x = x * w + r.a }\n return x + r.b",
    "while_never": "while sum(x * x) < 0.0 { x = x * w }\n return x * w",
    "while_counted": "s = 0.0 * x\n i = 0\n while i < 4 { s = s + x * w\n i = i + 1 }\n return s",
    "while_two": "y = w * 1.0\n while sum(x * x) < 10.0 { x = x * w\n y = y + x }\n return y * x",
    "for": "for k in range(3) { x = sin(x) * w + k }\n return x",
    "for_chosen": "n = 2 if sum(x) > 0.0 else 3\n for k in range(n) { x = sin(x) * w + k * r.a }\n return x",
    "for_nothing": "for k in range(0) { x = sin(x) * w }\n return x * r.a",
    "for_items": "for k in [0.5, 1.5, 2.5] { x = cos(x * k) * w }\n return x",
    "for_constant": "for k in range(3) { x = x * 1.5 }\n return x",
    "if": "if sum(x) > 0.5 { x = x * w } else { x = x - r.a * w }\n return x * x",
    "if_alone": "if sum(x) > 0.5 { x = x * w }\n return x * x + w",
    "if_not_taken": "if sum(x) > 100.5 { x = x * w }\n return x * r.b + w",
    "if_expression": "return (x * w if sum(x) > 0.5 else x + r.a) * x",
    "early": "if sum(x) > 0.5 { return x * w * r.a }\n x = exp(x)\n return x + w",
    "early_not_taken": "if sum(x) > 100.5 { return x * w * r.a }\n x = exp(x * r.b)\n return x + w",
    "early_in_for": "for k in range(5) { x = x * w\n if sum(x * x) > 6.0 { return x * r.a } }\n return x + w",
    "early_in_while": "while true { x = x * w\n if sum(x * x) > 6.0 { return x * r.a } }\n return x",
    "break": "for k in range(6) { x = x * w + r.a\n if sum(x * x) > 8.0 { break }\n x = x + 0.1 * w }\n return x",
    "break_while": "i = 0\n while true { i += 1\n x = sin(x * w) + 0.3\n if i > 3 or sum(x) > 9.0 { break } }\n"
                   " return x * r.b",
    "continue": "for k in range(6) { if k % 2 == 0 { continue }\n x = x * w + r.a }\n return x",
    "continue_chosen": "for k in range(6) { if sum(x) > 3.0 { continue }\n x = x * w + r.a }\n return x",
    "nested": "for k in range(3) { for j in range(2) { x = sin(x * w) + r.a\n if sum(x) > 1.2 { x = x * 0.5 } } }\n"
              " return x",
    "nested_while": "for k in range(3) { while sum(x * x) < 2.0 + k { x = x * w + 0.1 } }\n return x",
    "record": "s = {p: x, q: w}\n for k in range(3) { s.p = s.p * s.q + r.a\n s.q = s.q * 0.9 }\n return s.p + s.q",
    "record_if": "s = {p: x, q: w}\n if sum(x) > 0.2 { s.p = s.q * r.b } else { s.q = s.p }\n return s.p * s.q",
    "items": "s = [x * 1.0, x * w]\n for k in range(3) { s[0] = s[0] * s[1] + r.a\n s[1] = sin(s[0]) }\n"
             " return s[0] * s[1]",
    "push": "s = list()\n for k in range(3) { x = x * w\n s.push(x) }\n return s[0] + s[1] * s[2]",
    "swap": "y = w * 1.0\n for k in range(3) { t = x\n x = y * r.a\n y = t + y }\n return x * y",
    "tuple": "(a, b) = (x, w * 1.0)\n for k in range(4) { (a, b) = (b, a * r.a + b * 0.5) }\n return a + b",
    "inner_function": "f = t -> t * w + r.a\n for k in range(3) { x = f(x) }\n return x",
    "inner_checkpoint": "f = checkpoint(t -> sin(t * w) + r.a)\n for k in range(3) { x = f(x) }\n return x",
    "inner_loop": "fn g(t, n) { for k in range(n) { t = t * w + r.b }\n return t }\n f = checkpoint(g)\n"
                  " for k in range(2) { x = f(x, k + 1) }\n return x",
    "defined_on_one_path": "if sum(x) > 0.5 { y = x * w }\n if sum(x) > 0.5 { return y * r.a }\n return x",
    "alias": "y = x\n for k in range(3) { x = x * w + y }\n return x + y",
    "alias_while": "y = x * w\n z = y\n while sum(z * z) < 20.0 { z = z * 1.7 + y }\n return z * y",
}

# The bodies of loss(w, x, a), which calls BLOCK; KEEP is checkpoint.
CALLS = {
    "direct": "return sum(BLOCK(x, w, {a: a, b: 0.7}))",
    "invariant": "return sum(BLOCK(x, w, {a: 0.3, b: 0.7}))",
    "constant_x": "return sum(BLOCK(X0, w, {a: 0.3, b: 0.7})) * a",
    "constant_w": "return sum(BLOCK(x, 1.4, {a: a, b: 0.7})) * w",
    "twice": "y = BLOCK(x, w, {a: a, b: 0.7})\n return sum(BLOCK(y * 0.3, w, {a: 0.3, b: a}))",
    "beside": "return sum(BLOCK(x, w, {a: a, b: a})) + sum(BLOCK(x, w, {a: a, b: w})) * w + sum(x)",
    "in_for": "for k in range(2) { x = BLOCK(x * 0.5, w, {a: a, b: 0.7}) }\n return sum(x)",
    "in_while": "n = 0\n while n < 2 and sum(x) < 1000.0 { x = BLOCK(x * 0.5, w, {a: a, b: 0.7})\n n += 1 }\n"
                " return sum(x) * w",
    "in_if": "if w > 1.0 { x = BLOCK(x, w, {a: a, b: 0.7}) } else { x = x * w }\n return sum(x)",
    "in_if_not_taken": "if w > 100.0 { x = BLOCK(x, w, {a: a, b: 0.7}) } else { x = x * w }\n return sum(x) * a",
    "closure": "f = KEEP((t, r) -> PLAIN(t, w + a, r))\n return sum(f(x, {a: a, b: 0.7}))",
    "nested": "f = KEEP((t, u, r) -> BLOCK(t, u, r) * u)\n return sum(f(x, w, {a: a, b: 0.7}))",
    "vmapped": "return sum(vmap(t -> sum(BLOCK(x, w * t, {a: a, b: 0.7})))([0.9, 1.0, 1.1]))",
}

# Every line's name says which lines must agree.
PROGRAM = random_programs.SPARSE.replace("{", "{{").replace("}", "}}") + """fn PLAIN(x, w, r) {{
 {body}
}}
BLOCK = checkpoint(PLAIN)
KEEP = checkpoint
fn loss(w, x, a) {{
 {call}
}}
fn plain(w, x, a) {{
 {plain_call}
}}
fn both(w, x, a) = (loss(w, x, a), grad(loss, wrt=(0, 1, 2))(w, x, a), loss(w, x, a) * 2.0)
fn show(name, f) {{ print(name, f(1.4, {x}, 0.3), digits=17) }}
for f in (plain, loss, compile(loss)) {{ show("value", f) }}
for f in (plain, loss, compile(plain), compile(loss)) {{ show("gradient", grad(f, wrt=(0, 1, 2))) }}
show("gradient", compile(grad(loss, wrt=(0, 1, 2))))
show("gradient", compile(grad(plain, wrt=(0, 1, 2))))
for f in (both, compile(both)) {{ show("both", f) }}
show("by_w", grad(loss))
show("by_w", compile((w, x, a) -> vjp(t -> loss(t, x, a), w)[1](1.0)))
show("by_w", compile((w, x, a) -> jvp(t -> loss(t, x, a), w, 1.0)[1]))
fn second(w, x, a) = grad(t -> grad(loss)(t, x, a))(w)
for f in (second, compile(second), (w, x, a) -> grad(t -> grad(plain)(t, x, a))(w)) {{ show("second", f) }}
fn mapped(w, x, a) = vmap(t -> grad(loss)(t, x, a))([w, w * 0.9])
for f in (mapped, compile(mapped)) {{ show("mapped", f) }}
faults = sparse_faults(t -> loss(1.4 + 0.1 * t, {x}, 0.3), 1.0) + sparse_faults(t -> grad(loss)(1.4, t, 0.3), {x})
for fault in faults {{ print("sparse", fault) }}
"""


def program(body, call, vector):
    call = CALLS[call].replace("X0", "[0.8, 0.7]" if vector else "0.8")
    plain = re.sub(r"\bBLOCK\b", "PLAIN", call).replace("KEEP", "")
    x = "[0.8, 0.6]" if vector else "0.8"
    return PROGRAM.format(body=BODIES[body], call=call, plain_call=plain, x=x)


def programs():
    for i, body in enumerate(BODIES):
        for j, call in enumerate(CALLS):
            vector = (i + j) % 2 == 1
            yield f"{body}, {call}, {'vector' if vector else 'number'}", program(body, call, vector)


def numbers(text):
    return [float(part) for part in re.findall(r"-?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)", text)]


def close(a, b):
    a, b = numbers(a), numbers(b)
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-10, abs_tol=1e-12) for x, y in zip(a, b))


def differences(output):
    lines = {}
    for line in output.replace("\n ", " ").splitlines():
        name, value = line.split(" ", 1)
        lines.setdefault(name, []).append(value)
    return [f"{name}: {values}" for name, values in lines.items()
            if name == "sparse" or not all(close(v, values[0]) for v in values)]


def run(command, path, engine):
    done = subprocess.run([command, path], capture_output=True, text=True, check=False,
                          env=dict(os.environ, COVEC_ENGINE=engine))
    return done.returncode, done.stdout, done.stderr


def examine(command, folder, number, text):
    path = os.path.join(folder, f"{number}.covec")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    eager, compiled = run(command, path, "eager"), run(command, path, "compiled")
    if eager[0] != 0:
        return [eager[2]]
    if eager != compiled:
        return [f"eager and compiled differ:\n{eager[1]}{eager[2]}---\n{compiled[1]}{compiled[2]}"]
    return differences(eager[1])


def main():
    command = os.path.abspath(sys.argv[1])
    failed, all_programs = 0, list(programs())
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(examine, command, folder, n, text) for n, (_, text) in enumerate(all_programs)]
        for (name, text), job in zip(all_programs, jobs):
            found = job.result()
            failed += bool(found)
            if found:
                print(f"=== {name}\n{text}\n" + "\n".join(found))
    print(f"{len(all_programs)} programs, {failed} differ")
    return failed > 0 or len(all_programs) < 135


if __name__ == "__main__":
    sys.exit(main())
