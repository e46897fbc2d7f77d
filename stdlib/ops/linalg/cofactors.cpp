// The matrix of cofactors C(A), which is the derivative of det, and its own derivatives along one and along two
// matrices: the second and the third derivative of det. A determinant is a polynomial, so all of them exist where A is
// singular, and none of them divides. With A = U S Vᵀ (singular values) and σ = det U · det V, C(A + D) = σ U C(S + M)
// Vᵀ for M = Uᵀ D V: what is left are the cofactors of a diagonal matrix and a small one. Their terms, read off the
// permutations that a determinant sums over, are elements of M times the product of all singular values but two or
// three. Trade-off: a decomposition and n³ steps, some twenty times a formula with A⁻¹, which loses all digits near
// singular A. Each is linear in every matrix beside A, and the same whichever of them is exchanged with the cotangent:
// the rules of reverse and forward mode are one function. Start at Basis.
#include <cstring>
#include <vector>

#include "stdlib/kernels/decompose.hpp"
#include "stdlib/kernels/factor.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using kernels::Dense;
using kernels::Grid;

// 1 or −1, of an orthogonal matrix, which is lost.
template <class T>
T orthogonal_determinant(Context& context, Dense<T> q) {
  std::vector<int64_t> order(static_cast<size_t>(q.rows));
  int sign = kernels::factor_lu(context, q, order.data());
  for (int64_t i = 0; i < q.rows; ++i) sign = q(i, i) < 0 ? -sign : sign;
  return T(sign);
}

// A = U S Vᵀ, and σ.
template <class T>
class Basis {
 public:
  Basis(Context& context, int64_t n)
      : context_(context), n_(n), ut_(context, n, n), vt_(context, n, n), half_(context, n, n), s_(size_t(n)) {}

  bool decompose(const T* a) {
    if (!kernels::decompose_svd(context_, a, n_, n_, false, ut_.row(0), s_.data(), vt_.row(0))) return false;
    sign_ = T(1);
    for (const Grid<T>* factor : {&ut_, &vt_}) {
      std::memcpy(half_.row(0), factor->row(0), static_cast<size_t>(n_ * n_) * sizeof(T));
      sign_ *= orthogonal_determinant(context_, half_.all());
    }
    return true;
  }

  // out = Uᵀ D V
  void into(Dense<T> d, const Grid<T>& out) const {
    kernels::assign_product(context_, half_.all(), kernels::matrix(ut_.all()), kernels::matrix(d), n_);
    kernels::assign_product(context_, out.all(), kernels::matrix(half_.all()), kernels::transposed(vt_.all()), n_);
  }
  // out = σ U W Vᵀ
  void back(const Grid<T>& w, Dense<T> out) const {
    kernels::assign_product(context_, half_.all(), kernels::transposed(ut_.all()), kernels::matrix(w.all()), n_);
    kernels::assign_product(context_, out, kernels::matrix(half_.all()), kernels::matrix(vt_.all()), n_);
    if (sign_ < 0) kernels::scale(out.at, T(-1), n_ * n_);
  }

  // products[k] = the product of all singular values but i, j and k; i and j may be −1: none is left out for them.
  void products_without(int64_t i, int64_t j, std::vector<T>& products) const {
    const auto factor = [&](int64_t k) { return k == i || k == j ? T(1) : s_[static_cast<size_t>(k)]; };
    T before = T(1);
    for (int64_t k = 0; k < n_; before *= factor(k++)) products[static_cast<size_t>(k)] = before;
    T after = T(1);
    for (int64_t k = n_; k-- > 0; after *= factor(k)) products[static_cast<size_t>(k)] *= after;
  }

  int64_t size() const { return n_; }
  Context& context() const { return context_; }

 private:
  Context& context_;
  const int64_t n_;
  Grid<T> ut_, vt_, half_;
  std::vector<T> s_;
  T sign_ = T(1);
};

// C(S)
template <class T>
void add_cofactors(const Basis<T>& basis, Dense<T> out) {
  std::vector<T> products(static_cast<size_t>(basis.size()));
  basis.products_without(-1, -1, products);
  for (int64_t i = 0; i < basis.size(); ++i) out(i, i) += products[static_cast<size_t>(i)];
}

