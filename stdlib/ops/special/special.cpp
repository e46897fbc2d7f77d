// The entries: operands are broadcast, and functions.hpp computes element by element. What a function's derivative by
// an operand is, where it has one, is another entry. Start at Function.
#include "stdlib/kernels/looks.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/special/family.hpp"
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

constexpr unsigned most_operands = 3;
constexpr int64_t grain = 256;

std::vector<std::string> shape_parts(const void* self, int64_t a, int64_t b) {
  const Call& call = *static_cast<const Call*>(self);
  std::string types;
  for (unsigned i = 0; i < call.args.size(); ++i)
    types += (i == 0 ? "" : i + 1 == call.args.size() ? " and " : ", ") + operand_type(call, i).text();
  return {"take " + shown_name(call.entry) + " of " + types, std::to_string(a), std::to_string(b)};
}

template <class TypeOf>
Dtype result_dtype(const Call& call, TypeOf&& type_of_operand) {
  PromotionOperand operands[most_operands];
  for (unsigned i = 0; i < call.args.size(); ++i) {
    const Type type = type_of_operand(i);
    const bool literal = (call.literals >> i & 1) != 0;
    operands[i] = {type.dtype, literal                  ? OperandClass::literal
                               : type.shape.rank() == 0 ? OperandClass::rank0
                                                        : OperandClass::tensor};
  }
  return float_dtype(promote(std::span(operands, call.args.size())));
}

Dtype result_dtype(const Call& call) {
  return result_dtype(call, [&](unsigned i) { return operand_type(call, i); });
}

Type special_type(ShapeBuilder& shapes, const Call& call) {
  const Mismatch mismatch{&message("special_shapes"), shape_parts, nullptr, &call};
  Shape shape = operand_type(call, 0).shape;
  for (unsigned i = 1; i < call.args.size(); ++i)
    shape = shapes.broadcast(shape, operand_type(call, i).shape, mismatch);
  return {result_dtype(call), shape};
}

// A function of numbers, or of numbers and what it keeps from element to element.
template <class Function>
struct Signature;
template <class... Numbers>
struct Signature<double (*)(double, Numbers...)> {
  static constexpr unsigned operands = 1 + sizeof...(Numbers);
  struct Memory {};
};
template <class Known, class... Numbers>
struct Signature<double (*)(Known&, Numbers...)> {
  static constexpr unsigned operands = sizeof...(Numbers);
  using Memory = Known;
};

template <auto function>
constexpr unsigned operands_of() {
  return Signature<decltype(function)>::operands;
}

template <auto function>
using MemoryOf = typename Signature<decltype(function)>::Memory;

template <auto function, size_t... i>
double apply_at(MemoryOf<function>& memory, const double* const (&x)[most_operands], int64_t at,
                std::index_sequence<i...>) {
  if constexpr (std::is_invocable_v<decltype(function), decltype(x[i][at])...>)
    return function(x[i][at]...);
  else
    return function(memory, x[i][at]...);
}

// In f64, whatever the result's dtype is.
template <auto function>
Value special_eager(Builder& builder, Call& call) {
  constexpr unsigned count = operands_of<function>();
  const Type type = special_type(builder, call);
  Value operands[count];
  const double* numbers[most_operands] = {};
  for (unsigned i = 0; i < count; ++i) {
    const Value x = cast_to(builder, call.args[i], Dtype::f64);
    operands[i] = type.shape.empty() ? x : contiguous(builder.pool(), broadcast_value(builder.pool(), x, type.shape));
    numbers[i] = static_cast<const double*>(data_of(operands[i]));
  }
  Value result = make_tensor(builder.pool(), Dtype::f64, type.shape);
  auto* to = static_cast<double*>(result.is_scalar() ? result.scalar_data() : result.tensor().data());
  const int64_t n = type.shape.elements();
  kernels::parallel_for(builder.context(), n, grain, [&](int64_t begin, int64_t end) {
    kernels::Looks looks(builder.context());
    MemoryOf<function> memory;
    for (int64_t i = begin; i < end && !looks.stop(1000); ++i) {
      to[i] = apply_at<function>(memory, numbers, i, std::make_index_sequence<count>());
    }
  });
  return cast_to(builder, std::move(result), type.dtype);
}

