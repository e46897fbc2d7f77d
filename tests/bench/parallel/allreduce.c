/* MPI_Allreduce of 1 MiB and of 64 MiB: the least seconds, as all_sum.covec prints them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double least_of(const double* x, double* y, int count, int rounds) {
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Allreduce(x, y, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - start;
    if (seconds < least) least = seconds;
  }
  return least;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int sizes[] = {1, 64}, rounds[] = {200, 12};
  for (int i = 0; i < 2; ++i) {
    const int count = sizes[i] * 131072;
    double *x = malloc((size_t)count * sizeof *x), *y = malloc((size_t)count * sizeof *y);
    for (int k = 0; k < count; ++k) x[k] = 1.0 + rank, y[k] = 0;
    const double least = least_of(x, y, count, rounds[i]);
    if (rank == 0) printf("%d %.9f %g\n", sizes[i], least, y[0]);
    free(x);
    free(y);
  }
  MPI_Finalize();
  return 0;
}
