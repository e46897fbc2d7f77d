"""The scripts that tools/wasm/test runs by the module and by the native command: those of tests/language and tests/errors, the
programs of the generators of tests/grad, the samples of all entries, each elementwise operator on 10^6 numbers, special functions
of 10^4 random arguments, and linear algebra. Start at all_scripts().
"""
import array
import dataclasses
import os
import random
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/language"))
import run_scripts  # noqa: E402

NUMBERS = 1_000_000  # of each elementwise operator, and dtype
LARGEST = 1 << 24    # bytes of a file that a script is given

# Generators of tests/grad that run programs by a command, and how many programs they are to draw.
GENERATORS = [
    ["checkpoint_programs.py"], ["hidden_captures.py"], ["control_flow.py", "--programs", "100"],
    ["element_loops.py", "--programs", "100"], ["lanes.py", "--programs", "100"], ["row_programs.py", "--programs", "100"],
    ["taylor/check.py", "--count", "60", "--seed", "1"],
]


@dataclasses.dataclass
class Script:
    name: str               # tests/language/closures, samples/exp, elementwise/f32/exp
    file: str
    given: list             # paths of files that it can read
    writes: str = ""        # a file that is compared, too
    must_end: bool = False  # an error in it is a failure, though both tell it


def files_of(folder, depth):
    paths = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir() and depth > 0:
            paths += files_of(entry.path, depth - 1)
        if entry.is_file() and entry.stat().st_size <= LARGEST:
            paths.append(entry.path)
    return paths


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def language():
    folder = os.path.join(ROOT, "tests/language")
    given = files_of(folder, 1)
    return [Script(f"tests/language/{name[:-6]}", os.path.join(folder, name), given)
            for name in sorted(os.listdir(folder)) if name.endswith(".covec")]


def errors(work):
    """Each case is a program of its own."""
    scripts, folder = [], os.path.join(ROOT, "tests/errors")
    for name in sorted(name[:-6] for name in os.listdir(folder) if name.endswith(".covec")):
        for case, program, _ in run_scripts.cases_of(os.path.join(folder, name + ".covec")):
            place = os.path.join(work, "errors", name, case)
            for path, text in run_scripts.files_of_case(case, program).items():
                write(os.path.join(place, path), text)
            scripts.append(Script(f"tests/errors/{name}/{case}", os.path.join(place, case + ".covec"), files_of(place, 1)))
    return scripts


def gradients(work, command):
    """What the generators run is copied by a command that stands in for the native one; they check its results as ever."""
    scripts = []
    for generator, *options in GENERATORS:
        stem = os.path.basename(os.path.dirname("grad/" + generator)) + "_" + os.path.basename(generator)[:-3]
        place = os.path.join(work, "grad", stem)
        stand_in = write(os.path.join(work, "grad", stem + ".sh"),
                         "#!/bin/sh\n# What the test runs, under the number of its text.\nfor last; do :; done\n"
                         f"[ -f \"$last\" ] && cp \"$last\" \"{place}/$(md5sum < \"$last\" | cut -c-12).covec\"\n"
                         f"COVEC_ENGINE=eager exec \"{command}\" \"$@\"\n")
        os.chmod(stand_in, 0o755)
        os.makedirs(place, exist_ok=True)
        subprocess.run([sys.executable, os.path.join(ROOT, "tests/grad", generator), stand_in, *options],
                       capture_output=True, check=True)
        names = sorted(os.listdir(place))
        if not names:
            raise RuntimeError(f"{generator} ran no programs")
        scripts += [Script(f"tests/grad/{stem}/{name[:-6]}", os.path.join(place, name), []) for name in names]
    return scripts


def samples(work, lines):
    """One script for the samples of an entry; all digits are printed."""
    texts = {}
    for _, name, arguments in (line for line in lines if line[0] == "sample"):
        call = f"{name}({arguments})"
        texts.setdefault(name, []).append(f"try {{ print({call}, digits=17) }} catch err {{ print(err.message) }}\n")
    return [Script(f"samples/{name}", write(os.path.join(work, "samples", name + ".covec"), "".join(calls)), [], must_end=True)
            for name, calls in texts.items()]


def numbers(dtype, seed):
    """Half have random bits, half are of the size that programs have (2^-12 to 2^8); and the ends."""
    draw = random.Random(seed)
    if dtype == "i64":
        return [draw.getrandbits(64) - (1 << 63) if i % 2 else draw.randrange(-40, 41) for i in range(NUMBERS)]
    count, exponent_at, bias, integers, floats = (NUMBERS, 52, 1023, "Q", "d") if dtype == "f64" else (NUMBERS, 23, 127, "I", "f")
    patterns = array.array(integers, draw.randbytes(count * array.array(integers).itemsize))
    rest = (1 << exponent_at) - 1 | 1 << 8 * patterns.itemsize - 1
    for i in range(0, count, 2):
        patterns[i] = patterns[i] & rest | bias - 12 + patterns[i] % 20 << exponent_at
    values = array.array(floats, patterns.tobytes())
    ends = [0.0, -0.0, 1.0, -1.0, 0.5, float("inf"), float("-inf"), float("nan")]
    values[:len(ends)] = array.array(floats, ends)
    return values


def write_npy(path, dtype, values):
    kind, letter = {"f64": ("<f8", "d"), "f32": ("<f4", "f"), "i64": ("<i8", "q")}[dtype]
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{len(values)}{letter}", *values))


