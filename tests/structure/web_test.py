"""Web: what `cmake -DCOVEC_WEB=ON` builds, seen without building it.

- FOLDER/web/NAME.cpp takes the place of FOLDER/NAME.cpp: it is there, and the other file defines no function or constant for
  others that this one lacks. What this one has beyond that is declared by a header in FOLDER/web.
- The sources that are left out (COVEC_NOT_ON_WEB in CMakeLists.txt) are there.
- What stays includes no header of threads, signals, mappings and other things that a page does not have.

Usage: web_test.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

from walls_test import code_of, end_of_braces

PARTS = ("frontend", "stdlib", "interpreter")
# What a host of the session is made of; a page is a host of its own (interpreter/web).
HOSTS = {"interpreter/" + name for name in
         ("command", "host", "include", "lsp", "main", "notebook", "python", "repl", "verify", "web")}
ABSENT = re.compile(r"(?:mutex|shared_mutex|thread|stop_token|condition_variable|future|semaphore|latch|barrier|csignal|csetjmp|"
                    r"(?:alloca|dirent|dlfcn|jpeglib|netdb|png|poll|pthread|pwd|sched|setjmp|signal|spawn|termios|ucontext|linux/.*|"
                    r"sys/(?!stat|types).*)\.h|(?:oneapi/)?tbb/.*)")


def outer_code(text):
    """The code without includes, anonymous namespaces, and what stands in braces of classes and functions."""
    code, out, place = re.sub(r"^\s*#.*$", "", code_of(text), flags=re.M), "", 0
    for brace in iter(lambda: code.find("{", place), -1):
        head = code[place:brace]
        statement = re.split(r"[;{}]", head)[-1].strip()
        named = re.fullmatch(r"(?:inline\s+)?namespace\s+[\w:]+|extern\s*", statement)
        out += head + ("" if named else " {} ")
        place = brace + 1 if named else end_of_braces(code, brace) + 1
        if re.fullmatch(r"namespace", statement):
            out = out[:out.rindex("namespace")]
    return out + code[place:]


FUNCTION = re.compile(r"([\w:~]+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*(?:const\b\s*)?(?:noexcept\b\s*)?(?:override\b\s*)?"
                      r"(?::[^;]*?)?(?:\{\}|=\s*default;)")
CONSTANT = re.compile(r"^\s*(?:extern\s+)?const\s+[\w:<>]+\s+([\w:]+)(?:\s*\{\}|\s*=)", re.M)


def parameters(text):
    """How many there are."""
    text = re.sub(r"<[^<>]*>|\([^()]*\)", "", re.sub(r"<[^<>]*>", "", text)).strip()
    return 0 if not text else text.count(",") + 1


def defined(text):
    """Functions (with the number of their parameters) and constants that others may refer to."""
    code = outer_code(text)
    found = {f"{match[1]}/{parameters(match[2])}" for match in FUNCTION.finditer(code)
             if not re.search(r"\bstatic\s[^;{}]*$", code[:match.start()])}
    return found | set(CONSTANT.findall(code))


def check_finder():
    text = """
        #include <x>
        namespace a { namespace { int hidden() { return 1; } }
        static int own(int x) { return x; }
        const size_t most = size_t{1} << 3;
        std::string f(const std::map<int, int>& m, int x) { if (x) { g(); } return h(x); }
        A::A(int x) : x_(x), y_{x} {}
        A::~A() = default;
        int64_t A::read(void*) const { return 0; } }"""
    found = defined(text)
    return [] if found == {"most", "f/2", "A::A/1", "A::~A/0", "A::read/1"} else [f"the finder finds {sorted(found)}"]


def check_twins(source):
    failures, count = [], 0
    for part in PARTS:
        for twin in sorted((source / part).rglob("web/*.cpp")):
            if twin.parent == source / "interpreter/web":
                continue
            count += 1
            name, other = twin.relative_to(source), twin.parent.parent / twin.name
            if not other.exists():
                failures.append(f"{name} takes the place of nothing: there is no {other.relative_to(source)}")
                continue
            mine, wanted = (defined(path.read_text(encoding="utf-8")) for path in (twin, other))
            failures += [f"{name} lacks {one}, which {other.relative_to(source)} defines" for one in sorted(wanted - mine)]
            declared = "".join(path.read_text(encoding="utf-8") for path in twin.parent.glob("*.hpp"))
            failures += [f"{name} defines {one}, which no header beside it declares" for one in sorted(mine - wanted)
                         if not re.search(rf"\b{re.escape(one.partition('/')[0])}\b", declared)]
    return failures + ([] if count >= 10 else [f"only {count} twins: this cannot be all"])


def left_out(source):
    listed = re.search(r"set\(COVEC_NOT_ON_WEB([^)]*)\)", (source / "CMakeLists.txt").read_text(encoding="utf-8"))
    return set(listed[1].split())


def reached(source, paths):
    """The files and all that they include of ours, each with the file through which it was reached."""
    found, left = {}, [(path, None) for path in paths]
    while left:
        path, by = left.pop()
        if path in found:
            continue
        found[path] = by
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(encoding="utf-8"), re.M):
            if (source / name).exists():
                left.append((source / name, path))
    return found


def check_includes(source):
    out = left_out(source)
    failures = [f"COVEC_NOT_ON_WEB names {name}, which is not there" for name in sorted(out) if not (source / name).exists()]
    stays = []
    for part in PARTS:
        for path in sorted((source / part).rglob("*.cpp")):
            name = path.relative_to(source)
            replaced = path.parent.name != "web" and (path.parent / "web" / path.name).exists()
            if not replaced and str(name) not in out and not any(name.is_relative_to(host) for host in HOSTS):
                stays.append(path)
    for path, by in sorted(reached(source, stays).items()):
        for header in re.findall(r"^\s*#\s*include\s*<([^>]+)>", path.read_text(encoding="utf-8"), re.M):
            if ABSENT.fullmatch(header):
                through = f", reached by {by.relative_to(source)}," if by else ""
                failures.append(f"{path.relative_to(source)}{through} includes <{header}>, which a page does not have")
    return failures + ([] if len(stays) >= 300 else [f"only {len(stays)} sources: this cannot be all"])


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    failures = check_finder() + check_twins(source) + check_includes(source)
    print(f"{len(failures)} failures", *failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
