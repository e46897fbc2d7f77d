"""What must not be taken for something else, nor go on without bounds: options, names, keys, lists that change, chains."""
import ast
import builtins
import collections
import ctypes
import dataclasses
import functools
import gc
import inspect
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest
import weakref

import covec

try:
    import numpy as np
except ImportError:
    np = None

needs_numpy = unittest.skipIf(np is None, "NumPy is not installed")


class Options(unittest.TestCase):
    def test_one_path_is_one_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("inside")
            read = f'read_lines("{path}")[0]'
            for given in (folder, os.fsencode(folder), pathlib.Path(folder), [folder], (pathlib.Path(folder),)):
                self.assertEqual(covec.Session(trusted=False, read_folders=given).run(read), "inside")
            # The letters of a path include "/", and that is everything.
            for given in (folder + "/other", os.fsencode(folder + "/other")):
                os.makedirs(given, exist_ok=True)
                for option in ("read_folders", "write_folders"):
                    with self.assertRaises(covec.Error):
                        covec.Session(trusted=False, **{option: given}).run(read)

    def test_what_is_no_path(self):
        for option in ("read_folders", "write_folders"):
            for wrong in (1, 2.5, {"/tmp": 1}, {"/tmp"}, [1], [["/tmp"]], [None], b"".join, iter(["/tmp"])):
                with self.assertRaisesRegex(TypeError, option + " must be a path"):
                    covec.Session(trusted=False, **{option: wrong})

    def test_counts_do_not_wrap(self):
        for name in ("memory_limit", "threads", "text_nesting", "text_bytes", "run_printed_bytes", "run_calls"):
            for wrong in (-1, -2**70):
                with self.assertRaisesRegex(ValueError, name + " must not be negative"):
                    covec.Session(**{name: wrong})
            with self.assertRaisesRegex(OverflowError, name + " must be at most"):
                covec.Session(**{name: 2**64 + 1000})
            with self.assertRaisesRegex(TypeError, name + " must be an integer"):
                covec.Session(**{name: 1.5})
        for name in ("threads", "text_nesting", "run_calls"):
            with self.assertRaisesRegex(OverflowError, name):
                covec.Session(**{name: 2**32 + 1})
        self.assertEqual(covec.Session(memory_limit=1 << 30).memory()["limit"], 1 << 30)


class Lists(unittest.TestCase):
    def test_numbers_that_would_change_the_list(self):
        f = covec.compile("fn f(x) = x")

        class Growing(int):
            def __float__(self):
                numbers.extend([2.5] * 100000)
                return 1.0

        for rest in (1, 40):
            numbers = [0.5, Growing(1)] + [3.0] * rest
            self.assertEqual(f(numbers).tolist(), [0.5, 1.0] + [3.0] * rest)

    @needs_numpy
    def test_numbers_of_numpy(self):
        f = covec.compile("fn f(x) = x")
        for numbers, dtype in ((list(np.arange(3)), "i64"), ([np.float32(0.5), np.float32(1)], "f32"),
                               ([np.int64(1), 2.5], "f64"), ([np.True_, np.False_], "bool"),
                               ([[np.int32(1)], [np.int32(2)]], "i32"), ([1.5, np.float64(2)], "f64")):
            self.assertEqual(f(numbers).dtype, dtype)
            self.assertEqual(f(numbers).tolist(), np.array(numbers).tolist())
        with self.assertRaises(TypeError):
            f([np.uint64(1)])
        with self.assertRaises(ValueError):
            f([[np.int64(1)], [np.int64(1), 2]])

    @needs_numpy
    def test_masked(self):
        f = covec.compile("fn f(x) = x")

        class Mine(np.ma.MaskedArray):
            pass

        for masked in (np.ma.masked, np.ma.array([1.0], mask=[True]), Mine([1.0]), [1.0, np.ma.masked]):
            with self.assertRaisesRegex(TypeError, "mask of a masked array would be lost"):
                f(masked)


