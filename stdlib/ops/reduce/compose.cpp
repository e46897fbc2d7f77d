// var, std, count_nonzero, softmax and log_softmax, each composed of a few other operators.
#include "stdlib/ops/reduce/compose.hpp"

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/cached.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/reduction.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// The root of x ≥ 0; where x is 0 its derivative is 0 too.
Value root(RuleContext& rule, const Value& x) {
  const Dtype dtype = operand_dtype(x);
  const Value zero = rule.number(0, dtype), none = rule.call(handles().equal, {x, zero});
  return rule.where(none, zero, rule.call(handles().sqrt, {rule.where(none, rule.number(1, dtype), x)}));
}

// --- var, std ---

// The number that is divided by: that of the elements, less the correction, and never negative.
Value divisor(Reduction& reduction, const Call& call) {
  const Value& correction = call.args[2];
  const Type type = is_operand(correction) ? logical_type(correction) : Type{Dtype::boolean, {}};
  if (type.shape.rank() != 0 || type.dtype == Dtype::boolean) fail_attribute(call, 2, "a number");
  RuleContext& rule = reduction.rule;
  const Dtype dtype = reduction.type.dtype;
  const Value count = reduced_count(rule, reduction.type.shape, reduction.arguments.axes, dtype);
  return rule.call(handles().maximum, {rule.sub(count, rule.cast(correction, dtype)), reduction.number(0)});
}

// The first element along the axes, which stay with size 1: a constant, and 0 where there is none.
Value first_along(Reduction& reduction) {
  const Shape& shape = reduction.type.shape;
  IndexSpec spec;
  std::vector<Value> stops;
  bool present = true;
  for (unsigned i = 0; i < shape.rank(); ++i) {
    const bool reduced = (reduction.arguments.axes >> i & 1) != 0;
    spec.push(IndexSpec::Item::slice, false, reduced);
    if (!reduced) continue;
    stops.emplace_back(int64_t{1});
    present &= shape[i].known() && shape[i].number() > 0;
  }
  Value first = constant_of(reduction.x);
  if (!stops.empty()) first = index_read(reduction.rule.builder(), std::move(first), Value(spec.packed()), stops);
  if (present) return first;
  return reduction.rule.call(sum_entry(), {std::move(first), axes_value(reduction.arguments.axes), Value(true)});
}

// x less its mean along the axes, which is the first element and the mean distance from that: of equal numbers it is
// exactly theirs, whatever their sum is rounded to.
Value distances(Reduction& reduction, const Value& first) {
  RuleContext& rule = reduction.rule;
  const Value axes = axes_value(reduction.arguments.axes);
  const Value mean = rule.call(mean_entry(), {rule.sub(reduction.x, first), axes, Value(true)});
  return rule.sub(std::move(reduction.x), rule.add(first, mean));
}

Value variance(Reduction& reduction, const Call& call) {
  RuleContext& rule = reduction.rule;
  const Value first = first_along(reduction);
  Value squares = sum_of_centred_squares_cached(rule.builder(), reduction.x, first, reduction.arguments);
  if (squares.is_unbound()) {
    const Value off = distances(reduction, first);
    squares = reduction.sum(rule.mul(off, off));
  }
  return rule.div(std::move(squares), divisor(reduction, call));
}

Value centred_eager(Builder& builder, Call& call) {
  Reduction reduction(builder, call, 1, -1);
  const Value first = first_along(reduction);
  return distances(reduction, first);
}

Value var_eager(Builder& builder, Call& call) {
  Reduction reduction(builder, call, 1, 3);
  return variance(reduction, call);
}

Value std_eager(Builder& builder, Call& call) {
  Reduction reduction(builder, call, 1, 3);
  return root(reduction.rule, variance(reduction, call));
}

// --- count_nonzero ---

Value count_nonzero_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  reduce_arguments(call, operand_type(call, 0).shape.rank());
  RuleContext rule(builder, true);
  const Dtype dtype = operand_dtype(call.args[0]);
  if (dtype != Dtype::boolean) {
    call.args[0] = rule.call(handles().not_equal, {call.args[0], rule.number(0, dtype)});
  }
  return ops::call(builder, sum_entry(), call.args);
}

// --- softmax, log_softmax ---

