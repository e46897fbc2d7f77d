// Functions of matrices: expm, sqrtm, matrix_power, and matrix_rank and cond by singular values. The derivative of a
// function f along E stands in f of a matrix twice as large: f([[A, E], [0, A]]) = [[f(A), L(A, E)], [0, f(A)]]
// (R. Mathias, "A chain rule for matrix functions and applications", 1996), and the transpose of L(A, ·) is L(Aᵀ, ·).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stdlib/kernels/decompose.hpp"
#include "stdlib/kernels/factor.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/tensor/tensor.hpp"
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

// The largest magnitude in each matrix, 1 where that is 0 or not finite; what it is made of counts as constant.
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

// L(A, E) is linear in E: it is found for an E as large as A, since a larger one would take digits from A's part.
Value along(RuleContext& rule, const Entry& entry, const Value& a, const Value& direction) {
  const Matrices m(rule.builder());
  Builder& builder = rule.builder();
  Steps steps(builder);
  const Type type = logical_type(a);
  const unsigned rank = type.shape.rank();
  const Dim n = type.shape[rank - 1];
  const Value of_a = size_of_matrices(steps, a), of_direction = size_of_matrices(steps, direction);
  const Value e = rule.mul(rule.div(direction, of_direction), of_a);
  Value upper[2] = {a, e}, lower[2] = {rule.zeros(type), a};
  Value rows[2] = {concat(builder, upper, rank - 1), concat(builder, lower, rank - 1)};
  const Value whole = rule.call(entry, {concat(builder, rows, rank - 2)});
  return rule.mul(rule.div(narrow(builder, m.columns(whole, n, n), rank - 2, Dim(0), n), of_a), of_direction);
}

template <const Entry& (*entry)()>
Value function_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  return tangents[0].is_none() ? Value() : along(rule, entry(), kept.operands[0], tangents[0]);
}

template <const Entry& (*entry)()>
void function_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  const Matrices m(rule.builder());
  if (out.wants(0)) out.add(0, along(rule, entry(), m.transposed(kept.operands[0]), cotangent));
}

// --- in f64, one matrix after the other ---

struct Arithmetic {
  Context& context;
  int64_t n;

  Grid<double> grid() const { return Grid<double>(context, n, n); }
  void product(const Grid<double>& to, const Grid<double>& a, const Grid<double>& b) const {
    kernels::assign_product(context, to.all(), kernels::matrix(a.all()), kernels::matrix(b.all()), n);
  }
  // b becomes a⁻¹·b, and a is lost; false where a has no inverse.
  bool divide(const Grid<double>& a, const Grid<double>& b, const Grid<double>& room) const {
    std::vector<int64_t> order(static_cast<size_t>(n));
    if (kernels::factor_lu(context, a.all(), order.data()) == 0) return false;
    kernels::copy(room.all(), b.all());
    for (int64_t i = 0; i < n; ++i) std::copy_n(room.row(order[static_cast<size_t>(i)]), n, b.row(i));
    kernels::solve_triangle(context, a.all(), Triangle::unit_lower, b.all());
    kernels::solve_triangle(context, a.all(), Triangle::upper, b.all());
    return true;
  }
  double norm(const Grid<double>& a) const {  // the largest sum of a column; NaN where there is one
    double largest = 0;
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += std::abs(a.row(i)[j]);
      if (!(sum <= largest)) largest = sum;
      if (sum != sum) return sum;
    }
    return largest;
  }
};

// Whether f gives a matrix of the stack what belongs there.
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

