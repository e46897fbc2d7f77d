// The end of a rank's program. Ranks end together: no library is shut down while another rank still waits for this one.
// An error that all ranks have is told once; one that this rank has alone is told with its rank, and ends the job.
#pragma once

#include <string>

#include "stdlib/cluster/ranks.hpp"

namespace covec::cluster {

struct Ending {
  int status = 0;
  bool has_failed = false;
  bool was_interrupted = false;  // from outside: others are, too
  std::string report;            // of the error
};

// Gives the status that the process ends with, or ends the job.
int finish(Ranks& ranks, const Ending& ending);

}  // namespace covec::cluster
