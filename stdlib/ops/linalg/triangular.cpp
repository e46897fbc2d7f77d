// solve_triangular, cho_solve and lu. Derivatives of a solve are solves by the same triangle; those of lu: de Hoog,
// Anderssen and Lukas, "Differentiation of matrix functionals using triangular factorization" (2011).
#include "stdlib/decompositions/factor.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/complex_rules.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using kernels::Dense;
using kernels::Triangle;

const Entry& packed_lu_entry();

// --- solve_triangular ---

constexpr unsigned of_lower = 2, of_trans = 3, of_unit = 4;  // operands of both entries
constexpr unsigned of_vector = 5;                            // of solve_triangle: what messages call the right side

Type triangle_type(ShapeBuilder& shapes, const Call& call) {
  return system_type(shapes, call, flag_argument(call, of_vector));
}

// The triangle that is read, transposed where it is to be, with ones on its diagonal where they are meant.
template <class T>
void take_triangle(const Call& call, Dense<T> a, bool transposed, int64_t number, int64_t count) {
  if (transposed) {
    for (int64_t i = 0; i < a.rows; ++i) {
      for (int64_t j = 0; j < i; ++j) std::swap(a(i, j), a(j, i));
    }
  }
  for (int64_t i = 0; i < a.rows; ++i) {
    if (flag_argument(call, of_unit)) a(i, i) = T(1);
    if (a(i, i) == T(0))
      fail(message("singular"), {shown_name(call.entry), matrix_number(number, count)}, {label_of(call, 0)});
  }
}

Value triangle_eager(Builder& builder, Call& call) {
  const Type type = triangle_type(builder, call);
  const bool transposed = flag_argument(call, of_trans), lower = flag_argument(call, of_lower) != transposed;
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Stack x = Stack::of(builder, call.args[1], type.dtype, true);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t i = 0; i < x.count; ++i) {
      const Dense<T> factor{a.at<T>(i), a.rows, a.columns, a.columns}, right{x.at<T>(i), x.rows, x.columns, x.columns};
      take_triangle(call, factor, transposed, i, x.count);
      kernels::solve_triangle(builder.context(), factor, lower ? Triangle::lower : Triangle::upper, right);
    }
  });
  return std::move(x.value);
}

Value solve_by(Builder& builder, const Value& a, Value b, bool lower, bool trans, bool unit, bool vector) {
  return ops::call(builder, solve_triangle_entry(),
                   {a, std::move(b), Value(lower), Value(trans), Value(unit), Value(vector)});
}

// By the triangle, read the other way round for its adjoint.
Value solved(Builder& builder, const Reading& reading, const Value& a, Value b, bool adjoint) {
  return solve_by(builder, a, std::move(b), reading.lower, reading.trans != adjoint, reading.unit, false);
}

Value triangle_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  const Reading reading(residuals.operands, of_lower);
  Value right = tangents[1];
  if (!tangents[0].is_none()) {
    Value moved = m.product(reading.as_read(m, reading.part(m, tangents[0])), *residuals.result);
    right = right.is_none() ? rule.neg(std::move(moved)) : rule.sub(std::move(right), std::move(moved));
  }
  return right.is_none() ? right : solved(rule.builder(), reading, residuals.operands[0], std::move(right), false);
}

void triangle_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  const Reading reading(residuals.operands, of_lower);
  Value of_b = solved(rule.builder(), reading, residuals.operands[0], std::move(cotangent), true);
  if (out.wants(0)) {
    const Value product = rule.neg(m.product(of_b, m.transposed(*residuals.result)));
    out.add(0, reading.part(m, reading.as_read(m, product)));
  }
  if (out.wants(1)) out.add(1, std::move(of_b));
}

Value triangle_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

Value triangular(Builder& builder, Call& call, bool lower, bool trans, bool unit) {
  const Matrices m(builder);
  System system = spread_system(builder, call);
  Value x = solve_by(builder, system.left, std::move(system.right), lower, trans, unit, system.vector);
  return system.vector ? m.without_column(std::move(x)) : x;
}

Value solve_triangular_eager(Builder& builder, Call& call) {
  return triangular(builder, call, flag_argument(call, of_lower), flag_argument(call, of_trans),
                    flag_argument(call, of_unit));
}

