"""Constants say their unit: a comment on the line, or above the group of constants.

Looks at integer and floating-point constants with a number in them, beside the code that they tune. A comment that stands
above adjacent constants is that of them all. Numbers that are nothing but 0, 1 or 2, and sentinels (~0u, UINT32_MAX), need
none.

Usage: constants_test.py SOURCE_FOLDER [--list]    with --list every constant without a comment
"""
import pathlib
import re
import sys

FOLDERS = ("frontend", "stdlib", "interpreter", "jit")
CONSTANT = re.compile(r"^\s*(?:(?:static|inline|extern|alignas\(\w+\)) )*constexpr (?:static )?(?:std::)?"
                      r"(?:u?int(?:8|16|32|64)?_t|size_t|ptrdiff_t|unsigned|int|long|double|float|auto|chrono::\w+) (\w+)[^=({]*(?:=|\{)(.*)$")
NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9a-fA-F.]+(?:p[-+]?\d+)?|\d[\d.']*(?:e[-+]?\d+)?)[uUlLfFzZ]*(?![\w.])")
TRIVIAL = re.compile(r"^(?:0x)?[012](?:\.0?)?[uUlLfF]*$")


def constants_of(path):
    """Line, text and whether there is a comment, of each constant of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    covered = False  # by a comment above the group
    for number, line in enumerate(lines, 1):
        match = CONSTANT.match(line)
        if not match:
            covered = line.strip().startswith("//") or (covered and line.startswith("    ") and not line.strip().endswith("{"))
            continue
        value = match.group(2).split("//")[0]
        if any(not TRIVIAL.match(found) for found in NUMBER.findall(value)):
            following = lines[number] if number < len(lines) and not line.rstrip().endswith(";") and "//" not in line else ""
            yield number, line.strip(), covered or "//" in line or "//" in following


def main():
    source = pathlib.Path(sys.argv[1])
    total, bare = 0, []
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*.[ch]pp")):
            for number, line, said in constants_of(path):
                total += 1
                if not said:
                    bare.append(f"{path.relative_to(source)}:{number}: {line}")
    print(f"{total} constants, {len(bare)} without a unit", *(bare if bare and "--list" in sys.argv else bare[:20]), sep="\n")
    return 1 if bare or total < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
