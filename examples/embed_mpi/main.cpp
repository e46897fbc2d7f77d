// A C++ host under MPI: each rank opens a session, and the sessions run one program on all ranks of the host's own
// communicator. Build it with the MPI that starts it:
//
//     mpicxx -std=c++20 main.cpp $(pkg-config --cflags --libs covec) && mpirun -n 4 ./a.out
#include <covec/covec.hpp>
#include <covec/mpi.hpp>

#include <cstdio>

namespace {

constexpr const char* program = R"(
import parallel

fn inside(i, points) = sum(sum(rand(points, 2)^2, axis=1) < 1)     # of one part
fn estimate(parts, points) {
    print(f"{parts} parts of {points} points")                      # rank 0 alone prints
    return 4.0 * parallel.sum(i -> inside(i, points), parts) / (parts * points)
}
)";

// An error that one rank alone has would leave the others waiting: the host ends them all.
template <class T>
T value_of(covec::host::Result<T> result) {
  if (result) return *result;
  std::fputs(result.error().text.c_str(), stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

int run() {
  covec::host::MpiRanks ranks(MPI_COMM_WORLD);
  covec::host::Session session({.threads = 1, .ranks = ranks.get()});
  value_of(session.run(program));
  const auto estimate = value_of(session.get("estimate"));
  const double pi = value_of(session.call<double>(estimate, 8, 10'000));

  double least = 0, most = 0;  // the host's own messages are apart from those of the session
  MPI_Allreduce(&pi, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&pi, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (ranks.get()->rank == 0) std::printf("%.4f, the same on all ranks: %s\n", pi, least == most ? "yes" : "no");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run();
  MPI_Finalize();
  return status;
}
