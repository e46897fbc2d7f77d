// Functions of matrices: expm, sqrtm and matrix_power. The derivative of a function f along E is a block of f of a
// matrix twice as large: f([[A, E], [0, A]]) = [[f(A), L(A, E)], [0, f(A)]] (R. Mathias, "A chain rule for matrix
// functions and applications", 1996). The transpose of L(A, ·) is L(Aᵀ, ·).
#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/decompositions/exponential.hpp"
#include "stdlib/decompositions/factor.hpp"
#include "stdlib/kernels/elementary.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using kernels::Dense;
using kernels::Grid;
using kernels::Triangle;

const Entry& expm_entry();
const Entry& sqrtm_entry();

Type function_type(ShapeBuilder& shapes, const Call& call) {
  const Type type = square_operand(shapes, call, 0);
  return {float_dtype(type.dtype), type.shape};
}

// --- derivatives ---

Value along(RuleContext& rule, const Entry& entry, const Value& a, const Value& direction) {
  return function_along<Matrices>(rule, a, direction, last_dim(logical_type(a)),
                                  [&](const Value& blocks) { return rule.call(entry, {blocks}); });
}

template <const Entry& (*entry)()>
Value function_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return tangents[0].is_none() ? Value() : along(rule, entry(), residuals.operands[0], tangents[0]);
}

template <const Entry& (*entry)()>
void function_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  if (out.wants(0)) out.add(0, along(rule, entry(), m.transposed(residuals.operands[0]), cotangent));
}

// Of a function that commutes with the real form: the operator itself of that.
Value complex_function(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Dim n = last_dim(parts_type(builder, call, a, true));
  const ComplexMatrices c(steps);
  return value_of(builder, c.of_doubled(ops::call(builder, call.entry, {c.doubled(a)}), n, n));
}

// --- in f64, one matrix after the other ---

// f(arithmetic, a, f(a), number, count) for each matrix of the stack; a may be lost.
template <class F>
Value each_matrix(Builder& builder, const Call& call, const F& f) {
  const Type type = function_type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, false);
  Stack result = Stack::empty(builder, type.dtype, type.shape);
  const Arithmetic arithmetic{builder.context(), a.rows};
  const int64_t elements = a.rows * a.rows;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t number = 0; number < a.count; ++number) {
      const Grid<double> from = arithmetic.grid(), to = arithmetic.grid();
      for (int64_t i = 0; i < elements; ++i) from.row(0)[i] = static_cast<double>(a.at<T>(number)[i]);
      f(arithmetic, from, to, number, a.count);
      for (int64_t i = 0; i < elements; ++i) result.at<T>(number)[i] = static_cast<T>(to.row(0)[i]);
    }
  });
  return std::move(result.value);
}

// --- expm ---

Value expm_eager(Builder& builder, Call& call) {
  return each_matrix(builder, call,
                     [](const Arithmetic& m, const Grid<double>& a, const Grid<double>& to, int64_t, int64_t) {
                       exponential(m, a, to);
                     });
}

// --- sqrtm ---

bool is_symmetric(const Arithmetic& m, const Grid<double>& a) {
  for (int64_t i = 0; i < m.n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      if (a.row(i)[j] != a.row(j)[i]) return false;
    }
  }
  return true;
}

// V·√w·Vᵀ; eigenvalues below 0 by rounding count as 0.
bool symmetric_root(const Arithmetic& m, const Grid<double>& a, const Grid<double>& to) {
  const Grid<double> vt = m.grid(), scaled = m.grid();
  std::vector<double> w(size_for<double>(m.n));
  if (!kernels::decompose_eigh(m.context, a.row(0), m.n, w.data(), vt.row(0))) return false;
  const double largest = w.empty() ? 0 : std::max(std::abs(w.front()), std::abs(w.back()));
  const double least = -static_cast<double>(m.n) * std::numeric_limits<double>::epsilon() * largest;
  for (int64_t k = 0; k < m.n; ++k) {
    const double value = w[static_cast<size_t>(k)];
    if (value < least) return false;
    const double root = std::sqrt(std::max(value, 0.0));
    for (int64_t j = 0; j < m.n; ++j) scaled.row(k)[j] = root * vt.row(k)[j];
  }
  kernels::assign_product(m.context, to.all(), kernels::transposed(vt.all()), kernels::matrix(scaled.all()), m.n);
  return true;
}

