// The launcher that has started this process: `mpirun`, `mpiexec` and `srun` say in the environment which rank it is,
// and of how many, before any library is opened. So a program that names no ranks opens none, and rank 0 alone prints.
#pragma once

#include <string>

#include "stdlib/value/function_ref.hpp"

namespace covec::cluster {

enum class Abi : uint8_t { none, open_mpi, mpich };

struct Launch {
  int rank = 0, size = 1;
  int local_size = 1;  // ranks of this host; 1 where the launcher does not say
  int local_rank = 0;  // of this one among them; 0 where the launcher does not say
  Abi abi = Abi::none;
  std::string library;  // its path, where COVEC_MPI names one
  std::string problem;  // COVEC_MPI is none of openmpi, mpich and a path; "": it is
};

using Lookup = FunctionRef<const char*(const char* variable)>;
Launch find_launch(Lookup variable);

}  // namespace covec::cluster