class Trees(unittest.TestCase):
    def test_dataclasses_have_their_fields(self):
        @dataclasses.dataclass
        class Point:
            unit: typing.ClassVar[str] = "m"
            scale: dataclasses.InitVar[float] = 1.0
            x: float = 2.0

        self.assertEqual(covec.compile("fn f(p) = p")(Point()), {"x": 2.0})

    def test_named_tuples_are_records(self):
        class Point(typing.NamedTuple):
            x: float
            y: list
        Pair = collections.namedtuple("Pair", "a b")
        session = covec.Session()
        self.assertEqual(session.run("p -> p.x * sum(p.y)")(Point(2.0, [1.0, 2.0])), 6.0)
        self.assertEqual(session.run("p -> p")(Pair(1, (2, "c"))), {"a": 1, "b": (2, "c")})
        self.assertEqual(session.run("p -> p")([(1, "a"), Pair(1, 2)]), [(1, "a"), {"a": 1, "b": 2}])
        self.assertEqual(session.run("fn f(p) = p.a * p.b\nf").grad(Pair(2.0, 3.0)), {"a": 3.0, "b": 2.0})

    def test_keys_that_python_takes_for_one(self):
        with self.assertRaisesRegex(ValueError, "another key of the map as equal to True"):
            covec.run('{1: "a", true: "b"}')
        self.assertEqual(covec.run('{1: "a", 2: "b"}'), {1: "a", 2: "b"})


class Names(unittest.TestCase):
    def test_zero_bytes(self):
        f = covec.compile("fn f(x) = x")
        with self.assertRaisesRegex(ValueError, "zero byte"):
            f(**{"x\0zz": 1})
        with self.assertRaises(UnicodeEncodeError):
            f(**{"\udc80": 1})

    def test_attributes_of_modules(self):
        session = covec.Session(resolve=lambda name: "z = 3")
        session.run("import other")
        other = session["other"]
        self.assertEqual(other.z, 3)
        for wrong in ("z\0q", "\udc80", "y"):
            with self.assertRaises(AttributeError):
                getattr(other, wrong)


class Compiling(unittest.TestCase):
    def test_the_last_function(self):
        for text, given in (("fn helper(x) = x\n@compile fn f(x) = 100*x", 100),
                            ("    fn helper(x) = x\n    fn f(x) = 2*x\n", 2),
                            ("fn f(x) {\nfn inner(y) = y\nreturn 3 * inner(x)\n}", 3),
                            ("fn f(x) = 4*x\n# fn g(x) = x\ns = \"fn g(x) = x\"", 4),
                            ("fn f(x) = 5*x\nc = 1\ns = f\"{{ {c} {'}'} fn g(x) = {f'{c}'}\"; t = ')'", 5),
                            ("a = 1; fn f(x) = 6*x", 6)):
            self.assertEqual(covec.compile(text)(1), given, text)
        with self.assertRaisesRegex(covec.Error, "defines no function"):
            covec.compile("if true {\nfn f(x) = x\n}")

    def test_each_text_is_a_scope_of_its_own(self):
        session = covec.Session()
        session.run("scale = 3")
        f = session.compile("c = 1\nfn helper(x) = scale * x\nfn f(x) = helper(x) + c", name="first")
        g = session.compile("c = 2\nfn helper(x) = 100 * x\nfn f(x) = helper(x) + c")
        self.assertEqual((f(1), g(1), f.grad(1.0), g.grad(1.0)), (4, 102, 3.0, 100.0))
        self.assertEqual(session.names(), ["scale"])
        session.run("scale = 4\nfn helper(x) = 0\nc = 0")  # names of the session are looked up at each call
        self.assertEqual((f(1), g(1)), (5, 102))
        h = session.compile("import optim\nfn even(n) = true if n == 0 else odd(n - 1)\nfn odd(n) = false if n == 0 else even(n - 1)\n"
                            "fn h(n) = (even(n), optim.sgd)")
        self.assertIs(h(7)[0], False)
        self.assertNotIn("optim", session)

    def test_errors_of_texts(self):
        session = covec.Session()
        for text, kind, line, calls in (("fn h(x) = x.foo\nh(1)\nfn f(x) = x", "key", 1, [("h(x)", "mine", 2, 1)]),
                                        ("n = 3\nn(2)\nfn f(x) = x", "type", 2, []), ("fn f(x) = ", "syntax", 1, []),
                                        ("fn f(x) = y + x", "syntax", 1, []), ("fn f(x) = x\nreturn 3", "type", 0, [])):
            with self.assertRaises(covec.Error, msg=text) as raised:
                session.compile(text, name="mine")
            error = raised.exception
            self.assertEqual((error.kind, error.line, error.calls), (kind, line, calls), text)
        for wrong in (3, None, b"fn f(x) = x"):
            with self.assertRaises(TypeError):
                session.compile(wrong)

    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "the sanitizer keeps what is freed")
    def test_texts_go(self):
        session = covec.Session()

        def compile_many(count):
            for k in range(count):
                session.compile(f"fn helper(x) = {k} * x\nfn f(x) = helper(x)")(1.0)
        compile_many(500)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        compile_many(1500)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 8192)

    def test_functions_of_python_are_not_translated(self):
        with self.assertRaisesRegex(TypeError, "not translated"):
            covec.compile(lambda x: x)

    def test_importing_again(self):
        program = """
import sys, importlib, covec
f = covec.compile("fn f(x) = 2 * x")
importlib.reload(covec)
assert covec.compile(f)(1) == 2
for name in [name for name in sys.modules if name.startswith("covec")]:
    del sys.modules[name]
import covec as again
assert again is not covec and again.Array is covec.Array and again.session() is covec.session()
assert again.compile(f)(1) == 2 and again.grad(f)(1.0) == 2.0
try:
    again.run("1 +")
except covec.Error as error:
    print(error.kind)"""
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(run.stdout, "syntax\n", run.stderr)

    def test_names_of_the_module(self):
        space = {}
        exec("from covec import *", space)
        self.assertEqual(set(space) & set(dir(builtins)), set())
        self.assertEqual(set(covec.__all__) - set(space), set())


