#!/usr/bin/env python3
"""Checks tools/run and tools/test where something is missing: each must say one clear line on standard error and fail.

A copy of tools/ stands in a folder of its own, and a PATH of stand-ins for dpkg-query, apt-get, id and sudo plays the
machine. Nothing is installed or built. Start reading at the cases at the end.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAIN = ["bash", "sed", "grep", "env", "mktemp", "rm", "tr", "cut", "dirname", "mkdir", "cat", "flock", "nproc", "find", "cmp", "mv"]


def packages_in(name):
    lines = [line.split("#")[0].strip() for line in (ROOT / "tools" / name).read_text().splitlines()]
    return [line for line in lines if line]


PACKAGES, OF_TESTS, OF_LONG_TESTS, OF_SITE, OF_WASM = map(
    packages_in, ("packages.txt", "packages-tests.txt", "packages-long.txt", "packages-site.txt", "packages-wasm.txt"))


class Machine:
    """A folder with a checkout and a folder of commands that is the whole PATH."""

    def __init__(self, stack):
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.checkout = self.folder / "checkout"
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        shutil.copytree(ROOT / "tools", self.checkout / "tools")
        for name in PLAIN:
            where = shutil.which(name)
            if where:
                (self.bin / name).symlink_to(where)

    def command(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def installed(self, names):
        lines = "\n".join(f"installed {name}" for name in names)
        self.command("dpkg-query", f"cat <<'END'\n{lines}\nEND")

    def built_by(self, ninja, cmake="touch \"$6/build.ninja\"; exit 0"):
        self.command("cmake", cmake)
        self.command("ninja", ninja)

    def run(self, tool="run", *arguments):
        return subprocess.run([self.checkout / "tools" / tool, *arguments], capture_output=True, text=True, timeout=60,
                              env={"PATH": str(self.bin), "HOME": str(self.folder), "TMPDIR": str(self.folder)})


class Tools(unittest.TestCase):
    def setUp(self):
        from contextlib import ExitStack
        stack = ExitStack()
        self.addCleanup(stack.close)
        self.machine = Machine(stack)

    def assert_one_line(self, result, *parts):
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")
        last = result.stderr.splitlines()[-1]
        for part in parts:
            self.assertIn(part, last)
        return last

    def test_without_root_it_names_the_packages(self):
        self.machine.installed(PACKAGES[2:])
        self.machine.command("apt-get", "exit 1")
        self.machine.command("id", "echo 1000")
        result = self.machine.run()
        self.assert_one_line(result, "only root", *PACKAGES[:2])
        self.assertNotIn(PACKAGES[2], result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_without_network_it_says_why(self):
        self.machine.installed(PACKAGES[1:])
        self.machine.command("id", "echo 0")
        self.machine.command("apt-get", "echo 'E: Failed to fetch: no network' >&2; exit 100")
        self.assert_one_line(self.machine.run(), PACKAGES[0], "no network")

    def test_what_only_tests_need_is_installed_by_tests(self):
        self.machine.installed(PACKAGES)
        self.machine.command("id", "echo 1000")
        self.machine.command("apt-get", "exit 1")
        self.machine.command("ctest", "exit 0")
        self.machine.built_by("echo 'ninja: no work to do.'")
        (self.machine.checkout / "build").mkdir()
        self.write_covec(self.machine.checkout / "build")
        self.assertEqual(self.machine.run("run", "x").stdout, "<x>\n")
        for arguments, wanted in (((), OF_TESTS), (("--long",), [*OF_TESTS, *OF_LONG_TESTS, *OF_SITE])):
            line = self.assert_one_line(self.machine.run("test", *arguments), "only root")
            self.assertEqual(line.split(": apt-get install ")[1].split(), wanted)
        self.machine.installed([*PACKAGES, *OF_TESTS])
        self.assertEqual(self.machine.run("test").returncode, 0)
        self.assert_one_line(self.machine.run("test", "--long"), *OF_LONG_TESTS, *OF_SITE)
        self.assert_one_line(self.machine.run("site"), *OF_SITE)
        self.assert_one_line(self.machine.run("wasm/test"), *OF_WASM)

    def test_sudo_is_used_where_there_is_one(self):
        self.machine.installed(PACKAGES[1:])
        self.machine.command("id", "echo 1000")
        self.machine.command("apt-get", "exit 1")
        self.machine.command("sudo", 'echo "$@" >> "$HOME/sudo.log"; exit 1')
        self.assert_one_line(self.machine.run(), PACKAGES[0])
        self.assertIn("apt-get", (self.machine.folder / "sudo.log").read_text())

    def test_elsewhere_than_on_debian_it_names_what_is_absent(self):
        self.assert_one_line(self.machine.run(), "cmake", "antlr4", "apt-get install", *PACKAGES)

    def test_a_failed_configuration_is_one_line(self):
        self.machine.installed(PACKAGES)
        self.machine.command("apt-get", "exit 1")
        self.machine.built_by("exit 1", cmake="exit 1")
        self.assert_one_line(self.machine.run(), "configuring failed", "configure.log")

    def test_a_failed_build_shows_what_failed(self):
        self.machine.installed(PACKAGES)
        self.machine.command("apt-get", "exit 1")
        self.machine.built_by("echo '[1/9] c++ a.cpp'; echo 'FAILED: b.o'; echo 'b.cpp:1: error: no'; exit 1")
        result = self.machine.run()
        self.assert_one_line(result, "the build failed", "build.log")
        self.assertIn("b.cpp:1: error: no", result.stderr)

    def test_with_nothing_to_do_it_is_quiet(self):
        self.machine.installed(PACKAGES)
        self.machine.command("apt-get", "echo must not be called; exit 1")
        self.machine.built_by("echo '[0/2] Re-checking globbed directories...'; echo 'ninja: no work to do.'")
        build = self.machine.checkout / "build"
        build.mkdir()
        (build / "build.ninja").touch()
        (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.machine.checkout}\n")
        self.write_covec(build)
        for _ in range(2):
            result = self.machine.run("run", "a b", "-e")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (7, "<a b><-e>\n", ""))

    def test_what_was_built_is_not_built_again(self):
        machine = self.machine
        machine.installed(PACKAGES)
        machine.command("apt-get", "exit 1")
        machine.built_by("echo asked >> \"$HOME/asked\"; echo '[1/1] c++ a.cpp'")
        checkout, build = machine.checkout, machine.checkout / "build"
        for path in ("build/docs", "interpreter/eval", "stdlib"):
            (checkout / path).mkdir(parents=True)
        for path in ("CMakeLists.txt", "interpreter/eval/a.cpp", "stdlib/b.cpp", "build/docs/builtins.md"):
            (checkout / path).write_text("one\n")
        (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={checkout}\n")
        (build / "build.ninja").touch()
        self.write_covec(build)
        source = checkout / "interpreter/eval/a.cpp"

        def times_asked():
            (machine.folder / "asked").unlink(missing_ok=True)
            result = machine.run("run", "x")
            self.assertEqual((result.returncode, result.stdout), (7, "<x>\n"))
            asked = (machine.folder / "asked").exists()
            said = f"covec: built: the command is {build}/covec\n"
            self.assertEqual(result.stderr.endswith(said), asked, result.stderr)
            self.assertEqual(result.stderr == "", not asked)
            return asked

        def as_old_as_before():
            facts = source.stat()
            source.write_text("two\n")
            os.utime(source, ns=(facts.st_atime_ns, facts.st_mtime_ns))

        self.assertTrue(times_asked())
        for name, change in {
                "edited": lambda: source.write_text("three\n"), "edited, with the old time": as_old_as_before,
                "added": lambda: (checkout / "stdlib/c.cpp").touch(), "removed": (checkout / "stdlib/c.cpp").unlink,
                "renamed": lambda: source.rename(checkout / "stdlib/a.cpp"),
                "put in another's place": lambda: (checkout / "stdlib/a.cpp").replace(checkout / "stdlib/b.cpp"),
                "a build file": lambda: (checkout / "CMakeLists.txt").write_text("two\n"),
                "configured by hand": (build / "build.ninja").touch, "a page that is gone": (build / "docs/builtins.md").unlink,
                "another command": lambda: self.write_covec(build)}.items():
            with self.subTest(name):
                self.assertFalse(times_asked())
                change()
                self.assertTrue(times_asked())
        self.assertFalse(times_asked())

    def test_a_build_that_failed_is_tried_again(self):
        self.machine.installed(PACKAGES)
        self.machine.command("apt-get", "exit 1")
        self.machine.built_by("echo 'FAILED: b.o'; exit 1")
        (self.machine.checkout / "build").mkdir()
        self.write_covec(self.machine.checkout / "build")
        for _ in range(2):
            self.assert_one_line(self.machine.run(), "the build failed", "build.log")

    @unittest.skipUnless(shutil.which("git"), "without git")
    def test_branches_and_files_of_a_real_checkout_are_seen(self):
        """The list itself, over the folders that the build reads: git changes them, and it is another."""
        checkout = self.machine.checkout
        git = ["git", "-C", str(checkout), "-c", "user.name=a", "-c", "user.email=a@b"]
        (checkout / "frontend").mkdir()
        (checkout / "frontend/a.cpp").write_text("one")
        script = f'source {checkout}/tools/common.sh; list_files "${{read_by_builds[@]}}"'
        listed = lambda: subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout
        for command in (["init", "-q", "-b", "one"], ["add", "."], ["commit", "-q", "-m", "one"], ["checkout", "-q", "-b", "two"]):
            subprocess.run([*git, *command], check=True)
        (checkout / "frontend/a.cpp").write_text("two")
        subprocess.run([*git, "commit", "-q", "-a", "-m", "two"], check=True)
        first = listed()
        self.assertIn("frontend/a.cpp ", first)
        self.assertIn("tools/common.sh ", first)
        subprocess.run([*git, "checkout", "-q", "one"], check=True)
        self.assertNotEqual(first, listed())

    def test_a_checkout_that_was_moved_is_configured_again(self):
        self.machine.installed(PACKAGES)
        self.machine.command("apt-get", "exit 1")
        self.machine.built_by("echo 'ninja: no work to do.'")
        build = self.machine.checkout / "build"
        build.mkdir()
        (build / "build.ninja").touch()
        (build / "CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
        self.write_covec(build)
        self.assertIn("configuring", self.machine.run().stderr)

    def test_progress_of_a_build_goes_to_standard_error(self):
        self.machine.installed(PACKAGES)
        self.machine.command("apt-get", "exit 1")
        self.machine.built_by("for i in {1..40}; do echo \"[$i/40] c++ $i.cpp\"; done")
        (self.machine.checkout / "build").mkdir()
        self.write_covec(self.machine.checkout / "build")
        result = self.machine.run("run", "x")
        self.assertEqual(result.stdout, "<x>\n")
        self.assertIn("building 40/40", result.stderr)
        self.assertLess(len(result.stderr.splitlines()), 15)

    def test_the_status_of_the_tests_is_that_of_ctest(self):
        self.machine.installed([*PACKAGES, *OF_TESTS])
        self.machine.command("apt-get", "exit 1")
        self.machine.built_by("echo 'ninja: no work to do.'")
        for status in (0, 8):
            self.machine.command("ctest", f"echo \"$@\"; exit {status}")
            result = self.machine.run("test", "-R", "name")
            self.assertEqual(result.returncode, status)
            self.assertIn("--no-tests=error", result.stdout)
            self.assertIn("-R name", result.stdout)

    def test_times_are_those_of_the_last_run_and_build(self):
        build = self.machine.checkout / "build"
        self.machine.command("python3", f'exec "{sys.executable}" "$@"')
        self.machine.installed(PACKAGES)
        self.assertIn("nothing was built", self.assert_one_line(self.machine.run("test", "--times"), "tools/test"))
        build.mkdir()
        steps = ((0, 9000, "CMakeFiles/old.dir/a.cpp.o", "1"), (0, 1000, "CMakeFiles/one.dir/a.cpp.o", "2"),
                 (1000, 2000, "lib/CMakeFiles/one.dir/b.cpp.o", "3"), (2000, 5000, "CMakeFiles/two.dir/c.cpp.o", "4"),
                 (5000, 5500, "parser.h", "5"), (5000, 5500, "parser.cpp", "5"))
        (build / ".ninja_log").write_text("# ninja log v5\n" + "".join(
            f"{start}\t{end}\t0\t{path}\t{command}\n" for start, end, path, command in steps))
        self.machine.command("ctest", """echo '{"tests": [{"name": "Some.Case", "command": ["/b/unit_tests", "--gtest_filter=Some.Case"]},
            {"name": "jit.Some.Case", "command": ["/b/jit_tests", "--gtest_filter=Some.Case"]}, {"name": "files.a", "command": ["python3"]}]}'""")
        result = self.machine.run("test", "--times")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no tests have run", result.stderr)
        (build / "last_tests.xml").write_text("<testsuite>" + "".join(
            f'<testcase name="{name}" classname="{name}" time="{k}.25" status="run"><system-out>&lt;</system-out></testcase>'
            for k, name in enumerate(("Some.Case", "jit.Some.Case", "files.a", "files.b", "engines.x.c99", "devices.language.x"), 1)) + "</testsuite>")
        result = self.machine.run("test", "--times")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        built, groups, slowest = result.stdout.strip().split("\n\n")
        self.assertEqual([line.split() for line in built.splitlines()[1:]],
                         [["3.0", "s", "1", "two"], ["2.0", "s", "2", "one"], ["0.5", "s", "1", "(links", "and", "generated", "files)"],
                          ["5.5", "s", "4", "in", "all"]])
        self.assertEqual([line.split() for line in groups.splitlines()[1:]],
                         [["7.5", "s", "2", "files"], ["6.2", "s", "1", "devices.language"], ["5.2", "s", "1", "engines.c99"],
                          ["2.2", "s", "1", "jit"], ["1.2", "s", "1", "unit_tests"], ["22.5", "s", "6", "in", "all"]])
        self.assertEqual(slowest.splitlines()[1].split(), ["6.2", "s", "devices.language.x"])
        result = self.machine.run("test", "--times", "-R", "^files|x$")
        self.assertEqual([line.split() for line in result.stdout.strip().splitlines()[1:]],
                         [["6.2", "s", "1", "devices.language.x"], ["4.2", "s", "1", "files.b"], ["3.2", "s", "1", "files.a"],
                          ["13.8", "s", "3", "in", "all"]])

    def test_continuous_integration_closes_with_a_count(self):
        shutil.copytree(ROOT / ".ci", self.machine.checkout / ".ci")
        for name in ("tee", "tail"):
            (self.machine.bin / name).symlink_to(shutil.which(name))
        for summary, status, plain, count, expected in (
                ("100% tests passed, 0 tests failed out of 12", 0, 0, "12 passed, 0 failed", 0),
                ("75% tests passed, 1 tests failed out of 4", 8, 0, "3 passed, 1 failed", 8),
                ("75% tests passed, 1 tests failed out of 4", 0, 0, "3 passed, 1 failed", 1),
                ("100% tests passed, 0 tests failed out of 12", 0, 1, "12 passed, 1 failed", 1),
                ("75% tests passed, 1 tests failed out of 4", 8, 1, "3 passed, 2 failed", 8),
                ("No tests were found!!!", 0, 0, "0 passed, 0 failed", 1),
                ("covec: the build failed", 1, 0, "0 passed, 0 failed", 1)):
            (self.machine.checkout / "tools" / "test").write_text(f"#!/bin/bash\necho '{summary}'; exit {status}\n")
            (self.machine.checkout / "tools" / "syntax").write_text(f"#!/bin/bash\nexit {plain}\n")
            result = subprocess.run([self.machine.checkout / ".ci" / "run"], capture_output=True, text=True, timeout=60,
                                    env={"PATH": str(self.machine.bin), "TMPDIR": str(self.machine.folder)})
            self.assertEqual((result.stdout.splitlines()[-1], result.returncode), (count, expected), summary)

    @staticmethod
    def write_covec(build):
        covec = build / "covec"
        covec.write_text('#!/bin/bash\nprintf "<%s>" "$@"; echo; exit 7\n')
        covec.chmod(0o755)


if __name__ == "__main__":
    sys.exit(unittest.main())
