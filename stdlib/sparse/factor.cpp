#include "stdlib/sparse/factor_parts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/sparse/sparse_products.hpp"

namespace covec::sparse {

namespace {

// --- LDLᵀ ---

class Ldlt {
 public:
  Ldlt(ops::Context& context, const SquareMatrix& matrix, const int64_t* order)
      : context_(context),
        pattern_(matrix.pattern),
        values_(matrix.values),
        n_(pattern_.rows),
        order_(order),
        place_(pool(), n_),
        parent_(pool(), n_, -1),
        counts_(pool(), n_, 0),
        seen_(pool(), n_, -1) {
    for (int64_t k = 0; k < n_; ++k) place_[order_[k]] = k;
  }

  // The elimination tree, and how many nonzeros each column of L has.
  void analyze() {
    for (int64_t k = 0; k < n_; ++k) {
      seen_[k] = k;
      each_upper(k, [&](int64_t i, double) {
        for (; seen_[i] != k; i = parent_[i]) {
          if (parent_[i] < 0) parent_[i] = k;
          ++counts_[i];
          seen_[i] = k;
        }
      });
    }
  }

  std::optional<WordRow> factor(bool indefinite) {
    int64_t lower = 0;
    for (int64_t k = 0; k < n_; ++k) lower += counts_[k];
    WordRow words(pool());
    words.reserve(Words::size(n_, lower, 0));
    write_header(words, FactorKind::ldlt, n_, lower, 0);
    for (int times = 0; times < 2; ++times) std::copy_n(order_, n_, words.extend<int64_t>(n_));
    words.extend<double>(n_);
    int64_t start = 0;
    for (int64_t k = 0; k < n_; start += counts_[k++]) words.push(start);
    words.push(start);
    words.extend<int64_t>(Words::of_indices(lower) + lower);
    if (lower % 2 != 0) words.data()[words.count() - lower - 1] = 0;
    std::fill_n(words.extend<int64_t>(n_ + 1), n_ + 1, int64_t{0});
    if (!fill(words, indefinite)) return std::nullopt;
    return words;
  }

 private:
  Pool& pool() const { return *context_.pool; }

  // f(i, value) for the elements of column k on and above the diagonal, in the order of pivots.
  template <class F>
  void each_upper(int64_t k, F f) const {
    const int64_t row = order_[k];
    for (int64_t p = pattern_.starts[row]; p < pattern_.starts[row + 1]; ++p) {
      const int64_t i = place_[pattern_.indices[p]];
      if (i <= k) f(i, values_[p]);
    }
  }

  // Row k of L solves a triangular system whose nonzeros are paths in the elimination tree.
  bool fill(WordRow& words, bool indefinite) {
    const Words parts{words.data(), words.count()};
    auto* pivots = const_cast<double*>(parts.pivots());
    const int64_t* starts = parts.lower_starts();
    auto* indices = const_cast<int32_t*>(parts.lower_indices());
    auto* lower = const_cast<double*>(parts.lower_values());
    const Array<double> row(pool(), n_, 0.0);
    const Array<int64_t> path(pool(), n_), reached(pool(), n_), ends(pool(), n_);
    std::copy_n(starts, n_, ends.data());
    std::fill_n(seen_.data(), n_, int64_t{-1});
    kernels::InterruptPolls polls(context_);
    for (int64_t k = 0; k < n_; ++k) {
      int64_t top = n_;
      seen_[k] = k;
      each_upper(k, [&](int64_t i, double value) {
        row[i] += value;
        int64_t length = 0;
        for (; seen_[i] != k; i = parent_[i]) {
          path[length++] = i;
          seen_[i] = k;
        }
        while (length > 0) reached[--top] = path[--length];
      });
      double pivot = std::exchange(row[k], 0.0);
      int64_t operations = 1;
      for (; top < n_; ++top) {
        const int64_t i = reached[top], end = ends[i]++;
        const double value = std::exchange(row[i], 0.0);
        subtract_column(row.data(), indices, lower, starts[i], end, value);
        operations += end - starts[i] + 1;
        indices[end] = static_cast<int32_t>(k);
        lower[end] = value / pivots[i];
        pivot -= lower[end] * value;
      }
      pivots[k] = pivot;
      if (!(indefinite ? std::abs(pivot) > 0 : pivot > 0)) return false;
      if (polls.stop(operations)) break;
    }
    kernels::poll_interrupt(context_);
    return true;
  }

  static void subtract_column(double* __restrict row, const int32_t* __restrict indices, const double* __restrict lower,
                              int64_t begin, int64_t end, double value) {
    for (int64_t p = begin; p < end; ++p) row[indices[p]] -= lower[p] * value;
  }

