// Kernels that convert between dtypes, for one instruction set. The conversions: stdlib/simd/convert.hpp; bools are
// bytes 0 and 1 in memory and masks here.
#include <type_traits>

#include "stdlib/ops/elementwise/kernels/kernel.hpp"
#include "stdlib/simd/half.hpp"

namespace covec::COVEC_ISA {

namespace {

constexpr int dtypes = 7;
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

template <class From>
constexpr CastRow row_from() {
  CastRow row;
  row.to[0] = to_bool<From>;
  row.to[1] = convert_elements<int32_t, From>;
  row.to[2] = convert_elements<int64_t, From>;
  row.to[3] = to_half<F16, From>;
  row.to[4] = to_half<Bf16, From>;
  row.to[5] = convert_elements<float, From>;
  row.to[6] = convert_elements<double, From>;
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
  return row;
}

template <class Half>
constexpr CastRow row_from_half() {
  CastRow row;
  row.to[0] = half_to_bool<Half>;
  row.to[1] = from_half<int32_t, Half>;
  row.to[2] = from_half<int64_t, Half>;
  row.to[3] = half_to_half<F16, Half>;
  row.to[4] = half_to_half<Bf16, Half>;
  row.to[5] = from_half<float, Half>;
  row.to[6] = from_half<double, Half>;
  return row;
}

constexpr CastRow rows[dtypes] = {row_from_bool(),       row_from<int32_t>(), row_from<int64_t>(), row_from_half<F16>(),
                                  row_from_half<Bf16>(), row_from<float>(),   row_from<double>()};

}  // namespace

kernels::PointwiseKernel cast_kernel(uint8_t from, uint8_t to) { return rows[from].to[to]; }

}  // namespace covec::COVEC_ISA
