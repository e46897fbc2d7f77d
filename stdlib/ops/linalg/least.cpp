// pinv from singular values, and lstsq by pinv. The derivative of pinv: Golub and Pereyra, "The differentiation of
// pseudo-inverses and nonlinear least squares problems" (1973).
#include <algorithm>
#include <limits>

#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/decompositions/dense.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

Type pinv_type(ShapeBuilder&, const Call& call) {
  Type type = matrix_operand(call, 0);
  const unsigned rank = type.shape.rank();
  type.dtype = float_dtype(type.dtype);
  std::swap(type.shape[rank - 2], type.shape[rank - 1]);
  return type;
}

// V·diag(1/s)·Uᵀ of the values above `least` times the largest. Uᵀ is lost. Values count by groups of so many.
template <class T>
void pseudo_inverse(Context& context, kernels::Dense<T> ut, const T* s, kernels::Dense<T> vt, T least, int64_t group,
                    kernels::Dense<T> out) {
  int64_t rank = 0;
  for (; rank < ut.rows && s[rank - rank % group] > least * s[0]; ++rank) {
    for (int64_t j = 0; j < ut.columns; ++j) ut(rank, j) /= s[rank];
  }
  kernels::assign_product(context, out, kernels::transposed(vt), kernels::matrix(ut), rank);
}

// Singular values below rcond times the largest count as 0: of max(m, n) rounding errors where rcond is none. Each
// value of a complex matrix is two of its real form, which is twice as large (`doubled`).
template <bool doubled>
Value pinv_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, false);
  Stack result = Stack::empty(builder, type.dtype, type.shape);
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    constexpr int64_t group = doubled ? 2 : 1;
    const T least = call.args[1].is_none() ? T(std::max(m, n) / group) * std::numeric_limits<T>::epsilon()
                                           : static_cast<T>(number_argument(call, 1));
    const Scratch ut = numbers<T>(builder, k * m), s = numbers<T>(builder, k), vt = numbers<T>(builder, k * n);
    for (int64_t number = 0; number < a.count; ++number) {
      if (!kernels::decompose_svd(builder.context(), a.at<T>(number), m, n, false, ut.as<T>(), s.as<T>(), vt.as<T>()))
        fail_decomposition(call, number, a.count, doubled ? label_of_doubled : label_of);
      pseudo_inverse<T>(builder.context(), {ut.as<T>(), k, m, m}, s.as<T>(), {vt.as<T>(), k, n, n}, least, group,
                        {result.at<T>(number), n, m, m});
    }
  });
  return std::move(result.value);
}

// Where the rank does not change: −P·dA·P + P·Pᵀ·dAᵀ·(I − A·P) + (I − P·A)·dAᵀ·Pᵀ·P.
Value pinv_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  const Value &p = *residuals.result, &a = residuals.operands[0], &da = tangents[0];
  const Value pt = m.transposed(p), dat = m.transposed(da);
  const Value first = rule.neg(m.product(m.product(p, da), p));
  const Value left = m.product(m.product(p, pt), dat), right = m.product(m.product(dat, pt), p);
  const Value second = m.sub(left, m.product(m.product(left, a), p));
  const Value third = m.sub(right, m.product(p, m.product(a, right)));
  return m.add(m.add(first, second), third);
}

void pinv_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  const Value &p = *residuals.result, &a = residuals.operands[0];
  const Value pt = m.transposed(p), ct = m.transposed(cotangent);
  const Value first = rule.neg(m.product(m.product(pt, cotangent), pt));
  const Value beyond = m.sub(ct, m.product(a, m.product(p, ct)));  // (I − A·P)·Ḡᵀ
  const Value within = m.sub(ct, m.product(m.product(ct, p), a));  // Ḡᵀ·(I − P·A)
  const Value second = m.product(beyond, m.product(p, pt));
  const Value third = m.product(m.product(pt, p), within);
  out.add(0, m.add(m.add(first, second), third));
}

Value complex_pinv(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, false);
  const ComplexMatrices c(steps);
  const Value inverse = ops::call(builder, doubled_pinv_entry(), {c.doubled(a), call.args[1]});
  return value_of(builder, c.of_doubled(inverse, last_dim(type), rows_dim(type)));
}

// As many numbers or rows in b as a has rows.
void require_sides(const Call& call) {
  const Shape a = operand_type(call, 0).shape, b = operand_type(call, 1).shape;
  const Dim rows = a[a.rank() - 2], sides = b[b.rank() == 1 ? 0 : b.rank() - 2];
  if (rows == sides) return;
  fail(message("solve_rows"), {a.text(), b.text(), std::to_string(rows.number()), std::to_string(sides.number())},
       {label_of(call, 0), label_of(call, 1)});
}

// Inside a vmap what fails is said by the interpreter, which the product's own check is enough for.
bool is_of_examples(const Value& value) {
  const Value* at = &value;
  for (; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::batch) return true;
  }
  return false;
}

// Gives the dtype of the result.
Dtype require_system(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  require_operand(builder, call, 1);
  const Type a = matrix_operand(call, 0), b = operand_type(call, 1);
  if (b.shape.rank() == 0) fail(message("solve_rank"), {std::string(call.entry.name), b.text()}, {label_of(call, 1)});
  if (a.shape.known() && b.shape.known()) {
    require_sides(call);
  } else if (!is_of_examples(call.args[0]) && !is_of_examples(call.args[1])) {
    ops::call(builder, expect_sides_entry(), {call.args[0], call.args[1]});
  }
  return float_dtype(product_dtype(a.dtype, b.dtype));
}

