"""Python under mpirun: a session on mpi4py's communicator, whose own messages stay apart. Rank 0 prints."""
import sys

from mpi4py import MPI

import covec

comm = MPI.COMM_WORLD
with covec.Session(ranks=comm, threads=1) as session:
    session.run("""
import parallel
seed(3)
print((parallel.all_sum(arange(20001.0)) / parallel.size())[20000])
c = parallel.scatter([1, 2, 3])
assert parallel.all_sum(sum(c)) == 6
assert parallel.shift([1.0])[0] == (1 if parallel.rank() > 0 else 0)
fn estimate(parts) {
    print(f"{parts} parts")
    return 4 * parallel.sum(i -> sum(sum(rand(1000, 2)^2, axis=1) < 1), parts) / (1000 * parts)
}
""")
    estimate = session["estimate"](8)
    if comm.rank == 0:
        print(f"{estimate:.4f}", len(set(comm.allgather(estimate))), flush=True)
    else:
        comm.allgather(estimate)
    if comm.size > 1:
        try:
            session.run(("parallel.sum(i -> i, 3)", "parallel.map(i -> i, 3)")[comm.rank % 2], name="program")
        except covec.Error as error:
            print(f"{comm.rank}: {error.message}", file=sys.stderr, flush=True)
