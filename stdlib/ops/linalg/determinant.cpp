// det, slogdet and logdet, by LU with partial pivoting. The derivative of det is the matrix of cofactors, which exists
// even for singular matrices (cofactors.cpp). Giles, "Collected matrix derivative results for forward and reverse mode
// algorithmic differentiation" (2008).
#include <cmath>

#include "stdlib/decompositions/complex_factor.hpp"
#include "stdlib/decompositions/factor.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/ops/linalg/wide_product.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using kernels::Dense;

Type det_type(ShapeBuilder& shapes, const Call& call) {
  Type type = float_square(shapes, call);
  type.shape = Shape(type.shape.begin(), type.shape.rank() - 2);
  return type;
}

// f(sign, factors) for each matrix of the stack.
template <class T, class F>
void each_lu(Builder& builder, Stack& a, F f) {
  const Scratch order = numbers<int64_t>(builder, a.rows);
  for (int64_t number = 0; number < a.count; ++number) {
    const Dense<T> factors = dense<T>(a, number);
    const int sign = kernels::factor_lu(builder.context(), factors, order.as<int64_t>());
    f(number, sign, factors);
  }
}

Value det_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    T* const out =
        static_cast<T*>(type.shape.empty() ? result.scalar_data() : static_cast<void*>(result.tensor().data()));
    each_lu<T>(builder, a, [&](int64_t number, int sign, const Dense<T>& factors) {
      WideProduct<T> product(static_cast<T>(sign));
      for (int64_t i = 0; i < factors.rows; ++i) product.times(factors(i, i));
      out[number] = product.value();
    });
  });
  return result;
}

Value det_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  const Value cofactor = rule.call(cofactor_entry(), {residuals.operands[0]});
  return m.trace(m.product(m.transposed(cofactor), tangents[0]));
}

void det_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  out.add(0, rule.scale(m.as_column(m.as_column(std::move(cotangent))),
                        rule.call(cofactor_entry(), {residuals.operands[0]})));
}

// (sign, log |det|) as one tensor, side by side.
Type log_det_type(ShapeBuilder& shapes, const Call& call) {
  Type type = det_type(shapes, call);
  type.shape.push_back(Dim(2));
  return type;
}

// The logarithms are those of the operator log.
Value log_det_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  Value pivots = make_tensor(builder.pool(), type.dtype, {Dim(a.count * a.rows)});
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    T* const out = result.tensor().as<T>();
    each_lu<T>(builder, a, [&](int64_t number, int sign, const Dense<T>& factors) {
      for (int64_t i = 0; i < factors.rows; ++i) {
        if (factors(i, i) < 0) sign = -sign;
        pivots.tensor().as<T>()[number * factors.rows + i] = std::abs(factors(i, i));
      }
      out[2 * number] = T(sign);
    });
    const Value logarithms = ops::call(builder, handles().log, {std::move(pivots)});
    const T* next = logarithms.tensor().as<T>();
    for (int64_t number = 0; number < a.count; ++number) {
      T logarithm = T(0);
      for (int64_t i = 0; i < a.rows; ++i) logarithm += *next++;
      out[2 * number + 1] = out[2 * number] == 0 ? -std::numeric_limits<T>::infinity() : logarithm;
    }
  });
  return result;
}

Value log_det_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  const Value moved = solve_stack(rule.builder(), residuals.operands[0], tangents[0]);
  const Value trace = m.as_column(m.trace(moved));
  Value both[2] = {rule.mul(trace, Value(int64_t{0})), trace};
  return concat(rule.builder(), both, rank_of_value(trace) - 1);
}

void log_det_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  const Value weight = m.as_column(m.columns(std::move(cotangent), Dim(1), Dim(1)));
  out.add(0, rule.scale(weight, m.transposed(inv(rule.builder(), residuals.operands[0]))));
}

struct SignAndLog {
  Value sign, logarithm;
};

SignAndLog sign_and_log(Builder& builder, Call& call, const Entry& side_by_side) {
  require_operand(builder, call, 0);
  const Matrices m(builder);
  const Dtype dtype = float_dtype(square_or_asked(builder, call, 0).dtype);
  const Value both = ops::call(builder, side_by_side, {cast_to(builder, std::move(call.args[0]), dtype)});
  const auto part = [&](int64_t at) { return m.without_column(m.columns(both, Dim(at), Dim(1))); };
  return {part(0), part(1)};
}

Value slogdet_eager(Builder& builder, Call& call) {
  SignAndLog parts = sign_and_log(builder, call, log_det_entry());
  return make_tuple({std::move(parts.sign), std::move(parts.logarithm)});
}

// The sign's logarithm is 0, -inf or nan, and a constant: of an integer, which has no derivative.
Value logdet_eager(Builder& builder, Call& call) {
  SignAndLog parts = sign_and_log(builder, call, log_det_of_logdet_entry());
  RuleContext rule(builder, true);
  const Dtype dtype = operand_dtype(parts.sign);
  Value sign = cast_to(builder, cast_to(builder, std::move(parts.sign), Dtype::i32), dtype);
  return rule.add(std::move(parts.logarithm), rule.call(handles().log, {std::move(sign)}));
}

