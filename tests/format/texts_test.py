#!/usr/bin/env python3
"""The formatter on many texts: tokens, comments and AST stay, and a second time changes nothing (check_texts.cpp).

    texts_test.py COVEC FORMAT_TEXTS [--mutants 500] [--seed 1]

The texts: every .covec file of the project, each of them with other blanks, and mutants of tests/fuzz/mutate.py, every second
one with other blanks, too. A disturbed text gets what people and editors write: tabs, CRLF, CR, blanks at line ends, comments,
missing and doubled blanks, other indentation, blank lines, `# fmt: off`. Some lack one token: statements with errors."""
import argparse
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))
from mutate import TOKEN, learn_scripts, mutant  # noqa: E402

BLANKS = ["", "", " ", " ", " ", "  ", "\t", "    "]


def disturbed(text, seed):
    chance = random.Random(seed)
    parts = []
    tokens = list(TOKEN.finditer(text))
    lost = chance.randrange(len(tokens)) if chance.random() < 0.3 else None
    for number, token in enumerate(tokens):
        piece = token.group(0) if number != lost else ""
        if token.lastgroup == "rest" and piece.isspace():
            piece = other_lines(piece, chance) if "\n" in piece else chance.choice(BLANKS[2:])
        elif chance.random() < 0.05 and token.lastgroup in ("operator", "bracket"):
            piece = chance.choice(BLANKS) + piece + chance.choice(BLANKS)
        parts.append(piece)
    text = "".join(parts)
    ends = chance.random()
    return text.replace("\n", "\r\n" if ends < 0.1 else "\r") if ends < 0.2 else text


def other_lines(piece, chance):
    """A line end with what surrounds it."""
    if chance.random() < 0.7:
        return piece
    ways = [
        lambda: piece + chance.choice([" ", "  ", "\t", "      "]),
        lambda: piece.replace("\n", "\n\n\n\n", 1),
        lambda: chance.choice([" ", "\t"]) + piece,
        lambda: chance.choice(["", " ", "     "]) + "# a comment" + piece,
        lambda: "\n" + chance.choice(["", "   "]) + "# alone" + piece,
        lambda: "\n" + chance.choice(["# fmt: off", "# fmt: on", "  # fmt: on "]) + piece,
    ]
    return chance.choice(ways)()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("covec")
    parser.add_argument("format_texts")
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    files = [path.read_bytes().decode(errors="surrogateescape")
             for folder in ("examples", "stdlib", "tests") for path in sorted((ROOT / folder).rglob("*.covec"))]
    learn_scripts(options.covec)
    texts = files + [disturbed(text, options.seed + number) for number, text in enumerate(files)]
    for number in range(options.mutants):
        text = mutant(options.seed + number)
        texts.append(disturbed(text, number) if number % 2 else text)
    given = b"".join(text.encode(errors="surrogateescape") + b"\0" for text in texts if "\0" not in text)
    done = subprocess.run([options.format_texts], input=given, stdout=subprocess.PIPE)
    sys.stdout.buffer.write(done.stdout[-20000:])
    # So that it is not all left alone.
    counts = done.stdout.splitlines()[-1].split()
    few = int(counts[2]) < options.mutants / 4 or int(counts[4]) > len(texts) / 2
    return 1 if few else done.returncode


if __name__ == "__main__":
    sys.exit(main())
