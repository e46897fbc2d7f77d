#include "stdlib/decompositions/bidiagonal_divide_and_conquer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stdlib/decompositions/bidiagonal.hpp"
#include "stdlib/decompositions/complex_numbers.hpp"
#include "stdlib/decompositions/divide_and_conquer.hpp"
#include "stdlib/decompositions/secular.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

namespace {

// The matrix in the coordinates of its two parts' vectors: d on the diagonal, but for row `middle`, which is z. ut is n
// × n; vt may have a row and a column more, the vector of the value 0.
template <class T>
class Junction {
 public:
  Junction(ops::Context& context, double* d, Dense<T> ut, Dense<T> vt, int64_t middle, double diagonal,
           double off_diagonal)
      : context_(context), d_(d), ut_(ut), vt_(vt), middle_(middle) {
    double largest = std::max(least_size, std::max(std::abs(diagonal), std::abs(off_diagonal)));
    for (int64_t i = 0; i < vt.rows; ++i) {
      const bool upper = i <= middle;
      z_.push_back(upper ? diagonal * static_cast<double>(vt(i, middle))
                         : off_diagonal * static_cast<double>(vt(i, middle + 1)));
      of_u_.push_back(upper ? Reach::first : Reach::second);
      if (i < ut.rows && i != middle) largest = std::max(largest, d[i]);
    }
    of_v_ = of_u_;
    tolerance_ = 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
  }

  bool join() {
    join_zeros();
    keep();
    const Secular equation = make_equation();
    const JoinedRows<T> left(context_, ut_, middle_ + 1, kept_, reach_of_kept(of_u_));
    const JoinedRows<T> right(context_, vt_, middle_ + 1, kept_, reach_of_kept(of_v_));
    for (const auto& [from, to] : moves_behind(kept_, ut_.rows)) {
      std::copy_n(ut_.row(from), ut_.columns, ut_.row(to));
      std::copy_n(vt_.row(from), vt_.columns, vt_.row(to));
      d_[to] = d_[from];
    }
    const int64_t k = equation.size();
    const auto differences = Grid<double>::unset(context_, k, k);
    if (!secular_roots(context_, equation, d_, differences.all())) return false;
    const auto of_left = Grid<T>::unset(context_, k, k), of_right = Grid<T>::unset(context_, k, k);
    find_vectors(equation, differences.all(), {of_left.all(), left.places()}, {of_right.all(), right.places()});
    left.multiply(context_, of_left.all(), ut_.part(0, 0, k, ut_.columns));
    right.multiply(context_, of_right.all(), vt_.part(0, 0, k, vt_.columns));
    return true;
  }

 private:
  double& z(int64_t i) { return z_[static_cast<size_t>(i)]; }

  // The value 0 of the upper part, and that of the lower one if it has it, become one, which row `middle` gives; z must
  // not be 0 there. What remains is the vector of the whole's own.
  void join_zeros() {
    d_[middle_] = 0;
    const bool has_own = vt_.rows > ut_.rows;
    const int64_t last = vt_.rows - 1;
    const double length = has_own ? kernels::length(z(middle_), z(last)) : std::abs(z(middle_));
    if (has_own && length > tolerance_) {
      rotate_rows(vt_.row(middle_), vt_.row(last), static_cast<T>(z(middle_) / length),
                  static_cast<T>(z(last) / length), vt_.columns);
      of_v_[static_cast<size_t>(middle_)] = Reach::both;
      z(middle_) = length;
    }
    if (length <= tolerance_) z(middle_) = tolerance_;
  }

  // Which values are joined: not those with a small z, and one of each two that are close, rotated so that the other's
  // z is 0. The first is the 0 of row `middle`.
  void keep() {
    kept_.push_back(middle_);
    int64_t before = -1;
    for (const int64_t i : order_of(d_, ut_.rows)) {
      if (i == middle_ || std::abs(z(i)) <= tolerance_) continue;
      if (before >= 0 && !turn_away(before, i)) kept_.push_back(before);
      before = i;
    }
    if (before >= 0) kept_.push_back(before);
  }

  bool turn_away(int64_t i, int64_t j) {
    if (std::abs(d_[j] - d_[i]) > tolerance_) return false;
    const double length = kernels::length(z(i), z(j));
    const T c = static_cast<T>(z(j) / length), s = static_cast<T>(-z(i) / length);
    z(j) = length;
    z(i) = 0;
    rotate_rows(ut_.row(i), ut_.row(j), c, s, ut_.columns);
    rotate_rows(vt_.row(i), vt_.row(j), c, s, vt_.columns);
    for (std::vector<Reach>* reach : {&of_u_, &of_v_}) {
      Reach &of_i = (*reach)[static_cast<size_t>(i)], &of_j = (*reach)[static_cast<size_t>(j)];
      if (of_i != of_j) of_i = of_j = Reach::both;
    }
    return true;
  }

  Secular make_equation() {
    Secular equation;
    equation.squared = true;
    for (const int64_t i : kept_) {
      equation.poles.push_back(i == middle_ ? 0 : std::max(d_[i], tolerance_ / 2));
      equation.weights.push_back(z(i));
    }
    return equation;
  }

  std::vector<Reach> reach_of_kept(const std::vector<Reach>& all) const {
    std::vector<Reach> reach;
    for (const int64_t i : kept_) reach.push_back(all[static_cast<size_t>(i)]);
    return reach;
  }

