// The derivatives of det: the matrix of cofactors C(A), the change of C along a matrix M, and the change of that along
// another one, N. They are made of products of singular values, all but one, two and three of them, so A may be
// singular; an inverse would lose all digits near there. In the basis of A = U·diag(s)·Vᵀ, with M for Uᵀ·M·V, take the
// part of the determinant that is linear in M, N and P. It is a sum over rows i, j, k: the product of the other
// singular values times the determinant of those three rows and columns. All are symmetric in the matrices, so each is
// its own transpose. The cofactors of two and three rows are determinants of the other rows. Start at along_basis.
#include <cmath>

#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/decompositions/elimination.hpp"
#include "stdlib/decompositions/factor.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/linalg/wide_product.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

using kernels::Dense;
using kernels::Grid;

// 1 or −1, of an orthogonal matrix, which is lost.
template <class T>
T orthogonal_determinant(Context& context, Dense<T> q) {
  std::vector<int64_t> order(size_for<int64_t>(q.rows));
  int sign = kernels::factor_lu(context, q, order.data());
  for (int64_t i = 0; i < q.rows; ++i) sign = q(i, i) < 0 ? -sign : sign;
  return T(sign);
}

// A matrix by its singular values.
template <class T>
struct Basis {
  Context& context;
  int64_t n;
  Grid<T> ut, vt;
  std::vector<T> s;

  Basis(Builder& builder, const Call& call, Stack& a, int64_t number)
      : context(builder.context()), n(a.rows), ut(context, n, n), vt(context, n, n), s(size_for<T>(n)) {
    if (!kernels::decompose_svd(context, a.at<T>(number), n, n, false, ut.row(0), s.data(), vt.row(0))) {
      fail_decomposition(call, number, a.count);
    }
  }
  T value(int64_t i) const { return s[static_cast<size_t>(i)]; }
  // Uᵀ·m·V.
  Grid<T> inward(Dense<T> m) const {
    const Grid<T> left(context, n, n);
    Grid<T> both(context, n, n);
    kernels::assign_product(context, left.all(), kernels::matrix(ut.all()), kernels::matrix(m), n);
    kernels::assign_product(context, both.all(), kernels::matrix(left.all()), kernels::transposed(vt.all()), n);
    return both;
  }
  // det(U)·det(V)·U·m·Vᵀ; U and V are lost.
  void outward(const Grid<T>& m, Dense<T> to) {
    const Grid<T> right(context, n, n);
    kernels::assign_product(context, right.all(), kernels::matrix(m.all()), kernels::matrix(vt.all()), n);
    finish(right, to);
  }
  void finish(const Grid<T>& right, Dense<T> to) {
    kernels::assign_product(context, to, kernels::transposed(ut.all()), kernels::matrix(right.all()), n);
    const T sign = orthogonal_determinant(context, ut.all()) * orthogonal_determinant(context, vt.all());
    if (sign < 0) kernels::scale(to.at, T(-1), n * n);
  }
};

// For each k the product of all singular values but the k-th and two (or one: i == j) others, by products from both
// ends.
template <class T>
class ProductsWithout {
 public:
  explicit ProductsWithout(const std::vector<T>& s) : s_(s), before_(s.size()), result_(s.size()) {}
  const std::vector<T>& operator()(int64_t i, int64_t j) {
    const auto n = static_cast<int64_t>(s_.size());
    const auto factor = [&](int64_t k) { return k == i || k == j ? T(1) : s_[static_cast<size_t>(k)]; };
    WideProduct<T> run;
    for (int64_t k = 0; k < n; ++k) {
      before_[static_cast<size_t>(k)] = run;
      run.times(factor(k));
    }
    run = WideProduct<T>();
    for (int64_t k = n; k-- > 0;) {
      WideProduct<T> others = before_[static_cast<size_t>(k)];
      others.times(run);
      result_[static_cast<size_t>(k)] = others.value();
      run.times(factor(k));
    }
    return result_;
  }

 private:
  const std::vector<T>& s_;
  std::vector<WideProduct<T>> before_;
  std::vector<T> result_;
};

// --- the three matrices ---

// Two and three rows by determinants of the others. False where that is not finite: the products may have overflowed.
template <class T>
bool few_cofactors(const Dense<T>& a, const Dense<T>& to) {
  if (a.rows != 2 && a.rows != kernels::max_cofactor_rows) return false;
  kernels::PlainNumbers<T> numbers;
  kernels::take_cofactors(numbers, a, a.rows, to);
  for (int64_t i = 0; i < a.rows * a.rows; ++i) {
    if (!std::isfinite(to.at[i])) return false;
  }
  return true;
}

