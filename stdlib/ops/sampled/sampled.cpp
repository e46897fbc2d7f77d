// diff, trapezoid, cumulative_trapezoid and interp, each composed of a few other operators.
#include <limits>

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/expect.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/sampled/family.hpp"

namespace covec::ops {

namespace {

// Each element less the one before it.
Value differences(Steps& steps, const Value& x, unsigned axis) {
  const auto [before, after] = steps.neighbours(x, axis);
  return steps.sub(after, before);
}

// --- diff ---

// Operand numbers, in the order of diff's parameters.
constexpr unsigned of_n = 1, of_axis = 2, of_prepend = 3, of_append = 4;

// Numbers do not widen x, tensors may.
Dtype with_end(Builder& builder, Call& call, unsigned operand, Dtype dtype) {
  const Type end = operand_of(builder, call, operand);
  const PromotionOperand both[] = {{dtype, OperandClass::tensor},
                                   {end.dtype, end.shape.rank() == 0 ? OperandClass::rank0 : OperandClass::tensor}};
  return promote(both);
}

// What comes before or after x along the axis: a number is one element.
Value end_part(Builder& builder, Call& call, unsigned operand, const Shape& x, unsigned axis, Dtype dtype) {
  const Type type = operand_of(builder, call, operand);
  Value part = cast_to(builder, call.args[operand], dtype);
  if (type.shape.rank() != 0) return part;
  Shape shape = x;
  shape[axis] = Dim(1);
  return broadcast_to(builder, std::move(part), shape);
}

Value with_ends(Builder& builder, Call& call, Value x, unsigned axis) {
  const Type type = logical_type(x);
  Dtype dtype = type.dtype;
  for (const unsigned operand : {of_prepend, of_append}) {
    if (!call.args[operand].is_none()) dtype = with_end(builder, call, operand, dtype);
  }
  std::vector<Value> parts;
  if (!call.args[of_prepend].is_none()) parts.push_back(end_part(builder, call, of_prepend, type.shape, axis, dtype));
  parts.push_back(cast_to(builder, std::move(x), dtype));
  if (!call.args[of_append].is_none()) parts.push_back(end_part(builder, call, of_append, type.shape, axis, dtype));
  return parts.size() == 1 ? std::move(parts[0]) : concat(builder, parts, axis);
}

constexpr int64_t max_differences = 1000;  // as diff's message says

Value diff_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Type type = operand_of(builder, call, 0);
  const int64_t n = integer_argument(call, of_n);
  if (n < 0 || n > max_differences) fail_attribute(call, of_n, "between 0 and 1000");
  const unsigned axis = normal_axis(call, integer_argument(call, of_axis), type.shape.rank());
  Value x = with_ends(builder, call, std::move(call.args[0]), axis);
  for (int64_t i = 0; i < n; ++i) x = differences(steps, x, axis);
  return x;
}

// --- trapezoid ---

constexpr unsigned of_x = 1, of_dx = 2, of_side = 3;  // operand numbers, in the order of trapezoid's parameters

// A vector of points lies along the axis of y; others have its shape.
Value widths(Steps& steps, Call& call, const Type& y, unsigned axis) {
  Builder& builder = steps.builder();
  const Type x = operand_of(builder, call, of_x);
  if (x.shape.rank() != 1 && x.shape.rank() != y.shape.rank())
    fail_attribute(call, of_x, "a vector, or of the rank of y");
  const unsigned along = x.shape.rank() == 1 ? 0 : axis;
  steps.same_length(x.shape[along], y.shape[axis], call.entry.name, "x", "y");
  Value d = differences(steps, cast_to(builder, std::move(call.args[of_x]), float_dtype(x.dtype)), along);
  if (x.shape.rank() != 1) return d;
  for (unsigned i = axis + 1; i < y.shape.rank(); ++i) d = unsqueeze(builder, std::move(d), i - axis);
  return d;
}

// The areas of the trapezoids, and their axis.
struct Areas {
  Value along;
  unsigned axis;
};

Areas areas(Builder& builder, Call& call) {
  Steps steps(builder);
  const Type y = operand_of(builder, call, 0);
  const unsigned axis = normal_axis(call, integer_argument(call, of_side), y.shape.rank());
  const Value values = float_operand(builder, call, 0);
  const Dtype dtype = logical_type(values).dtype;
  const auto [before, after] = steps.neighbours(values, axis);
  const Value sums = steps.add(after, before);
  const Value half = steps.mul(sums, steps.number(0.5, dtype));
  Value width;
  if (call.args[of_x].is_none()) {
    if (operand_of(builder, call, of_dx).shape.rank() != 0) fail_attribute(call, of_dx, "a number");
    width = cast_to(builder, std::move(call.args[of_dx]), dtype);
  } else {
    width = widths(steps, call, y, axis);
  }
  return {steps.mul(half, width), axis};
}

Value trapezoid_eager(Builder& builder, Call& call) {
  const auto [along, axis] = areas(builder, call);
  return Steps(builder).reduce(handles().sum, along, Value(int64_t{axis}));
}

constexpr unsigned of_initial = 4;  // operand number, in the order of cumulative_trapezoid's parameters

// The sums with the number in front that the call asks for.
Value with_initial(Builder& builder, const Call& call, Value sums, unsigned axis, Shape shape, Dtype dtype) {
  const Value& initial = call.args[of_initial];
  if (initial.is_none()) return sums;
  if (!is_operand(initial) || logical_type(initial).shape.rank() != 0) fail_attribute(call, of_initial, "a number");
  shape[axis] = Dim(1);
  Value parts[] = {broadcast_to(builder, cast_to(builder, initial, dtype), shape), std::move(sums)};
  return concat(builder, parts, axis);
}

Value cumulative_trapezoid_eager(Builder& builder, Call& call) {
  const auto [along, axis] = areas(builder, call);
  const Type type = logical_type(along);
  Value sums = ops::call(builder, handles().cumsum, {along, Value(int64_t{axis})});
  return with_initial(builder, call, std::move(sums), axis, type.shape, type.dtype);
}

// The number in front is real: it is not that of the imaginary part too.
Value cumulative_trapezoid_complex(Builder& builder, Call& call) {
  const Value initial = std::exchange(call.args[of_initial], Value());
  const Value sums = by_parts(builder, call);
  call.args[of_initial] = initial;
  const Type type = logical_type(real_part(sums));
  const unsigned axis = normal_axis(call, integer_argument(call, of_side), type.shape.rank());
  return with_initial(builder, call, sums, axis, type.shape, type.dtype);
}

// --- interp ---

// Operand numbers, in the order of interp's parameters.
constexpr unsigned of_xp = 1, of_fp = 2, of_left = 3, of_right = 4;

// The number that holds beyond an end: what is given, or f there.
Value beyond(Steps& steps, Call& call, unsigned operand, const Value& at_end, Dtype dtype) {
  if (call.args[operand].is_none()) return at_end;
  if (operand_of(steps.builder(), call, operand).shape.rank() != 0) fail_attribute(call, operand, "a number");
  return steps.cast(call.args[operand], dtype);
}

struct Segment {
  Value x0, f0, x1, f1;
};

// 1/2 where the distance of two numbers overflows, 1 elsewhere: both ends are scaled so before they are subtracted.
Value distance_scale(Steps& steps, const Value& a, const Value& b, Dtype dtype) {
  const Value inf = steps.number(std::numeric_limits<double>::infinity(), dtype);
  const Value ends = steps.maximum(steps.absolute(a), steps.absolute(b));
  const Value overflows = steps.both(steps.equal(steps.absolute(steps.sub(b, a)), inf), steps.less(ends, inf));
  return steps.where(overflows, steps.number(0.5, dtype), steps.number(1, dtype));
}

// From the left end with the slope; from the right end where the left one is at −∞. Where that is no finite number,
// f0·(1 − t) + f1·t at the part t of the way, and f0 itself at x0.
Value on_segment(Steps& steps, const Segment& ends, const Value& x, Dtype dtype) {
  const auto& [x0, f0, x1, f1] = ends;
  const Value zero = steps.number(0, dtype), one = steps.number(1, dtype);
  const Value inf = steps.number(std::numeric_limits<double>::infinity(), dtype);
  const Value level = steps.equal(x0, x1), from_right = steps.equal(x0, steps.neg(inf));
  const Value along = distance_scale(steps, x0, x1, dtype), across = distance_scale(steps, f0, f1, dtype);
  const auto distance = [&](const Value& to, const Value& from, const Value& scale) {
    return steps.sub(steps.mul(to, scale), steps.mul(from, scale));
  };
  const Value width = steps.where(level, one, distance(x1, x0, along));
  // Equal numbers are subtracted too, for the derivatives by them.
  const Value endless = steps.both(steps.equal(f0, f1), steps.equal(steps.absolute(f0), inf));
  const Value rise = steps.where(endless, zero, distance(f1, f0, across)), slope = steps.div(rise, width);
  const Value off = steps.where(level, zero, distance(x, steps.where(from_right, x1, x0), along));
  const Value straight = steps.add(steps.div(steps.mul(slope, off), across), steps.where(from_right, f1, f0));
  const Value way = steps.div(off, width);
  const Value shares = steps.add(steps.mul(f0, steps.sub(one, way)), steps.mul(f1, way));
  const Value finite = steps.less(steps.absolute(straight), inf);
  return steps.where(finite, straight, steps.where(steps.equal(x, x0), f0, shares));
}

Value interp_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  Dtype dtype = operand_of(builder, call, 0).dtype;
  for (const unsigned operand : {of_xp, of_fp})
    dtype = product_dtype(dtype, vector_operand(builder, call, operand).dtype);
  dtype = float_dtype(dtype);
  const Dim n = operand_type(call, of_xp).shape[0];
  steps.same_length(n, operand_type(call, of_fp).shape[0], "interp", "xp", "fp");
  steps.at_least(call, of_xp, 1, "a vector of one point or more");
  const Value x = steps.cast(call.args[0], dtype), xp = steps.cast(call.args[of_xp], dtype),
              fp = steps.cast(call.args[of_fp], dtype);
  steps.call(expect_ascending_entry(), {steps.cast(constant_of(xp), Dtype::f64), make_string("interp"),
                                        make_string("xp"), Value(int64_t{of_xp})});
  const Value zero(int64_t{0}), one(int64_t{1}), last = steps.sub(builder.extent(n), one);
  const Value count = steps.call(handles().searchsorted, {xp, x, make_string("right")});
  const Value below = steps.maximum(steps.minimum(steps.sub(count, one), last), zero);
  const Value above = steps.minimum(steps.add(below, one), last);
  const Segment segment{steps.take(xp, 0, below), steps.take(fp, 0, below), steps.take(xp, 0, above),
                        steps.take(fp, 0, above)};
  const Value inside = steps.where(steps.isnan(x), x, on_segment(steps, segment, x, dtype));
  const Value first_x = steps.take(xp, 0, zero), last_x = steps.take(xp, 0, Value(int64_t{-1}));
  const Value left = beyond(steps, call, of_left, steps.take(fp, 0, zero), dtype);
  const Value right = beyond(steps, call, of_right, steps.take(fp, 0, Value(int64_t{-1})), dtype);
  const Value up_to_right = steps.where(steps.greater(x, last_x), right, inside);
  return steps.where(steps.less(x, first_x), left, up_to_right);
}

