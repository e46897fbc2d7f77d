// `covec fmt`: formats programs in place, or tells what it would change.
#pragma once

#include <string>
#include <vector>

#include "interpreter/session/session.hpp"

namespace covec {

struct FormatRequest {
  std::vector<std::string> paths;  // files, folders that are searched for *.covec, and - for standard input
  bool only_checks = false;        // names the files that are not formatted; nothing is written
  bool shows_difference = false;   // nothing is written, either
};

// Gives the exit status: 0 where all is formatted; 1 where something was to be changed but is not, or a text is left
// alone because a string or a bracket is open; 2 where a file cannot be read or written; 3 for a bug of the formatter.
int run_format(const FormatRequest& request, const SessionOptions& options);

}  // namespace covec
