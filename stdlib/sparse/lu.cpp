// LU, column by column (Gilbert and Peierls, 1988), with two shortcuts that need no symbolic phase, so that rows may be
// exchanged at will:
// - a column of L whose rows are those of the column before it, but for its pivot, joins its run (a supernode). The
//   columns of a run keep their rows in one order, pivots first: then several of them are subtracted in one go, which
//   loads and stores each number of the result once;
// - the search for the rows that a column reaches follows one row of a column of L where that row leads to the others
//   (Eisenstat and Liu, "Exploiting structural symmetry in unsymmetric sparse symbolic factorization", 1992).
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/sparse/factor_parts.hpp"
#include "stdlib/sparse/sparse_products.hpp"

namespace covec::sparse {

namespace {

// Columns of a triangular factor as they come. Indices of L are rows of the matrix until all pivots are known.
struct Columns {
  explicit Columns(Pool& pool) : starts(pool), indices(pool), values(pool) { starts.push(int64_t{0}); }
  void push(int64_t index, double value) {
    indices.push(index);
    values.push(value);
  }
  void end_column() { starts.push(indices.count()); }
  int64_t start(int64_t k) const { return starts.data()[k]; }
  int64_t length(int64_t k) const { return start(k + 1) - start(k); }
  WordRow starts, indices, values;
};

// A set of numbers below n that gives them in rising order and is empty then: bits, and bits of their words, so that
// few numbers are found quickly among many.
class RisingSet {
 public:
  RisingSet(Pool& pool, int64_t n)
      : words_of_words_(words_of(words_of(n))), bits_(pool, words_of(n), 0), words_(pool, words_of_words_, 0) {}
  void insert(int64_t i) const {
    bits_[i / 64] |= uint64_t{1} << (i % 64);
    words_[i / 4096] |= uint64_t{1} << (i / 64 % 64);
  }
  template <class F>
  void drain(F f) const {
    for (int64_t k = 0; k < words_of_words_; ++k) {
      for (uint64_t words = std::exchange(words_[k], 0); words != 0; words &= words - 1) {
        const int64_t word = 64 * k + std::countr_zero(words);
        for (uint64_t bits = std::exchange(bits_[word], 0); bits != 0; bits &= bits - 1)
          f(64 * word + std::countr_zero(bits));
      }
    }
  }

 private:
  static int64_t words_of(int64_t n) { return n / 64 + 1; }
  int64_t words_of_words_;
  Array<uint64_t> bits_, words_;
};

class Lu {
 public:
  // A pivot on the diagonal is kept where it is at least `least` of the largest number of its column: a symmetric order
  // keeps its promise only then.
  Lu(ops::Context& context, const SquareMatrix& matrix, const int64_t* order, double least)
      : context_(context),
        by_columns_(*context.pool, matrix.pattern),
        pattern_(by_columns_.pattern()),
        values_(matrix.values),
        n_(pattern_.rows),
        order_(order),
        least_(least),
        pivot_of_row_(pool(), n_, -1),
        row_of_pivot_(pool(), n_, -1),
        column_(pool(), n_, 0.0),
        seen_(pool(), n_, -1),
        below_(pool(), n_),
        stack_(pool(), n_),
        next_(pool(), n_),
        leads_(pool(), n_, undecided),
        run_(pool(), n_),
        pivots_(pool(), n_),
        reached_(pool(), n_),
        lower_(pool()),
        upper_(pool()) {}

  // The column without a pivot, if there is one. It ends early where small pivots have let numbers grow too much.
  std::optional<int64_t> factor() {
    kernels::InterruptPolls polls(context_);
    for (int64_t k = 0; k < n_; ++k) {
      find_reached(k);
      const int64_t operations = solve_column(k);
      has_grown_ = least_ < 1 && grows(k);
      if (has_grown_) return {};
      const int64_t row = pivot_row(k);
      if (row < 0) return order_[k];
      write_column(k, row);
      if (polls.stop(operations + 1)) break;
    }
    kernels::poll_interrupt(context_);
    return {};
  }

