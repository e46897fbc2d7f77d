#include "stdlib/decompositions/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stdlib/decompositions/bidiagonal.hpp"
#include "stdlib/decompositions/bidiagonal_divide_and_conquer.hpp"
#include "stdlib/decompositions/divide_and_conquer.hpp"
#include "stdlib/decompositions/joined.hpp"
#include "stdlib/decompositions/reflectors.hpp"
#include "stdlib/decompositions/tridiagonal.hpp"
#include "stdlib/decompositions/tridiagonal_divide_and_conquer.hpp"

namespace covec::kernels {

namespace {

// An exponent e so that numbers of at most `largest`, times 2^−e, can be squared and added up; 0 where they can be as
// they are.
template <class T>
int scale_exponent(T largest) {
  // Exponent of 2: squares stay far inside f32 (2^127) and f64 (2^1023).
  constexpr int comfortable = sizeof(T) == 4 ? 30 : 200;
  int exponent = 0;
  if (largest > T(0) && std::isfinite(largest)) std::frexp(largest, &exponent);
  return std::abs(exponent) > comfortable ? exponent : 0;
}

template <class T>
void scale_by_power(T* x, int64_t n, int exponent) {
  if (exponent == 0) return;
  for (int64_t i = 0; i < n; ++i) x[i] = std::ldexp(x[i], exponent);
}

template <class T>
Dense<T> dense(T* a, int64_t rows, int64_t columns) {
  return {a, rows, columns, columns};
}

// --- singular values ---

// Of an m × n matrix with m ≥ n, which is lost: as many rows of Uᵀ as ut has, n or more, and all of Vᵀ.
template <class T>
bool decompose_tall(ops::Context& context, Dense<T> a, T* s, Dense<T> ut, Dense<T> vt) {
  const int64_t m = a.rows, n = a.columns;
  std::vector<T> off_diagonal(size_for<T>(n)), left_tau(size_for<T>(n)), right_tau(size_for<T>(n));
  const Grid<T> left(context, n, m), right(context, n, n);
  const BidiagonalReflectors<T> reflectors{left.all(), right.all(), left_tau.data(), right_tau.data()};
  reduce_to_bidiagonal(context, a, s, off_diagonal.data(), reflectors);
  if (n <= undivided_rows) {
    form_rows(context, reflectors.of_left(), ut);
    form_rows(context, reflectors.of_right(), vt);
    return bidiagonal_singular_values(context, n, s, off_diagonal.data(), ut, vt);
  }
  if (ut.rows > n || m > n) set_identity(ut);
  if (!bidiagonal_divide_and_conquer(context, s, off_diagonal.data(), ut.part(0, 0, n, n), vt)) return false;
  turn_rows(context, reflectors.of_left(), ut);
  turn_rows(context, reflectors.of_right(), vt);
  return true;
}

// The same by the triangle of A = Q·R, which is quicker where there are many more rows than columns.
template <class T>
bool decompose_very_tall(ops::Context& context, Dense<T> a, T* s, Dense<T> ut, Dense<T> vt) {
  const int64_t m = a.rows, n = a.columns;
  const Grid<T> v(context, n, m);
  const auto at = Grid<T>::unset(context, n, m), qt = Grid<T>::unset(context, n, m), r = Grid<T>::unset(context, n, n),
             inner = Grid<T>::unset(context, n, n);
  std::vector<T> tau(size_for<T>(n));
  copy_transposed(at.all(), a);
  factor_qr(context, at.all(), v.all(), tau.data());
  copy_transposed(r.all(), at.all().part(0, 0, n, n));
  if (!decompose_tall(context, r.all(), s, inner.all(), vt)) return false;
  form_rows(context, {v.all(), tau.data(), 0}, ut);
  copy(qt.all(), ut.part(0, 0, n, m));
  assign_product(context, ut.part(0, 0, n, m), matrix(inner.all()), matrix(qt.all()), n);
  return true;
}

// Of any matrix, which is lost, min(m, n) values of s, none negative, in no order.
template <class T>
bool decompose_joined(ops::Context& context, Dense<T> a, T* s, Dense<T> ut, Dense<T> vt) {
  if (a.columns == 0 || a.rows == 0) {
    set_identity(ut);
    set_identity(vt);
    return true;
  }
  if (a.rows < a.columns) {
    const auto at = Grid<T>::unset(context, a.columns, a.rows);
    copy_transposed(at.all(), a);
    return decompose_joined(context, at.all(), s, vt, ut);
  }
  const int exponent = scale_exponent(largest_magnitude(a.at, a.rows * a.columns));
  scale_by_power(a.at, a.rows * a.columns, -exponent);
  const bool very_tall = a.rows > a.columns + a.columns / 2;
  if (!(very_tall ? decompose_very_tall(context, a, s, ut, vt) : decompose_tall(context, a, s, ut, vt))) return false;
  scale_by_power(s, a.columns, exponent);
  for (int64_t i = 0; i < a.columns; ++i) {
    if (std::signbit(s[i])) s[i] = -s[i], scale(vt.row(i), T(-1), vt.columns);
  }
  return true;
}

// The decomposition of the whole, put together of those of its parts.
template <class T>
class Assembly {
 public:
  Assembly(ops::Context& context, Dense<T> a, Dense<T> ut, T* s, Dense<T> vt)
      : context_(context),
        a_(a),
        ut_(ut),
        s_(s),
        vt_(vt),
        left_(context, ut.rows, ut.columns),
        right_(context, vt.rows, vt.columns),
        values_(size_for<T>(std::min(a.rows, a.columns)), T(0)) {}

