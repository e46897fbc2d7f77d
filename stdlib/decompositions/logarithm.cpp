#include "stdlib/decompositions/logarithm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "stdlib/decompositions/complex_numbers.hpp"
#include "stdlib/decompositions/dense.hpp"
#include "stdlib/decompositions/general_eigen.hpp"
#include "stdlib/kernels/elementary.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::ops {

namespace {

using C = std::complex<double>;
using kernels::Grid, kernels::quotient, kernels::square_root;

// A square matrix by its parts.
struct Parts {
  Grid<double> re, im;
  Parts(Context& context, int64_t n) : re(context, n, n), im(context, n, n) {}

  C at(int64_t i, int64_t j) const { return {re.row(i)[j], im.row(i)[j]}; }
  void set(int64_t i, int64_t j, C x) const {
    re.row(i)[j] = x.real();
    im.row(i)[j] = x.imag();
  }
};

C times(C a, C b) { return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()}; }

// --- functions of the eigenvalues, and of the numbers beside them, without the digits that cancel ---

// z^(1/2^k) − 1 (A. Al-Mohy, "A more accurate Briggs method for the logarithm", 2012).
C root_less_one(C z, int k) {
  if (k > 0 && z.real() <= 0) {
    z = square_root(z);
    --k;
  }
  const C excess = z - 1.0;
  C divisor = 1;
  for (; k > 0; --k) {
    z = square_root(z);
    divisor = times(divisor, 1.0 + z);
  }
  return quotient(excess, divisor);
}

// Of a triangle [[x, t], [0, y]] and f = log or a power: what stands in place of t is t times this.
class Divided {
 public:
  Divided(C x, C y) : x_(x), y_(y), log_x_(kernels::logarithm(x)), log_y_(kernels::logarithm(y)) {
    close_ = kernels::length(y - x) <= kernels::length(x + y) / 2;
    if (!close_ || x == y) return;
    const double turns = std::ceil(((log_y_ - log_x_).imag() - std::numbers::pi) / (2 * std::numbers::pi));
    half_gap_ = kernels::inverse_hyperbolic_tangent(quotient(y - x, y + x)) + C(0, std::numbers::pi * turns);
  }
  C of_log() const {
    if (x_ == y_) return quotient(C(1), x_);
    return quotient(close_ ? 2.0 * half_gap_ : log_y_ - log_x_, y_ - x_);
  }
  C of_power(double p) const {
    using kernels::exponential;
    if (x_ == y_) return p * exponential((p - 1) * log_x_);
    if (!close_) return quotient(exponential(p * log_y_) - exponential(p * log_x_), y_ - x_);
    const C product = times(exponential((p / 2) * (log_x_ + log_y_)), 2.0 * kernels::hyperbolic_sine(p * half_gap_));
    return quotient(product, y_ - x_);
  }

 private:
  C x_, y_, log_x_, log_y_, half_gap_ = 0;
  bool close_;
};

// --- upper triangles ---

// The nodes and weights of Gauss and Legendre on [0, 1]: log(1 + X) ≈ the sum of w·X/(1 + x·X) is Padé's approximant.
struct Node {
  double x, weight;
};
constexpr int max_degree = 7;  // of the approximants: Al-Mohy and Higham's for f64 (2012, logarithm.hpp)
constexpr Node nodes[max_degree][max_degree] = {
    {{0.5, 1.0}},
    {{0.2113248654051871, 0.5}, {0.7886751345948129, 0.5}},
    {{0.11270166537925831, 0.2777777777777778}, {0.5, 0.4444444444444444}, {0.8872983346207417, 0.2777777777777778}},
    {{0.06943184420297371, 0.17392742256872692},
     {0.33000947820757187, 0.32607257743127305},
     {0.6699905217924281, 0.32607257743127305},
     {0.9305681557970263, 0.17392742256872692}},
    {{0.046910077030668004, 0.11846344252809454},
     {0.23076534494715845, 0.23931433524968324},
     {0.5, 0.28444444444444444},
     {0.7692346550528415, 0.23931433524968324},
     {0.953089922969332, 0.11846344252809454}},
    {{0.03376524289842399, 0.08566224618958518},
     {0.16939530676686773, 0.1803807865240693},
     {0.38069040695840156, 0.23395696728634552},
     {0.6193095930415985, 0.23395696728634552},
     {0.8306046932331322, 0.1803807865240693},
     {0.966234757101576, 0.08566224618958518}},
    {{0.025446043828620736, 0.06474248308443485},
     {0.12923440720030277, 0.13985269574463832},
     {0.2970774243113014, 0.19091502525255946},
     {0.5, 0.2089795918367347},
     {0.7029225756886985, 0.19091502525255946},
     {0.8707655927996972, 0.13985269574463832},
     {0.9745539561713793, 0.06474248308443485}}};
