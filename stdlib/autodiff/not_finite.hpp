// NaN and infinity in values: where a result has one that its operands do not have. The parts of complex elements are
// looked at as numbers.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/value.hpp"

namespace covec::autodiff {

// Which of them occur.
struct NotFinite {
  bool nan = false;
  bool infinite = false;
  bool any() const { return nan || infinite; }
  NotFinite& operator|=(NotFinite other) {
    nan |= other.nan;
    infinite |= other.infinite;
    return *this;
  }
};

// In all floats of a tree, below what derivatives and vmap have wrapped around them.
NotFinite not_finite(ops::Context& context, const Value& tree);

// What an operator has made of numbers.
struct Made {
  std::string text;      // "nan", "inf" or "-inf"
  std::string at;        // "[2, 0]"; empty: the result is one number, or a tree
  std::string operands;  // "a is 1.0, b is 0.0": those of that element, where the operator is elementwise
};
// The first element of the result that is NaN where no operand is, or infinite where no operand is infinite or NaN.
// Elementwise operators are asked element by element, others as a whole. Nothing where no operand has a number.
std::optional<Made> made_of_numbers(ops::Context& context, const ops::Entry& entry, std::span<const Value> operands,
                                    const Value& result);

}  // namespace covec::autodiff