// The terms of C(S + M) that are linear in M: transpositions.
template <class T>
void add_first(const Basis<T>& basis, Dense<T> m, Dense<T> out) {
  std::vector<T> products(static_cast<size_t>(basis.size()));
  for (int64_t i = 0; i < basis.size(); ++i) {
    basis.products_without(i, -1, products);
    for (int64_t j = i + 1; j < basis.size(); ++j) {
      const T others = products[static_cast<size_t>(j)];
      out(i, i) += others * m(j, j);
      out(j, j) += others * m(i, i);
      out(i, j) -= others * m(j, i);
      out(j, i) -= others * m(i, j);
    }
  }
}

// Those of C(S + M + N) that are linear in M and in N: two transpositions, or a cycle of three.
template <class T>
void add_second(const Basis<T>& basis, Dense<T> m, Dense<T> n, Dense<T> out) {
  std::vector<T> products(static_cast<size_t>(basis.size()));
  const auto both = [&](int64_t a, int64_t b, int64_t c, int64_t d) { return m(a, b) * n(c, d) + n(a, b) * m(c, d); };
  for (int64_t i = 0; i < basis.size(); ++i) {
    kernels::poll_interrupt(basis.context());
    for (int64_t j = i + 1; j < basis.size(); ++j) {
      basis.products_without(i, j, products);
      const T diagonal = both(i, i, j, j) - both(i, j, j, i);
      for (int64_t k = 0; k < basis.size(); ++k) {
        if (k == i || k == j) continue;
        const T others = products[static_cast<size_t>(k)];
        out(k, k) += others * diagonal;
        out(i, j) += others * (both(j, k, k, i) - both(j, i, k, k));
        out(j, i) += others * (both(i, k, k, j) - both(i, j, k, k));
      }
    }
  }
}

// C or one of its derivatives for each matrix of the stack: operand 0 is A, the others are what it is taken along.
template <class T>
void along(Builder& builder, const Call& call, std::span<Stack> operands, Stack& result) {
  const int64_t n = result.rows;
  Basis<T> basis(builder.context(), n);
  const Grid<T> m(builder.context(), n, n), second(builder.context(), n, n);
  const size_t bytes = static_cast<size_t>(n * n) * sizeof(T);
  Stack& a = operands[0];
  for (int64_t number = 0; number < result.count; ++number) {
    const bool same = number > 0 && std::memcmp(a.at<T>(number - 1), a.at<T>(number), bytes) == 0;
    if (!same && !basis.decompose(a.at<T>(number))) fail_decomposition(call, number, a.count);
    const Grid<T> sum(builder.context(), n, n);
    std::memset(sum.row(0), 0, bytes);
    if (operands.size() > 1) basis.into(dense<T>(operands[1], number), m);
    if (operands.size() > 2) basis.into(dense<T>(operands[2], number), second);
    if (operands.size() == 1) add_cofactors(basis, sum.all());
    if (operands.size() == 2) add_first(basis, m.all(), sum.all());
    if (operands.size() == 3) add_second(basis, m.all(), second.all(), sum.all());
    basis.back(sum, dense<T>(result, number));
  }
}

Value along_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  std::vector<Stack> operands;
  for (Value& arg : call.args) operands.push_back(Stack::of(builder, std::move(arg), type.dtype, false));
  Stack result = Stack::empty(builder, type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) { along<decltype(element)>(builder, call, operands, result); });
  return std::move(result.value);
}

Value along_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < call.args.size(); ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

// --- derivatives ---

Value cofactor_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  return rule.call(cofactor_along_entry(), {kept.operands[0], tangents[0]});
}

void cofactor_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  out.add(0, rule.call(cofactor_along_entry(), {kept.operands[0], std::move(cotangent)}));
}

Value first_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  Value tangent;
  if (!tangents[0].is_none())
    tangent = rule.call(cofactor_along_both_entry(), {kept.operands[0], kept.operands[1], tangents[0]});
  if (tangents[1].is_none()) return tangent;
  Value linear = rule.call(cofactor_along_entry(), {kept.operands[0], tangents[1]});
  return tangent.is_none() ? linear : rule.add(std::move(tangent), std::move(linear));
}

