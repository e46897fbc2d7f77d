"""The names of covec.h, their signatures, the sizes and offsets of its structs and the values of its constants are those of
abi.txt: what is there stays as it is, what is new is added. Also that this test would see a change, and that the library's
symbols and their versions are those of the header.

Usage: abi_test.py HEADER LIBRARY ABI_FILE CC READELF [--write]
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GROWING = {"covec_options", "covec_function_options", "covec_ranks"}  # whose size the header passes


def clean(words):
    return re.sub(r"\s*([*(),])\s*", r"\1", " ".join(words.split()))


def parts_of(header):
    """(declarations in words, structs with their fields, constants)"""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    text = re.sub(r"^\s*#.*?$", " ", text, flags=re.M)
    lines = {f"function {clean(each)}" for each in re.findall(r"COVEC_API ([^;]+);", text)}
    lines |= {f"type {clean(each)}" for each in re.findall(r"typedef ([^;{}]+);", text)}
    structs = {name: re.findall(r"(\w+)\s*;", body) for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.S)}
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.S):
        lines |= {f"field {name}: {clean(field)}" for field in body.split(";") if field.strip()}
    constants = [c for body in re.findall(r"typedef enum \w+ \{(.*?)\}", text, re.S) for c in re.findall(r"(COVEC_\w+)", body)]
    return lines, structs, constants


def numbers_of(header_text, structs, constants, cc):
    """Sizes, offsets and values, as a C compiler has them."""
    rows = []
    for name, fields in structs.items():
        rows.append(f'printf("size {name} %zu\\n", sizeof({name}));')
        rows += [f'printf("offset {name}.{field} %zu\\n", offsetof({name}, {field}));' for field in fields]
    rows += [f'printf("constant {name} %d\\n", (int){name});' for name in constants]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "covec.h").write_text(header_text)
        source = Path(folder) / "numbers.c"
        source.write_text('#include "covec.h"\n#include <stdio.h>\nint main(void) {\n' + "\n".join(rows) + "\nreturn 0;\n}\n")
        program = Path(folder) / "numbers"
        subprocess.run([cc, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", source, "-o", program], check=True)
        return set(subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines())


def abi_of(header_text, cc):
    lines, structs, constants = parts_of(header_text)
    return lines | numbers_of(header_text, structs, constants, cc)


def broken(promised, now):
    """What was promised and is not so any more."""
    sizes = {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in now if line.startswith("size ")}
    wrong = []
    for line in sorted(promised - now):
        kind, number = line.rsplit(" ", 1)
        grows = kind.startswith("size ") and kind.split()[1] in GROWING
        if not (grows and sizes.get(kind, 0) >= int(number)):
            wrong.append(line)
    return wrong


def symbols_of(library, readelf):
    """name: version, of what the library shows."""
    text = subprocess.run([readelf, "-W", "--dyn-syms", library], check=True, capture_output=True, text=True).stdout
    return dict(re.findall(r"(?:FUNC|OBJECT)\s+GLOBAL\s+DEFAULT\s+\d+\s+(covec_\w+)@@(\w[\w.]*)", text))


def check_itself(promised, header, cc):
    changes = {"a parameter": ("unsigned covec_error_line(const", "unsigned long covec_error_line(const"),
               "a field": ("  unsigned threads;", "  uint64_t threads;"),
               "an order": ("COVEC_ERROR = 1,", "COVEC_ERROR = 4,"),
               "a name": ("covec_status covec_close(", "covec_status covec_shut("),
               "an end of a struct that has no size": ("  uint64_t allocations;\n", "  uint64_t allocations;\n  uint64_t more;\n")}
    for what, (before, after) in changes.items():
        assert header.count(before) == 1, (what, header.count(before))
        assert broken(promised, abi_of(header.replace(before, after), cc)), f"the test does not see that {what} has changed"
    added = header.replace("} covec_options;", "  int later; uint64_t last;\n} covec_options;").replace(
        "COVEC_INTERRUPTED = 3", "COVEC_INTERRUPTED = 3, COVEC_LATER = 4").replace(
        "COVEC_API const char* covec_version(void);", "COVEC_API const char* covec_version(void);\nCOVEC_API int covec_later(void);")
    assert added.count("later") >= 2 and not broken(promised, abi_of(added, cc)), "the test refuses what is added"


def main():
    header_file, library, abi_file, cc, readelf = sys.argv[1:6]
    header = Path(header_file).read_text()
    now = abi_of(header, cc)
    if "--write" in sys.argv:
        Path(abi_file).write_text("\n".join(sorted(now)) + "\n")
    promised = set(Path(abi_file).read_text().splitlines())
    problems = [f"changed or gone: {line}" for line in broken(promised, now)]
    declared = set(re.findall(r"\b(covec_\w+)\(", "\n".join(line for line in now if line.startswith("function "))))
    shown = symbols_of(library, readelf)
    problems += [f"declared and not in the library: {name}" for name in sorted(declared - set(shown))]
    problems += [f"in the library and not declared: {name}" for name in sorted(set(shown) - declared)]
    problems += [f"{name} has the version {version}" for name, version in shown.items() if not version.startswith("COVEC_")]
    if not problems:
        check_itself(promised, header, cc)
    print("\n".join(problems) or f"{len(shown)} functions")
    return 1 if problems else 0


sys.exit(main())
