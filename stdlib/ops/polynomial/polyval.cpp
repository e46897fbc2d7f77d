// Polynomials by their coefficients, the highest power first. polyval is Horner's rule in steps of other operators, and
// polyfit is a least squares problem. So they need no derivative or batch rule of their own.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/polynomial/family.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

Value coefficient(Builder& builder, const Value& p, int64_t i) {
  IndexSpec spec;
  spec.push(IndexSpec::Item::at);
  const Value at = i;
  return index_read(builder, p, Value(spec.packed()), {&at, 1});
}

// A polynomial without coefficients is 0; each step is y · x + p[i].
Value polyval_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  require_operand(builder, call, 1);
  const Value p = std::move(call.args[0]), x = std::move(call.args[1]);
  const Type coefficients = logical_type(p), type = logical_type(x);
  if (coefficients.shape.rank() != 1) {
    call.args[0] = p;
    fail_attribute(call, 0, "a vector of coefficients");
  }
  if (!coefficients.shape[0].known()) fail_not_staged("how many coefficients a polynomial has");
  Value y = zeros(builder, {product_dtype(coefficients.dtype, type.dtype), type.shape});
  for (int64_t i = 0; i < coefficients.shape[0].number(); ++i) {
    const Value raised = ops::call(builder, handles().multiply, {std::move(y), x});
    y = ops::call(builder, handles().add, {raised, coefficient(builder, p, i)});
  }
  return y;
}

// --- polyfit ---

constexpr int64_t max_degrees = 1000;  // as polyfit's message says

void require_points(const Call& call, int64_t points, int64_t degree) {
  if (points <= degree)
    fail(message("polyfit_points"), {std::to_string(degree + 1), std::to_string(points)}, {label_of(call, 0)});
}

// What only the run can see: that there are enough.
const Entry& expect_points_entry() {
  static const Entry entry{.name = "expect_points",
                           .doc = "Checks that polyfit has points enough.",
                           .parameters = {tensor_parameter("x"), attribute("degree")},
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::boolean, {}};
                               },
                           .eager =
                               [](Builder&, Call& call) {
                                 require_points(call, operand_type(call, 0).shape[0].number(),
                                                integer_argument(call, 1));
                                 return Value(true);
                               },
                           .derivative = Derivative::none("checks"),
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

// The powers of x as columns, the highest first.
Value powers_of(Steps& steps, const Value& x, int64_t degree) {
  const Type type = logical_type(x);
  std::vector<Value> columns(size_for<Value>(degree) + 1);
  Value power = steps.broadcast_to(steps.number(1, type.dtype), type.shape);
  for (size_t i = columns.size(); i-- > 0;) {
    columns[i] = power;
    if (i > 0) power = steps.mul(power, x);
  }
  return stack(steps.builder(), columns, 1);
}

// The middle of the numbers along the first axis, and half of what they span (1 of equal ones): constants, as no fit
// depends on them.
struct Span {
  Value middle, half;
};
Span span_of(Steps& steps, const Value& x, Dtype dtype) {
  const Value plain = constant_of(x), first(int64_t{0}), part = steps.number(0.5, dtype);
  const Value low = steps.mul(steps.reduce(handles().min, plain, first), part);
  const Value high = steps.mul(steps.reduce(handles().max, plain, first), part), half = steps.sub(high, low);
  const Value equal = steps.equal(half, steps.number(0, dtype));
  return {steps.add(low, high), steps.where(equal, steps.number(1, dtype), half)};
}

const Entry& warn_of_distance_entry() {
  static const Entry entry{
      .name = "warn_of_distance",
      .doc = "Warns, once in a session, of a polynomial whose terms cancel.",
      .parameters = {tensor_parameter("cancel")},
      .carries = true,
      .type = [](ShapeBuilder&, const Call& call) { return operand_type(call, 0); },
      .eager =
          [](Builder& builder, Call& call) {
            const Value any = ops::call(builder, handles().any, {call.args[0], Value(), Value(false)});
            const std::string text =
                "polyfit: x is so far from 0, compared with its spread, that the powers of x cancel and the "
                "coefficients lose nearly all digits of y: fit x - mean(x)";
            Context& context = builder.context();
            if (any.boolean() && context.output != nullptr && context.warned.insert(text).second)
              context.output->warn(text);
            return call.args[0];
          },
      .derivative = Derivative::none("warns"),
      .batch = [](Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); },
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "polyfit"};
  return entry;
}

// Where the terms of p, each rounded, are together so large that what they leave of y is noise.
void warn_of_distance(Steps& steps, const Value& p, const Span& x, const Value& y, Dtype dtype) {
  const Value first(int64_t{0}), far = steps.add(steps.absolute(x.middle), x.half);
  const int64_t count = logical_type(p).shape[0].number();
  Value size = steps.number(0, dtype), largest = steps.reduce(handles().max, steps.absolute(y), first);
  for (int64_t k = 0; k < count; ++k) {
    const Value term = steps.absolute(steps.take(p, 0, Value(k)));
    size = k == 0 ? term : steps.add(steps.mul(size, far), term);
  }
  const double epsilon = dtype == Dtype::f64 ? 0x1p-52 : dtype == Dtype::f32 ? 0x1p-23 : 0x1p-8;
  const Value noise = steps.mul(size, steps.number(32 * epsilon, dtype));
  steps.call(warn_of_distance_entry(), {steps.less(largest, noise)});
}

