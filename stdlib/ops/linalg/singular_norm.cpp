// Norms of matrices by singular values: Σ c·s, where c is 1 for all of them ("nuc"), for the first (2) or for the last
// (-2). The derivative is U·diag(c)·Vᴴ, an operator of its own. Its derivative in turn has the differences of c over
// those of s, so that nothing is divided by 0 where equal values count alike: Watson, "Characterization of the
// subdifferential of some matrix norms", Linear Algebra and its Applications 170 (1992). A singular value that is 0
// counts as a constant.
#include <limits>

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int64_t all_values = 1, largest_value = 2;  // -2: the smallest

// The attribute `ord` stands behind the matrix, or behind its real and its imaginary part.
template <bool complex>
constexpr unsigned order_operand = complex ? 2 : 1;

ComplexMatrix matrix_in(const Value& x) {
  if (!x.is(ObjectKind::complex)) return {x, Value()};
  return {real_part(x), complex_of(x).im()};
}

template <bool complex>
ComplexMatrix matrix_of(std::span<const Value> operands) {
  return {operands[0], complex ? operands[1] : Value()};
}

// A matrix taken apart, and what its singular values count.
struct Singular {
  Value s, counts;
  ComplexMatrix u, vh;

  Singular(Steps& steps, const ComplexMatrix& a, int64_t order) {
    Builder& builder = steps.builder();
    const Value matrix = a.is_real() ? a.re : complex_value(builder, a.re, a.im);
    const Value parts = ops::call(builder, svd_entry(), {matrix, Value(false)});
    u = matrix_in(parts.tuple().items[0]);
    s = parts.tuple().items[1];
    vh = matrix_in(parts.tuple().items[2]);
    counts = steps.cast(counted(steps, s, order), logical_type(s).dtype);
  }
  // Which of them, whether they are 0 or not.
  static Value chosen(Steps& steps, const Value& s, int64_t order) {
    return steps.call(extreme_mask_entry(), {constant_of(s), Value(int64_t{-1}), Value(order != largest_value)});
  }
  static Value counted(Steps& steps, const Value& s, int64_t order) {
    const Value positive = steps.greater(constant_of(s), steps.number(0, logical_type(s).dtype));
    return order == all_values ? positive : steps.both(positive, chosen(steps, s, order));
  }
};

// --- the norm ---

Type norm_type(ShapeBuilder&, const Call& call) {
  Type type = matrix_operand(call, 0);
  type.shape.erase(type.shape.rank() - 1);
  type.shape.erase(type.shape.rank() - 1);
  type.dtype = float_dtype(type.dtype);
  return type;
}

template <bool complex>
Value norm_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const int64_t order = integer_argument(call, order_operand<complex>);
  const ComplexMatrix a = matrix_of<complex>(call.args);
  const Value matrix = complex ? complex_value(builder, a.re, a.im) : a.re;
  const Value parts = ops::call(builder, svd_entry(), {matrix, Value(false)});
  const Entry& reduced = order == all_values ? handles().sum : order == largest_value ? handles().max : handles().min;
  return steps.reduce(reduced, parts.tuple().items[1], Value(int64_t{-1}));
}

// --- its derivative ---

template <bool complex>
Value packed(Builder& builder, const ComplexMatrix& a) {
  if (!complex) return a.re;
  Value both[2] = {a.re, a.im};
  return concat(builder, both, rank_of_value(a.re) - 1);
}
template <bool complex>
ComplexMatrix unpacked(Builder& builder, const Value& x, const Type& part) {
  if (!complex) return {x, Value()};
  const Matrices m(builder);
  const Dim columns = part.shape[part.shape.rank() - 1];
  return {m.columns(x, Dim(0), columns), m.columns(x, columns, columns)};
}

template <bool complex>
Type direction_type(ShapeBuilder& shapes, const Call& call) {
  Type type = matrix_operand(call, 0);
  Dim& columns = type.shape[type.shape.rank() - 1];
  if (complex) columns = shapes.add(columns, columns);
  type.dtype = float_dtype(type.dtype);
  return type;
}

template <bool complex>
Value direction_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Matrices m(builder);
  const ComplexMatrices c(steps);
  const Singular a(steps, matrix_of<complex>(call.args), integer_argument(call, order_operand<complex>));
  return packed<complex>(builder, c.product(c.mul(a.u, {m.as_row(a.counts), Value()}), a.vh));
}

// --- its derivative's derivative, which is symmetric: both directions are this ---

// The quotients of numbers of all pairs, 0 where `none`.
Value quotients(Steps& steps, const Value& numerator, const Value& denominator, const Value& none) {
  const Dtype dtype = logical_type(numerator).dtype;
  const Value zero = steps.number(0, dtype), one = steps.number(1, dtype);
  return steps.where(none, zero, steps.div(numerator, steps.where(none, one, denominator)));
}

