// solve_triangular and cho_solve of real and of complex triangles. The derivatives of a solve are solves by the same
// triangle.
#include "stdlib/decompositions/factor.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using kernels::Dense;
using kernels::Triangle;

const Entry& complex_triangle_entry();

// --- real triangles ---

constexpr unsigned of_lower = 2, of_trans = 3, of_unit = 4;  // operands of both entries
constexpr unsigned of_vector = 5;                            // of solve_triangle: what messages call the right side

Type triangle_type(ShapeBuilder& shapes, const Call& call) {
  return system_type(shapes, call, flag_argument(call, of_vector));
}

// The triangle that is read, transposed where it is to be, with ones on its diagonal where they are meant.
template <class T>
void take_triangle(const Call& call, Dense<T> a, bool transposed, int64_t number, int64_t count) {
  if (transposed) {
    for (int64_t i = 0; i < a.rows; ++i) {
      for (int64_t j = 0; j < i; ++j) std::swap(a(i, j), a(j, i));
    }
  }
  for (int64_t i = 0; i < a.rows; ++i) {
    if (flag_argument(call, of_unit)) a(i, i) = T(1);
    if (a(i, i) == T(0))
      fail(message("singular"), {shown_name(call.entry), matrix_number(number, count)}, {label_of(call, 0)});
  }
}

Value triangle_eager(Builder& builder, Call& call) {
  const Type type = triangle_type(builder, call);
  const bool transposed = flag_argument(call, of_trans), lower = flag_argument(call, of_lower) != transposed;
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Stack x = Stack::of(builder, call.args[1], type.dtype, true);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t i = 0; i < x.count; ++i) {
      const Dense<T> factor{a.at<T>(i), a.rows, a.columns, a.columns}, right{x.at<T>(i), x.rows, x.columns, x.columns};
      take_triangle(call, factor, transposed, i, x.count);
      kernels::solve_triangle(builder.context(), factor, lower ? Triangle::lower : Triangle::upper, right);
    }
  });
  return std::move(x.value);
}

// --- derivatives: solves by the same triangle, read the other way round for its adjoint ---

template <class Field>
struct TriangleRule {
  using Matrix = typename Field::Matrix;
  RuleContext& rule;
  const Residuals& residuals;
  Field f{rule};
  Reading reading{residuals.operands, 2 * Field::parts};
  Matrix a = matrix_of<Field>(residuals, 0);

  Matrix columns_of(const Value& packed) const {
    const Shape& b = residuals.types[Field::parts].shape;
    return unpacked<Field>(rule.builder(), packed, b[b.rank() - 1]);
  }
  Matrix solved(const Matrix& triangle, Matrix b, bool adjoint) const {
    return solve_triangle(rule.builder(), triangle, std::move(b), reading.lower, reading.trans != adjoint,
                          reading.unit);
  }
  Value jvp(const Matrix& da, Matrix right) const {
    if (!Field::is_absent(da)) {
      Matrix moved = f.product(reading.as_read(f, reading.part(f, da)), columns_of(*residuals.result));
      right = Field::is_absent(right) ? f.neg(std::move(moved)) : f.sub(std::move(right), std::move(moved));
    }
    return Field::is_absent(right) ? Value() : side_by_side(rule.builder(), solved(a, std::move(right), false));
  }
  void vjp(const Value& cotangent, Cotangents& out) const {
    const Matrix of_b = solved(f.conj(a), columns_of(cotangent), true);
    if (wants_matrix<Field>(out, 0)) {
      const Matrix product = f.neg(f.product(of_b, f.adjoint(columns_of(*residuals.result))));
      add_matrix(reading.part(f, reading.as_read(f, product)), out, 0);
    }
    add_matrix(of_b, out, 1);
  }
};

template <class Field>
Value triangle_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const auto da = tangent_of<Field>(rule, residuals, tangents, 0), db = tangent_of<Field>(rule, residuals, tangents, 1);
  return TriangleRule<Field>{rule, residuals}.jvp(da, db);
}
template <class Field>
void triangle_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  TriangleRule<Field>{rule, residuals}.vjp(cotangent, out);
}

