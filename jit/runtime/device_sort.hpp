// sort, argsort and topk on a device, in the processor's order.
#pragma once

#include "stdlib/device/devices.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::runtime {

bool sorts(const ops::Entry& entry);
// Of one of these, whose operand is a tensor. Unbound where the processor is to do it.
Value sort_there(device::Accelerator& accelerator, ops::Builder& builder, ops::Call& call);

}  // namespace covec::runtime
