// cumsum and cumprod. Each handles the axis and leaves the rest to an operator along one axis, whose derivative is of
// the same kind: a sum from the other end, a recurrence. Start at running_eager.
#include "stdlib/ops/reduce/scan.hpp"

#include <algorithm>
#include <type_traits>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/complex_product.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/walk.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/interrupt_chunks.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

Dtype summed_dtype(Dtype dtype) { return is_float(dtype) ? dtype : Dtype::i64; }

// --- the walk ---

// Integers wrap.
template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  return a + b;
}

template <class T>
T product_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  return a * b;
}

template <class Function>
void with_sum(Dtype dtype, const Function& function) {
  switch (compute_of(dtype)) {
    case Compute::f32: return function(float{});
    case Compute::f64: return function(double{});
    default: return function(int64_t{});
  }
}

unsigned axis_operand(const Call& call, unsigned operand) {
  return static_cast<unsigned>(integer_argument(call, operand));
}

// --- running sums and products ---

Type running_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  return {summed_dtype(x.dtype), x.shape};
}

template <bool Sum>
Value running_eager(Builder& builder, Call& call) {
  const Dtype dtype = running_type(builder, call).dtype;
  const Value x = contiguous(builder.pool(), cast_to(builder, std::move(call.args[0]), dtype));
  Value result = make_tensor(builder.pool(), dtype, shape_of(x));
  const Walked walked(x.tensor(), axis_operand(call, 1));
  const bool backwards = Sum && flag_argument(call, 2);
  with_sum(dtype, [&](auto zero) {
    using T = decltype(zero);
    accumulate(builder, walked, backwards, x.tensor().as<T>(), result.tensor().as<T>(),
               [](T a, T b) { return Sum ? sum_of(a, b) : product_of(a, b); });
  });
  return result;
}

// The same along every example's axis, which is one further.
template <unsigned operand>
Value next_axis_batch(Builder& builder, Call& call, const Batching&) {
  call.args[operand] = integer_argument(call, operand) + 1;
  return ops::call(builder, call.entry, call.args);
}

Value running_sum_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rule.call(running_sum_entry(), {cotangent, residuals.operands[1], Value(!residuals.operands[2].boolean())});
}

// --- a shift by one place ---

Type shift_type(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }

Value shift_eager(Builder& builder, Call& call) {
  const Value x = contiguous(builder.pool(), call.args[0]);
  const Value fill = converted_number(call.args[3], x.tensor().dtype());
  Value result = make_tensor(builder.pool(), x.tensor().dtype(), shape_of(x));
  const Walked walked(x.tensor(), axis_operand(call, 1));
  if (result.tensor().size() == 0) return result;
  const size_t width = size_of(x.tensor().dtype());
  const size_t row = static_cast<size_t>(walked.inner) * width, block = static_cast<size_t>(walked.length) * row;
  const bool further = integer_argument(call, 2) > 0;
  for (int64_t i = 0; i < walked.outer; ++i) {
    std::byte* to = result.tensor().data() + static_cast<size_t>(i) * block;
    const std::byte* from = x.tensor().data() + static_cast<size_t>(i) * block;
    copy_long(to + (further ? row : 0), from + (further ? 0 : row), block - row);
    fill_elements(further ? to : to + block - row, row, fill);
  }
  return result;
}

Value shift(RuleContext& rule, Value x, const Value& axis, bool further, double fill) {
  return rule.call(shift_entry(), {std::move(x), axis, Value(int64_t{further ? 1 : -1}), Value(fill)});
}

// What comes in does not depend on x.
Value shift_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  return shift(rule, tangents[0], residuals.operands[1], integer_of(residuals.operands[2]) > 0, 0);
}

void shift_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  out.add(0, shift(rule, std::move(cotangent), residuals.operands[1], integer_of(residuals.operands[2]) < 0, 0));
}

// --- the recurrence ---

Type recurrence_type(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }

Value recurrence_eager(Builder& builder, Call& call) {
  const Value a = contiguous(builder.pool(), call.args[0]), b = contiguous(builder.pool(), call.args[1]);
  const Dtype dtype = a.tensor().dtype();
  Value result = make_tensor(builder.pool(), dtype, shape_of(a));
  const Walked walked(a.tensor(), axis_operand(call, 2));
  const bool zeros = flag_argument(call, 4);
  with_sum(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *factors = a.tensor().as<T>(), *added = b.tensor().as<T>();
    T* to = result.tensor().as<T>();
    scan_axis(
        builder, walked, flag_argument(call, 3), [&](int64_t at) { to[at] = added[at]; },
        [&](int64_t at, int64_t before) {
          const bool nothing = zeros && to[before] == T(0);
          to[at] = sum_of(nothing ? T(0) : product_of(factors[at], to[before]), added[at]);
        });
  });
  return result;
}

// `b` and what comes of it are cotangents or tangents.
Value recurrence(RuleContext& rule, Value a, Value b, const Value& axis, bool backwards) {
  return rule.call(recurrence_entry(), {std::move(a), std::move(b), axis, Value(backwards), Value(!rule.ieee())});
}

