// Square systems: solve and inv by LU with partial pivoting, and cholesky. Derivatives of solve and inv are solves.
// Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008); Murray,
// "Differentiation of the Cholesky decomposition" (2016).
#include <cmath>

#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/decompositions/factor.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using kernels::Dense;
using kernels::Triangle;

[[noreturn]] void fail_singular(const Call& call, int64_t number, int64_t count) {
  fail(message("singular"), {shown_name(call.entry), matrix_number(number, count)}, {label_of(call, 0)});
}

// --- solve ---

// Rows of b in the order of a's factors.
template <class T>
void solve_one(Builder& builder, const Call& call, Stack& a, Stack& b, Stack& x, int64_t number) {
  const Scratch room = numbers<int64_t>(builder, a.rows);
  auto* const order = room.as<int64_t>();
  const Dense<T> factors = dense<T>(a, number), result = dense<T>(x, number), right = dense<T>(b, number);
  if (kernels::factor_lu(builder.context(), factors, order) == 0) fail_singular(call, number, a.count);
  for (int64_t i = 0; i < x.rows; ++i) std::copy_n(&right(order[i], 0), x.columns, &result(i, 0));
  kernels::solve_triangle(builder.context(), factors, Triangle::unit_lower, result);
  kernels::solve_triangle(builder.context(), factors, Triangle::upper, result);
}

// a @ x = b, for messages: as the user wrote b, a vector or columns.
struct Written {
  const Shape& a;
  const Shape& b;
  bool vector;
};
// The matrices alone: how stacks were spread does not matter.
std::string last_axes(const Shape& shape, unsigned count) { return Shape(shape.end() - count, count).text(); }
std::vector<std::string> rows_parts(const void* self, int64_t x, int64_t y) {
  const Written& system = *static_cast<const Written*>(self);
  return {last_axes(system.a, 2), last_axes(system.b, system.vector ? 1 : 2), std::to_string(x), std::to_string(y)};
}
std::vector<std::string> stacks_parts(const void* self, int64_t x, int64_t y) {
  const Written& system = *static_cast<const Written*>(self);
  return {system.a.text(), system.b.text(), std::to_string(x), std::to_string(y)};
}

Type solve_stack_type(ShapeBuilder& shapes, const Call& call) {
  return system_type(shapes, call, flag_argument(call, 2));
}

Value solve_stack_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack x = Stack::empty(builder, type.dtype, type.shape);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Stack b = Stack::of(builder, call.args[1], type.dtype, false);
  with_float(type.dtype, [&](auto element) {
    for (int64_t i = 0; i < x.count; ++i) solve_one<decltype(element)>(builder, call, a, b, x, i);
  });
  return std::move(x.value);
}

Value solve_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  Value right = tangents[1];
  if (!tangents[0].is_none()) {
    Value moved = m.product(tangents[0], *residuals.result);
    right = right.is_none() ? rule.neg(std::move(moved)) : rule.sub(std::move(right), std::move(moved));
  }
  return right.is_none() ? right : solve_stack(rule.builder(), residuals.operands[0], std::move(right));
}

void solve_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  Value of_b = solve_stack(rule.builder(), m.transposed(residuals.operands[0]), std::move(cotangent));
  if (out.wants(0)) out.add(0, rule.neg(m.product(of_b, m.transposed(*residuals.result))));
  if (out.wants(1)) out.add(1, std::move(of_b));
}

Value solve_eager(Builder& builder, Call& call) {
  System system = spread_system(builder, call);
  Value x = solve_stack(builder, std::move(system.left), std::move(system.right), system.vector);
  return system.vector ? Matrices(builder).without_column(std::move(x)) : x;
}

// Vectors and stacks as the real operator takes them, by a system of twice the size.
Value complex_solve(Builder& builder, Call& call) {
  Steps steps(builder);
  const ComplexSystem system = complex_system(builder, call);
  ComplexMatrix x = ComplexMatrices(steps).solve(system.left, system.right);
  const Matrices m(builder);
  if (system.vector) x = {m.without_column(x.re), m.without_column(x.im)};
  return value_of(builder, x);
}

// --- inv ---

