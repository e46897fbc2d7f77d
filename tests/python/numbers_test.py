"""Arrays as numbers and operands: operators, formats, indices; copies, pickle and weak references."""
import copy
import math
import operator
import pickle
import subprocess
import sys
import unittest
import weakref

import covec

try:
    import numpy as np
except ImportError:
    np = None

needs_numpy = unittest.skipIf(np is None, "NumPy is not installed")
NUMBERS = {"f32": 2.5, "f16": 2.5, "bf16": 2.5, "i32": 2}
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, divmod,
          operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
WHOLE = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


class RankZero(unittest.TestCase):
    def setUp(self):
        self.numbers = [(covec.run(f"{dtype}({value})"), value) for dtype, value in NUMBERS.items()]

    def test_operators(self):
        for number, value in self.numbers:
            for operation in BINARY:
                for other in (3, 2.0, True):
                    self.assertEqual(operation(number, other), operation(value, other), (operation, value, other))
                    self.assertEqual(operation(other, number), operation(other, value), (operation, other, value))
                for other, other_value in self.numbers:
                    result = operation(number, other)
                    self.assertEqual(result, operation(value, other_value))
                    self.assertNotIsInstance(result, covec.Array)
            for operation in (operator.neg, operator.pos, abs, round, math.floor, math.ceil, math.trunc, int, float, bool, complex):
                self.assertEqual(operation(number), operation(value), operation)
            with self.assertRaises(TypeError):
                number + "a"
            with self.assertRaises(TypeError):
                number @ 2
            self.assertIsNot(number == "a", True)
        whole = covec.run("i32(6)")
        for operation in WHOLE:
            self.assertEqual((operation(whole, 3), operation(3, whole)), (operation(6, 3), operation(3, 6)))
        self.assertEqual((~whole, pow(whole, 2, 5), sum([whole, whole]), max(whole, 7)), (-7, 1, 12, 7))
        with self.assertRaises(TypeError):
            ~covec.run("f32(1)")
        self.assertEqual(round(covec.run("f32(2.25)"), 1), 2.2)
        self.assertEqual(math.sqrt(covec.run("f32(2.25)")), 1.5)

    def test_formats(self):
        number = covec.run("f32(2.5)")
        self.assertEqual((f"{number}", f"{number:.3f}", "%.1f" % number, format(number, ">8"), str(number)), ("2.5", "2.500", "2.5", "     2.5", "2.5"))
        self.assertEqual((f"{covec.run('i32(10)'):#x}", "%d" % covec.run("i32(10)")), ("0xa", "10"))
        with self.assertRaises(ValueError):
            f"{number:d}"
        with self.assertRaisesRegex(TypeError, "rank 0"):
            f"{covec.run('[1.0]'):.2f}"
        self.assertEqual(f"{covec.run('[1.0]')}", "[1.0]")

    def test_indices(self):
        two = covec.run("i32(2)")
        self.assertEqual(("abc"[two], list(range(two)), [1] * two, operator.index(two)), ("c", [0, 1], [1, 1], 2))
        for wrong in ("f32(2)", "[2]", "i32([2])"):
            with self.assertRaisesRegex(TypeError, "is an index"):
                "abc"[covec.run(wrong)]
        with self.assertRaises(TypeError):
            two[0]
        with self.assertRaises(TypeError):
            list(two)

    def test_hashes(self):
        self.assertEqual({covec.run("f32(2.5)"): "a"}[2.5], "a")
        self.assertEqual(len({covec.run("i32(2)"), 2, 2.0, covec.run("f16(2)")}), 1)
        with self.assertRaisesRegex(TypeError, "unhashable"):
            hash(covec.run("[1.0]"))

    def test_the_dtype_stays_in_programs(self):
        number = covec.run("f32(0.1)")
        self.assertEqual(covec.run("x -> type_of(x)")(number), "f32")
        self.assertEqual(covec.run("x -> type_of(x + 1)")(number), "f32")

    @needs_numpy
    def test_beside_ndarrays(self):
        number = covec.run("f32(2.5)")
        for result in (number * np.arange(3.0), np.arange(3.0) * number, covec.run("[0.0, 1.0, 2.0]") * number):
            self.assertEqual(result.tolist(), [0.0, 2.5, 5.0])
        self.assertEqual((number * np.ones(2, "f4")).dtype, np.dtype("f4"))
        self.assertEqual(np.float32(2) * number, 5.0)

    @needs_numpy
    def test_numbers_are_not_written(self):
        with self.assertRaises(ValueError):
            covec.run("f32(1)").numpy()[...] = 2.0


