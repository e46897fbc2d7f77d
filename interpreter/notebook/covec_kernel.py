"""The Jupyter kernel of Covec, over `covec kernel`, which is a child of this process: so it works in any Python that has ipykernel.

    covec jupyter install [--user]

writes this file with the kernel.json that starts it: python3 covec_kernel.py COVEC -f CONNECTION_FILE. docs/tools.md lists the messages
between the two. An interrupt is passed on to the child. Where the child ends, the next one is started, and the cell says so.
"""
import contextlib
import fnmatch
import json
import os
import signal
import subprocess
import sys
import uuid

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

COVEC = sys.argv.pop(1) if __name__ == "__main__" else "covec"


class Ended(Exception):
    """The child has ended."""


class Child:
    """`covec kernel`, in a process group of its own: signals for this process are not for it."""

    def __init__(self):
        try:
            self.process = subprocess.Popen([COVEC, "kernel"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            raise Ended(f"{COVEC} cannot be started: {error.strerror}; `covec jupyter install` writes where it is") from None
        self.version = self.receive()["version"]

    def send(self, **message):
        try:
            self.process.stdin.write(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            raise Ended(self.end()) from None

    def receive(self):
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise Ended(self.end())
        return json.loads(line)

    def interrupt(self):
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGINT)

    def end(self):
        """Ends it where it has not ended itself, and says how that was."""
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.close()
        try:
            status = self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # with the commands of the shell that it waits for
            status = self.process.wait()
        how = f"by signal {-status} ({signal.strsignal(-status)})" if status < 0 else f"with status {status}"
        return f"covec has ended {how}"


class Interrupts:
    """While a request is handled, SIGINT goes to the child: not before that has begun the cell, or it would come too early."""

    def __init__(self):
        self.child = None  # that has begun the cell
        self.late = self.asks = False

    def __enter__(self):
        with contextlib.suppress(ValueError):  # not the main thread: it gets no signals
            self.before = signal.signal(signal.SIGINT, self.handle)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ValueError, AttributeError):
            signal.signal(signal.SIGINT, self.before)

    def handle(self, *_):
        if self.asks:
            raise KeyboardInterrupt
        if self.child:
            self.child.interrupt()
        self.late = not self.child

    def begin(self, child):
        self.child = child
        if self.late:
            child.interrupt()


class CovecKernel(Kernel):
    implementation = "covec"
    banner = "Covec: a small tensor language with derivatives as builtins. `?name` describes a name, `:help` lists the commands."

    def __init__(self, **options):
        super().__init__(**options)
        self.child = None
        self.ending = False
        self.interrupts = None  # while a request is handled
        self.lost = None  # why, where the last child has ended
        self.inputs = []  # of cells: their numbers and texts
        try:
            self.child = Child()
        except Ended as error:
            self.lost = str(error)
        self.implementation_version = self.child.version if self.child else "unknown"
        self.language_info = {"name": "covec", "version": self.implementation_version, "mimetype": "text/x-covec", "file_extension": ".covec",
                              "pygments_lexer": "covec"}

    def start_child(self):
        """A child that runs; Ended, where the last one has ended: variables are gone, and somebody must say so."""
        if self.child and self.child.process.poll() is not None:
            self.lose(self.child.end())
        if not self.child:
            self.child = Child()
        if self.lost:
            raise Ended(self.lost)
        return self.child

    def lose(self, why):
        self.child = None
        self.lost = f"{why}; it is started again, without the variables: run the cells again that make them"

    def ask(self, what, **fields):
        """The answer to a request that runs nothing; {} where there is none."""
        try:
            child = self.start_child()
            child.send(do=what, **fields)
            while (message := child.receive())["is"] == "text":
                pass
            return message
        except Ended as error:
            if self.child and self.child.process.poll() is not None:
                self.lose(str(error))
            return {}

    # --- cells ---

    def pre_handler_hook(self):
        self.interrupts = Interrupts()
        self.interrupts.__enter__()

    def post_handler_hook(self):
        self.interrupts.__exit__()
        self.interrupts = None

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False):
        if store_history and not silent:
            self.inputs.append((self.execution_count, code))
        self._allow_stdin = allow_stdin  # raw_input looks at it
        try:
            reply = self.run(Cell(self, silent), code, allow_stdin, silent)
            if reply["status"] == "ok":
                reply["user_expressions"] = {name: self.run(Expression(self), text, False, True) for name, text in (user_expressions or {}).items()}
            return reply
        except Ended as error:
            if self.ending:
                return {"status": "aborted", "execution_count": self.execution_count}
            if self.child and self.child.process.poll() is not None:
                self.lose(str(error))
            why, self.lost = self.lost or str(error), None
            return Cell(self, silent).fail("Ended", why, f"error: {why}")

    def run(self, cell, code, allow_stdin, aside):
        child = self.start_child()
        with contextlib.nullcontext(self.interrupts) if self.interrupts else Interrupts() as interrupts:
            child.send(do="run", text=code, number=self.execution_count, asks=allow_stdin, aside=aside)
            while True:
                message = child.receive()
                kind = message["is"]
                if kind == "begun":
                    interrupts.begin(child)
                elif kind == "question":
                    self.answer(child, interrupts, message["prompt"])
                elif kind in ("done", "refused"):
                    return cell.end(message)
                else:
                    getattr(cell, kind)(message)

    def answer(self, child, interrupts, prompt):
        try:
            interrupts.asks = True
            try:
                line = self.raw_input(prompt)
            finally:
                interrupts.asks = False
            child.send(do="answer", text=line)
        except (EOFError, NotImplementedError):  # nobody can be asked, after all
            child.send(do="answer")
        except KeyboardInterrupt:
            interrupts.asks = False
            child.interrupt()

    # --- what is asked beside cells ---

    def do_complete(self, code, cursor_pos):
        found = self.ask("complete", text=code, cursor=cursor_pos)
        return {"status": "ok", "matches": found.get("matches", []), "cursor_start": found.get("from", cursor_pos),
                "cursor_end": found.get("to", cursor_pos), "metadata": {}}

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        text = self.ask("describe", text=code, cursor=cursor_pos).get("text", "")
        return {"status": "ok", "found": bool(text), "data": {"text/plain": text} if text else {}, "metadata": {}}

    def do_is_complete(self, code):
        found = self.ask("is_whole", text=code)
        status = {"whole": "complete", "open": "incomplete", "wrong": "invalid"}.get(found.get("text"), "unknown")
        return {"status": status, "indent": " " * found.get("indent", 0)} if status == "incomplete" else {"status": status}

    def do_history(self, hist_access_type, output, raw, session=None, start=None, stop=None, n=None, pattern=None, unique=False):
        found = [(0, number, text) for number, text in self.inputs]
        if hist_access_type == "range":
            found = [each for each in found if (start or 0) <= each[1] and (stop is None or each[1] < stop)]
        elif hist_access_type == "search":
            found = [each for each in found if fnmatch.fnmatchcase(each[2], pattern or "*")]
            if unique:
                found = [each for place, each in enumerate(found) if each[2] not in [later[2] for later in found[place + 1:]]]
        if hist_access_type in ("tail", "search") and n is not None:
            found = found[-n:] if n > 0 else []
        return {"status": "ok", "history": [(*each[:2], (each[2], None)) if output else each for each in found]}

    def do_shutdown(self, restart):
        self.ending = True
        if self.child:
            self.child.end()
        return {"status": "ok", "restart": restart}


