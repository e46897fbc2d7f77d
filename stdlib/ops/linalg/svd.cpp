// svd of real and of complex matrices. Inside, Uᵀ, s and Vᴴ are one tensor, side by side, so the decomposition is
// computed once and has one derivative. Derivatives: Townsend, "Differentiating the singular value decomposition"
// (2016). Equal singular values of real matrices: equal_values.hpp. Of complex ones the phases are fixed: the largest
// element of each column of U is real and positive. The derivative is that of this choice; equal values give a warning,
// and the derivative ignores the mixing of their vectors.
//
// The two fields have a rule each: that of real matrices finds limits at equal values, which the phases of complex ones
// rule out, and what both compute is added in other orders.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/decompositions/complex_factor.hpp"
#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/eigen_rule.hpp"
#include "stdlib/ops/linalg/equal_values.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const Entry& packed_svd_entry();          // (a, full, split)
const Entry& packed_complex_svd_entry();  // (re, im, full)

// --- the decomposition ---

// Rows of Uᵀ, s and Vᴴ side by side, as many as the larger of them has (zeros below the others): with k = min(m, n)
// k × (m + 1 + n), or max(m, n) × (m + 1 + n) where full.
template <class Field>
Type packed_svd_type(ShapeBuilder& shapes, const Call& call) {
  Type type = matrix_operand(call, 0);
  const Dim m = rows_dim(type), n = last_dim(type);
  const unsigned rank = type.shape.rank();
  type.dtype = float_dtype(type.dtype);
  type.shape[rank - 2] = flag_argument(call, Field::parts) ? larger(shapes, m, n) : smaller(shapes, m, n);
  type.shape[rank - 1] = shapes.add(packed_columns<Field>(shapes, shapes.add(m, n)), Dim(1));
  return type;
}

Value packed_svd_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const bool full = flag_argument(call, 1);
  Stack a = Stack::of(builder, call.args[0], type.dtype, false);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n), width = m + 1 + n;
  const int64_t us = full ? m : k, vs = full ? n : k;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch ut = numbers<T>(builder, us * m), s = numbers<T>(builder, k), vt = numbers<T>(builder, vs * n);
    for (int64_t number = 0; number < a.count; ++number) {
      T* const out = packed.at<T>(number);
      if (!kernels::decompose_svd(builder.context(), a.at<T>(number), m, n, full, ut.as<T>(), s.as<T>(), vt.as<T>()))
        fail_decomposition(call, number, a.count);
      std::fill_n(out, packed.rows * width, T(0));
      put_columns(out, width, 0, ut.as<T>(), us, m);
      put_columns(out, width, m, s.as<T>(), k, 1);
      put_columns(out, width, m + 1, vt.as<T>(), vs, n);
    }
  });
  return std::move(packed.value);
}

// The first rows are orthonormal; the others become so, by Householder's reflectors.
template <class T>
void complete_rows(Builder& builder, const PartsRoom<T>& rows, int64_t given) {
  const int64_t n = rows.columns;
  if (given == rows.rows) return;
  const PartsRoom<T> columns(builder, n, given), complete(builder, n, n), r(builder, n, given);
  const T* const from[] = {rows.target().re, rows.target().im};
  T* const to[] = {columns.target().re, columns.target().im};
  for (int part = 0; part < 2; ++part) {
    for (int64_t i = 0; i < given; ++i) {
      for (int64_t j = 0; j < n; ++j) to[part][j * given + i] = from[part][i * n + j];
    }
  }
  kernels::complex_qr(builder.context(), kernels::ComplexParts<T>{to[0], to[1], n, given}, true, complete.target(),
                      r.target());
  const int64_t first = given * n, numbers = rows.rows * n - first;
  std::copy_n(complete.target().re + first, numbers, rows.target().re + first);
  std::copy_n(complete.target().im + first, numbers, rows.target().im + first);
}

