"""Anything in any order, on several threads: calls, names, derivatives, views of results, interrupts, closed sessions. Every outcome
is a value or an exception of the kinds that docs/python.md names, and the sessions still compute. COVEC_EMBED_SECONDS=60 goes on that
long."""
import array
import gc
import os
import random
import threading
import time
import unittest

import covec

SECONDS = float(os.environ.get("COVEC_EMBED_SECONDS", "2"))
EXPECTED = (covec.Error, TypeError, ValueError, OverflowError, BufferError, KeyError, AttributeError, IndexError, RecursionError)
TEXTS = ["fn f(x) = x * 2", "f", "x -> sum(x)", "(x, y) -> (x, y)", "[1.0, 2.0]", "zeros(50, 3)", "zeros(50, 3).T", "{a: 1, b: [1, 2]}",
         'error("no")', "1 +", "undefined", "range(3)", 'list("a", 1)', "f32(2.5)", "bf16([1.0, 2.0])", "x = x", "grad(x -> sum(x^2))",
         "map(((1, 2), (3, 4)))", "none", "true", '"text"', "compile(x -> sum(x * x))"]


class Driver:
    def __init__(self, seed, sessions):
        self.random = random.Random(seed)
        self.sessions = sessions
        self.values = [1, 2.5, True, None, "text", [1, 2.5], [[1, 2], [3, 4]], ["a", None], (1, (2,)), {"a": 1.5}, {1: 2}, {}, [], b"x", 1j, 2**70,
                       array.array("d", range(20)), memoryview(array.array("f", range(20)))[::3], array.array("B", b"abc"), object()]
        self.unexpected = []

    def any(self):
        return self.random.choice(self.values)

    def step(self):
        session = self.random.choice(self.sessions)
        value = self.any()
        act = self.random.randrange(14)
        if act == 0:
            return session.run(self.random.choice(TEXTS))
        if act == 1:
            session[self.random.choice(["x", "y", "fn", "f"])] = value
        elif act == 2:
            return session[self.random.choice(["x", "y", "f", "none"])]
        elif act <= 5 and isinstance(value, covec.Function):
            return value(*(self.any() for _ in range(self.random.randrange(3))))
        elif act == 6 and isinstance(value, covec.Function):
            return getattr(value, self.random.choice(["grad", "jacobian", "vmap", "compiled", "value_and_grad", "parameters"]))
        elif act == 7 and isinstance(value, covec.Array):
            return memoryview(value)
        elif act == 8 and isinstance(value, covec.Array):
            return value.__dlpack__(**self.random.choice([{}, {"max_version": (1, 0)}, {"copy": True}]))
        elif act == 9:
            return repr(value)[:10]
        elif act == 10:
            session.interrupt()
        elif act == 11:
            del self.values[20 + self.random.randrange(10):]
        elif act == 12:
            gc.collect(0)
        elif act == 13 and self.random.randrange(50) == 0:
            self.sessions[self.sessions.index(session)] = covec.Session(memory_limit=1 << 26, run_seconds=1.0, threads=1,
                                                                        output=lambda *_: None)
            session.close()
        return None

    def run(self):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                made = self.step()
            except EXPECTED:
                continue
            except BaseException as error:  # noqa: B902
                self.unexpected.append(error)
                return
            if made is not None:
                self.values.append(made)
            if len(self.values) > 100:
                del self.values[20 + self.random.randrange(70)]


class AnyOrder(unittest.TestCase):
    def test(self):
        sessions = [covec.Session(memory_limit=1 << 26, run_seconds=1.0, threads=1, output=lambda *_: None) for _ in range(3)]
        drivers = [Driver(seed, sessions) for seed in range(3)]
        threads = [threading.Thread(target=driver.run) for driver in drivers[1:]]
        for thread in threads:
            thread.start()
        drivers[0].run()
        for thread in threads:
            thread.join()
        self.assertEqual([driver.unexpected for driver in drivers], [[], [], []])
        for session in sessions:
            self.assertEqual(session.run("1 + 1"), 2)


if __name__ == "__main__":
    unittest.main()
