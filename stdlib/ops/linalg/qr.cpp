// qr of real and of complex matrices. Inside, Qᵀ and R are one tensor, side by side, so the decomposition is computed
// once and has one derivative. Derivatives: Walter and Lehmann, "Algorithmic differentiation of linear algebra
// functions" (2010).
#include <algorithm>

#include "stdlib/decompositions/complex_factor.hpp"
#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- the decomposition ---

// The rows of Qᵀ and R side by side: min(m, n) × (m + n), or m × (m + n) where complete.
template <class Field>
Type packed_qr_type(ShapeBuilder& shapes, const Call& call) {
  Type type = matrix_operand(call, 0);
  const Dim m = rows_dim(type), n = last_dim(type);
  const unsigned rank = type.shape.rank();
  type.dtype = float_dtype(type.dtype);
  type.shape[rank - 2] = flag_argument(call, Field::parts) ? m : smaller(shapes, m, n);
  type.shape[rank - 1] = packed_columns<Field>(shapes, shapes.add(m, n));
  return type;
}

Value packed_qr_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const bool complete = flag_argument(call, 1);
  Stack a = Stack::of(builder, call.args[0], type.dtype, false);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  const int64_t m = a.rows, n = a.columns, k = packed.rows;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch qt = numbers<T>(builder, k * m), r = numbers<T>(builder, k * n);
    for (int64_t number = 0; number < a.count; ++number) {
      kernels::decompose_qr(builder.context(), a.at<T>(number), m, n, complete, qt.as<T>(), r.as<T>());
      put_columns(packed.at<T>(number), m + n, 0, qt.as<T>(), k, m);
      put_columns(packed.at<T>(number), m + n, m, r.as<T>(), k, n);
    }
  });
  return std::move(packed.value);
}

Value packed_complex_qr_eager(Builder& builder, Call& call) {
  const bool complete = flag_argument(call, 2);
  return each_complex(builder, call, [&]<class T>(kernels::ComplexParts<T> a, T* to, int64_t width) {
    const int64_t k = complete ? a.rows : std::min(a.rows, a.columns);
    const PartsRoom<T> qt(builder, k, a.rows), r(builder, k, a.columns);
    kernels::complex_qr(builder.context(), a, complete, qt.target(), r.target());
    r.put(to, width, qt.put(to, width, 0));
    return true;
  });
}

template <class Field>
struct QrParts {
  typename Field::Matrix q, r;

  QrParts(const Field& field, Builder& builder, const Value& packed, const Type& a) {
    Unpacking from(builder, packed);
    q = field.transposed(from.matrix<Field>(rows_dim(a)));
    r = from.matrix<Field>(last_dim(a));
  }
};

// --- derivatives ---

// Of A = [X | Y] with square or tall X: Q·U = X and V = Qᴴ·Y, where the diagonal of U is real. Y may have no columns.
template <class Field>
struct QrRule {
  using Matrix = typename Field::Matrix;
  RuleContext& rule;
  Field f{rule};
  Type a;
  Dim count, rest;  // columns of X and of Y
  Matrix q, u, y;

  QrRule(RuleContext& context, const Residuals& residuals) : rule(context), a(residuals.types[0]) {
    if (residuals.operands[Field::parts].boolean())
      fail(message("no_derivative"), {"qr with mode=\"complete\"", "is not unique"});
    count = rows_dim(*residuals.result_type);
    rest = Steps(rule.builder()).without(last_dim(a), count);
    const QrParts<Field> parts = parts_in(*residuals.result);
    q = parts.q;
    u = of_x(parts.r);
    y = of_y(matrix_of<Field>(residuals, 0));
  }
  QrParts<Field> parts_in(const Value& packed) const { return QrParts<Field>(f, rule.builder(), packed, a); }
  Matrix of_x(const Matrix& x) const { return f.columns(x, Dim(0), count); }
  Matrix of_y(const Matrix& x) const { return f.columns(x, count, rest); }
  // X with X·U = b, or X·Uᴴ = b.
  Matrix over_u(const Matrix& b) const { return f.transposed(f.solve(f.transposed(u), f.transposed(b))); }
  Matrix over_adjoint_u(const Matrix& b) const { return f.adjoint(f.solve(u, f.adjoint(b))); }
  Matrix imaginary_diagonal(const Matrix& x) const {
    const Value im = Matrices(rule).diagonal(x.im);
    return f.on_diagonal({rule.zeros(logical_type(im)), im}, count);
  }

  Value jvp(const Matrix& da) const {
    const Matrix b = over_u(of_x(da)), w = f.product(f.adjoint(q), b), low = f.lower(w, false);
    Matrix turn = f.sub(low, f.adjoint(low));
    if constexpr (is_complex_field<Field>) turn = f.add(turn, imaginary_diagonal(w));
    const Matrix dq = f.add(f.product(q, turn), f.sub(b, f.product(q, w)));
    const Matrix du = f.product(f.sub(w, turn), u);
    const Matrix dv = f.add(f.product(f.adjoint(dq), y), f.product(f.adjoint(q), of_y(da)));
    return side_by_side(rule.builder(), f.transposed(dq), f.hstack(du, dv));
  }

