// sort, argsort and topk on a device, in the processor's order.
#pragma once

#include <optional>

#include "stdlib/device/devices.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::runtime {

// Of one of these, whose operand is a tensor. Unbound where the processor is to do it.
Value sort_on_device(device::Accelerator& accelerator, ops::Builder& builder, ops::Call& call);

struct Sorted {
  Value values, places;
};
// A vector in ascending order, and where its elements come from. Nothing where the memory is too small.
std::optional<Sorted> sorted_on_device(device::Accelerator& accelerator, Pool& pool, Tensor& x);

}  // namespace covec::runtime
