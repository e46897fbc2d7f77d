// The incomplete gamma and beta functions with their inverses, those of the normal distribution, and zeta.
#include "stdlib/ops/special/entries.hpp"
#include "stdlib/ops/special/family.hpp"
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops {

namespace {

Value one(RuleContext& rule, const Residuals& residuals) { return rule.number(1, residuals.result_type->dtype); }

// --- gamma ---

const Entry& gamma_density_entry();
const Entry& gammainc_entry();
const Entry& gammaincc_entry();

Value gamma_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value none = rule.number(0, residuals.result_type->dtype);
  return rule.call(gamma_density_entry(), {none, residuals.operands[0], residuals.operands[1]});
}
Value gammaincc_derivative(RuleContext& rule, const Residuals& residuals) {
  return rule.neg(gamma_derivative(rule, residuals));
}
Value gamma_density_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value next = rule.add(residuals.operands[0], one(rule, residuals));
  return rule.call(gamma_density_entry(), {next, residuals.operands[1], residuals.operands[2]});
}

const Entry& gamma_density_entry() {
  static const Entry entry =
      special::entry_of<special::gamma_density, gamma_density_entry, 2, gamma_density_derivative>(
          {"gamma_density",
           "The derivative of gammainc by x, x^(a − 1)·exp(−x)/Γ(a), differentiated n more times.",
           {"n", "a", "x"}},
          {{.arguments = "[0.0, 1.0, 2.0, 3.0, 1.0], [2.5, 2.5, 2.0, 5.0, 0.5], [1.5, 1.5, 0.0, 2.0, 0.0]",
            .expected = "[0.30836065960753856, 0.0, -2.0, -0.0902235221577418, -inf]",
            .source = "mpmath",
            .ulp = 2}},
          true);
  return entry;
}

const Entry& gammainc_entry() {
  static const Entry entry = special::entry_of<special::gamma_lower, gammainc_entry, 1, gamma_derivative>(
      {"gammainc",
       "The regularized lower incomplete gamma function P(a, x): the integral of t^(a − 1)·exp(−t) from 0 to x, by "
       "Γ(a), "
       "elementwise; nan of a negative a or x.\n\n"
       "Within 2 units in the last place (docs/accuracy.md). Differentiable by `x`; by `a` there is no closed form, "
       "and "
       "it is an error.",
       {"a", "x"}},
      {{.arguments = "[0.5, 1.0, 3.0, 30.0], [0.25, 1.0, 2.5, 35.0]",
        .expected = "[0.5204998778130465, 0.6321205588285577, 0.45618688411667047, 0.8229545478999403]",
        .source = "mpmath",
        .ulp = 2},
       {.arguments = "[1000.0, 1e6], [1010.0, 1e6]",
        .expected = "[0.6276789447369947, 0.5001329807608725]",
        .source = "mpmath",
        .ulp = 2},
       {.arguments = "[1.0, 1.0, 0.0, -1.0, 1.0, nan], [0.0, inf, 1.0, 1.0, -1.0, 1.0]",
        .expected = "[0.0, 1.0, 1.0, nan, nan, nan]",
        .source = "scipy"}});
  return entry;
}

const Entry& gammaincc_entry() {
  static const Entry entry = special::entry_of<special::gamma_upper, gammaincc_entry, 1, gammaincc_derivative>(
      {"gammaincc",
       "The regularized upper incomplete gamma function Q(a, x) = 1 − P(a, x), elementwise, with its own digits where "
       "it is small.\n\nAs exact as `gammainc`, and differentiable like it.",
       {"a", "x"}},
      {{.arguments = "[0.5, 1.0, 3.0, 1e-10], [30.0, 700.0, 2.5, 1e-3]",
        .expected = "[9.485737571073848e-15, 9.85967654375977e-305, 0.5438131158833295, 6.331539362213877e-10]",
        .source = "mpmath",
        .ulp = 2},
       {.arguments = "[1.0, 1.0, 0.0], [0.0, inf, 1.0]", .expected = "[1.0, 0.0, 0.0]", .source = "scipy"}});
  return entry;
}

// Of an inverse: 1 by the derivative of what it inverts, at the result.
Value gammaincinv_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value none = rule.number(0, residuals.result_type->dtype);
  return rule.div(one(rule, residuals),
                  rule.call(gamma_density_entry(), {none, residuals.operands[0], *residuals.result}));
}
Value gammainccinv_derivative(RuleContext& rule, const Residuals& residuals) {
  return rule.neg(gammaincinv_derivative(rule, residuals));
}

