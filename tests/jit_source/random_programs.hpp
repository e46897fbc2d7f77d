// Random loop programs, well-formed and defined throughout (shifts in range, no bits of NaNs looked at), for comparing
// back ends. A program is a function of its seed. Start at random_kernel() and random_code().
#pragma once

#include <random>

#include "tests/jit_source/programs.hpp"

namespace covec::tests {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t bits() { return engine_(); }
  size_t below(size_t n) { return static_cast<size_t>(engine_() % n); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  template <class T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::mt19937_64 engine_;
};

// The low bytes of a number: often a special one. Bools are 0 or 1.
uint64_t random_number(Random& random, Dtype dtype);
Dtype random_dtype(Random& random);

Kernel random_kernel(Random& random);

// A function over: number slots 0…6 of all dtypes in their order; tensor slots from 7 on (tensor_types); one stack.
// Steps below 1000 are plain; the others belong to elements, and 2000 to the stack.
struct TensorType {
  Dtype dtype;
  unsigned rank;
};
inline constexpr TensorType tensor_types[] = {
    {Dtype::f64, 1}, {Dtype::i32, 2}, {Dtype::boolean, 3}, {Dtype::f16, 2}, {Dtype::bf16, 1}};
inline constexpr loops::SlotId first_tensor_slot = dtype_count;
loops::Code random_code(Random& random);

}  // namespace covec::tests
