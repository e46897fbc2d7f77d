// norm: the root of the sum of squares. If the sum overflows or loses digits, x is first scaled by a power of two.
// Blue, "A portable Fortran program to find the Euclidean norm of a vector", ACM Transactions on Mathematical Software
// 4 (1978). Norms of matrices are made of those of vectors, or of singular values (linalg/singular_norm.cpp).

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "stdlib/kernels/elementary.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/bodies/power.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/cached.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/reduction.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// The sums of squares that are exact to rounding, and the exponent by which x is scaled below and above them.
struct Scales {
  double least, most, exponent;
  static Scales of(Dtype dtype) {
    return dtype == Dtype::f64 ? Scales{0x1p-900, 0x1p900, 600} : Scales{0x1p-100, 0x1p100, 90};
  }
};

template <class T>
bool all_between(const Value& value, T least, T most) {
  const T* const numbers = static_cast<const T*>(data_of(value));
  const int64_t count = value.is_scalar() ? 1 : value.tensor().size();
  return std::all_of(numbers, numbers + count, [=](T x) { return least <= x && x <= most; });
}

// Whether all are: then no other sum is needed.
bool are_ordinary(const Value& squares, Dtype dtype, const Scales& scales) {
  return dtype == Dtype::f64
             ? all_between<double>(squares, scales.least, scales.most)
             : all_between<float>(squares, static_cast<float>(scales.least), static_cast<float>(scales.most));
}

// A result of the reduction so that it broadcasts beside x: one number does as it is.
Value broadcastable(RuleContext& rule, const Value& result, const Shape& x, const ReduceArguments& arguments) {
  return logical_type(result).shape.empty() ? result : with_axes(rule, result, x, arguments);
}

Type length_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  return {x.dtype, reduced_shape(x.shape, reduce_arguments(call, x.shape.rank()))};
}

Value euclidean(Builder& builder, Reduction& reduction) {
  RuleContext& rule = reduction.rule;
  const Scales scales = Scales::of(reduction.type.dtype);
  Value squares = sum_of_squares_cached(builder, reduction.x, reduction.arguments);
  if (squares.is_unbound()) squares = reduction.sum(rule.mul(reduction.x, reduction.x));
  if (builder.is_eager() && are_ordinary(squares, reduction.type.dtype, scales))
    return rule.call(handles().sqrt, {squares});
  // 0 where the squares are ordinary, else by which power of two x is scaled: arithmetic alone, so that code which is
  // staged has neither a branch nor a bool, and a device keeps the numbers.
  const Value above = rule.call(handles().maximum, {squares, reduction.number(scales.least)});
  const Value clipped = rule.call(handles().minimum, {above, reduction.number(scales.most)});
  const Value side = rule.call(entry_of<Sign>(), {rule.sub(clipped, squares)});
  const Value exponent = rule.mul(side, reduction.number(scales.exponent));
  const Value scale = rule.call(entry_of<ScaleExponent>(), {reduction.number(1), exponent});
  const Value x = rule.mul(reduction.x, broadcastable(rule, scale, reduction.type.shape, reduction.arguments));
  const Value length = rule.call(handles().sqrt, {reduction.sum(rule.mul(x, x))});
  return rule.div(length, scale);
}

// The largest element (or the smallest one) along the axes, which stay with size 1; `none` where there is none.
Value extreme(Reduction& reduction, const Value& size, bool largest, const Value& none) {
  RuleContext& rule = reduction.rule;
  Shape shape = reduction.type.shape;
  Value result = size;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    if ((reduction.arguments.axes >> axis & 1) == 0) continue;
    const bool present = shape[axis].known() && shape[axis].number() > 0;
    shape[axis] = Dim(1);
    if (!present) {
      Value both[] = {std::move(result), rule.broadcast_to(none, shape)};
      result = concat(rule.builder(), both, axis);
    }
    result = rule.call(largest ? max_entry() : min_entry(),
                       {std::move(result), axes_value(uint32_t{1} << axis), Value(true)});
  }
  return result;
}