Value packed_complex_svd_eager(Builder& builder, Call& call) {
  const bool full = flag_argument(call, 2);
  return each_complex(builder, call, [&]<class T>(kernels::ComplexParts<T> a, T* to, int64_t width) {
    const int64_t k = std::min(a.rows, a.columns);
    const PartsRoom<T> ut(builder, full ? a.rows : k, a.rows), vh(builder, full ? a.columns : k, a.columns);
    const Scratch s = numbers<T>(builder, k);
    if (!kernels::complex_svd(builder.context(), a, ut.target(), s.as<T>(), vh.target())) return false;
    complete_rows(builder, ut, k);
    complete_rows(builder, vh, k);
    std::fill_n(to, std::max(ut.rows, vh.rows) * width, T(0));
    const int64_t at = ut.put(to, width, 0);
    for (int64_t i = 0; i < k; ++i) to[i * width + at] = s.as<T>()[i];
    vh.put(to, width, at + 1);
    return true;
  });
}

template <class Field>
struct SvdParts {
  typename Field::Matrix u;
  Value s;
  typename Field::Matrix vh;
};

// Of the packed decomposition of matrices of type `a`.
template <class Field>
SvdParts<Field> unpacked_svd(Builder& builder, const Value& packed, const Type& a) {
  Steps steps(builder);
  Unpacking from(builder, packed);
  SvdParts<Field> parts;
  parts.u = Field(steps).transposed(from.matrix<Field>(rows_dim(a)));
  parts.s = Matrices(builder).without_column(from.real(Dim(1)));
  parts.vh = from.matrix<Field>(last_dim(a));
  return parts;
}

// x − b·(bᴴ·x): what of x the columns of b do not span.
template <class Field>
typename Field::Matrix outside(const Field& f, const typename Field::Matrix& b, const typename Field::Matrix& x) {
  return f.sub(x, f.product(b, f.product(f.adjoint(b), x)));
}

// A full one is square when it has a derivative, which the run of a compiled function knows.
void require_reduced_svd(Builder& builder, const Residuals& residuals, unsigned operand) {
  if (!residuals.operands[operand].boolean()) return;
  if (!builder.is_eager()) fail_not_staged("the derivative of a full svd");
  fail(message("wide_derivative"));
}

// --- derivatives of real matrices ---

Value svd_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  Builder& builder = rule.builder();
  require_reduced_svd(builder, residuals, 1);
  const Matrices m(builder);
  const SvdParts<Matrices> svd = unpacked_svd<Matrices>(builder, *residuals.result, residuals.types[0]);
  const Value v = m.transposed(svd.vh), row = m.as_row(svd.s), column = m.as_column(svd.s);
  const Value squares = m.mul(svd.s, svd.s), inverse = m.as_row(inverse_or_zero(builder, svd.s));
  const Value gaps = m.sub(m.as_row(squares), m.as_column(squares));
  const Value p = m.product(m.product(m.transposed(svd.u), tangents[0]), v);
  const Value pairs = EqualValues(builder, svd.s, true).pairs;
  const auto mixed = [&](const Value& numerator) {
    return quotient_of_pairs(rule, "svd", untold(builder, gaps, numerator, pairs));
  };
  const Value mix_u = mixed(m.add(m.mul(p, row), m.mul(column, m.transposed(p))));
  const Value mix_v = mixed(m.add(m.mul(column, p), m.mul(m.transposed(p), row)));
  const Value du = m.add(m.product(svd.u, mix_u), m.mul(outside(m, svd.u, m.product(tangents[0], v)), inverse));
  const Value dv =
      m.add(m.product(v, mix_v), m.mul(outside(m, v, m.product(m.transposed(tangents[0]), svd.u)), inverse));
  Value parts[3] = {m.transposed(du), m.as_column(m.diagonal(p)), m.transposed(dv)};
  return concat(builder, parts, rank_of_value(parts[0]) - 1);
}

// The reverse rule: u, s and vt, what is given for them, and the same along the movement of equal values.
struct SvdRule {
  RuleContext& rule;
  Builder& builder = rule.builder();
  Matrices m{builder};
  SvdParts<Matrices> svd, plain, along;
  EqualValues equal;
  bool open;

