"""colours_test.py EDITOR CLASSES EDITORS [FILE…]: whether EDITOR colours the files as the lexer reads them: the examples, and those
of this folder.

Every byte is in a keyword, a string, a number, a comment, or in none of them. CLASSES is the program that tells what the lexer and
the REPL say, EDITORS the folder with the files for editors. DISAGREEMENTS lists what may differ, with the reason.
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import textmate

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GIVEN = [pathlib.Path(path) for path in sys.argv[4:]]
FILES = GIVEN or [*sorted((ROOT / "examples").rglob("*.covec")), *sorted(HERE.glob("*.covec"))]
# What no editor says as the lexer does, by file and line, with the reason.
DISAGREEMENTS = {
    ("broken.covec", 'g = f"{a:>4} \\'):
        "the lexer reports the last backslash of an open f-string, and puts out no token for it",
    ("broken.covec", "l = f\"{a)} {b}\" + 'd'"):
        "at a bracket that fits none the lexer ends an interpolation; editors wait for its brace",
}
DEBIAN_PYTHON = "/usr/bin/python3"  # has Debian's packages
PACKAGES = {"nvim": "neovim", "emacs": "emacs-nox", "pygments": "python3-pygments"}


def texts():
    return [path.read_text() for path in FILES]


def in_bytes(text, classes):
    """The classes of characters, for each byte."""
    return "".join(letter * len(character.encode()) for character, letter in zip(text, classes, strict=True))


def needed(program):
    if shutil.which(program) is None:
        sys.exit(f"there is no {program} (Debian: {PACKAGES[program]}); tools/test installs it")
    return program


def in_editor(command, by_characters):
    """The classes that a script of an editor writes, for each file."""
    with tempfile.NamedTemporaryFile("r") as written:
        environment = {**os.environ, "COVEC_CLASSES": written.name, "HOME": "/dev/null"}
        done = subprocess.run([*command, *FILES], capture_output=True, text=True, env=environment)
        lines = written.read().splitlines()
    if done.returncode != 0 or len(lines) != len(FILES):
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return [in_bytes(text, line) for text, line in zip(texts(), lines)] if by_characters else lines


def neovim(editors):
    return in_editor([needed("nvim"), "--headless", "-u", "NONE", "-i", "NONE", "--cmd", f"set rtp^={editors}/vim",
                      "--cmd", "filetype plugin on", "--cmd", "syntax on", "-S", HERE / "neovim.vim", "+quitall!"], by_characters=False)


def emacs(editors):
    return in_editor([needed("emacs"), "-Q", "--batch", "-l", editors / "emacs/covec-mode-autoloads.el", "-l", HERE / "emacs.el"],
                     by_characters=True)


def pygments(editors):
    if importlib.util.find_spec("pygments") is None:
        if sys.executable != DEBIAN_PYTHON and pathlib.Path(DEBIAN_PYTHON).exists():
            os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
        sys.exit(f"there is no Pygments (Debian: {PACKAGES['pygments']}); tools/test installs it")
    sys.path.insert(0, str(editors / "pygments"))
    from covec_pygments import CovecLexer
    from pygments.token import Comment, Keyword, Number, Operator, String
    kinds = {Keyword: "k", Operator.Word: "k", String: "s", Number: "n", Comment: "c"}

    def classes(text):
        return "".join(next((letter for kind, letter in kinds.items() if token in kind), ".") * len(part)
                       for _, token, part in CovecLexer().get_tokens_unprocessed(text))
    return [in_bytes(text, classes(text)) for text in texts()]


def textmate_grammar(editors):
    grammar = editors / "vscode/syntaxes/covec.tmLanguage.json"
    return [in_bytes(text, textmate.classes_of(grammar, text)) for text in texts()]


def differences(editor, expected, found):
    """For each line that differs: the file, its number, the line, and both classes."""
    for path, right, given in zip(FILES, expected, found, strict=True):
        data = path.read_bytes()
        assert len(right) == len(given) == len(data), f"{editor}: {path}: {len(right)} {len(given)} {len(data)}"
        begin = 0
        for number, line in enumerate(data.split(b"\n"), 1):
            end = begin + len(line)
            if right[begin:end] != given[begin:end]:
                yield path, number, line.decode(), right[begin:end], given[begin:end]
            begin = end + 1


def main():
    editor, classes, editors = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    lines = subprocess.run([classes, *FILES], check=True, capture_output=True, text=True).stdout.splitlines()
    lexer, repl = lines[0::2], lines[1::2]
    if editor == "emacs" and not os.environ.get("COVEC_LONG"):
        print("skipped: Emacs is tested by tools/test --long")
        return 77
    readers = {"neovim": neovim, "emacs": emacs, "pygments": pygments, "textmate": textmate_grammar, "repl": lambda _: repl}
    allowed = set() if GIVEN else set(DISAGREEMENTS)
    wrong = 0
    for path, number, line, right, given in differences(editor, lexer, readers[editor](editors)):
        if (path.name, line) in allowed:
            allowed.remove((path.name, line))
            continue
        wrong += 1
        print(f"{path}:{number}: {editor} differs from the lexer\n  {line}\n  {right}\n  {given}")
    for name, line in sorted(allowed):
        print(f"{name}: {editor} agrees about {line!r}: take it out of DISAGREEMENTS")
    counts = {letter: sum(each.count(letter) for each in lexer) for letter in "ksnc"}
    print(f"{editor}: {wrong} lines differ in {len(FILES)} files; bytes of each kind: {counts}")
    return 1 if wrong or allowed or not all(counts.values()) or len(DISAGREEMENTS) > 10 else 0


sys.exit(main())
