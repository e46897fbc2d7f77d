"""Covec, a small tensor language with derivatives as builtins, inside Python.

    import covec, numpy as np
    f = covec.compile("fn f(x) = sum(x^2 * sin(x))")
    f.value_and_grad(np.array([1.0, 2.0, 3.0]))

The functions here use the default session of the thread that calls them. See docs/python.md.
"""
from ._covec import (Array, Error, Function, Session, Value, __version__, grad, jacobian, session, value_and_grad,
                     vmap)

# Without `compile` and `set`, which are builtins of Python's: `from covec import *` must not hide them.
__all__ = ["Array", "Error", "Function", "Session", "Value", "builtin", "get", "grad", "jacobian", "load", "profile", "run",
           "session", "value_and_grad", "vmap"]


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


def profile(session=None, name="host"):
    """Where the time of programs goes: `with covec.profile() as p: f(x)`, then print(p) or p.save("f.svg").

    `session`: whose programs; None is the default session of this thread. `name`: the title of the flame graph."""
    from . import _profile
    return _profile.Profile(session, name)


def compile(source):
    """Compiles a function: a covec.Function, or a text, of which it is the last function that is defined by `fn name`
    outside of all blocks. Other names of a text are its own."""
    if isinstance(source, Function):
        return source.compiled
    if callable(source):
        raise TypeError("functions of Python are not translated: covec.compile takes a text of the language, or a "
                        "covec.Function")
    return session().compile(source)


def load_ipython_extension(shell):
    """%load_ext covec: adds the magic %%covec."""
    from . import _cells
    _cells.load(shell)


def unload_ipython_extension(shell):
    """%unload_ext covec."""
    from . import _cells
    _cells.unload(shell)