// Up to which ‖X‖ the approximant of each degree, from 1 on, is exact to rounding.
constexpr double radius[max_degree + 1] = {0, 1.59e-5, 2.31e-3, 1.94e-2, 6.21e-2, 1.28e-1, 2.06e-1, 2.88e-1};

class Triangles {
 public:
  Triangles(Context& context, int64_t n) : context_(context), n_(n) {}

  // `to` becomes the logarithm of t, which is lost; all eigenvalues differ from 0.
  void logarithm(const Parts& t, const Parts& to) const {
    std::vector<C> values(size_for<C>(n_)), superdiagonal(values.size());
    for (int64_t i = 0; i < n_; ++i) values[static_cast<size_t>(i)] = t.at(i, i);
    for (int64_t i = 0; i + 1 < n_; ++i) superdiagonal[static_cast<size_t>(i)] = t.at(i, i + 1);
    const Scaling scaling = scale(t);
    // t − 1 with an exact diagonal and the numbers beside it.
    for (int64_t i = 0; i < n_; ++i) {
      const auto at = static_cast<size_t>(i);
      t.set(i, i, root_less_one(values[at], scaling.roots));
      if (i + 1 == n_ || scaling.roots == 0) continue;
      const Divided divided(values[at], values[at + 1]);
      t.set(i, i + 1, times(superdiagonal[at], divided.of_power(std::ldexp(1.0, -scaling.roots))));
    }
    const Parts room(context_, n_);
    for (int i = 0; i < scaling.degree; ++i) add_term(to, t, nodes[scaling.degree - 1][i], room);
    for (const Grid<double>* part : {&to.re, &to.im}) {
      for (int64_t i = 0; i < n_ * n_; ++i) part->row(0)[i] = std::ldexp(part->row(0)[i], scaling.roots);
    }
    for (int64_t i = 0; i < n_; ++i) {
      const auto at = static_cast<size_t>(i);
      to.set(i, i, kernels::logarithm(values[at]));
      if (i + 1 < n_) to.set(i, i + 1, times(superdiagonal[at], Divided(values[at], values[at + 1]).of_log()));
    }
  }

 private:
  struct Scaling {
    int roots, degree;
  };
  static constexpr int max_roots = 100;  // a bound on square roots taken

  // Columns `from` and later of row i of y, less `factor` times row k of x.
  void subtract_row(const Parts& y, int64_t i, C factor, const Parts& x, int64_t k, int64_t from) const {
    if (factor == C(0)) return;
    double *re = y.re.row(i), *im = y.im.row(i);
    const double *x_re = x.re.row(k), *x_im = x.im.row(k);
    const double a = factor.real(), b = factor.imag();
    for (int64_t j = from; j < n_; ++j) {
      re[j] -= a * x_re[j] - b * x_im[j];
      im[j] -= a * x_im[j] + b * x_re[j];
    }
  }

