// Operations along an axis on a device: argmax and argmin, running sums and products. An unbound Value means that the
// processor is to do it.
#pragma once

#include "jit/device/reduce.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::runtime {

// x is row-major and has elements.
Value extreme_places_on_device(device::Accelerator& accelerator, Pool& pool, Tensor& x, const ReducedExtents& extents,
                               const Shape& shape, bool smallest);
// running_sum and cumulative_product.
Value running_on_device(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call, bool sums);
// running_extreme, and running_places.
Value running_extremes_on_device(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call,
                                 bool places);

}  // namespace covec::runtime
