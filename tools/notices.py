#!/usr/bin/env python3
"""notices.py native FILE: writes the licences of Covec and of what is linked into its command and library, as Debian's packages tell
them. notices.py wasm FILE SOURCES CLANG: of the module for browsers; SOURCES has what tools/wasm/build fetched, and CLANG is the
number of clang. Elsewhere than on Debian a licence that is not found is named only, except for the module. Start at main().
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE = "=" * 78
DOC = pathlib.Path("/usr/share/doc")
COMMON = pathlib.Path("/usr/share/common-licenses")
# Headers, or libraries that are linked statically: (what it is, the package).
HEADERS = (("Eigen", "libeigen3-dev"), ("JSON for Modern C++", "nlohmann-json3-dev"))
NATIVE = (("ANTLR's runtime", "libantlr4-runtime-dev"), ("AsmJit", "libasmjit-dev"), ("cmark", "libcmark-dev"), ("zlib", "zlib1g-dev"),
          ("CLI11", "libcli11-dev"), ("oneTBB", "libtbb-dev"), *HEADERS)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def of_package(package):
    path = DOC / package / "copyright"
    return path.read_text(errors="replace") if path.exists() else None


def version_of(package):
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True).stdout


def of_files(paths):
    """The notices that stand in files, each once, with the names of its files."""
    found = {}
    for path in paths:
        for comment in COMMENT.findall(path.read_text(errors="replace")):
            if "copyright" in comment.lower():
                found.setdefault(comment, []).append(path.name)
    return "\n\n".join(f"{', '.join(names)}:\n{comment}" for comment, names in found.items()) or None


def packages(listed):
    for title, package in listed:
        version = version_of(package)
        yield f"{title} (Debian's package {package}{' ' if version else ''}{version})", of_package(package)


def of_module(sources, clang):
    """What is linked into the module: (what it is, its notice)."""
    llvm = of_package(f"libc++-{clang}-dev-wasm32")
    yield from packages(((f"libc++ and libc++abi of LLVM {clang}", f"libc++-{clang}-dev-wasm32"),
                         (f"compiler-rt of LLVM {clang}", f"libclang-rt-{clang}-dev-wasm32"), ("wasi-libc", "wasi-libc")))
    yield "Exceptions of C++, from libc++abi and libunwind of LLVM as Emscripten has them", llvm
    math = sources / "picolibc/newlib/libm/ld"
    yield "Functions of long double, from picolibc", of_files(sorted((*math.glob("ld128/*.c"), *math.glob("common/*.c"))))
    for title, name in (("zlib", "zlib"), ("ANTLR's runtime", "antlr4-cpp-runtime")):
        path = sources / name / "debian/copyright"
        yield f"{title} (Debian's source {name})", path.read_text() if path.exists() else None
    yield from packages(HEADERS)


def main():
    kind, file = sys.argv[1], pathlib.Path(sys.argv[2])
    parts = [("Covec", (ROOT / "LICENSE").read_text())]
    parts += packages(NATIVE) if kind == "native" else of_module(pathlib.Path(sys.argv[3]), sys.argv[4])
    lacking = [title for title, text in parts if not text]
    if lacking and kind != "native":
        sys.exit(f"notices.py: no licence is found of {', '.join(lacking)}")
    parts.append(("Texts to which the above refer", "\n\n".join(
        f"{name}:\n\n{(COMMON / name).read_text()}" for name in ("MPL-2.0", "BSD") if (COMMON / name).exists()) or "none"))
    titles = "\n".join(f"- {title}" for title, _ in parts[1:-1])
    head = ("Covec has the Apache License 2.0. It is linked with the following, whose licences are below. Their sources come with Debian\n"
            f"(apt-get source, https://sources.debian.org); Covec uses those of Eigen (MPL 2.0) unchanged.\n\n{titles}\n")
    texts = (f"{LINE}\n{title}\n{LINE}\n\n{text or 'Its licence was not found where this file was made.'}" for title, text in parts)
    file.write_text("\n\n".join([head, *(text.rstrip() for text in texts)]) + "\n")


if __name__ == "__main__":
    main()