class Chains(unittest.TestCase):
    @needs_numpy
    def test_arguments_given_back_make_no_chain(self):
        f = covec.compile("fn f(x) = x")
        x = np.arange(4.0)
        made = []
        for _ in range(1000):
            x = f(x).numpy()
            made.append(weakref.ref(x))
        self.assertLess(sum(array() is not None for array in made), 4)
        self.assertEqual(x.tolist(), [0.0, 1.0, 2.0, 3.0])

    @needs_numpy
    def test_views_of_results_make_no_chain(self):
        for text in ("fn f(x) = x", "fn f(x) = x[::-1]", "fn f(x) = x[1:] if len(x) > 4 else x"):
            for steps in ((covec.Session(),), (covec.Session(), covec.Session())):
                functions = [session.compile(text) for session in steps]
                for x in (np.arange(4.0), memoryview(np.arange(4.0)), functions[0].session.run("arange(4) * 1.0")):
                    made = []
                    for k in range(200):
                        result = functions[k % len(functions)](x)
                        x = [lambda: result.numpy()[::-1], lambda: np.asarray(memoryview(result)), lambda: result.numpy()[:],
                             lambda: np.asarray(result)][k % 4]()
                        made.append(weakref.ref(x))
                    self.assertLess(sum(array() is not None for array in made), 8, text)
                    self.assertEqual(sorted(x.tolist()), [0.0, 1.0, 2.0, 3.0])

    @needs_numpy
    def test_a_long_chain_ends(self):
        f = covec.compile("fn f(x) = x")
        x = np.arange(4.0)
        for _ in range(200000):
            x = f(x).numpy()[::-1]
        del x


class Interrupts(unittest.TestCase):
    def test_a_long_call_after_quick_ones(self):
        session = covec.Session()
        session.run("fn f(n) { s = 0\nfor i in range(n) { s = s + i % 3 }\nreturn s }")
        f = session["f"]
        for _ in range(100):
            f(1)
        timer = threading.Timer(0.2, session.interrupt)
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(covec.Error) as raised:
            f(10**9)
        self.assertEqual(raised.exception.kind, "interrupted")
        self.assertLess(time.monotonic() - begin, 20)
        timer.join()

    def test_an_exception_of_before_ends_no_later_run(self):
        class Length:
            from_param = staticmethod(len)

        # A function that sends SIGINT, 2, and raises, without a step of Python's at which its handler would run.
        output = ctypes.CDLL(None)["raise"]
        output.argtypes = [Length, Length]
        output.restype = [].__getitem__
        session = covec.Session(output=output)
        with self.assertRaises(KeyboardInterrupt):
            session.run("print(1)")
        self.assertEqual(session.run("1 + 1"), 2)