Value lstsq_eager(Builder& builder, Call& call) {
  const Dtype dtype = require_system(builder, call);
  Value inverse = ops::call(builder, pinv_entry(), {cast_to(builder, std::move(call.args[0]), dtype), call.args[2]});
  return matmul(builder, std::move(inverse), cast_to(builder, std::move(call.args[1]), dtype));
}

// By the pseudo-inverse, as the real operator; one operand may be real.
Value complex_lstsq(Builder& builder, Call& call) {
  Value given[2] = {call.args[0], call.args[1]};
  for (unsigned i = 0; i < 2; ++i) call.args[i] = real_part(given[i]);
  const Dtype dtype = require_system(builder, call);
  for (Value& x : given) {
    x = is_complex(x) ? complex_value(builder, cast_to(builder, complex_of(x).re(), dtype),
                                      cast_to(builder, complex_of(x).im(), dtype))
                      : cast_to(builder, x, dtype);
  }
  return matmul(builder, ops::call(builder, pinv_entry(), {given[0], call.args[2]}), given[1]);
}

}  // namespace

// What only the run can see: that they agree.
const Entry& expect_sides_entry() {
  static const Entry entry{.name = "expect_sides",
                           .doc = "Checks that the operands of lstsq go together.",
                           .parameters = {tensor_parameter("a"), tensor_parameter("b")},
                           .carries = true,
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::boolean, {}};
                               },
                           .eager =
                               [](Builder&, Call& call) {
                                 require_sides(call);
                                 return Value(true);
                               },
                           .derivative = Derivative::none("checks"),
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

const Entry& expect_square_entry() {
  static const Entry entry{.name = "expect_square",
                           .doc = "Checks the matrices of an operator that is made of others.",
                           .parameters = {tensor_parameter("a"), attribute("name"), attribute("operand")},
                           .carries = true,
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::boolean, {}};
                               },
                           .eager =
                               [](Builder&, Call& call) {
                                 const Type a = operand_type(call, 0);
                                 const unsigned rank = a.shape.rank();
                                 if (!(a.shape[rank - 2] == a.shape[rank - 1]))
                                   fail(message("matrix_square"), {call.args[1].string().text, a.text()},
                                        {{0, call.args[2].string().text + " is " + a.text()}});
                                 return Value(true);
                               },
                           .derivative = Derivative::none("checks"),
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

Type square_for_sure(Builder& builder, Call& call, unsigned operand) {
  const Type type = square_or_asked(builder, call, operand);
  const unsigned rank = type.shape.rank();
  if (!builder.is_eager() && !(type.shape[rank - 2] == type.shape[rank - 1])) {
    ops::call(builder, expect_square_entry(),
              {constant_of(call.args[operand]), make_string(std::string(call.entry.name)),
               make_string(std::string(operand_name(call, operand)))});
  }
  return type;
}

const Entry& pinv_entry() {
  static const Entry entry{
      .name = "pinv",
      .doc =
          "The pseudo-inverse (Moore and Penrose) of a matrix, or of each of a stack.\n\n"
          "Singular values of at most `rcond` times the largest count as 0 (none: max(m, n) rounding errors). The "
          "derivative "
          "takes the rank as constant.",
      .parameters = {tensor_parameter("a"), attribute("rcond", Value())},
      .type = pinv_type,
      .eager = pinv_eager<false>,
      .complex = complex_pinv,
      .derivative = Derivative::by_hand(keep_operand(0) | Derivative::result_bit | guarded, pinv_jvp, pinv_vjp),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]",
                   .expected = "[[0.5, 0.0, 0.0], [0.0, 0.25, 0.0]]",
                   .differentiate = true},
                  {.arguments = "[[1.0, 1.0], [1.0, 1.0]]", .expected = "[[0.25, 0.25], [0.25, 0.25]]", .ulp = 8},
                  {.arguments = "[[3.0, 4.0]]", .expected = "[[0.12], [0.16]]", .ulp = 8, .differentiate = true}}};
  return entry;
}

const Entry& doubled_pinv_entry() {
  static const Entry entry{
      .name = "doubled_pinv",
      .doc = "pinv of complex matrices by their real form [[re, −im], [im, re]].",
      .parameters = {tensor_parameter("a"), attribute("rcond", Value())},
      .type = pinv_type,
      .eager = pinv_eager<true>,
      .derivative = Derivative::by_hand(keep_operand(0) | Derivative::result_bit | guarded, pinv_jvp, pinv_vjp),
      .batch = stack_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[0.0, -2.0], [2.0, 0.0]]",
                   .expected = "[[0.0, 0.5], [-0.5, 0.0]]",
                   .differentiate = true}},
      .internal = true,
      .part_of = "pinv"};
  return entry;
}

const Entry& lstsq_entry() {
  static const Entry entry{
      .name = "lstsq",
      .doc =
          "x that makes `norm(a @ x - b)` least, and of these the shortest; `b` is a vector or a matrix of columns.\n\n"
          "It gives x alone. The derivative takes the rank of `a` as constant.",
      .parameters = {any_parameter("a"), any_parameter("b"), attribute("rcond", Value())},
      .eager = lstsq_eager,
      .complex = complex_lstsq,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [1.0, 4.0, 7.0]",
                   .expected = "[1.0, 2.0]",
                   .ulp = 4,
                   .differentiate = true}},
      .staging = Staging::structural};
  return entry;
}

Family linalg_least_entries() {
  static const Entry* const entries[] = {&expect_sides_entry(), &expect_square_entry(), &pinv_entry(),
                                         &doubled_pinv_entry(), &lstsq_entry()};
  return entries;
}

}  // namespace covec::ops
