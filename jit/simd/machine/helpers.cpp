// Implements the helpers; stdlib/simd/convert.hpp defines the meaning of one lane.
#include "jit/simd/machine/helpers.hpp"

#include "jit/simd/machine/checks.hpp"

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace covec::simd {

namespace {

template <class E>
struct FloorDivide {
  static E apply(E x, E y) {
    if (y == 0) return 0;
    if (y == -1) return static_cast<E>(0 - static_cast<uint64_t>(x));
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
  }
};
template <class E>
struct FloorModulo {
  static E apply(E x, E y) {
    if (y == 0 || y == -1) return 0;
    const E remainder = x % y;
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
  }
};
template <class E>
struct IntegerPower {
  static E apply(E x, E y) {
    if (y < 0) return 0;
    uint64_t base = static_cast<uint64_t>(x), result = 1;
    for (uint64_t n = static_cast<uint64_t>(y); n != 0; n >>= 1) {
      if (n & 1) result *= base;
      base *= base;
    }
    return static_cast<E>(result);
  }
};
template <class E>
struct CommonDivisor {
  static E apply(E x, E y) {
    uint64_t u = x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
    uint64_t v = y < 0 ? 0 - static_cast<uint64_t>(y) : static_cast<uint64_t>(y);
    if (u == 0 || v == 0) return static_cast<E>(u | v);
    const int twos = std::countr_zero(u | v);
    u >>= std::countr_zero(u);
    do {
      v >>= std::countr_zero(v);
      const uint64_t less = u < v ? u : v;
      v = u < v ? v - u : u - v;
      u = less;
    } while (v != 0);
    return static_cast<E>(u << twos);
  }
};
template <class E>
struct Remainder {
  static E apply(E x, E y) { return std::fmod(x, y); }
};

// The upper halves of the registers are let go first: the C library's code may be of another age.
template <class E, template <class> class Operation>
[[gnu::target("avx")]] void lanes(void* result, const void* a, const void* b, int64_t count) noexcept {
  _mm256_zeroupper();
  for (int64_t k = 0; k < count; ++k) {
    E x, y;
    std::memcpy(&x, static_cast<const E*>(a) + k, sizeof(E));
    std::memcpy(&y, static_cast<const E*>(b) + k, sizeof(E));
    const E z = Operation<E>::apply(x, y);
    std::memcpy(static_cast<E*>(result) + k, &z, sizeof(E));
  }
}

[[gnu::target("avx")]] void call_outlined(OutlinedCall* call, const kernels::PointwiseKernel* kernels) noexcept {
  _mm256_zeroupper();
  const void* operands[3] = {call->operands[0], call->operands[1], call->operands[2]};
  kernels[call->entry](call->result, operands, call->lanes, 0, call->parameter);
}

const void* address(LanesFunction function) { return reinterpret_cast<const void*>(function); }

}  // namespace

Helper helper_for(ops::ScalarOp op, Dtype dtype) {
  const bool wide = size_of(dtype) == 8;
  switch (op) {
    case ops::ScalarOp::floor_divide: return wide ? Helper::floor_divide_i64 : Helper::floor_divide_i32;
    case ops::ScalarOp::floor_modulo: return wide ? Helper::floor_modulo_i64 : Helper::floor_modulo_i32;
    case ops::ScalarOp::integer_power: return wide ? Helper::integer_power_i64 : Helper::integer_power_i32;
    case ops::ScalarOp::common_divisor: return wide ? Helper::common_divisor_i64 : Helper::common_divisor_i32;
    default: return wide ? Helper::remainder_f64 : Helper::remainder_f32;
  }
}

std::array<const void*, helper_count> helper_table() {
  return {address(lanes<int32_t, FloorDivide>),
          address(lanes<int64_t, FloorDivide>),
          address(lanes<int32_t, FloorModulo>),
          address(lanes<int64_t, FloorModulo>),
          address(lanes<int32_t, IntegerPower>),
          address(lanes<int64_t, IntegerPower>),
          address(lanes<int32_t, CommonDivisor>),
          address(lanes<int64_t, CommonDivisor>),
          address(lanes<float, Remainder>),
          address(lanes<double, Remainder>),
          reinterpret_cast<const void*>(OutlinedFunction(call_outlined)),
          reinterpret_cast<const void*>(CheckFunction(check_element)),
          reinterpret_cast<const void*>(CheckFunction(check_item)),
          reinterpret_cast<const void*>(CheckFunction(check_room)),
          reinterpret_cast<const void*>(CheckFunction(check_stack)),
          reinterpret_cast<const void*>(CheckFunction(check_drawn)),
          reinterpret_cast<const void*>(CheckFunction(check_lanes))};
}

}  // namespace covec::simd
