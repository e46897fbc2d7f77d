// There is one thread.
#include "stdlib/tensor/tensor.hpp"

namespace covec {

void Tensor::fetch() const {
  if (!storage_->on_device) return;
  storage_->remote->fetch(*storage_);
  storage_->on_device = false;
}

}  // namespace covec
