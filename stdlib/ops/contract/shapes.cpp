// Dimension arithmetic and NumPy's broadcasting, over numbers and symbols. Known dimensions never reach the engine.
#include "stdlib/ops/contract/shapes.hpp"

#include <algorithm>
#include <limits>

#include "stdlib/value/broadcast.hpp"

namespace covec::ops {

Dim ShapeBuilder::add(Dim a, Dim b) {
  if (a.known() && b.known()) {
    int64_t sum;
    return Dim(__builtin_add_overflow(a.number(), b.number(), &sum) ? std::numeric_limits<int64_t>::max() : sum);
  }
  if (a == Dim(0)) return b;
  return b == Dim(0) ? a : symbolic_add(a, b);
}

Dim ShapeBuilder::multiply(Dim a, Dim b) {
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  if (a == Dim(0) || b == Dim(0)) return Dim(0);
  if (!a.known() || !b.known()) return symbolic_multiply(a, b);
  int64_t product;
  if (__builtin_mul_overflow(a.number(), b.number(), &product)) return Dim(std::numeric_limits<int64_t>::max());
  return Dim(product);
}

Dim ShapeBuilder::saturating_sub(Dim a, int64_t count) {
  if (count == 0) return a;
  return a.known() ? Dim(std::max<int64_t>(a.number() - count, 0)) : symbolic_saturating_sub(a, count);
}

Dim ShapeBuilder::broadcast(Dim a, Dim b, const Mismatch& otherwise) {
  const Fit how = fit(a, b);
  if (how == Fit::fits) return joined(a, b);
  if (how == Fit::fails) raise(otherwise, a.number(), b.number());
  return symbolic_broadcast(a, b, otherwise);
}

Shape ShapeBuilder::broadcast(const Shape& a, const Shape& b, const Mismatch& otherwise) {
  return covec::broadcast(a, b, [&](unsigned, Dim x, Dim y) { return broadcast(x, y, otherwise); });
}

void ShapeBuilder::raise(const Mismatch& otherwise, int64_t a, int64_t b) {
  fail(*otherwise.message, otherwise.parts ? otherwise.parts(otherwise.self, a, b) : std::vector<std::string>{},
       otherwise.labels ? otherwise.labels(otherwise.self, a, b) : std::vector<ArgumentLabel>{});
}

}  // namespace covec::ops
