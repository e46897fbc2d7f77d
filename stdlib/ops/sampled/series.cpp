// gradient and unwrap, each composed of a few other operators.
#include <numbers>

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/expect.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/sampled/family.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- gradient ---

constexpr unsigned of_spacing = 1, of_axes = 2;  // operand numbers, in the order of gradient's parameters

// x less what is two places before it along the axis.
Value differences_of_two(Steps& steps, const Value& x, unsigned axis) {
  const auto [before, after] = steps.neighbours(x, axis);
  return steps.sub(steps.neighbours(after, axis).after, steps.neighbours(before, axis).before);
}

// A vector's numbers beside those of x along the axis.
Value along_axis(Builder& builder, Value vector, unsigned axis, unsigned rank) {
  for (unsigned i = axis + 1; i < rank; ++i) vector = unsqueeze(builder, std::move(vector), i - axis);
  return vector;
}

// The slope from each place to the next, and the mean of two that meet, each with the other's width as its weight.
struct Slopes {
  Value each, between;
};

Slopes even_slopes(Steps& steps, const Value& x, unsigned axis, const Value& width) {
  const auto [before, after] = steps.neighbours(x, axis);
  const Value two = steps.add(width, width);
  return {steps.div(steps.sub(after, before), width), steps.div(differences_of_two(steps, x, axis), two)};
}

// Whether places lie at one distance: then the middle of three says nothing, be it nan.
Value is_even(Steps& steps, const Value& distances) {
  const Value first = narrow(steps.builder(), distances, 0, Dim(0), Dim(1));
  return steps.reduce(handles().all, steps.equal(distances, first), Value());
}

Slopes slopes_between(Steps& steps, const Call& call, const Value& x, unsigned axis, const Value& places) {
  const Shape shape = logical_type(x).shape;
  const Type along = logical_type(places);
  steps.same_length(along.shape[0], shape[axis], call.entry.name, "spacing", "x");
  const Value numbers = steps.cast(places, float_dtype(along.dtype));
  const auto [first, second] = steps.neighbours(numbers, 0);
  const Value distances = steps.sub(second, first);
  const auto beside_x = [&](const Value& vector) { return along_axis(steps.builder(), vector, axis, shape.rank()); };
  const auto [before, after] = steps.neighbours(x, axis);
  const Value each = steps.div(steps.sub(after, before), beside_x(distances));
  const auto [slope, next_slope] = steps.neighbours(each, axis);
  const auto [distance, next_distance] = steps.neighbours(distances, 0);
  const Value width = beside_x(distance), next_width = beside_x(next_distance), both = steps.add(width, next_width);
  const Value weighed = steps.add(steps.mul(width, next_slope), steps.mul(next_width, slope));
  // The same number, written so that the middle goes out where the widths are equal, but for derivatives by them.
  const Value bend = steps.sub(next_slope, slope),
              off = steps.call(handles().scale, {steps.sub(next_width, width), bend});
  const Value straight = steps.sub(differences_of_two(steps, x, axis), off);
  const Value over_both = steps.where(is_even(steps, distances), straight, weighed);
  return {each, steps.div(over_both, both)};
}

Value gradient_along(Steps& steps, const Call& call, const Value& x, unsigned axis, const Value& spacing) {
  Builder& builder = steps.builder();
  const Dim n = logical_type(x).shape[axis];
  const Value size = builder.extent(n);
  expect_all(steps, steps.less(Value(int64_t{1}), size), call, 0, "of two elements or more along the axis", size);
  const bool even = logical_type(spacing).shape.rank() == 0;
  const Slopes slopes = even ? even_slopes(steps, x, axis, spacing) : slopes_between(steps, call, x, axis, spacing);
  Value parts[] = {narrow(builder, slopes.each, axis, Dim(0), Dim(1)), slopes.between,
                   narrow(builder, slopes.each, axis, steps.without(n, Dim(2)), Dim(1))};
  return concat(builder, parts, axis);
}

