// Kernels that convert between dtypes, for one instruction set. The conversions: stdlib/simd/convert.hpp; bools are
// bytes 0 and 1 in memory and masks here.
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

namespace {

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

template <class From>
constexpr KernelRow row_from() {
  KernelRow row;
  row.by_dtype[0] = to_bool<From>;
  row.by_dtype[1] = convert_elements<int32_t, From>;
  row.by_dtype[2] = convert_elements<int64_t, From>;
  row.by_dtype[5] = convert_elements<float, From>;
  row.by_dtype[6] = convert_elements<double, From>;
  return row;
}

constexpr KernelRow row_from_bool() {
  KernelRow row;
  row.by_dtype[0] = copy_bools;
  row.by_dtype[1] = from_bool<int32_t>;
  row.by_dtype[2] = from_bool<int64_t>;
  row.by_dtype[5] = from_bool<float>;
  row.by_dtype[6] = from_bool<double>;
  return row;
}

// By the numbering of Dtype; 3 and 4 are free.
constexpr KernelRow rows[kernels::dtype_slots] = {row_from_bool(),   row_from<int32_t>(), row_from<int64_t>(),
                                                  KernelRow{},       KernelRow{},         row_from<float>(),
                                                  row_from<double>()};

}  // namespace

kernels::PointwiseKernel cast_kernel(uint8_t from, uint8_t to) { return rows[from].by_dtype[to]; }

}  // namespace covec::COVEC_ISA