  SvdRule(RuleContext& context, const Residuals& residuals, const Along& given)
      : rule(context),
        svd(unpacked_svd<Matrices>(builder, *residuals.result, residuals.types[0])),
        plain(unpacked_svd<Matrices>(builder, given.plain, residuals.types[0])),
        along(unpacked_svd<Matrices>(builder, given.tangent, residuals.types[0])),
        equal(builder, svd.s, true),
        open(given.open) {}

  Value turn_u(const SvdParts<Matrices>& given) const {
    return antisymmetric(m, m.product(m.transposed(svd.u), given.u));
  }
  Value turn_v(const SvdParts<Matrices>& given) const {
    return antisymmetric(m, m.product(svd.vh, m.transposed(given.vh)));
  }
  Value weighted(const Value& of_u, const Value& of_v, const Value& s) const {
    return m.add(m.mul(of_u, m.as_row(s)), m.mul(m.as_column(s), of_v));
  }
  Value differences(const Value& x) const { return m.sub(m.as_row(x), m.as_column(x)); }
  Value where_zero(const Value& zero, const Value& then, const Value& otherwise) const {
    const Value is = ops::call(builder, handles().not_equal, {zero, m.number(0, logical_type(zero).dtype)});
    return ops::call(builder, handles().where, {is, then, otherwise});
  }

  // The part inside of the spaces of u and v: turns of them by pairs. Among values that are zero numerator and
  // denominator vanish to the second order.
  Value turns() const {
    const Value of_u = turn_u(plain), of_v = turn_v(plain), moved_u = turn_u(along), moved_v = turn_v(along);
    const Value numerator = weighted(of_u, of_v, svd.s), denominator = differences(m.mul(svd.s, svd.s));
    const Value first = m.add(weighted(moved_u, moved_v, svd.s), weighted(of_u, of_v, equal.apart));
    const Value by = m.mul(differences(m.mul(svd.s, equal.apart)), m.number(2, logical_type(svd.s).dtype));
    const Value second = weighted(moved_u, moved_v, equal.apart);
    const Value by_second = differences(m.mul(equal.apart, equal.apart));
    const Value zeros = m.mul(m.as_row(equal.zero), m.as_column(equal.zero));
    const Value limit = where_zero(zeros, m.mul(second, inverse_or_zero(builder, by_second)),
                                   m.mul(first, inverse_or_zero(builder, by)));
    const Value touched = m.add(m.product(m.transposed(svd.u), plain.u), m.product(svd.vh, m.transposed(plain.vh)));
    return quotient_of_pairs(rule, "svd", {numerator, denominator, limit, equal.pairs, touched, open});
  }

  // x·diag(1/s), where x is what is given for vectors, outside of their space; where s is zero the limit.
  Value over_values(const Value& space, const Value& given, const Value& moved) const {
    const Value plainly = m.mul(outside(m, space, given), m.as_row(inverse_or_zero(builder, svd.s)));
    if (!open) return plainly;
    const Value limit = m.mul(outside(m, space, moved), m.as_row(inverse_or_zero(builder, equal.apart)));
    return where_zero(m.as_row(equal.zero), limit, plainly);
  }
};

void svd_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  Builder& builder = rule.builder();
  require_reduced_svd(builder, residuals, 1);
  require_eager(builder, "svd");
  const SvdRule svd(rule, residuals, along_split(rule, residuals, cotangent));
  const Matrices& m = svd.m;
  const Value v = m.transposed(svd.svd.vh), turns = svd.turns();
  const Type square = logical_type(turns);
  const Value on = m.mul(m.as_column(svd.plain.s), m.eye(square.shape[square.shape.rank() - 1], square.dtype));
  const Value inside = m.product(m.product(svd.svd.u, m.add(turns, on)), svd.svd.vh);
  const Value left = m.product(svd.over_values(svd.svd.u, svd.plain.u, svd.along.u), svd.svd.vh);
  const Value right =
      m.product(svd.svd.u, m.transposed(svd.over_values(v, m.transposed(svd.plain.vh), m.transposed(svd.along.vh))));
  out.add(0, m.add(m.add(inside, left), right));
}

// --- derivatives of complex matrices ---