Type softmax_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  reduce_arguments(call, x.shape.rank());
  return {is_float(x.dtype) ? x.dtype : Dtype::f64, x.shape};
}

// x less its largest element, so that exp does not overflow. The sum is then 1 at least.
Reduction below_largest(Builder& builder, Call& call) {
  const Type x = operand_type(call, 0);
  expect_elements(builder, call, reduce_arguments(call, x.shape.rank()).axes);
  Reduction reduction(builder, call, 1, -1);
  reduction.arguments.keepdims = true;
  const Value axes = axes_value(reduction.arguments.axes);
  const Value largest = reduction.rule.call(max_entry(), {reduction.x, axes, Value(true)});
  reduction.x = reduction.rule.sub(std::move(reduction.x), largest);
  return reduction;
}

Value exp_of(RuleContext& rule, const Value& x) { return rule.call(handles().exp, {x}); }

Value by_rows(Builder& builder, const Call& call, bool logarithm) {
  const ReduceArguments arguments = reduce_arguments(call, operand_type(call, 0).shape.rank());
  return softmax_cached(builder, call.args[0], arguments, logarithm);
}

Value softmax_eager(Builder& builder, Call& call) {
  if (Value result = by_rows(builder, call, false); !result.is_unbound()) return result;
  Reduction reduction = below_largest(builder, call);
  const Value parts = exp_of(reduction.rule, reduction.x);
  return reduction.rule.div(parts, reduction.sum(parts));
}

Value log_softmax_eager(Builder& builder, Call& call) {
  if (Value result = by_rows(builder, call, true); !result.is_unbound()) return result;
  Reduction reduction = below_largest(builder, call);
  const Value sum = reduction.sum(exp_of(reduction.rule, reduction.x));
  return reduction.rule.sub(std::move(reduction.x), reduction.rule.call(handles().log, {sum}));
}

ReduceArguments residual_sums(const Entry& entry, const Residuals& residuals) {
  ReduceArguments arguments = arguments_of(entry, residuals);
  arguments.keepdims = true;
  return arguments;
}

// t less its mean with the weights y, once only: where one weight is nearly 1 the mean is t there but for rounding, and
// what is left of it comes with a second mean.
Value from_mean(RuleContext& rule, const Value& t, const Value& y, const ReduceArguments& sums) {
  return rule.sub(t, sum_along(rule, rule.scale(t, y), sums));
}

// y · (t − Σ y · t): the derivative is symmetric, so both directions are this. No digits are lost where a share is
// nearly 1.
Value softmax_times(RuleContext& rule, const Residuals& residuals, const Value& t) {
  const Value& y = *residuals.result;
  const ReduceArguments sums = residual_sums(softmax_entry(), residuals);
  const Value part = rule.scale(from_mean(rule, t, y, sums), y);
  return rule.sub(part, rule.scale(sum_along(rule, part, sums), y));
}

Value softmax_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return tangents[0].is_none() ? Value() : softmax_times(rule, residuals, tangents[0]);
}

void softmax_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (out.wants(0)) out.add(0, softmax_times(rule, residuals, cotangent));
}

Value log_softmax_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  const ReduceArguments sums = residual_sums(log_softmax_entry(), residuals);
  const Value y = exp_of(rule, *residuals.result);
  return from_mean(rule, from_mean(rule, tangents[0], y, sums), y, sums);
}

// ct − y · Σ ct. The sum of all these is 0, so that of a share beyond a half, which cancels, is made of the others.
void log_softmax_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const ReduceArguments sums = residual_sums(log_softmax_entry(), residuals);
  const Value y = exp_of(rule, *residuals.result);
  const Value part = rule.sub(cotangent, rule.scale(sum_along(rule, cotangent, sums), y));
  const Value most = rule.call(handles().greater, {y, rule.number(0.5, residuals.types[0].dtype)});
  out.add(0, rule.where(most, rule.sub(part, sum_along(rule, part, sums)), part));
}

std::vector<Parameter> spread_parameters() {
  return {any_parameter("x"), attribute("axis", Value()), attribute("correction", int64_t{0}),
          attribute("keepdims", false)};
}

