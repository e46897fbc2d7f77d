// Kernels that convert between dtypes, for one instruction set. The conversions: stdlib/simd/convert.hpp; bools are
// bytes 0 and 1 in memory and masks here.
#include <type_traits>

#include "stdlib/ops/elementwise/kernels/kernel.hpp"
#include "stdlib/simd/half.hpp"
#include "stdlib/simd/narrow.hpp"

namespace covec::COVEC_ISA {

template <class E>
requires(is_narrow_integer<E>) struct Lane<E> {
  using Memory = E;
  using Vector = Vec<Wide<E>>;
  [[gnu::always_inline]] static Vector get(const E* p) { return load_wide(p); }
  [[gnu::always_inline]] static Vector get(const E* p, int64_t count) { return load_wide_first(p, count); }
};

namespace {

// The first seven of Dtype: bool, i32, i64, f16, bf16, f32, f64; then the narrow integers.
constexpr int dtypes = 7 + NarrowIntegers::count;

// By the numbering of Dtype.
struct CastRow {
  kernels::PointwiseKernel to[dtypes] = {};
};

template <class To, class From>
int64_t convert_elements(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<From> a(in[0], splat & 1);
  struct Convert {};
  return loop<Convert>(
      static_cast<To*>(out), n, [](Vec<From> x) { return convert<To>(x); }, a);
}

template <class To>
int64_t from_bool(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<Truth<sizeof(To)>> a(in[0], splat & 1);
  struct FromBool {};
  return loop<FromBool>(
      static_cast<To*>(out), n, [](Mask<sizeof(To)> x) { return select(x, Vec<To>(To(1)), Vec<To>(To(0))); }, a);
}

template <class From>
int64_t to_bool(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<From> a(in[0], splat & 1);
  struct ToBool {};
  return loop<ToBool>(
      static_cast<uint8_t*>(out), n, [](Vec<From> x) { return x != Vec<From>(From(0)); }, a);
}

int64_t copy_bools(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<Truth<4>> a(in[0], splat & 1);
  struct Copy {};
  return loop<Copy>(
      static_cast<uint8_t*>(out), n, [](Mask<4> x) { return x; }, a);
}

// An f32 from which rounding to 16 bits gives what rounding x itself would (value/half.hpp).
template <class From>
[[gnu::always_inline]] inline Vec<float> float_for_half(Vec<From> x) {
  if constexpr (std::is_same_v<From, float>)
    return x;
  else if constexpr (std::is_same_v<From, int64_t>)
    return each_lane<float>([](int64_t e) { return odd_float(odd_double(e)); }, x);
  else
    return each_lane<float>([](double e) { return odd_float(e); }, convert<double>(x));
}

template <class Half, class From>
int64_t to_half(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<From> a(in[0], splat & 1);
  struct ToHalf {};
  return loop<ToHalf>(
      static_cast<Half*>(out), n, [](Vec<From> x) { return float_for_half(x); }, a);
}

template <class Half>
int64_t half_from_bool(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<Truth<4>> a(in[0], splat & 1);
  struct HalfFromBool {};
  return loop<HalfFromBool>(
      static_cast<Half*>(out), n, [](Mask<4> x) { return select(x, Vec<float>(1.0f), Vec<float>(0.0f)); }, a);
}

template <class To, class Half>
int64_t from_half(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<Half> a(in[0], splat & 1);
  struct FromHalf {};
  return loop<FromHalf>(
      static_cast<To*>(out), n, [](Vec<float> x) { return convert<To>(x); }, a);
}

template <class To, class From>
int64_t half_to_half(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<From> a(in[0], splat & 1);
  struct HalfToHalf {};
  return loop<HalfToHalf>(
      static_cast<To*>(out), n, [](Vec<float> x) { return x; }, a);
}

template <class Half>
int64_t half_to_bool(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<Half> a(in[0], splat & 1);
  struct HalfToBool {};
  return loop<HalfToBool>(
      static_cast<uint8_t*>(out), n, [](Vec<float> x) { return x != Vec<float>(0.0f); }, a);
}

// --- narrow integers: to and from what is computed with; from one to another goes by that ---

// Integers wrap; floats go toward zero, saturate, and NaN is 0.
template <class E, class From>
int64_t to_narrow(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<From> a(in[0], splat & 1);
  struct ToNarrow {};
  using W = Wide<E>;
  return loop<ToNarrow>(
      static_cast<E*>(out), n,
      [](auto x) {
        const Vec<W> wide = convert<W>(x);
        if constexpr (!decltype(x)::is_float) return wide;
        constexpr bool is_signed = E(-1) < E(0);
        constexpr W most = static_cast<W>((uint64_t{1} << (8 * sizeof(E) - (is_signed ? 1 : 0))) - 1);
        constexpr W least = is_signed ? -most - 1 : 0;
        const Vec<W> below = select(wide > Vec<W>(most), Vec<W>(most), wide);
        return select(below < Vec<W>(least), Vec<W>(least), below);
      },
      a);
}

template <class E>
int64_t narrow_from_bool(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  using W = Wide<E>;
  const Operand<Truth<sizeof(W)>> a(in[0], splat & 1);
  struct NarrowFromBool {};
  return loop<NarrowFromBool>(
      static_cast<E*>(out), n, [](Mask<sizeof(W)> x) { return select(x, Vec<W>(W(1)), Vec<W>(W(0))); }, a);
}

template <class To, class E>
int64_t from_narrow(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<E> a(in[0], splat & 1);
  struct FromNarrow {};
  return loop<FromNarrow>(
      static_cast<To*>(out), n, [](Vec<Wide<E>> x) { return convert<To>(x); }, a);
}

template <class E>
int64_t narrow_to_bool(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<E> a(in[0], splat & 1);
  struct NarrowToBool {};
  return loop<NarrowToBool>(
      static_cast<uint8_t*>(out), n, [](Vec<Wide<E>> x) { return x != Vec<Wide<E>>(Wide<E>(0)); }, a);
}

template <class Half, class E>
int64_t narrow_to_half(void* out, const void* const* in, int64_t n, unsigned splat, int64_t) {
  const Operand<E> a(in[0], splat & 1);
  struct NarrowToHalf {};
  return loop<NarrowToHalf>(
      static_cast<Half*>(out), n, [](Vec<Wide<E>> x) { return float_for_half(x); }, a);
}

template <class From, class... Narrow>
constexpr void add_narrow(CastRow& row, Types<Narrow...>) {
  int at = 7;
  ((row.to[at++] = to_narrow<Narrow, From>), ...);
}

template <class From>
constexpr CastRow row_from() {
  CastRow row;
  add_narrow<From>(row, NarrowIntegers{});
  row.to[0] = to_bool<From>;
  row.to[1] = convert_elements<int32_t, From>;
  row.to[2] = convert_elements<int64_t, From>;
  row.to[3] = to_half<F16, From>;
  row.to[4] = to_half<Bf16, From>;
  row.to[5] = convert_elements<float, From>;
  row.to[6] = convert_elements<double, From>;
  return row;
}

template <class... Narrow>
constexpr void add_from_bool(CastRow& row, Types<Narrow...>) {
  int at = 7;
  ((row.to[at++] = narrow_from_bool<Narrow>), ...);
}

template <class E>
constexpr CastRow row_from_narrow() {
  CastRow row;
  row.to[0] = narrow_to_bool<E>;
  row.to[1] = from_narrow<int32_t, E>;
  row.to[2] = from_narrow<int64_t, E>;
  row.to[3] = narrow_to_half<F16, E>;
  row.to[4] = narrow_to_half<Bf16, E>;
  row.to[5] = from_narrow<float, E>;
  row.to[6] = from_narrow<double, E>;
  return row;
}

constexpr CastRow row_from_bool() {
  CastRow row;
  row.to[0] = copy_bools;
  row.to[1] = from_bool<int32_t>;
  row.to[2] = from_bool<int64_t>;
  row.to[3] = half_from_bool<F16>;
  row.to[4] = half_from_bool<Bf16>;
  row.to[5] = from_bool<float>;
  row.to[6] = from_bool<double>;
  add_from_bool(row, NarrowIntegers{});
  return row;
}

template <class Half>
constexpr CastRow row_from_half() {
  CastRow row;
  add_narrow<Half>(row, NarrowIntegers{});
  row.to[0] = half_to_bool<Half>;
  row.to[1] = from_half<int32_t, Half>;
  row.to[2] = from_half<int64_t, Half>;
  row.to[3] = half_to_half<F16, Half>;
  row.to[4] = half_to_half<Bf16, Half>;
  row.to[5] = from_half<float, Half>;
  row.to[6] = from_half<double, Half>;
  return row;
}

template <class Narrow>
struct AllRows;
template <class... Narrow>
struct AllRows<Types<Narrow...>> {
  static constexpr CastRow rows[] = {row_from_bool(),      row_from<int32_t>(),         row_from<int64_t>(),
                                     row_from_half<F16>(), row_from_half<Bf16>(),       row_from<float>(),
                                     row_from<double>(),   row_from_narrow<Narrow>()...};
};

}  // namespace

kernels::PointwiseKernel cast_kernel(uint8_t from, uint8_t to) { return AllRows<NarrowIntegers>::rows[from].to[to]; }

}  // namespace covec::COVEC_ISA
