// A ScalarBuilder that computes at once, with plain C++: what each operation of the vocabulary means, written
// independently of the kernels. A lowered body evaluated here must give the kernels' bits.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "stdlib/ops/contract/scalar_builder.hpp"
#include "stdlib/value/half.hpp"

namespace covec::ops {

class Evaluator final : public ScalarBuilder {
 public:
  ScalarRef constant(Dtype dtype, uint64_t bits) override {
    values_.push_back(bits);
    return {static_cast<uint32_t>(values_.size() - 1), dtype};
  }
  ScalarRef emit(ScalarOp op, Dtype result, ScalarRef a, ScalarRef b, ScalarRef c) override {
    if (is_half(a.dtype))  // to f32, no other
      return constant(result, pack(float_of_half(a.dtype, static_cast<uint16_t>(values_[a.id]))));
    if (is_narrow(a.dtype)) {  // to what it is computed with, no other
      const int64_t wide = integer_at(a.dtype, &values_[a.id]);
      return constant(result, result == Dtype::i32 ? pack(static_cast<int32_t>(wide)) : pack(wide));
    }
    switch (compute_of(a.dtype)) {
      case Compute::f32: return constant(result, floats<float>(op, result, a, b, c));
      case Compute::f64: return constant(result, floats<double>(op, result, a, b, c));
      case Compute::i32: return constant(result, integers<int32_t>(op, result, a, b));
      case Compute::i64: return constant(result, integers<int64_t>(op, result, a, b));
      case Compute::boolean: break;
    }
    return constant(result, truths(op, result, a, b, c));
  }
  uint64_t bits(ScalarRef ref) const { return values_[ref.id]; }

