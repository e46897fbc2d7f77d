"""A terminal for tests of the REPL: a pseudo-terminal (pexpect), and what a person would see on it.

Screen understands what covec and a shell send, each cell with its colours; Terminal runs a command on one and waits for
what it is to show, with '|' where the cursor stands. Start reading at Terminal.shows().
"""

import os
import pathlib
import re
import sys
import tempfile
import time
import unicodedata
import unittest

import pexpect

PATIENCE = float(os.environ.get("COVEC_PATIENCE", 60))  # seconds after which something never comes
SEQUENCE = re.compile(rb"\x1b\[([?0-9;]*)([A-Za-z])")


def width_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [self.empty_row()]  # from the first row that was ever written; the last `rows` are visible
        self.row = self.column = 0
        self.style = ""
        self.bells = 0
        self.rest = b""

    def empty_row(self):
        return [(" ", "")] * self.columns

    def feed(self, data):
        data = self.rest + data
        self.rest = b""
        at = 0
        while at < len(data):
            if data[at] == 0x1b:
                match = SEQUENCE.match(data, at)
                if not match:
                    self.rest = data[at:]
                    return
                self.obey(match[1].decode(), match[2].decode())
                at = match.end()
                continue
            length = 1 if data[at] < 0xc0 else 2 if data[at] < 0xe0 else 3 if data[at] < 0xf0 else 4
            if at + length > len(data):
                self.rest = data[at:]
                return
            self.put(data[at:at + length].decode())
            at += length

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            self.grow()
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character == "\a":
            self.bells += 1
        else:
            self.write(character)

    def write(self, character):
        width = width_of(character)
        if width == 0:
            column = max(0, min(self.column, self.columns) - 1)
            while column > 0 and self.cells[self.row][column][0] == "":
                column -= 1
            self.cells[self.row][column] = (self.cells[self.row][column][0] + character, self.style)
            return
        if self.column + width > self.columns:  # a full row goes on only with the next character
            self.column = 0
            self.row += 1
            self.grow()
        self.cells[self.row][self.column] = (character, self.style)
        if width == 2:
            self.cells[self.row][self.column + 1] = ("", self.style)
        self.column += width

    def grow(self):
        while self.row >= len(self.cells):
            self.cells.append(self.empty_row())

    @property
    def top(self):
        return max(0, len(self.cells) - self.rows)

    def obey(self, parameters, letter):
        number = int(parameters) if parameters.isdigit() else 0
        if letter == "m":
            self.style = "" if parameters in ("", "0") else self.style + f"<{parameters}>"
        elif letter == "A":
            self.row = max(self.top, self.row - max(1, number))
        elif letter == "B":
            self.row = min(self.top + self.rows - 1, self.row + max(1, number))
            self.grow()
        elif letter == "C":
            self.column = min(self.columns - 1, self.column + max(1, number))
        elif letter == "H":
            self.row, self.column = self.top, 0
        elif letter == "J":
            self.cells[self.row][self.column if number == 0 else 0:] = self.empty_row()[self.column if number == 0 else 0:]
            first = self.row + 1 if number == 0 else self.top
            for row in range(first, len(self.cells)):
                self.cells[row] = self.empty_row()
        elif letter == "K":
            self.cells[self.row][self.column:] = self.empty_row()[self.column:]
        elif parameters not in ("?2004", "?1"):
            raise AssertionError(f"the screen does not know ESC[{parameters}{letter}")

    def resize(self, rows, columns):
        """As most terminals do: rows that were full are not joined again, rows that are too long are broken."""
        cells, where = [], 0
        for number, row in enumerate(self.cells):
            used = len(row)
            while used > 0 and row[used - 1] == (" ", ""):
                used -= 1
            if number == self.row:
                where = len(cells) + min(self.column, max(self.columns, 1)) // columns
            pieces = [row[i:min(i + columns, used)] for i in range(0, used, columns)] or [[]]
            cells += [piece + [(" ", "")] * (columns - len(piece)) for piece in pieces]
        self.rows, self.columns, self.cells, self.row = rows, columns, cells, where
        self.column = self.column % columns
        self.grow()

    def line(self, row, cursor=False):
        text = ["" if cell is None else cell[0] for cell in self.cells[row]]
        if cursor and row == self.row:
            text.insert(min(self.column, len(text)), "|")
        return "".join(text).rstrip()

    def lines(self, cursor=False):
        lines = [self.line(row, cursor) for row in range(self.top, len(self.cells))]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def style_at(self, text, offset=0):
        """The colours of a letter of the last row that has the text."""
        for row in reversed(range(len(self.cells))):
            at = self.line(row).find(text)
            if at >= 0:
                return self.cells[row][at + offset][1]
        raise AssertionError(f"{text!r} is nowhere")


