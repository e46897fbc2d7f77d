"""The magic %%covec of IPython and notebooks, which `%load_ext covec` adds."""
import argparse
import shlex

from IPython.core.error import UsageError

from ._covec import Error, session
from ._shown import picture


class _Options(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(f"%%covec: {message}")

    def exit(self, status=0, message=None):
        raise UsageError(message or self.format_usage().strip())


def _names(text):
    names = text.split(",")
    for name in names:
        if not name.isidentifier():
            raise argparse.ArgumentTypeError(f"{name!r} is not the name of a variable")
    return names


def _parser():
    parser = _Options(prog="%%covec", add_help=False)
    for short, long, what in (("-i", "--input", "variables of Python that the program reads"),
                              ("-o", "--output", "variables of the program that Python gets")):
        parser.add_argument(short, long, metavar="NAME[,NAME…]", type=_names, action="extend", default=[], help=what)
    return parser


def _read(line):
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"%%covec: {error}") from None
    return _parser().parse_args(words)


def _give(name, variables):
    """A variable of Python to the session."""
    if name not in variables:
        raise UsageError(f"%%covec: -i {name}: Python has no variable of this name")
    try:
        session()[name] = variables[name]
    except (Error, TypeError, ValueError, OverflowError, BufferError) as error:
        raise UsageError(f"%%covec: -i {name}: {error}") from None


def _run(shell, text):
    # The program begins in the cell's second line, behind the one with %%covec. So errors count lines as the cell does.
    name = f"In [{shell.execution_count}]"
    try:
        return session().run("\n" + text, name)
    except Error as error:
        report = str(error)
        error._render_traceback_ = lambda *_: report.split("\n")  # without the frames of Python below the cell
        raise


class Cells:
    """The magic of one shell."""

    def __init__(self, shell):
        self._shell = shell

    def covec(self, line, cell):
        """%%covec [-i NAME[,NAME…]] [-o NAME[,NAME…]]

        Runs the cell as a program of Covec, in the session that covec.run uses. Shows the value of a last expression.

        -i, --input NAME[,NAME…]   variables of Python that the program reads
        -o, --output NAME[,NAME…]  variables of the program that Python gets
        """
        options = _read(line)
        for name in options.input:
            _give(name, self._shell.user_ns)
        value = _run(self._shell, cell)
        for name in options.output:
            if name not in session():
                raise UsageError(f"%%covec: -o {name}: the program has no variable of this name")
            self._shell.user_ns[name] = session()[name]
        return value


def _for_page(forms):
    svg = forms.get("image/svg+xml")
    return forms if svg is None else {**forms, "text/html": picture(svg)}


def load(shell):
    session().display = lambda forms: shell.display_pub.publish(_for_page(forms))
    shell.register_magic_function(Cells(shell).covec, "cell", "covec")


def unload(shell):
    session().display = None
    shell.magics_manager.magics["cell"].pop("covec", None)
