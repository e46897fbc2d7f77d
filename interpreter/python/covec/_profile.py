"""covec.profile(): where the time of a session's programs goes."""
from ._covec import session


class Profile:
    """What ran in a `with` block. str() is a table of lines, functions and kernels; notebooks show a flame graph."""

    def __init__(self, of=None, name="host"):
        self._session = of
        self._name = name
        self._taken = None

    def __enter__(self):
        self._session = self._session or session()
        self._session._profile_begin()
        self._taken = None
        return self

    def __exit__(self, *_):
        self._taken = self._session._profile_end(self._name)

    def _form(self, form):
        if self._taken is None:
            raise ValueError("the profile has not ended: its `with` block comes first")
        return self._taken[form]

    @property
    def svg(self):
        """A flame graph, for browsers."""
        return self._form("svg")

    @property
    def speedscope(self):
        """JSON for https://speedscope.app."""
        return self._form("speedscope")

    def save(self, path):
        """Writes the flame graph (.svg) or the JSON (.json) to a file."""
        forms = {".svg": "svg", ".json": "speedscope"}
        form = next((form for end, form in forms.items() if str(path).endswith(end)), None)
        if form is None:
            raise ValueError(f"the file of a profile ends in .svg or .json, not {str(path)!r}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._form(form))

    def __str__(self):
        return self._form("table")

    def __repr__(self):
        return "covec.Profile()" if self._taken is None else self._form("table")

    def _repr_svg_(self):
        return None if self._taken is None else self._form("svg")