// With P = Uᴴ·dA·V, ds = Re diag P; dU = U·M + (1 − U·Uᴴ)·dA·V/s and dV = V·N + (1 − V·Vᴴ)·dAᴴ·U/s, where beside the
// diagonal M_ij = (P_ij·s_j + s_i·conj P_ji)/(s_j² − s_i²) and N_ij = (s_i·P_ij + conj P_ji·s_j)/(s_j² − s_i²), and on
// it M is 0 and N −i·Im P_jj/s_j; then both turn by the phase that keeps the largest element of u_j real.
struct ComplexSvdRule {
  RuleContext& rule;
  const Type& a;
  Matrices m{rule.builder()};
  ComplexMatrices c{rule};
  SvdParts<ComplexMatrices> svd;
  ComplexMatrix v;
  Value mask;  // the largest elements of the columns of u

  ComplexSvdRule(RuleContext& context, const Residuals& residuals) : rule(context), a(residuals.types[0]) {
    require_reduced_svd(rule.builder(), residuals, 2);
    svd = unpacked_svd<ComplexMatrices>(rule.builder(), *residuals.result, a);
    v = c.adjoint(svd.vh);
    mask = largest_elements(rule, svd.u);
  }
  Dim k() const { return logical_type(svd.s).shape[rank_of_value(svd.s) - 1]; }
  ComplexMatrix row() const { return {m.as_row(svd.s), Value()}; }
  ComplexMatrix column() const { return {m.as_column(svd.s), Value()}; }
  ComplexMatrix inverse() const { return {m.as_row(inverse_or_zero(rule.builder(), svd.s)), Value()}; }
  // 1/(s_j² − s_i²).
  ComplexMatrix quotients(const ComplexMatrix& touched, const ComplexMatrix& size) const {
    const Dtype dtype = logical_type(svd.s).dtype;
    const Value zeros = rule.zeros(logical_type(touched.re));
    const Value eye = m.eye(k(), dtype);
    const Value spread = rule.add(zeros, eye);  // vectors that are orthonormal
    const Value distinct =
        distinct_pairs(rule, "svd", {{svd.s, Value()}, {spread, Value()}}, {spread, Value()}, touched, size);
    Steps steps(rule.builder());
    const Value squares = rule.mul(svd.s, svd.s);
    const Value gaps = m.sub(m.as_row(squares), m.as_column(squares));
    const Value on = steps.greater(distinct, steps.number(0, dtype));
    return {rule.mul(distinct, rule.div(steps.number(1, dtype), steps.where(on, gaps, steps.number(1, dtype)))),
            Value()};
  }
  Value at_largest(const Value& part) const { return c.column_sums(rule.mul(mask, part)); }

  Value jvp(const ComplexMatrix& da) const {
    const ComplexMatrix p = c.product(c.adjoint(svd.u), c.product(da, v)), ph = c.adjoint(p);
    const ComplexMatrix by = quotients(p, p);
    const ComplexMatrix mix_u = c.mul(by, c.add(c.mul(p, row()), c.mul(column(), ph)));
    const Value phases = rule.neg(rule.mul(m.diagonal(p.im), inverse_or_zero(rule.builder(), svd.s)));
    const ComplexMatrix turn{rule.zeros(logical_type(phases)), phases};
    const ComplexMatrix mix_v = c.add(c.mul(by, c.add(c.mul(column(), p), c.mul(ph, row()))), c.on_diagonal(turn, k()));
    ComplexMatrix du = c.add(c.product(svd.u, mix_u), c.mul(outside(c, svd.u, c.product(da, v)), inverse()));
    ComplexMatrix dv = c.add(c.product(v, mix_v), c.mul(outside(c, v, c.product(c.adjoint(da), svd.u)), inverse()));
    const Value angle = rule.neg(rule.div(at_largest(du.im), at_largest(svd.u.re)));
    const ComplexMatrix by_angle = c.as_row({rule.zeros(logical_type(angle)), angle});
    du = c.add(du, c.mul(svd.u, by_angle));
    dv = c.add(dv, c.mul(v, by_angle));
    const ComplexMatrix of_u = c.transposed(du), of_v = c.adjoint(dv);
    return side_by_side(rule.builder(), of_u, m.as_column(m.diagonal(p.re)), of_v);
  }

