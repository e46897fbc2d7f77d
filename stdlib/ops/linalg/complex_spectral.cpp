// svd, eigh and the determinant of complex matrices, given by their real and imaginary parts. Inside, the parts of
// a decomposition are one tensor, as for real matrices (spectral.cpp). The rules are the same too, with the adjoint
// instead of the transpose. Phases are fixed: the largest element of each vector (of each column of U) is real and
// positive. The derivative is that of this choice. Equal values give a warning, and the derivative ignores the mixing
// of their vectors.
#include <algorithm>

#include "stdlib/decompositions/complex_factor.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/eigen_rule.hpp"
#include "stdlib/ops/linalg/equal_values.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// --- eigh ---

Type complex_eigh_type(ShapeBuilder& shapes, const Call& call) {
  Type type = square_operand(shapes, call, 0);
  Dim& last = type.shape[type.shape.rank() - 1];
  last = shapes.add(shapes.add(last, last), Dim(1));
  type.dtype = float_dtype(type.dtype);
  return type;
}

// Of (A + Aᴴ)/2.
template <class T>
void take_hermitian(kernels::ComplexParts<T> a, T* re, T* im) {
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.rows; ++j) {
      const int64_t at = i * a.rows + j, other = j * a.rows + i;
      re[at] = a.re[at] * T(0.5) + a.re[other] * T(0.5);
      im[at] = a.im[at] * T(0.5) - a.im[other] * T(0.5);
    }
  }
}

Value complex_eigh_eager(Builder& builder, Call& call) {
  return each_complex(builder, call, [&]<class T>(kernels::ComplexParts<T> a, T* to, int64_t width) {
    const PartsRoom<T> hermitian(builder, a.rows, a.rows), vt(builder, a.rows, a.rows);
    const Scratch w = numbers<T>(builder, a.rows);
    take_hermitian(a, hermitian.target().re, hermitian.target().im);
    const kernels::ComplexParts<T> given{hermitian.target().re, hermitian.target().im, a.rows, a.rows};
    if (!kernels::complex_eigh(builder.context(), given, w.as<T>(), vt.target())) return false;
    for (int64_t i = 0; i < a.rows; ++i) to[i * width] = w.as<T>()[i];
    vt.put(to, width, 1);
    return true;
  });
}

struct EighRule {
  RuleContext& rule;
  Dim n;
  ComplexMatrices c{rule};

  EigenParts parts(const Value& packed) const {
    const Matrices m(rule.builder());
    Unpacking from(rule.builder(), packed);
    const Value w = m.without_column(from.real(Dim(1)));
    return {{w, rule.zeros(logical_type(w))}, c.transposed(from.matrix<ComplexMatrices>(n))};
  }
  EigenRule eigen(const Value& packed) const {
    const EigenParts found = parts(packed);
    return EigenRule(rule, n, "eigh", found, c.adjoint(found.vectors));
  }
  ComplexMatrix hermitian(const ComplexMatrix& a) const {
    const Value half = Matrices(rule.builder()).number(0.5, logical_type(a.re).dtype);
    return c.mul({half, Value()}, c.add(a, c.adjoint(a)));
  }
};

Value complex_eigh_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const EighRule eigh{rule, last_dim(residuals.types[0])};
  const EigenParts moved =
      eigh.eigen(*residuals.result).jvp(eigh.hermitian(tangent_of<ComplexMatrices>(rule, residuals, tangents, 0)));
  const ComplexMatrix rows = eigh.c.transposed(moved.vectors);
  Value parts[3] = {Matrices(rule.builder()).as_column(moved.values.re), rows.re, rows.im};
  return concat(rule.builder(), parts, rank_of_value(rows.re) - 1);
}

void complex_eigh_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const EighRule eigh{rule, last_dim(residuals.types[0])};
  add_matrix(eigh.hermitian(eigh.eigen(*residuals.result).vjp(eigh.parts(cotangent))), out, 0);
}

