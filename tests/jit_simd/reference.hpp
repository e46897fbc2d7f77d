// What a scalar operation means, in plain C++, on numbers as words (their bytes, the low ones); and numbers that are
// worth trying.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "jit/loops/scalar_ops.hpp"

namespace covec::tests {

using Word = uint64_t;

template <class T>
T from_word(Word w) {
  if constexpr (std::is_same_v<T, bool>) return (w & 0xff) != 0;
  T x;
  std::memcpy(&x, &w, sizeof x);
  return x;
}
template <class T>
Word to_word(T x) {
  Word w = 0;
  std::memcpy(&w, &x, sizeof x);
  return w;
}

template <class F>
auto with_type(Dtype dtype, F f) {
  switch (dtype) {
    case Dtype::boolean: return f(bool{});
    case Dtype::i32: return f(int32_t{});
    case Dtype::i64: return f(int64_t{});
    case Dtype::f32: return f(float{});
    default: return f(double{});
  }
}

template <class T>
T saturated(double x) {
  if (std::isnan(x)) return 0;
  if (x >= -static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::max();
  if (x < static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(x);
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, bool>)
    return x != 0;
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return saturated<To>(x);
  else
    return static_cast<To>(x);
}

template <class T>
Word float_reference(ops::ScalarOp op, T a, T b, T c) {
  using enum ops::ScalarOp;
  switch (op) {
    case add: return to_word(a + b);
    case sub: return to_word(a - b);
    case mul: return to_word(a * b);
    case negate: return to_word(-a);
    case div: return to_word(a / b);
    case sqrt: return to_word(std::sqrt(a));
    case fma: return to_word(std::fma(a, b, c));
    case floor: return to_word(std::floor(a));
    case ceil: return to_word(std::ceil(a));
    case trunc: return to_word(std::trunc(a));
    case round_even: return to_word(std::nearbyint(a));
    default: return to_word(std::fmod(a, b));
  }
}

template <class T>
Word integer_reference(ops::ScalarOp op, T a, T b) {
  using enum ops::ScalarOp;
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(a), y = static_cast<U>(b);
  switch (op) {
    case add: return to_word<U>(x + y);
    case sub: return to_word<U>(x - y);
    case mul: return to_word<U>(x * y);
    case negate: return to_word<U>(U{0} - x);
    case bit_and: return to_word<U>(x & y);
    case bit_or: return to_word<U>(x | y);
    case bit_xor: return to_word<U>(x ^ y);
    case bit_not: return to_word<U>(~x);
    case shift_left: return to_word<U>(x << y);
    case shift_right: return to_word<T>(a >> b);
    case shift_right_logical: return to_word<U>(x >> y);
    case floor_divide: {
      if (b == 0) return 0;
      if (b == -1) return to_word<U>(U{0} - x);
      return to_word<T>(static_cast<T>(a / b - (a % b != 0 && (a % b < 0) != (b < 0))));
    }
    case floor_modulo: {
      if (b == 0 || b == -1) return 0;
      const T r = a % b;
      return to_word<T>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
    }
    case common_divisor: {
      U u = a < 0 ? U{0} - x : x, v = b < 0 ? U{0} - y : y;
      while (v != 0) u = std::exchange(v, static_cast<U>(u % v));
      return to_word<U>(u);
    }
    default: {  // integer_power
      if (b < 0) return 0;
      U result = 1, base = x;
      for (U n = y; n != 0; n >>= 1, base *= base) {
        if (n & 1) result *= base;
      }
      return to_word<U>(result);
    }
  }
}

inline Word reference(ops::ScalarOp op, Dtype to, Dtype from, Word a, Word b, Word c) {
  using enum ops::ScalarOp;
  return with_type(from, [&](auto zero) -> Word {
    using T = decltype(zero);
    const T x = from_word<T>(a), y = from_word<T>(b), z = from_word<T>(c);
    switch (op) {
      case lt: return x < y;
      case le: return x <= y;
      case eq: return x == y;
      case ne: return x != y;
      case select: return a != 0 ? b : c;
      case convert: return with_type(to, [&](auto r) -> Word { return to_word(converted<decltype(r)>(x)); });
      case bitcast: return a;
      default: break;
    }
    if constexpr (std::is_same_v<T, bool>)
      return (op == bit_and ? x & y : op == bit_or ? x | y : op == bit_xor ? x ^ y : !x) & 1;
    else if constexpr (std::is_floating_point_v<T>)
      return float_reference<T>(op, x, y, z);
    else
      return integer_reference<T>(op, x, y);
  });
}

inline bool same_number(Dtype dtype, Word a, Word b) {
  if (dtype == Dtype::f32 && std::isnan(from_word<float>(a))) return std::isnan(from_word<float>(b));
  if (dtype == Dtype::f64 && std::isnan(from_word<double>(a))) return std::isnan(from_word<double>(b));
  return a == b;
}

template <class T>
std::vector<Word> float_values() {
  using L = std::numeric_limits<T>;
  std::vector<Word> values;
  for (T x : {T(0),
              T(1),
              T(0.5),
              T(1.5),
              T(2.5),
              T(3),
              T(0.1),
              T(1e10),
              T(2147483647.0),
              T(2147483648.0),
              T(2147483649.0),
              T(9223372036854775807.0),
              T(4503599627370497.5),
              T(8388609),
              T(1e19),
              L::min(),
              L::denorm_min(),
              L::max(),
              L::infinity(),
              L::quiet_NaN()}) {
    values.push_back(to_word(x));
    values.push_back(to_word(-x));
  }
  return values;
}

template <class T>
std::vector<Word> integer_values() {
  using L = std::numeric_limits<T>;
  std::vector<Word> values;
  for (int64_t x : {int64_t{0},
                    int64_t{1},
                    int64_t{2},
                    int64_t{3},
                    int64_t{5},
                    int64_t{7},
                    int64_t{10},
                    int64_t{64},
                    int64_t{1000003},
                    int64_t{0x12345678},
                    int64_t{16777217},
                    int64_t{L::max()},
                    int64_t{L::max() - 1},
                    int64_t{L::max() / 2 + 1},
                    int64_t{L::min()},
                    int64_t{L::min() + 1},
                    static_cast<int64_t>(0x7fffff4000000001),
                    int64_t{1} << 53,
                    (int64_t{1} << 53) + 1,
                    (int64_t{1} << 32) + 1,
                    int64_t{9007199254740993}}) {
    values.push_back(to_word(static_cast<T>(x)));
    values.push_back(to_word(static_cast<T>(-static_cast<uint64_t>(x))));
  }
  return values;
}

inline std::vector<Word> values_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean: return {0, 1};
    case Dtype::i32: return integer_values<int32_t>();
    case Dtype::i64: return integer_values<int64_t>();
    case Dtype::f32: return float_values<float>();
    default: return float_values<double>();
  }
}

