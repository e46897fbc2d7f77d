"""Walls: what a room may include, how many files it has, and how large a class gets.

- Rooms of frontend, interpreter and jit include only the rooms that their line in ROOMS names, which stand before them. (The
  build itself keeps the rooms of stdlib apart: arrows_test.py.)
- Units (a header with its source) include each other one way: those that form a circle are listed in CIRCLES.
- A room has at most 40 files, a class at most 40 members, and no class has a friend class.
- An exception is named below with its reason, and is a failure itself once it is none.

Usage: walls_test.py SOURCE_FOLDER [--list N]    with --list the N largest classes and rooms
"""
import argparse
import pathlib
import re
import sys

MOST_FILES = 40
MOST_MEMBERS = 40
FOLDERS = ("frontend", "stdlib", "interpreter", "jit")

EVAL = ["interpreter/eval/values", "interpreter/eval/report", "interpreter/eval/apply", "interpreter/eval/walk",
        "interpreter/eval/staged"]
# Each room of frontend, interpreter and jit, in the order of the arrows, and the rooms of the same folder that it may include.
ROOMS = {
    "frontend/common": [],
    "frontend/source": [],
    "frontend/ast": ["frontend/source"],
    "frontend/parse/tokens": ["frontend/source"],
    "frontend/parse/layout": ["frontend/source"],
    "frontend/parse": ["frontend/common", "frontend/source", "frontend/ast", "frontend/parse/layout", "frontend/parse/tokens"],
    "frontend/parse/web": ["frontend/parse"],
    "frontend/format": ["frontend/source", "frontend/parse", "frontend/parse/tokens"],
    "frontend/core": ["frontend/common", "frontend/source", "frontend/ast"],
    "frontend/scopes": ["frontend/common", "frontend/source", "frontend/ast", "frontend/core"],
    "frontend/resolve": ["frontend/common", "frontend/source", "frontend/ast", "frontend/parse", "frontend/core", "frontend/scopes"],
    "interpreter": [],  # compiler.hpp: what the interpreter and the compiler know of each other; DLPack's structs
    **{room: ["interpreter", *EVAL[:number]] for number, room in enumerate(EVAL)},
    "interpreter/eval": EVAL,
    "interpreter/profile": ["interpreter", *EVAL[:3]],
    "interpreter/eval/values/web": ["interpreter/eval/values"],
    "interpreter/session": ["interpreter", "interpreter/eval", *EVAL[:3], "interpreter/profile"],
    "interpreter/session/web": ["interpreter/eval/report", "interpreter/profile", "interpreter/session"],
    "interpreter/repl/editor": [],
    "interpreter/assist": ["interpreter/session", "interpreter/repl/editor"],
    "interpreter/assist/web": ["interpreter/repl/editor", "interpreter/assist"],
    "interpreter/web": ["interpreter/session", "interpreter/session/web", "interpreter/repl/editor", "interpreter/assist"],
    "interpreter/repl": ["interpreter/session", "interpreter/repl/editor", "interpreter/assist"],
    "interpreter/verify": ["interpreter/session", "interpreter/repl"],
    "interpreter/notebook": ["interpreter/session", "interpreter/repl/editor", "interpreter/assist", "interpreter/repl"],
    "interpreter/command": ["interpreter", "interpreter/profile", "interpreter/session", "interpreter/repl", "interpreter/verify",
                            "interpreter/notebook"],
    "interpreter/lsp": ["interpreter", "interpreter/session", "interpreter/repl/editor", "interpreter/assist", "interpreter/command"],
    "jit/ir": [],
    "jit/passes/analysis": ["jit/ir"],
    "jit/passes": ["jit/ir", "jit/passes/analysis"],
    "jit/passes/rows": ["jit/ir", "jit/passes/analysis", "jit/passes"],
    "jit/loops": ["jit/ir"],
    "jit/loops/fuse": ["jit/ir", "jit/loops"],
    "jit/loops/build": ["jit/ir", "jit/loops", "jit/loops/fuse"],
    "jit/loops/lanes": ["jit/ir", "jit/loops"],
    "jit/source": ["jit/loops"],
    "jit/simd/places": [],
    "jit/simd/machine": ["jit/loops", "jit/simd/places"],
    "jit/simd/vector": ["jit/loops", "jit/simd/machine"],
    "jit/simd/lanes": ["jit/loops", "jit/loops/lanes", "jit/simd/machine", "jit/simd/vector"],
    "jit/simd": ["jit/loops", "jit/simd/places", "jit/simd/machine", "jit/simd/vector", "jit/simd/lanes"],
    "jit/device": ["jit/loops", "jit/source"],
    "jit/runtime": ["jit/ir", "jit/loops", "jit/device"],
    "jit": ["jit/passes", "jit/loops", "jit/loops/fuse", "jit/loops/build", "jit/loops/lanes", "jit/source", "jit/simd", "jit/device", "jit/runtime"],
    "jit/emit": ["jit/loops", "jit/source"],
    "jit/lower/graph": ["interpreter", "jit/ir"],
    "jit/lower/paths": ["interpreter", "jit/ir", "jit/lower/graph"],
    "jit/lower": ["interpreter", "jit/ir", "jit/lower/graph", "jit/lower/paths"],
    "jit/cost": ["jit/ir", "jit/runtime"],
    "jit/explain": ["interpreter", "jit", "jit/ir", "jit/passes/analysis", "jit/cost"],
    "jit/dispatch": [],
    "jit/prepared": ["jit", "jit/loops", "jit/runtime"],
    "jit/specialize": ["interpreter", "jit", "jit/ir", "jit/loops", "jit/loops/fuse", "jit/source", "jit/simd", "jit/runtime",
                       "jit/lower/graph", "jit/lower", "jit/cost", "jit/dispatch"],
    "jit/compiler": ["interpreter", "jit", "jit/ir", "jit/loops", "jit/loops/fuse", "jit/source", "jit/simd", "jit/device",
                     "jit/runtime", "jit/emit", "jit/lower/graph", "jit/lower/paths", "jit/lower", "jit/cost", "jit/explain", "jit/dispatch",
                     "jit/prepared", "jit/specialize"],
    # The composition root and the C interface join interpreter and jit.
    "interpreter/include/covec": [],
    "interpreter/host": ["interpreter", "interpreter/eval/report", "interpreter/profile", "interpreter/session", "jit/compiler", "jit/prepared"],
    "interpreter/main": ["interpreter", "interpreter/command", "interpreter/lsp", "interpreter/session", "jit/compiler"],
    "interpreter/python": ["interpreter"],
}
LARGE_ROOMS = set()
# Circles of units that stay, by room, with the reason. A circle that has got another unit is a new one.
CUT_OFF = "a part that was cut off its source, and needs the types of its header"
RECURSIVE = "mutual recursion: the grammar and the core nest all kinds of node"
CIRCLES = [
    ("frontend/parse", "broken_lines build_annotations build_expressions build_functions build_literals build_statements builder "
     "children parse text token_spans", RECURSIVE),
    ("frontend/resolve", "calls comprehensions decorators expressions functions indices pops signatures statements targets",
     RECURSIVE),
    ("interpreter/command", "command dump emit shapes", "subcommands read the command's options"),
    ("interpreter/eval/apply", "applier source_scope", CUT_OFF),
    ("interpreter/eval/staged", "choices lists loops parts paths recursion statements values", RECURSIVE),
    ("interpreter/eval/walk", "assertions binding calls closure_runner comprehensions contractions definitions expressions fields "
     "indexing literals operators parts rare_expressions signatures statements update_path updates", RECURSIVE),
    ("jit/compiler", "call_runner compiled parts specializer tiering", "a compiled function is called by the parts that made it"),
    ("jit/compiler", "dearest_lines explain", CUT_OFF),
    ("jit/emit", "moves operators", "the table of operators names the writers, which are given its rows"),
    ("jit/emit", "size types", "a size is written by the types of slots, which hold sizes"),
    ("jit/loops/fuse", "device_numbers fuse value_uses", CUT_OFF),
    ("jit/passes", "control_rewriter rewriter", "regions are rewritten inside of operations"),
    ("jit/passes", "scalar_choice scalar_needs", CUT_OFF),
    ("jit/passes/analysis", "extents known_values", CUT_OFF),
    ("jit/runtime", "activation host_steps lane_arrays lane_loop run slots", "steps run loops, which run steps"),
    ("stdlib/autodiff", "apply batch collectives effects forward level pattern renewal safe_substitute split sweep tape",
     "rules apply operators, which are traced again by outer levels"),
    ("stdlib/convolution", "convolve convolve_plan", CUT_OFF),
    ("stdlib/decompositions", "by_eigen general_eigen", CUT_OFF),
    ("stdlib/files", "leaves npz safetensors structure", CUT_OFF),
    ("stdlib/fourier", "fourier fourier_plan", CUT_OFF),
    ("stdlib/gate", "gate system", CUT_OFF),
    ("stdlib/kernels", "gemm gemm_plan", CUT_OFF),
    ("stdlib/kernels", "reduce reduce_plan", CUT_OFF),
    ("stdlib/ops/contract", "attributes entry handles rules vocabulary", "an entry holds rules, which apply entries"),
    ("stdlib/ops/contract", "narrow_dtypes promotion", CUT_OFF),
    ("stdlib/ops/create", "create matrix", "each has operators that are composed of the other's"),
    ("stdlib/ops/elementwise", "operator parts", CUT_OFF),
    ("stdlib/ops/linalg", "linalg parts rules", "rules are composed of the operators that have them"),
    ("stdlib/ops/random", "ahead examples random", CUT_OFF),
    ("stdlib/ops/reduce", "cached complex_product compose reduce reduction rules scan",
     "rules are composed of the operators that have them"),
    ("stdlib/plot", "flatten frame", CUT_OFF),
    ("stdlib/sparse", "color color_greedy color_lattice color_split color_star",
     "a colouring in parts colours each by the whole one"),
    ("stdlib/sparse", "factor factor_parts", CUT_OFF),
    ("stdlib/tensor", "format print", "text of a tree holds text of its items in a format"),
    ("stdlib/value", "callable cell context map object string tensor_header traced tree value visits", "one recursive data type"),
]
LARGE_CLASSES = {
    "interpreter/include/covec/covec.hpp: Session",  # the whole C++ interface of a session, over covec.h
    "stdlib/canvas/cairo.cpp: Library",  # a pointer for each function of Cairo that is used
    "stdlib/value/value.hpp: Value",  # 16 bytes; makers and readers for each kind of value
}