void first_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  const Value &a = kept.operands[0], &along = kept.operands[1];
  if (out.wants(0)) out.add(0, rule.call(cofactor_along_both_entry(), {a, along, cotangent}));
  if (out.wants(1)) out.add(1, rule.call(cofactor_along_entry(), {a, cotangent}));
}

[[noreturn]] void fail_fourth() { fail(message("no_derivative"), {"det", "has no fourth derivative"}); }

Value second_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  if (!tangents[0].is_none()) fail_fourth();
  Value tangent;
  for (unsigned i : {1u, 2u}) {
    if (tangents[i].is_none()) continue;
    Value term = rule.call(cofactor_along_both_entry(), {kept.operands[0], kept.operands[3 - i], tangents[i]});
    tangent = tangent.is_none() ? std::move(term) : rule.add(std::move(tangent), std::move(term));
  }
  return tangent;
}

void second_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  out.refuse(0, fail_fourth);
  for (unsigned i : {1u, 2u}) {
    if (!out.wants(i)) continue;
    out.add(i, rule.call(cofactor_along_both_entry(), {kept.operands[0], kept.operands[3 - i], cotangent}));
  }
}

}  // namespace

const Entry& cofactor_entry() {
  static const Entry entry{.name = "cofactor",
                           .doc = "The matrix of cofactors: the derivative of det.",
                           .parameters = {tensor_parameter("a")},
                           .type = float_square,
                           .eager = along_eager,
                           .derivative = Derivative::by_hand(keep_operand(0) | guarded, cofactor_jvp, cofactor_vjp),
                           .batch = stack_batch,
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]]",
                                        .expected = "[[3.0, -1.0], [-1.0, 2.0]]",
                                        .ulp = 16,
                                        .differentiate = true},
                                       {.arguments = "[[1.0, 2.0], [2.0, 4.0]]",
                                        .expected = "[[4.0, -2.0], [-2.0, 1.0]]",
                                        .ulp = 16,
                                        .differentiate = true}},
                           .internal = true,
                           .part_of = "det"};
  return entry;
}

const Entry& cofactor_along_entry() {
  static const Entry entry{
      .name = "cofactor_along",
      .doc = "The derivative of the matrix of cofactors of a along d.",
      .parameters = {tensor_parameter("a"), tensor_parameter("d")},
      .type = float_square,
      .eager = along_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | keep_operand(1) | guarded, first_jvp, first_vjp),
      .batch = along_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0], [2.0, 4.0]], [[1.0, 5.0], [7.0, 3.0]]",
                   .expected = "[[3.0, -7.0], [-5.0, 1.0]]",
                   .ulp = 16,
                   .differentiate = true},
                  {.arguments = "zeros(3, 3), eye(3)", .expected = "zeros(3, 3)", .differentiate = true}},
      .internal = true,
      .part_of = "det"};
  return entry;
}

const Entry& cofactor_along_both_entry() {
  static const Entry entry{
      .name = "cofactor_along_both",
      .doc = "The second derivative of the matrix of cofactors of a along d and e.",
      .parameters = {tensor_parameter("a"), tensor_parameter("d"), tensor_parameter("e")},
      .type = float_square,
      .eager = along_eager,
      .derivative =
          Derivative::by_hand(keep_operand(0) | keep_operand(1) | keep_operand(2) | guarded, second_jvp, second_vjp),
      .batch = along_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "zeros(3, 3), eye(3), eye(3)", .expected = "2.0 * eye(3)"},
                  {.arguments = "[[5.0, 1.0], [2.0, 7.0]], eye(2), eye(2)", .expected = "zeros(2, 2)"}},
      .internal = true,
      .part_of = "det"};
  return entry;
}

Family linalg_cofactor_entries() {
  static const Entry* const entries[] = {&cofactor_entry(), &cofactor_along_entry(), &cofactor_along_both_entry()};
  return entries;
}

}  // namespace covec::ops
