#!/usr/bin/env python3
"""plain.py BUILD syntax|tidy [options] [FILE…]: looks at single sources, two at a time, by the commands of a build without unity.

`syntax` compiles each by itself, without making code: a source that lacks an include, which unity or a precompiled header hides,
fails. `tidy` runs clang-tidy on it; then only findings in the named files count. A FILE that is a header stands for the sources of
its folder that include it, or for one elsewhere. Start reading at chosen().

  --all          all sources
  --tenth SEED   also a tenth of all sources, another for each seed (the hash of a commit)
  --most N       at most N of those that the files name: the changed sources first, and then those of the headers

What fails is printed, then one line with the count. The exit status is 1 if something failed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
JOBS = 2  # clang-tidy takes up to 1 GB of memory
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)', re.M)
LOCATED = re.compile(r"^\S+:\d+:\d+: (?:warning|error): ", re.M)
PREFIX = re.compile(rf"(?:/\S*?/roots/[^/\s]+|{re.escape(str(ROOT))})/")  # of a path in the project
# GCC's options that clang does not know.
FOREIGN = re.compile(r"-Werror|--param=.*|-Wno-(?:maybe-uninitialized|psabi|stringop.*)|-mprefer-vector-width=.*|-fprofile.*")


def commands_of(build):
    """Directory and words of the command of each source, by its path in the project. Of copies for instruction sets the first."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = os.path.relpath(entry["file"], ROOT)
        if path.startswith(("..", "build")) or path in commands:
            continue
        words = shlex.split(entry["command"])
        while not re.search(r"(\+\+|cc|clang)(-\d+)?$", words[0]) or "ccache" in words[0]:
            words.pop(0)
        output = words.index("-o")
        del words[output:output + 2]
        commands[path] = entry["directory"], words
    return commands


def includers(commands):
    """The sources and headers that include a header, by its path in the project."""
    headers = {str(path.relative_to(ROOT)) for folder in ROOT.iterdir() if folder.is_dir() and not folder.name.startswith(("build", "."))
               for path in folder.rglob("*.h*") if path.suffix in (".h", ".hpp")}
    found = {}
    for file in [*commands, *headers]:
        for name in INCLUDE.findall((ROOT / file).read_text(encoding="utf-8")):
            beside = os.path.normpath(os.path.join(os.path.dirname(file), name))
            header = next((path for path in (beside, name, f"interpreter/include/{name}") if path in headers), None)
            found.setdefault(header, set()).add(file)
    return found


def sources_of(header, including, commands):
    """The sources that include a header, or if there are none, those that include it through one other header, and so on."""
    level, seen = {header}, {header}
    while level:
        users = {file for one in level for file in including.get(one, ())}
        if sources := sorted(users & commands.keys()):
            return sources
        level = users - seen
        seen |= users
    return []


def draw(seed, path):
    """A number that nobody chooses, the same for the same seed and path."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{path}".encode()).digest()[:8], "big")


def chosen(options, commands):
    """The sources to look at."""
    if options.all:
        return sorted(commands)
    including = includers(commands)
    ranks = {}
    for file in options.files:
        if file in commands:
            ranks[file] = 0
        elif users := sources_of(file, including, commands):
            near = [source for source in users if os.path.dirname(source) == os.path.dirname(file)]
            for source in near or users[:1]:
                own = pathlib.PurePath(source).stem == pathlib.PurePath(file).stem
                ranks.setdefault(source, 1 if own else 2)
    named = sorted(ranks, key=lambda source: (ranks[source], draw(options.tenth, source)))[:options.most]
    tenth = [source for source in commands if options.tenth and draw(options.tenth, source) % 10 == 0]
    return sorted({*named, *tenth})


def run(words, directory):
    """The status, and what was found; of no use is what stands on standard error beside it."""
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True)
    return done.returncode, done.stdout or done.stderr


def syntax(_, commands, __):
    """Compiles without making code."""
    def one(source):
        directory, words = commands[source]
        return run([*words, "-fsyntax-only"], directory)
    return one


def tidy(options, commands, sources):
    """clang-tidy, with commands that clang understands, one for each source."""
    folder = options.build / "tidy"
    folder.mkdir(exist_ok=True)
    database = [{"directory": commands[source][0], "file": str(ROOT / source),
                 "arguments": [word for word in commands[source][1] if not FOREIGN.fullmatch(word)]} for source in sources]
    (folder / "compile_commands.json").write_text(json.dumps(database))
    words = ["clang-tidy-14", "--quiet", "--warnings-as-errors=*", "-p", str(folder)]
    if not options.all:
        words.append("--line-filter=" + json.dumps([{"name": name} for name in options.files]))
    return lambda source: run([*words, source], ROOT)


def new_findings(text, seen):
    """What clang-tidy has found in this source and in none before. Errors of the compiler do not count: some sources and headers of
    the system are for GCC alone, and `syntax` finds real ones.
    """
    text = PREFIX.sub("", text)
    starts = [match.start() for match in LOCATED.finditer(text)]
    found = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)])]
    new = [one for one in found if one not in seen and "[clang-diagnostic-error" not in one]
    seen.update(new)
    return "".join(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("kind", choices=["syntax", "tidy"])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--tenth", default="")
    parser.add_argument("--most", type=int)
    parser.add_argument("files", nargs="*")
    options = parser.parse_intermixed_args()
    commands = commands_of(options.build)
    sources = chosen(options, commands)
    look = {"syntax": syntax, "tidy": tidy}[options.kind](options, commands, sources)
    failed, seen = 0, set()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for source, (status, text) in zip(sources, pool.map(look, sources)):
            if status == 0:
                continue
            found = text if options.kind == "syntax" or not LOCATED.search(text) else new_findings(text, seen)
            if status < 0 or text == "":  # it was killed
                found += f"{source}: the check ended with status {status}\n"
            failed += found != ""
            print(found, end="", flush=True)
    print(f"{options.kind}: {len(sources)} sources, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
