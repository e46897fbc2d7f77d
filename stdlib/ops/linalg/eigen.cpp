// Eigenvalues and eigenvectors of any square matrix, by stdlib/kernels/general_eigen.hpp. Their parts are one tensor
// inside, as those of eigh are. Derivatives: with P = V⁻¹·dA·V, dλ = diag P; D = V·(F∘P) with F_ij = 1/(λ_j − λ_i) and
// a diagonal of zeros; dv_j = D_j − v_j·(Re(v_jᴴ·D_j) + i·Im D_kj/v_kj), which keeps the norm and that the largest
// element, element k, is real.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/kernels/general_eigen.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
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

struct EigenParts {
  ComplexMatrix values, vectors;  // vectors as columns
};

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

// --- what rules ask of numbers ---

template <class T>
T largest_of(const T* re, const T* im, int64_t count) {
  T largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::hypot(re[i], im[i]));
  return largest;
}

template <class T>
T sum_of_squares(const T* re, const T* im, int64_t count) {
  T sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += re[i] * re[i] + im[i] * im[i];
  return sum;
}

// Operands of `distinct_values`.
enum OfDistinct : unsigned {
  of_values = 0,
  of_touched = 2,
  of_size = 4,
  of_vectors = 6,
  of_inverse = 8,
  of_name = 10,
};

template <class T>
struct DistinctValues {
  const T* at[of_name];
  int64_t n;

  // 1 for two values that rounding does not hide from each other; true where an element of `touched` says that the
  // derivative depends on the mixing of two others.
  bool choose(T* to) const {
    const T *re = at[of_values], *im = at[of_values + 1];
    const T near = 16 * T(n) * std::numeric_limits<T>::epsilon() * largest_of(re, im, n);
    const T counts = std::sqrt(std::numeric_limits<T>::epsilon()) * largest_of(at[of_size], at[of_size + 1], n * n);
    bool mixes = false;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const int64_t k = i * n + j;
        const bool distinct = std::hypot(re[i] - re[j], im[i] - im[j]) > near;
        to[k] = T(i != j && distinct);
        mixes |= i != j && !distinct && std::hypot(at[of_touched][k], at[of_touched + 1][k]) > counts;
      }
    }
    return mixes;
  }
  // Of the vectors: 1 where they are orthogonal, infinite or NaN where they depend on each other.
  T condition() const {
    const int64_t count = n * n;
    return std::sqrt(sum_of_squares(at[of_vectors], at[of_vectors + 1], count)) *
           std::sqrt(sum_of_squares(at[of_inverse], at[of_inverse + 1], count)) / T(std::max<int64_t>(n, 1));
  }
};

void warn_once(Builder& builder, const std::string& text) {
  Context& context = builder.context();
  if (context.output != nullptr && context.warned.insert(text).second) context.output->warn(text);
}

Type like_touched(ShapeBuilder&, const Call& call) { return operand_type(call, of_touched); }

Value distinct_values_eager(Builder& builder, Call& call) {
  const Type type = operand_type(call, of_touched);
  Stack mask = Stack::empty(builder, type.dtype, type.shape);
  const int64_t n = mask.rows;
  Value parts[of_name];
  for (unsigned i = 0; i < of_name; ++i) parts[i] = contiguous(builder.pool(), std::move(call.args[i]));
  bool mixes = false, depend = false;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    constexpr T most = sizeof(T) == 4 ? T(1e3) : T(1e7);
    for (int64_t number = 0; number < mask.count; ++number) {
      DistinctValues<T> values{{}, n};
      for (unsigned i = 0; i < of_name; ++i)
        values.at[i] = parts[i].tensor().as<T>() + number * n * (i < of_touched ? 1 : n);
      mixes |= values.choose(mask.at<T>(number));
      depend |= !(values.condition() <= most);
    }
  });
  const std::string name(call.args[of_name].string().text);
  if (mixes) {
    warn_once(builder, name +
                           ": equal values: the derivative of their vectors is not determined, and is taken without "
                           "their mixing");
  }
  if (depend) {
    warn_once(builder, name +
                           ": the eigenvectors nearly depend on each other, as those of a defective matrix do: "
                           "derivatives lose most of their digits");
  }
  return std::move(mask.value);
}

template <class T>
void mark_largest(const T* re, const T* im, int64_t n, T* to) {
  for (int64_t j = 0; j < n; ++j) {
    const auto square = [&](int64_t i) { return re[i * n + j] * re[i * n + j] + im[i * n + j] * im[i * n + j]; };
    T largest = 0;
    for (int64_t i = 0; i < n; ++i) largest = std::max(largest, square(i));
    const T least = largest * (1 - 16 * std::numeric_limits<T>::epsilon());
    int64_t at = 0;
    while (at < n && !(im[at * n + j] == T(0) && re[at * n + j] > T(0) && square(at) >= least)) ++at;
    for (int64_t i = 0; i < n; ++i) to[i * n + j] = T(i == at);
  }
}

