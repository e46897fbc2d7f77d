"""Arrays and functions as other libraries take them: each dtype and layout by NumPy and PyTorch; pandas, SciPy, pickle of processes."""
import functools
import importlib.util
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
import unittest

import covec


def wanted(name):
    """Imported by the test that needs it: PyTorch takes seconds."""
    return unittest.skipIf(importlib.util.find_spec(name) is None, f"{name} is not installed")


DTYPES = ("bool", "i32", "i64", "f16", "bf16", "f32", "f64")
LAYOUTS = ("{}(1)", "{}(zeros(0))", "{}(zeros(2, 0, 3))", "{}([1, 0, 1])", "{}([[1, 0], [0, 1], [1, 1]])", "{}([[1, 0], [0, 1], [1, 1]]).T",
           "{}([1, 0, 1])[::-1]", "{}([1, 0, 1, 0])[::2]")


def arrays():
    for dtype in DTYPES:
        for layout in LAYOUTS:
            made = covec.run(layout.format(dtype))
            if isinstance(made, covec.Array):
                yield dtype, made


class Numpy(unittest.TestCase):
    @wanted("numpy")
    def test_each_dtype_and_layout(self):
        import numpy as np
        for dtype, array in arrays():
            ways = [np.asarray, np.array, lambda a: a.numpy(), lambda a: np.asarray(memoryview(a))]
            if dtype != "bool":  # which DLPack has since its version 1 alone
                ways.append(np.from_dlpack)
            for way in ways:
                if dtype == "bf16":
                    with self.assertRaises((TypeError, BufferError, RuntimeError)):
                        way(array)
                    continue
                given = way(array)
                self.assertEqual((given.shape, given.tolist()), (array.shape, array.tolist()), dtype)
                self.assertEqual(given.dtype, np.dtype({"f": "f", "i": "i", "b": "?"}[dtype[0]] + (str(int(dtype[1:]) // 8) if dtype != "bool" else "")))
                self.assertEqual(covec.run("x -> x")(given).__class__ is covec.Array and covec.run("x -> x")(given).shape or (), array.shape)

    def test_memoryviews(self):
        for dtype, array in arrays():
            if dtype == "bf16":
                with self.assertRaisesRegex(BufferError, "bfloat16"):
                    memoryview(array)
                continue
            view = memoryview(array)
            self.assertEqual((view.shape, view.nbytes), (array.shape, array.nbytes))
            if dtype != "f16":  # which memoryviews cannot read
                self.assertEqual(view.tolist(), array.tolist())


class Torch(unittest.TestCase):
    @wanted("torch")
    def test_each_dtype_and_layout(self):
        import torch
        names = {"bool": "bool", "i32": "int32", "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
        same = covec.run("x -> x")
        for dtype, array in arrays():
            if dtype != "bool" or tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 4):
                given = torch.from_dlpack(array)
                self.assertEqual(given.dtype, getattr(torch, names[dtype]))
                self.assertEqual((tuple(given.shape), given.tolist()), (array.shape, array.tolist()))
                if array.ndim > 0:
                    self.assertEqual((same(given).dtype, same(given).tolist()), (dtype, array.tolist()))
            if array.ndim > 0 and array.size > 0:
                given = torch.as_tensor(array)
                self.assertEqual((tuple(given.shape), given.tolist()), (array.shape, array.tolist()))
                self.assertEqual(given.dtype, getattr(torch, names["f32" if dtype == "bf16" and torch.__version__ < "2" else dtype]))
            with self.assertRaises((RuntimeError, ValueError, BufferError)):
                torch.asarray(array)  # would take the bytes for float32


    @wanted("torch")
    def test_complex_and_bool(self):
        import torch
        same = covec.run("x -> x")
        z = torch.tensor([[1 + 2j, 3 - 1j, 0.5j], [2 + 0j, -1j, 4 + 4j]])
        for given in (z, z.T, z[:, ::2], z.conj(), z.conj().T, z.to(torch.complex128), -z.conj()[0], torch.zeros(0, 2, dtype=torch.complex64)):
            made = same(given)
            self.assertEqual((made.shape, made.tolist()), (tuple(given.shape), given.tolist()))
            self.assertEqual(str(made.dtype), str(given.dtype).split(".")[1])
        for given in (z.conj().imag, z.conj().imag[0], z.imag, z.real):  # views, the first two to be negated
            self.assertEqual(same(given).tolist(), given.tolist())
        self.assertEqual(same(z[0, 0].clone()), 1 + 2j)
        flags = torch.tensor([[True, False], [True, True]])
        for given in (flags, flags.T, flags[:, :1], torch.zeros(0, dtype=torch.bool)):
            self.assertEqual((same(given).dtype, same(given).tolist()), ("bool", given.tolist()))
        self.assertIs(same(torch.tensor(True)), True)


class DlPack(unittest.TestCase):
    @wanted("numpy")
    def test_complex(self):
        import numpy as np

        class Speaks:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()
        same = covec.run("x -> x")
        z = np.arange(12).reshape(3, 4) * (1 + 2j)
        for given in (z, z.T, z[::-2, 1:], z.astype("complex64"), np.zeros((0, 3), complex)):
            made = same(Speaks(given))
            self.assertEqual((made.dtype, made.shape, made.tolist()), (given.dtype, given.shape, given.tolist()))
        self.assertEqual(same(Speaks(np.array(2 - 1j))), 2 - 1j)


class Stub(unittest.TestCase):
    @wanted("mypy")
    def test_type_checker(self):
        stub = os.path.join(os.path.dirname(covec.__file__), "__init__.pyi")
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, stub], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


class Pandas(unittest.TestCase):
    @wanted("pandas")
    def test_series_and_frames(self):
        import pandas as pd
        f = covec.compile("fn f(x) = sum(x * x)")
        series = pd.Series([1.0, 2.0, 3.0])
        self.assertEqual((f(series), f(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})), f(pd.Series([1, 2]))), (14.0, 30.0, 5))
        self.assertEqual(pd.Series(f.grad(series)).tolist(), [2.0, 4.0, 6.0])
        self.assertEqual(series.to_frame("x").assign(slope=f.grad(series))["slope"].tolist(), [2.0, 4.0, 6.0])
        for wrong in (pd.Series(["a"]), pd.Series([1, 2], dtype="Int64")):
            with self.assertRaisesRegex(TypeError, "Covec has no dtype"):
                f(wrong)


    @wanted("pandas")
    def test_tables(self):
        import datetime
        import pandas as pd
        session = covec.Session()
        session.run("import table")
        frame = pd.DataFrame({"city": ["Oslo", None, "Bergen"], "price": [3.5, float("nan"), 1.0], "n": [1, 2, 3], "sold": [True, False, True],
                              "when": pd.to_datetime(["2024-01-03", None, "2024-02-11T12:00:00.25"])}, index=[7, 8, 9])
        session["t"] = frame
        self.assertEqual(session.run("type_of(t)"), "record")
        self.assertEqual(session.run("t.city"), ["Oslo", None, "Bergen"])
        self.assertEqual(session.run("(t.price[0], isnan(t.price[1]), t.n, t.sold)")[::1][0:2], (3.5, True))
        self.assertEqual((session.run("t.n").dtype, session.run("t.sold").dtype, session.run("t.price").dtype), ("i64", "bool", "f64"))
        self.assertEqual(session.run("table.filter(t, table.is(t.city, \"Oslo\")).n").tolist(), [1])
        seconds = datetime.datetime(2024, 2, 11, 12, 0, 0, 250000, datetime.timezone.utc).timestamp()
        self.assertEqual(session.run("t.when.seconds[2]"), seconds)
        self.assertTrue(session.run("isnan(t.when.seconds[1])"))
        self.assertEqual(session.run("table.date_texts(t.when, \"%Y-%m-%d\")"), ["2024-01-03", None, "2024-02-11"])

        same = covec.run("x -> x")
        moved = pd.DataFrame({"when": pd.to_datetime(["2024-01-03T12:00+02:00"]).tz_convert("America/New_York")})
        self.assertEqual(same(moved)["when"]["seconds"].tolist(), [datetime.datetime(2024, 1, 3, 10, tzinfo=datetime.timezone.utc).timestamp()])
        own = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": pd.array([1, 2], dtype="Int32"), "c": pd.array([True, None], dtype="boolean"),
                            "d": pd.array(["x", None], dtype="string"), "e": pd.Categorical(["u", None]), "f": pd.Categorical([2, 1])})
        given = same(own)
        self.assertEqual((given["a"].dtype, given["b"].dtype, given["c"].dtype, given["f"].tolist()), ("f64", "i32", "f64", [2, 1]))
        self.assertEqual((given["d"], given["e"], given["c"].tolist()[0]), (["x", None], ["u", None], 1.0))
        self.assertEqual(same(pd.DataFrame({"s": pd.Series([], dtype=object), "n": pd.Series([], dtype=float)}))["s"], [])

        mixed = same(pd.DataFrame({"a": [True, False], "b": [1.0, 2.0], "c": pd.array([0.5, None], dtype="Float32"),
                                   "d": pd.arrays.SparseArray([0, 3])}))
        self.assertEqual([mixed[name].dtype for name in "abcd"], ["bool", "f64", "f32", "i64"])
        self.assertEqual((mixed["a"].tolist(), mixed["d"].tolist()), ([True, False], [0, 3]))
        self.assertEqual(same(pd.DataFrame({"a": [True], "b": [False]})).tolist(), [[True, False]])
        with self.assertRaisesRegex(TypeError, "Covec has no dtype datetime64"):
            same(pd.to_datetime(pd.Series(["2024-01-03"])))

        for wrong, error, said in ((pd.DataFrame({"a": [object()]}), TypeError, "column 'a' has a cell of the type 'object'"),
                                   (pd.DataFrame({"a": ["x", 1]}), TypeError, "column 'a' has a cell of the type 'int'"),
                                   (pd.DataFrame({"s": ["x"], "d": pd.to_timedelta(["1 day"])}), TypeError, "column 'd' has the dtype timedelta64"),
                                   (pd.DataFrame({"s": ["x"], "p": pd.period_range("2024", periods=1, freq="D")}), TypeError, "column 'p'"),
                                   (pd.DataFrame({"s": ["x"], "u": pd.Series([1], dtype="uint64")}), TypeError, "column 'u' has the dtype uint64"),
                                   (pd.DataFrame({"u": pd.Series([1], dtype="uint64")}), TypeError, "column 'u' has the dtype uint64"),
                                   (pd.DataFrame({"s": ["x"], "z": [1j]}), TypeError, "column 'z' has the dtype complex128"),
                                   (pd.DataFrame([["x", 1]], columns=["a", "a"]), ValueError, "'a' is there twice")):
            with self.assertRaisesRegex(error, said):
                same(wrong)
        self.assertEqual(same(pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4]})).tolist(), [[1.0, 3.0], [2.0, 4.0]])  # numbers alone: a matrix

    @wanted("pandas")
    def test_integers_are_not_rounded(self):
        import datetime
        import decimal
        import numpy as np
        import pandas as pd
        same = covec.run("x -> x")

        def column(values):
            return same(pd.DataFrame({"s": ["x"] * len(values), "big id": values}))["big id"]
        odd = 2 ** 53 + 1
        for kept in (2 ** 53, 2 ** 60, -(2 ** 63), 7):  # which f64 holds
            for given in (pd.array([kept, None], dtype="Int64"), pd.Categorical([kept, None])):
                made = column(given)
                self.assertEqual((made.dtype, int(made.tolist()[0]), math.isnan(made.tolist()[1])), ("f64", kept, True))
        for lost in (odd, -odd, 2 ** 60 + 1, 2 ** 63 - 1):
            for given in (pd.array([1, lost, None], dtype="Int64"), pd.Categorical([lost, None]), pd.Categorical(pd.array([lost, None], dtype="Int64"))):
                with self.assertRaisesRegex(ValueError, f"column 'big id' becomes f64, since cells are missing, and f64 does not hold {lost}:"):
                    column(given)
            for given in (pd.array([lost, 1], dtype="Int64"), pd.Categorical([lost, 1]), pd.arrays.SparseArray([lost, 0]), [lost, 1]):
                self.assertEqual((column(given).dtype, column(given).tolist()[0]), ("i64", lost))
            self.assertEqual(column(pd.array([lost, None], dtype="Int64").astype("string")), [str(lost), None])
        self.assertEqual(column(pd.Categorical([1], categories=[1, odd])).tolist(), [1])

        for floats in ([0.5, math.nan], np.array([1, 2], "f4"), np.array([1j, 2])):  # one matrix
            with self.assertRaisesRegex(ValueError, f"column 'big id' becomes f64, since another column has floats .* does not hold {odd}"):
                same(pd.DataFrame({"big id": [odd, 1], "b": floats}))
        self.assertEqual(same(pd.DataFrame({"a": [odd, 1], "b": np.array([1, 2], "u1")})).tolist(), [[odd, 1], [1, 2]])
        self.assertEqual(same(pd.DataFrame({"a": [2 ** 53, 1], "b": [0.5, 1.0]})).tolist(), [[2.0 ** 53, 0.5], [1.0, 1.0]])

        for given in ([odd, None], [True, None], [decimal.Decimal("0.1"), None], [datetime.date(2024, 1, 1), None], [1.5, None]):
            with self.assertRaisesRegex(TypeError, f"column 'big id' has a cell of the type '{type(given[0]).__name__}', but a column of objects"):
                column(pd.Series(given, dtype=object))
        for given in (pd.array([odd, None], dtype="UInt64"), pd.Categorical(np.array([1, 2], "u8"))):
            with self.assertRaisesRegex(TypeError, "column 'big id' has the dtype UInt64"):
                column(given)
        moved = pd.to_datetime(["2024-01-01", None]).tz_localize("Europe/Oslo")
        self.assertEqual(column(pd.Categorical(moved))["seconds"].tolist()[0], moved[0].timestamp())
        self.assertEqual((column(pd.Categorical([True, None])).tolist()[0], column(pd.Categorical([True, False])).dtype), (1.0, "bool"))

    @wanted("pandas")
    def test_names_of_columns(self):
        """All that tables of the language may have, and back."""
        import pandas as pd
        session = covec.Session()
        session.run("import table as tables\ntable_record = 1\ntable = 2")  # names that hide nothing from the host
        names = ["Close price", "2024", "fn", "größe 🍏", "", "a\nb", "a.b", '"', "x"]
        frame = pd.DataFrame({name: [name + "!", None, "z"] for name in names} | {"Close price": [1.5, 2.5, 3.5], "the day": pd.to_datetime(["2024-01-03"] * 3)})
        session["t"] = frame
        self.assertEqual(session.run("(type_of(t), keys(t))"), ("record", list(frame.columns)))
        self.assertEqual(session.run('get(t, "Close price")').tolist(), [1.5, 2.5, 3.5])
        self.assertEqual(session.run('(get(t, "fn")[0], get(t, "2024")[0], t.x[0], tables.length(t))'), ("fn!", "2024!", "x!", 3))
        self.assertEqual(session.run('tables.filter(t, get(t, "Close price") > 2).x'), [None, "z"])
        back = session["t"]
        self.assertEqual((list(back), back["2024"], back["Close price"].tolist()), (list(frame.columns), ["2024!", None, "z"], [1.5, 2.5, 3.5]))
        del back["the day"]
        self.assertEqual(pd.DataFrame(back).to_dict("list"), frame.drop(columns="the day").to_dict("list"))
        self.assertEqual(session.run("x -> x")(pd.DataFrame(back))[""], ["!", None, "z"])
        with tempfile.TemporaryDirectory() as folder:
            pd.DataFrame({"Close price": [1.5], "the place": ["Oslo"]}).to_csv(f"{folder}/a.csv", index=False)
            read = session.run("path -> tables.read_csv(path)")(f"{folder}/a.csv")
        self.assertEqual((read["Close price"].tolist(), read["the place"]), ([1.5], ["Oslo"]))
        self.assertEqual(covec.Session(trusted=False, run_calls=2).run("x -> x")(pd.DataFrame({"a b": ["x"]})), {"a b": ["x"]})

        same = covec.run("x -> x")
        for wrong, error, said in ((pd.DataFrame([["x", 1]]), TypeError, "column 0 has a name that is no text"),
                                   (pd.DataFrame({("a", "b"): ["x"]}), TypeError, r"column \('a', 'b'\) has a name that is no text"),
                                   (pd.DataFrame([["x", "y"]], columns=["a b", "a b"]), ValueError, "column 'a b' is there twice"),
                                   (pd.DataFrame({"a\0b": ["x"]}), ValueError, r"column 'a\\x00b' has a zero byte"),
                                   (pd.DataFrame({"\ud800": ["x"]}), ValueError, r"column '\\ud800' has")):
            with self.assertRaisesRegex(error, said):
                same(wrong)
        with self.assertRaisesRegex(covec.Error, "zero byte"):
            covec.run('table_record(["a\\0b"], list([1]))')