  ops::Context& context_;
  const Pattern& pattern_;
  const double* values_;
  const int64_t n_;
  const int64_t* order_;
  const Array<int64_t> place_, parent_, counts_, seen_;
};

// --- solving ---

// Right sides in the order of pivots, `width` numbers each.
struct RightSides {
  double* at;
  int64_t width;
  double* operator[](int64_t k) const { return at + k * width; }
  void subtract(int64_t to, double factor, int64_t from) const {
    for (int64_t i = 0; i < width; ++i) (*this)[to][i] -= factor * (*this)[from][i];
  }
  void divide(int64_t k, double by) const {
    for (int64_t i = 0; i < width; ++i) (*this)[k][i] /= by;
  }
};

// Whether columns lie inside the arrays, and their indices where they should.
template <class F>
bool is_triangle(const int64_t* starts, const int32_t* indices, int64_t n, int64_t count, F is_inside) {
  if (starts[0] != 0 || starts[n] != count) return false;
  for (int64_t k = 0; k < n; ++k) {
    if (starts[k + 1] < starts[k] || starts[k + 1] > count) return false;
    for (int64_t p = starts[k]; p < starts[k + 1]; ++p) {
      if (!is_inside(k, indices[p])) return false;
    }
  }
  return true;
}

bool are_rows(const int64_t* rows, int64_t n) {
  return std::all_of(rows, rows + n, [&](int64_t row) { return row >= 0 && row < n; });
}

class Solver {
 public:
  Solver(ops::Context& context, const Words& words, const RightSides& x) : context_(context), words_(words), x_(x) {}

  void lower(bool transposed) const {
    transposed ? backward(words_.lower_starts(), words_.lower_indices(), words_.lower_values())
               : forward(words_.lower_starts(), words_.lower_indices(), words_.lower_values());
  }
  void upper(bool transposed) const {
    const int64_t* starts = words_.upper_starts();
    kernels::InterruptPolls polls(context_);
    for (int64_t step = 0; step < words_.n(); ++step) {
      const int64_t k = transposed ? step : words_.n() - 1 - step;
      if (polls.stop((starts[k + 1] - starts[k] + 1) * x_.width)) return;
      if (!transposed) x_.divide(k, words_.pivots()[k]);
      for (int64_t p = starts[k]; p < starts[k + 1]; ++p) {
        const int64_t i = words_.upper_indices()[p];
        transposed ? x_.subtract(k, words_.upper_values()[p], i) : x_.subtract(i, words_.upper_values()[p], k);
      }
      if (transposed) x_.divide(k, words_.pivots()[k]);
    }
  }
  void diagonal() const {
    for (int64_t k = 0; k < words_.n(); ++k) x_.divide(k, words_.pivots()[k]);
  }

 private:
  void forward(const int64_t* starts, const int32_t* indices, const double* values) const {
    kernels::InterruptPolls polls(context_);
    for (int64_t k = 0; k < words_.n(); ++k) {
      if (polls.stop((starts[k + 1] - starts[k] + 1) * x_.width)) return;
      for (int64_t p = starts[k]; p < starts[k + 1]; ++p) x_.subtract(indices[p], values[p], k);
    }
  }
  void backward(const int64_t* starts, const int32_t* indices, const double* values) const {
    kernels::InterruptPolls polls(context_);
    for (int64_t k = words_.n() - 1; k >= 0; --k) {
      if (polls.stop((starts[k + 1] - starts[k] + 1) * x_.width)) return;
      for (int64_t p = starts[k]; p < starts[k + 1]; ++p) x_.subtract(k, values[p], indices[p]);
    }
  }

