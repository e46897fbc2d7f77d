// The modified Bessel functions of the first kind.
#include "stdlib/ops/special/entries.hpp"
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

const Entry& i0_entry();
const Entry& i1_entry();
const Entry& quotient_entry();
const Entry& scaled_quotient_entry();
const Entry& gap_entry();

// With gₙ = Iₙ(x)/xⁿ, which is even and has the derivative x·gₙ₊₁: I₀ = g₀ and I₁ = x·g₁. Nothing is divided by x, so
// that derivatives of any order are right at 0 and have their digits beside it.
Value number(RuleContext& rule, const Residuals& residuals, double value) {
  return rule.number(value, residuals.result_type->dtype);
}
Value i0_derivative(RuleContext& rule, const Residuals& residuals) {
  return rule.call(i1_entry(), {residuals.operands[0]});
}
// g₁ + x·(x·g₂).
Value i1_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value& x = residuals.operands[0];
  const auto g = [&](double n) { return rule.call(quotient_entry(), {number(rule, residuals, n), x}); };
  return rule.add(g(1), rule.mul(x, rule.mul(x, g(2))));
}
Value quotient_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value &n = residuals.operands[0], &x = residuals.operands[1];
  return rule.mul(x, rule.call(quotient_entry(), {rule.add(n, number(rule, residuals, 1)), x}));
}

// `value` above 0, less it below, 0 at 0, where the scaled functions have a kink.
Value as_odd(RuleContext& rule, const Residuals& residuals, const Value& x, const Value& value) {
  const Value zero = number(rule, residuals, 0), at_kink = rule.call(handles().equal, {x, zero});
  return rule.where(at_kink, zero, rule.where(rule.call(handles().less, {x, zero}), rule.neg(value), value));
}
// With hₙ = gₙ·e^−|x| and the gap dₙ = hₙ − |x|·hₙ₊₁: the derivatives of hₙ and dₙ by |x| are −dₙ and
// (2n + 1)·hₙ₊₁ − 2·dₙ.
Value i0e_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value& x = residuals.operands[0];
  return as_odd(rule, residuals, x, rule.neg(rule.call(gap_entry(), {number(rule, residuals, 0), x})));
}
Value i1e_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value& x = residuals.operands[0];
  const auto of = [&](const Entry& entry, double n) { return rule.call(entry, {number(rule, residuals, n), x}); };
  return rule.sub(of(gap_entry(), 0), of(scaled_quotient_entry(), 1));
}
Value scaled_quotient_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value &n = residuals.operands[0], &x = residuals.operands[1];
  return as_odd(rule, residuals, x, rule.neg(rule.call(gap_entry(), {n, x})));
}
Value gap_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value &n = residuals.operands[0], &x = residuals.operands[1];
  const Value one = number(rule, residuals, 1), next = rule.add(n, one);
  const Value quotient = rule.call(scaled_quotient_entry(), {next, x}), gap = rule.call(gap_entry(), {n, x});
  const Value slope = rule.sub(rule.mul(rule.add(n, next), quotient), rule.add(gap, gap));
  return as_odd(rule, residuals, x, slope);
}

const Entry& quotient_entry() {
  static const Entry entry = entry_of<bessel_quotient, quotient_entry, 1, quotient_derivative>(
      {"bessel_quotient", "Iₙ(x)/xⁿ for a whole n.", {"n", "x"}},
      {{.arguments = "[1.0, 2.0, 3.0, 1.0, 5.0], [0.0, 0.0, 0.5, -30.0, 60.0]",
        .expected = "[0.5, 0.125, 0.02116089575192223, 25617734631.29857, 6144245379701867.4]",
        .source = "mpmath",
        .ulp = 2}},
      true);
  return entry;
}

const Entry& scaled_quotient_entry() {
  static const Entry entry = entry_of<bessel_quotient_scaled, scaled_quotient_entry, 1, scaled_quotient_derivative>(
      {"bessel_quotient_scaled", "Iₙ(x)/xⁿ·exp(−|x|) for a whole n.", {"n", "x"}}, {}, true);
  return entry;
}

const Entry& gap_entry() {
  static const Entry entry = entry_of<bessel_gap, gap_entry, 1, gap_derivative>(
      {"bessel_gap", "(Iₙ(|x|) − Iₙ₊₁(|x|))/|x|ⁿ·exp(−|x|) for a whole n, with its own digits.", {"n", "x"}}, {}, true);
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
  static const Entry* const entries[] = {
      &i0_entry(), &i0e_entry(), &i1_entry(), &i1e_entry(), &quotient_entry(), &scaled_quotient_entry(), &gap_entry()};
  return entries;
}

}  // namespace covec::ops::special
