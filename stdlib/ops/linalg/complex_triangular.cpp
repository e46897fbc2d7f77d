// solve_triangular, cho_solve and lu of complex matrices, given by their real and imaginary parts. A triangle is
// solved by the kernel of real ones, as a triangle twice as large: see complex_triangle_eager. The rules are those of
// triangular.cpp, with the adjoint instead of the transpose.
#include "stdlib/decompositions/complex_factor.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
#include "stdlib/ops/linalg/complex_rules.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const Entry& complex_triangle_entry();
const Entry& packed_complex_lu_entry();

Dim columns_of(const Type& type) { return type.shape[type.shape.rank() - 1]; }

// Both parts side by side, as the results of the entries here.
Value side_by_side(Builder& builder, const ComplexMatrix& x) {
  Value both[2] = {x.re, x.im};
  return concat(builder, both, rank_of_value(x.re) - 1);
}
ComplexMatrix both_parts(Builder& builder, const Value& x, Dim columns) {
  const Matrices m(builder);
  return {m.columns(x, Dim(0), columns), m.columns(x, columns, columns)};
}

// The tangent of a matrix whose parts are operands `first` and the next; as the entries have them, no part is none.
ComplexMatrix tangent_of_parts(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents,
                               unsigned first) {
  const auto part = [&](unsigned i) { return tangents[i].is_none() ? rule.zeros(residuals.types[i]) : tangents[i]; };
  return {part(first), part(first + 1)};
}
void add_both_parts(const ComplexMatrix& found, Cotangents& out, unsigned first) {
  if (out.wants(first)) out.add(first, found.re);
  if (out.wants(first + 1)) out.add(first + 1, found.im);
}

// --- triangles ---

constexpr unsigned of_reading = 4,
                   of_vector_flag = 7;  // operands: both parts of a, both of b, the flags of solve_triangle

Type complex_triangle_type(ShapeBuilder& shapes, const Call& call) {
  Value real[] = {call.args[0], call.args[2]};
  const Call parts{solve_triangle_entry(), real, {}};
  Type type = system_type(shapes, parts, flag_argument(call, of_vector_flag));
  Dim& columns = type.shape[type.shape.rank() - 1];
  columns = shapes.add(columns, columns);
  return type;
}

// conj(d)/|d| for each element, 0 where d is 0.
ComplexMatrix turns_to_real(Steps& steps, const ComplexMatrix& d) {
  const Dtype dtype = logical_type(d.re).dtype;
  const Value zero = steps.number(0, dtype), one = steps.number(1, dtype);
  const auto or_one = [&](const Value& x) { return steps.where(steps.equal(x, zero), one, x); };
  const Value unit =
      or_one(steps.maximum(steps.absolute(d.re), steps.absolute(d.im)));  // so that squares stay in range
  const Value x = steps.div(d.re, unit), y = steps.div(d.im, unit);
  const Value length = or_one(steps.sqrt(steps.add(steps.mul(x, x), steps.mul(y, y))));
  return {steps.div(x, length), steps.neg(steps.div(y, length))};
}

// Rows in pairs, a real part and its imaginary part; and back.
Value interleaved_rows(Steps& steps, const ComplexMatrix& x) {
  Shape shape = logical_type(x.re).shape;
  const unsigned rank = shape.rank();
  Dim& rows = shape[rank - 2];
  rows = steps.builder().add(rows, rows);
  Value both[2] = {x.re, x.im};
  return steps.reshape(stack(steps.builder(), both, rank - 1), shape);
}
ComplexMatrix of_interleaved_rows(Steps& steps, const Value& x, const Shape& shape) {
  const unsigned rank = shape.rank();
  Shape pairs = shape;
  pairs.insert(rank - 1, Dim(2));
  const Value whole = steps.reshape(x, pairs);
  return {steps.take(whole, rank - 1, Value(int64_t{0})), steps.take(whole, rank - 1, Value(int64_t{1}))};
}

