"""Names and texts use the field's words: a home-made word fails, with what to write instead.

A row of the table below is a home-made word, where it is looked for, and the word to write. Identifiers are looked for in
code, in the names of files, and where comments and documents name them; phrases in comments, messages and documents.
Each row has an example that it must find and one that it must not, which are checked first.

Usage: words_test.py SOURCE_FOLDER
"""
import functools
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

FOLDERS = ("frontend", "stdlib", "interpreter", "jit", "tests", "tools", "docs", "examples", "grammar")
FILES = ("README.md", "CONTRIBUTING.md")
# Programs and data that others wrote, what fuzzing found, measured results by the names of their cases, and this file.
SKIPPED = re.compile(r"^(tests/fuzz/[^/]*found/|tests/suites/data/|tests/bench/|docs/performance|docs/pictures/|examples/data/"
                     r"|tests/structure/words_test\.py$)|\.(png|jpg|svg|npz|zip|wav|safetensors)$")
CPP = re.compile(r"\.(c|h|cpp|hpp)$")
PARTS = re.compile(r'(?P<string>R"(?P<mark>[^()\s\\]{0,16})\((?:.|\n)*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*")'
                   r"|(?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')|(?P<comment>//[^\n]*|/\*(?:.|\n)*?\*/)")


def whole(expression):
    return re.compile(r"(?<!\w)(?=[\w-])(?:" + expression + r")(?!\w)")


@dataclass
class Row:
    word: str           # a regular expression, for a whole identifier or a whole phrase
    write: str
    bad: str            # a line that it finds
    good: str           # a line that it does not
    under: str = ""     # only in paths that match
    text: bool = False  # a phrase of comments, messages and documents; else an identifier

    def __post_init__(self):
        gap = r"\s+(?:(?://|#)\s*)?"
        self.expression = gap.join(self.word.split(" ")) if self.text else self.word
        self.pattern = whole(self.expression)
        # Whether it finds nothing but one identifier: no phrase, and nothing before the identifier that belongs to it.
        self.single = not self.text and not re.search(r" |(?<!\?):", self.word)
        self.paths = re.compile(self.under)


