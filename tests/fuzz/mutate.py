"""Programs of another kind than generate.py's: the scripts of tests/ and examples/, the examples of the documents and of the
builtins' pages, changed in a few places. A mutant is a function of its seed and of those texts. Most are wrong somewhere, and
that is the point: engines must agree about mistakes that nobody thought of. Start at mutant()."""
import glob
import os
import random
import re
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOKEN = re.compile(r"""(?P<comment>\#[^\n]*)|(?P<string>f?"(?:[^"\\\n]|\\.)*"|f?'(?:[^'\\\n]|\\.)*')
    |(?P<number>\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)
    |(?P<operator>//=|\*\*=|[-+*/%^@&|]=|//|\*\*|<=|>=|==|!=|->|[-+*/%^@&|<>=~])
    |(?P<bracket>[()\[\]{}])|(?P<rest>\s+|\.\.\.|.)""", re.X)
# What takes a while, or says what no two runs agree about. `error` and `assert` would only make programs shorter.
CLOCKS = re.compile(r"\b(?:time|timeit|sleep|explain|args|progress)\s*\(|@test\b|@bench\b")
KEYWORDS = {"fn", "return", "if", "else", "for", "in", "while", "break", "continue", "import", "as", "and", "or", "not",
            "assert", "true", "false", "none"}
HOSTILE = ["0", "1", "-1", "2", "3", "16", "17", "64", "0.0", "-0.0", "0.5", "inf", "nan", "-inf", "1e308", "1e-308", "5e-324",
           "2147483648", "9223372036854775807", "-9223372036854775807", "1e19", "true", "none", "[]", "[1.0, nan]", "zeros(0)",
           "zeros(2, 0)", "ones(2, 3)", "f32(0.1)", "f16(0.1)", "bf16([1.5, -2.5, 0.0])", "i32(7)", "u8(200)", "i16([300, -7])", "f32([1.5, -2.5, 0.0])", "i32([3, -1])", "(1.0, 2.0)", "list(1.0, 2.0)",
           "[true, false]", '"text"', "{w: 1.0}", "reshape(arange(24), (2, 3, 4))", "arange(300) * 0.5"]
OPERATORS = [["+", "-", "*", "/", "//", "%", "^", "@"], ["<", "<=", ">", ">=", "==", "!="], ["&", "|"],
             ["+=", "-=", "*=", "/=", "//=", "%=", "^=", "=", "@="]]
TRANSFORMS = ["grad({})", "grad(grad({}))", "value_and_grad({})", "jacobian({})", 'jacobian({}, mode="forward")', 'jacobian({}, mode="reverse")',
              "hessian({})", "vmap({})", "compile({})", "checkpoint({})", "grad(checkpoint({}))", "compile(grad({}))",
              "vmap(grad({}))", "grad(compile({}))", "compile(vmap({}))", "stop_gradient({})", 'grad({}, zero="ieee")', "grad({}, debug=true)",
              "compile(jacobian({}))", "compile(grad(checkpoint({})))"]
WRAPPERS = ["f32({})", "f16({})", "bf16({})", "(-{})", "sum({})", "({})[0]", "({})[::-1]", "i32({})", "u8({})", "i8({})", "bool({})", "[{}, {}]", "stop_gradient({})", "({} * 0.5)", "sin({})",
            "({} if {} else 0.5)", "where(true, {}, 1.0)", "reshape({}, -1)", "list({})", "({}, 1.0)", "str({})", "({}).shape", "sort({})",
            "vjp(q -> q * 2.0, {})[1](1.0)", "jvp(q -> q * q, {}, 1.0)"]


