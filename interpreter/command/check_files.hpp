// `covec check`: tells what is wrong with programs without running them.
#pragma once

#include <string>
#include <vector>

#include "interpreter/session/session.hpp"

namespace covec {

struct CheckOptions {
  std::vector<std::string> paths;  // files, folders that are searched for *.covec, and - for standard input
  bool json = false;
  bool strict = false;  // warnings count as errors
  bool fix = false;     // files are changed where one edit is the cure
};

// Gives the exit status: 0 without errors, 1 with some, 2 where a file cannot be read or written.
int run_check(const CheckOptions& options, const SessionOptions& session);

}  // namespace covec
