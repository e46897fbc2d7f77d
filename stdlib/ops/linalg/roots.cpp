// The roots of a polynomial: eigenvalues of companion matrices. The derivative is that of an implicit function: dr =
// −(Σ dp_m·r^m)/p'(r). It is not that of an eigenvalue, whose vectors are nearly dependent here.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <vector>

#include "stdlib/decompositions/complex_numbers.hpp"
#include "stdlib/decompositions/general_eigen.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// --- powers of complex numbers ---

// Of numbers (re, im) the powers that coefficients `p` go with, the highest first: k real parts, then k imaginary ones.
Type powers_type(ShapeBuilder& shapes, const Call& call) {
  Type type = operand_type(call, 0);
  const Shape p = operand_type(call, 2).shape;
  const Dim count = p[p.rank() - 1];
  type.shape.push_back(shapes.add(count, count));
  return type;
}

template <class T>
void put_powers(T re, T im, int64_t count, T* to) {
  T x = 1, y = 0;
  for (int64_t m = count; m-- > 0;) {
    to[m] = x;
    to[count + m] = y;
    const T next = x * re - y * im;
    y = x * im + y * re;
    x = next;
  }
}

Value powers_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const Value re = contiguous(builder.pool(), call.args[0]), im = contiguous(builder.pool(), call.args[1]);
  Stack powers = Stack::empty(builder, type.dtype, type.shape);
  const int64_t numbers = powers.count * powers.rows, count = powers.columns / 2;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    T* const to = powers.at<T>(0);
    for (int64_t i = 0; i < numbers; ++i)
      put_powers(re.tensor().as<T>()[i], im.tensor().as<T>()[i], count, to + 2 * count * i);
  });
  return std::move(powers.value);
}

ComplexMatrix power_parts(Builder& builder, const Value& packed, Dim count) {
  const Matrices m(builder);
  return {m.columns(packed, Dim(0), count), m.columns(packed, count, count)};
}

// What is done with powers of numbers by coefficients, of which there are `count`.
struct PowerRule {
  RuleContext& rule;
  Dim count;
  Dtype dtype;
  Matrices m{rule.builder()};
  ComplexMatrices c{rule};

  // m·r^(m − 1) in the place of r^m.
  ComplexMatrix derivatives(const ComplexMatrix& powers) const {
    Steps steps(rule.builder());
    const Value places = steps.cast(steps.call(handles().arange, {steps.builder().extent(count)}), dtype);
    const Value exponents = steps.sub(steps.sub(steps.extent(count, dtype), steps.number(1, dtype)), places);
    const auto moved = [&](const Value& part) {
      const unsigned last = rank_of_value(part) - 1;
      Shape column = logical_type(part).shape;
      column[last] = Dim(1);
      Value both[2] = {m.columns(part, Dim(1), steps.without(count, Dim(1))), rule.zeros({dtype, column})};
      return rule.mul(concat(rule.builder(), both, last), exponents);
    };
    return {moved(powers.re), moved(powers.im)};
  }
  Value packed(const ComplexMatrix& powers) const {
    Value both[2] = {powers.re, powers.im};
    return concat(rule.builder(), both, rank_of_value(powers.re) - 1);
  }
  Value sums(const Value& x) const { return rule.call(handles().sum, {x, Value(int64_t{-1}), Value(false)}); }
};

Value powers_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none() && tangents[1].is_none()) return Value();
  const Shape& p = residuals.types[2].shape;
  const PowerRule powers{rule, p[p.rank() - 1], residuals.result_type->dtype};
  const auto part = [&](unsigned i) { return tangents[i].is_none() ? rule.zeros(residuals.types[i]) : tangents[i]; };
  const ComplexMatrix moved = powers.c.as_column({part(0), part(1)});
  return powers.packed(
      powers.c.mul(powers.derivatives(power_parts(rule.builder(), *residuals.result, powers.count)), moved));
}

void powers_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Shape& p = residuals.types[2].shape;
  const PowerRule powers{rule, p[p.rank() - 1], residuals.result_type->dtype};
  const ComplexMatrix derivatives = powers.derivatives(power_parts(rule.builder(), *residuals.result, powers.count));
  const ComplexMatrix found =
      powers.c.mul(powers.c.conj(derivatives), power_parts(rule.builder(), cotangent, powers.count));
  if (out.wants(0)) out.add(0, powers.sums(found.re));
  if (out.wants(1)) out.add(1, powers.sums(found.im));
}

