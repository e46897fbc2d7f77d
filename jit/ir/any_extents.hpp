// Applies type rules to dtypes and ranks only.
#pragma once

#include "stdlib/ops/contract/shapes.hpp"

namespace covec::ir {

// Extents do not matter.
class AnyExtents final : public ops::ShapeBuilder {
 public:
  Dim unknown_dim() override { return Dim::symbol(0); }
  Dim dim_of(const Value& number) override {
    const int64_t size = !number.is_scalar() ? -1 : number.integer();
    return size >= 0 ? Dim(size) : unknown_dim();
  }
  bool is_extent(const Value&) const override { return true; }

 protected:
  void guard_equal(Dim, Dim, const ops::Mismatch&) override {}
  Dim symbolic_add(Dim, Dim) override { return unknown_dim(); }
  Dim symbolic_multiply(Dim, Dim) override { return unknown_dim(); }
  Dim symbolic_broadcast(Dim, Dim, const ops::Mismatch&) override { return unknown_dim(); }
};

}  // namespace covec::ir