// What sizes are divided by before their powers are added: 1, but the size that counts most where the powers of it, or
// their derivatives, are beyond the range.
Value divisor_of(Reduction& reduction, const Value& size, double order) {
  RuleContext& rule = reduction.rule;
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  const Value none = reduction.number(order > 0 ? 0 : unbounded), one = reduction.number(1);
  const Value most = extreme(reduction, size, order > 0, none);
  const double bits = (reduction.type.dtype == Dtype::f64 ? 900 : 100) / std::abs(order);
  const Value clipped =
      rule.call(handles().minimum, {rule.call(handles().maximum, {most, reduction.number(kernels::power(2, -bits))}),
                                    reduction.number(kernels::power(2, bits))});
  const Value ordinary = rule.call(handles().equal, {clipped, most});
  const Value finite = rule.call(handles().less, {most, reduction.number(unbounded)});
  const Value positive = rule.call(handles().less, {reduction.number(0), most});
  const Value divides = rule.where(finite, rule.where(positive, most, one), one);
  return rule.where(ordinary, one, divides);
}

Value of_order(Reduction& reduction, double order) {
  RuleContext& rule = reduction.rule;
  const Value size = rule.call(handles().absolute, {reduction.x});
  const Value divisor = divisor_of(reduction, size, order);
  const auto power = [&](const Value& x, double exponent) {
    return rule.call(handles().power, {x, reduction.number(exponent)});
  };
  const Value sum = reduction.sum(power(rule.div(size, divisor), order));
  const Value result = power(sum, 1 / order);
  return rule.mul(result, reduction.arguments.keepdims ? divisor : reduction.sum(divisor));
}

Value length_eager(Builder& builder, Call& call) {
  const double order = number_argument(call, 3);
  Reduction reduction(builder, call, 1, 2);
  return order == 2 ? euclidean(builder, reduction) : of_order(reduction, order);
}

const Entry& length_entry();

// With the order p: sign(x) · (|x| / length)^(p - 1), the derivative; 0 where the length or x is.
Value direction(RuleContext& rule, const Residuals& residuals) {
  const Dtype dtype = residuals.types[0].dtype;
  const Value& x = residuals.operands[0];
  const Value zero = rule.number(0, dtype), one = rule.number(1, dtype);
  const Value length =
      broadcastable(rule, *residuals.result, residuals.types[0].shape, arguments_of(length_entry(), residuals));
  const Value none = rule.call(handles().equal, {length, zero});
  const double order = number_argument(residual_call(length_entry(), residuals), 3);
  if (is_differentiated(x)) {
    constexpr std::string_view text =
        "norm: the second derivative is taken as 0 where the norm is 0; for the derivative of its square, write "
        "sum(r^2)";
    rule.call(handles().warn_where, {constant_of(none), make_string(std::string(text))});
  }
  const Value part = rule.div(x, rule.where(none, one, length));
  if (order == 2) return rule.where(none, zero, part);
  const Value nothing = rule.call(handles().equal, {part, zero});
  const Value size = rule.call(handles().absolute, {rule.where(nothing, one, part)});
  const Value power = rule.call(handles().power, {size, rule.number(order - 1, dtype)});
  const Value outside = rule.call(entry_of<BitOr>(), {none, nothing});
  return rule.where(outside, zero, rule.mul(rule.call(entry_of<Sign>(), {part}), power));
}

Value length_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  return sum_along(rule, rule.scale(tangents[0], direction(rule, residuals)), arguments_of(length_entry(), residuals));
}

void length_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const Value all = spread(rule, cotangent, residuals.types[0].shape, arguments_of(length_entry(), residuals));
  out.add(0, rule.scale(all, direction(rule, residuals)));
}