// Promotion looks at one example's ranks: where the operands' dtypes are not the result's, they are made f64, in which
// it is computed anyway. Examples of different ranks broadcast from the right.
Value special_batch(Builder& builder, Call& call, const Batching& batching) {
  const auto example = [&](unsigned i) { return example_type(call, i, batching); };
  const Dtype result = result_dtype(call, example);
  unsigned rank = 0;
  bool mixed = false;
  for (unsigned i = 0; i < call.args.size(); ++i) {
    rank = std::max(rank, example(i).shape.rank());
    mixed |= example(i).dtype != result;
  }
  for (unsigned i = 0; i < call.args.size(); ++i) {
    Value& operand = call.args[i];
    if (batching.batched[i]) operand = align_batch(builder, std::move(operand), rank);
    if (mixed) operand = ops::call(builder, cast_entry(Dtype::f64), {std::move(operand)});
  }
  Value value = ops::call(builder, call.entry, call.args);
  return mixed && result != Dtype::f64 ? ops::call(builder, cast_entry(result), {std::move(value)}) : value;
}

// ∂f/∂x of the operand that has one: `slope` of what a rule keeps.
using Slope = Value (*)(RuleContext&, const Kept&);

[[noreturn]] void fail_shape(std::string_view name, std::string_view parameter) {
  fail(message("shape_derivative"), {std::string(name), std::string(parameter)});
}

template <const Entry& (*entry)(), unsigned at, Slope slope>
Value slope_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  for (unsigned i = 0; i < tangents.size(); ++i) {
    if (i != at && !tangents[i].is_none()) fail_shape(entry().name, entry().parameters[i].name);
  }
  return tangents[at].is_none() ? Value() : rule.scale(tangents[at], slope(rule, kept));
}

template <const Entry& (*entry)(), unsigned at, Slope slope>
void slope_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  for (unsigned i = 0; i < kept.types.size(); ++i) {
    if (i != at && out.wants(i)) out.refuse(i, [i] { fail_shape(entry().name, entry().parameters[i].name); });
  }
  if (out.wants(at)) out.add(at, rule.sum_to(rule.scale(std::move(cotangent), slope(rule, kept)), kept.types[at]));
}

struct Text {
  std::string_view name, doc;
  std::vector<std::string_view> parameters;
  bool last_is_one = false;  // when it is left out
  bool of_result = false;    // its slope looks at the result
};

template <auto function, const Entry& (*entry)(), unsigned at, Slope slope>
Entry special(const Text& text, std::vector<Sample> samples, bool internal = false) {
  std::vector<Parameter> parameters;
  for (const std::string_view name : text.parameters) parameters.push_back(tensor_parameter(name));
  if (text.last_is_one) parameters.back() = {.name = text.parameters.back(), .required = false, .fallback = Value(1.0)};
  return {
      .name = text.name,
      .doc = text.doc,
      .parameters = std::move(parameters),
      .type = special_type,
      .eager = special_eager<function>,
      .derivative = Derivative::by_hand(((uint64_t{1} << operands_of<function>()) - 1) | uint64_t{text.of_result} << 63,
                                        slope_jvp<entry, at, slope>, slope_vjp<entry, at, slope>),
      .batch = special_batch,
      .effects = {.may_fail = operands_of<function>() > 1},
      .samples = std::move(samples),
      .internal = internal};
}

Value one(RuleContext& rule, const Kept& kept) { return rule.number(1, kept.result_type->dtype); }

// --- gamma ---

const Entry& gamma_density_entry();
const Entry& gammainc_entry();
const Entry& gammaincc_entry();

Value gamma_slope(RuleContext& rule, const Kept& kept) {
  return rule.call(gamma_density_entry(), {kept.operands[0], kept.operands[1]});
}
Value gammaincc_slope(RuleContext& rule, const Kept& kept) { return rule.neg(gamma_slope(rule, kept)); }
// The slope where xᵖ·c, p = a − 1, leaves 0: `of_one` for p = 0, `of_two` for p = 1, else 0 or infinite.
Value slope_at_end(RuleContext& rule, const Value& a, const Value& of_one, const Value& of_two) {
  const Dtype dtype = logical_type(a).dtype;
  const auto number = [&](double value) { return rule.number(value, dtype); };
  const auto equal = [&](double value) { return rule.call(handles().equal, {a, number(value)}); };
  const auto above = [&](double value) { return rule.call(handles().greater, {a, number(value)}); };
  const Value steep = rule.where(above(1), number(special::infinite), number(-special::infinite));
  const Value flat = rule.where(above(2), number(0), steep);
  return rule.where(equal(1), of_one, rule.where(equal(2), of_two, flat));
}

