// Turns a body into an eager kernel: a loop over vectors, with a partial vector at the end. One loop serves all
// mixtures of tensors and splat operands. A splat operand fills a buffer that is read again and again. A load from the
// nearest cache costs nothing beside the memory traffic, and the code is not multiplied by the mixtures.
#pragma once

#include "stdlib/ops/elementwise/bodies/info.hpp"
#include "stdlib/ops/elementwise/kernels/table.hpp"
#include "stdlib/simd/convert.hpp"
#include "stdlib/simd/memory.hpp"

namespace covec::COVEC_ISA {

using kernels::KernelRow;
using ops::Failure;
using ops::List;
using ops::TypeClass;

// How an operand or result of element type E travels: its type in memory, its vector, and how one becomes the other.
// Truth<bytes> is a bool beside elements of that many bytes.
template <int bytes>
struct Truth {};
template <class E>
struct Lane {
  using Memory = E;
  using Vector = Vec<E>;
  [[gnu::always_inline]] static Vector get(const E* p) { return load(p); }
  [[gnu::always_inline]] static Vector get(const E* p, int64_t count) { return load_first(p, count); }
};
template <int bytes>
struct Lane<Truth<bytes>> {
  using Memory = uint8_t;
  using Vector = Mask<bytes>;
  [[gnu::always_inline]] static Vector get(const uint8_t* p) { return load_mask<bytes>(p); }
  [[gnu::always_inline]] static Vector get(const uint8_t* p, int64_t count) { return load_mask_first<bytes>(p, count); }
};

template <class Half>
requires(Half::is_half) struct Lane<Half> {
  using Memory = Half;
  using Vector = Vec<float>;
  [[gnu::always_inline]] static Vector get(const Half* p) { return load_half(p); }
  [[gnu::always_inline]] static Vector get(const Half* p, int64_t count) { return load_half_first(p, count); }
};

// One operand: where it is, and how far to go for the next vector (0 when splat).
template <class E>
struct Operand {
  using Memory = typename Lane<E>::Memory;
  const Memory* pointer;
  int64_t step;
  alignas(64) Memory buffer[lanes < 8 ? 8 : lanes];
  [[gnu::always_inline]] Operand(const void* p, bool splat) : pointer(static_cast<const Memory*>(p)), step(1) {
    if (!splat) return;
    for (Memory& element : buffer) element = *pointer;
    pointer = buffer;
    step = 0;
  }
  Operand(const Operand&) = delete;
  [[gnu::always_inline]] auto at(int64_t i) const { return Lane<E>::get(pointer + i * step); }
  [[gnu::always_inline]] auto first(int64_t i, int64_t count) const { return Lane<E>::get(pointer + i * step, count); }
};

// The first of `count` lanes where the mask holds, or -1.
template <int bytes>
[[gnu::noinline]] int64_t first_true(Mask<bytes> mask, int64_t count) {
  uint8_t truth[lanes < 8 ? 8 : lanes];
  store(truth, mask);
  for (int64_t i = 0; i < count; ++i) {
    if (truth[i]) return i;
  }
  return -1;
}

template <class Operator, class... V>
concept CanFail = requires(V... v) {
  Operator::fails(v...);
};

// How many lanes to take first, so that vectors of a long row are stored where cache lines begin: a row of a matrix
// begins anywhere. With vectors shorter than a line, and short rows, lanes in part cost more than that saves.
template <class Out>
[[gnu::always_inline]] inline int64_t lanes_before_line(const Out* out, int64_t n) {
  constexpr int64_t long_row = 48 * lanes;  // elements: 48 vectors
  const uint64_t beyond = reinterpret_cast<uint64_t>(out) % 64;
  if (COVEC_ISA_LEVEL < 2 || n < long_row || beyond == 0) return 0;
  return static_cast<int64_t>((64 - beyond) / sizeof(Out)) % lanes;
}

// `apply` gives the result of vectors; out is the memory of its lanes. Lanes in part come first or last, so this goes
// round once or twice.
template <class Operator, class Out, class Apply, class... Operands>
[[gnu::always_inline]] inline int64_t loop(Out* out, int64_t n, Apply apply, const Operands&... operands) {
  int64_t i = 0, part = lanes_before_line(out, n);
  for (;;) {
    if (part > 0) {
      if constexpr (CanFail<Operator, decltype(operands.at(0))...>) {
        const int64_t failed = first_true(Operator::fails(operands.first(i, part)...), part);
        if (failed >= 0) return i + failed;
      }
      store_first(out + i, apply(operands.first(i, part)...), part);
      i += part;
    }
    for (; i + lanes <= n; i += lanes) {
      if constexpr (CanFail<Operator, decltype(operands.at(0))...>) {
        const auto failed = Operator::fails(operands.at(i)...);
        if (__builtin_expect(any(failed), 0)) return i + first_true(failed, lanes);
      }
      store(out + i, apply(operands.at(i)...));
    }
    if (i == n) return -1;
    part = n - i;
  }
}

template <class V>
struct MemoryOf;
template <class E>
struct MemoryOf<Vec<E>> {
  using type = E;
};
template <int bytes>
struct MemoryOf<Mask<bytes>> {
  using type = uint8_t;
};

template <class Operator, class... V>
[[gnu::always_inline]] inline auto body_of(int64_t parameter, V... x) {
  if constexpr (Operator::info.parameter)
    return Operator::body(x..., parameter);
  else
    return Operator::body(x...);
}

template <class Operator, class A>
int64_t run1(void* out, const void* const* in, int64_t n, unsigned splat, int64_t parameter) {
  const Operand<A> a(in[0], splat & 1);
  const auto apply = [=](auto x) { return body_of<Operator>(parameter, x); };
  using Out = typename MemoryOf<decltype(apply(a.at(0)))>::type;
  return loop<Operator>(static_cast<Out*>(out), n, apply, a);
}
template <class Operator, class A, class B>
int64_t run2(void* out, const void* const* in, int64_t n, unsigned splat, int64_t parameter) {
  const Operand<A> a(in[0], splat & 1);
  const Operand<B> b(in[1], splat & 2);
  const auto apply = [=](auto x, auto y) { return body_of<Operator>(parameter, x, y); };
  using Out = typename MemoryOf<decltype(apply(a.at(0), b.at(0)))>::type;
  return loop<Operator>(static_cast<Out*>(out), n, apply, a, b);
}
template <class Operator, class A, class B, class C>
int64_t run3(void* out, const void* const* in, int64_t n, unsigned splat, int64_t parameter) {
  const Operand<A> a(in[0], splat & 1);
  const Operand<B> b(in[1], splat & 2);
  const Operand<C> c(in[2], splat & 4);
  const auto apply = [=](auto x, auto y, auto z) { return body_of<Operator>(parameter, x, y, z); };
  using Out = typename MemoryOf<decltype(apply(a.at(0), b.at(0), c.at(0)))>::type;
  return loop<Operator>(static_cast<Out*>(out), n, apply, a, b, c);
}

template <class Operator, class E>
constexpr kernels::PointwiseKernel kernel_of() {
  constexpr int operands = Operator::info.arity - (Operator::info.parameter ? 1 : 0);
  if constexpr (operands == 1)
    return run1<Operator, E>;
  else if constexpr (operands == 2)
    return run2<Operator, E, E>;
  else if constexpr (Operator::info.types == TypeClass::choice)
    return run3<Operator, Truth<sizeof(E)>, E, E>;
  else
    return run3<Operator, E, E, E>;
}

template <class Operator>
constexpr KernelRow row_of() {
  constexpr TypeClass types = Operator::info.types;
  constexpr bool bools = types == TypeClass::bits || types == TypeClass::truth;
  constexpr bool integers = types != TypeClass::floating && types != TypeClass::truth;
  constexpr bool floats = !bools && types != TypeClass::integers;
  KernelRow row;
  if constexpr (bools) row.by_compute[0] = kernel_of<Operator, Truth<4>>();
  if constexpr (integers) row.by_compute[1] = kernel_of<Operator, int32_t>();
  if constexpr (integers) row.by_compute[2] = kernel_of<Operator, int64_t>();
  if constexpr (floats) row.by_compute[3] = kernel_of<Operator, float>();
  if constexpr (floats) row.by_compute[4] = kernel_of<Operator, double>();
  return row;
}

template <class Family>
struct Rows;
template <class... Operators>
struct Rows<List<Operators...>> {
  static constexpr KernelRow rows[] = {row_of<Operators>()...};
};

}  // namespace covec::COVEC_ISA
