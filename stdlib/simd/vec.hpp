// Vec holds `lanes` elements of type E: the number type of pointwise bodies in eager kernels. Elements of 64 bits take
// two registers, so every vector has the same number of lanes and conversions pair up. The operations are exactly those
// of ScalarBuilder (stdlib/ops/contract/scalar_builder.hpp). All are exactly defined, so every instruction set gives
// the same bits. Start at Vec, then Mask; memory.hpp has loads, stores and tails, convert.hpp the conversions.
#pragma once

#if COVEC_ISA_LEVEL == 2
#include "stdlib/simd/avx512.hpp"
#elif COVEC_ISA_LEVEL == 1
#include "stdlib/simd/avx2.hpp"
#else
#include "stdlib/simd/baseline.hpp"
#endif

namespace covec::COVEC_ISA {

// One truth value per lane, for elements of `bytes` bytes.
template <int bytes>
struct MaskPart;
#if COVEC_ISA_LEVEL == 2
template <>
struct MaskPart<4> {
  using type = __mmask16;
};
template <>
struct MaskPart<8> {
  using type = __mmask8;
};
#else
template <>
struct MaskPart<4> {
  using type = Ri32;
};
template <>
struct MaskPart<8> {
  using type = Ri64;
};

template <class R>
[[gnu::always_inline]] inline auto less(R a, R b) {
  return a < b;
}
template <class R>
[[gnu::always_inline]] inline auto less_equal(R a, R b) {
  return a <= b;
}
template <class R>
[[gnu::always_inline]] inline auto equal(R a, R b) {
  return a == b;
}
[[gnu::always_inline]] inline Rf32 select(Ri32 m, Rf32 a, Rf32 b) { return m ? a : b; }
[[gnu::always_inline]] inline Rf64 select(Ri64 m, Rf64 a, Rf64 b) { return m ? a : b; }
[[gnu::always_inline]] inline Ri32 select(Ri32 m, Ri32 a, Ri32 b) { return m ? a : b; }
[[gnu::always_inline]] inline Ri64 select(Ri64 m, Ri64 a, Ri64 b) { return m ? a : b; }
#endif

template <int bytes>
struct Mask {
  static constexpr int parts = bytes / 4;  // registers: a lane of one has 4 bytes
  using Part = typename MaskPart<bytes>::type;
  Part part[parts];
};

template <int bytes, class F>
[[gnu::always_inline]] inline Mask<bytes> combine(const Mask<bytes>& a, const Mask<bytes>& b, F f) {
  if constexpr (bytes == 4)
    return {{f(a.part[0], b.part[0])}};
  else
    return {{f(a.part[0], b.part[0]), f(a.part[1], b.part[1])}};
}
template <int bytes>
[[gnu::always_inline]] inline Mask<bytes> operator&(const Mask<bytes>& a, const Mask<bytes>& b) {
  using Part = typename Mask<bytes>::Part;
  return combine(a, b, [](Part x, Part y) { return static_cast<Part>(x & y); });
}
template <int bytes>
[[gnu::always_inline]] inline Mask<bytes> operator|(const Mask<bytes>& a, const Mask<bytes>& b) {
  using Part = typename Mask<bytes>::Part;
  return combine(a, b, [](Part x, Part y) { return static_cast<Part>(x | y); });
}
template <int bytes>
[[gnu::always_inline]] inline Mask<bytes> operator^(const Mask<bytes>& a, const Mask<bytes>& b) {
  using Part = typename Mask<bytes>::Part;
  return combine(a, b, [](Part x, Part y) { return static_cast<Part>(x ^ y); });
}
template <int bytes>
[[gnu::always_inline]] inline Mask<bytes> operator~(const Mask<bytes>& a) {
  using Part = typename Mask<bytes>::Part;
  return combine(a, a, [](Part x, Part) { return static_cast<Part>(~x); });
}
template <int bytes>
[[gnu::always_inline]] inline bool any(const Mask<bytes>& m) {
  if constexpr (bytes == 4)
    return any(m.part[0]);
  else
    return any(static_cast<typename Mask<bytes>::Part>(m.part[0] | m.part[1]));
}

// Applies f to the registers of vectors (or masks) side by side.
template <class R, class F, class... A>
[[gnu::always_inline]] inline R lanewise(F f, const A&... a) {
  if constexpr (R::parts == 1)
    return R{f(a.part[0]...)};
  else
    return R{f(a.part[0]...), f(a.part[1]...)};
}

template <class E>
struct Vec {
  using Element = E;
  using Integer = Vec<typename RegisterOf<E>::Integer>;
  using Truth = Mask<sizeof(E)>;
  template <class To>
  using Of = Vec<To>;
  static constexpr int parts = sizeof(E) / 4;  // registers: a lane of one has 4 bytes
  static constexpr bool is_float = E(0.5) != E(0);
  using Part = Register<E>;
  Part part[parts];

  Vec() = default;
  [[gnu::always_inline]] Vec(E x) {  // NOLINT: constants convert
    for (int p = 0; p < parts; ++p) part[p] = splat(x);
  }
  [[gnu::always_inline]] explicit Vec(Part a) requires(parts == 1) : part{a} {}
  [[gnu::always_inline]] Vec(Part a, Part b) requires(parts == 2) : part{a, b} {}