// --- of complex matrices ---

// Its sign, of magnitude 1 (0 where it is 0), the logarithm of its magnitude, and itself: five numbers.
Type complex_det_type(ShapeBuilder& shapes, const Call& call) {
  Type type = square_operand(shapes, call, 0);
  type.dtype = float_dtype(type.dtype);
  type.shape[type.shape.rank() - 2] = Dim(1);
  type.shape[type.shape.rank() - 1] = Dim(5);
  return type;
}

Value complex_det_eager(Builder& builder, Call& call) {
  return each_complex(builder, call, [&]<class T>(kernels::ComplexParts<T> a, T* to, int64_t) {
    const kernels::ComplexDeterminant<T> det = kernels::complex_determinant(builder.context(), a);
    const T all[] = {det.sign_re, det.sign_im, det.logarithm, det.re, det.im};
    std::copy_n(all, 5, to);
    return true;
  });
}

// With g = tr(A⁻¹·dA): the logarithm moves by Re g, the sign by i·Im g·sign, the determinant by g·det.
struct ComplexDetRule {
  RuleContext& rule;
  Dim n;
  ComplexMatrix a, sign, det;
  ComplexMatrices c{rule};

  static ComplexDetRule of(RuleContext& rule, const Residuals& residuals) {
    Unpacking from(rule.builder(), *residuals.result);
    const auto two = [&] {
      Value re = from.real(Dim(1));
      return ComplexMatrix{std::move(re), from.real(Dim(1))};
    };
    const ComplexMatrix sign = two();
    from.real(Dim(1));
    return {rule, last_dim(residuals.types[0]), {residuals.operands[0], residuals.operands[1]}, sign, two()};
  }
  ComplexMatrix inverse() const { return c.inverse(a, n); }
};

Value complex_det_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const ComplexDetRule det = ComplexDetRule::of(rule, residuals);
  const Matrices m(rule.builder());
  const ComplexMatrix product = det.c.product(det.inverse(), tangent_of<ComplexMatrices>(rule, residuals, tangents, 0));
  const auto trace = [&](const Value& x) { return m.as_column(m.as_column(m.trace(x))); };
  const ComplexMatrix g{trace(product.re), trace(product.im)};
  const ComplexMatrix of_sign = det.c.mul({rule.zeros(logical_type(g.im)), g.im}, det.sign),
                      of_det = det.c.mul(g, det.det);
  Value all[5] = {of_sign.re, of_sign.im, g.re, of_det.re, of_det.im};
  return concat(rule.builder(), all, rank_of_value(g.re) - 1);
}

void complex_det_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const ComplexDetRule det = ComplexDetRule::of(rule, residuals);
  const ComplexMatrices& c = det.c;
  Unpacking from(rule.builder(), cotangent);
  const auto two = [&] {
    Value re = from.real(Dim(1));
    return ComplexMatrix{std::move(re), from.real(Dim(1))};
  };
  const ComplexMatrix of_sign = two();
  const Value of_log = from.real(Dim(1));
  const ComplexMatrix of_det = two();
  const Value turn = c.mul(c.conj(det.sign), of_sign).im;
  const ComplexMatrix of_g = c.add({of_log, turn}, c.mul(c.conj(det.det), of_det));
  add_matrix(c.mul(of_g, c.adjoint(det.inverse())), out, 0);
}

const Entry& packed_complex_det_entry() {
  static const Entry entry{
      .name = "packed_complex_det",
      .doc = "The parts of slogdet and det, side by side.",
      .parameters = {tensor_parameter("re"), tensor_parameter("im")},
      .type = complex_det_type,
      .eager = complex_det_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | keep_operand(1) | Derivative::result_bit | guarded,
                                        complex_det_jvp, complex_det_vjp),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]], [[0.0, -1.0], [1.0, 1.0]]",
                   .expected = "[[0.8944271909999159, 0.4472135954999579, 1.4978661367769954, 4.0, 2.0]]",
                   .differentiate = true},
                  {.arguments = "zeros(0, 0), zeros(0, 0)", .expected = "[[1.0, 0.0, 0.0, 1.0, 0.0]]"}},
      .internal = true,
      .part_of = "det"};
  return entry;
}

// [..., 1, 1] as [...].
Value scalar(Builder& builder, const Value& x) {
  const Matrices m(builder);
  return m.without_column(m.without_column(x));
}

Value complex_det(Builder& builder, Call& call) {
  ComplexMatrix a;
  parts_type(builder, call, a, true);
  const Matrices m(builder);
  const Value packed = ops::call(builder, packed_complex_det_entry(), {a.re, a.im});
  const auto at = [&](int64_t i) { return scalar(builder, m.columns(packed, Dim(i), Dim(1))); };
  return complex_value(builder, at(3), at(4));
}