Value largest_elements_eager(Builder& builder, Call& call) {
  const Type type = operand_type(call, 0);
  Stack mask = Stack::empty(builder, type.dtype, type.shape);
  Stack re = Stack::of(builder, call.args[0], type.dtype, false),
        im = Stack::of(builder, call.args[1], type.dtype, false);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t i = 0; i < mask.count; ++i) mark_largest(re.at<T>(i), im.at<T>(i), mask.rows, mask.at<T>(i));
  });
  return std::move(mask.value);
}

const Entry& distinct_values_entry() {
  static const Entry entry{
      .name = "distinct_values",
      .doc = "1 for pairs of distinct eigenvalues; warns where a derivative does not know what it needs.",
      .parameters = {tensor_parameter("values_re"), tensor_parameter("values_im"), tensor_parameter("touched_re"),
                     tensor_parameter("touched_im"), tensor_parameter("size_re"), tensor_parameter("size_im"),
                     tensor_parameter("vectors_re"), tensor_parameter("vectors_im"), tensor_parameter("inverse_re"),
                     tensor_parameter("inverse_im"), attribute("name", Value())},
      .carries = true,
      .type = like_touched,
      .eager = distinct_values_eager,
      .derivative = Derivative::piecewise_constant(),
      .batch = operands_batch,
      .effects = {.may_fail = true},  // it warns
      .internal = true,
      .part_of = "eig"};
  return entry;
}

const Entry& largest_elements_entry() {
  static const Entry entry{.name = "largest_elements",
                           .doc = "1 where an eigenvector's largest element is, which is real and positive.",
                           .parameters = {tensor_parameter("re"), tensor_parameter("im")},
                           .type = [](ShapeBuilder&, const Call& call) { return operand_type(call, 0); },
                           .eager = largest_elements_eager,
                           .derivative = Derivative::piecewise_constant(),
                           .batch = operands_batch,
                           .internal = true,
                           .part_of = "eig"};
  return entry;
}

// --- derivatives ---

struct EigenRule {
  RuleContext& rule;
  Dim n;
  std::string_view name;
  EigenParts eigen;
  Matrices m{rule.builder()};
  ComplexMatrices c{rule};
  ComplexMatrix inverse = c.inverse_or_inf(eigen.vectors, n);  // V⁻¹

  Value distinct_pairs(const ComplexMatrix& touched, const ComplexMatrix& size) const {
    const ComplexMatrix w = c.constant(eigen.values), by = c.constant(touched), of = c.constant(size),
                        v = c.constant(eigen.vectors), i = c.constant(inverse);
    return rule.call(distinct_values_entry(), {w.re, w.im, by.re, c.imaginary(by), of.re, c.imaginary(of), v.re, v.im,
                                               i.re, i.im, make_string(std::string(name))});
  }
  // Where the values alone are asked for: only how far the vectors are independent counts.
  void expect_independent() const {
    const Value none = rule.zeros(logical_type(constant_of(eigen.vectors.re)));
    distinct_pairs({none, none}, {none, none});
  }
  // F, without pairs of values that are equal.
  ComplexMatrix quotients(const ComplexMatrix& touched, const ComplexMatrix& size) const {
    const Dtype dtype = logical_type(eigen.values.re).dtype;
    const Value mask = distinct_pairs(touched, size);
    Steps steps(rule.builder());
    const Value distinct = steps.greater(mask, steps.number(0, dtype));
    const auto gaps = [&](const Value& x) { return m.sub(m.as_row(x), m.as_column(x)); };
    const Value re = steps.where(distinct, gaps(eigen.values.re), steps.number(1, dtype)), im = gaps(eigen.values.im);
    return c.mul({mask, Value()}, c.div({steps.number(1, dtype), Value()}, {re, im}));
  }

  Value largest() const {
    const ComplexMatrix v = c.constant(eigen.vectors);
    return rule.call(largest_elements_entry(), {v.re, v.im});
  }
  // Of the largest elements of x's columns, the part of which `part` is the matrix.
  Value at_largest(const Value& mask, const Value& part) const { return c.column_sums(rule.mul(mask, part)); }
  // Re(a_jᴴ·b_j), and the imaginary part.
  Value real_products(const ComplexMatrix& a, const ComplexMatrix& b) const {
    return c.column_sums(rule.add(rule.mul(a.re, b.re), rule.mul(a.im, b.im)));
  }
  Value imaginary_products(const ComplexMatrix& a, const ComplexMatrix& b) const {
    return c.column_sums(rule.sub(rule.mul(a.re, b.im), rule.mul(a.im, b.re)));
  }

