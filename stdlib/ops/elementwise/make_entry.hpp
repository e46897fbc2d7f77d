// Makes an operator's entry from its struct: the templates behind entry_of<Operator>(). Each list of bodies/ is
// instantiated in one file, see lists.hpp. Start at make_entry().
#pragma once

#include <type_traits>

#include "stdlib/ops/elementwise/complex_rules.hpp"
#include "stdlib/ops/elementwise/compose.hpp"
#include "stdlib/ops/elementwise/derived.hpp"
#include "stdlib/ops/elementwise/on_numbers.hpp"
#include "stdlib/ops/elementwise/text.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

struct Hypot;           // bodies/roots.hpp
struct WithDerivative;  // bodies/derivatives.hpp

constexpr unsigned tensor_operands(const PointwiseInfo& info) { return info.arity - (info.parameter ? 1u : 0u); }

// --- lowering ---

// Whether bodies of this class exist for elements of type E.
template <class Operator, class E>
constexpr bool has_body() {
  constexpr TypeClass types = Operator::info.types;
  constexpr bool boolean = std::is_same_v<E, bool>;
  if (types == TypeClass::cast) return false;
  if (types == TypeClass::truth) return boolean;
  if (types == TypeClass::bits) return !std::is_floating_point_v<E>;
  if (types == TypeClass::integers) return !boolean && !std::is_floating_point_v<E>;
  if (types == TypeClass::floating) return std::is_floating_point_v<E>;
  return !boolean;
}

template <class Operator, class E>
ScalarRef lower_elements(ScalarBuilder& b, std::span<const ScalarRef> in, int64_t parameter) {
  const auto operand = [&](size_t i) { return Expr<E>(b, in[i]); };
  constexpr unsigned count = tensor_operands(Operator::info);
  if constexpr (Operator::info.parameter && count == 1)
    return Operator::body(operand(0), parameter).in(b);
  else if constexpr (Operator::info.parameter && count == 2)
    return Operator::body(operand(0), operand(1), parameter).in(b);
  else if constexpr (Operator::info.parameter)
    return Operator::body(operand(0), operand(1), operand(2), parameter).in(b);
  else if constexpr (Operator::info.types == TypeClass::choice)
    return Operator::body(Expr<bool>(b, in[0]), operand(1), operand(2)).in(b);
  else if constexpr (Operator::info.arity == 1)
    return Operator::body(operand(0)).in(b);
  else if constexpr (Operator::info.arity == 2)
    return Operator::body(operand(0), operand(1)).in(b);
  else
    return Operator::body(operand(0), operand(1), operand(2)).in(b);
}

template <class Operator>
ScalarRef lower_body(ScalarBuilder& b, Dtype compute, std::span<const ScalarRef> in, int64_t parameter) {
  if constexpr (Operator::info.types == TypeClass::cast) {
    return b.convert(in[0], static_cast<Dtype>(Operator::info.to));
  } else {
    return with_compute(compute_of(compute), [&](auto element) -> ScalarRef {
      using E = decltype(element);
      if constexpr (has_body<Operator, E>())
        return lower_elements<Operator, E>(b, in, parameter);
      else
        fail(message("internal"),
             {std::string(Operator::info.name) + " has no body for " + std::string(name_of(dtype_for<E>()))});
    });
  }
}

template <class Operator>
ScalarRef lower_fails(ScalarBuilder& b, Dtype compute, std::span<const ScalarRef> in) {
  return with_compute(compute_of(compute), [&](auto element) -> ScalarRef {
    using E = decltype(element);
    if constexpr (std::is_integral_v<E> && !std::is_same_v<E, bool>)
      return Operator::fails(Expr<E>(b, in[0]), Expr<E>(b, in[1])).in(b);
    else
      fail(message("internal"), {"floats do not fail"});
  });
}

// --- derivatives ---

// The kept operands as expressions; those not kept are empty.
template <class Operator>
void derived_operands(RuleContext& rules, const Residuals& residuals, Derived (&x)[4]) {
  for (unsigned i = 0; i < Operator::info.arity; ++i) x[i] = Derived(rules, residuals.operands[i]);
}

template <class Operator>
Value partial_rule(RuleContext& rules, unsigned i, const Residuals& residuals) {
  Derived x[4];
  derived_operands<Operator>(rules, residuals, x);
  const Derived y = residuals.result != nullptr ? Derived(rules, *residuals.result) : Derived();
  return Operator::partial(i, static_cast<const Derived*>(x), y).take();
}

// The cotangent of operand i, summed to its shape.
template <class Operator>
Value transpose_rule(RuleContext& rules, unsigned i, const Residuals& residuals, const Value& cotangent) {
  Derived x[4];
  derived_operands<Operator>(rules, residuals, x);
  Derived result = Operator::transpose(i, static_cast<const Derived*>(x), Derived(rules, cotangent));
  return rules.sum_to(result.take(), residuals.types[i]);
}

// The products that know zero cotangents are differentiated by each other, so that what was nothing stays so in any
// order.
template <class Operator>
Value scaled_product(RuleContext& rules, unsigned i, const Residuals& residuals, Value part) {
  const Value& other = residuals.operands[1 - i];
  if (i == 0 && std::is_same_v<Operator, Scale>) return rules.scale(std::move(part), other);
  Value args[] = {std::move(part), other};
  return call(rules.builder(), entry_of<ScaleBoth>(), args);
}

// The rule of a value that is given its derivative by operand 1; the derivative itself is no function of anything here.
inline Value given_jvp(RuleContext& rules, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[1].is_none()) return tangents[0];
  Value term = rules.scale(tangents[1], residuals.operands[2]);
  return tangents[0].is_none() ? term : rules.add(tangents[0], std::move(term));
}

