#include "stdlib/autodiff/not_finite.hpp"

#include <atomic>

#include "stdlib/kernels/not_finite.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// Elements that a thread looks at in one go: chosen, 256 KiB of f64 or more take longer than to hand them to a thread.
constexpr int64_t units_of_thread = int64_t{1} << 15;

template <class Bits>
kernels::AnyNotFinite<Bits> kernel_of(ops::Isa isa) {
  static constexpr ops::PerIsa<bool(const Bits*, int64_t, Bits)> kernels = COVEC_PER_ISA(any_not_finite);
  return kernels[isa];
}

// `exponent`: the bits of one that numbers do not have.
template <class Bits>
NotFinite in_bits(ops::Context& context, const void* data, int64_t count, Bits exponent) {
  const Bits* const elements = static_cast<const Bits*>(data);
  const Bits lowest = static_cast<Bits>(exponent & -exponent);
  const kernels::AnyNotFinite<Bits> any_not_finite = kernel_of<Bits>(context.isa);
  const Bits magnitude = static_cast<Bits>(~(Bits{1} << (8 * sizeof(Bits) - 1)));
  if (count == 1) {
    const Bits bits = elements[0] & magnitude;
    return {.nan = bits > exponent, .infinite = bits == exponent};
  }
  std::atomic<bool> any{false};
  if (count <= units_of_thread) {
    any = any_not_finite(elements, count, lowest);
  } else {
    kernels::parallel_for(context, count, units_of_thread, [&](int64_t begin, int64_t end) {
      if (any_not_finite(elements + begin, end - begin, lowest)) any.store(true, std::memory_order_relaxed);
    });
  }
  NotFinite found;
  for (int64_t i = 0; any && i < count && !(found.nan && found.infinite); ++i) {
    const Bits bits = elements[i] & magnitude;
    found.nan |= bits > exponent;
    found.infinite |= bits == exponent;
  }
  return found;
}

NotFinite in_leaf(ops::Context& context, const Value& leaf) {
  const Value* at = &leaf;
  while (at->is_traced()) at = &at->traced().primal;
  if (!at->is_numeric() || !is_float(dtype_of(*at))) return {};
  const Value dense = contiguous(*context.pool, *at);
  const int64_t count = dense.is_scalar() ? 1 : dense.tensor().size();
  const void* const data = data_of(dense);
  switch (dtype_of(dense)) {
    case Dtype::f16: return in_bits<uint16_t>(context, data, count, 0x7c00);
    case Dtype::bf16: return in_bits<uint16_t>(context, data, count, 0x7f80);
    case Dtype::f32: return in_bits<uint32_t>(context, data, count, 0x7f800000);
    default: return in_bits<uint64_t>(context, data, count, 0x7ff0000000000000);
  }
}

}  // namespace

NotFinite not_finite(ops::Context& context, const Value& tree) {
  NotFinite found;
  each_leaf(tree, [&](const Value& leaf) { found |= in_leaf(context, leaf); });
  return found;
}

}  // namespace covec::autodiff
