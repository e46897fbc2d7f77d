#!/usr/bin/env python3
"""read_csv on good files and bad ones: what it gives, and what it says. Usage: read_csv_test.py COVEC"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COVEC = ""


class ReadCsv(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def covec(self, program):
        return subprocess.run([COVEC], input=program, capture_output=True, text=True, cwd=self.folder, timeout=60)

    def read(self, content, arguments=""):
        if content is not None:
            (self.folder / "t.csv").write_bytes(content)
        return self.covec(f'x = read_csv("t.csv"{arguments})\nprint(x, x.shape, x.dtype)\n')

    def gives(self, content, expected, arguments=""):
        result = self.read(content, arguments)
        self.assertEqual((result.stderr, result.stdout), ("", expected + "\n"))

    def says(self, content, *parts, arguments=""):
        result = self.read(content, arguments)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertIn(":1:5", result.stderr, "the place of the call")

    def test_a_table(self):
        self.gives(b"1,2.5\n-3e2,+4\n", "[[   1.0,    2.5],\n [-300.0,    4.0]] (2, 2) f64")

    def test_one_row_without_newline(self):
        self.gives(b"7", "[[7.0]] (1, 1) f64")

    def test_blank_lines_spaces_carriage_returns_and_a_byte_order_mark(self):
        self.gives(b"\xef\xbb\xbf 1 ,\t2 \r\n\r\n3,4\r\n", "[[1.0, 2.0],\n [3.0, 4.0]] (2, 2) f64")

    def test_header(self):
        self.gives(b"a,b\n1,2\n", "[[1.0, 2.0]] (1, 2) f64", ", header=true")

    def test_not_finite(self):
        self.gives(b"nan,inf,-inf\n", "[[nan, inf, -inf]] (1, 3) f64")

    def test_numbers_read_exactly(self):
        self.gives(b"0.1\n", "[[0.1]] (1, 1) f64")
        (self.folder / "t.csv").write_text("0.1,1e-310,123456789.123456789\n")
        result = self.covec('x = read_csv("t.csv")\nprint(x[0, 0] == 0.1, x[0, 1] == 1e-310, x[0, 2] == 123456789.123456789)\n')
        self.assertEqual(result.stdout, "true true true\n")

    def test_missing_file(self):
        self.says(None, "cannot read t.csv: No such file or directory", "relative to the working directory")

    def test_directory_and_device(self):
        for name, why in ((".", "it is a directory"), ("/dev/zero", "not a regular file")):
            result = self.covec(f'read_csv("{name}")\n')
            self.assertEqual(result.returncode, 1)
            self.assertIn(why, result.stderr)

    def test_a_pipe_does_not_block(self):
        os.mkfifo(self.folder / "t.csv")
        self.says(None, "not a regular file")

    def test_ragged(self):
        self.says(b"1,2\n\n3\n", "rows differ in length: 2 in line 1, 1 in line 3")

    def test_not_a_number(self):
        self.says(b"1,2\n3,x\xc3\xa4\n", "line 2, field 2: 'x\u00e4' is not a number")
        self.says(b"a,b\n1,2\n", "line 1, field 1: '…' is not a number", "header=true")
        self.says(b"1,1 2\n", "'1 2'")
        self.says(b"1,+-1\n", "'+-1'")
        self.says(b"1,0x10\n", "'0x10'")
        self.says("é".encode() * 50, "…")

    def test_empty_field(self):
        self.says(b"1,,3\n", "line 1, field 2 is empty", "nan")
        self.says(b"1,2,\n", "field 3 is empty")

    def test_range(self):
        self.says(b"1e999\n", "1e999 is outside the range of f64")

    def test_no_rows(self):
        self.says(b"", "it has no rows")
        self.says(b"\n\n", "it has no rows")
        self.says(b"a,b\n", "it has no rows", arguments=", header=true")

    def test_not_text(self):
        for content in (b"1\n\xff\n", b"1\n\xc0\xaf\n", b"1\n\xed\xa0\x80\n", b"1\n\xf4\x90\x80\x80\n", b"1\n\xe2\x82"):
            self.says(content, "line 2 is not UTF-8 text")
        self.says(b"1\n\x00\n", "line 2 has a zero byte")

    def test_a_file_beyond_the_memory(self):
        with open(self.folder / "t.csv", "wb") as file:
            file.truncate(1 << 40)
        self.says(None, "out of memory")

    def test_parts(self):
        """Every number of parts gives the rows of the whole, at every way to end lines."""
        whole = "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0] (6,) f64"
        for content in (b"1,2\n3,4\n5,6\n", b"1,2\r\n3,4\r\n5,6\r\n", b"1,2\n3,4\n5,6", b"\xef\xbb\xbf1,2\n\n3,4\n \n5,6\n\n", b'"1",2\n3,"4"\n5,6\n',
                        b"1,2\r3,4\r5,6\r", b"1,2\r3,4\r5,6"):
            (self.folder / "t.csv").write_bytes(content)
            (self.folder / "h.csv").write_bytes((b"a,b\r" if content[3:4] == b"\r" and b"\n" not in content else b"a,b\n") + content.removeprefix(b"\xef\xbb\xbf"))
            for name, header in (("t.csv", "false"), ("h.csv", "true")):
                for n in (1, 2, 3, 4, 5, 40):
                    result = self.covec(f'x = concat(list(read_csv("{name}", header={header}, part=(i, {n})) for i in range({n}))).reshape(-1)\n'
                                        "print(x, x.shape, x.dtype)\n")
                    self.assertEqual((result.stderr, result.stdout), ("", whole + "\n"), (content, header, n))

    def test_a_part_reads_only_its_bytes(self):
        content = b"1,2\n" * 1000 + b"3,4\n" + b"\xff" * 3000
        (self.folder / "t.csv").write_bytes(content)
        result = self.covec('x = read_csv("t.csv", part=(0, 4))\nprint(x.shape)\n')
        self.assertEqual((result.stderr, result.stdout), ("", "(438, 2)\n"))
        self.says(None, "line 1002 is not UTF-8 text", arguments=", part=(2, 4)")

    def test_parts_of_nothing(self):
        for content in (b"", b"\n\r\n"):
            self.says(content, "it has no rows", arguments=", part=(1, 2)")
        self.gives(b"7,8\n", "[] (f64[0, 2]) (0, 2) f64", ", part=(1, 2)")

    def test_lines_longer_than_a_part(self):
        row = ",".join(["1"] * 50000)
        (self.folder / "t.csv").write_text(f"{row}\n{row}\n{row}")
        result = self.covec('print(list(read_csv("t.csv", part=(i, 7)).shape[0] for i in range(7)))\n')
        self.assertEqual((result.stderr, result.stdout), ("", "list(1, 0, 1, 0, 1, 0, 0)\n"))

    def test_wrong_arguments(self):
        for call in ("read_csv(3)", 'read_csv("t.csv", header=1)', "read_csv()", 'read_csv("a\\0b")'):
            result = self.covec(call + "\n")
            self.assertEqual(result.returncode, 1, call)
            self.assertIn("error: ", result.stderr)


if __name__ == "__main__":
    COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
