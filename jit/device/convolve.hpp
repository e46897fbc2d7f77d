// Convolutions and max pools on a device. A convolution, and each of its derivatives, is a matrix product with the
// windows of an image; these are put side by side first (im2col). It adds in the order that convolutions have. An
// operation returns an unbound Value if the processor is to do it.
#pragma once

#include "jit/device/products.hpp"
#include "stdlib/convolution/convolve_plan.hpp"
#include "stdlib/ops/signal/signal.hpp"

namespace covec::runtime {

class DeviceConvolutions {
 public:
  explicit DeviceConvolutions(DeviceCode& code) : accelerator_(code.accelerator()), products_(code) {}
  // Whether this is one of them.
  Value apply(ops::Builder& builder, ops::Call& call);

 private:
  Value convolve(Pool& pool, const ops::ConvolutionCall& given, const Value& x, const Value& w);
  Value convolve_input(Pool& pool, const ops::ConvolutionCall& given, const Value& y, const Value& w);
  Value convolve_weight(Pool& pool, const ops::ConvolutionCall& given, const Value& y, const Value& x);
  Value windows(Pool& pool, const Value& image, int64_t examples, int64_t groups, int64_t channels,
                const kernels::ImageAxis& rows, const kernels::ImageAxis& columns);
  // By one of the kernels of pools that have windows.
  Value pooled(Pool& pool, const Value& x, const kernels::Pool2d& windows, const Type& type, int kernel);
  Value at_places(Pool& pool, const Value& from, const Value& places, const Type& type, bool adds);
  Value packed(Pool& pool, const Value& x);

  device::Accelerator& accelerator_;
  DeviceProducts products_;
};

}  // namespace covec::runtime