// --- complex triangles, by real ones twice as large ---

constexpr unsigned of_reading = 4,
                   of_vector_flag = 7;  // operands: both parts of a, both of b, the flags of solve_triangle

Type complex_triangle_type(ShapeBuilder& shapes, const Call& call) {
  Value real[] = {call.args[0], call.args[2]};
  const Call parts{solve_triangle_entry(), real, {}};
  Type type = system_type(shapes, parts, flag_argument(call, of_vector_flag));
  Dim& columns = type.shape[type.shape.rank() - 1];
  columns = shapes.add(columns, columns);
  return type;
}

// conj(d)/|d| for each element, 0 where d is 0.
ComplexMatrix turns_to_real(Steps& steps, const ComplexMatrix& d) {
  const Dtype dtype = logical_type(d.re).dtype;
  const Value zero = steps.number(0, dtype), one = steps.number(1, dtype);
  const auto or_one = [&](const Value& x) { return steps.where(steps.equal(x, zero), one, x); };
  const Value unit =
      or_one(steps.maximum(steps.absolute(d.re), steps.absolute(d.im)));  // so that squares stay in range
  const Value x = steps.div(d.re, unit), y = steps.div(d.im, unit);
  const Value length = or_one(steps.sqrt(steps.add(steps.mul(x, x), steps.mul(y, y))));
  return {steps.div(x, length), steps.neg(steps.div(y, length))};
}

// Rows in pairs, a real part and its imaginary part; and back.
Value interleaved_rows(Steps& steps, const ComplexMatrix& x) {
  Shape shape = logical_type(x.re).shape;
  const unsigned rank = shape.rank();
  Dim& rows = shape[rank - 2];
  rows = steps.builder().add(rows, rows);
  Value both[2] = {x.re, x.im};
  return steps.reshape(stack(steps.builder(), both, rank - 1), shape);
}
ComplexMatrix of_interleaved_rows(Steps& steps, const Value& x, const Shape& shape) {
  const unsigned rank = shape.rank();
  Shape pairs = shape;
  pairs.insert(rank - 1, Dim(2));
  const Value whole = steps.reshape(x, pairs);
  return {steps.take(whole, rank - 1, Value(int64_t{0})), steps.take(whole, rank - 1, Value(int64_t{1}))};
}

// The real form of a triangle, a block [[re, −im], [im, re]] for each element, is a triangle where the diagonal is
// real. So each row is turned first, on both sides.
Value complex_triangle_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Matrices m(builder);
  const ComplexMatrices c(steps);
  const Reading reading(call.args, of_reading);
  const bool lower = reading.lower != reading.trans;
  ComplexMatrix a{call.args[0], call.args[1]}, b{call.args[2], call.args[3]};
  if (reading.trans) a = c.transposed(a);
  if (!reading.unit) {
    const ComplexMatrix turns = c.as_column(turns_to_real(steps, c.diagonal(a)));
    a = c.mul(turns, a);
    b = c.mul(turns, b);
  }
  a.im = m.triangle(a.im, lower, false);
  const Shape shape = logical_type(b.re).shape;
  const Value x = steps.call(solve_triangle_entry(),
                             {c.interleaved(a, last_dim(logical_type(a.re))), interleaved_rows(steps, b), Value(lower),
                              Value(false), Value(reading.unit), Value(flag_argument(call, of_vector_flag))});
  return side_by_side(builder, of_interleaved_rows(steps, x, shape));
}

const Entry& complex_triangle_entry() {
  static const Entry entry{
      .name = "complex_triangle",
      .doc = "x with a @ x = b for a complex triangle, of stacks of one shape: both parts side by side.",
      .parameters = {tensor_parameter("a_re"), tensor_parameter("a_im"), tensor_parameter("b_re"),
                     tensor_parameter("b_im"), attribute("lower"), attribute("trans"), attribute("unit_diagonal"),
                     attribute("vector")},
      .type = complex_triangle_type,
      .eager = complex_triangle_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | keep_operand(1) | Derivative::result_bit | guarded,
                                        triangle_jvp<ComplexMatrices>, triangle_vjp<ComplexMatrices>),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [0.5, 3.0]], [[0.5, -1.0], [2.0, 4.0]], [[1.0], [2.0]], [[0.0], [1.0]], "
                                "true, false, false, false",
                   .expected = "[[0.47058823529411764, -0.11764705882352941], "
                               "[0.20235294117647057, -0.23058823529411762]]",
                   .source = "torch",
                   .ulp = 8,
                   .differentiate = true}},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "solve_triangular"};
  return entry;
}

