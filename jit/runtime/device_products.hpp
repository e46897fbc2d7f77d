// Products of matrices on a device, and contractions of two tensors as such: by the kernel that adds in the language's
// order, or, where fewer digits are asked for, by a library of the device's maker.
#pragma once

#include "jit/runtime/device_code.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::runtime {

// Operations give an unbound Value where the processor is to do it.
class DeviceProducts {
 public:
  explicit DeviceProducts(DeviceCode& code) : code_(code), accelerator_(code.accelerator()) {}
  Value multiply(ops::Builder& builder, ops::Call& call);
  Value contract(ops::Builder& builder, ops::Call& call);
  // a @ b, row-major; `shape` is the result's, whose last axes are those of the matrices (or vectors: one is missing).
  // is_adjoint: what is not a number is to be computed by the rule of zero cotangents.
  Value product(Pool& pool, Tensor& a, Tensor& b, const Shape& shape, bool is_adjoint);

 private:
  void launch(const device::Product& product, const int32_t* batch, Tensor& a, Tensor& b, Tensor& c);
  // false: the device has none for this.
  bool multiply_by_library(device::Product& product, const int32_t* batch, Tensor& a, Tensor& b, Tensor& c);
  void check_for_nan(Tensor& x);  // raises the code's flag

  DeviceCode& code_;
  device::Accelerator& accelerator_;
};

}  // namespace covec::runtime
