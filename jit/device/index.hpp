// Indexing on a device: reads, updates and additions at numbers, slices and integer tensors. Positions are computed
// where the tensors are (for updates, on the processor). The processor reports indices out of range. An operation
// returns an unbound Value if the processor is to do it; nothing has been changed then.
#pragma once

#include "jit/device/code.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::runtime {

Value read_on_device(DeviceCode& code, ops::Builder& builder, const ops::Call& call);
// index_update; adds: index_add, which adds to a place that is named several times in their order.
Value write_on_device(DeviceCode& code, ops::Builder& builder, ops::Call& call, bool adds);

}  // namespace covec::runtime
