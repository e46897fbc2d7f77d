"""Figures of the module `plot`, which are records: dicts that a notebook shows as pictures. The extension imports this for the first one."""
import copy

from ._covec import Error, session


class Figure(dict):
    """A figure: the dict of its record, which IPython and notebooks show as SVG, and a terminal as text."""

    def __init__(self, fields, drawn_by=None):
        super().__init__(fields)
        self._session = drawn_by

    def _draw(self, form):
        """The figure as "svg" or "text"; None for a dict that somebody has changed so that it is no figure any more."""
        try:
            return (self._session or session()).builtin(f"plot_{form}")(self)
        except Error as error:
            if error.kind == "interrupted":
                raise
            return None

    def _repr_svg_(self):
        return self._draw("svg")

    def _repr_pretty_(self, printer, is_cycle):
        text = None if is_cycle else self._draw("text")
        printer.text(dict.__repr__(self) if text is None else text)

    def __copy__(self):
        return Figure(self, self._session)

    def __deepcopy__(self, memo):
        return Figure(copy.deepcopy(dict(self), memo), self._session)

    def __reduce__(self):
        return Figure, (dict(self),)
