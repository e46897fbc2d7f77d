#include "stdlib/ops/elementwise/complex_rules.hpp"

#include <algorithm>
#include <array>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/complex_pair.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

Pair pair_of(RuleContext& rules, Call& call, unsigned i) {
  const bool literal = (call.literals >> i & 1) != 0;
  if (!is_complex(call.args[i])) {
    require_operand(rules.builder(), call, i);
    return {Derived(rules, call.args[i], literal), {}, true};
  }
  const Complex& z = complex_of(call.args[i]);
  return {Derived(rules, z.re(), literal), Derived(rules, z.im(), literal)};
}

// Two operands in the dtype of the result: else one of them might be rounded to a narrower one first. Numbers as
// written stay, they adapt.
std::array<Pair, 2> pairs_of(RuleContext& rules, Call& call, unsigned first = 0) {
  std::array<Pair, 2> pairs = {pair_of(rules, call, first), pair_of(rules, call, first + 1)};
  PromotionOperand operands[2];
  for (unsigned i = 0; i < 2; ++i) {
    const Type type = logical_type(pairs[i].re.value());
    operands[i] = {type.dtype, type.shape.rank() > 0      ? OperandClass::tensor
                               : pairs[i].re.is_literal() ? OperandClass::literal
                                                          : OperandClass::rank0};
  }
  const Dtype promoted = promote(operands), dtype = is_half(promoted) ? Dtype::f32 : float_dtype(promoted);
  for (Pair& pair : pairs) {
    if (pair.re.is_literal()) continue;
    pair.re = pair.re.sibling(rules.cast(pair.re.take(), dtype));
    if (!pair.is_real) pair.im = pair.im.sibling(rules.cast(pair.im.take(), dtype));
  }
  return pairs;
}

Value value_of(Builder& builder, Pair pair) {
  if (pair.is_real) return pair.re.take();
  const uint32_t literals = (pair.re.is_literal() ? 1u : 0u) | (pair.im.is_literal() ? 2u : 0u);
  return complex_value(builder, pair.re.take(), pair.im.take(), literals);
}

template <Pair (*f)(const Pair&)>
Value of_one(Builder& builder, Call& call) {
  RuleContext rules(builder, false);
  return value_of(builder, f(pair_of(rules, call, 0)));
}
template <Pair (*f)(const Pair&, const Pair&)>
Value of_two(Builder& builder, Call& call) {
  RuleContext rules(builder, false);
  const auto [z, w] = pairs_of(rules, call);
  return value_of(builder, f(z, w));
}

Pair added(const Pair& z, const Pair& w) { return z + w; }
Pair subtracted(const Pair& z, const Pair& w) { return z - w; }
Pair multiplied(const Pair& z, const Pair& w) { return z * w; }
Pair divided(const Pair& z, const Pair& w) { return z / w; }
Pair negated_pair(const Pair& z) { return -z; }
Pair same_pair(const Pair& z) { return z; }
Pair modulus_pair(const Pair& z) { return real_pair(modulus(z)); }
Pair squared_modulus_pair(const Pair& z) { return real_pair(Derived::apply<HypotSquared>(z.re, z.im)); }

// sin z = −i·sinh(i·z), and so the others.
Pair times_minus_i(const Pair& z) { return {z.im, -z.re}; }
Pair sine(const Pair& z) { return times_minus_i(hyperbolic_sine(times_i(z))); }
Pair cosine(const Pair& z) { return hyperbolic_cosine(times_i(z)); }
Pair tangent(const Pair& z) { return times_minus_i(hyperbolic_tangent(times_i(z))); }
Pair inverse_hyperbolic_sine(const Pair& z) { return times_minus_i(arcsine(times_i(z))); }
Pair arctangent(const Pair& z) { return times_minus_i(inverse_hyperbolic_tangent(times_i(z))); }

Pair direction(const Pair& z) {
  const Derived length = modulus(z), origin = length == Derived(0.0);
  const Derived divisor = Derived::where(origin, Derived(1.0), length);
  return {Derived::where(origin, Derived(0.0), z.re / divisor), Derived::where(origin, Derived(0.0), z.im / divisor)};
}

Derived equal_parts(const Pair& z, const Pair& w) { return (z.re == w.re) & (z.imaginary() == w.imaginary()); }
// Of values of other kinds equality is that of trees.
template <bool equal>
Value equality_rule(Builder& builder, Call& call) {
  const bool numbers = std::ranges::all_of(call.args, [](const Value& x) { return is_operand(shaped_part(x)); });
  if (!numbers) return ops::call(builder, *call.entry.instead(call.args, 0), call.args);
  RuleContext rules(builder, false);
  const auto [z, w] = pairs_of(rules, call);
  Derived same = equal_parts(z, w);
  return equal ? same.take() : Derived::apply<LogicalNot>(same).take();
}

