// lu of real and of complex matrices. Inside, L, U and the order of the rows are one tensor, side by side. Derivatives:
// de Hoog, Anderssen and Lukas, "Differentiation of matrix functionals using triangular factorization" (2011).
#include <algorithm>

#include "stdlib/decompositions/complex_factor.hpp"
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
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- the decomposition ---

// L below the diagonal, U from there on, and in one column more where the rows of a have come from.
template <class Field>
Type packed_lu_type(ShapeBuilder& shapes, const Call& call) {
  Type type = matrix_operand(call, 0);
  type.dtype = float_dtype(type.dtype);
  Dim& columns = type.shape[type.shape.rank() - 1];
  columns = shapes.add(packed_columns<Field>(shapes, columns), Dim(1));
  return type;
}

template <class T>
void put_lu(std::initializer_list<const T*> factors, const int64_t* order, int64_t rows, int64_t columns, T* to) {
  for (int64_t i = 0; i < rows; ++i) {
    for (const T* part : factors) to = std::copy_n(part + i * columns, columns, to);
    *to++ = static_cast<T>(order[i]);
  }
}

Value packed_lu_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch room = numbers<int64_t>(builder, a.rows);
    auto* const order = room.as<int64_t>();
    for (int64_t number = 0; number < a.count; ++number) {
      kernels::factor_lu(builder.context(), dense<T>(a, number), order);
      put_lu<T>({a.at<T>(number)}, order, a.rows, a.columns, packed.at<T>(number));
    }
  });
  return std::move(packed.value);
}

Value packed_complex_lu_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack re = Stack::of(builder, call.args[0], type.dtype, false);
  Stack im = Stack::of(builder, call.args[1], type.dtype, false);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const int64_t elements = re.rows * re.columns;
    const Scratch factors = numbers<T>(builder, 2 * elements), room = numbers<int64_t>(builder, re.rows);
    auto* const order = room.as<int64_t>();
    const kernels::ComplexTarget<T> both{factors.as<T>(), factors.as<T>() + elements};
    for (int64_t number = 0; number < re.count; ++number) {
      const kernels::ComplexParts<T> a{re.at<T>(number), im.at<T>(number), re.rows, re.columns};
      kernels::complex_lu(builder.context(), a, both, order);
      put_lu<T>({both.re, both.im}, order, re.rows, re.columns, packed.at<T>(number));
    }
  });
  return std::move(packed.value);
}

// --- its parts ---

Dim smaller(Steps& steps, Dim a, Dim b) {
  if (a == b) return a;
  if (a.known() && b.known()) return Dim(std::min(a.number(), b.number()));
  return steps.size(steps.minimum(steps.builder().extent(a), steps.builder().extent(b)));
}

// L and U of the m × n matrix that holds both: L below the diagonal, with ones on it where `unit`, U from there on.
template <class Matrix>
struct Factors {
  Matrix l, u;
};

Factors<Value> factors_in(Builder& builder, const Value& both, const Type& a, bool unit = true) {
  Steps steps(builder);
  const Matrices m(builder);
  const unsigned rank = a.shape.rank();
  const Dim rows = a.shape[rank - 2], least = smaller(steps, rows, a.shape[rank - 1]);
  Value l = m.lower(m.columns(both, Dim(0), least), false);
  // Ones on the diagonal of what may be higher than wide.
  if (unit) l = m.add(std::move(l), m.columns(m.eye(rows, logical_type(both).dtype), Dim(0), least));
  return {std::move(l), m.triangle(narrow(builder, both, rank - 2, Dim(0), least), false, true)};
}

Factors<ComplexMatrix> factors_in(Builder& builder, const ComplexMatrix& both, const Type& a) {
  Factors<Value> re = factors_in(builder, both.re, a), im = factors_in(builder, both.im, a, false);
  return {{std::move(re.l), std::move(im.l)}, {std::move(re.u), std::move(im.u)}};
}