std::vector<unsigned> axes_of_gradient(const Call& call, unsigned rank) {
  std::vector<unsigned> axes;
  if (call.args[of_axes].is_none()) {
    for (unsigned i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
  }
  axis_set(call, of_axes, rank);  // none twice
  for (const int64_t axis : integers_argument(call, of_axes)) axes.push_back(normal_axis(call, axis, rank));
  return axes;
}

// Between neighbours along each axis: 1, a number, or a vector of places.
std::vector<Value> spacings(const Call& call, size_t axes, Dtype dtype) {
  constexpr std::string_view must_be = "one number, or for each axis a number or a vector of places";
  std::vector<Value> given(call.rest.begin(), call.rest.end());
  const Value& named = call.args[of_spacing];
  if (named.is(ObjectKind::tuple) || named.is(ObjectKind::list)) {
    given = *children(named);
  } else if (!named.is_none()) {
    given = {named};
  }
  for (const Value& spacing : given) {
    if (is_operand(spacing) && logical_type(spacing).shape.rank() <= 1) continue;
    call.args[of_spacing] = spacing;
    fail_attribute(call, of_spacing, must_be);
  }
  if (given.empty()) return std::vector<Value>(axes, Value::number(dtype, 1.0));
  if (given.size() == 1 && logical_type(given[0]).shape.rank() == 0) return std::vector<Value>(axes, given[0]);
  if (given.size() != axes) {
    fail(message("bad_attribute"),
         {std::string(call.entry.name), "spacing", std::string(must_be),
          std::to_string(given.size()) + " for " + std::to_string(axes) + (axes == 1 ? " axis" : " axes")});
  }
  return given;
}

Value gradient_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  if (call.args[0].is(ObjectKind::function))
    fail_attribute(call, 0, "a tensor", "for the derivative of a function write grad(f)(x)");
  const unsigned rank = operand_of(builder, call, 0).shape.rank();
  if (rank == 0) fail_attribute(call, 0, "of rank 1 or more");
  const std::vector<unsigned> axes = axes_of_gradient(call, rank);
  const Dtype dtype = float_dtype(logical_type(call.args[0]).dtype);
  const std::vector<Value> given = spacings(call, axes.size(), dtype);
  const Value x = cast_to(builder, call.args[0], dtype);
  std::vector<Value> results;
  for (size_t i = 0; i < axes.size(); ++i) results.push_back(gradient_along(steps, call, x, axes[i], given[i]));
  return results.size() == 1 ? std::move(results[0]) : make_tuple(std::move(results));
}

// --- unwrap ---

constexpr unsigned of_period = 1, of_unwrapped = 2;  // operand numbers, in the order of unwrap's parameters

// How many periods each step is too long, the nearest number; where two are as near, a step keeps its sign.
Value periods_too_many(Steps& steps, const Value& step, const Value& period, Dtype dtype) {
  const Value zero = steps.number(0, dtype), two = steps.number(2, dtype);
  const Value half = steps.call(handles().floor_divide, {period, two});
  const Value middle = is_float(dtype) ? steps.div(period, two) : half;
  const Value shifted = steps.add(step, middle), count = steps.call(handles().floor_divide, {shifted, period});
  const Value even = steps.equal(steps.add(middle, middle), period);
  const Value just = steps.both(steps.equal(shifted, steps.mul(count, period)), steps.greater(step, zero));
  const Value between = steps.both(just, even);
  return steps.where(between, steps.sub(count, steps.number(1, dtype)), count);
}

// The first stays; each other is moved by a whole number of periods. That number is a constant to derivatives.
Value unwrap_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Type type = operand_of(builder, call, 0), period_type = operand_of(builder, call, of_period);
  if (period_type.shape.rank() != 0) fail_attribute(call, of_period, "a number");
  const Value& of_turn = call.args[of_period];
  expect_all(steps, steps.inverse(steps.equal(of_turn, steps.number(0, period_type.dtype))), call, of_period,
             "a number other than 0", of_turn);
  const unsigned axis = normal_axis(call, integer_argument(call, of_unwrapped), type.shape.rank());
  const bool whole = !is_float(type.dtype) && !is_float(period_type.dtype);
  const Dtype dtype = whole ? Dtype::i64 : float_dtype(type.dtype);
  const Value x = steps.cast(call.args[0], dtype), period = steps.cast(call.args[of_period], dtype);
  const Value plain = constant_of(x), span = constant_of(period);
  const auto [before, after] = steps.neighbours(plain, axis);
  const Value count = periods_too_many(steps, steps.sub(after, before), span, dtype);
  const Value total = steps.call(handles().cumsum, {count, Value(int64_t{axis})});
  const Value size = steps.minimum(builder.extent(type.shape[axis]), Value(int64_t{1}));
  Value parts[] = {narrow(builder, x, axis, Dim(0), steps.size(size)),
                   steps.sub(steps.neighbours(x, axis).after, steps.mul(total, period))};
  return concat(builder, parts, axis);
}