  // The principal square root in its place (Å. Björck and S. Hammarling, "A Schur method for the square root of a
  // matrix", 1983).
  void take_root(const Parts& t) const {
    for (int64_t i = n_ - 1; i >= 0; --i) {
      kernels::poll_interrupt(context_);
      const C own = square_root(t.at(i, i));
      t.set(i, i, own);
      for (int64_t k = i + 1; k < n_; ++k) {
        const C x = quotient(t.at(i, k), own + t.at(k, k));
        t.set(i, k, x);
        subtract_row(t, i, x, t, k, k + 1);
      }
    }
  }

  void multiply(const Parts& to, const Parts& a, const Parts& b) const {
    for (int64_t i = 0; i < n_; ++i) {
      kernels::poll_interrupt(context_);
      std::fill_n(to.re.row(i), n_, 0.0);
      std::fill_n(to.im.row(i), n_, 0.0);
      for (int64_t k = i; k < n_; ++k) subtract_row(to, i, -a.at(i, k), b, k, k);
    }
  }

  double norm(const Parts& a) const {  // the largest sum of a column
    std::vector<double> sums(size_for<double>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = i; j < n_; ++j) sums[static_cast<size_t>(j)] += kernels::length(a.at(i, j));
    }
    return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
  }

  // How many roots bring t near 1, taken in its place, and the degree of the approximant from there. What counts is
  // how fast powers of t − 1 grow, by the roots of their norms.
  Scaling scale(const Parts& t) const {
    int roots = 0, tries = 0;
    const auto next = [&] {
      take_root(t);
      ++roots;
    };
    while (roots < max_roots && distance_of_values(t) > radius[max_degree]) next();
    const Parts x(context_, n_), even(context_, n_), other(context_, n_);
    for (; roots < max_roots; next()) {
      kernels::copy(x.re.all(), t.re.all());
      kernels::copy(x.im.all(), t.im.all());
      for (int64_t i = 0; i < n_; ++i) x.re.row(i)[i] -= 1;
      multiply(even, x, x);
      multiply(other, even, x);
      const double second = std::sqrt(norm(even)), third = kernels::cube_root(norm(other));
      const double first_growth = std::max(second, third);
      for (int degree = 1; degree <= 2; ++degree) {
        if (first_growth <= radius[degree]) return {roots, degree};
      }
      multiply(other, even, even);
      const double fourth = std::sqrt(std::sqrt(norm(other))), growth = std::max(third, fourth);
      int degree = 3;
      while (degree <= max_degree && growth > radius[degree]) ++degree;
      if (degree < max_degree) return {roots, degree};
      // One more root is worth it where it saves two degrees.
      constexpr int max_tries = 2;
      if (degree == max_degree && growth / 2 <= radius[5] && tries < max_tries) {
        ++tries;
        continue;
      }
      if (degree == max_degree) return {roots, degree};
      multiply(even, other, x);
      const double last = std::min(growth, std::max(fourth, kernels::power(norm(even), 0.2)));
      if (last <= radius[max_degree]) return {roots, last <= radius[max_degree - 1] ? max_degree - 1 : max_degree};
    }
    return {roots, max_degree};
  }

  double distance_of_values(const Parts& t) const {
    double largest = 0;
    for (int64_t i = 0; i < n_; ++i) largest = std::max(largest, kernels::length(t.at(i, i) - 1.0));
    return largest;
  }

  // to += weight·X·(1 + node·X)⁻¹
  void add_term(const Parts& to, const Parts& x, Node node, const Parts& room) const {
    for (int64_t i = n_ - 1; i >= 0; --i) {
      kernels::poll_interrupt(context_);
      for (int64_t j = i; j < n_; ++j) room.set(i, j, node.weight * x.at(i, j));
      for (int64_t k = i + 1; k < n_; ++k) subtract_row(room, i, node.x * x.at(i, k), room, k, k);
      const C divisor = 1.0 + node.x * x.at(i, i);
      for (int64_t j = i; j < n_; ++j) room.set(i, j, quotient(room.at(i, j), divisor));
      kernels::add_scaled(to.re.row(i) + i, 1.0, room.re.row(i) + i, n_ - i);
      kernels::add_scaled(to.im.row(i) + i, 1.0, room.im.row(i) + i, n_ - i);
    }
  }

  Context& context_;
  int64_t n_;
};

