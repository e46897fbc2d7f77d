// `covec bench`: times the functions marked @bench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interpreter/session/session.hpp"

namespace covec {

struct BenchRequest {
  std::string file;                  // a program, or saved results
  std::vector<std::string> filters;  // only functions whose names contain one of them; none: all
  int rounds = 30;
  std::string save, against;  // files of results; empty: none
  std::optional<double> limit;
};

// Gives the exit status: 1 where a function is beyond the limit, or the program has an error or no such function.
int run_bench(const BenchRequest& request, SessionOptions options);

}  // namespace covec