class Cell:
    """What comes of a cell, as Jupyter's messages. Of a silent one it is only whether it has failed."""

    def __init__(self, kernel, silent):
        self.kernel = kernel
        self.silent = silent
        self.bars = None  # the display of the progress bars
        self.failure = None

    def send(self, kind, content):
        if not self.silent:
            self.kernel.send_response(self.kernel.iopub_socket, kind, content)

    def text(self, message):
        self.send("stream", {"name": "stdout" if message["stream"] == "out" else "stderr", "text": message["text"]})

    def value(self, message):
        self.send("execute_result", {"data": message["forms"], "metadata": {}, "execution_count": message["number"]})

    def display(self, message):
        self.send("display_data", {"data": message["forms"], "metadata": {}, "transient": {}})

    def progress(self, message):
        kind = "update_display_data" if self.bars else "display_data"
        self.bars = self.bars or uuid.uuid4().hex
        self.send(kind, {"data": {"text/plain": message["text"]}, "metadata": {}, "transient": {"display_id": self.bars}})

    def error(self, message):
        self.fail(message["code"], message["message"], message["text"])

    def fail(self, code, why, text):
        content = {"ename": code, "evalue": why, "traceback": text.rstrip("\n").split("\n")}
        self.send("error", content)
        self.failure = {"status": "error", "execution_count": self.kernel.execution_count, **content}
        return self.failure

    def end(self, message):
        if message["is"] == "refused":
            return self.fail("refused", message["message"], f"error: {message['message']}")
        if self.failure and message["failed"]:
            return self.failure
        leaves = [{"source": "ask_exit", "keepkernel": False}] if message["leaves"] else []
        return {"status": "ok", "execution_count": self.kernel.execution_count, "payload": leaves, "user_expressions": {}}


class Expression(Cell):
    """Of an expression beside a cell it is the value, or why there is none."""

    def __init__(self, kernel):
        super().__init__(kernel, True)
        self.forms = {}

    def value(self, message):
        self.forms = message["forms"]

    def end(self, message):
        if super().end(message)["status"] == "ok":
            return {"status": "ok", "data": self.forms, "metadata": {}}
        return {each: self.failure[each] for each in ("status", "ename", "evalue", "traceback")}


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=CovecKernel)