  bool has_grown() const { return has_grown_; }

  WordRow words() {
    WordRow words(pool());
    const int64_t lower = lower_.indices.count(), upper = upper_.indices.count();
    words.reserve(Words::size(n_, lower, upper));
    write_header(words, FactorKind::lu, n_, lower, upper);
    for (int64_t k = 0; k < n_; ++k) words.push(row_of_pivot_[k]);
    for (int64_t k = 0; k < n_; ++k) words.push(order_[k]);
    for (int64_t k = 0; k < n_; ++k) words.push(pivots_[k]);
    append(words, lower_.starts);
    append_indices(words, lower, [&](int64_t p) { return pivot_of_row_[lower_.indices.data()[p]]; });
    append(words, lower_.values);
    append(words, upper_.starts);
    append_indices(words, upper, [&](int64_t p) { return upper_.indices.data()[p]; });
    append(words, upper_.values);
    return words;
  }

 private:
  static constexpr double max_growth = 1e5;            // of a column's largest number: 11 digits are left
  static constexpr int64_t undecided = -2, many = -1;  // of leads_: other than rows

  Pool& pool() const { return *context_.pool; }
  static void append(WordRow& words, const WordRow& more) {
    std::copy_n(more.data(), more.count(), words.extend<int64_t>(more.count()));
  }
  template <class F>
  static void append_indices(WordRow& words, int64_t count, F index) {
    const int64_t room = Words::of_indices(count);
    auto* indices = words.extend<int32_t>(room);
    for (int64_t p = 0; p < count; ++p) indices[p] = static_cast<int32_t>(index(p));
    if (count % 2 != 0) indices[count] = 0;
  }

  // The rows where the column's solution may not be 0, by a walk in depth through the columns of L: pivots in reached_,
  // rows without one in below_.
  void find_reached(int64_t k) {
    below_count_ = 0;
    const int64_t column = order_[k];
    for (int64_t p = pattern_.starts[column]; p < pattern_.starts[column + 1]; ++p) {
      const int64_t row = pattern_.indices[p];
      if (seen_[row] != k) walk(row, k);
      column_[row] = values_[by_columns_.places()[p]];
    }
  }

  void walk(int64_t root, int64_t k) {
    int64_t depth = 0;
    enter(root, k, depth);
    while (depth >= 0) {
      const int64_t pivot = stack_[depth];
      const int64_t first = lower_.start(pivot), end = leads_[pivot] >= 0 ? first + 1 : lower_.start(pivot + 1);
      int64_t& at = next_[depth];
      const auto row_at = [&](int64_t p) { return leads_[pivot] >= 0 ? leads_[pivot] : lower_.indices.data()[p]; };
      while (at < end && seen_[row_at(at)] == k) ++at;
      if (at < end) {
        const int64_t row = row_at(at++);
        enter(row, k, ++depth);
      } else {
        --depth;
      }
    }
  }
  // Notes a row that is met for the first time; one with a pivot lies on the stack then.
  void enter(int64_t row, int64_t k, int64_t& depth) {
    seen_[row] = k;
    const int64_t pivot = pivot_of_row_[row];
    if (pivot < 0) {
      below_[below_count_++] = row;
      --depth;
      return;
    }
    reached_.insert(pivot);
    stack_[depth] = pivot;
    next_[depth] = lower_.start(pivot);
  }

  // Each pivot's number is known when those before it are subtracted. If a column of a run is reached, so are those
  // behind it.
  int64_t solve_column(int64_t k) {
    int64_t operations = 0, next = 0;
    reached_.drain([&](int64_t first) {
      if (first < next) return;
      int64_t end = first + 1;
      while (end < k && run_[end] == run_[first]) ++end;
      operations += subtract_run(first, end);
      next = end;
    });
    upper_.end_column();
    return operations;
  }

