// Launchers as their environments tell of them.
#include "stdlib/cluster/launcher.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace covec::cluster {

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

Launch launch_in(const Variables& variables) {
  return find_launch([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second.c_str() : nullptr;
  });
}

void expect(const Launch& launch, int rank, int size, int local_size, Abi abi) {
  EXPECT_EQ(launch.rank, rank);
  EXPECT_EQ(launch.size, size);
  EXPECT_EQ(launch.local_size, local_size);
  EXPECT_EQ(launch.abi, abi);
}

}  // namespace

TEST(Launcher, none) {
  expect(launch_in({}), 0, 1, 1, Abi::none);
  expect(launch_in({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "1"}}), 0, 1, 1, Abi::none);  // no library is named
}

TEST(Launcher, open_mpi) {
  expect(launch_in({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
         3, 4, 2, Abi::open_mpi);
}

TEST(Launcher, mpich) {
  expect(launch_in({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}, {"MPI_LOCALNRANKS", "2"}}), 1, 2, 2, Abi::mpich);
  EXPECT_EQ(launch_in({{"PMI_SIZE", "4"}, {"PMI_RANK", "3"}, {"MPI_LOCALRANKID", "1"}}).local_rank, 1);
}

TEST(Launcher, slurm) {
  const Variables step = {{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}};
  Variables with_pmix = step, with_choice = step;
  with_pmix["PMIX_RANK"] = "5";
  expect(launch_in(with_pmix), 5, 8, 1, Abi::open_mpi);
  with_choice["COVEC_MPI"] = "mpich";
  expect(launch_in(with_choice), 5, 8, 1, Abi::mpich);
}

TEST(Launcher, the_user_chooses_the_library) {
  Variables variables = {{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}, {"COVEC_MPI", "openmpi"}};
  expect(launch_in(variables), 1, 2, 1, Abi::open_mpi);
  variables["COVEC_MPI"] = "/opt/mpi/libmpi.so";
  EXPECT_EQ(launch_in(variables).library, "/opt/mpi/libmpi.so");
  variables["COVEC_MPI"] = "lam";
  EXPECT_EQ(launch_in(variables).problem, "COVEC_MPI must be openmpi, mpich or the path of a library, not lam");
}

TEST(Launcher, numbers_that_are_none) {
  expect(launch_in({{"OMPI_COMM_WORLD_SIZE", "four"}, {"OMPI_COMM_WORLD_RANK", "0"}}), 0, 1, 1, Abi::open_mpi);
  expect(launch_in({{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "2"}}), 0, 1, 1, Abi::none);
  expect(launch_in({{"PMI_SIZE", "0"}}), 0, 1, 1, Abi::none);
}

}  // namespace covec::cluster