std::vector<Parameter> diff_parameters() {
  return {any_parameter("x"),
          attribute("n", int64_t{1}),
          attribute("axis", int64_t{-1}),
          {.name = "prepend", .kind = ParameterKind::any, .required = false, .fallback = {}},
          {.name = "append", .kind = ParameterKind::any, .required = false, .fallback = {}}};
}

const Entry& diff_entry() {
  static const Entry entry{
      .name = "diff",
      .doc =
          "Each element less the one before it, along `axis`, one element fewer; `n` times over.\n\n"
          "`prepend` and `append`, numbers or tensors, are put before and behind `x` first. Bools are subtracted as "
          "`i64`.",
      .parameters = diff_parameters(),
      .eager = diff_eager,
      .complex = by_parts,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 4.0, 9.0, 16.0]", .expected = "[3.0, 5.0, 7.0]", .differentiate = true},
                  {.arguments = "[1, 4, 9, 16], n=2", .expected = "[2, 2]"},
                  {.arguments = "[[1.0, 2.0], [4.0, 8.0]], axis=0", .expected = "[[3.0, 6.0]]", .differentiate = true},
                  {.arguments = "[1.0, 4.0], prepend=0, append=[4.0]", .expected = "[1.0, 3.0, 0.0]"},
                  {.arguments = "[5.0]", .expected = "zeros(0)"},
                  {.arguments = "[true, false, true]", .expected = "[-1, 1]", .source = "the language: bools count"}},
      .staging = Staging::structural,
  };
  return entry;
}