const Entry& length_entry() {
  static const Entry entry{
      .name = "length",
      .doc = "The norm along the axes, of any order but 0, 1 and those that are infinite, without overflow.",
      .parameters = {tensor_parameter("x"), attribute("axis", Value()), attribute("keepdims", false),
                     attribute("ord", int64_t{2})},
      .type = length_type,
      .eager = length_eager,
      .derivative = Derivative::by_hand(1 | Derivative::result_bit, length_jvp, length_vjp),
      .batch = reduce_batch,
      .pattern = pattern_of_reduction,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3.0, -4.0]", .expected = "5.0", .differentiate = true},
                  {.arguments = "[3e300, 4e300]", .expected = "5e300"},
                  {.arguments = "[3e-300, 4e-300]", .expected = "5e-300", .ulp = 1},
                  {.arguments = "[[3.0, 4e200], [0.0, 3e200]], axis=0", .expected = "[3.0, 5e200]", .ulp = 1},
                  {.arguments = "[[3.0, 4.0], [6.0, -8.0]], axis=1, keepdims=true",
                   .expected = "[[5.0], [10.0]]",
                   .differentiate = true},
                  {.arguments = "[3.0, -4.0], ord=3", .expected = "4.497941445275415", .ulp = 2, .differentiate = true},
                  {.arguments = "[3e200, 4e200], ord=-1", .expected = "1.7142857142857144e200", .ulp = 2},
                  {.arguments = "zeros(0), ord=3", .expected = "0.0"},
                  {.arguments = "f32([3e30, 4e30])", .expected = "f32(5e30)", .ulp = 1}},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "norm"};
  return entry;
}

Value norm_of(Reduction& reduction, double order) {
  RuleContext& rule = reduction.rule;
  const Value axes = axes_value(reduction.arguments.axes), keepdims(reduction.arguments.keepdims);
  if (order != 0 && order != 1 && !std::isinf(order))
    return rule.call(length_entry(), {reduction.x, axes, keepdims, Value(order)});
  const Value size = rule.call(handles().absolute, {reduction.x});
  if (std::isinf(order)) return rule.call(order > 0 ? max_entry() : min_entry(), {size, axes, keepdims});
  if (order == 1) return reduction.sum(size);
  const Value counted = rule.call(handles().not_equal, {size, reduction.number(0)});
  return rule.cast(reduction.sum(counted), reduction.type.dtype);
}

double order_of_vectors(const Call& call) {
  if (call.args[1].is_none()) return 2;
  if (call.args[1].is(ObjectKind::string)) fail_attribute(call, 1, "a number for vectors");
  const double order = number_argument(call, 1);
  if (std::isnan(order)) fail_attribute(call, 1, "a number");
  return order;
}

// --- matrices ---

struct MatrixAxes {
  unsigned rows, columns;
};

bool gives_number(const Value& order) { return order.is_scalar() && order.tag() != Tag::boolean; }

std::string_view of_all_elements(const Call& call) {
  return gives_number(call.args[1]) ? "all elements as one vector: norm(ravel(x), ord)" : "";
}

[[noreturn]] void fail_matrix_axes(const Call& call, unsigned rank) {
  const std::string of = " where ord is given and x has rank " + std::to_string(rank);
  fail_attribute(call, 2, "an integer (of vectors) or two, (i, j) (of matrices)," + of, of_all_elements(call));
}

[[noreturn]] void fail_matrix_order(const Call& call) {
  fail_attribute(call, 1, "\"fro\", \"nuc\", 1, -1, 2, -2, inf or -inf for matrices",
                 call.args[2].is_none() ? of_all_elements(call) : "");
}

// Which axes are matrices; none where norms are of vectors. Without `ord` the elements are one vector, whatever their
// axes are.
std::optional<MatrixAxes> matrices_of(const Call& call, unsigned rank) {
  if (call.args[1].is_none()) return std::nullopt;
  if (call.args[2].is_none()) {
    if (rank < 2) return std::nullopt;
    if (rank > 2) fail_matrix_axes(call, rank);
    return MatrixAxes{0, 1};
  }
  reduce_arguments(call, rank, 2);
  const Integers axes = integers_argument(call, 2);
  if (axes.size() < 2) return std::nullopt;
  if (axes.size() > 2) fail_matrix_axes(call, rank);
  return MatrixAxes{normal_axis(call, axes[0], rank), normal_axis(call, axes[1], rank)};
}

