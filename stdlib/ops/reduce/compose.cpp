// var, std, norm, count_nonzero, softmax and log_softmax, as a few steps of other operators each.
#include "stdlib/ops/reduce/compose.hpp"

#include <cmath>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/power.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/reduce/cached.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/rules.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// A reduction under way: its rule context, x in the dtype that is computed with, and over which axes.
struct Reduction {
  RuleContext rule;
  Value x;
  Type type;
  ReduceArguments arguments;

  Reduction(Builder& builder, Call& call, unsigned axis, int keepdims) : rule(builder, true) {
    require_operand(builder, call, 0);
    type = logical_type(call.args[0]);
    Value args[] = {call.args[0], call.args[axis]};
    arguments = reduce_arguments(Call{call.entry, args, {}}, type.shape.rank());
    arguments.keepdims = keepdims >= 0 && flag_argument(call, static_cast<unsigned>(keepdims));
    if (!is_float(type.dtype)) type.dtype = Dtype::f64;
    x = cast_to(builder, std::move(call.args[0]), type.dtype);
  }
  Value sum(Value terms) { return sum_along(rule, std::move(terms), arguments); }
  Value number(double value) { return rule.number(value, type.dtype); }
  Value is_zero(const Value& value) { return rule.call(handles().equal, {value, number(0)}); }
};

// f(x) of an x ≥ 0, and 0 where x is 0: there the derivative is 0 too, not what f's would be.
template <class Function>
Value off_zero(Reduction& reduction, const Value& x, const Function& f) {
  const Value zero = reduction.is_zero(x);
  return reduction.rule.where(zero, reduction.number(0), f(reduction.rule.where(zero, reduction.number(1), x)));
}

Value root(Reduction& reduction, const Value& x) {
  return off_zero(reduction, x, [&](Value inside) { return reduction.rule.call(handles().sqrt, {inside}); });
}

// --- var, std ---

// The number that is divided by: that of the elements, less the correction, and never negative.
Value divisor(Reduction& reduction, const Call& call) {
  const Value& correction = call.args[2];
  const Type type = is_operand(correction) ? logical_type(correction) : Type{Dtype::boolean, {}};
  if (type.shape.rank() != 0 || type.dtype == Dtype::boolean) fail_attribute(call, 2, "a number");
  RuleContext& rule = reduction.rule;
  const Dtype dtype = reduction.type.dtype;
  const Value count = reduced_count(rule, reduction.type.shape, reduction.arguments.axes, dtype);
  return rule.call(handles().maximum, {rule.sub(count, rule.cast(correction, dtype)), reduction.number(0)});
}

Value variance(Reduction& reduction, const Call& call) {
  RuleContext& rule = reduction.rule;
  const Value mean = rule.call(mean_entry(), {reduction.x, axes_value(reduction.arguments.axes), Value(true)});
  Value squares = sum_of_squares_cached(rule.builder(), reduction.x, mean, reduction.arguments);
  if (squares.is_unbound()) {
    const Value off = rule.sub(std::move(reduction.x), mean);
    squares = reduction.sum(rule.mul(off, off));
  }
  return rule.div(std::move(squares), divisor(reduction, call));
}

Value var_eager(Builder& builder, Call& call) {
  Reduction reduction(builder, call, 1, 3);
  return variance(reduction, call);
}

Value std_eager(Builder& builder, Call& call) {
  Reduction reduction(builder, call, 1, 3);
  return root(reduction, variance(reduction, call));
}

// --- norm ---

Value power(Reduction& reduction, const Value& x, double exponent) {
  return reduction.rule.call(handles().power, {x, reduction.number(exponent)});
}

Value norm_of_power(Reduction& reduction, const Value& size, double order) {
  if (order < 0) return power(reduction, reduction.sum(power(reduction, size, order)), 1 / order);
  const Value terms = off_zero(reduction, size, [&](const Value& x) { return power(reduction, x, order); });
  return off_zero(reduction, reduction.sum(terms), [&](const Value& x) { return power(reduction, x, 1 / order); });
}

