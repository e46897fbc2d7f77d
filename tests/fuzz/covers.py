#!/usr/bin/env python3
"""What of the language do the random programs never write? Asks the command for the tree of each program (`dump --ast`), and
compares: every builtin and every option of it that `covec doc` names, the words that options take (WORDS), every decorator
with its options, and every kind of node and operator that the scripts of tests/language and the documents have. Exit status 1
where something is missing that LEFT_OUT gives no reason for.

    covers.py --covec COMMAND --programs 1000      at most so many
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from generate import generate  # noqa: E402
from mutate import ROOT, blocks_of  # noqa: E402
from run import files_of  # noqa: E402
from words import learn  # noqa: E402

# Words that options take; an option that takes numbers only is not here.
WORDS = {"jacobian mode": ["auto", "forward", "reverse"], "grad zero": ["ieee"], "meshgrid indexing": ["xy", "ij"], "searchsorted side": ["left", "right"],
         "qr mode": ["reduced", "complete"], "norm ord": ["fro", "nuc"], "conv1d padding": ["same", "valid"], "convolve mode": ["same"], "correlate mode": ["valid", "full", "same"], "quantile method": ["lower"], "nanquantile method": ["midpoint"], "conv2d padding": ["same"], "compile device": ["cpu", "auto"], "compile precision": ["tf32", "bf16"], "read_csv header": ["names"]}
DECORATORS = ["@compile", "@compile device", "@compile precision", "@compile strict", "@test", "@bench", "@derivative of", "@derivative mode"]
FIGURES = "takes a figure of the module plot: tests/plot, tests/modules/plot_test.covec"
LEFT_OUT = {what: FIGURES  # {what: why}
            for what in ("plot_check", "plot_save", "plot_svg", "plot_text", "plot_save scale", "plot_text width", "plot_text height", "plot_text color", "plot_text function")}
LEFT_OUT["display_as"] = "what plot.show and table.show call: tests/plot, tests/unit"
for _option in ("jacobian sparse", "jacobian check", "hessian sparse", "hessian check"):
    LEFT_OUT[_option] = "the compressed form of what the programs ask for: tests/modules/sparse_plans_test.covec, sparse_prepare_test.covec"
LEFT_OUT["breakpoint"] = "waits for a person at a terminal: tests/repl/debug_test.py"
LEFT_OUT["devices"] = "tells what the machine has: tests/devices"


def parsed(text):
    """The lists of a dump, as Python's: words and lists; strings keep their quotes, braces do not count."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[()]|\{[^{}\n]*\}|[^\s(){}"]+', text)
    stack = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) > 1:
                done = stack.pop()
                stack[-1].append(done)
        else:
            stack[-1].append(token)
    while len(stack) > 1:
        done = stack.pop()
        stack[-1].append(done)
    return stack[0]


class Seen:
    def __init__(self, signatures):
        self.signatures = signatures
        self.words = set()  # builtins, "name option", "name option=word", "@decorator option"
        self.heads = set()

    def visit(self, node):
        if isinstance(node, str):
            if node in self.signatures:
                self.words.add(node)
            return
        if not node:
            return
        if isinstance(node[0], str):
            if node[0].startswith("@"):
                self.words.add(node[0])
                self.words.update(f"{node[0]} {part[1]}" for part in node[1:] if isinstance(part, list) and part[:1] == ["="])
            self.heads.add(node[0] if node[0].startswith("@") or node[0] not in self.signatures else "")
        if node[0] == "call":
            self.call(node[1], node[2:])
        if node[0] == "fn":
            parameters = next((part for part in node if isinstance(part, list)), [])
            self.heads.update(f"fn {stars}" for part in parameters if isinstance(part, str) for stars in re.findall(r"^\*+", part))
        for part in node:
            self.visit(part)

    def call(self, callee, arguments):
        method = isinstance(callee, list) and callee[:1] == ["."]
        name = callee[2] if method and len(callee) > 2 else callee
        if not isinstance(name, str) or name not in self.signatures:
            return
        self.words.add(name)
        place, parameters = int(method), self.signatures[name]
        for argument in arguments:
            named = isinstance(argument, list) and argument[:1] == ["="]
            option = argument[1] if named else parameters[min(place, len(parameters) - 1)] if parameters else None
            value = argument[2] if named and len(argument) > 2 else argument
            place += not named
            if isinstance(option, str):
                self.words.add(f"{name} {option}")
                if isinstance(value, str) and value.startswith('"'):
                    self.words.add(f"{name} {option}={value[1:-1]}")


def signatures_of(covec):
    """{builtin: [parameter]}, and the options: those with a default."""
    manual = subprocess.run([covec, "doc"], capture_output=True, text=True, check=True).stdout
    parameters, options = {}, []
    for name, inside in re.findall(r"^### `(\w+)(?:\((.*)\))?`", manual, re.M):
        parts = [part.strip() for part in inside.split(",") if part.strip()]
        parameters[name] = [part.split("=")[0].rstrip("…") for part in parts]
        options += [f"{name} {part.split('=')[0]}" for part in parts if "=" in part]
    return parameters, options


def look(covec, texts, seen):
    """What a text has, many have one after the other: one process parses them all. Where it cannot, it parses each half, and a text
    that does not parse is left out."""
    texts = list(texts)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.covec")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(texts))
        done = subprocess.run([covec, "dump", "--ast", path], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        seen.visit(parsed(done.stdout))
    elif len(texts) > 1:
        middle = len(texts) // 2
        look(covec, texts[:middle], seen)
        look(covec, texts[middle:], seen)


def wanted_heads(covec, signatures):
    texts = [open(path, encoding="utf-8").read() for path in sorted(glob.glob(os.path.join(ROOT, "tests/language/*.covec")))]
    texts += [block for page in ("language.md", "tutorial.md") for block in blocks_of(os.path.join(ROOT, "docs", page))]
    seen = Seen(signatures)
    look(covec, texts, seen)
    return {head for head in seen.heads if head in KINDS or not re.search(r"\w|:$", head)}


# Kinds of nodes whose heads are words, as the dump writes them (frontend/ast/dump.cpp); other words there are names.
KINDS = {"fn", "fn *", "fn **", "if", "for", "while", "break", "continue", "return", "assert", "import", "call", "index", "tuple", "tensor", "record", "format", "each", "compare",
         "and", "or", "not", "newaxis", "none", "map", "try", "in"}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--covec", required=True)
    options.add_argument("--programs", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    signatures, named = signatures_of(given.covec)
    learn(given.covec)
    seen = Seen(signatures)
    wanted = [*signatures, *named, *(f"{option}={word}" for option, words in WORDS.items() for word in words), *DECORATORS]
    heads = wanted_heads(given.covec, signatures)
    written, unexplained = 0, [""]
    while unexplained and written < given.programs:  # enough when nothing is missing
        some = min(100, given.programs - written)
        seeds = range(given.seed + written, given.seed + written + some)
        look(given.covec, (part for seed in seeds for _, part in files_of(generate(seed), "")), seen)
        written += some
        missing = [word for word in wanted if word not in seen.words] + sorted(heads - seen.heads)
        unexplained = [word for word in missing if word not in LEFT_OUT]
    print(f"{written} programs write {len(wanted) - len([w for w in missing if w in wanted])} of {len(wanted)} builtins, options and decorators; {len(seen.heads)} kinds of nodes")
    for word in unexplained:
        print(f"never written: {word}")
    for word in (word for word in LEFT_OUT if word not in missing):
        print(f"written, though LEFT_OUT says otherwise: {word}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
