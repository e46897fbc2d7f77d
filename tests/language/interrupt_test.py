#!/usr/bin/env python3
"""Ctrl-C stops a program wherever it is, with the place: in a loop, in a recursion, in an operator on large tensors."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS = {
    "a loop": "print(1)\nwhile true { }\n",
    "a range": "print(1)\nfor i in range(10^15) { x = i }\n",
    "a recursion": "fn f(n) = 0 if n == 0 else f(n - 1) + f(n - 1)\nprint(1)\nf(60)\n",
    "a comprehension over a list": "print(1)\nwhile true { y = list(i for i in range(1000)) }\n",
    "a compiled loop": "@compile\nfn f(x) {\n  while x > 0.0 { x = x + 1.0 }\n  return x\n}\nprint(1)\nf(1.0)\n",
    "a compiled loop over tensors": "@compile\nfn f(x) {\n  for i in range(10^12) { x = x * 1.0000001 }\n"
    "  return x\n}\nprint(1)\nf(ones(1000))\n",
    "a compiled recursion": "@compile\nfn f(n) = 0 if n == 0 else f(n - 1) + f(n - 1)\nprint(1)\nf(60)\n",
    "a compiled recursion that reads": "@compile\nfn f(x, n) = x[0] if n == 0 else f(x, n - 1) + f(x, n - 1)\nprint(1)\nf(ones(9), 60)\n",
    "a compiled recursion on tensors": "@compile\nfn f(x, n) = x if n == 0 else f(x * 0.5, n - 1) + f(x, n - 1)\nprint(1)\nf(ones(9), 60)\n",
    "examples side by side": "fn g(x) {\n  while x > 0.0 { x = x * 1.5 / 1.5 }\n  return x\n}\n"
    "@compile\nfn f(x) = vmap(g)(x)\nprint(1)\nf([1.0, -1.0, 2.0, 0.0, 1.0, 1.0, 3.0, 4.0, 5.0])\n",
    "many examples side by side": "fn g(x) {\n  for i in range(300) { x = x * 1.5 / 1.5 }\n  return x\n}\n"
    "@compile\nfn f(n) {\n  y = zeros(n)\n  for i in range(n) { y[i] = g(0.5 * i) }\n  return y\n}\n"
    "print(1)\nf(20000000)\n",
    "long examples side by side, on one thread": "fn g(x) {\n" + "  x = sin(x) * 1.5 + cos(x)\n" * 200 + "  if x > 0.5 { x = x * 2.0 }\n  return x\n}\n"
    "@compile\nfn f(n) {\n  y = zeros(n, dtype=bool)\n  for i in range(n) { y[i] = g(0.5 * i) > 0.5 }\n  return y\n}\nf(9)\n"
    "print(1)\nf(200000000)\n",
    "what a gradient keeps of a loop": "@compile\nfn f(x) {\n  for t in range(3) { for i in range(len(x)) { x[i] = sin(x[i]) * x[i] } }\n"
    "  return sum(x)\n}\ng = compile(grad(f))\nx = ones(1000000)\nprint(1)\nwhile true { g(x) }\n",
    "the end of a product": "@compile\nfn f(x) {\n  while true { x = tanh(x @ x + 1.0) }\n  return x\n}\n"
    "x = ones(1500, 1500)\nprint(1)\nf(x)\n",
    "an operator": "x = ones(3000, 3000)\nprint(1)\nwhile true { x = x * 1.0000001 }\n",
}
# Of a size for which one call takes seconds: no more than its beginning may run.
for call in ("svd(x)", "eigh(x + x.T)", "qr(x)", "pinv(x)", "lstsq(x, x)", "solve(x, x)", "x @ x", "einsum('ij,jk->ik', x, x)",
             "einsum('ij,jk,kl->il', x, x, x)"):
    PROGRAMS[call] = f"x = randn(1800, 1800)\nprint(1)\nwhile true {{ y = {call} }}\n".replace("'", '"')
# One row, of a prime length: a convolution of twice that.
PROGRAMS["a transform"] = "x = randn(20000003)\nprint(1)\nwhile true { y = _fft_parts(x, x) }\n"


def main():
    command, failures = sys.argv[1], 0
    for name, text in PROGRAMS.items():
        environment = {**os.environ, **({"COVEC_THREADS": "1"} if "one thread" in name else {})}
        with tempfile.TemporaryDirectory() as folder:
            file, begun = pathlib.Path(folder) / "program.covec", pathlib.Path(folder) / "begun.npy"
            file.write_text(text.replace("print(1)", f'save("{begun}", [1])'))
            process = subprocess.Popen([command, file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
            while process.poll() is None and not begun.exists():
                time.sleep(0.01)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            try:
                _, err = process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                err = "it went on"
            if process.returncode != 1 or not err.startswith("error: interrupted\n  --> "):
                failures += 1
                print(f"{name}: status {process.returncode}\n{err}")
    print(f"{failures} failures" if failures else f"{len(PROGRAMS)} programs were stopped")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