// P with P·L·U = a, of a column that says where the rows have come from.
Value permutation_of(Builder& builder, const Value& order, Dim rows) {
  Steps steps(builder);
  const Dtype dtype = logical_type(order).dtype;
  const Value places =
      steps.cast(steps.call(handles().arange, {builder.extent(rows), Value(), Value(), Value()}), dtype);
  return Matrices(builder).transposed(steps.cast(steps.equal(order, places), dtype));
}

// Of the packed decomposition of m × n matrices.
template <class Field>
struct LuParts {
  Factors<typename Field::Matrix> factors;
  Value p;  // p @ l @ u is a

  LuParts(Builder& builder, const Value& packed, const Type& a) {
    const unsigned rank = a.shape.rank();
    Unpacking from(builder, packed);
    factors = factors_in(builder, from.matrix<Field>(last_dim(a)), a);
    p = permutation_of(builder, from.real(Dim(1)), a.shape[rank - 2]);
  }
};

// --- derivatives ---

void require_square_factors(const Type& a) {
  const unsigned rank = a.shape.rank();
  const Dim rows = a.shape[rank - 2], columns = a.shape[rank - 1];
  if (rows == columns) return;
  if (rows.known() && columns.known()) fail(message("lu_derivative"), {a.text()});
  fail_not_staged("whether lu's matrices are square");
}

// Of square matrices alone. With F = L⁻¹·Pᵀ·dA·U⁻¹: dL = L·(F below the diagonal), dU = (F from the diagonal on)·U.
template <class Field>
struct LuRule {
  using Matrix = typename Field::Matrix;
  RuleContext& rule;
  Field f{rule};
  Value p;
  Matrix l, u;
  Type a;

  LuRule(RuleContext& context, const Residuals& residuals) : rule(context), a(residuals.types[0]) {
    LuParts<Field> parts(context.builder(), *residuals.result, a);
    p = std::move(parts.p);
    l = std::move(parts.factors.l);
    u = std::move(parts.factors.u);
    require_square_factors(a);
  }
  Matrix low(const Matrix& x) const { return f.lower(x, false); }
  Matrix high(const Matrix& x) const { return f.triangle(x, false, true); }
  Matrix solved(const Matrix& triangle, Matrix b, bool lower, bool trans) const {
    return solve_triangle(rule.builder(), triangle, std::move(b), lower, trans, lower);
  }
  // X with X·U = b, or X·Uᴴ = b.
  Matrix over_u(const Matrix& b) const { return f.transposed(solved(u, f.transposed(b), false, true)); }
  Matrix over_adjoint_u(const Matrix& b) const {
    return f.transposed(solved(f.conj(u), f.transposed(b), false, false));
  }

  Value jvp(const Matrix& da) const {
    const Matrix order = Field::of_real(Matrices(rule).transposed(p));
    const Matrix x = over_u(solved(l, f.product(order, da), true, false));
    const Matrix moved = f.add(f.product(l, low(x)), f.product(high(x), u));
    Shape shape = a.shape;
    shape[shape.rank() - 1] = Dim(1);
    return side_by_side(rule.builder(), moved, rule.zeros({logical_type(components(moved)[0]).dtype, shape}));
  }
  Matrix vjp(const Value& cotangent) const {
    const Matrix g = Unpacking(rule.builder(), cotangent).template matrix<Field>(last_dim(a));
    const Matrix of_l = low(f.product(f.adjoint(l), low(g)));
    const Matrix of_u = high(f.product(high(g), f.adjoint(u)));
    return f.product(Field::of_real(p), over_adjoint_u(solved(f.conj(l), f.add(of_l, of_u), true, true)));
  }
};

template <class Field>
Value lu_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const auto da = tangent_of<Field>(rule, residuals, tangents, 0);
  return Field::is_absent(da) ? Value() : LuRule<Field>(rule, residuals).jvp(da);
}

template <class Field>
void lu_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (wants_matrix<Field>(out, 0)) add_matrix(LuRule<Field>(rule, residuals).vjp(cotangent), out, 0);
}

