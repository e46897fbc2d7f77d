// Matrix products on a device, and contractions of two tensors as matrix products. They run in a kernel that adds in
// the language's order. If fewer digits are asked for, a library of the device's maker runs them.
#pragma once

#include "jit/device/code.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::runtime {

class DeviceArguments;

// Operations give an unbound Value where the processor is to do it.
class DeviceProducts {
 public:
  explicit DeviceProducts(DeviceCode& code) : code_(code), accelerator_(code.accelerator()) {}
  Value multiply(ops::Builder& builder, ops::Call& call);
  Value contract(ops::Builder& builder, ops::Call& call);
  // What is not a number in a product in an adjoint is to be computed by the rule of zero cotangents: here; by the
  // processor, which the product is left to; or here, as convolution/repair_nan.hpp does it, given the bits of the
  // factors that are cotangents and how many elements the others have, without repetitions.
  struct Adjoint {
    enum class Way : uint8_t { none, leave, repair_nan } way = Way::none;
    int64_t zeros = 0;
    int64_t others = 0;
  };
  // a @ b of f32 or f64, as a product whose results go into a kernel: `kernel` gives it, with large tiles or not, and
  // `put_end` the arguments that follow. c has as many elements as the product. False: nothing has been done.
  bool multiply_into(Tensor& a, Tensor& b, Tensor& c, FunctionRef<device::Function(bool wide)> kernel,
                     FunctionRef<void(DeviceArguments&)> put_end);
  // a @ b, row-major; `shape` is the result's, whose last axes are those of the matrices (or vectors: one is missing).
  Value product(Pool& pool, Tensor& a, Tensor& b, const Shape& shape, const Adjoint& adjoint);

 private:
  struct Operands {
    Tensor &a, &b, &c;
    const int32_t* batch;
  };
  void launch_tiles(const DeviceArguments& arguments, device::Function kernel, const device::Product& product,
                    bool wide) const;
  void put(DeviceArguments& arguments, const device::Product& product, const Operands& operands) const;
  device::Product extents_of(const Tensor& a, const Tensor& b, const Shape& shape) const;
  bool has_wide_tiles(const device::Product& product) const;
  void launch(const device::Product& product, const Operands& operands, device::Handle flag);
  void launch_repaired(const device::Product& product, const Operands& operands, const Adjoint& adjoint);
  // false: the device has none for this.
  bool multiply_by_library(device::Product& product, const int32_t* batch, Tensor& a, Tensor& b, Tensor& c);
  void check_for_nan(Tensor& x);  // raises the code's flag

  DeviceCode& code_;
  device::Accelerator& accelerator_;
};

}  // namespace covec::runtime
