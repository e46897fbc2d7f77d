"""The ranks of a communicator of mpi4py, as covec.Session(ranks=comm) has them. The extension imports this for the first one, and calls
the methods; mpi4py is imported by whoever made the communicator."""
import sys

_NEEDED = ("Dup", "Get_rank", "Get_size", "Iallgatherv", "Ialltoallv", "Irecv", "Isend")


class Ranks:
    """All ranks make it together: what sessions send goes over a duplicate of the communicator."""

    def __init__(self, communicator):
        if any(not callable(getattr(communicator, name, None)) for name in _NEEDED):
            raise TypeError(f"ranks must be a communicator of mpi4py, such as MPI.COMM_WORLD, not {type(communicator).__name__}")
        self.rank, self.size = communicator.Get_rank(), communicator.Get_size()
        if not 0 <= self.rank < self.size:
            raise ValueError(f"ranks: there is no rank {self.rank} of {self.size}")
        self._communicator = communicator.Dup()
        self._requests = []

    def all_gather(self, mine, sizes, gathered):
        self._requests = [self._communicator.Iallgatherv([mine, sizes[self.rank]], [gathered, sizes])]

    def all_to_all(self, mine, given, gathered, taken):
        self._requests = [self._communicator.Ialltoallv([mine, given], [gathered, taken])]

    def exchange(self, mine, to, received, sender):
        """-1: to nobody, or of nobody."""
        self._requests = [] if sender < 0 else [self._communicator.Irecv(received, source=sender)]
        if to >= 0:
            self._requests.append(self._communicator.Isend(mine, dest=to))

    def is_complete(self):
        self._requests = [request for request in self._requests if not request.Test()]
        return not self._requests

    def close(self):
        """What an interrupt has left in the middle keeps the duplicate. So does the end of MPI."""
        mpi = sys.modules.get("mpi4py.MPI")
        if not self._requests and not (mpi is not None and mpi.Is_finalized()):
            self._communicator.Free()