// A norm of the matrices in the last two axes: 1 adds up their singular values, 2 is the largest, -2 the smallest.
Value of_singular_values(Builder& builder, const Value& x, int64_t order, MatrixAxes axes) {
  const bool complex = x.is(ObjectKind::complex);
  const Value re = real_part(x);
  const unsigned rank = logical_type(re).shape.rank();
  std::vector<unsigned> order_of_axes;
  for (unsigned i = 0; i < rank; ++i) {
    if (i != axes.rows && i != axes.columns) order_of_axes.push_back(i);
  }
  order_of_axes.insert(order_of_axes.end(), {axes.rows, axes.columns});
  const auto matrices = [&](Value part) {
    const Dtype dtype = float_dtype(operand_dtype(part));
    return permute(builder, cast_to(builder, std::move(part), dtype), order_of_axes);
  };
  if (!complex) return ops::call(builder, handles().singular_norm, {matrices(re), Value(order)});
  return ops::call(builder, handles().complex_singular_norm,
                   {matrices(re), matrices(imaginary_part(builder, x)), Value(order)});
}

Value norm_of_matrices(Builder& builder, Call& call, MatrixAxes axes) {
  RuleContext rule(builder, true);
  const Value &x = call.args[0], &order = call.args[1], keepdims(flag_argument(call, 3));
  const uint32_t rows = uint32_t{1} << axes.rows, columns = uint32_t{1} << axes.columns;
  const auto has_elements = [&](uint32_t along) {
    Value args[] = {real_part(x)};
    expect_elements(builder, Call{call.entry, args, {}}, along);
  };
  const auto by_singular_values = [&](int64_t number) {
    if (number != 1) has_elements(rows | columns);
    const Value result = of_singular_values(builder, x, number, axes);
    if (!keepdims.boolean()) return result;
    return with_axes(rule, result, logical_type(real_part(x)).shape, {rows | columns, true});
  };
  if (order.is(ObjectKind::string)) {
    if (order.string().text == "fro") return rule.call(call.entry, {x, Value(), axes_value(rows | columns), keepdims});
    if (order.string().text == "nuc") return by_singular_values(1);
    fail_matrix_order(call);
  }
  if (!gives_number(order)) fail_matrix_order(call);
  const double number = order.real(), size = std::abs(number);
  if (size == 2) return by_singular_values(number > 0 ? 2 : -2);
  if (size != 1 && !std::isinf(size)) fail_matrix_order(call);
  const uint32_t added = size == 1 ? rows : columns;
  has_elements((rows | columns) & ~added);
  const Value sums = rule.call(call.entry, {x, Value(int64_t{1}), axes_value(added), Value(true)});
  return rule.call(number > 0 ? max_entry() : min_entry(), {sums, axes_value(rows | columns), keepdims});
}

// Of halves it is computed in f32: their squares overflow early.
Value norm_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  if (const auto matrices = matrices_of(call, logical_type(call.args[0]).shape.rank()))
    return norm_of_matrices(builder, call, *matrices);
  const double order = order_of_vectors(call);
  Reduction reduction(builder, call, 2, 3);
  const Dtype dtype = reduction.type.dtype;
  if (!is_half(dtype)) return norm_of(reduction, order);
  reduction.type.dtype = Dtype::f32;
  reduction.x = cast_to(builder, std::move(reduction.x), Dtype::f32);
  return cast_to(builder, norm_of(reduction, order), dtype);
}

namespace {

// The length is that of the parts side by side, so that derivatives are right where one number is 0.
Value norm_complex(Builder& builder, Call& call) {
  std::vector<Value> args(call.args.begin(), call.args.end());
  Value parts[] = {real_part(args[0]), imaginary_part(builder, args[0])};
  const unsigned rank = logical_type(parts[0]).shape.rank();
  if (const auto matrices = matrices_of(call, rank)) return norm_of_matrices(builder, call, *matrices);
  if (order_of_vectors(call) != 2) {
    args[0] = ops::call(builder, handles().absolute, {args[0]});
    return ops::call(builder, call.entry, args, {}, call.literals);
  }
  const uint32_t axes = reduce_arguments(call, rank, 2).axes;
  args[0] = stack(builder, parts, rank);
  args[1] = Value();
  args[2] = axes_value(axes | uint32_t{1} << rank);
  const Value length = ops::call(builder, call.entry, args, {}, call.literals);
  if (!flag_argument(call, 3)) return length;
  return ops::call(builder, handles().squeeze, {length, Value(int64_t{-1})});
}

}  // namespace

