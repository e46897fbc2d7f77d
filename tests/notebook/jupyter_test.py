"""jupyter_test.py COVEC: the Jupyter kernel, through jupyter_client, in two kernels."""
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

try:
    from jupyter_client import KernelManager
    from jupyter_client.kernelspec import KernelSpecManager
except ImportError:
    sys.exit("python3-jupyter-client is missing: apt-get install python3-jupyter-client")
try:
    import ipykernel  # noqa: F401
except ImportError:
    sys.exit("python3-ipykernel is missing: apt-get install python3-ipykernel")

COVEC = os.path.abspath(sys.argv.pop(1))
PATIENCE = float(os.environ.get("COVEC_PATIENCE", 60))  # seconds after which something never comes
FOLDER = tempfile.TemporaryDirectory()
DATA = pathlib.Path(FOLDER.name, "data")
os.environ.update(JUPYTER_DATA_DIR=str(DATA), JUPYTER_RUNTIME_DIR=str(pathlib.Path(FOLDER.name, "run")),
                  IPYTHONDIR=str(pathlib.Path(FOLDER.name, "ipython")))


NOTEBOOK = None  # the kernel of most tests


def setUpModule():
    global NOTEBOOK
    subprocess.run([COVEC, "jupyter", "install", "--user"], check=True, stdout=subprocess.DEVNULL)
    NOTEBOOK = Notebook()


def tearDownModule():
    NOTEBOOK.close()
    FOLDER.cleanup()


class Notebook:
    """A kernel with a client."""

    def __init__(self):
        # Debian's /usr/bin/python3 has ipykernel; another one may come first on the path, so it is this one that runs the kernel.
        self.manager = KernelManager(kernel_name="covec", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(DATA / "kernels")]))
        self.manager.start_kernel(cwd=FOLDER.name)
        self.connect()

    def connect(self):
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()

    def send(self, text, asks=False, **options):
        # After an error a kernel drops what is sent at once, if it may.
        return self.client.execute(text, allow_stdin=asks, stop_on_error=False, **options)

    def message(self, request):
        """The next message of the channel of outputs that is for the request."""
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") == request:
                return message["msg_type"], message["content"]

    def rest(self, request, *answers):
        """What came of a cell, up to its reply: [(kind, content)…], with the reply as the last."""
        answers = list(answers)
        found = []
        while True:
            if answers:
                try:
                    found.append(("input_request", self.client.get_stdin_msg(timeout=0.02)["content"]))
                    self.client.input(answers.pop(0))
                except queue.Empty:
                    pass
            try:
                message = self.client.get_iopub_msg(timeout=0.02 if answers else PATIENCE)
            except queue.Empty:
                if answers:
                    continue
                raise
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if kind not in ("status", "execute_input"):
                found.append((kind, content))
        while True:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == request:
                return [*found, ("reply", reply["content"])]

    def run(self, text, *answers, **options):
        return self.rest(self.send(text, asks=bool(answers), **options), *answers)

    def reply(self, request):
        while True:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]


def text_of(found, stream="stdout"):
    return "".join(content["text"] for kind, content in found if kind == "stream" and content["name"] == stream)


def value_of(found):
    return next(content["data"]["text/plain"] for kind, content in found if kind == "execute_result")


def error_of(found):
    return next(content for kind, content in found if kind == "error")


class OneKernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.notebook = NOTEBOOK

    def run_cell(self, text, *answers, **options):
        return self.notebook.run(text, *answers, **options)

    def test_silent_cells_and_user_expressions(self):
        NOTEBOOK.run("21 * 2")
        NOTEBOOK.run("5", silent=True)
        found = NOTEBOOK.run("x = [1, 2]", user_expressions={"a": "_ + x", "b": "x[2]", "c": "import plot"})
        values = found[-1][1]["user_expressions"]
        self.assertEqual([kind for kind, _ in found], ["reply"])
        self.assertEqual((values["a"]["status"], values["a"]["data"]["text/plain"]), ("ok", "[43, 44]"))
        self.assertEqual((values["b"]["status"], values["b"]["ename"]), ("error", "index_range"))
        self.assertEqual(values["c"], {"status": "ok", "data": {}, "metadata": {}})
        self.assertEqual(value_of(NOTEBOOK.run("_")), "42")

    def test_what_it_is(self):
        info = self.notebook.reply(self.notebook.client.kernel_info())
        self.assertEqual((info["implementation"], info["language_info"]["name"], info["language_info"]["file_extension"]), ("covec", "covec", ".covec"))
        self.assertRegex(info["language_info"]["version"], r"^\d+\.\d+\.\d+")

    def test_texts_and_values(self):
        found = self.run_cell("print(\"out\")\nprint(\"err\", to=\"stderr\")\nx = [1.5, 2.5]\nx + 1")
        self.assertEqual((text_of(found), text_of(found, "stderr"), value_of(found)), ("out\n", "err\n", "[2.5, 3.5]"))
        count = found[-1][1]["execution_count"]
        self.assertEqual(found[-1][1]["status"], "ok")
        self.assertEqual(next(content for kind, content in found if kind == "execute_result")["execution_count"], count)
        self.assertEqual(value_of(self.run_cell(f"_{count} * 2")), "[5.0, 7.0]")
        self.assertRegex(text_of(self.run_cell(":time sum(x)\n?sum")), r"(?s)median of .*sum\(x")

    def test_a_silent_cell(self):
        self.assertEqual([kind for kind, _ in self.run_cell("print(1)\nsilent = 5\nsilent", silent=True)], ["reply"])
        self.assertEqual(value_of(self.run_cell("silent")), "5")
        found = self.run_cell("nobody", silent=True)
        self.assertEqual((len(found), found[-1][1]["status"]), (1, "error"))

    def test_an_error_has_carets(self):
        found = self.run_cell("y = 1\n[1, 2][7]")
        error, count = error_of(found), found[-1][1]["execution_count"]
        self.assertEqual((error["ename"], error["evalue"]), ("index_range", "index 7 is out of range for axis 0 of size 2"))
        self.assertEqual(error["traceback"][1:], [f"  --> In [{count}]:2:8", "   2 | [1, 2][7]", "     |        ^ index 7"])
        self.assertEqual((found[-1][1]["status"], found[-1][1]["traceback"]), ("error", error["traceback"]))

    def test_displays(self):
        found = self.run_cell("import plot\np = plot.line([1.0, 3.0, 2.0])\nplot.show(p)\nprint(\"between\")\np")
        kinds = [kind for kind, _ in found]
        self.assertEqual(kinds, ["display_data", "stream", "execute_result", "reply"])
        for place in (0, 2):
            self.assertIn("<svg", found[place][1]["data"]["image/svg+xml"])
            self.assertIn("<img ", found[place][1]["data"]["text/html"])
            self.assertIn("text/plain", found[place][1]["data"])

    def test_completion_and_the_rest(self):
        self.run_cell("# Twice as much.\nfn twice_as_much(x) = 2 * x")
        client = self.notebook.client
        found = self.notebook.reply(client.complete("α = twice_as", 12))
        self.assertEqual((found["matches"], found["cursor_start"], found["cursor_end"]), (["twice_as_much"], 4, 12))
        found = self.notebook.reply(client.inspect("twice_as_much(3)", 4))
        self.assertTrue(found["found"])
        self.assertIn("Twice as much.", found["data"]["text/plain"])
        self.assertFalse(self.notebook.reply(client.inspect("  ", 1))["found"])
        for text, status in (("x = 1", "complete"), ("fn f(x) {", "incomplete"), ("x = )", "invalid"), (":time x", "complete")):
            found = self.notebook.reply(client.is_complete(text))
            self.assertEqual(found["status"], status, text)
        self.assertEqual(self.notebook.reply(client.is_complete("fn f(x) {"))["indent"], "    ")

    def test_history(self):
        for text in ("first = 1", "second = 2", "first = 1"):
            self.run_cell(text)
        client = self.notebook.client
        tail = self.notebook.reply(client.history(hist_access_type="tail", n=2))["history"]
        self.assertEqual([each[2] for each in tail], ["second = 2", "first = 1"])
        found = self.notebook.reply(client.history(hist_access_type="search", pattern="first*", unique=True, n=5))["history"]
        self.assertEqual([each[2] for each in found], ["first = 1"])
        number = tail[0][1]
        found = self.notebook.reply(client.history(hist_access_type="range", start=number, stop=number + 1, output=True))["history"]
        self.assertEqual([(each[1], each[2][0]) for each in found], [(number, "second = 2")])

    def test_input(self):
        found = self.run_cell("name = input(\"who? \")\nage = input()\n(name, age)", "Ada λ", "36")
        self.assertEqual([content["prompt"] for kind, content in found if kind == "input_request"], ["who? ", ""])
        self.assertEqual(value_of(found), "(\"Ada λ\", \"36\")")
        self.assertEqual(value_of(self.run_cell("input() == none", "\x04")), "true")
        self.assertEqual(error_of(self.run_cell("input()"))["ename"], "no_input")

    def test_progress(self):
        found = self.run_cell("for i in progress(range(4), \"slowly\") { sleep(0.11) }")
        bars = [(kind, content) for kind, content in found if "display_data" in kind]
        self.assertEqual([kind for kind, _ in bars[:2]], ["display_data", "update_display_data"])
        self.assertEqual(len({content["transient"]["display_id"] for _, content in bars}), 1)
        self.assertRegex(bars[-1][1]["data"]["text/plain"], r"^slowly  100% \[#+\] 4/4 ")

    def test_debug(self):
        self.run_cell("fn ratio(a, b) { n = len(a); return a // b[n] }\nratio([1, 2], [3, 4])")
        found = self.run_cell(":debug", ":vars", "n + 1", ":quit")
        self.assertEqual([content["prompt"] for kind, content in found if kind == "input_request"], ["debug> "] * 3)
        self.assertIn("n: i64 = 2", text_of(found))
        self.assertIn("3", value_of(found))
        found = self.run_cell("fn g(x) {\n    y = x + 1\n    breakpoint()\n    return y\n}\ng(1)", "y = 40", ":continue")
        self.assertEqual([content["data"]["text/plain"] for kind, content in found if kind == "execute_result"], ["40"])

    def test_interrupts(self):
        self.run_cell("kept = 17")
        for text in ("while true { }", "x = ones(300, 300)\nwhile true { x = x @ x / 300 }",
                     "@compile fn f(n) { s = 0.0\n    for i in range(n) { s += sin(f64(i)) }\n    return s }\nf(10^12)"):
            request = self.notebook.send("print(\"begun\")\n" + text)
            while self.notebook.message(request)[0] != "stream":
                pass
            self.notebook.manager.interrupt_kernel()
            self.assertEqual(error_of(self.notebook.rest(request))["ename"], "interrupted", text)
            self.assertEqual(value_of(self.run_cell("kept + 1")), "18", text)
        request = self.notebook.send("input(\"? \")", asks=True)
        self.notebook.client.get_stdin_msg(timeout=PATIENCE)
        self.notebook.manager.interrupt_kernel()
        self.assertEqual(error_of(self.notebook.rest(request))["ename"], "interrupted")
        self.notebook.manager.interrupt_kernel()  # nothing runs
        time.sleep(0.1)
        self.assertEqual(value_of(self.run_cell("kept + 2")), "19")

    def test_an_interrupt_at_once(self):
        """It may come before the cell has begun."""
        for _ in range(5):
            request = self.notebook.send("while true { }")
            while self.notebook.message(request)[0] != "execute_input":
                pass
            self.notebook.manager.interrupt_kernel()
            self.assertEqual(error_of(self.notebook.rest(request))["ename"], "interrupted")

    def test_quit(self):
        reply = self.run_cell(":quit")[-1][1]
        self.assertEqual(reply["payload"], [{"source": "ask_exit", "keepkernel": False}])
        self.assertEqual(self.run_cell("print(1)")[-1][1]["payload"], [])