// --- Schur's form ---

struct SchurForm {
  Parts t, z;
  bool negative = false;  // a real matrix has a negative eigenvalue
};

// A rotation in the plane of two conjugate eigenvalues makes of each block of the real form a triangle (G. Golub and C.
// Van Loan, "Matrix Computations").
void split_blocks(SchurForm& form, int64_t n) {
  const Parts &t = form.t, &z = form.z;
  for (int64_t m = n - 1; m > 0; --m) {
    const double below = t.re.row(m)[m - 1];
    if (below == 0) continue;
    const C half = (t.at(m - 1, m - 1) - t.at(m, m)) / 2.0;
    const C gap = half + square_root(half * half + t.at(m - 1, m) * below);  // of an eigenvalue and the lower number
    const double length = kernels::length(kernels::length(gap), below);
    const C c = gap / length, conjugate = std::conj(c);
    const double s = below / length;
    for (int64_t j = m - 1; j < n; ++j) {
      const C upper = t.at(m - 1, j), lower = t.at(m, j);
      t.set(m - 1, j, times(conjugate, upper) + s * lower);
      t.set(m, j, times(c, lower) - s * upper);
    }
    const auto rotate_columns = [&](const Parts& x, int64_t rows) {
      for (int64_t i = 0; i < rows; ++i) {
        const C left = x.at(i, m - 1), right = x.at(i, m);
        x.set(i, m - 1, times(c, left) + s * right);
        x.set(i, m, times(conjugate, right) - s * left);
      }
    };
    rotate_columns(t, m + 1);
    rotate_columns(z, n);
    t.set(m, m - 1, 0);
  }
}

bool find_schur(Context& context, const LogarithmInput& a, bool real, SchurForm& form) {
  const int64_t n = a.size, width = n * a.blocks;
  const Parts first(context, n);
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(a.re + i * width, n, first.re.row(i));
    std::copy_n(a.im + i * width, n, first.im.row(i));
  }
  const kernels::SquareParts<double> given{first.re.row(0), real ? nullptr : first.im.row(0), n};
  const kernels::SchurParts<double> to{form.t.re.row(0), real ? nullptr : form.t.im.row(0), form.z.re.row(0),
                                       real ? nullptr : form.z.im.row(0)};
  if (!kernels::decompose_schur(context, given, to)) return false;
  if (real) {
    for (int64_t i = 0; i < n; ++i) {
      const bool in_block = (i > 0 && form.t.re.row(i)[i - 1] != 0) || (i + 1 < n && form.t.re.row(i + 1)[i] != 0);
      form.negative = form.negative || (!in_block && form.t.re.row(i)[i] < 0);
    }
    split_blocks(form, n);
  }
  for (int64_t i = 0; i < n; ++i) {
    std::fill_n(form.t.re.row(i), i, 0.0);
    std::fill_n(form.t.im.row(i), i, 0.0);
    if (form.t.im.row(i)[i] == 0) form.t.im.row(i)[i] = 0;  // on the axis: from above
  }
  return true;
}

