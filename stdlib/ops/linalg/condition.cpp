// matrix_rank and cond, from singular values, or from a matrix and its inverse.
#include <limits>

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// The matrix, real or complex, of floats; `type` is that of its parts, of which errors speak.
Value matrix_in(Builder& builder, Call& call, bool square, Type& type) {
  const Value given = call.args[0];
  call.args[0] = real_part(given);
  require_operand(builder, call, 0);
  type = square ? square_for_sure(builder, call, 0) : matrix_operand(call, 0);
  type.dtype = float_dtype(type.dtype);
  Value re = cast_to(builder, std::move(call.args[0]), type.dtype);
  return is_complex(given) ? complex_value(builder, std::move(re), complex_of(given).im()) : re;
}

Value singular_values(Builder& builder, Call& call, Type& type) {
  const Value x = matrix_in(builder, call, false, type);
  const Value parts = ops::call(builder, svd_entry(), {x, Value(false)});
  return parts.tuple().items[1];
}

Value inverse_or_inf(Steps& steps, const Value& a, const Type& type) {
  if (!is_complex(a)) return steps.call(inv_or_inf_entry(), {a});
  const ComplexMatrix parts{complex_of(a).re(), complex_of(a).im()};
  const Dim n = type.shape[type.shape.rank() - 1];
  const ComplexMatrix found = ComplexMatrices(steps).inverse_or_inf(parts, n);
  return complex_value(steps.builder(), found.re, found.im);
}

// Those above `tol`: without it, above as many rounding errors of the largest one as the longer side has elements.
Value matrix_rank_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  Type type;
  const Value s = singular_values(builder, call, type);
  const unsigned rank = type.shape.rank();
  Value least;
  if (call.args[1].is_none()) {
    const double epsilon = type.dtype == Dtype::f32 ? double{std::numeric_limits<float>::epsilon()}
                                                    : std::numeric_limits<double>::epsilon();
    const Value longer =
        steps.maximum(steps.extent(type.shape[rank - 2], type.dtype), steps.extent(type.shape[rank - 1], type.dtype));
    Shape one = type.shape;
    one.erase(rank - 1);
    one[rank - 2] = Dim(1);
    Value padded[2] = {s, steps.zeros({type.dtype, one})};  // of an empty matrix the largest is 0
    const Value largest = steps.reduce(handles().max, concat(builder, padded, rank - 2), Value(int64_t{-1}), true);
    least = steps.mul(largest, steps.mul(longer, steps.number(epsilon, type.dtype)));
  } else {
    least = steps.number(number_argument(call, 1), type.dtype);
  }
  return steps.reduce(handles().sum, steps.greater(s, least), Value(int64_t{-1}));
}

// The largest sum of a row's or column's magnitudes.
Value sum_norm(Steps& steps, const Value& a, bool columns) {
  const Value sums = steps.reduce(handles().sum, steps.absolute(a), Value(int64_t{columns ? -2 : -1}));
  return steps.reduce(handles().max, sums, Value(int64_t{-1}));
}

Value cond_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const double p = number_argument(call, 1);
  if (p == 1 || p == std::numeric_limits<double>::infinity()) {
    Type type;
    const Value a = matrix_in(builder, call, true, type);
    const Value inverse = sum_norm(steps, inverse_or_inf(steps, a, type), p == 1);
    const Value end = steps.number(std::numeric_limits<double>::infinity(), type.dtype);
    return steps.where(steps.equal(inverse, end), end, steps.mul(sum_norm(steps, a, p == 1), inverse));
  }
  if (p != 2 && p != -2) fail_attribute(call, 1, "2, -2, 1 or inf");
  Type type;
  const Value s = singular_values(builder, call, type);
  const Value largest = steps.reduce(handles().max, s, Value(int64_t{-1}));
  const Value least = steps.reduce(handles().min, s, Value(int64_t{-1}));
  const Value zero = steps.number(0, type.dtype), one = steps.number(1, type.dtype);
  const Value singular = steps.equal(least, zero), empty = steps.equal(largest, zero);
  if (p == -2) return steps.div(least, steps.where(empty, one, largest));
  const Value end = steps.number(std::numeric_limits<double>::infinity(), type.dtype);
  return steps.where(singular, end, steps.div(largest, steps.where(singular, one, least)));
}

const Entry& matrix_rank_entry() {
  static const Entry entry{
      .name = "matrix_rank",
      .doc =
          "How many singular values of a matrix, or of each of a stack, are above `tol`: without it above "
          "max(m, n) rounding errors of the largest one.",
      .parameters = {any_parameter("a"), attribute("tol", Value())},
      .eager = matrix_rank_eager,
      .complex = matrix_rank_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0], [2.0, 4.0]]", .expected = "1"},
                  {.arguments = "[[1.0, 2.0, 3.0], [2.0, 4.0, 7.0]]", .expected = "2"},
                  {.arguments = "[[[0.0]], [[3.0]]]", .expected = "[0, 1]"},
                  {.arguments = "[[1.0, 0.0], [0.0, 0.01]], tol=0.1", .expected = "1"},
                  {.arguments = "[[1, 1im], [1im, -1]]", .expected = "1"},
                  {.arguments = "zeros(0, 3)", .expected = "0"}},
      .staging = Staging::structural};
  return entry;
}

const Entry& cond_entry() {
  static const Entry entry{
      .name = "cond",
      .doc =
          "The condition number of a matrix, or of each of a stack: `p` 2: the largest singular value by the smallest; "
          "-2: the other way round; 1 and inf: the norm (the largest sum of a column's or a row's magnitudes) times "
          "that of the inverse. inf of a singular matrix (0 for -2).",
      .parameters = {any_parameter("a"), attribute("p", int64_t{2})},
      .eager = cond_eager,
      .complex = cond_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 0.0], [0.0, 4.0]]", .expected = "4.0", .ulp = 4, .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [3.0, 5.0]], 1", .expected = "56.0", .ulp = 16},
                  {.arguments = "[[1.0, 2.0], [0.0, 4.0]], inf", .expected = "6.0", .ulp = 4},
                  {.arguments = "[[1.0, 0.0], [0.0, 0.0]]", .expected = "inf"},
                  {.arguments = "[[1.0, 0.0], [0.0, 4.0]], -2", .expected = "0.25", .ulp = 4},
                  {.arguments = "[[3im, 0], [0, 4 + 3im]], -2", .expected = "0.6", .ulp = 4},
                  {.arguments = "[[3im, 0], [0, 4 + 3im]], 1", .expected = "1.6666666666666667", .ulp = 16}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_condition_entries() {
  static const Entry* const entries[] = {&matrix_rank_entry(), &cond_entry()};
  return entries;
}

}  // namespace covec::ops
