#include "stdlib/ops/sparse/blocks.hpp"

#include <algorithm>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

Value row(Builder& builder, const Value& x) { return reshape(builder, x, {Dim(1), logical_type(x).shape[0]}); }

}  // namespace

Blocks::Blocks(Builder& builder, Dim size)
    : steps_(builder),
      size_(size),
      count_(builder.extent(size)),
      numbers_(reshape(builder, steps_.call(handles().arange, {count_, Value(), Value(), Value()}), {size, Dim(1)})) {}

Blocks::Pattern Blocks::pattern(const Value& indices, const Value& indptr, const Value& columns) {
  Builder& builder = steps_.builder();
  const Value nonzeros = builder.extent(logical_type(indices).shape[0]);
  const auto moved = [&](const Value& x, const Value& by) {
    return flatten(builder, steps_.add(row(builder, x), steps_.mul(numbers_, by)));
  };
  Value starts[] = {moved(steps_.neighbours(indptr, 0).before, nonzeros),
                    reshape(builder, steps_.mul(nonzeros, count_), {Dim(1)})};
  return {moved(indices, columns), concat(builder, starts, 0)};
}

Value Blocks::times(const Value& extent) { return steps_.mul(extent, count_); }

Value Blocks::joined(const Call& call, unsigned operand, const Batching& batching) {
  Builder& builder = steps_.builder();
  const Shape example = example_type(call, operand, batching).shape;
  Value x = with_batch_axis(builder, call.args[operand], batching.batched[operand], size_);
  Shape shape = example;
  shape[0] = builder.multiply(size_, example[0]);
  return reshape(builder, std::move(x), shape);
}

Value Blocks::apart(Value x, Dim rows) {
  Shape shape = logical_type(x).shape;
  shape[0] = rows;
  shape.insert(0, size_);
  return reshape(steps_.builder(), std::move(x), shape);
}

bool is_batched(const Batching& batching, std::initializer_list<unsigned> operands) {
  return std::ranges::any_of(operands, [&](unsigned i) { return batching.batched[i]; });
}

}  // namespace covec::ops
