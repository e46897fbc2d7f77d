// Writes operations that compute numbers for an iteration: sums, products and extents, and how many bytes a loop
// produces.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "jit/passes/analysis/operation_writer.hpp"

namespace covec::passes {

// Operations on numbers, appended one behind the other.
class Numbers {
 public:
  Numbers(ir::Graph& graph, std::vector<ir::Operation>& to, uint32_t place) : write_(graph, place), to_(to) {}

  Value apply(const ops::Entry& entry, std::vector<Value> args, Dtype dtype = Dtype::i64) {
    return write_.apply(to_, entry, std::move(args), Type{dtype, {}});
  }
  Value of_floats(const ops::Entry& entry, Value a, Value b) {
    return apply(entry, {std::move(a), std::move(b)}, Dtype::f64);
  }
  Value add(Value a, Value b) { return of(ops::handles().add, std::move(a), std::move(b)); }
  Value subtract(Value a, Value b) { return of(ops::handles().subtract, std::move(a), std::move(b)); }
  Value multiply(Value a, Value b) { return of(ops::handles().multiply, std::move(a), std::move(b)); }
  Value maximum(Value a, Value b) { return of(ops::handles().maximum, std::move(a), std::move(b)); }
  Value divide(Value a, Value b) { return of(ops::handles().floor_divide, std::move(a), std::move(b)); }
  Value as_float(Value a) { return apply(ops::cast_entry(Dtype::f64), {std::move(a)}, Dtype::f64); }
  Value extent(const Value& tensor, uint32_t axis) { return write_.extent(to_, tensor, axis); }

 private:
  Value of(const ops::Entry& entry, Value a, Value b) { return apply(entry, {std::move(a), std::move(b)}); }
  const OperationWriter write_;
  std::vector<ir::Operation>& to_;
};

// Told before the loop from what is there. An extent that only an iteration knows counts as 1.
class LoopBytes {
 public:
  LoopBytes(const ir::Graph& graph, const ir::Operation& loop, Numbers& numbers);
  // Of all that is carried.
  Value carried();
  // Of what an iteration makes and `used` names.
  Value used(const std::set<ir::Id>& used) { return numbers_.add(Value(int64_t{1}), in(body(), used)); }

 private:
  const ir::Region& body() const { return loop_.regions.back(); }
  Value in(const ir::Region& region, const std::set<ir::Id>& used);
  Value iterations_of(const ir::Operation& loop) const;
  Value of(ir::Id id);
  Value of(Dim dim);
  Value of(const ir::DimExpression& e);
  Value extent_of(ir::Id id, uint32_t axis);

  const ir::Graph& graph_;
  const ir::Operation& loop_;
  Numbers& numbers_;
  std::set<ir::Id> inside_;
  std::map<uint32_t, Value> extents_;
};

}  // namespace covec::passes
