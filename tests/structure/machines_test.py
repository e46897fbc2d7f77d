"""Machines: what exists on x86-64 alone stands in few files, so that all others compile for other machines.

- x86's headers, intrinsics, types of registers, builtins and assembly stand in the files of ONLY and GUARDED, and nowhere else.
- A file of ONLY is not compiled for other machines. The reason stands beside it.
- In a file of GUARDED they stand in a branch of `#if defined(__x86_64__)`, or of an instruction set: `#if COVEC_ISA_LEVEL > 0`
  (or `== 1`, `== 2`). Level 0 is the portable copy of the kernels (stdlib/kernels/isa.cmake).
- A line of either list that is needed no more is a failure itself.

Usage: machines_test.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

from walls_test import code_of

FOLDERS = ("frontend", "stdlib", "interpreter", "jit", "tests")
# Files that other machines do not compile. The compiler makes machine code for x86-64 (asmjit), and all of jit/ goes with it.
ONLY = {
    "stdlib/simd/avx2.hpp": "registers of the copies with AVX2",
    "stdlib/simd/avx512.hpp": "registers of the copies with AVX-512",
    "interpreter/python/function.cpp": "the processor's clock; the Python module is built for x86-64",
    "jit/compiler/compiler.cpp": "asks for AVX2",
    "jit/runtime/meter.cpp": "the processor's clock, which machine code reads, too",
    "jit/runtime/meter.hpp": "the same",
    "jit/simd/compile.cpp": "asks what machine code may be made",
    "jit/simd/machine/helpers.cpp": "functions that machine code calls",
    "tests/bench/limits/vectors.h": "how fast this machine can be",
    "tests/embed/environments_test.cpp": "the environment of SSE and of the x87 unit",
    "tests/embed/odd_environment.c": "the same",
    "tests/embed/prepared_threads_test.cpp": "the same",
    "tests/embed/sessions_test.cpp": "asks whether there is machine code",
    "tests/jit_simd/kernels_support.hpp": "asks what machine code may be made",
    "tests/ops/pointwise_support.hpp": "asks which copies of kernels may run",
    "tests/ops/reduce_support.hpp": "the same",
}
GUARDED = {
    "stdlib/gate/c_library.cpp",
    "stdlib/kernels/gemm_vector.hpp",
    "stdlib/kernels/isa/distances.cpp",
    "stdlib/kernels/isa/reduce_arg.cpp",
    "stdlib/kernels/reduce_vector.hpp",
    "stdlib/kernels/transposed_tiles.cpp",
    "stdlib/ops/contract/isa.cpp",
    "stdlib/ops/random/kernels/draw.cpp",
    "stdlib/simd/convert.hpp",
    "stdlib/simd/half.hpp",
    "stdlib/simd/memory.hpp",
    "stdlib/simd/narrow.hpp",
    "stdlib/simd/vec.hpp",
    "stdlib/text/text_search.cpp",
    "stdlib/value/floating_state.hpp",
}

HEADER = re.compile(r"^\s*#\s*include\s*<(?:\w*intrin|cpuid)\.h>")
NAME = re.compile(r"\b(?:_mm\d*_\w+|__m(?:64|128|256|512)[a-z]*|__mmask\d+|_MM_\w+|_CMP_\w+|_xgetbv|__rdtscp?|_rdtsc|__get_cpuid\w*|"
                  r"__cpuid\w*|__builtin_ia32_\w+|__builtin_cpu_(?:supports|init|is))\b|\bgnu::target\b|__attribute__\(\(target\(")
# Assembly with an instruction in it: an empty text is a barrier for any compiler, and a declaration's is the symbol's name.
ASSEMBLY = re.compile(r'\b(?:asm|__asm|__asm__)\s*(?:(?:volatile|__volatile__)\s*\(\s*"[^"]|\(\s*"[^"]+"\s*:)')
X86_BRANCH = re.compile(r"defined\s*\(?\s*__x86_64__\b|\bCOVEC_ISA_LEVEL\s*(?:==\s*[12]|>=?\s*[1-9]|>\s*0)\b")


def without_comments(text):
    """The text with strings, whose assembly counts; the lines stay."""
    def blank(match):
        found = match.group()
        return "\n" * found.count("\n") if found[0] == "/" else found
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', blank, text, flags=re.S)


def is_x86_branch(condition):
    """Whether only x86-64 takes a branch with this condition."""
    return X86_BRANCH.search(condition) is not None and "!" not in condition and "||" not in condition


def guarded_lines(lines):
    """For each line whether it stands in a branch that only x86-64 takes."""
    branches = []
    for line in lines:
        match = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", line)
        if match:
            word, condition = match.groups()
            if word in ("elif", "else", "endif"):
                branches.pop()
            if word != "endif":
                branches.append(word == "ifdef" and condition.strip() == "__x86_64__"
                                or word in ("if", "elif") and is_x86_branch(condition))
        yield any(branches)


def found_in(text):
    """The lines of a text that only x86-64 knows: the number, the line, and whether it is guarded."""
    code, with_strings, lines = code_of(text).split("\n"), without_comments(text).split("\n"), text.split("\n")
    for number, guarded in enumerate(guarded_lines(code)):
        if HEADER.match(code[number]) or NAME.search(code[number]) or ASSEMBLY.search(with_strings[number]):
            yield number + 1, lines[number].strip(), guarded


SAMPLE = '''#include <immintrin.h>
#include <cstdint>
#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__clang__)
__m128i a;
#endif
#else
__m128i b;
#endif
// _mm_sfence() is told of
#if COVEC_ISA_LEVEL == 2
__mmask16 c;
#elif COVEC_ISA_LEVEL > 0
__m256i d;
#elif COVEC_ISA_LEVEL == 0
__m128i e;
#endif
#if !defined(__x86_64__)
__m128d f;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
auto g = __rdtsc();
#endif
const char* text = "_mm_sfence()";
asm volatile("" : : : "memory");
asm volatile("fnclex");
asm("nop" : : );
int named() asm("other_name");
'''
SAMPLE_FOUND = [(1, False), (4, True), (6, True), (9, False), (13, True), (15, True), (17, False), (20, False), (23, False), (27, False),
                (28, False)]


def check_finder():
    """The finder itself, on the sample."""
    found = [(number, guarded) for number, _, guarded in found_in(SAMPLE)]
    return [] if found == SAMPLE_FOUND else [f"found in the sample: {found}"]


def main():
    source = pathlib.Path(sys.argv[1])
    failures, needed, total = check_finder(), set(), 0
    for path in sorted(path for folder in FOLDERS for path in (source / folder).rglob("*.[ch]*") if re.fullmatch(r"\.[ch](?:pp)?", path.suffix)):
        name, total = str(path.relative_to(source)), total + 1
        for number, line, guarded in found_in(path.read_text(encoding="utf-8")):
            needed.add(name)
            if name in GUARDED and not guarded:
                failures.append(f"{name}:{number}: not inside of #if defined(__x86_64__): {line}")
            elif name not in GUARDED and name not in ONLY:
                failures.append(f"{name}:{number}: only x86-64 knows this: {line}")
    failures += [f"{name}: has nothing that only x86-64 knows any more" for name in sorted((GUARDED | ONLY.keys()) - needed)]
    print(f"{total} files, {len(needed)} with parts for x86-64 alone, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures or total < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
