// The registers of the instruction set that this object is compiled for (COVEC_ISA, see kernels.cmake), and their loads
// and stores, whole or in part. Everything is in the instruction set's own namespace: the linker must never take a
// symbol compiled with AVX for the portable one. Next: vec.hpp, the vectors that bodies are written with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace covec::COVEC_ISA {

inline constexpr int lanes = 4 << COVEC_ISA_LEVEL;  // of every vector, whatever its element
inline constexpr int register_bytes = 4 * lanes;    // 4: bytes of f32 and i32, of which a register holds `lanes`

typedef float Rf32 __attribute__((vector_size(register_bytes)));
typedef double Rf64 __attribute__((vector_size(register_bytes)));
typedef int32_t Ri32 __attribute__((vector_size(register_bytes)));
typedef int64_t Ri64 __attribute__((vector_size(register_bytes)));
typedef uint32_t Ru32 __attribute__((vector_size(register_bytes)));
typedef uint64_t Ru64 __attribute__((vector_size(register_bytes)));

template <class E>
struct RegisterOf;
template <>
struct RegisterOf<float> {
  using type = Rf32;
  using Integer = int32_t;
  using Unsigned = Ru32;
};
template <>
struct RegisterOf<double> {
  using type = Rf64;
  using Integer = int64_t;
  using Unsigned = Ru64;
};
template <>
struct RegisterOf<int32_t> {
  using type = Ri32;
  using Integer = int32_t;
  using Unsigned = Ru32;
};
template <>
struct RegisterOf<int64_t> {
  using type = Ri64;
  using Integer = int64_t;
  using Unsigned = Ru64;
};
template <class E>
using Register = typename RegisterOf<E>::type;

[[gnu::always_inline]] inline Rf32 splat(float x) { return x - Rf32{}; }
[[gnu::always_inline]] inline Rf64 splat(double x) { return x - Rf64{}; }
[[gnu::always_inline]] inline Ri32 splat(int32_t x) { return x - Ri32{}; }
[[gnu::always_inline]] inline Ri64 splat(int64_t x) { return x - Ri64{}; }

template <class R, class E>
[[gnu::always_inline]] inline R load_register(const E* p) {
  R r;
  __builtin_memcpy(&r, p, sizeof(R));
  return r;
}
template <class R, class E>
[[gnu::always_inline]] inline void store_register(E* p, R r) {
  __builtin_memcpy(p, &r, sizeof(R));
}

}  // namespace covec::COVEC_ISA
