// Elementwise operators that are made of others: isclose, allclose, logaddexp.
#include <algorithm>
#include <limits>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/elementwise/compose.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// --- isclose, allclose ---

constexpr unsigned of_rtol = 2, of_atol = 3, of_equal_nan = 4;  // operand numbers, in the order of isclose's parameters

Value tolerance(Steps& steps, const Call& call, unsigned operand, Dtype dtype) {
  const double number = number_argument(call, operand);
  if (!(number >= 0)) fail_attribute(call, operand, "0 or more");
  return steps.number(number, dtype);
}

// Infinities are close only to themselves. Integers are equal, or compared as floats.
Value isclose_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  for (unsigned i = 0; i < 2; ++i) operand_of(builder, call, i);
  const Dtype dtype = steps.common_float(call, 2);
  const Value same = steps.equal(call.args[0], call.args[1]);
  const Value a = steps.cast(call.args[0], dtype), b = steps.cast(call.args[1], dtype);
  const Value size = steps.absolute(b);
  const Value relative = steps.mul(tolerance(steps, call, of_rtol, dtype), size);
  const Value within =
      steps.less_equal(steps.absolute(steps.sub(a, b)), steps.add(tolerance(steps, call, of_atol, dtype), relative));
  const Value finite = steps.less(size, steps.number(std::numeric_limits<double>::infinity(), dtype));
  const Value close = steps.either(same, steps.both(within, finite));
  if (!flag_argument(call, of_equal_nan)) return close;
  return steps.either(close, steps.both(steps.isnan(a), steps.isnan(b)));
}

// By the distances of complex numbers.
Value isclose_complex(Builder& builder, Call& call) {
  Steps steps(builder);
  const Value a = call.args[0], b = call.args[1];
  const Value apart = steps.absolute(steps.sub(a, b)), size = steps.absolute(b);
  const Dtype dtype = logical_type(apart).dtype;
  const Value bound =
      steps.add(tolerance(steps, call, of_atol, dtype), steps.mul(tolerance(steps, call, of_rtol, dtype), size));
  const Value finite = steps.less(size, steps.number(std::numeric_limits<double>::infinity(), dtype));
  const Value close = steps.either(steps.equal(a, b), steps.both(steps.less_equal(apart, bound), finite));
  if (!flag_argument(call, of_equal_nan)) return close;
  return steps.either(close, steps.both(steps.isnan(a), steps.isnan(b)));
}
Value allclose_complex(Builder& builder, Call& call) {
  return Steps(builder).reduce(handles().all, isclose_complex(builder, call), Value());
}

Value allclose_eager(Builder& builder, Call& call) {
  return Steps(builder).reduce(handles().all, isclose_eager(builder, call), Value());
}

std::vector<Parameter> tolerance_parameters() {
  return {any_parameter("a"), any_parameter("b"), attribute("rtol", 1e-5), attribute("atol", 1e-8),
          attribute("equal_nan", false)};
}

// --- logaddexp ---

// max(a, b) + log(1 + exp(−|a − b|)). Its slopes are sigmoids, of which the sum is 1, where a = b too.
Value logaddexp_value(Steps& steps, const Value& a, const Value& b, Dtype dtype) {
  const Value same = steps.equal(a, b), largest = steps.maximum(a, b);
  const Value apart = steps.where(same, steps.number(0, dtype), steps.absolute(steps.sub(a, b)));
  return steps.add(largest, steps.call(handles().softplus, {steps.neg(apart)}));
}

Dtype common_float(const Call& call) {
  return float_dtype(product_dtype(operand_type(call, 0).dtype, operand_type(call, 1).dtype));
}

Value logaddexp_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  for (unsigned i = 0; i < 2; ++i) operand_of(builder, call, i);
  const Dtype dtype = steps.common_float(call, 2);
  return ops::call(builder, log_add_exp_entry(),
                   {steps.cast(std::move(call.args[0]), dtype), steps.cast(std::move(call.args[1]), dtype)});
}

std::vector<std::string> no_parts(const void*, int64_t a, int64_t b) {
  return {"add exponentials", std::to_string(a), std::to_string(b), "?"};
}

Type log_add_exp_type(ShapeBuilder& shapes, const Call& call) {
  const Mismatch mismatch{&message("pointwise_shapes"), no_parts, nullptr, nullptr};
  return {common_float(call), shapes.broadcast(operand_type(call, 0).shape, operand_type(call, 1).shape, mismatch)};
}

Value log_add_exp_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  return logaddexp_value(steps, call.args[0], call.args[1], common_float(call));
}

// The share that operand `i` has in the sum of the exponentials.
Value share(RuleContext& rule, const Residuals& residuals, unsigned i) {
  const Value &a = residuals.operands[i], &b = residuals.operands[1 - i];
  const Dtype dtype = logical_type(a).dtype;
  const Value end = rule.number(std::numeric_limits<double>::infinity(), dtype);
  const Value infinite = rule.call(handles().equal, {rule.call(handles().absolute, {a}), end});
  const Value same = rule.call(handles().bit_and, {rule.call(handles().equal, {a, b}), infinite});
  const Value apart = rule.where(same, rule.number(0, dtype), rule.sub(a, b));
  return rule.call(handles().sigmoid, {apart});
}

Value log_add_exp_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  Value sum;
  for (unsigned i = 0; i < 2; ++i) {
    if (tangents[i].is_none()) continue;
    Value term = rule.scale(tangents[i], share(rule, residuals, i));
    sum = sum.is_none() ? std::move(term) : rule.add(std::move(sum), std::move(term));
  }
  return sum;
}

