// The gamma and beta functions themselves, and erfc's inverse. The gamma functions' derivatives use digamma. The beta
// functions' use differences of digamma, which are an operator of their own because they cancel.
#include <cmath>

#include "stdlib/ops/special/entries.hpp"
#include "stdlib/ops/special/family.hpp"
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops {

namespace special {

namespace {

constexpr double product_limit = 1000;  // from here on Γ may overflow in 64 bits with 15 of exponent

bool is_pole(double x) { return x <= 0 && x == std::floor(x); }

// ln B(a, b) for a, b > 0 by Stirling's formula with what it lacks, so that large numbers do not cancel.
Real log_of_beta(Real a, Real b) {
  const Real n = a + b, large = std::max(a, b), small = std::min(a, b);
  const Real off = stirling_error(a) + stirling_error(b) - stirling_error(n);
  const Real powers = small * std::log(small / n) + large * std::log1p(-small / n);
  return powers + off + std::log(2 * pi * n / (a * b)) / 2;
}

// What ψ(x) is below ln x − 1/(2x): Σ B₂ₖ/(2k·x²ᵏ).
constexpr Real digamma_terms[] = {1 / 12.0L,  -1 / 120.0L,     1 / 252.0L, -1 / 240.0L,
                                  1 / 132.0L, -691 / 32760.0L, 1 / 12.0L,  -3617 / 8160.0L};

Real digamma_above(Real x) {
  Real sum = 0;
  for (; x < 20; x += 1) sum -= 1 / x;
  const Real w = 1 / (x * x);
  Real series = 0;
  for (int k = 7; k >= 0; --k) series = (series + digamma_terms[k]) * w;
  return sum + (std::log(x) - 1 / (2 * x) - series);
}

}  // namespace

double gamma(double x) { return static_cast<double>(std::tgamma(Real(x))); }

double beta(double a, double b) {
  if (std::isnan(a + b) || is_pole(a) || is_pole(b)) {
    const bool end = (a == 0 && b > 0) || (b == 0 && a > 0);
    return end ? infinite : not_a_number;
  }
  const Real n = Real(a) + b;
  if (is_pole(static_cast<double>(n))) return 0;
  if (std::abs(a) < product_limit && std::abs(b) < product_limit)
    return static_cast<double>(std::tgamma(Real(a)) / std::tgamma(n) * std::tgamma(Real(b)));
  if (a > 0 && b > 0) return std::isinf(n) ? 0 : static_cast<double>(std::exp(log_of_beta(a, b)));
  int sign_a, sign_b, sign_n;
  const Real size = lgammal_r(a, &sign_a) + lgammal_r(b, &sign_b) - lgammal_r(n, &sign_n);
  return static_cast<double>(sign_a * sign_b * sign_n * std::exp(size));
}

// A whole number of factors one by one: a product that an f64 holds is exact, as no product on the way has ten bits
// more. Else by Stirling's formula with what it lacks, written so that large numbers do not cancel.
double choose(double n, double k) {
  constexpr Real few = 32;      // factors; more give numbers beyond 2⁵³
  constexpr Real small_n = 32;  // below, the larger of k and n − k may be below `large`
  constexpr Real large = 16;    // from here on stirling_error is a series
  if (std::isnan(n + k) || (std::isinf(n) && std::isinf(k))) return not_a_number;
  if (!(0 <= k && k <= n)) return 0;
  if (std::isinf(n)) return k == 0 ? 1 : infinite;
  const Real all = n, rest = all - k, b = std::min(Real(k), rest), a = std::max(Real(k), rest);
  if (b <= few && b == std::floor(b)) {
    Real count = 1;
    for (Real i = 1; i <= b; i += 1) count = count * (a + i) / i;
    return static_cast<double>(count);
  }
  // x! is e^size/product.
  struct Factorial {
    Real size, product = 1;
    explicit Factorial(Real x) {
      for (; x < large; product *= x) x += 1;
      size = (x + 0.5L) * std::log(x) - x + half_log_two_pi + stirling_error(x);
    }
  };
  if (all < small_n) {
    const Factorial of_n(all), of_a(a), of_b(b);
    const Real products = of_a.product * of_b.product / of_n.product;
    return static_cast<double>(products * std::exp(of_n.size - of_a.size - of_b.size));
  }
  const Real off = stirling_error(all) - stirling_error(a), share = std::log1p(-b / all);
  if (b < large) {
    const Factorial of_b(b);
    const Real size = b * std::log(all) - (a + 0.5L) * share - b + off - of_b.size;
    return static_cast<double>(of_b.product * std::exp(size));
  }
  const Real size = off - stirling_error(b) - a * share - b * std::log(b / all);
  return static_cast<double>(std::exp(size) * std::sqrt(all / (a * b) / (2 * pi)));
}

// By the recurrence and the asymptotic series; left of ½ by reflection. From −1e6 down a Γ is 0, and so its derivative.
double digamma(double x) {
  if (std::isnan(x) || is_pole(x)) return x == 0 ? (std::signbit(x) ? infinite : -infinite) : not_a_number;
  if (std::isinf(x)) return x > 0 ? infinite : not_a_number;
  if (x < 0.5) {
    const Real t = pi * std::remainder(Real(x), 1);
    return static_cast<double>(digamma_above(1 - Real(x)) - pi * std::cos(t) / std::sin(t));
  }
  return static_cast<double>(digamma_above(x));
}

// Terms of the recurrence one by one, which have one sign; from 20 on the differences of the asymptotic series.
double digamma_rise(double first, double more) {
  constexpr Real from = 20;
  Real a = first, sum = 0;
  const Real d = more;
  if (std::isnan(first + more) || is_pole(first) || is_pole(static_cast<double>(a + d))) return not_a_number;
  if (a < -1e6 || a + d < -1e6) return not_a_number;
  if (std::isinf(first)) return std::isinf(more) ? not_a_number : 0;
  if (std::isinf(more)) return infinite;
  for (; a < from || a + d < from; a += 1) sum += d / (a * (a + d));
  const Real grown = std::log1p(d / a);
  const Real square = 1 / (a * a), once = std::expm1(-2 * grown);
  Real rise = grown + d / (2 * a * (a + d)), power = square, shrunk = once;  // (a/(a + d))²ᵏ − 1
  for (const Real term : digamma_terms) {
    rise -= term * power * shrunk;
    power *= square;
    shrunk += once + once * shrunk;
  }
  return static_cast<double>(sum + rise);
}

// (−1)ⁿ⁺¹·n!·ζ(n + 1, x)
double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  const double size = static_cast<double>(std::tgamma(Real(n) + 1)) * zeta(n + 1, x);
  return std::fmod(n, 2) == 1 ? size : -size;
}

// The terms n!/(a + k)ⁿ⁺¹ of the recurrence as in digamma_rise, then the differences of the asymptotic series
// (n − 1)!/aⁿ + n!/(2·aⁿ⁺¹) + Σ B₂ₖ·(2k + n − 1)!/((2k)!·a²ᵏ⁺ⁿ).
double polygamma_rise(double n, double first, double more) {
  if (n == 0) return digamma_rise(first, more);
  const Real order = n, d = more, from = 20 + order;
  Real a = first, sum = 0;
  if (std::isnan(first + more) || is_pole(first) || is_pole(static_cast<double>(a + d))) return not_a_number;
  if (a < -1e6 || a + d < -1e6) return not_a_number;
  if (std::isinf(first)) return std::isinf(more) ? not_a_number : 0;
  if (std::isinf(more)) return -polygamma(n, first);
  const auto power_rise = [&](Real power) {
    const bool near = a > 0 && d > -0.5L * a;
    return near ? std::pow(a, -power) * std::expm1(-power * std::log1p(d / a))
                : std::pow(a + d, -power) - std::pow(a, -power);
  };
  for (; a < from || a + d < from; a += 1) sum += order * power_rise(order + 1);
  sum += power_rise(order) + order / 2 * power_rise(order + 1);
  Real factor = order * (order + 1), k = 1;  // (2k + n − 1)!/((2k − 1)!·(n − 1)!)
  for (const Real term : digamma_terms) {
    sum += term * factor * power_rise(order + 2 * k);
    factor *= (2 * k + order) * (2 * k + order + 1) / (2 * k * (2 * k + 1));
    k += 1;
  }
  sum *= std::tgamma(order);
  return static_cast<double>(std::fmod(n, 2) == 1 ? sum : -sum);
}

}  // namespace special

