// See visits.hpp.
#include "stdlib/value/visits.hpp"

#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

void Visits::look() {
  left_ = between_polls;
  if (context_ == nullptr) return;
  ++context_->polls;
  if (context_->interrupt != nullptr && context_->interrupt->load(std::memory_order_relaxed))
    fail(message("interrupted"));
}

}  // namespace covec
