"""A reader of TextMate grammars with Python's `re`: as much as Covec's grammar uses. Start reading at classes_of()."""
import json
import re
from typing import NamedTuple


class Rule:
    """A `match`, or what stands between a `begin` and an `end`, or a list of rules; `include` names one of the repository."""

    def __init__(self, source, grammar):
        self.source, self.grammar = source, grammar
        self.first = re.compile(source.get("match") or source.get("begin") or "(?!)")
        self.end = re.compile(source["end"]) if "end" in source else None

    def rules(self):
        """The rules inside, with lists and includes taken apart."""
        for source in self.source.get("patterns", []):
            rule = self.grammar.rule(source)
            yield from rule.rules() if rule.is_list() else [rule]

    def is_list(self):
        return not {"match", "begin"} & set(self.source)


class Open(NamedTuple):
    """A rule whose `end` has not come yet, and the names of what is inside."""
    rule: Rule
    names: tuple


class Grammar:
    def __init__(self, path):
        self.source = json.loads(path.read_text())
        self.made = {}
        self.inside = {}

    def rule(self, source):
        if "include" in source:
            source = self.source["repository"][source["include"].removeprefix("#")]
        if id(source) not in self.made:
            self.made[id(source)] = Rule(source, self)
        return self.made[id(source)]

    def rules_in(self, rule):
        if rule not in self.inside:
            self.inside[rule] = list(rule.rules())
        return self.inside[rule]

    def names_of(self, text):
        """For each character the names around it, outermost first."""
        root = self.rule(self.source)
        stack = [Open(root, (self.source["scopeName"],))]
        names = []
        for line in text.splitlines(keepends=True):
            line_names = [None] * len(line)
            self.read(line, line_names, stack)
            names += line_names
        return names

    def read(self, line, names, stack):
        stop, at = len(line.rstrip("\r\n")), 0
        while True:
            top = stack[-1]
            ends = top.rule.end.search(line, at, stop) if top.rule.end else None
            found = [(match.start(), number, match, rule) for number, rule in enumerate(self.rules_in(top.rule))
                     if (match := rule.first.search(line, at, stop)) and match.end() > match.start()]
            start, _, match, rule = min(found, key=lambda each: each[:2], default=(stop + 1, 0, None, None))
            if ends and ends.start() <= start:
                start, match, rule = ends.start(), ends, None
            if match is None:
                names[at:] = [top.names] * (len(line) - at)
                return
            names[at:start] = [top.names] * (start - at)
            at = match.end()
            if rule is None:
                stack.pop()
                self.name(names, match, stack[-1].names + named(top.rule.source, "name"), top.rule.source.get("endCaptures", {}))
            else:
                self.begin(names, match, rule.source, stack, rule)

    def begin(self, names, match, source, stack, rule):
        outer = stack[-1].names + named(source, "name")
        self.name(names, match, outer, source.get("captures") or source.get("beginCaptures") or {})
        if "begin" in source:
            stack.append(Open(rule, outer + named(source, "contentName")))

    @staticmethod
    def name(names, match, outer, captures):
        names[match.start():match.end()] = [outer] * (match.end() - match.start())
        for group, capture in captures.items():
            begin, end = match.span(int(group))
            names[begin:end] = [(*outer, capture["name"])] * (end - begin)


def named(source, key):
    return (source[key],) if key in source else ()


CLASSES = {"keyword": "k", "constant.language": "k", "string": "s", "constant.character": "s", "constant.numeric": "n",
           "comment": "c", "meta.embedded": ".", "punctuation": "."}


def class_of(names):
    """What the innermost name says that says something."""
    for name in reversed(names):
        for begin, letter in CLASSES.items():
            if name.startswith(begin + "."):
                return letter
    return "."


def classes_of(path, text):
    """A letter for each character of the text; `path` is the grammar."""
    return "".join(class_of(names) for names in Grammar(path).names_of(text))
