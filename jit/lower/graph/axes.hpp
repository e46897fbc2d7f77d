// Stages an operator whose axis only the run knows, as a branch with one case for each axis.
#pragma once

#include <optional>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ir {

// Which argument of a call is an axis of its first operand that only the run knows.
std::optional<size_t> symbolic_axis(const ops::Call& call);
// Applies the operator along the axis that the run finds, or raises there what it says of one that there is not.
Value at_each_axis(ops::Builder& builder, const ops::Call& call, size_t argument);

}  // namespace covec::ir
