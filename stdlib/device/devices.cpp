#include "stdlib/device/devices.hpp"

#include <charconv>
#include <cstdlib>

#include "stdlib/gate/gate.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::device {

Accelerator::Accelerator(std::unique_ptr<Device> device, uint64_t limit)
    : blocks_(std::make_shared<Blocks>(std::move(device), limit)) {}

std::shared_ptr<Module> Accelerator::module_of(const std::string& text) {
  if (const auto found = modules_.find(text); found != modules_.end()) return found->second;
  std::shared_ptr<Module> made = device().load(text);
  modules_.emplace(text, made);
  return made;
}

const std::vector<Function>& Accelerator::library(const std::string& key, FunctionRef<std::string()> write,
                                                  std::span<const std::string> names) {
  if (const auto found = library_.find(key); found != library_.end()) return found->second;
  const std::shared_ptr<Module> module = module_of(write());
  std::vector<Function> functions;
  for (const std::string& name : names) functions.push_back(module->find(name));
  return library_.emplace(key, std::move(functions)).first->second;
}

Devices::Devices(const ops::Gate& gate) : gate_(gate) {
  if (const char* kind = gate.variable("COVEC_DEVICE")) wanted_ = kind;
  if (const char* bytes = gate.variable("COVEC_DEVICE_MEMORY")) limit_ = std::strtoull(bytes, nullptr, 10);
  forced_ = wanted_ == "opencl" || wanted_ == "cuda";
}

void Devices::open() {
  if (opened_) return;
  opened_ = true;
  if (!gate_.allows(ops::Use::devices)) return;
  const bool use_environment = gate_.uses_environment();
  const auto add = [&](std::vector<std::unique_ptr<Device>> devices) {
    for (auto& device : devices) found_.push_back(std::make_unique<Accelerator>(std::move(device), limit_));
  };
  if (wanted_.empty() || wanted_ == "cuda") add(open_cuda(use_environment, reasons_));
  // An OpenCL driver offers NVIDIA's GPUs a second time.
  if ((wanted_.empty() && found_.empty()) || wanted_ == "opencl")
    add(open_opencl(wanted_ == "opencl", use_environment, reasons_));
  if (reasons_.empty()) reasons_ = "COVEC_DEVICE is " + wanted_;
}

const std::vector<std::unique_ptr<Accelerator>>& Devices::all() {
  open();
  return found_;
}

void Devices::wait() const {
  for (const auto& each : found_) each->device().wait();
}

Accelerator* Devices::first() {
  open();
  return found_.empty() ? nullptr : found_[0].get();
}

Accelerator& Devices::find(std::string_view name, int operand) {
  gate_.require(ops::Use::devices);
  open();
  std::string names;
  for (const auto& each : found_) {
    const std::string& own = each->device().name();
    if (own == name || own.substr(0, own.find(':')) == name) return *each;
    names += (names.empty() ? "" : ", ") + own;
  }
  size_t number = 0;
  bool read = false;
  if (name.starts_with("gpu:")) {
    const char* const end = name.data() + name.size();
    const auto [stopped, error] = std::from_chars(name.data() + 4, end, number);
    read = stopped == end && error == std::errc();
  }
  if ((name == "gpu" || read) && number < found_.size()) return *found_[number];
  fail(message("device_unknown"), {std::string(name), names.empty() ? reasons_ : "there are " + names},
       {{operand, ""}});
}

}  // namespace covec::device
