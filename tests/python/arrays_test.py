"""Arrays: buffers, NumPy and DLPack in both directions, without copies; what is no array, and what has been used already."""
import array
import ctypes
import gc
import hashlib
import os
import pickle
import resource
import sys
import threading
import unittest
import weakref

import covec

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None

needs_numpy = unittest.skipIf(np is None, "NumPy is not installed")
needs_torch = unittest.skipIf(torch is None, "PyTorch is not installed")


def address(view):
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


class Buffers(unittest.TestCase):
    def setUp(self):
        self.same = covec.Session().run("x -> x")

    def test_elements_are_read_in_place(self):
        numbers = array.array("d", [1.0, 2.0, 3.0])
        shared = self.same(numbers)
        self.assertEqual(shared.tolist(), [1.0, 2.0, 3.0])
        numbers[0] = 9.0
        self.assertEqual(shared.tolist(), [9.0, 2.0, 3.0])

    def test_what_is_shared_cannot_be_resized(self):
        numbers = array.array("d", [1.0, 2.0])
        shared = self.same(numbers)
        with self.assertRaises(BufferError):
            numbers.append(3.0)
        other = threading.Thread(target=lambda: self.assertRaises(BufferError, numbers.append, 3.0))
        other.start()
        other.join()
        del shared
        numbers.append(3.0)
        self.assertEqual(self.same(numbers).shape, (3,))

    def test_dtypes(self):
        for code, dtype in (("i", "i32"), ("l", "i64"), ("q", "i64"), ("f", "f32"), ("d", "f64"), ("b", "i8"), ("B", "u8"), ("h", "i16"), ("H", "u16"), ("I", "u32")):
            given = self.same(array.array(code, [1, 2]))
            self.assertEqual((given.dtype, given.tolist()), (dtype, [1, 2]))
        for code in "LQ":
            with self.assertRaises(TypeError):
                self.same(array.array(code, [1, 2]))
        for wrong in (b"12", bytearray(8), (ctypes.c_char * 3)()):
            with self.assertRaises(TypeError):
                self.same(wrong)
        self.assertEqual(self.same((ctypes.c_double * 2)(1.0, 2.0)).tolist(), [1.0, 2.0])
        big = ctypes.c_double.__ctype_be__
        with self.assertRaises(TypeError):
            self.same((big * 2)(1.0, 2.0))

    def test_layouts(self):
        rows = memoryview(array.array("d", range(6))).cast("B").cast("d", (2, 3))
        self.assertEqual(self.same(rows).tolist(), [[0, 1, 2], [3, 4, 5]])
        line = memoryview(array.array("d", range(6)))
        self.assertEqual(self.same(line[::2]).tolist(), [0, 2, 4])
        self.assertEqual(self.same(line[::-1]).tolist(), [5, 4, 3, 2, 1, 0])
        self.assertEqual(self.same(line[:0]).shape, (0,))
        unaligned = memoryview(bytearray(17))[1:].cast("d")
        self.assertEqual(self.same(unaligned).tolist(), [0, 0])
        with self.assertRaises(covec.Error):
            self.same(memoryview(bytes([0, 1, 2])).cast("?"))
        self.assertEqual(self.same(memoryview(bytes([0, 1])).cast("?")).tolist(), [False, True])

    def test_out(self):
        session = covec.Session()
        x = session.run("x = [[1.0, 2.0], [3.0, 4.0]]\nx")
        view = memoryview(x)
        self.assertEqual((view.format, view.shape, view.strides, view.readonly, view.tolist()),
                         ("d", (2, 2), (16, 8), True, [[1, 2], [3, 4]]))
        with self.assertRaises(TypeError):
            view[0, 0] = 5.0
        with self.assertRaises((BufferError, TypeError)):
            ctypes.c_double.from_buffer(x)
        columns = session.run("zeros(40, 30).T")
        self.assertEqual((columns.strides, columns.shape), ((8, 240), (30, 40)))
        self.assertTrue(memoryview(columns).f_contiguous)
        with self.assertRaises((BufferError, TypeError)):
            b"".join([columns])
        with self.assertRaisesRegex(BufferError, "misread"):
            hashlib.sha256(session.run("[1.0]"))
        self.assertEqual(bytes(memoryview(session.run("i32([1, 2])"))), b"\1\0\0\0\2\0\0\0")
        x = session = None
        gc.collect()
        self.assertEqual(view.tolist(), [[1, 2], [3, 4]])
        for dtype, format in (("i32", "i"), ("i64", "l"), ("f16", "e"), ("f32", "f"), ("f64", "d"), ("bool", "?")):
            self.assertEqual(memoryview(covec.run(f"{dtype}([1, 0])")).format, format)
        with self.assertRaises(BufferError):
            memoryview(covec.run("bf16([1.0])"))

    def test_attributes(self):
        for name in ("cumsum", "H", "fill"):
            with self.assertRaisesRegex(AttributeError, f"no attribute '{name}': a.numpy"):
                getattr(covec.run("[1.0]"), name)
        with self.assertRaises(AttributeError):
            covec.run("[1.0]").__array_interface__
        x = covec.run("zeros(2, 3)")
        self.assertEqual((x.shape, x.strides, x.dtype, x.ndim, x.size, x.nbytes, len(x)), ((2, 3), (24, 8), "f64", 2, 6, 48, 2))
        self.assertIn("0.0", repr(x))
        self.assertEqual(str(covec.run("[1.0]")), "[1.0]")

    def test_methods_do_not_keep_their_session(self):
        session = covec.Session()
        a = session.run("[1.0, 2.0]")
        self.assertEqual([(a.sum(), a.max(axis=0), a.T.tolist(), a.astype("f32").tolist()) for _ in range(3)], [(3.0, 2.0, [1.0, 2.0], [1.0, 2.0])] * 3)
        gone = weakref.ref(session)
        gc.disable()
        try:
            del session, a
            self.assertIsNone(gone())
        finally:
            gc.enable()
        with covec.Session() as session:
            a = session.run("[1.0, 2.0]")
            a.sum()
        with self.assertRaisesRegex(covec.Error, "session is closed"):
            a.sum()

    def test_functions_of_covec(self):
        session = covec.Session()
        session.run("sum = 3")  # hides nothing here
        a = session.run("[[1.0, 2, 3], [4, 5, 6]]")
        self.assertEqual(a.T.tolist(), [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]])
        for shape in ((3, 2), ((3, 2),), ([3, -1],), (-1, 2)):
            self.assertEqual(a.reshape(*shape).tolist(), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        self.assertEqual((a.sum(), a.mean(), a.min(), a.max()), (21.0, 3.5, 1.0, 6.0))
        self.assertEqual((a.sum(0).tolist(), a.mean(axis=1).tolist(), a.min(axis=-1).tolist()), ([5.0, 7.0, 9.0], [2.0, 5.0], [1.0, 4.0]))
        self.assertEqual((a.max((0, 1)), a.sum(axis=1, keepdims=True).tolist()), (6.0, [[6.0], [15.0]]))
        self.assertIs(type(a.sum(0)), covec.Array)
        for dtype, name in (("f32", "f32"), ("float32", "f32"), (int, "i64"), (float, "f64"), (bool, "bool"), ("bf16", "bf16"), ("uint8", "u8")):
            self.assertEqual((a.astype(dtype).dtype, a.astype(dtype).sum().__class__ in (float, int, covec.Array)), (name, True))
        with self.assertRaisesRegex(covec.Error, "sum: axis 2 is out of range"):
            a.sum(2)
        with self.assertRaisesRegex(covec.Error, "sum has no parameter nope"):
            a.sum(nope=1)
        with self.assertRaisesRegex(covec.Error, "cannot reshape"):
            a.reshape(4)
        for wrong in ("nope", 3, "datetime64", None):
            with self.assertRaisesRegex(TypeError, "Covec has no dtype"):
                a.astype(wrong)
        with self.assertRaisesRegex(covec.Error, "no parameter axes"):
            a.sum(axes=0)
        session.close()
        with self.assertRaisesRegex(covec.Error, "closed"):
            a.sum()

    def test_numbers_of_other_dtypes(self):
        for text, value in (("f32(2.5)", 2.5), ("f16(2.5)", 2.5), ("bf16(2.5)", 2.5), ("i32(7)", 7)):
            number = covec.run(text)
            self.assertIsInstance(number, covec.Array)
            self.assertEqual((float(number), number.item(), int(number), bool(number)), (value, value, int(value), True))
            self.assertEqual(str(covec.run("x -> x")(number)), str(number))
            with self.assertRaises(TypeError):
                len(number)
        self.assertEqual(float(covec.run("[3.0]")), 3.0)
        for convert in (float, int, bool):
            with self.assertRaises(TypeError):
                convert(covec.run("[1.0, 2.0]"))

    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "the sanitizer keeps what is freed")
    def test_no_memory_stays(self):
        f = covec.compile("fn f(x, y) = x * y + 1")
        numbers = array.array("d", range(100))

        def calls(count):
            for _ in range(count):
                f(numbers, y=numbers)
        calls(10000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        calls(100000)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 512)
        references = sys.getrefcount(numbers)
        calls(10)
        self.assertEqual(sys.getrefcount(numbers), references)