void log_add_exp_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  for (unsigned i = 0; i < 2; ++i) {
    if (out.wants(i)) out.add(i, rule.sum_to(rule.scale(cotangent, share(rule, residuals, i)), residuals.types[i]));
  }
}

const Entry& isclose_entry() {
  static const Entry entry{
      .name = "isclose",
      .doc =
          "Whether |a − b| <= atol + rtol·|b|, elementwise. An infinity is close to itself alone; nan to nothing, or "
          "with `equal_nan=true` to nan.",
      .parameters = tolerance_parameters(),
      .eager = isclose_eager,
      .complex = isclose_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 1.0, inf, nan, 1e-9], [1.000001, 1.1, inf, nan, 0.0]",
                   .expected = "[true, false, true, false, true]"},
                  {.arguments = "[nan, 1.0], [nan, nan], equal_nan=true", .expected = "[true, false]"},
                  {.arguments = "[1.0, -inf], [inf, inf]", .expected = "[false, false]"},
                  {.arguments = "1.0, 1.1, rtol=0.2, atol=0.0", .expected = "true"},
                  {.arguments = "[1, 2], [1, 3]", .expected = "[true, false]"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& allclose_entry() {
  static const Entry entry{
      .name = "allclose",
      .doc = "Whether all elements of `a` are close to those of `b`, as `isclose` says it.",
      .parameters = tolerance_parameters(),
      .eager = allclose_eager,
      .complex = allclose_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0], [1.000001, 2.0]", .expected = "true"},
                  {.arguments = "[1.0, nan], [1.0, nan]", .expected = "false"},
                  {.arguments = "[1.0, nan], [1.0, nan], equal_nan=true", .expected = "true"},
                  {.arguments = "[[1.0, 2.0]], 1.0, atol=2", .expected = "true"},
                  {.arguments = "zeros(0), zeros(0)", .expected = "true"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& logaddexp_entry() {
  static const Entry entry{
      .name = "logaddexp",
      .doc =
          "log(exp(a) + exp(b)), elementwise, without overflow.\n\n"
          "Near its root, where exp(a) + exp(b) is 1, only the size of the error is small; elsewhere it is within a "
          "few units in the last place.",
      .parameters = {any_parameter("a"), any_parameter("b")},
      .eager = logaddexp_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 1.0, -2.5], [0.0, 3.0, -1.5]",
                   .expected = "[0.6931471805599453, 3.1269280110429727, -1.1867383124818165]",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[1000.0, -1000.0, inf, -inf, -inf, nan], [999.0, -1000.0, inf, -inf, 2.0, 1.0]",
                   .expected = "[1000.3132616875182, -999.3068528194401, inf, -inf, 2.0, nan]",
                   .ulp = 1},
                  {.arguments = "[0, 0], 0", .expected = "[0.6931471805599453, 0.6931471805599453]", .ulp = 1}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

const Entry& log_add_exp_entry() {
  static const Entry entry{
      .name = "log_add_exp",
      .doc = "log(exp(a) + exp(b)) of floats of one dtype.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b")},
      .type = log_add_exp_type,
      .eager = log_add_exp_eager,
      .derivative = Derivative::by_hand(3, log_add_exp_jvp, log_add_exp_vjp),
      .batch = broadcast_batch,
      .pattern = pattern_of_elements,
      .effects = {.may_fail = true},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "logaddexp",
  };
  return entry;
}

// --- warnings ---

const Entry& warn_where_entry() {
  static const Entry entry{
      .name = "warn_where",
      .doc = "Warns, once in a session, if a condition holds anywhere.",
      .parameters = {tensor_parameter("condition"), attribute("text")},
      .carries = true,
      .type = [](ShapeBuilder&, const Call& call) { return operand_type(call, 0); },
      .eager =
          [](Builder& builder, Call& call) {
            Context& context = builder.context();
            const std::string& text = call.args[1].string().text;
            if (context.output != nullptr && !context.warned.contains(text) &&
                ops::call(builder, handles().any, {call.args[0], Value(), Value(false)}).boolean()) {
              context.warned.insert(text);
              context.output->warn(text);
            }
            return call.args[0];
          },
      .derivative = Derivative::none("warns"),
      .batch = [](Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); },
      .effects = {.may_fail = true, .repeatable = true},  // kept by code, and made in the run
      .internal = true};
  return entry;
}

// The second derivative of a length does not exist where it is 0. That of its square does, and would be lost.
void warn_of_zero_length(RuleContext& rules, const Residuals& residuals, const Value& cotangent) {
  if (std::ranges::none_of(residuals.operands, is_differentiated)) return;
  const auto zero = [&](const Entry& is, const Value& x) {
    return rules.call(is, {constant_of(x), rules.number(0, operand_dtype(x))});
  };
  // A cotangent of 0 is that of a branch that was not taken, unless it is active: that of r² is 2r.
  Value found = is_differentiated(cotangent) ? Value(true) : zero(handles().not_equal, cotangent);
  for (const Value& x : residuals.operands) found = rules.call(handles().bit_and, {found, zero(handles().equal, x)});
  rules.call(handles().warn_where,
             {found, make_string("abs and hypot: the second derivative is taken as 0 where the length is 0; for the "
                                 "derivative of its square, write abs2(z)")});
}

Family elementwise_compose_entries() {
  static const Entry* const entries[] = {&isclose_entry(), &allclose_entry(), &logaddexp_entry(), &log_add_exp_entry(),
                                         &warn_where_entry()};
  return entries;
}

}  // namespace covec::ops
