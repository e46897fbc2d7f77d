// The kernels of a plan on a device: one module, compiled at the first launch.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jit/device/use.hpp"
#include "jit/loops/plan.hpp"
#include "jit/source/device.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::runtime {

// Functions of a loaded module.
struct DeviceKernel {
  device::Function flat = 0, strided = 0;
  std::optional<source::DeviceReduction> reduction;  // of the last output
  device::Function join = 0;                         // where there is a reduction
  bool can_fail = false;
  int64_t width = 1;  // elements that an item of `flat` takes at a time, without a reduction
};
// By the names that the text of a kernel has given them.
DeviceKernel find_kernel(device::Module& module, const std::string& name,
                         const std::optional<source::DeviceReduction>& reduction);

// All kernels of a plan.
std::string device_text(const loops::Plan& plan, device::Dialect dialect);

// What calls have done so far, for people.
struct DeviceTally {
  uint64_t kernels = 0, operators = 0;
  uint64_t library = 0;  // of the operators, by the device's library
  struct Fetched {
    uint64_t times = 0, bytes = 0;
  };
  std::map<std::string, Fetched> fetched;  // for operators of the processor, by name
  uint64_t numbers = 0;                    // fetched, which the host needed
};

// The element of a tensor that has one and lies there, as a number.
Value number_of(device::Accelerator& accelerator, Tensor& element);

class DeviceCode {
 public:
  DeviceCode(device::Accelerator& accelerator, const loops::Plan& plan, DeviceUse use, Precision precision)
      : accelerator_(accelerator), plan_(plan), use_(use), precision_(precision) {}

  const DeviceKernel& kernel(const loops::Launch& launch);
  // The launch's kernel by tiles (NAME_transposed): compiled where it is first needed, which few are.
  device::Function transposed(const loops::Launch& launch);
  // The launch's kernel as the end of a product, which takes the place of the inputs `products` (bits): likewise.
  device::Function ended_product(const loops::Launch& launch, uint32_t products, Dtype dtype, bool wide);
  device::Accelerator& accelerator() const { return accelerator_; }
  Precision precision() const { return precision_; }
  // `elements` that take `weight` instructions each, of these operands. Where one's newest elements are there, so is
  // the work.
  bool is_worth_it(std::span<const Tensor* const> operands, int64_t elements, int64_t weight, unsigned threads) const;

  // A flag in the device's memory that kernels set, with room for what else they note: lowered, and read.
  static constexpr size_t flag_words = 4;
  device::Handle flag();
  device::Handle lowered_flag();
  bool is_raised();

  // A number, or a tensor of one element that stands for one: it becomes a number.
  void fetch_number(Value& number);

  bool number_stays = false;  // for the next operator: the number that it gives may stay on the device
  DeviceTally tally;

 private:
  void load();
  device::Accelerator& accelerator_;
  const loops::Plan& plan_;
  const DeviceUse use_;
  const Precision precision_;
  std::shared_ptr<device::Module> module_;
  std::vector<DeviceKernel> kernels_;  // by number of launch
  struct Special {
    std::shared_ptr<device::Module> module;
    device::Function function = 0;
  };
  device::Function special(const std::string& name, FunctionRef<std::string()> write);
  std::map<std::string, Special> specials_;      // forms of kernels that few launches need, by name
  std::vector<device::Blocks::Temporary> flag_;  // none, or one
};

}  // namespace covec::runtime