  bool find(const std::vector<JoinedPart>& parts) {
    int64_t paired = 0;
    for (const JoinedPart& part : parts) paired += part.smaller();
    // Vectors of the value 0 that no part pairs stand behind those that one does.
    next_left_ = next_right_ = paired;
    for (const JoinedPart& part : parts) {
      if (!take(part)) return false;
    }
    sort();
    return true;
  }

 private:
  bool take(const JoinedPart& part) {
    const int64_t m = part.height(), n = part.width(), k = part.smaller();
    const int64_t more_left = std::min(m - k, ut_.rows - next_left_),
                  more_right = std::min(n - k, vt_.rows - next_right_);
    const auto a = Grid<T>::unset(context_, m, n);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) a.row(i)[j] = a_(part.row(i), part.column(j));
    }
    if (m == a_.rows && n == a_.columns)  // all of it
      return decompose_joined(context_, a.all(), values_.data(), left_.all(), right_.all());
    const auto ut = Grid<T>::unset(context_, k + more_left, m), vt = Grid<T>::unset(context_, k + more_right, n);
    if (!decompose_joined(context_, a.all(), values_.data() + next_, ut.all(), vt.all())) return false;
    for (int64_t i = 0; i < k + more_left; ++i) {
      T* const to = left_.row(i < k ? next_ + i : next_left_ + i - k);
      for (int64_t j = 0; j < m; ++j) to[part.row(j)] = ut.row(i)[j];
    }
    for (int64_t i = 0; i < k + more_right; ++i) {
      T* const to = right_.row(i < k ? next_ + i : next_right_ + i - k);
      for (int64_t j = 0; j < n; ++j) to[part.column(j)] = vt.row(i)[j];
    }
    next_ += k, next_left_ += more_left, next_right_ += more_right;
    return true;
  }

  void sort() {
    const int64_t k = static_cast<int64_t>(values_.size());
    std::vector<int64_t> order(size_for<int64_t>(k));
    std::iota(order.begin(), order.end(), int64_t{0});
    const auto value = [&](int64_t i) { return values_[static_cast<size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return value(i) > value(j); });
    for (int64_t i = 0; i < k; ++i) {
      const int64_t from = order[static_cast<size_t>(i)];
      s_[i] = value(from);
      std::copy_n(left_.row(from), ut_.columns, ut_.row(i));
      std::copy_n(right_.row(from), vt_.columns, vt_.row(i));
    }
    copy(ut_.from(k, 0), left_.all().from(k, 0));
    copy(vt_.from(k, 0), right_.all().from(k, 0));
  }

  ops::Context& context_;
  Dense<T> a_, ut_;
  T* s_;
  Dense<T> vt_;
  Grid<T> left_, right_;
  std::vector<T> values_;
  int64_t next_ = 0, next_left_ = 0, next_right_ = 0;
};

// --- eigenvalues ---