// Without `raises` the inverse of what has none is infinite.
template <bool raises>
Value inv_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack x = Stack::empty(builder, type.dtype, type.shape);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch room = numbers<int64_t>(builder, a.rows);
    auto* const order = room.as<int64_t>();
    for (int64_t number = 0; number < x.count; ++number) {
      const Dense<T> factors = dense<T>(a, number), result = dense<T>(x, number);
      if (kernels::factor_lu(builder.context(), factors, order) == 0) {
        if (raises) fail_singular(call, number, a.count);
        std::fill_n(&result(0, 0), x.rows * x.columns, std::numeric_limits<T>::infinity());
        continue;
      }
      for (int64_t i = 0; i < x.rows; ++i) {
        std::fill_n(&result(i, 0), x.columns, T(0));
        result(i, order[i]) = T(1);
      }
      kernels::solve_triangle(builder.context(), factors, Triangle::unit_lower, result);
      kernels::solve_triangle(builder.context(), factors, Triangle::upper, result);
    }
  });
  return std::move(x.value);
}

Value inv_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  return rule.neg(m.product(m.product(*residuals.result, tangents[0]), *residuals.result));
}

void inv_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  const Value transposed = m.transposed(*residuals.result);
  out.add(0, rule.neg(m.product(m.product(transposed, std::move(cotangent)), transposed)));
}

Value complex_inv(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, true);
  return value_of(builder, ComplexMatrices(steps).inverse(a, last_dim(type)));
}

// --- cholesky ---

// `doubled`: of the real form of a complex matrix, which errors speak of.
template <bool doubled>
Value cholesky_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t number = 0; number < a.count; ++number) {
      const Dense<T> matrix = dense<T>(a, number);
      if constexpr (doubled) {
        take_hermitian_part(call, matrix.at, a.rows, number, a.count);
      } else {
        take_symmetric_part(call, matrix.at, a.rows, number, a.count);
      }
      if (!kernels::factor_cholesky(builder.context(), matrix)) {
        fail(message("not_positive_definite"), {matrix_number(number, a.count)},
             {doubled ? label_of_doubled(call, 0) : label_of(call, 0)});
      }
    }
  });
  return std::move(a.value);
}

// The lower triangle with half its diagonal.
Value half_lower(RuleContext& rule, const Value& x) {
  const Matrices m(rule.builder());
  const Value half = m.number(0.5, logical_type(x).dtype);
  return rule.mul(half, rule.add(m.lower(x, true), m.lower(x, false)));
}

// L⁻¹·X·L⁻ᵀ and its transpose by L: solves that are made of solve_stack.
Value from_both_sides(RuleContext& rule, const Value& l, Value x) {
  const Matrices m(rule.builder());
  Value left = solve_stack(rule.builder(), l, std::move(x));
  return m.transposed(solve_stack(rule.builder(), l, m.transposed(std::move(left))));
}

Value cholesky_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  return m.product(*residuals.result,
                   half_lower(rule, from_both_sides(rule, *residuals.result, m.symmetric(tangents[0]))));
}

void cholesky_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  const Value& l = *residuals.result;
  const Value middle = half_lower(rule, m.product(m.transposed(l), m.lower(std::move(cotangent), true)));
  out.add(0, m.symmetric(from_both_sides(rule, m.transposed(l), middle)));
}

// The diagonal of the factor is real, so that its real form, block by block, is the factor of the matrix's real form.
Value complex_cholesky(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Dim n = last_dim(parts_type(builder, call, a, true));
  const ComplexMatrices c(steps);
  const ComplexMatrix l = c.of_interleaved(ops::call(builder, doubled_cholesky_entry(), {c.interleaved(a, n)}), n);
  return complex_value(builder, l.re, Matrices(builder).lower(l.im, false));
}

}  // namespace

Value solve_stack(Builder& builder, Value a, Value b, bool vector) {
  return ops::call(builder, solve_stack_entry(), {std::move(a), std::move(b), Value(vector)});
}

Value inv(Builder& builder, Value a) { return ops::call(builder, inv_entry(), {std::move(a)}); }

void require_rows(ShapeBuilder& shapes, const Shape& a, const Shape& b, bool vector) {
  const Written system{a, b, vector};
  shapes.require_equal(a[a.rank() - 2], b[b.rank() - (vector ? 1 : 2)],
                       {&message("solve_rows"), rows_parts, nullptr, &system});
}

Type system_type(ShapeBuilder& shapes, const Call& call, bool vector) {
  const Type a = square_operand(shapes, call, 0), b = matrix_operand(call, 1);
  const unsigned rank = b.shape.rank();
  Shape written = b.shape;
  if (vector) written.erase(rank - 1);
  const Written system{a.shape, written, vector};
  require_rows(shapes, a.shape, written, vector);
  for (unsigned i = 0; i + 2 < rank; ++i) {
    shapes.require_equal(a.shape[i], b.shape[i], {&message("solve_stacks"), stacks_parts, nullptr, &system});
  }
  return b;
}