// The real form of a triangle, a block [[re, −im], [im, re]] for each element, is a triangle where the diagonal is
// real. So each row is turned first, on both sides.
Value complex_triangle_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Matrices m(builder);
  const ComplexMatrices c(steps);
  const Reading reading(call.args, of_reading);
  const bool lower = reading.lower != reading.trans;
  ComplexMatrix a{call.args[0], call.args[1]}, b{call.args[2], call.args[3]};
  if (reading.trans) a = c.transposed(a);
  if (!reading.unit) {
    const ComplexMatrix turns = c.as_column(turns_to_real(steps, c.diagonal(a)));
    a = c.mul(turns, a);
    b = c.mul(turns, b);
  }
  a.im = Reading::triangle_of(m, a.im, lower, false);
  const Shape shape = logical_type(b.re).shape;
  const Value x = steps.call(solve_triangle_entry(), {c.interleaved(a, columns_of(logical_type(a.re))),
                                                      interleaved_rows(steps, b), Value(lower), Value(false),
                                                      Value(reading.unit), Value(flag_argument(call, of_vector_flag))});
  return side_by_side(builder, of_interleaved_rows(steps, x, shape));
}

ComplexMatrix solved_complex(Builder& builder, const ComplexMatrix& a, const ComplexMatrix& b, bool lower, bool trans,
                             bool unit, bool vector = false) {
  const Value x = ops::call(builder, complex_triangle_entry(),
                            {a.re, a.im, b.re, b.im, Value(lower), Value(trans), Value(unit), Value(vector)});
  return both_parts(builder, x, columns_of(logical_type(b.re)));
}

struct ComplexTriangleRule {
  RuleContext& rule;
  const Residuals& residuals;
  Reading reading{residuals.operands, of_reading};
  Matrices m{rule.builder()};
  ComplexMatrices c{rule};
  ComplexMatrix a{residuals.operands[0], residuals.operands[1]};

  ComplexMatrix in_columns(const Value& x) const {
    return both_parts(rule.builder(), x, columns_of(residuals.types[2]));
  }
  ComplexMatrix part(const ComplexMatrix& x) const { return {reading.part(m, x.re), reading.part(m, x.im)}; }
  ComplexMatrix as_read(const ComplexMatrix& x) const { return {reading.as_read(m, x.re), reading.as_read(m, x.im)}; }

  Value jvp(std::span<const Value> tangents) const {
    const ComplexMatrix da = tangent_of_parts(rule, residuals, tangents, 0),
                        db = tangent_of_parts(rule, residuals, tangents, 2);
    const ComplexMatrix right = c.sub(db, c.product(as_read(part(da)), in_columns(*residuals.result)));
    return side_by_side(rule.builder(),
                        solved_complex(rule.builder(), a, right, reading.lower, reading.trans, reading.unit));
  }
  void vjp(const Value& cotangent, Cotangents& out) const {
    const ComplexMatrix of_b =
        solved_complex(rule.builder(), c.conj(a), in_columns(cotangent), reading.lower, !reading.trans, reading.unit);
    if (out.wants(0) || out.wants(1)) {
      const ComplexMatrix product = c.neg(c.product(of_b, c.adjoint(in_columns(*residuals.result))));
      add_both_parts(part(as_read(product)), out, 0);
    }
    add_both_parts(of_b, out, 2);
  }
};

Value complex_triangle_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return ComplexTriangleRule{rule, residuals}.jvp(tangents);
}
void complex_triangle_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  ComplexTriangleRule{rule, residuals}.vjp(cotangent, out);
}

const Entry& complex_triangle_entry() {
  static const Entry entry{
      .name = "complex_triangle",
      .doc = "x with a @ x = b for a complex triangle, of stacks of one shape: both parts side by side.",
      .parameters = {tensor_parameter("a_re"), tensor_parameter("a_im"), tensor_parameter("b_re"),
                     tensor_parameter("b_im"), attribute("lower"), attribute("trans"), attribute("unit_diagonal"),
                     attribute("vector")},
      .type = complex_triangle_type,
      .eager = complex_triangle_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | keep_operand(1) | Derivative::result_bit | guarded,
                                        complex_triangle_jvp, complex_triangle_vjp),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [0.5, 3.0]], [[0.5, -1.0], [2.0, 4.0]], [[1.0], [2.0]], [[0.0], [1.0]], "
                                "true, false, false, false",
                   .expected = "[[0.47058823529411764, -0.11764705882352941], "
                               "[0.20235294117647057, -0.23058823529411762]]",
                   .source = "torch",
                   .ulp = 8,
                   .differentiate = true}},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "solve_triangular"};
  return entry;
}

