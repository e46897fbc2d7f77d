#!/usr/bin/env python3
"""write.py WORDS FOLDER VERSION: writes Covec's colours for editors into FOLDER. WORDS is what `covec doc --tokens` wrote.

The table of tokens is rows_of(): its words come from the grammar and from the registry of builtins. Each editor has a template
beside this script with what the table cannot say, such as the structure of f-strings; `@NAMES@` in it are replaced. Patterns
are written once, for Python's `re`. Vim's and Emacs's are translated, so they use groups, classes, `|`, `?`, `*` and `+` alone.
Start reading at main().
"""
import json
import pathlib
import plistlib
import re
import shutil
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = r"[0-9]+(?:_[0-9]+)*"
NUMBER = rf"{DIGITS}(?:\.{DIGITS})?(?:[eE][+-]?{DIGITS})?[0-9a-zA-Z_]*"  # 0xff, 2im, and what is a mistake, such as 2x
OPERATORS = {"and", "or", "not", "in"}
CONSTANTS = {"true", "false", "none"}
KEYWORDS = ("Keyword", "Operator", "Constant")  # the rows that hold words of the grammar

# The name of a builtin is a field after a dot (`r.min`), unless it is called (`x.min()`); before a `=` it names something else.
BEFORE_BUILTIN = r"(?:(?<!\.)|(?<=\.)(?=\w+[ \t]*\())"
AFTER_BUILTIN = r"(?![ \t]*=(?!=))"


class Row(NamedTuple):
    """One kind of token: its words or its pattern, and its name in each editor."""
    name: str
    words: list
    pattern: str
    textmate: str
    vim: str
    pygments: str
    emacs: str


def rows_of(words):
    """The table. `words` has a list for each kind that `covec doc --tokens` tells."""
    keywords = words["keyword"]
    return [
        Row("Keyword", [word for word in keywords if word not in OPERATORS | CONSTANTS], "", "keyword.control", "Keyword",
            "Keyword", "font-lock-keyword-face"),
        Row("Operator", [word for word in keywords if word in OPERATORS], "", "keyword.operator.word", "Operator",
            "Operator.Word", "font-lock-keyword-face"),
        Row("Constant", [word for word in keywords if word in CONSTANTS], "", "constant.language", "Boolean",
            "Keyword.Constant", "font-lock-constant-face"),
        Row("Number", [], NUMBER, "constant.numeric", "Number", "Number", "'covec-number"),
        Row("Builtin", words["builtin"], "", "support.function.builtin", "Function", "Name.Builtin",
            "font-lock-builtin-face"),
        Row("Type", words["type"], "", "support.type.builtin", "Type", "Name.Builtin", "font-lock-type-face"),
        Row("BuiltinConstant", words["constant"], "", "support.constant.builtin", "Constant", "Name.Builtin",
            "font-lock-builtin-face"),
    ]


def pattern_of(row):
    """The pattern of a row for TextMate and Pygments."""
    if row.pattern:
        return rf"\b(?:{row.pattern})"
    whole = rf"\b(?:{'|'.join(sorted(row.words))})\b"
    return whole if row.name in KEYWORDS else BEFORE_BUILTIN + whole + AFTER_BUILTIN


def vim_rule(row):
    if row.pattern:  # in the very magic form, where (?: is %(
        rule = f"syn match covec{row.name} /\\v<%({row.pattern.replace('(?:', '%(')})/"
    else:  # the template has `fn`, since a name follows it
        rule = f"syn keyword covec{row.name} {' '.join(word for word in row.words if word != 'fn')}"
    return f"{rule}\nhi def link covec{row.name} {row.vim}"


def emacs_rule(row):
    if row.pattern:
        pattern = r"\_<\(?:" + re.sub(r"[()|]", r"\\\g<0>", row.pattern) + r"\)"
        return f"({json.dumps(pattern)} . {row.emacs})"
    words = " ".join(json.dumps(word, ensure_ascii=False) for word in row.words)
    return f"(,(covec--{'words' if row.name in KEYWORDS else 'builtins'} '({words})) . {row.emacs})"


def replacements_of(rows, version):
    return {
        "VERSION": version,
        "RELEASE": re.match(r"[0-9.]*[0-9]", version)[0],  # of 0.5.0.dev0 what editors can read
        "VIM_RULES": "\n".join(map(vim_rule, rows)),
        "VIM_GROUPS": ",".join(f"covec{row.name}" for row in rows),
        "VIM_KEYWORDS": ",".join(f"covec{row.name}" for row in rows if row.name in KEYWORDS),
        "EMACS_RULES": "\n    ".join(map(emacs_rule, rows)),
        "PYGMENTS_RULES": "\n            ".join(f"({pattern_of(row)!r}, {row.pygments})," for row in rows),
    }


def textmate_grammar(rows):
    grammar = json.loads((HERE / "covec.tmLanguage.json").read_text())
    tokens = [{"match": pattern_of(row), "name": f"{row.textmate}.covec"} for row in rows]
    grammar["repository"]["tokens"] = {"patterns": tokens}
    return grammar


class Writer:
    def __init__(self, folder, replacements):
        self.folder, self.replacements = folder, replacements

    def write(self, path, data):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    def expand(self, template, path):
        text = (HERE / template).read_text()
        self.write(path, re.sub(r"@([A-Z_]+)@", lambda name: self.replacements[name[1]], text))


def write_textmate(writer, grammar):
    """As a bundle, which is in property lists, and for VS Code, which reads JSON."""
    bundle = pathlib.Path("textmate/Covec.tmbundle")
    writer.write(bundle / "Syntaxes/Covec.tmLanguage", plistlib.dumps(grammar))
    for name in ("info.plist", "Preferences/Covec.tmPreferences"):
        source = json.loads((HERE / f"textmate/{pathlib.Path(name).name}.json").read_text())
        writer.write(bundle / name, plistlib.dumps(source))
    writer.write("vscode/syntaxes/covec.tmLanguage.json", json.dumps(grammar, indent=1, ensure_ascii=False) + "\n")


def write_page(writer, rows):
    """For the page of tools/wasm, which reads words and the pattern of numbers."""
    words = {row.name: row.words for row in rows if not row.pattern}
    number, = (row.pattern for row in rows if row.name == "Number")
    writer.write("page/tokens.js", "// Written by the build.\n"
                 f"export const WORDS = {json.dumps(words, ensure_ascii=False)};\nexport const NUMBER = {json.dumps(number)};\n")


def main():
    listed, folder, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    words = {}
    for kind, word in map(str.split, listed.read_text().splitlines()):
        words.setdefault(kind, []).append(word)
    rows = rows_of(words)
    writer = Writer(folder, replacements_of(rows, version))
    for name in ("syntax", "ftdetect", "ftplugin", "indent"):
        writer.expand(f"vim/{name}.vim", f"vim/{name}/covec.vim")
    for name in ("covec-mode.el", "covec-mode-autoloads.el", "covec-mode-pkg.el"):
        writer.expand(f"emacs/{name}", f"emacs/{name}")
    writer.expand("covec_pygments.py", "pygments/covec_pygments.py")
    for path in sorted((HERE / "vscode").iterdir()):
        writer.expand(f"vscode/{path.name}", f"vscode/{path.name}")
    shutil.copy(HERE.parents[1] / "LICENSE", folder / "vscode/LICENSE")
    write_textmate(writer, textmate_grammar(rows))
    write_page(writer, rows)


main()
