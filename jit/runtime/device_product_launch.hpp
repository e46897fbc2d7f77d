// ProductLaunch on a device: the kernel is the epilogue of the product and takes each element as soon as it is
// finished.
#pragma once

#include "jit/device/code.hpp"
#include "jit/runtime/run.hpp"

namespace covec::runtime {

class DeviceProductLaunch {
 public:
  DeviceProductLaunch(const loops::Plan& plan, const loops::Launch& launch, DeviceCode& code, Host& host,
                      std::span<Value> slots)
      : plan_(plan), launch_(launch), step_(plan.steps[launch.product]), code_(code), host_(host), slots_(slots) {}
  // False: nothing has been done, the step and the launch are to be made one after the other.
  bool run();

 private:
  Tensor* factor(size_t operand) const;
  bool fits(const Tensor& a, const Tensor& b) const;
  bool is_worth_it(const Tensor& a, const Tensor& b) const;
  uint32_t products() const;  // bits: the inputs that are the product
  bool multiply(Tensor& a, Tensor& b);
  void finish(std::span<Value> results);

  const loops::Plan& plan_;
  const loops::Launch& launch_;
  const loops::Step& step_;
  DeviceCode& code_;
  Host& host_;
  const std::span<Value> slots_;
};

}  // namespace covec::runtime
