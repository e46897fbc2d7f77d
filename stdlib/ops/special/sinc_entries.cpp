// sinc, and the family of its derivatives.
#include "stdlib/ops/special/entries.hpp"
#include "stdlib/ops/special/functions.hpp"

namespace covec::ops::special {

namespace {

const Entry& sinc_entry();
const Entry& sinc_derivative_entry();

Value slope_of_sinc(RuleContext& rule, const Residuals& residuals) {
  return rule.call(sinc_derivative_entry(), {rule.number(1, residuals.result_type->dtype), residuals.operands[0]});
}
Value next_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value next = rule.add(residuals.operands[0], rule.number(1, residuals.result_type->dtype));
  return rule.call(sinc_derivative_entry(), {next, residuals.operands[1]});
}

const Entry& sinc_derivative_entry() {
  static const Entry entry = entry_of<sinc_derivative, sinc_derivative_entry, 1, next_derivative>(
      {"sinc_derivative", "The n-th derivative of sinc(x) for a whole n.", {"n", "x"}},
      {{.arguments = "[1.0, 2.0, 3.0, 1.0, 2.0, 7.0], [0.0, 0.0, 0.25, 2.0, -0.5, 1.5]",
        .expected = "[0.0, -3.289868133696453, 4.52127228855079, 0.5, -1.1902271282389358, -298.30726497723646]",
        .source = "mpmath",
        .ulp = 1},
       {.arguments = "[1.0, 2.0, 1.0], [inf, -inf, nan]", .expected = "[0.0, 0.0, nan]", .source = "the limits"}},
      true);
  return entry;
}

const Entry& sinc_entry() {
  static const Entry entry = entry_of<sinc, sinc_entry, 0, slope_of_sinc>(
      {"sinc",
       "sin(πx)/(πx), elementwise: 1 at 0, exactly 0 at other whole numbers and at infinity; within 2 units in the "
       "last place.\n\n"
       "Derivatives of any order are right at 0 and have their digits beside it.",
       {"x"}},
      {{.arguments = "[0.5, -1.25, 3.75, 1e-9]",
        .expected = "[0.6366197723675814, -0.18006326323142122, -0.06002108774380707, 1.0]",
        .source = "mpmath",
        .ulp = 2,
        .differentiate = true},
       {.arguments = "[0.0, -0.0, 0.25, -0.5]",
        .expected = "[1.0, 1.0, 0.9003163161571062, 0.6366197723675814]",
        .source = "numpy",
        .ulp = 2},
       {.arguments = "[1.0, -2.0, 1e17, inf, -inf, nan]",
        .expected = "[0.0, 0.0, 0.0, 0.0, 0.0, nan]",
        .source = "the limits"}});
  return entry;
}

}  // namespace

Family sinc_entries() {
  static const Entry* const entries[] = {&sinc_entry(), &sinc_derivative_entry()};
  return entries;
}

}  // namespace covec::ops::special
