"""A client of `covec kernel`: sends requests, one JSON object a line, and collects what comes of them."""
import json
import os
import queue
import signal
import subprocess
import threading

PATIENCE = float(os.environ.get("COVEC_PATIENCE", 60))  # seconds after which something never comes
LAST = {"done", "completion", "description", "wholeness", "refused"}


class Client:
    def __init__(self, covec, **options):
        self.process = subprocess.Popen([covec, "kernel"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, **options)
        self.messages = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.number = self.id = 0
        self.ready = self.receive()

    def read(self):
        for line in self.process.stdout:
            self.messages.put(json.loads(line))
        self.messages.put(None)

    def send_line(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, **message):
        self.send_line(json.dumps(message).encode())

    def receive(self):
        """The next message; None after the last one."""
        return self.messages.get(timeout=PATIENCE)

    def until(self, *kinds):
        """All messages up to one of these kinds."""
        found = [self.receive()]
        while found[-1] is not None and found[-1]["is"] not in kinds:
            found.append(self.receive())
        return found

    def ask(self, what, **fields):
        """What comes of a request."""
        self.id += 1
        self.send(do=what, id=self.id, **fields)
        return self.until(*LAST)

    def begin(self, text, asks=False):
        """Sends a cell and waits until it has begun."""
        self.id += 1
        self.number += 1
        self.send(do="run", id=self.id, text=text, number=self.number, asks=asks)
        return self.until("begun", "refused")

    def run(self, text, *answers):
        """What comes of a cell, with answers to its questions."""
        found = self.begin(text, asks=bool(answers))
        for answer in answers:
            found += self.until("question", *LAST)
            if found[-1]["is"] != "question":
                return found
            self.send(do="answer", **({} if answer is None else {"text": answer}))
        return found + self.until("question", *LAST)

    def interrupt(self):
        """As Ctrl-C at a terminal: all processes of the group get the signal."""
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self):
        """Closes the input, and gives the exit status."""
        self.process.stdin.close()
        status = self.process.wait(timeout=PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()
        return status


def text_of(messages, stream="out"):
    return "".join(each["text"] for each in messages if each and each["is"] == "text" and each["stream"] == stream)


def only(messages, kind):
    """The one message of this kind."""
    found = [each for each in messages if each and each["is"] == kind]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} messages {kind!r} in {messages}")
    return found[0]


def value_of(messages):
    return only(messages, "value")["forms"]["text/plain"]
