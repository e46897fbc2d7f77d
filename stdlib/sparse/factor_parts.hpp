// What LDLᵀ and LU share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "stdlib/sparse/factor.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::sparse {

template <class T>
class Array {
 public:
  Array(Pool& pool, int64_t count) : memory_(pool, static_cast<uint64_t>(std::max<int64_t>(1, count)) * sizeof(T)) {}
  Array(Pool& pool, int64_t count, T value) : Array(pool, count) {
    std::fill_n(memory_.template as<T>(), count, value);
  }
  T& operator[](int64_t i) const { return memory_.template as<T>()[i]; }
  T* data() const { return memory_.template as<T>(); }

 private:
  Scratch memory_;
};

// Memory that Eigen takes for an order, counted while this lives.
Scratch reserve_order(Pool& pool, const Pattern& pattern);
bool is_permutation(Pool& pool, const int64_t* order, int64_t n);
void write_header(WordRow& words, FactorKind kind, int64_t n, int64_t lower, int64_t upper);

}  // namespace covec::sparse