Value recurrence_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Value &axis = residuals.operands[2], &of_a = tangents[0], &of_b = tangents[1];
  if (of_a.is_none() && of_b.is_none()) return Value();
  const bool backwards = residuals.operands[3].boolean();
  Value added = of_b;
  if (!of_a.is_none()) {
    Value through = rule.scale_both(of_a, shift(rule, *residuals.result, axis, !backwards, 0));
    added = of_b.is_none() ? std::move(through) : rule.add(std::move(through), of_b);
  }
  return recurrence(rule, residuals.operands[0], std::move(added), axis, backwards);
}

// Cotangents run against the recurrence, by the factors of the elements that come after.
void recurrence_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Value& axis = residuals.operands[2];
  const bool backwards = residuals.operands[3].boolean();
  const Value back =
      recurrence(rule, shift(rule, residuals.operands[0], axis, backwards, 0), std::move(cotangent), axis, !backwards);
  if (out.wants(0)) out.add(0, rule.scale_both(back, shift(rule, *residuals.result, axis, !backwards, 0)));
  if (out.wants(1)) out.add(1, back);
}

// The recurrence with powers of two apart, times `by`: what leaves the range on the way does no harm. With r_i = ρ_i
// 2^e_i, ρ_i = b_i 2^-e_i + (a_i 2^(e_(i−1) − e_i)) ρ_(i−1).
Value recurrence_times(RuleContext& rule, Value a, Value b, const Value& axis, bool backwards, const Value& by) {
  const Value exponents = rule.call(recurrence_exponents_entry(), {a, b, axis, Value(backwards)});
  const Value before = shift(rule, exponents, axis, !backwards, 0);
  const auto scaled = [&](Value x, Value exponent) {
    return rule.call(entry_of<ScaleExponent>(), {std::move(x), std::move(exponent)});
  };
  Value factors = scaled(std::move(a), rule.sub(before, exponents));
  Value added = scaled(std::move(b), rule.neg(exponents));
  Value mantissas = recurrence(rule, std::move(factors), std::move(added), axis, backwards);
  if (!by.is_none()) mantissas = rule.scale(std::move(mantissas), by);
  return scaled(std::move(mantissas), exponents);
}

// A product's derivative by each factor is the recurrence of the products before: no division, so zeros do no harm.
Value product_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  const Value& axis = residuals.operands[1];
  Value added = rule.scale(tangents[0], shift(rule, *residuals.result, axis, true, 1));
  return recurrence_times(rule, residuals.operands[0], std::move(added), axis, false, Value());
}

void product_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const Value& axis = residuals.operands[1];
  const Value factors = shift(rule, residuals.operands[0], axis, false, 0),
              before = shift(rule, *residuals.result, axis, true, 1);
  out.add(0, recurrence_times(rule, factors, std::move(cotangent), axis, true, before));
}

// --- the language's ---

// x along one axis: all of its elements in a row when there is none.
unsigned scanned_axis(Builder& builder, Call& call, Value& x) {
  require_operand(builder, call, 0);
  if (!call.args[1].is_none()) return normal_axis(call, integer_argument(call, 1), logical_type(x).shape.rank());
  x = flatten(builder, std::move(x));
  return 0;
}

Value cumsum_eager(Builder& builder, Call& call) {
  const unsigned axis = scanned_axis(builder, call, call.args[0]);
  return running_sum(builder, std::move(call.args[0]), axis);
}

Value cumprod_eager(Builder& builder, Call& call) {
  const unsigned axis = scanned_axis(builder, call, call.args[0]);
  Value args[] = {std::move(call.args[0]), Value(int64_t{axis})};
  return ops::call(builder, cumulative_product_entry(), args);
}

}  // namespace

Value recurrence_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return next_axis_batch<2>(builder, call, batching);
}

Value running_sum(Builder& builder, Value x, unsigned axis) {
  Value args[] = {std::move(x), Value(int64_t{axis}), Value(false)};
  return call(builder, running_sum_entry(), args);
}

const Entry& running_sum_entry() {
  static const Entry entry{
      .name = "running_sum",
      .doc = "For each element its sum with those before it (or after) along an axis.",
      .parameters = {tensor_parameter("x"), attribute("axis"), attribute("backwards")},
      .type = running_type,
      .eager = running_eager<true>,
      .device = DeviceForm::running_sum,
      .derivative = Derivative::linearly(1, running_sum_transpose),
      .batch = next_axis_batch<1>,
      .pattern = pattern_of_scan,
      .internal = true,
      .part_of = "cumsum",
  };
  return entry;
}

const Entry& cumulative_product_entry() {
  static const Entry entry{
      .name = "cumulative_product",
      .doc = "For each element its product with those before it along an axis.",
      .parameters = {tensor_parameter("x"), attribute("axis")},
      .type = running_type,
      .eager = running_eager<false>,
      .device = DeviceForm::running_product,
      .derivative = Derivative::by_hand(1 | Derivative::result_bit, product_jvp, product_vjp),
      .batch = next_axis_batch<1>,
      .pattern = pattern_of_scan,
      .internal = true,
      .part_of = "cumprod",
  };
  return entry;
}