const Entry& powers_entry() {
  static const Entry entry{.name = "complex_powers",
                           .doc = "The powers of complex numbers that the coefficients of a polynomial go with.",
                           .parameters = {tensor_parameter("re"), tensor_parameter("im"), tensor_parameter("p")},
                           .type = powers_type,
                           .eager = powers_eager,
                           .derivative = Derivative::by_hand(Derivative::result_bit, powers_jvp, powers_vjp),
                           .batch = operands_batch,
                           .samples = {{.arguments = "[2.0, 0.0], [0.0, 1.0], [1.0, 2.0, 3.0]",
                                        .expected = "[[4.0, 2.0, 1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0, 1.0, 0.0]]",
                                        .differentiate = true}},
                           .internal = true,
                           .part_of = "roots"};
  return entry;
}

// --- roots ---

// Each root a row of its real and its imaginary part; of (p) or of (re, im).
Type packed_roots_type(ShapeBuilder& shapes, const Call& call) {
  Type type = operand_type(call, 0);
  Dim& last = type.shape[type.shape.rank() - 1];
  last = last.known() ? Dim(std::max<int64_t>(last.number() - 1, 0)) : shapes.unknown_dim();
  type.dtype = float_dtype(type.dtype);
  type.shape.push_back(Dim(2));
  return type;
}

// The binary exponent of a coefficient's size; not that of a number that is 0.
template <class T>
int exponent_of(std::complex<T> x) {
  return std::ilogb(std::max(std::abs(x.real()), std::abs(x.imag())));
}

// The roots' sizes may have a wide gap: then the coefficients on either side of it have roots of their own, and what
// each side does to the other's is below rounding. The sizes are slopes of the Newton polygon, the upper convex hull of
// the coefficients' exponents (D. A. Bini, "Numerical computation of polynomial zeros by means of Aberth's method",
// 1996). Gives the numbers of the first coefficient, of those at gaps and of the last one. The QR iteration needs it:
// it takes for 0 what is small beside the largest element of the companion matrix.
template <class T>
std::vector<size_t> parts_between_gaps(std::span<const std::complex<T>> p) {
  constexpr double gap =
      std::numeric_limits<T>::digits + 7;  // in bits; seven for the rounding of exponents and many terms
  std::vector<size_t> hull;
  const auto slope = [&](size_t i, size_t j) {
    return static_cast<double>(exponent_of(p[j]) - exponent_of(p[i])) / static_cast<double>(j - i);
  };
  for (size_t k = 0; k < p.size(); ++k) {
    if (p[k] == std::complex<T>()) continue;
    while (hull.size() > 1 && slope(hull[hull.size() - 2], hull.back()) <= slope(hull.back(), k)) hull.pop_back();
    hull.push_back(k);
  }
  std::vector<size_t> bounds;
  for (size_t h = 0; h < hull.size(); ++h) {
    const bool end = h == 0 || h + 1 == hull.size();
    if (end || slope(hull[h - 1], hull[h]) - slope(hull[h], hull[h + 1]) > gap) bounds.push_back(hull[h]);
  }
  return bounds;
}

// Roots of a polynomial without gaps, whose first and last coefficients are not 0: eigenvalues of the companion matrix.
// The matrix is that for x/2^exponent if quotients of coefficients might leave the range. Gives false if none is found.
template <class T>
bool find_roots_of_part(Context& context, std::span<const std::complex<T>> p, bool complex, T* to) {
  const size_t n = p.size() - 1;
  const int first = exponent_of(p[0]), rise = exponent_of(p[n]) - first;
  const bool ordinary = std::abs(rise) < std::numeric_limits<T>::max_exponent / 4;
  const int exponent = ordinary ? 0 : static_cast<int>(std::lround(double(rise) / static_cast<double>(n)));
  const auto coefficient = [&](size_t j) {
    const int power = -first - exponent * static_cast<int>(j);
    return std::complex<T>(std::ldexp(p[j].real(), power), std::ldexp(p[j].imag(), power));
  };
  std::vector<T> re(n * n), im(complex ? n * n : 0);
  for (size_t j = 0; j < n; ++j) {
    if (complex) {
      const std::complex<T> top = kernels::quotient(-coefficient(j + 1), coefficient(0));
      re[j] = top.real(), im[j] = top.imag();
    } else {
      re[j] = -coefficient(j + 1).real() / coefficient(0).real();
    }
    if (j + 1 < n) re[(j + 1) * n + j] = 1;
  }
  if (!kernels::decompose_eigen<T>(context, {re.data(), complex ? im.data() : nullptr, static_cast<int64_t>(n)}, false,
                                   to))
    return false;
  std::transform(to, to + 2 * n, to, [&](T part) { return std::ldexp(part, exponent); });
  return true;
}

