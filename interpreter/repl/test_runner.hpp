// `covec test`: loads files and runs their functions marked @test, each in the session of its file.
#pragma once

#include <string>
#include <vector>

#include "interpreter/session/session.hpp"

namespace covec {

// Folders are searched for *.covec. Gives the exit status: 0 when all passed, 1 otherwise, 2 when a path is not there.
int run_tests(const std::vector<std::string>& paths, const std::string& filter, const SessionOptions& options);

}  // namespace covec