 private:
  template <class E>
  E as(ScalarRef ref) const {
    E x;
    std::memcpy(&x, &values_[ref.id], sizeof(E));
    return x;
  }
  template <class E>
  static uint64_t pack(E x) {
    uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof(E));
    return bits;
  }
  template <class I, class E>
  static I saturated(E x) {
    if (x != x) return 0;
    if (x >= std::ldexp(E(1), 8 * sizeof(I) - 1)) return std::numeric_limits<I>::max();
    if (x < -std::ldexp(E(1), 8 * sizeof(I) - 1)) return std::numeric_limits<I>::min();
    return static_cast<I>(x);
  }
  template <class E>
  uint64_t floats(ScalarOp op, Dtype result, ScalarRef ra, ScalarRef rb, ScalarRef rc) const {
    const E a = as<E>(ra), b = as<E>(rb);
    switch (op) {
      case ScalarOp::add: return pack<E>(a + b);
      case ScalarOp::sub: return pack<E>(a - b);
      case ScalarOp::mul: return pack<E>(a * b);
      case ScalarOp::negate: return pack<E>(-a);
      case ScalarOp::div: return pack<E>(a / b);
      case ScalarOp::sqrt: return pack<E>(std::sqrt(a));
      case ScalarOp::fma: return pack<E>(std::fma(a, b, as<E>(rc)));
      case ScalarOp::floor: return pack<E>(std::floor(a));
      case ScalarOp::ceil: return pack<E>(std::ceil(a));
      case ScalarOp::trunc: return pack<E>(std::trunc(a));
      case ScalarOp::round_even: return pack<E>(std::nearbyint(a));
      case ScalarOp::remainder: return pack<E>(std::fmod(a, b));
      case ScalarOp::lt: return a < b;
      case ScalarOp::le: return a <= b;
      case ScalarOp::eq: return a == b;
      case ScalarOp::ne: return a != b;
      case ScalarOp::bitcast: return pack<E>(a);
      default: return converted_float(result, a);
    }
  }
  template <class E>
  static uint64_t converted_float(Dtype result, E a) {
    switch (result) {
      case Dtype::boolean: return a != 0;
      case Dtype::i32: return pack(saturated<int32_t>(a));
      case Dtype::i64: return pack(saturated<int64_t>(a));
      case Dtype::f16:
      case Dtype::bf16: return half_of(result, static_cast<float>(a));  // of f32, of no other
      case Dtype::f32: return pack(static_cast<float>(a));
      default: return pack(static_cast<double>(a));
    }
  }
  template <class I>
  uint64_t integers(ScalarOp op, Dtype result, ScalarRef ra, ScalarRef rb) const {
    using U = std::make_unsigned_t<I>;
    const I a = as<I>(ra), b = as<I>(rb);
    const U ua = static_cast<U>(a), ub = static_cast<U>(b);
    switch (op) {
      case ScalarOp::add: return pack<U>(ua + ub);
      case ScalarOp::sub: return pack<U>(ua - ub);
      case ScalarOp::mul: return pack<U>(ua * ub);
      case ScalarOp::negate: return pack<U>(U(0) - ua);
      case ScalarOp::lt: return a < b;
      case ScalarOp::le: return a <= b;
      case ScalarOp::eq: return a == b;
      case ScalarOp::ne: return a != b;
      case ScalarOp::bit_and: return pack<U>(ua & ub);
      case ScalarOp::bit_or: return pack<U>(ua | ub);
      case ScalarOp::bit_xor: return pack<U>(ua ^ ub);
      case ScalarOp::bit_not: return pack<U>(~ua);
      case ScalarOp::shift_left: return pack<U>(ua << b);
      case ScalarOp::shift_right: return pack<I>(a >> b);
      case ScalarOp::shift_right_logical: return pack<U>(ua >> b);
      case ScalarOp::floor_divide: return pack<I>(quotient(a, b));
      case ScalarOp::floor_modulo: return pack<U>(b == 0 ? U(0) : ua - static_cast<U>(quotient(a, b)) * ub);
      case ScalarOp::integer_power: return pack<U>(power(ua, b));
      case ScalarOp::common_divisor: return pack<U>(divisor(a < 0 ? U(0) - ua : ua, b < 0 ? U(0) - ub : ub));
      case ScalarOp::bitcast: return pack<I>(a);
      default: return converted_integer(result, a);
    }
  }
  template <class I>
  static I quotient(I a, I b) {
    if (b == 0) return 0;
    if (b == -1) return static_cast<I>(0 - static_cast<std::make_unsigned_t<I>>(a));
    const I down = a / b;
    return down * b != a && (a < 0) != (b < 0) ? down - 1 : down;
  }
  template <class U>
  static U divisor(U a, U b) {
    return b == 0 ? a : divisor(b, static_cast<U>(a % b));
  }
  template <class U, class I>
  static U power(U base, I n) {
    if (n < 0) return 0;
    U result = 1;
    for (int bit = 8 * static_cast<int>(sizeof(I)) - 2; bit >= 0; --bit) {
      result *= result;
      if (n >> bit & 1) result *= base;
    }
    return result;
  }
  template <class I>
  static uint64_t converted_integer(Dtype result, I a) {
    if (is_narrow(result)) {
      uint64_t lower = 0;
      std::memcpy(&lower, &a, size_of(result));
      return lower;
    }
    switch (result) {
      case Dtype::boolean: return a != 0;
      case Dtype::i32: return pack(static_cast<int32_t>(a));
      case Dtype::i64: return pack(static_cast<int64_t>(a));
      case Dtype::f32: return pack(static_cast<float>(a));
      default: return pack(static_cast<double>(a));
    }
  }
  uint64_t truths(ScalarOp op, Dtype result, ScalarRef ra, ScalarRef rb, ScalarRef rc) const {
    const uint64_t a = values_[ra.id] & 1, b = values_[rb.id] & 1;
    switch (op) {
      case ScalarOp::select: return a ? values_[rb.id] : values_[rc.id];
      case ScalarOp::bit_and: return a & b;
      case ScalarOp::bit_or: return a | b;
      case ScalarOp::bit_xor: return a ^ b;
      case ScalarOp::bit_not: return a ^ 1;
      default: return converted_integer(result, static_cast<int32_t>(a));
    }
  }

  std::vector<uint64_t> values_ = {0};
};

}  // namespace covec::ops