// --- cho_solve ---

Value cho_solve_eager(Builder& builder, Call& call) {
  take_pair(call);
  if (is_complex(call.args[0])) return cho_solve_complex(builder, call);
  const bool lower = flag_argument(call, 2);
  require_operand(builder, call, 0);
  square_for_sure(builder, call, 0);
  const Value factor = call.args[0];
  Value first[] = {factor, call.args[1]}, second[] = {factor, Value()};
  Call forwards{call.entry, first, {}};
  second[1] = triangular(builder, forwards, lower, !lower, false);
  Call back{call.entry, second, {}};
  return triangular(builder, back, lower, lower, false);
}

// --- lu ---

// L below the diagonal, U from there on, and in one column more where the rows of a have come from.
Type packed_lu_type(ShapeBuilder& shapes, const Call& call) {
  Type type = matrix_operand(call, 0);
  type.dtype = float_dtype(type.dtype);
  Dim& columns = type.shape[type.shape.rank() - 1];
  columns = shapes.add(columns, Dim(1));
  return type;
}

Value packed_lu_eager(Builder& builder, Call& call) {
  const Type type = packed_lu_type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch room = numbers<int64_t>(builder, a.rows);
    auto* const order = room.as<int64_t>();
    for (int64_t number = 0; number < a.count; ++number) {
      const Dense<T> factors{a.at<T>(number), a.rows, a.columns, a.columns};
      kernels::factor_lu(builder.context(), factors, order);
      T* to = packed.at<T>(number);
      for (int64_t i = 0; i < a.rows; ++i, to += a.columns + 1) {
        std::copy_n(factors.row(i), a.columns, to);
        to[a.columns] = static_cast<T>(order[i]);
      }
    }
  });
  return std::move(packed.value);
}

Dim smaller(Steps& steps, Dim a, Dim b) {
  if (a == b) return a;
  if (a.known() && b.known()) return Dim(std::min(a.number(), b.number()));
  return steps.size(steps.minimum(steps.builder().extent(a), steps.builder().extent(b)));
}

// The parts of a packed decomposition of m × n matrices.
struct LuParts {
  Value p, l, u;  // p @ l @ u is a

  LuParts(Builder& builder, const Value& packed, const Type& a) {
    const Matrices m(builder);
    const unsigned rank = a.shape.rank();
    const Dim rows = a.shape[rank - 2], columns = a.shape[rank - 1];
    TriangularFactors factors = factors_in(builder, m.columns(packed, Dim(0), columns), a, true);
    l = std::move(factors.l);
    u = std::move(factors.u);
    p = permutation_of(builder, m.columns(packed, columns, Dim(1)), rows);
  }
};

// Of square matrices alone. With F = L⁻¹·Pᵀ·dA·U⁻¹: dL = L·(F below the diagonal), dU = (F from the diagonal on)·U.
struct LuRule {
  RuleContext& rule;
  Matrices m{rule.builder()};
  LuParts parts;
  Type a;

  LuRule(RuleContext& context, const Residuals& residuals)
      : rule(context), parts(context.builder(), *residuals.result, residuals.types[0]), a(residuals.types[0]) {
    require_square_factors(a);
  }
  Value upper(const Value& x) const { return m.transposed(m.lower(m.transposed(x), true)); }
  Value by(const Value& t, Value b, bool lower, bool trans) const {
    return solve_by(rule.builder(), t, std::move(b), lower, trans, lower, false);
  }
  // X with X·U = b, or X·Uᵀ = b.
  Value over_u(const Value& b, bool trans) const { return m.transposed(by(parts.u, m.transposed(b), false, !trans)); }
  Value with_order(const Value& both) const {
    Shape shape = a.shape;
    shape[shape.rank() - 1] = Dim(1);
    Value columns[2] = {both, rule.zeros({logical_type(both).dtype, shape})};
    return concat(rule.builder(), columns, shape.rank() - 1);
  }
};

Value packed_lu_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  const LuRule lu(rule, residuals);
  const Matrices& m = lu.m;
  const Value moved = lu.by(lu.parts.l, m.product(m.transposed(lu.parts.p), tangents[0]), true, false);
  const Value f = lu.over_u(moved, false);
  return lu.with_order(m.add(m.product(lu.parts.l, m.lower(f, false)), m.product(lu.upper(f), lu.parts.u)));
}

