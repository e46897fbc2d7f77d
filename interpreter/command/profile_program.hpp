// `covec profile`: runs a program and tells where its time goes, or its memory.
#pragma once

#include <string>
#include <vector>

#include "interpreter/session/session.hpp"

namespace covec {

struct ProfileRequest {
  std::string file;
  bool memory = false;
  std::string svg, json;  // files to write; empty: none
};

// Takes a profile while `run` runs, which gives the exit status, also where the program ends with an error. Writes the
// table to standard error.
int run_profiled(const ProfileRequest& request, Session& session, FunctionRef<int()> run);

}  // namespace covec