  int64_t subtract_run(int64_t first, int64_t end) {
    int64_t pivot = first;
    for (; pivot + 8 <= end; pivot += 8) subtract_columns<8>(pivot);
    for (; pivot + 2 <= end; pivot += 2) subtract_columns<2>(pivot);
    if (pivot < end) subtract_columns<1>(pivot);
    return (end - first) * (lower_.length(end - 1) + end - first);
  }

  // Columns of a run one after the other, as each alone would be: first from the numbers at their own pivots, then
  // together from those that all of them have.
  template <size_t columns>
  void subtract_columns(int64_t first) {
    const int64_t last = first + static_cast<int64_t>(columns) - 1, count = lower_.length(last);
    std::array<const double*, columns> values;
    std::array<double, columns> by;
    for (size_t c = 0; c < columns; ++c) {
      const int64_t pivot = first + static_cast<int64_t>(c);
      by[c] = std::exchange(column_[row_of_pivot_[pivot]], 0.0);
      upper_.push(pivot, by[c]);
      const double* own = lower_.values.numbers() + lower_.start(pivot);
      for (int64_t other = pivot + 1; other <= last; ++other)
        column_[row_of_pivot_[other]] -= own[other - pivot - 1] * by[c];
      values[c] = own + (last - pivot);
    }
    subtract(column_.data(), lower_.indices.data() + lower_.start(last), count, values, by,
             std::make_index_sequence<columns>());
  }
  // A function of its own: inlined its pointers would not stay in registers.
  template <size_t columns, size_t... c>
  [[gnu::noinline]] static void subtract(double* __restrict column, const int64_t* __restrict rows, int64_t count,
                                         std::array<const double*, columns> values, std::array<double, columns> by,
                                         std::index_sequence<c...> /*columns*/) {
    for (int64_t p = 0; p < count; ++p) {
      double number = column[rows[p]];
      ((number -= values[c][p] * by[c]), ...);
      column[rows[p]] = number;
    }
  }

  // Whether the column, solved but not divided yet, is larger than that of the matrix by far (Higham, Accuracy and
  // Stability of Numerical Algorithms, 2002, 9.3).
  bool grows(int64_t k) {
    double before = 0, now = 0;
    for (int64_t p = pattern_.starts[order_[k]]; p < pattern_.starts[order_[k] + 1]; ++p)
      before = std::max(before, std::abs(values_[by_columns_.places()[p]]));
    for (int64_t p = upper_.start(k); p < upper_.start(k + 1); ++p)
      now = std::max(now, std::abs(upper_.values.numbers()[p]));
    for (int64_t at = 0; at < below_count_; ++at) now = std::max(now, std::abs(column_[below_[at]]));
    return now > max_growth * before;
  }

  // The largest number of the rows that have no pivot yet, NaN before all; −1 where all are 0.
  int64_t pivot_row(int64_t k) const {
    int64_t best = -1;
    double largest = 0;
    for (int64_t at = 0; at < below_count_; ++at) {
      const double size = std::abs(column_[below_[at]]);
      if (size <= largest) continue;
      best = below_[at];
      largest = size;
      if (std::isnan(size)) return best;
    }
    const int64_t diagonal = order_[k];
    const bool free = best >= 0 && seen_[diagonal] == k && pivot_of_row_[diagonal] < 0;
    return free && std::abs(column_[diagonal]) >= least_ * largest ? diagonal : best;
  }

  void write_column(int64_t k, int64_t row) {
    const double pivot = std::exchange(column_[row], 0.0);
    pivots_[k] = pivot;
    pivot_of_row_[row] = k;
    row_of_pivot_[k] = row;
    decide_leads(k, row);
    const bool joins = joins_run(k);
    run_[k] = joins ? run_[k - 1] : k;
    if (joins) move_first(k, row);
    const auto write = [&](int64_t other) { lower_.push(other, std::exchange(column_[other], 0.0) / pivot); };
    if (joins) {
      const int64_t start = lower_.start(k - 1) + 1, end = lower_.start(k);
      for (int64_t p = start; p < end; ++p) write(lower_.indices.data()[p]);
    } else {
      for (int64_t at = 0; at < below_count_; ++at) {
        if (below_[at] != row) write(below_[at]);
      }
    }
    lower_.end_column();
  }

