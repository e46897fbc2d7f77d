"""Sessions and calls: programs, names, functions and their derivatives, numbers and trees, errors."""
import contextlib
import dataclasses
import gc
import io
import math
import os
import tempfile
import unittest
import weakref

import covec


class Programs(unittest.TestCase):
    def test_run_gives_the_last_expression(self):
        self.assertEqual(covec.run("1 + 1"), 2)
        self.assertIsNone(covec.run("a = 3"))
        self.assertEqual(covec.get("a"), 3)

    def test_load_gives_the_session(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.covec")
            with open(path, "w", encoding="utf-8") as file:
                file.write("fn twice(x) = 2 * x\n")
            self.assertEqual(covec.load(path)["twice"](4.0), 8.0)
            self.assertEqual(covec.Session().load(os.fsencode(path))["twice"](4), 8)
        with self.assertRaises(covec.Error) as raised:
            covec.load("/nowhere/model.covec")
        self.assertEqual(raised.exception.kind, "file")

    def test_names(self):
        session = covec.Session()
        session["x"] = 2.5
        session.run("y = x + 1")
        self.assertEqual(session["y"], 3.5)
        self.assertEqual(session.names(), ["x", "y"])
        self.assertIn("x", session)
        self.assertNotIn("z", session)
        with self.assertRaises(KeyError):
            session["z"]
        with self.assertRaises(covec.Error) as raised:
            session["fn"] = 1
        self.assertEqual(raised.exception.kind, "misuse")
        with self.assertRaises(TypeError):
            del session["x"]
        for wrong in (1, None, b"x"):
            with self.assertRaises(TypeError):
                session[wrong]
        with self.assertRaises(ValueError):
            session["x\0"]
        with self.assertRaises(ValueError):
            session.run("1\0")

    def test_sessions_share_nothing(self):
        one, two = covec.Session(), covec.Session()
        one.run("fn f(x) = x")
        self.assertNotIn("f", two)
        with self.assertRaisesRegex(covec.Error, "another session") as raised:
            two["g"] = one["f"]
        self.assertEqual(raised.exception.kind, "misuse")
        with self.assertRaisesRegex(covec.Error, "another session"):
            two.run("x -> x")(one.run("[1.0, 2.0]"))

    def test_closed(self):
        session = covec.Session()
        f, x = session.run("x -> 2 * x"), session.run("[1.0, 2.0]")
        session.close()
        session.close()
        for use in (lambda: session.run("1"), lambda: session["x"], lambda: f(1.0), lambda: f.grad):
            with self.assertRaisesRegex(covec.Error, "closed"):
                use()
        self.assertEqual(x.tolist(), [1.0, 2.0])
        self.assertIn("closed", repr(session))
        repr(f), repr(x), str(x)
        with covec.Session() as other:
            self.assertEqual(other.run("1"), 1)
        with self.assertRaises(covec.Error):
            other.run("1")

    def test_a_session_is_opened_once(self):
        session = covec.Session()
        with self.assertRaises(ValueError):
            session.__init__()
        self.assertEqual(session.run("1"), 1)
        empty = covec.Session.__new__(covec.Session)
        with self.assertRaisesRegex(covec.Error, "closed"):
            empty.run("1")
        for kind in (covec.Array, covec.Function, covec.Value):
            with self.assertRaises(TypeError):
                kind()

    def test_objects_go(self):
        session = covec.Session(output=lambda text, stream: None)
        gone = weakref.ref(session.run("x -> x"))
        self.assertIsNone(gone())
        seen = []

        class Printer:
            def __call__(self, text, stream):
                seen.append(text)
        printer = Printer()
        printer.session = covec.Session(output=printer)  # a cycle
        printer.session.run("print(1)")
        self.assertEqual("".join(seen), "1\n")
        gone = weakref.ref(printer)
        del printer
        gc.collect()
        self.assertIsNone(gone())

    def test_memory(self):
        session = covec.Session(memory_limit=10_000_000)
        self.assertEqual(session.memory()["limit"], 10_000_000)
        with self.assertRaises(covec.Error) as raised:
            session.run("zeros(10000000)")
        self.assertEqual(raised.exception.kind, "limit")

    def test_values_of_other_kinds(self):
        session = covec.Session()
        session.run("import optim")
        module = session["optim"]
        self.assertIsInstance(module, covec.Value)
        self.assertIsInstance(module.sgd, covec.Function)
        with self.assertRaises(AttributeError):
            module.nothing
        self.assertEqual(session.run("r -> sum(r)")(session.run("range(4)")), 6)


class Outside(unittest.TestCase):
    def test_output_is_that_of_python(self):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            covec.run('print("é", 1)\nprint("w", to="stderr")')
        self.assertEqual((out.getvalue(), err.getvalue()), ("é 1\n", "w\n"))

    def test_output_goes_to_a_function(self):
        lines = []
        covec.Session(output=lambda text, stream: lines.append((text, stream))).run('print(1)\nprint(2, to="stderr")')
        self.assertEqual("".join(text for text, stream in lines if stream == "stdout"), "1\n")
        self.assertEqual("".join(text for text, stream in lines if stream == "stderr"), "2\n")

    def test_what_output_raises_ends_the_run(self):
        def fail(text, stream):
            raise LookupError("full")
        session = covec.Session(output=fail)
        with self.assertRaisesRegex(LookupError, "full"):
            session.run("print(1)\nwhile true { }")
        with self.assertRaisesRegex(LookupError, "full"):
            session.run("print(1)")
        self.assertEqual(session.run("1"), 1)

    def test_a_function_that_is_called_cannot_use_the_session(self):
        seen = []

        def reenter(text, stream):
            seen.append(text)
            other = covec.Session()
            seen.append(other.run("2"))
            session.run("3")
        session = covec.Session(output=reenter)
        with self.assertRaisesRegex(covec.Error, "in use"):
            session.run("print(1)")
        self.assertEqual(seen[1], 2)
        self.assertEqual(session.run("4"), 4)

    def test_input(self):
        lines = ["one", "", "zwölf", None]
        session = covec.Session(input=lambda: lines.pop(0))
        self.assertEqual(session.run("(input(), input(), input())"), ("one", "", "zwölf"))
        self.assertIsNone(session.run("input()"))
        with self.assertRaises(covec.Error):
            covec.run("input()")
        for wrong, kind in ((3, "int"), (b"line", "bytes"), (["line"], "list")):
            with self.assertRaisesRegex(TypeError, f"input must give a str or None, not {kind}"):
                covec.Session(input=lambda: wrong).run("input()")

    def test_modules(self):
        session = covec.Session(resolve={"mine": "fn f(x) = x + 1"}.get)
        session.run("import mine")
        self.assertEqual(session.run("mine.f(1)"), 2)
        with self.assertRaises(covec.Error):
            session.run("import other")
        with self.assertRaisesRegex(TypeError, "resolve must give a str or None, not bytes"):
            covec.Session(resolve=lambda name: b"x = 1").run("import other")

    def test_permissions(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "x.txt"), "w", encoding="utf-8") as file:
                file.write("text")
            session = covec.Session(trusted=False, read_folders=[folder], may_read_clock=True)
            self.assertEqual(session.run(f'read_text("{folder}/x.txt")'), "text")
            self.assertGreater(session.run("time()"), 0)
            for refused in ('read_text("/etc/passwd")', f'write_text("{folder}/y.txt", "")', "sleep(0.0)"):
                with self.assertRaises(covec.Error):
                    session.run(refused)
            covec.Session(trusted=False, write_folders=(folder,)).run(f'write_text("{folder}/y.txt", "y")')
            self.assertTrue(os.path.exists(os.path.join(folder, "y.txt")))
        with self.assertRaises(FileNotFoundError):
            covec.Session(trusted=False, read_folders=["/nowhere/at/all"])
        with self.assertRaises(ValueError):
            covec.Session(may_sleep=True)
        for wrong in ({"read_folders": 3}, {"read_folders": [3]}, {"output": 3}, {"threads": "x"}, {"nothing": 1}):
            with self.assertRaises(TypeError):
                covec.Session(trusted=False, **wrong)
        for wrong in (-1.0, math.nan, 1e300):
            with self.assertRaises(ValueError):
                covec.Session(run_seconds=wrong)

    def test_limits(self):
        session = covec.Session(run_seconds=0.05, run_printed_bytes=10, run_calls=20, output=lambda *_: None)
        with self.assertRaises(covec.Error) as raised:
            session.run("while true { }")
        self.assertEqual(raised.exception.kind, "interrupted")
        with self.assertRaises(covec.Error):
            session.run('for i in range(100) { print("long") }')
        with self.assertRaises(covec.Error):
            session.run("fn deep(n) = if n == 0 then 0 else deep(n - 1)\ndeep(100)")
        self.assertEqual(session.run("1"), 1)