// --- svd ---

// Rows of Uᵀ, s and Vᴴ side by side: k × (2·m + 1 + 2·n), of which the smaller ones end in rows of zeros. k is
// min(m, n), or max(m, n) where full.
Type complex_svd_type(ShapeBuilder& shapes, const Call& call) {
  Type type = matrix_operand(call, 0);
  const unsigned rank = type.shape.rank();
  const Dim m = type.shape[rank - 2], n = type.shape[rank - 1];
  type.dtype = float_dtype(type.dtype);
  type.shape[rank - 2] = flag_argument(call, 2) ? larger(shapes, m, n) : smaller(shapes, m, n);
  const Dim both = shapes.add(m, n);
  type.shape[rank - 1] = shapes.add(shapes.add(both, both), Dim(1));
  return type;
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

Value complex_svd_eager(Builder& builder, Call& call) {
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

// With P = Uᴴ·dA·V, ds = Re diag P; dU = U·M + (1 − U·Uᴴ)·dA·V/s and dV = V·N + (1 − V·Vᴴ)·dAᴴ·U/s, where beside the
// diagonal M_ij = (P_ij·s_j + s_i·conj P_ji)/(s_j² − s_i²) and N_ij = (s_i·P_ij + conj P_ji·s_j)/(s_j² − s_i²), and on
// it M is 0 and N −i·Im P_jj/s_j; then both turn by the phase that keeps the largest element of u_j real.
struct ComplexSvdRule {
  RuleContext& rule;
  Dim rows, columns;
  Matrices m{rule.builder()};
  ComplexMatrices c{rule};
  struct Parts {
    ComplexMatrix u, s, v;
  } svd;
  Value mask = largest_elements(rule, svd.u);

  static Parts parts(RuleContext& rule, const Value& packed, Dim rows, Dim columns) {
    const ComplexMatrices c(rule);
    Unpacking from(rule.builder(), packed);
    ComplexMatrix u = c.transposed(from.matrix<ComplexMatrices>(rows));
    const Value s = Matrices(rule.builder()).without_column(from.real(Dim(1)));
    return {std::move(u), {s, Value()}, c.adjoint(from.matrix<ComplexMatrices>(columns))};
  }
  static ComplexSvdRule of(RuleContext& rule, const Residuals& residuals) {
    require_reduced_svd(rule.builder(), residuals, 2);
    const Shape& a = residuals.types[0].shape;
    const Dim m = a[a.rank() - 2], n = a[a.rank() - 1];
    return {.rule = rule, .rows = m, .columns = n, .svd = parts(rule, *residuals.result, m, n)};
  }
  Dim k() const { return logical_type(svd.s.re).shape[rank_of_value(svd.s.re) - 1]; }
  ComplexMatrix row() const { return {m.as_row(svd.s.re), Value()}; }
  ComplexMatrix column() const { return {m.as_column(svd.s.re), Value()}; }
  ComplexMatrix inverse() const { return {m.as_row(inverse_or_zero(rule.builder(), svd.s.re)), Value()}; }
  ComplexMatrix outside(const ComplexMatrix& b, const ComplexMatrix& x) const {
    return c.sub(x, c.product(b, c.product(c.adjoint(b), x)));
  }
  // 1/(s_j² − s_i²).
  ComplexMatrix quotients(const ComplexMatrix& touched, const ComplexMatrix& size) const {
    const Dtype dtype = logical_type(svd.s.re).dtype;
    const Value zeros = rule.zeros(logical_type(touched.re));
    const Value eye = m.eye(k(), dtype);
    const Value spread = rule.add(zeros, eye);  // vectors that are orthonormal
    const Value distinct = distinct_pairs(rule, "svd", {svd.s, {spread, Value()}}, {spread, Value()}, touched, size);
    Steps steps(rule.builder());
    const Value squares = rule.mul(svd.s.re, svd.s.re);
    const Value gaps = m.sub(m.as_row(squares), m.as_column(squares));
    const Value on = steps.greater(distinct, steps.number(0, dtype));
    return {rule.mul(distinct, rule.div(steps.number(1, dtype), steps.where(on, gaps, steps.number(1, dtype)))),
            Value()};
  }
  Value at_largest(const Value& part) const { return c.column_sums(rule.mul(mask, part)); }

  Value jvp(const ComplexMatrix& da) const {
    const ComplexMatrix p = c.product(c.adjoint(svd.u), c.product(da, svd.v)), ph = c.adjoint(p);
    const ComplexMatrix by = quotients(p, p);
    const ComplexMatrix mix_u = c.mul(by, c.add(c.mul(p, row()), c.mul(column(), ph)));
    const ComplexMatrix phases = {Value(),
                                  rule.neg(rule.mul(m.diagonal(p.im), inverse_or_zero(rule.builder(), svd.s.re)))};
    const ComplexMatrix turn{rule.zeros(logical_type(phases.im)), phases.im};
    const ComplexMatrix mix_v = c.add(c.mul(by, c.add(c.mul(column(), p), c.mul(ph, row()))), c.on_diagonal(turn, k()));
    ComplexMatrix du = c.add(c.product(svd.u, mix_u), c.mul(outside(svd.u, c.product(da, svd.v)), inverse()));
    ComplexMatrix dv =
        c.add(c.product(svd.v, mix_v), c.mul(outside(svd.v, c.product(c.adjoint(da), svd.u)), inverse()));
    const Value angle = rule.neg(rule.div(at_largest(du.im), at_largest(svd.u.re)));
    const ComplexMatrix by_angle = c.as_row({rule.zeros(logical_type(angle)), angle});
    du = c.add(du, c.mul(svd.u, by_angle));
    dv = c.add(dv, c.mul(svd.v, by_angle));
    const ComplexMatrix of_u = c.transposed(du), of_v = c.adjoint(dv);
    Value all[5] = {of_u.re, of_u.im, m.as_column(m.diagonal(p.re)), of_v.re, of_v.im};
    return concat(rule.builder(), all, rank_of_value(of_u.re) - 1);
  }

  ComplexMatrix vjp(const Parts& given) const {
    const Value along = rule.add(imaginary_products(rule, svd.u, given.u), imaginary_products(rule, svd.v, given.v));
    const Value kept_real = rule.mul(mask, m.as_row(rule.div(along, at_largest(svd.u.re))));
    const ComplexMatrix of_u{given.u.re, rule.sub(given.u.im, kept_real)};
    const ComplexMatrix& of_v = given.v;
    const ComplexMatrix mix_u = c.product(c.adjoint(svd.u), of_u), mix_v = c.product(c.adjoint(svd.v), of_v);
    // Two vectors mix in u and v together.
    const ComplexMatrix touched = c.add(antihermitian(mix_u), antihermitian(mix_v));
    const ComplexMatrix size{rule.add(size_of(mix_u), size_of(mix_v)), Value()};
    const ComplexMatrix by = quotients(touched, size);
    const ComplexMatrix x = c.mul(by, mix_u), y = c.mul(by, mix_v);
    ComplexMatrix of_p = c.add(c.mul(c.add(x, c.adjoint(x)), row()), c.mul(column(), c.add(y, c.adjoint(y))));
    const Value phases = rule.neg(rule.mul(m.diagonal(mix_v.im), inverse_or_zero(rule.builder(), svd.s.re)));
    of_p = c.add(of_p, c.on_diagonal({given.s.re, phases}, k()));
    const ComplexMatrix inside = c.product(c.product(svd.u, of_p), c.adjoint(svd.v));
    const ComplexMatrix left = c.product(c.mul(outside(svd.u, of_u), inverse()), c.adjoint(svd.v));
    const ComplexMatrix right = c.product(svd.u, c.adjoint(c.mul(outside(svd.v, of_v), inverse())));
    return c.add(c.add(inside, left), right);
  }
  ComplexMatrix antihermitian(const ComplexMatrix& x) const { return c.sub(x, c.adjoint(x)); }
  Value size_of(const ComplexMatrix& x) const {
    Steps steps(rule.builder());
    return steps.add(steps.absolute(x.re), steps.absolute(x.im));
  }
};

Value complex_svd_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return ComplexSvdRule::of(rule, residuals).jvp(tangent_of<ComplexMatrices>(rule, residuals, tangents, 0));
}
void complex_svd_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const ComplexSvdRule svd = ComplexSvdRule::of(rule, residuals);
  add_matrix(svd.vjp(ComplexSvdRule::parts(rule, cotangent, svd.rows, svd.columns)), out, 0);
}

