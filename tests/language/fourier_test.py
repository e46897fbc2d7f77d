#!/usr/bin/env python3
"""Fourier transforms against NumPy's, of many lengths and both float dtypes, and the module fft with its axes, lengths and norms;
that every instruction set gives the same bits, on any number of threads and compiled; and that plans go where memory runs short.

    fourier_test.py COMMAND ISA…
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
LENGTHS = [*range(1, 65), 100, 127, 128, 243, 343, 1000, 1009, 1024, 4096, 10007]
DTYPES = {"f64": "float64", "f32": "float32"}
BOUND = 3  # of the largest error beside the mean size of a result, in units of its precision times log2 of the length

PROGRAM = """
for n in [{lengths}] {{
    for dtype in ["f64", "f32"] {{
        re, im = load(f"{{dtype}}_re_{{n}}.npy"), load(f"{{dtype}}_im_{{n}}.npy")
        h = n // 2 + 1
        save(f"{{dtype}}_fft_{{n}}.npy", _fft_parts(re, im))
        save(f"{{dtype}}_ifft_{{n}}.npy", _fft_parts(re, im, scale=2, inverse=true))
        save(f"{{dtype}}_rfft_{{n}}.npy", _rfft_parts(re, scale=1))
        save(f"{{dtype}}_irfft_{{n}}.npy", _irfft_parts(re[:, :h], im[:, :h], n, scale=2))
    }}
}}
"""

# Functions of the module, arguments as both languages write them, and whether the result is real.
ONE_AXIS = [f"{n}axis={axis}, norm=\"{norm}\"" for n in ("", "n=3, ", "n=8, ") for axis in (-1, 0, 1) for norm in ("backward", "ortho", "forward")]
SEVERAL = ["", "axes=(0, 1)", "s=(4, 5)", "s=(3, 9), axes=(2, 0), norm=\"ortho\"", "axes=(1,), norm=\"forward\""]
CALLS = ([(name, arguments) for name in ("fft", "ifft", "rfft", "irfft") for arguments in ONE_AXIS] +
         [(name, arguments) for name in ("fftn", "ifftn", "rfftn", "irfftn") for arguments in SEVERAL] +
         [(name, arguments) for name in ("fft2", "ifft2", "rfft2", "irfft2") for arguments in ("", "s=(2, 7)", "axes=(0, -1)")])

# 64 MiB, of which a tensor takes all but one: the plan of 2^18 numbers, some 4 MB, must go, and is made again.
MEMORY = """
fn first(n) {
    x = ones(n)
    return _fft_parts(x, x)[0, 0]
}
print(first(2^18))
x = zeros(63 * 2^17)
print(x[0], first(2^10))
x = 0
print(first(2^18))
"""


def run(covec, text, folder, *options, **variables):
    program = pathlib.Path(folder) / "program.covec"
    program.write_text(text)
    done = subprocess.run([covec, *options, program], cwd=folder, capture_output=True, text=True, env={**os.environ, **variables})
    if done.returncode != 0:
        raise SystemExit(f"status {done.returncode}\n{done.stderr}")
    return done.stdout


# Leaves the results there.
def check_bits(covec, isas, folder):
    text, first, failures = PROGRAM.format(lengths=", ".join(map(str, LENGTHS))), None, 0
    ways = [{"COVEC_ISA": isa, **({"COVEC_THREADS": "1"} if isa == "baseline" else {})} for isa in isas]
    for variables in [*ways, {"COVEC_ENGINE": "compiled"}]:
        run(covec, text, folder, **variables)
        bits = {path.name: path.read_bytes() for path in pathlib.Path(folder).glob("*fft_*.npy")}
        first = first or bits
        if len(bits) != 8 * len(LENGTHS):
            failures += 1
            print(f"{len(bits)} results with {variables}")
        for name in sorted(name for name in bits if bits[name] != first[name]):
            failures += 1
            print(f"{name} has other bits with {variables}")
    return failures


def check_values(numpy, covec, isas, folder):
    random, inputs = numpy.random.default_rng(1), {}
    for n in LENGTHS:
        for dtype, name in DTYPES.items():
            parts = [random.normal(size=(3, n)).astype(name) for _ in range(2)]
            for part, label in zip(parts, ("re", "im")):
                numpy.save(f"{folder}/{dtype}_{label}_{n}.npy", part)
            inputs[n, dtype] = parts
    failures = check_bits(covec, isas, folder)
    for (n, dtype), (re, im) in inputs.items():
        z, h = re.astype(complex) + 1j * im.astype(float), n // 2 + 1
        expected = {"fft": numpy.fft.fft(z), "ifft": numpy.fft.ifft(z),
                    "rfft": numpy.fft.rfft(re.astype(float), norm="ortho"), "irfft": numpy.fft.irfft(z[:, :h], n)}
        for name, value in expected.items():
            got = numpy.load(f"{folder}/{dtype}_{name}_{n}.npy")
            if str(got.dtype) != DTYPES[dtype]:
                failures += 1
                print(f"{name} of {dtype} is {got.dtype}")
            got = got.astype(float) if name == "irfft" else got[0] + 1j * got[1].astype(float)
            size = numpy.sqrt(numpy.mean(abs(value) ** 2))
            error = numpy.max(abs(got - value)) / size / numpy.finfo(DTYPES[dtype]).eps / max(1, numpy.log2(n))
            if not error <= BOUND:
                failures += 1
                print(f"{name} of {n} numbers of {dtype}: an error of {error:.2g} units")
    return failures


# What NumPy makes of the spectrum first, cut or filled up with zeros, and fft.irfft asks the caller for.
def fitted(numpy, z, name, arguments):
    given = eval(f"dict({arguments})")
    n, axis = given.get("n"), given.get("axis", -1)
    if "s" in given:
        n, axis = given["s"][-1], given.get("axes", (-1,))[-1]
    if not name.startswith("irfft") or n is None:
        return z
    rows = numpy.moveaxis(z, axis, -1)
    rows = numpy.pad(rows, ((0, 0), (0, 0), (0, n)))[..., :n // 2 + 1]
    return numpy.moveaxis(rows, -1, axis)


def check_module(numpy, covec, folder):
    random, lines, failures = numpy.random.default_rng(2), ["import fft", 'z = load("z.npy")'], 0
    z = random.normal(size=(4, 5, 6)) + 1j * random.normal(size=(4, 5, 6))
    numpy.save(f"{folder}/z.npy", z)
    for i, (name, arguments) in enumerate(CALLS):
        numpy.save(f"{folder}/{i}.npy", fitted(numpy, z, name, arguments))
        x = "real(z)" if name.startswith("rfft") else f'load("{i}.npy")' if name.startswith("irfft") else "z"
        lines += [f"y = fft.{name}({x}{', ' if arguments else ''}{arguments})", f'save("{i}_re.npy", real(y))', f'save("{i}_im.npy", imag(y))']
    run(covec, "\n".join(lines), folder)
    for i, (name, arguments) in enumerate(CALLS):
        x = z.real if name.startswith("rfft") else z
        expected = eval(f"function(x, {arguments})", {"function": getattr(numpy.fft, name), "x": x})
        got = numpy.load(f"{folder}/{i}_re.npy") + 1j * numpy.load(f"{folder}/{i}_im.npy")
        if got.shape != expected.shape or numpy.max(abs(got - expected)) > 1e-13 * (1 + numpy.max(abs(expected))):
            failures += 1
            print(f"fft.{name}(x, {arguments}) differs")
    return failures


def main():
    covec = os.path.abspath(sys.argv[1])
    try:
        import numpy
    except ImportError:
        if sys.executable != "/usr/bin/python3":  # Debian's packages are for Debian's Python
            os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
        print("SKIPPED: NumPy is not here; apt-get install python3-numpy")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        failures = check_values(numpy, covec, sys.argv[2:], folder) + check_module(numpy, covec, folder)
        printed = run(covec, MEMORY, folder, "--sandbox", "--memory", "64").split()
    if printed != ["262144.0", "0.0", "1024.0", "262144.0"]:
        failures += 1
        print("with little memory:", printed)
    print(f"{failures} failures" if failures else f"{8 * len(LENGTHS) + len(CALLS)} transforms agree with NumPy's")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