// A. Al-Mohy and N. Higham, "A new scaling and squaring algorithm for the matrix exponential" (2009): Padé's
// approximant of the least order that is exact enough, for larger matrices of order 13 and a matrix halved often
// enough. What counts is not the norm but how fast powers grow: entries that cancel in the powers cost no digits.
// `growth` bounds the roots of the powers' norms; `rest` is the first coefficient of what the approximant leaves out,
// inverted.
struct Order {
  int degree;
  double growth, rest;
};
constexpr Order orders[] = {{3, 1.495585217958292e-2, 100800.0},
                            {5, 2.539398330063230e-1, 10059033600.0},
                            {7, 9.504178996162932e-1, 4487938430976000.0},
                            {9, 2.097847961257068, 5914384781877411840000.0},
                            {13, 4.25, 113250775606021113483283660800000000.0}};

// Coefficient j of the numerator of order m: (2m − j)!·m!/((2m)!·(m − j)!·j!), times (2m)!/m!.
std::array<double, 14> pade_coefficients(int m) {
  std::array<double, 14> b{};
  b[static_cast<size_t>(m)] = 1;
  for (int j = m; j > 0; --j) {
    const double ratio = static_cast<double>(j) * (2 * m - j + 1) / (m - j + 1);
    b[static_cast<size_t>(j - 1)] = b[static_cast<size_t>(j)] * ratio;
  }
  return b;
}

// to = the polynomial in A², times A where `odd`.
void add_powers(const Arithmetic& m, const std::vector<Grid<double>>& even, const std::array<double, 14>& b, int degree,
                bool odd, const Grid<double>& to) {
  const int64_t elements = m.n * m.n;
  for (int64_t i = 0; i < m.n; ++i) to.row(i)[i] = b[odd ? 1 : 0];
  for (int k = 2; k + (odd ? 1 : 0) <= degree; k += 2) {
    const double factor = b[static_cast<size_t>(k + (odd ? 1 : 0))];
    kernels::add_scaled(to.row(0), factor, even[static_cast<size_t>(k / 2 - 1)].row(0), elements);
  }
}

// How often A must be halved so that the rest of the approximant, by the magnitudes of A, is below rounding: the norm
// of |A|^(2m + 1) is found by products with a vector.
int halvings_by_magnitude(const Arithmetic& m, const Grid<double>& a, const Order& order) {
  const auto n = static_cast<size_t>(m.n);
  std::vector<double> sums(n, 1.0), next(n);
  double size = 0;  // of the power, as a logarithm
  for (int power = 0; power < 2 * order.degree + 1; ++power) {
    std::fill(next.begin(), next.end(), 0.0);
    kernels::poll_interrupt(m.context);
    for (size_t i = 0; i < n; ++i) {
      const double* row = a.row(static_cast<int64_t>(i));
      for (size_t j = 0; j < n; ++j) next[j] += sums[i] * std::abs(row[j]);
    }
    const double largest = n == 0 ? 0 : *std::max_element(next.begin(), next.end());
    if (largest == 0) return 0;
    for (size_t j = 0; j < n; ++j) sums[j] = next[j] / largest;
    size += std::log2(largest);
  }
  constexpr int digits = std::numeric_limits<double>::digits;
  const double excess = size - std::log2(m.norm(a)) - std::log2(order.rest) + digits;
  return std::max(0, static_cast<int>(std::ceil(excess / (2 * order.degree))));
}

void scale_by(const Grid<double>& a, int64_t elements, int exponent) {
  for (int64_t i = 0; i < elements && exponent != 0; ++i) a.row(0)[i] = std::ldexp(a.row(0)[i], exponent);
}

// The powers A², A⁴, … as they are asked for.
struct EvenPowers {
  const Arithmetic& m;
  const Grid<double>& a;
  std::vector<Grid<double>> powers{};

  void reach(int power) {
    while (2 * std::ssize(powers) < power) {
      powers.push_back(m.grid());
      const size_t last = powers.size() - 1;
      m.product(powers[last], last == 0 ? a : powers[last - 1], last == 0 ? a : powers[0]);
    }
  }
  // The root of order `power` of its norm.
  double growth(int power) {
    reach(power);
    return std::pow(m.norm(powers[static_cast<size_t>(power / 2 - 1)]), 1.0 / power);
  }
};