Value norm_eager(Builder& builder, Call& call) {
  const double order = number_argument(call, 1);
  if (std::isnan(order)) fail_attribute(call, 1, "a number");
  Reduction reduction(builder, call, 2, 3);
  RuleContext& rule = reduction.rule;
  if (order == 2) {
    Value squares = sum_of_squares_cached(builder, reduction.x, Value::unbound(), reduction.arguments);
    if (squares.is_unbound()) squares = reduction.sum(rule.mul(reduction.x, reduction.x));
    return root(reduction, squares);
  }
  const Value size = rule.call(handles().absolute, {reduction.x});
  if (std::isinf(order)) {
    const Value axes = axes_value(reduction.arguments.axes), keepdims(reduction.arguments.keepdims);
    return rule.call(order > 0 ? max_entry() : min_entry(), {size, axes, keepdims});
  }
  if (order == 1) return reduction.sum(size);
  if (order == 0) {
    const Value counted = rule.call(handles().not_equal, {size, reduction.number(0)});
    return rule.cast(reduction.sum(counted), reduction.type.dtype);
  }
  return norm_of_power(reduction, size, order);
}

// --- count_nonzero ---

Value count_nonzero_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  reduce_arguments(call, operand_type(call, 0).shape.rank());
  RuleContext rule(builder, true);
  const Dtype dtype = operand_dtype(call.args[0]);
  if (dtype != Dtype::boolean) {
    call.args[0] = rule.call(handles().not_equal, {call.args[0], rule.number(0, dtype)});
  }
  return ops::call(builder, sum_entry(), call.args);
}

// --- softmax, log_softmax ---

Type softmax_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  reduce_arguments(call, x.shape.rank());
  return {is_float(x.dtype) ? x.dtype : Dtype::f64, x.shape};
}

// x less its largest element, so that exp does not overflow. The sum is then 1 at least.
Reduction below_largest(Builder& builder, Call& call) {
  const Type x = operand_type(call, 0);
  expect_elements(builder, call, reduce_arguments(call, x.shape.rank()).axes);
  Reduction reduction(builder, call, 1, -1);
  reduction.arguments.keepdims = true;
  const Value axes = axes_value(reduction.arguments.axes);
  const Value largest = reduction.rule.call(max_entry(), {reduction.x, axes, Value(true)});
  reduction.x = reduction.rule.sub(std::move(reduction.x), largest);
  return reduction;
}

Value exp_of(RuleContext& rule, const Value& x) { return rule.call(handles().exp, {x}); }

Value by_rows(Builder& builder, const Call& call, bool logarithm) {
  const ReduceArguments arguments = reduce_arguments(call, operand_type(call, 0).shape.rank());
  return softmax_cached(builder, call.args[0], arguments, logarithm);
}

Value softmax_eager(Builder& builder, Call& call) {
  if (Value result = by_rows(builder, call, false); !result.is_unbound()) return result;
  Reduction reduction = below_largest(builder, call);
  const Value parts = exp_of(reduction.rule, reduction.x);
  return reduction.rule.div(parts, reduction.sum(parts));
}

Value log_softmax_eager(Builder& builder, Call& call) {
  if (Value result = by_rows(builder, call, true); !result.is_unbound()) return result;
  Reduction reduction = below_largest(builder, call);
  const Value sum = reduction.sum(exp_of(reduction.rule, reduction.x));
  return reduction.rule.sub(std::move(reduction.x), reduction.rule.call(handles().log, {sum}));
}

ReduceArguments kept_sums(const Entry& entry, const Kept& kept) {
  ReduceArguments arguments = arguments_of(entry, kept);
  arguments.keepdims = true;
  return arguments;
}

// y · (t − Σ y · t): the derivative is symmetric, so both directions are this.
Value softmax_slope(RuleContext& rule, const Kept& kept, const Value& t) {
  const Value& y = *kept.result;
  const Value part = rule.scale(t, y);
  const Value whole = sum_along(rule, part, kept_sums(softmax_entry(), kept));
  return rule.sub(part, rule.scale(whole, y));
}

Value softmax_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  return tangents[0].is_none() ? Value() : softmax_slope(rule, kept, tangents[0]);
}

void softmax_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  if (out.wants(0)) out.add(0, softmax_slope(rule, kept, cotangent));
}