namespace {

using special::Text;

// An entry whose partials are `rule`'s.
template <auto function>
Entry entry_with(const Text& text, std::vector<Sample> samples, uint64_t keeps,
                 Value (*rule)(RuleContext&, unsigned, const Residuals&), bool internal = false) {
  std::vector<Parameter> parameters;
  for (const std::string_view name : text.parameters) parameters.push_back(tensor_parameter(name));
  return {.name = text.name,
          .doc = text.doc,
          .parameters = std::move(parameters),
          .type = special::special_type,
          .eager = special::special_eager<function>,
          .derivative = Derivative::partials(keeps, rule),
          .batch = special::special_batch,
          .effects = {.may_fail = special::operands_of<function>() > 1},
          .samples = std::move(samples),
          .internal = internal};
}

constexpr uint64_t of_result = uint64_t{1} << 63;  // the highest bit, as Derivative::result_bit

// --- gamma ---

const Entry& digamma_wide_entry();
Value digamma_wide_partial(RuleContext& rule, unsigned, const Residuals& residuals) {
  return rule.call(special::zeta_entry(), {rule.number(2, residuals.result_type->dtype), residuals.operands[0]});
}

const Entry& digamma_wide_entry() {
  static const Entry entry = entry_with<special::digamma>(
      {"digamma_wide", "ψ(x), of which the derivative of gamma is made.", {"x"}},
      {{.arguments = "[0.25, 1.75, 20.0, -0.5, -2.5]",
        .expected = "[-4.2274535333762655, 0.24747245354686118, 2.970523992242149, 0.03648997397857652, "
                    "1.103156640645243]",
        .source = "mpmath",
        .ulp = 2,
        .differentiate = true}},
      1, digamma_wide_partial, true);
  return entry;
}

Value gamma_partial(RuleContext& rule, unsigned, const Residuals& residuals) {
  return rule.mul(*residuals.result, rule.call(digamma_wide_entry(), {residuals.operands[0]}));
}

const Entry& gamma_entry() {
  static const Entry entry = entry_with<special::gamma>(
      {"gamma",
       "Γ(x), elementwise: (x − 1)! of the positive integers. ±inf of ±0, nan of the negative integers.\n\n"
       "Within 1 unit in the last place (docs/accuracy.md). `lgamma` goes on where this overflows, from 171.7 on. "
       "Differentiable.",
       {"x"}},
      {{.arguments = "[0.25, 1.75, 3.5, 20.0, 171.5]",
        .expected = "[3.625609908221908, 0.919062526848883, 3.3233509704478426, 1.21645100408832e17, "
                    "9.483367566824799e307]",
        .source = "mpmath",
        .ulp = 1},
       {.arguments = "[-0.5, -2.5, 0.5, 1.0, 5.0]",
        .expected = "[-3.544907701811032, -0.9453087204829419, 1.772453850905516, 1.0, 24.0]",
        .source = "mpmath",
        .ulp = 1,
        .differentiate = true},
       {.arguments = "[0.0, -0.0, -3.0, inf, -inf, 172.0, nan]",
        .expected = "[inf, -inf, nan, inf, nan, inf, nan]",
        .source = "scipy"}},
      1 | of_result, gamma_partial);
  return entry;
}

// --- beta ---

const Entry& digamma_rise_entry();

// −B·(ψ(a + b) − ψ(a))
Value beta_partial(RuleContext& rule, unsigned i, const Residuals& residuals) {
  const Value rise = rule.call(digamma_rise_entry(), {residuals.operands[i], residuals.operands[1 - i]});
  return rule.neg(rule.mul(*residuals.result, rise));
}

// Those of ψ⁽ⁿ⁾(a + b) − ψ⁽ⁿ⁾(a) by a and b.
const Entry& polygamma_rise_entry();
const Entry& polygamma_wide_entry();
Value rise_partial(RuleContext& rule, bool by_b, const Value& order, const Value& a, const Value& b, Dtype dtype) {
  const Value next = rule.add(order, rule.number(1, dtype)), from = rule.cast(a, dtype), more = rule.cast(b, dtype);
  return by_b ? rule.call(polygamma_wide_entry(), {next, rule.add(from, more)})
              : rule.call(polygamma_rise_entry(), {next, from, more});
}
Value polygamma_rise_partial(RuleContext& rule, unsigned i, const Residuals& residuals) {
  const Dtype dtype = residuals.result_type->dtype;
  return rise_partial(rule, i == 2, rule.cast(residuals.operands[0], dtype), residuals.operands[1],
                      residuals.operands[2], dtype);
}
Value digamma_rise_partial(RuleContext& rule, unsigned i, const Residuals& residuals) {
  const Dtype dtype = residuals.result_type->dtype;
  return rise_partial(rule, i == 1, rule.number(0, dtype), residuals.operands[0], residuals.operands[1], dtype);
}
Value polygamma_partial(RuleContext& rule, unsigned, const Residuals& residuals) {
  const Dtype dtype = residuals.result_type->dtype;
  const Value next = rule.add(rule.cast(residuals.operands[0], dtype), rule.number(1, dtype));
  return rule.call(polygamma_wide_entry(), {next, residuals.operands[1]});
}

const Entry& polygamma_wide_entry() {
  static const Entry entry = entry_with<special::polygamma>(
      {"polygamma_wide", "The n-th derivative of ψ at x, for a whole n.", {"n", "x"}},
      {{.arguments = "[0.0, 1.0, 2.0, 3.0], [1.75, 0.5, 3.0, 10.0]",
        .expected = "[0.24747245354686116, 4.9348022005446793, -0.15411380631918857, 0.0023199013042898684]",
        .source = "mpmath",
        .ulp = 2}},
      3, polygamma_partial, true);
  return entry;
}

const Entry& polygamma_rise_entry() {
  static const Entry entry = entry_with<special::polygamma_rise>(
      {"polygamma_rise", "The n-th derivative of ψ at a + b less that at a, for a whole n.", {"n", "a", "b"}},
      {{.arguments =
            "[1.0, 1.0, 1.0, 2.0, 3.0, 1.0], [1.0, 0.5, 1e17, 1e6, 30.0, -2.5], [2.0, -0.25, 2.0, 1e-3, 0.25, 3.0]",
        .expected =
            "[-1.25, 12.262526953962431, -2.0e-34, 2.000002997001994e-21, -1.9456807362733764e-6, -4.6044444444444444]",
        .source = "mpmath",
        .ulp = 2}},
      7, polygamma_rise_partial, true);
  return entry;
}

const Entry& digamma_rise_entry() {
  static const Entry entry = entry_with<special::digamma_rise>(
      {"digamma_rise", "ψ(a + b) − ψ(a), of which the derivatives of beta are made.", {"a", "b"}},
      {{.arguments = "[1.0, 0.5, 1e6, 30.0], [2.0, 3.0, 1e-3, 0.25]",
        .expected = "[1.5, 3.066666666666667, 1.000000499500167e-09, 0.0084380676577598995]",
        .source = "mpmath",
        .ulp = 2,
        .differentiate = true}},
      3, digamma_rise_partial, true);
  return entry;
}

const Entry& beta_entry() {
  static const Entry entry = entry_with<special::beta>(
      {"beta",
       "B(a, b) = Γ(a)·Γ(b)/Γ(a + b), elementwise; inf where one is 0 and the other positive.\n\n"
       "Within 1 unit in the last place for positive a and b (docs/accuracy.md). Differentiable by both.",
       {"a", "b"}},
      {{.arguments = "[0.5, 2.0, 30.0, 1e-3], [0.5, 3.0, 40.0, 5.0]",
        .expected = "[3.141592653589793, 0.08333333333333333, 1.0539424603796546e-21, 997.91954523225459]",
        .source = "mpmath",
        .ulp = 1},
       {.arguments = "[0.5, 2.0, 3.5], [0.5, 3.0, 4.0]",
        .expected = "[3.141592653589793, 0.08333333333333333, 0.010656010656010656]",
        .source = "mpmath",
        .ulp = 1,
        .differentiate = true},
       {.arguments = "[1e6, 2.5, 3000.0], [0.5, 1e5, 2000.0]",
        .expected = "[0.0017724540724622612, 4.2036645933738537e-13, 0.0]",
        .source = "mpmath",
        .ulp = 1},
       {.arguments = "[-0.5, 0.0, -1.0, nan], [2.0, 2.0, 0.5, 1.0]",
        .expected = "[-4.0, inf, nan, nan]",
        .source = "mpmath",
        .ulp = 1}},
      3 | of_result, beta_partial);
  return entry;
}

// --- comb ---

// C·(ψ(n + 1) − ψ(n − k + 1)) and C·(ψ(n − k + 1) − ψ(k + 1))
// Both are 0 where C is: there the differences of what stands in for n and k are taken, as those of poles are nan.
Value combinations_partial(RuleContext& rule, unsigned i, const Residuals& residuals) {
  const Dtype dtype = residuals.result_type->dtype;
  const Value zero = rule.number(0, dtype), one = rule.number(1, dtype);
  const Value none = Steps(rule.builder()).equal(*residuals.result, zero);
  const Value n = rule.where(none, one, rule.cast(residuals.operands[0], dtype));
  const Value k = rule.where(none, zero, rule.cast(residuals.operands[1], dtype)), rest = rule.sub(n, k);
  const Value rise = i == 0 ? rule.call(digamma_rise_entry(), {rule.add(rest, one), k})
                            : rule.call(digamma_rise_entry(), {rule.add(k, one), rule.sub(rest, k)});
  return rule.mul(*residuals.result, rise);
}

// --- erfcinv ---

// −√π/2·exp(x²)
Value erfcinv_partial(RuleContext& rule, unsigned, const Residuals& residuals) {
  const Dtype dtype = residuals.result_type->dtype;
  const Value square = rule.mul(*residuals.result, *residuals.result);
  return rule.mul(rule.number(-0.886226925452758, dtype), rule.call(handles().exp, {square}));
}

const Entry& erfcinv_entry() {
  static const Entry entry = entry_with<special::erfc_inverse>(
      {"erfcinv",
       "The x with erfc(x) = y, elementwise, which has all its digits where y is small; inf of 0, −inf of 2, nan where "
       "y is outside 0 to 2.\n\nWithin 3 units in the last place (docs/accuracy.md). Differentiable.",
       {"y"}},
      {{.arguments = "[1e-300, 1e-10, 0.3, 0.75, 1.2, 1.9]",
        .expected = "[26.209469960516124, 4.572824967389486, 0.7328690779592168, 0.22531205501217808, "
                    "-0.17914345462129166, -1.1630871536766738]",
        .source = "mpmath",
        .ulp = 3},
       {.arguments = "[0.0, 1.0, 2.0, -0.5, 2.5, nan]", .expected = "[inf, 0.0, -inf, nan, nan, nan]"},
       {.arguments = "[0.25, 1.5]",
        .expected = "[0.81341984759761854, -0.4769362762044699]",
        .source = "mpmath",
        .ulp = 3,
        .differentiate = true}},
      of_result, erfcinv_partial);
  return entry;
}

}  // namespace