// Halves the matrix and its powers as often as need be, and says by which approximant the rest is done.
const Order& choose_order(const Arithmetic& m, const Grid<double>& a, EvenPowers& even, int& halvings) {
  double growth = std::max(even.growth(4), even.growth(6));
  for (const Order& order : orders) {
    if (order.degree == 13) break;
    if (order.degree == 7) growth = std::max(even.growth(6), even.growth(8));
    if (growth <= order.growth && halvings_by_magnitude(m, a, order) == 0) return order;
  }
  const Order& last = orders[std::size(orders) - 1];
  growth = std::min(growth, std::max(even.growth(8), even.growth(10)));
  const int64_t elements = m.n * m.n;
  int by = growth > last.growth ? static_cast<int>(std::ceil(std::log2(growth / last.growth))) : 0;
  scale_by(a, elements, -by);
  const int more = halvings_by_magnitude(m, a, last);
  scale_by(a, elements, -more);
  by += more;
  for (size_t i = 0; i < even.powers.size(); ++i) scale_by(even.powers[i], elements, -by * static_cast<int>(2 * i + 2));
  halvings += by;
  return last;
}

// Makes rows and columns alike in size by powers of 2, B = D⁻¹·A·D, exactly (E. Osborne, "On pre-conditioning of
// matrices", 1960): an entry that is large only for the units of its row and column would need as many halvings, and
// they would cost the small ones their digits. Gives the exponents of D.
std::vector<int> balance(const Arithmetic& m, const Grid<double>& a) {
  std::vector<int> exponents(static_cast<size_t>(m.n));
  bool changes = true;
  constexpr int most_sweeps = 100;
  for (int sweep = 0; sweep < most_sweeps && changes; ++sweep) {
    changes = false;
    kernels::poll_interrupt(m.context);
    for (int64_t i = 0; i < m.n; ++i) {
      double column = 0, row = 0;
      for (int64_t j = 0; j < m.n; ++j) {
        if (j == i) continue;
        column += std::abs(a.row(j)[i]);
        row += std::abs(a.row(i)[j]);
      }
      if (column == 0 && row == 0) continue;
      int by = column == 0 ? std::max(std::ilogb(row), 0) : row == 0 ? std::min(-std::ilogb(column), 0) : 0;
      if (column != 0 && row != 0) by = (std::ilogb(row) - std::ilogb(column)) / 2;
      constexpr double worth = 0.95;
      if (by == 0 || std::ldexp(column, by) + std::ldexp(row, -by) >= worth * (column + row)) continue;
      for (int64_t j = 0; j < m.n; ++j) {
        if (j == i) continue;
        a.row(j)[i] = std::ldexp(a.row(j)[i], by);
        a.row(i)[j] = std::ldexp(a.row(i)[j], -by);
      }
      exponents[static_cast<size_t>(i)] += by;
      changes = true;
    }
  }
  return exponents;
}

bool is_triangle(const Arithmetic& m, const Grid<double>& a, bool upper) {
  for (int64_t i = 0; i < m.n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      if ((upper ? a.row(i)[j] : a.row(j)[i]) != 0) return false;
    }
  }
  return true;
}

// (e^y − e^x)/(y − x)
double slope_of_exp(double x, double y) {
  const double half = (y - x) / 2;
  if (std::abs(half) > 1) return (std::exp(y) - std::exp(x)) / (y - x);
  return half == 0 ? std::exp(x) : std::exp((x + y) / 2) * (std::sinh(half) / half);
}

// Of an upper triangle times 2^exponent, the exponential's diagonal and what is next to it, by themselves.
void set_diagonals(const Arithmetic& m, const Grid<double>& a, int exponent, const Grid<double>& to) {
  for (int64_t i = 0; i < m.n; ++i) {
    const double x = std::ldexp(a.row(i)[i], exponent);
    to.row(i)[i] = std::exp(x);
    if (i + 1 == m.n) continue;
    const double between = std::ldexp(a.row(i)[i + 1], exponent);
    to.row(i)[i + 1] = between == 0 ? 0 : between * slope_of_exp(x, std::ldexp(a.row(i + 1)[i + 1], exponent));
  }
}