const Entry& gammaincinv_entry() {
  static const Entry entry =
      special::entry_of<special::gamma_lower_inverse, gammaincinv_entry, 1, gammaincinv_derivative>(
          {.name = "gammaincinv",
           .doc =
               "The x with gammainc(a, x) = p, elementwise: the quantile of the gamma distribution of shape a. 0 for "
               "p = 0, inf for p = 1; nan of a negative a, and of a p outside 0 to 1.\n\n"
               "Within 2 units in the last place (docs/accuracy.md). Differentiable by `p`; by `a` there is no closed "
               "form, and it is an error.",
           .parameters = {"a", "p"},
           .of_result = true},
          {{.arguments = "[0.5, 1.0, 3.0, 30.0, 1000.0, 0.01], [0.25, 0.5, 0.975, 1e-10, 0.5, 0.3]",
            .expected =
                "[0.050765522133810775, 0.6931471805599453, 7.22468766772396, 7.000511700351835, 999.6666864269652, "
                "2.9174171917458687e-53]",
            .source = "mpmath",
            .ulp = 2},
           {.arguments = "[2.0, 2.0, 0.0, -1.0, 1.0, inf, nan], [0.0, 1.0, 0.5, 0.5, 1.5, 0.5, 0.5]",
            .expected = "[0.0, inf, 0.0, nan, nan, inf, nan]",
            .source = "scipy"}});
  return entry;
}

const Entry& gammainccinv_entry() {
  static const Entry entry =
      special::entry_of<special::gamma_upper_inverse, gammainccinv_entry, 1, gammainccinv_derivative>(
          {.name = "gammainccinv",
           .doc = "The x with gammaincc(a, x) = q, elementwise, which has all its digits where q is small.\n\n"
                  "As exact as `gammaincinv`, and differentiable like it.",
           .parameters = {"a", "q"},
           .of_result = true},
          {{.arguments = "[0.5, 1.0, 3.0, 100.0], [1e-12, 1e-300, 0.1, 0.999]",
            .expected = "[25.422063955909078, 690.7755278982137, 5.32232033783421, 71.9213974950004]",
            .source = "mpmath",
            .ulp = 2},
           {.arguments = "[2.0, 2.0], [0.0, 1.0]", .expected = "[inf, 0.0]", .source = "scipy"}});
  return entry;
}

// --- beta ---

const Entry& beta_density_entry();
const Entry& betainc_entry();
const Entry& betaincc_entry();

Value beta_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value none = rule.number(0, residuals.result_type->dtype);
  return rule.call(beta_density_entry(), {none, residuals.operands[0], residuals.operands[1], residuals.operands[2]});
}
Value betaincc_derivative(RuleContext& rule, const Residuals& residuals) {
  return rule.neg(beta_derivative(rule, residuals));
}
Value beta_density_derivative(RuleContext& rule, const Residuals& residuals) {
  const std::span<const Value> x = residuals.operands;
  return rule.call(beta_density_entry(), {rule.add(x[0], one(rule, residuals)), x[1], x[2], x[3]});
}

const Entry& beta_density_entry() {
  static const Entry entry = special::entry_of<special::beta_density, beta_density_entry, 3, beta_density_derivative>(
      {"beta_density",
       "The derivative of betainc by x, x^(a − 1)·(1 − x)^(b − 1)/B(a, b), differentiated n more times.",
       {"n", "a", "b", "x"}},
      {{.arguments = "[0.0, 1.0, 2.0, 2.0], [2.5, 2.5, 2.0, 2.0], [1.5, 1.5, 3.0, 3.0], [0.25, 0.25, 0.0, 1.0]",
        .expected = "[0.551328895421792, 2.940420775582891, -48.0, 24.0]",
        .source = "mpmath",
        .ulp = 2}},
      true);
  return entry;
}

const Entry& betainc_entry() {
  static const Entry entry = special::entry_of<special::beta_lower, betainc_entry, 2, beta_derivative>(
      {"betainc",
       "The regularized incomplete beta function I_x(a, b): the integral of t^(a − 1)·(1 − t)^(b − 1) from 0 to x, by "
       "B(a, b), elementwise; its limits where a or b is 0; nan where one is negative or both are 0, or x is outside 0 "
       "to 1.\n\n"
       "Within 2 units in the last place (docs/accuracy.md). Differentiable by `x`; by `a` and `b` there is no closed "
       "form, and it is an error.",
       {"a", "b", "x"}},
      {{.arguments = "[0.5, 2.0, 30.0], [0.5, 3.0, 40.0], [0.25, 0.5, 0.4]",
        .expected = "[0.3333333333333333, 0.6875, 0.31814380259056296]",
        .source = "mpmath",
        .ulp = 2},
       {.arguments = "[1.0, 1.0, -1.0, 1.0], 1.0, [0.0, 1.0, 0.5, 1.5]",
        .expected = "[0.0, 1.0, nan, nan]",
        .source = "scipy"},
       {.arguments = "[3001.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.5, 1.0, 0.5, 0.5]",
        .expected = "[0.0, 1.0, 1.0, nan]",
        .source = "boost"}});
  return entry;
}