bool broadcasts_for_sure(const Shape& a, const Shape& b) {
  for (unsigned i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    if (fit(a[a.rank() - i], b[b.rank() - i]) == Fit::unknown) return false;
  }
  return true;
}

// Stacks are broadcast against each other, vectors made columns.
System spread_system(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  require_operand(builder, call, 1);
  const Matrices m(builder);
  const Type a = square_or_asked(builder, call, 0);
  Type b = operand_type(call, 1);
  if (b.shape.rank() == 0) fail(message("solve_rank"), {std::string(call.entry.name), b.text()}, {label_of(call, 1)});
  const Dtype dtype = float_dtype(product_dtype(a.dtype, b.dtype));
  const bool vector = b.shape.rank() == 1;
  Value left = cast_to(builder, std::move(call.args[0]), dtype),
        right = cast_to(builder, std::move(call.args[1]), dtype);
  if (vector) right = m.as_column(std::move(right));
  const Type columns = logical_type(right);
  const Written system{a.shape, b.shape, vector};
  const unsigned ra = a.shape.rank(), rb = columns.shape.rank();
  if (builder.is_eager()) require_rows(builder, a.shape, b.shape, vector);  // else solve_stack, when it runs
  const Shape stack_a(a.shape.begin(), ra - 2), stack_b(columns.shape.begin(), rb - 2);
  if (!broadcasts_for_sure(stack_a, stack_b)) fail_not_staged("whether the stacks of matrices agree");
  const Shape stack = builder.broadcast(stack_a, stack_b, {&message("solve_stacks"), stacks_parts, nullptr, &system});
  const auto spread = [&](Value x, const Shape& own, Dim rows, Dim width) {
    if (own == stack) return x;
    Shape shape = stack;
    shape.push_back(rows);
    shape.push_back(width);
    return broadcast_to(builder, std::move(x), shape);
  };
  if (!builder.is_eager() && !(stack_a == stack) && a.shape[ra - 2] != a.shape[ra - 1])
    fail_not_staged("whether the matrices are square");
  left = spread(std::move(left), stack_a, a.shape[ra - 2], a.shape[ra - 1]);
  right = spread(std::move(right), stack_b, columns.shape[rb - 2], columns.shape[rb - 1]);
  return {std::move(left), std::move(right), vector};
}

ComplexSystem complex_system(Builder& builder, Call& call) {
  for (const unsigned i : {0u, 1u}) {
    if (!is_complex(call.args[i])) require_operand(builder, call, i);
  }
  const bool real = !is_complex(call.args[0]);
  const Dtype of_a = logical_type(real_part(call.args[0])).dtype, of_b = logical_type(real_part(call.args[1])).dtype;
  const Dtype dtype = float_dtype(product_dtype(of_a, of_b));
  const ComplexMatrix a = operand_parts(builder, call, 0, dtype), b = operand_parts(builder, call, 1, dtype);
  const auto system = [&](const Value& matrix, const Value& right) {
    Value args[] = {matrix, right};
    Call part{call.entry, args, {}};
    return spread_system(builder, part);
  };
  Value matrix[] = {a.re};
  Call asked{call.entry, matrix, {}};
  square_or_asked(builder, asked, 0);
  const System re = system(a.re, b.re), im = system(a.im, b.im);
  // Here, for the system of twice the size would name its own.
  require_rows(builder, logical_type(a.re).shape, logical_type(b.re).shape, re.vector);
  return {{re.left, real ? Value() : im.left}, {re.right, im.right}, re.vector};
}

const Entry& solve_stack_entry() {
  static const Entry entry{
      .name = "solve_stack",
      .doc = "x with a @ x = b, for stacks of one shape.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b"), attribute("vector", Value(false))},
      .type = solve_stack_type,
      .eager = solve_stack_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | Derivative::result_bit | guarded, solve_jvp, solve_vjp),
      .batch = operands_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]], [[1.0], [2.0]]",
                   .expected = "[[0.2], [0.6]]",
                   .ulp = 4,
                   .differentiate = true}},
      .internal = true,
      .part_of = "solve"};
  return entry;
}