// By the approximant, of a matrix that is halved already.
void approximant(const Arithmetic& m, const Grid<double>& a, const std::vector<Grid<double>>& even, int degree,
                 const Grid<double>& to) {
  const int64_t elements = m.n * m.n;
  const std::array<double, 14> b = pade_coefficients(degree);
  const Grid<double> inner = m.grid(), u = m.grid(), v = m.grid(), room = m.grid();
  add_powers(m, even, b, degree, true, inner);
  m.product(u, a, inner);
  add_powers(m, even, b, degree, false, v);
  for (int64_t i = 0; i < elements; ++i) {
    to.row(0)[i] = v.row(0)[i] + u.row(0)[i];
    v.row(0)[i] -= u.row(0)[i];
  }
  m.divide(v, to, room);
}

void transpose(const Arithmetic& m, const Grid<double>& a) {
  for (int64_t i = 0; i < m.n; ++i) {
    for (int64_t j = 0; j < i; ++j) std::swap(a.row(i)[j], a.row(j)[i]);
  }
}

// Of a balanced matrix, a lower triangle as an upper one; `a` is halved on the way.
void exponential_of_balanced(const Arithmetic& m, const Grid<double>& a, const Grid<double>& to) {
  const bool upper = is_triangle(m, a, true);
  constexpr double large = 0x1p100;  // beyond it powers overflow
  int halvings = 0;
  if (const double norm = m.norm(a); norm > large) std::frexp(norm / large, &halvings);
  scale_by(a, m.n * m.n, -halvings);
  EvenPowers even{m, a};
  const Order& order = choose_order(m, a, even, halvings);
  even.reach(order.degree - 1);
  approximant(m, a, even.powers, order.degree, to);
  const Grid<double> room = m.grid();
  for (int i = 0; i < halvings; ++i) {
    if (upper) set_diagonals(m, a, i, to);
    kernels::copy(room.all(), to.all());
    m.product(to, room, room);
  }
  if (upper) set_diagonals(m, a, halvings, to);
}