// The product form of Denman and Beavers' iteration, scaled by determinants (N. Higham, "Functions of Matrices", 2008,
// 6.3): M goes to 1, X to the root.
bool root_by_iteration(const Arithmetic& m, const Grid<double>& a, const Grid<double>& x) {
  const int64_t n = m.n, elements = n * n;
  const Grid<double> product = m.grid(), inverse = m.grid(), factors = m.grid(), room = m.grid(), next = m.grid();
  kernels::copy(product.all(), a.all());
  kernels::copy(x.all(), a.all());
  bool scales = true;
  double before = std::numeric_limits<double>::infinity();
  constexpr int most = 100;  // a bound on iterations
  for (int step = 0; step < most; ++step) {
    kernels::copy(factors.all(), product.all());
    std::fill_n(inverse.row(0), elements, 0.0);
    for (int64_t i = 0; i < n; ++i) inverse.row(i)[i] = 1;
    if (!m.divide(factors, inverse, room)) return false;
    double mu = 1;
    if (scales) {
      double logarithm = 0;
      for (int64_t i = 0; i < n; ++i) logarithm += kernels::logarithm(std::abs(factors.row(i)[i]));
      mu = kernels::exponential(-logarithm / (2 * static_cast<double>(n)));
    }
    // X := (μ·X + μ⁻¹·X·M⁻¹)/2, M := (2 + μ²·M + μ⁻²·M⁻¹)/4
    m.product(next, x, inverse);
    for (int64_t i = 0; i < elements; ++i) {
      x.row(0)[i] = 0.5 * (mu * x.row(0)[i] + next.row(0)[i] / mu);
      product.row(0)[i] = 0.25 * (mu * mu * product.row(0)[i] + inverse.row(0)[i] / (mu * mu));
    }
    for (int64_t i = 0; i < n; ++i) product.row(i)[i] += 0.5;
    kernels::copy(room.all(), product.all());
    for (int64_t i = 0; i < n; ++i) room.row(i)[i] -= 1;
    const double off = m.norm(room);
    if (off != off) return false;
    if (off < 1e-2) scales = false;
    constexpr double close = 1e-14;  // of M − 1, for each row: 45 ε of f64
    if (off <= close * static_cast<double>(n) || (off < 1e-10 && off >= before / 2)) return true;
    before = off;
  }
  return false;
}

Value sqrtm_eager(Builder& builder, Call& call) {
  return each_matrix(
      builder, call,
      [&](const Arithmetic& m, const Grid<double>& a, const Grid<double>& to, int64_t number, int64_t count) {
        if (m.n == 0) return;
        const bool found = is_symmetric(m, a) ? symmetric_root(m, a, to) : root_by_iteration(m, a, to);
        if (!found) fail(message("no_square_root"), {matrix_number(number, count)}, {label_of(call, 0)});
      });
}

// --- matrix_power ---

// The matrix may be complex.
Value matrix_power_eager(Builder& builder, Call& call) {
  Value x = call.args[0];
  call.args[0] = real_part(x);
  require_operand(builder, call, 0);
  const Type a = square_for_sure(builder, call, 0);
  const Matrices m(builder);
  int64_t n = integer_argument(call, 1);
  constexpr int64_t most = int64_t{1} << 40;  // an exponent, as the message says
  if (n < -most || n > most) fail_attribute(call, 1, "between −2^40 and 2^40");
  const Dim size = a.shape[a.shape.rank() - 1];
  Value result;
  if (a.dtype == Dtype::boolean) x = cast_to(builder, std::move(x), Dtype::i64);
  if (n < 0) {
    x = ops::call(builder, inv_entry(), {std::move(x)});
    n = -n;
  }
  if (n == 0) {
    Value one = broadcast_to(builder, m.eye(size, a.dtype == Dtype::boolean ? Dtype::i64 : a.dtype), a.shape);
    return is_complex(x) ? complex_value(builder, one, zeros(builder, a)) : one;
  }
  for (; n > 0; n >>= 1) {
    if (n & 1) result = result.is_none() ? x : m.product(std::move(result), x);
    if (n > 1) x = m.product(x, x);
  }
  return result;
}

Entry matrix_function(std::string_view name, std::string_view doc, Value (*eager)(Builder&, Call&),
                      Derivative derivative, std::vector<Sample> samples) {
  return {.name = name,
          .doc = doc,
          .parameters = {tensor_parameter("a")},
          .type = function_type,
          .eager = eager,
          .derivative = derivative,
          .batch = stack_batch,
          .effects = {.may_fail = true},
          .samples = std::move(samples)};
}

const Entry& expm_entry() {
  static const Entry entry = [] {
    Entry expm = matrix_function(
        "expm",
        "The exponential of a square matrix, or of each of a stack: 1 + a + a @ a / 2 + …\n\n"
        "By Padé's approximants, scaling and squaring, in f64 inside. nan or an infinity in a matrix makes all of its "
        "result nan. A complex matrix is taken by its real form of twice the size.",
        expm_eager, Derivative::by_hand(keep_operand(0) | guarded, function_jvp<expm_entry>, function_vjp<expm_entry>),
        {{.arguments = "[[0.0, 1.0], [0.0, 0.0]]",
          .expected = "[[1.0, 1.0], [0.0, 1.0]]",
          .source = "scipy",
          .differentiate = true},
         {.arguments = "[[0.0, 6.0], [-6.0, 0.0]]",
          .expected = "[[0.9601702866503661, -0.27941549819892586], [0.27941549819892586, 0.9601702866503661]]",
          .source = "mpmath",
          .ulp = 64,
          .differentiate = true},
         {.arguments = "[[[0.0]], [[1.0]], [[-100.0]]]",
          .expected = "[[[1.0]], [[2.718281828459045]], [[3.720075976020836e-44]]]",
          .source = "mpmath",
          .ulp = 64},
         {.arguments = "[[1, 0], [0, 2]]",
          .expected = "[[2.718281828459045, 0.0], [0.0, 7.38905609893065]]",
          .source = "scipy",
          .ulp = 8},
         {.arguments = "zeros(0, 0)", .expected = "zeros(0, 0)"}});
    expm.complex = complex_function;
    return expm;
  }();
  return entry;
}