const Entry& betaincc_entry() {
  static const Entry entry = special::entry_of<special::beta_upper, betaincc_entry, 2, betaincc_derivative>(
      {"betaincc",
       "1 − I_x(a, b), the complement of `betainc`, elementwise, with its own digits where it is small.",
       {"a", "b", "x"}},
      {{.arguments = "[0.5, 2.0], [30.0, 3.0], [0.75, 0.999]",
        .expected = "[1.021925309822466e-19, 3.997000000000011e-09]",
        .source = "mpmath",
        .ulp = 2}});
  return entry;
}

Value betaincinv_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value none = rule.number(0, residuals.result_type->dtype);
  const Value density =
      rule.call(beta_density_entry(), {none, residuals.operands[0], residuals.operands[1], *residuals.result});
  return rule.div(one(rule, residuals), density);
}
Value betainccinv_derivative(RuleContext& rule, const Residuals& residuals) {
  return rule.neg(betaincinv_derivative(rule, residuals));
}

const Entry& betaincinv_entry() {
  static const Entry entry = special::entry_of<special::beta_lower_inverse, betaincinv_entry, 2, betaincinv_derivative>(
      {.name = "betaincinv",
       .doc =
           "The x with betainc(a, b, x) = p, elementwise: the quantile of the beta distribution. nan where a or b is "
           "not above 0, or p outside 0 to 1.\n\n"
           "Within 2 units in the last place (docs/accuracy.md). Differentiable by `p`; by `a` and `b` there is no "
           "closed form, and it is an error.",
       .parameters = {"a", "b", "p"},
       .of_result = true},
      {{.arguments = "[0.5, 2.0, 30.0, 200.0, 0.1], [0.5, 3.0, 40.0, 300.0, 5.0], [0.25, 0.5, 1e-6, 0.9, 0.3]",
        .expected = "[0.14644660940672624, 0.38572756813238956, 0.18125550765383666, 0.42815285363512157, "
                    "7.865944939454458e-07]",
        .source = "mpmath",
        .ulp = 2},
       {.arguments = "[2.0, 2.0, 0.0, 1.0], 1.0, [0.0, 1.0, 0.5, 1.5]",
        .expected = "[0.0, 1.0, nan, nan]",
        .source = "scipy"}});
  return entry;
}

const Entry& betainccinv_entry() {
  static const Entry entry =
      special::entry_of<special::beta_upper_inverse, betainccinv_entry, 2, betainccinv_derivative>(
          {.name = "betainccinv",
           .doc = "The x with betaincc(a, b, x) = q, elementwise, which has all its digits where q is small.\n\n"
                  "As exact as `betaincinv`, and differentiable like it.",
           .parameters = {"a", "b", "q"},
           .of_result = true},
          {{.arguments = "[0.5, 2.0, 1.5], [30.0, 3.0, 0.25], [1e-19, 0.75, 0.5]",
            .expected = "[0.75017971565737, 0.2430220837560763, 0.962979649208984]",
            .source = "mpmath",
            .ulp = 2}});
  return entry;
}

// --- the inverses of the normal distribution and of erf ---

const Entry& ndtri_entry();
const Entry& erfinv_entry();

// c·exp(k·result²)
Value growing_derivative(RuleContext& rule, const Residuals& residuals, double c, double k) {
  const Dtype dtype = residuals.result_type->dtype;
  const Value square = rule.mul(*residuals.result, *residuals.result);
  return rule.mul(rule.number(c, dtype), rule.call(handles().exp, {rule.mul(rule.number(k, dtype), square)}));
}
Value ndtri_derivative(RuleContext& rule, const Residuals& residuals) {
  return growing_derivative(rule, residuals, 2.5066282746310005, 0.5);
}
Value erfinv_derivative(RuleContext& rule, const Residuals& residuals) {
  return growing_derivative(rule, residuals, 0.886226925452758, 1);
}

