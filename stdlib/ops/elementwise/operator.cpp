// What all pointwise operators share except the eager computation (eager.cpp): dtypes, shapes, lowering, batches,
// messages. Start at pointwise_typing().
#include "stdlib/ops/elementwise/operator.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/elementwise/parts.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

std::string operand_text(const Call& call, unsigned i) {
  const Value& value = call.operand(i);
  return is_operand(value) ? logical_type(value).text() : describe(value);
}

std::vector<ArgumentLabel> all_labels(const Call& call) {
  std::vector<ArgumentLabel> labels;
  for (unsigned i = 0; i < pointwise_operands(call); ++i) labels.push_back(label_of(call, i));
  return labels;
}

Dtype at_least_integer(Dtype dtype) { return dtype == Dtype::boolean ? Dtype::i64 : dtype; }

bool fits_i32(const Value& value) {
  return value.tag() == Tag::i64 && value.i64() >= INT32_MIN && value.i64() <= INT32_MAX;
}

// Integers are compared in a dtype that holds both exactly.
Dtype comparison_dtype(const Call& call, std::span<const PromotionOperand> operands, Dtype promoted) {
  if (is_float(promoted)) return promoted;
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (compute_of(operands[i].dtype) == Compute::i64 && !fits_i32(call.operand(i))) return Dtype::i64;
  }
  return promoted == Dtype::i64 ? promoted : Dtype::i32;
}

// A number as written that would lose its value in the dtype that it adapts to.
void check_literals(const Call& call, Dtype compute, unsigned count) {
  if (call.literals == 0 || kind_of(compute) != DtypeKind::integer || compute == Dtype::i64) return;
  for (unsigned i = 0; i < count; ++i) {
    const Value& value = call.operand(i);
    if ((call.literals >> i & 1) == 0 || value.tag() != Tag::i64 || fits(value.i64(), compute)) continue;
    fail(message("literal_range"), {std::to_string(value.i64()), std::string(name_of(compute))}, {label_of(call, i)});
  }
}

[[noreturn]] void fail_dtypes(const Call& call, const Message& what, Dtype dtype) {
  fail(what, {pointwise_action(call), std::string(name_of(dtype))}, all_labels(call));
}

Dtype bits_dtype(const Call& call, std::span<const PromotionOperand> operands, Dtype promoted) {
  for (const PromotionOperand& operand : operands) {
    if (is_float(operand.dtype)) fail_dtypes(call, message("pointwise_integers"), operand.dtype);
    if (kind_of(operand.dtype) != kind_of(promoted)) fail_dtypes(call, message("pointwise_mixed"), operand.dtype);
  }
  return promoted;
}

PointwiseTyping uniform(Dtype compute, Dtype result) {
  return {{compute, compute, compute}, computing_dtype(compute), result};
}

// How far is no element: it is not made narrow.
PointwiseTyping shift_typing(const Call& call, Dtype promoted) {
  check_literals(call, promoted, 1);
  PointwiseTyping typing = uniform(promoted, promoted);
  typing.promoted[1] = typing.compute;
  return typing;
}

PointwiseTyping choice_typing(const Call& call, std::span<const PromotionOperand> operands) {
  if (operands[0].dtype != Dtype::boolean) fail_dtypes(call, message("pointwise_condition"), operands[0].dtype);
  const Dtype result = promote(operands.subspan(1));
  check_literals(call, result, static_cast<unsigned>(operands.size()));
  const Dtype compute = result == Dtype::boolean ? Dtype::i32 : result;
  return {{Dtype::boolean, compute, compute}, computing_dtype(compute), result};
}

}  // namespace

PointwiseTyping pointwise_typing(const Call& call, std::span<const PromotionOperand> operands) {
  const PointwiseInfo& info = call.entry.pointwise->info;
  if (info.types == TypeClass::choice) return choice_typing(call, operands);
  const Dtype promoted = promote(operands);
  switch (info.types) {
    case TypeClass::numeric: {
      const Dtype dtype = at_least_integer(promoted);
      check_literals(call, dtype, static_cast<unsigned>(operands.size()));
      return uniform(dtype, dtype);
    }
    case TypeClass::floating: {
      const Dtype dtype = is_float(promoted) ? promoted : Dtype::f64;
      return uniform(dtype, dtype);
    }
    case TypeClass::comparison: return uniform(comparison_dtype(call, operands, promoted), Dtype::boolean);
    case TypeClass::ordered: {
      check_literals(call, promoted, static_cast<unsigned>(operands.size()));
      return uniform(promoted == Dtype::boolean ? Dtype::i32 : promoted, promoted);
    }
    case TypeClass::bits: {
      const Dtype dtype = bits_dtype(call, operands, promoted);
      check_literals(call, dtype, static_cast<unsigned>(operands.size()));
      return uniform(dtype, dtype);
    }
    case TypeClass::integers:
      for (const PromotionOperand& operand : operands) {
        if (kind_of(operand.dtype) != DtypeKind::integer) fail_dtypes(call, message("pointwise_whole"), operand.dtype);
      }
      if (info.failure == Failure::negative_shift) return shift_typing(call, promoted);
      check_literals(call, promoted, static_cast<unsigned>(operands.size()));
      return uniform(promoted, promoted);
    case TypeClass::truth:
      if (promoted != Dtype::boolean) fail_dtypes(call, message("pointwise_not"), promoted);
      return uniform(promoted, promoted);
    case TypeClass::cast: {
      // Kept: each pair has its own conversion, but that two narrow integers meet in what they are computed with.
      const auto to = static_cast<Dtype>(info.to);
      Dtype from = operands[0].dtype;
      if (from != to && is_narrow_integer(from) && is_narrow_integer(to)) from = computing_dtype(from);
      return {{from, from, from}, from, to};
    }
    case TypeClass::choice: break;
  }
  return choice_typing(call, operands);
}

