#include "stdlib/autodiff/finite.hpp"

#include <algorithm>
#include <cmath>

#include "stdlib/value/half.hpp"

namespace covec::autodiff {

namespace {

template <class Float>
bool finite_elements(const void* data, int64_t count) {
  const Float* elements = static_cast<const Float*>(data);
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(elements[i])) return false;
  }
  return true;
}

bool finite_half(Dtype dtype, const void* data, int64_t count) {
  const auto* bits = static_cast<const uint16_t*>(data);
  return std::all_of(bits, bits + count, [&](uint16_t half) { return std::isfinite(float_of_half(dtype, half)); });
}

}  // namespace

bool all_finite(Pool& pool, const Value& value) {
  const Value* at = &value;
  while (at->is_traced()) at = &at->traced().primal;
  if (!at->is_numeric() || !is_float(dtype_of(*at))) return true;
  const Value dense = contiguous(pool, *at);
  const int64_t count = dense.is_scalar() ? 1 : dense.tensor().size();
  if (is_half(dtype_of(dense))) return finite_half(dtype_of(dense), data_of(dense), count);
  return dtype_of(dense) == Dtype::f32 ? finite_elements<float>(data_of(dense), count)
                                       : finite_elements<double>(data_of(dense), count);
}

}  // namespace covec::autodiff