const Entry& solve_entry() {
  static const Entry entry{
      .name = "solve",
      .doc =
          "x with `a @ x = b`, for square `a`; `b` is a vector or a matrix of columns.\n\n"
          "Stacks of matrices (ranks above 2) broadcast. LU decomposition with partial pivoting; a pivot of exactly 0 "
          "is an error.",
      .parameters = {any_parameter("a"), any_parameter("b")},
      .eager = solve_eager,
      .complex = complex_solve,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]], [1.0, 2.0]",
                   .expected = "[0.2, 0.6]",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[[0.0, 2.0], [1.0, 0.0]], [[2.0, 4.0], [3.0, 5.0]]",
                   .expected = "[[3.0, 5.0], [1.0, 2.0]]",
                   .differentiate = true},
                  {.arguments = "[[[2.0]], [[4.0]]], [[8.0, 4.0]]", .expected = "[[[4.0, 2.0]], [[2.0, 1.0]]]"},
                  {.arguments = "[[2, 0], [0, 4]], [2, 2]", .expected = "[1.0, 0.5]"},
                  {.arguments = "zeros(0, 0), zeros(0)", .expected = "zeros(0)"}},
      .staging = Staging::structural};
  return entry;
}

const Entry& inv_entry() {
  static const Entry entry{
      .name = "inv",
      .doc =
          "The inverse of a square matrix, or of each of a stack.\n\nTo solve a system, `solve` is quicker and more "
          "exact.",
      .parameters = {tensor_parameter("a")},
      .type = float_square,
      .eager = inv_eager<true>,
      .complex = complex_inv,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, inv_jvp, inv_vjp),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [1.0, 1.0]]",
                   .expected = "[[1.0, -1.0], [-1.0, 2.0]]",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[[0, 2], [4, 0]]", .expected = "[[0.0, 0.25], [0.5, 0.0]]"},
                  {.arguments = "[[[4.0]], [[0.5]]]", .expected = "[[[0.25]], [[2.0]]]", .differentiate = true}}};
  return entry;
}

const Entry& inv_or_inf_entry() {
  static const Entry entry{
      .name = "inv_or_inf",
      .doc = "inv, and infinities where there is no inverse.",
      .parameters = {tensor_parameter("a")},
      .type = float_square,
      .eager = inv_eager<false>,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, inv_jvp, inv_vjp),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [1.0, 1.0]]",
                   .expected = "[[1.0, -1.0], [-1.0, 2.0]]",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [2.0, 4.0]]", .expected = "[[inf, inf], [inf, inf]]"}},
      .internal = true,
      .part_of = "cond"};
  return entry;
}

const Entry& cholesky_entry() {
  static const Entry entry{
      .name = "cholesky",
      .doc =
          "The lower triangular `l` with `l @ l.T = a`, for symmetric positive definite `a` or each of a stack.\n\n"
          "Of a matrix that is not quite symmetric it takes (a + a.T) / 2; derivatives are symmetric. Of a complex "
          "one, which must be Hermitian, `l @ l.H = a` and the diagonal of `l` is real.",
      .parameters = {tensor_parameter("a")},
      .type = float_square,
      .eager = cholesky_eager<false>,
      .complex = complex_cholesky,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, cholesky_jvp, cholesky_vjp),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples = {
          {.arguments = "[[4.0, 2.0], [2.0, 5.0]]", .expected = "[[2.0, 0.0], [1.0, 2.0]]", .differentiate = true},
          {.arguments = "[[[4.0]], [[9.0]]]", .expected = "[[[2.0]], [[3.0]]]"},
          {.arguments = "[[4, 0], [0, 1]]", .expected = "[[2.0, 0.0], [0.0, 1.0]]"}}};
  return entry;
}

const Entry& doubled_cholesky_entry() {
  static const Entry entry{
      .name = "doubled_cholesky",
      .doc = "cholesky of complex matrices, each element x + iy of which is given as the block [[x, −y], [y, x]].",
      .parameters = {tensor_parameter("a")},
      .type = float_square,
      .eager = cholesky_eager<true>,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, cholesky_jvp, cholesky_vjp),
      .batch = stack_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[4.0, 0.0, 0.0, 2.0], [0.0, 4.0, -2.0, 0.0], [0.0, -2.0, 5.0, 0.0], [2.0, 0.0, 0.0, "
                                "5.0]]",
                   .expected = "[[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, -1.0, 2.0, 0.0], [1.0, 0.0, 0.0, "
                               "2.0]]",
                   .differentiate = true}},
      .internal = true,
      .part_of = "cholesky"};
  return entry;
}

Family linalg_solve_entries() {
  static const Entry* const entries[] = {&solve_stack_entry(), &solve_entry(),    &inv_entry(),
                                         &inv_or_inf_entry(),  &cholesky_entry(), &doubled_cholesky_entry()};
  return entries;
}

}  // namespace covec::ops
