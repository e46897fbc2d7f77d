// Arithmetic and checks on dimensions for type rules. Known dimensions are computed and checked at once. Symbolic ones
// go to the engine through virtual functions; it emits IR and a guard with its source place. So shape errors have one
// source.
#pragma once

#include "stdlib/value/dtype.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/value.hpp"

namespace covec::ops {

// Makes the error when a check fails; called only then (known) or kept with the guard (symbolic).
struct Mismatch {
  const Message* message;
  std::vector<std::string> (*parts)(const void* self, int64_t a, int64_t b);
  std::vector<ArgumentLabel> (*labels)(const void* self, int64_t a, int64_t b);
  const void* self;
};

class ShapeBuilder {
 public:
  virtual ~ShapeBuilder() = default;
  void require_equal(Dim a, Dim b, const Mismatch& otherwise) {
    if (a.known() && b.known()) {
      if (a.number() != b.number()) raise(otherwise, a.number(), b.number());
    } else {
      guard_equal(a, b, otherwise);
    }
  }
  Dim add(Dim a, Dim b);
  Dim multiply(Dim a, Dim b);                // known products saturate
  Dim saturating_sub(Dim a, int64_t count);  // max(a − count, 0)
  // A dimension that only the run knows: the engine ties it to the axis of the result whose type is being found.
  virtual Dim unknown_dim() = 0;
  // A size given as an integer, or as a Symbol of rank 0 and an integer dtype.
  virtual Dim dim_of(const Value& number) = 0;
  // Whether a number is the extent of some axis, and so never negative. False where that is not known.
  virtual bool is_extent(const Value&) const { return false; }
  // What holds anyway, and what an engine that does not know the extents yet may use.
  virtual void assume_equal(Dim, Dim) {}
  // NumPy's rule for one axis: equal, or one of them 1.
  Dim broadcast(Dim a, Dim b, const Mismatch& otherwise);
  Shape broadcast(const Shape& a, const Shape& b, const Mismatch& otherwise);
  [[noreturn]] static void raise(const Mismatch& otherwise, int64_t a, int64_t b);

 protected:
  virtual void guard_equal(Dim a, Dim b, const Mismatch& otherwise) = 0;
  virtual Dim symbolic_add(Dim a, Dim b) = 0;
  virtual Dim symbolic_multiply(Dim a, Dim b) = 0;
  virtual Dim symbolic_saturating_sub(Dim, int64_t) { return unknown_dim(); }
  virtual Dim symbolic_broadcast(Dim a, Dim b, const Mismatch& otherwise) = 0;
};

}  // namespace covec::ops