Value complex_slogdet(Builder& builder, Call& call) {
  ComplexMatrix a;
  parts_type(builder, call, a, true);
  const Matrices m(builder);
  const Value packed = ops::call(builder, packed_complex_det_entry(), {a.re, a.im});
  const auto at = [&](int64_t i) { return scalar(builder, m.columns(packed, Dim(i), Dim(1))); };
  return make_tuple({complex_value(builder, at(0), at(1)), at(2)});
}

}  // namespace

const Entry& det_entry() {
  static const Entry entry{
      .name = "det",
      .doc =
          "The determinant of a square matrix, or of each of a stack.\n\n"
          "Its derivatives are right for singular matrices too: the first, which is the matrix of cofactors, the "
          "second and the third. There is no fourth.",
      .parameters = {tensor_parameter("a")},
      .type = det_type,
      .eager = det_eager,
      .complex = complex_det,
      .derivative = Derivative::by_hand(keep_operand(0) | guarded, det_jvp, det_vjp),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2, 0>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]]", .expected = "5.0", .ulp = 2, .differentiate = true},
                  {.arguments = "[[[2.0]], [[-3.0]]]", .expected = "[2.0, -3.0]", .differentiate = true},
                  {.arguments = "[[0, 1], [1, 0]]", .expected = "-1.0"},
                  {.arguments = "zeros(0, 0)", .expected = "1.0"}}};
  return entry;
}

namespace {

Entry log_det(std::string_view name, std::string_view part_of) {
  return {.name = name,
          .doc = "The sign of the determinant and the logarithm of its magnitude, side by side.",
          .parameters = {tensor_parameter("a")},
          .type = log_det_type,
          .eager = log_det_eager,
          .derivative = Derivative::by_hand(keep_operand(0) | guarded, log_det_jvp, log_det_vjp),
          .batch = stack_batch,
          .pattern = pattern_of_blocks<2, 1>,
          .effects = {.may_fail = true},
          .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]]",
                       .expected = "[1.0, 1.6094379124341003]",
                       .ulp = 4,
                       .differentiate = true}},
          .internal = true,
          .part_of = part_of};
}

}  // namespace

const Entry& log_det_entry() {
  static const Entry entry = log_det("log_det", "slogdet");
  return entry;
}

// The same for logdet: its errors name that.
const Entry& log_det_of_logdet_entry() {
  static const Entry entry = log_det("log_det_of_logdet", "logdet");
  return entry;
}

const Entry& slogdet_entry() {
  static const Entry entry{.name = "slogdet",
                           .doc =
                               "The determinant as `(sign, logarithm of its magnitude)`, which does not overflow; (0, "
                               "-inf) of a singular matrix.",
                           .parameters = {any_parameter("a")},
                           .eager = slogdet_eager,
                           .complex = complex_slogdet,
                           .derivative = Derivative::of_parts(),
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]]",
                                        .expected = "(1.0, 1.6094379124341003)",
                                        .ulp = 4,
                                        .differentiate = true},
                                       {.arguments = "[[0.0, 1.0], [1.0, 0.0]]", .expected = "(-1.0, 0.0)"}},
                           .staging = Staging::structural};
  return entry;
}

const Entry& logdet_entry() {
  static const Entry entry{
      .name = "logdet",
      .doc =
          "The logarithm of the determinant of a square matrix, or of each of a stack, which does not overflow where "
          "the determinant does.\n\n"
          "-inf of a singular matrix, nan where the determinant is negative: `slogdet` gives the logarithm of its "
          "magnitude, and its sign. The derivative is the transposed inverse.",
      .parameters = {any_parameter("a")},
      .eager = logdet_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [1.0, 3.0]]",
                   .expected = "1.6094379124341003",
                   .source = "numpy",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[[[2.0, 0.0], [0.0, 2.0]], [[1.0, 2.0], [-2.0, 1.0]]]",
                   .expected = "[1.3862943611198906, 1.6094379124341003]",
                   .source = "numpy",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[[0.0, 1.0], [1.0, 0.0]]", .expected = "nan", .source = "numpy"},
                  {.arguments = "1e200 * eye(3)", .expected = "1381.5510557964274", .source = "numpy", .ulp = 4},
                  {.arguments = "[[3, 1], [1, 2]]", .expected = "1.6094379124341003", .source = "numpy", .ulp = 4},
                  {.arguments = "f32([[2, 0], [0, 2]])", .expected = "f32(1.3862943611)", .ulp = 2},
                  {.arguments = "zeros(0, 0)", .expected = "0.0", .source = "numpy"}},
      .staging = Staging::structural};
  return entry;
}

Family linalg_determinant_entries() {
  static const Entry* const entries[] = {&det_entry(),     &log_det_entry(), &log_det_of_logdet_entry(),
                                         &slogdet_entry(), &logdet_entry(),  &packed_complex_det_entry()};
  return entries;
}

}  // namespace covec::ops
