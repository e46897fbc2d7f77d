// logm, by logarithm.hpp: inside, both parts of the result are one tensor. The derivative along E is a block of the
// logarithm of [[A, E], [0, A]] (R. Mathias, "A chain rule for matrix functions and applications", 1996). Its own
// derivative is a block of one of twice the size. The adjoint of L(A, ·) is E ↦ L(A, Eᴴ)ᴴ. An attribute tells the entry
// how often its matrix was doubled this way.
#include <algorithm>
#include <string>

#include "stdlib/decompositions/logarithm.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

const Entry& packed_logm_entry();  // (real part, imaginary part, levels)

Type packed_logm_type(ShapeBuilder& shapes, const Call& call) {
  Type type = square_operand(shapes, call, 0);
  Dim& columns = type.shape[type.shape.rank() - 1];
  columns = shapes.add(columns, columns);
  type.dtype = float_dtype(type.dtype);
  return type;
}

// Of the operand of logm itself, which may be real.
ArgumentLabel label_of_matrix(const Call& call, bool real) {
  const std::string text = operand_type(call, 0).text();
  const std::string complex = text.starts_with("f32") ? "c64" : "c128";
  return {0, "a is " + (real ? text : complex + text.substr(text.find('[')))};
}

template <class T>
void logarithm_of(Builder& builder, const Call& call, Stack& re, Stack& im, Stack& packed) {
  const int64_t n = re.rows, elements = n * n, blocks = int64_t{1} << integer_argument(call, 2);
  const Scratch room = numbers<double>(builder, 4 * elements);
  double* const parts = room.as<double>();
  double *const from_re = parts, *const from_im = parts + elements;
  double *const to_re = parts + 2 * elements, *const to_im = parts + 3 * elements;
  for (int64_t number = 0; number < re.count; ++number) {
    std::copy_n(re.at<T>(number), elements, from_re);
    std::copy_n(im.at<T>(number), elements, from_im);
    const LogarithmInput a{n / blocks, blocks, from_re, from_im};
    const LogarithmOutcome outcome = logarithm(builder.context(), a, to_re, to_im);
    if (outcome != LogarithmOutcome::found) {
      const bool singular = outcome == LogarithmOutcome::singular;
      const bool real = std::all_of(from_im, from_im + elements, [](double x) { return x == 0; });
      fail(singular ? message("singular") : message("no_decomposition"),
           {shown_name(call.entry), matrix_number(number, re.count)}, {label_of_matrix(call, real)});
    }
    T* const to = packed.at<T>(number);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        to[i * 2 * n + j] = static_cast<T>(to_re[i * n + j]);
        to[i * 2 * n + n + j] = static_cast<T>(to_im[i * n + j]);
      }
    }
  }
}

Value packed_logm_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  Stack re = Stack::of(builder, call.args[0], type.dtype, false);
  Stack im = Stack::of(builder, call.args[1], type.dtype, false);
  with_float(type.dtype, [&](auto element) { logarithm_of<decltype(element)>(builder, call, re, im, packed); });
  return std::move(packed.value);
}

// --- derivatives ---

struct LogmRule {
  RuleContext& rule;
  ComplexMatrix a;
  int64_t levels;
  Dim n;

  LogmRule(RuleContext& context, const Residuals& residuals)
      : rule(context),
        a{residuals.operands[0], residuals.operands[1]},
        levels(integer_of(residuals.operands[2])),
        n(residuals.types[0].shape[residuals.types[0].shape.rank() - 1]) {}

  ComplexMatrix along(const ComplexMatrix& e) const {
    return function_along<ComplexMatrices>(rule, a, e, n, [&](const ComplexMatrix& blocks) {
      const Value packed = rule.call(packed_logm_entry(), {blocks.re, blocks.im, Value(levels + 1)});
      return unpacked<ComplexMatrices>(rule.builder(), packed, rule.builder().add(n, n));
    });
  }
};

Value packed_logm_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const ComplexMatrix e = tangent_of<ComplexMatrices>(rule, residuals, tangents, 0);
  return side_by_side(rule.builder(), LogmRule(rule, residuals).along(e));
}

void packed_logm_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const LogmRule logm(rule, residuals);
  const ComplexMatrices c(rule);
  const ComplexMatrix given = unpacked<ComplexMatrices>(rule.builder(), cotangent, logm.n);
  add_matrix(c.adjoint(logm.along(c.adjoint(given))), out, 0);
}

const Entry& packed_logm_entry() {
  static const Entry entry{
      .name = "packed_logm",
      .doc = "The real and the imaginary part of logm, side by side.",
      .parameters = {tensor_parameter("a"), tensor_parameter("im"), attribute("levels", int64_t{0})},
      .type = packed_logm_type,
      .eager = packed_logm_eager,
      .derivative = Derivative::by_hand(keep_operand(0) | keep_operand(1) | guarded, packed_logm_jvp, packed_logm_vjp),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0], [0.0, 3.0]], [[0.0, 0.0], [0.0, 0.0]], 0",
                   .expected = "[[0.0, 1.0986122886681098, 0.0, 0.0], [0.0, 1.0986122886681098, 0.0, 0.0]]",
                   .source = "mpmath",
                   .ulp = 16},
                  {.arguments = "[[1.0, 2.0], [0.5, 3.0]], [[0.5, 0.0], [1.0, -0.5]], 0",
                   .expected = "zeros(2, 4)",
                   .differentiate = true}},
      .internal = true,
      .part_of = "logm"};
  return entry;
}

// --- the language's ---

Value logm_eager(Builder& builder, Call& call) {
  const Value given = call.args[0];
  call.args[0] = real_part(given);
  require_operand(builder, call, 0);
  const Type type = square_or_asked(builder, call, 0);
  const Dtype dtype = float_dtype(type.dtype);
  const Value re = cast_to(builder, call.args[0], dtype), im = cast_to(builder, imaginary_part(builder, given), dtype);
  const Value packed = ops::call(builder, packed_logm_entry(), {re, im, Value(int64_t{0})});
  const Matrices m(builder);
  const Dim n = type.shape[type.shape.rank() - 1];
  return complex_value(builder, m.columns(packed, Dim(0), n), m.columns(packed, n, n));
}

const Entry& logm_entry() {
  static const Entry entry{
      .name = "logm",
      .doc =
          "The principal logarithm of a square matrix, real or complex, or of each of a stack: the complex x with "
          "`expm(x) = a` whose eigenvalues have imaginary parts above −π and up to π.\n\n"
          "It is always complex, as `eig` is: of a real matrix the imaginary part is 0 unless an eigenvalue is "
          "negative (`real(logm(a))` then loses it). A singular matrix is an error. By Schur's form, square roots and "
          "Padé's approximants, in f64 inside.",
      .parameters = {any_parameter("a")},
      .eager = logm_eager,
      .complex = logm_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 0.0], [0.0, 1.0]]", .expected = "complex(zeros(2, 2), zeros(2, 2))"},
                  {.arguments = "[[-1.0]]", .expected = "complex([[0.0]], [[3.141592653589793]])", .source = "mpmath"},
                  {.arguments = "[[5.0, 4.0], [4.0, 5.0]]",
                   .expected = "complex([[1.0986122886681098, 1.0986122886681098], [1.0986122886681098, "
                               "1.0986122886681098]], zeros(2, 2))",
                   .source = "mpmath",
                   .ulp = 64},
                  {.arguments = "zeros(0, 0)", .expected = "complex(zeros(0, 0), zeros(0, 0))"}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_logm_entries() {
  static const Entry* const entries[] = {&packed_logm_entry(), &logm_entry()};
  return entries;
}

}  // namespace covec::ops