const Entry& sqrtm_entry() {
  static const Entry entry = matrix_function(
      "sqrtm",
      "The principal square root of a square matrix, or of each of a stack: the x with `x @ x = a` whose eigenvalues "
      "lie to the right of 0.\n\n"
      "It must be real: an eigenvalue on the negative axis is an error, and so is 0 but in symmetric matrices. By "
      "eigenvalues where `a` is symmetric, else by Denman and Beavers' iteration, in f64 inside.",
      sqrtm_eager, Derivative::by_hand(keep_operand(0) | guarded, function_jvp<sqrtm_entry>, function_vjp<sqrtm_entry>),
      {{.arguments = "[[5.0, 4.0], [4.0, 5.0]]",
        .expected = "[[2.0, 1.0], [1.0, 2.0]]",
        .source = "scipy",
        .ulp = 16,
        .differentiate = true},
       {.arguments = "[[1.0, 2.0], [0.0, 9.0]]",
        .expected = "[[1.0, 0.5], [0.0, 3.0]]",
        .source = "scipy",
        .ulp = 64,
        .differentiate = true},
       {.arguments = "[[4, 0], [0, 0]]", .expected = "[[2.0, 0.0], [0.0, 0.0]]", .source = "scipy"},
       {.arguments = "[[[4.0]], [[9.0]]]", .expected = "[[[2.0]], [[3.0]]]", .source = "scipy"}});
  return entry;
}

const Entry& matrix_power_entry() {
  static const Entry entry{
      .name = "matrix_power",
      .doc =
          "A square matrix, or each of a stack, times itself `n` times, by repeated squaring; of a negative `n` the "
          "power of the inverse, of 0 the identity. Bools count as `i64`.",
      .parameters = {any_parameter("a"), attribute("n")},
      .eager = matrix_power_eager,
      .complex = matrix_power_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 1.0], [0.0, 2.0]], 3",
                   .expected = "[[1.0, 7.0], [0.0, 8.0]]",
                   .differentiate = true},
                  {.arguments = "[[2.0, 0.0], [0.0, 4.0]], -2", .expected = "[[0.25, 0.0], [0.0, 0.0625]]"},
                  {.arguments = "[[1, 1], [1, 0]], 10", .expected = "[[89, 55], [55, 34]]"},
                  {.arguments = "[[3, 1], [1, 0]], 0", .expected = "[[1, 0], [0, 1]]"},
                  {.arguments = "[[1im, 2], [0, 1]], 3", .expected = "[[-1im, 2im], [0im, 1.0 + 0im]]", .ulp = 1},
                  {.arguments = "[[2im, 0], [0, 1]], -1", .expected = "[[-0.5im, 0im], [0im, 1.0 + 0im]]", .ulp = 1}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Value size_of_matrices(Steps& steps, const Value& x) {
  const Type type = logical_type(x);
  const Dtype dtype = type.dtype;
  const auto rank = static_cast<int64_t>(type.shape.rank());
  Shape column = type.shape;
  column[type.shape.rank() - 1] = Dim(1);
  Value padded[2] = {steps.absolute(constant_of(x)), steps.zeros({dtype, column})};  // there may be no elements
  Value size =
      steps.reduce(handles().max, concat(steps.builder(), padded, type.shape.rank() - 1), Value(rank - 1), true);
  column[type.shape.rank() - 2] = Dim(1);
  Value below[2] = {size, steps.zeros({dtype, column})};
  size = steps.reduce(handles().max, concat(steps.builder(), below, type.shape.rank() - 2), Value(rank - 2), true);
  const Value inf = steps.number(std::numeric_limits<double>::infinity(), dtype);
  const Value usable = steps.both(steps.greater(size, steps.number(0, dtype)), steps.less(size, inf));
  return steps.where(usable, size, steps.number(1, dtype));
}
Value size_of_matrices(Steps& steps, const ComplexMatrix& x) {
  return steps.maximum(size_of_matrices(steps, x.re), size_of_matrices(steps, x.im));
}

Family linalg_function_entries() {
  static const Entry* const entries[] = {&expm_entry(), &sqrtm_entry(), &matrix_power_entry()};
  return entries;
}

}  // namespace covec::ops
