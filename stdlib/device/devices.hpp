// The devices of a session, found and opened at their first use. Start at Devices::find.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stdlib/device/blocks.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ops {
class Gate;     // stdlib/gate/gate.hpp
class Offload;  // stdlib/ops/contract/offload.hpp
}  // namespace covec::ops

namespace covec::device {

// A device with its memory and the modules that have been loaded.
class Accelerator {
 public:
  explicit Accelerator(std::unique_ptr<Device> device, uint64_t limit);
  Device& device() const { return blocks_->device(); }
  Blocks& blocks() const { return *blocks_; }
  // Compiled once for a text.
  std::shared_ptr<Module> module_of(const std::string& text);
  // Kernels that are there for all functions, by key: made when they are first asked for, of the text that `write`
  // gives and by these names in it.
  const std::vector<Function>& library(const std::string& key, FunctionRef<std::string()> write,
                                       std::span<const std::string> names);

 private:
  const std::shared_ptr<Blocks> blocks_;
  std::unordered_map<std::string, std::shared_ptr<Module>> modules_;
  std::unordered_map<std::string, std::vector<Function>> library_;
};

class Devices {
 public:
  // Where the gate looks at the environment, COVEC_DEVICE=opencl, cuda or none says which kinds there are (opencl:
  // processors that an OpenCL driver offers are devices too); COVEC_DEVICE_MEMORY the most bytes of each that are used.
  explicit Devices(const ops::Gate& gate);
  // "gpu" is the first, "gpu:1" the second; or its own name ("opencl:0"), or its kind for the first of these. Throws
  // OpError(device_unknown), which says what has been looked for; `operand` is the argument that names it.
  Accelerator& find(std::string_view name, int operand);
  // Nullptr: there is none.
  Accelerator* first();
  const std::vector<std::unique_ptr<Accelerator>>& all();
  // Until those that have been opened have done what they were asked.
  void wait() const;
  // Whether the environment wants all compiled functions on the first device, whatever their size: a way to test.
  bool forced() const { return forced_; }

  const std::string& reasons() const { return reasons_; }

  ops::Offload* offload = nullptr;  // while a function runs that was compiled for one of them

 private:
  void open();
  const ops::Gate& gate_;
  bool opened_ = false, forced_ = false;
  std::string wanted_;
  uint64_t limit_ = 0;
  std::vector<std::unique_ptr<Accelerator>> found_;
  std::string reasons_;  // why there are no others
};

// Every device of a kind that can be used; `reasons` gets a sentence for each that cannot, and where there is no
// driver. all: an OpenCL driver's processors as well. use_environment: it says where libraries and the cache of kernels
// are; without, libraries are looked for in the usual places, and kernels are not kept.
std::vector<std::unique_ptr<Device>> open_opencl(bool all, bool use_environment, std::string& reasons);
std::vector<std::unique_ptr<Device>> open_cuda(bool use_environment, std::string& reasons);

}  // namespace covec::device
