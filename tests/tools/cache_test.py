"""cache_test.py COVEC TRIM: the cache of tests (COVEC_TEST_CACHE). The C99 oracle takes a library from it only if that is whole
and was made from the same text, by the same compiler, with the same flags. Without the variable nothing is read or kept.
TRIM removes what was used longest ago. Start at Oracle.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

COVEC, TRIM = sys.argv[1:3]
PROGRAM = "fn f(x) = x * 2 + 1\nfn g(x) = f(x) - x / 4\nprint(f(arange(3.0)), g(arange(5.0)))\n"
RIGHT = "[1.0, 3.0, 5.0] [1.0, 2.75, 4.5, 6.25, 8.0]\n"
# It writes down each library that it makes.
COMPILER = """#!/bin/sh
case "$*" in
  --version) echo "{version}"; exit ;;
  *-shared*) echo "$*" >>"{log}" ;;
esac
exec {compiler} "$@"
"""


class Oracle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("bin", "home", "temporary"):
            (self.folder / name).mkdir()
        (self.folder / "program.covec").write_text(PROGRAM)
        self.make_compiler("cc 1")

    def make_compiler(self, version):
        path = self.folder / "bin" / "cc"
        path.write_text(COMPILER.format(version=version, log=self.folder / "log", compiler=shutil.which("cc")))
        path.chmod(0o755)

    def command(self, cached):
        environment = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "HOME": str(self.folder / "home"),
                       "XDG_CACHE_HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "temporary"), "COVEC_ENGINE": "c99",
                       **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")},
                       **({"COVEC_TEST_CACHE": str(self.folder / "cache")} if cached else {})}
        return subprocess.Popen([COVEC, str(self.folder / "program.covec")], env=environment, cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def check(self, process):
        out, err = process.communicate(timeout=300)
        self.assertEqual((process.returncode, out, err), (0, RIGHT, ""))

    def compiled(self, cached=True):
        """The commands that made libraries while the program ran."""
        log = self.folder / "log"
        log.write_text("")
        self.check(self.command(cached))
        return log.read_text().splitlines()

    def entries(self):
        return sorted((self.folder / "cache" / "c99").iterdir())

    def test_a_library_is_compiled_once(self):
        first = self.compiled()
        self.assertGreaterEqual(len(first), 2)
        self.assertTrue(all(" -O0 " in command for command in first), first)
        self.assertEqual(len(self.entries()), len(first))
        self.assertEqual(self.compiled(), [])

    def test_without_the_variable_nothing_is_read_or_kept(self):
        count, kept = len(self.compiled()), [(path, path.read_bytes()) for path in self.entries()]
        (self.folder / "home" / "covec-tests").symlink_to(self.folder / "cache")
        plain = self.compiled(cached=False)
        self.assertEqual(len(plain), count)
        self.assertTrue(all(" -O1 " in command for command in plain), plain)
        self.assertEqual([(path, path.read_bytes()) for path in self.entries()], kept)
        self.assertEqual(os.listdir(self.folder / "home"), ["covec-tests"])
        self.assertEqual(os.listdir(self.folder / "temporary"), [])

    def test_wrong_entries_are_not_used(self):
        count = len(self.compiled())
        whole = {path: path.read_bytes() for path in self.entries()}
        turned = dict(zip(whole, [*whole.values()][1:] + [*whole.values()][:1]))
        changes = {
            "another text under the hash": lambda path: turned[path],
            "a cut file": lambda path: whole[path][:-1],
            "a file cut in its text": lambda path: whole[path][:100],
            "an empty file": lambda path: b"",
            "a changed bit": lambda path: whole[path][:-9] + bytes([whole[path][-9] ^ 1]) + whole[path][-8:],
            "other flags": lambda path: whole[path].replace(b" -O0 ", b" -O2 ", 1),
            "another compiler": lambda path: whole[path].replace(b"cc 1\n", b"cc 2\n", 1),
        }
        for name, change in changes.items():
            with self.subTest(name):
                for path, bytes_of_it in whole.items():
                    self.assertNotEqual(change(path), bytes_of_it)
                    path.write_bytes(change(path))
                self.assertEqual(len(self.compiled()), count)
                self.assertEqual({path: path.read_bytes()[:100] for path in self.entries()},
                                 {path: bytes_of_it[:100] for path, bytes_of_it in whole.items()})
                self.assertEqual(self.compiled(), [])

    def test_another_compiler_makes_its_own(self):
        count = len(self.compiled())
        self.make_compiler("cc 2")
        self.assertEqual(len(self.compiled()), count)
        self.assertEqual(len(self.entries()), 2 * count)

    def test_several_at_once(self):
        for _ in range(2):
            for process in [self.command(True) for _ in range(4)]:
                self.check(process)

    def test_a_cache_that_cannot_be_written(self):
        (self.folder / "cache").write_text("a file")
        self.assertGreaterEqual(len(self.compiled()), 2)


class Trim(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "cache"

    def add(self, path, size, used):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        os.utime(path, (used, used))

    def left(self, limit):
        subprocess.run([sys.executable, TRIM, str(self.folder), str(limit)], check=True)
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def test_a_new_folder(self):
        self.assertEqual(self.left(100), [])
        self.assertTrue((self.folder / "pocl").is_dir())

    def test_the_oldest_go_first(self):
        for number in range(5):
            self.add(f"c99/{number}.kernel", 10, 1000 + number)
        self.add("pocl/AB/CD/program.bc", 10, 1001)
        self.add("pocl/AB/CD/f/f.so", 10, 1003.5)
        self.assertEqual(len(self.left(70)), 7)
        self.assertEqual(self.left(30), ["c99/4.kernel", "pocl/AB/CD/f/f.so", "pocl/AB/CD/program.bc"])
        self.assertEqual(self.left(10), ["c99/4.kernel"])
        self.assertEqual(self.left(0), [])

    def test_kernels_of_running_tests_stay(self):
        self.add("pocl/AB/CD/program.bc", 10, 4e9)
        self.add("c99/1.kernel", 10, 4e9)
        self.assertEqual(self.left(0), ["pocl/AB/CD/program.bc"])


unittest.main(argv=sys.argv[:1])