Value log_softmax_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  const Value part = rule.scale(tangents[0], exp_of(rule, *kept.result));
  return rule.sub(tangents[0], sum_along(rule, part, kept_sums(log_softmax_entry(), kept)));
}

void log_softmax_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const Value whole = sum_along(rule, cotangent, kept_sums(log_softmax_entry(), kept));
  out.add(0, rule.sub(cotangent, rule.scale(whole, exp_of(rule, *kept.result))));
}

std::vector<Parameter> spread_parameters() {
  return {any_parameter("x"), attribute("axis", Value()), attribute("correction", int64_t{0}),
          attribute("keepdims", false)};
}

}  // namespace

const Entry& var_entry() {
  static const Entry entry{
      .name = "var",
      .doc =
          "Variance of the elements along `axis` (an int, a tuple, or none for all): the mean of their squared "
          "distances from their mean.\n\n"
          "The sum is divided by the number of elements less `correction`, 1 for a sample's. Bools and integers are "
          "converted to `f64`.",
      .parameters = spread_parameters(),
      .eager = var_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 4.0, 9.0]", .expected = "9.5", .differentiate = true},
                  {.arguments = "[1.0, 2.0, 4.0, 9.0], correction=1",
                   .expected = "12.666666666666666",
                   .ulp = 1,
                   .differentiate = true},
                  {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=0",
                   .expected = "[0.5625, 9.0]",
                   .differentiate = true},
                  {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=-1, keepdims=true",
                   .expected = "[[0.0625], [12.25]]",
                   .differentiate = true},
                  {.arguments = "reshape(arange(8.0), (2, 2, 2)), axis=(0, 2)", .expected = "[4.25, 4.25]"},
                  {.arguments = "[1, 2, 4]", .expected = "1.5555555555555554", .ulp = 1},
                  {.arguments = "[true, false]", .expected = "0.25"},
                  {.arguments = "f32([1, 2])", .expected = "f32(0.25)"},
                  {.arguments = "2.5", .expected = "0.0"},
                  {.arguments = "[2.5], correction=1", .expected = "nan"},
                  {.arguments = "[2.5, 3.5], correction=3", .expected = "inf"},
                  {.arguments = "zeros(0)", .expected = "nan"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& std_entry() {
  static const Entry entry{
      .name = "std",
      .doc =
          "Standard deviation of the elements along `axis`: the square root of `var`.\n\n"
          "Where it is 0 its derivative is taken to be 0.",
      .parameters = spread_parameters(),
      .eager = std_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "[1.0, 2.0, 4.0, 9.0]", .expected = "3.082207001484488", .ulp = 1, .differentiate = true},
           {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=0", .expected = "[0.75, 3.0]", .differentiate = true},
           {.arguments = "[1.0, 2.0, 4.0, 9.0], correction=1",
            .expected = "3.559026084010437",
            .ulp = 1,
            .differentiate = true},
           {.arguments = "[[1, 1], [3, 5]], axis=1, keepdims=true", .expected = "[[0.0], [1.0]]"},
           {.arguments = "[1.0, inf]", .expected = "nan"},
           {.arguments = "zeros(0, 2), axis=0", .expected = "[nan, nan]"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& norm_entry() {
  static const Entry entry{
      .name = "norm",
      .doc =
          "Length of the vectors along `axis`; of all elements as one vector when it is left out (of a matrix: "
          "Frobenius' norm).\n\n"
          "`ord` 2: the root of the sum of squares; 1: the sum of absolute values; inf and -inf: the largest and the "
          "smallest; 0: how many are not 0; another p: sum(abs(x) ^ p) ^ (1 / p). The derivative is taken to be 0 "
          "where the norm is 0.",
      .parameters = {any_parameter("x"), attribute("ord", int64_t{2}), attribute("axis", Value()),
                     attribute("keepdims", false)},
      .eager = norm_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3.0, -4.0]", .expected = "5.0", .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [2.0, 4.0]]", .expected = "5.0", .differentiate = true},
                  {.arguments = "[3.0, -4.0], 1", .expected = "7.0", .differentiate = true},
                  {.arguments = "[3.0, -4.0], inf", .expected = "4.0", .differentiate = true},
                  {.arguments = "[3.0, -4.0], -inf", .expected = "3.0", .differentiate = true},
                  {.arguments = "[3.0, -4.0], 3", .expected = "4.497941445275415", .ulp = 2, .differentiate = true},
                  {.arguments = "[3.0, -4.0], 0.5", .expected = "13.928203230275509", .ulp = 2, .differentiate = true},
                  {.arguments = "[2.0, -4.0], -1", .expected = "1.3333333333333333", .ulp = 1, .differentiate = true},
                  {.arguments = "[3.0, 0.0, -4.0], 0", .expected = "2.0"},
                  {.arguments = "[[3.0, 4.0], [0.0, 0.0]], axis=1", .expected = "[5.0, 0.0]"},
                  {.arguments = "[[3, 4], [5, 12]], axis=-1, keepdims=true", .expected = "[[5.0], [13.0]]"},
                  {.arguments = "[1.0, nan]", .expected = "nan"},
                  {.arguments = "[-inf, 1.0]", .expected = "inf"},
                  {.arguments = "zeros(0)", .expected = "0.0"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& count_nonzero_entry() {
  static const Entry entry{
      .name = "count_nonzero",
      .doc = "How many elements along `axis` are not 0 (or are true; nan is not 0).",
      .parameters = {any_parameter("x"), attribute("axis", Value()), attribute("keepdims", false)},
      .eager = count_nonzero_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, -0.0, nan, 2.0]", .expected = "2"},
                  {.arguments = "[[0, 3], [5, 0]], axis=0", .expected = "[1, 1]"},
                  {.arguments = "[[true, false], [true, true]], axis=1, keepdims=true", .expected = "[[1], [2]]"},
                  {.arguments = "zeros(0)", .expected = "0"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& softmax_entry() {
  static const Entry entry{
      .name = "softmax",
      .doc =
          "exp(x) / sum(exp(x)) along `axis` (an int, a tuple, or none for all), computed without overflow from x − "
          "max(x).",
      .parameters = {tensor_parameter("x"), attribute("axis", int64_t{-1})},
      .type = softmax_type,
      .eager = softmax_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit, softmax_jvp, softmax_vjp),
      .batch = reduce_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 0.0]", .expected = "[0.5, 0.5]", .source = "scipy", .differentiate = true},
                  {.arguments = "[1000.0, 1001.0, 999.5]",
                   .expected = "[0.2312238976221491, 0.6285317192117624, 0.14024438316608848]",
                   .source = "scipy",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [3.0, -4.0]], axis=0",
                   .expected =
                       "[[0.11920292202211755, 0.9975273768433653], [0.8807970779778825, 0.0024726231566347748]]",
                   .source = "scipy",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[[0, 0], [0, 0]], axis=(0, 1)",
                   .expected = "[[0.25, 0.25], [0.25, 0.25]]",
                   .source = "scipy"},
                  {.arguments = "[-inf, 0.0]", .expected = "[0.0, 1.0]", .source = "scipy"},
                  {.arguments = "zeros(0, 2)", .expected = "zeros(0, 2)", .source = "scipy"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& log_softmax_entry() {
  static const Entry entry{
      .name = "log_softmax",
      .doc = "The logarithm of `softmax` along `axis`: x − max(x) − log(sum(exp(x − max(x)))).",
      .parameters = {tensor_parameter("x"), attribute("axis", int64_t{-1})},
      .type = softmax_type,
      .eager = log_softmax_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit, log_softmax_jvp, log_softmax_vjp),
      .batch = reduce_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 0.0]",
                   .expected = "[-0.6931471805599453, -0.6931471805599453]",
                   .source = "scipy",
                   .ulp = 1,
                   .differentiate = true},
                  {.arguments = "[[1000.0, 1001.0], [3.0, -4.0]], axis=1",
                   .expected = "[[-1.3132616875182228, -0.3132616875182228], [-0.0009114664537742015, "
                               "-7.000911466453775]]",
                   .source = "scipy",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[0.0, -1000.0]", .expected = "[0.0, -1000.0]", .source = "scipy"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family reduce_compose_entries() {
  static const Entry* const entries[] = {&var_entry(),           &std_entry(),     &norm_entry(),
                                         &count_nonzero_entry(), &softmax_entry(), &log_softmax_entry()};
  return entries;
}

}  // namespace covec::ops