// --- solve_triangular ---

Value triangular(Builder& builder, Call& call, bool lower, bool trans, bool unit) {
  const Matrices m(builder);
  System system = spread_system(builder, call);
  Value x = solve_triangle(builder, system.left, std::move(system.right), lower, trans, unit, system.vector);
  return system.vector ? m.without_column(std::move(x)) : x;
}

Value solve_triangular_eager(Builder& builder, Call& call) {
  return triangular(builder, call, flag_argument(call, of_lower), flag_argument(call, of_trans),
                    flag_argument(call, of_unit));
}

// Each part of b is solved for itself if the triangle is real.
Value complex_triangular(Builder& builder, Call& call, bool lower, bool trans, bool unit) {
  const Matrices m(builder);
  ComplexSystem system = complex_system(builder, call);
  const auto real = [&](const Value& part) {
    return ops::call(builder, solve_triangle_entry(),
                     {system.left.re, part, Value(lower), Value(trans), Value(unit), Value(system.vector)});
  };
  ComplexMatrix x = system.left.is_real()
                        ? ComplexMatrix{real(system.right.re), real(system.right.im)}
                        : solve_triangle(builder, system.left, system.right, lower, trans, unit, system.vector);
  if (system.vector) x = {m.without_column(x.re), m.without_column(x.im)};
  return complex_value(builder, x.re, x.im);
}

Value conjugated(Builder& builder, const Value& x) {
  return is_complex(x) ? ops::call(builder, handles().conj, {x}) : x;
}

Value solve_triangular_complex(Builder& builder, Call& call) {
  return complex_triangular(builder, call, flag_argument(call, 2), flag_argument(call, 3), flag_argument(call, 4));
}

// --- cho_solve ---

// The factor may be given with whether it is lower, as a pair.
void take_pair(Call& call) {
  Value& given = call.args[0];
  if (!given.is(ObjectKind::tuple) || given.tuple().items.size() != 2) return;
  const std::vector<Value> pair = given.tuple().items;
  given = pair[0];
  call.args[2] = pair[1];
}

// By the factor and its adjoint.
Value cho_solve_complex(Builder& builder, Call& call) {
  take_pair(call);
  const bool lower = flag_argument(call, 2);
  const Value factor = call.args[0];
  const auto solve = [&](const Value& right, bool trans) {
    Value args[] = {trans ? conjugated(builder, factor) : factor, right};
    Call part{call.entry, args, {}};
    return complex_triangular(builder, part, lower, trans, false);
  };
  return solve(solve(call.args[1], !lower), lower);
}

Value cho_solve_eager(Builder& builder, Call& call) {
  take_pair(call);
  if (is_complex(call.args[0])) return cho_solve_complex(builder, call);
  const bool lower = flag_argument(call, 2);
  require_operand(builder, call, 0);
  square_for_sure(builder, call, 0);
  const Value factor = call.args[0];
  Value first[] = {factor, call.args[1]}, second[] = {factor, Value()};
  Call forwards{call.entry, first, {}};
  second[1] = triangular(builder, forwards, lower, !lower, false);
  Call back{call.entry, second, {}};
  return triangular(builder, back, lower, lower, false);
}

