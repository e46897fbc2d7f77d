#include "stdlib/ops/linalg/eigen_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/decompositions/complex_numbers.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- what rules ask of numbers ---

template <class T>
T largest_of(const T* re, const T* im, int64_t count) {
  T largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, kernels::length(re[i], im[i]));
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
        const bool distinct = kernels::length(re[i] - re[j], im[i] - im[j]) > near;
        to[k] = T(i != j && distinct);
        mixes |= i != j && !distinct && kernels::length(at[of_touched][k], at[of_touched + 1][k]) > counts;
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
    warn_once(
        builder,
        name + ": for equal values the derivative of their vectors is not unique: it is computed without their mixing");
  }
  if (depend) {
    warn_once(builder, name +
                           ": the eigenvectors are almost linearly dependent, as those of a defective matrix: "
                           "derivatives lose most of their digits");
  }
  return std::move(mask.value);
}

// Safe substitutes, which a rule is given for a cotangent of zeros, have no largest element that is real: the first
// stands in for it, so that nothing is divided by 0.
template <class T>
void mark_largest(const T* re, const T* im, int64_t rows, int64_t columns, T* to) {
  for (int64_t j = 0; j < columns; ++j) {
    const auto square = [&](int64_t i) {
      const T x = re[i * columns + j], y = im[i * columns + j];
      return x * x + y * y;
    };
    T largest = 0;
    for (int64_t i = 0; i < rows; ++i) largest = std::max(largest, square(i));
    const T least = largest * (1 - 16 * std::numeric_limits<T>::epsilon());
    int64_t at = 0;
    while (at < rows && !(im[at * columns + j] == T(0) && re[at * columns + j] > T(0) && square(at) >= least)) ++at;
    if (at == rows) at = 0;
    for (int64_t i = 0; i < rows; ++i) to[i * columns + j] = T(i == at);
  }
}

Value largest_elements_eager(Builder& builder, Call& call) {
  const Type type = operand_type(call, 0);
  Stack mask = Stack::empty(builder, type.dtype, type.shape);
  Stack re = Stack::of(builder, call.args[0], type.dtype, false),
        im = Stack::of(builder, call.args[1], type.dtype, false);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t i = 0; i < mask.count; ++i)
      mark_largest(re.at<T>(i), im.at<T>(i), mask.rows, mask.columns, mask.at<T>(i));
  });
  return std::move(mask.value);
}

}  // namespace

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

Value distinct_pairs(RuleContext& rule, std::string_view name, const EigenParts& eigen, const ComplexMatrix& inverse,
                     const ComplexMatrix& touched, const ComplexMatrix& size) {
  const ComplexMatrices c(rule);
  const ComplexMatrix w = c.constant(eigen.values), by = c.constant(touched), of = c.constant(size),
                      v = c.constant(eigen.vectors), i = c.constant(inverse);
  return rule.call(distinct_values_entry(), {w.re, c.imaginary(w), by.re, c.imaginary(by), of.re, c.imaginary(of), v.re,
                                             c.imaginary(v), i.re, c.imaginary(i), make_string(std::string(name))});
}

Value largest_elements(RuleContext& rule, const ComplexMatrix& vectors) {
  const ComplexMatrices c(rule);
  const ComplexMatrix v = c.constant(vectors);
  return rule.call(largest_elements_entry(), {v.re, c.imaginary(v)});
}

Value real_products(RuleContext& rule, const ComplexMatrix& a, const ComplexMatrix& b) {
  return ComplexMatrices(rule).column_sums(rule.add(rule.mul(a.re, b.re), rule.mul(a.im, b.im)));
}
Value imaginary_products(RuleContext& rule, const ComplexMatrix& a, const ComplexMatrix& b) {
  return ComplexMatrices(rule).column_sums(rule.sub(rule.mul(a.re, b.im), rule.mul(a.im, b.re)));
}

EigenRule::EigenRule(RuleContext& rule, Dim n, std::string_view name, EigenParts eigen)
    : EigenRule(rule, n, name, eigen, ComplexMatrices(rule).inverse_or_inf(eigen.vectors, n)) {}