std::vector<Parameter> trapezoid_parameters() {
  return {any_parameter("y"),
          {.name = "x", .kind = ParameterKind::any, .required = false, .fallback = {}},
          {.name = "dx", .kind = ParameterKind::any, .required = false, .fallback = Value(1.0)},
          attribute("axis", int64_t{-1})};
}

const Entry& trapezoid_entry() {
  static const Entry entry{
      .name = "trapezoid",
      .doc =
          "The integral along `axis` by the trapezoid rule of a function with the values `y` at the points `x` (a "
          "vector, or of the shape of `y`), or at points `dx` apart.\n\nA nan makes it nan.",
      .parameters = trapezoid_parameters(),
      .eager = trapezoid_eager,
      .complex = by_parts,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 4.0]", .expected = "4.5", .differentiate = true},
                  {.arguments = "[1.0, 2.0, 4.0], [0.0, 1.0, 3.0]", .expected = "7.5", .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [3.0, 5.0]], [0.0, 2.0], axis=0", .expected = "[4.0, 7.0]"},
                  {.arguments = "[1, 2, 4], dx=0.5", .expected = "2.25"},
                  {.arguments = "[[1.0, 2.0], [3.0, 5.0]], [[0.0, 1.0], [0.0, 2.0]]", .expected = "[1.5, 8.0]"},
                  {.arguments = "[1.0]", .expected = "0.0"}},
      .staging = Staging::structural,
  };
  return entry;
}

