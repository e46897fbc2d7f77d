#include "stdlib/decompositions/tridiagonal_divide_and_conquer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stdlib/decompositions/complex_numbers.hpp"
#include "stdlib/decompositions/divide_and_conquer.hpp"
#include "stdlib/decompositions/secular.hpp"
#include "stdlib/decompositions/tridiagonal.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

namespace {

// Two parts, whose vectors lie in the diagonal blocks of `rows`, and what joins them: rows.columns numbers d, and z.
template <class T>
class Junction {
 public:
  Junction(ops::Context& context, double* d, Dense<T> rows, int64_t middle, double off_diagonal)
      : context_(context), d_(d), rows_(rows), middle_(middle), rho_(2 * std::abs(off_diagonal)) {
    const double half = std::sqrt(0.5);
    for (int64_t i = 0; i < rows.rows; ++i) {
      const bool upper = i < middle;
      const double element = static_cast<double>(rows(i, upper ? middle - 1 : middle));
      z_.push_back(half * (upper || off_diagonal > 0 ? element : -element));
      reach_.push_back(upper ? Reach::first : Reach::second);
    }
  }

  bool join() {
    keep();
    if (kept_.empty()) return true;
    Secular equation;
    equation.constant = 1 / rho_;
    std::vector<Reach> reach;
    for (const int64_t i : kept_) {
      equation.poles.push_back(d_[i]);
      equation.weights.push_back(z(i));
      reach.push_back(reach_[static_cast<size_t>(i)]);
    }
    const JoinedRows<T> joined(context_, rows_, middle_, kept_, reach);
    for (const auto& [from, to] : moves_behind(kept_, rows_.rows)) {
      std::copy_n(rows_.row(from), rows_.columns, rows_.row(to));
      d_[to] = d_[from];
    }
    const int64_t k = equation.size();
    const auto differences = Grid<double>::unset(context_, k, k);
    if (!secular_roots(context_, equation, d_, differences.all())) return false;
    const auto vectors = Grid<T>::unset(context_, k, k);
    find_vectors(exact_weights(context_, equation, differences.all()), differences.all(), joined.places(),
                 vectors.all());
    joined.multiply(context_, vectors.all(), rows_.part(0, 0, k, rows_.columns));
    return true;
  }

 private:
  double& z(int64_t i) { return z_[static_cast<size_t>(i)]; }

  // Which are joined: not those with a small z, and one of each two whose d are close, rotated so that the other's z is
  // 0.
  void keep() {
    const std::vector<int64_t> order = order_of(d_, rows_.rows);
    double largest = least_size;
    for (const int64_t i : order) largest = std::max(largest, std::max(std::abs(d_[i]), std::abs(z(i))));
    const double tolerance = 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
    int64_t before = -1;
    for (const int64_t i : order) {
      if (rho_ * std::abs(z(i)) <= tolerance) continue;
      if (before >= 0 && !turn_away(before, i, tolerance)) kept_.push_back(before);
      before = i;
    }
    if (before >= 0) kept_.push_back(before);
  }

  bool turn_away(int64_t i, int64_t j, double tolerance) {
    const double length = kernels::length(z(i), z(j)), c = z(j) / length, s = -z(i) / length;
    if (std::abs((d_[j] - d_[i]) * c * s) > tolerance) return false;
    z(j) = length;
    z(i) = 0;
    rotate_rows(rows_.row(i), rows_.row(j), static_cast<T>(c), static_cast<T>(s), rows_.columns);
    const double low = d_[i] * c * c + d_[j] * s * s;
    d_[j] = d_[i] * s * s + d_[j] * c * c;
    d_[i] = low;
    Reach &of_i = reach_[static_cast<size_t>(i)], &of_j = reach_[static_cast<size_t>(j)];
    if (of_i != of_j) of_i = of_j = Reach::both;
    return true;
  }

