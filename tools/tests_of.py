#!/usr/bin/env python3
"""tests_of.py FILE…: the tests to run after a change of these files, as one pattern of ctest -R. Prints nothing where there are none.
(Without parentheses: ctest allows few of them.)

Not all that a change can break, but what most probably shows it, in a minute. A file of tests/ names its own tests, by the rules of
own_tests(). For other files all rows of TESTS count whose start is that of the path.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SUITE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),", re.M)
SCRIPTS = r"^language\.[^.]+\.avx2$"
COMPILED = r"^engines\.[^.]+\.avx2$"
DEVICES = r"^devices\.cuda\.devices$|^devices\.failures\.cuda$"

# The start of a path, and what to run: a pattern, or the sources of GoogleTest's tests (all tests of their suites).
TESTS = [
    ("grammar/", r"^errors\.|^colours\."), ("grammar/", "unit/frontend_*.cpp"), ("grammar/", SCRIPTS),
    ("frontend/common/", r"^errors\."), ("interpreter/host/", r"^embed\.DlPack\."),
    ("frontend/", r"^errors\.|^hints\."), ("frontend/", "unit/frontend_*.cpp"), ("frontend/", SCRIPTS),
    ("frontend/core/", r"^parts\.liveness\."),
    ("interpreter/eval/", r"^errors\."), ("interpreter/eval/", "unit/interpreter_*.cpp"), ("interpreter/eval/", SCRIPTS),
    ("interpreter/eval/staged/", COMPILED),
    ("interpreter/session/", "unit/interpreter_*.cpp"), ("interpreter/session/", SCRIPTS),
    ("interpreter/assist/", r"^repl\.|^colours\.repl$|^lsp\.|^notebook\."),
    ("interpreter/repl/", r"^repl\.|^colours\.repl$|^notebook\."),
    ("interpreter/notebook/", r"^notebook\."),
    ("interpreter/lsp/", r"^lsp\."),
    ("interpreter/command/", r"^tools\.commands$|^tools\.explain$|^tools\.program$|^tools\.streams$"),
    ("interpreter/host/", "embed/[cdfv]*_test.cpp"), ("interpreter/include/", "embed/[cdfv]*_test.cpp"),
    ("interpreter/python/", r"^python\.arrays$|^python\.calls$|^python\.numbers$"),
    ("stdlib/value/", "unit/values_*.cpp"), ("stdlib/tensor/", "unit/values_*.cpp"), ("stdlib/text/", "unit/values_*.cpp"),
    ("stdlib/value/", SCRIPTS), ("stdlib/tensor/", SCRIPTS), ("stdlib/gate/", r"^embed\.Gate\.|^files\.Race\.|^language\.files\.|^tools\.cache$|^engines\.half\.c99$"),
    ("stdlib/ops/", r"^entries$"), ("stdlib/ops/", SCRIPTS),
    ("stdlib/ops/elementwise/", "ops/pointwise_values.cpp"), ("stdlib/simd/", "ops/pointwise_*.cpp"),
    ("stdlib/kernels/", "ops/[rg]e*_test.cpp"), ("stdlib/kernels/", SCRIPTS),
    *((f"stdlib/{folder}/", r"^entries$") for folder in ("convolution", "decompositions", "fourier", "simd", "kernels")),
    ("stdlib/autodiff/", "grad/*.cpp"), ("stdlib/autodiff/", SCRIPTS),
    ("stdlib/files/", r"^files\.|^fuzzers\."), ("stdlib/images/", r"^files\.pictures$|^fuzzers\.png$|^fuzzers\.jpg$"),
    ("stdlib/plot/", r"^plot\."), ("stdlib/canvas/", r"^plot\."), ("stdlib/ops/plot/", r"^plot\."),
    ("stdlib/device/", DEVICES), ("jit/device/", DEVICES),
    ("jit/", COMPILED),
    ("jit/ir/", "ir/*_test.cpp"), ("jit/passes/", "ir/*_test.cpp"), ("jit/passes/", r"^parts\.passes\."),
    ("jit/loops/", r"^parts\.loops\.|^parts\.fusion\."), ("jit/loops/", "jit_runtime/*_test.cpp"), ("jit/runtime/", "jit_runtime/*_test.cpp"),
    ("jit/lower/", r"^parts\.joins\.|^parts\.tape\."), ("jit/dispatch/", "jit_runtime/dispatcher_test.cpp"),
    ("jit/simd/", r"^jit_simd\."), ("jit/source/", r"^jit_source\."), ("jit/emit/", r"^tools\.emit"),
    ("jit/explain/", r"^tools\.explain$"), ("jit/prepared/", "embed/prepared_*.cpp"),
    ("tools/", r"^tools$"), ("tools/editors/", r"^colours\."), (".ci/", r"^tools$"),
]


def suites(glob):
    """The tests of the suites in these sources. Where they have a prefix, it is the name of their folder."""
    names = {name for path in ROOT.glob(f"tests/{glob}") for name in SUITE.findall(path.read_text(encoding="utf-8"))}
    prefixes = "^", rf"^{glob.split('/')[0]}\.", "/"
    return "|".join(rf"{prefix}{name}[./]" for name in sorted(names) for prefix in prefixes)


def named(name):
    """A test of this name, and those whose names go on after a dot."""
    return rf"^{name}$|^{name}\."


def own_tests(path):
    """The tests that a file of tests/ holds. What several tests share stands for all of its folder."""
    _, folder, *rest = path.parts
    name = path.stem.removesuffix("_test")
    if path.suffix == ".cpp" and (ROOT / path).exists() and SUITE.search((ROOT / path).read_text(encoding="utf-8")):
        # Some run as one test, with the name of the file, of its first word, or of the folder.
        return [suites("/".join([folder, *rest])), named(rf"{folder}\.{name}"), rf"^{folder}$|^{name.split('_')[0]}$"]
    if folder == "language" and path.suffix == ".covec" and len(rest) == 1:
        return [named(rf"language\.{name}"), named(rf"engines\.{name}")]
    if folder == "devices" and path.suffix == ".covec" and len(rest) == 1:
        return [named(rf"devices\.{name}"), rf"^devices\.cuda\.{name}$"]
    if path.suffix == ".cpp":
        return [suites(f"{folder}/*.cpp"), rf"^{folder}\.|^entries$"]
    if folder == "parts" and path.suffix == ".txt":
        return [rf"^parts\.{rest[0]}\.{name}$"]
    if len(rest) > 1:  # what tests of this folder read
        return [rf"^{folder}\."]
    if path.name == "tools_test.py":
        return ["^tools$"]
    if path.suffix == ".covec":
        return [named(rf"{folder}\.{path.stem}")]
    return [named(rf"{folder}\.{name}" if name != path.stem else folder)]


def documents(path):
    """A page or an example is tested as it is written."""
    prefix = r"modules\." if path.parts[:2] == ("docs", "modules") else ""
    return [rf"^documents\.{prefix}{re.escape(path.name)}$"]


def patterns(file):
    path = pathlib.PurePosixPath(file)
    if path.parts[0] == "tests" and len(path.parts) > 2:
        return own_tests(path)
    if path.suffix == ".md" or path.parts[0] == "examples":
        return documents(path)
    if path.parts[:2] == ("stdlib", "modules"):
        return [rf"^modules\.{path.stem}_"]
    found = []
    for start, what in TESTS:
        if file.startswith(start):
            found.append(suites(what) if what.endswith(".cpp") else what)
    return found


def main():
    found = dict.fromkeys(pattern for file in sys.argv[1:] for pattern in patterns(file))
    print("|".join(found), end="\n" if found else "")


if __name__ == "__main__":
    main()
