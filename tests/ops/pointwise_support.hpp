// What the tests of pointwise operators share: contexts for each instruction set, and distances between floats.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

// The instruction sets that this machine can run and this build has.
inline std::vector<Isa> runnable() {
  std::vector<Isa> result = {Isa::baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) result.push_back(Isa::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    result.push_back(Isa::avx512);
  }
  std::erase_if(result, [](Isa isa) { return !is_built(isa); });
  return result;
}

template <class E>
using BitsOf = std::conditional_t<sizeof(E) == 8, uint64_t, std::conditional_t<sizeof(E) == 4, uint32_t, uint8_t>>;

template <class E>
BitsOf<E> bits_of(E x) {
  BitsOf<E> bits;
  std::memcpy(&bits, &x, sizeof(E));
  return bits;
}
// The same bits, all NaNs being one.
template <class E>
bool same_bits(E a, E b) {
  if (a != a && b != b) return true;
  return bits_of(a) == bits_of(b);
}

// A fixed sequence of well mixed numbers.
struct Mixer {
  uint64_t state = 0x9e3779b97f4a7c15;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

}  // namespace covec::ops
