#!/usr/bin/env python3
"""Writes the ranges of frontend/source/unicode_tables.cpp anew, from Python's copy of the Unicode character database.

    tools/unicode_tables.py [--check]

Letters are the general categories L*, what may follow them in a name Nd, Mn and Mc, both past ASCII. Two columns wide are
characters of East_Asian_Width W or F and all of the blocks of ideographs and pictures, unassigned ones included; no column
wide are the categories Mn, Me and Cf, but for U+00AD. --check: exit status 1 where the file has others, or was made of another
version of Unicode than Python knows (3.11: 14.0.0).
"""
import pathlib
import re
import sys
import unicodedata

FILE = pathlib.Path(__file__).resolve().parents[1] / "frontend/source/unicode_tables.cpp"
WIDE_BLOCKS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x1F300, 0x1FAFF), (0x20000, 0x3FFFD))


def is_letter(c):
    return unicodedata.category(c)[0] == "L"


def continues(c):
    return unicodedata.category(c) in ("Nd", "Mn", "Mc")


def is_wide(c):
    in_block = any(first <= ord(c) <= last for first, last in WIDE_BLOCKS)
    return in_block or (unicodedata.category(c) != "Cn" and unicodedata.east_asian_width(c) in "WF")


def has_no_width(c):
    return unicodedata.category(c) in ("Mn", "Me", "Cf") and ord(c) != 0xAD


TABLES = {"letters": is_letter, "continuations": continues, "wide": is_wide, "zero_width": has_no_width}


def ranges(holds):
    found = []
    for code in range(0x80, 0x110000):
        if 0xD800 <= code <= 0xDFFF or not holds(chr(code)):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def text_of(found):
    lines, line = [], "   "
    for first, last in found:
        item = f" {{0x{first:x}, 0x{last:x}}},"
        if len(line) + len(item) > 115:
            lines.append(line)
            line = "   "
        line += item
    return "\n".join(lines + [line])


def main():
    old = FILE.read_text(encoding="utf-8")
    new = re.sub(r"version [0-9.]+\)", f"version {unicodedata.unidata_version})", old, count=1)
    for name, holds in TABLES.items():
        new = re.sub(rf"(const Range {name}\[\] = \{{\n).*?(\n\}};)", lambda match: match[1] + text_of(ranges(holds)) + match[2], new,
                     count=1, flags=re.S)
    if "--check" in sys.argv:
        sys.exit(new != old)
    FILE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
