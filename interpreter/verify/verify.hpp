// `covec verify FILE`: runs the same program in two engines, statement by statement, up to the first bit that differs.
#pragma once

#include <string>

#include "interpreter/session/session.hpp"

namespace covec {

struct VerifyRequest {
  std::string file;
  bool with_c = false;  // the C99 engine as well
};

// 0: the engines agree (about an error of the program, too); 1: they do not; 2: the file is no program.
int run_verify(const VerifyRequest& request, const SessionOptions& options);

}  // namespace covec
