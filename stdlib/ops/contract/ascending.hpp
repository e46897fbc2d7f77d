// Checks sequences that must increase: the edges of bins, the points of an interpolated function.
#pragma once

#include <span>
#include <string>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// An error where a number is below the one before it, or one is nan: "interp: xp must rise, but 1.0 comes after 2.0".
void require_ascending(std::span<const double> numbers, const std::string& function, const std::string& parameter,
                       int operand);

// The same, along the last axis, when the run knows them: (numbers of f64, function, parameter, operand), internal.
const Entry& expect_ascending_entry();

}  // namespace covec::ops
