"""Sessions of several ranks, which are threads here: their communicator has the methods of one of mpi4py that sessions call. tests/cluster
has the same with mpi4py itself."""
import collections
import threading
import unittest

import covec

PROGRAM = """
import parallel
seed(3)
inside = parallel.sum(i -> sum(sum(rand(1000, 2)^2, axis=1) < 1), 8)
squares = parallel.all_gather(parallel.map(i -> i^2, 5))
print(inside, squares)
fn mean_of(x) = parallel.sum(i -> x[i], 4) / 4
"""


class Exchange:
    """What the ranks have said, by communicator, operation and receiver."""

    def __init__(self):
        self.lock = threading.Lock()
        self.said = collections.defaultdict(dict)


class Request:
    def __init__(self, communicator, operation, gathered, size):
        self.communicator, self.operation, self.gathered, self.size = communicator, operation, gathered, size

    def Test(self):
        exchange = self.communicator.exchange
        with exchange.lock:
            texts = exchange.said[self.operation]
            if len(texts) < self.size:
                return False
            self.gathered[:] = b"".join(texts[rank] for rank in sorted(texts))
            return True


class Communicator:
    def __init__(self, exchange, rank, size, name="world"):
        self.exchange, self.rank, self.size, self.name = exchange, rank, size, name
        self.operations, self.copies, self.freed = 0, 0, 0
        self.messages = collections.Counter()

    def Get_rank(self):
        return self.rank

    def Get_size(self):
        return self.size

    def Dup(self):
        self.copies += 1
        self.copy = Communicator(self.exchange, self.rank, self.size, f"{self.name}.{self.copies}")
        return self.copy

    def Free(self):
        self.freed += 1

    def start(self, texts, gathered):
        if not isinstance(gathered[1], list):
            raise TypeError("mpi4py takes a tuple for counts and displacements")
        self.operations += 1
        operation = (self.name, self.operations)
        with self.exchange.lock:
            for to, text in enumerate(texts):
                self.exchange.said[operation, to][self.rank] = text
        return Request(self, (operation, self.rank), gathered[0], self.size)

    def Iallgatherv(self, mine, gathered):
        return self.start([bytes(mine[0])[:mine[1]]] * self.size, gathered)

    def Ialltoallv(self, mine, gathered):
        data, sizes = mine
        return self.start([bytes(data[sum(sizes[:to]):sum(sizes[:to + 1])]) for to in range(self.size)], gathered)

    def message(self, sender, to):
        """The name of the next message between two ranks."""
        self.messages[sender, to] += 1
        return self.name, sender, to, self.messages[sender, to]

    def Isend(self, data, dest):
        name = self.message(self.rank, dest)
        with self.exchange.lock:
            self.exchange.said[name, dest][self.rank] = bytes(data)
        return Request(self, (None, None), bytearray(), 0)

    def Irecv(self, data, source):
        return Request(self, (self.message(source, self.rank), self.rank), data, 1)


def on_ranks(size, body):
    """What body(communicator) gives, or raises, on each rank."""
    exchange, results = Exchange(), [None] * size

    def run(rank):
        try:
            results[rank] = body(Communicator(exchange, rank, size))
        except Exception as error:  # the test looks at it
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def run_program(communicator):
    printed = []
    with covec.Session(ranks=communicator, threads=1, output=lambda text, stream: printed.append(text)) as session:
        session.run(PROGRAM)
        mean = session["mean_of"]([1.0, 2.0, 3.0, 6.0])
        value = session["inside"], session["squares"], mean
    return "".join(printed), value, communicator.copy.freed