// Products of blocks with Z by real matrices of twice the size: [[re, −im], [im, re]] from the left, its transpose with
// im negated from the right.
class ByZ {
 public:
  ByZ(Context& context, const Parts& z, int64_t n)
      : context_(context),
        n_(n),
        left_(context, 2 * n, 2 * n),
        right_(context, 2 * n, 2 * n),
        in_(context, 2 * n, n),
        middle_(context, 2 * n, n),
        side_by_side_(context, n, 2 * n),
        out_(context, n, 2 * n) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const double re = z.re.row(i)[j], im = z.im.row(i)[j];
        left_.row(i)[j] = left_.row(n + i)[n + j] = right_.row(i)[j] = right_.row(n + i)[n + j] = re;
        left_.row(n + i)[j] = right_.row(i)[n + j] = im;
        left_.row(i)[n + j] = right_.row(n + i)[j] = -im;
      }
    }
  }
  // Zᴴ·X·Z, or Z·X·Zᴴ where `back`, of a block in rows of `width` numbers.
  void apply(const double* re, const double* im, int64_t width, bool back, double* to_re, double* to_im,
             int64_t to_width) const {
    for (int64_t i = 0; i < n_; ++i) {
      std::copy_n(re + i * width, n_, in_.row(i));
      std::copy_n(im + i * width, n_, in_.row(n_ + i));
    }
    const auto matrix_of = [&](const Grid<double>& z, bool transposed) {
      return transposed ? kernels::transposed(z.all()) : kernels::matrix(z.all());
    };
    kernels::assign_product(context_, middle_.all(), matrix_of(left_, !back), kernels::matrix(in_.all()), 2 * n_);
    for (int64_t i = 0; i < n_; ++i) {
      std::copy_n(middle_.row(i), n_, side_by_side_.row(i));
      std::copy_n(middle_.row(n_ + i), n_, side_by_side_.row(i) + n_);
    }
    kernels::assign_product(context_, out_.all(), kernels::matrix(side_by_side_.all()), matrix_of(right_, back),
                            2 * n_);
    for (int64_t i = 0; i < n_; ++i) {
      std::copy_n(out_.row(i), n_, to_re + i * to_width);
      std::copy_n(out_.row(i) + n_, n_, to_im + i * to_width);
    }
  }

 private:
  Context& context_;
  int64_t n_;
  Grid<double> left_, right_, in_, middle_, side_by_side_, out_;
};

}  // namespace

LogarithmOutcome logarithm(Context& context, const LogarithmInput& a, double* re, double* im) {
  const int64_t n = a.size, width = n * a.blocks, elements = width * width;
  if (elements == 0) return LogarithmOutcome::found;
  bool real = true;  // the block whose Schur form is taken
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) real = real && a.im[i * width + j] == 0;
  }
  SchurForm form{Parts(context, n), Parts(context, n)};
  if (!find_schur(context, a, real, form)) return LogarithmOutcome::no_decomposition;
  for (int64_t i = 0; i < n; ++i) {
    if (form.t.at(i, i) == C(0)) return LogarithmOutcome::singular;
  }
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (!(kernels::largest_magnitude(a.re, elements) < inf && kernels::largest_magnitude(a.im, elements) < inf)) {
    std::fill_n(re, elements, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(im, elements, std::numeric_limits<double>::quiet_NaN());
    return LogarithmOutcome::found;
  }
  const ByZ by_z(context, form.z, n);
  const Parts whole(context, width), result(context, width);
  for (int64_t p = 0; p < a.blocks; ++p) {
    for (int64_t q = p; q < a.blocks; ++q) {
      const int64_t from = p * n * width + q * n;
      double *to_re = whole.re.row(p * n) + q * n, *to_im = whole.im.row(p * n) + q * n;
      if (p != q) {
        by_z.apply(a.re + from, a.im + from, width, false, to_re, to_im, width);
        continue;
      }
      for (int64_t i = 0; i < n; ++i) {
        std::copy_n(form.t.re.row(i), n, to_re + i * width);
        std::copy_n(form.t.im.row(i), n, to_im + i * width);
      }
    }
  }
  Triangles(context, width).logarithm(whole, result);
  std::fill_n(re, elements, 0.0);
  std::fill_n(im, elements, 0.0);
  for (int64_t p = 0; p < a.blocks; ++p) {
    for (int64_t q = p; q < a.blocks; ++q) {
      const int64_t to = p * n * width + q * n;
      by_z.apply(result.re.row(p * n) + q * n, result.im.row(p * n) + q * n, width, true, re + to, im + to, width);
    }
  }
  if (real && !form.negative && kernels::largest_magnitude(a.im, elements) == 0) std::fill_n(im, elements, 0.0);
  return LogarithmOutcome::found;
}

}  // namespace covec::ops
