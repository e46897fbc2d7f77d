// Compares two values of any kinds for equality, also while a function is being compiled.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// A bool; where single numbers of the run decide (extents say), a bool of the run. Fails with `what` as not staged
// where more would have to be compared than numbers.
Value equality(Builder& builder, const Value& a, const Value& b, std::string_view what);

}  // namespace covec::ops