class Collecting(unittest.TestCase):
    def test_cycles_through_functions_of_the_session(self):
        for text in ("fn f(x) = x\nf", "[1, 2]", "range(3)"):
            held = []

            def output(text, stream, held=held):
                pass

            session = covec.Session(output=output)
            held.append(session.run(text))
            if text.endswith("f"):
                held.append(held[0].grad)
            gone = weakref.ref(output)
            del session, output, held
            gc.collect()
            self.assertIsNone(gone(), text)


    def test_sessions_that_read_their_own_arrays(self):
        ways = [lambda a: a, lambda a: memoryview(a), lambda a: (memoryview(a), a)[1], lambda a: memoryview(a)[::2],
                lambda a: a.__dlpack__(), lambda a: covec.Session().run("x -> x")(a.__dlpack__())]
        if np is not None:
            ways += [lambda a: a.numpy(), lambda a: a.numpy()[::2], lambda a: np.asarray(memoryview(a)), np.from_dlpack]
        for k, way in enumerate(ways):
            session = covec.Session()
            array = session.run("[1.0, 2.0, 3.0, 4.0] * 1.0")
            try:
                session["x"] = way(array)
            except covec.Error:
                continue  # of another session
            gone = weakref.ref(session)
            del session, array
            self.assertIsNone(gone(), k)


class Signatures(unittest.TestCase):
    def test_of_definitions(self):
        session = covec.Session()
        session.run("# Adds.\n# Twice.\nfn f(x: f64, y=(2.0, \"a,b\"), *rest, by=[1, 2]) = x\nfn g(a, b=1) = a")
        f, g = session["f"], session["g"]
        self.assertEqual(str(inspect.signature(f)), '(x, y=(2.0, "a,b"), *rest, by=[1, 2])')
        self.assertEqual((f.__name__, f.__qualname__), ("f", "f"))
        self.assertEqual(f.__doc__, 'f(x: f64, y=(2.0, "a,b"), *rest, by=[1, 2])\n\nAdds.\nTwice.')
        self.assertEqual(inspect.signature(g).bind(1, b=2).arguments, {"a": 1, "b": 2})
        with self.assertRaises(TypeError):
            inspect.signature(g).bind()
        for made, names in ((f.grad, "(x, y, rest, by)"), (g.compiled, "(a, b=1)"), (session.run("(x, y) -> x"), "(x, y)"),
                            (session.builtin("sum"), "(x, axis=none, keepdims=false)"), (session.run("() -> 1"), "()")):
            self.assertEqual(str(inspect.signature(made)), names)
        session.run("fn f(x, y=1, **options) = (x, y, options)\n@compile fn h(x, **o) = x * o.by")
        f = session["f"]
        self.assertEqual(str(inspect.signature(f)), "(x, y=1, **options)")
        self.assertEqual(inspect.signature(f).bind(1, z=2).arguments, {"x": 1, "options": {"z": 2}})
        self.assertEqual(f(1, z=2, **{"größe": "a", "options": 4}), (1, 1, {"z": 2, "größe": "a", "options": 4}))
        self.assertEqual((f(x=1), session["h"](2.0, by=3.0), session["h"].grad(2.0, by=3.0)), ((1, 1, {}), 6.0, 3.0))
        self.assertEqual((f.grad.__name__, session.builtin("sin").__name__), ("grad(f)", "sin"))

        @functools.wraps(g)
        def wrapped(*arguments):
            return g(*arguments)
        self.assertEqual((wrapped.__name__, wrapped(1), str(inspect.signature(wrapped))), ("g", 1, "(a, b=1)"))
        session.close()
        with self.assertRaisesRegex(covec.Error, "closed"):
            f.__name__

    def test_the_stub_names_what_is_there(self):
        folder = pathlib.Path(__file__).resolve().parents[2] / "interpreter" / "python" / "covec"
        self.assertTrue((folder / "py.typed").exists())
        stub = ast.parse((folder / "__init__.pyi").read_text(encoding="utf-8"))
        names, classes = set(), {}
        for node in stub.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = {part.name if isinstance(part, ast.FunctionDef) else part.target.id for part in node.body}
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                names.add(node.name)
        self.assertEqual(names, {name for name in vars(covec) if not name.startswith("_")})
        for name, parts in classes.items():
            kind = getattr(covec, name)
            own = {part for part in vars(kind) if part not in ("__doc__", "__module__", "__new__", "__call__", "__qualname__", "__weakref__", "__weaklistoffset__",
                                                               "__vectorcalloffset__", "__repr__", "__str__")}
            self.assertEqual(parts - {"__call__", "__getattribute__"}, own - {"__getattribute__"}, name)


