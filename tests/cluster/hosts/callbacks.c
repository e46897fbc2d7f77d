/* A C host with functions of its own for its ranks: they wait in MPI themselves, so that an operation is complete when
 * its start returns. It gives rank 1 a program of its own, where there is an argument. */
#include <covec/covec.h>
#include <mpi.h>

#include <stdio.h>

struct ranks {
  MPI_Comm communicator;
  int size;
};

static void fill(int* begins, const int* sizes, int size) {
  begins[0] = 0;
  for (int i = 1; i < size; ++i) begins[i] = begins[i - 1] + sizes[i - 1];
}

static int all_gather(void* user, const void* mine, const int* sizes, void* all) {
  const struct ranks* ranks = user;
  int rank = 0, begins[16];
  MPI_Comm_rank(ranks->communicator, &rank);
  fill(begins, sizes, ranks->size);
  return MPI_Allgatherv(mine, sizes[rank], MPI_BYTE, all, sizes, begins, MPI_BYTE, ranks->communicator);
}

static int all_to_all(void* user, const void* mine, const int* given, void* all, const int* taken) {
  const struct ranks* ranks = user;
  int from[16], to[16];
  fill(from, given, ranks->size);
  fill(to, taken, ranks->size);
  return MPI_Alltoallv(mine, given, from, MPI_BYTE, all, taken, to, MPI_BYTE, ranks->communicator);
}

static int exchange(void* user, const void* mine, int bytes, int to, void* received, int received_bytes, int from) {
  const struct ranks* ranks = user;
  return MPI_Sendrecv(mine, bytes, MPI_BYTE, to < 0 ? MPI_PROC_NULL : to, 0, received, received_bytes, MPI_BYTE,
                      from < 0 ? MPI_PROC_NULL : from, 0, ranks->communicator, MPI_STATUS_IGNORE);
}

static int is_complete(void* user, int* complete) {
  (void)user;
  *complete = 1;
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct ranks mine;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine.communicator);
  covec_ranks ranks = {.bytes = sizeof ranks,
                       .user = &mine,
                       .all_gather = all_gather,
                       .all_to_all = all_to_all,
                       .exchange = exchange,
                       .is_complete = is_complete};
  MPI_Comm_rank(mine.communicator, &ranks.rank);
  MPI_Comm_size(mine.communicator, &ranks.size);
  mine.size = ranks.size;
  covec_options options = {.threads = 1, .ranks = &ranks};
  covec_session* session = covec_open(&options);
  const char* program =
      "import parallel\nc = parallel.scatter([1, 2, 3])\nassert parallel.all_sum(sum(c)) == 6"
      "\nassert parallel.shift([1.0])[0] == (1 if parallel.rank() > 0 else 0)\n"
      "\nprint(parallel.all_gather(parallel.map(i -> i^2, 5)), "
      "parallel.all_sum(arange(20001))[20000])\n";
  if (argc > 1 && ranks.rank == 1) program = "import parallel\nparallel.sum(i -> i, 5)\n";
  if (covec_run(session, "host", program, NULL) != COVEC_OK)
    printf("%d: %s\n", ranks.rank, covec_error_message(session));
  covec_close(session);
  MPI_Comm_free(&mine.communicator);
  MPI_Finalize();
  return 0;
}
