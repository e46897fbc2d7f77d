#include <mutex>

#include "stdlib/tensor/tensor.hpp"

namespace covec {

// A kernel's threads may ask for the elements at the same time.
void Tensor::fetch() const {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (!storage_->on_device) return;
  storage_->remote->fetch(*storage_);
  storage_->on_device = false;
}

}  // namespace covec
