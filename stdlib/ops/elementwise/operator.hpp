// Pointwise operators: the data in their Entries, and how they are applied. An operator itself is a struct in
// bodies/*.hpp (see info.hpp there). Its body is written once. The eager kernels, the lowering, the fast path on
// numbers, the type rule, the batch rule and the entry follow from it. Start at PointwiseOperator.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/scalar_builder.hpp"
#include "stdlib/ops/elementwise/bodies/info.hpp"
#include "stdlib/ops/elementwise/kernels/table.hpp"
#include "stdlib/value/half.hpp"

namespace covec::ops {

// Applies an operator to two unboxed numbers of the dtypes that it knows (both i64 or both f64); false when it does not
// apply (other dtypes, a failure to report): then the general way decides. `out` may be a or b.
using ScalarFunction = bool (*)(const Value& a, const Value& b, Value& out);

struct PointwiseOperator {
  const PointwiseInfo& info;
  const kernels::KernelRow* rows[isa_count];  // by Isa; none for casts
  ScalarFunction scalar = nullptr;            // of two operands; null: there is none
  // By dtype: the result's dtype when all operands have that one and nothing is converted, else no_dtype.
  std::array<uint8_t, dtype_count> plain = none_plain();
  // Emits the body on operands of dtype `compute` (a choice's condition is bool), giving the body's result. `parameter`
  // is the integer attribute of an operator that has one.
  ScalarRef (*lower)(ScalarBuilder&, Dtype compute, std::span<const ScalarRef> operands, int64_t parameter) = nullptr;
  // Emits where it fails, as a bool; null: it cannot fail.
  ScalarRef (*lower_failure)(ScalarBuilder&, Dtype compute, std::span<const ScalarRef> operands) = nullptr;

  // Of operands that are computed with as this dtype's; null where there is none.
  kernels::PointwiseKernel kernel(Isa isa, Dtype dtype) const {
    const kernels::KernelRow* const row = rows[static_cast<int>(isa)];
    return row == nullptr ? nullptr : row->by_compute[static_cast<int>(compute_of(dtype))];
  }
  static constexpr std::array<uint8_t, dtype_count> none_plain() {
    std::array<uint8_t, dtype_count> none{};
    none.fill(no_dtype);
    return none;
  }
};

// The dtypes of one application: what each operand is converted to, what the body computes, what the result is.
// Operands that become f16 or bf16 are converted to that first, and the body computes f32; a cast takes them as they
// are.
struct PointwiseTyping {
  Dtype promoted[3];
  Dtype compute;
  Dtype result;
  Dtype operand(unsigned i) const { return is_narrow(compute) ? promoted[i] : computing_dtype(promoted[i]); }
};
// Of operands of these dtypes and classes; throws OpError where the operator does not take them. `call` is for the
// message.
PointwiseTyping pointwise_typing(const Call& call, std::span<const PromotionOperand> operands);
PointwiseTyping pointwise_typing(const Call& call);

// The type rule, eager function and batch rule that all pointwise entries share.
Type pointwise_type(ShapeBuilder& shapes, const Call& call);
Value pointwise_eager(Builder& builder, Call& call);
Value pointwise_batch(Builder& builder, Call& call, const Batching& batching);

// Emits everything: conversions of the operands, the body, the conversion of its result.
ScalarRef lower_pointwise(ScalarBuilder& builder, const Call& call, std::span<const ScalarRef> operands);
// Emits where the operator fails (bool), or gives nothing when it cannot for these dtypes.
std::optional<ScalarRef> lower_pointwise_failure(ScalarBuilder& builder, const Call& call,
                                                 std::span<const ScalarRef> operands);
// The error for a failure at element `index` of the result (row-major) of type `result`.
[[noreturn]] void fail_pointwise(const Call& call, int64_t index);

// The entry of an operator: entry_of<Add>(), with Add from stdlib/ops/elementwise/bodies/arithmetic.hpp.
template <class Operator>
const Entry& entry_of();

}  // namespace covec::ops