PromotionOperand promotion_operand(const Call& call, unsigned i, const Type& type) {
  const bool literal = (call.literals >> i & 1) != 0;
  return {type.dtype, type.shape.rank() > 0 ? OperandClass::tensor
                      : literal             ? OperandClass::literal
                                            : OperandClass::rank0};
}

PointwiseTyping pointwise_typing(const Call& call) {
  PromotionOperand operands[3];
  const unsigned count = pointwise_operands(call);
  for (unsigned i = 0; i < count; ++i) operands[i] = promotion_operand(call, i, operand_type(call, i));
  return pointwise_typing(call, std::span<const PromotionOperand>(operands, count));
}

std::string pointwise_action(const Call& call) {
  std::string text;
  unsigned next = 0;
  for (const char* c = call.entry.pointwise->info.action; *c != 0; ++c) {
    if (c[0] == '{' && c[1] == '}') {
      text += operand_text(call, next++);
      ++c;
    } else {
      text += *c;
    }
  }
  return text;
}

// --- shapes ---

namespace {

// An axis of the result on which operands may disagree; the text is made only when they do.
struct AxisCheck {
  const Call& call;
  unsigned axis;
  static std::vector<std::string> parts(const void* self, int64_t a, int64_t b) {
    const AxisCheck& check = *static_cast<const AxisCheck*>(self);
    return {pointwise_action(check.call), std::to_string(a), std::to_string(b), std::to_string(check.axis)};
  }
  static std::vector<ArgumentLabel> labels(const void* self, int64_t, int64_t) {
    return all_labels(static_cast<const AxisCheck*>(self)->call);
  }
};

}  // namespace

Shape broadcast_shapes(ShapeBuilder& shapes, const Call& call, const Shape& a, const Shape& b) {
  return broadcast(a, b, [&](unsigned axis, Dim x, Dim y) {
    const AxisCheck check{call, axis};
    return shapes.broadcast(x, y, {&message("pointwise_shapes"), AxisCheck::parts, AxisCheck::labels, &check});
  });
}

Type pointwise_type(ShapeBuilder& shapes, const Call& call) {
  const PointwiseTyping typing = pointwise_typing(call);
  const PointwiseInfo& info = call.entry.pointwise->info;
  if (info.parameter && !is_symbolic(call.operand(info.arity - 1u))) pointwise_parameter(call);
  Shape shape = operand_type(call, 0).shape;
  for (unsigned i = 1; i < pointwise_operands(call); ++i)
    shape = broadcast_shapes(shapes, call, shape, operand_type(call, i).shape);
  return {typing.result, shape};
}

// --- failures ---

namespace {

// A divisor that is no zero where the program has it, and is one in the dtype of the division.
std::string why_zero(const Call& call) {
  const Value& divisor = call.operand(1);
  if (divisor.tag() != Tag::i64 || divisor.i64() == 0) return "";
  const Dtype dtype = pointwise_typing(call).promoted[1];
  return ": " + std::to_string(divisor.i64()) + " does not fit in " + std::string(name_of(dtype)) + ", where it is 0";
}

}  // namespace

