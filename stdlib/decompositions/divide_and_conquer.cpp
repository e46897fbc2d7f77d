#include "stdlib/decompositions/divide_and_conquer.hpp"

#include <algorithm>
#include <numeric>

namespace covec::kernels {

namespace {

int64_t count(const std::vector<Reach>& reach, Reach which) { return std::count(reach.begin(), reach.end(), which); }

std::vector<int64_t> places_of(const std::vector<Reach>& reach) {
  int64_t next[3] = {0, count(reach, Reach::first), 0};
  next[2] = next[1] + count(reach, Reach::both);
  std::vector<int64_t> places(reach.size());
  for (size_t i = 0; i < reach.size(); ++i) places[i] = next[static_cast<size_t>(reach[i])]++;
  return places;
}

}  // namespace

std::vector<int64_t> order_of(const double* d, int64_t n) {
  std::vector<int64_t> order(size_for<int64_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return d[i] < d[j]; });
  return order;
}

std::vector<std::pair<int64_t, int64_t>> moves_behind(const std::vector<int64_t>& kept, int64_t n) {
  std::vector<bool> is_kept(size_for<bool>(n));
  for (const int64_t i : kept) is_kept[static_cast<size_t>(i)] = true;
  std::vector<std::pair<int64_t, int64_t>> moves;
  size_t free = kept.size();
  for (size_t i = 0; i < kept.size(); ++i) {
    if (is_kept[i]) continue;
    while (!is_kept[free]) ++free;
    moves.emplace_back(i, free++);
  }
  return moves;
}

template <class T>
JoinedRows<T>::JoinedRows(ops::Context& context, Dense<T> rows, int64_t middle, const std::vector<int64_t>& kept,
                          const std::vector<Reach>& reach)
    : middle_(middle),
      last_first_(static_cast<int64_t>(reach.size()) - count(reach, Reach::second)),
      first_second_(count(reach, Reach::first)),
      places_(places_of(reach)),
      first_(Grid<T>::unset(context, last_first_, middle)),
      second_(Grid<T>::unset(context, static_cast<int64_t>(reach.size()) - first_second_, rows.columns - middle)) {
  for (size_t i = 0; i < reach.size(); ++i) {
    const T* const from = rows.row(kept[i]);
    if (reach[i] != Reach::second) std::copy_n(from, middle, first_.row(places_[i]));
    if (reach[i] != Reach::first)
      std::copy_n(from + middle, rows.columns - middle, second_.row(places_[i] - first_second_));
  }
}

template <class T>
void JoinedRows<T>::multiply(ops::Context& context, Dense<T> factors, Dense<T> to) const {
  assign_product(context, to.part(0, 0, to.rows, middle_), matrix(factors), matrix(first_.all()), last_first_);
  assign_product(context, to.from(0, middle_), matrix(factors.from(0, first_second_)), matrix(second_.all()),
                 factors.columns - first_second_);
}

template <class T>
void rotate_rows(T* x, T* y, T c, T s, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T above = x[i], below = y[i];
    x[i] = c * above + s * below;
    y[i] = c * below - s * above;
  }
}

#define COVEC_FOR(T)            \
  template class JoinedRows<T>; \
  template void rotate_rows(T*, T*, T, T, int64_t);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