// --- the determinant ---

// Its sign, of magnitude 1 (0 where it is 0), the logarithm of its magnitude, and itself: five numbers.
Type complex_det_type(ShapeBuilder& shapes, const Call& call) {
  Type type = square_operand(shapes, call, 0);
  type.dtype = float_dtype(type.dtype);
  type.shape[type.shape.rank() - 2] = Dim(1);
  type.shape[type.shape.rank() - 1] = Dim(5);
  return type;
}

Value complex_det_eager(Builder& builder, Call& call) {
  return each_complex(builder, call, [&]<class T>(kernels::ComplexParts<T> a, T* to, int64_t) {
    const kernels::ComplexDeterminant<T> det = kernels::complex_determinant(builder.context(), a);
    const T all[] = {det.sign_re, det.sign_im, det.logarithm, det.re, det.im};
    std::copy_n(all, 5, to);
    return true;
  });
}

// With g = tr(A⁻¹·dA): the logarithm moves by Re g, the sign by i·Im g·sign, the determinant by g·det.
struct ComplexDetRule {
  RuleContext& rule;
  Dim n;
  ComplexMatrix a, sign, det;
  ComplexMatrices c{rule};

  static ComplexDetRule of(RuleContext& rule, const Residuals& residuals) {
    Unpacking from(rule.builder(), *residuals.result);
    const auto two = [&] {
      Value re = from.real(Dim(1));
      return ComplexMatrix{std::move(re), from.real(Dim(1))};
    };
    const ComplexMatrix sign = two();
    from.real(Dim(1));
    return {rule, last_dim(residuals.types[0]), {residuals.operands[0], residuals.operands[1]}, sign, two()};
  }
  ComplexMatrix inverse() const { return c.inverse(a, n); }
};