def elementwise(work, lines):
    """A few operators refuse some of the dtypes, with an error; or want a condition first, or a small integer last."""
    scripts, folder = [], os.path.join(work, "elementwise")
    os.makedirs(folder, exist_ok=True)
    for dtype in ("f64", "f32", "i64"):
        for i in range(3):
            write_npy(os.path.join(folder, f"{dtype}_{i}.npy"), dtype, numbers(dtype, f"{dtype} {i}"))
    for _, name, operands in (line for line in lines if line[0] == "pointwise"):
        for dtype in ("f64", "f32", "i64"):
            given = [os.path.join(folder, f"{dtype}_{i}.npy") for i in range(int(operands))]
            loads = "".join(f'x{i} = load("{path}")\n' for i, path in enumerate(given))
            names = [f"x{i}" for i in range(len(given))]
            calls = [f"y = {name}({', '.join(operands)})" for operands in
                     (names, ["x0 > 0", *names[1:]], [*names[:-1], f"{names[-1]} & 31"])]
            text = f'{loads}try {{ {calls[0]} }} catch {{\n try {{ {calls[1]} }} catch {{ {calls[2]} }}\n}}\nsave("out.npy", y)\n'
            file = write(os.path.join(folder, dtype, name + ".covec"), text)
            scripts.append(Script(f"elementwise/{dtype}/{name}", file, given, "out.npy", must_end=True))
    return scripts


# Special functions (those of stdlib/ops/special) and what makes their arguments of numbers u and v in (0, 1).
SPECIAL = {
    "gamma": "30 * u - 10", "lgamma": "200 * u - 50", "digamma": "60 * u - 20", "sinc": "20 * u - 10",
    "beta": "20 * u, 20 * v", "comb": "40 * u + 20, 20 * v", "zeta": "1 + 20 * u, 10 * v", "gammainc": "40 * u, 50 * v",
    "gammaincc": "40 * u, 50 * v", "gammaincinv": "40 * u, v", "gammainccinv": "40 * u, v", "betainc": "20 * u, 20 * v, w",
    "betaincc": "20 * u, 20 * v, w", "betaincinv": "20 * u, 20 * v, w", "betainccinv": "20 * u, 20 * v, w", "ndtri": "u",
    "erf": "6 * u - 3", "erfc": "12 * u - 3", "erfinv": "2 * u - 1", "erfcinv": "2 * u", "i0": "40 * u", "i0e": "40 * u",
    "i1": "40 * u", "i1e": "40 * u",
}
ARGUMENTS = 10_000  # of each special function


def special(work):
    """One script a function."""
    return [Script(f"special/{name}", write(os.path.join(work, "special", name + ".covec"),
                                            f"seed(1)\nu, v, w = rand({ARGUMENTS}), rand({ARGUMENTS}), rand({ARGUMENTS})\n"
                                            f'save("out.npy", {name}({arguments}))\n'), [], "out.npy", must_end=True)
            for name, arguments in SPECIAL.items()]


# Linear algebra of a matrix a and of b = a[:, 0].
MATRICES = {
    "svd": "svd(a)", "eigh": "eigh(a + conj(a).T)", "eig": "eig(a)", "eigvals": "eigvals(a)", "schur": "schur(a)", "qr": "qr(a)", "lu": "lu(a)",
    "lstsq": "lstsq(a, b)", "pinv": "pinv(a)", "cond": "cond(a)", "inv": "inv(a)", "det": "det(a)", "slogdet": "slogdet(a)",
    "logm": "logm(a)", "expm": "expm(0.1 * a)", "sqrtm": "sqrtm(a + 50.0 * eye(a.shape[0]))", "norm": "norm(a, 2)",
    "roots": "roots(b)",
}
ORDERS = (3, 20, 100, 200)  # of the matrices
ONLY_REAL = ("sqrtm",)
MATRIX_PROGRAM = """fn flat(x) = concat([f64(real(x)).reshape(x.size), f64(imag(x)).reshape(x.size)])
seed({n})
a = {a}
b = a[:, 0]
save("out.npy", concat(tree_map(flat, tree_leaves({call}))))
"""


def linalg(work):
    """One script a function, an order, and real or complex numbers; of roots up to 20."""
    scripts = []
    for name, call in MATRICES.items():
        for n in (n for n in ORDERS if name != "roots" or n <= 20):
            for kind, a in (("real", f"randn({n}, {n})"), ("complex", f"complex(randn({n}, {n}), randn({n}, {n}))")):
                if kind == "complex" and name in ONLY_REAL:
                    continue
                text = MATRIX_PROGRAM.format(n=n, a=a, call=call)
                file = write(os.path.join(work, "linalg", name, kind, f"{n}.covec"), text)
                scripts.append(Script(f"linalg/{name}/{kind}/{n}", file, [], "out.npy", must_end=True))
    return scripts


def all_scripts(work, command, lines, wanted):
    """Of the groups that `wanted` says true of."""
    groups = {"tests/language": language, "tests/errors": lambda: errors(work), "tests/grad": lambda: gradients(work, command),
              "samples": lambda: samples(work, lines), "elementwise": lambda: elementwise(work, lines),
              "special": lambda: special(work), "linalg": lambda: linalg(work)}
    return [script for group, make in groups.items() if wanted(group) for script in make()]
