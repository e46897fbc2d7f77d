"""ptx_test.py COVEC PTX: every elementwise function, reduction and product as CUDA C, compiled by NVRTC for sm_80 and
sm_90. The PTX has no contraction that we did not write, no approximation and flushes nothing; short elementwise kernels read and
write 16 bytes at once. PTX compiles standard
input for the architecture that its argument names, and exits with 77 where there is no NVRTC.
"""
import re
import subprocess
import sys
import tempfile

COVEC, PTX = sys.argv[1:]
UNARY = ("abs sign floor ceil round trunc sqrt exp expm1 log log1p log2 log10 sin cos tan sinh cosh tanh asin acos atan asinh acosh "
         "atanh sigmoid relu softplus erf erfc lgamma digamma cbrt isnan isinf isfinite").split()
BINARY = "+ - * / // % ^ < <= == !=".split()
WIDE = {"f32": "v4", "f64": "v2", "i64": "v2"}  # 16 bytes
REDUCTIONS = "sum mean prod max min any all".split()


def program():
    lines = []
    for name in UNARY:
        lines.append(f"fn {name}_(x, y) = {name}(x * y)")
    for k, op in enumerate(BINARY):
        lines.append(f"fn binary{k}_(x, y) = (x + y) {op} y")
    for name in REDUCTIONS:
        lines.append(f"fn {name}_last(x, y) = {name}(x * y, axis=1)")
        lines.append(f"fn {name}_first(x, y) = {name}(x * y, axis=0)")
    lines.append("fn mixed_(x, y) = where(x > y, fma(x, y, 2.0), f32(x) - i64(y)) * f16(x)")
    return lines


def contracts(ptx, c):
    """Whether the PTX has more fused multiply-adds than the text asks for."""
    return "fma" in ptx and "fma(" not in c and "fmaf(" not in c


def check(name, text, problems, wide=None):
    for architecture in ("80", "90"):
        done = subprocess.run([PTX, architecture], input=text, capture_output=True, text=True)
        if done.returncode == 77:
            return 77
        if done.returncode != 0:
            problems.append(f"{name} does not compile for sm_{architecture}:\n{done.stderr[:2000]}")
            continue
        found = re.findall(r"\S*\.(?:ftz|approx)\S*", done.stdout)
        exact = "fmodf(" in text.split("COVEC_KERNEL", 1)[-1]  # CUDA's: estimates inside, which it corrects until it is exact
        if found and not exact:
            problems.append(f"{name}, sm_{architecture}: {sorted(set(found))}")
        if contracts(done.stdout, text.split("COVEC_KERNEL", 1)[-1]):
            problems.append(f"{name}, sm_{architecture}: a contraction")
        if wide is not None and not all(f"{access}.global.{wide}" in done.stdout for access in ("ld", "st")):
            problems.append(f"{name}, sm_{architecture}: does not read and write 16 bytes at once")
    return 0


def main():
    problems, count = [], 0
    lines = program()
    with tempfile.NamedTemporaryFile("w", suffix=".covec") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        for line in lines:
            name = line.split("(")[0][3:]
            for dtype in ("f32", "f64", "i64"):
                dump = subprocess.run([COVEC, "dump", "--cuda", f"{file.name}:{name}", "--types", f"{dtype}[_, _], {dtype}[_, _]"],
                                      capture_output=True, text=True)
                if dump.returncode != 0:  # it takes no integers
                    continue
                wide = WIDE[dtype] if name == "binary0_" else None
                if check(f"{name} of {dtype}", dump.stdout, problems, wide) == 77:
                    print("SKIPPED: there is no NVRTC")
                    return 77
                count += 1
    for library in ("--library",):
        done = subprocess.run([PTX, library], capture_output=True, text=True)
        check("the library", done.stdout, problems)
    print("\n".join(problems) or f"{count} kernels compile")
    return 1 if problems or count < 100 else 0


sys.exit(main())