Value complex_det_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const ComplexDetRule det = ComplexDetRule::of(rule, residuals);
  const Matrices m(rule.builder());
  const ComplexMatrix product = det.c.product(det.inverse(), tangent_of<ComplexMatrices>(rule, residuals, tangents, 0));
  const auto trace = [&](const Value& x) { return m.as_column(m.as_column(m.trace(x))); };
  const ComplexMatrix g{trace(product.re), trace(product.im)};
  const ComplexMatrix of_sign = det.c.mul({rule.zeros(logical_type(g.im)), g.im}, det.sign),
                      of_det = det.c.mul(g, det.det);
  Value all[5] = {of_sign.re, of_sign.im, g.re, of_det.re, of_det.im};
  return concat(rule.builder(), all, rank_of_value(g.re) - 1);
}

void complex_det_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const ComplexDetRule det = ComplexDetRule::of(rule, residuals);
  const ComplexMatrices& c = det.c;
  Unpacking from(rule.builder(), cotangent);
  const auto two = [&] {
    Value re = from.real(Dim(1));
    return ComplexMatrix{std::move(re), from.real(Dim(1))};
  };
  const ComplexMatrix of_sign = two();
  const Value of_log = from.real(Dim(1));
  const ComplexMatrix of_det = two();
  const Value turn = c.mul(c.conj(det.sign), of_sign).im;
  const ComplexMatrix of_g = c.add({of_log, turn}, c.mul(c.conj(det.det), of_det));
  add_matrix(c.mul(of_g, c.adjoint(det.inverse())), out, 0);
}

