"""The list of instruction sets (COVEC_ISAS) and what is dispatched by it agree: the list that C++ sees, the functions that kernels
provide and those that sessions choose among. No other source names an instruction set.

Usage: isas_test.py CMAKE NM BUILD_FOLDER SOURCE_FOLDER ISA…    with the instruction sets of this build
"""
import pathlib
import re
import subprocess
import sys
import tempfile

KNOWN = ("baseline", "avx2", "avx512")
# Who may name one: the list itself, what is compiled for one alone, and what asks the processor and the environment.
AT_HOME = {"stdlib/ops/contract/isa.cpp", "stdlib/simd/baseline.hpp", "stdlib/simd/avx2.hpp", "stdlib/simd/avx512.hpp"}
NAMES = re.compile(r"\b(?:avx2|avx512)::|namespace covec::(?:baseline|avx2|avx512)\b")
SWITCHES = re.compile(r"\bcase (?:ops::)?Isa::|\bisa == (?:ops::)?Isa::")


def stdlib_sources(source):
    return sorted(path for path in (source / "stdlib").rglob("*") if path.suffix in (".cpp", ".hpp"))


def check_sources(source):
    """What is declared for each instruction set is dispatched, by COVEC_PER_ISA alone. Gives the functions' names, too."""
    declared, dispatched, failures = set(), set(), []
    for path in stdlib_sources(source):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(source).as_posix()
        for declarations in re.findall(r"^COVEC_DECLARE_PER_ISA\((.*?)\)$", text, re.M | re.S):
            declared |= set(re.findall(r"(\w+)\([^()]*\);", declarations))
        dispatched |= set(re.findall(r"\bCOVEC_PER_ISA\((\w+)\)", text))
        if name in AT_HOME:
            continue
        failures += [f"{name} names an instruction set: {found}" for found in NAMES.findall(text) + SWITCHES.findall(text)]
    failures += [f"{name} is declared for each instruction set, and no COVEC_PER_ISA chooses it" for name in declared - dispatched]
    failures += [f"COVEC_PER_ISA({name}) is declared by no COVEC_DECLARE_PER_ISA" for name in dispatched - declared]
    return declared, failures


def check_objects(nm, build, functions, isas):
    """The library defines each function for the instruction sets of this build, and for no other."""
    text = subprocess.run([nm, "-C", "--defined-only", build / "stdlib/libcovec_stdlib.a"], check=True, capture_output=True,
                          text=True).stdout
    defined = set(re.findall(r" T covec::(baseline|avx2|avx512)::(\w+)\(", text))
    wanted = {(isa, function) for isa in isas for function in functions}
    return [f"covec::{isa}::{name} is not defined" for isa, name in sorted(wanted - defined)] + [
        f"covec::{isa}::{name} is defined" for isa, name in sorted(defined - wanted) if isa not in isas]


def list_in(header):
    """The instruction sets of a built/isas.hpp, with their numbers, and what it makes a PerIsa of."""
    text = header.read_text(encoding="utf-8")
    each = re.search(r"#define COVEC_EACH_ISA\(X, \.\.\.\)(.*)", text).group(1)
    per = re.search(r"#define COVEC_PER_ISA\(function\) \{\{(.*)\}\}", text).group(1)
    return re.findall(r"X\((\w+), (\d), __VA_ARGS__\)", each), per.split(", ")


def list_of(isas):
    return ([(isa, str(KNOWN.index(isa))) for isa in KNOWN if isa in isas],
            [f"covec::{isa}::function" if isa in isas else "nullptr" for isa in KNOWN])


def check_header(build, isas):
    return [f"{header} is not the list of {' '.join(isas)}" for header in
            (build / "roots" / root / "built/isas.hpp" for root in ("stdlib", "stdlib.value")) if list_in(header) != list_of(isas)]


# Processor, COVEC_ISAS (None: not given), and the list or what cmake says.
CONFIGURATIONS = (
    ("x86_64", None, KNOWN),
    ("AMD64", None, KNOWN),
    ("aarch64", None, ("baseline",)),
    ("wasm32", None, ("baseline",)),
    ("x86_64", "baseline", ("baseline",)),
    ("x86_64", "baseline;avx512", ("baseline", "avx512")),
    ("x86_64", "avx2;baseline", ("baseline", "avx2")),
    ("aarch64", "baseline;avx2", "COVEC_ISAS: aarch64 has no avx2"),
    ("x86_64", "avx2", "COVEC_ISAS: baseline is missing, which runs where the processor has no other"),
    ("x86_64", "baseline;sse9", "COVEC_ISAS: there is no instruction set sse9, only baseline, avx2, avx512"),
)


def check_configuration(cmake, source, processor, given, expected):
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "list.cmake"
        script.write_text(f"cmake_minimum_required(VERSION 3.25)\ninclude({source}/stdlib/kernels/isa.cmake)\n", encoding="utf-8")
        ran = subprocess.run([cmake, f"-DCMAKE_SYSTEM_PROCESSOR={processor}", *([f"-DCOVEC_ISAS={given}"] if given else []), "-P", script],
                             cwd=folder, capture_output=True, text=True)
        if isinstance(expected, str):
            agrees = ran.returncode != 0 and expected in " ".join(ran.stderr.split())
        else:
            agrees = ran.returncode == 0 and list_in(pathlib.Path(folder) / "roots/stdlib/built/isas.hpp") == list_of(expected)
    return [] if agrees else [f"COVEC_ISAS={given} on {processor}: not {expected}\n{ran.stderr}"]


def main():
    cmake, nm = sys.argv[1:3]
    build, source = map(pathlib.Path, sys.argv[3:5])
    isas = sys.argv[5:]
    functions, failures = check_sources(source)
    failures += check_objects(nm, build, functions, isas) + check_header(build, isas)
    for configuration in CONFIGURATIONS:
        failures += check_configuration(cmake, source, *configuration)
    print(f"{len(functions)} functions for {' '.join(isas)}, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures or not functions else 0


if __name__ == "__main__":
    sys.exit(main())