std::vector<Parameter> cumulative_trapezoid_parameters() {
  std::vector<Parameter> parameters = trapezoid_parameters();
  parameters.push_back({.name = "initial", .kind = ParameterKind::any, .required = false, .fallback = {}});
  return parameters;
}

const Entry& cumulative_trapezoid_entry() {
  static const Entry entry{
      .name = "cumulative_trapezoid",
      .doc =
          "The integral from the first point to each other along `axis`, by the trapezoid rule: the last is that of "
          "`trapezoid`, which takes the same arguments.\n\n"
          "There is one less than there are points; `initial=0` puts the first integral, which is 0, in front.",
      .parameters = cumulative_trapezoid_parameters(),
      .eager = cumulative_trapezoid_eager,
      .complex = cumulative_trapezoid_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 4.0]", .expected = "[1.5, 4.5]", .source = "scipy", .differentiate = true},
                  {.arguments = "[1.0, 2.0, 4.0], [0.0, 1.0, 3.0], initial=0",
                   .expected = "[0.0, 1.5, 7.5]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [3.0, 5.0]], [0.0, 2.0], axis=0",
                   .expected = "[[4.0, 7.0]]",
                   .source = "scipy"},
                  {.arguments = "[1, 2, 4], dx=0.5", .expected = "[0.75, 2.25]", .source = "scipy"},
                  {.arguments = "[1.0], initial=0", .expected = "[0.0]", .source = "scipy"},
                  {.arguments = "[1.0]", .expected = "zeros(0)", .source = "scipy"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& interp_entry() {
  static const Entry entry{
      .name = "interp",
      .doc =
          "At each element of `x` the function that goes straight from point to point: `xp`, ascending, and `fp`, its "
          "values there. A point below the one before it, or a nan among `xp`, is an error.\n\n"
          "Below the first point it is `left`, behind the last `right`, by default the values at these points. nan "
          "gives nan. Differentiable by `x`, `xp`, `fp`.",
      .parameters = {any_parameter("x"),
                     any_parameter("xp"),
                     any_parameter("fp"),
                     {.name = "left", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     {.name = "right", .kind = ParameterKind::any, .required = false, .fallback = {}}},
      .eager = interp_eager,
      .complex = by_parts_of<4>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.5, 1.25, 2.0], [0.0, 1.0, 3.0], [0.0, 10.0, 30.0]",
                   .expected = "[5.0, 12.5, 20.0]",
                   .differentiate = true},
                  {.arguments = "[-1.0, 9.0, 3.0, nan], [0.0, 1.0, 3.0], [5.0, 10.0, 30.0]",
                   .expected = "[5.0, 30.0, 30.0, nan]"},
                  {.arguments = "[-1.0, 9.0], [0.0, 1.0], [5.0, 10.0], left=-7, right=0.5", .expected = "[-7.0, 0.5]"},
                  {.arguments = "2, [1, 3], [10, 20]", .expected = "15.0"},
                  {.arguments = "[0.0, 5.0], [2.0], [7.0]", .expected = "[7.0, 7.0]"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family sampled_family() {
  static const Entry* const entries[] = {
      &diff_entry(),           &trapezoid_entry(),    &cumulative_trapezoid_entry(), &interp_entry(),
      &expect_lengths_entry(), &expect_least_entry(), &expect_ascending_entry(),     &expect_all_entry(),
      &expect_fit_entry()};
  static const std::vector<const Entry*> all = joined({entries, sampled_series_entries()});
  return all;
}

}  // namespace covec::ops