// --- solve_triangular and cho_solve ---

// Each part of b is solved for itself if the triangle is real.
Value complex_triangular(Builder& builder, Call& call, bool lower, bool trans, bool unit) {
  const Matrices m(builder);
  ComplexSystem system = complex_system(builder, call);
  const auto real = [&](const Value& part) {
    return ops::call(builder, solve_triangle_entry(),
                     {system.left.re, part, Value(lower), Value(trans), Value(unit), Value(system.vector)});
  };
  ComplexMatrix x = system.left.is_real()
                        ? ComplexMatrix{real(system.right.re), real(system.right.im)}
                        : solved_complex(builder, system.left, system.right, lower, trans, unit, system.vector);
  if (system.vector) x = {m.without_column(x.re), m.without_column(x.im)};
  return complex_value(builder, x.re, x.im);
}

Value conjugated(Builder& builder, const Value& x) {
  return is_complex(x) ? ops::call(builder, handles().conj, {x}) : x;
}

}  // namespace

Value solve_triangular_complex(Builder& builder, Call& call) {
  return complex_triangular(builder, call, flag_argument(call, 2), flag_argument(call, 3), flag_argument(call, 4));
}

// By the factor and its adjoint.
Value cho_solve_complex(Builder& builder, Call& call) {
  take_pair(call);
  const bool lower = flag_argument(call, 2);
  const Value factor = call.args[0];
  const auto solve = [&](const Value& right, bool trans) {
    Value args[] = {trans ? conjugated(builder, factor) : factor, right};
    Call part{call.entry, args, {}};
    return complex_triangular(builder, part, lower, trans, false);
  };
  return solve(solve(call.args[1], !lower), lower);
}

// --- lu ---

namespace {

// Both parts of L and U, and in one column more where the rows of a have come from.
Type complex_lu_type(ShapeBuilder& shapes, const Call& call) {
  Type type = matrix_operand(call, 0);
  type.dtype = float_dtype(type.dtype);
  Dim& columns = type.shape[type.shape.rank() - 1];
  columns = shapes.add(shapes.add(columns, columns), Dim(1));
  return type;
}

Value complex_lu_eager(Builder& builder, Call& call) {
  const Type type = complex_lu_type(builder, call);
  Stack re = Stack::of(builder, call.args[0], type.dtype, false);
  Stack im = Stack::of(builder, call.args[1], type.dtype, false);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const int64_t elements = re.rows * re.columns;
    const Scratch factors = numbers<T>(builder, 2 * elements), room = numbers<int64_t>(builder, re.rows);
    auto* const order = room.as<int64_t>();
    const kernels::ComplexTarget<T> both{factors.as<T>(), factors.as<T>() + elements};
    for (int64_t number = 0; number < re.count; ++number) {
      const kernels::ComplexParts<T> a{re.at<T>(number), im.at<T>(number), re.rows, re.columns};
      kernels::complex_lu(builder.context(), a, both, order);
      T* to = packed.at<T>(number);
      for (int64_t i = 0; i < re.rows; ++i) {
        for (const T* part : {both.re, both.im}) to = std::copy_n(part + i * re.columns, re.columns, to);
        *to++ = static_cast<T>(order[i]);
      }
    }
  });
  return std::move(packed.value);
}

struct ComplexLuParts {
  Value p;
  ComplexMatrix l, u;

  ComplexLuParts(Builder& builder, const Value& packed, const Type& a) {
    const Matrices m(builder);
    const Dim columns = columns_of(a);
    const ComplexMatrix both = both_parts(builder, packed, columns);
    TriangularFactors re = factors_in(builder, both.re, a, true), im = factors_in(builder, both.im, a, false);
    l = {std::move(re.l), std::move(im.l)};
    u = {std::move(re.u), std::move(im.u)};
    const Value order = m.columns(packed, builder.add(columns, columns), Dim(1));
    p = permutation_of(builder, order, a.shape[a.shape.rank() - 2]);
  }
};