inline void given_vjp(RuleContext& rules, const Residuals& residuals, Value cotangent, Cotangents& cotangents) {
  if (cotangents.wants(0)) cotangents.add(0, rules.sum_to(cotangent, residuals.types[0]));
  if (cotangents.wants(1))
    cotangents.add(1, rules.sum_to(rules.scale(cotangent, residuals.operands[2]), residuals.types[1]));
}

template <class Operator>
constexpr bool is_length = std::is_same_v<Operator, Absolute> || std::is_same_v<Operator, Hypot>;

template <class Operator>
Derivative derivative_of() {
  constexpr const PointwiseInfo& info = Operator::info;
  if constexpr (std::is_same_v<Operator, WithDerivative>)
    return Derivative::by_hand(info.keeps, given_jvp, given_vjp);
  else if constexpr (info.gradient == Gradient::partial)
    return Derivative::partials(info.keeps, partial_rule<Operator>, std::is_same_v<Operator, Absolute>,
                                is_length<Operator> ? warn_of_zero_length : nullptr);
  else if constexpr (info.gradient == Gradient::linear)
    return Derivative::linearly(info.linear_in, transpose_rule<Operator>, info.keeps);
  else if constexpr (info.gradient == Gradient::scaled)
    return Derivative::products(info.keeps, scaled_product<Operator>);
  else
    return Derivative::piecewise_constant();
}

// --- the entry ---

// Where the rows of a family's kernels are; null: it has none.
using FamilyRows = PerIsa<const kernels::KernelRow*()>;

void set_plain_dtypes(PointwiseOperator& op);

template <class Operator>
const PointwiseOperator& make_operator(const FamilyRows& family, size_t index) {
  static const PointwiseOperator instance = [&] {
    PointwiseOperator op{.info = Operator::info, .rows = {}};
    op.lower = lower_body<Operator>;
    for (size_t isa = 0; isa < isa_count; ++isa) {
      const auto rows = family[static_cast<Isa>(isa)];
      op.rows[isa] = rows != nullptr ? rows() + index : nullptr;
    }
    set_plain_dtypes(op);
    op.scalar = scalar_function<Operator>();
    if constexpr (Operator::info.failure != Failure::none) op.lower_failure = lower_fails<Operator>;
    return op;
  }();
  return instance;
}

std::vector<Parameter> pointwise_parameters(const PointwiseInfo& info);
std::vector<Sample> pointwise_samples(std::span<const PointwiseSample> samples);
// The entries that stand in for some arguments (Entry::instead), or nullptr.
const Entry* integer_power_instead(std::span<const Value> args, uint32_t literals);
const Entry* round_instead(std::span<const Value> args, uint32_t literals);
const Entry* equal_instead(std::span<const Value> args, uint32_t literals);
const Entry* not_equal_instead(std::span<const Value> args, uint32_t literals);

template <class Operator>
auto instead_of() -> decltype(Entry::instead) {
  if constexpr (std::is_same_v<Operator, Power>)
    return integer_power_instead;
  else if constexpr (std::is_same_v<Operator, Add>)
    return join_instead;
  else if constexpr (std::is_same_v<Operator, Equal>)
    return equal_instead;
  else if constexpr (std::is_same_v<Operator, NotEqual>)
    return not_equal_instead;
  else if constexpr (std::is_same_v<Operator, Round>)
    return round_instead;
  else if constexpr (std::is_same_v<Operator, Multiply>)
    return repeat_instead;
  else if constexpr (std::is_same_v<Operator, Less>)
    return less_instead;
  else if constexpr (std::is_same_v<Operator, LessEqual>)
    return less_equal_instead;
  else if constexpr (std::is_same_v<Operator, Greater>)
    return greater_instead;
  else if constexpr (std::is_same_v<Operator, GreaterEqual>)
    return greater_equal_instead;
  else if constexpr (Operator::info.types == TypeClass::cast)
    return number_of_text(static_cast<Dtype>(Operator::info.to));
  else
    return nullptr;
}

// x itself, but for bools.
Value positive_eager(Builder& builder, Call& call);

template <class Operator>
Entry make_entry(const PointwiseOperator& op) {
  constexpr const PointwiseInfo& info = Operator::info;
  Entry entry{.name = info.name,
              .doc = info.doc,
              .parameters = pointwise_parameters(info),
              .derivative = derivative_of<Operator>()};
  entry.type = pointwise_type;
  entry.eager = std::is_same_v<Operator, Positive> ? positive_eager : pointwise_eager;
  entry.pointwise = &op;
  entry.batch = pointwise_batch;
  entry.effects.may_fail = tensor_operands(info) > 1 || info.failure != Failure::none;  // shapes may not fit
  entry.samples = pointwise_samples(Operator::samples);
  entry.instead = instead_of<Operator>();
  set_complex_rule(entry);
  if (info.types == TypeClass::cast) entry.dtype = static_cast<Dtype>(info.to);
  entry.internal = info.internal;
  if (std::is_same_v<Operator, RoundDigits>) entry.part_of = "round";
  if (std::is_same_v<Operator, HypotSquared>) entry.part_of = "hypot";
  if (std::is_same_v<Operator, Absolute>) entry.squared = entry_of<Abs2>;
  if (std::is_same_v<Operator, Hypot>) entry.squared = entry_of<HypotSquared>;
  entry.staging = Staging::typed;
  return entry;
}

}  // namespace covec::ops
