// `covec kernel`: a session for a notebook. It reads requests from standard input and writes what comes of them to
// standard output, one JSON object a line. docs/tools.md lists them; start reading at Kernel::answer() in kernel.cpp.
#pragma once

#include <string>

#include "interpreter/session/session.hpp"

namespace covec {

// Until the end of the input; gives the exit status.
int run_kernel(SessionOptions options, const std::string& version);

}  // namespace covec