// f·((a − 1)/x − 1)
Value gamma_density_slope(RuleContext& rule, const Kept& kept) {
  const Dtype dtype = kept.result_type->dtype;
  const Value a = rule.cast(kept.operands[0], dtype), &x = kept.operands[1];
  const Value at_end = rule.call(handles().equal, {x, rule.number(0, dtype)});
  const Value inside = rule.where(at_end, one(rule, kept), x);
  const Value along = rule.sub(rule.div(rule.sub(a, one(rule, kept)), inside), one(rule, kept));
  const Value end = slope_at_end(rule, a, rule.number(-1, dtype), one(rule, kept));
  return rule.where(at_end, end, rule.mul(gamma_slope(rule, kept), along));
}

const Entry& gamma_density_entry() {
  static const Entry entry = special<special::gamma_density, gamma_density_entry, 1, gamma_density_slope>(
      {"gamma_density", "x^(a − 1)·exp(−x)/Γ(a): the derivative of gammainc by x.", {"a", "x"}}, {}, true);
  return entry;
}

const Entry& gammainc_entry() {
  static const Entry entry = special<special::gamma_lower, gammainc_entry, 1, gamma_slope>(
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
  static const Entry entry = special<special::gamma_upper, gammaincc_entry, 1, gammaincc_slope>(
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

// Of an inverse: 1 by the slope of what it inverts, at the result.
Value gammaincinv_slope(RuleContext& rule, const Kept& kept) {
  return rule.div(one(rule, kept), rule.call(gamma_density_entry(), {kept.operands[0], *kept.result}));
}
Value gammainccinv_slope(RuleContext& rule, const Kept& kept) { return rule.neg(gammaincinv_slope(rule, kept)); }

const Entry& gammaincinv_entry() {
  static const Entry entry = special<special::gamma_lower_inverse, gammaincinv_entry, 1, gammaincinv_slope>(
      {.name = "gammaincinv",
       .doc = "The x with gammainc(a, x) = p, elementwise: the quantile of the gamma distribution of shape a. 0 for "
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
  static const Entry entry = special<special::gamma_upper_inverse, gammainccinv_entry, 1, gammainccinv_slope>(
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

Value beta_slope(RuleContext& rule, const Kept& kept) {
  return rule.call(beta_density_entry(), {kept.operands[0], kept.operands[1], kept.operands[2]});
}
Value betaincc_slope(RuleContext& rule, const Kept& kept) { return rule.neg(beta_slope(rule, kept)); }
// f·((a − 1)/x − (b − 1)/(1 − x))
Value beta_density_slope(RuleContext& rule, const Kept& kept) {
  const Dtype dtype = kept.result_type->dtype;
  const Value a = rule.cast(kept.operands[0], dtype), b = rule.cast(kept.operands[1], dtype), unit = one(rule, kept);
  const Value& x = kept.operands[2];
  const Value at_0 = rule.call(handles().equal, {x, rule.number(0, dtype)});
  const Value at_1 = rule.call(handles().equal, {x, unit});
  const Value inside = rule.where(at_0, rule.number(0.5, dtype), rule.where(at_1, rule.number(0.5, dtype), x));
  const Value up = rule.div(rule.sub(a, unit), inside);
  const Value down = rule.div(rule.sub(b, unit), rule.sub(unit, inside));
  // x·(1 − x)ᵇ⁻¹ starts with the slope 1, by B(2, b) = 1/(b·(b + 1)); (1 − x)ᵇ⁻¹·b with −b·(b − 1).
  const auto end = [&](const Value& power, const Value& other) {
    const Value of_one = rule.neg(rule.mul(other, rule.sub(other, unit)));
    return slope_at_end(rule, power, of_one, rule.mul(other, rule.add(other, unit)));
  };
  const Value between = rule.mul(beta_slope(rule, kept), rule.sub(up, down));
  return rule.where(at_0, end(a, b), rule.where(at_1, rule.neg(end(b, a)), between));
}

const Entry& beta_density_entry() {
  static const Entry entry = special<special::beta_density, beta_density_entry, 2, beta_density_slope>(
      {"beta_density", "x^(a − 1)·(1 − x)^(b − 1)/B(a, b): the derivative of betainc by x.", {"a", "b", "x"}}, {},
      true);
  return entry;
}

const Entry& betainc_entry() {
  static const Entry entry = special<special::beta_lower, betainc_entry, 2, beta_slope>(
      {"betainc",
       "The regularized incomplete beta function I_x(a, b): the integral of t^(a − 1)·(1 − t)^(b − 1) from 0 to x, by "
       "B(a, b), elementwise; nan where a or b is not above 0, or x outside 0 to 1.\n\n"
       "Within 2 units in the last place (docs/accuracy.md). Differentiable by `x`; by `a` and `b` there is no closed "
       "form, and it is an error.",
       {"a", "b", "x"}},
      {{.arguments = "[0.5, 2.0, 30.0], [0.5, 3.0, 40.0], [0.25, 0.5, 0.4]",
        .expected = "[0.3333333333333333, 0.6875, 0.31814380259056296]",
        .source = "mpmath",
        .ulp = 2},
       {.arguments = "[1.0, 1.0, -1.0, 1.0], 1.0, [0.0, 1.0, 0.5, 1.5]",
        .expected = "[0.0, 1.0, nan, nan]",
        .source = "scipy"}});
  return entry;
}

const Entry& betaincc_entry() {
  static const Entry entry = special<special::beta_upper, betaincc_entry, 2, betaincc_slope>(
      {"betaincc",
       "1 − I_x(a, b), the complement of `betainc`, elementwise, with its own digits where it is small.",
       {"a", "b", "x"}},
      {{.arguments = "[0.5, 2.0], [30.0, 3.0], [0.75, 0.999]",
        .expected = "[1.021925309822466e-19, 3.997000000000011e-09]",
        .source = "mpmath",
        .ulp = 2}});
  return entry;
}

Value betaincinv_slope(RuleContext& rule, const Kept& kept) {
  const Value density = rule.call(beta_density_entry(), {kept.operands[0], kept.operands[1], *kept.result});
  return rule.div(one(rule, kept), density);
}
Value betainccinv_slope(RuleContext& rule, const Kept& kept) { return rule.neg(betaincinv_slope(rule, kept)); }

const Entry& betaincinv_entry() {
  static const Entry entry = special<special::beta_lower_inverse, betaincinv_entry, 2, betaincinv_slope>(
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
  static const Entry entry = special<special::beta_upper_inverse, betainccinv_entry, 2, betainccinv_slope>(
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
Value growing_slope(RuleContext& rule, const Kept& kept, double c, double k) {
  const Dtype dtype = kept.result_type->dtype;
  const Value square = rule.mul(*kept.result, *kept.result);
  return rule.mul(rule.number(c, dtype), rule.call(handles().exp, {rule.mul(rule.number(k, dtype), square)}));
}
Value ndtri_slope(RuleContext& rule, const Kept& kept) { return growing_slope(rule, kept, 2.5066282746310005, 0.5); }
Value erfinv_slope(RuleContext& rule, const Kept& kept) { return growing_slope(rule, kept, 0.886226925452758, 1); }

const Entry& ndtri_entry() {
  static const Entry entry = special<special::normal_quantile, ndtri_entry, 0, ndtri_slope>(
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
  static const Entry entry = special<special::erf_inverse, erfinv_entry, 0, erfinv_slope>(
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

// --- Bessel ---

const Entry& i0_entry();
const Entry& i1_entry();
const Entry& i0e_entry();
const Entry& i1e_entry();
const Entry& bessel_gap_entry();

Value i0_slope(RuleContext& rule, const Kept& kept) { return rule.call(i1_entry(), {kept.operands[0]}); }
// I₁(x)/x, which is 1/2 at 0; `i1` is I₁ itself, or scaled.
// Near 0 the quotient of subnormal numbers would have lost its digits: it is 1/2 there.
Value over_x(RuleContext& rule, const Kept& kept, const Value& i1) {
  const Value& x = kept.operands[0];
  const Dtype dtype = kept.result_type->dtype;
  const Value tiny = rule.number(dtype == Dtype::f64 ? 0x1p-900 : 0x1p-90, dtype);
  const Value zero = rule.call(handles().less, {rule.call(handles().absolute, {x}), tiny});
  const Value divisor = rule.where(zero, rule.number(1, dtype), x);
  return rule.where(zero, rule.number(0.5, dtype), rule.div(i1, divisor));
}
// I₀ − I₁/x; where both overflow, infinite.
Value i1_slope(RuleContext& rule, const Kept& kept) {
  const Value& x = kept.operands[0];
  const Value i0 = rule.call(i0_entry(), {x});
  const Value large = rule.call(handles().equal, {i0, rule.number(special::infinite, kept.result_type->dtype)});
  const Value part = rule.where(large, rule.number(0, kept.result_type->dtype), rule.call(i1_entry(), {x}));
  return rule.sub(i0, over_x(rule, kept, part));
}
// `value` above 0, less it below, 0 at 0, where the scaled functions have a kink.
Value as_odd(RuleContext& rule, const Kept& kept, const Value& value) {
  const Value &x = kept.operands[0], zero = rule.number(0, kept.result_type->dtype);
  const Value at_kink = rule.call(handles().equal, {x, zero});
  return rule.where(at_kink, zero, rule.where(rule.call(handles().less, {x, zero}), rule.neg(value), value));
}
Value i0e_slope(RuleContext& rule, const Kept& kept) {
  return as_odd(rule, kept, rule.neg(rule.call(bessel_gap_entry(), {kept.operands[0]})));
}
Value i1e_slope(RuleContext& rule, const Kept& kept) {
  const Value& x = kept.operands[0];
  return rule.sub(rule.call(bessel_gap_entry(), {x}), over_x(rule, kept, rule.call(i1e_entry(), {x})));
}
Value bessel_gap_slope(RuleContext& rule, const Kept& kept) {
  const Value& x = kept.operands[0];
  const Value gap = rule.call(bessel_gap_entry(), {x});
  const Value rest = rule.sub(over_x(rule, kept, rule.call(i1e_entry(), {x})), rule.add(gap, gap));
  return as_odd(rule, kept, rest);
}

const Entry& bessel_gap_entry() {
  static const Entry entry = special<special::bessel_gap, bessel_gap_entry, 0, bessel_gap_slope>(
      {"bessel_gap", "(I₀(|x|) − I₁(|x|))·exp(−|x|), with its own digits.", {"x"}}, {}, true);
  return entry;
}

const Entry& i0_entry() {
  static const Entry entry = special<special::bessel_i0, i0_entry, 0, i0_slope>(
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
  static const Entry entry = special<special::bessel_i1, i1_entry, 0, i1_slope>(
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
  static const Entry entry = special<special::bessel_i0e, i0e_entry, 0, i0e_slope>(
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
  static const Entry entry = special<special::bessel_i1e, i1e_entry, 0, i1e_slope>(
      {"i1e", "I₁(x)·exp(−|x|), elementwise, which does not overflow; within 1 unit in the last place.", {"x"}},
      {{.arguments = "[0.5, 1.5, -2.5]",
        .expected = "[0.1564208031848717, 0.21903938742092569, -0.20658464953126657]",
        .source = "mpmath",
        .ulp = 1,
        .differentiate = true},
       {.arguments = "[0.0, -inf]", .expected = "[0.0, -0.0]", .source = "scipy"}});
  return entry;
}

// --- zeta ---

const Entry& zeta_of_two_entry();

// −s·ζ(s + 1, q)
Value zeta_slope(RuleContext& rule, const Kept& kept) {
  const Value& s = kept.operands[0];
  return rule.neg(rule.mul(s, rule.call(zeta_of_two_entry(), {rule.add(s, one(rule, kept)), kept.operands[1]})));
}

const Entry& zeta_of_two_entry() {
  static const Entry entry = special<special::zeta, zeta_of_two_entry, 1, zeta_slope>(
      {"zeta",
       "Hurwitz' zeta function: the sum of (q + k)^(−s) over k = 0, 1, 2, …, elementwise; with q = 1, as it is when "
       "left out, Riemann's, which is there for all s.\n\n"
       "Within 2 units in the last place for s > 1; for negative s near its roots only the error's size is small. "
       "inf at the poles s = 1 and q = 0, −1, …; nan of an s below 1 beside another q, and of another negative q. "
       "Differentiable by `q`; by `s` it is an error.",
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
       {.arguments = "[0.0, -1.0, -2.0, 0.5, 1.0, inf, nan]",
        .expected = "[-0.5, -0.08333333333333333, 0.0, -1.4603545088095868, inf, 1.0, nan]",
        .source = "mpmath",
        .ulp = 2}});
  return entry;
}

}  // namespace

Family special_family() {
  static const Entry* const entries[] = {
      &gammaincinv_entry(),  &gammainccinv_entry(), &betaincinv_entry(),  &betainccinv_entry(),
      &ndtri_entry(),        &erfinv_entry(),       &gammainc_entry(),    &gammaincc_entry(),
      &betainc_entry(),      &betaincc_entry(),     &i0_entry(),          &i0e_entry(),
      &i1_entry(),           &i1e_entry(),          &zeta_of_two_entry(), &gamma_density_entry(),
      &beta_density_entry(), &bessel_gap_entry()};
  return entries;
}

}  // namespace covec::ops
