// eigh of real symmetric and of complex Hermitian matrices. Inside, w and Vᵀ are one tensor, side by side, so the
// decomposition is computed once and has one derivative. Derivatives: Walter and Lehmann, "Algorithmic differentiation
// of linear algebra functions" (2010); at equal eigenvalues of real matrices: equal_values.hpp. Complex ones have the
// rule of eig (eigen_rule.hpp), as their vectors have its phases. Equal values get a warning there.
#include <algorithm>

#include "stdlib/decompositions/complex_factor.hpp"
#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/eigen_rule.hpp"
#include "stdlib/ops/linalg/equal_values.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- the decomposition ---

// w beside the rows of Vᵀ: n × (1 + n).
template <class Field>
Type packed_eigh_type(ShapeBuilder& shapes, const Call& call) {
  Type type = square_operand(shapes, call, 0);
  Dim& last = type.shape[type.shape.rank() - 1];
  last = shapes.add(packed_columns<Field>(shapes, last), Dim(1));
  type.dtype = float_dtype(type.dtype);
  return type;
}

Value packed_eigh_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  const int64_t n = a.rows;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch w = numbers<T>(builder, n), vt = numbers<T>(builder, n * n);
    for (int64_t number = 0; number < a.count; ++number) {
      take_symmetric_part(call, a.at<T>(number), n, number, a.count);
      if (!kernels::decompose_eigh(builder.context(), a.at<T>(number), n, w.as<T>(), vt.as<T>()))
        fail_decomposition(call, number, a.count);
      put_columns(packed.at<T>(number), n + 1, 0, w.as<T>(), n, 1);
      put_columns(packed.at<T>(number), n + 1, 1, vt.as<T>(), n, n);
    }
  });
  return std::move(packed.value);
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

Value packed_complex_eigh_eager(Builder& builder, Call& call) {
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

template <class Field>
struct EighParts {
  Value w;
  typename Field::Matrix v;
};

// Of the packed decomposition of matrices of type `a`.
template <class Field>
EighParts<Field> unpacked_eigh(Builder& builder, const Value& packed, const Type& a) {
  Steps steps(builder);
  Unpacking from(builder, packed);
  EighParts<Field> parts;
  parts.w = Matrices(builder).without_column(from.real(Dim(1)));
  parts.v = Field(steps).transposed(from.matrix<Field>(last_dim(a)));
  return parts;
}

// --- derivatives ---

Value eigh_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  Builder& builder = rule.builder();
  const Matrices m(builder);
  const EighParts<Matrices> eigh = unpacked_eigh<Matrices>(builder, *residuals.result, residuals.types[0]);
  const Value p = m.product(m.product(m.transposed(eigh.v), m.symmetric(tangents[0])), eigh.v);
  const Value mixed = quotient_of_pairs(
      rule, "eigh",
      untold(builder, m.sub(m.as_row(eigh.w), m.as_column(eigh.w)), p, EqualValues(builder, eigh.w, false).pairs));
  const Value dv = m.product(eigh.v, mixed);
  Value parts[2] = {m.as_column(m.diagonal(p)), m.transposed(dv)};
  return concat(builder, parts, rank_of_value(parts[1]) - 1);
}

void eigh_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  Builder& builder = rule.builder();
  require_eager(builder, "eigh");
  const Matrices m(builder);
  const EighParts<Matrices> eigh = unpacked_eigh<Matrices>(builder, *residuals.result, residuals.types[0]);
  const Along given = along_split(rule, residuals, cotangent);
  const EighParts<Matrices> plain = unpacked_eigh<Matrices>(builder, given.plain, residuals.types[0]);
  const EighParts<Matrices> tangent = unpacked_eigh<Matrices>(builder, given.tangent, residuals.types[0]);
  const EqualValues equal(builder, eigh.w, false);
  const Value vt = m.transposed(eigh.v), two = m.number(2, residuals.result_type->dtype);
  const auto twice_gaps = [&](const Value& x) { return m.mul(m.sub(m.as_row(x), m.as_column(x)), two); };
  const Value of_v = m.product(vt, plain.v), moved = antisymmetric(m, m.product(vt, tangent.v));
  const Value limit = m.mul(moved, inverse_or_zero(builder, twice_gaps(equal.apart)));
  const Value mixed = quotient_of_pairs(
      rule, "eigh", {antisymmetric(m, of_v), twice_gaps(eigh.w), limit, equal.pairs, of_v, given.open});
  const Dim n = residuals.types[0].shape[residuals.types[0].shape.rank() - 1];
  const Value middle = m.add(mixed, m.mul(m.as_column(plain.w), m.eye(n, residuals.result_type->dtype)));
  out.add(0, m.symmetric(m.product(m.product(eigh.v, middle), vt)));
}

struct ComplexEighRule {
  RuleContext& rule;
  const Residuals& residuals;
  ComplexMatrices c{rule};