  // Friends, so that constants convert: x * 0.5.
  [[gnu::always_inline]] friend inline Vec operator+(Vec a, Vec b) {
    return lanewise<Vec>([](auto x, auto y) { return x + y; }, a, b);
  }
  [[gnu::always_inline]] friend inline Vec operator-(Vec a, Vec b) {
    return lanewise<Vec>([](auto x, auto y) { return x - y; }, a, b);
  }
  [[gnu::always_inline]] friend inline Vec operator*(Vec a, Vec b) {
    return lanewise<Vec>([](auto x, auto y) { return x * y; }, a, b);
  }
  [[gnu::always_inline]] friend inline Vec operator/(Vec a, Vec b) {
    return lanewise<Vec>([](auto x, auto y) { return x / y; }, a, b);
  }
  [[gnu::always_inline]] friend inline Vec operator&(Vec a, Vec b) {
    return lanewise<Vec>([](auto x, auto y) { return x & y; }, a, b);
  }
  [[gnu::always_inline]] friend inline Vec operator|(Vec a, Vec b) {
    return lanewise<Vec>([](auto x, auto y) { return x | y; }, a, b);
  }
  [[gnu::always_inline]] friend inline Vec operator^(Vec a, Vec b) {
    return lanewise<Vec>([](auto x, auto y) { return x ^ y; }, a, b);
  }
  [[gnu::always_inline]] friend inline Vec operator-(Vec a) {
    return lanewise<Vec>([](auto x) { return -x; }, a);
  }
  [[gnu::always_inline]] friend inline Vec operator~(Vec a) {
    return lanewise<Vec>([](auto x) { return ~x; }, a);
  }
  [[gnu::always_inline]] friend inline Truth operator<(Vec a, Vec b) {
    return lanewise<Truth>([](auto x, auto y) { return less(x, y); }, a, b);
  }
  [[gnu::always_inline]] friend inline Truth operator<=(Vec a, Vec b) {
    return lanewise<Truth>([](auto x, auto y) { return less_equal(x, y); }, a, b);
  }
  [[gnu::always_inline]] friend inline Truth operator==(Vec a, Vec b) {
    return lanewise<Truth>([](auto x, auto y) { return equal(x, y); }, a, b);
  }
  [[gnu::always_inline]] friend inline Truth operator>(Vec a, Vec b) { return b < a; }
  [[gnu::always_inline]] friend inline Truth operator>=(Vec a, Vec b) { return b <= a; }
  [[gnu::always_inline]] friend inline Truth operator!=(Vec a, Vec b) { return ~(a == b); }
  // Shifts of integers; amounts lie in [0, width).
  [[gnu::always_inline]] friend inline Vec shift_left(Vec a, Vec by) {
    return lanewise<Vec>([](auto x, auto y) { return x << y; }, a, by);
  }
  [[gnu::always_inline]] friend inline Vec shift_right(Vec a, Vec by) {
    return lanewise<Vec>([](auto x, auto y) { return x >> y; }, a, by);
  }
  [[gnu::always_inline]] friend inline Vec shift_right_logical(Vec a, Vec by) {
    using Unsigned = typename RegisterOf<E>::Unsigned;
    return lanewise<Vec>([](Part x, Part y) { return (Part)((Unsigned)x >> (Unsigned)y); }, a, by);
  }
};

template <class E>
[[gnu::always_inline]] inline Vec<E> select(Mask<sizeof(E)> m, Vec<E> a, Vec<E> b) {
  return lanewise<Vec<E>>([](auto t, auto x, auto y) { return select(t, x, y); }, m, a, b);
}
template <class E>
[[gnu::always_inline]] inline Vec<E> fma(Vec<E> a, Vec<E> b, Vec<E> c) {
  return lanewise<Vec<E>>([](auto x, auto y, auto z) { return fma(x, y, z); }, a, b, c);
}
template <class E>
[[gnu::always_inline]] inline Vec<E> sqrt(Vec<E> a) {
  return lanewise<Vec<E>>([](auto x) { return sqrt(x); }, a);
}
template <class E>
[[gnu::always_inline]] inline Vec<E> floor(Vec<E> a) {
  return lanewise<Vec<E>>([](auto x) { return floor(x); }, a);
}
template <class E>
[[gnu::always_inline]] inline Vec<E> ceil(Vec<E> a) {
  return lanewise<Vec<E>>([](auto x) { return ceil(x); }, a);
}
template <class E>
[[gnu::always_inline]] inline Vec<E> trunc(Vec<E> a) {
  return lanewise<Vec<E>>([](auto x) { return trunc(x); }, a);
}
template <class E>
[[gnu::always_inline]] inline Vec<E> round_even(Vec<E> a) {
  return lanewise<Vec<E>>([](auto x) { return round_even(x); }, a);
}

// The bits of a float as an integer, and back.
template <class E>
[[gnu::always_inline]] inline typename Vec<E>::Integer bits(Vec<E> a) {
  using Integer = typename Vec<E>::Integer;
  return lanewise<Integer>([](auto x) { return (typename Integer::Part)x; }, a);
}
[[gnu::always_inline]] inline Vec<float> from_bits(Vec<int32_t> a) {
  return lanewise<Vec<float>>([](Ri32 x) { return (Rf32)x; }, a);
}
[[gnu::always_inline]] inline Vec<double> from_bits(Vec<int64_t> a) {
  return lanewise<Vec<double>>([](Ri64 x) { return (Rf64)x; }, a);
}

// `usual`, but where the condition holds what slow() gives; slow is computed only when some lane needs it, out of line,
// so that it costs the usual path neither registers nor code.
template <class V, class F>
[[gnu::noinline, gnu::cold]] void out_of_line(V& result, const F& slow) {
  result = slow();
}
template <class E, class F>
[[gnu::always_inline]] inline Vec<E> rare(Mask<sizeof(E)> condition, Vec<E> usual, F slow) {
  if (__builtin_expect(any(condition), 0)) {
    Vec<E> other;
    out_of_line(other, slow);
    return select(condition, other, usual);
  }
  return usual;
}

}  // namespace covec::COVEC_ISA