def code_of(text):
    """The text without comments and without what literals hold; the lines stay."""
    def blank(match):
        found = match.group()
        return "\n" * found.count("\n") if found[0] == "/" else found[0] + found[-1]
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"\w*\(.*?\)\w*"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', blank, text, flags=re.S)


def end_of_braces(text, start):
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place
    raise ValueError("a brace is not closed")


CLASS = re.compile(r"\b(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?(?:alignas\([^)]*\)\s*)?([A-Za-z_]\w*(?:<[^;{}]*>)?)\s*(?:final\s*)?"
                   r"(?::(?!:)[^;{}]*)?\{")
NO_MEMBER = re.compile(r"(?:template\s*<[^;]*>\s*)?(?:using|typedef|static_assert|class|struct|enum|union|friend)\b")
TYPE = re.compile(r"(?:\w+\s*:\s*)?(?:template.*?>\s*)?(?:class|struct|union|enum)\b", re.S)


def declarations_of(body):
    """The declarations of a class's body, each without what stands in braces."""
    place, parentheses, current, found = 0, 0, "", []
    while place < len(body):
        char = body[place]
        parentheses += (char == "(") - (char == ")")
        if char == "{" and parentheses == 0:
            place = end_of_braces(body, place) + 1
            head, after = current.strip(), body[place:].lstrip()[:1]
            current += " {} "
            if not TYPE.match(head) and after not in (";", ",", "{"):
                found.append(head)
                current = ""
            continue
        if char == ";" and parentheses == 0:
            found.append(current.strip())
            current = ""
        else:
            current += char
        place += 1
    found = [re.sub(r"^\s*(?:(?:public|private|protected)\s*:\s*)+", "", one).strip() for one in found]
    return [one for one in (re.sub(r"^#.*$", "", one, flags=re.M).strip() for one in found) if one]


