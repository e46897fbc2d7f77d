// Moves elements on a device without computing. An operation returns an unbound Value if the processor is to do it.
#pragma once

#include "jit/loops/program.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::runtime {

// Of a library of kernels that are no function's own: those with these endings.
std::vector<device::Function> library_kernels(device::Accelerator& accelerator, const std::string& name,
                                              std::span<const char* const> endings,
                                              FunctionRef<std::string(const std::string& name)> text);

// One that gives its only input as it is.
loops::Kernel moving_kernel(Dtype dtype);

// Elements go from one array to another of the same shape and dtype; false: the strides are too many, or too long.
bool copy_on_device(device::Accelerator& accelerator, Tensor& to, Tensor& from);
void clear_on_device(device::Accelerator& accelerator, Tensor& x);  // row-major: zeros
// Row-major.
Value packed_on_device(device::Accelerator& accelerator, Pool& pool, const Value& x);
// A tensor of numbers of one dtype, each of which may be a tensor of one element; one is.
Value stacked_on_device(device::Accelerator& accelerator, Pool& pool, std::span<Value> numbers);
// A view that is to come needs the elements in order: where they are on the device, they are put so.
void pack_on_device(device::Accelerator& accelerator, Pool& pool, Value& x);
Value widen_on_device(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call);
Value join_on_device(device::Accelerator& accelerator, ops::Builder& builder,
                     const ops::Call& call);  // concat and stack

}  // namespace covec::runtime