// Last coefficients of 0 are roots that are exactly 0.
template <class T>
bool find_roots(Context& context, std::span<const std::complex<T>> p, bool complex, T* to) {
  const auto finite = [](std::complex<T> x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); };
  if (!std::ranges::all_of(p, finite)) return false;
  const std::vector<size_t> bounds = parts_between_gaps(p);
  for (size_t k = 0; k + 1 < bounds.size(); ++k) {
    const size_t begin = bounds[k], count = bounds[k + 1] - begin;
    if (!find_roots_of_part(context, p.subspan(begin, count + 1), complex, to + 2 * begin)) return false;
  }
  if (!bounds.empty()) std::fill(to + 2 * bounds.back(), to + 2 * (p.size() - 1), T(0));
  return true;
}

Value packed_roots_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const bool complex = call.entry.parameters.size() == 2;
  const Value re = contiguous(builder.pool(), cast_to(builder, call.args[0], type.dtype));
  const Value im = complex ? contiguous(builder.pool(), cast_to(builder, call.args[1], type.dtype)) : Value();
  const Tensor& given = re.tensor();
  const int64_t count = given.dim(given.rank() - 1);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    std::vector<std::complex<T>> p(size_for<std::complex<T>>(count));
    for (int64_t number = 0; number < packed.count && count > 0; ++number) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = number * count + i;
        p[static_cast<size_t>(i)] = {given.as<T>()[at], complex ? im.tensor().as<T>()[at] : T(0)};
      }
      if (p[0] == std::complex<T>() && count > 1) fail_attribute(call, 0, "coefficients, the first of them not 0");
      if (!find_roots<T>(builder.context(), p, complex, packed.at<T>(number)))
        fail_attribute(call, 0, "finite coefficients for which the iteration converges");
    }
  });
  return std::move(packed.value);
}

Value warn_of_multiple_eager(Builder& builder, Call& call) {
  const Value re = contiguous(builder.pool(), call.args[0]), im = contiguous(builder.pool(), call.args[1]);
  bool multiple = false;
  with_float(re.tensor().dtype(), [&](auto element) {
    using T = decltype(element);
    for (int64_t i = 0; i < re.tensor().size(); ++i)
      multiple |= re.tensor().as<T>()[i] == T(0) && im.tensor().as<T>()[i] == T(0);
  });
  Context& context = builder.context();
  const std::string text = "roots: the derivative of a multiple root does not exist: it is infinite or nan";
  if (multiple && context.output != nullptr && context.warned.insert(text).second) context.output->warn(text);
  return call.args[0];
}

const Entry& warn_of_multiple_entry() {
  static const Entry entry{.name = "warn_of_multiple",
                           .doc = "Warns, once in a session, of roots where the polynomial's derivative is 0.",
                           .parameters = {tensor_parameter("derivative_re"), tensor_parameter("derivative_im")},
                           .carries = true,
                           .type = [](ShapeBuilder&, const Call& call) { return operand_type(call, 0); },
                           .eager = warn_of_multiple_eager,
                           .derivative = Derivative::piecewise_constant(),
                           .batch = operands_batch,
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "roots"};
  return entry;
}

ComplexMatrix coefficients(const Residuals& residuals) {
  return {residuals.operands[0], residuals.parameters == 2 ? residuals.operands[1] : Value()};
}

struct RootsRule {
  RuleContext& rule;
  const Residuals& residuals;
  Matrices m{rule.builder()};
  ComplexMatrices c{rule};
  Dim count = residuals.types[0].shape[residuals.types[0].shape.rank() - 1];
  ComplexMatrix roots{m.without_column(m.columns(*residuals.result, Dim(0), Dim(1))),
                      m.without_column(m.columns(*residuals.result, Dim(1), Dim(1)))};
  ComplexMatrix powers = power_parts(
      rule.builder(), rule.call(powers_entry(), {roots.re, roots.im, constant_of(residuals.operands[0])}), count);

  // −p'(r), as a vector.
  ComplexMatrix derivative() const {
    const PowerRule by{rule, count, residuals.result_type->dtype};
    const ComplexMatrix found = c.neg(without(c.product(by.derivatives(powers), c.as_column(coefficients(residuals)))));
    const ComplexMatrix plain = c.constant(found);
    rule.call(warn_of_multiple_entry(), {plain.re, plain.im});
    return found;
  }
  ComplexMatrix without(const ComplexMatrix& column) const {
    return {m.without_column(column.re), m.without_column(column.im)};
  }
};

