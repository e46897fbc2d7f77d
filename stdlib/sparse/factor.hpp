// Factorizations of sparse square matrices, and solving with them.
//
// LDLᵀ of symmetric matrices goes row by row (Davis, "Algorithm 849: LDL", 2005), LU column by column with partial
// pivoting (lu.cpp). Eigen orders the columns so that few nonzeros are added: by AMD where the pattern is symmetric,
// else by COLAMD. Everything runs on one thread and without vectors, so bits are the same everywhere.
//
// A factorization is one row of 64-bit words, so that it is a tensor to the language: see Words. A program may have
// changed them, so they are checked before they are used.
#pragma once

#include <cstdint>
#include <optional>

#include "stdlib/sparse/csr.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::sparse {

enum class FactorKind : int64_t { none, ldlt, lu };  // none: of a singular matrix

// A sound, square pattern and its numbers.
struct SquareMatrix {
  Pattern pattern;
  const double* values;
};

// The parts of a factorization of n columns, in this order behind a header of four words: kind, n, nonzeros of the
// lower and of the upper factor.
struct Words {
  const int64_t* words;
  int64_t count;

  static constexpr int64_t header = 4;  // words
  FactorKind kind() const { return static_cast<FactorKind>(words[0]); }
  int64_t n() const { return words[1]; }
  int64_t lower() const { return words[2]; }
  int64_t upper() const { return words[3]; }
  // Pivot k stands in row rows()[k] and column columns()[k] of the matrix; of LDLᵀ these are the same.
  const int64_t* rows() const { return words + header; }
  const int64_t* columns() const { return rows() + n(); }
  const double* pivots() const { return numbers(columns() + n()); }
  // The lower factor by columns, without its ones. Two indices share a word.
  const int64_t* lower_starts() const { return columns() + 2 * n(); }
  const int32_t* lower_indices() const { return indices(lower_starts() + n() + 1); }
  const double* lower_values() const { return numbers(lower_starts() + n() + 1 + of_indices(lower())); }
  // The upper factor by columns, without its pivots; LDLᵀ has none.
  const int64_t* upper_starts() const { return lower_starts() + n() + 1 + of_indices(lower()) + lower(); }
  const int32_t* upper_indices() const { return indices(upper_starts() + n() + 1); }
  const double* upper_values() const { return numbers(upper_starts() + n() + 1 + of_indices(upper())); }
  static constexpr int64_t of_indices(int64_t count) { return (count + 1) / 2; }
  static constexpr int64_t size(int64_t n, int64_t lower, int64_t upper) {
    return header + 5 * n + 2 + of_indices(lower) + lower + of_indices(upper) + upper;
  }
  static constexpr int64_t max_columns = INT32_MAX;
  // Whether they are a factorization of n columns whose indices lie where they should.
  bool is_sound(int64_t n) const;

 private:
  static const double* numbers(const int64_t* words) { return reinterpret_cast<const double*>(words); }
  static const int32_t* indices(const int64_t* words) { return reinterpret_cast<const int32_t*>(words); }
};

// A row of words that grows, in the session's memory.
class WordRow {
 public:
  explicit WordRow(Pool& pool) : pool_(&pool) {}
  void reserve(int64_t count);
  void push(int64_t word) {
    if (count_ == room_) [[unlikely]]
      reserve(2 * count_ + 1024);
    data()[count_++] = word;
  }
  void push(double number);
  // Room for more words, which are not set.
  template <class T>
  T* extend(int64_t words) {
    reserve(count_ + words);
    count_ += words;
    return reinterpret_cast<T*>(data() + count_ - words);
  }
  int64_t count() const { return count_; }
  int64_t* data() { return memory_.as<int64_t>(); }
  const int64_t* data() const { return memory_.as<int64_t>(); }
  double* numbers() { return memory_.as<double>(); }

 private:
  Pool* pool_;
  Scratch memory_;
  int64_t count_ = 0, room_ = 0;
};

struct Factorization {
  WordRow words;
  std::optional<int64_t> singular = {};  // the column that has no pivot
};
// Whether a matrix equals its transpose; and the first row of a pattern with an entry that has no mirror image, −1:
// none.
bool is_symmetric(ops::Context& context, const SquareMatrix& matrix);
int64_t row_without_mirror(ops::Context& context, const Pattern& pattern);
// LDLᵀ of a symmetric matrix; nothing where a pivot is 0 or, unless `indefinite`, negative. `order` has its columns in
// the order of pivots; it is found anew where it is null.
std::optional<WordRow> factor_ldlt(ops::Context& context, const SquareMatrix& matrix, bool indefinite,
                                   const int64_t* order);
// The words of a singular matrix, for callers to whom that is no error.
WordRow no_factorization(ops::Context& context, int64_t n);
Factorization factor_lu(ops::Context& context, const SquareMatrix& matrix, const int64_t* order);

// Solves in place, `width` right sides side by side, with words that are sound.
void solve(ops::Context& context, const Words& words, double* x, int64_t width, bool transposed);

// Orders of columns (by Eigen): minimum degree of a symmetric pattern, and of the columns of any.
void order_symmetric(const Pattern& pattern, int64_t* order);
void order_columns(const Pattern& by_columns, int64_t* order);

}  // namespace covec::sparse