class Scipy(unittest.TestCase):
    @wanted("scipy")
    def test_functions_of_numbers(self):
        from scipy import integrate, optimize
        self.assertAlmostEqual(optimize.brentq(covec.compile("fn f(x) = x^3 - 2"), 0, 2), 2 ** (1 / 3))
        self.assertAlmostEqual(integrate.quad(covec.compile("fn f(x) = x^2"), 0, 1)[0], 1 / 3)
        solution = integrate.solve_ivp(covec.compile("fn f(t, y) = -y"), (0, 1), [1.0], rtol=1e-8)
        self.assertAlmostEqual(solution.y[0, -1], math.exp(-1), 6)
        rosenbrock = covec.compile("fn f(x) = (1 - x[0])^2 + 100 * (x[1] - x[0]^2)^2")
        found = optimize.minimize(rosenbrock, [0.0, 0.0], jac=rosenbrock.grad, hess=rosenbrock.grad.jacobian, method="trust-exact")
        self.assertTrue(found.success)
        self.assertAlmostEqual(float(found.x[0]), 1.0, 4)
        self.assertEqual(functools.partial(rosenbrock, [1.0, 1.0])(), 0.0)


def double(number):
    return covec.compile("fn f(x) = [x, 2 * x]")(number)


class Processes(unittest.TestCase):
    def test_results_go_through_pipes(self):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual([array.tolist() for array in pool.map(double, [1.0, 2.0])], [[1.0, 2.0], [2.0, 4.0]])


if __name__ == "__main__":
    unittest.main()