class Functions(unittest.TestCase):
    def test_calls(self):
        session = covec.Session()
        session.run("fn f(x, y=2.0, z=0.0) = x * y + z\nfn g(*xs) = len(xs)")
        f = session["f"]
        self.assertEqual(f(3.0), 6.0)
        self.assertEqual(f(3.0, z=1.0), 7.0)
        self.assertEqual(f(y=3.0, x=1.0), 3.0)
        self.assertEqual(f(*[1.0, 2.0], **{"z": 3.0}), 5.0)
        self.assertEqual(f.parameters, ["x", "y", "z"])
        self.assertIs(f.session, session)
        self.assertEqual(session["g"](*range(100)), 100)
        for call in (lambda: f(), lambda: f(1.0, w=2.0), lambda: f(1.0, 2.0, 3.0, 4.0), lambda: f(1.0, x=1.0)):
            with self.assertRaises(covec.Error):
                call()
        self.assertIn("f", repr(f))

    def test_results(self):
        session = covec.Session()
        self.assertEqual(session.run("fn f() = (1, 2.5, true)\nf")(), (1, 2.5, True))
        self.assertIsNone(session.run("fn g(x) { return none }\ng")(1))

    def test_derivatives(self):
        f = covec.compile("fn f(x) = x^3")
        self.assertEqual((f(2.0), f.grad(2.0), f.grad.grad(2.0)), (8.0, 12.0, 12.0))
        self.assertEqual(f.value_and_grad(2.0), (8.0, 12.0))
        self.assertIs(f.grad, f.grad)
        self.assertEqual(f.jacobian([1.0, 2.0]).tolist(), [[3.0, 0.0], [0.0, 12.0]])
        self.assertEqual(f.vmap([1.0, 2.0]).tolist(), [1.0, 8.0])
        covec.run("fn g(a, b) = a * b^2")
        g = covec.get("g")
        self.assertEqual(covec.grad(g, 1)(3.0, 2.0), 12.0)
        self.assertEqual(covec.grad(g, wrt="b")(3.0, 2.0), 12.0)
        self.assertEqual(covec.grad(g, (0, 1))(3.0, 2.0), (4.0, 12.0))
        self.assertEqual(covec.value_and_grad(g, "b")(3.0, 2.0), (12.0, 12.0))
        self.assertEqual(covec.jacobian(g)(3.0, 2.0), 4.0)
        self.assertEqual(covec.vmap(g, (0, None))([1.0, 2.0], 2.0).tolist(), [4.0, 8.0])
        with self.assertRaises(TypeError):
            covec.grad(math.sin)
        with self.assertRaises(covec.Error):
            covec.grad(g, "c")

    def test_compile(self):
        f = covec.compile("fn helper(x) = x + 1\n@compile\nfn main(x) = 2 * helper(x)\n")
        self.assertEqual(f(1.0), 4.0)
        covec.run("fn other(x) = x + 1")
        self.assertEqual(covec.compile(covec.get("other"))(1.0), 2.0)
        with self.assertRaisesRegex(covec.Error, "defines no function"):
            covec.compile("x = 1")
        with self.assertRaises(covec.Error):
            covec.compile("fn broken(x) = ")
        with self.assertRaises(TypeError):
            covec.compile(3)

    def test_builtins(self):
        self.assertEqual(covec.builtin("sqrt")(9.0), 3.0)
        with self.assertRaises(covec.Error):
            covec.builtin("nothing")