  struct Vectors {
    Dense<T> rows;
    const std::vector<int64_t>& places;
    void put(int64_t i, const double* x, double factor) const {
      T* const to = rows.row(i);
      for (int64_t j = 0; j < rows.columns; ++j) to[places[static_cast<size_t>(j)]] = static_cast<T>(x[j] * factor);
    }
  };

  // Right ones are z/(d² − σ²), left ones d times that, but for −1 of row `middle`.
  void find_vectors(const Secular& equation, Dense<double> differences, const Vectors& left,
                    const Vectors& right) const {
    const int64_t k = differences.rows;
    const std::vector<double> weights = exact_weights(context_, equation, differences);
    parallel_for(context_, k, std::max<int64_t>(1, 65536 / k), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double* const row = differences.row(i);
        for (int64_t j = 0; j < k; ++j) row[j] = weights[static_cast<size_t>(j)] / row[j];
        right.put(i, row, 1 / std::sqrt(dot(row, row, k)));
        row[0] = -1;
        for (int64_t j = 1; j < k; ++j) row[j] *= equation.poles[static_cast<size_t>(j)];
        left.put(i, row, 1 / std::sqrt(dot(row, row, k)));
      }
    });
  }

  ops::Context& context_;
  double* d_;
  Dense<T> ut_, vt_;
  int64_t middle_;
  double tolerance_;
  std::vector<double> z_;
  std::vector<Reach> of_u_, of_v_;
  std::vector<int64_t> kept_;  // by d
};

template <class T>
class DivideAndConquer {
 public:
  // In units of 2^exponent, which is of the size of the largest number.
  DivideAndConquer(ops::Context& context, const T* d, const T* e, Dense<T> ut, Dense<T> vt)
      : context_(context), ut_(ut), vt_(vt) {
    const int64_t n = ut.rows;
    std::frexp(std::max(largest_magnitude(d, n), largest_magnitude(e, n - 1)), &exponent_);
    for (int64_t i = 0; i < n; ++i) d_.push_back(std::ldexp(static_cast<double>(d[i]), -exponent_));
    for (int64_t i = 0; i + 1 < n; ++i) e_.push_back(std::ldexp(static_cast<double>(e[i]), -exponent_));
  }

  bool find(T* values) {
    if (!find(0, ut_.rows, false)) return false;
    for (const double value : d_) *values++ = static_cast<T>(std::ldexp(value, exponent_));
    return true;
  }

 private:
  double& d(int64_t i) { return d_[static_cast<size_t>(i)]; }
  double e(int64_t i) const { return e_[static_cast<size_t>(i)]; }
  static Dense<T> block(Dense<T> a, int64_t first, int64_t size) { return a.part(first, first, size, size); }

  // Rows [first, last); `wide` where they have a column more.
  bool find(int64_t first, int64_t last, bool wide) {
    const int64_t n = last - first;
    if (n <= undivided_rows) return find_undivided(first, last, wide);
    const int64_t middle = first + n / 2;
    const double diagonal = d(middle), off_diagonal = e(middle);
    return find(first, middle, true) && find(middle + 1, last, wide) &&
           Junction<T>(context_, &d(first), block(ut_, first, n), block(vt_, first, n + (wide ? 1 : 0)), middle - first,
                       diagonal, off_diagonal)
               .join();
  }

  // A row of zeros makes wide ones square: its vector on the left is its own, that on the right the one of the value 0.
  bool find_undivided(int64_t first, int64_t last, bool wide) {
    const int64_t size = last - first + (wide ? 1 : 0);
    std::vector<T> values(size_for<T>(size), T(0)), off_diagonal;
    for (int64_t i = first; i < last; ++i) values[static_cast<size_t>(i - first)] = static_cast<T>(d(i));
    for (int64_t i = first; i + 1 < first + size; ++i) off_diagonal.push_back(static_cast<T>(e(i)));
    const Dense<T> left = block(ut_, first, size), right = block(vt_, first, size);
    set_identity(left);
    set_identity(right);
    if (!bidiagonal_singular_values(context_, size, values.data(), off_diagonal.data(), left, right)) return false;
    for (int64_t i = first; i < last; ++i) {
      d(i) = static_cast<double>(std::abs(values[static_cast<size_t>(i - first)]));
      if (std::signbit(values[static_cast<size_t>(i - first)])) scale(right.row(i - first), T(-1), size);
    }
    return true;
  }

  ops::Context& context_;
  Dense<T> ut_, vt_;
  std::vector<double> d_, e_;
  int exponent_ = 0;
};

}  // namespace

template <class T>
bool bidiagonal_divide_and_conquer(ops::Context& context, T* d, const T* e, Dense<T> ut, Dense<T> vt) {
  for (const Dense<T>& rows : {ut, vt}) {
    for (int64_t i = 0; i < rows.rows; ++i) std::fill_n(rows.row(i), rows.columns, T(0));
  }
  return DivideAndConquer<T>(context, d, e, ut, vt).find(d);
}

template bool bidiagonal_divide_and_conquer(ops::Context&, float*, const float*, Dense<float>, Dense<float>);
template bool bidiagonal_divide_and_conquer(ops::Context&, double*, const double*, Dense<double>, Dense<double>);

}  // namespace covec::kernels