  ops::Context& context_;
  const Words& words_;
  const RightSides& x_;
};

}  // namespace

Scratch reserve_order(Pool& pool, const Pattern& pattern) {
  // Words that Eigen's orders take for each nonzero and column: estimated from its source.
  constexpr int64_t words_of_nonzero = 5, words_of_column = 12;
  return Scratch(pool, static_cast<uint64_t>(words_of_nonzero * pattern.count + words_of_column * (pattern.rows + 1)) *
                           sizeof(int64_t));
}

bool is_permutation(Pool& pool, const int64_t* order, int64_t n) {
  const Array<uint8_t> seen(pool, n, 0);
  for (int64_t k = 0; k < n; ++k) {
    if (order[k] < 0 || order[k] >= n || std::exchange(seen[order[k]], uint8_t{1}) != 0) return false;
  }
  return true;
}

void write_header(WordRow& words, FactorKind kind, int64_t n, int64_t lower, int64_t upper) {
  words.push(static_cast<int64_t>(kind));
  words.push(n);
  words.push(lower);
  words.push(upper);
}

void WordRow::push(double number) { push(std::bit_cast<int64_t>(number)); }

void WordRow::reserve(int64_t count) {
  if (count <= room_) return;
  Scratch larger(*pool_, static_cast<uint64_t>(count) * sizeof(int64_t));
  std::copy_n(data(), count_, larger.as<int64_t>());
  std::swap(memory_, larger);
  room_ = count;
}

bool Words::is_sound(int64_t columns_of_matrix) const {
  constexpr int64_t most = int64_t{1} << 48;  // words: sums of sizes stay in range
  if (count < header || n() != columns_of_matrix) return false;
  if (kind() == FactorKind::none) return lower() == 0 && upper() == 0 && count >= size(n(), 0, 0);
  if (kind() != FactorKind::ldlt && kind() != FactorKind::lu) return false;
  if (n() > max_columns || lower() < 0 || lower() > most || upper() < 0 || upper() > most) return false;
  if (count < size(n(), lower(), upper())) return false;
  return are_rows(rows(), n()) && are_rows(columns(), n()) &&
         is_triangle(lower_starts(), lower_indices(), n(), lower(),
                     [&](int64_t k, int64_t row) { return row > k && row < n(); }) &&
         is_triangle(upper_starts(), upper_indices(), n(), upper(),
                     [](int64_t k, int64_t row) { return row >= 0 && row < k; });
}

bool is_symmetric(ops::Context& context, const SquareMatrix& matrix) {
  const Transposed transposed(*context.pool, matrix.pattern);
  const Pattern mirror = transposed.pattern(), &pattern = matrix.pattern;
  if (!std::equal(pattern.starts, pattern.starts + pattern.rows + 1, mirror.starts)) return false;
  for (int64_t p = 0; p < pattern.count; ++p) {
    if (pattern.indices[p] != mirror.indices[p] || matrix.values[p] != matrix.values[transposed.places()[p]])
      return false;
  }
  return true;
}

int64_t row_without_mirror(ops::Context& context, const Pattern& pattern) {
  const Transposed transposed(*context.pool, pattern);
  const Pattern mirror = transposed.pattern();
  for (int64_t row = 0; row < pattern.rows; ++row) {
    const bool same = std::equal(pattern.indices + pattern.starts[row], pattern.indices + pattern.starts[row + 1],
                                 mirror.indices + mirror.starts[row], mirror.indices + mirror.starts[row + 1]);
    if (!same) return row;
  }
  return -1;
}

std::optional<WordRow> factor_ldlt(ops::Context& context, const SquareMatrix& matrix, bool indefinite,
                                   const int64_t* order) {
  Pool& pool = *context.pool;
  const int64_t n = matrix.pattern.rows;
  const Array<int64_t> own(pool, n);
  if (order != nullptr && is_permutation(pool, order, n)) {
    std::copy_n(order, n, own.data());
  } else if (n > 0) {
    const Scratch reserved = reserve_order(pool, matrix.pattern);
    order_symmetric(matrix.pattern, own.data());
  }
  Ldlt ldlt(context, matrix, own.data());
  ldlt.analyze();
  return ldlt.factor(indefinite);
}

WordRow no_factorization(ops::Context& context, int64_t n) {
  WordRow words(*context.pool);
  words.reserve(Words::size(n, 0, 0));
  write_header(words, FactorKind::none, n, 0, 0);
  while (words.count() < Words::size(n, 0, 0)) words.push(int64_t{0});
  return words;
}

void solve(ops::Context& context, const Words& words, double* x, int64_t width, bool transposed) {
  const int64_t n = words.n();
  const Array<double> sides(*context.pool, n * width);
  const RightSides own{sides.data(), width};
  const bool lu = words.kind() == FactorKind::lu;
  const int64_t *from = transposed ? words.columns() : words.rows(), *to = transposed ? words.rows() : words.columns();
  for (int64_t k = 0; k < n; ++k) std::copy_n(x + from[k] * width, width, own[k]);
  const Solver solver(context, words, own);
  if (!lu) {
    solver.lower(false);
    solver.diagonal();
    solver.lower(true);
  } else if (transposed) {
    solver.upper(true);
    solver.lower(true);
  } else {
    solver.lower(false);
    solver.upper(false);
  }
  kernels::poll_interrupt(context);
  for (int64_t k = 0; k < n; ++k) std::copy_n(own[k], width, x + to[k] * width);
}

}  // namespace covec::sparse