ROWS = (
    # --- loops ---
    Row(r"LoopPasses|loop_passes", "Vectorizer, vectorize", "class LoopPasses {", "class Vectorizer {"),
    Row(r"\w*passes_of\w*|end_of_pass|in_first_pass|is_pass|before_pass|pass_for_each|passes_between_looks",
        "iterations_of, end_of_iteration …", "int64_t passes_of(const Range& range);", "run_passes(graph);"),
    Row(r"(?:an?|each|one|first|last|next|per) pass of a (?:loop|comprehension)", "an iteration of a loop", "// In each pass of a loop", "// each pass of the compiler", text=True),
    Row(r"from pass to pass", "from iteration to iteration", "// moves from pass to pass", "// from pass A to pass B", text=True),
    Row(r"(?:passes|iterations|loops) (?:that )?are made at once", "vectorized", '"its passes are made at once"', '"its iterations are vectorized"', text=True),
    Row(r"Carrier|results_carrier", "LoopCarried", "class Carrier {", "class LoopCarried {"),
    # --- derivatives ---
    Row(r"[A-Z]\w*(?:Slope|Bend|Twist)s?", "…Derivative, …SecondDerivative, …MixedDerivative", "struct TanhSlope;", "struct TanhDerivative;", under=r"^stdlib/ops/"),
    Row(r"[a-z_0-9]+_(?:slope|bend|twist)(?:_rows)?|slope_(?:rows|info|jvp|vjp)", "…_derivative, …_second_derivative, …_mixed_derivative",
        '"hypot_twist"', "const double slope = rise / run;", under=r"^stdlib/ops/(elementwise|special)/.*[ch]pp$"),
    Row(r"is_followed\w*|take_followed", "is_active", "if (is_followed(x))", "if (is_active(x))"),
    Row(r"(?:a|an outer|an eager) (?:derivative|derivative or vmap|transformation) follows", "active (value)", "// values that a derivative follows",
        "// a derivative that follows", text=True, under=r"^(jit|interpreter|frontend|stdlib/(?!ops/derivatives)|tests/errors)"),
    Row(r"[Hh]armless\w*", "SafeSubstitute, substitute", "class Harmless {", "class SafeSubstitute {"),
    Row(r"harmless numbers?", "safe substitutes", "// is given harmless numbers", "`dlclose` is harmless", text=True),
    Row(r"mends?|mended|mending|\w+_mend|mend_\w+|\w*_mending|\w*Mend", "repair_nan, repair", "void mend(Builder&);", "void amend(Builder&);", under=r"\.(cpp|hpp|cmake)$"),
    # --- values of two paths ---
    Row(r"Maybes?|maybes_?|maybe_(?!unused)\w+|\w+_maybe|Maybe[A-Z]\w*", "ConditionalValue, conditional…", "Maybe maybe;", "[[maybe_unused]] int x;", under=r"^(jit|interpreter|frontend)/"),
    Row(r"Joiner|joiner", "Merger", "class Joiner {", "class Merger {"),
    Row(r"(?:\w+_)?perhaps_?(?:_at)?", "conditional", "walk_perhaps(path);", "conditional = true;", under=r"^(jit/(lower|passes)|stdlib/(autodiff|ops/contract))/.*pp$"),
    # --- numbers ---
    Row(r"\w*_by_halves|(?:tridiagonal|bidiagonal)_halves|Halves", "divide_and_conquer", "tridiagonal_by_halves(w)", "halves += 1"),
    Row(r"(?:of|fill|write|same|finite|even)_halves|elements_of_halves|with_halves\w*", "…_half", "bool of_halves = true;", "show_halves(screen);"),
    Row(r"symbolic_less|Kind::less", "saturating_sub", "case Kind::less:", "case Operator::less:", under=r"^(jit/(ir|lower|passes)|stdlib/ops/contract)/"),
    # --- memory and tiers ---
    Row(r"Lent\w*|Lender|lender\w*|lent_?|is_lent|keeps_lent|\w*[Bb]orrow(?:ed)?|take_back|copying_to_speak_of", "share (host memory), reuse (an operand's buffer), tier, rollback",
        "struct Lent {", "covec_lend(session, type);", under=r"^(stdlib|jit|interpreter/(?!python|include))"),
    Row(r"lent (?:for reading|memory|with a release)|[Ll]ent memory|[Hh]ost memory is lent", "shared", "// Host memory is lent", "// lending ends", text=True),
    Row(r"contest(?:s|ed)?", "tier timing", "contest();", "contested_area"),
    Row(r"Pays|pays_?", "cost_model, is_profitable", "Pays found = pays(graph);", "// never pays for it", under=r"^jit/"),
    Row(r"set_aside|why_aside|aside_", "invalidate, why_invalid", "table_.set_aside(why);", "value.aside = 1;", under=r"^jit/"),
    Row(r"few|much|very_few|FewItems|(?:run|shape_of|may_be|separately_if|multiply)_few\w*", "a limit named by what it counts: max_small_elements", "constexpr int64_t few = 8;",
        "// only a few", under=r"^(jit/(runtime|dispatch|cost)|stdlib/(kernels/gemm\.|kernels/sort|value|decompositions|convolution|images)|interpreter/python)"),
    Row(r"\w*_(?:open|closed)|may_open|begin_open|word_of_open|is_open_leaf", "generic, per_length", "signature.begin_open();", "may_be_generic = true;", under=r"^jit/compiler/"),
    Row(r"open (?:code|keys?|walks?)", "generic code", "// the open code, where", "// code that is open", text=True, under=r"^(jit/compiler|stdlib/value)/"),
    Row(r"says_errors?_again|\w*carefully|deoptimized?|make_again", "replays_errors, replay", "made.says_errors_again", "made.replays_errors"),
    Row(r"deoptimized", "replayed step by step", "// a launch is deoptimized", "// a launch is replayed", text=True),
    Row(r"Standings?|few_looks|look_ns|\w*without_look|(?:may_)?skip_looks", "TierTiming, check_ns, …_checks", "struct Standing {", "struct TierTiming {", under=r"^(jit|tests/jit_runtime)/"),
    Row(r"Looks|\w*between_looks|interrupt_looks", "InterruptPolls, …_between_polls", "Looks looks(context);", "looks_integer = true;", under=r"^(stdlib|jit)/"),
    # --- kernels ---
    Row(r"[Pp]anels_?|Panel(?:s|Run)", "row_tiles, RowTileRun", "loops::Panels panels;", "pack_panel(a);", under=r"^jit/"),
    Row(r"product_ends?|written_through|write_through", "epilogue; store into a slice", "product_ends.covec", "product_epilogues.covec"),
    Row(r"[Nn]ests_?|nest_?|explain_nests", "kernels, or loop nest where it is one", "class Nests {", "nested = true;", under=r"^(jit|interpreter)/"),
    Row(r"--nests", "--kernels", "covec dump --nests f.covec:f", "covec dump --kernels f.covec:f", text=True),
    Row(r"is_crosswise|\w*_crossed(?:_kernel)?|is_crossed|copy_crossed|crosswise", "transposed", "if (is_crosswise(dims))", "effects.crossed = 1;"),
    Row(r"squares_?|Squares?|square_(?:bytes|columns|rows)|run_squares|parallel_squares|turned_?|max_turned", "tiles, transposed",
        "parallel_squares(context);", "sum_of_squares(x);", under=r"^stdlib/kernels/(elements|transposed_tiles|reduce_columns)"),
    # --- devices ---
    Row(r"\w+_there|PlanThere|AwayItems|Away|away_?|may_be_away_|apply_here|stacked_here|bring_home|any_away", "on_device, on_host", "Value packed_there(x);", "bool is_on_device(x);",
        under=r"^(jit/(device|runtime)|stdlib/(tensor|device))/"),
    # --- words of other fields ---
    Row(r"Witness|witness_?|Sights?|sights?_?", "GateRecorder, Recording", "class Witness {", "class GateRecorder {", under=r"^(interpreter|jit|stdlib)/"),
    Row(r"[Vv]eils?_?|veiled", "TransparencyGroup", "struct Veil {", "struct TransparencyGroup {"),
    Row(r"wide_\w+|is_wide|read_wide|wide", "zip64_…", "append(text, wide_field);", "append(text, zip64_field);", under=r"^stdlib/files/zip"),
    Row(r"homes?", "source_unit (of code)", "closure.home.unit", "closure.source_unit.unit", under=r"^(interpreter/(eval|session)|jit/compiler)/"),
    Row(r"Habit|habits|habit_\w+|\w+_(?:of_)?habits?|cures?|cure_of_\w+|with_cure", "ForeignSyntax, replacement", "habits::cure(at, word)", "habitual = 1;", under=r"^frontend/"),
    Row(r"Border|border_?", "SessionGuard, guard", "session.border.enter()", "borderline = 1;", under=r"^interpreter/host/"),
    Row(r"Entrance|entrance", "ClosureRunner", "parts_.entrance.call(f)", "entrances = 2;", under=r"^interpreter/"),
    Row(r"Seldom\w*|(?:\w+_)?seldom(?:_\w*)?", "cold", "code.begin_seldom(condition);", "code.begin_cold(condition);", under=r"^jit/"),
    Row(r"(?:class|struct|enum class) Places?|\w*(?:Maybe|Staged|Error|Text|Rule|Batch|Program)Place|PlaceScope", "SourcePlace, UpdatePath, DeviceAddress …: a name of its own",
        "struct Place {", "struct SourcePlace {"),
    Row(r"Kept(?!\w)|Kept[A-Z]\w*|kept_call", "Residuals, SavedValues …: what is saved, and for what", "const Kept& kept", "const Residuals& residuals"),
    Row(r"Detours?|detours?", "FrameScope", "const Detour detour(stack, frame, 1);", "const FrameScope scope(stack, frame, 1);"),
    Row(r"Stretch(?:es)?|(?:in_)?stretch(?:es|_bytes)?", "BytePolls, in_chunks", "in_stretches(count, 1, body);", "stretched = 1;", under=r"^(stdlib|jit)/.*pp$"),
    Row(r"Pace|pace_?", "LaunchThrottle", "Pace pace_;", "LaunchThrottle throttle_;", under=r"^stdlib/device/.*pp$"),
    Row(r"trips_?|trips_of", "trip_count", "const Value trips = trips_of(attempt);", "const Value trip_count;", under=r"^jit/"),
    Row(r"Lab|(?:to|from)_lab|lab_of", "Oklab, to_oklab", "Lab to_lab(Color color);", "Oklab to_oklab(Color color);", under=r"^(stdlib/(canvas|plot)|tests/plot)/"),
    Row(r"rising|(?:require|expect)_rising\w*", "ascending (order), rising_factorial", "require_rising(numbers);", "require_ascending(numbers);", under=r"^(stdlib|jit|interpreter)/"),
    Row(r"Remembered|remember(?:s|ed|_split)?", "cache, cached; record, register …: what happens to it", "tape->remember(node, key, x);", "tape->cache(node, key, x);", under=r"^(stdlib|interpreter|jit)/"),
    Row(r"whether_?", "is_defined, or what is asked", "Value value, whether;", "// whether it is", under=r"\.[ch]pp$"),
    Row(r"[Bb]eside_?|\w+_beside\w*|\w+Beside", "sibling, off_diagonal, masked …: a name of its own", "T& beside(int64_t i) const;", "// the number beside it", under=r"\.[ch]pp$"),
    Row(r"turned_?(?:strides)?|join_turned", "transposed, flipped, reversed, rotated …: how", "const Value turned = transpose(x);", "// as it turned out", under=r"^(stdlib|jit|interpreter)/.*pp$"),
    Row(r"(?:most|fewest)_[a-z]\w*", "max_…, min_…", "constexpr int most_views = 32;", "window_most_dilation", under=r"\.[ch]pp$"),
    Row(r"(?:go_)?out_of_the_way|deaths|\w+_deaths", "out_of_line, dead_values", "e_.out_of_the_way([&] {", "// lies out of the way", under=r"\.[ch]pp$"),
    Row(r"Home|homes?_?|free_(?:float_)?homes_", "machine_register, loop_of_, definition", "const x86::Reg& home(Register r);", "homepage = folder", under=r"^jit/(simd|loops)/.*pp$"),
)


