// Whether there is a NaN or infinity in values. The parts of complex elements are looked at as numbers.
#pragma once

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

}  // namespace covec::autodiff
