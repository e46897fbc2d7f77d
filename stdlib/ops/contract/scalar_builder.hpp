// ScalarBuilder: the scalar operations that pointwise bodies are written in. It is an interface that each engine
// implements: its loop IR, or C99 text. Every operation is exactly defined (IEEE, or wrapping integers), so engines
// agree bit by bit by construction. A body's template takes Expr as its number type; its twin for eager kernels is Vec
// (stdlib/simd/vec.hpp). Start at ScalarOp.
#pragma once

#include <cstdint>
#include <cstring>

#include "stdlib/value/dtype.hpp"

namespace covec::ops {

enum class ScalarOp : uint8_t {
  // numbers; integers wrap
  add,
  sub,
  mul,
  negate,
  // floats
  div,
  sqrt,
  fma,  // fma(a, b, c) = a·b + c, rounded once
  floor,
  ceil,
  trunc,
  round_even,  // the sign of zero is kept
  remainder,   // C's fmod: exact, with the sign of a
  // comparisons of numbers, giving bool: false with a NaN, but for ne
  lt,
  le,
  eq,
  ne,
  // select(bool c, a, b): c ? a : b, whatever their dtype
  select,
  // bools and integers
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  // integers; amounts have the dtype of what is shifted and lie in [0, width)
  shift_left,
  shift_right,
  shift_right_logical,
  floor_divide,
  floor_modulo,    // toward minus infinity; by 0: 0; the smallest by −1 wraps
  integer_power,   // wraps; a negative exponent gives 0
  common_divisor,  // the greatest; of 0 and 0: 0; one of the smallest wraps to it
  // between dtypes: `result` says which
  convert,  // bool → 0, 1; number → bool: ≠ 0; i64 → i32 wraps; integer → float rounds once (ties to even);
  // f64 → f32 rounds; float → integer goes toward zero, saturates, and takes NaN to 0. Narrow dtypes are taken
  // from and to what they are computed with only, and select is all else that takes them: ScalarBuilder::convert does
  // the rest. To a narrow integer wraps
  bitcast,  // f32 ↔ i32, f64 ↔ i64
};

struct ScalarRef {
  uint32_t id = 0;
  Dtype dtype = Dtype::f64;
};

class ScalarBuilder {
 public:
  virtual ~ScalarBuilder() = default;
  // `bits`: of the number, in the low bytes.
  virtual ScalarRef constant(Dtype dtype, uint64_t bits) = 0;
  // Operands that the operation does not have are left out. The operands' dtypes are in the references.
  virtual ScalarRef emit(ScalarOp op, Dtype result, ScalarRef a, ScalarRef b = {}, ScalarRef c = {}) = 0;
  // Any dtype in any other, rounded once.
  virtual ScalarRef convert(ScalarRef value, Dtype to);
  // a + b of one dtype: of a narrow dtype the sum in what it is computed with, narrowed.
  ScalarRef sum(ScalarRef a, ScalarRef b);
  // `usual`, but what slow(state) emits where the condition holds, which is hardly ever: an engine may branch around
  // it.
  virtual ScalarRef rare(ScalarRef condition, ScalarRef usual, ScalarRef (*slow)(void* state), void* state) {
    return emit(ScalarOp::select, usual.dtype, condition, slow(state), usual);
  }
};

template <class E>
constexpr Dtype dtype_for();
template <>
constexpr Dtype dtype_for<bool>() {
  return Dtype::boolean;
}
template <>
constexpr Dtype dtype_for<int32_t>() {
  return Dtype::i32;
}
template <>
constexpr Dtype dtype_for<int64_t>() {
  return Dtype::i64;
}
template <>
constexpr Dtype dtype_for<float>() {
  return Dtype::f32;
}
template <>
constexpr Dtype dtype_for<double>() {
  return Dtype::f64;
}

template <class E>
struct IntegerFor {
  using type = E;
};
template <>
struct IntegerFor<float> {
  using type = int32_t;
};
template <>
struct IntegerFor<double> {
  using type = int64_t;
};

// An expression under construction, or a constant that no builder has seen yet. It goes in two registers: bodies are
// long rows of operations, and this keeps them short.
struct Operand {
  ScalarBuilder* builder = nullptr;
  uint64_t bits = 0;  // of the constant; with a builder, the reference's number
};

struct Operation {
  ScalarOp op;
  Dtype result;
  Dtype operands[3] = {};
};

// At least one operand of an operation comes from a builder.
Operand emit(Operation operation, Operand a);
Operand emit(Operation operation, Operand a, Operand b);
Operand emit(Operation operation, Operand a, Operand b, Operand c);

// An Operand of element type E.
template <class E>
class Expr : public Operand {
 public:
  using Element = E;
  using Integer = Expr<typename IntegerFor<E>::type>;
  using Truth = Expr<bool>;
  template <class To>
  using Of = Expr<To>;
  static constexpr bool is_float = E(0.5) != E(0) && E(2) != E(1);

  Expr() = default;
  Expr(E number) { std::memcpy(&bits, &number, sizeof(E)); }  // NOLINT: constants convert
  Expr(ScalarBuilder& builder, ScalarRef ref) : Operand{&builder, ref.id} {}
  explicit Expr(Operand operand) : Operand(operand) {}
  ScalarRef in(ScalarBuilder& with) const {
    return builder != nullptr ? ScalarRef{static_cast<uint32_t>(bits), dtype_for<E>()}
                              : with.constant(dtype_for<E>(), bits);
  }

