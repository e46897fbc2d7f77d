// Runs the pieces of a range on oneTBB. Each of `threads` workers takes pieces from its share of the range, then from
// other shares, so a busy core only delays itself. A thread has the same share of each range. So the data that it has
// made is in the cache of its core when it continues with it. A grain is the least work worth a thread: some 10^4 to
// 10^5 element operations, or one step if that has more. Pieces of a few grains bound the time between two checks of
// the interrupt flag.
#include "stdlib/kernels/parallel.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <algorithm>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/floating_state.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t pieces_per_thread = 4;  // at least, so that busy cores can be relieved
constexpr int64_t quantum = 64;           // pieces are multiples of it
constexpr int64_t max_grains = 64;        // in a piece for a thread
constexpr int64_t max_grains_here = 16;   // between two looks on one thread

bool is_set(const ops::Context& context) {
  return context.interrupt != nullptr && context.interrupt->load(std::memory_order_relaxed);
}

// Where one step may be all that a grain is, there is a look before each.
int64_t longest_piece(int64_t grain, int64_t grains) { return grain <= quantum ? grain : grain * grains; }

constexpr int64_t max_shares = 64;  // of a range, one for each worker

struct alignas(64) Share {
  // Also what orders memory: a worker sees what was there before, and whoever waits sees what workers have done.
  std::atomic<int64_t> next = 0;
  int64_t end = 0;
};

struct Pieces {
  Pieces(const ops::Context& in, int64_t elements, int64_t of_piece, RangeBody each, void* with)
      : context(in), n(elements), length(of_piece), body(each), state(with) {
    const int64_t pieces = (n + length - 1) / length;
    workers = std::min<int64_t>(in.threads, pieces);
    shares = std::min(workers, max_shares);
    for (int64_t i = 0; i < shares; ++i) {
      share[i].end = std::min(n, pieces * (i + 1) / shares * length);
      share[i].next.store(pieces * i / shares * length, std::memory_order_release);
    }
  }

  // A worker has the environment of whoever started it first, which may be another library.
  void draw() {
    const FloatingScope standard;
    const int64_t own = std::max(0, tbb::this_task_arena::current_thread_index()) % shares;
    for (int64_t i = 0; i < shares; ++i) {
      if (!draw(share[(own + i) % shares])) return;
    }
  }
  bool draw(Share& from) {
    for (;;) {
      const int64_t begin = from.next.fetch_add(length, std::memory_order_acq_rel);
      if (begin >= from.end) return true;
      if (interrupted(context)) return false;
      body(state, begin, std::min(from.end, begin + length));
    }
  }
  // What workers have done is seen afterwards.
  void acquire() const {
    for (int64_t i = 0; i < shares; ++i) static_cast<void>(share[i].next.load(std::memory_order_acquire));
  }

  const ops::Context& context;
  const int64_t n, length;
  const RangeBody body;
  void* const state;
  int64_t workers, shares;
  Share share[max_shares];
};

void run_here(const ops::Context& context, int64_t n, int64_t step, RangeBody body, void* state) {
  for (int64_t begin = 0; begin < n; begin += step) {
    poll_interrupt(context);
    body(state, begin, std::min(n, begin + step));
  }
  poll_interrupt(context);  // the last piece may have ended early
}

}  // namespace

bool interrupted(const ops::Context& context) {
  std::atomic_ref(context.polls).fetch_add(1, std::memory_order_relaxed);
  return is_set(context);
}

void poll_interrupt(const ops::Context& context) {
  ++context.polls;
  if (is_set(context)) fail(message("interrupted"));
}

void parallel_range(ops::Context& context, int64_t n, int64_t grain, RangeBody body, void* state) {
  if (n <= 0) return;
  const int64_t threads = context.threads;
  if (threads <= 1 || n <= grain) return run_here(context, n, longest_piece(grain, max_grains_here), body, state);
  // Pieces are multiples of 64, so that two threads never write one cache line of an aligned result.
  int64_t length = std::max(grain, (n + threads * pieces_per_thread - 1) / (threads * pieces_per_thread));
  length = std::min(length, longest_piece(grain, max_grains));
  length = (length + quantum - 1) / quantum * quantum;
  Pieces pieces(context, n, length, body, state);
  tbb::parallel_for(
      int64_t{0}, pieces.workers, int64_t{1}, [&](int64_t) { pieces.draw(); }, tbb::simple_partitioner());
  pieces.acquire();
  poll_interrupt(context);
}

}  // namespace covec::kernels
