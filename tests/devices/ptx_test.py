"""ptx_test.py COVEC PTX [PART/PARTS]: every elementwise function, reduction and product as CUDA C, compiled by NVRTC for sm_80 and
sm_90. The PTX has no contraction that we did not write, no approximation and flushes nothing; short elementwise kernels read and
write 16 bytes at once. PTX compiles files (ptx.cpp), and exits with 77 where there is no NVRTC. A part looks at every PARTS-th
function, the first one at the library as well.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

COVEC, PTX = sys.argv[1:3]
PART, PARTS = (int(number) for number in sys.argv[3].split("/")) if len(sys.argv) > 3 else (0, 1)
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


def check(name, path, wide):
    """What is wrong with the PTX of a text."""
    text = path.read_text()
    for architecture in ("80", "90"):
        errors, made = (pathlib.Path(f"{path}.{architecture}{ending}") for ending in (".errors", ""))
        if not made.exists():
            yield f"{name} does not compile for sm_{architecture}:\n{errors.read_text()[:2000]}"
            continue
        ptx = made.read_text()
        found = re.findall(r"\S*\.(?:ftz|approx)\S*", ptx)
        exact = "fmodf(" in text.split("COVEC_KERNEL", 1)[-1]  # CUDA's: estimates inside, which it corrects until it is exact
        if found and not exact:
            yield f"{name}, sm_{architecture}: {sorted(set(found))}"
        if contracts(ptx, text.split("COVEC_KERNEL", 1)[-1]):
            yield f"{name}, sm_{architecture}: a contraction"
        if wide is not None and not all(f"{access}.global.{wide}" in ptx for access in ("ld", "st")):
            yield f"{name}, sm_{architecture}: does not read and write 16 bytes at once"


def texts(folder):
    """Triples of a name, its text, and how it reads 16 bytes at once, if it must: of each function, and of the library."""
    lines = program()
    file = folder / "program.covec"
    file.write_text("\n".join(lines) + "\n")
    for line in lines[PART::PARTS]:
        name = line.split("(")[0][3:]
        for dtype in ("f32", "f64", "i64"):
            dump = subprocess.run([COVEC, "dump", "--cuda", f"{file}:{name}", "--types", f"{dtype}[_, _], {dtype}[_, _]"],
                                  capture_output=True, text=True)
            if dump.returncode == 0:  # else it takes no integers
                yield f"{name} of {dtype}", dump.stdout, WIDE[dtype] if name == "binary0_" else None
    if PART == 0:
        yield "the library", subprocess.run([PTX, "--library"], capture_output=True, text=True).stdout, None


def main():
    if subprocess.run([PTX], capture_output=True).returncode == 77:
        print("SKIPPED: there is no NVRTC")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder, cases = pathlib.Path(folder), []
        for name, text, wide in texts(folder):
            cases.append((name, folder / f"{len(cases)}.cu", wide))
            cases[-1][1].write_text(text)
        done = subprocess.run([PTX, *(path for _, path, _ in cases)], capture_output=True, text=True)
        problems = [problem for case in cases for problem in check(*case)]
    count = sum(name != "the library" for name, _, _ in cases)
    print("\n".join(problems) or f"{count} kernels compile")
    return 1 if problems or done.returncode != 0 or count * PARTS < 100 else 0


sys.exit(main())