class Capsules(unittest.TestCase):
    """What a library does that speaks DLPack, by covec's own arrays."""

    class Speaker:
        def __init__(self, array, device=(1, 0)):
            self.array, self.device = array, device

        def __dlpack__(self):
            return self.array.__dlpack__() if isinstance(self.array, covec.Array) else self.array

        def __dlpack_device__(self):
            return self.device

    def setUp(self):
        self.session = covec.Session()
        self.other = covec.Session().run("x -> 2 * x")

    def test_in(self):
        x = self.session.run("[[1.0, 2.0], [3.0, 4.0]]")
        self.assertEqual(self.other(self.Speaker(x)).tolist(), [[2, 4], [6, 8]])
        self.assertEqual(self.other(x.__dlpack__()).tolist(), [[2, 4], [6, 8]])
        self.assertEqual(self.other(self.Speaker(self.session.run("bf16([1.5])"))).dtype, "bf16")

    def test_used_twice(self):
        capsule = self.session.run("[1.0]").__dlpack__()
        self.other(capsule)
        with self.assertRaisesRegex(TypeError, "used"):
            self.other(capsule)

    def test_of_a_device(self):
        with self.assertRaisesRegex(BufferError, "device"):
            self.other(self.Speaker(self.session.run("[1.0]"), device=(2, 0)))

    def test_broken_speakers(self):
        for wrong in (3, None, "x"):
            with self.assertRaises(TypeError):
                self.other(self.Speaker(wrong))
            with self.assertRaises(TypeError):
                self.other(self.Speaker(self.session.run("[1.0]"), device=wrong))
        with self.assertRaises(TypeError):
            self.other(self.Speaker)

    def test_out(self):
        x = self.session.run("x = [1.0, 2.0]\nx")
        self.assertEqual(x.__dlpack_device__(), (1, 0))
        self.assertIn('"dltensor"', repr(x.__dlpack__()))
        self.assertIn('"dltensor"', repr(x.__dlpack__(max_version=(0, 8))))
        self.assertIn('"dltensor_versioned"', repr(x.__dlpack__(max_version=(1, 0))))
        self.assertIn('"dltensor_versioned"', repr(x.__dlpack__(max_version=(1, 0), copy=True)))
        for wrong in ({"stream": 1}, {"dl_device": (2, 0)}, {"copy": False}):
            with self.assertRaises(BufferError):
                x.__dlpack__(**wrong)
        for wrong in ({"max_version": 1}, {"dl_device": "cpu"}, {"nothing": 1}):
            with self.assertRaises(TypeError):
                x.__dlpack__(**wrong)
        for _ in range(1000):
            x.__dlpack__(), x.__dlpack__(max_version=(1, 1))  # nobody takes them

    def test_who_knows_no_read_only_flag_gets_a_copy(self):
        numbers = array.array("d", [1.0, 2.0])
        x = self.session.run("x -> x")(numbers)
        taken = self.other(x.__dlpack__())
        numbers[0] = 9.0
        self.assertEqual(taken.tolist(), [2.0, 4.0])