// Of a symmetric matrix, which is lost, in no order.
template <class T>
bool eigenvalues_joined(ops::Context& context, Dense<T> a, T* w, Dense<T> vt) {
  const int64_t n = a.rows;
  const int exponent = scale_exponent(largest_magnitude(a.at, n * n));
  scale_by_power(a.at, n * n, -exponent);
  std::vector<T> off_diagonal(size_for<T>(n)), tau(size_for<T>(n));
  const Grid<T> v(context, n - 1, n);
  const Reflectors<T> reflectors{v.all(), tau.data(), 1};
  reduce_to_tridiagonal(context, a, w, off_diagonal.data(), v.all(), tau.data());
  if (n <= undivided_rows) {
    form_rows(context, reflectors, vt);
    if (!tridiagonal_eigenvalues(context, w, off_diagonal.data(), vt)) return false;
  } else {
    if (!tridiagonal_divide_and_conquer(context, w, off_diagonal.data(), vt)) return false;
    turn_rows(context, reflectors, vt);
  }
  scale_by_power(w, n, exponent);
  return true;
}

}  // namespace

template <class T>
bool decompose_svd(ops::Context& context, const T* a, int64_t m, int64_t n, bool full, T* ut, T* s, T* vt) {
  if (!std::isfinite(largest_magnitude(a, m * n))) return false;
  const int64_t k = std::min(m, n);
  const Dense<T> whole{const_cast<T*>(a), m, n, n};
  return Assembly<T>(context, whole, dense(ut, full ? m : k, m), s, dense(vt, full ? n : k, n))
      .find(joined_parts(whole));
}

template <class T>
bool decompose_eigh(ops::Context& context, const T* a, int64_t n, T* w, T* vt) {
  if (!std::isfinite(largest_magnitude(a, n * n))) return false;
  const Dense<T> whole{const_cast<T*>(a), n, n, n};
  const std::vector<JoinedPart> parts = joined_parts_of_symmetric(whole);
  const Grid<T> vectors = parts.size() == 1 ? Grid<T>::unset(context, n, n) : Grid<T>(context, n, n);
  std::vector<T> values(size_for<T>(n));
  int64_t next = 0;
  for (const JoinedPart& part : parts) {
    const int64_t size = part.height();
    const auto block = Grid<T>::unset(context, size, size);
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) block.row(i)[j] = whole(part.row(i), part.row(j));
    }
    if (size == n) {
      if (!eigenvalues_joined(context, block.all(), values.data(), vectors.all())) return false;
      break;
    }
    const auto rows = Grid<T>::unset(context, size, size);
    if (!eigenvalues_joined(context, block.all(), values.data() + next, rows.all())) return false;
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) vectors.row(next + i)[part.row(j)] = rows.row(i)[j];
    }
    next += size;
  }
  std::vector<int64_t> order(size_for<int64_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto value = [&](int64_t i) { return values[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return value(i) < value(j); });
  for (int64_t i = 0; i < n; ++i) {
    w[i] = value(order[static_cast<size_t>(i)]);
    std::copy_n(vectors.row(order[static_cast<size_t>(i)]), n, vt + i * n);
  }
  return true;
}

// Each column in its own scale, which R's columns have then.
template <class T>
void decompose_qr(ops::Context& context, const T* a, int64_t m, int64_t n, bool complete, T* qt, T* r) {
  const int64_t k = std::min(m, n), rows = complete ? m : k;
  const Grid<T> v(context, k, m);
  const auto at = Grid<T>::unset(context, n, m);
  std::vector<T> tau(size_for<T>(k));
  std::vector<int> exponents(size_for<int>(n));
  copy_transposed(at.all(), dense(const_cast<T*>(a), m, n));
  for (int64_t j = 0; j < n; ++j) {
    int& exponent = exponents[static_cast<size_t>(j)] = scale_exponent(largest_magnitude(at.row(j), m));
    scale_by_power(at.row(j), m, -exponent);
  }
  factor_qr(context, at.all(), v.all(), tau.data());
  form_rows(context, {v.all(), tau.data(), 0}, dense(qt, rows, m));
  for (int64_t j = 0; j < n; ++j) scale_by_power(at.row(j), std::min(j + 1, k), exponents[static_cast<size_t>(j)]);
  copy_transposed(dense(r, k, n), at.all().part(0, 0, n, k));
  std::fill_n(r + k * n, (rows - k) * n, T(0));
}

#define COVEC_FOR(T)                                                                        \
  template void decompose_qr(ops::Context&, const T*, int64_t, int64_t, bool, T*, T*);      \
  template bool decompose_svd(ops::Context&, const T*, int64_t, int64_t, bool, T*, T*, T*); \
  template bool decompose_eigh(ops::Context&, const T*, int64_t, T*, T*);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