class Terminal:
    def __init__(self, command, arguments=(), rows=24, columns=80, cwd=None, **environment):
        inherited = {"PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "HOME": cwd or "/nonexistent"}
        self.screen = Screen(rows, columns)
        self.raw = b""
        self.child = pexpect.spawn(command, list(arguments), dimensions=(rows, columns), cwd=cwd, timeout=PATIENCE,
                                   env={k: v for k, v in {**inherited, **environment}.items() if v is not None})
        self.child.delaybeforesend = None
        self.child.ptyproc.delayafterclose = self.child.ptyproc.delayafterterminate = 0.01

    def pump(self, wait=0.02):
        try:
            data = self.child.read_nonblocking(65536, timeout=wait)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self.screen.feed(data)
        return True

    def drain(self, wait=0):
        """What came, unseen: for keys that no person types. False: nothing."""
        try:
            self.raw += self.child.read_nonblocking(65536, timeout=wait)
            return True
        except pexpect.TIMEOUT:
            return False

    def drain_to_the_end(self):
        self.child.expect(pexpect.EOF)
        self.child.close()

    def until(self, reached, wanted):
        end = time.monotonic() + PATIENCE
        while not reached():
            alive = self.pump()
            if reached():
                return
            if not alive or time.monotonic() > end:
                shown = "\n".join(self.screen.lines(cursor=True))
                raise AssertionError(f"wanted {wanted!r}, the terminal {'shows' if alive else 'ended with'}\n{shown}")

    def shows(self, *lines):
        """Waits until these are the last lines, '|' where the cursor stands."""
        wanted = [line.rstrip() for line in lines]
        self.until(lambda: self.screen.lines(cursor=True)[-len(wanted):] == wanted, wanted)

    def shows_part(self, text):
        self.until(lambda: any(text in line for line in self.screen.lines()), text)

    def send(self, keys):
        self.child.send(keys)

    def type(self, keys, line, *lines):
        self.send(keys)
        self.shows(line, *lines)

    def run(self, text, *lines):
        """A text of one line, and what it shows before the next prompt."""
        self.type(text, f"> {text}|")
        self.type("\r", f"> {text}", *lines, "> |")

    def enter(self, text, *lines):
        """A text whose echo may be broken or scroll away, and the last lines of what it shows before the next prompt."""
        self.send(text)
        self.until(lambda: self.screen.column != 2 or self.screen.line(self.screen.row) != ">", text)
        self.type("\r", *lines, "> |")

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def ends(self):
        while self.pump(1):
            pass
        self.child.wait()
        return self.child.exitstatus if self.child.signalstatus is None else -self.child.signalstatus

    def close(self):
        try:
            self.child.close(force=True)
        except pexpect.ExceptionPexpect:  # a busy machine: it has been killed, but has not gone yet
            time.sleep(2)
            self.child.close(force=True)


def control(letter):
    return chr(ord(letter) & 0x1f)


class Repl(unittest.TestCase):
    """Cases with a folder and a history of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.history = os.path.join(folder.name, "history")

    def start(self, **options):
        started = self.run_on_terminal(covec, **options)
        started.shows("> |")
        return started

    def run_on_terminal(self, command, arguments=(), **options):
        options = {"COVEC_HISTORY": self.history, "cwd": self.folder, **options}
        started = Terminal(command, arguments, **options)
        self.addCleanup(started.close)
        return started

    def entries(self):
        return pathlib.Path(self.history).read_text().splitlines()[1:]


covec = ""


def main():
    global covec
    covec = str(pathlib.Path(sys.argv.pop(1)).resolve())
    sys.modules["terminal"].covec = covec
    sys.exit(unittest.main())
