// Indexing on a device: reads, updates and additions at places that numbers, slices and tensors of integers name. The
// places are found where the tensors are (those of updates on the processor), and the processor says what is out of
// range. Operations give an unbound Value where the processor is to do it, and then nothing has been changed.
#pragma once

#include "jit/device/code.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::runtime {

Value read_there(DeviceCode& code, ops::Builder& builder, const ops::Call& call);
// index_update; adds: index_add, which adds to a place that is named several times in their order.
Value write_there(DeviceCode& code, ops::Builder& builder, ops::Call& call, bool adds);

}  // namespace covec::runtime
