"""Sentences are short: of each kind of text at least 95 in 100 have at most 30 words. Lines of documents are, too.

Looks at README.md and docs/, at the tables of messages, at what headers and modules say first, and at --help. Inline code,
a number and a link count as one word each; code blocks, pictures and cells without a sentence do not count.

Usage: sentences_test.py SOURCE_FOLDER [--list N] [FILE…]    with --list the N longest sentences of each kind, with their places
"""
import argparse
import pathlib
import re
import sys

MOST_WORDS = 30
MOST_COLUMNS = 132
ENOUGH = 0.95
FOLDERS = ("frontend", "stdlib", "interpreter", "jit")
TEXTS = ("stdlib/value/message_texts.cpp", "interpreter/eval/report/message_texts.cpp")
# A sentence ends before a capital, a quote or code, or where the text does.
END = re.compile(r"(?<=[.!?])[)\]*_\"']*\s+(?=[A-Z`\"'*(\[_]|$)|(?<=:)\s*$")


def words_of(sentence):
    sentence = re.sub(r"`+[^`]*`+", " code ", sentence)
    sentence = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r" \1 ", sentence)
    return [word for word in re.split(r"[\s/]+", sentence) if re.search(r"\w", word)]


def sentences_of(text):
    """The sentences of one paragraph, item or cell."""
    protected = re.sub(r"\b(e\.g|i\.e|etc|vs|Fig|cf|No)\.\s", r"\1․ ", text)
    return [one.strip() for one in END.split(protected) if len(words_of(one)) > 3]


def paragraphs_of_markdown(text):
    """Pairs of a line number and a paragraph, list item, heading or cell."""
    kept, start, fenced = [], 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        starts = re.match(r"\s*(?:[-*+]|\d+\.)\s+", line)
        if kept and (fenced or not stripped or starts or stripped.startswith(("#", "|", "```", "<"))):
            yield start, " ".join(kept)
            kept = []
        if fenced or not stripped or stripped.startswith(("```", "#", "<")):
            continue
        if stripped.startswith("|"):
            for cell in stripped.strip("|").split("|"):
                yield number, cell.strip()
            continue
        if not kept:
            start = number
        kept.append(line[starts.end():].strip() if starts else stripped)


def paragraphs_of_comment(text, mark):
    """What a file says before its first line of code."""
    kept, start = [], 1
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith(mark):
            if line.strip() and not line.startswith(("#pragma", "#include")):
                break
            if kept:
                yield start, " ".join(kept)
                kept = []
            if kept or mark == "#":
                break
            continue
        part = line[len(mark):]
        # A line of a table or list, or of code, is no part of the sentences before it.
        if not part.strip() or part.startswith("     ") or re.match(r"\s*[-*] ", part) or re.search(r"\S {3,}\S", part):
            if kept:
                yield start, " ".join(kept)
            kept = []
        if part.strip() and not part.startswith("     "):
            if not kept:
                start = number
            kept.append(part.strip())
    if kept:
        yield start, " ".join(kept)


def literals_of(text):
    """The texts of a C++ source's string literals, adjacent ones joined."""
    for match in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', text):
        joined = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match.group())).replace("\\n", " ").replace('\\"', '"')
        if " " in joined:
            yield text.count("\n", 0, match.start()) + 1, joined.replace("{}", "`x`")


def kinds_of(source):
    """Each kind of text: a name, and triples of a file, a line and a paragraph."""
    def of(paths, paragraphs):
        return [(path, line, paragraph) for path in sorted(paths)
                for line, paragraph in paragraphs(path.read_text(encoding="utf-8"))]
    sources = [path for folder in FOLDERS for path in (source / folder).rglob("*.[ch]pp")]
    yield "documents", of([source / "README.md", *(source / "docs").rglob("*.md")], paragraphs_of_markdown)
    yield "messages", of([source / path for path in TEXTS], literals_of)
    yield "help", of([source / "interpreter/command/command.cpp", source / "interpreter/assist/commands.hpp"], literals_of)
    yield "modules", of((source / "stdlib/modules").glob("*.covec"), lambda text: paragraphs_of_comment(text, "#"))
    yield "first comments", of(sources, lambda text: paragraphs_of_comment(text, "//"))


def long_lines(source):
    """Lines of documents that are wider than an editor's window, outside of tables and code."""
    for path in [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").rglob("*.md"))]:
        fenced = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.startswith("```")
            if not fenced and not line.startswith("|") and len(line) > MOST_COLUMNS:
                yield f"{path.relative_to(source)}:{number}: {len(line)} columns"


def main():
    parser = argparse.ArgumentParser(description="Check how long sentences are.")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--list", type=int, default=0, help="how many of the longest to show")
    parser.add_argument("files", nargs="*", help="only these, relative to the source folder")
    options = parser.parse_args()
    failed = False
    for kind, paragraphs in kinds_of(options.source):
        counted = [(len(words_of(sentence)), f"{path.relative_to(options.source)}:{line}", sentence)
                   for path, line, paragraph in paragraphs
                   if not options.files or str(path.relative_to(options.source)) in options.files
                   for sentence in sentences_of(paragraph)]
        if not counted:
            continue
        longer = sorted((one for one in counted if one[0] > MOST_WORDS), reverse=True)
        share = 1 - len(longer) / len(counted)
        failed |= share < ENOUGH
        print(f"{kind}: {len(counted)} sentences, {100 * share:.1f} % of at most {MOST_WORDS} words")
        for count, place, sentence in longer[:options.list]:
            print(f"  {count} words, {place}: {sentence}")
    longer = list(long_lines(options.source))
    print(f"lines of documents: {len(longer)} have more than {MOST_COLUMNS} columns", *longer, sep="\n  ")
    return 1 if failed or longer else 0


if __name__ == "__main__":
    sys.exit(main())
