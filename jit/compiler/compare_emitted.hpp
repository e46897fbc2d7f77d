// Compares a function's emitted C text with its machine code, bit by bit (`covec verify --emit`). Start at
// compare_emitted().
#pragma once

#include "jit/compiler/emit.hpp"

namespace covec::jit {

struct Comparison {
  std::string report;
  bool same = true;
};

struct ComparisonOptions {
  std::vector<Value> given;
  int64_t draws = 1000;
  std::string build;  // a compiler and its flags
};

// With `build`, else with gcc and clang, as far as they are there, without and with optimization. Inputs are the leaves
// of `given`, if there are some; zeros, subnormals, huge numbers, infinities and NaN in turn; and `draws` that are
// drawn, the same ones each time. Those that keep machine code busy for long (a loop that ends for few inputs only) are
// left out. NaN equals NaN, and an error an error.
Comparison compare_emitted(Compiler& compiler, const EmitRequest& request, PlaceText place_text,
                           const ComparisonOptions& options);

}  // namespace covec::jit
