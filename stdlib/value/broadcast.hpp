// Broadcasting as in NumPy: axes count from the last one, and two extents match if they are equal or one of them is 1.
// An extent may be a symbol, so there is a third answer: only the run knows. Each caller decides what that means. A
// type rule leaves a guard behind, a pass concludes nothing, and fusion assumes equality.
#pragma once

#include <algorithm>
#include <span>

#include "stdlib/value/dtype.hpp"

namespace covec {

enum class Fit : uint8_t { fits, unknown, fails };

// Beside each other, each may be repeated to the other's extent.
constexpr Fit fit(Dim a, Dim b) {
  if (a == b || a == Dim(1) || b == Dim(1)) return Fit::fits;
  return a.known() && b.known() ? Fit::fails : Fit::unknown;
}
// Only `from` may be repeated.
constexpr Fit fit_to(Dim from, Dim to) {
  if (from == to || from == Dim(1)) return Fit::fits;
  return from.known() && to.known() ? Fit::fails : Fit::unknown;
}
// The extent of two that fit.
constexpr Dim joined(Dim a, Dim b) { return a == Dim(1) ? b : a; }

// The shape of a beside b: f(axis of the result, extent of a, extent of b) gives the extent of an axis that both have.
template <class F>
Shape broadcast(const Shape& a, const Shape& b, F&& f) {
  Shape result = a.rank() >= b.rank() ? a : b;
  const unsigned rank = result.rank(), from_a = rank - a.rank(), from_b = rank - b.rank();
  for (unsigned axis = std::max(from_a, from_b); axis < rank; ++axis) {
    result[axis] = f(axis, a[axis - from_a], b[axis - from_b]);
  }
  return result;
}
inline Shape joined(const Shape& a, const Shape& b) {
  return broadcast(a, b, [](unsigned, Dim x, Dim y) { return joined(x, y); });
}

// Of whole shapes: one axis that fails decides, then one that is unknown.
inline Fit fit(const Shape& a, const Shape& b) {
  Fit worst = Fit::fits;
  for (unsigned back = 1; back <= std::min(a.rank(), b.rank()); ++back) {
    worst = std::max(worst, fit(a[a.rank() - back], b[b.rank() - back]));
  }
  return worst;
}
inline Fit fit_to(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return Fit::fails;
  Fit worst = Fit::fits;
  for (unsigned back = 1; back <= from.rank(); ++back) {
    worst = std::max(worst, fit_to(from[from.rank() - back], to[to.rank() - back]));
  }
  return worst;
}

// How elements of these extents and strides are walked when they are repeated to more axes or larger ones: an axis of
// one element stands still. `to` has a place for each axis of the result.
inline void repeated_strides(std::span<const int64_t> dims, std::span<const int64_t> strides, std::span<int64_t> to) {
  const size_t missing = to.size() - dims.size();
  std::fill_n(to.begin(), missing, 0);
  for (size_t axis = 0; axis < dims.size(); ++axis) to[missing + axis] = dims[axis] == 1 ? 0 : strides[axis];
}

}  // namespace covec