const Entry& special::real_combinations_entry() {
  static const Entry entry = [] {
    Entry combinations = entry_with<special::choose>(
        {"real_combinations", "`comb` of floats.", {"n", "k"}},
        {{.arguments = "[1e17, 1e16, 5.5, 700.5, 1e6, 57.0], [1.0, 2.0, 2.5, 0.25, 17.5, 28.0]",
          .expected =
              "[1e17, 4.9999999999999995e31, 14.4375, 5.6766101211402568, 6.6718777038843879e89, 15033633249770520.0]",
          .source = "mpmath",
          .ulp = 2},
         {.arguments = "[5.5, 7.0, 3.0, 40.0], [2.5, 2.0, 3.0, 0.0]",
          .expected = "[14.4375, 21.0, 1.0, 1.0]",
          .source = "mpmath",
          .ulp = 1,
          .differentiate = true},
         {.arguments = "[inf, inf, inf, 2.0, nan], [2.0, 0.0, inf, 3.0, 9.0]",
          .expected = "[inf, 1.0, nan, 0.0, nan]"}},
        3 | of_result, combinations_partial, true);
    combinations.part_of = "comb";
    return combinations;
  }();
  return entry;
}

Family special::gamma_entries() {
  static const Entry* const entries[] = {&gamma_entry(),          &beta_entry(),          &erfcinv_entry(),
                                         &digamma_rise_entry(),   &digamma_wide_entry(),  &real_combinations_entry(),
                                         &polygamma_wide_entry(), &polygamma_rise_entry()};
  return entries;
}

}  // namespace covec::ops
