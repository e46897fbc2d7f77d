// The modified Bessel functions of the first kind.
#include "stdlib/ops/special/entries.hpp"
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

const Entry& i0_entry();
const Entry& i1_entry();
const Entry& i0e_entry();
const Entry& i1e_entry();
const Entry& bessel_gap_entry();

Value i0_derivative(RuleContext& rule, const Residuals& residuals) {
  return rule.call(i1_entry(), {residuals.operands[0]});
}
// I₁(x)/x, which is 1/2 at 0; `i1` is I₁ itself, or scaled.
// Near 0 the quotient of subnormal numbers would have lost its digits: it is 1/2 there.
Value over_x(RuleContext& rule, const Residuals& residuals, const Value& i1) {
  const Value& x = residuals.operands[0];
  const Dtype dtype = residuals.result_type->dtype;
  const Value tiny = rule.number(dtype == Dtype::f64 ? 0x1p-900 : 0x1p-90, dtype);
  const Value zero = rule.call(handles().less, {rule.call(handles().absolute, {x}), tiny});
  const Value divisor = rule.where(zero, rule.number(1, dtype), x);
  return rule.where(zero, rule.number(0.5, dtype), rule.div(i1, divisor));
}
// I₀ − I₁/x; where both overflow, infinite.
Value i1_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value& x = residuals.operands[0];
  const Value i0 = rule.call(i0_entry(), {x});
  const Value large = rule.call(handles().equal, {i0, rule.number(infinite, residuals.result_type->dtype)});
  const Value part = rule.where(large, rule.number(0, residuals.result_type->dtype), rule.call(i1_entry(), {x}));
  return rule.sub(i0, over_x(rule, residuals, part));
}
// `value` above 0, less it below, 0 at 0, where the scaled functions have a kink.
Value as_odd(RuleContext& rule, const Residuals& residuals, const Value& value) {
  const Value &x = residuals.operands[0], zero = rule.number(0, residuals.result_type->dtype);
  const Value at_kink = rule.call(handles().equal, {x, zero});
  return rule.where(at_kink, zero, rule.where(rule.call(handles().less, {x, zero}), rule.neg(value), value));
}
Value i0e_derivative(RuleContext& rule, const Residuals& residuals) {
  return as_odd(rule, residuals, rule.neg(rule.call(bessel_gap_entry(), {residuals.operands[0]})));
}
Value i1e_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value& x = residuals.operands[0];
  return rule.sub(rule.call(bessel_gap_entry(), {x}), over_x(rule, residuals, rule.call(i1e_entry(), {x})));
}
Value bessel_gap_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value& x = residuals.operands[0];
  const Value gap = rule.call(bessel_gap_entry(), {x});
  const Value rest = rule.sub(over_x(rule, residuals, rule.call(i1e_entry(), {x})), rule.add(gap, gap));
  return as_odd(rule, residuals, rest);
}

const Entry& bessel_gap_entry() {
  static const Entry entry = entry_of<bessel_gap, bessel_gap_entry, 0, bessel_gap_derivative>(
      {"bessel_gap", "(I₀(|x|) − I₁(|x|))·exp(−|x|), with its own digits.", {"x"}}, {}, true);
  return entry;
}

const Entry& i0_entry() {
  static const Entry entry = entry_of<bessel_i0, i0_entry, 0, i0_derivative>(
      {"i0", "The modified Bessel function I₀, elementwise; within 1 unit in the last place.", {"x"}},
      {{.arguments = "[0.0, 1.0, -2.5, 30.0, 700.0]",
        .expected = "[1.0, 1.2660658777520082, 3.289839144050123, 781672297823.9775, 1.5295933476718737e+302]",
        .source = "mpmath",
        .ulp = 1},
       {.arguments = "[0.5, 1.5, -2.5]",
        .expected = "[1.0634833707413236, 1.6467231897728904, 3.289839144050123]",
        .source = "mpmath",
        .ulp = 1,
        .differentiate = true},
       {.arguments = "[inf, -inf, nan, 800.0]", .expected = "[inf, inf, nan, inf]", .source = "scipy"}});
  return entry;
}

const Entry& i1_entry() {
  static const Entry entry = entry_of<bessel_i1, i1_entry, 0, i1_derivative>(
      {"i1", "The modified Bessel function I₁, elementwise; within 1 unit in the last place.", {"x"}},
      {{.arguments = "[0.5, 1.5, -2.5]",
        .expected = "[0.25789430539089632, 0.98166642857790756, -2.5167162452886984]",
        .source = "mpmath",
        .ulp = 1,
        .differentiate = true},
       {.arguments = "[0.0, -0.0, inf, -inf, nan]", .expected = "[0.0, -0.0, inf, -inf, nan]", .source = "scipy"}});
  return entry;
}

const Entry& i0e_entry() {
  static const Entry entry = entry_of<bessel_i0e, i0e_entry, 0, i0e_derivative>(
      {"i0e", "I₀(x)·exp(−|x|), elementwise, which does not overflow; within 1 unit in the last place.", {"x"}},
      {{.arguments = "[0.5, 1.5, -2.5]",
        .expected = "[0.6450352704491501, 0.36743360905415834, 0.27004644161220276]",
        .source = "mpmath",
        .ulp = 1,
        .differentiate = true},
       {.arguments = "[0.0, inf, 1e10, nan]",
        .expected = "[1.0, 0.0, 3.9894228040641788e-06, nan]",
        .source = "mpmath",
        .ulp = 1}});
  return entry;
}

const Entry& i1e_entry() {
  static const Entry entry = entry_of<bessel_i1e, i1e_entry, 0, i1e_derivative>(
      {"i1e", "I₁(x)·exp(−|x|), elementwise, which does not overflow; within 1 unit in the last place.", {"x"}},
      {{.arguments = "[0.5, 1.5, -2.5]",
        .expected = "[0.1564208031848717, 0.21903938742092569, -0.20658464953126657]",
        .source = "mpmath",
        .ulp = 1,
        .differentiate = true},
       {.arguments = "[0.0, -inf]", .expected = "[0.0, -0.0]", .source = "scipy"}});
  return entry;
}

}  // namespace

Family bessel_entries() {
  static const Entry* const entries[] = {&i0_entry(), &i0e_entry(), &i1_entry(), &i1e_entry(), &bessel_gap_entry()};
  return entries;
}

}  // namespace covec::ops::special
