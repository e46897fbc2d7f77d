#include "stdlib/ops/sparse/blocks.hpp"

#include <algorithm>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/sparse/sparse.hpp"
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
  IndexSpec last;
  last.push(IndexSpec::Item::slice, true);
  const Value start[] = {Value(int64_t{-1})};
  const Value end = index_read(builder, indptr, Value(last.packed()), start);
  Value starts[] = {moved(steps_.neighbours(indptr, 0).before, nonzeros),
                    steps_.add(end, steps_.mul(nonzeros, steps_.sub(count_, Value(int64_t{1}))))};
  return {moved(indices, columns), concat(builder, starts, 0)};
}

Value Blocks::times(const Value& extent) { return steps_.mul(extent, count_); }

Value Blocks::joined(Value x) {
  const Shape given = logical_type(x).shape;
  Shape shape;
  for (unsigned axis = 1; axis < given.rank(); ++axis)
    shape.push_back(axis == 1 ? steps_.builder().multiply(size_, given[axis]) : given[axis]);
  return reshape(steps_.builder(), std::move(x), shape);
}

Value Blocks::apart(Value x, Dim rows) {
  Shape shape = logical_type(x).shape;
  shape[0] = rows;
  shape.insert(0, size_);
  return reshape(steps_.builder(), std::move(x), shape);
}

Value MatmulOperands::apply(Builder& builder) const {
  return call(builder, sparse_matmul_entry(), {data, indices, indptr, x, rows, columns, Value(transposed), zeros});
}

Value SampleOperands::apply(Builder& builder) const {
  return call(builder, sparse_sample_entry(), {a, b, indices, indptr, zeros});
}

Value matmul_of_examples(Builder& builder, const MatmulOperands& o) {
  Blocks blocks(builder, logical_type(o.data).shape[0]);
  auto [indices, indptr] = blocks.pattern(o.indices, o.indptr, o.columns);
  const MatmulOperands whole{blocks.joined(o.data), std::move(indices),      std::move(indptr), blocks.joined(o.x),
                             blocks.times(o.rows),  blocks.times(o.columns), o.transposed,      o.zeros};
  return blocks.apart(whole.apply(builder), builder.dim_of(o.transposed ? o.columns : o.rows));
}

Value sample_of_examples(Builder& builder, const SampleOperands& o) {
  Blocks blocks(builder, logical_type(o.a).shape[0]);
  auto [indices, indptr] = blocks.pattern(o.indices, o.indptr, builder.extent(logical_type(o.b).shape[1]));
  const SampleOperands whole{blocks.joined(o.a), blocks.joined(o.b), std::move(indices), std::move(indptr), o.zeros};
  return blocks.apart(whole.apply(builder), logical_type(o.indices).shape[0]);
}

bool is_batched(const Batching& batching, std::initializer_list<unsigned> operands) {
  return std::ranges::any_of(operands, [&](unsigned i) { return batching.batched[i]; });
}

}  // namespace covec::ops
