"""Values that notebooks show as pictures or tables: figures of the module `plot`, and tables. Both are records, so they are dicts.
The extension imports this for the first one."""
import base64
import copy

from ._covec import Error, session


def picture(svg):
    """An SVG inside of an image, which pages show as it is: nbconvert cuts SVG down to its texts. None for None."""
    if svg is None:
        return None
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="figure" style="max-width: 100%" src="data:image/svg+xml;base64,{data}"/>\n'


class Shown(dict):
    """The dict of a record that IPython and notebooks show in a form of its own."""

    def __init__(self, fields, drawn_by=None):
        super().__init__(fields)
        self._session = drawn_by

    def _form(self, form):
        """As "html", "svg" or "text"; None for a dict that somebody has changed so that it has no such form any more.

        What it holds may be any object of Python then, and its conversion may raise anything."""
        try:
            return (self._session or session())._display(self, form, isinstance(self, Table))
        except Exception as error:
            if isinstance(error, Error) and error.kind == "interrupted":
                raise
            return None

    def _repr_pretty_(self, printer, is_cycle):
        text = None if is_cycle or self._form(self._own_form) is None else self._form("text")
        printer.text(dict.__repr__(self) if text is None else text)

    def __copy__(self):
        return type(self)(self, self._session)

    def __deepcopy__(self, memo):
        return type(self)(copy.deepcopy(dict(self), memo), self._session)

    def __reduce__(self):
        return type(self), (dict(self),)


class Figure(Shown):
    """A figure: SVG, for pages an image of it, and in a terminal text."""

    _own_form = "svg"

    def _repr_svg_(self):
        return self._form("svg")

    def _repr_html_(self):
        return picture(self._form("svg"))


class Table(Shown):
    """A table, a record of columns: HTML, and in a terminal text."""

    _own_form = "html"

    def _repr_html_(self):
        return self._form("html")