  // Column k uses column j of L. If the new pivot's row is one of that column, and the only one with a pivot, then
  // column k of L has the others.
  void decide_leads(int64_t k, int64_t row) {
    const int64_t begin = upper_.start(k), end = upper_.start(k + 1);
    for (int64_t p = begin; p < end; ++p) {
      const int64_t j = upper_.indices.data()[p];
      if (leads_[j] != undecided) continue;
      bool there = false, alone = true;
      for (int64_t q = lower_.start(j); q < lower_.start(j + 1) && alone; ++q) {
        const int64_t other = lower_.indices.data()[q];
        there = there || other == row;
        alone = other == row || pivot_of_row_[other] < 0;
      }
      leads_[j] = there && alone ? row : many;
    }
  }

  // Whether column k has the rows of the column before it, of which its pivot's row is one.
  bool joins_run(int64_t k) const {
    if (k == 0 || lower_.length(k - 1) != below_count_) return false;
    const int64_t* rows = lower_.indices.data() + lower_.start(k - 1);
    return std::all_of(rows, rows + below_count_, [&](int64_t other) { return seen_[other] == k; });
  }

  // Puts the new pivot's row before the rows without a pivot, in all columns of the run.
  void move_first(int64_t k, int64_t row) {
    const int64_t last = lower_.start(k - 1), rest = lower_.length(k - 1);
    const int64_t from = std::find(lower_.indices.data() + last, lower_.indices.data() + last + rest, row) -
                         (lower_.indices.data() + last);
    for (int64_t j = run_[k - 1]; j < k; ++j) {
      const int64_t start = lower_.start(j + 1) - rest;
      std::swap(lower_.indices.data()[start], lower_.indices.data()[start + from]);
      std::swap(lower_.values.numbers()[start], lower_.values.numbers()[start + from]);
    }
  }

  ops::Context& context_;
  const Transposed by_columns_;
  const Pattern pattern_;
  const double* values_;
  const int64_t n_;
  const int64_t* order_;
  const double least_;
  bool has_grown_ = false;
  const Array<int64_t> pivot_of_row_, row_of_pivot_;
  const Array<double> column_;
  const Array<int64_t> seen_, below_, stack_, next_;
  int64_t below_count_ = 0;
  // Of each column of L: the row that leads to its others, or `many`; and the first column of its run.
  const Array<int64_t> leads_, run_;
  const Array<double> pivots_;
  const RisingSet reached_;
  Columns lower_, upper_;
};

}  // namespace

Factorization factor_lu(ops::Context& context, const SquareMatrix& matrix, const int64_t* order) {
  Pool& pool = *context.pool;
  const int64_t n = matrix.pattern.rows;
  const Array<int64_t> own(pool, n);
  const bool symmetric = row_without_mirror(context, matrix.pattern) < 0;
  if (order != nullptr && is_permutation(pool, order, n)) {
    std::copy_n(order, n, own.data());
  } else if (n > 0) {
    const Scratch reserved = reserve_order(pool, matrix.pattern);
    const Transposed by_columns(pool, matrix.pattern);
    symmetric ? order_symmetric(matrix.pattern, own.data()) : order_columns(by_columns.pattern(), own.data());
  }
  // Shares of a column's largest number. 0.001 is that of UMFPACK and KLU: with 0.1 a Jacobian near a change of
  // stability got three times as many nonzeros. With 1 it is partial pivoting.
  for (const double least : {0.001, 0.1, 1.0}) {
    if (least < 1 && !symmetric) continue;
    Lu lu(context, matrix, own.data(), least);
    const std::optional<int64_t> singular = lu.factor();
    if (lu.has_grown()) continue;
    return singular ? Factorization{WordRow(pool), singular} : Factorization{lu.words()};
  }
  __builtin_unreachable();
}

}  // namespace covec::sparse
