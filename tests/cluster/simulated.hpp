// A simulated cluster: ranks are threads of one process, each with a session of its own on a stack as deep as the
// command's. They find each other without MPI. On request a rank is late, dies or fails in a collective of its own. A
// test sees what each rank prints, says and ends with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stdlib/cluster/ranks.hpp"

namespace covec::testing {

enum class FaultKind { delay, death, failure };
struct Fault {
  int rank = 0;
  int operation = 0;  // the fault happens in this operation of the rank: headers, texts and bytes count
  FaultKind kind = FaultKind::delay;
  double seconds = 0;  // of a delay
};

// Mixed: odd ranks have a compiler, the others have none.
enum class Engines { eager, compiled, mixed };

struct ClusterOptions {
  cluster::Patience patience = {.report = 60, .end = 0, .error = 1};
  std::vector<Fault> faults = {};
  Engines engines = Engines::eager;
  // Variables (COVEC_ENGINE, COVEC_TIER) that a rank's session is made with, in the place of `engines`; by rank.
  using Environment = std::map<std::string, std::string>;
  std::vector<Environment> environments = {};
  int interrupted = -1;                    // a rank that is interrupted when it waits
  std::string afterwards = "";             // a program that its session runs then
  std::vector<std::string> versions = {};  // of Covec, by rank; none: they are the same
};

struct RankResult {
  std::string printed, warned;
  std::string said;  // to people, past the session's output: reports of errors and of lateness
  int status = 0;
  bool was_aborted = false;
};

// The same program on all ranks.
std::vector<RankResult> run_on(int ranks, const std::string& program, const ClusterOptions& options = {});
// A program for each rank.
std::vector<RankResult> run_each(const std::vector<std::string>& programs, const ClusterOptions& options = {});

}  // namespace covec::testing