class Ranks(unittest.TestCase):
    def test_they_have_what_one_has(self):
        (printed, value, _), = on_ranks(1, run_program)
        self.assertEqual(value[1:], ([0, 1, 4, 9, 16], 3.0))
        for size in (2, 3):
            for rank, result in enumerate(on_ranks(size, run_program)):
                self.assertEqual(result, (printed if rank == 0 else "", value, 1))

    def test_large_tensors(self):
        def run(communicator):
            return covec.Session(ranks=communicator).run("import parallel\nparallel.all_sum((1 + parallel.rank()) * arange(20001.0))[20000]")
        self.assertEqual(on_ranks(2, run), [60000.0] * 2)
        self.assertEqual(on_ranks(3, run), [120000.0] * 3)

    def test_all_that_moves_bytes(self):
        def run(communicator):
            return covec.Session(ranks=communicator).run("""
import parallel
r, n = parallel.rank(), parallel.size()
b = parallel.broadcast(arange(3) + 10 * r, root=n - 1)
e = parallel.sendrecv([r], to=(r + 1) % n, from=(r + n - 1) % n)
s = parallel.shift([r + 1.0])
c = parallel.scatter(arange(5) + 100 * r, root=0)
list(b, parallel.all_gather(e), parallel.all_gather(s), parallel.all_gather(c))""")
        for size in (2, 3):
            for result in on_ranks(size, run):
                moved = [item.tolist() for item in result]
                self.assertEqual(moved, [[10 * size - 10 + i for i in range(3)], [size - 1, *range(size - 1)],
                                         [float(i) for i in range(size)], list(range(5))])

    def test_an_error_of_all(self):
        def run(communicator):
            return covec.Session(ranks=communicator).run("import parallel\nparallel.map(i -> error(\"no\") if i == 3 else i, 4)")
        for error in on_ranks(2, run):
            self.assertIsInstance(error, covec.Error)
            self.assertEqual(error.message, "no")

    def test_different_places(self):
        def run(communicator):
            name = ("map", "sum")[communicator.rank]
            return covec.Session(ranks=communicator).run(f"import parallel\nparallel.{name}(i -> i, 4)")
        for error in on_ranks(2, run):
            self.assertEqual(error.message, "ranks meet in different places: rank 0 in parallel.map, rank 1 in parallel.sum")

    def test_what_is_no_communicator(self):
        for wrong in (1, "world", object(), [2]):
            with self.assertRaisesRegex(TypeError, "ranks must be a communicator of mpi4py"):
                covec.Session(ranks=wrong)
        for rank, size in ((0, 0), (2, 2), (-1, 2)):
            with self.assertRaisesRegex(ValueError, f"ranks: there is no rank {rank} of {size}"):
                covec.Session(ranks=Communicator(Exchange(), rank, size))
        self.assertEqual(covec.Session(ranks=None).run("1 + 1"), 2)

    def test_a_communicator_that_fails(self):
        def fail(*_):
            raise OSError("the network is down")
        for name in ("Iallgatherv", "Dup"):
            communicator = type("Failing", (Communicator,), {name: fail})(Exchange(), 0, 2)
            communicator.Dup = communicator.Dup if name == "Dup" else lambda: communicator
            with self.assertRaisesRegex(OSError, "the network is down"):
                covec.Session(ranks=communicator).run("import parallel\nparallel.map(i -> i, 4)")

    def test_a_request_that_gives_nonsense(self):
        class Odd(Communicator):
            def Dup(self):
                return self

            def Iallgatherv(self, mine, gathered):
                return self.request
        class Done:
            def Test(self):
                return True
        for request, kind, text in ((Done(), covec.Error, "have not put the bytes of rank 0 in their place"), (None, AttributeError, "Test")):
            communicator = Odd(Exchange(), 0, 2)
            communicator.request = request
            with self.assertRaisesRegex(kind, text):
                covec.Session(ranks=communicator).run("import parallel\nparallel.map(i -> i, 4)")

    def test_an_interrupt_while_it_waits(self):
        communicator = Communicator(Exchange(), 0, 2)
        session = covec.Session(ranks=communicator, run_seconds=0.05)
        with self.assertRaisesRegex(covec.Error, "the program ran longer than its limit"):
            session.run("import parallel\nparallel.map(i -> i, 4)")
        with self.assertRaisesRegex(covec.Error, "this rank can do no more with others"):
            session.run("parallel.sum(i -> i, 4)")
        session.close()
        self.assertEqual(communicator.copy.freed, 0)  # MPI may still use it

    def test_permission(self):
        def run(communicator):
            return covec.Session(ranks=communicator, trusted=False, may_communicate=communicator.exchange.may).run(
                "import parallel\nparallel.sum(i -> i, 4)")
        Exchange.may = False
        for error in on_ranks(2, run):
            self.assertEqual(error.message, "this program is not permitted to communicate with other ranks")
        Exchange.may = True
        self.assertEqual(on_ranks(2, run), [6, 6])


if __name__ == "__main__":
    unittest.main()
