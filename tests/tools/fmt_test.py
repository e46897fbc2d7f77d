#!/usr/bin/env python3
"""covec fmt: what its rules do to a text, which files it writes, and its exit status.

    fmt_test.py COVEC ROOT
"""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

COVEC = ""
ROOT = pathlib.Path()

# Before and after. What is the same before and after is a text that stays.
RULES = {
    "operators": ("y=a*b-c/ d//2%e\nz = a<=b  and not  c or x   in y and x not  in  z\nw = a@b if c==d else a<<2|b&c\n",
                  "y = a * b - c / d // 2 % e\nz = a <= b and not c or x in y and x not in z\nw = a @ b if c == d else a << 2 | b & c\n"),
    "signs": ("x = - 1\ny = a- -b + ~ c\nf(- x, * xs, k = - 1)\nx[- 1:- 2]\nreturn -  x\n",
              "x = -1\ny = a - -b + ~c\nf(-x, *xs, k=-1)\nx[-1:-2]\nreturn -x\n"),
    "powers": ("a = x^2 + x ^2 + x^ 2 + x ** y\nb = 2^-1 + 2 ^ - 1\n", "a = x^2 + x ^ 2 + x^2 + x ** y\nb = 2^-1 + 2 ^ -1\n"),
    "stars": ("f(* *x)\nf(** x)\n", "f(* *x)\nf(**x)\n"),
    "numbers": ("x = 1 .real\ny = 0x1F+1_000\n", "x = 1 .real\ny = 0x1F + 1_000\n"),
    "calls": ("print (f ( x ) [ 0 ] . a)\nx=[ 1 ,2 ] [0]\n", "print(f(x)[0].a)\nx = [1, 2][0]\n"),
    "arguments": ("f(a = 1,b=(2 ,),)\nfn g(x = 1, y: int=2, * rest) = x\n", "f(a=1, b=(2,),)\nfn g(x=1, y: int = 2, *rest) = x\n"),
    "options": ("fn g(x,* rest, ** options)=x\nh=(x , **o)->o\nf(x, ** options)\n", "fn g(x, *rest, **options) = x\nh = (x, **o) -> o\nf(x, **options)\n"),
    "slices": ("x[ 1 : n , : : 2,: , a+1 :b]\n", "x[1:n, ::2, :, a + 1:b]\n"),
    "records": ("r={ a :1,... rest , \"b\":{ } }\n", "r = {a: 1, ...rest, \"b\": {}}\n"),
    "annotations": ("fn f(x :f64 [ n,_ ],r:{ a :int}) ->( f64,() )  {\n}\n", "fn f(x: f64[n, _], r: {a: int}) -> (f64, ()) {\n}\n"),
    "functions": ("g = fn (a)=a+1\nh=x->x+1\nk = (a,b)->{a+b}\nmap(fn(x)=x ,y)\n", "g = fn(a) = a + 1\nh = x -> x + 1\nk = (a, b) -> { a + b }\nmap(fn(x) = x, y)\n"),
    "blocks": ("if(a){b()}else if c{d()}\nelse{\n}\nfor(i,j) in x{i();j()}\ntry{a()}catch e{b}\nwhile true{}\n",
               "if (a) { b() } else if c { d() }\nelse {\n}\nfor (i, j) in x { i(); j() }\ntry { a() } catch e { b }\nwhile true { }\n"),
    "assignments": ("x+=1\na,b=b,a\nx max=3\nx[0]//=2\n", "x += 1\na, b = b, a\nx max= 3\nx[0] //= 2\n"),
    "decorators": ("@ derivative ( of = f )\nfn g(x)=x\n", "@derivative(of=f)\nfn g(x) = x\n"),
    "words": ("import\tnn  as n\nassert(x),\"why\"\nassert  x\nimport\"p\" as q\n", "import nn as n\nassert (x), \"why\"\nassert x\nimport \"p\" as q\n"),
    "strings stay": ("print( f\"{ x:.2f }  {f'{a+b}'}\",'a  b'  ,\"\\t\")\n", "print(f\"{ x:.2f }  {f'{a+b}'}\", 'a  b', \"\\t\")\n"),
    "indentation": ("fn f(x) {\n  if x {\n\ty = 1\n      }\n  # note\n  fn g(z) = z\n}\n",
                    "fn f(x) {\n    if x {\n        y = 1\n    }\n    # note\n    fn g(z) = z\n}\n"),
    "blocks in lines": ("fn f(n) { x = 0.0\n  for i in n { x += i }\n  return x }\n", "fn f(n) { x = 0.0\n    for i in n { x += i }\n    return x }\n"),
    "continued lines": ("y = a +\nb *\n  c\nfn f(x) =\n  x +\n  1\nz = x\n.sum()\n      .T\n", "y = a +\n    b *\n    c\nfn f(x) =\n    x +\n    1\nz = x\n    .sum()\n    .T\n"),
    "hanging brackets": ("x = f(\n  a,\n      b\n  )\ny = [\n 1, [\n2\n]\n]\n", "x = f(\n    a,\n    b\n)\ny = [\n    1, [\n        2\n    ]\n]\n"),
    "lines below a bracket": ("x=f(a,\n    b,\n       c)\nr = {a: 1\n     b: 2}\n", "x = f(a,\n      b,\n      c)\nr = {a: 1\n     b: 2}\n"),
    "other lines in brackets": ("x = f(a,\n   b)\n", "x = f(a,\n    b)\n"),
    "blocks behind brackets": ("fn f(a,\n     b) {\n  return a\n}\nif a and\n  b {\n  c()\n}\n", "fn f(a,\n     b) {\n    return a\n}\nif a and\n    b {\n    c()\n}\n"),
    "functions as arguments": ("each(xs, fn(x) {\n  print(x)\n})\nr = {\n  a: x -> {\n    y = x\n    y\n  }\n}\n", "each(xs, fn(x) {\n    print(x)\n})\nr = {\n    a: x -> {\n        y = x\n        y\n    }\n}\n"),
    "columns": ("m = [[ 1,  2],\n     [10, 20]]\nr = {a:   1,\n     bcd: 2}\n", "m = [[ 1,  2],\n     [10, 20]]\nr = {a:   1,\n     bcd: 2}\n"),
    "columns of signs": ("m = [[-1,  2],\n     [ 3, -4]]\n", "m = [[-1,  2],\n     [ 3, -4]]\n"),
    "moved columns": ("m=[[ 1,  2],\n   [10, 20]]\n", "m = [[ 1,  2],\n     [10, 20]]\n"),
    "no columns": ("m = [1,     2,\n     30, 40]\nn = [1,  2]\nf( a,\n   b)\nx  =  1\ny  = 23\n", "m = [1, 2,\n     30, 40]\nn = [1, 2]\nf(a,\n  b)\nx = 1\ny = 23\n"),
    "comments": ("x = 1# near\ny = 2        # far\nif x {   # open\n# in it\n\n# more\ny()\n# last\n}\n",
                 "x = 1  # near\ny = 2        # far\nif x {   # open\n    # in it\n\n    # more\n    y()\n    # last\n}\n"),
    "comments in a column": ("x=1  # one\nyy = 2 # two\nzzz = f(  x )   # apart\n", "x = 1  # one\nyy = 2  # two\nzzz = f(x)      # apart\n"),
    "a column moves": ("x=1   # one\nyy =2 # two\nz     # three\n      # goes on\n", "x = 1   # one\nyy = 2  # two\nz       # three\n        # goes on\n"),
    "a wide column stays": ("x=1       # one\nyy = 2    # two\n", "x = 1     # one\nyy = 2    # two\n"),
    "wide characters": ("s = \"変\"  # two columns\nt = \"ab\"  # as wide\n", "s = \"変\"  # two columns\nt = \"ab\"  # as wide\n"),
    "comments as written": ("#no blank\n#  two, and blanks at the end  \n", "#no blank\n#  two, and blanks at the end  \n"),
    "blank lines": ("\n\nx = 1\n\n\n\n\ny = 2\nif x {\n\n\na()\n\n\n\nb()\n\n}\nf(\n\n1,\n\n\n2\n\n)\n\n\n",
                    "x = 1\n\n\ny = 2\nif x {\n    a()\n\n    b()\n}\nf(\n    1,\n\n    2\n)\n"),
    "documentation": ("# one\nfn f(x) = x\n# other\n\nfn g(x) = x\n", "# one\nfn f(x) = x\n# other\n\nfn g(x) = x\n"),
    "ends": ("x = 1 \t\ny = 2;\nz = 3", "x = 1\ny = 2;\nz = 3\n"),
    "line ends": ("x = 1\r\n\r\nif x {\r\n\ty()\r\n}\r\n# fmt: off\r\na  = 1\r\n", "x = 1\n\nif x {\n    y()\n}\n# fmt: off\na  = 1\n"),
    "old line ends": ("x=1\ry=2\r", "x = 1\ny = 2\n"),
    "a byte order mark": ("\ufeffx=1\n", "\ufeffx = 1\n"),
    "nothing": ("\n \t\n", ""),
    "off and on": ("x=1\n# fmt: off\ny  =  [1,\n 2 ]\n\n\n\n\n# fmt: on\nz=[ y ]\n", "x = 1\n# fmt: off\ny  =  [1,\n 2 ]\n\n\n\n\n# fmt: on\nz = [y]\n"),
    "off to the end": ("if x {\n# fmt: off\n  y  ( )\n }\nz=1  \n\n", "if x {\n    # fmt: off\n  y  ( )\n }\nz=1  \n\n"),
    "off inside brackets": ("m = f(\n# fmt: off\n  1 ,2,\n# fmt: on\n3 ,4)\n", "m = f(\n    # fmt: off\n  1 ,2,\n    # fmt: on\n    3, 4)\n"),
    "a statement with an error": ("x=1\ny  = = 2\nfn f( a ) {\n  b  =  = 1\n  return( a )\n}\n", "x = 1\ny  = = 2\nfn f(a) {\n  b  =  = 1\n    return (a)\n}\n"),
    "a character with an error": ("x=f( 1 ,$ 2 )\ny=1\n", "x=f( 1 ,$ 2 )\ny = 1\n"),
    "wrong targets and names": ("1+1=x\nf(a=1,  2)\n", "1 + 1 = x\nf(a=1, 2)\n"),
}


