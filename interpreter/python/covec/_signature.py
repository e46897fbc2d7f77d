"""What inspect.signature tells of a function of Covec. Read when it is asked for: inspect takes longer to import than
covec."""
import inspect

_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Default:
    """The default of a parameter, as its definition writes it: Covec evaluates it at each call."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _parts(text):
    """The parameters of a signature as written, f(x: f64[n, m], y=(1, 2), *rest), apart."""
    parts, begin, inside, quote, at = [], 0, [], None, 0
    while at < len(text):
        mark = text[at]
        if quote:
            at += mark == "\\"
            quote = None if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark in _CLOSING:
            inside.append(_CLOSING[mark])
        elif inside and mark == inside[-1]:
            inside.pop()
        elif mark == "," and not inside:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return parts + [text[begin:]] if text.strip() else []


def _split(part):
    """Name, default text or None, and the stars before the name."""
    name, assigns, default = part.partition("=")
    name = name.partition(":")[0].strip()
    plain = name.lstrip("*")
    return plain.strip(), default.strip() if assigns else None, len(name) - len(plain)


def signature_of(names, written):
    """An inspect.Signature of the names of the parameters, with what the definition writes where that is known."""
    kinds = inspect.Parameter
    begin = written.find("(")
    parts = [_split(part) for part in _parts(written[begin + 1:written.rfind(")")])] if begin >= 0 else []
    if [name for name, _, _ in parts] != names:
        parts = [(name, None, 0) for name in names]
    made, kind, has_default = [], kinds.POSITIONAL_OR_KEYWORD, False
    for name, default, stars in parts:
        given = kinds.empty if default is None else Default(default)
        has_default = has_default or default is not None
        if kind is kinds.POSITIONAL_OR_KEYWORD and has_default and default is None and not stars:
            kind = kinds.KEYWORD_ONLY
        made.append(kinds(name, (kind, kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)[stars], default=given))
        if stars:
            kind = kinds.KEYWORD_ONLY
    return inspect.Signature(made)
