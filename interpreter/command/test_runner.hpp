// `covec test`: loads files and runs their functions marked @test, each in the session of its file.
#pragma once

#include <string>
#include <vector>

#include "interpreter/session/session.hpp"

namespace covec {

struct TestOptions {
  std::vector<std::string> paths;    // files, and folders that are searched for *.covec; none: this folder
  std::vector<std::string> filters;  // only tests whose file and name contain one of them; none: all
  bool stop_at_first = false;        // failure
  bool json = false;                 // failures and warnings as JSON on standard output, all else on standard error
};

// Gives the exit status: 0 when all passed, 1 when one failed or the filters leave none, 2 when a path is not there.
int run_tests(const TestOptions& options, const SessionOptions& session);

}  // namespace covec