const Entry& solve_triangular_entry() {
  static const Entry entry{
      .name = "solve_triangular",
      .doc =
          "x with `a @ x = b`, for triangular `a`: its upper triangle, or with `lower=true` its lower one; what is on "
          "the other side is not read.\n\n"
          "`trans=true` solves `a.T @ x = b` (of complex `a`, too, with nothing conjugated); `unit_diagonal=true` "
          "takes the diagonal as ones. `b` is a vector or a "
          "matrix of columns; stacks of matrices broadcast. A diagonal with a 0 is an error.",
      .parameters = {any_parameter("a"), any_parameter("b"), attribute("lower", false), attribute("trans", false),
                     attribute("unit_diagonal", false)},
      .eager = solve_triangular_eager,
      .complex = solve_triangular_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0]",
                   .expected = "[1.0, 2.0]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[2.0, 9.0], [1.0, 4.0]], [4.0, 10.0], lower=true",
                   .expected = "[2.0, 2.0]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[2.0, 1.0], [0.0, 4.0]], [[4.0], [10.0]], trans=true",
                   .expected = "[[2.0], [2.0]]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[7.0, 9.0], [3.0, 8.0]], [1.0, 5.0], lower=true, unit_diagonal=true",
                   .expected = "[1.0, 2.0]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[2, 0], [0, 4]], [2, 2]", .expected = "[1.0, 0.5]", .source = "scipy"},
                  {.arguments = "[[2im, 1], [0, 4]], [2im, 8]",
                   .expected = "[1.0 + 1im, 2.0 + 0im]",
                   .source = "torch",
                   .ulp = 4}},
      .staging = Staging::structural};
  return entry;
}

const Entry& cho_solve_entry() {
  static const Entry entry{
      .name = "cho_solve",
      .doc =
          "x with `a @ x = b`, given the factor of `a` that `cholesky` finds: `cho_solve(cholesky(a), b)`.\n\n"
          "With `lower=false` (or the pair `(c, false)` for `c`) the factor is upper triangular, `c.T @ c = a` "
          "(complex: `c.H @ c = a`).",
      .parameters = {any_parameter("c"), any_parameter("b"), attribute("lower", true)},
      .eager = cho_solve_eager,
      .complex = cho_solve_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 0.0], [1.0, 2.0]], [8.0, 14.0]", .expected = "[0.75, 2.5]", .source = "scipy"},
                  {.arguments = "[[2.0, 1.0], [0.0, 2.0]], [[8.0], [14.0]], lower=false",
                   .expected = "[[0.75], [2.5]]",
                   .source = "scipy"},
                  {.arguments = "[[2, 0], [1im, 2]], [8, 14im]",
                   .expected = "[0.75 + 0im, 2.5im]",
                   .source = "torch",
                   .ulp = 4}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Value solve_triangle(Builder& builder, const Value& a, Value b, bool lower, bool trans, bool unit, bool vector) {
  return ops::call(builder, solve_triangle_entry(),
                   {a, std::move(b), Value(lower), Value(trans), Value(unit), Value(vector)});
}

ComplexMatrix solve_triangle(Builder& builder, const ComplexMatrix& a, const ComplexMatrix& b, bool lower, bool trans,
                             bool unit, bool vector) {
  const Value x = ops::call(builder, complex_triangle_entry(),
                            {a.re, a.im, b.re, b.im, Value(lower), Value(trans), Value(unit), Value(vector)});
  return unpacked<ComplexMatrices>(builder, x, last_dim(logical_type(b.re)));
}

const Entry& solve_triangle_entry() {
  static const Entry entry{.name = "solve_triangle",
                           .doc = "x with a @ x = b for a triangle, of stacks of one shape.",
                           .parameters = {tensor_parameter("a"), tensor_parameter("b"), attribute("lower"),
                                          attribute("trans"), attribute("unit_diagonal"), attribute("vector")},
                           .type = triangle_type,
                           .eager = triangle_eager,
                           .derivative = Derivative::by_hand(keep_operand(0) | Derivative::result_bit | guarded,
                                                             triangle_jvp<Matrices>, triangle_vjp<Matrices>),
                           .batch = operands_batch,
                           .pattern = pattern_of_blocks<2>,
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "solve_triangular"};
  return entry;
}

Family linalg_triangular_entries() {
  static const Entry* const entries[] = {&solve_triangle_entry(), &solve_triangular_entry(), &cho_solve_entry(),
                                         &complex_triangle_entry()};
  return entries;
}

}  // namespace covec::ops
