// For bodies of parallel_for with large pieces, which may not throw: they end early when this says so, and
// parallel_range or poll_interrupt throws after them.
#pragma once

#include <atomic>

#include "stdlib/value/context.hpp"

namespace covec::kernels {

inline bool is_interrupted(const ops::Context& context) {
  return context.interrupt != nullptr && context.interrupt->load(std::memory_order_relaxed);
}

}  // namespace covec::kernels
