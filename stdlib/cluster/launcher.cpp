#include "stdlib/cluster/launcher.hpp"

#include <cstdlib>
#include <string_view>

namespace covec::cluster {

namespace {

// The variables of one launcher. `mark`: only this launcher sets it.
struct Row {
  const char* mark;
  const char *rank, *size, *local_size, *local_rank;
  Abi abi;
};

constexpr Row rows[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK", Abi::open_mpi},
    {"PMI_SIZE", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "MPI_LOCALRANKID", Abi::mpich},
    {"PMIX_RANK", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "", "SLURM_LOCALID", Abi::open_mpi},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "", "SLURM_LOCALID", Abi::none},
};

int number_in(Lookup variable, const char* name, int fallback) {
  const char* text = *name != '\0' ? variable(name) : nullptr;
  if (text == nullptr) return fallback;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  return end != text && *end == '\0' && number >= 0 && number < (1 << 24) ? static_cast<int>(number) : fallback;
}

// The library that the user names, in place of the launcher's own.
void choose(Launch& launch, std::string_view name) {
  if (name == "openmpi") {
    launch.abi = Abi::open_mpi;
  } else if (name == "mpich") {
    launch.abi = Abi::mpich;
  } else if (name.find('/') != name.npos) {
    launch.library = name;
    if (launch.abi == Abi::none) launch.abi = Abi::open_mpi;  // the library itself says what it is
  } else {
    launch.problem = "COVEC_MPI must be openmpi, mpich or the path of a library, not " + std::string(name);
  }
}

}  // namespace

Launch find_launch(Lookup variable) {
  Launch launch;
  const char* chosen = variable("COVEC_MPI");
  for (const Row& row : rows) {
    if (variable(row.mark) == nullptr || (row.abi == Abi::none && chosen == nullptr)) continue;
    launch.size = number_in(variable, row.size, 1);
    launch.rank = number_in(variable, row.rank, 0);
    launch.local_size = number_in(variable, row.local_size, 1);
    launch.local_rank = number_in(variable, row.local_rank, 0);
    launch.abi = row.abi;
    break;
  }
  if (launch.size < 1 || launch.rank >= launch.size) return {};
  if (chosen != nullptr && *chosen != '\0') choose(launch, chosen);
  return launch;
}

}  // namespace covec::cluster
