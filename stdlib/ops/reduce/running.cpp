// cummax and cummin: the largest or smallest element up to each position. The derivative is that of reading x at that
// element's position.
#include <cmath>
#include <type_traits>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/ops/reduce/walk.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::ops {

namespace {

constexpr unsigned of_axis = 1, of_smallest = 2;

// Whether the element before stays: it is as large, or nan, which stays to the end. 0 is more than -0.
template <bool smallest, class T>
bool stays(T before, T next) {
  if constexpr (std::is_floating_point_v<T>) {
    if (before == next)
      return smallest ? std::signbit(before) || !std::signbit(next) : !std::signbit(before) || std::signbit(next);
  }
  return (smallest ? before <= next : before >= next) || before != before;
}

unsigned walked_axis(const Call& call) { return static_cast<unsigned>(integer_argument(call, of_axis)); }

template <bool smallest, class T>
Value extremes(Builder& builder, const Tensor& x, unsigned axis) {
  Value result = make_tensor(builder.pool(), x.dtype(), x.shape());
  accumulate(builder, Walked(x, axis), false, x.as<T>(), result.tensor().as<T>(),
             [](T before, T next) { return stays<smallest>(before, next) ? before : next; });
  return result;
}

// Beside the places the extremes themselves are kept, to compare with.
template <bool smallest, class T>
Value places(Builder& builder, const Tensor& x, unsigned axis) {
  Value result = make_tensor(builder.pool(), Dtype::i64, x.shape());
  const Scratch room(builder.pool(), static_cast<uint64_t>(x.size()) * sizeof(T));
  const Walked walked(x, axis);
  const T* from = x.as<T>();
  T* best = room.as<T>();
  int64_t* to = result.tensor().as<int64_t>();
  scan_axis(
      builder, walked, false, [&](int64_t at) { best[at] = from[at], to[at] = 0; },
      [&](int64_t at, int64_t before) {
        const bool stay = stays<smallest>(best[before], from[at]);
        best[at] = stay ? best[before] : from[at];
        to[at] = stay ? to[before] : at / walked.inner % walked.length;
      });
  return result;
}

Type extreme_type(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }
Type places_type(ShapeBuilder&, const Call& call) { return {Dtype::i64, operand_type(call, 0).shape}; }

Value extreme_eager(Builder& builder, Call& call) {
  const Value x = contiguous(builder.pool(), call.args[0]);
  const bool smallest = flag_argument(call, of_smallest);
  return with_compute(compute_of(x.tensor().dtype()), [&](auto zero) {
    using T = decltype(zero);
    return smallest ? extremes<true, T>(builder, x.tensor(), walked_axis(call))
                    : extremes<false, T>(builder, x.tensor(), walked_axis(call));
  });
}

Value places_eager(Builder& builder, Call& call) {
  const Value x = contiguous(builder.pool(), call.args[0]);
  const bool smallest = flag_argument(call, of_smallest);
  return with_compute(compute_of(x.tensor().dtype()), [&](auto zero) {
    using T = decltype(zero);
    return smallest ? places<true, T>(builder, x.tensor(), walked_axis(call))
                    : places<false, T>(builder, x.tensor(), walked_axis(call));
  });
}

Value next_axis_batch(Builder& builder, Call& call, const Batching&) {
  call.args[of_axis] = integer_argument(call, of_axis) + 1;
  return ops::call(builder, call.entry, call.args);
}

Value kept_places(RuleContext& rule, const Residuals& residuals) {
  return rule.call(running_places_entry(),
                   {residuals.operands[0], residuals.operands[of_axis], residuals.operands[of_smallest]});
}

Value extreme_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  return rule.call(handles().gather, {tangents[0], kept_places(rule, residuals), residuals.operands[of_axis]});
}

void extreme_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const Value zeros = rule.zeros(residuals.types[0]);
  out.add(0, rule.call(handles().scatter_add,
                       {zeros, kept_places(rule, residuals), cotangent, residuals.operands[of_axis]}));
}