// q, the coefficients in (x − middle)/half, as those in x: Horner's rule with polynomials for numbers.
Value in_powers_of_x(Steps& steps, const Value& q, const Span& x, int64_t degree) {
  Builder& builder = steps.builder();
  const auto row = [&](int64_t k) { return narrow(builder, q, 0, Dim(k), Dim(1)); };
  const auto joined = [&](Value before, Value after) {
    Value parts[] = {std::move(before), std::move(after)};
    return concat(builder, parts, 0);
  };
  const Value nothing = steps.zeros(logical_type(row(0)));
  Value p = row(0);
  for (int64_t k = 1; k <= degree; ++k) {
    const Value part = steps.div(p, x.half);
    const Value raised = joined(part, row(k)), less = joined(nothing, steps.mul(part, x.middle));
    p = steps.sub(raised, less);
  }
  return p;
}

// x and y are taken from their middles, x in units of its spread, so that neither the powers of x nor a large y hide
// anything; the fit is refined once by what it leaves, and then written in powers of x.
Value polyfit_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Type x_type = vector_operand(builder, call, 0), y_type = operand_of(builder, call, 1);
  const int64_t degree = integer_argument(call, 2);
  if (degree < 0 || degree > max_degrees) fail_attribute(call, 2, "between 0 and 1000");
  if (y_type.shape.rank() != 1 && y_type.shape.rank() != 2) fail_attribute(call, 1, "a vector or a matrix of columns");
  const Dim points = x_type.shape[0];
  if (points.known()) require_points(call, points.number(), degree);
  if (!points.known()) steps.call(expect_points_entry(), {constant_of(call.args[0]), Value(degree)});
  steps.same_length(points, y_type.shape[0], "polyfit", "x", "y");
  const Dtype dtype = float_dtype(product_dtype(x_type.dtype, y_type.dtype));
  const Value x = steps.cast(call.args[0], dtype), y = steps.cast(call.args[1], dtype);
  const Span by_x = span_of(steps, x, dtype), by_y = span_of(steps, y, dtype);
  const Value powers = powers_of(steps, steps.div(steps.sub(x, by_x.middle), by_x.half), degree);
  const Value off = steps.sub(y, by_y.middle), fit = steps.call(handles().lstsq, {powers, off, Value()});
  const Value plain = constant_of(powers);
  const Value rest = steps.sub(constant_of(off), steps.call(handles().matmul, {plain, constant_of(fit)}));
  const Value refined = steps.add(fit, steps.call(handles().lstsq, {plain, rest, Value()}));
  const Value p = in_powers_of_x(steps, refined, by_x, degree);
  const Value last = steps.add(narrow(builder, p, 0, Dim(degree), Dim(1)), by_y.middle);
  Value parts[] = {narrow(builder, p, 0, Dim(0), Dim(degree)), last};
  const Value result = degree == 0 ? last : concat(builder, parts, 0);
  if (degree > 0) warn_of_distance(steps, constant_of(result), by_x, constant_of(y), dtype);
  return result;
}

const Entry& polyfit_entry() {
  static const Entry entry{
      .name = "polyfit",
      .doc =
          "The coefficients, the highest power first, of the polynomial of degree `deg` that comes nearest to `y` at "
          "the points `x`: the sum of the squared distances is least. Where `x` is so far from 0 for its spread that "
          "powers "
          "of `x` cannot hold it, it warns: fit x − mean(x).\n\n"
          "`y` is a vector, or a matrix with a column for each polynomial. Differentiable by `x` and `y`. A nan in "
          "`x` is an error, in `y` it makes the coefficients nan.",
      .parameters = {any_parameter("x"), any_parameter("y"), attribute("deg")},
      .eager = polyfit_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 5.0, 7.0], 1",
                   .expected = "[2.0, 1.0]",
                   .ulp = 64,
                   .differentiate = true},
                  {.arguments = "[-1, 0, 2], [2, 1, 17], 2", .expected = "[3.0, 2.0, 1.0]", .ulp = 64},
                  {.arguments = "[0.0, 1.0, 2.0], [[1.0, 1.0], [3.0, 1.5], [5.0, 2.0]], 1",
                   .expected = "[[2.0, 0.5], [1.0, 1.0]]",
                   .ulp = 64}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& polyval_entry() {
  static const Entry entry{
      .name = "polyval",
      .doc =
          "The polynomial with the coefficients `p`, the highest power first, at each element of `x`.\n\n"
          "By Horner's rule: `polyval([1, 2, 3], x)` is `(1 * x + 2) * x + 3`.",
      .parameters = {any_parameter("p"), any_parameter("x")},
      .eager = polyval_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3.0, 0, 1], [5.0, -1]", .expected = "[76.0, 4]", .differentiate = true},
                  {.arguments = "[1, 2, 3], 2", .expected = "11"},
                  {.arguments = "[2.5], [[1.0, 2]]", .expected = "[[2.5, 2.5]]"},
                  {.arguments = "zeros(0), [1.0, 2]", .expected = "[0.0, 0]"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family polynomial_family() {
  static const Entry* const entries[] = {&polyval_entry(), &polyfit_entry(), &expect_points_entry(),
                                         &warn_of_distance_entry()};
  static const std::vector<const Entry*> all = joined({entries, polynomial_calculus_entries()});
  return all;
}

}  // namespace covec::ops
