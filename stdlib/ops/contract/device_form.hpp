// DeviceForm: the form in which a device (OpenCL, CUDA) computes an operator. It stands in the operator's entry, and
// jit/device has one routine for each form. So an operator of a known form needs only that line. Elementwise operators
// and plain reductions need none: their kernels are made from Entry::pointwise and Entry::reduce.
#pragma once

#include <cstdint>

namespace covec::ops {

enum class DeviceForm : uint8_t {
  none,  // the host computes it
  // Computed on the device if the work is worth moving the operands there.
  draw,
  matmul,
  dot,
  scaled_matmul,
  contraction,
  convolution,
  convolution_input,
  convolution_weight,
  window_max,
  window_argmax,
  window_mean,
  window_mean_spread,
  read_at_positions,
  add_at_positions,
  // Computed on the device if an operand is there: these move elements, or visit them one after the other.
  view,
  sort,
  argsort,
  first_positions,
  running_sum,
  running_product,
  running_extreme,
  running_argextreme,
  widen,
  concat,
  stack,
  index_read,
  index_update,
  index_add,
};

}  // namespace covec::ops