def tracked(source):
    paths = subprocess.run(["git", "-C", str(source), "ls-files", "--", *FOLDERS, *FILES], check=True, capture_output=True, text=True).stdout
    return [path for path in paths.splitlines() if not SKIPPED.search(path) and (source / path).is_file()]


def blank(text):
    """As long and with as many lines, without words."""
    return "\n".join([" " * len(line) for line in text.split("\n")])


def split(path, text):
    """The code of a file, and its comments and messages, each with the other blanked out; documents are text alone."""
    if not CPP.search(path):
        is_code = path.endswith((".py", ".cmake", "CMakeLists.txt", ".sh"))
        return (text if is_code else ""), text
    code, words, end = [], [], 0
    for match in PARTS.finditer(text):
        between = text[end:match.start()]
        code += [between, blank(match.group())]
        words += [blank(between), match.group()]
        end = match.end()
    return "".join([*code, text[end:]]), "".join([*words, blank(text[end:])])


# What comments and documents quote or call is code: `name`, name(), Name::name.
QUOTED = re.compile(r"`[^`\n]+`|\b\w+(?:::\w+)+|\b\w+\(\)")


def any_of(rows):
    return whole("|".join(f"(?:{row.expression})" for row in rows))


SINGLE = any_of(row for row in ROWS if row.single)
LONGER = any_of(row for row in ROWS if not row.single and not row.text)
PHRASE = any_of(row for row in ROWS if row.text)


