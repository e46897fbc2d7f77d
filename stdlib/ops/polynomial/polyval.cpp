// Polynomials by their coefficients, the highest power first. polyval is Horner's rule in steps of other operators,
// polyfit a least squares problem, so they need no derivative or batch rule of their own.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/polynomial/family.hpp"
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

constexpr int64_t most_degrees = 1000;

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
  std::vector<Value> columns(static_cast<size_t>(degree) + 1);
  Value power = steps.broadcast_to(steps.number(1, type.dtype), type.shape);
  for (size_t i = columns.size(); i-- > 0;) {
    columns[i] = power;
    if (i > 0) power = steps.mul(power, x);
  }
  return stack(steps.builder(), columns, 1);
}

// Columns are brought to one size first, so that powers of very different sizes do not hide each other; the result does
// not depend on it, so it counts as constant.
Value polyfit_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Type x_type = vector_operand(builder, call, 0), y_type = operand_of(builder, call, 1);
  const int64_t degree = integer_argument(call, 2);
  if (degree < 0 || degree > most_degrees) fail_attribute(call, 2, "between 0 and 1000");
  if (y_type.shape.rank() != 1 && y_type.shape.rank() != 2) fail_attribute(call, 1, "a vector or a matrix of columns");
  const Dim points = x_type.shape[0];
  if (points.known()) require_points(call, points.number(), degree);
  if (!points.known()) steps.call(expect_points_entry(), {constant_of(call.args[0]), Value(degree)});
  steps.same_length(points, y_type.shape[0], "polyfit", "x", "y");
  const Dtype dtype = float_dtype(product_dtype(x_type.dtype, y_type.dtype));
  const Value y = steps.cast(call.args[1], dtype);
  const Value powers = powers_of(steps, steps.cast(call.args[0], dtype), degree);
  const Value largest = steps.reduce(handles().max, steps.absolute(constant_of(powers)), Value(int64_t{0}));
  const Value empty = steps.equal(largest, steps.number(0, dtype));
  const Value size = steps.where(empty, steps.number(1, dtype), largest);
  const Value fit = steps.call(handles().lstsq, {steps.div(powers, size), y, Value()});
  return steps.div(fit, y_type.shape.rank() == 2 ? unsqueeze(builder, size, 1) : size);
}

const Entry& polyfit_entry() {
  static const Entry entry{
      .name = "polyfit",
      .doc =
          "The coefficients, the highest power first, of the polynomial of degree `deg` that comes nearest to `y` at "
          "the points `x`: the sum of the squared distances is least.\n\n"
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
  static const Entry* const entries[] = {&polyval_entry(), &polyfit_entry(), &expect_points_entry()};
  return entries;
}

}  // namespace covec::ops
