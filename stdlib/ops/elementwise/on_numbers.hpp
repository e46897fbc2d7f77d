// Applies operators to unboxed numbers. It is the third number type, beside Vec and Expr, for pointwise bodies, and
// covers operators that programs apply to single numbers. A call takes about two nanoseconds and gives the kernels'
// bits, since it is the same body. The interpreter's fast path (interpreter/eval/values/arithmetic.hpp) uses it too.
// Start at on_numbers.
#pragma once

#include <type_traits>

#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::ops {

// A number by itself; its operations are those of scalar_builder.hpp.
template <class E>
struct Number {
  using Element = E;
  using Unsigned = std::make_unsigned_t<typename IntegerFor<E>::type>;
  static constexpr bool is_float = std::is_floating_point_v<E>;

  constexpr explicit Number(E number) : value(number) {}
  E value;

  friend Number operator+(Number a, Number b) {
    if constexpr (is_float)
      return Number(a.value + b.value);
    else
      return wrapped(bits(a) + bits(b));
  }
  friend Number operator-(Number a, Number b) {
    if constexpr (is_float)
      return Number(a.value - b.value);
    else
      return wrapped(bits(a) - bits(b));
  }
  friend Number operator*(Number a, Number b) {
    if constexpr (is_float)
      return Number(a.value * b.value);
    else
      return wrapped(bits(a) * bits(b));
  }
  friend Number operator/(Number a, Number b) requires(is_float) { return Number(a.value / b.value); }
  friend Number operator-(Number a) {
    if constexpr (is_float)
      return Number(-a.value);
    else
      return wrapped(-bits(a));
  }
  friend Number floor_divide(Number a, Number b) requires(!is_float) {
    if (b.value == 0) return Number(0);
    if (b.value == -1) return -a;
    const bool down = (a.value % b.value != 0) & ((a.value ^ b.value) < 0);
    return Number(a.value / b.value - down);
  }
  friend Number floor_modulo(Number a, Number b) requires(!is_float) {
    if (b.value == 0 || b.value == -1) return Number(0);
    const E rest = a.value % b.value;
    return Number(rest != 0 && (rest ^ b.value) < 0 ? rest + b.value : rest);
  }
  friend bool operator<(Number a, Number b) { return a.value < b.value; }
  friend bool operator<=(Number a, Number b) { return a.value <= b.value; }
  friend bool operator>(Number a, Number b) { return a.value > b.value; }
  friend bool operator>=(Number a, Number b) { return a.value >= b.value; }
  friend bool operator==(Number a, Number b) { return a.value == b.value; }
  friend bool operator!=(Number a, Number b) { return a.value != b.value; }

 private:
  static Unsigned bits(Number a) { return static_cast<Unsigned>(a.value); }
  static Number wrapped(Unsigned bits) { return Number(static_cast<E>(bits)); }
};

template <>
struct Number<bool> {
  constexpr explicit Number(bool truth) : value(truth) {}
  bool value;
  friend Number operator&(Number a, Number b) { return Number(a.value && b.value); }
  friend Number operator|(Number a, Number b) { return Number(a.value || b.value); }
  friend Number operator~(Number a) { return Number(!a.value); }
};

template <class E>
E plain(Number<E> number) {
  return number.value;
}
inline bool plain(bool truth) { return truth; }

template <class Operator, class... Operators>
constexpr bool is_one_of = (std::is_same_v<Operator, Operators> || ...);

// Which operators of two numbers go this way.
template <class Operator>
constexpr bool has_scalar_form = is_one_of<Operator, Add, Subtract, Multiply, Divide, FloorDivide, Modulo, Less,
                                           LessEqual, Greater, GreaterEqual, Equal, NotEqual>;
// The remainder of floats is left to the kernel.
template <class Operator, class E>
constexpr bool computes_scalars = std::is_same_v<E, int64_t> || !is_one_of<Operator, FloorDivide, Modulo>;

// False where the operator fails for these numbers: the kernel says how.
template <class Operator, class E, class Result>
[[gnu::always_inline]] inline bool on_numbers(E a, E b, Result&& result) {
  if constexpr (!computes_scalars<Operator, E>) {
    return false;
  } else if constexpr (Operator::info.types == TypeClass::floating && std::is_integral_v<E>) {
    return on_numbers<Operator>(static_cast<double>(a), static_cast<double>(b), result);
  } else {
    const Number<E> x(a), y(b);
    if constexpr (requires { Operator::fails(x, y); }) {
      if (Operator::fails(x, y)) return false;
    }
    result(plain(Operator::body(x, y)));
    return true;
  }
}

// Both i64, both f64, or one of each.
template <class Operator>
bool on_values(const Value& a, const Value& b, Value& out) {
  const auto set = [&](auto number) { out = Value(number); };
  const auto real = [](const Value& v) { return v.tag() == Tag::f64 ? v.f64() : static_cast<double>(v.i64()); };
  const auto covered = [](const Value& v) { return v.tag() == Tag::i64 || v.tag() == Tag::f64; };
  if (!covered(a) || !covered(b)) return false;
  if (a.tag() == Tag::i64 && b.tag() == Tag::i64) return on_numbers<Operator>(a.i64(), b.i64(), set);
  return on_numbers<Operator>(real(a), real(b), set);
}

template <class Operator>
constexpr ScalarFunction scalar_function() {
  if constexpr (has_scalar_form<Operator>)
    return on_values<Operator>;
  else
    return nullptr;
}

}  // namespace covec::ops