inline constexpr Dtype all_dtypes[] = {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f32, Dtype::f64};

struct OpCase {
  ops::ScalarOp op;
  Dtype to;
  Dtype operands[3];
  uint8_t arity;
  Word result(Word a, Word b, Word c) const { return reference(op, to, operands[arity - 1], a, b, c); }
  std::string name() const {
    std::string text(loops::name_of(op));
    for (unsigned k = 0; k < arity; ++k) text += "_" + std::string(name_of(operands[k]));
    return text + "_" + std::string(name_of(to));
  }
  // What operand k may be: amounts of shifts lie in [0, width).
  std::vector<Word> values(unsigned k) const {
    using enum ops::ScalarOp;
    if (k == 1 && (op == shift_left || op == shift_right || op == shift_right_logical)) {
      const Word width = 8 * size_of(to);
      return {0, 1, 2, 7, 8, 31, width / 2, width - 2, width - 1};
    }
    return values_of(operands[k]);
  }
};

// Every operation with all dtypes that it takes.
inline std::vector<OpCase> all_cases() {
  std::vector<OpCase> cases;
  for (size_t number = 0; number < loops::scalar_op_count; ++number) {
    const auto op = static_cast<ops::ScalarOp>(number);
    for (Dtype to : all_dtypes) {
      for (Dtype of : all_dtypes) {
        const Dtype first = op == ops::ScalarOp::select ? Dtype::boolean : of;
        if (loops::accepts(op, to, {first, of, of}))
          cases.push_back({op, to, {first, of, of}, loops::info_of(op).arity});
      }
    }
  }
  return cases;
}

}  // namespace covec::tests