class Values(unittest.TestCase):
    def setUp(self):
        self.same = covec.Session().run("x -> x")

    def test_numbers_and_trees_come_back(self):
        for value in (0, 1, -2**63, 2**63 - 1, 2.5, -0.0, math.inf, True, False, None, "", "é\0\U0001f600", (), (1,), (1, (2.5, "a")),
                      ["a", "b"], [None, 1], {"a": 1, "b": {"c": 2.5}}, {"a b": 1}, {1: "one", 2: "two"}, {("a", 1): 1}, {True: 1}, {}):
            given = self.same(value)
            self.assertEqual(given, value)
            self.assertIs(type(given), type(value))
        self.assertTrue(math.isnan(self.same(math.nan)))
        self.assertEqual(math.copysign(1, self.same(-0.0)), -1)

    def test_kinds(self):
        kind = covec.Session().run('x -> type_of(x)')
        self.assertEqual([kind(x) for x in (1, 1.0, True, [1, 2], [1, 2.5], [True], [], [[1], [2]], {"a": 1}, {"a b": 1})],
                         ["i64", "f64", "bool", "i64[2]", "f64[2]", "bool[1]", "f64[0]", "i64[2, 1]", "record", "map"])

    def test_lists_of_numbers_are_tensors(self):
        for value in ([1.0, 2.5], [1, 2], [True, False], [[1, 2], [3, 4]], [[], []]):
            self.assertEqual(self.same(value).tolist(), value)
        self.assertEqual(self.same([1, 2.5]).tolist(), [1.0, 2.5])
        self.assertEqual(self.same([[1], [2]]).shape, (2, 1))
        self.assertEqual(self.same([[1, 2], ["a"]])[1], ["a"])
        self.assertEqual(self.same([1, [2, 3]])[0], 1)
        for ragged in ([[1, 2], [3]], [[], [1]]):
            with self.assertRaises(ValueError):
                self.same(ragged)

    def test_dataclasses_are_records(self):
        @dataclasses.dataclass
        class Body:
            mass: float
            at: list
        self.assertEqual(covec.Session().run("b -> b.mass * sum(b.at)")(Body(2.0, [1.0, 2.0])), 6.0)
        with self.assertRaises(TypeError):
            self.same(Body)

    def test_what_is_an_index_is_a_number(self):
        class Three:
            def __index__(self):
                return 3
        self.assertEqual(self.same(Three()), 3)

    def test_wrong_kinds(self):
        class Broken:
            def __index__(self):
                raise LookupError("no")
        endless = []
        endless.append(endless)
        deep = {}
        inner = deep
        for _ in range(100000):
            inner["a"] = inner = {}
        for value, error in ((object(), TypeError), (float, TypeError), ({1, 2}, TypeError), (iter([]), TypeError),
                             (2**63, OverflowError), ([2**63], OverflowError), ([2**2000, 1.0], OverflowError), (Broken(), LookupError), (endless, RecursionError),
                             (deep, RecursionError), ({1.5: 1}, covec.Error), ({"fn": 1}, covec.Error), ({None: 1}, covec.Error),
                             (b"bytes", TypeError), (bytearray(3), TypeError), ("\ud800", UnicodeEncodeError), ([1, object()], TypeError)):
            with self.assertRaises(error, msg=repr(type(value))):
                self.same(value)
        while deep:
            deep = deep.pop("a", None)