EigenRule::EigenRule(RuleContext& rule, Dim n, std::string_view name, EigenParts eigen, ComplexMatrix inverse)
    : rule_(rule),
      n_(n),
      name_(name),
      m_(rule.builder()),
      c_(rule),
      eigen_(std::move(eigen)),
      inverse_(std::move(inverse)) {}

Value EigenRule::distinct_pairs(const ComplexMatrix& touched, const ComplexMatrix& size) const {
  return ops::distinct_pairs(rule_, name_, eigen_, inverse_, touched, size);
}
// Where the values alone are asked for: only how far the vectors are independent counts.
void EigenRule::expect_independent() const {
  const Value none = rule_.zeros(logical_type(constant_of(eigen_.vectors.re)));
  distinct_pairs({none, none}, {none, none});
}
// F, without pairs of values that are equal.
ComplexMatrix EigenRule::quotients(const ComplexMatrix& touched, const ComplexMatrix& size) const {
  const Dtype dtype = logical_type(eigen_.values.re).dtype;
  const Value mask = distinct_pairs(touched, size);
  Steps steps(rule_.builder());
  const Value distinct = steps.greater(mask, steps.number(0, dtype));
  const auto gaps = [&](const Value& x) { return m_.sub(m_.as_row(x), m_.as_column(x)); };
  const Value re = steps.where(distinct, gaps(eigen_.values.re), steps.number(1, dtype)), im = gaps(eigen_.values.im);
  return c_.mul({mask, Value()}, c_.div({steps.number(1, dtype), Value()}, {re, im}));
}

Value EigenRule::largest() const { return largest_elements(rule_, eigen_.vectors); }
// Of the largest elements of x's columns, the part of which `part` is the matrix.
Value EigenRule::at_largest(const Value& mask, const Value& part) const {
  return c_.column_sums(rule_.mul(mask, part));
}
ComplexMatrix EigenRule::moved(const ComplexMatrix& da) const {
  return c_.product(inverse_, c_.product(da, eigen_.vectors));
}
ComplexMatrix EigenRule::values_jvp(const ComplexMatrix& da) const {
  expect_independent();
  return c_.diagonal(moved(da));
}
ComplexMatrix EigenRule::values_vjp(const ComplexMatrix& of_values) const {
  expect_independent();
  return from_p(c_.on_diagonal(of_values, n_));
}
EigenParts EigenRule::jvp(const ComplexMatrix& da) const {
  const ComplexMatrix p = moved(da);
  const ComplexMatrix d = c_.product(eigen_.vectors, c_.mul(quotients(p, p), p));
  const Value mask = largest();
  const Value turn = rule_.div(at_largest(mask, d.im), at_largest(mask, eigen_.vectors.re));
  const ComplexMatrix along{rule_.neg(real_products(rule_, eigen_.vectors, d)), rule_.neg(turn)};
  return {c_.diagonal(p), c_.add(d, c_.mul(eigen_.vectors, c_.as_row(along)))};
}

// <a, b> = Re Σ conj(a)·b, by which each step of the above is transposed.
ComplexMatrix EigenRule::vjp(const EigenParts& given) const {
  const ComplexMatrix& v = eigen_.vectors;
  const ComplexMatrix& of_v = given.vectors;
  const Value mask = largest();
  const Value length = m_.as_row(real_products(rule_, v, of_v));
  const Value turn = rule_.div(imaginary_products(rule_, v, of_v), at_largest(mask, v.re));
  const ComplexMatrix of_d{rule_.sub(of_v.re, rule_.mul(v.re, length)),
                           rule_.sub(rule_.sub(of_v.im, rule_.mul(v.im, length)), rule_.mul(mask, m_.as_row(turn)))};
  const ComplexMatrix of_mixed = c_.product(c_.adjoint(v), of_d);
  const ComplexMatrix of_p = c_.mul(c_.conj(quotients(of_mixed, of_v)), of_mixed);
  return from_p(c_.add(of_p, c_.on_diagonal(given.values, n_)));
}
ComplexMatrix EigenRule::from_p(const ComplexMatrix& of_p) const {
  return c_.product(c_.product(c_.adjoint(inverse_), of_p), c_.adjoint(eigen_.vectors));
}

}  // namespace covec::ops
