"""Makes a program smaller while something stays true of it: drops statements and blocks, keeps only what is in a block,
and puts parts of expressions in the place of the whole. Start at shrink()."""
import re
import time

OPERATORS = re.compile(r" (?:\+|-|\*|/|//|%|@|&|\||\^|and|or|<|<=|>|>=|==|!=|if|else) ")


def indent(line):
    return len(line) - len(line.lstrip())


def chunk_end(lines, start):
    """After the statement that begins there: a line, or a block with all its parts."""
    if not lines[start].rstrip().endswith("{"):
        return start + 1
    for k in range(start + 1, len(lines)):
        if indent(lines[k]) == indent(lines[start]) and not lines[k].rstrip().endswith("{"):
            return k + 1
    return len(lines)


def without_statements(lines):
    for start in reversed(range(len(lines))):
        if lines[start].lstrip().startswith("}"):
            continue
        end = chunk_end(lines, start)
        yield lines[:start] + lines[end:]
        if end > start + 1:
            heads = [k for k in range(start, end) if indent(lines[k]) == indent(lines[start])]
            for part, until in zip(heads, heads[1:]):  # each part of it in its place
                yield lines[:start] + [line[2:] for line in lines[part + 1 : until]] + lines[end:]
            for part, until in zip(heads[1:], heads[2:]):  # the whole without one part
                yield lines[:part] + lines[until:]


def halves(lines):
    """Long stretches of the outermost statements."""
    starts = [k for k in range(len(lines)) if indent(lines[k]) == 0 and not lines[k].startswith("}")]
    size = len(starts) // 2
    while size >= 2:
        for first in range(0, len(starts), size):
            last = first + size
            yield lines[: starts[first]] + (lines[starts[last] :] if last < len(starts) else [])
        size //= 2


def groups(text):
    """(start, end) of what stands between brackets, brackets included."""
    open_, found = [], []
    for k, c in enumerate(text):
        if c in "([":
            open_.append(k)
        elif c in ")]" and open_:
            found.append((open_.pop(), k + 1))
    return found


def outermost_parts(text):
    """What operators and commas outside of brackets separate."""
    depth, plain = 0, []
    for c in text:
        depth -= c in ")]}"
        plain.append(c if depth == 0 else "x")
        depth += c in "([{"
    plain = "".join(plain)
    cuts = [(m.start(), m.end()) for m in OPERATORS.finditer(plain)]
    cuts += [(k, k + 1) for k, c in enumerate(plain) if c == ","]
    if not cuts:
        return []
    ends = [0] + [k for cut in sorted(cuts) for k in cut] + [len(text)]
    return [text[a:b].strip() for a, b in zip(ends[::2], ends[1::2])]


def simpler_expressions(lines):
    for number, line in enumerate(lines):
        spans = groups(line)
        assigned = re.match(r"\s*(?:return |[\w., ]+ [-+*/@%]?= )", line)
        if assigned:
            spans.append((assigned.end(), len(line)))
        for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
            inside = line[start + 1 : end - 1] if line[start] in "([" and end < len(line) + 1 and (start, end) in groups(line) else line[start:end]
            name = re.search(r"[\w.]*$", line[:start]).group(0)
            for part in outermost_parts(inside) + ([inside] if name else []) + ["1.0", "2", "true"]:
                if not part or "=" in part.split("(")[0].replace("==", "").replace("<=", "").replace(">=", ""):
                    continue
                for from_ in {start, start - len(name)}:
                    shorter = line[:from_] + (f"({part})" if from_ == start and name else part) + line[end:]
                    if len(shorter) < len(line):
                        yield lines[:number] + [shorter] + lines[number + 1 :]


def shrink(text, still, seconds=60):
    """`still(text)`: whether what is looked for is there."""
    until = time.monotonic() + seconds
    lines, smaller = text.rstrip("\n").split("\n"), True
    while smaller and time.monotonic() < until:
        smaller = False
        for candidates in (halves, without_statements, simpler_expressions):
            again = True
            while again and time.monotonic() < until:
                again = False
                for candidate in candidates(lines):
                    if time.monotonic() > until:
                        break
                    if still("\n".join(candidate) + "\n"):
                        lines, again, smaller = candidate, True, True
                        break
    return "\n".join(lines) + "\n"