template <bool smallest>
Value cumulative_eager(Builder& builder, Call& call) {
  const Type x = operand_of(builder, call, 0);
  unsigned axis = 0;
  if (call.args[1].is_none()) {
    call.args[0] = flatten(builder, std::move(call.args[0]));
  } else {
    axis = normal_axis(call, integer_argument(call, 1), x.shape.rank());
  }
  return ops::call(builder, running_extreme_entry(), {call.args[0], Value(int64_t{axis}), Value(smallest)});
}

}  // namespace

const Entry& running_extreme_entry() {
  static const Entry entry{
      .name = "running_extreme",
      .doc = "The largest (smallest) element up to each along an axis.",
      .parameters = {tensor_parameter("x"), attribute("axis"), attribute("smallest")},
      .type = extreme_type,
      .eager = extreme_eager,
      .device = DeviceForm::running_extreme,
      .derivative = Derivative::by_hand(1, extreme_jvp, extreme_vjp),
      .batch = next_axis_batch,
      .pattern = pattern_of_scan,
      .internal = true,
      .part_of = "cummax",
  };
  return entry;
}

const Entry& running_places_entry() {
  static const Entry entry{
      .name = "running_places",
      .doc = "Where the largest (smallest) element up to each along an axis stands, the first of equal ones.",
      .parameters = {tensor_parameter("x"), attribute("axis"), attribute("smallest")},
      .type = places_type,
      .eager = places_eager,
      .device = DeviceForm::running_argextreme,
      .derivative = Derivative::none("gives positions"),
      .batch = next_axis_batch,
      .internal = true,
      .part_of = "cummax",
  };
  return entry;
}

namespace {

const Entry& cummax_entry() {
  static const Entry entry{
      .name = "cummax",
      .doc =
          "For each element the largest up to it along `axis`; over all elements row by row when it is left out.\n\n"
          "From a nan on all are nan.",
      .parameters = {any_parameter("x"), attribute("axis", Value())},
      .eager = cumulative_eager<false>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.5, 1.0, 4.0, 2.0]", .expected = "[1.5, 1.5, 4.0, 4.0]", .differentiate = true},
                  {.arguments = "[[1.0, 5, 3], [4, 2, 6]], axis=0",
                   .expected = "[[1.0, 5, 3], [4, 5, 6]]",
                   .differentiate = true},
                  {.arguments = "[[1, 5, 3], [4, 2, 6]], axis=-1", .expected = "[[1, 5, 5], [4, 4, 6]]"},
                  {.arguments = "[[1, 5], [4, 6]]", .expected = "[1, 5, 5, 6]"},
                  {.arguments = "[1.0, nan, 2.0]", .expected = "[1.0, nan, nan]"},
                  {.arguments = "[false, true, false]", .expected = "[false, true, true]"},
                  {.arguments = "zeros(0, 2), axis=0", .expected = "zeros(0, 2)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& cummin_entry() {
  static const Entry entry{
      .name = "cummin",
      .doc =
          "For each element the smallest up to it along `axis`; over all elements row by row when it is left out.\n\n"
          "From a nan on all are nan.",
      .parameters = {any_parameter("x"), attribute("axis", Value())},
      .eager = cumulative_eager<true>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.5, 1.0, 4.0, 0.5]", .expected = "[1.5, 1.0, 1.0, 0.5]", .differentiate = true},
                  {.arguments = "[[1.0, 5, 3], [4, 2, 6]], axis=0",
                   .expected = "[[1.0, 5, 3], [1, 2, 3]]",
                   .differentiate = true},
                  {.arguments = "f32([1, nan, 0])", .expected = "f32([1, nan, nan])"},
                  {.arguments = "i32([3, 1, 2])", .expected = "i32([3, 1, 1])"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family reduce_running_entries() {
  static const Entry* const entries[] = {&cummax_entry(), &cummin_entry(), &running_extreme_entry(),
                                         &running_places_entry()};
  return entries;
}

}  // namespace covec::ops
