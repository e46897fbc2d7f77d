// The table of reduction loops of one instruction set. It decides which accumulator each kind uses for each dtype.
// Integers add and multiply modulo 2^64.
#include "stdlib/kernels/reduce_body.hpp"

namespace covec::COVEC_ISA {

namespace {

using kernels::ReduceKernel;
using kernels::ReduceKind;

template <class In, class A, class Operation>
constexpr ReduceKernel number(Compute out) {
  return Loops<Converted<In, A>, Operation>::table(out);
}

constexpr ReduceKernel sums[] = {
    number<uint8_t, uint64_t, Add<uint64_t>>(Compute::i64), number<int32_t, uint64_t, Add<uint64_t>>(Compute::i64),
    number<int64_t, uint64_t, Add<uint64_t>>(Compute::i64), number<float, float, Add<float>>(Compute::f32),
    number<double, double, Add<double>>(Compute::f64)};
constexpr ReduceKernel float_sums[] = {
    number<uint8_t, double, Add<double>>(Compute::f64), number<int32_t, double, Add<double>>(Compute::f64),
    number<int64_t, double, Add<double>>(Compute::f64), number<float, float, Add<float>>(Compute::f32),
    number<double, double, Add<double>>(Compute::f64)};
constexpr ReduceKernel products[] = {number<uint8_t, uint64_t, Multiply<uint64_t>>(Compute::i64),
                                     number<int32_t, uint64_t, Multiply<uint64_t>>(Compute::i64),
                                     number<int64_t, uint64_t, Multiply<uint64_t>>(Compute::i64),
                                     number<float, float, Multiply<float>>(Compute::f32),
                                     number<double, double, Multiply<double>>(Compute::f64)};
constexpr ReduceKernel largest[] = {number<int8_t, int8_t, Largest<int8_t>>(Compute::boolean),
                                    number<int32_t, int32_t, Largest<int32_t>>(Compute::i32),
                                    number<int64_t, int64_t, Largest<int64_t>>(Compute::i64),
                                    Loops<Key<float, false>, Largest<int32_t>>::table(Compute::f32),
                                    Loops<Key<double, false>, Largest<int64_t>>::table(Compute::f64)};
constexpr ReduceKernel smallest[] = {number<int8_t, int8_t, Smallest<int8_t>>(Compute::boolean),
                                     number<int32_t, int32_t, Smallest<int32_t>>(Compute::i32),
                                     number<int64_t, int64_t, Smallest<int64_t>>(Compute::i64),
                                     Loops<Key<float, true>, Smallest<int32_t>>::table(Compute::f32),
                                     Loops<Key<double, true>, Smallest<int64_t>>::table(Compute::f64)};

template <template <class> class Operation>
struct OfTruth {
  static constexpr Compute out = Compute::boolean;
  static constexpr ReduceKernel table[] = {
      Loops<Truth<int8_t>, Operation<int8_t>>::table(out), Loops<Truth<int32_t>, Operation<int32_t>>::table(out),
      Loops<Truth<int64_t>, Operation<int64_t>>::table(out), Loops<Truth<float>, Operation<int32_t>>::table(out),
      Loops<Truth<double>, Operation<int64_t>>::table(out)};
};

}  // namespace

const ReduceKernel* reduce_kernel(ReduceKind kind, Compute compute) {
  const int row = static_cast<int>(compute);
  switch (kind) {
    case ReduceKind::sum: return &sums[row];
    case ReduceKind::float_sum: return &float_sums[row];
    case ReduceKind::prod: return &products[row];
    case ReduceKind::max: return &largest[row];
    case ReduceKind::min: return &smallest[row];
    case ReduceKind::any: return &OfTruth<Or>::table[row];
    case ReduceKind::all: return &OfTruth<And>::table[row];
  }
  return nullptr;
}

}  // namespace covec::COVEC_ISA
