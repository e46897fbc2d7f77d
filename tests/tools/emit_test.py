#!/usr/bin/env python3
"""Checks `covec emit FILE:function` and `covec verify --emit`: the C texts compile without warnings, give the bits of
machine code, and what cannot be written is refused with line and reason.

    python3 emit_test.py COVEC [PART/PARTS] [TEST…]

Compilers take most of the time. So the test is divided: each part checks every PARTS-th function of a list, and every PARTS-th
of the tests that have no list. The programs are in emit/, the lists in emit/functions.py. Start reading at Emitted.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from emit.functions import EXTENTS, KINDS, MOVES, OPERATORS, REFUSED, SIX, WRITTEN

COVEC = ""
PART, PARTS = 0, 1
PROGRAMS = pathlib.Path(__file__).resolve().parent / "emit"
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-ffp-contract=off"]

ERRORS = r"""
#include <stdio.h>
#include "asserts.h"
#include "element.h"
#include "divides.h"
#include "row.h"
#include "solves.h"
#include "many.h"
int main(void) {
  const int64_t ones[3] = {1, 1, 1}, second[3] = {1, 0, 1}, third[3] = {1, 1, 0};
  int64_t quotients[3];
  const double x[3] = {-1, 2, 3}, a[9] = {1, 2, 3, 2, 4, 6, 0, 0, 1};
  static double rows[120], work[1024];
  double out[40];
  int64_t quotient;
  if (sizeof work < solves_work_bytes || sizeof work < row_work_bytes) return 1;
  printf("%s\n", asserts_error(asserts(x, out, work)));
  printf("%s\n", divides_error(divides(1, 0, &quotient, work)));
  printf("%s\n", element_error(element(x, 3, out, work)));
  printf("%s\n", row_error(row(rows, -4, out, work)));
  printf("%s\n", solves_error(solves(a, x, out, work)));
  printf("%s ", element_error(element(x, -1, out, work)));
  printf("%g\n", out[0]);
  printf("%s\n", element_error(99));
  printf("%s\n", many_error(many(ones, third, second, quotients, work)));
  printf("%s\n", many_error(many(ones, ones, second, quotients, work)));
  return 0;
}
"""

# For each extent the sum of each output, each element times a number of its place.
MOVES_MAIN = r"""#include <stdio.h>
#include <stdlib.h>
enum { most = 200000 };
static double x[6000], out[2][most];
static void clear(void) {
  for (int k = 0; k < 2; ++k) for (int i = 0; i < most; ++i) out[k][i] = -1;
}
static void tell(int count) {
  for (int k = 0; k < count; ++k) {
    double sum = 0;
    for (int i = 0; i < most && out[k][i] != -1; ++i) sum += out[k][i] * (i %% 1009 + 1);
    printf(k + 1 < count ? "%%.0f " : "%%.0f\n", sum);
  }
  clear();
}
int main(void) {
  const int64_t extents[] = {%s};
  int failed = 0;
  clear();
  for (int i = 0; i < 6000; ++i) x[i] = i + 1;
  for (size_t k = 0; k < sizeof extents / sizeof *extents; ++k) {
    const int64_t n = extents[k];
    void* work;
"""
MOVES_TOLD = """fn sum_of(y) = i64(sum(reshape(y, -1) * f64(arange(prod(y.shape)) % 1009 + 1)))
fn elements(*shape) = reshape(f64(arange(prod(shape))) + 1.0, shape)
"""


def covec(*arguments, cwd=None):
    return subprocess.run([COVEC, *arguments], capture_output=True, text=True, timeout=300, cwd=cwd,
                          env={"PATH": "/usr/bin:/bin", "COVEC_TEST_CACHE": os.environ.get("COVEC_TEST_CACHE", "")})


def share(cases):
    """What this part of the test checks of a list."""
    return list(cases)[PART::PARTS]


class Emitted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def emit(self, program, function):
        name, *options = function.split()
        result = covec("emit", *options, "-o", str(self.folder), str(PROGRAMS / program) + ":" + name)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""), function)
        return sorted(self.folder.glob("*.c"), key=lambda path: path.stat().st_mtime_ns)[-1]

    def compile(self, *command):
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""), command)

    def compare(self, program, function, *arguments):
        name, *options = function.split()
        return covec("verify", "--emit", *options, *arguments, str(PROGRAMS / program) + ":" + name)

    def assert_same(self, program, function):
        result = self.compare(program, function, "--draws", "40")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertRegex(result.stdout, r"-O3 -march=native: 88 inputs, the same bits")


class Each(Emitted):
    """Tests of lists: each part has a share of each."""

    def test_the_six_have_the_bits_of_machine_code(self):
        for function in share(SIX):
            with self.subTest(function):
                self.assert_same("six.covec", function)

    def test_each_kind_has_the_bits_of_machine_code(self):
        """Each in one build of each compiler, in turn; in all of them with COVEC_LONG."""
        compilers = [compiler for compiler in ("gcc", "clang") if shutil.which(compiler)]
        for number, function in enumerate(share(KINDS)):
            with self.subTest(function):
                if os.environ.get("COVEC_LONG"):
                    self.assert_same("kinds.covec", function)
                    continue
                for turn, compiler in enumerate(compilers):
                    level = ("-O3 -march=native", "-O0", "-O2")[(number + turn) % 3]
                    result = self.compare("kinds.covec", function, "--draws", "40", "--build", f"{compiler} {level}")
                    self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
                    self.assertIn(f"{compiler} {level}: 88 inputs, the same bits", result.stdout)

    def test_extents_are_arguments(self):
        """For none, one and more, and about the ends of blocks."""
        for program, function in share([("extents.covec", f) for f in EXTENTS] + [("moves.covec", f) for f in MOVES]):
            with self.subTest(function):
                result = self.compare(program, function, "--draws", "28", "--build", "gcc -O2")
                self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
                self.assertRegex(result.stdout, r"^gcc -O2: \d+ inputs, the same bits\nfor \d+ choices of the extents\n")

    def test_longer_operators_have_the_bits_of_machine_code(self):
        for number, function in enumerate(OPERATORS):
            if number % PARTS != PART:
                continue
            with self.subTest(function):
                build = ("gcc -O2", "gcc -O3 -march=native")[number // PARTS % 2]
                result = self.compare("operators.covec", function, "--draws", "28", "--build", build)
                self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
                self.assertRegex(result.stdout, r": \d+ inputs, the same bits\n")

    def test_no_compiler_warns(self):
        """About each file alone (gcc), and about all of a program as one, where the names of each file's own functions differ."""
        for program, functions in WRITTEN.items():
            together = ""
            for number, function in enumerate(share(functions)):
                source = self.emit(program, function)
                with self.subTest(function):
                    self.compile("gcc", "-std=c99", *STRICT, "-O1", "-S", "-o", "/dev/null", str(source))
                together += f'#line 1 "{source.name}"\n' + source.read_text().replace("covec_", f"covec{number}_")
            if not together:
                continue
            path = self.folder / "together.cpp"
            path.write_text(together)
            for compiler, languages in (("gcc", ("c++",)), ("clang", ("c", "c++"))):
                for language in languages if shutil.which(compiler) else ():
                    with self.subTest(program, compiler=compiler, language=language):
                        standard = {"c": "-std=c99", "c++": "-std=c++11"}[language]
                        self.compile(compiler, "-x", language, standard, *STRICT, "-fsyntax-only", str(path))

    def test_what_cannot_be_written_is_refused(self):
        for function, (line, reason) in share(REFUSED.items()):
            with self.subTest(function):
                name, *options = function.split()
                result = covec("emit", *options, "-o", str(self.folder), str(PROGRAMS / "refused.covec") + ":" + name)
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertIn(reason, result.stderr)
                self.assertIn(f"refused.covec:{line}:", result.stderr)
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_folder_is_made(self):
        if PART != 0:
            return
        inner = self.folder / "new" / "inner"
        program = self.folder / "p.covec"
        program.write_text("fn f(x) = 2.0 * x\n")
        for _ in range(2):
            result = covec("emit", "--types", "f64", "-o", str(inner), f"{program}:f")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            self.assertEqual(sorted(path.name for path in inner.iterdir()), ["f.c", "f.h"])
        result = covec("emit", "--types", "f64", "-o", str(program / "under"), f"{program}:f")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("Not a directory", result.stderr)

    def test_sanitizers_are_silent(self):
        for function in share(("pose --jacobian", "newton --grad", "soft --grad", "ode --grad")):
            with self.subTest(function):
                source = self.emit("six.covec", function)
                name = source.stem
                header = (self.folder / (name + ".h")).read_text()
                parameters = re.search(name + r"\((.*), void\* work\)", header).group(1).split(", ")
                arguments = ", ".join(f"({p.rsplit(' ', 1)[0]})memory[{k}]" if "*" in p else "1.5" for k, p in enumerate(parameters))
                (self.folder / "main.cpp").write_text(
                    f'#include "{name}.h"\nstatic double memory[8][1024], work[{name}_work_bytes / 8 + 1];\n'
                    f"int main() {{\n  for (auto& each : memory) for (double& x : each) x = 0;\n"
                    f"  return {name}({arguments}, work);\n}}\n")
                flags = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffp-contract=off"]
                self.compile("gcc", "-std=c99", *flags, "-c", "-o", "out.o", str(source))
                self.compile("g++", *flags, "-o", "main", "main.cpp", "out.o")
                result = subprocess.run([self.folder / "main"], capture_output=True, text=True, timeout=100)
                self.assertEqual(result.stderr, "")

    def test_products_on_any_processor(self):
        """One whose instruction for fma is asked for, one without it, and one of another kind without glibc."""
        asked = "defined(__GNUC__) && defined(__x86_64__)"
        for function in share(("squares", "single_squares", "blocks", "sides")):
            source = self.emit("kinds.covec", function)
            name, text = source.stem, source.read_text()
            self.assertIn(asked, text)
            header = (self.folder / (name + ".h")).read_text()
            ports = re.findall(r"(?:const )?(double|float)\* (\w+)", re.search(name + r"\((.*), void", header).group(1))
            main = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nstatic double memory[4][32][40000];\n"
            calls = ""
            for number, (kind, each) in enumerate({"asked": text, "none": text.replace('__builtin_cpu_supports("fma")', "0"),
                                                   "other": text.replace(asked, "0").replace("defined(__GLIBC__)", "0")}.items()):
                (self.folder / (kind + ".c")).write_text(f"#define {name} {kind}\n#define {name}_error {kind}_error\n" + each)
                main += f"int {kind}({', '.join(dtype + '*' for dtype, _ in ports)}, void*);\n"
                places = [f"({dtype}*)memory[{number if port.startswith('out') else 3}][{k}]" for k, (dtype, port) in enumerate(ports)]
                calls += f"  if ({kind}({', '.join(places)}, work) != 0) return 1;\n"
            main += f"static double work[1 << 16];\nint main(void) {{\n  int k, i;\n  if (sizeof work < {name}_work_bytes) return 1;\n"
            for k, (dtype, port) in enumerate(ports):
                if not port.startswith("out"):
                    main += f"  for (i = 0; i < 40000; ++i) (({dtype}*)memory[3][{k}])[i] = ({dtype})((rand() % 1001 - 500) / 37.0);\n"
            main += calls + "  for (k = 0; k < 32; ++k)\n    for (i = 1; i < 3; ++i)\n      if (memcmp(memory[0][k], memory[i][k], sizeof memory[0][k])) printf(\"%d %d\\n\", k, i);\n"
            (self.folder / "main.c").write_text(f'#include "{name}.h"\n' + main + f"  return memory[0][{len(ports) - 1}][0] == 0;\n}}\n")
            for flags in (["-O2"], ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]):
                with self.subTest(function, flags=flags):
                    self.compile("gcc", "-std=c99", *STRICT, *flags, "-o", "main", "main.c", "asked.c", "none.c", "other.c", "-lm")
                    result = subprocess.run([self.folder / "main"], capture_output=True, text=True, timeout=100)
                    self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


class Once(Emitted):
    """Tests of their own: each is in one part."""

    def test_extents_in_all_builds(self):
        result = self.compare("extents.covec", "soft --grad", "--draws", "0")
        self.assertRegex(result.stdout, r"-O3 -march=native: \d+ inputs, the same bits\n")
        result = self.compare("extents.covec", "product", "--draws", "0", "--build", "gcc -O0", "--given", "[[1.0, 2.0]], [[3.0], [4.0]]")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    def test_moves_of_any_extent(self):
        """Of all small extents and some larger ones: each element lies where the interpreter puts it."""
        extents = ", ".join(map(str, [*range(65), 97, 128, 400]))
        written = (PROGRAMS / "moves.covec").read_text()
        includes, main, told, calls = "", MOVES_MAIN % extents, MOVES_TOLD, ""
        for name, shape in re.findall(r"^fn (\w+)\(x: f64\[([^\]]*)\]\)", written, re.M):
            if name not in MOVES:
                continue
            self.emit("moves.covec", name)
            header = (self.folder / f"{name}.h").read_text()
            outputs = header.split(f"int {name}(")[-1].split(";")[0].count("double* out")
            includes += f'#include "{name}.h"\n'
            parts = ", ".join(f"out[{k}]" for k in range(outputs))
            main += f"    work = malloc((size_t){name}_work_bytes(n));\n    failed |= {name}(n, x, {parts}, work);\n"
            main += f"    tell({outputs});\n    free(work);\n"
            sums = ", ".join(f"sum_of(y[{k}])" for k in range(outputs)) if outputs > 1 else "sum_of(y)"
            calls += f"    y = {name}(elements({shape}))\n    print({sums})\n"
        (self.folder / "main.c").write_text(includes + main + "  }\n  return failed;\n}\n")
        (self.folder / "told.covec").write_text(f"{written}{told}for n in [{extents}] {{\n{calls}}}\n")
        flags = ["-std=c99", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffp-contract=off"]
        self.compile("gcc", *flags, "-o", "main", *[path.name for path in self.folder.glob("*.c")], "-lm")
        result = subprocess.run([self.folder / "main"], capture_output=True, text=True, timeout=100)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        expected = covec("told.covec", cwd=self.folder)
        self.assertEqual((expected.returncode, expected.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines(), expected.stdout.splitlines())

    def test_any_extent_is_an_error_or_right(self):
        source = self.emit("extents.covec", "soft --grad")
        self.emit("extents.covec", "product")
        (self.folder / "main.c").write_text(r"""
#include <stdio.h>
#include <stdlib.h>
#include "product.h"
#include "soft_grad.h"
int main(void) {
  const int64_t extents[] = {0, 1, 9, 33, 2081};
  const double w[35] = {0.5, -1, 2};
  double out[35];
  int k;
  for (k = 0; k < 5; ++k) {
    const int64_t n = extents[k];
    double* const x = calloc((size_t)n * 7, sizeof *x);
    int64_t* const t = calloc((size_t)n, sizeof *t);
    void* const work = malloc((size_t)soft_grad_work_bytes(n));
    printf("%s, ", soft_grad_error(soft_grad(n, w, x, t, out, work)));
    free(x), free(t), free(work);
  }
  printf("%d %d\n", (int)soft_grad_work_bytes(-1), (int)soft_grad_work_bytes(INT64_MAX));
  printf("%s\n", soft_grad_error(soft_grad(-1, w, w, extents, out, NULL)));
  printf("%s\n", soft_grad_error(soft_grad(INT64_MAX / 3, w, w, extents, out, NULL)));
  printf("%s\n", product_error(product(2, 3, 4, 5, w, w, out, out)));
  return 0;
}
""")
        flags = ["-std=c99", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffp-contract=off"]
        self.compile("gcc", *flags, "-o", "main", "main.c", str(source), "product.c", "-lm")
        result = subprocess.run([self.folder / "main"], capture_output=True, text=True, timeout=100)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = [re.sub(r"^.*extents\.covec:", "", line) for line in result.stdout.splitlines()]
        self.assertEqual(lines, ["no error, no error, no error, no error, no error, -1 -1", "an extent is negative or too large",
                                 "an extent is negative or too large", "57:42: extents do not agree"])
        header = (self.folder / "product.h").read_text()
        self.assertIn("int64_t product_work_bytes(int64_t n, int64_t k, int64_t m, int64_t p);", header)
        self.assertIn("int product(int64_t n, int64_t k, int64_t m, int64_t p, const double* a, const double* b, double* out, void* work);", header)

    def test_another_error_is_a_difference(self):
        """Inputs for which several things are wrong: the text names the one that machine code names."""
        (self.folder / "p.covec").write_text("fn f(x: i64[2], y: i64[3]) {\n    a = 1 // x[0]\n    b = y[x[1] * 9]\n    return a + b\n}\n")
        result = covec("verify", "--emit", "--draws", "40", "--build", "gcc -O1", "p.covec:f", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertRegex(result.stdout, r"the same bits\n\d+ of the inputs are errors, in both\n")

    def test_options_stand_behind_the_function_too(self):
        place = str(PROGRAMS / "six.covec") + ":cost"
        self.assertEqual(covec("emit", place, "--grad", "-o", str(self.folder)).returncode, 0)
        self.assertTrue((self.folder / "cost_grad.h").exists())
        result = covec("verify", "--emit", place, "--grad", "--draws", "1", "--build", "gcc -O0")
        self.assertEqual((result.returncode, result.stdout), (0, "gcc -O0: 49 inputs, the same bits\n"))
        self.assertNotEqual(covec("verify", "--emit", place, "--nonsense").returncode, 0)

    def test_what_fails_is_not_left_out(self):
        """Whose results nobody reads."""
        (self.folder / "p.covec").write_text("fn f(x: f64[3], i: i64[3]) {\n    t = x[i]\n    m = inv(full((2, 2), x[0]))\n    return x\n}\n"
                                             "fn g(x: f64[3]) {\n    t = arange(2)\n    for k in range(2) { t[k] = x[k] }\n    return x\n}\n"
                                             "fn h(x: f64[n]) {\n    t = i64(max(x))\n    return x\n}\n")
        for name in "fgh":
            result = covec("verify", "--emit", "--draws", "10", "--build", "gcc -O1", f"p.covec:{name}", cwd=self.folder)
            self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
            self.assertIn("of the inputs are errors, in both", result.stdout)

    def test_errors_have_numbers_and_texts_with_places(self):
        for function in ("asserts", "divides", "element", "solves", "row", "many"):
            self.emit("errors.covec", function)
        (self.folder / "main.c").write_text(ERRORS)
        sources = [str(path) for path in self.folder.glob("*.c")]
        self.compile("cc", "-std=c99", *STRICT, "-o", "main", *sources, "-lm")
        said = subprocess.run([self.folder / "main"], capture_output=True, text=True, check=True).stdout
        lines = [re.sub(r"^.*errors\.covec:", "", line) for line in said.splitlines()]
        self.assertEqual(lines, ["2:5: assertion failed: not positive", "5:30: integer division by zero",
                                 "7:18: an index is out of range", "10:33: an index is out of range",
                                 "9:38: solve: the matrix is singular", "no error 6", "no error has this number",
                                 "12:9: integer division by zero", "13:12: integer division by zero"])

    def test_another_build_is_reported_as_different(self):
        """A text that is broken on purpose: its multiplications and additions become one."""
        same = self.compare("six.covec", "cost", "--draws", "20", "--build", "gcc -O2")
        self.assertEqual((same.returncode, same.stdout), (0, "gcc -O2: 68 inputs, the same bits\n"))
        broken = self.compare("six.covec", "cost", "--draws", "20", "--build", "gcc -O2 -mfma -ffp-contract=fast")
        self.assertEqual((broken.returncode, broken.stderr), (1, ""))
        self.assertRegex(broken.stdout, r"^gcc -O2 -mfma -ffp-contract=fast: 68 inputs, \d+ differ, input \d+ first\n$")
        none = self.compare("six.covec", "cost", "--build", "no-such-compiler -O2")
        self.assertEqual(none.returncode, 1)
        self.assertIn("cannot run the C compiler no-such-compiler", none.stderr)
        wrong = self.compare("six.covec", "cost", "--build", "gcc -Dint")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("gcc ended with status 1", wrong.stderr)

    def test_inputs_that_loop_for_ever_are_left_out(self):
        result = self.compare("kinds.covec", "endless", "--draws", "5", "--build", "gcc -O1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^gcc -O1: \d\d inputs, the same bits\n\d+ more inputs take too long for machine code, and are left out\n$")

    def test_a_rounding_once_of_its_own(self):
        """Where the C library's fma cannot be counted on, the file brings one."""
        source = self.emit("six.covec", "cost")
        own = source.read_text().replace("defined(__GLIBC__)", "0").replace("defined(FP_FAST_FMA)", "0")
        (self.folder / "own.c").write_text(own + r"""
#include <stdio.h>
#include <stdlib.h>
static uint64_t state = 88172645463325252u;
static double draw(void) {
  uint64_t bits;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  bits = state;
  if (state % 3 == 0) bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (UINT64_C(1000) + state / 3 % 60) << 52;
  if (state % 31 == 0) bits &= UINT64_C(0x800fffffffffffff);
  if (state % 37 == 0) bits &= UINT64_C(0xfff0000000000000);
  return covec_f64(bits);
}
int main(void) {
  for (int k = 0; k < 3000000; ++k) {
    const double a = draw(), b = draw();
    double c = draw();
    if (k % 5 == 0) c = -a * b;
    if (k % 5 == 1) c = -a * b * (1 + (double)(state % 7) * 2.220446049250313e-16);
    const double x = fma(a, b, c), y = covec_fma(a, b, c);
    if (x != x ? y == y : covec_bits_i64(x) != covec_bits_i64(y)) return printf("%a %a %a: %a %a\n", a, b, c, x, y), 1;
  }
  return 0;
}
""")
        self.compile("gcc", "-std=c99", "-O2", "-ffp-contract=off", "-o", "own", "own.c", "-lm")
        result = subprocess.run([self.folder / "own"], capture_output=True, text=True, timeout=100)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_given_arguments(self):
        result = self.compare("six.covec", "cost", "--given", "[1.0, -0.0, inf]", "--draws", "0")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("49 inputs, the same bits", result.stdout)
        result = self.compare("six.covec", "cost", "--given", "[1.0, 2.0]")
        self.assertIn("the types of the given arguments are wrong", result.stderr)
        result = self.compare("six.covec", "cost", "--given", "[1.0, 2.0, 3.0], 1.0")
        self.assertEqual(result.returncode, 1)

    def test_usage(self):
        self.assertIn("needs a function", covec("emit", str(PROGRAMS / "six.covec")).stderr)
        self.assertIn("no function 'none'", covec("emit", str(PROGRAMS / "six.covec") + ":none").stderr)
        self.assertIn("--jacobian", covec("emit", "--help").stdout)
        (self.folder / "none").write_text("a file")
        result = covec("emit", "-o", str(self.folder / "none"), str(PROGRAMS / "six.covec") + ":cost")
        self.assertEqual(result.returncode, 1)
        self.assertIn("none", result.stderr)

    def test_types_are_given_by_hand(self):
        (self.folder / "p.covec").write_text("fn f(x, y) = sum(x * y.w)\n")
        result = covec("emit", "--grad", "--types", "f64[5], {w: f64[5]}", "p.covec:f", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("int f_grad(const double* x, const double* y_w, double* out, void* work);",
                      (self.folder / "f_grad.h").read_text())

    def test_complex_numbers_are_their_parts(self):
        (self.folder / "z.covec").write_text("fn f(z: c128[n], w: c64) = sum(exp(z) * w)\n")
        result = covec("emit", "z.covec:f", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("int f(int64_t n, const double* z_0, const double* z_1, float w_0, float w_1, double* out_0, double* out_1, void* work);",
                      (self.folder / "f.h").read_text())
        result = covec("verify", "--emit", "--draws", "20", "--build", "gcc -O2", "z.covec:f", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    @unittest.skipUnless(shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64"), "no compiler or emulator of aarch64")
    def test_aarch64(self):
        self.compare_elsewhere(["aarch64-linux-gnu-gcc", "-static"], ["qemu-aarch64"])

    @unittest.skipUnless(shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-arm"), "no compiler or emulator of arm")
    def test_arm_without_a_system(self):
        self.compare_elsewhere(["arm-none-eabi-gcc", "--specs=rdimon.specs", "-mcpu=cortex-a9", "-mfloat-abi=soft"], ["qemu-arm"])

    # The same inputs here and there.
    def compare_elsewhere(self, compiler, emulator):
        for function in ("cost --grad", "pose --jacobian", "newton --grad"):
            with self.subTest(function):
                source = self.emit("six.covec", function)
                name = source.stem
                (self.folder / "main.c").write_text(f'#include <stdio.h>\n#include <string.h>\n#include "{name}.h"\n' + """
static double q[8], out[64], work[4096];
int main(void) {
  uint64_t state = 88172645463325252u;
  for (int k = 0; k < 300; ++k) {
    for (int i = 0; i < 8; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      q[i] = (double)(int64_t)state / 4611686018427387904.0;
      if (k > 250) memcpy(&q[i], &state, 8);
    }
    memset(out, 0, sizeof out);
""" + f"    printf(\"%d\", {name}(q, out, work));\n" + """
    for (int i = 0; i < 20; ++i) {
      uint64_t bits;
      memcpy(&bits, &out[i], 8);
      if (out[i] != out[i]) bits = 0x7ff8;
      printf(" %08lx%08lx", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
    }
    printf("\\n");
  }
  return 0;
}
""")
                self.compile("gcc", "-std=c99", "-O2", "-ffp-contract=off", "-o", "here", "main.c", str(source), "-lm")
                self.compile(*compiler, "-std=c99", "-O2", "-ffp-contract=off", "-o", "there", "main.c", str(source), "-lm")
                here = subprocess.run(["./here"], capture_output=True, text=True, cwd=self.folder).stdout
                there = subprocess.run([*emulator, "./there"], capture_output=True, text=True, cwd=self.folder).stdout
                self.assertEqual(there, here)


def load_tests(loader, *_):
    return unittest.TestSuite([loader.loadTestsFromTestCase(Each), *share(loader.loadTestsFromTestCase(Once))])


if __name__ == "__main__":
    COVEC = str(pathlib.Path(sys.argv.pop(1)).resolve())
    if len(sys.argv) > 1 and "/" in sys.argv[1]:
        PART, PARTS = (int(number) for number in sys.argv.pop(1).split("/"))
    unittest.main()