  ComplexMatrix moved(const ComplexMatrix& da) const { return c.product(inverse, c.product(da, eigen.vectors)); }
  ComplexMatrix values_jvp(const ComplexMatrix& da) const {
    expect_independent();
    return c.diagonal(moved(da));
  }
  ComplexMatrix values_vjp(const ComplexMatrix& of_values) const {
    expect_independent();
    return from_p(c.on_diagonal(of_values, n));
  }
  EigenParts jvp(const ComplexMatrix& da) const {
    const ComplexMatrix p = moved(da);
    const ComplexMatrix d = c.product(eigen.vectors, c.mul(quotients(p, p), p));
    const Value mask = largest();
    const Value turn = rule.div(at_largest(mask, d.im), at_largest(mask, eigen.vectors.re));
    const ComplexMatrix along{rule.neg(real_products(eigen.vectors, d)), rule.neg(turn)};
    return {c.diagonal(p), c.add(d, c.mul(eigen.vectors, c.as_row(along)))};
  }

  // <a, b> = Re Σ conj(a)·b, by which each step of the above is transposed.
  ComplexMatrix vjp(const EigenParts& given) const {
    const ComplexMatrix& v = eigen.vectors;
    const ComplexMatrix& of_v = given.vectors;
    const Value mask = largest();
    const Value length = m.as_row(real_products(v, of_v));
    const Value turn = rule.div(imaginary_products(v, of_v), at_largest(mask, v.re));
    const ComplexMatrix of_d{rule.sub(of_v.re, rule.mul(v.re, length)),
                             rule.sub(rule.sub(of_v.im, rule.mul(v.im, length)), rule.mul(mask, m.as_row(turn)))};
    const ComplexMatrix of_mixed = c.product(c.adjoint(v), of_d);
    const ComplexMatrix of_p = c.mul(c.conj(quotients(of_mixed, of_v)), of_mixed);
    return from_p(c.add(of_p, c.on_diagonal(given.values, n)));
  }
  ComplexMatrix from_p(const ComplexMatrix& of_p) const {
    return c.product(c.product(c.adjoint(inverse), of_p), c.adjoint(eigen.vectors));
  }
};

Dim width_of(const Kept& kept) { return kept.types[0].shape[kept.types[0].shape.rank() - 1]; }

ComplexMatrix tangent_matrix(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  const Value re = tangents[0].is_none() ? rule.zeros(kept.types[0]) : tangents[0];
  return {re, kept.parameters == 2 ? tangents[1] : Value()};
}

void add_matrix(const Kept& kept, const ComplexMatrix& found, Cotangents& out) {
  if (out.wants(0)) out.add(0, found.re);
  if (kept.parameters == 2 && out.wants(1)) out.add(1, found.im);
}

Value eigen_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  const Dim n = width_of(kept);
  const EigenRule eigen{rule, n, "eig", eigen_parts(rule.builder(), *kept.result, n)};
  const EigenParts moved = eigen.jvp(tangent_matrix(rule, kept, tangents));
  const Matrices& m = eigen.m;
  Value parts[4] = {m.as_column(moved.values.re), m.as_column(moved.values.im), m.transposed(moved.vectors.re),
                    m.transposed(moved.vectors.im)};
  return concat(rule.builder(), parts, rank_of_value(parts[2]) - 1);
}

void eigen_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  const Dim n = width_of(kept);
  const EigenRule eigen{rule, n, "eig", eigen_parts(rule.builder(), *kept.result, n)};
  add_matrix(kept, eigen.vjp(eigen_parts(rule.builder(), cotangent, n)), out);
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
EigenRule rule_of_values(RuleContext& rule, const Kept& kept) {
  const Dim n = width_of(kept);
  const Value packed = complex ? rule.call(packed_eigen_entry<true>(), {kept.operands[0], kept.operands[1]})
                               : rule.call(packed_eigen_entry<false>(), {kept.operands[0]});
  return {rule, n, "eigvals", eigen_parts(rule.builder(), packed, n)};
}

template <bool complex>
Value values_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  const EigenRule eigen = rule_of_values<complex>(rule, kept);
  const ComplexMatrix moved = eigen.values_jvp(tangent_matrix(rule, kept, tangents));
  Value parts[2] = {moved.re, moved.im};
  return stack(rule.builder(), parts, rank_of_value(parts[0]));
}

template <bool complex>
void values_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  const EigenRule eigen = rule_of_values<complex>(rule, kept);
  add_matrix(kept, eigen.values_vjp(eigenvalue_parts(rule.builder(), cotangent)), out);
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

}  // namespace

Family linalg_eigen_entries() {
  static const Entry* const entries[] = {&distinct_values_entry(),      &largest_elements_entry(),
                                         &packed_eigen_entry<false>(),  &packed_eigen_entry<true>(),
                                         &packed_values_entry<false>(), &packed_values_entry<true>()};
  return entries;
}

}  // namespace covec::ops
