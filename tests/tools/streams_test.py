#!/usr/bin/env python3
"""What the command does with streams that cannot be read, have no end, are closed or are full, and with Ctrl-C at its end.

    python3 streams_test.py COVEC

Every way in which a program's text or an output reaches the command is tried with each kind of stream: one that is new
belongs in READERS or WRITERS. Start reading there.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COVEC = ""

# {} is the file of the program.
READERS = [["{}"], ["test", "{}"], ["verify", "{}"], ["dump", "--ast", "{}"], ["dump", "--core", "{}"], ["dump", "--ir", "{}:f"]]
WRITERS = [["doc"], ["doc", "sum"], ["doc", "--status"], ["doc", "--words"], ["--help"], ["--version"], ["test", "--help"],
           ["verify", "good.covec"], ["dump", "--ast", "good.covec"], ["dump", "--core", "good.covec"],
           ["dump", "--opt", "good.covec:f"], ["test", "good.covec"], ["good.covec"], ["-e", "1 + 1"], ["-e", "print(1)"]]


class Streams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "good.covec").write_text("fn f(x: f64[_]) = sum(x)\nprint(f([1.0]))\n@test fn t() { assert true }\n")
        (self.folder / "damaged.covec").symlink_to("/proc/self/mem")  # reading its first byte is an error
        (self.folder / "endless.covec").symlink_to("/dev/zero")

    def covec(self, *arguments, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([COVEC, *arguments], stderr=subprocess.PIPE, text=True, timeout=120, cwd=self.folder,
                              **{"stdout": subprocess.PIPE, **options})

    def assert_refused(self, result, *texts):
        self.assertIn(result.returncode, (1, 2), result)
        said = (result.stdout or "") + result.stderr
        for text in ("error: ", *texts):
            self.assertIn(text, said)

    def test_a_program_that_cannot_be_read(self):
        for reader in READERS:
            for name in ("damaged.covec", "endless.covec", ".", "none.covec"):
                with self.subTest(reader=reader, name=name):
                    if reader[0] == "test" and name == ".":
                        continue  # a folder, which may be tested
                    self.assert_refused(self.covec(*[word.format(name) for word in reader]))

    def test_an_import_that_cannot_be_read(self):
        result = self.covec("-e", "import damaged")
        self.assert_refused(result, "cannot read damaged.covec\n  --> -e:1:1")
        self.assert_refused(self.covec("-e", 'import "./damaged.covec" as d'), "cannot read ./damaged.covec\n  --> -e:1:1")

    def test_a_folder_with_a_program_that_cannot_be_read(self):
        result = self.covec("test", ".")
        self.assert_refused(result, "FAIL  ./damaged.covec", "1 passed, 1 failed")

    def test_standard_input(self):
        with open("/dev/zero", "rb") as endless:
            self.assert_refused(self.covec(stdin=endless), "cannot read standard input: it is longer than 64 MiB")
        with open("/proc/self/mem", "rb") as damaged:
            self.assert_refused(self.covec(stdin=damaged), "error: cannot read standard input")
        self.assert_refused(self.covec(stdin=None, preexec_fn=lambda: os.close(0)), "error: cannot read standard input")

    def test_closed_standard_output(self):
        for descriptor in (1, 2):
            result = self.covec("-e", 'save("x.npy", [1.0])\nprint(load("x.npy"))\nx = 1 + ""',
                                preexec_fn=lambda: os.close(descriptor))
            self.assertEqual(result.returncode, 1)
            self.assertEqual((self.folder / "x.npy").stat().st_size, 136)  # nothing was written into it
        self.assert_refused(self.covec("-e", "1", preexec_fn=lambda: os.close(1)), "cannot write to standard output")

    def test_a_full_disk(self):
        for writer in WRITERS:
            with self.subTest(writer=writer), open("/dev/full", "w") as full:
                result = self.covec(*writer, stdout=full)
                self.assertEqual((result.returncode, result.stderr), (1, "error: cannot write to standard output\n"))
                self.assertEqual(self.covec(*writer).returncode, 0)

    def test_no_compiler_and_no_folder_for_its_text(self):
        for name, environment, message in (
                ("no cc", {"PATH": ""}, "error: cannot run the C compiler cc: No such file or directory\n"),
                ("no folder", {"PATH": "/usr/bin:/bin", "TMPDIR": "/nonexistent"}, "error: cannot make a folder for C text")):
            for arguments, engine in ((["verify", "--c", "good.covec"], {}), (["good.covec"], {"COVEC_ENGINE": "c99"})):
                with self.subTest(name, arguments=arguments):
                    self.assert_refused(self.covec(*arguments, env={**environment, **engine}), message)


class Interrupts(unittest.TestCase):
    def test_a_second_one_while_the_command_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.covec"
            program.write_text('print("begins")\nwhile true { a = sort(rand(300, 300)) }\n')
            for i in range(60):
                process = subprocess.Popen([COVEC, program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                           env={**os.environ, "COVEC_THREADS": "2"})
                time.sleep(0.04)
                for pause in (i * 5e-5, 0):
                    process.send_signal(signal.SIGINT)
                    time.sleep(pause)
                process.communicate()
                self.assertIn(process.returncode, (1, -signal.SIGINT))


if __name__ == "__main__":
    COVEC = str(pathlib.Path(sys.argv.pop(1)).resolve())
    sys.exit(unittest.main())