  void find_vectors(const std::vector<double>& weights, Dense<double> differences, const std::vector<int64_t>& places,
                    Dense<T> vectors) const {
    const int64_t k = vectors.rows;
    parallel_for(context_, k, std::max<int64_t>(1, 65536 / k), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double* const row = differences.row(i);
        for (int64_t j = 0; j < k; ++j) row[j] = weights[static_cast<size_t>(j)] / row[j];
        scale(row, 1 / std::sqrt(dot(row, row, k)), k);
        T* const to = vectors.row(i);
        for (int64_t j = 0; j < k; ++j) to[places[static_cast<size_t>(j)]] = static_cast<T>(row[j]);
      }
    });
  }

  ops::Context& context_;
  double* d_;
  Dense<T> rows_;
  int64_t middle_;
  double rho_;
  std::vector<double> z_;
  std::vector<Reach> reach_;
  std::vector<int64_t> kept_;  // by d
};

template <class T>
class DivideAndConquer {
 public:
  // In units of 2^exponent, which is of the size of the largest number.
  DivideAndConquer(ops::Context& context, Dense<T> rows, const T* d, const T* e) : context_(context), rows_(rows) {
    const int64_t n = rows.rows;
    std::frexp(std::max(largest_magnitude(d, n), largest_magnitude(e, n - 1)), &exponent_);
    for (int64_t i = 0; i < n; ++i) d_.push_back(std::ldexp(static_cast<double>(d[i]), -exponent_));
    for (int64_t i = 0; i + 1 < n; ++i) e_.push_back(std::ldexp(static_cast<double>(e[i]), -exponent_));
  }

  bool find(T* values) {
    if (!find(0, rows_.rows)) return false;
    for (const double value : d_) *values++ = static_cast<T>(std::ldexp(value, exponent_));
    return true;
  }

 private:
  double& d(int64_t i) { return d_[static_cast<size_t>(i)]; }
  Dense<T> block(int64_t first, int64_t last) const { return rows_.part(first, first, last - first, last - first); }

  bool find(int64_t first, int64_t last) {
    if (last - first <= undivided_rows) return find_undivided(first, last);
    const int64_t middle = first + (last - first) / 2;
    const double off_diagonal = e_[static_cast<size_t>(middle - 1)];
    d(middle - 1) -= std::abs(off_diagonal);
    d(middle) -= std::abs(off_diagonal);
    return find(first, middle) && find(middle, last) &&
           Junction<T>(context_, &d(first), block(first, last), middle - first, off_diagonal).join();
  }

  bool find_undivided(int64_t first, int64_t last) {
    std::vector<T> values, off_diagonal;
    for (int64_t i = first; i < last; ++i) values.push_back(static_cast<T>(d(i)));
    for (int64_t i = first; i + 1 < last; ++i) off_diagonal.push_back(static_cast<T>(e_[static_cast<size_t>(i)]));
    set_identity(block(first, last));
    if (!tridiagonal_eigenvalues(context_, values.data(), off_diagonal.data(), block(first, last))) return false;
    for (int64_t i = first; i < last; ++i) d(i) = static_cast<double>(values[static_cast<size_t>(i - first)]);
    return true;
  }

  ops::Context& context_;
  Dense<T> rows_;
  std::vector<double> d_, e_;
  int exponent_ = 0;
};

}  // namespace

template <class T>
bool tridiagonal_divide_and_conquer(ops::Context& context, T* d, T* e, Dense<T> rows) {
  for (int64_t i = 0; i < rows.rows; ++i) std::fill_n(rows.row(i), rows.columns, T(0));
  for (int64_t first = 0; first < rows.rows;) {
    const int64_t last = end_of_undivided(d, e, first, rows.rows), n = last - first;
    if (!DivideAndConquer<T>(context, rows.part(first, first, n, n), d + first, e + first).find(d + first))
      return false;
    first = last;
  }
  return true;
}

template bool tridiagonal_divide_and_conquer(ops::Context&, float*, float*, Dense<float>);
template bool tridiagonal_divide_and_conquer(ops::Context&, double*, double*, Dense<double>);

}  // namespace covec::kernels
