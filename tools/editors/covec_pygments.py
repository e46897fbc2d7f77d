"""Covec @VERSION@ for Pygments, written by the build: `pygmentize -l covec`, Sphinx, MkDocs."""
from pygments.lexer import RegexLexer, bygroups, include
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["CovecLexer"]


def text(kind, quote):
    """The rules of a string's state."""
    return [
        (r"\\.", String.Escape),
        (quote, kind, "#pop"),
        (r"(?=\n)", kind, "#pop"),  # a string ends with its line
        (rf"[^{quote}\\{{}}\n]+|\\", kind),
    ]


def formatted(kind, quote):
    return [(r"\{\{|\}\}", String.Escape), (r"\{", Punctuation, "interpolation"), *text(kind, quote), (r"\}", kind)]


class CovecLexer(RegexLexer):
    """Programs in Covec."""

    name = "Covec"
    aliases = ["covec"]
    filenames = ["*.covec"]
    mimetypes = ["text/x-covec"]
    tokens = {
        "root": [
            (r"\n", Whitespace),
            (r"^([ \t]*)(@[^\W\d]\w*)", bygroups(Whitespace, Name.Decorator)),
            (r"\s+", Whitespace),
            (r"#.*", Comment.Single),
            (r'\bf"', String.Double, "formatted-double"),
            (r"\bf'", String.Single, "formatted-single"),
            (r'"', String.Double, "double"),
            (r"'", String.Single, "single"),
            (r"\b(fn)([ \t]+)([^\W\d]\w*)", bygroups(Keyword, Whitespace, Name.Function)),
            @PYGMENTS_RULES@
            (r"[^\W\d]\w*", Name),
            (r"\.\.\.|->|[-+*/%^@&|<>=!~]+", Operator),
            (r"[()\[\]{},;:.]", Punctuation),
        ],
        "double": [*text(String.Double, '"'), (r"[{}]", String.Double)],
        "single": [*text(String.Single, "'"), (r"[{}]", String.Single)],
        "formatted-double": formatted(String.Double, '"'),
        "formatted-single": formatted(String.Single, "'"),
        # Code in an f-string; a colon outside further brackets begins the format.
        "interpolation": [
            (r"\}", Punctuation, "#pop"),
            (r":[^{}\"'\r\n]*", String.Interpol),
            (r"[(\[{]", Punctuation, "nested"),
            include("root"),
        ],
        "nested": [
            (r"[)\]}]", Punctuation, "#pop"),
            (r"[(\[{]", Punctuation, "#push"),
            include("root"),
        ],
    }
