"""Results have the same bits with every C library: no object file refers to those of its functions whose last bits differ from one
to the next, such as hypot, exp and csqrt, nor to the compiler's division of complex numbers. Kernels have the operators' own
(stdlib/kernels/elementary.hpp, stdlib/decompositions/complex_numbers.hpp). Who may call them stands in ALLOWED, with the reason; a line
that is needed no more is a failure itself.

Usage: libm_test.py NM BUILD_FOLDER
"""
import os
import re
import sys

from gate_test import object_files, undefined

# Parts of paths of object files.
ALLOWED = {
    "covec_special.dir": "computes in long double, which differs between processors: tools/wasm/differences.txt lists what does",
    "covec_canvas.dir": "colours and pixels, which are rounded to 1/255 and to places",
    "covec_drawing.dir": "places in figures, which are written with few digits",
    "covec_derivatives.dir": "whole powers of 1000 and 1024, which are exact: units of memory",
    "covec.dir": "whole powers of 1/2, which are exact: chances that covec bench tells",
}
REAL = ("hypot|cbrt|[lt]gamma|sin|cos|sincos|tan|asin|acos|atan2?|sinh|cosh|tanh|asinh|acosh|atanh|exp(?:2|10|m1)?|log(?:2|10|1p)?|pow|"
        "erfc?|j[01n]|y[01n]")
COMPLEX = "c(?:abs|arg|sqrt|exp|log|pow|a?(?:sin|cos|tan)h?)"
FORBIDDEN = re.compile(f"^(?:(?:{REAL}|{COMPLEX})[fl]?|__div[sdx]c3)$")


def main():
    nm, build = sys.argv[1:3]
    paths, needed, failures = list(object_files(build)), set(), []
    for path, symbol in undefined(nm, paths):
        if not FORBIDDEN.match(symbol):
            continue
        allowed = [part for part in ALLOWED if f"/{part}/" in path]
        needed.update(allowed)
        if not allowed:
            failures.append(f"{os.path.relpath(path, build)} refers to {symbol}, whose last bits are not the same everywhere")
    failures += [f"{part}: refers to none of these functions any more" for part in ALLOWED.keys() - needed]
    print(f"{len(paths)} object files, {len(failures)} failures", *sorted(failures), sep="\n")
    return 1 if failures or len(paths) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