  friend Expr operator+(Expr a, Expr b) { return emit<E>(ScalarOp::add, a, b); }
  friend Expr operator-(Expr a, Expr b) { return emit<E>(ScalarOp::sub, a, b); }
  friend Expr operator*(Expr a, Expr b) { return emit<E>(ScalarOp::mul, a, b); }
  friend Expr operator/(Expr a, Expr b) { return emit<E>(ScalarOp::div, a, b); }
  friend Expr operator-(Expr a) { return emit<E>(ScalarOp::negate, a); }
  friend Expr operator&(Expr a, Expr b) { return emit<E>(ScalarOp::bit_and, a, b); }
  friend Expr operator|(Expr a, Expr b) { return emit<E>(ScalarOp::bit_or, a, b); }
  friend Expr operator^(Expr a, Expr b) { return emit<E>(ScalarOp::bit_xor, a, b); }
  friend Expr operator~(Expr a) { return emit<E>(ScalarOp::bit_not, a); }
  friend Truth operator<(Expr a, Expr b) { return emit<bool>(ScalarOp::lt, a, b); }
  friend Truth operator<=(Expr a, Expr b) { return emit<bool>(ScalarOp::le, a, b); }
  friend Truth operator>(Expr a, Expr b) { return emit<bool>(ScalarOp::lt, b, a); }
  friend Truth operator>=(Expr a, Expr b) { return emit<bool>(ScalarOp::le, b, a); }
  friend Truth operator==(Expr a, Expr b) { return emit<bool>(ScalarOp::eq, a, b); }
  friend Truth operator!=(Expr a, Expr b) { return emit<bool>(ScalarOp::ne, a, b); }
  friend Expr shift_left(Expr a, Expr by) { return emit<E>(ScalarOp::shift_left, a, by); }
  friend Expr shift_right(Expr a, Expr by) { return emit<E>(ScalarOp::shift_right, a, by); }
  friend Expr shift_right_logical(Expr a, Expr by) { return emit<E>(ScalarOp::shift_right_logical, a, by); }
};

template <class R, class... E>
Expr<R> emit(ScalarOp op, Expr<E>... operands) {
  return Expr<R>(emit(Operation{op, dtype_for<R>(), {dtype_for<E>()...}}, operands...));
}

template <class E>
Expr<E> select(Expr<bool> condition, Expr<E> a, Expr<E> b) {
  return emit<E>(ScalarOp::select, condition, a, b);
}
template <class E>
Expr<E> fma(Expr<E> a, Expr<E> b, Expr<E> c) {
  return emit<E>(ScalarOp::fma, a, b, c);
}
template <class E>
Expr<E> sqrt(Expr<E> a) {
  return emit<E>(ScalarOp::sqrt, a);
}
template <class E>
Expr<E> floor(Expr<E> a) {
  return emit<E>(ScalarOp::floor, a);
}
template <class E>
Expr<E> ceil(Expr<E> a) {
  return emit<E>(ScalarOp::ceil, a);
}
template <class E>
Expr<E> trunc(Expr<E> a) {
  return emit<E>(ScalarOp::trunc, a);
}
template <class E>
Expr<E> round_even(Expr<E> a) {
  return emit<E>(ScalarOp::round_even, a);
}
template <class E>
Expr<E> remainder(Expr<E> a, Expr<E> b) {
  return emit<E>(ScalarOp::remainder, a, b);
}
template <class E>
Expr<E> floor_divide(Expr<E> a, Expr<E> b) {
  return emit<E>(ScalarOp::floor_divide, a, b);
}
template <class E>
Expr<E> floor_modulo(Expr<E> a, Expr<E> b) {
  return emit<E>(ScalarOp::floor_modulo, a, b);
}
template <class E>
Expr<E> integer_power(Expr<E> a, Expr<E> b) {
  return emit<E>(ScalarOp::integer_power, a, b);
}
template <class E>
Expr<E> common_divisor(Expr<E> a, Expr<E> b) {
  return emit<E>(ScalarOp::common_divisor, a, b);
}
template <class To, class From>
Expr<To> convert(Expr<From> a) {
  if constexpr (dtype_for<To>() == dtype_for<From>())
    return a;
  else
    return emit<To>(ScalarOp::convert, a);
}
template <class E>
typename Expr<E>::Integer bits(Expr<E> a) {
  return emit<typename IntegerFor<E>::type>(ScalarOp::bitcast, a);
}
inline Expr<float> from_bits(Expr<int32_t> a) { return emit<float>(ScalarOp::bitcast, a); }
inline Expr<double> from_bits(Expr<int64_t> a) { return emit<double>(ScalarOp::bitcast, a); }

template <class E, class F>
Expr<E> rare(Expr<bool> condition, Expr<E> usual, F slow) {
  ScalarBuilder& builder = *condition.builder;
  struct State {
    F& slow;
    ScalarBuilder& builder;
  } state{slow, builder};
  const auto run = [](void* s) { return static_cast<State*>(s)->slow().in(static_cast<State*>(s)->builder); };
  return {builder, builder.rare(condition.in(builder), usual.in(builder), run, &state)};
}

}  // namespace covec::ops
