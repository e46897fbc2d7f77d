// One level of parallelism for all kernels. A range is cut into pieces, independently of the threads' timing, and the
// session's threads run them. Results never depend on the cut; the kernels see to that.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "stdlib/value/context.hpp"

namespace covec::kernels {

// Calls body(state, begin, end) for pieces of [0, n) on at most context.threads threads (oneTBB, started at the first
// use that is large enough). A range of at most `grain`, or one thread, runs here and now. The interrupt flag is polled
// before each piece: then OpError(interrupted) is thrown, on the calling thread, after the running pieces have ended.
// Bodies must not throw or allocate from the Pool.
using RangeBody = void (*)(void* state, int64_t begin, int64_t end);
void parallel_range(ops::Context& context, int64_t n, int64_t grain, RangeBody body, void* state);

template <class F>
void parallel_for(ops::Context& context, int64_t n, int64_t grain, F&& body) {
  parallel_range(
      context, n, grain,
      [](void* state, int64_t begin, int64_t end) { (*static_cast<std::remove_reference_t<F>*>(state))(begin, end); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

// Throws OpError(interrupted) when the flag is set; for kernels that run on one thread and poll themselves.
void poll_interrupt(const ops::Context& context);

// Keeps the smallest index that any piece reports (the lowest failing element); -1 stands for none.
class LowestIndex {
 public:
  void report(int64_t index) {
    if (index < 0) return;
    int64_t seen = lowest_.load(std::memory_order_relaxed);
    while ((seen < 0 || index < seen) && !lowest_.compare_exchange_weak(seen, index, std::memory_order_relaxed)) {
    }
  }
  int64_t value() const { return lowest_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> lowest_{-1};
};

}  // namespace covec::kernels
