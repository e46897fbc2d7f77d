// The end of a rank's program. Ranks end together: no library is shut down while another rank still waits for this one.
// An error that all ranks have is told once; one that this rank has alone is told with its rank, and ends the job.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/cluster/ranks.hpp"

namespace covec::cluster {

struct Ending {
  int status = 0;
  bool has_failed = false;
  bool was_interrupted = false;  // from outside: others are, too
  bool is_of_text = false;       // the text of the program or of a module is wrong
  std::string report;            // of the error
};

// What all ranks of a host find is told by the first one. The others wait a moment: a launcher may end all ranks when
// one ends, before another has told anything.
void let_leader_tell();

// The status of a process that ends with this error: ranks that do not fit together are a wrong usage.
int status_of_error(std::string_view code);

// Gives the status that the process ends with, or ends the job.
int finish(Ranks& ranks, const Ending& ending);

}  // namespace covec::cluster
