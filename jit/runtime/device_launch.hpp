// Launches a kernel over tensors on a device. The processor takes over if shapes do not fit, an element fails, or there
// are too few elements to be worth a transfer. It fetches what it needs and raises the error.
#pragma once

#include "jit/device/code.hpp"
#include "jit/runtime/run.hpp"

namespace covec::runtime {

class DeviceArguments;
class DeviceWalks;
struct ReducedExtents;

bool is_too_wide(const loops::Launch& launch);
// A launch's numbers as a kernel takes them.
void put_numbers(const loops::Plan& plan, const loops::Launch& launch, DeviceCode& code, std::span<Value> slots,
                 DeviceArguments& arguments);

class DeviceLaunch {
 public:
  DeviceLaunch(const loops::Plan& plan, const loops::Launch& launch, DeviceCode& code, Host& host,
               std::span<Value> slots)
      : plan_(plan), launch_(launch), code_(code), host_(host), slots_(slots) {}
  // False: nothing has been done.
  bool run();

 private:
  bool is_worth_it(std::span<const Tensor* const> inputs, int64_t n) const;
  bool any_number_on_device() const;
  bool compute(const Shape& extents, const DeviceWalks& walks, std::span<Tensor* const> inputs,
               std::span<Value> results);
  ReducedExtents reduced(const Shape& extents) const;
  Shape shape_of_result(const Shape& extents) const;
  void finish(std::span<Value> results);
  const loops::Kernel& described() const { return plan_.program.kernels[launch_.kernel]; }
  Tensor& input(size_t i) const { return slots_[launch_.inputs[i].slot].tensor(); }

  const loops::Plan& plan_;
  const loops::Launch& launch_;
  DeviceCode& code_;
  Host& host_;
  const std::span<Value> slots_;
};

}  // namespace covec::runtime