def blocks_of(path):
    """The programs between ```covec fences of a page."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r"```covec\n(.*?)```", file.read(), re.S)


class Corpus:
    """Texts to change, and the names to change them with."""

    def __init__(self, covec):
        scripts = sorted(path for folder in ("tests", "examples") for path in glob.glob(os.path.join(ROOT, folder, "**/*.covec"), recursive=True))
        texts = [open(path, encoding="utf-8").read() for path in scripts if "/bench/" not in path]
        for page in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
            texts += blocks_of(page)
        manual = subprocess.run([covec, "doc"], capture_output=True, text=True, check=True).stdout
        texts += re.findall(r"```covec\n(.*?)```", manual, re.S)
        self.texts = [self.cleaned(text) for text in texts]
        self.texts = [text for text in self.texts if text.strip() and not re.search(r"import \"", text)]
        names = re.findall(r"^### `(\w+)\(", manual, re.M)
        self.builtins = [name for name in names if not CLOCKS.search(name + "(")]

    def cleaned(self, text):
        """Without comments (but what a string holds), clocks (the statements that have one go whole), and `strict`, which only
        compilers look at."""
        text = re.sub(r"\(strict=true\)|, strict=true", "", text)
        kept = [m.group(0) for m in TOKEN.finditer(text) if m.lastgroup != "comment"]
        parts = statements_of("".join(kept).split("\n"))
        return "\n".join(line.rstrip() for part in parts if not CLOCKS.search("\n".join(part)) for line in part if line.strip()) + "\n"


def depth_after(line, depth):
    for m in TOKEN.finditer(line):
        if m.lastgroup == "bracket":
            depth += 1 if m.group(0) in "([{" else -1
    return depth


def statements_of(lines):
    """Groups of lines, brackets closed in each."""
    parts, part, depth = [], [], 0
    for line in lines:
        part.append(line)
        depth = depth_after(line, depth)
        if depth <= 0 and not line.startswith("@") and not line.rstrip().endswith(("+", "=", ",", "->")):
            parts.append(part)
            part, depth = [], 0
    return parts + ([part] if part else [])


class Mutation:
    def __init__(self, seed, corpus):
        self.random = random.Random(seed)
        self.choose = self.random.choice
        self.corpus = corpus

    def text(self):
        parts = statements_of(self.choose(self.corpus.texts).rstrip("\n").split("\n"))
        if len(parts) > 25:
            parts = self.some(parts)
        if self.random.random() < 0.25:
            other = statements_of(self.choose(self.corpus.texts).rstrip("\n").split("\n"))
            parts = self.some(parts, 12) + self.some(other, 12)
        text = "\n".join("\n".join(part) for part in parts) + "\n"
        for _ in range(self.choose([1, 1, 2, 2, 3, 4, 6])):
            text = self.choose([self.number, self.number, self.operator, self.builtin, self.name, self.name, self.statement, self.statement,
                                self.compiled, self.transformed, self.transformed, self.wrapped, self.wrapped, self.arguments, self.enclosed])(text)
        return self.session(text)

    def session(self, text):
        """One that goes on after errors: its statements one by one, some of them again."""
        parts = ["\n".join(part) for part in statements_of(text.rstrip("\n").split("\n"))]
        way = self.random.random()
        if way < 0.15:
            return text
        if way < 0.5:
            parts += [self.choose(parts) for _ in range(self.random.randint(1, 4))]
        elif way < 0.6:
            parts += parts
        return "\n# ---\n".join(parts) + "\n"

    def some(self, parts, largest=25):
        """Definitions, and a stretch of the rest: long scripts say one thing after the other."""
        start = self.random.randrange(max(len(parts) - largest // 2, 1))
        definitions = [part for part in parts[:start] if re.match(r"@|fn |import |\w+ = ", part[0])]
        return definitions[-largest:] + parts[start : start + largest]

    def replaced(self, text, kind, pick, among=lambda token: True):
        """One token of a kind exchanged."""
        found = [m for m in TOKEN.finditer(text) if m.lastgroup == kind and among(m)]
        if not found:
            return text
        m = self.choose(found)
        return text[: m.start()] + pick(m.group(0)) + text[m.end() :]

    def number(self, text):
        return self.replaced(text, "number", lambda _: self.choose(HOSTILE))

    def operator(self, text):
        kinds = {op: kind for kind in OPERATORS for op in kind}
        return self.replaced(text, "operator", lambda op: self.choose(kinds[op]), lambda m: m.group(0) in kinds)

    def builtin(self, text):
        known = set(self.corpus.builtins)
        return self.replaced(text, "name", lambda _: self.choose(self.corpus.builtins), lambda m: m.group(0) in known)

    def name(self, text):
        names = [m.group(0) for m in TOKEN.finditer(text) if m.lastgroup == "name" and m.group(0) not in KEYWORDS]
        return self.replaced(text, "name", lambda _: self.choose(names), lambda m: m.group(0) not in KEYWORDS) if names else text

    def statement(self, text):
        """A statement (at any depth: a line of balanced brackets) doubled, dropped, moved, or put into another's place."""
        lines = text.rstrip("\n").split("\n")
        places = [k for k, line in enumerate(lines) if depth_after(line, 0) == 0 and line.strip() and not line.strip().startswith(("}", "@"))]
        if len(places) < 2:
            return text
        a, b = self.choose(places), self.choose(places)
        way = self.random.randrange(5)
        if way == 0:
            lines.insert(b, lines[a])
        elif way == 1:
            del lines[a]
        elif way == 2:
            lines.insert(b, lines.pop(a))
        elif way == 3:
            lines[a], lines[b] = lines[b], lines[a]
        else:
            heads = ["for zz in range(2) { %s }", "if true { %s }", "for zz in (1.0, 2.0) { if zz > 1 { continue }; %s }", "zz = 0; while zz < 2 { zz += 1; %s }"]
            if not re.match(r"\s*(?:fn|import|@)\b", lines[a]):
                lines[a] = self.choose(heads) % lines[a].strip()
        return "\n".join(lines) + "\n"

    def compiled(self, text):
        heads = [m.start() for m in re.finditer(r"^[ \t]*fn \w", text, re.M)]
        if not heads:
            return text
        at = self.choose(heads)
        return text[:at] + "@compile\n" + text[at:]

    def call_at(self, text, start):
        """The end of the brackets that open there."""
        depth = 0
        for m in TOKEN.finditer(text, start):
            if m.lastgroup == "bracket":
                depth += 1 if m.group(0) in "([{" else -1
                if depth == 0:
                    return m.end()
        return len(text)

    def transformed(self, text):
        """f(…) becomes grad(f)(…)."""
        found = [m for m in re.finditer(r"(?<![\w.])([a-zA-Z_]\w*)\(", text) if m.group(1) not in KEYWORDS and not re.search(r"fn $", text[: m.start()])]
        if not found:
            return text
        m = self.choose(found)
        return text[: m.start()] + self.choose(TRANSFORMS).format(m.group(1)) + text[m.end() - 1 :]

    def wrapped(self, text):
        """A name, a number, a call or what stands in brackets becomes part of something else."""
        found = [m for m in TOKEN.finditer(text) if m.lastgroup in ("name", "number") and m.group(0) not in KEYWORDS
                 and not re.match(r"\s*(?:=[^=]|:|->)", text[m.end() :]) and not re.search(r"(?:fn|import|as|for|\.) ?$", text[: m.start()])]
        if not found:
            return text
        m = self.choose(found)
        end = self.call_at(text, m.end()) if text[m.end() : m.end() + 1] in ("(", "[") else m.end()
        return text[: m.start()] + self.choose(WRAPPERS).replace("{}", text[m.start() : end]) + text[end:]

    def arguments(self, text):
        """Two arguments exchanged, one dropped, or one doubled."""
        calls = [m for m in re.finditer(r"\w\(", text)]
        if not calls:
            return text
        start = self.choose(calls).end()
        end = self.call_at(text, start - 1) - 1
        parts, depth, last = [], 0, start
        for m in TOKEN.finditer(text, start, end):
            depth += (m.group(0) in "([{") - (m.group(0) in ")]}") if m.lastgroup == "bracket" else 0
            if m.group(0) == "," and depth == 0:
                parts.append(text[last : m.start()].strip())
                last = m.end()
        parts.append(text[last:end].strip())
        a, b = self.random.randrange(len(parts)), self.random.randrange(len(parts))
        way = self.random.randrange(3)
        if way == 0:
            parts[a], parts[b] = parts[b], parts[a]
        elif way == 1:
            del parts[a]
        else:
            parts.insert(b, parts[a])
        return text[:start] + ", ".join(parts) + text[end:]

    def enclosed(self, text):
        """A stretch of the program becomes the body of a function, which is called: once, twice, compiled."""
        parts = statements_of(text.rstrip("\n").split("\n"))
        first = self.random.randrange(len(parts))
        last = min(len(parts), first + self.random.randint(1, 8))
        body = ["  " + line for part in parts[first:last] if not part[0].startswith("import") for line in part]
        calls = self.choose([["zf()"], ["zf()", "zf()"], ["compile(zf)()"], ["print(zf())"]])
        lines = [line for part in parts[:first] for line in part] + ["fn zf() {"] + body + ["}"] + calls
        return "\n".join(lines + [line for part in parts[last:] for line in part]) + "\n"


corpus = None


def learn_scripts(covec):
    global corpus
    corpus = Corpus(covec)


def mutant(seed):
    return Mutation(seed, corpus).text()
