// What a function was given at the call that its code was made for: for people alone, no code depends on it.
#pragma once

#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::ir {

struct FirstValue {
  static constexpr size_t no_argument = SIZE_MAX;
  Id parameter = 0;                // of the graph
  size_t argument = no_argument;   // that it is a part of; others are captured, or names of the module
  std::vector<int64_t> extents{};  // of a tensor; below 0: not known
  Value number{};                  // none: it is none
};

}  // namespace covec::ir