  Matrix vjp(const Value& cotangent) const {
    const QrParts<Field> given = parts_in(cotangent);
    const Matrix of_u = of_x(given.r), of_v = of_y(given.r);
    const Matrix of_q = f.add(given.q, f.product(y, f.adjoint(of_v)));
    const Matrix turn = of_turn(of_q, of_u);
    return f.hstack(over_adjoint_u(f.add(of_q, f.product(q, turn))), f.product(q, of_v));
  }
  // The lower triangle of U·Ūᴴ − Q̄ᴴ·Q, and its adjoint above; what is added first differs by field.
  Matrix of_turn(const Matrix& of_q, const Matrix& of_u) const {
    if constexpr (is_complex_field<Field>) {
      const Matrix given = f.sub(f.product(f.adjoint(q), of_q), f.product(of_u, f.adjoint(u)));
      return f.add(f.sub(f.lower(f.sub(given, f.adjoint(given)), false), given), imaginary_diagonal(given));
    } else {
      const Matrix given = f.sub(f.product(u, f.adjoint(of_u)), f.product(f.adjoint(of_q), q));
      return f.add(f.lower(given, true), f.adjoint(f.lower(given, false)));
    }
  }
};

template <class Field>
Value qr_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const QrRule<Field> qr(rule, residuals);
  return qr.jvp(tangent_of<Field>(rule, residuals, tangents, 0));
}
template <class Field>
void qr_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  add_matrix(QrRule<Field>(rule, residuals).vjp(cotangent), out, 0);
}

// --- entries ---

const Entry& packed_qr_entry() {
  static const Entry entry{
      .name = "packed_qr",
      .doc = "Qᵀ and R of qr, side by side.",
      .parameters = {tensor_parameter("a"), attribute("complete", Value(false))},
      .type = packed_qr_type<Matrices>,
      .eager = packed_qr_eager,
      .derivative =
          Derivative::by_hand(keep_operand(0) | Derivative::result_bit | guarded, qr_jvp<Matrices>, qr_vjp<Matrices>),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[3.0, 1.0], [4.0, 2.0]]",
                   .expected = "[[-0.6, -0.8, -5.0, -2.2], [-0.8, 0.6, 0.0, 0.4]]",
                   .ulp = 8,
                   .differentiate = true},
                  {.arguments = "[[3.0], [4.0]]", .expected = "[[-0.6, -0.8, -5.0]]", .ulp = 4, .differentiate = true},
                  {.arguments = "[[3.0, 1.0, 2.0], [4.0, 2.0, -1.0]]",
                   .expected = "[[-0.6, -0.8, -5.0, -2.2, -0.4], [-0.8, 0.6, 0.0, 0.4, -2.2]]",
                   .ulp = 8,
                   .differentiate = true}},
      .internal = true,
      .part_of = "qr"};
  return entry;
}

const Entry& packed_complex_qr_entry() {
  static const Entry entry{
      .name = "packed_complex_qr",
      .doc = "Qᵀ and R of qr, side by side.",
      .parameters = {tensor_parameter("re"), tensor_parameter("im"), attribute("complete", Value(false))},
      .type = packed_qr_type<ComplexMatrices>,
      .eager = packed_complex_qr_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | keep_operand(1) | Derivative::result_bit | guarded,
                                        qr_jvp<ComplexMatrices>, qr_vjp<ComplexMatrices>),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[3.0, 1.0], [4.0, 2.0]], [[1.0, 0.0], [0.0, -1.0]]",
                   .expected = "zeros(2, 8)",
                   .differentiate = true},
                  {.arguments = "[[3.0], [4.0]], [[1.0], [0.0]]", .expected = "zeros(1, 6)", .differentiate = true}},
      .internal = true,
      .part_of = "qr"};
  return entry;
}

// "reduced" (also where none is given) or "complete".
bool is_complete_qr(const Call& call) {
  const Value& mode = call.args[1];
  if (mode.is_none()) return false;
  if (mode.is(ObjectKind::string)) {
    if (mode.string().text == "reduced") return false;
    if (mode.string().text == "complete") return true;
  }
  fail_attribute(call, 1, "\"reduced\" or \"complete\"");
}

Value qr_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type type = matrix_operand(call, 0);
  const Value complete(is_complete_qr(call));
  const Value a = cast_to(builder, std::move(call.args[0]), float_dtype(type.dtype));
  const Value packed = ops::call(builder, packed_qr_entry(), {a, complete});
  const QrParts<Matrices> parts(Matrices(builder), builder, packed, type);
  return make_tuple({parts.q, parts.r});
}

Value complex_qr(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, false);
  const Value packed = ops::call(builder, packed_complex_qr_entry(), {a.re, a.im, Value(is_complete_qr(call))});
  const QrParts<ComplexMatrices> parts(ComplexMatrices(steps), builder, packed, type);
  return make_tuple({value_of(builder, parts.q), value_of(builder, parts.r)});
}

const Entry& qr_entry() {
  static const Entry entry{.name = "qr",
                           .doc =
                               "`(q, r)` with `q @ r = a`, orthonormal columns in `q` and upper triangular `r`; of "
                               "each matrix of a stack.\n\n"
                               "`mode=\"complete\"` gives a square `q`, which has no derivative.",
                           .parameters = {any_parameter("a"), attribute("mode", Value())},
                           .eager = qr_eager,
                           .complex = complex_qr,
                           .derivative = Derivative::of_parts(),
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[3.0, 1.0], [4.0, 2.0]]",
                                        .expected = "([[-0.6, -0.8], [-0.8, 0.6]], [[-5.0, -2.2], [0.0, 0.4]])",
                                        .ulp = 8,
                                        .differentiate = true}},
                           .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_qr_entries() {
  static const Entry* const entries[] = {&packed_qr_entry(), &packed_complex_qr_entry(), &qr_entry()};
  return entries;
}

}  // namespace covec::ops