def children_of(pid):
    return [int(each) for each in subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()]


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class TwoKernels(unittest.TestCase):
    """What ends a kernel's child, or the kernel itself. One of them is the one of the other tests."""

    def test_all(self):
        one, other = NOTEBOOK, Notebook()
        try:
            self.check_apart(one, other)
            self.check_killed(one)
            self.check_restart(other)
            child, = self.child_of(other)
            request = other.send("print(\"begun\")\nwhile true { }")
            while other.message(request)[0] != "stream":
                pass
        finally:
            other.close()
        deadline = time.monotonic() + 10
        while is_alive(child) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertFalse(is_alive(child), "the child of a kernel that was shut down")

    def child_of(self, notebook):
        return children_of(notebook.manager.provisioner.process.pid)

    def check_apart(self, one, other):
        one.run("mine = 1")
        other.run("mine = 2")
        self.assertEqual((value_of(one.run("mine")), value_of(other.run("mine"))), ("1", "2"))

    def check_killed(self, notebook):
        child, = self.child_of(notebook)
        request = notebook.send("print(\"begun\")\nwhile true { }")
        while notebook.message(request)[0] != "stream":
            pass
        os.kill(child, signal.SIGKILL)
        error = error_of(notebook.rest(request))
        self.assertEqual(error["ename"], "Ended")
        self.assertRegex(error["evalue"], r"covec has ended by signal 9 \(Killed\); it is started again, without the variables")
        self.assertEqual(value_of(notebook.run("1 + 1")), "2")
        self.assertIn("unknown name", error_of(notebook.run("mine"))["evalue"])
        child, = self.child_of(notebook)
        os.kill(child, signal.SIGKILL)  # while nothing runs: the next cell says so, and does not run
        notebook.reply(notebook.client.complete("si", 2))
        self.assertIn("covec has ended by signal 9", error_of(notebook.run("ran = 1"))["evalue"])
        self.assertIn("unknown name", error_of(notebook.run("ran"))["evalue"])

    def check_restart(self, notebook):
        before, = self.child_of(notebook)
        notebook.client.stop_channels()
        notebook.manager.restart_kernel()
        notebook.connect()
        self.assertFalse(is_alive(before))
        self.assertIn("unknown name", error_of(notebook.run("mine"))["evalue"])