// --- entries ---

const Entry& packed_lu_entry() {
  static const Entry entry{
      .name = "packed_lu",
      .doc = "L and U in one matrix, and in one column more the order of the rows.",
      .parameters = {tensor_parameter("a")},
      .type = packed_lu_type<Matrices>,
      .eager = packed_lu_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, lu_jvp<Matrices>, lu_vjp<Matrices>),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .internal = true,
      .part_of = "lu"};
  return entry;
}

const Entry& packed_complex_lu_entry() {
  static const Entry entry{.name = "packed_complex_lu",
                           .doc = "Both parts of L and U in one matrix, and in one column more the order of the rows.",
                           .parameters = {tensor_parameter("re"), tensor_parameter("im")},
                           .type = packed_lu_type<ComplexMatrices>,
                           .eager = packed_complex_lu_eager,
                           .derivative = Derivative::by_hand(Derivative::result_bit | guarded, lu_jvp<ComplexMatrices>,
                                                             lu_vjp<ComplexMatrices>),
                           .batch = operands_batch,
                           .internal = true,
                           .part_of = "lu"};
  return entry;
}

Value lu_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type a = matrix_operand(call, 0);
  const Value x = cast_to(builder, std::move(call.args[0]), float_dtype(a.dtype));
  LuParts<Matrices> parts(builder, ops::call(builder, packed_lu_entry(), {x}), a);
  return make_tuple({std::move(parts.p), std::move(parts.factors.l), std::move(parts.factors.u)});
}

Value lu_complex(Builder& builder, Call& call) {
  const ComplexMatrix x{complex_of(call.args[0]).re(), complex_of(call.args[0]).im()};
  call.args[0] = x.re;
  require_operand(builder, call, 0);
  const Type a = matrix_operand(call, 0);
  const LuParts<ComplexMatrices> parts(builder, ops::call(builder, packed_complex_lu_entry(), {x.re, x.im}), a);
  const auto& [l, u] = parts.factors;
  return make_tuple({parts.p, complex_value(builder, l.re, l.im), complex_value(builder, u.re, u.im)});
}

const Entry& lu_entry() {
  static const Entry entry{
      .name = "lu",
      .doc =
          "`(p, l, u)` with `p @ l @ u = a`: a permutation matrix, a lower triangular one with ones on its diagonal, "
          "an upper triangular one, by partial pivoting; of stacks of matrices too. The pivot of complex numbers is "
          "the one whose real and imaginary part have the largest sum of magnitudes, as LAPACK has it.\n\n"
          "Square matrices can be differentiated (`p` is constant), where `u` has an inverse.",
      .parameters = {any_parameter("a")},
      .eager = lu_eager,
      .complex = lu_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0], [4.0, 2.0]]",
                   .expected = "([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.25, 1.0]], [[4.0, 2.0], [0.0, 1.5]])",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[2, 4, 6], [1, 3, 5]]",
                   .expected = "([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 1.0]], [[2.0, 4, 6], [0, 1, 2]])",
                   .source = "scipy"},
                  {.arguments = "[[1.0], [2.0], [4.0]]",
                   .expected = "([[0.0, 0, 1], [0, 1, 0], [1, 0, 0]], [[1.0], [0.5], [0.25]], [[4.0]])",
                   .source = "scipy"},
                  {.arguments = "[[0.0, 0.0], [0.0, 0.0]]",
                   .expected = "(eye(2), eye(2), zeros(2, 2))",
                   .source = "scipy"},
                  {.arguments = "[[1, 2im], [4im, 2]]",
                   .expected = "([[0.0, 1.0], [1.0, 0.0]], [[1.0 + 0im, 0], [-0.25im, 1]], [[4im, 2], [0, 2.5im]])",
                   .source = "torch",
                   .ulp = 4}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_lu_entries() {
  static const Entry* const entries[] = {&packed_lu_entry(), &packed_complex_lu_entry(), &lu_entry()};
  return entries;
}

}  // namespace covec::ops
