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


def compile(source):
    """Compiles a function: a covec.Function, or a text, of which it is the last function at its outermost level."""
    if isinstance(source, Function):
        return source.compiled
    names = _re.findall(r"^fn[ \t]+(\w+)", source, _re.MULTILINE)
    if not names:
        raise ValueError("the text defines no function: expected 'fn name(…) = …' at the beginning of a line")
    run(source)
    return get(names[-1]).compiled