class Install(unittest.TestCase):
    def run_covec(self, *arguments, **environment):
        return subprocess.run([COVEC, "jupyter", *arguments], capture_output=True, text=True, env={"PATH": os.environ["PATH"], **environment})

    def test_the_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for environment, place in (({"JUPYTER_DATA_DIR": f"{folder}/a"}, "a"), ({"XDG_DATA_HOME": f"{folder}/b"}, "b/jupyter"),
                                       ({"HOME": f"{folder}/c"}, "c/.local/share/jupyter")):
                run = self.run_covec("install", "--user", **environment)
                kernel = pathlib.Path(folder, place, "kernels/covec")
                self.assertEqual((run.returncode, run.stdout), (0, f"Jupyter has the kernel \"Covec\" now: {kernel}\n"))
                self.assertEqual(sorted(each.name for each in kernel.iterdir()), ["covec_kernel.py", "kernel.json", "logo-svg.svg"])
            about = json.loads((kernel / "kernel.json").read_text())
            self.assertEqual(about["argv"], ["python3", "-Xfrozen_modules=off", str(kernel / "covec_kernel.py"), os.path.realpath(COVEC), "-f", "{connection_file}"])
            self.assertEqual((about["display_name"], about["language"]), ("Covec", "covec"))

    def test_what_is_wrong(self):
        self.assertIn("there is no home folder", self.run_covec("install", "--user").stderr)
        with tempfile.NamedTemporaryFile() as file:
            run = self.run_covec("install", "--user", JUPYTER_DATA_DIR=file.name)
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"error: cannot make {file.name}/kernels/covec: Not a directory\n", run.stderr)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "kernels/covec/kernel.json").mkdir(parents=True)
            run = self.run_covec("install", "--user", JUPYTER_DATA_DIR=folder)
            self.assertEqual((run.returncode, run.stderr), (1, f"error: cannot write {folder}/kernels/covec/kernel.json\n"))
        self.assertEqual(self.run_covec().returncode, 2)
        self.assertEqual(self.run_covec("install", "--all").returncode, 2)

    def test_a_command_that_is_gone(self):
        """The kernel says so in each cell, and lives."""
        base = types.ModuleType("ipykernel.kernelbase")  # which takes long to import, and does nothing here
        base.Kernel, base.IPKernelApp = type("Kernel", (), {"execution_count": 1}), None
        sys.modules.update({"ipykernel.kernelbase": base, "ipykernel.kernelapp": base})
        sys.path.insert(0, str(DATA / "kernels/covec"))
        import covec_kernel
        covec_kernel.COVEC = "/nowhere/covec"
        kernel = covec_kernel.CovecKernel()
        for _ in range(2):
            reply = kernel.do_execute("1", silent=True)
            self.assertEqual((reply["status"], reply["evalue"]), ("error", "/nowhere/covec cannot be started: No such file or directory; "
                             "`covec jupyter install` writes where it is"))
        self.assertEqual(kernel.do_complete("si", 2)["matches"], [])
        self.assertEqual(kernel.do_is_complete("1"), {"status": "unknown"})


if __name__ == "__main__":
    unittest.main()