def classes_of(path):
    """Name, members and friend classes of each class of a file."""
    code = code_of(path.read_text(encoding="utf-8"))
    for match in CLASS.finditer(code):
        start = match.end() - 1
        declarations = declarations_of(code[start + 1:end_of_braces(code, start)])
        yield (match.group(1), [one for one in declarations if not NO_MEMBER.match(one)],
               [one for one in declarations if re.match(r"friend\s+(?:class|struct)\b", one)])


def check_arrows(source):
    failures, rooms = [], list(ROOMS)
    for room, sees in ROOMS.items():
        failures += [f"{room} sees {other}, which does not stand before it"
                     for other in sees if other not in rooms[:rooms.index(room)]]
    for folder in ("frontend", "interpreter", "jit"):
        for path in sorted((source / folder).rglob("*.[ch]pp")):
            room = str(path.parent.relative_to(source))
            if room not in ROOMS:
                failures.append(f"{path.relative_to(source)}: the room {room} has no line in ROOMS")
                continue
            for header in re.findall(r'^\s*#\s*include\s*"((?:frontend|interpreter|jit)/[^"]+)"',
                                     path.read_text(encoding="utf-8"), re.M):
                other = header.rpartition("/")[0]
                # Which rooms of the frontend the engines see is the build's (arrows_test.py).
                if other.startswith("frontend") and folder != "frontend":
                    continue
                if other != room and other not in ROOMS[room]:
                    failures.append(f"{path.relative_to(source)} includes {header}: {room} does not see {other}")
    return failures