@needs_numpy
class Numpy(unittest.TestCase):
    def setUp(self):
        self.session = covec.Session()
        self.same = self.session.run("x -> x")

    def test_in_and_out_without_copies(self):
        x = np.arange(6.0).reshape(2, 3)
        for given in (x, x.T, x[:, ::2], x[::-1, ::-1], x[:, 1], np.broadcast_to(np.arange(3.0), (1, 3)), x[:0], np.float64(2.0), np.array(3.5)):
            back = self.same(given)
            if np.ndim(given) == 0:
                self.assertEqual(back, given)
                continue
            for out in (back.numpy(), np.asarray(back), np.array(back, copy=False)):
                np.testing.assert_array_equal(out, given)
                self.assertFalse(out.flags.writeable)
                self.assertEqual(out.dtype, given.dtype)
                if out.size:
                    self.assertTrue(np.shares_memory(out, x) or given.base is not x and not np.shares_memory(given, x))

    def test_dtypes(self):
        for dtype in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float16", "float32", "float64", "longlong", "intc"):
            x = np.array([0, 1], dtype=dtype)
            back = self.same(x).numpy()
            self.assertEqual(back.dtype, x.dtype)
            np.testing.assert_array_equal(back, x)
            self.assertEqual(float(self.same(x[1])), 1.0)
        for dtype in ("uint64", "longdouble", "clongdouble", ">c8", "U3", "S3", "O",
                      ">f8", ">i4", "f8,i4"):
            with self.assertRaises(TypeError, msg=dtype):
                self.same(np.zeros(2, dtype=dtype))
        for number in (np.int8(3), np.uint64(3), np.uint8(3)):
            self.assertEqual(self.same(number), 3)

    def test_complex_numbers(self):
        for given in (np.array([1 + 2j, -0.0, complex(np.inf, 3)]), np.array([[1j, 2]], dtype="complex64"), np.zeros((2, 0), complex),
                      np.arange(8).reshape(2, 4)[::-1, ::2] * 1j, np.array(2 - 1j).reshape(1, 1)):
            back = self.same(given)
            self.assertEqual((type(back), back.dtype, back.shape, back.tobytes()), (np.ndarray, given.dtype, given.shape, given.tobytes()))
        back[0, 0] = 5
        self.assertEqual(given[0, 0], 2 - 1j)
        for number in (1 + 2j, np.complex128(1 + 2j), np.complex64(1 + 2j), np.array(1 + 2j)):
            back = self.same(number)
            self.assertEqual((type(back), back), (complex, 1 + 2j))
        kind = self.session.run("x -> type_of(x)")
        self.assertEqual([kind(x) for x in (1j, np.complex64(1), [1j, 2, 2.5, True], [[1j], [2]], np.zeros(1, "complex64"))],
                         ["c128", "c64", "c128[4]", "c128[2, 1]", "c64[1]"])
        self.assertEqual(self.same([1j, 2, 2.5, True]).tolist(), [1j, 2, 2.5, 1])
        self.assertEqual(self.same({"z": (1j, "a")}), {"z": (1j, "a")})
        f = self.session.run("z -> abs(z)^2")
        self.assertEqual(f.grad(1 + 2j), 2 + 4j)
        with self.assertRaises(ValueError):
            self.same([[1j], [1j, 2]])

    def test_pickle_of_each_dtype(self):
        for dtype in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float16", "float32", "float64"):
            back = pickle.loads(pickle.dumps(self.same(np.array([0, 1], dtype=dtype))))
            self.assertEqual((back.numpy().dtype, back.tolist()), (np.dtype(dtype), [0, 1]))

    def test_scalars_keep_their_dtype(self):
        kind = self.session.run("x -> type_of(x)")
        self.assertEqual([kind(x) for x in (np.float64(1), np.float32(1), np.float16(1), np.int32(1), np.int64(1), np.bool_(True), np.int8(1), np.uint32(1))],
                         ["f64", "f32", "f16", "i32", "i64", "bool", "i8", "u32"])

    def test_read_only(self):
        x = np.arange(3.0)
        x.flags.writeable = False
        self.assertEqual(self.session.run("x -> sum(x)")(x), 3.0)
        self.session["x"] = x
        self.session.run("x[0] = 5.0")
        self.assertEqual((x[0], self.session.run("x[0]")), (0.0, 5.0))

    def test_layouts_that_no_tensor_has(self):
        pairs = np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
        pairs["b"] = [1, 2, 3]
        self.assertEqual(self.same(pairs["b"]).tolist(), [1, 2, 3])
        self.assertEqual(self.same(np.frombuffer(bytes(17), dtype="f8", offset=1)).tolist(), [0, 0])
        with self.assertRaises(ValueError):
            self.same(np.zeros((1,) * 17))
        self.assertEqual(self.same(np.zeros((1,) * 16)).ndim, 16)

    def test_dtypes_of_other_types(self):
        for given in (np.arange(3) * np.float32(1), np.zeros(2)):
            a = covec.run("x -> x")(given)
            for dtype in (np.float32, np.dtype("int32"), np.bool_, np.float64):
                self.assertEqual(a.astype(dtype).numpy().dtype, np.dtype(dtype))
            self.assertEqual(a.astype(complex).dtype, np.complex128)
            self.assertEqual(a.astype(np.complex64).dtype, np.complex64)

    def test_functions_of_numpy(self):
        for text in ("[[1.0, 2], [3, 4]]", "f32([[1.0, 2], [3, 4]])", "bf16([[1.0, 2], [3, 4]])", "f32(2.0)"):
            a = covec.run(text)
            same = np.array(a.tolist())
            others = () if "bf16" in text else (np.std, np.argmax, np.ravel)  # NumPy has no bfloat16
            for f in (np.sum, np.mean, np.min, np.max, *others):
                np.testing.assert_allclose(np.array(f(a), "f8"), f(same), rtol=1e-6, err_msg=f"{text} {f}")
        a = covec.run("[[1.0, 2], [3, 4]]")
        self.assertEqual((a.sum(dtype="float32").dtype, np.sum(a, axis=0).tolist()), ("float32", [4.0, 6.0]))
        self.assertEqual(a.reshape(4, order="F").tolist(), [1.0, 3.0, 2.0, 4.0])
        self.assertEqual((a.astype(dtype="f32").dtype, a.astype("float32", copy=False).dtype), ("f32", "float32"))
        self.assertEqual(covec.run("[2.5]").reshape(()), 2.5)

    def test_dtypes_are_named(self):
        same = covec.run("x -> x")
        for given, name in ((np.array(["a"]), "<U1"), (np.array([b"a"]), "[|]S1"), (np.array([{}]), "object"), (np.zeros(1, ">f8"), ">f8"),
                            (np.zeros(1, np.longdouble), "float128"), (np.zeros(1, np.uint64), "uint64"), (np.zeros(1, [("d", "i4")]), "..'d'")):
            with self.assertRaisesRegex(TypeError, f"Covec has no dtype {name}"):
                same(given)

    def test_times_are_refused(self):
        same = covec.run("x -> x")
        day, hours = np.datetime64("2020-01-01"), np.timedelta64(3, "h")
        for given, name in ((day, "datetime64.D."), (hours, "timedelta64.h."), (np.array([day]), "datetime64.D."), (np.array(hours), "timedelta64.h."),
                            ([day, day], "datetime64.D."), ({"a": (1, hours)}, "timedelta64.h.")):
            with self.assertRaisesRegex(TypeError, f"Covec has no dtype {name}"):
                same(given)

    def test_masked_arrays_are_refused(self):
        with self.assertRaisesRegex(TypeError, "mask"):
            self.same(np.ma.masked_array([1.0, 2.0], [True, False]))

    def test_bools_are_bools(self):
        with self.assertRaises(covec.Error):
            self.same(np.array([0, 1, 2], dtype="uint8").view("bool"))

    def test_what_gives_an_array(self):
        class Series:
            def __array__(self, dtype=None):
                return np.array([1.0, 2.0])

        class Broken:
            def __array__(self, dtype=None):
                return [1.0]
        self.assertEqual(self.same(Series()).tolist(), [1.0, 2.0])
        with self.assertRaises(TypeError):
            self.same(Broken())

    def test_array_protocol(self):
        x = self.session.run("x = [1.0, 2.0]\nx")
        self.assertEqual(np.asarray(x, dtype="f4").dtype, np.dtype("f4"))
        own = np.array(x)
        own[0] = 5.0
        self.assertEqual(x.tolist(), [1.0, 2.0])
        self.assertTrue(x.__array__(copy=True).flags.writeable)
        self.assertFalse(x.__array__("f8", copy=False).flags.writeable)
        with self.assertRaises(ValueError):
            x.__array__("f4", copy=False)
        self.assertEqual((x[1], list(x), x[::-1].tolist()), (2.0, [1.0, 2.0], [2.0, 1.0]))
        with self.assertRaises(TypeError):
            self.session.run("bf16([1.0])").numpy()
        np.testing.assert_array_equal(np.sin(x), np.sin([1.0, 2.0]))
        np.testing.assert_array_equal(np.from_dlpack(x) * 2, [2.0, 4.0])

    def test_what_nobody_else_has_may_be_written(self):
        f = self.session.run("fn f(x) = (sum(x), 2 * x)\nf")
        _, x = f(np.arange(3.0))
        out = x.numpy()
        out[0] = 7.0
        self.assertEqual((x.tolist(), str(x)), ([7.0, 2.0, 4.0], "[7.0, 2.0, 4.0]"))
        self.session["x"] = x
        self.assertFalse(np.asarray(self.session["x"]).flags.writeable)
        out[0] = 8.0
        self.assertEqual((self.session.run("sum(x)"), str(x)), (14.0, "[8.0, 2.0, 4.0]"))
        self.session.run("x[1] = 1.0")
        self.assertEqual(out.tolist(), [8.0, 2.0, 4.0])
        y = self.session.run("[1.0, 2.0] + 1")
        self.session["y"] = y
        for view in (y.numpy(), np.asarray(y), np.asarray(memoryview(y)), self.session["y"].numpy()):
            with self.assertRaises(ValueError):
                view[0] = 1.0
        z = self.session.run("[1.0, 2.0] + 1")
        memoryview(z)[0] = 5.0
        self.assertEqual(f(z)[0], 8.0)
        self.assertTrue(np.asarray(z).flags.writeable)

    def test_elements_outlive_arrays_and_sessions(self):
        out = covec.Session().run("linspace(0.0, 1.0, 1000)").numpy()
        gc.collect()
        np.testing.assert_allclose(out, np.linspace(0, 1, 1000), rtol=1e-15)

    def test_what_is_held_is_let_go(self):
        x = np.arange(4.0)
        gone = weakref.ref(x)
        self.session["kept"] = x
        del x
        self.assertIsNotNone(gone())
        self.session["kept"] = 1
        self.assertIsNone(gone())
        x = np.arange(4.0)
        gone = weakref.ref(x)
        view = self.session.run("x -> x[1:]")(x)
        del x
        self.assertEqual(view.tolist(), [1, 2, 3])
        del view
        self.assertIsNone(gone())
        session = covec.Session()
        x = np.arange(4.0)
        gone = weakref.ref(x)
        session["x"] = x
        del x
        session.close()
        self.assertIsNone(gone())

    def test_arrays_that_change_between_calls(self):
        f = covec.compile("fn f(x) = sum(x * x)")
        x = np.ones(3)
        for k in range(50):
            x[0] = k
            self.assertEqual(f(x), k * k + 2.0)
            self.assertEqual(f.grad(x).numpy()[0], 2.0 * k)
        self.session["x"] = x
        self.session.run("@compile\nfn g(y) = sum(x) * y")
        g = self.session["g"]
        for k in range(50):
            x[1] = k
            self.assertEqual(g(2.0), 2 * x.sum())

    def test_trees_of_arrays(self):
        f = covec.compile("fn loss(p, x, y) = mean((x @ p.w + p.b - y)^2)")
        x, y = np.ones((5, 2)), np.zeros(5)
        slope = f.grad({"w": np.ones(2), "b": 0.5}, x, y)
        self.assertEqual((slope["w"].tolist(), slope["b"]), ([5.0, 5.0], 5.0))
        layers = [{"w": np.ones((2, 2))}, {"w": np.ones((2, 1))}]
        self.assertEqual(covec.run("fn net(ls, x) { for l in ls { x = x @ l.w }\n return sum(x) }\nnet")(layers, x), 20.0)

    def test_several_results(self):
        value, slope = covec.compile("fn f(x) = (sum(x), x * 2)")(np.arange(3.0))
        self.assertEqual((value, slope.tolist()), (3.0, [0.0, 2.0, 4.0]))

    def test_resizing_is_refused(self):
        x = np.arange(4.0)
        kept = self.same(x)
        with self.assertRaises(ValueError):
            x.resize(8)
        self.assertEqual(kept.tolist(), [0, 1, 2, 3])