void fail_pointwise(const Call& call, int64_t index) {
  // The element's place in the result, from its row-major number.
  class Known final : public ShapeBuilder {
    Dim unknown_dim() override { return Dim(1); }
    Dim dim_of(const Value&) override { return Dim(1); }
    void guard_equal(Dim, Dim, const Mismatch&) override {}
    Dim symbolic_add(Dim a, Dim) override { return a; }
    Dim symbolic_multiply(Dim a, Dim) override { return a; }
    Dim symbolic_broadcast(Dim a, Dim, const Mismatch&) override { return a; }
  } shapes;
  Shape shape = operand_type(call, 0).shape;
  for (unsigned i = 1; i < pointwise_operands(call); ++i)
    shape = broadcast_shapes(shapes, call, shape, operand_type(call, i).shape);
  std::string place;
  for (unsigned axis = shape.rank(); axis-- > 0;) {
    const int64_t size = shape[axis].known() && shape[axis].number() > 0 ? shape[axis].number() : 1;
    place = std::to_string(index % size) + (place.empty() ? "" : ", ") + place;
    index /= size;
  }
  if (!place.empty()) place = " at element [" + place + "]";
  if (call.entry.pointwise->info.failure == Failure::negative_exponent) {
    fail(message("negative_exponent"), {place}, all_labels(call), "make the base a float: f64(x) ^ y");
  }
  const bool shift = call.entry.pointwise->info.failure == Failure::negative_shift;
  if (!shift) place += why_zero(call);
  fail(shift ? message("negative_shift") : message("divide_by_zero"), {place}, all_labels(call));
}

// --- lowering ---

ScalarRef promoted_operand(ScalarBuilder& builder, const Call& call, const PointwiseTyping& typing, ScalarRef operand,
                           unsigned i) {
  if (call.entry.pointwise->info.types == TypeClass::cast) return operand;
  return builder.convert(builder.convert(operand, typing.promoted[i]), typing.operand(i));
}

namespace {

std::vector<ScalarRef> promoted_operands(ScalarBuilder& builder, const Call& call, const PointwiseTyping& typing,
                                         std::span<const ScalarRef> operands) {
  std::vector<ScalarRef> result;
  for (unsigned i = 0; i < pointwise_operands(call); ++i)
    result.push_back(promoted_operand(builder, call, typing, operands[i], i));
  return result;
}

}  // namespace

int64_t pointwise_parameter(const Call& call) {
  const PointwiseInfo& info = call.entry.pointwise->info;
  return info.parameter ? integer_argument(call, info.arity - 1u) : 0;
}

ScalarRef lower_pointwise(ScalarBuilder& builder, const Call& call, std::span<const ScalarRef> operands) {
  const PointwiseTyping typing = pointwise_typing(call);
  const std::vector<ScalarRef> in = promoted_operands(builder, call, typing, operands);
  return builder.convert(call.entry.pointwise->lower(builder, typing.compute, in, pointwise_parameter(call)),
                         typing.result);
}

std::optional<ScalarRef> lower_pointwise_failure(ScalarBuilder& builder, const Call& call,
                                                 std::span<const ScalarRef> operands) {
  const PointwiseTyping typing = pointwise_typing(call);
  const PointwiseOperator& op = *call.entry.pointwise;
  if (op.lower_failure == nullptr || kind_of(typing.compute) != DtypeKind::integer) return std::nullopt;
  return op.lower_failure(builder, typing.compute, promoted_operands(builder, call, typing, operands));
}

// --- batches ---

// Promotion looks at one example's ranks, so the operands are cast first; then they are lined up from the right. A
// shift is computed in a dtype that holds its count, and made narrow at last: in i32 the bits of a narrow x are those
// of its own dtype, and its count need not be one of that.
Value pointwise_batch(Builder& builder, Call& call, const Batching& batching) {
  PromotionOperand operands[3];
  unsigned rank = 0;
  const unsigned count = pointwise_operands(call);
  for (unsigned i = 0; i < count; ++i) {
    const Type type = example_type(call, i, batching);
    operands[i] = promotion_operand(call, i, type);
    rank = std::max(rank, type.shape.rank());
  }
  const PointwiseTyping typing = pointwise_typing(call, std::span<const PromotionOperand>(operands, count));
  const Shape shape = logical_type(call.operand(0)).shape;
  const bool shift = call.entry.pointwise->info.failure == Failure::negative_shift;
  const auto own_dtype = [&](unsigned i) { return shift ? typing.compute : typing.promoted[i]; };
  const bool converts = operands[0].dtype != own_dtype(0) || call.operand(0).is_symbol();
  const Value kept = converts ? call.operand(0) : Value();  // else its own memory may be the result's
  for (unsigned i = 0; i < count; ++i) {
    Value& operand = call.operand(i);
    const TypeClass types = call.entry.pointwise->info.types;
    const bool settled =
        types == TypeClass::cast || (types != TypeClass::comparison && typing.result == Dtype::boolean);
    const bool cast = !settled && operands[i].dtype != own_dtype(i);
    if (cast) operand = ops::call(builder, cast_entry(own_dtype(i)), {std::move(operand)});
    if (batching.batched[i]) operand = align_batch(builder, std::move(operand), rank);
  }
  try {
    Value result = ops::call(builder, call.entry, call.args);
    return shift ? cast_to(builder, std::move(result), typing.result) : result;
  } catch (...) {  // an update's variable gets it back
    Value& first = call.operand(0);
    first = converts || first.is_none() ? kept : reshape(builder, std::move(first), shape);
    throw;
  }
}

}  // namespace covec::ops