const Entry& gradient_entry() {
  static const Entry entry{
      .name = "gradient",
      .doc =
          "The derivative of a function with the values `x` at points of a grid, by differences of the values on both "
          "sides, and of one side at the ends. (`grad(f)` is the derivative of a function that is known.)\n\n"
          "The points are 1 apart, or as far as `spacing` says: a number for all axes, or for each axis a number or a "
          "vector of its places. Of one axis (that of a vector, or `axis=`) the result is a tensor, of several a tuple "
          "of one for each.",
      .parameters = {any_parameter("x"),
                     {.name = "spacing", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     attribute("axis", Value())},
      .variadic = true,
      .variadic_at = 1,
      .eager = gradient_eager,
      .complex = by_parts,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 4.0, 7.0, 11.0]",
                   .expected = "[1.0, 1.5, 2.5, 3.5, 4.0]",
                   .differentiate = true},
                  {.arguments = "[1.0, 2.0, 4.0, 7.0], 2", .expected = "[0.5, 0.75, 1.25, 1.5]"},
                  {.arguments = "[1.0, 2.0, 4.0, 7.0], [0.0, 1.0, 1.5, 3.5]",
                   .expected = "[1.0, 3.0, 3.5, 1.5]",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]]",
                   .expected = "([[2.0, 2.0, -1.0], [2.0, 2.0, -1.0]], [[1.0, 2.5, 4.0], [1.0, 1.0, 1.0]])"},
                  {.arguments = "[[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]], axis=0",
                   .expected = "[[2.0, 2.0, -1.0], [2.0, 2.0, -1.0]]",
                   .differentiate = true},
                  {.arguments = "[[1, 2, 6], [3, 4, 5]], 2.0, [1.0, 1.5, 3.5]",
                   .expected = "([[1.0, 1.0, -0.5], [1.0, 1.0, -0.5]], [[2.0, 2.0, 2.0], [2.0, 1.7, 0.5]])",
                   .ulp = 4}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& unwrap_entry() {
  static const Entry entry{
      .name = "unwrap",
      .doc =
          "Angles `x`, or other numbers that count within a `period`, without jumps along `axis`: whole periods are "
          "added so that no step is longer than half of one.\n\n"
          "Integers stay integers where the period is one.",
      .parameters =
          {any_parameter("x"),
           {.name = "period", .kind = ParameterKind::any, .required = false, .fallback = Value(2 * std::numbers::pi)},
           attribute("axis", int64_t{-1})},
      .widens_integers = true,
      .eager = unwrap_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 2.0, 4.0, -0.5, 1.0]",
                   .expected = "[0.0, 2.0, 4.0, 5.783185307179586, 7.283185307179586]",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[[0, 1], [3, 2]], period=4, axis=0", .expected = "[[0, 1], [-1, 2]]"},
                  {.arguments = "[0, 1, 2, 0, 1, 2, 0], 3", .expected = "[0, 1, 2, 3, 4, 5, 6]"},
                  {.arguments = "[0.0, 2.0, 0.0, 6.0], 4", .expected = "[0.0, 2.0, 0.0, 2.0]"},
                  {.arguments = "[5.0]", .expected = "[5.0]"},
                  {.arguments = "zeros(0)", .expected = "zeros(0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family sampled_series_entries() {
  static const Entry* const entries[] = {&gradient_entry(), &unwrap_entry()};
  return entries;
}

}  // namespace covec::ops
