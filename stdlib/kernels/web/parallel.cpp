// There is one thread: a range runs here, in pieces of a few grains, with a look at the interrupt flag before each.
#include "stdlib/kernels/parallel.hpp"

#include <algorithm>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t quantum = 64;  // grains of at most so many steps are pieces by themselves: a step may be all of one
constexpr int64_t piece_grains = 16;  // of larger numbers of steps, in a piece

}  // namespace

bool interrupted(const ops::Context& context) {
  ++context.polls;
  return context.interrupt != nullptr && context.interrupt->load(std::memory_order_relaxed);
}

void poll_interrupt(const ops::Context& context) {
  if (interrupted(context)) fail(message("interrupted"));
}

void parallel_range(ops::Context& context, int64_t n, int64_t grain, RangeBody body, void* state) {
  if (n <= 0) return;
  const int64_t step = grain <= quantum ? grain : grain * piece_grains;
  for (int64_t begin = 0; begin < n; begin += step) {
    poll_interrupt(context);
    body(state, begin, std::min(n, begin + step));
  }
  poll_interrupt(context);  // the last piece may have ended early
}

}  // namespace covec::kernels