void exponential(const Arithmetic& m, const Grid<double>& a, const Grid<double>& to) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (!(kernels::largest_magnitude(a.row(0), m.n * m.n) < inf)) {
    std::fill_n(to.row(0), m.n * m.n, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  constexpr int sums_fit = 64;  // halvings after which they do
  const int before = m.norm(a) < inf ? 0 : sums_fit;
  scale_by(a, m.n * m.n, -before);
  constexpr double uneven = 0x1p10;
  std::vector<int> exponents;
  if (m.norm(a) > uneven) exponents = balance(m, a);
  const bool lower = !is_triangle(m, a, true) && is_triangle(m, a, false);
  if (lower) transpose(m, a);
  exponential_of_balanced(m, a, to);
  const Grid<double> room = m.grid();
  for (int i = 0; i < before; ++i) {
    kernels::copy(room.all(), to.all());
    m.product(to, room, room);
  }
  if (lower) transpose(m, to);
  for (size_t i = 0; i < exponents.size(); ++i) {
    for (size_t j = 0; j < exponents.size(); ++j) {
      double& element = to.row(static_cast<int64_t>(i))[j];
      element = std::ldexp(element, exponents[i] - exponents[j]);
    }
  }
}

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
  std::vector<double> w(static_cast<size_t>(m.n));
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
  constexpr int most = 100;
  for (int step = 0; step < most; ++step) {
    kernels::copy(factors.all(), product.all());
    std::fill_n(inverse.row(0), elements, 0.0);
    for (int64_t i = 0; i < n; ++i) inverse.row(i)[i] = 1;
    if (!m.divide(factors, inverse, room)) return false;
    double mu = 1;
    if (scales) {
      double logarithm = 0;
      for (int64_t i = 0; i < n; ++i) logarithm += std::log(std::abs(factors.row(i)[i]));
      mu = std::exp(-logarithm / (2 * static_cast<double>(n)));
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
    constexpr double close = 1e-14;
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

Value matrix_power_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type a = square_for_sure(builder, call, 0);
  const Matrices m(builder);
  int64_t n = integer_argument(call, 1);
  constexpr int64_t most = int64_t{1} << 40;
  if (n < -most || n > most) fail_attribute(call, 1, "between −2^40 and 2^40");
  const Dim size = a.shape[a.shape.rank() - 1];
  Value x = std::move(call.args[0]), result;
  if (a.dtype == Dtype::boolean) x = cast_to(builder, std::move(x), Dtype::i64);
  if (n < 0) {
    x = ops::call(builder, inv_entry(), {std::move(x)});
    n = -n;
  }
  if (n == 0) return broadcast_to(builder, m.eye(size, a.dtype == Dtype::boolean ? Dtype::i64 : a.dtype), a.shape);
  for (; n > 0; n >>= 1) {
    if (n & 1) result = result.is_none() ? x : m.product(std::move(result), x);
    if (n > 1) x = m.product(x, x);
  }
  return result;
}

// --- by singular values ---

Value singular_values(Builder& builder, Call& call, Type& type) {
  require_operand(builder, call, 0);
  type = matrix_operand(call, 0);
  type.dtype = float_dtype(type.dtype);
  const Value x = cast_to(builder, std::move(call.args[0]), type.dtype);
  const Value parts = ops::call(builder, svd_entry(), {x, Value(false)});
  return parts.tuple().items[1];
}

// Those above `tol`: without it, above as many rounding errors of the largest one as the longer side has elements.
Value matrix_rank_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  Type type;
  const Value s = singular_values(builder, call, type);
  const unsigned rank = type.shape.rank();
  Value least;
  if (call.args[1].is_none()) {
    const double epsilon = type.dtype == Dtype::f32 ? double{std::numeric_limits<float>::epsilon()}
                                                    : std::numeric_limits<double>::epsilon();
    const Value longer =
        steps.maximum(steps.extent(type.shape[rank - 2], type.dtype), steps.extent(type.shape[rank - 1], type.dtype));
    Shape one = type.shape;
    one.erase(rank - 1);
    one[rank - 2] = Dim(1);
    Value padded[2] = {s, steps.zeros({type.dtype, one})};  // of an empty matrix the largest is 0
    const Value largest = steps.reduce(handles().max, concat(builder, padded, rank - 2), Value(int64_t{-1}), true);
    least = steps.mul(largest, steps.mul(longer, steps.number(epsilon, type.dtype)));
  } else {
    least = steps.number(number_argument(call, 1), type.dtype);
  }
  return steps.reduce(handles().sum, steps.greater(s, least), Value(int64_t{-1}));
}

// The largest sum of a row's or column's magnitudes.
Value sum_norm(Steps& steps, const Value& a, bool columns) {
  const Value sums = steps.reduce(handles().sum, steps.absolute(a), Value(int64_t{columns ? -2 : -1}));
  return steps.reduce(handles().max, sums, Value(int64_t{-1}));
}

Value cond_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const double p = number_argument(call, 1);
  if (p == 1 || p == std::numeric_limits<double>::infinity()) {
    require_operand(builder, call, 0);
    const Type type = square_for_sure(builder, call, 0);
    const Value a = cast_to(builder, std::move(call.args[0]), float_dtype(type.dtype));
    const Value inverse = sum_norm(steps, ops::call(builder, inv_or_inf_entry(), {a}), p == 1);
    const Value end = steps.number(std::numeric_limits<double>::infinity(), logical_type(a).dtype);
    return steps.where(steps.equal(inverse, end), end, steps.mul(sum_norm(steps, a, p == 1), inverse));
  }
  if (p != 2 && p != -2) fail_attribute(call, 1, "2, -2, 1 or inf");
  Type type;
  const Value s = singular_values(builder, call, type);
  const Value largest = steps.reduce(handles().max, s, Value(int64_t{-1}));
  const Value least = steps.reduce(handles().min, s, Value(int64_t{-1}));
  const Value zero = steps.number(0, type.dtype), one = steps.number(1, type.dtype);
  const Value singular = steps.equal(least, zero), empty = steps.equal(largest, zero);
  if (p == -2) return steps.div(least, steps.where(empty, one, largest));
  const Value end = steps.number(std::numeric_limits<double>::infinity(), type.dtype);
  return steps.where(singular, end, steps.div(largest, steps.where(singular, one, least)));
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
  static const Entry entry = matrix_function(
      "expm",
      "The exponential of a square matrix, or of each of a stack: 1 + a + a @ a / 2 + …\n\n"
      "By Padé's approximants, scaling and squaring, in f64 inside. nan or an infinity in a matrix makes all of its "
      "result nan.",
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
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 1.0], [0.0, 2.0]], 3",
                   .expected = "[[1.0, 7.0], [0.0, 8.0]]",
                   .differentiate = true},
                  {.arguments = "[[2.0, 0.0], [0.0, 4.0]], -2", .expected = "[[0.25, 0.0], [0.0, 0.0625]]"},
                  {.arguments = "[[1, 1], [1, 0]], 10", .expected = "[[89, 55], [55, 34]]"},
                  {.arguments = "[[3, 1], [1, 0]], 0", .expected = "[[1, 0], [0, 1]]"}},
      .staging = Staging::structural};
  return entry;
}

