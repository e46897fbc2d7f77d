"""Debian's chromium without a window, and the page that runs programs in it, by the DevTools protocol. serve() gives the address
of a folder's pages, Browser(…).open(address) a Page."""
import base64
import functools
import http.client
import http.server
import json
import os
import socket
import subprocess
import tempfile
import threading
import time

import websocket

SECONDS = float(os.environ.get("COVEC_PAGE_SECONDS", 60))
UNTRUSTED = "covec.test"  # a name of this machine that browsers do not trust as they do localhost
CONTROL = 2  # the bit of the key, in events


class Server(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # a page was closed while it loaded
            pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Browser:
    """A chromium without a window."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-allow-origins=*", f"--host-resolver-rules=MAP {UNTRUSTED} 127.0.0.1", f"--remote-debugging-port={self.port}", f"--user-data-dir={self.profile.name}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, path, method="GET"):
        end = time.monotonic() + SECONDS
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
                connection.request(method, path)
                return json.loads(connection.getresponse().read())
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def open(self, url, **options):
        return Page(self.ask("/json/new?about:blank", "PUT")["webSocketDebuggerUrl"], url, **options)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()


class Page:
    """A page in it, by the DevTools protocol. `script` runs before those of the page."""

    def __init__(self, address, url, width=1000, dark=False, script=""):
        self.socket = websocket.create_connection(address, timeout=SECONDS, suppress_origin=True)
        self.count, self.requests, self.complaints = 0, [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True,
                  filter=[{"type": "service_worker", "exclude": True}, {}])  # it belongs to all pages, and loads nothing
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.call("Page.navigate", url=url)
        self.loaded()

    def loaded(self):
        self.wait("document.readyState === 'complete' && document.getElementById('run') !== null")

    def send(self, method, **rest):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, **rest}))
        return self.count

    def call(self, method, **parameters):
        sent = self.send(method, params=parameters)
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == sent:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.heard(answer)

    def heard(self, event):
        values = event["params"]
        if event["method"] == "Target.attachedToTarget":  # a worker, which waits
            for method in ("Network.enable", "Runtime.runIfWaitingForDebugger"):
                self.send(method, sessionId=values["sessionId"])
        elif event["method"] == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif event["method"] == "Runtime.exceptionThrown":
            self.complaints.append(values["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif event["method"] == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.complaints.append(values["entry"]["text"])

    def get(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition, seconds=None):
        begin = time.monotonic()
        while not self.get(condition):
            if time.monotonic() - begin > (seconds or SECONDS):
                raise AssertionError(f"not within {seconds or SECONDS} s: {condition}; the page says {self.state()!r}")
            time.sleep(0.01)
        return time.monotonic() - begin

    def press(self, key, code, modifiers=0, text=None):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, text):
        self.call("Input.insertText", text=text)

    # --- what the page has ---

    def state(self):
        return self.get("document.getElementById('state').textContent")

    def ready(self):
        return self.wait("!document.getElementById('run').disabled")

    def replace(self, text):
        self.get("document.getElementById('program').focus(); document.getElementById('program').select()")
        self.press("Delete", 46)
        self.type(text)

    def begin(self, text):
        self.ready()
        self.replace(text)
        self.press("Enter", 13, CONTROL)
        self.wait("!document.getElementById('stop').disabled || /^(Done|Ended)/.test(document.getElementById('state').textContent)")

    def run(self, text):
        """What it printed and what it complained of."""
        self.begin(text)
        return self.ended()

    def ended(self, seconds=None):
        self.wait("/^(Done|Ended)/.test(document.getElementById('state').textContent)", seconds)
        return self.output(), self.errors()

    def asked(self):
        """What the program asks, once it waits for a line in a field that has the focus."""
        self.wait("document.activeElement.matches('.question input')")
        return self.get("document.querySelector('.question label').textContent")

    def answer(self, text):
        self.type(text)
        self.press("Enter", 13, text="\r")

    def texts(self, kinds):
        return self.get(f"[...document.querySelectorAll('#output > :is({kinds})')].map(e => e.textContent).join('')")

    def output(self):
        return self.texts(".output, .value")

    def errors(self):
        return self.texts(".error")

    def click(self, name):
        self.get(f"document.getElementById('{name}').click()")

    def picture(self, path):
        """All of the page, also what has to be scrolled to."""
        self.call("Emulation.setScrollbarsHidden", hidden=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]))
