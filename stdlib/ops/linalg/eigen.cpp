// Eigenvalues and eigenvectors of any square matrix, by stdlib/decompositions/general_eigen.hpp. Inside, the results
// are one tensor, as those of eigh are. Derivatives: eigen_rule.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/decompositions/general_eigen.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
#include "stdlib/ops/linalg/eigen_rule.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- the decomposition ---

// Row j: the parts of value j, then those of the elements of its vector.
template <bool vectors>
Type packed_eigen_type(ShapeBuilder& shapes, const Call& call) {
  Type type = square_operand(shapes, call, 0);
  const unsigned last = type.shape.rank() - 1;
  const Dim n = type.shape[last];
  type.dtype = float_dtype(type.dtype);
  type.shape[last] = vectors ? shapes.add(shapes.add(n, n), Dim(2)) : Dim(2);
  return type;
}

// Of (a), or of (re, im).
template <bool vectors>
Value packed_eigen_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const bool complex = call.entry.parameters.size() == 2;
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  Stack re = Stack::of(builder, call.args[0], type.dtype, false);
  Stack im = complex ? Stack::of(builder, call.args[1], type.dtype, false) : Stack{Value(), 0, 0, 0};
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t number = 0; number < re.count; ++number) {
      const kernels::SquareParts<T> a{re.at<T>(number), complex ? im.at<T>(number) : nullptr, re.rows};
      if (!kernels::decompose_eigen(builder.context(), a, vectors, packed.at<T>(number)))
        fail_decomposition(call, number, re.count);
    }
  });
  return std::move(packed.value);
}

ComplexMatrix eigenvalue_parts(Builder& builder, const Value& packed) {
  const Matrices m(builder);
  const auto number = [&](int64_t at) { return m.without_column(m.columns(packed, Dim(at), Dim(1))); };
  return {number(0), number(1)};
}

EigenParts eigen_parts(Builder& builder, const Value& packed, Dim n) {
  const Matrices m(builder);
  const auto part = [&](Dim at) { return m.transposed(m.columns(packed, at, n)); };
  return {eigenvalue_parts(builder, packed), {part(Dim(2)), part(builder.add(n, Dim(2)))}};
}

// --- derivatives ---

Dim width_of(const Residuals& residuals) { return residuals.types[0].shape[residuals.types[0].shape.rank() - 1]; }

ComplexMatrix tangent_matrix(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Value re = tangents[0].is_none() ? rule.zeros(residuals.types[0]) : tangents[0];
  return {re, residuals.parameters == 2 ? tangents[1] : Value()};
}

void add_matrix(const Residuals& residuals, const ComplexMatrix& found, Cotangents& out) {
  if (out.wants(0)) out.add(0, found.re);
  if (residuals.parameters == 2 && out.wants(1)) out.add(1, found.im);
}

Value eigen_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Dim n = width_of(residuals);
  const EigenRule eigen(rule, n, "eig", eigen_parts(rule.builder(), *residuals.result, n));
  const EigenParts moved = eigen.jvp(tangent_matrix(rule, residuals, tangents));
  const Matrices m(rule.builder());
  Value parts[4] = {m.as_column(moved.values.re), m.as_column(moved.values.im), m.transposed(moved.vectors.re),
                    m.transposed(moved.vectors.im)};
  return concat(rule.builder(), parts, rank_of_value(parts[2]) - 1);
}

void eigen_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Dim n = width_of(residuals);
  const EigenRule eigen(rule, n, "eig", eigen_parts(rule.builder(), *residuals.result, n));
  add_matrix(residuals, eigen.vjp(eigen_parts(rule.builder(), cotangent, n)), out);
}

template <bool complex>
std::vector<Parameter> matrix_parameters() {
  if (complex) return {tensor_parameter("re"), tensor_parameter("im")};
  return {tensor_parameter("a")};
}

