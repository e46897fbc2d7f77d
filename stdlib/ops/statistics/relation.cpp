// cov and corrcoef: products of the deviations of variables from their means.
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/reduce/compose.hpp"
#include "stdlib/ops/statistics/family.hpp"

namespace covec::ops {

namespace {

constexpr unsigned of_y = 1, rowvar = 2, correction = 3;  // operand numbers, in the order of cov's parameters

// Variables as rows; a vector is one.
Value as_rows(Builder& builder, const Call& call, Value x) {
  const unsigned rank = logical_type(x).shape.rank();
  if (rank == 1) return unsqueeze(builder, std::move(x), 0);
  if (flag_argument(call, rowvar)) return x;
  const unsigned transposed[] = {1, 0};
  return permute(builder, std::move(x), transposed);
}

Value variables(Builder& builder, Call& call, unsigned operand) {
  const unsigned rank = operand_of(builder, call, operand).shape.rank();
  if (rank != 1 && rank != 2) fail_attribute(call, operand, "a vector or a matrix");
  return as_rows(builder, call, float_operand(builder, call, operand));
}

// Both of one float dtype, y below x.
Value all_variables(Builder& builder, Call& call) {
  Value x = variables(builder, call, 0);
  if (call.args[of_y].is_none()) return x;
  Value y = variables(builder, call, of_y);
  const Dtype dtype = product_dtype(logical_type(x).dtype, logical_type(y).dtype);
  Steps(builder).same_length(logical_type(x).shape[1], logical_type(y).shape[1], call.entry.name, "x", "y");
  Value both[] = {cast_to(builder, std::move(x), dtype), cast_to(builder, std::move(y), dtype)};
  return concat(builder, both, 0);
}

Value divisor(Steps& steps, const Call& call, const Type& x) {
  if (call.args.size() <= correction) return steps.number(1, x.dtype);
  const Value& less = call.args[correction];
  const Type type = is_operand(less) ? logical_type(less) : Type{Dtype::boolean, {}};
  if (type.shape.rank() != 0 || type.dtype == Dtype::boolean) fail_attribute(call, correction, "a number");
  const Value left = steps.sub(steps.extent(x.shape[1], x.dtype), steps.cast(less, x.dtype));
  return steps.maximum(left, steps.number(0, x.dtype));
}

Value from_means(Steps& steps, const Value& rows) { return steps.call(centred_entry(), {rows, Value(int64_t{1})}); }
Value transposed(Steps& steps, const Value& matrix) {
  const unsigned axes[] = {1, 0};
  return steps.transpose(matrix, axes);
}

Value covariances(Steps& steps, const Call& call, const Value& rows) {
  const Value off = from_means(steps, rows);
  const Value products = matmul(steps.builder(), off, transposed(steps, off));
  return steps.div(products, divisor(steps, call, logical_type(rows)));
}

// Of one vector alone it is a number.
Value without_axes(Builder& builder, const Value& matrix, bool single) {
  return single ? reshape(builder, matrix, {}) : matrix;
}

bool is_single(const Call& call, const Type& x) { return x.shape.rank() == 1 && call.args[of_y].is_none(); }

Value cov_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const bool single = is_single(call, operand_of(builder, call, 0));
  const Value rows = all_variables(builder, call);
  return without_axes(builder, covariances(steps, call, rows), single);
}

// Rounding must not carry it beyond 1.
Value corrcoef_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const bool single = is_single(call, operand_of(builder, call, 0));
  const Value rows = all_variables(builder, call);
  const Dtype dtype = logical_type(rows).dtype;
  const Value c = covariances(steps, call, rows);
  const Value spread = steps.sqrt(diagonal(builder, c, Value(int64_t{0})));
  const Value ratio = steps.div(steps.div(c, unsqueeze(builder, spread, 1)), spread);
  const Value one = steps.number(1, dtype);
  return without_axes(builder, steps.maximum(steps.minimum(ratio, one), steps.neg(one)), single);
}

// --- of complex variables ---

struct Parts {
  Value re, im;
};

// The real and the imaginary parts of all variables.
Parts parts_of_variables(Builder& builder, Call& call) {
  for (const unsigned i : {0u, of_y}) {
    if (call.args[i].is_none()) continue;
    if (!is_complex(call.args[i])) require_operand(builder, call, i);
    const unsigned rank = logical_type(real_part(call.args[i])).shape.rank();
    if (rank != 1 && rank != 2) fail_attribute(call, i, "a vector or a matrix");
  }
  const std::vector<Value> given(call.args.begin(), call.args.end());
  const auto all = [&](bool real) {
    for (const unsigned i : {0u, of_y}) {
      if (given[i].is_none()) continue;
      call.args[i] = real ? real_part(given[i]) : imaginary_part(builder, given[i]);
    }
    return all_variables(builder, call);
  };
  Value re = all(true);
  return {std::move(re), all(false)};
}

