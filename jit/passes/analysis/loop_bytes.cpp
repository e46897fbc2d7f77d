#include "jit/passes/analysis/loop_bytes.hpp"

#include <algorithm>

namespace covec::passes {

using namespace ir;

namespace {

// Of an f64 or i64; of an object, an estimate.
constexpr int64_t bytes_of_number = 8, bytes_of_boxed = 64;
constexpr int64_t assumed_iterations = 16;  // of a loop inside

void add_defined(const Region& region, std::set<Id>& defined) {
  defined.insert(region.parameters.begin(), region.parameters.end());
  for (const Operation& operation : region.operations) {
    defined.insert(operation.results.begin(), operation.results.end());
    for (const Region& inner : operation.regions) add_defined(inner, defined);
  }
}

}  // namespace

LoopBytes::LoopBytes(const Graph& graph, const Operation& loop, Numbers& numbers)
    : graph_(graph), loop_(loop), numbers_(numbers) {
  add_defined(body(), inside_);
}

Value LoopBytes::carried() {
  Value sum(int64_t{1});
  for (size_t k = leading(loop_); k < body().parameters.size(); ++k) sum = numbers_.add(sum, of(body().parameters[k]));
  return sum;
}
Value LoopBytes::in(const Region& region, const std::set<Id>& used) {
  Value sum(int64_t{0});
  const auto add = [&](Id id) {
    if (used.contains(id)) sum = numbers_.add(sum, of(id));
  };
  for (const Id id : region.parameters) add(id);
  for (const Operation& operation : region.operations) {
    for (const Id id : operation.results) add(id);
    for (const Region& inner : operation.regions) {
      Value more = in(inner, used);
      if (more.is_scalar()) continue;
      sum = numbers_.add(sum, is_loop(operation) ? numbers_.multiply(iterations_of(operation), more) : more);
    }
  }
  return sum;
}

Value LoopBytes::iterations_of(const Operation& loop) const {
  if (loop.kind != Kind::for_ || (is_symbol(loop.args[0]) && inside_.contains(id_of(loop.args[0]))))
    return Value(assumed_iterations);
  return loop.args[0];
}
Value LoopBytes::of(Id id) {
  const ValueInfo info = graph_.values[id];
  if (info.boxed) return Value(bytes_of_boxed);
  Value bytes(info.type.shape.empty() ? bytes_of_number : static_cast<int64_t>(size_of(info.type.dtype)));
  for (const Dim dim : info.type.shape) bytes = numbers_.multiply(bytes, of(dim));
  return bytes;
}

Value LoopBytes::of(Dim dim) {
  if (dim.known()) return Value(dim.number());
  const auto known = extents_.find(dim.id());
  if (known != extents_.end()) return known->second;
  Value extent = of(graph_.dims[dim.id()]);
  extents_[dim.id()] = extent;
  return extent;
}

Value LoopBytes::of(const DimExpression& e) {
  using Dims = DimExpression::Kind;
  switch (e.kind) {
    case Dims::axis_of: return extent_of(e.value, e.axis);
    case Dims::number: return inside_.contains(e.value) ? Value(int64_t{1}) : graph_.symbol(e.value);
    case Dims::add: return numbers_.add(of(e.left), of(e.right));
    case Dims::multiply: return numbers_.multiply(of(e.left), of(e.right));
    case Dims::broadcast: return numbers_.maximum(of(e.left), of(e.right));
    case Dims::saturating_sub: return numbers_.maximum(numbers_.subtract(of(e.left), of(e.right)), Value(int64_t{0}));
  }
  return Value(int64_t{1});
}

// What is carried has the extents that it has before the loop.
Value LoopBytes::extent_of(Id id, uint32_t axis) {
  if (!inside_.contains(id)) return numbers_.extent(graph_.symbol(id), axis);
  const auto& parameters = body().parameters;
  const auto found = std::ranges::find(parameters, id);
  if (found == parameters.end()) return Value(int64_t{1});
  return numbers_.extent(loop_.args[static_cast<size_t>(found - parameters.begin())], axis);
}

}  // namespace covec::passes