@needs_torch
class Torch(unittest.TestCase):
    def setUp(self):
        self.session = covec.Session()

    def test_in(self):
        x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3).t()
        same = self.session.run("x -> x")
        shared = same(x)
        self.assertEqual(shared.tolist(), x.tolist())
        x[0, 0] = 7.0
        self.assertEqual(shared.tolist(), x.tolist())
        self.assertEqual(same(torch.ones(2, dtype=torch.bfloat16)).dtype, "bf16")
        with self.assertRaises(Exception):
            same(torch.ones(2, requires_grad=True))
        self.assertEqual(same(torch.ones(2, dtype=torch.complex64)).tolist(), [1.0, 1.0])

    def test_out(self):
        for text, after in (("x = [1.0, 2.0]\nx", [1.0, 2.0]), ("[1.0, 2.0]", [9.0, 2.0])):
            x = self.session.run(text)
            given = torch.from_dlpack(x)
            given[0] = 9.0
            self.assertEqual((given.tolist(), x.tolist()), ([9.0, 2.0], after))

    def test_no_capsule_stays(self):
        f = self.session.run("x -> x + 1")
        x = torch.ones(10, dtype=torch.float64)
        for _ in range(2000):
            y = torch.from_dlpack(f(x))
        self.assertEqual(y.tolist(), [2.0] * 10)


if __name__ == "__main__":
    unittest.main()
