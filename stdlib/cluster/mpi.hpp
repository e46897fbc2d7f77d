// The ranks of an MPI library, which is opened at run time: nothing is linked and no mpi.h is needed. MPI only moves
// bytes, so two tables of five constants tell the libraries apart (Open MPI; MPICH and its kin: Intel, Cray, MVAPICH).
#pragma once

#include <memory>

#include "stdlib/cluster/launcher.hpp"
#include "stdlib/cluster/ranks.hpp"

namespace covec::cluster {

// Its start() opens the library. OpError: it is not there, or the launcher is another library's.
std::unique_ptr<Ranks> mpi_ranks(const Launch& launch);

}  // namespace covec::cluster
