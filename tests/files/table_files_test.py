#!/usr/bin/env python3
"""Tables from CSV and JSON, good ones and damaged ones: what table.read_csv and table.read_json give, and what they say.
Usage: table_files_test.py COVEC"""

import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

COVEC = ""


class TableFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def covec(self, program, *options):
        return subprocess.run([COVEC, *options], input="import table\n" + program, capture_output=True, text=True, cwd=self.folder,
                              timeout=120)

    def read(self, name, content, arguments):
        (self.folder / name).write_bytes(content)
        kind = name.split(".")[1]
        return self.covec(f'x = table.read_{kind}("{name}"{arguments})\nprint(x)\n')

    def csv(self, content, expected, arguments=""):
        result = self.read("t.csv", content, arguments)
        self.assertEqual((result.stderr, " ".join(result.stdout.split())), ("", " ".join(expected.split())))

    def json(self, content, expected):
        result = self.read("t.json", content, "")
        self.assertEqual((result.stderr, result.stdout), ("", expected + "\n"))

    def says(self, name, content, part, arguments=""):
        result = self.read(name, content, arguments)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn(part, result.stderr)
        self.assertIn(":2:5", result.stderr, "the place of the call")

    def test_kinds_show(self):
        self.csv(b"i,f,b,t,d\n1,1.5,true,x,2024-03-31\n-2,2,False,\"y, z\",2024-04-01T12:30Z\n",
                 '{i: [1, -2],\n f: [1.5, 2.0],\n b: [true, false],\n t: list("x", "y, z"),\n d: {seconds: [1.7118432e+09, 1.7119746e+09]}}')

    def test_lines_that_end_with_a_return_alone(self):
        self.csv(b"a,b\r1,x\r2,y\r", '{a: [1, 2], b: list("x", "y")}')

    def test_a_zero_keeps_its_sign(self):
        self.csv(b"a,b,c\n-0,0,-0\n2,1,\n", "{a: [-0.0, 2.0], b: [0, 1], c: [0.0, nan]}", ', kinds={c: "integer"}')
        self.json(b'{"a": [-0, 2], "b": [0, 1]}', "{a: [-0.0, 2.0], b: [0, 1]}")

    def test_names_that_hold_separators(self):
        result = self.covec('table.write_csv("t.csv", table.with_column({c: ["x;y"]}, "a;b|", [1]))\nprint(read_text("t.csv"), table.read_csv("t.csv"))\n')
        self.assertEqual((result.stderr, result.stdout), ("", 'c,"a;b|"\nx;y,1\n {c: list("x;y"), a;b|: [1]}\n'))
        marked = self.covec('table.write_csv("t.csv", table.with_column({}, "\ufeffa", [1]))\nprint(keys(table.read_csv("t.csv"))[0] == "\ufeffa")\n')
        self.assertEqual((marked.stderr, marked.stdout), ("", "true\n"))

    def test_missing_cells(self):
        self.csv(b"i,f,b,t,d\n1,,true,x,\nNA,n/a,,NULL,nan\n3,2.5,false,y,2024-03-31\n",
                 '{i: [1.0, nan, 3.0],\n f: [nan, nan, 2.5],\n b: [1.0, nan, 0.0],\n t: list("x", none, "y"),\n'
                 " d: {seconds: [nan, nan, 1.7118432e+09]}}")
        self.csv(b"t,n\nNA,-1\n-,2\n", '{t: list("NA", none), n: [-1, 2]}', ', missing=("-",)')
        self.csv(b"a,b\n,\n,\n", "{a: [nan, nan], b: [nan, nan]}")

    def test_a_kind_that_shows_late(self):
        self.csv(b"a,b,c,d\n1,1,true,2024-01-01\n2,x,maybe,soon\n3.5,3,,\n",
                 '{a: [1.0, 2.0, 3.5], b: list("1", "x", "3"), c: list("true", "maybe", none), d: list("2024-01-01", "soon", none)}')

    def test_kinds_that_are_asked_for(self):
        self.csv(b"zip,when,n,x\n00123,31.3.2024,1,1\n12,1.4.2024,,2\n",
                 '{zip: list("00123", "12"), when: {seconds: [1.7118432e+09, 1.7119296e+09]}, n: [1.0, nan], x: [1.0, 2.0]}',
                 ', kinds={zip: "text", when: "%d.%m.%Y", n: "integer", x: "number"}')
        for kind, cell, why in [("integer", "1.5", "an integer"), ("number", "x", "a number"), ("bool", "1", "true or false"),
                                ("date", "2024-13-01", "a date"), ("%d.%m.%Y", "1/2/2024", "a date of the form '%d.%m.%Y'")]:
            self.says("t.csv", f"a\n\n{cell}\n".encode(), f"line 3, column 'a': '{cell}' is not {why}", f', kinds={{a: "{kind}"}}')
        self.says("t.csv", b"a,b\n1,2\n", "it has no column 'c'", ', kinds={c: "text"}')

    def test_separators_decimals_comments_lines(self):
        self.csv(b"a;b\n1,5;x\n", '{a: [1.5], b: list("x")}', ', decimal=","')
        self.csv(b"a\tb c\n1\t\n", "{a: [1], b c: [nan]}")
        self.csv(b"a|b\n1|2\n", "{a: [1], b: [2]}")
        self.csv(b"# made by hand\na,b\n# no data\n1,2\n3,4\n5,6\n", "{a: [1, 3], b: [2, 4]}", ', comment="#", limit=2')
        self.csv(b"title\n\na,b\n1,2\n", "{a: [1], b: [2]}", ", skip=2")
        self.csv(b"\xef\xbb\xbfa,b\r\n1,x\r\n\r\n2,y\r\n", '{a: [1, 2], b: list("x", "y")}')
        self.csv(b"1,x\n2,y\n", '{column_1: [1, 2], column_2: list("x", "y")}', ", header=false")
        self.csv(b"a,b,c\n1,2,3\n", "{c: [3], a: [1]}", ', columns=("c", 0)')

    def test_names(self):
        self.csv(b"x,x,,x_2,x\n1,2,3,4,5\n", "{x: [1], x_3: [2], column_3: [3], x_2: [4], x_4: [5]}")

    def warns(self, name, content, part, arguments=""):
        result = self.read(name, content, arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(part, result.stderr)

    def test_rows_of_other_lengths(self):
        content = b"a,b,c\n1,2\n3,4,5\n"
        self.says("t.csv", content, 'ragged="pad"')
        self.csv(content, "{a: [1, 3], b: [2, 4], c: [nan, 5.0]}", ', ragged="pad"')
        self.csv(content, "{a: [3], b: [4], c: [5]}", ', ragged="skip"')
        longer = b"a,b\nx,2\n3,4,5\n6,7\n"
        self.says("t.csv", longer, 'ragged="skip"')
        self.says("t.csv", longer, 'ragged="skip"', ', ragged="pad"')
        self.csv(longer, '{a: list("x", "6"), b: [2, 7]}', ', ragged="skip"')
        self.csv(content, "{a: [1, 3], c: [nan, 5.0]}", ', ragged="pad", columns=("a", "c")')
        self.csv(b"a,b\n1\n2,x\n", '{a: [1, 2], b: list(none, "x")}', ', ragged="pad"')
        self.says("t.csv", b"# of a lab\na,b\n1,2\n", 'comment="#"')
        self.csv(b"# of a lab\na,b\n1,2\n", "{a: [1], b: [2]}", ', comment="#"')

    def test_separators(self):
        self.csv(b"a   b\n 1   2\n", "{a: [1], b: [2]}", ', separator=" +"')
        self.csv(b"a\t\tb\n1\t2\n", "{a: [1], b: [2]}", ', separator="\\t+"')
        self.csv(b"a::b\n\"x::y\"::2\n", '{a: list("x::y"), b: [2]}', ', separator="::"')
        for refused in ('""', '"1"', '"a\\nb"', "3"):
            self.says("t.csv", b"a\n1\n", "`separator` must be a string that is not part of numbers or quotes", f", separator={refused}")

    def test_runs_of_spaces_and_tabs(self):
        content = b'a  b \tc\n1 \t 2\t3\n\t4 5  6\t\r\n"7 x"\t8 \t"9\ny" \t\n'
        self.csv(content, '{a: list("1", "4", "7 x"), b: [2, 5, 8], c: list("3", "6", "9\\ny")}', ', separator=" +"')
        self.csv(b"a\tb\n1\t2\n", "{a: [1], b: [2]}", ', separator=" +"')
        self.csv(b"a b\tc\n1\t\t2\n", "{a b: [1], c: [2]}", ', separator="\\t+"')
        self.csv(b"a b\n1 \t 2\n3\t4\n", "{a: [1, 3], b: [2, 4]}", ', **table.sniff("t.csv")')

    def test_separators_with_blanks(self):
        content = b'a, b, c\n1, , 2\n3, 4, \n5,  , \r\n"x"  , "y", \n, , \n  \n6, "y\nz", \n7, 8, 9'
        self.csv(content, '{a: list("1", "3", "5", "x", none, "6", "7"), b: list(none, "4", none, "y", none, "y\\nz", "8"), '
                 "c: [2.0, nan, nan, nan, nan, nan, 9.0]}", ', separator=", "')
        self.csv(b"a ,b ,c\n ,1 ,\n2 , ,\"x\" \n", '{a: [nan, 2.0], b: [1.0, nan], c: list(none, "x")}', ', separator=" ,"')
        self.csv(b"a\t\tb\t\tc\n\t\t1\t\t\n2\t\t\t\t\"x\"\n", '{a: [nan, 2.0], b: [1.0, nan], c: list(none, "x")}', ', separator="\\t\\t"')
        self.csv(b"a, b\n1, Hello,\n", '{a: [1], b: list("Hello,")}', ', separator=", "')
        self.says("t.csv", b"a, b\n1,\n", 'separator="," allows blanks next to it or none', ', separator=", "')
        self.says("t.csv", b"a  b\n1 2\n", 'separator=" +" allows blanks next to it or none', ', separator="  "')

    def test_quotes_and_escapes(self):
        self.csv(b"a,b\n\"x\"y,2\n", '{a: list("xy"), b: [2]}', ", lenient=true")
        self.says("t.csv", b"a,b\n\"x\"y,2\n", "lenient=true")
        self.csv(b"a,b\n\"x,2\n3,4\n", '{a: list("\\"x", "3"), b: [2, 4]}', ", lenient=true")
        self.csv(b'a,b\n"x\\"y",2\n', '{a: list("x\\"y"), b: [2]}', ', escape="\\\\"')
        self.says("t.csv", b'a,b\n"x\\"y",2\n', "escape=")
        self.csv(b"a,b\nx\\,y,2\n", '{a: list("x,y"), b: [2]}', ', escape="\\\\"')
        self.csv(b"a,b\n'x,''y',2\n", '{a: list("x,\'y"), b: [2]}', ', quote="\'"')
        self.csv(b'a,b\n"x,2\n', '{a: list("\\"x"), b: [2]}', ', quote=""')
        self.says("t.csv", b"a\n1\n", "`quote` must be a string of one character that is not part of numbers and not a blank, or an empty string", ', quote="ab"')

    def test_quotes_and_escapes_that_are_something_else(self):
        form = "must be a string of one character that is not part of numbers and not a blank, or an empty string"
        for option in ("quote", "escape"):
            for refused in ("\\n", " ", "\\t", "x", "1", "-", ".", "é"):
                self.says("t.csv", b"a b\n1 2\n", f"`{option}` {form}", f', {option}="{refused}"')
            self.says("t.csv", b"a\n1\n", f"`{option}` must be a different character from a separator", f', {option}=","')
            self.says("t.csv", b"a\n1\n", f"`{option}` must be a different character from `separator`", f', {option}="|", separator="|"')
            self.says("t.csv", b"a\n1\n", f"`{option}` must be a different character from `separator`", f', {option}=":", separator=": "')
            self.says("t.csv", b"a\n1\n", f"`{option}` must be a different character from `comment`", f', {option}="#", comment="#"')
            self.says("t.csv", b"a\n1\n", f"`{option}` must be a different character from `decimal`", f', {option}=",", decimal=",", separator=";"')
        self.csv(b"a,b\n|x,y|,2\n", '{a: list("x,y"), b: [2]}', ', quote="|"')
        for options in ("""escape='"'""", """quote='"', escape='"'"""):
            self.csv(b'a,b\n"x""y,""",2\n', '{a: list("x\\"y,\\""), b: [2]}', ", " + options.replace("'\"'", '"\\""'))
        self.csv(b"a,b\n'x'',y',2\n", '{a: list("x\',y"), b: [2]}', """, quote="'", escape="'\"""")

    def test_blanks_behind_quotes_and_escapes(self):
        self.csv(b'a,b\n"x" y,2\n"x"\t y z \t,3\n"x" ,4\n"x" y "z",5\n', '{a: list("x y", "x\\t y z", "x", "x y \\"z\\""), b: [2, 3, 4, 5]}', ", lenient=true")
        self.csv(b"a,b\nx\\, y ,2\n x\\ ,3\n", '{a: list("x, y", "x "), b: [2, 3]}', ', escape="\\\\"')
        for separator in ("none", '", "', '" +"'):
            rows = b"a, b\n1, x\\  \n2, y\\\\  \r\n3, z\\\t\r\n4, \\\r\n5, w\\ "
            self.csv(rows.replace(b",", b"") if "+" in separator else rows, '{a: [1, 2, 3, 4, 5], b: list("x ", "y\\\\", "z\\t", "\\\\", "w ")}',
                     f', escape="\\\\", separator={separator}')
        self.csv(b'a,b\n1,"x\ny" \\ \n', '{a: [1], b: list("x\\ny  ")}', ', lenient=true, escape="\\\\"')
        self.csv(b'a,b\n"x" y\\,z ,2\n', '{a: list("x y,z"), b: [2]}', ', lenient=true, escape="\\\\"')

    def test_encodings(self):
        text = "a,b\n\u00e9\u20ac\U0001f600,2\n"
        for bom in ("utf-16", "utf-16-le"):
            self.csv(text.encode(bom), '{a: list("\u00e9\u20ac\U0001f600"), b: [2]}', ', encoding="utf-16"')
        self.csv(b"\xfe\xff" + text.encode("utf-16-be"), '{a: list("\u00e9\u20ac\U0001f600"), b: [2]}', ', encoding="utf-16"')
        self.csv("a,b\n\u00e9,2\n".encode("latin-1"), '{a: list("\u00e9"), b: [2]}', ', encoding="latin-1"')
        self.says("t.csv", "a,b\n\u00e9,2\n".encode("latin-1"), 'encoding="latin-1"')
        self.says("t.csv", text.encode("utf-16"), 'encoding="utf-16"')
        for damaged in (b"\x00\xd8a\x00", b"\x00\xdc", b"a\x00b", b"\x00\xd8"):
            self.says("t.csv", b"\xff\xfe" + damaged, "it is not UTF-16 from here on", ', encoding="utf-16"')
        zero = self.read("t.csv", b"a,b\nx\0,2\n", "")
        self.assertIn("line 2 has a zero byte", zero.stderr)
        self.assertNotIn("hint", zero.stderr)
        self.says("t.csv", b"a,b\nx\0,2\n", "line 2 has a zero byte", ', encoding="latin-1"')
        self.assertIn("table.sniff: cannot read t.csv: line 2 has a zero byte", self.covec('x = table.sniff("t.csv")\n').stderr)
        self.says("t.csv", text.encode("utf-16"), 'encoding="utf-16"', ', encoding="latin-1"')
        both = self.read("t.csv", b"a,b\n\xe9\0,2\n", "")
        self.assertIn("line 2 is not UTF-8 text", both.stderr)
        self.assertNotIn("hint", both.stderr)
        self.says("t.csv", b"a\n1\n", '`encoding` must be "utf-8", "latin-1" or "utf-16"', ', encoding="ascii"')

    def test_sniffing(self):
        cases = {
            b"made by a lab\na;b\n1,5;2\n": "{a: [1.5], b: [2]}",
            b"# made by a lab\na b\n1   2\n": "{a: [1], b: [2]}",
            b"a\tb\n1\t2\n3\n": "{a: [1, 3], b: [2.0, nan]}",
            "a|b\n\u00e9|2\n".encode("latin-1"): '{a: list("\u00e9"), b: [2]}',
            "a,b\nx,2\n".encode("utf-16"): '{a: list("x"), b: [2]}',
            b'a,b\n"x\\"y",2\n': '{a: list("x\\"y"), b: [2]}',
            b"a\n1\n": "{a: [1]}",
            b"name\nJohn Smith\nJane Doe\n": '{name: list("John Smith", "Jane Doe")}',
            b"a,b\n'x,y',2\n": '{a: list("x,y"), b: [2]}',
            b"a,b\nit's,2\n'x',3\n": '{a: list("it\'s", "\'x\'"), b: [2, 3]}',
            b"# c\nmade by\na;b\n1;2\n": "{a: [1], b: [2]}",
            b"\n# c\n\na;b\n# d\n1;2\n": "{a: [1], b: [2]}",
            b'path,v\n"C:\\dir\\",2\n"D:\\x",3\n': '{path: list("C:\\\\dir\\\\", "D:\\\\x"), v: [2, 3]}',
            b'a,b\n"x\\",y",2\n': '{a: list("x\\",y"), b: [2]}',
            b"a,b\n" + b"1,2\n" * 300 + b'"x\\"y",2\n': None,
            b"a, b\n1, 2\n3, 4\n5, 6,7\n": "{a: [1, 3], b: [2, 4]}",
            b"a, b\n1, 2\n3\n4, 5\n": "{a: [1, 3, 4], b: [2.0, nan, 5.0]}",
            b"a b\n1  2\n3\n4 5\n": "{a: [1, 3, 4], b: [2.0, nan, 5.0]}",
            b"title,x\na\nb\n": '{title: list("a", "b"), x: [nan, nan]}',
            b"x y\n1,5 2,5\n3,5 4,5\n": "{x: [1.5, 3.5], y: [2.5, 4.5]}",
        }
        for content, expected in cases.items():
            if expected:
                self.csv(content, expected, ', **table.sniff("t.csv")')
            else:
                self.assertEqual(self.read("t.csv", content, ', **table.sniff("t.csv")').stderr, "")
        self.says("t.csv", b"name\nx\nSmith, John\ny\n", "rows differ in length", ', **table.sniff("t.csv")')
        self.says("t.csv", b"a,b\n1,2,3\n", "rows differ in length", ', **table.sniff("t.csv")')

    def test_integers_that_f64_does_not_hold(self):
        long = b"1582218195625938945"
        self.csv(b"a;b\n1;" + long + b"\n", "{a: [1], b: [1582218195625938945]}")
        self.warns("t.csv", b"a;b\n1;2\n2;\n3;" + long + b"\n", "line 4, column 'b': f64 does not hold")
        self.warns("t.csv", b"a;b\n3;" + long + b"\n2;\n", "line 2, column 'b': f64 does not hold")
        self.warns("t.csv", b"a\n18446744073709551615\n", "line 2, column 'a': f64 does not hold")
        self.csv(b"a,b\n9007199254740994,1\n,2\n18446744073709551616,3\n", "{a: [9.0071993e+15, nan, 1.8446744e+19], b: [1, 2, 3]}")
        self.warns("t.json", b'[{"b": null}, {"b": ' + long + b"}]", "line 1, column 'b': f64 does not hold")
        self.warns("t.json", b'[\n{"b": 18446744073709551615}]', "line 2, column 'b': f64 does not hold")
        self.warns("t.json", b'{"b": [1,\n' + long + b"\n, 2.5]}", "line 2, column 'b': f64 does not hold")
        self.warns("t.json", b'{"b": 1}\n\n{"c": 2,\n"b":' + long + b'}\n{"b": null}', "line 4, column 'b': f64 does not hold")
        result = self.covec(f"x = table.join({{k: [1, 2]}}, {{k: [1], v: [{long.decode()}]}}, \"k\", how=\"left\")\n")
        self.assertIn("column v has missing cells", result.stderr)
        meets = "column v is combined with cells of f64 and becomes f64; row 1 has " + long.decode()
        for program in (f"table.concat(({{v: [1, {long.decode()}]}}, {{v: [1.5]}}))", f"table.concat(({{v: [1.5]}}, {{v: [1, {long.decode()}]}}))",
                        f"table.concat(({{v: [1]}}, {{w: [1]}}, {{v: [1, {long.decode()}]}}))",
                        f'table.join({{v: [1, {long.decode()}]}}, {{v: [1.5, 1.0]}}, "v")',
                        f'table.unpivot({{a: [1, {long.decode()}], b: [1.5, 2.5]}}, ("a", "b"), value="v")'):
            result = self.covec(f"x = {program}\n")
            self.assertEqual(result.stderr.count("warning: "), 1, program)
            self.assertIn(meets, result.stderr)
        for floats, held, row, lost in (("f32", 16777216, 1, 16777217), ("f16", 65504, 1, 2049), ("f16", -2048, 1, 65536), ("bf16", 256, 1, 257)):
            for dtype in ("i64", "i32"):
                result = self.covec(f"x = table.concat(({{v: {floats}([1.5])}}, {{v: {dtype}([{held}, {lost}])}}))\n")
                self.assertEqual(result.stderr.count("warning: "), 1, floats)
                self.assertIn(f"column v is combined with cells of {floats} and becomes {floats}; row {row} has {lost}: {floats} does not hold", result.stderr)
        result = self.covec("print(table.concat(({v: f32([1.5])}, {v: [16777216]})), table.concat(({v: i32([16777217])}, {v: [0.5]})).v[0])\n")
        self.assertEqual((result.stderr, result.stdout), ("", "{v: [1.5, 16777216.0]} 16777217.0\n"))
        result = self.covec(f"print(table_take([{long.decode()}, 5], [1, -1]), table.join({{k: [1, 2]}}, {{k: [1, 3], v: [5, {long.decode()}]}}, \"k\", how=\"left\").v)\n")
        self.assertEqual((result.stderr, result.stdout), ("", "[5.0, nan] [5.0, nan]\n"), "the long integer is not taken")
        result = self.covec(f"x = table_take([5, {long.decode()}], [1, -1])\n")
        self.assertIn(f"table: a column has missing cells now and becomes f64; row 1 has {long.decode()}", result.stderr)
        result = self.covec(f"print(table.concat(({{v: [{long.decode()}]}}, {{v: [1]}})), table.concat(({{v: [1]}}, {{v: [1.5]}})).v)\n")
        self.assertEqual((result.stderr, result.stdout), ("", f"{{v: [{long.decode()}, 1]}} [1.0, 1.5]\n"))
        result = self.covec(f"x = table.from_rows(list({{v: {long.decode()}}}, {{v: none}}))\n")
        self.assertIn("table.from_rows, row 0, column v", result.stderr)
        (self.folder / "plain.csv").write_bytes(b"1,2\n3," + long + b"\n")
        result = self.covec('x = read_csv("plain.csv")\n')
        self.assertIn("line 2, column 2: f64 does not hold", result.stderr)

    def test_numbers_beyond_the_range(self):
        self.warns("t.csv", b"a,b\n1,2.5\n1,1e400\n", "line 3, column 'b': 1e400 is outside the range of f64")
        self.says("t.csv", b"a,b\n1,1e400\n", "line 2, field 2: 1e400 is outside the range of f64", ', kinds={b: "number"}')
        self.csv(b"a,b\n1,1e400\n", '{a: [1], b: list("1e400")}', ', kinds={b: "text"}')

    def test_hashes_that_look_like_numbers(self):
        self.csv(b"h\n12e4567\nab12\n", '{h: list("12e4567", "ab12")}')
        self.csv(b"h\n5\n12e4567\n7\n34e5678\nab12\n", '{h: list("5", "12e4567", "7", "34e5678", "ab12")}')
        self.csv(b"h,i\n12e4567,1\ntrue,x\n", '{h: list("12e4567", "true"), i: list("1", "x")}')
        self.csv(b"h\n12e4567\n1.5\n", '{h: list("12e4567", "1.5")}', ', decimal=","')
        for content in (b"h\n12e4567\n\n34e5678\n", b"h\n5\n12e4567\n7,5\n", b"h\n12e4567\nnan\n"):
            self.warns("t.csv", content, "12e4567 is outside the range of f64: the column is read as text", ', decimal=",", separator=";"')

    def test_json_ends_where_its_text_ends(self):
        self.says("t.json", b'[{"a": 1}]\0{garbage', "it is not JSON from here on")
        self.says("t.json", b'{"a": 1}\n{"a": 2}\0', "it is not JSON from here on")

    def test_long_integers_that_become_text(self):
        self.warns("t.json", b'{"a": [9007199254740993, null, "x"]}', "line 1, column 'a': f64 does not hold")
        self.json(b'{"a": ["x", 18446744073709551615]}', '{a: list("x", "18446744073709551615")}')

    def test_utf16_without_a_mark(self):
        self.csv("a,b\n1,2\n".encode("utf-16-be"), "{a: [1], b: [2]}", ', encoding="utf-16"')
        self.csv("a,b\n1,2\n".encode("utf-16-be"), "{a: [1], b: [2]}", ', **table.sniff("t.csv")')

    def test_an_escape_at_the_end_stands_for_itself(self):
        self.csv(b"a,b\n1,x\\\n", '{a: [1], b: list("x\\\\")}', ', escape="\\\\"')

    def test_objects_over_several_lines(self):
        self.json(b'{"a": 1,\n "b": "x}\\""}\n\n{"a": 2,\n"b": null} {"a": 3}\n', '{a: [1, 2, 3], b: list("x}\\"", none, none)}')
        self.says("t.json", b'{"a": 1,\n "b": 2}\n{"a": 2,\n"b": x}\n', "line 4: it is not JSON from here on")
        self.says("t.json", b'{"a": 1}\n{"a": 2', "line 2: ")

    def test_quotes(self):
        self.csv(b'a,b\n"one\ntwo, three",1\n"say ""hi""",2\n5" pipe,3\n', '{a: list("one\\ntwo, three", "say \\"hi\\"", "5\\" pipe"), b: [1, 2, 3]}')
        self.says("t.csv", b'a,b\n"x,1\ny,2\n', "line 2, field 1: its quotes are not closed")
        self.says("t.csv", b'a,b\n"x"y,1\n', "line 2, field 1: text follows its closing quote")

    def test_numbers_at_the_edges(self):
        self.csv(b"a,b,c\n9223372036854775807,9223372036854775808,1e-400\n", "{a: [9223372036854775807], b: [9.223372e+18], c: [0.0]}")
        self.csv(b"a,b\n1e308,inf\n+4,-inf\n", "{a: [1e+308, 4e+000], b: [inf, -inf]}")

    def test_damaged_tables(self):
        self.says("t.csv", b"", "it has no rows")
        self.says("t.csv", b"\n \n", "it has no rows")
        self.says("t.csv", b"a,b\n1,2\n3\n", "rows differ in length: 2 in line 1, 1 in line 3")
        self.says("t.csv", b"a,b\n1,2\n3,4,5\n", "rows differ in length: 2 in line 1, 3 in line 3")
        self.says("t.csv", b"a,b\n1,\xff\n", "line 2 is not UTF-8 text")
        self.says("t.csv", b"a\n\0\n", "line 2 has a zero byte")
        self.says("t.csv", b"a,b\n1,2\n", "it has no column 'c'", ', columns=("c",)')
        self.says("t.csv", b"a,b\n1,2\n", "it has 2 columns, but no column 2", ", columns=(2,)")
        self.says("t.csv", b"a,b\n1,2\n", "column 'a' is asked for twice", ', columns=("a", 0)')

    def test_only_names(self):
        self.csv(b"a,b\n", "{a: [] (f64[0]), b: [] (f64[0])}")

    def test_a_million_columns(self):
        (self.folder / "wide.csv").write_text(",".join(["x"] * 1000000) + "\n" + ",".join(["1"] * 1000000) + "\n")
        for escape in ("none", '"\\\\"'):
            result = self.covec(f't = table.read_csv("wide.csv", escape={escape})\nprint(len(keys(t)), get(t, "x_1000000"))\n')
            self.assertEqual((result.stderr, result.stdout), ("", "1000000 [1]\n"))

    def test_names_of_many_columns(self):
        names = [f"c{i % 250000}" for i in range(500000)] + ["c0_2", "", "column_500002"]
        (self.folder / "wide.csv").write_text(",".join(names) + "\n" + ",".join(str(i) for i in range(len(names))) + "\n")
        result = self.covec('t = table.read_csv("wide.csv")\nprint(len(keys(t)), t.c0, t.c0_2, t.c0_3, t.c7_2, keys(t)[-2:])\n')
        self.assertEqual((result.stderr, result.stdout), ("", '500003 [0] [500000] [250000] [250007] list("column_500002", "column_500002_2")\n'))

    # What is quadratic in the length takes minutes.
    def test_objects_on_one_line(self):
        (self.folder / "long.json").write_text('{"a":1}' * 500000)
        result = self.covec('print(len(table.read_json("long.json").a))\n')
        self.assertEqual((result.stderr, result.stdout), ("", "500000\n"))

    # What is quadratic in the length takes minutes.
    def test_quotes_in_long_files(self):
        length = 'print(len(table.read_csv("long.csv", {}).b[0]))\n'
        for content, options, expected in [
            ('a,b\n1,"' + '""' * 2000000 + '"\n', 'escape="\\\\"', 2000000),
            ('a,b\n1,"' + '\\"' * 2000000 + '"\n', 'escape="\\\\"', 2000000),
            ("a,'b\n" + "1,''b\n" * 200000 + "x,''c\n", """separator=",'", quote="'", lenient=true""", 2),  # no quote is closed
        ]:
            (self.folder / "long.csv").write_text(content)
            result = self.covec(length.format(options))
            self.assertEqual((result.stderr, result.stdout), ("", f"{expected}\n"))

    def test_json(self):
        self.json(b'[{"a": 1, "s": "x"}, {"s": null, "a": 2.5, "b": true}]', '{a: [1.0, 2.5], s: list("x", none), b: [nan, 1.0]}')
        self.json(b'{"a": [1, 2], "s": ["x", "\\u00e9\\n"], "d": ["2024-03-31", null]}',
                  '{a: [1, 2], s: list("x", "é\\n"), d: {seconds: [1.7118432e+09, nan]}}')
        self.json(b'[{"a": 1}, {"a": "x"}, {"a": true}]', '{a: list("1", "x", "true")}')
        self.json(b'[{"a": "x"}, {"a": 1.5}]', '{a: list("x", "1.5")}')
        self.json(b'{"a": [18446744073709551616, -1]}', "{a: [1.8446744e+19, -1.0000000e+00]}")
        self.json(b"[]", "{}")
        self.json(b'[{}, {"a": 1}]', "{a: [nan, 1.0]}")

    def test_json_lines(self):
        self.json(b'{"a": 1, "s": "x"}\r\n\n{"s": "y", "a": 2.5}\n', '{a: [1.0, 2.5], s: list("x", "y")}')
        self.json(b'\xef\xbb\xbf{"a": null}\n{"b": true}', "{a: [nan, nan], b: [nan, 1.0]}")
        self.json(b'{"a": 1}', "{a: [1]}")
        self.json(b'{}\n{"a": 1}\n{}\n{"b": "x", "a": 3}\n', '{a: [nan, 1.0, nan, 3.0], b: list(none, none, none, "x")}')
        self.json(b"{}", "{}")
        self.json(b"{}\n{}\n", "{}")

    def test_damaged_json(self):
        for content, part in [
            (b"", "it is not JSON from here on"),
            (b'[{"a": 1},\n {"a": 2', "line 2: it is not JSON from here on"),
            (b'[{"a": "\xff"}]', "it is not JSON"),
            (b'{"a": [1], "b": 1}', "column 'b' is a number, not an array"),
            (b'{"a": [1], "b": [1, 2]}', "columns differ in length: 'a' has 1, 'b' has 2"),
            (b'{"a": [], "b": [1]}', "columns differ in length: 'a' has 0, 'b' has 1"),
            (b'{"a": 1}\n\n{"a": 2', "line 3: it is not JSON from here on"),
            (b'{"a": 1}\n{"a": [2]}', "line 2: a cell of column 'a' is an array"),
            (b'{"a": 1}\n[2]', "line 2: a row is an object, not an array"),
            (b'{"a": 1} {"a": 2} x', "line 1: it is not JSON from here on"),
            (b"3", "a table is an array of objects or an object of arrays, not a number"),
            (b"[1, 2]", "a row is an object, not a number"),
            (b'[{"a": [1]}]', "a cell of column 'a' is an array"),
            (b'[{"a": {"b": 1}}]', "a cell of column 'a' is an object"),
            (b'[{"a": 1, "a": 2}]', "a row has two 'a'"),
            (b'{"a": [1], "a": [2]}', "there are two 'a'"),
            (b'{"a": [1,\n 1e999\n]}', "line 2: column 'a': 1e999 is outside the range of f64"),
            (b'{"a": 1}\n{"b": 1e999}', "line 2: column 'b': 1e999 is outside the range of f64"),
            (b"[1e999]", "line 1: 1e999 is outside the range of f64"),
            (b'[{"a": 1},\n {"a": [1]}]', "line 2: a cell of column 'a' is an array"),
            (b"{}\n[2]", "line 2: a row is an object, not an array"),
            (b"{}\nx", "line 2: it is not JSON from here on"),
            (b'[{"a": "x\\u0000"}]', "a text holds a zero character"),
            (b"[" * 1000000, "a row is an object, not an array"),
            (b'{"a":' * 1000000, "column 'a' is an object, not an array"),
            (b'{"a": [' + b"[" * 1000000, "a cell of column 'a' is an array"),
        ]:
            self.says("t.json", content, part)

    def test_what_is_written_reads_back(self):
        program = """
t = {n: [1, -2, 3], x: [0.1, nan, 1e300], b: [true, false, true], s: list("a", none, "say \\"x, y\\"\\n"), f: f32([0.1, 2, 3]),
     d: table.dates(list("2024-03-31T12:30:15.25", none, "1969-07-20"))}
for write, read, name in zip((table.write_csv, table.write_json, (p, t) -> table.write_json(p, t, rows=false)),
                             (table.read_csv, table.read_json, table.read_json), ("t.csv", "a.json", "b.json")) {
    write(name, t)
    u = read(name)
    print(table.text(u) == table.text({...t, f: f64([0.1, 2, 3])}), u.d.seconds[0] == t.d.seconds[0], table.kinds(u).s)
}
table.write_csv("one.csv", {s: list("a", none)})
print(table.read_csv("one.csv"), read_lines("one.csv"))
table.write_csv("tab.csv", {x: [1.23456], s: ["a\\tb"]}, separator="\\t", digits=3)
print(read_lines("tab.csv"))
"""
        result = self.covec(program)
        self.assertEqual((result.stderr, result.stdout), ("", "true true text\n" * 3 + '{s: list("a", none)} list("s", "a", "\\"\\"")\n'
                                                          'list("x\\ts", "1.23\\t\\"a\\tb\\"")\n'))

    # Whatever a file holds, there is a table or an error.
    def test_mutations(self):
        random.seed(1)
        good = {"csv": b'a,b,c\n1,"x, y",2024-03-31\n2.5,z,\n-3,"""q""",2024-04-01T10:00:00+02:00\n',
                "json": b'[{"a": 1, "b": "x\\n", "c": "2024-03-31"}, {"a": 2.5, "b": null}, {"c": "2024-04-01", "a": -3e2}]'}
        for kind, content in good.items():
            for i in range(400):
                text = bytearray(content)
                for _ in range(random.randint(1, 4)):
                    at = random.randrange(len(text))
                    change = random.randrange(4)
                    if change == 0:
                        text[at] = random.choice(b'",;\n\r\t{}[]:0159.-+eE \xff\xc3\\')
                    elif change == 1:
                        del text[at]
                    elif change == 2:
                        text = text[:at + 1]
                    else:
                        text[at:at] = text[random.randrange(len(text)):][:random.randint(1, 20)]
                (self.folder / f"{i}.{kind}").write_bytes(bytes(text))
            result = self.covec(f"""
read, wrong = 0, 0
for i in range(400) {{
    try {{
        t = table.read_{kind}(f"{{i}}.{kind}")
        assert len(table.text(t)) > 0
        read += 1
    }} catch err {{
        assert err.kind == "file", err.message
        wrong += 1
    }}
}}
print(read + wrong, read > 20, wrong > 20)
""")
            self.assertEqual((result.stderr, result.stdout), ("", "400 true true\n"))


if __name__ == "__main__":
    COVEC = sys.argv.pop(1)
    unittest.main()