// diag(products of the others)·Vᵀ.
template <class T>
void cofactors(Builder& builder, const Call& call, Stack& a, Stack& result, int64_t number) {
  if (few_cofactors<T>(dense<T>(a, number), dense<T>(result, number))) return;
  Basis<T> basis(builder, call, a, number);
  const Grid<T> weighted(basis.context, basis.n, basis.n);
  for (int64_t k = 0; k < basis.n; ++k) {
    WideProduct<T> others;
    for (int64_t i = 0; i < basis.n; ++i) others.times(i == k ? T(1) : basis.value(i));
    for (int64_t j = 0; j < basis.n; ++j) weighted.row(k)[j] = others.value() * basis.vt.row(k)[j];
  }
  basis.finish(weighted, dense<T>(result, number));
}

// What S's cofactors change by along m.
template <class T>
Grid<T> along_basis(const Basis<T>& basis, const Grid<T>& m) {
  Grid<T> to(basis.context, basis.n, basis.n);
  ProductsWithout<T> without(basis.s);
  for (int64_t i = 0; i < basis.n; ++i) {
    const std::vector<T>& others = without(i, i);
    for (int64_t j = 0; j < basis.n; ++j) {
      if (j == i) continue;
      to.row(i)[i] += others[static_cast<size_t>(j)] * m.row(j)[j];
      to.row(i)[j] = -others[static_cast<size_t>(j)] * m.row(j)[i];
    }
  }
  return to;
}

// What rows i and j alone give by m and p, both ways.
template <class T>
T of_two_rows(const Grid<T>& m, const Grid<T>& p, int64_t i, int64_t j) {
  return m.row(i)[i] * p.row(j)[j] + m.row(j)[j] * p.row(i)[i] - m.row(i)[j] * p.row(j)[i] - m.row(j)[i] * p.row(i)[j];
}

// The cofactor of element (i, j) of the rows i, j and k.
template <class T>
T of_three_rows(const Grid<T>& m, const Grid<T>& p, int64_t i, int64_t j, int64_t k) {
  return m.row(j)[k] * p.row(k)[i] + p.row(j)[k] * m.row(k)[i] - m.row(j)[i] * p.row(k)[k] - p.row(j)[i] * m.row(k)[k];
}

template <class T>
Grid<T> twice_basis(const Basis<T>& basis, const Grid<T>& m, const Grid<T>& p) {
  Grid<T> to(basis.context, basis.n, basis.n);
  ProductsWithout<T> without(basis.s);
  for (int64_t i = 0; i < basis.n; ++i) {
    for (int64_t j = i + 1; j < basis.n; ++j) {
      const std::vector<T>& others = without(i, j);
      const T two = of_two_rows(m, p, i, j);
      for (int64_t k = 0; k < basis.n; ++k) {
        if (k == i || k == j) continue;
        const T rest = others[static_cast<size_t>(k)];
        to.row(k)[k] += rest * two;
        to.row(i)[j] += rest * of_three_rows(m, p, i, j, k);
        to.row(j)[i] += rest * of_three_rows(m, p, j, i, k);
      }
    }
  }
  return to;
}

// --- as operators ---

template <class Each>
Value of_each(Builder& builder, Call& call, const Each& each) {
  const Type type = call.entry.type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, false);
  Stack result = Stack::empty(builder, type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    for (int64_t i = 0; i < a.count; ++i) each(element, a, result, i);
  });
  return std::move(result.value);
}

Value cofactor_eager(Builder& builder, Call& call) {
  return of_each(builder, call, [&](auto element, Stack& a, Stack& result, int64_t number) {
    cofactors<decltype(element)>(builder, call, a, result, number);
  });
}

Value along_eager(Builder& builder, Call& call) {
  Stack m = Stack::of(builder, call.args[1], operand_type(call, 0).dtype, false);
  return of_each(builder, call, [&](auto element, Stack& a, Stack& result, int64_t number) {
    using T = decltype(element);
    Basis<T> basis(builder, call, a, number);
    basis.outward(along_basis(basis, basis.inward(dense<T>(m, number))), dense<T>(result, number));
  });
}

Value twice_eager(Builder& builder, Call& call) {
  const Dtype dtype = operand_type(call, 0).dtype;
  Stack m = Stack::of(builder, call.args[1], dtype, false), p = Stack::of(builder, call.args[2], dtype, false);
  return of_each(builder, call, [&](auto element, Stack& a, Stack& result, int64_t number) {
    using T = decltype(element);
    Basis<T> basis(builder, call, a, number);
    const Grid<T> first = basis.inward(dense<T>(m, number)), second = basis.inward(dense<T>(p, number));
    basis.outward(twice_basis(basis, first, second), dense<T>(result, number));
  });
}