const Entry& ndtri_entry() {
  static const Entry entry = special::entry_of<special::normal_quantile, ndtri_entry, 0, ndtri_derivative>(
      {.name = "ndtri",
       .doc = "The quantile of the standard normal distribution, elementwise: the z that a normal number is below with "
              "probability p. −inf for 0, inf for 1, nan outside.\n\n"
              "Within 3 units in the last place (docs/accuracy.md); of a p near 1 there are no more digits than 1 − p "
              "has: −ndtri(1 − p) has them. Differentiable.",
       .parameters = {"p"},
       .of_result = true},
      {{.arguments = "[0.025, 0.975, 0.3, 1e-10, 1e-300, 0.5]",
        .expected = "[-1.9599639845400543, 1.9599639845400538, -0.5244005127080408, -6.361340902404057, "
                    "-37.0470962993612, 0.0]",
        .source = "mpmath",
        .ulp = 3},
       {.arguments = "[0.0, 1.0, -0.1, 1.1, nan]", .expected = "[-inf, inf, nan, nan, nan]", .source = "scipy"}});
  return entry;
}

const Entry& erfinv_entry() {
  static const Entry entry = special::entry_of<special::erf_inverse, erfinv_entry, 0, erfinv_derivative>(
      {.name = "erfinv",
       .doc = "The x with erf(x) = y, elementwise; nan where y is outside −1 to 1.\n\n"
              "Within 3 units in the last place (docs/accuracy.md). Differentiable.",
       .parameters = {"y"},
       .of_result = true},
      {{.arguments = "[1e-20, -0.3, 0.5, 0.95, 0.9999999]",
        .expected = "[8.86226925452758e-21, -0.2724627147267543, 0.4769362762044699, 1.3859038243496777, "
                    "3.7665625816384707]",
        .source = "mpmath",
        .ulp = 3},
       {.arguments = "[-1.0, 0.0, 1.0, 1.5, nan]", .expected = "[-inf, 0.0, inf, nan, nan]", .source = "scipy"}});
  return entry;
}

// --- zeta ---

const Entry& zeta_of_two_entry();

// −s·ζ(s + 1, q)
Value zeta_derivative(RuleContext& rule, const Residuals& residuals) {
  const Value& s = residuals.operands[0];
  return rule.neg(
      rule.mul(s, rule.call(zeta_of_two_entry(), {rule.add(s, one(rule, residuals)), residuals.operands[1]})));
}

const Entry& zeta_of_two_entry() {
  static const Entry entry = special::entry_of<special::zeta, zeta_of_two_entry, 1, zeta_derivative>(
      {"zeta",
       "Hurwitz' zeta function: the sum of (q + k)^(−s) over k = 0, 1, 2, …, elementwise; with q = 1, as it is when "
       "left out, Riemann's, which is there for all s.\n\n"
       "Within 2 units in the last place for s > 1; for negative s near its roots only the error's size is small. "
       "inf at the poles s = 1 and q = 0, −1, …; nan of an s below 1 beside another q, and of a negative q beside an s "
       "that is not whole. Differentiable by `q`; by `s` it is an error.",
       {"s", "q"},
       true},
      {{.arguments = "[2.0, 3.0, 1.5, 60.0]",
        .expected = "[1.6449340668482264, 1.2020569031595942, 2.612375348685488, 1.0]",
        .source = "mpmath",
        .ulp = 1},
       {.arguments = "[2.0, 3.0], [0.5, 10.0]",
        .expected = "[4.934802200544679, 0.0055249174854010335]",
        .source = "mpmath",
        .ulp = 1},
       {.arguments = "[26.0, 40.0, 9.0, 300.0], [12.0, 30.0, 6.5, 10.0]",
        .expected = "[1.0017006672102959e-28, 1.1325911456066117e-59, 6.8717490768360272e-8, 1.0000000000003821e-300]",
        .source = "mpmath",
        .ulp = 1},
       {.arguments = "[2.0, 3.0, 4.0], [-0.5, -2.25, -100.75]",
        .expected = "[8.9348022005446793, -61.948474887030083, 259.75757576954938]",
        .source = "mpmath",
        .ulp = 2},
       {.arguments = "[0.0, -1.0, -2.0, 0.5, 1.0, inf, nan]",
        .expected = "[-0.5, -0.08333333333333333, 0.0, -1.4603545088095868, inf, 1.0, nan]",
        .source = "mpmath",
        .ulp = 2}});
  return entry;
}

}  // namespace

const Entry& special::zeta_entry() { return zeta_of_two_entry(); }

Family special_family() {
  static const Entry* const entries[] = {
      &gammaincinv_entry(), &gammainccinv_entry(),  &betaincinv_entry(),  &betainccinv_entry(), &ndtri_entry(),
      &erfinv_entry(),      &gammainc_entry(),      &gammaincc_entry(),   &betainc_entry(),     &betaincc_entry(),
      &zeta_of_two_entry(), &gamma_density_entry(), &beta_density_entry()};
  static const std::vector<const Entry*> all =
      joined({entries, special::bessel_entries(), special::combination_entries(), special::gamma_entries(),
              special::sinc_entries()});
  return all;
}

}  // namespace covec::ops
