// Elementwise operators that are made of others: lerp and smoothstep, logit and log_sigmoid, nan_to_num.
#include <limits>

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/expect.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/compose.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/patterns/patterns.hpp"

namespace covec::ops {

namespace {

// The first three arguments as floats of one dtype.
struct ThreeFloats {
  Dtype dtype;
  Value at[3];
};
ThreeFloats three_floats(Steps& steps, Call& call) {
  for (unsigned i = 0; i < 3; ++i) operand_of(steps.builder(), call, i);
  expect_broadcast(steps, call, 3);
  ThreeFloats floats{steps.common_float(call, 3), {}};
  for (unsigned i = 0; i < 3; ++i) floats.at[i] = steps.cast(call.args[i], floats.dtype);
  return floats;
}

// At t = 0 and 1 from a and b by 0 times the way, which is 0 even of an infinite one: so it is they, and its derivative
// by t is b − a.
Value lerp_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const auto& [dtype, at] = three_floats(steps, call);
  const auto& [a, b, t] = at;
  const Value back = steps.sub(a, b), one = steps.number(1, dtype);
  const auto from = [&](const Value& end, const Value& part) {
    return steps.sub(end, steps.call(handles().scale, {part, back}));
  };
  return steps.where(steps.equal(t, one), from(b, steps.sub(t, one)), from(a, t));
}

// A step if a is b: from b on it is 1.
Value smoothstep_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const auto& [dtype, at] = three_floats(steps, call);
  const auto& [a, b, x] = at;
  const Value zero = steps.number(0, dtype), one = steps.number(1, dtype), level = steps.equal(a, b);
  const Value back = steps.where(level, one, steps.sub(a, b)), slope = steps.div(steps.sub(a, x), back);
  const Value step = steps.where(steps.less(x, b), zero, steps.where(steps.isnan(x), x, one));
  const Value way = steps.where(level, step, slope);
  const Value t = steps.minimum(steps.maximum(way, zero), one), twice = steps.add(t, t);
  return steps.mul(steps.mul(t, t), steps.sub(steps.number(3, dtype), twice));
}

// --- logit, log_sigmoid ---

Type logit_type(ShapeBuilder&, const Call& call) {
  const Type p = operand_type(call, 0);
  return {float_dtype(p.dtype), p.shape};
}

// Near ½, where the quotient is near 1, by the distance of its logarithm from 0: 2p − 1 is exact there.
Value logit_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Value p = float_operand(builder, call, 0);
  const Dtype dtype = logical_type(p).dtype;
  const Value one = steps.number(1, dtype), quarter = steps.number(0.25, dtype), rest = steps.sub(one, p);
  const Value middle = steps.both(steps.less(quarter, p), steps.less(quarter, rest));
  const Value above = steps.div(steps.sub(steps.add(p, p), one), rest);
  const Value near = steps.call(entry_of<Log1p>(), {steps.where(middle, above, steps.number(0, dtype))});
  return steps.where(middle, near, steps.call(handles().log, {steps.div(p, rest)}));
}

Value logit_partial(RuleContext& rule, unsigned, const Residuals& residuals) {
  const Value& p = residuals.operands[0];
  const Value one = rule.number(1, operand_dtype(p));
  return rule.div(one, rule.mul(p, rule.sub(one, p)));
}

Value log_sigmoid_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  return steps.neg(steps.call(handles().softplus, {steps.neg(float_operand(builder, call, 0))}));
}

// --- nan_to_num ---

double largest_finite(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32: return std::numeric_limits<float>::max();
    case Dtype::f16: return 65504;
    case Dtype::bf16: return 0x1.fep127;
    default: return std::numeric_limits<double>::max();
  }
}

// What a number that is not finite becomes.
Value in_place_of(Steps& steps, Call& call, unsigned operand, double otherwise, Dtype dtype) {
  if (call.args[operand].is_none()) return steps.number(otherwise, dtype);
  if (operand_of(steps.builder(), call, operand).shape.rank() != 0) fail_attribute(call, operand, "a number");
  return steps.cast(call.args[operand], dtype);
}

Value nan_to_num_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Dtype dtype = operand_of(builder, call, 0).dtype;
  Value x = std::move(call.args[0]);
  if (!is_float(dtype)) return x;
  const Value inf = steps.number(std::numeric_limits<double>::infinity(), dtype);
  const double largest = largest_finite(dtype);
  const Value nan = in_place_of(steps, call, 1, 0, dtype), above = in_place_of(steps, call, 2, largest, dtype),
              below = in_place_of(steps, call, 3, -largest, dtype);
  const Value up_to = steps.where(steps.equal(x, inf), above, x);
  const Value finite = steps.where(steps.equal(x, steps.neg(inf)), below, up_to);
  return steps.where(steps.isnan(x), nan, finite);
}

Parameter optional_any(std::string_view name, Value fallback) {
  return {.name = name, .kind = ParameterKind::any, .required = false, .fallback = std::move(fallback)};
}