// --- entries ---

Entry entry_of_parts(std::string_view name, std::string_view doc, std::string_view part_of,
                     Type (*type)(ShapeBuilder&, const Call&), Value (*eager)(Builder&, Call&), Derivative derivative,
                     std::vector<Sample> samples) {
  return Entry{.name = name,
               .doc = doc,
               .parameters = {tensor_parameter("re"), tensor_parameter("im")},
               .type = type,
               .eager = eager,
               .derivative = derivative,
               .batch = operands_batch,
               .effects = {.may_fail = true},
               .samples = std::move(samples),
               .internal = true,
               .part_of = part_of};
}

}  // namespace

const Entry& packed_complex_eigh_entry() {
  static const Entry entry = entry_of_parts(
      "packed_complex_eigh", "w and Vᵀ of eigh, side by side.", "eigh", complex_eigh_type, complex_eigh_eager,
      Derivative::by_hand(Derivative::result_bit | guarded, complex_eigh_jvp, complex_eigh_vjp),
      {{.arguments = "[[2.0, 1.0], [1.0, 3.0]], [[0.0, -1.0], [1.0, 0.0]]",
        .expected =
            "[[1.0, 0.816496580927726, -0.4082482904638631, 0.0, -0.408248290463863], [4.0, 0.4082482904638631, "
            "0.816496580927726, -0.408248290463863, 0.0]]",
        .differentiate = true},
       {.arguments = "[[2.0]], [[0.0]]", .expected = "[[2.0, 1.0, 0.0]]"},
       {.arguments = "zeros(0, 0), zeros(0, 0)", .expected = "zeros(0, 1)"}});
  return entry;
}

const Entry& packed_complex_svd_entry() {
  static const Entry entry = [] {
    Entry svd = entry_of_parts(
        "packed_complex_svd", "Uᵀ, s and Vᴴ of svd, side by side.", "svd", complex_svd_type, complex_svd_eager,
        Derivative::by_hand(Derivative::result_bit | guarded, complex_svd_jvp, complex_svd_vjp),
        {{.arguments = "[[3.0, 1.0], [0.5, 2.0], [1.0, -1.0]], [[0.5, 0.0], [1.0, -1.0], [0.0, 2.0]]",
          .expected = "zeros(2, 11)",
          .differentiate = true},
         {.arguments = "[[2.0, 1.0]], [[0.0, 2.0]]", .expected = "zeros(1, 7)", .differentiate = true}});
    svd.parameters.push_back(attribute("full", Value(false)));
    return svd;
  }();
  return entry;
}

const Entry& packed_complex_det_entry() {
  static const Entry entry = entry_of_parts(
      "packed_complex_det", "The parts of slogdet and det, side by side.", "det", complex_det_type, complex_det_eager,
      Derivative::by_hand(keep_operand(0) | keep_operand(1) | Derivative::result_bit | guarded, complex_det_jvp,
                          complex_det_vjp),
      {{.arguments = "[[2.0, 1.0], [1.0, 3.0]], [[0.0, -1.0], [1.0, 1.0]]",
        .expected = "[[0.8944271909999159, 0.4472135954999579, 1.4978661367769954, 4.0, 2.0]]",
        .differentiate = true},
       {.arguments = "zeros(0, 0), zeros(0, 0)", .expected = "[[1.0, 0.0, 0.0, 1.0, 0.0]]"}});
  return entry;
}

Family linalg_complex_spectral_entries() {
  static const Entry* const entries[] = {&packed_complex_eigh_entry(), &packed_complex_svd_entry(),
                                         &packed_complex_det_entry()};
  return entries;
}

}  // namespace covec::ops