const Entry& matrix_rank_entry() {
  static const Entry entry{
      .name = "matrix_rank",
      .doc =
          "How many singular values of a matrix, or of each of a stack, are above `tol`: without it above "
          "max(m, n) rounding errors of the largest one.",
      .parameters = {any_parameter("a"), attribute("tol", Value())},
      .eager = matrix_rank_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0], [2.0, 4.0]]", .expected = "1"},
                  {.arguments = "[[1.0, 2.0, 3.0], [2.0, 4.0, 7.0]]", .expected = "2"},
                  {.arguments = "[[[0.0]], [[3.0]]]", .expected = "[0, 1]"},
                  {.arguments = "[[1.0, 0.0], [0.0, 0.01]], tol=0.1", .expected = "1"},
                  {.arguments = "zeros(0, 3)", .expected = "0"}},
      .staging = Staging::structural};
  return entry;
}

const Entry& cond_entry() {
  static const Entry entry{
      .name = "cond",
      .doc =
          "The condition number of a matrix, or of each of a stack: `p` 2: the largest singular value by the smallest; "
          "-2: the other way round; 1 and inf: the norm (the largest sum of a column's or a row's magnitudes) times "
          "that of the inverse. inf of a singular matrix (0 for -2).",
      .parameters = {any_parameter("a"), attribute("p", int64_t{2})},
      .eager = cond_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 0.0], [0.0, 4.0]]", .expected = "4.0", .ulp = 4, .differentiate = true},
                  {.arguments = "[[1.0, 2.0], [3.0, 5.0]], 1", .expected = "56.0", .ulp = 16},
                  {.arguments = "[[1.0, 2.0], [0.0, 4.0]], inf", .expected = "6.0", .ulp = 4},
                  {.arguments = "[[1.0, 0.0], [0.0, 0.0]]", .expected = "inf"},
                  {.arguments = "[[1.0, 0.0], [0.0, 4.0]], -2", .expected = "0.25", .ulp = 4}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_function_entries() {
  static const Entry* const entries[] = {&expm_entry(), &sqrtm_entry(), &matrix_power_entry(), &matrix_rank_entry(),
                                         &cond_entry()};
  return entries;
}

}  // namespace covec::ops
