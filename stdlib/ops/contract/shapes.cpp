// Dimension arithmetic and NumPy's broadcasting, over numbers and symbols alike. Known dimensions never reach the
// engine.
#include "stdlib/ops/contract/shapes.hpp"

#include <algorithm>
#include <limits>

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

Dim ShapeBuilder::broadcast(Dim a, Dim b, const Mismatch& otherwise) {
  if (a == b) return a;
  // A known 1 gives way at once, whatever the other is; two different numbers cannot agree.
  if (a.known() && a.number() == 1) return b;
  if (b.known() && b.number() == 1) return a;
  if (a.known() && b.known()) raise(otherwise, a.number(), b.number());
  return symbolic_broadcast(a, b, otherwise);
}

Shape ShapeBuilder::broadcast(const Shape& a, const Shape& b, const Mismatch& otherwise) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  const unsigned shift = longer.rank() - shorter.rank();
  Shape result = longer;
  for (unsigned i = 0; i < shorter.rank(); ++i) {
    const Dim first = a.rank() >= b.rank() ? longer[i + shift] : shorter[i];
    const Dim second = a.rank() >= b.rank() ? shorter[i] : longer[i + shift];
    result[i + shift] = broadcast(first, second, otherwise);
  }
  return result;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return false;
  for (unsigned axis = 0, shift = to.rank() - from.rank(); axis < from.rank(); ++axis) {
    if (!(from[axis] == to[axis + shift]) && !(from[axis] == Dim(1))) return false;
  }
  return true;
}

void ShapeBuilder::raise(const Mismatch& otherwise, int64_t a, int64_t b) {
  fail(*otherwise.message, otherwise.parts ? otherwise.parts(otherwise.self, a, b) : std::vector<std::string>{},
       otherwise.labels ? otherwise.labels(otherwise.self, a, b) : std::vector<ArgumentLabel>{});
}

}  // namespace covec::ops