class Operands(unittest.TestCase):
    @needs_numpy
    def test_operators(self):
        x = covec.run("[[1.0, 2.0], [3.0, 4.0]]")
        own = np.array(x)
        for operation in BINARY[:7] + BINARY[8:] + [operator.matmul]:
            for other in (own, own + 1):
                for result in (operation(x, other), operation(other, x)):
                    self.assertIsInstance(result, np.ndarray)
                np.testing.assert_array_equal(operation(x, other), operation(own, other))
                np.testing.assert_array_equal(operation(other, x), operation(other, own))
            np.testing.assert_array_equal(operation(x, x), operation(own, own))
        for operation in BINARY[:7]:
            np.testing.assert_array_equal(operation(x, 2), operation(own, 2))
            np.testing.assert_array_equal(operation(2.5, x), operation(2.5, own))
            np.testing.assert_array_equal(operation(x, [1, 2]), operation(own, [1, 2]))
        for operation in (operator.neg, operator.pos, abs):
            np.testing.assert_array_equal(operation(x), operation(own))
        np.testing.assert_array_equal(round(covec.run("[0.26, 1.24]"), 1), [0.3, 1.2])
        np.testing.assert_array_equal(~covec.run("[true, false]"), [False, True])
        np.testing.assert_array_equal(covec.run("[1, 2]") << 1, [2, 4])
        step = np.zeros((2, 2))
        step -= 0.5 * x
        x += 1  # makes an ndarray: arrays of Covec are not changed
        np.testing.assert_array_equal(step, -0.5 * own)
        np.testing.assert_array_equal(x, own + 1)
        with self.assertRaises(ValueError):
            x + [1, 2, 3]

    @needs_numpy
    def test_a_descent(self):
        f = covec.compile("fn f(x) = sum((x - [1.0, 2.0])^2)")
        x = np.zeros(2)
        for _ in range(100):
            x = x - 0.1 * f.grad(x)
        np.testing.assert_allclose(x, [1.0, 2.0], atol=1e-6)
        y = f.grad(np.zeros(2))
        for _ in range(100):
            y = y - f.grad(y) * 0.1
        np.testing.assert_allclose(y, [1.0, 2.0], atol=1e-6)

    @needs_numpy
    def test_bfloat16(self):
        x = covec.run("bf16([[1.5, 2.0], [3.0, 4.0]])")
        self.assertEqual((x[0].tolist(), x[1, 0], [row.tolist() for row in x]), ([1.5, 2.0], 3.0, [[1.5, 2.0], [3.0, 4.0]]))
        self.assertEqual((x * 2).dtype, np.dtype("f4"))
        self.assertEqual((x == x).tolist(), [[True, True], [True, True]])
        self.assertEqual((covec.run("bf16(zeros(0, 3))") + 1).shape, (0, 3))
        self.assertEqual(covec.run("f16([1.5, 2.0])")[1], 2.0)

    def test_without_numpy(self):
        program = """
import sys
sys.modules["numpy"] = None
import covec
a = covec.run("[1, 2]")
for use in (lambda: a + 1, lambda: 1 - a, lambda: -a, lambda: a < 2, lambda: a[0], lambda: list(a)):
    try:
        use()
    except TypeError as error:
        assert "use a.tolist()" in str(error), error
    else:
        raise AssertionError
print(covec.run("f32(2.5)") + 1, covec.run("i32(1)") < 2)"""
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(run.stdout, "3.5 True\n", run.stderr)


class Copies(unittest.TestCase):
    TEXTS = ("[1.0, 2.0]", "f32(2.5)", "bf16([[1.5]])", "f16([1, 2])", "i32([1, 2])", "[true, false]", "zeros(0, 3)", "zeros(3, 0)",
             "transpose(reshape(arange(24), [2, 3, 4]), [2, 0, 1])", "reshape(arange(6), [2, 3])[::-1, 1:]")

    def test_by_value(self):
        for text in self.TEXTS:
            x = covec.run(text)
            copies = [copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": x})["x"]]
            copies += [pickle.loads(pickle.dumps(x, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
            for made in copies:
                self.assertIsNot(made, x)
                self.assertEqual((made.dtype, made.shape, made.tolist()), (x.dtype, x.shape, x.tolist()), text)

    def test_sessions_of_copies(self):
        session = covec.Session()
        same = session.run("x -> x")
        x = session.run("[1.0, 2.0]")
        self.assertEqual(same(copy.copy(x)).tolist(), [1.0, 2.0])
        unpickled = pickle.loads(pickle.dumps(x))  # of the default session
        self.assertEqual(covec.run("x -> x")(unpickled).tolist(), [1.0, 2.0])
        session.close()
        self.assertEqual(covec.run("x -> x")(copy.copy(x)).tolist(), [1.0, 2.0])
        self.assertEqual(pickle.loads(pickle.dumps(x)).tolist(), [1.0, 2.0])

    def test_what_pickle_must_not_take(self):
        from covec._covec import unpickle
        for wrong in (("f64", (2,), b"12345678"), ("f64", (-1,), b""), ("u64", (1,), b"12345678"), ("u8", (1,), b"12"), ("bool", (1,), b"\2"), ("f64", (2**62, 2**62), b""),
                      ("f64", (1,) * 17, b"12345678"), ("f64", (1.0,), b"12345678"), ("f64", [1], b"12345678"), ("f64", (1,), "12345678"),
                      ("f64", (2**61 + 1,), b"12345678"), ("f64", (2**70,), b"")):
            with self.assertRaises((ValueError, TypeError, OverflowError, covec.Error), msg=wrong):
                unpickle(*wrong)
        for wrong in (covec.Session(), covec.run("x -> x"), covec.run("range(3)")):
            with self.assertRaisesRegex(TypeError, "cannot pickle"):
                pickle.dumps(wrong)

    def test_functions_are_their_own_copies(self):
        f = covec.compile("fn f(x) = x")
        self.assertIs(copy.copy(f), f)
        self.assertIs(copy.deepcopy([f])[0], f)

    def test_weak_references(self):
        session = covec.Session()
        for make in (lambda: session.run("[1.0]"), lambda: session.run("x -> x"), covec.Session):
            kept = make()
            weak = weakref.ref(kept)
            self.assertIs(weak(), kept)
            del kept
            self.assertIsNone(weak())
        cache = weakref.WeakValueDictionary(x=session.run("[1.0]"))
        self.assertNotIn("x", cache)


if __name__ == "__main__":
    unittest.main()