@functools.cache
def rows_of_name(name):
    """The numbers of the rows of which an identifier is a word."""
    if not SINGLE.fullmatch(name):
        return ()
    return [number for number, row in enumerate(ROWS) if row.single and row.pattern.fullmatch(name)]


def rows_to_search(code, words):
    """The rows that may find something, in their order. Most files have none, and no row need be searched for: an identifier is
    looked up once in the whole tree, and one pattern looks for all phrases."""
    names = {name for text in code for name in re.findall(r"\w+", text)}
    single = {number for name in names for number in rows_of_name(name)}
    longer, phrase = any(LONGER.search(text) for text in code), PHRASE.search(words) is not None
    return [row for number, row in enumerate(ROWS)
            if (number in single if row.single else phrase if row.text else longer)]


def findings(path, text):
    """Triples of a line, the word, and its row."""
    code, words = split(path, text)
    quoted = "".join(part if kept else blank(part) for part, kept in pieces_of(QUOTED, words)) if CPP.search(path) or path.endswith(".md") else ""
    file_name = path.rpartition("/")[2].partition(".")[0]
    for row in rows_to_search((code, quoted, file_name), words):
        if not row.paths.search(path):
            continue
        if row.text:
            searched = [words]
        else:
            searched = [code, quoted]
            if row.pattern.fullmatch(file_name):
                yield 1, f"the file's name {file_name}", row
        for each in searched:
            for match in row.pattern.finditer(each):
                yield each.count("\n", 0, match.start()) + 1, " ".join(match.group().split()), row


def pieces_of(pattern, text):
    end = 0
    for match in pattern.finditer(text):
        yield text[end:match.start()], False
        yield match.group(), True
        end = match.end()
    yield text[end:], False


def check_rows():
    """Whether each row finds its own example, and not the other."""
    wrong = []
    for row in ROWS:
        if not row.pattern.search(row.bad):
            wrong.append(f"the row of {row.write!r} does not find {row.bad!r}")
        if row not in rows_to_search((row.bad,), row.bad):
            wrong.append(f"{row.bad!r} is not searched for the row of {row.write!r}")
        if row.pattern.search(row.good.split("//")[0] if not row.text else row.good):
            wrong.append(f"the row of {row.write!r} finds {row.good!r}")
    return wrong


def main():
    source = pathlib.Path(sys.argv[1])
    complaints = check_rows()
    for path in tracked(source):
        try:
            text = (source / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        complaints += [f"{path}:{line}: {word}: write {row.write}" for line, word, row in findings(path, text)]
    print("\n".join(complaints) or f"{len(ROWS)} home-made words, and none of them in use")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
