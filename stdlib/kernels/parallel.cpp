// The pieces of a range on oneTBB. `threads` workers draw pieces from a counter, so a busy core only delays itself.
#include "stdlib/kernels/parallel.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <algorithm>

#include "stdlib/value/error.hpp"
#include "stdlib/value/floating_state.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t pieces_per_thread = 4;
constexpr int64_t poll_interval = 65536;  // iterations between two looks at the interrupt flag

bool interrupted(const ops::Context& context) {
  return context.interrupt != nullptr && context.interrupt->load(std::memory_order_relaxed);
}

struct Pieces {
  const ops::Context& context;
  int64_t n;
  int64_t length;
  RangeBody body;
  void* state;
  std::atomic<int64_t> next{0};

  // A worker has the environment of whoever started it first, which may be another library.
  void draw() {
    const FloatingScope standard;
    for (;;) {
      const int64_t begin = next.fetch_add(length, std::memory_order_relaxed);
      if (begin >= n || interrupted(context)) return;
      body(state, begin, std::min(n, begin + length));
    }
  }
};

void run_here(const ops::Context& context, int64_t n, int64_t step, RangeBody body, void* state) {
  for (int64_t begin = 0; begin < n; begin += step) {
    poll_interrupt(context);
    body(state, begin, std::min(n, begin + step));
  }
}

}  // namespace

void poll_interrupt(const ops::Context& context) {
  if (interrupted(context)) fail(message("interrupted"));
}

void parallel_range(ops::Context& context, int64_t n, int64_t grain, RangeBody body, void* state) {
  if (n <= 0) return;
  const int64_t threads = context.threads;
  if (threads <= 1 || n <= grain) return run_here(context, n, std::max(grain, poll_interval), body, state);
  // Pieces are multiples of 64, so that two threads never write one cache line of an aligned result.
  int64_t length = std::max(grain, (n + threads * pieces_per_thread - 1) / (threads * pieces_per_thread));
  length = (length + 63) / 64 * 64;
  Pieces pieces{context, n, length, body, state};
  const int64_t workers = std::min(threads, (n + length - 1) / length);
  tbb::parallel_for(
      int64_t{0}, workers, int64_t{1}, [&](int64_t) { pieces.draw(); }, tbb::simple_partitioner());
  poll_interrupt(context);
}

}  // namespace covec::kernels
