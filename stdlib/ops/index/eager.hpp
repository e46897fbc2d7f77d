// What the files of the index family share: the eager functions, derivative and batch rules of its entries.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

constexpr int64_t packed_numbers(unsigned count) {
  // The kind `at` is all zero bits, so a spec of numbers is their count.
  return static_cast<int64_t>(static_cast<uint64_t>(count) << 60);
}
inline constexpr int64_t one_number = packed_numbers(1), two_numbers = packed_numbers(2);

// The element offset of integer `index` along an axis, when it is in range.
inline bool plain_offset(const Tensor& x, unsigned axis, const Value& index, int64_t& offset) {
  const int64_t given = index.integer();
  const int64_t size = x.dim(axis), normal = given < 0 ? given + size : given;
  offset = normal * x.stride(axis);
  return static_cast<uint64_t>(normal) < static_cast<uint64_t>(size);
}

// An integer as written that the dtype does not hold is an error.
void check_written_literal(const Call& call, Dtype dtype);

Value index_read_eager(Builder& builder, Call& call);
Value index_update_eager(Builder& builder, Call& call);
Value index_add_eager(Builder& builder, Call& call);
Value index_last_eager(Builder& builder, Call& call);
Type distinct_type(ShapeBuilder& shapes, const Call& call);
Value index_distinct_eager(Builder& builder, Call& call);

Value index_read_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents);
void index_read_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& cotangents);
Value index_update_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents);
void index_update_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& cotangents);
Value index_add_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents);
void index_add_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& cotangents);

Value index_read_batch(Builder& builder, Call& call, const Batching& batching);
Value index_write_batch(Builder& builder, Call& call, const Batching& batching);
Value index_last_batch(Builder& builder, Call& call, const Batching& batching);
Value index_distinct_batch(Builder& builder, Call& call, const Batching& batching);

}  // namespace covec::ops
