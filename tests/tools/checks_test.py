#!/usr/bin/env python3
"""Checks tools/check, tools/syntax and what they choose: sources, and tests. Small trees stand for the project; only they are compiled."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from tools_test import PACKAGES, ROOT, Machine

sys.path.insert(0, str(ROOT / "tools"))
import tests_of  # noqa: E402


class Tree:
    """A project of a few files, with the compile commands that a plain build would have."""

    def __init__(self, stack, files):
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        self.build = self.folder / "build-plain"
        for name in ("build-plain", "tools"):
            (self.folder / name).mkdir()
        shutil.copy(ROOT / "tools/plain.py", self.folder / "tools")
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        commands = [{"directory": str(self.build), "file": str(self.folder / name),
                     "command": f"ccache {shutil.which('c++')} -I{self.folder} -Wall -Werror -o a.o -c {self.folder / name}"}
                    for name in files if name.endswith(".cpp")]
        (self.build / "compile_commands.json").write_text(json.dumps(commands))

    def run(self, *arguments, kind="syntax"):
        words = [sys.executable, str(self.folder / "tools/plain.py"), str(self.build), kind, *arguments]
        return subprocess.run(words, capture_output=True, text=True, timeout=300)


class Sources(unittest.TestCase):
    def setUp(self):
        from contextlib import ExitStack
        self.stack = ExitStack()
        self.addCleanup(self.stack.close)

    def tree(self, **more):
        files = {"part/a.hpp": "#include <cstring>\nstruct A;\n", "part/a.cpp": '#include "part/a.hpp"\nA* f(A* a) { return a; }\n',
                 "part/b.cpp": '#include "part/a.hpp"\nint b(int x) { return x; }\n',
                 "other/c.cpp": '#include "part/a.hpp"\nint c(const char* s) { return std::strlen(s) > 3; }\n',
                 "other/unused.hpp": "struct U;\n"}
        return Tree(self.stack, files | more)

    def test_a_source_that_does_not_compile_alone_is_found(self):
        tree = self.tree(**{"part/b.cpp": "#include <string>\nint b(A*) { return 1; }\n"})
        result = tree.run("--all")
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1]), (1, "syntax: 3 sources, 1 failed"))
        self.assertIn("part/b.cpp:2", result.stdout)
        result = tree.run("part/a.cpp", "other/c.cpp")
        self.assertEqual((result.returncode, result.stdout), (0, "syntax: 2 sources, 0 failed\n"))

    def test_a_warning_is_an_error(self):
        result = self.tree(**{"part/b.cpp": "int b() { int unused; return 1; }\n"}).run("part/b.cpp")
        self.assertEqual(result.returncode, 1)
        self.assertIn("unused", result.stdout)

    def test_a_header_stands_for_the_sources_of_its_folder(self):
        tree = self.tree(**{"part/b.cpp": '#include "part/a.hpp"\nint b(A*) { return nothing; }\n'})
        self.assertIn("2 sources, 1 failed", tree.run("part/a.hpp").stdout)
        self.assertIn("1 sources, 0 failed", tree.run("part/a.hpp", "--most", "1").stdout)  # that of the same name first
        self.assertIn("0 sources", tree.run("other/unused.hpp", "README.md").stdout)

    def test_a_tenth_of_all_is_drawn_by_the_hash(self):
        tree = self.tree(**{f"many/m{i}.cpp": "" for i in range(60)})
        for seed in "abc":
            counts = {tree.run("--tenth", seed).stdout for _ in range(2)}
            self.assertEqual(len(counts), 1)
            self.assertIn(int(counts.pop().split()[1]), range(1, 20))

    @unittest.skipUnless(shutil.which("clang-tidy-14"), "without clang-tidy 14")
    def test_only_findings_in_the_named_files_count(self):
        bad = "inline void* null_of_a() { return 0; }\n"
        tree = self.tree(**{"part/a.hpp": bad, "part/a.cpp": '#include "part/a.hpp"\nvoid* f() { return null_of_a(); }\n',
                            ".clang-tidy": "Checks: modernize-use-nullptr\nHeaderFilterRegex: '.*'\n"})
        result = tree.run("part/a.cpp", kind="tidy")
        self.assertEqual((result.returncode, result.stdout), (0, "tidy: 1 sources, 0 failed\n"))
        result = tree.run("part/a.hpp", kind="tidy")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.count("part/a.hpp:1:35: error: use nullptr"), 1, result.stdout)


CLANG = next(filter(shutil.which, ("clang++-22", "clang++-14", "clang++")), None)


@unittest.skipUnless(CLANG, "without clang")
class Sizes(unittest.TestCase):
    def check(self, files, *arguments):
        from contextlib import ExitStack
        stack = ExitStack()
        self.addCleanup(stack.close)
        tree = Tree(stack, files)
        shutil.copy(ROOT / "tools/sizes.py", tree.folder / "tools")
        words = [sys.executable, str(tree.folder / "tools/sizes.py"), CLANG, str(tree.build), *arguments]
        return subprocess.run(words, capture_output=True, text=True, timeout=300)

    def test_what_loses_bits_is_found_once(self):
        files = {"a.hpp": "inline int lost(long long x) { return x; }\n", "b.cpp": '#include "a.hpp"\n',
                 "c.cpp": '#include "a.hpp"\nint kept(long long x) { return static_cast<int>(x); }\n'}
        result = self.check(files)
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1]), (1, "sizes: 2 sources, 1 findings"), result.stderr)
        self.assertEqual(result.stdout.count("a.hpp:1:39: warning: "), 1)
        files["a.hpp"] = ""
        self.assertEqual(self.check(files).stdout, "sizes: 2 sources, 0 findings\n")

    def test_what_does_not_compile_is_found(self):
        result = self.check({"a.cpp": "int a() { return nothing; }\n", "b.cpp": "int b() { return nothing; }\n"}, "b.cpp")
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1]), (1, "sizes: 1 sources, 1 findings"), result.stderr)
        self.assertIn("b.cpp:1:18: error: ", result.stdout)


class Tests(unittest.TestCase):
    def test_every_row_names_what_is_there(self):
        for start, what in tests_of.TESTS:
            self.assertTrue((ROOT / start).is_dir(), start)
            if what.endswith(".cpp"):
                self.assertTrue(tests_of.suites(what), what)
            else:
                self.assertNotRegex(what, r"[()]")

    def test_files_of_tests_name_their_own(self):
        for file, pattern in {"tests/language/maps.covec": r"^language\.maps$|^language\.maps\.|^engines\.maps$|^engines\.maps\.",
                              "tests/parts/passes/cse.txt": r"^parts\.passes\.cse$", "tests/tools/tools_test.py": "^tools$",
                              "tests/repl/answers_test.py": r"^repl\.answers$|^repl\.answers\.",
                              "docs/modules/nn.md": r"^documents\.modules\.nn\.md$", "LICENSE": ""}.items():
            self.assertEqual("|".join(tests_of.patterns(file)), pattern)


class Commands(unittest.TestCase):
    def setUp(self):
        from contextlib import ExitStack
        stack = ExitStack()
        self.addCleanup(stack.close)
        self.machine = Machine(stack)
        self.machine.installed(PACKAGES)
        self.machine.command("apt-get", "exit 1")
        self.machine.built_by("echo 'ninja: no work to do.'")

    def test_without_clang_it_says_what_to_install(self):
        result = self.machine.run("check")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")
        self.assertIn("apt-get install clang-format-14 clang-tidy-14", result.stderr)

    def git(self, *arguments):
        subprocess.run(["git", "-C", str(self.machine.checkout), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True)

    def commit(self, name, text):
        (self.machine.checkout / name).write_text(text)
        self.git("add", name)
        self.git("commit", "-q", "-m", name)

    @unittest.skipUnless(shutil.which("git"), "without git")
    def test_what_the_last_commits_changed_is_compiled(self):
        """Also where there are fewer commits than thirty, as in a clone that is shallow."""
        machine = self.machine
        for name in ("git", "tail"):
            (machine.bin / name).symlink_to(shutil.which(name))
        machine.command("python3", "printf '%s\\n' \"$@\"")
        self.assertIn("this is no clone", machine.run("syntax").stderr)
        self.git("init", "-q")
        self.commit("a.cpp", "one")
        chosen = lambda: machine.run("syntax").stdout.splitlines()[7:]
        self.assertEqual(chosen(), [])
        self.commit("b.cpp", "one")
        self.commit("a.cpp", "two")
        self.assertEqual(chosen(), ["a.cpp", "b.cpp"])
        for i in range(29):
            self.commit("a.cpp", str(i))
        self.assertEqual(chosen(), ["a.cpp"])


if __name__ == "__main__":
    sys.exit(unittest.main())