  ComplexMatrix vjp(const Value& cotangent) const {
    const SvdParts<ComplexMatrices> given = unpacked_svd<ComplexMatrices>(rule.builder(), cotangent, a);
    const ComplexMatrix of_v = c.adjoint(given.vh);
    const Value along = rule.add(imaginary_products(rule, svd.u, given.u), imaginary_products(rule, v, of_v));
    const Value kept_real = rule.mul(mask, m.as_row(rule.div(along, at_largest(svd.u.re))));
    const ComplexMatrix of_u{given.u.re, rule.sub(given.u.im, kept_real)};
    const ComplexMatrix mix_u = c.product(c.adjoint(svd.u), of_u), mix_v = c.product(c.adjoint(v), of_v);
    // Two vectors mix in u and v together.
    const ComplexMatrix touched = c.add(antihermitian(mix_u), antihermitian(mix_v));
    const ComplexMatrix size{rule.add(size_of(mix_u), size_of(mix_v)), Value()};
    const ComplexMatrix by = quotients(touched, size);
    const ComplexMatrix x = c.mul(by, mix_u), y = c.mul(by, mix_v);
    ComplexMatrix of_p = c.add(c.mul(c.add(x, c.adjoint(x)), row()), c.mul(column(), c.add(y, c.adjoint(y))));
    const Value phases = rule.neg(rule.mul(m.diagonal(mix_v.im), inverse_or_zero(rule.builder(), svd.s)));
    of_p = c.add(of_p, c.on_diagonal({given.s, phases}, k()));
    const ComplexMatrix inside = c.product(c.product(svd.u, of_p), c.adjoint(v));
    const ComplexMatrix left = c.product(c.mul(outside(c, svd.u, of_u), inverse()), c.adjoint(v));
    const ComplexMatrix right = c.product(svd.u, c.adjoint(c.mul(outside(c, v, of_v), inverse())));
    return c.add(c.add(inside, left), right);
  }
  ComplexMatrix antihermitian(const ComplexMatrix& x) const { return c.sub(x, c.adjoint(x)); }
  Value size_of(const ComplexMatrix& x) const {
    Steps steps(rule.builder());
    return steps.add(steps.absolute(x.re), steps.absolute(x.im));
  }
};

Value complex_svd_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const ComplexSvdRule svd(rule, residuals);
  return svd.jvp(tangent_of<ComplexMatrices>(rule, residuals, tangents, 0));
}
void complex_svd_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  add_matrix(ComplexSvdRule(rule, residuals).vjp(cotangent), out, 0);
}

// --- entries ---

const Entry& packed_svd_entry() {
  static const Entry entry{
      .name = "packed_svd",
      .doc = "Uᵀ, s and Vᵀ of svd, side by side.",
      .parameters = {tensor_parameter("a"), attribute("full", Value(false)), attribute("split", Value(int64_t{-1}))},
      .type = packed_svd_type<Matrices>,
      .eager = packed_svd_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, svd_jvp, svd_vjp),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "[[3.0, 0.0], [0.0, 2.0]]",
            .expected = "[[1.0, 0.0, 3.0, 1.0, 0.0], [0.0, 1.0, 2.0, 0.0, 1.0]]",
            .differentiate = true},
           {.arguments = "[[3.0, 1.0], [0.5, 2.0], [1.0, -1.0]]",
            .expected =
                "[[0.9094148703832845, 0.396705488972942, 0.1248573127393533, 3.435310799980576, 0.8882616002001715, "
                "0.4593379252901185], [-0.23220028957375277, 0.733391335002558, -0.6389211025353844, "
                "2.109179866094121, "
                "-0.4593379252901185, 0.8882616002001715]]",
            .ulp = 8,
            .differentiate = true}},
      .internal = true,
      .part_of = "svd"};
  return entry;
}