// Each deviation times the conjugate of another: the matrix is Hermitian, and its diagonal real.
Parts complex_covariances(Steps& steps, const Call& call, const Parts& rows) {
  Builder& builder = steps.builder();
  const Value re = from_means(steps, rows.re), im = from_means(steps, rows.im), re_t = transposed(steps, re);
  const Value squares = steps.add(matmul(builder, re, re_t), matmul(builder, im, transposed(steps, im)));
  const Value mixed = matmul(builder, im, re_t), by = divisor(steps, call, logical_type(rows.re));
  return {steps.div(squares, by), steps.div(steps.sub(mixed, transposed(steps, mixed)), by)};
}

Value complex_without_axes(Builder& builder, const Parts& matrix, bool single) {
  return complex_value(builder, without_axes(builder, matrix.re, single), without_axes(builder, matrix.im, single));
}

bool is_single_complex(Call& call) {
  return call.args[of_y].is_none() && logical_type(real_part(call.args[0])).shape.rank() == 1;
}

Value cov_complex(Builder& builder, Call& call) {
  Steps steps(builder);
  const bool single = is_single_complex(call);
  const Parts rows = parts_of_variables(builder, call);
  return complex_without_axes(builder, complex_covariances(steps, call, rows), single);
}

// Rounding must not carry a part beyond 1, as NumPy has it.
Value corrcoef_complex(Builder& builder, Call& call) {
  Steps steps(builder);
  const bool single = is_single_complex(call);
  const Parts c = complex_covariances(steps, call, parts_of_variables(builder, call));
  const Value spread = steps.sqrt(diagonal(builder, c.re, Value(int64_t{0})));
  const Value one = steps.number(1, logical_type(spread).dtype);
  const auto ratio = [&](const Value& part) {
    const Value whole = steps.div(steps.div(part, unsqueeze(builder, spread, 1)), spread);
    return steps.maximum(steps.minimum(whole, one), steps.neg(one));
  };
  return complex_without_axes(builder, {ratio(c.re), ratio(c.im)}, single);
}

const Entry& cov_entry() {
  static const Entry entry{
      .name = "cov",
      .doc =
          "The covariances of variables, which are the rows of `x` (its columns with `rowvar=false`) and of `y`: a "
          "matrix; of one vector a number, its variance.\n\n"
          "The sums are divided by the number of observations less `correction` (1: those of a sample; `var` and `std` "
          "have 0). nan in a variable makes all of its covariances nan. Of complex variables, element (i, j) has the "
          "deviations of i times the conjugates of those of j.",
      .parameters = {any_parameter("x"),
                     {.name = "y", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     attribute("rowvar", true),
                     attribute("correction", int64_t{1})},
      .eager = cov_eager,
      .complex = cov_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]]",
                   .expected = "[[2.3333333333333335, -0.5], [-0.5, 1.0]]",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "[1.0, 2.0, 4.0], [3.0, 1.0, 2.0], correction=0",
                   .expected = "[[1.5555555555555556, -0.33333333333333331], [-0.33333333333333331, "
                               "0.66666666666666663]]",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[[1, 3], [2, 1], [4, 2]], rowvar=false",
                   .expected = "[[2.3333333333333335, -0.5], [-0.5, 1.0]]",
                   .ulp = 2},
                  {.arguments = "[1.0, 2.0, 4.0]", .expected = "2.3333333333333335", .ulp = 2, .differentiate = true},
                  {.arguments = "[1.0]", .expected = "nan"},
                  {.arguments = "[[1.0 + 1im, 2im, 3], [1, 1im, 2 + 2im]]",
                   .expected = "[[3.3333333333333335 + 0im, 1.0 - 2im], [1.0 + 2im, 2.0 + 0im]]",
                   .ulp = 4}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& corrcoef_entry() {
  static const Entry entry{
      .name = "corrcoef",
      .doc =
          "Pearson's correlation coefficients of variables, which are the rows of `x` (its columns with "
          "`rowvar=false`) and of `y`: a matrix; of one vector a number.\n\n"
          "nan where a variable is constant or holds nan.",
      .parameters = {any_parameter("x"),
                     {.name = "y", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     attribute("rowvar", true)},
      .eager = corrcoef_eager,
      .complex = corrcoef_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]]",
                   .expected = "[[1.0, -0.32732683535398854], [-0.32732683535398854, 1.0]]",
                   .ulp = 4},
                  {.arguments = "[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]", .expected = "[[1.0, 1.0], [1.0, 1.0]]", .ulp = 2},
                  {.arguments = "[1.0, 1.0]", .expected = "nan"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family statistics_relation_entries() {
  static const Entry* const entries[] = {&cov_entry(), &corrcoef_entry()};
  return entries;
}

}  // namespace covec::ops