class Format(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def covec(self, *arguments, given=None):
        done = subprocess.run([COVEC, *arguments], input=None if given is None else given.encode(), capture_output=True,
                              cwd=self.folder, timeout=60, env={"PATH": "/usr/bin:/bin"})
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_rules(self):
        for name, (before, after) in RULES.items():
            self.write(f"rules/{name}.covec", before)
        self.assertEqual(self.covec("fmt", "rules"), (0, "", ""))
        for name, (before, after) in RULES.items():
            with self.subTest(name):
                self.assertEqual((self.folder / f"rules/{name}.covec").read_bytes().decode(), after)
                self.assertEqual(self.covec("fmt", "--check", f"rules/{name}.covec"), (0, "", ""))

    def test_standard_input(self):
        self.assertEqual(self.covec("fmt", "-", given="x=1"), (0, "x = 1\n", ""))
        self.assertEqual(self.covec("fmt", "--check", "-", given="x=1"), (1, "<standard input>\n", ""))
        self.assertEqual(self.covec("fmt", "--check", "-", given="x = 1\n"), (0, "", ""))

    def test_folders_and_files(self):
        for name in ("a.covec", "deep/b.covec", "deep/c.txt"):
            self.write(f"code/{name}" if "/" not in name else name, "x=1\n")
        self.write("good.covec", "x = 1\n")
        before = os.stat(self.folder / "good.covec")
        self.assertEqual(self.covec("fmt", "--check", "code", "deep", "good.covec"), (1, "code/a.covec\ndeep/b.covec\n", ""))
        self.assertEqual((self.folder / "code/a.covec").read_text(), "x=1\n")
        self.assertEqual(self.covec("fmt", "code", "deep", "good.covec"), (0, "", ""))
        self.assertEqual([(self.folder / name).read_text() for name in ("code/a.covec", "deep/b.covec", "deep/c.txt")],
                         ["x = 1\n", "x = 1\n", "x=1\n"])
        after = os.stat(self.folder / "good.covec")
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))  # it was not written
        self.assertEqual(sorted(path.name for path in (self.folder / "code").iterdir()), ["a.covec"])

    def test_permissions_and_links(self):
        path = self.write("a.covec", "x=1\n")
        path.chmod(0o640)
        (self.folder / "link.covec").symlink_to("a.covec")
        self.assertEqual(self.covec("fmt", "link.covec"), (0, "", ""))
        self.assertEqual((path.read_text(), path.stat().st_mode & 0o777), ("x = 1\n", 0o640))
        self.assertTrue((self.folder / "link.covec").is_symlink())

    def test_difference(self):
        lines = [f"x{i} = {i}\n" for i in range(30)]
        before = "\n\n" + "".join("y=1\n" if i in (0, 9, 20) else line for i, line in enumerate(lines)) + "\n\n\nz=2"
        self.write("a.covec", before)
        code, out, err = self.covec("fmt", "--diff", "a.covec")
        self.assertEqual((code, err, (self.folder / "a.covec").read_text()), (1, "", before))
        self.assertTrue(out.startswith("--- a.covec\n+++ a.covec\n@@ -1,6 +1,4 @@\n-\n-\n-y=1\n+y = 1\n x1 = 1\n"), out)
        self.assertEqual(out.count("\n@@ "), 4)
        self.assertTrue(out.endswith("-\n-z=2\n\\ No newline at end of file\n+z = 2\n"), out)
        self.check_patch(before)

    def check_patch(self, before):
        """What --diff shows makes of the text what fmt makes of it."""
        patched = self.write("b.covec", before)
        self.assertIsNotNone(shutil.which("patch"))
        code, out, _ = self.covec("fmt", "--diff", "b.covec")
        subprocess.run(["patch", "-s", "-p0", "--binary"], input=out.encode(), cwd=self.folder, check=True)
        made = patched.read_bytes().decode()
        self.assertEqual((code, made), (1, self.covec("fmt", "-", given=before)[1]))

    def test_differences_of_all_kinds(self):
        for before, after in RULES.values():
            if before != after and "\r" not in before:
                self.check_patch(before)

    def test_what_is_left_alone(self):
        for text, told in (("x=1\ny = f(\n", "`(` is never closed"), ("x=1\ny = \"a\n", "string"), ("x=1\ny = f(]\n", "`]`"),
                           ("x=1\nprint(f\"{y\")\n", "f-string")):
            self.write("a.covec", text)
            code, out, err = self.covec("fmt", "a.covec")
            self.assertEqual((code, out, (self.folder / "a.covec").read_text()), (1, "", text))
            self.assertIn("a.covec:2:", err)
            code, out, err = self.covec("fmt", "-", given=text)
            self.assertEqual((code, out), (1, text))
            self.assertIn("<standard input>:2:", err)
            self.assertEqual(self.covec("fmt", "--check", "a.covec")[0], 1)

    def test_the_others_are_formatted(self):
        self.write("a.covec", "f(\n")
        self.write("b.covec", "x=1\n")
        self.assertEqual(self.covec("fmt", "a.covec", "b.covec")[0], 1)
        self.assertEqual((self.folder / "b.covec").read_text(), "x = 1\n")

    def test_not_utf8(self):
        (self.folder / "a.covec").write_bytes(b"x=1\n\xff\n")
        code, _, err = self.covec("fmt", "a.covec")
        self.assertEqual(code, 1)
        self.assertIn("0xff", err)
        self.assertEqual((self.folder / "a.covec").read_bytes(), b"x=1\n\xff\n")

    def test_too_long_a_result(self):
        """Indentation that would make 70 MB of 180 KB."""
        text = "if x {\n" * 900 + "y = 1\n" * 20000 + "}\n" * 900
        code, out, err = self.covec("fmt", "-", given=text)
        self.assertEqual((code, out), (1, text))
        self.assertIn("bytes", err)

    def test_long_lines(self):
        """A line of 60,000 tokens took half a minute when the formatter looked for its end at each of them."""
        row = ", ".join(["1"] * 60000)
        for text in (f"f({row},\n  {row})\n", "x = 1; " * 60000 + "\n", "x = = 1; y = 2; " * 20000 + "\n"):
            self.assertEqual(self.covec("fmt", "-", given=text)[0], 0)

    def test_usage(self):
        self.write("a.covec", "x=1\n")
        for arguments in ((), ("none.covec",), ("--check", "--diff", "a.covec"), ("--width", "a.covec")):
            code, out, err = self.covec("fmt", *arguments)
            self.assertEqual((code, out), (2, ""), err)
        self.assertEqual((self.folder / "a.covec").read_text(), "x=1\n")
        self.assertEqual(self.covec("fmt", "/proc/self/mem")[0], 2)

    def test_the_example_of_the_docs(self):
        shown = re.search(r"\$ covec fmt --diff train.covec\n(.*?)```", (ROOT / "docs/tools.md").read_text(), re.S).group(1)
        before = "".join(line[1:] + "\n" for line in shown.splitlines() if line.startswith(("-", " ")) and not line.startswith("---"))
        self.write("train.covec", before)
        self.assertEqual(self.covec("fmt", "--diff", "train.covec"), (1, shown, ""))

    def test_hooks(self):
        """What pre-commit runs: each entry with the files that match."""
        hooks = (ROOT / ".pre-commit-hooks.yaml").read_text().split("\n- ")[1:]
        hooks = [dict(line.strip().split(": ", 1) for line in hook.strip().splitlines()) for hook in hooks]
        self.assertEqual([hook["id"] for hook in hooks], ["covec-fmt", "covec-check"])
        self.write("a.covec", "x=1\n")
        for hook in hooks:
            self.assertEqual(set(hook), {"id", "name", "description", "entry", "language", "files"})
            self.assertTrue(re.search(hook["files"], "code/a.covec") and not re.search(hook["files"], "a.covec.txt"))
            command, *arguments = hook["entry"].split()
            self.assertEqual((command, self.covec(*arguments, "a.covec")), ("covec", (0, "", "")))
        self.assertEqual((self.folder / "a.covec").read_text(), "x = 1\n")

    def test_the_programs_of_the_project(self):
        """formatted.py, in a small project: it looks at what git knows or would know, but for the folders that it keeps."""
        script = self.folder / "tests/format/formatted.py"
        script.parent.mkdir(parents=True)
        shutil.copy(ROOT / "tests/format/formatted.py", script)
        for path in ("a.covec", "ignored.covec", "tests/errors/b.covec"):
            (self.folder / path).parent.mkdir(exist_ok=True)
            self.write(path, "x=1\n")
        self.write(".gitignore", "ignored.covec\n")
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)

        def run(*arguments):
            done = subprocess.run([sys.executable, script, COVEC, *arguments], capture_output=True, text=True)
            return done.returncode, done.stdout.splitlines()
        self.assertEqual(run(), (1, ["a.covec", "1 programs"]))
        self.assertEqual(run("tests/errors/b.covec"), (0, ["no program to look at"]))
        self.assertEqual((run("--write", "a.covec"), run("a.covec")), ((0, ["1 programs"]), (0, ["1 programs"])))
        self.assertEqual([(self.folder / path).read_text() for path in ("a.covec", "ignored.covec", "tests/errors/b.covec")],
                         ["x = 1\n", "x=1\n", "x=1\n"])

    def test_a_full_disk(self):
        """What cannot be written whole is not written, and nothing is left over."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        path = self.write("code/a.covec", "x=1\n")
        done = subprocess.run([COVEC, "fmt", str(path)], capture_output=True, preexec_fn=limit)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"cannot write", done.stderr)
        self.assertEqual(([each.name for each in path.parent.iterdir()], path.read_text()), (["a.covec"], "x=1\n"))


if __name__ == "__main__":
    COVEC = os.path.abspath(sys.argv.pop(1))
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