void packed_lu_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const LuRule lu(rule, residuals);
  const Matrices& m = lu.m;
  const Value g = m.columns(std::move(cotangent), Dim(0), lu.a.shape[lu.a.shape.rank() - 1]);
  const Value of_l = m.lower(m.product(m.transposed(lu.parts.l), m.lower(g, false)), false);
  const Value of_u = lu.upper(m.product(lu.upper(g), m.transposed(lu.parts.u)));
  const Value left = lu.by(lu.parts.l, m.add(of_l, of_u), true, true);
  out.add(0, m.product(lu.parts.p, lu.over_u(left, true)));
}

Value lu_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type a = matrix_operand(call, 0);
  const Value x = cast_to(builder, std::move(call.args[0]), float_dtype(a.dtype));
  LuParts parts(builder, ops::call(builder, packed_lu_entry(), {x}), a);
  return make_tuple({std::move(parts.p), std::move(parts.l), std::move(parts.u)});
}

const Entry& packed_lu_entry() {
  static const Entry entry{
      .name = "packed_lu",
      .doc = "L and U in one matrix, and in one column more the order of the rows.",
      .parameters = {tensor_parameter("a")},
      .type = packed_lu_type,
      .eager = packed_lu_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, packed_lu_jvp, packed_lu_vjp),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .internal = true,
      .part_of = "lu"};
  return entry;
}

const Entry& solve_triangular_entry() {
  static const Entry entry{
      .name = "solve_triangular",
      .doc =
          "x with `a @ x = b`, for triangular `a`: its upper triangle, or with `lower=true` its lower one; what is on "
          "the other side is not read.\n\n"
          "`trans=true` solves `a.T @ x = b` (of complex `a`, too, with nothing conjugated); `unit_diagonal=true` "
          "takes the diagonal as ones. `b` is a vector or a "
          "matrix of columns; stacks of matrices broadcast. A diagonal with a 0 is an error.",
      .parameters = {any_parameter("a"), any_parameter("b"), attribute("lower", false), attribute("trans", false),
                     attribute("unit_diagonal", false)},
      .eager = solve_triangular_eager,
      .complex = solve_triangular_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0]",
                   .expected = "[1.0, 2.0]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[2.0, 9.0], [1.0, 4.0]], [4.0, 10.0], lower=true",
                   .expected = "[2.0, 2.0]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[2.0, 1.0], [0.0, 4.0]], [[4.0], [10.0]], trans=true",
                   .expected = "[[2.0], [2.0]]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[7.0, 9.0], [3.0, 8.0]], [1.0, 5.0], lower=true, unit_diagonal=true",
                   .expected = "[1.0, 2.0]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[2, 0], [0, 4]], [2, 2]", .expected = "[1.0, 0.5]", .source = "scipy"},
                  {.arguments = "[[2im, 1], [0, 4]], [2im, 8]",
                   .expected = "[1.0 + 1im, 2.0 + 0im]",
                   .source = "torch",
                   .ulp = 4}},
      .staging = Staging::structural};
  return entry;
}

const Entry& cho_solve_entry() {
  static const Entry entry{
      .name = "cho_solve",
      .doc =
          "x with `a @ x = b`, given the factor of `a` that `cholesky` finds: `cho_solve(cholesky(a), b)`.\n\n"
          "With `lower=false` (or the pair `(c, false)` for `c`) the factor is upper triangular, `c.T @ c = a` "
          "(complex: `c.H @ c = a`).",
      .parameters = {any_parameter("c"), any_parameter("b"), attribute("lower", true)},
      .eager = cho_solve_eager,
      .complex = cho_solve_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 0.0], [1.0, 2.0]], [8.0, 14.0]", .expected = "[0.75, 2.5]", .source = "scipy"},
                  {.arguments = "[[2.0, 1.0], [0.0, 2.0]], [[8.0], [14.0]], lower=false",
                   .expected = "[[0.75], [2.5]]",
                   .source = "scipy"},
                  {.arguments = "[[2, 0], [1im, 2]], [8, 14im]",
                   .expected = "[0.75 + 0im, 2.5im]",
                   .source = "torch",
                   .ulp = 4}},
      .staging = Staging::structural};
  return entry;
}

