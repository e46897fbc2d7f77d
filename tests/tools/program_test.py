#!/usr/bin/env python3
"""What a program asks of whoever runs it: input(), options(), args(), exit(), print(to="stderr").

    python3 program_test.py COVEC

Each is tried in eager and in compiled code. Start reading at the cases.
"""

import fcntl
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

COVEC = ""


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def covec(self, text, *arguments, given=b"", engine="eager"):
        (self.folder / "program.covec").write_text(text)
        done = subprocess.run([COVEC, "program.covec", *arguments], input=given, capture_output=True, timeout=120,
                              cwd=self.folder, env={"PATH": "/usr/bin:/bin", "COVEC_ENGINE": engine})
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def each_engine(self, wanted, text, *arguments, given=b""):
        for engine in ("eager", "compiled"):
            with self.subTest(engine=engine):
                self.assertEqual(self.covec(text, *arguments, given=given, engine=engine), wanted)

    # --- threads ---

    def threads_of(self, *before, **variables):
        """How many threads a program has after work that is large enough for several."""
        (self.folder / "program.covec").write_text("x = rand(3000, 500)\nfor i in range(20) { y = exp(x) }\nprint(sum(y) > 0)\ninput()\n")
        with subprocess.Popen([*before, COVEC, "program.covec"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.folder,
                              env={"PATH": "/usr/bin:/bin", **variables}) as process:
            self.assertEqual(process.stdout.readline(), b"true\n")
            count = len(os.listdir(f"/proc/{process.pid}/task"))
            process.communicate(b"\n")
        return count

    def test_threads_are_those_of_the_cores_that_it_may_use(self):
        core = str(min(os.sched_getaffinity(0)))
        alone = self.threads_of(COVEC_THREADS="1")
        self.assertEqual(self.threads_of("taskset", "-c", core), alone)
        self.assertEqual(self.threads_of("taskset", "-c", core, COVEC_THREADS="8"), alone, "TBB's pool, too")
        if len(os.sched_getaffinity(0)) > 1:
            self.assertGreater(self.threads_of(), alone)

    # --- input ---

    def test_lines_until_the_end(self):
        program = """
fn total() {
    sum_of = 0.0
    while true {
        line = input("? ")
        if line == none { break }
        sum_of += f64(line)
    }
    return sum_of
}
print(total())
print(input(), input("never shown? "))
"""
        self.each_engine((0, "? ? ? ? 7.5\nnever shown? none none\n", ""), program, given=b"1\n2.5\r\n4")
        self.each_engine((0, "? 0.0\nnever shown? none none\n", ""), program)

    def test_an_empty_line_is_no_end(self):
        self.each_engine((0, " x none\n", ""), "print(input(), input(), input())", given=b"\nx\n")

    def test_many_lines(self):
        program = 'n = 0\nfor i in range(20000) { n += len(input()) }\nprint(n, input())'
        self.each_engine((0, f"{20000 * 12} end\n", ""), program, given=b"twelve bytes\n" * 20000 + b"end")

    def test_what_is_no_text(self):
        status, out, err = self.covec("print(1)\ninput()", given=b"gr\xfcn\n")
        self.assertEqual((status, out), (1, "1\n"))
        self.assertIn("input: the line 'gr\\xfcn' is not UTF-8 text\n  --> program.covec:2:1", err)
        status, out, err = self.covec("input()", given=b"a\0b\n")
        self.assertIn("is not UTF-8 text", err)

    def test_the_program_is_the_input(self):
        done = subprocess.run([COVEC], input='print(input("name? "))\n', capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, "name? none\n"))

    def test_ctrl_c(self):
        for engine in ("eager", "compiled"):
            with self.subTest(engine=engine):
                (self.folder / "program.covec").write_text('fn ask() {\n    name = input("name? ")\n    return name\n}\nask()')
                running = subprocess.Popen([COVEC, "program.covec"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, cwd=self.folder, env={"COVEC_ENGINE": engine})
                self.assertEqual(running.stdout.read(6), b"name? ")  # it is flushed before it waits
                running.send_signal(signal.SIGINT)
                self.assertEqual(running.wait(timeout=120), 1)  # its input is still open
                out, err = running.communicate()
                self.assertIn(b"error: interrupted\n  --> program.covec:2:", err)

    # --- exit ---

    def test_exit_from_anywhere(self):
        program = """
fn inner(x) {
    print("last", end="")
    if x > 1 { exit(7) }
    return x
}
fn outer(x) = vmap(y -> inner(y))([x, x])
print(inner(1.0))
f = compile(outer)
grad(x -> sum(f(x)))(2.0)
print("not here")
"""
        self.each_engine((7, "last1.0\nlastlast", ""), program)

    def test_exit_statuses(self):
        for status in (0, 1, 255):
            self.each_engine((status, "", ""), f"exit({status})")
        self.each_engine((0, "a\n", ""), 'print("a")\nexit()\nprint("b")')

    def test_exit_of_a_text_and_of_standard_input(self):
        done = subprocess.run([COVEC, "-e", "exit(3)"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "", ""))
        done = subprocess.run([COVEC], input="print(1)\nexit(4)\n", capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (4, "1\n", ""))

    def test_exit_in_a_test_is_a_failure(self):
        (self.folder / "t.covec").write_text("@test fn ends() { exit(0) }\n@test fn goes_on() { assert true }\n")
        done = subprocess.run([COVEC, "test", "t.covec"], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the program has ended itself: exit(0)", done.stdout + done.stderr)

    # --- standard error ---

    def test_print_to_standard_error(self):
        self.each_engine((0, "a\nc\n", "b 1.5!"), 'fn f(x) {\n    print("a")\n    print("b", x, to="stderr", end="!")\n'
                         '    print("c", to="stdout")\n}\nf(1.5)')

    # --- options and arguments ---

    OPTIONS = ('p = options({learning_rate: 0.1, steps: 10, small: f32(0.5), file: "", fast: false, shown: true})\n'
               'print(p.learning_rate, p.steps, p.small, type_of(p.small), p.file, p.fast, p.shown)')

    def test_options(self):
        self.each_engine((0, "0.1 10 0.5 f32  false true\n", ""),
                         self.OPTIONS)
        self.each_engine((0, "0.01 -3 2.0 f32 a b=c true false\n", ""),
                         self.OPTIONS, "--learning-rate", "0.01", "--steps=7", "--steps", "-3", "--file=a b=c", "--fast",
                         "--no-shown", "--small", "2")
        self.each_engine((0, "0.1 10 0.5 f32 --x false true\n", ""),
                         self.OPTIONS, "--file", "--x", "--fast=false")

    def test_arguments_beside_options(self):
        text = 'print(options({files: list("a.log"), top: 3}))'
        for arguments, wanted in (((), '{files: list("a.log"), top: 3}'), (("x", "--top=4", "y z", "-q"), '{files: list("x", "y z", "-q"), top: 4}'),
                                  (("--", "--top=9", "x"), '{files: list("--top=9", "x"), top: 3}')):
            self.each_engine((0, wanted + "\n", ""), text, *arguments)
        self.assertIn("arguments: files …\n", self.covec(text, "--help")[1])
        for arguments, wanted in ((("--files=3",), "the program has no option --files\n"), (("--file", "3"), "--file")):
            status, out, err = self.covec(text, *arguments)
            self.assertEqual((status, out), (1, ""))
            self.assertIn(wanted, err)
        self.assertIn("a default must be a number", self.covec("options({a: list(), b: list()})")[2])

    def test_options_stand_behind_the_program(self):
        (self.folder / "program.covec").write_text("print(1)")
        for arguments in (["--top=3", "program.covec"], ["-x", "program.covec"], ["-1", "program.covec"]):
            done = subprocess.run([COVEC, *arguments], capture_output=True, text=True, timeout=120, cwd=self.folder, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("hint: options of a program come after its file", done.stderr)

    def test_help(self):
        status, out, err = self.covec(self.OPTIONS, "--help")
        self.assertEqual((status, err), (0, ""))
        for part in ("--learning-rate f64", "(0.1)", "--file text", '("")', "--fast, --no-fast", "(false)", "--help"):
            self.assertIn(part, out)

    def test_wrong_options(self):
        for arguments, wanted in (
                (["--learnin-rate", "1"], "options: the program has no option --learnin-rate"),
                (["--learnin-rate", "1"], "did you mean --learning-rate?"),
                (["--setps=1"], "did you mean --steps?"),
                (["--zzz"], "--help shows the options"),
                (["--zzz=1"], "options: the program has no option --zzz"),
                (["--steps"], "options: --steps needs a value"),
                (["--steps", "1.5"], 'options: --steps takes i64: cannot read "1.5" as i64'),
                (["--fast=maybe"], 'options: --fast takes bool: cannot read "maybe" as bool'),
                (["--no-steps"], "options: the program has no option --no-steps"),
                (["data.csv"], 'options: the argument "data.csv" belongs to no option'),
                (["--"], 'options: the argument "--" belongs to no option')):
            status, out, err = self.covec(self.OPTIONS, *arguments)
            self.assertEqual((status, out), (1, ""), arguments)
            self.assertIn(wanted, err)
            self.assertIn("--> program.covec:1:5", err)

    def test_an_argument_that_is_no_text(self):
        for call in ("args()", "options({})"):
            status, out, err = self.covec(call, "a", b"gr\xfcn")
            self.assertEqual((status, out), (1, ""))
            self.assertIn(f"{call.split('(')[0]}: argument 1 of the program is not UTF-8 text", err)

    # --- texts that compiled functions are called with ---

    def test_many_texts_are_interpreted(self):
        program = ("@compile\nfn length(text, x) { s = 0; for i in range(x) { s += len(text) }; return s }\ntotal = 0\n"
                   "for i in range(200) { total += length(str(i), 2) }\nprint(total, explain(length).split(\"\\n\")[0])")
        (self.folder / "program.covec").write_text(program)
        done = subprocess.run([COVEC, "program.covec"], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "980 length: compiled 16 times, but interpreted now: new argument types at almost every call (other texts, list lengths or types); pass tensors, and keep texts and lists outside\n"), done.stderr)

    # --- files that are no text ---

    def test_files_that_are_no_text(self):
        for content, line in ((b"one\ntwo\xff\n", 2), (b"\0", 1), (b"a\n" * 9 + b"\xed\xa0\x80", 10)):
            (self.folder / "x.txt").write_bytes(content)
            for call in ("read_text", "read_lines"):
                status, out, err = self.covec(f'{call}("x.txt")')
                self.assertEqual((status, out), (1, ""))
                self.assertIn(f"cannot read x.txt: line {line} is not UTF-8 text", err)

    # --- the REPL ---

    def test_the_repl(self):
        terminal, inside = pty.openpty()
        running = subprocess.Popen([COVEC], stdin=inside, stdout=inside, stderr=inside, cwd=self.folder, start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                                   env={"TERM": "dumb", "PATH": "/usr/bin:/bin", "HOME": str(self.folder)})
        os.close(inside)
        self.addCleanup(os.close, terminal)
        shown = b""

        def until(text):
            nonlocal shown
            while text not in shown:
                ready, _, _ = select.select([terminal], [], [], 120)
                self.assertTrue(ready, shown)
                shown += os.read(terminal, 4096)
            shown = shown.split(text, 1)[1]  # what comes next may have come with it

        until(b"> ")
        os.write(terminal, b'name = input("wh" + "o? ")\r')  # what is echoed is no prompt
        until(b"who? ")
        os.write(terminal, "Zoë\r".encode())
        until(b"> ")
        os.write(terminal, b"name.upper()\r")
        until('"ZOË"'.encode())
        os.write(terminal, b'input("aga" + "in? ")\r')
        until(b"again? ")
        os.write(terminal, b"\x03")
        until(b"interrupted")
        until(b"> ")
        os.write(terminal, b"exit(5)\r")
        deadline = time.monotonic() + 120
        while running.poll() is None and time.monotonic() < deadline:
            ready, _, _ = select.select([terminal], [], [], 0.1)
            if ready:
                try:
                    os.read(terminal, 4096)
                except OSError:  # its other end is closed
                    break
        self.assertEqual(running.wait(timeout=120), 5)


if __name__ == "__main__":
    COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
