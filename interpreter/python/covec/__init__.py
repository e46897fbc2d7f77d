"""Covec, a small tensor language with derivatives as builtins, inside Python.

    import covec, numpy as np
    f = covec.compile("fn f(x) = sum(x^2 * sin(x))")
    f.value_and_grad(np.array([1.0, 2.0, 3.0]))

The functions here use the default session of the thread that calls them. See docs/python.md.
"""
import re as _re

from ._covec import (Array, Error, Function, Session, Value, __version__, grad, jacobian, session, value_and_grad,
                     vmap)

__all__ = ["Array", "Error", "Function", "Session", "Value", "builtin", "compile", "get", "grad", "jacobian", "load",
           "run", "session", "set", "value_and_grad", "vmap"]


def run(text, name="host"):
    """Runs a program; names that it assigns stay. Gives the value of a last expression, or None."""
    return session().run(text, name)


def load(path):
    """Runs a file, and gives the session: covec.load("model.covec")["f"]."""
    return session().load(path)


def get(name):
    """The value of a name of the programs that have run."""
    return session()[name]


def set(name, value):
    """Makes a value known to programs by a name."""
    session()[name] = value


def builtin(name):
    """A builtin of the language: covec.builtin("sin")."""
    return session().builtin(name)


# What of a text tells where functions are defined: comments, strings, brackets and `fn name`.
_PART = _re.compile(r"""\#[^\n]* | (?<!\w)f(?P<quote>["']) | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
                        | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?<!\w)fn[ \t]+(?P<name>\w+)""", _re.VERBOSE)


def _scan(text, at, names):
    """Adds the functions that are defined outside of brackets, up to one that closes; gives where that is."""
    depth = 0
    while part := _PART.search(text, at):
        at = part.end()
        if part["quote"]:
            at = _end_of_format(text, at, part["quote"])
        elif part["close"] and depth == 0:
            return at
        elif part["name"] and depth == 0:
            names.append(part["name"])
        depth += bool(part["open"]) - bool(part["close"])
    return len(text)


def _end_of_format(text, at, quote):
    """Where an f-string ends of which text[at:] begins inside."""
    while at < len(text) and text[at] != quote:
        if text[at] == "\\" or text.startswith(("{{", "}}"), at):
            at += 2
        else:
            at = _scan(text, at + 1, []) if text[at] == "{" else at + 1
    return at + 1


def compile(source):
    """Compiles a function: a covec.Function, or a text, of which it is the last function that is defined by `fn name`
    outside of all blocks."""
    if isinstance(source, Function):
        return source.compiled
    names = []
    _scan(source, 0, names)
    if not names:
        raise ValueError("the text defines no function: expected 'fn name(…) = …' outside of all blocks")
    run(source)
    return get(names[-1]).compiled