Value roots_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const RootsRule roots{rule, residuals};
  const Value re = tangents[0].is_none() ? rule.zeros(residuals.types[0]) : tangents[0];
  const ComplexMatrix moved{re, residuals.parameters == 2 ? tangents[1] : Value()};
  const ComplexMatrix found =
      roots.c.div(roots.without(roots.c.product(roots.powers, roots.c.as_column(moved))), roots.derivative());
  Value both[2] = {found.re, found.im};
  return stack(rule.builder(), both, rank_of_value(found.re));
}

void roots_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const RootsRule roots{rule, residuals};
  const Matrices& m = roots.m;
  const ComplexMatrix given{m.without_column(m.columns(cotangent, Dim(0), Dim(1))),
                            m.without_column(m.columns(cotangent, Dim(1), Dim(1)))};
  const ComplexMatrix by = roots.c.div(given, roots.c.conj(roots.derivative()));
  const ComplexMatrix found = roots.without(roots.c.product(roots.c.adjoint(roots.powers), roots.c.as_column(by)));
  if (out.wants(0)) out.add(0, found.re);
  if (residuals.parameters == 2 && out.wants(1)) out.add(1, found.im);
}

template <bool complex>
const Entry& packed_roots_entry() {
  static const Entry entry{
      .name = complex ? "packed_complex_roots" : "packed_roots",
      .doc = "The roots of a polynomial, each a row of its real and its imaginary part.",
      .parameters =
          complex ? std::vector{tensor_parameter("re"), tensor_parameter("im")} : std::vector{tensor_parameter("p")},
      .type = packed_roots_type,
      .eager = packed_roots_eager,
      .derivative = Derivative::by_hand(
          keep_operand(0) | (complex ? keep_operand(1) : 0) | Derivative::result_bit | guarded, roots_jvp, roots_vjp),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = complex ? std::vector<Sample>{{.arguments = "[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]",
                                                .expected = "[[0.0, 1.0], [0.0, 0.0]]",
                                                .ulp = 8,
                                                .differentiate = true}}
                         : std::vector<Sample>{{.arguments = "[1.0, -3.0, 2.0]",
                                                .expected = "[[2.0, 0.0], [1.0, 0.0]]",
                                                .ulp = 8,
                                                .differentiate = true},
                                               {.arguments = "[1.0, 0.0, 4.0, 0.0]",
                                                .expected = "[[0.0, 2.0], [0.0, -2.0], [0.0, 0.0]]",
                                                .ulp = 8,
                                                .differentiate = true},
                                               {.arguments = "[3.0]", .expected = "zeros(0, 2)"}},
      .internal = true,
      .part_of = "roots"};
  return entry;
}

Value roots_eager(Builder& builder, Call& call) {
  const Value given = call.args[0];
  if (is_complex(given)) call.args[0] = real_part(given);
  const Type type = operand_of(builder, call, 0);
  if (type.shape.rank() == 0) fail_attribute(call, 0, "a vector of coefficients");
  const Value re = cast_to(builder, call.args[0], float_dtype(type.dtype));
  const Value packed = is_complex(given)
                           ? ops::call(builder, packed_roots_entry<true>(), {re, imaginary_part(builder, given)})
                           : ops::call(builder, packed_roots_entry<false>(), {re});
  const Matrices m(builder);
  const auto part = [&](int64_t at) { return m.without_column(m.columns(packed, Dim(at), Dim(1))); };
  return complex_value(builder, part(0), part(1));
}

const Entry& roots_entry() {
  static const Entry entry{
      .name = "roots",
      .doc =
          "The roots of the polynomial with the coefficients `p`, real or complex, the highest power first: a complex "
          "vector, of a stack of polynomials one for each. The first coefficient must not be 0.\n\n"
          "They are the eigenvalues of the companion matrix; the derivative is that of an implicit function. A "
          "multiple "
          "root has none, and gets a warning.",
      .parameters = {any_parameter("p")},
      .eager = roots_eager,
      .complex = roots_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, -3.0, 2.0]", .expected = "complex([2.0, 1.0], zeros(2))", .ulp = 8}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_roots_entries() {
  static const Entry* const entries[] = {&powers_entry(), &warn_of_multiple_entry(), &packed_roots_entry<false>(),
                                         &packed_roots_entry<true>(), &roots_entry()};
  return entries;
}

}  // namespace covec::ops
