#!/usr/bin/env python3
"""sizes.py BUILD [--wasm] [FILE…]: looks for numbers that lose bits without a cast, in all sources or in these.

clang compiles them without making code and warns where a number of 64 bits becomes one of 32. With --wasm it compiles for wasm32, whose
size_t has 32 bits, and only what Covec in the browser has. The options are those of BUILD, which is one of GCC. Sources that GCC
compiles together are compiled together here, too: that takes minutes instead of an hour. What is found is printed once, then one line
with the counts. The exit status is 1 if something was found, or does not compile. Start reading at main().
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLANG = "clang++-22"  # the version for which Debian 12 has a C++ library for wasm32
JOBS = 2  # a unit takes up to 1 GB of memory
CHECK = ["-fsyntax-only", "-Wno-everything", "-Wshorten-64-to-32", "-ferror-limit=0"]
# WASI's C library has these parts of POSIX for programs that ask.
WASM = ["--target=wasm32-wasi", "-fwasm-exceptions",
        *(f"-D_WASI_EMULATED_{part}" for part in ("GETPID", "MMAN", "PROCESS_CLOCKS", "SIGNAL"))]
# Headers of libraries that are the same for wasm32: the system's own folder has others beside them, of its C library.
LIBRARIES = ["zlib.h", "x86_64-linux-gnu/zconf.h", "nlohmann"]
# An option that counts here: where headers are, definitions, the language, and the instruction set.
KEPT = re.compile(r"-(?:I|D|std=|f(?:no-)?(?:char8_t|exceptions|rtti)|m).*")
OF_X86 = re.compile(r"-m.*")
INCLUDED = re.compile(r'^#include "([^"]+)"', re.M)
FINDING = re.compile(r"^\S+:\d+:\d+: (?:warning|error|fatal error): ", re.M)
PREFIX = re.compile(rf"(?:/\S*?/roots/[^/\s]+|{re.escape(str(ROOT))})/")  # of a path in the project

# What Covec in the browser has, and what of that it leaves out.
IN_BROWSER = re.compile(r"(?:frontend|stdlib|interpreter/(?:assist|eval|notebook|session))/")
NOT_IN_BROWSER = re.compile(r"stdlib/(?:device/(?:opencl|cuda|cublas|nvrtc)|gate/(?:c_library|kernel_cache))\.cpp")


def options_of(words):
    """The options of a command of GCC that count here."""
    options = []
    for i, word in enumerate(words):
        if word == "-isystem":
            options += words[i:i + 2]
        elif KEPT.fullmatch(word) and not word.startswith("-mprefer"):
            options.append(word)
    return options


def units_of(build):
    """Options and sources of what GCC compiles at a time, by its path; of the copies for instruction sets the first."""
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"])
        if file in units or file.suffix == ".c":
            continue
        sources = INCLUDED.findall(file.read_text()) if "Unity" in file.parts else [str(file)]
        sources = [os.path.relpath(source, ROOT) for source in sources]
        if not sources[0].startswith(("..", "build")):  # nobody mends what is generated
            units[file] = options_of(shlex.split(entry["command"])), sources
    return units


def is_chosen(source, options):
    """Whether to look at a source."""
    in_browser = IN_BROWSER.match(source) and not NOT_IN_BROWSER.match(source)
    return (in_browser or not options.wasm) and (not options.files or source in options.files)


def link_libraries(folder):
    """A folder with the headers of some libraries alone."""
    folder.mkdir(exist_ok=True)
    for name in LIBRARIES:
        link = folder / os.path.basename(name)
        link.unlink(missing_ok=True)
        link.symlink_to(f"/usr/include/{name}")
    return folder


def check(folder, wasm, number, options, sources):
    """What clang says of sources that are compiled together."""
    unit = folder / f"{number}.cpp"
    unit.write_text("".join(f'#include "{ROOT / source}"\n' for source in sources))
    if wasm:
        options = [*WASM, "-isystem", str(folder / "libraries"), *(word for word in options if not OF_X86.fullmatch(word))]
    done = subprocess.run([CLANG, *options, *CHECK, str(unit)], capture_output=True, text=True)
    return done.stderr + ("" if done.returncode >= 0 else f"{unit}:0:0: error: the compiler was killed, for {' '.join(sources)}\n")


def new_findings(text, seen):
    """What is found in this unit and in none before."""
    text = PREFIX.sub("", text)
    starts = [match.start() for match in FINDING.finditer(text)]
    found = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)])]
    new = [one for one in found if one.split("\n")[0] not in seen]
    seen.update(one.split("\n")[0] for one in new)
    return new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--wasm", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_intermixed_args()
    folder = options.build / ("sizes_wasm" if options.wasm else "sizes")
    folder.mkdir(exist_ok=True)
    link_libraries(folder / "libraries")
    units = [(words, [source for source in sources if is_chosen(source, options)]) for words, sources in units_of(options.build).values()]
    units = [unit for unit in units if unit[1]]
    seen, found = set(), 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for text in pool.map(lambda number: check(folder, options.wasm, number, *units[number]), range(len(units))):
            new = new_findings(text, seen)
            found += len(new)
            print("".join(new), end="", flush=True)
    print(f"sizes: {sum(len(sources) for _, sources in units)} sources, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
