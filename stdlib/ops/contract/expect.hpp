// Checks of elements: of sequences that must increase (the edges of bins, the points of an interpolated function), and
// of what else operators expect that are made of others.
#pragma once

#include <span>
#include <string>

#include "stdlib/ops/contract/steps.hpp"

namespace covec::ops {

// An error where a number is below the one before it, or one is nan: "interp: xp must rise, but 1.0 comes after 2.0".
void require_ascending(std::span<const double> numbers, const std::string& function, const std::string& parameter,
                       int operand);

// The same, along the last axis, when the run knows them: (numbers of f64, function, parameter, operand), internal.
const Entry& expect_ascending_entry();

// An error where not all of `holds` is true: "geomspace: start must be a number other than 0, got 0.0", where `shown`
// has the element that is told, and is of the shape of `holds`. Now, or when the run knows.
void expect_all(Steps& steps, const Value& holds, const Call& call, unsigned operand, std::string_view must_be,
                const Value& shown);

// An error where the first operands of `call` do not broadcast: "cannot take lerp of a and b: dimensions 2 and 3
// differ". Now, or when the run knows.
void expect_broadcast(Steps& steps, const Call& call, unsigned operands);

const Entry& expect_fit_entry();  // (extent, extent, function, its two parameters), internal
const Entry& expect_all_entry();  // (holds, shown, function, parameter, what it must be), internal

}  // namespace covec::ops
