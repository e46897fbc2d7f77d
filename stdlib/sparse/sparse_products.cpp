#include "stdlib/sparse/sparse_products.hpp"

#include <algorithm>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/context.hpp"

namespace covec::sparse {

namespace {

Scratch integers(Pool& pool, int64_t count) { return Scratch(pool, static_cast<uint64_t>(count) * sizeof(int64_t)); }

// Which columns the row has that is worked at: those that hold its number.
class Marks {
 public:
  Marks(Pool& pool, int64_t columns) : room_(integers(pool, std::max<int64_t>(1, columns))) {
    std::fill_n(room_.as<int64_t>(), columns, int64_t{-1});
  }
  bool has(int64_t column, int64_t row) const { return room_.as<int64_t>()[column] == row; }
  // Whether it is new.
  bool set(int64_t column, int64_t row) {
    int64_t& mark = room_.as<int64_t>()[column];
    const bool is_new = mark != row;
    mark = row;
    return is_new;
  }

 private:
  Scratch room_;
};

// f(row, column) for each column of each row of a·b, once, in the order in which they are met.
template <class F>
void each_column(ops::Context& context, const Pattern& a, const Pattern& b, F f) {
  Marks marks(*context.pool, b.columns);
  kernels::InterruptPolls polls(context);
  for (int64_t row = 0; row < a.rows; ++row) {
    for (int64_t q = a.starts[row]; q < a.starts[row + 1]; ++q) {
      const int64_t k = a.indices[q];
      if (polls.stop(b.starts[k + 1] - b.starts[k] + 1)) return;
      for (int64_t r = b.starts[k]; r < b.starts[k + 1]; ++r) {
        if (marks.set(b.indices[r], row)) f(row, b.indices[r]);
      }
    }
  }
}

// A factor as its rows are read.
template <class T>
class Rows {
 public:
  Rows(Pool& pool, const Factor<T>& factor) : values_(factor.values), pattern_(factor.pattern) {
    if (!factor.transposed) return;
    transposed_.emplace(pool, factor.pattern);
    pattern_ = transposed_->pattern();
  }
  const Pattern& pattern() const { return pattern_; }
  T value(int64_t p) const { return values_[transposed_ ? transposed_->places()[p] : p]; }

 private:
  const T* values_;
  Pattern pattern_;
  std::optional<Transposed> transposed_;
};

template <class T>
T product_term(T a, T b, Zeros zeros) {
  if ((zeros.left && a == T(0)) || (zeros.right && b == T(0))) return T(0);
  return a * b;
}

template <class T>
void multiply_masked(ops::Context& context, const MaskedProduct<T>& product) {
  const Rows<T> left(*context.pool, product.a), right(*context.pool, product.b);
  const Pattern &a = left.pattern(), &b = right.pattern(), &pattern = product.pattern;
  Marks marks(*context.pool, pattern.columns);
  const Scratch room(*context.pool, static_cast<uint64_t>(std::max<int64_t>(1, pattern.columns)) * sizeof(T));
  T* sums = room.as<T>();
  kernels::InterruptPolls polls(context);
  for (int64_t row = 0; row < pattern.rows; ++row) {
    for (int64_t p = pattern.starts[row]; p < pattern.starts[row + 1]; ++p) {
      marks.set(pattern.indices[p], row);
      sums[pattern.indices[p]] = T(0);
    }
    for (int64_t q = a.starts[row]; q < a.starts[row + 1]; ++q) {
      const int64_t k = a.indices[q];
      if (polls.stop(b.starts[k + 1] - b.starts[k] + 1)) return;
      for (int64_t r = b.starts[k]; r < b.starts[k + 1]; ++r) {
        const int64_t column = b.indices[r];
        if (marks.has(column, row)) sums[column] += product_term(left.value(q), right.value(r), product.zeros);
      }
    }
    for (int64_t p = pattern.starts[row]; p < pattern.starts[row + 1]; ++p)
      product.values[p] = sums[pattern.indices[p]];
  }
}

}  // namespace

void find_starts(ops::Context& context, const Pattern& a, const Pattern& b, int64_t* starts) {
  std::fill_n(starts, a.rows + 1, int64_t{0});
  each_column(context, a, b, [&](int64_t row, int64_t) { ++starts[row + 1]; });
  kernels::poll_interrupt(context);
  for (int64_t row = 0; row < a.rows; ++row) starts[row + 1] += starts[row];
}

void find_indices(ops::Context& context, const Pattern& a, const Pattern& b, const int64_t* starts, int64_t* indices) {
  int64_t next = 0;
  each_column(context, a, b, [&](int64_t, int64_t column) { indices[next++] = column; });
  kernels::poll_interrupt(context);
  for (int64_t row = 0; row < a.rows; ++row) std::sort(indices + starts[row], indices + starts[row + 1]);
}

void multiply(ops::Context& context, const MaskedProduct<float>& product) {
  multiply_masked(context, product);
  kernels::poll_interrupt(context);
}
void multiply(ops::Context& context, const MaskedProduct<double>& product) {
  multiply_masked(context, product);
  kernels::poll_interrupt(context);
}

// The room holds columns + 1 starts, then the indices, then the places.
Transposed::Transposed(Pool& pool, const Pattern& pattern)
    : rows_(pattern.columns),
      columns_(pattern.rows),
      count_(pattern.count),
      room_(integers(pool, rows_ + 1 + 2 * count_)) {
  auto* starts = room_.as<int64_t>();
  int64_t *indices = starts + rows_ + 1, *places = indices + count_;
  std::fill_n(starts, rows_ + 1, int64_t{0});
  for (int64_t p = 0; p < count_; ++p) ++starts[pattern.indices[p] + 1];
  for (int64_t row = 0; row < rows_; ++row) starts[row + 1] += starts[row];
  for (int64_t row = 0; row < pattern.rows; ++row) {
    for (int64_t p = pattern.starts[row]; p < pattern.starts[row + 1]; ++p) {
      const int64_t place = starts[pattern.indices[p]]++;
      indices[place] = row;
      places[place] = p;
    }
  }
  for (int64_t row = rows_; row > 0; --row) starts[row] = starts[row - 1];
  starts[0] = 0;
}

Pattern Transposed::pattern() const {
  const auto* starts = room_.as<int64_t>();
  return {starts + rows_ + 1, starts, count_, rows_, columns_};
}

const int64_t* Transposed::places() const { return room_.as<int64_t>() + rows_ + 1 + count_; }

}  // namespace covec::sparse