const Entry& packed_complex_svd_entry() {
  static const Entry entry{
      .name = "packed_complex_svd",
      .doc = "Uᵀ, s and Vᴴ of svd, side by side.",
      .parameters = {tensor_parameter("re"), tensor_parameter("im"), attribute("full", Value(false))},
      .type = packed_svd_type<ComplexMatrices>,
      .eager = packed_complex_svd_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, complex_svd_jvp, complex_svd_vjp),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[3.0, 1.0], [0.5, 2.0], [1.0, -1.0]], [[0.5, 0.0], [1.0, -1.0], [0.0, 2.0]]",
                   .expected = "zeros(2, 11)",
                   .differentiate = true},
                  {.arguments = "[[2.0, 1.0]], [[0.0, 2.0]]", .expected = "zeros(1, 7)", .differentiate = true}},
      .internal = true,
      .part_of = "svd"};
  return entry;
}

// U, s and Vᴴ; as many vectors and values as a full decomposition has, where it is packed so.
template <class Field>
SvdParts<Field> taken_apart(Builder& builder, const Value& packed, const Type& a, bool full) {
  SvdParts<Field> parts = unpacked_svd<Field>(builder, packed, a);
  if (!full) return parts;
  Steps steps(builder);
  const Field f(steps);
  // Each has as many vectors as the larger of them; min(m, n) is m + n without that.
  const Dim height = rows_dim(logical_type(packed)), m = rows_dim(a), n = last_dim(a);
  parts.u = f.columns(parts.u, Dim(0), m);
  parts.s = Matrices(builder).columns(parts.s, Dim(0), steps.without(builder.add(m, n), height));
  parts.vh = f.rows(parts.vh, Dim(0), n);
  return parts;
}

bool is_full(const Call& call, const Type& type) { return flag_argument(call, 1) && rows_dim(type) != last_dim(type); }

Value svd_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type type = matrix_operand(call, 0);
  const bool full = is_full(call, type);
  const Value a = cast_to(builder, std::move(call.args[0]), float_dtype(type.dtype));
  const auto decompose = [](Builder& b, const Value& matrix, Value level, bool whole) {
    return ops::call(b, packed_svd_entry(), {matrix, Value(whole), std::move(level)});
  };
  const Value packed = decomposed_apart(builder, {"svd", decompose, full, true}, a, rows_dim(type));
  const SvdParts<Matrices> parts = taken_apart<Matrices>(builder, packed, type, full);
  return make_tuple({parts.u, parts.s, parts.vh});
}

Value complex_svd(Builder& builder, Call& call) {
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, false);
  const bool full = is_full(call, type);
  const Value packed = ops::call(builder, packed_complex_svd_entry(), {a.re, a.im, Value(full)});
  const SvdParts<ComplexMatrices> parts = taken_apart<ComplexMatrices>(builder, packed, type, full);
  return make_tuple({value_of(builder, parts.u), parts.s, value_of(builder, parts.vh)});
}

}  // namespace

const Entry& svd_entry() {
  static const Entry entry{
      .name = "svd",
      .doc =
          "`(u, s, vt)` with `a = u @ diag(s) @ vt`, singular values descending; of each matrix of a stack.\n\n"
          "`full_matrices=false` gives the first min(m, n) columns of `u` and rows of `vt`; where a is not "
          "square only this form has a derivative. Gradients of functions of `a` alone are right where values are "
          "equal, too.",
      .parameters = {any_parameter("a"), attribute("full_matrices", Value(true))},
      .eager = svd_eager,
      .complex = complex_svd,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[3.0, 0.0], [0.0, 2.0]]",
                   .expected = "([[1.0, 0.0], [0.0, 1.0]], [3.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])"},
                  {.arguments = "[[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]], full_matrices=false",
                   .expected = "([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [3.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])"},
                  {.arguments = "zeros(0, 2), full_matrices=false",
                   .expected = "(zeros(0, 0), zeros(0), zeros(0, 2))"}},
      .staging = Staging::structural};
  return entry;
}

Family linalg_svd_entries() {
  static const Entry* const entries[] = {&packed_svd_entry(), &packed_complex_svd_entry(), &svd_entry()};
  return entries;
}

}  // namespace covec::ops