const Entry& lerp_entry() {
  static const Entry entry{
      .name = "lerp",
      .doc =
          "a + t (b − a), elementwise: exactly `a` where t is 0, exactly `b` where t is 1, and beyond them outside of "
          "that range.",
      .parameters = {any_parameter("a"), any_parameter("b"), any_parameter("t")},
      .eager = lerp_eager,
      .complex = by_parts_of<3>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "[1.0, 2.0, -3.0], [5.0, 2.5, 4.0], [0.25, 2.0, -1.0]",
            .expected = "[2.0, 3.0, -10.0]",
            .source = "torch",
            .differentiate = true},
           {.arguments = "0.1, 0.7, [0.0, 1.0]", .expected = "[0.1, 0.7]", .source = "torch", .differentiate = true},
           {.arguments = "1e20, 1.0, 1.0", .expected = "1.0", .source = "torch", .differentiate = true},
           {.arguments = "0, 10, [0.5, nan]", .expected = "[5.0, nan]", .source = "torch"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& smoothstep_entry() {
  static const Entry entry{
      .name = "smoothstep",
      .doc =
          "0 up to `a`, 1 from `b` on, and between them t² (3 − 2t) with t = (x − a) / (b − a), elementwise: its slope "
          "is 0 at both ends. Where a is b it is 0 below and 1 from there on.",
      .parameters = {any_parameter("a"), any_parameter("b"), any_parameter("x")},
      .eager = smoothstep_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "1.0, 3.0, [1.5, 2.0, 2.75]", .expected = "[0.15625, 0.5, 0.95703125]", .differentiate = true},
           {.arguments = "1.0, 3.0, [0.5, 1.0, 3.0, 9.0, inf, nan]", .expected = "[0.0, 0.0, 1.0, 1.0, 1.0, nan]"},
           {.arguments = "3, 1, [1.5, 9.0]", .expected = "[0.84375, 0.0]"},
           {.arguments = "1, 1, [0.0, 1.0, 2.0, nan]", .expected = "[0.0, 1.0, 1.0, nan]"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& logit_entry() {
  static const Entry entry{
      .name = "logit",
      .doc = "log(p / (1 − p)), the inverse of `sigmoid`; nan outside of 0 to 1.\n\nIt keeps its digits near ½.",
      .parameters = {tensor_parameter("p")},
      .type = logit_type,
      .eager = logit_eager,
      .instead_of_complex = "write log(z / (1 - z))",
      .derivative = Derivative::partials(1, logit_partial),
      .batch = [](Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); },
      .pattern = pattern_of_elements,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.1, 0.3, 0.5, 0.9]",
                   .expected = "[-2.197224577336219, -0.8472978603872037, 0.0, 2.1972245773362196]",
                   .source = "mpmath",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[0.0, 1.0, -0.5, 1.5, nan]",
                   .expected = "[-inf, inf, nan, nan, nan]",
                   .source = "scipy"},
                  {.arguments = "[1e-300, 0.5000000001]",
                   .expected = "[-690.7755278982137, 4.000000330961484e-10]",
                   .source = "mpmath",
                   .ulp = 2},
                  {.arguments = "[0, 1]", .expected = "[-inf, inf]", .source = "scipy"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& log_sigmoid_entry() {
  static const Entry entry{
      .name = "log_sigmoid",
      .doc = "log(1 / (1 + exp(−x))), which is −softplus(−x): no digits are lost at either end.",
      .parameters = {any_parameter("x")},
      .eager = log_sigmoid_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[-2.0, 0.0, 3.0]",
                   .expected = "[-2.1269280110429727, -0.6931471805599453, -0.04858735157374206]",
                   .source = "mpmath",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[-1000.0, 50.0, -inf, nan]",
                   .expected = "[-1000.0, -1.9287498479639178e-22, -inf, nan]",
                   .source = "mpmath",
                   .ulp = 2},
                  {.arguments = "0", .expected = "-0.6931471805599453", .source = "mpmath", .ulp = 1}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& nan_to_num_entry() {
  static const Entry entry{
      .name = "nan_to_num",
      .doc =
          "`x` with `nan` in place of each nan, `posinf` in place of inf and `neginf` in place of -inf: the largest "
          "finite number of the dtype, and the least, when they are left out.\n\n"
          "The derivative is 0 where an element is replaced. Integers and bools stay as they are.",
      .parameters = {any_parameter("x"), optional_any("nan", Value(0.0)), optional_any("posinf", Value()),
                     optional_any("neginf", Value())},
      .carries = true,
      .eager = nan_to_num_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, nan, inf, -inf]",
                   .expected = "[1.0, 0.0, 1.7976931348623157e308, -1.7976931348623157e308]"},
                  {.arguments = "[2.5, nan, inf, -inf], nan=-1, posinf=9, neginf=7.5",
                   .expected = "[2.5, -1.0, 9.0, 7.5]"},
                  {.arguments = "[1.5, -2.0]", .expected = "[1.5, -2.0]", .differentiate = true},
                  {.arguments = "f16([inf, nan])", .expected = "f16([65504, 0])"},
                  {.arguments = "f32([-inf, 1])", .expected = "f32([-3.4028235e38, 1])"},
                  {.arguments = "[1, 2], nan=5", .expected = "[1, 2]"},
                  {.arguments = "zeros(0)", .expected = "zeros(0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family elementwise_between_entries() {
  static const Entry* const entries[] = {&lerp_entry(), &smoothstep_entry(), &logit_entry(), &log_sigmoid_entry(),
                                         &nan_to_num_entry()};
  return entries;
}

}  // namespace covec::ops