class Errors(unittest.TestCase):
    def test_parts(self):
        session = covec.Session()
        with self.assertRaises(covec.Error) as raised:
            session.run('fn k(x) = x + "a"\n\nk([1.0])', name="model")
        error = raised.exception
        self.assertEqual((error.kind, error.file, error.line, error.column), ("type", "model", 1, 15))
        self.assertEqual(error.calls, [("k(x)", "model", 3, 1)])
        self.assertIn("got a string", error.message)
        self.assertIn("str(n)", error.hint)
        self.assertIn("^^^", str(error))
        self.assertFalse(str(error).endswith("\n"))
        with self.assertRaises(covec.Error) as raised:
            session.run("1 +")
        self.assertEqual(raised.exception.kind, "syntax")
        with self.assertRaises(covec.Error) as raised:
            session.run('error("mine", kind="value")')
        self.assertEqual((raised.exception.kind, raised.exception.message), ("value", "mine"))
        with self.assertRaises(covec.Error) as raised:
            session.run("exit(3)")
        self.assertEqual(raised.exception.kind, "exit")
        self.assertEqual(session.run("1"), 1)

    def test_one_made_in_python(self):
        error = covec.Error("text")
        self.assertEqual((str(error), error.kind, error.line, error.calls), ("text", "", 0, ()))


if __name__ == "__main__":
    unittest.main()