  EigenParts parts(const Value& packed) const {
    auto [w, v] = unpacked_eigh<ComplexMatrices>(rule.builder(), packed, residuals.types[0]);
    return {{w, rule.zeros(logical_type(w))}, std::move(v)};
  }
  EigenRule eigen() const {
    const EigenParts found = parts(*residuals.result);
    return EigenRule(rule, last_dim(residuals.types[0]), "eigh", found, c.adjoint(found.vectors));
  }
  ComplexMatrix hermitian(const ComplexMatrix& a) const {
    const Value half = Matrices(rule).number(0.5, logical_type(a.re).dtype);
    return c.mul({half, Value()}, c.add(a, c.adjoint(a)));
  }
};

Value complex_eigh_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const ComplexEighRule eigh{rule, residuals};
  const ComplexMatrix da = tangent_of<ComplexMatrices>(rule, residuals, tangents, 0);
  const EigenParts moved = eigh.eigen().jvp(eigh.hermitian(da));
  const ComplexMatrix rows = eigh.c.transposed(moved.vectors);
  return side_by_side(rule.builder(), Matrices(rule).as_column(moved.values.re), rows);
}

void complex_eigh_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const ComplexEighRule eigh{rule, residuals};
  add_matrix(eigh.hermitian(eigh.eigen().vjp(eigh.parts(cotangent))), out, 0);
}

// --- entries ---

const Entry& packed_eigh_entry() {
  static const Entry entry{.name = "packed_eigh",
                           .doc = "w and Vᵀ of eigh, side by side.",
                           .parameters = {tensor_parameter("a"), attribute("split", Value(int64_t{-1}))},
                           .type = packed_eigh_type<Matrices>,
                           .eager = packed_eigh_eager,
                           .derivative = Derivative::by_hand(Derivative::result_bit | guarded, eigh_jvp, eigh_vjp),
                           .batch = stack_batch,
                           .pattern = pattern_of_blocks<2>,
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[2.0, 0.0], [0.0, 3.0]]",
                                        .expected = "[[2.0, 1.0, 0.0], [3.0, 0.0, 1.0]]",
                                        .differentiate = true}},
                           .internal = true,
                           .part_of = "eigh"};
  return entry;
}

const Entry& packed_complex_eigh_entry() {
  static const Entry entry{
      .name = "packed_complex_eigh",
      .doc = "w and Vᵀ of eigh, side by side.",
      .parameters = {tensor_parameter("re"), tensor_parameter("im")},
      .type = packed_eigh_type<ComplexMatrices>,
      .eager = packed_complex_eigh_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, complex_eigh_jvp, complex_eigh_vjp),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]], [[0.0, -1.0], [1.0, 0.0]]",
                   .expected = "[[1.0, 0.816496580927726, -0.4082482904638631, 0.0, -0.408248290463863], "
                               "[4.0, 0.4082482904638631, 0.816496580927726, -0.408248290463863, 0.0]]",
                   .differentiate = true},
                  {.arguments = "[[2.0]], [[0.0]]", .expected = "[[2.0, 1.0, 0.0]]"},
                  {.arguments = "zeros(0, 0), zeros(0, 0)", .expected = "zeros(0, 1)"}},
      .internal = true,
      .part_of = "eigh"};
  return entry;
}

Value eigh_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type type = square_or_asked(builder, call, 0);
  const Value a = cast_to(builder, std::move(call.args[0]), float_dtype(type.dtype));
  const auto decompose = [](Builder& b, const Value& matrix, Value level, bool) {
    return ops::call(b, packed_eigh_entry(), {matrix, std::move(level)});
  };
  const Value packed = decomposed_apart(builder, {"eigh", decompose, false, false}, a, Dim(0));
  const EighParts<Matrices> parts = unpacked_eigh<Matrices>(builder, packed, type);
  return make_tuple({parts.w, parts.v});
}

Value complex_eigh(Builder& builder, Call& call) {
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, true);
  const Value packed = ops::call(builder, packed_complex_eigh_entry(), {a.re, a.im});
  const EighParts<ComplexMatrices> parts = unpacked_eigh<ComplexMatrices>(builder, packed, type);
  return make_tuple({parts.w, value_of(builder, parts.v)});
}

}  // namespace

const Entry& eigh_entry() {
  static const Entry entry{
      .name = "eigh",
      .doc =
          "`(w, v)` with `a @ v = v * w` for symmetric `a`: eigenvalues ascending, eigenvectors "
          "in the columns of `v`; of "
          "each matrix of a stack.\n\n"
          "Of a matrix that is not quite symmetric it takes (a + a.T) / 2; derivatives are "
          "symmetric. Gradients of functions of `a` alone are right where eigenvalues are equal, too.",
      .parameters = {any_parameter("a")},
      .eager = eigh_eager,
      .complex = complex_eigh,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 0.0], [0.0, 3.0]]", .expected = "([2.0, 3.0], [[1.0, 0.0], [0.0, 1.0]])"}},
      .staging = Staging::structural};
  return entry;
}

Family linalg_eigh_entries() {
  static const Entry* const entries[] = {&packed_eigh_entry(), &packed_complex_eigh_entry(), &eigh_entry()};
  return entries;
}

}  // namespace covec::ops