class Capsules(unittest.TestCase):
    def setUp(self):
        self.session = covec.Session()
        self.other = covec.Session().run("x -> 2 * x")

    @staticmethod
    def flags(capsule):
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        return ctypes.c_uint64.from_address(pointer(capsule, b"dltensor_versioned") + 24).value

    def test_versions_in(self):
        asked = []

        class Speaker:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, max_version=None):
                asked.append(max_version)
                return self.array.__dlpack__(max_version=max_version)

            def __dlpack_device__(self):
                return 1, 0

        x = self.session.run("x = [[1.0, 2.0], [3.0, 4.0]]\ntranspose(x)")
        self.assertEqual(self.other(Speaker(x)).tolist(), [[2, 6], [4, 8]])
        self.assertEqual(asked, [(1, 0)])
        capsule = x.__dlpack__(max_version=(1, 0))
        self.assertEqual(self.other(capsule).tolist(), [[2, 6], [4, 8]])
        with self.assertRaisesRegex(TypeError, "used"):
            self.other(capsule)
        Speaker.__dlpack__ = lambda self, max_version=None: {}[max_version]
        with self.assertRaises(KeyError):
            self.other(Speaker(x))

    def test_flags(self):
        x = self.session.run("x = [1.0, 2.0]\nx")
        self.assertEqual(self.flags(x.__dlpack__(max_version=(1, 0))), 1)  # read-only
        self.assertEqual(self.flags(x.__dlpack__(max_version=(1, 0), copy=True)), 2)  # a copy
        self.assertEqual(self.flags(self.session.run("[1.0, 2.0] + 1").__dlpack__(max_version=(1, 0))), 0)

    def test_other_devices(self):
        x = self.session.run("[1.0]")
        self.assertEqual(self.other(x.__dlpack__(dl_device=(1, 0))).tolist(), [2.0])
        for wrong in ((1, 1), (2, 0)):
            with self.assertRaises(BufferError):
                x.__dlpack__(dl_device=wrong)

    def test_arrays_of_all_kinds(self):
        for text in ("bf16([1.5, 2.0])", "f16([1.5, 2.0])", "[1, 2]", "i32([1, 2])", "zeros(0)", "zeros(2, 0, 3)",
                     "x = reshape(arange(24), [2, 3, 4])\ntranspose(x, [2, 0, 1])", "f32([[1.0]])"):
            x = self.session.run(text)
            for options in ({}, {"copy": True}, {"max_version": (1, 0)}, {"max_version": (1, 0), "copy": True}):
                given = covec.Session().run("x -> x")(x.__dlpack__(**options))
                self.assertEqual((given.dtype, given.shape, given.tolist()), (x.dtype, x.shape, x.tolist()))

    def test_elements_go_with_the_last_use(self):
        held = self.session.run("[1.0, 2.0, 3.0] * 2")
        used = self.session.memory()["used"]
        capsule = held.__dlpack__()
        del held
        self.assertEqual(self.session.memory()["used"], used)
        del capsule
        self.assertLess(self.session.memory()["used"], used)

    @needs_numpy
    def test_of_a_closed_session(self):
        a, b = self.session.run("x = [1.0, 2.0]\nx"), self.session.run("[3.0, 4.0] * 1")
        self.session.close()
        for array, numbers in ((a, [1.0, 2.0]), (b, [3.0, 4.0])):
            self.assertEqual(np.asarray(array).tolist(), numbers)
            self.assertEqual(np.from_dlpack(array).tolist(), numbers)


class Comparing(unittest.TestCase):
    @needs_numpy
    def test_elements(self):
        a, b = covec.run("[1, 2]"), covec.run("[1, 3]")
        self.assertEqual((a == b).tolist(), [True, False])
        self.assertEqual((a != b).tolist(), [False, True])
        self.assertEqual((a == 2).tolist(), [False, True])
        self.assertEqual((np.array([1, 2]) == a).tolist(), [True, True])
        self.assertEqual((a < b).tolist(), [False, True])
        with self.assertRaises(TypeError):
            {a: 1}

    def test_without_numpy(self):
        program = """
import sys
sys.modules["numpy"] = None
import covec
a = covec.run("[1, 2]")
try:
    a == a
except TypeError as error:
    print(error)"""
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertIn("use a.tolist()", run.stdout, run.stderr)


if __name__ == "__main__":
    unittest.main()