// A stack of each operand: those that are the same for all examples are repeated.
Value together_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < call.args.size(); ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

// --- their derivatives ---

const Entry& twice_entry();

Value along(RuleContext& rule, const Value& a, const Value& m) { return rule.call(cofactor_along_entry(), {a, m}); }
Value twice(RuleContext& rule, const Value& a, const Value& m, const Value& p) {
  return rule.call(twice_entry(), {a, m, p});
}

// The sum of those that are there.
Value sum_of(RuleContext& rule, std::initializer_list<Value> terms) {
  Value sum;
  for (const Value& term : terms) {
    if (!term.is_none()) sum = sum.is_none() ? term : rule.add(std::move(sum), term);
  }
  return sum;
}

Value cofactor_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return along(rule, residuals.operands[0], tangents[0]);
}
void cofactor_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  out.add(0, along(rule, residuals.operands[0], cotangent));
}

Value along_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Value &a = residuals.operands[0], &m = residuals.operands[1];
  return sum_of(rule, {tangents[0].is_none() ? Value() : twice(rule, a, m, tangents[0]),
                       tangents[1].is_none() ? Value() : along(rule, a, tangents[1])});
}
void along_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Value &a = residuals.operands[0], &m = residuals.operands[1];
  if (out.wants(0)) out.add(0, twice(rule, a, m, cotangent));
  if (out.wants(1)) out.add(1, along(rule, a, cotangent));
}

[[noreturn]] void fail_fourth() {
  fail(message("no_derivative"), {"the third derivative of det", "has no derivative rule"});
}

Value twice_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (!tangents[0].is_none()) fail_fourth();
  const Value &a = residuals.operands[0], &m = residuals.operands[1], &p = residuals.operands[2];
  return sum_of(rule, {tangents[1].is_none() ? Value() : twice(rule, a, tangents[1], p),
                       tangents[2].is_none() ? Value() : twice(rule, a, m, tangents[2])});
}
void twice_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (out.wants(0)) out.refuse(0, fail_fourth);
  const Value &a = residuals.operands[0], &m = residuals.operands[1], &p = residuals.operands[2];
  if (out.wants(1)) out.add(1, twice(rule, a, cotangent, p));
  if (out.wants(2)) out.add(2, twice(rule, a, m, cotangent));
}

const Entry& twice_entry() {
  static const Entry entry{
      .name = "cofactor_twice",
      .doc = "What the matrix of cofactors changes by along two matrices: the third derivative of det.",
      .parameters = {tensor_parameter("a"), tensor_parameter("m"), tensor_parameter("p")},
      .type = float_square,
      .eager = twice_eager,
      .derivative =
          Derivative::by_hand(keep_operand(0) | keep_operand(1) | keep_operand(2) | guarded, twice_jvp, twice_vjp),
      .batch = together_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "zeros(3, 3), eye(3), eye(3)",
                   .expected = "[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]",
                   .ulp = 4}},
      .internal = true,
      .part_of = "det"};
  return entry;
}

}  // namespace

const Entry& cofactor_entry() {
  static const Entry entry{.name = "cofactor",
                           .doc = "The matrix of cofactors: the derivative of det.",
                           .parameters = {tensor_parameter("a")},
                           .type = float_square,
                           .eager = cofactor_eager,
                           .derivative = Derivative::by_hand(keep_operand(0) | guarded, cofactor_jvp, cofactor_vjp),
                           .batch = stack_batch,
                           .pattern = pattern_of_blocks<2>,
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]]",
                                        .expected = "[[3.0, -1.0], [-1.0, 2.0]]",
                                        .ulp = 16,
                                        .differentiate = true}},
                           .internal = true,
                           .part_of = "det"};
  return entry;
}

const Entry& cofactor_along_entry() {
  static const Entry entry{
      .name = "cofactor_along",
      .doc = "What the matrix of cofactors changes by along a matrix: the second derivative of det.",
      .parameters = {tensor_parameter("a"), tensor_parameter("m")},
      .type = float_square,
      .eager = along_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | keep_operand(1) | guarded, along_jvp, along_vjp),
      .batch = together_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]",
                   .expected = "[[4.0, -3.0], [-2.0, 1.0]]",
                   .ulp = 16,
                   .differentiate = true}},
      .internal = true,
      .part_of = "det"};
  return entry;
}

Family linalg_cofactor_entries() {
  static const Entry* const entries[] = {&cofactor_entry(), &cofactor_along_entry(), &twice_entry()};
  return entries;
}

}  // namespace covec::ops