Value pattern_of_recurrence(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  const Call call = residual_call(entry, residuals);
  const Shape& shape = residuals.result_type->shape;
  const Value each = broadcast_to(sets.builder(), sets.unite(of[0], of[1], shape), shape);
  return sets.running(each, normal_axis(call, integer_argument(call, 2), shape.rank()), flag_argument(call, 3));
}

const Entry& recurrence_entry() {
  static const Entry entry{
      .name = "recurrence",
      .doc =
          "Along an axis, each element of `b` with `a` times the result before (or after): cotangents, of which ±0 "
          "makes the product 0 where `zeros` says so.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b"), attribute("axis"), attribute("backwards"),
                     attribute("zeros")},
      .type = recurrence_type,
      .eager = recurrence_eager,
      .derivative = Derivative::by_hand(1 | Derivative::result_bit, recurrence_jvp, recurrence_vjp),
      .batch = recurrence_batch,
      .pattern = pattern_of_recurrence,
      .internal = true,
  };
  return entry;
}

// The numbers that fill up are constants: sets there are empty.
Value pattern_of_shift(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  return call(sets.builder(), entry, {of[0], residuals.operands[1], residuals.operands[2], Value(int64_t{0})});
}

const Entry& shift_entry() {
  static const Entry entry{
      .name = "shift",
      .doc = "The elements of `x` one place further (or back) along an axis; `fill` comes in.",
      .parameters = {tensor_parameter("x"), attribute("axis"), attribute("by"), attribute("fill")},
      .carries = true,
      .type = shift_type,
      .eager = shift_eager,
      .derivative = Derivative::by_hand(0, shift_jvp, shift_vjp),
      .batch = next_axis_batch<1>,
      .pattern = pattern_of_shift,
      .internal = true,
  };
  return entry;
}

const Entry& cumsum_entry() {
  static const Entry entry{
      .name = "cumsum",
      .doc =
          "For each element its sum with all before it along `axis`; over all elements row by row when it is left "
          "out.\n\n"
          "Added one after the other, so that the last may differ from `sum` in the last bits. Bools and `i32` are "
          "added in `i64`, which wraps.",
      .parameters = {any_parameter("x"), attribute("axis", Value())},
      .widens_integers = true,
      .eager = cumsum_eager,
      .complex = by_parts,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.5, 2.0, -4.0]", .expected = "[1.5, 3.5, -0.5]", .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], axis=0",
                   .expected = "[[1.0, 2, 3], [5, 7, 9]]",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], axis=-1",
                   .expected = "[[1.0, 3, 6], [4, 9, 15]]",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2], [3, 4]]", .expected = "[1.0, 3, 6, 10]", .differentiate = true},
                  {.arguments = "[true, false, true]", .expected = "[1, 1, 2]"},
                  {.arguments = "i32([2147483647, 1])", .expected = "[2147483647, 2147483648]"},
                  {.arguments = "f32([0.1, 0.2, 0.3])", .expected = "f32([0.1, 0.3, 0.6])", .ulp = 1},
                  {.arguments = "[1.0, inf, -inf]", .expected = "[1.0, inf, nan]"},
                  {.arguments = "zeros(0, 2), axis=0", .expected = "zeros(0, 2)"},
                  {.arguments = "2.5", .expected = "[2.5]"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& cumprod_entry() {
  static const Entry entry{
      .name = "cumprod",
      .doc =
          "For each element its product with all before it along `axis`; over all elements row by row when it is left "
          "out.\n\n"
          "Bools and `i32` are multiplied in `i64`, which wraps. The derivative is computed without division: it is "
          "right where elements are 0.",
      .parameters = {any_parameter("x"), attribute("axis", Value())},
      .widens_integers = true,
      .eager = cumprod_eager,
      .complex = complex_cumprod,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.5, -2.0, 4.0]", .expected = "[1.5, -3.0, -12.0]", .differentiate = true},
                  {.arguments = "[2.0, 0.0, 3.0, 0.0]", .expected = "[2.0, 0, 0, 0]", .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], axis=0",
                   .expected = "[[1.0, 2, 3], [4, 10, 18]]",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], axis=1",
                   .expected = "[[1.0, 2, 6], [4, 20, 120]]",
                   .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]]", .expected = "[1, 2, 6, 24]"},
                  {.arguments = "[true, false]", .expected = "[1, 0]"},
                  {.arguments = "zeros(2, 0), axis=1", .expected = "zeros(2, 0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family reduce_scan_entries() {
  static const Entry* const entries[] = {&running_sum_entry(), &cumulative_product_entry(),
                                         &recurrence_entry(),  &recurrence_exponents_entry(),
                                         &shift_entry(),       &cumsum_entry(),
                                         &cumprod_entry(),     &cumlogsumexp_entry()};
  return entries;
}

}  // namespace covec::ops