// Variances of the parts add up.
Value var_complex(Builder& builder, Call& call) {
  const auto of = [&](const Value& part) {
    std::vector<Value> args(call.args.begin(), call.args.end());
    args[0] = part;
    return ops::call(builder, var_entry(), args, {}, call.literals);
  };
  const Complex& z = complex_of(call.args[0]);
  return RuleContext(builder, false).add(of(z.re()), of(z.im()));
}
Value std_complex(Builder& builder, Call& call) {
  RuleContext rule(builder, true);
  return root(rule, var_complex(builder, call));
}

}  // namespace

const Entry& var_entry() {
  static const Entry entry{
      .name = "var",
      .doc =
          "Variance of the elements along `axis` (an int, a tuple, or none for all): the mean of their squared "
          "distances from their mean.\n\n"
          "The sum is divided by the number of elements less `correction`, 1 for a sample's. Bools and integers are "
          "converted to `f64`.",
      .parameters = spread_parameters(),
      .eager = var_eager,
      .complex = var_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 4.0, 9.0]", .expected = "9.5", .differentiate = true},
                  {.arguments = "[1.0, 2.0, 4.0, 9.0], correction=1",
                   .expected = "12.666666666666666",
                   .ulp = 1,
                   .differentiate = true},
                  {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=0",
                   .expected = "[0.5625, 9.0]",
                   .differentiate = true},
                  {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=-1, keepdims=true",
                   .expected = "[[0.0625], [12.25]]",
                   .differentiate = true},
                  {.arguments = "reshape(arange(8.0), (2, 2, 2)), axis=(0, 2)", .expected = "[4.25, 4.25]"},
                  {.arguments = "[1, 2, 4]", .expected = "1.5555555555555554", .ulp = 1},
                  {.arguments = "[true, false]", .expected = "0.25"},
                  {.arguments = "f32([1, 2])", .expected = "f32(0.25)"},
                  {.arguments = "2.5", .expected = "0.0"},
                  {.arguments = "[2.5], correction=1", .expected = "nan"},
                  {.arguments = "[2.5, 3.5], correction=3", .expected = "inf"},
                  {.arguments = "zeros(0)", .expected = "nan"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& std_entry() {
  static const Entry entry{
      .name = "std",
      .doc =
          "Standard deviation of the elements along `axis`: the square root of `var`.\n\n"
          "Where it is 0 its derivative is taken to be 0.",
      .parameters = spread_parameters(),
      .eager = std_eager,
      .complex = std_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "[1.0, 2.0, 4.0, 9.0]", .expected = "3.082207001484488", .ulp = 1, .differentiate = true},
           {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=0", .expected = "[0.75, 3.0]", .differentiate = true},
           {.arguments = "[1.0, 2.0, 4.0, 9.0], correction=1",
            .expected = "3.559026084010437",
            .ulp = 1,
            .differentiate = true},
           {.arguments = "[[1, 1], [3, 5]], axis=1, keepdims=true", .expected = "[[0.0], [1.0]]"},
           {.arguments = "[1.0, inf]", .expected = "nan"},
           {.arguments = "zeros(0, 2), axis=0", .expected = "[nan, nan]"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& centred_entry() {
  static const Entry entry{
      .name = "_centred",
      .doc = "For modules: x less its mean along `axis`, exactly 0 where all numbers are equal.",
      .parameters = {any_parameter("x"), attribute("axis", Value())},
      .eager = centred_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 6.0]", .expected = "[-2.0, -1.0, 3.0]", .differentiate = true},
                  {.arguments = "[0.1, 0.1, 0.1]", .expected = "[0.0, 0.0, 0.0]"},
                  {.arguments = "[[1.0, 3.0], [2.0, 8.0]], axis=-1",
                   .expected = "[[-1.0, 1.0], [-3.0, 3.0]]",
                   .differentiate = true},
                  {.arguments = "zeros(0)", .expected = "zeros(0)"}},
      .internal = true,
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& count_nonzero_entry() {
  static const Entry entry{
      .name = "count_nonzero",
      .doc = "How many elements along `axis` are not 0 (or are true; nan is not 0).",
      .parameters = {any_parameter("x"), attribute("axis", Value()), attribute("keepdims", false)},
      .widens_integers = true,
      .eager = count_nonzero_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, -0.0, nan, 2.0]", .expected = "2"},
                  {.arguments = "[[0, 3], [5, 0]], axis=0", .expected = "[1, 1]"},
                  {.arguments = "[[true, false], [true, true]], axis=1, keepdims=true", .expected = "[[1], [2]]"},
                  {.arguments = "zeros(0)", .expected = "0"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& softmax_entry() {
  static const Entry entry{
      .name = "softmax",
      .doc =
          "exp(x) / sum(exp(x)) along `axis` (an int, a tuple, or none for all), computed without overflow from x − "
          "max(x).",
      .parameters = {tensor_parameter("x"), attribute("axis", int64_t{-1})},
      .type = softmax_type,
      .eager = softmax_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit, softmax_jvp, softmax_vjp),
      .batch = reduce_batch,
      .pattern = pattern_along_axes,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 0.0]", .expected = "[0.5, 0.5]", .source = "scipy", .differentiate = true},
                  {.arguments = "[1000.0, 1001.0, 999.5]",
                   .expected = "[0.2312238976221491, 0.6285317192117624, 0.14024438316608848]",
                   .source = "scipy",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [3.0, -4.0]], axis=0",
                   .expected =
                       "[[0.11920292202211755, 0.9975273768433653], [0.8807970779778825, 0.0024726231566347748]]",
                   .source = "scipy",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[[0, 0], [0, 0]], axis=(0, 1)",
                   .expected = "[[0.25, 0.25], [0.25, 0.25]]",
                   .source = "scipy"},
                  {.arguments = "[-inf, 0.0]", .expected = "[0.0, 1.0]", .source = "scipy"},
                  {.arguments = "zeros(0, 2)", .expected = "zeros(0, 2)", .source = "scipy"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& log_softmax_entry() {
  static const Entry entry{
      .name = "log_softmax",
      .doc = "The logarithm of `softmax` along `axis`: x − max(x) − log(sum(exp(x − max(x)))).",
      .parameters = {tensor_parameter("x"), attribute("axis", int64_t{-1})},
      .type = softmax_type,
      .eager = log_softmax_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit, log_softmax_jvp, log_softmax_vjp),
      .batch = reduce_batch,
      .pattern = pattern_along_axes,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 0.0]",
                   .expected = "[-0.6931471805599453, -0.6931471805599453]",
                   .source = "scipy",
                   .ulp = 1,
                   .differentiate = true},
                  {.arguments = "[[1000.0, 1001.0], [3.0, -4.0]], axis=1",
                   .expected = "[[-1.3132616875182228, -0.3132616875182228], [-0.0009114664537742015, "
                               "-7.000911466453775]]",
                   .source = "scipy",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[0.0, -1000.0]", .expected = "[0.0, -1000.0]", .source = "scipy"}},
      .staging = Staging::structural,
  };
  return entry;
}

namespace {

bool is_of_examples(const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::batch) return true;
  }
  return false;
}

Value reduced_not_bounded(Builder& builder, Call& call) {
  const Value& x = shaped_part(call.args[0]);
  if (is_operand(x) && logical_type(x).shape.rank() == 1 && !is_of_examples(x)) {
    const std::string& name = call.args[1].string().text;
    const std::string which = name == "max" ? "largest" : "smallest", bounded = name + "imum(x, 0)";
    Value args[2] = {Value(true),
                     make_string(name + "(x, 0) of a vector is its " + which + " element, along axis 0: write " +
                                 bounded + " to clamp, " + name + "(x) for the " + which)};
    ops::call(builder, handles().warn_where, args);
  }
  return std::move(call.args[0]);
}

}  // namespace

const Entry& reduced_not_bounded_entry() {
  static const Entry entry{
      .name = "reduced_not_bounded",
      .doc = "x, with a warning where it is a vector.",
      .parameters = {any_parameter("x"), attribute("name")},
      .eager = reduced_not_bounded,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true, .repeatable = true},
      .internal = true,
      .staging = Staging::structural,
  };
  return entry;
}

Family reduce_compose_entries() {
  static const Entry* const entries[] = {&var_entry(),           &std_entry(),     &centred_entry(),
                                         &count_nonzero_entry(), &softmax_entry(), &log_softmax_entry()};
  return entries;
}

}  // namespace covec::ops
