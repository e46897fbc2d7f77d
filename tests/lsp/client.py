"""A client of `covec lsp` over pipes."""
import json
import os
import pathlib
import subprocess
import threading


def uri_of(path):
    return pathlib.Path(path).as_uri()


def apply_edits(text, edits):
    """Of a text without characters that UTF-16 counts twice."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    offset = lambda place: starts[place["line"]] + place["character"]
    for edit in sorted(edits, key=lambda edit: offset(edit["range"]["start"]), reverse=True):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


class Client:
    """Starts a server in a folder. `capabilities` is what it is told that a client can do."""

    def __init__(self, covec, folder, capabilities=None, initialize=True, environment=None, seconds=60):
        self.folder = pathlib.Path(folder)
        self.process = subprocess.Popen([covec, "lsp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        self.watchdog = threading.Timer(seconds, self.process.kill)  # a server that does not answer must not stop the tests
        self.watchdog.start()
        self.asked, self.told, self.versions, self.errors = 0, [], {}, b""
        if initialize:
            self.capabilities = self.ask("initialize", capabilities=capabilities or {}, rootUri=uri_of(folder))["capabilities"]
            self.tell("initialized")

    # --- messages ---

    def send_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def send(self, **message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def receive(self):
        length = None
        while line := self.process.stdout.readline().strip():
            length = int(line.removeprefix(b"Content-Length: "))
        if length is None:
            raise AssertionError(f"the server is gone: {self.process.stderr.read().decode()}")
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, **params):
        self.send(method=method, params=params)

    def request(self, method, **params):
        """Sends a request and gives its id."""
        self.asked += 1
        self.send(id=self.asked, method=method, params=params)
        return self.asked

    def answer(self, number):
        """The whole answer of the request with that id; what the server tells meanwhile is kept."""
        while (message := self.receive()).get("id", ...) != number:
            self.told.append(message)
        return message

    def ask(self, method, **params):
        answer = self.answer(self.request(method, **params))
        if "result" not in answer:
            raise AssertionError(f"{method}: {answer}")
        return answer["result"]

    def refused(self, method, **params):
        """The error of a request that fails."""
        return self.answer(self.request(method, **params))["error"]

    def close(self):
        """Ends the server in good order; gives its exit status."""
        self.ask("shutdown")
        self.tell("exit")
        return self.wait()

    def wait(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        self.watchdog.cancel()
        self.errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    # --- texts ---

    def uri(self, name):
        return uri_of(self.folder / name)

    def open(self, name, text=None):
        """Opens a file of the folder, with what is on disk or with another text; gives its problems."""
        self.versions[name] = 1
        if text is None:
            text = (self.folder / name).read_text()
        self.tell("textDocument/didOpen", textDocument={"uri": self.uri(name), "languageId": "covec", "version": 1, "text": text})
        return self.problems(name)

    def change(self, name, *edits):
        """Edits are texts, or pairs of a range and a text. Does not wait for problems."""
        self.versions[name] += 1
        changes = [{"text": edit} if isinstance(edit, str) else {"range": edit[0], "text": edit[1]} for edit in edits]
        self.tell("textDocument/didChange", textDocument={"uri": self.uri(name), "version": self.versions[name]},
                  contentChanges=changes)

    def problems(self, name):
        """Waits for what the server tells of the text as it is now."""
        def fits(message):
            params = message.get("params", {})
            is_of_text = message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == self.uri(name)
            return is_of_text and params.get("version") == self.versions[name]
        found = next(filter(fits, self.told), None)
        while found is None:
            self.told.append(self.receive())
            found = self.told[-1] if fits(self.told[-1]) else None
        self.told.remove(found)
        return found["params"]["diagnostics"]

    def at(self, name, line, character):
        """The parameters of a request about a place; lines and characters from 0."""
        return {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": character}}