const Entry& norm_entry() {
  static const Entry entry{
      .name = "norm",
      .doc =
          "Length of all elements as one vector (of a matrix: Frobenius' norm), or of the vectors along `axis`; with "
          "`ord` and two axes `(i, j)`, or of a matrix, a norm of matrices.\n\n"
          "`ord` of vectors: 2 (without it): the root of the sum of squares; 1: the sum of absolute values; inf and "
          "-inf: the largest and the smallest; 0: how many are not 0; another p: sum(abs(x) ^ p) ^ (1 / p).\n\n"
          "`ord` of matrices: \"fro\": Frobenius' norm; 2 and -2: the largest and the smallest singular value; "
          "\"nuc\": the sum of the singular values; 1 and -1: the largest and the smallest sum of a column's absolute "
          "values; inf and -inf: the same of rows. Axis i counts the rows, j the columns.\n\n"
          "The derivative is taken to be 0 where the norm, or a singular value that is added up, is 0. Of equal sums "
          "or singular values it is that of the first.",
      .parameters = {any_parameter("x"), attribute("ord", Value()), attribute("axis", Value()),
                     attribute("keepdims", false)},
      .eager = norm_eager,
      .complex = norm_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3.0, -4.0]", .expected = "5.0", .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [2.0, 4.0]]", .expected = "5.0", .differentiate = true},
                  {.arguments = "[3.0, -4.0], 1", .expected = "7.0", .differentiate = true},
                  {.arguments = "[3.0, -4.0], inf", .expected = "4.0", .differentiate = true},
                  {.arguments = "[3.0, -4.0], -inf", .expected = "3.0", .differentiate = true},
                  {.arguments = "[3.0, -4.0], 3", .expected = "4.497941445275415", .ulp = 2, .differentiate = true},
                  {.arguments = "[3.0, -4.0], 0.5", .expected = "13.928203230275509", .ulp = 2, .differentiate = true},
                  {.arguments = "[2.0, -4.0], -1", .expected = "1.3333333333333333", .ulp = 1, .differentiate = true},
                  {.arguments = "[3.0, 0.0, -4.0], 0", .expected = "2.0"},
                  {.arguments = "[[3.0, 4.0], [0.0, 0.0]], axis=1", .expected = "[5.0, 0.0]"},
                  {.arguments = "[[3, 4], [5, 12]], axis=-1, keepdims=true", .expected = "[[5.0], [13.0]]"},
                  {.arguments = "[1.0, nan]", .expected = "nan"},
                  {.arguments = "[-inf, 1.0]", .expected = "inf"},
                  {.arguments = "zeros(0)", .expected = "0.0"},
                  {.arguments = "[[1.0, -2.0], [3.0, 5.0]], 1", .expected = "7.0", .differentiate = true},
                  {.arguments = "[[1.0, -2.0], [3.0, 5.0]], -1", .expected = "4.0", .differentiate = true},
                  {.arguments = "[[1.0, -2.0], [3.0, 5.0]], inf", .expected = "8.0", .differentiate = true},
                  {.arguments = "[[1.0, -2.0], [3.0, 5.0]], -inf", .expected = "3.0", .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [2.0, 4.0]], \"fro\"", .expected = "5.0", .differentiate = true},
                  {.arguments = "[[1, -2], [3, 5]], 2", .expected = "5.966677650762158", .ulp = 8},
                  {.arguments = "[[1.0, -2.0], [3.0, 5.0]], -2",
                   .expected = "1.8435720251444976",
                   .ulp = 8,
                   .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [3.0, 5.0], [-2.0, 0.5]], \"nuc\"",
                   .expected = "8.24797086480837",
                   .ulp = 8,
                   .differentiate = true},
                  {.arguments = "[[[1.0, 2.0], [3.0, 5.0]], [[-1.0, 0.5], [2.0, 2.0]]], 1, axis=(2, 0), keepdims=true",
                   .expected = "[[[3.0], [8.0]]]",
                   .differentiate = true},
                  {.arguments = "[[1.0, nan], [2.0, 3.0]], -1", .expected = "nan"},
                  {.arguments = "zeros(0, 3), 1", .expected = "0.0"},
                  {.arguments = "zeros(0, 3), \"nuc\"", .expected = "0.0"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family reduce_norm_entries() {
  static const Entry* const entries[] = {&norm_entry(), &length_entry()};
  return entries;
}

}  // namespace covec::ops
