// Extents that a type rule can only know from numbers: those that an index or a count has chosen (how many are not 0).
#pragma once

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/shapes.hpp"

namespace covec::autodiff {

// Gives a type rule 0 for such extents, and notes that there were any.
class ChosenExtents final : public ops::ShapeBuilder {
 public:
  explicit ChosenExtents(ops::Builder& b) : b_(b) {}
  bool any() const { return any_; }
  Dim unknown_dim() override {
    any_ = true;
    return Dim(0);
  }
  Dim dim_of(const Value& number) override { return b_.dim_of(number); }
  bool is_extent(const Value& number) const override { return b_.is_extent(number); }

 protected:
  void guard_equal(Dim, Dim, const ops::Mismatch&) override {}
  Dim symbolic_add(Dim, Dim) override { return unknown_dim(); }
  Dim symbolic_multiply(Dim, Dim) override { return unknown_dim(); }
  Dim symbolic_broadcast(Dim, Dim, const ops::Mismatch&) override { return unknown_dim(); }

 private:
  ops::Builder& b_;
  bool any_ = false;
};

}  // namespace covec::autodiff