void warn(Steps& steps, const Value& where, std::string_view text) {
  steps.call(handles().warn_where, {constant_of(where), make_string(std::string(text))});
}

// Along da. With P = Uᴴ·da·V it has, between the vectors of i and j, (c_j − c_i) / (s_j − s_i)·(P + Pᴴ)/2 and
// (c_i + c_j) / (s_i + s_j)·(P − Pᴴ)/2; what of da they do not span is over s.
ComplexMatrix direction_change(Steps& steps, const ComplexMatrix& matrix, int64_t order, const ComplexMatrix& da) {
  const Matrices m(steps.builder());
  const ComplexMatrices c(steps);
  const Singular a(steps, matrix, order);
  const Dtype dtype = logical_type(a.s).dtype;
  const Value half = steps.number(0.5, dtype);
  const Value si = m.as_column(a.s), sj = m.as_row(a.s), ci = m.as_column(a.counts), cj = m.as_row(a.counts);

  const double epsilon =
      dtype == Dtype::f32 ? double{std::numeric_limits<float>::epsilon()} : std::numeric_limits<double>::epsilon();
  const Value all = steps.reduce(handles().sum, constant_of(a.s), Value(int64_t{-1}), true);
  const Value tiny = steps.mul(all, steps.number(4 * epsilon, dtype));  // what rounding makes of 0
  const Value rounding = m.as_column(tiny), none = steps.less_equal(a.s, tiny);
  const Value gap = steps.sub(sj, si), near = steps.less_equal(steps.absolute(constant_of(gap)), rounding);
  const Value alike = steps.equal(ci, cj);
  warn(steps, steps.both(near, steps.inverse(alike)),
       "norm: for equal singular values the second derivative is not unique: it is computed without the mixing of "
       "their vectors");
  const Value asked = order == all_values ? none : steps.both(none, Singular::chosen(steps, a.s, order));
  warn(steps, asked, "norm: the second derivative is taken as 0 for singular values that are 0");

  const Value apart = quotients(steps, steps.mul(half, steps.sub(cj, ci)), gap, steps.either(near, alike));
  const Value total = steps.add(si, sj);
  const Value together = quotients(steps, steps.mul(half, steps.add(ci, cj)), total, steps.less_equal(total, rounding));
  const Value over = m.as_row(quotients(steps, a.counts, a.s, none));

  const ComplexMatrix uh = c.adjoint(a.u), v = c.adjoint(a.vh);
  const ComplexMatrix right = c.product(da, v), p = c.product(uh, right), ph = c.adjoint(p);
  const ComplexMatrix mixing = c.add(c.mul(c.add(p, ph), {apart, Value()}), c.mul(c.sub(p, ph), {together, Value()}));
  const ComplexMatrix outside_u = c.mul(c.sub(right, c.product(a.u, p)), {over, Value()});
  const ComplexMatrix outside_v = c.sub(c.product(uh, da), c.product(p, a.vh));
  return c.add(c.product(c.add(c.product(a.u, mixing), outside_u), a.vh),
               c.product(c.mul(a.u, {over, Value()}), outside_v));
}

template <bool complex>
ComplexMatrix along_of(RuleContext& rule, const Residuals& residuals, std::span<const Value> given) {
  const auto part = [&](unsigned i) { return given[i].is_none() ? rule.zeros(residuals.types[i]) : given[i]; };
  return {part(0), complex ? part(1) : Value()};
}

template <bool complex>
int64_t order_of(const Residuals& residuals) {
  return residuals.operands[order_operand<complex>].integer();
}

template <bool complex>
Value direction_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  Steps steps(rule.builder());
  return packed<complex>(rule.builder(),
                         direction_change(steps, matrix_of<complex>(residuals.operands), order_of<complex>(residuals),
                                          along_of<complex>(rule, residuals, tangents)));
}

template <bool complex>
void add_parts(const ComplexMatrix& found, Cotangents& out) {
  if (out.wants(0)) out.add(0, found.re);
  if (complex && out.wants(1)) out.add(1, found.im);
}

template <bool complex>
void direction_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  Steps steps(rule.builder());
  const ComplexMatrix given = unpacked<complex>(rule.builder(), cotangent, residuals.types[0]);
  add_parts<complex>(
      direction_change(steps, matrix_of<complex>(residuals.operands), order_of<complex>(residuals), given), out);
}

constexpr uint64_t kept(bool complex) { return keep_operand(0) | (complex ? keep_operand(1) : 0) | guarded; }

template <bool complex>
std::vector<Parameter> parameters_of() {
  if (!complex) return {tensor_parameter("a"), attribute("ord")};
  return {tensor_parameter("re"), tensor_parameter("im"), attribute("ord")};
}

