// Multiplies matrices with NVIDIA's library (cuBLASLt), opened at run time where it is installed. On request it rounds
// factors to fewer digits, so that tensor cores multiply them. Its order of adding is its own.
#pragma once

#include <memory>
#include <string>

#include "stdlib/device/device.hpp"

namespace covec::device {

class Cublas {
 public:
  // Of the device that is current. Nullptr: there is no such library, or it does not run here.
  static std::unique_ptr<Cublas> open(bool use_environment);
  ~Cublas();
  // false: it has no way for these operands. Throws OpError(device_failed). `workspace`: memory of the device, for this
  // alone; `stream`: the driver's queue.
  bool multiply(const Product& product, Handle workspace, size_t workspace_bytes, void* stream,
                const std::string& device);

 private:
  struct Api;
  struct Plans;
  Cublas(const Api& api, void* handle);
  const Api& api_;
  void* const handle_;
  std::unique_ptr<Plans> plans_;
};

}  // namespace covec::device
