#include "stdlib/decompositions/exponential.hpp"

#include <array>
#include <limits>

#include "stdlib/kernels/elementary.hpp"

namespace covec::ops {

namespace {

using kernels::Grid;

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
    size += kernels::binary_logarithm(largest);
  }
  constexpr int digits = std::numeric_limits<double>::digits;
  const double excess = size - kernels::binary_logarithm(m.norm(a)) - kernels::binary_logarithm(order.rest) + digits;
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
    return kernels::power(m.norm(powers[static_cast<size_t>(power / 2 - 1)]), 1.0 / power);
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
  int by = growth > last.growth ? static_cast<int>(std::ceil(kernels::binary_logarithm(growth / last.growth))) : 0;
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
  std::vector<int> exponents(size_for<int>(m.n));
  bool changes = true;
  constexpr int max_sweeps = 100;  // a bound on sweeps over all rows
  for (int sweep = 0; sweep < max_sweeps && changes; ++sweep) {
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
      constexpr double worth = 0.95;  // of the old sum, which a new one must be below: Parlett and Reinsch (1969)
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
  if (std::abs(half) > 1) return (kernels::exponential(y) - kernels::exponential(x)) / (y - x);
  return half == 0 ? kernels::exponential(x)
                   : kernels::exponential((x + y) / 2) * (kernels::hyperbolic_sine(half) / half);
}

// Of an upper triangle times 2^exponent, the exponential's diagonal and what is next to it, by themselves.
void set_diagonals(const Arithmetic& m, const Grid<double>& a, int exponent, const Grid<double>& to) {
  for (int64_t i = 0; i < m.n; ++i) {
    const double x = std::ldexp(a.row(i)[i], exponent);
    to.row(i)[i] = kernels::exponential(x);
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

}  // namespace

void exponential(const Arithmetic& m, const Grid<double>& a, const Grid<double>& to) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (!(kernels::largest_magnitude(a.row(0), m.n * m.n) < inf)) {
    std::fill_n(to.row(0), m.n * m.n, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  constexpr int sums_fit = 64;  // halvings after which they do
  const int before = m.norm(a) < inf ? 0 : sums_fit;
  scale_by(a, m.n * m.n, -before);
  constexpr double uneven = 0x1p10;  // a norm above which the matrix is balanced
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

}  // namespace covec::ops