template <class Operator, bool both>
Value test_rule(Builder& builder, Call& call) {
  RuleContext rules(builder, false);
  const Pair z = pair_of(rules, call, 0);
  const Derived re = Derived::apply<Operator>(z.re), im = Derived::apply<Operator>(z.im);
  return (both ? re & im : re | im).take();
}

Value where_rule(Builder& builder, Call& call) {
  if (is_complex(call.args[0])) fail_attribute(call, 0, "true and false");
  RuleContext rules(builder, false);
  const Derived condition(rules, call.args[0]);
  const auto [z, w] = pairs_of(rules, call, 1);
  return value_of(builder, choose(condition, z, w));
}

// A real base of a complex exponent may be negative. A literal adapts to the exponent.
Pair with_float_parts(RuleContext& rules, const Pair& z, const Pair& exponent) {
  if (!z.is_real) return z;
  if (!z.re.is_literal()) return {z.re, z.re.sibling(zeros(rules.builder(), logical_type(z.re.value())))};
  const double number = real_at(z.re.value().scalar_dtype(), z.re.value().scalar_data());
  return {Derived::constant(exponent.re, number), Derived::constant(exponent.re, 0.0)};
}

// A number written in the program is multiplied out.
Value power_rule(Builder& builder, Call& call) {
  RuleContext rules(builder, false);
  const auto [z, exponent] = pairs_of(rules, call);
  const bool literal = (call.literals & 2) != 0 && call.args[1].tag() == Tag::i64;
  constexpr int64_t most = 16;  // exponents that are multiplied out
  if (literal && std::abs(call.args[1].i64()) <= most) return value_of(builder, integer_power(z, call.args[1].i64()));
  return value_of(builder, power(with_float_parts(rules, z, exponent), exponent));
}

struct Rule {
  std::string_view name;
  Value (*rule)(Builder&, Call&);
};
constexpr Rule rules_by_name[] = {
    {"abs", of_one<modulus_pair>},
    {"abs2", of_one<squared_modulus_pair>},
    {"acos", of_one<arccosine>},
    {"acosh", of_one<inverse_hyperbolic_cosine>},
    {"add", of_two<added>},
    {"asin", of_one<arcsine>},
    {"asinh", of_one<inverse_hyperbolic_sine>},
    {"atan", of_one<arctangent>},
    {"atanh", of_one<inverse_hyperbolic_tangent>},
    {"cos", of_one<cosine>},
    {"cosh", of_one<hyperbolic_cosine>},
    {"divide", of_two<divided>},
    {"equal", equality_rule<true>},
    {"exp", of_one<exponential>},
    {"expm1", of_one<exponential_less_one>},
    {"isfinite", test_rule<IsFinite, true>},
    {"isinf", test_rule<IsInf, false>},
    {"isnan", test_rule<IsNan, false>},
    {"log", of_one<logarithm>},
    {"log10", of_one<decimal_logarithm>},
    {"log1p", of_one<logarithm_one_plus>},
    {"log2", of_one<binary_logarithm>},
    {"multiply", of_two<multiplied>},
    {"negative", of_one<negated_pair>},
    {"not_equal", equality_rule<false>},
    {"positive", of_one<same_pair>},
    {"pow", power_rule},
    {"sign", of_one<direction>},
    {"sin", of_one<sine>},
    {"sinh", of_one<hyperbolic_sine>},
    {"sqrt", of_one<square_root>},
    {"subtract", of_two<subtracted>},
    {"tan", of_one<tangent>},
    {"tanh", of_one<hyperbolic_tangent>},
    {"where", where_rule},
};

struct Advice {
  std::string_view name, hint;
};
constexpr std::string_view no_order = "complex numbers have no order: compare abs(z), real(z) or imag(z)";
constexpr std::string_view of_parts = "write complex(f(real(z)), f(imag(z))) for both parts";
constexpr Advice cures[] = {
    {"less", no_order},     {"less_equal", no_order}, {"greater", no_order}, {"greater_equal", no_order},
    {"maximum", no_order},  {"minimum", no_order},    {"clip", no_order},    {"floor", of_parts},
    {"ceil", of_parts},     {"round", of_parts},      {"trunc", of_parts},   {"floor_divide", "write z / w"},
    {"mod", "write z / w"},
};

}  // namespace

void set_complex_rule(Entry& entry) {
  const auto* const rule = std::ranges::find(rules_by_name, entry.name, &Rule::name);
  if (rule != std::end(rules_by_name)) entry.complex = rule->rule;
  const auto* const cure = std::ranges::find(cures, entry.name, &Advice::name);
  if (cure != std::end(cures)) entry.instead_of_complex = cure->hint;
  if (entry.is_cast()) entry.instead_of_complex = "real(z) is the real part, abs(z) the length";
}

}  // namespace covec::ops