const Entry& lu_entry() {
  static const Entry entry{
      .name = "lu",
      .doc =
          "`(p, l, u)` with `p @ l @ u = a`: a permutation matrix, a lower triangular one with ones on its diagonal, "
          "an upper triangular one, by partial pivoting; of stacks of matrices too. The pivot of complex numbers is "
          "the one whose real and imaginary part have the largest sum of magnitudes, as LAPACK has it.\n\n"
          "Square matrices can be differentiated (`p` is constant), where `u` has an inverse.",
      .parameters = {any_parameter("a")},
      .eager = lu_eager,
      .complex = lu_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0], [4.0, 2.0]]",
                   .expected = "([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.25, 1.0]], [[4.0, 2.0], [0.0, 1.5]])",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[2, 4, 6], [1, 3, 5]]",
                   .expected = "([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 1.0]], [[2.0, 4, 6], [0, 1, 2]])",
                   .source = "scipy"},
                  {.arguments = "[[1.0], [2.0], [4.0]]",
                   .expected = "([[0.0, 0, 1], [0, 1, 0], [1, 0, 0]], [[1.0], [0.5], [0.25]], [[4.0]])",
                   .source = "scipy"},
                  {.arguments = "[[0.0, 0.0], [0.0, 0.0]]",
                   .expected = "(eye(2), eye(2), zeros(2, 2))",
                   .source = "scipy"},
                  {.arguments = "[[1, 2im], [4im, 2]]",
                   .expected = "([[0.0, 1.0], [1.0, 0.0]], [[1.0 + 0im, 0], [-0.25im, 1]], [[4im, 2], [0, 2.5im]])",
                   .source = "torch",
                   .ulp = 4}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

TriangularFactors factors_in(Builder& builder, const Value& both, const Type& a, bool unit) {
  Steps steps(builder);
  const Matrices m(builder);
  const unsigned rank = a.shape.rank();
  const Dim rows = a.shape[rank - 2], least = smaller(steps, rows, a.shape[rank - 1]);
  Value l = m.lower(m.columns(both, Dim(0), least), false);
  // Ones on the diagonal of what may be higher than wide.
  if (unit) l = m.add(std::move(l), m.columns(m.eye(rows, logical_type(both).dtype), Dim(0), least));
  return {std::move(l), Reading::triangle_of(m, narrow(builder, both, rank - 2, Dim(0), least), false, true)};
}

Value permutation_of(Builder& builder, const Value& order, Dim rows) {
  Steps steps(builder);
  const Dtype dtype = logical_type(order).dtype;
  const Value places =
      steps.cast(steps.call(handles().arange, {builder.extent(rows), Value(), Value(), Value()}), dtype);
  return Matrices(builder).transposed(steps.cast(steps.equal(order, places), dtype));
}

void require_square_factors(const Type& a) {
  const unsigned rank = a.shape.rank();
  const Dim rows = a.shape[rank - 2], columns = a.shape[rank - 1];
  if (rows == columns) return;
  if (rows.known() && columns.known()) fail(message("lu_derivative"), {a.text()});
  fail_not_staged("whether lu's matrices are square");
}

void take_pair(Call& call) {
  Value& given = call.args[0];
  if (!given.is(ObjectKind::tuple) || given.tuple().items.size() != 2) return;
  const std::vector<Value> pair = given.tuple().items;
  given = pair[0];
  call.args[2] = pair[1];
}

const Entry& solve_triangle_entry() {
  static const Entry entry{
      .name = "solve_triangle",
      .doc = "x with a @ x = b for a triangle, of stacks of one shape.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b"), attribute("lower"), attribute("trans"),
                     attribute("unit_diagonal"), attribute("vector")},
      .type = triangle_type,
      .eager = triangle_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | Derivative::result_bit | guarded, triangle_jvp, triangle_vjp),
      .batch = triangle_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "solve_triangular"};
  return entry;
}

Family linalg_triangular_entries() {
  static const Entry* const entries[] = {&solve_triangle_entry(), &solve_triangular_entry(), &cho_solve_entry(),
                                         &packed_lu_entry(), &lu_entry()};
  return entries;
}

}  // namespace covec::ops