// That of real matrices, with adjoints.
struct ComplexLuRule {
  RuleContext& rule;
  Matrices m{rule.builder()};
  ComplexMatrices c{rule};
  ComplexLuParts parts;
  Type a;

  ComplexLuRule(RuleContext& context, const Residuals& residuals)
      : rule(context), parts(context.builder(), *residuals.result, residuals.types[0]), a(residuals.types[0]) {
    require_square_factors(a);
  }
  ComplexMatrix lower(const ComplexMatrix& x) const { return {m.lower(x.re, false), m.lower(x.im, false)}; }
  ComplexMatrix upper(const ComplexMatrix& x) const {
    const auto part = [&](const Value& y) { return Reading::triangle_of(m, y, false, true); };
    return {part(x.re), part(x.im)};
  }
  ComplexMatrix by_l(const ComplexMatrix& b) const {
    return solved_complex(rule.builder(), parts.l, b, true, false, true);
  }
  ComplexMatrix by_adjoint_l(const ComplexMatrix& b) const {
    return solved_complex(rule.builder(), c.conj(parts.l), b, true, true, true);
  }
  // X with X·U = b, or X·Uᴴ = b.
  ComplexMatrix over_u(const ComplexMatrix& b) const {
    return c.transposed(solved_complex(rule.builder(), parts.u, c.transposed(b), false, true, false));
  }
  ComplexMatrix over_adjoint_u(const ComplexMatrix& b) const {
    return c.transposed(solved_complex(rule.builder(), c.conj(parts.u), c.transposed(b), false, false, false));
  }

  Value jvp(const ComplexMatrix& da) const {
    const ComplexMatrix order{m.transposed(parts.p), Value()};
    const ComplexMatrix f = over_u(by_l(c.product(order, da)));
    const ComplexMatrix moved = c.add(c.product(parts.l, lower(f)), c.product(upper(f), parts.u));
    Shape shape = a.shape;
    shape[shape.rank() - 1] = Dim(1);
    Value columns[3] = {moved.re, moved.im, rule.zeros({logical_type(moved.re).dtype, shape})};
    return concat(rule.builder(), columns, shape.rank() - 1);
  }
  ComplexMatrix vjp(const Value& cotangent) const {
    const ComplexMatrix g = both_parts(rule.builder(), cotangent, columns_of(a));
    const ComplexMatrix of_l = lower(c.product(c.adjoint(parts.l), lower(g)));
    const ComplexMatrix of_u = upper(c.product(upper(g), c.adjoint(parts.u)));
    return c.product({parts.p, Value()}, over_adjoint_u(by_adjoint_l(c.add(of_l, of_u))));
  }
};

Value complex_lu_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return ComplexLuRule(rule, residuals).jvp(tangent_of_parts(rule, residuals, tangents, 0));
}
void complex_lu_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (out.wants(0) || out.wants(1)) add_both_parts(ComplexLuRule(rule, residuals).vjp(cotangent), out, 0);
}

const Entry& packed_complex_lu_entry() {
  static const Entry entry{
      .name = "packed_complex_lu",
      .doc = "Both parts of L and U in one matrix, and in one column more the order of the rows.",
      .parameters = {tensor_parameter("re"), tensor_parameter("im")},
      .type = complex_lu_type,
      .eager = complex_lu_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, complex_lu_jvp, complex_lu_vjp),
      .batch = operands_batch,
      .internal = true,
      .part_of = "lu"};
  return entry;
}

}  // namespace

Value lu_complex(Builder& builder, Call& call) {
  const ComplexMatrix x{complex_of(call.args[0]).re(), complex_of(call.args[0]).im()};
  call.args[0] = x.re;
  require_operand(builder, call, 0);
  const Type a = matrix_operand(call, 0);
  const ComplexLuParts parts(builder, ops::call(builder, packed_complex_lu_entry(), {x.re, x.im}), a);
  return make_tuple(
      {parts.p, complex_value(builder, parts.l.re, parts.l.im), complex_value(builder, parts.u.re, parts.u.im)});
}

Family linalg_complex_triangular_entries() {
  static const Entry* const entries[] = {&complex_triangle_entry(), &packed_complex_lu_entry()};
  return entries;
}

}  // namespace covec::ops