template <bool complex>
const Entry& direction_entry() {
  static const Entry entry{
      .name = complex ? "complex_singular_direction" : "singular_direction",
      .doc = "The derivative of a norm by singular values (of a complex matrix: both parts side by side).",
      .parameters = parameters_of<complex>(),
      .type = direction_type<complex>,
      .eager = direction_eager<complex>,
      .derivative = Derivative::by_hand(kept(complex), direction_jvp<complex>, direction_vjp<complex>),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples =
          complex
              ? std::vector<
                    Sample>{{.arguments = "[[3.0, 1.0], [0.5, 2.0]], [[0.5, 0.0], [1.0, -1.0]], 2",
                             .expected =
                                 "[[0.6961712768750113, 0.376149989948795, 0.1880749949743974, -0.21613934648568656], "
                                 "[0.36098647216294666, 0.2767934176290793, 0.2896942513545202, "
                                 "-0.030327035571696276]]",
                             .ulp = 64,
                             .differentiate = true}}
              : std::vector<Sample>{{.arguments = "[[3.0, 0.0], [0.0, -2.0]], 1",
                                     .expected = "[[1.0, 0.0], [0.0, -1.0]]",
                                     .differentiate = true},
                                    {.arguments = "[[3.0, 0.0, 0.0], [0.0, -2.0, 0.0]], -2",
                                     .expected = "[[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]]",
                                     .differentiate = true}},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "norm"};
  return entry;
}

template <bool complex>
ComplexMatrix direction(RuleContext& rule, const Residuals& residuals) {
  std::vector<Value> args(residuals.operands.begin(), residuals.operands.begin() + order_operand<complex> + 1);
  const Value found = ops::call(rule.builder(), direction_entry<complex>(), args);
  return unpacked<complex>(rule.builder(), found, residuals.types[0]);
}

template <bool complex>
Value norm_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const ComplexMatrix by = direction<complex>(rule, residuals), along = along_of<complex>(rule, residuals, tangents);
  const Value of_re = rule.scale(along.re, by.re);
  const Value terms = complex ? rule.add(of_re, rule.scale(along.im, by.im)) : of_re;
  const int64_t rank = rank_of_value(terms);
  return rule.call(handles().sum, {terms, make_tuple({Value(rank - 2), Value(rank - 1)}), Value(false)});
}

template <bool complex>
void norm_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  const Value all = rule.broadcast_to(m.as_column(m.as_column(std::move(cotangent))), residuals.types[0].shape);
  const ComplexMatrix by = direction<complex>(rule, residuals);
  add_parts<complex>({rule.scale(all, by.re), complex ? rule.scale(all, by.im) : Value()}, out);
}

template <bool complex>
Entry norm_entry(std::vector<Sample> samples) {
  return Entry{.name = complex ? "complex_singular_norm" : "singular_norm",
               .doc = "A norm by singular values: 1 is their sum, 2 the largest, -2 the smallest.",
               .parameters = parameters_of<complex>(),
               .type = norm_type,
               .eager = norm_eager<complex>,
               .derivative = Derivative::by_hand(kept(complex), norm_jvp<complex>, norm_vjp<complex>),
               .batch = operands_batch,
               .effects = {.may_fail = true},
               .samples = std::move(samples),
               .internal = true,
               .staging = Staging::structural,
               .part_of = "norm"};
}

}  // namespace

const Entry& singular_norm_entry() {
  static const Entry entry = norm_entry<false>(
      {{.arguments = "[[1.0, 2.0], [3.0, 5.0]], 1", .expected = "6.403124237432849", .ulp = 8, .differentiate = true},
       {.arguments = "[[1.0, 2.0], [3.0, 5.0], [-2.0, 0.5]], 2",
        .expected = "6.272879136922411",
        .ulp = 8,
        .differentiate = true},
       {.arguments = "[[1.0, 2.0, 4.0], [3.0, 5.0, -1.0]], -2",
        .expected = "4.074094469818861",
        .ulp = 8,
        .differentiate = true},
       {.arguments = "zeros(2, 0, 3), 1", .expected = "zeros(2)"}});
  return entry;
}

const Entry& complex_singular_norm_entry() {
  static const Entry entry = norm_entry<true>({{.arguments = "[[1.0, 2.0], [0.0, 5.0]], [[2.0, 0.0], [3.0, -1.0]], 1",
                                                .expected = "7.696203363459661",
                                                .ulp = 8,
                                                .differentiate = true},
                                               {.arguments = "[[1.0, 2.0], [0.0, 5.0]], [[2.0, 0.0], [3.0, -1.0]], -2",
                                                .expected = "1.1662900837483383",
                                                .ulp = 8,
                                                .differentiate = true}});
  return entry;
}

Family linalg_singular_norm_entries() {
  static const Entry* const entries[] = {&singular_norm_entry(), &complex_singular_norm_entry(),
                                         &direction_entry<false>(), &direction_entry<true>()};
  return entries;
}

}  // namespace covec::ops