const std::vector<Sample>& samples_of_real() {
  static const std::vector<Sample> samples = {
      {.arguments = "[[2.0, 1.0], [0.0, 3.0]]",
       .expected = "[[2.0, 0.0, 1.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.7071067811865475, 0.7071067811865475, 0.0, 0.0]]",
       .ulp = 8,
       .differentiate = true},
      {.arguments = "[[0.0, -2.0], [1.0, 1.0]]",
       .expected = "[[0.5, 1.3228756555322954, 0.8164965809277261, -0.20412414523193154, 0.0, -0.5400617248673218], "
                   "[0.5, -1.3228756555322954, 0.8164965809277261, -0.20412414523193154, 0.0, 0.5400617248673218]]",
       .ulp = 16,
       .differentiate = true},
      {.arguments = "[[[2.0]], [[-3.0]]]", .expected = "[[[2.0, 0.0, 1.0, 0.0]], [[-3.0, 0.0, 1.0, 0.0]]]"},
      {.arguments = "zeros(0, 0)", .expected = "zeros(0, 2)"}};
  return samples;
}

const std::vector<Sample>& samples_of_complex() {
  static const std::vector<Sample> samples = {
      {.arguments = "[[1.0, 2.0], [0.25, 3.0]], [[0.5, 1.0], [0.5, -1.0]]",
       .expected = "[[1.3139274421503733, -0.06780352738230788, 0.9603891609299178, 0.011534534456720426, 0.0, "
                   "-0.27842344384623113], [2.6860725578496263, -0.4321964726176916, 0.7575831084852609, "
                   "0.36969277551402446, 0.0, -0.5379545384793651]]",
       .ulp = 16,
       .differentiate = true},
      {.arguments = "[[2.0]], [[-1.0]]", .expected = "[[2.0, -1.0, 1.0, 0.0]]"}};
  return samples;
}

template <bool complex>
const Entry& packed_eigen_entry() {
  static const Entry entry{.name = complex ? "packed_complex_eig" : "packed_eig",
                           .doc = "Values and vectors of eig, side by side: their real and imaginary parts.",
                           .parameters = matrix_parameters<complex>(),
                           .type = packed_eigen_type<true>,
                           .eager = packed_eigen_eager<true>,
                           .derivative = Derivative::by_hand(Derivative::result_bit | guarded, eigen_jvp, eigen_vjp),
                           .batch = operands_batch,
                           .effects = {.may_fail = true},
                           .samples = complex ? samples_of_complex() : samples_of_real(),
                           .internal = true,
                           .part_of = "eig"};
  return entry;
}

// The vectors, which the rules of the values need.
template <bool complex>
EigenRule rule_of_values(RuleContext& rule, const Residuals& residuals) {
  const Dim n = width_of(residuals);
  const Value packed = complex ? rule.call(packed_eigen_entry<true>(), {residuals.operands[0], residuals.operands[1]})
                               : rule.call(packed_eigen_entry<false>(), {residuals.operands[0]});
  return EigenRule(rule, n, "eigvals", eigen_parts(rule.builder(), packed, n));
}

template <bool complex>
Value values_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const EigenRule eigen = rule_of_values<complex>(rule, residuals);
  const ComplexMatrix moved = eigen.values_jvp(tangent_matrix(rule, residuals, tangents));
  Value parts[2] = {moved.re, moved.im};
  return stack(rule.builder(), parts, rank_of_value(parts[0]));
}

template <bool complex>
void values_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const EigenRule eigen = rule_of_values<complex>(rule, residuals);
  add_matrix(residuals, eigen.values_vjp(eigenvalue_parts(rule.builder(), cotangent)), out);
}

