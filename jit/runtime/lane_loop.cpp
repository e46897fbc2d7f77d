#include "jit/runtime/lane_loop.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "jit/runtime/lane_arrays.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::runtime {

namespace {

constexpr int64_t max_lanes = loops::LaneRecord::max_lanes;
constexpr int64_t max_first_rows = 4096;  // of a stack, before it is known that more are needed
constexpr int64_t never = std::numeric_limits<int64_t>::max();
// How long an iteration takes is not known before. So the first lanes are measured, and threads share the rest where it
// takes longer than this. In microseconds: all of it, and a thread's share at least.
constexpr double worth_sharing = 50, smallest_share = 20;

size_t in_lines(size_t bytes) {  // of the cache
  constexpr size_t line = LaneThread::alignment;
  return (bytes + line - 1) / line * line;
}

// A thread's stacks and arrays, in a block each of the session's memory.
class ThreadMemory {
 public:
  ThreadMemory(const LaneTask& task, Pool& pool, const LaneRoom& room)
      : stacks_(stacks(pool, task.loop.stacks, room.rows)), arrays_(arrays(pool, task.loop.arrays, room.arrays)) {
    thread_.task = &task;
    thread_.step = run_lane_step;
    thread_.stacks = stacks_.as<loops::LaneStack>();
    auto* words = reinterpret_cast<uint64_t*>(stacks_.data() + bytes_of<loops::LaneStack>(task.loop.stacks));
    for (uint32_t k = 0; k < task.loop.stacks; ++k, words += words_between(room.rows))
      thread_.stacks[k] = {words, room.rows};
    thread_.arrays = arrays_.as<loops::LaneArray>();
    std::uninitialized_value_construct_n(thread_.arrays, task.loop.arrays);
    thread_.free = arrays_.data() + bytes_of<loops::LaneArray>(task.loop.arrays);
    thread_.room = room.arrays;
  }
  LaneThread& thread() { return thread_; }

 private:
  template <class Each>
  static size_t bytes_of(uint32_t count) {
    return in_lines(count * sizeof(Each));
  }
  // One line of the cache more than there are rows: the tops of all stacks are not to fall into one set of it.
  static int64_t words_between(int64_t rows) { return (rows + 1) * max_lanes; }
  static Scratch stacks(Pool& pool, uint32_t count, int64_t rows) {
    if (count == 0) return {};
    const auto words = static_cast<size_t>(words_between(rows));
    return {pool, bytes_of<loops::LaneStack>(count) + count * words * sizeof(uint64_t)};
  }
  static Scratch arrays(Pool& pool, uint32_t count, uint64_t room) {
    if (count == 0) return {};
    return {pool, bytes_of<loops::LaneArray>(count) + room};
  }

  Scratch stacks_, arrays_;
  LaneThread thread_;
};

class LaneRun {
 public:
  LaneRun(const LaneTask& task, loops::LaneFunction function, loops::ActivationRecord& activation,
          const LaneMemory& memory)
      : task_(task), function_(function), activation_(activation), context_(memory.context), room_(memory.room) {}

  // Gives the first iteration that is left.
  int64_t run(int64_t begin, int64_t end) {
    for (;;) {
      begin = with_room_so_far(begin, end);
      const bool full = full_.exchange(false);
      const uint64_t wanted = wanted_.exchange(0);
      if (!full && wanted == 0) return begin;
      if (full) room_.rows *= 4;
      while (room_.arrays < wanted) room_.arrays *= 2;
    }
  }

 private:
  int64_t with_room_so_far(int64_t begin, int64_t end) {
    using Clock = std::chrono::steady_clock;
    ThreadMemory memory(task_, *context_.pool, room_);
    if (context_.threads < 2) return lanes(begin, end, memory);
    const int64_t tried = std::min(end, begin + max_lanes);
    const auto start = Clock::now();
    const int64_t done = lanes(begin, tried, memory);
    if (done < tried || tried == end) return done;
    const double each = std::chrono::duration<double, std::micro>(Clock::now() - start).count() / max_lanes;
    if (each * static_cast<double>(end - tried) < worth_sharing) return lanes(tried, end, memory);
    return shared(tried, end, static_cast<int64_t>(smallest_share / each) / max_lanes + 1);
  }

  int64_t lanes(int64_t begin, int64_t end, ThreadMemory& memory) {
    LaneThread& thread = memory.thread();
    const int64_t done = function_(&activation_, begin, end, &thread);
    if (thread.full != loops::LaneRecord::none) full_ = true;
    thread.full = loops::LaneRecord::none;
    if (const uint64_t wanted = std::exchange(thread.wanted, 0); wanted > wanted_) wanted_ = wanted;
    return done;
  }

  // By several threads: the lanes are as they would be, and those behind one that has failed are made again.
  int64_t shared(int64_t begin, int64_t end, int64_t grain) {
    constexpr unsigned most = 64;  // bits of `free`
    std::vector<ThreadMemory> memories;
    const unsigned threads = std::min(context_.threads, most);
    for (unsigned k = 0; k < threads; ++k) memories.emplace_back(task_, *context_.pool, room_);
    std::atomic<uint64_t> free = threads == most ? ~uint64_t{0} : (uint64_t{1} << threads) - 1;
    kernels::LowestIndex failed;
    kernels::parallel_for(context_, (end - begin + max_lanes - 1) / max_lanes, grain, [&](int64_t from, int64_t to) {
      const int64_t first = begin + from * max_lanes, last = std::min(end, begin + to * max_lanes);
      uint64_t now = free.load();
      while (now != 0 && !free.compare_exchange_weak(now, now & (now - 1))) {
      }
      if (now == 0) return failed.report(first);
      const int64_t done = lanes(first, last, memories[static_cast<size_t>(std::countr_zero(now))]);
      free.fetch_or(now & (~now + 1));
      if (done < last) failed.report(done);
    });
    return failed.value() < 0 ? end : failed.value();
  }

  const LaneTask& task_;
  const loops::LaneFunction function_;
  loops::ActivationRecord& activation_;
  ops::Context& context_;
  LaneRoom& room_;
  std::atomic<bool> full_ = false;
  std::atomic<uint64_t> wanted_ = 0;  // bytes; where threads want it at once, one of them may be forgotten until later
};

}  // namespace

void run_lane_loop(const loops::Plan& plan, const loops::step::RunLaneLoop& run, const Backend& backend,
                   loops::ActivationRecord& activation, std::span<Value> slots, LaneMemory memory) {
  const int64_t first = slots[run.first].i64(), count = slots[run.count].i64();
  slots[run.next] = Value(never);
  // A negative number counts from the end, as an index.
  if (backend.lane_loops == nullptr || first < 0) return;
  const LaneTask task{plan, backend, plan.program.lane_loops[run.loop], slots};
  LaneRun lanes(task, backend.lane_loops[run.loop], activation, memory);
  int64_t done = first;
  try {
    done = lanes.run(first, count);
    slots[run.next] = Value(done + std::max(max_lanes, done == first ? done / 4 : 0));
  } catch (const OpError&) {  // no room for what all lanes have (an iteration has less), or interrupted
    memory.room = {};
  }
  memory.room.rows = std::min(memory.room.rows, max_first_rows);
  slots[run.first] = Value(done);
  if (done < count) kernels::poll_interrupt(memory.context);
}

}  // namespace covec::runtime