def includes_of(source):
    """By unit (the path of a header or source without its ending): the units that it includes."""
    found = {}
    for folder in FOLDERS:
        for path in (source / folder).rglob("*.[ch]pp"):
            unit = str(path.relative_to(source).with_suffix(""))
            headers = re.findall(r'^\s*#\s*include\s*"([^"]+)\.hpp"', path.read_text(encoding="utf-8"), re.M)
            found.setdefault(unit, set()).update(header for header in headers if header != unit)
    return {unit: headers & found.keys() for unit, headers in found.items()}


def circles_of(includes):
    """Sets of units each of which reaches the others by includes (Tarjan's strongly connected components)."""
    number, lowest, open_units, circles = {}, {}, [], []

    def visit(unit):
        number[unit] = lowest[unit] = len(number)
        open_units.append(unit)
        for other in sorted(includes[unit]):
            if other not in number:
                visit(other)
            if other in open_units:
                lowest[unit] = min(lowest[unit], lowest[other])
        if lowest[unit] == number[unit]:
            place = open_units.index(unit)
            circle = open_units[place:]
            del open_units[place:]
            if len(circle) > 1:
                circles.append(frozenset(circle))

    sys.setrecursionlimit(10 * len(includes) + 1000)
    for unit in sorted(includes):
        if unit not in number:
            visit(unit)
    return circles


def check_circles(includes):
    known = {frozenset(f"{room}/{name}" for name in names.split()) for room, names, _ in CIRCLES}
    found = circles_of(includes)
    failures = []
    for circle in found:
        if circle not in known:
            arrows = [f"{unit} -> {' '.join(sorted(includes[unit] & circle))}" for unit in sorted(circle)]
            failures.append("\n  ".join(["a circle of includes, by header and source together:", *arrows]))
    return failures + [f"{' '.join(sorted(circle))}: no circle any more" for circle in known - set(found)]


def check_circle_finder():
    """The finder itself: a circle through two units, one inside of a larger one, and a chain without any."""
    includes = {"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"e", "f"}, "e": {"c"}, "f": set()}
    found = sorted(sorted(circle) for circle in circles_of(includes))
    return [] if found == [["a", "b"], ["c", "d", "e"]] else [f"circles of the sample: {found}"]


def check(kind, sizes, most, exceptions):
    """Sizes by name: each is at most `most`, or a named exception."""
    failures = [f"{name}: {size} {kind}, at most {most} are allowed" for name, size in sizes.items()
                if size > most and name not in exceptions]
    return failures + [f"{name} is no exception any more: {sizes.get(name, 0)} {kind}" for name in exceptions
                       if sizes.get(name, 0) <= most]


def main():
    parser = argparse.ArgumentParser(description="Check rooms and classes.")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--list", type=int, default=0, help="how many of the largest to show")
    options = parser.parse_args()
    files, members = {}, {}
    failures = check_arrows(options.source) + check_circles(includes_of(options.source)) + check_circle_finder()
    for folder in FOLDERS:
        for path in sorted((options.source / folder).rglob("*.[ch]pp")):
            room = str(path.parent.relative_to(options.source))
            files[room] = files.get(room, 0) + 1
            for name, found, friends in classes_of(path):
                where = f"{path.relative_to(options.source)}: {name}"
                members[where] = max(members.get(where, 0), len(found))
                failures += [f"{where}: {one}" for one in friends]
    failures += check("files", files, MOST_FILES, LARGE_ROOMS)
    failures += check("members", members, MOST_MEMBERS, LARGE_CLASSES)
    for sizes in (files, members):
        for name, size in sorted(sizes.items(), key=lambda one: -one[1])[:options.list]:
            print(f"{size:4} {name}")
    print(f"{len(files)} rooms, {len(members)} classes, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures or len(members) < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