template <bool complex>
const Entry& packed_values_entry() {
  static const Entry entry{
      .name = complex ? "packed_complex_eigvals" : "packed_eigvals",
      .doc = "The eigenvalues, each a row of its real and its imaginary part.",
      .parameters = matrix_parameters<complex>(),
      .type = packed_eigen_type<false>,
      .eager = packed_eigen_eager<false>,
      .derivative = Derivative::by_hand(keep_operand(0) | (complex ? keep_operand(1) : 0) | guarded,
                                        values_jvp<complex>, values_vjp<complex>),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = complex ? std::vector<Sample>{{.arguments = "[[1.0, 2.0], [0.0, 3.0]], [[0.5, 1.0], [0.0, -1.0]]",
                                                .expected = "[[1.0, 0.5], [3.0, -1.0]]",
                                                .ulp = 8,
                                                .differentiate = true}}
                         : std::vector<Sample>{{.arguments = "[[2.0, 1.0], [0.0, 3.0]]",
                                                .expected = "[[2.0, 0.0], [3.0, 0.0]]",
                                                .ulp = 4,
                                                .differentiate = true},
                                               {.arguments = "[[0.0, -2.0], [2.0, 1.0]]",
                                                .expected = "[[0.5, 1.9364916731037085], [0.5, -1.9364916731037085]]",
                                                .ulp = 4,
                                                .differentiate = true}},
      .internal = true,
      .part_of = "eigvals"};
  return entry;
}

// --- eig and eigvals ---

// The packed entry of a real matrix, or of a complex one.
Value call_packed(Builder& builder, Call& call, const Entry& of_real, const Entry& of_complex, Type& type) {
  const Value given = call.args[0];
  if (is_complex(given)) call.args[0] = real_part(given);
  require_operand(builder, call, 0);
  type = square_or_asked(builder, call, 0);
  const Value re = cast_to(builder, call.args[0], float_dtype(type.dtype));
  if (!is_complex(given)) return ops::call(builder, of_real, {re});
  return ops::call(builder, of_complex, {re, imaginary_part(builder, given)});
}

Value eig_eager(Builder& builder, Call& call) {
  Type type;
  const Value packed = call_packed(builder, call, packed_eigen_entry<false>(), packed_eigen_entry<true>(), type);
  const EigenParts eigen = eigen_parts(builder, packed, type.shape[type.shape.rank() - 1]);
  return make_tuple({complex_value(builder, eigen.values.re, eigen.values.im),
                     complex_value(builder, eigen.vectors.re, eigen.vectors.im)});
}

Value eigvals_eager(Builder& builder, Call& call) {
  Type type;
  const Value packed = call_packed(builder, call, packed_values_entry<false>(), packed_values_entry<true>(), type);
  const ComplexMatrix values = eigenvalue_parts(builder, packed);
  return complex_value(builder, values.re, values.im);
}

const Entry& eig_entry() {
  static const Entry entry{
      .name = "eig",
      .doc =
          "`(w, v)` with `a @ v = v * w` for any square `a`, real or complex: eigenvalues in the order of Schur's "
          "form, "
          "eigenvectors in the columns of `v`, both complex; of each matrix of a stack.\n\n"
          "Vectors have norm 1, and their largest element is real and positive; the derivative is of just that. Of a "
          "real matrix conjugate pairs have the positive imaginary part first. Equal eigenvalues and vectors that "
          "nearly depend on each other (a condition over 1e7, in f32 1e3) get a warning where a derivative needs them. "
          "For symmetric matrices `eigh` is quicker and more exact.",
      .parameters = {any_parameter("a")},
      .eager = eig_eager,
      .complex = eig_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 0.0], [0.0, 3.0]]",
                   .expected = "(complex([2.0, 3.0], zeros(2)), complex(eye(2), zeros(2, 2)))"}},
      .staging = Staging::structural};
  return entry;
}

const Entry& eigvals_entry() {
  static const Entry entry{
      .name = "eigvals",
      .doc = "The eigenvalues of any square matrix, real or complex, or of each of a stack: those of `eig`, complex.",
      .parameters = {any_parameter("a")},
      .eager = eigvals_eager,
      .complex = eigvals_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[0.0, -2.0], [2.0, 0.0]]", .expected = "complex(zeros(2), [2.0, -2.0])", .ulp = 4}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_eigen_entries() {
  static const Entry* const entries[] = {&distinct_values_entry(),
                                         &largest_elements_entry(),
                                         &packed_eigen_entry<false>(),
                                         &packed_eigen_entry<true>(),
                                         &packed_values_entry<false>(),
                                         &packed_values_entry<true>(),
                                         &eig_entry(),
                                         &eigvals_entry()};
  return entries;
}

}  // namespace covec::ops
