// Builds operations, and conversions that take several operations: those of f16 and bf16 go through f32.
#include "stdlib/ops/contract/scalar_builder.hpp"

namespace covec::ops {

namespace {

// value/half.hpp: odd_float_of.
Expr<float> odd_float(Expr<double> x) {
  const Expr<float> nearest = convert<float>(x);
  const Expr<double> reached = convert<double>(nearest);
  const Expr<int32_t> around = bits(nearest);
  const Expr<int64_t> magnitude(INT64_MAX);
  const Expr<bool> up = (bits(x) & magnitude) > (bits(reached) & magnitude);
  const Expr<bool> stays = (x != x) | (reached == x) | ((around & Expr<int32_t>(1)) != Expr<int32_t>(0));
  return from_bits(select(stays, around, select(up, around + Expr<int32_t>(1), around - Expr<int32_t>(1))));
}

// odd_double_of.
Expr<double> odd_double(Expr<int64_t> x) {
  constexpr int64_t exact = int64_t{1} << 53;  // 2^53: up to it f64 has all integers exactly (IEEE 754)
  const Expr<bool> small = (x > Expr<int64_t>(-exact)) & (x < Expr<int64_t>(exact));
  const Expr<bool> sticky = (x & Expr<int64_t>(0xfff)) != Expr<int64_t>(0);
  const Expr<int64_t> upper = shift_right(x, Expr<int64_t>(12)) | convert<int64_t>(sticky);
  return select(small, convert<double>(x), convert<double>(upper) * Expr<double>(4096.0));
}

// As an f32 that gives what the number itself would when it is rounded to a half.
ScalarRef float_for_half(ScalarBuilder& builder, ScalarRef value) {
  switch (value.dtype) {
    case Dtype::i32: return odd_float(convert<double>(Expr<int32_t>(builder, value))).in(builder);
    case Dtype::i64: return odd_float(odd_double(Expr<int64_t>(builder, value))).in(builder);
    case Dtype::f64: return odd_float(Expr<double>(builder, value)).in(builder);
    default: return builder.convert(value, Dtype::f32);
  }
}

// As what a narrow integer is computed with; of a float within the narrow one's range.
template <class E>
ScalarRef in_range(ScalarBuilder& builder, ScalarRef value, Dtype narrow) {
  const Expr<E> number(builder, value), most(static_cast<E>(max_of(narrow))), least(static_cast<E>(least_of(narrow)));
  const Expr<E> below = select(number > most, most, number);
  return select(below < least, least, below).in(builder);
}
ScalarRef integer_for_narrow(ScalarBuilder& builder, ScalarRef value, Dtype narrow) {
  const ScalarRef wide = builder.convert(value, computing_dtype(narrow));
  if (!is_float(value.dtype)) return wide;
  return wide.dtype == Dtype::i32 ? in_range<int32_t>(builder, wide, narrow) : in_range<int64_t>(builder, wide, narrow);
}

ScalarRef reference(ScalarBuilder& builder, Operand operand, Dtype dtype) {
  if (operand.builder == nullptr) return builder.constant(dtype, operand.bits);
  return {static_cast<uint32_t>(operand.bits), dtype};
}

}  // namespace

Operand emit(Operation operation, Operand a) {
  const ScalarRef only{static_cast<uint32_t>(a.bits), operation.operands[0]};
  return {a.builder, a.builder->emit(operation.op, operation.result, only).id};
}

Operand emit(Operation operation, Operand a, Operand b) {
  ScalarBuilder& builder = a.builder != nullptr ? *a.builder : *b.builder;
  const ScalarRef first = reference(builder, a, operation.operands[0]);
  const ScalarRef second = reference(builder, b, operation.operands[1]);
  return {&builder, builder.emit(operation.op, operation.result, first, second).id};
}

Operand emit(Operation operation, Operand a, Operand b, Operand c) {
  ScalarBuilder& builder = a.builder != nullptr ? *a.builder : b.builder != nullptr ? *b.builder : *c.builder;
  const ScalarRef first = reference(builder, a, operation.operands[0]);
  const ScalarRef second = reference(builder, b, operation.operands[1]);
  const ScalarRef third = reference(builder, c, operation.operands[2]);
  return {&builder, builder.emit(operation.op, operation.result, first, second, third).id};
}

ScalarRef ScalarBuilder::convert(ScalarRef value, Dtype to) {
  if (value.dtype == to) return value;
  if (is_narrow(value.dtype)) return convert(emit(ScalarOp::convert, computing_dtype(value.dtype), value), to);
  if (is_half(to)) value = float_for_half(*this, value);
  if (is_narrow_integer(to)) value = integer_for_narrow(*this, value, to);
  return emit(ScalarOp::convert, to, value);
}

ScalarRef ScalarBuilder::sum(ScalarRef a, ScalarRef b) {
  const Dtype dtype = a.dtype;
  const Dtype wide = computing_dtype(dtype);
  return convert(emit(ScalarOp::add, wide, convert(a, wide), convert(b, wide)), dtype);
}

}  // namespace covec::ops
