#include "jit/runtime/lane_loop.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <limits>
#include <vector>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::runtime {

namespace {

constexpr int64_t max_lanes = 8;          // of AVX-512, for elements of 8 bytes
constexpr int64_t max_first_rows = 4096;  // of a stack, before it is known that more are needed; chosen, not measured
constexpr int64_t never = std::numeric_limits<int64_t>::max();
// How long an iteration takes is not known before. So the first lanes are measured, and threads share the rest where it
// takes longer than this. In microseconds: all of it, and a thread's share at least; chosen, not measured.
constexpr double worth_sharing = 50, smallest_share = 20;

// The stacks of the lanes, in one block of the session's memory.
class LaneStacks {
 public:
  LaneStacks(Pool& pool, uint32_t count, int64_t rows) : memory_(bytes(pool, count, rows)) {
    auto* const stacks = memory_.as<loops::LaneStack>();
    auto* words = reinterpret_cast<uint64_t*>(memory_.data() + bytes_of_stacks(count));
    for (uint32_t k = 0; k < count; ++k, words += words_between(rows)) stacks[k] = {words, rows};
    record_.stacks = stacks;
  }
  loops::LaneRecord& record() { return record_; }

 private:
  // One line of the cache more than there are rows: the tops of all stacks are not to fall into one set of it.
  static int64_t words_between(int64_t rows) { return (rows + 1) * max_lanes; }
  static size_t bytes_of_stacks(uint32_t count) { return (count * sizeof(loops::LaneStack) + 63) / 64 * 64; }
  static Scratch bytes(Pool& pool, uint32_t count, int64_t rows) {
    if (count == 0) return {};
    const auto words = static_cast<size_t>(words_between(rows));
    return {pool, bytes_of_stacks(count) + count * words * sizeof(uint64_t)};
  }

  Scratch memory_;
  loops::LaneRecord record_;
};

class LaneRun {
 public:
  LaneRun(loops::LaneFunction function, uint32_t stacks, loops::ActivationRecord& activation, ops::Context& context,
          int64_t& rows)
      : function_(function), stacks_(stacks), activation_(activation), context_(context), rows_(rows) {}

  // Gives the first iteration that is left.
  int64_t run(int64_t begin, int64_t end) {
    for (;;) {
      begin = with_room_so_far(begin, end);
      if (!full_.exchange(false)) return begin;
      rows_ *= 4;
    }
  }

 private:
  int64_t with_room_so_far(int64_t begin, int64_t end) {
    using Clock = std::chrono::steady_clock;
    LaneStacks stacks(*context_.pool, stacks_, rows_);
    if (context_.threads < 2) return lanes(begin, end, stacks);
    const int64_t tried = std::min(end, begin + max_lanes);
    const auto start = Clock::now();
    const int64_t done = lanes(begin, tried, stacks);
    if (done < tried || tried == end) return done;
    const double each = std::chrono::duration<double, std::micro>(Clock::now() - start).count() / max_lanes;
    if (each * static_cast<double>(end - tried) < worth_sharing) return lanes(tried, end, stacks);
    return shared(tried, end, static_cast<int64_t>(smallest_share / each) / max_lanes + 1);
  }

  int64_t lanes(int64_t begin, int64_t end, LaneStacks& stacks) {
    const int64_t done = function_(&activation_, begin, end, &stacks.record());
    if (stacks.record().full != loops::LaneRecord::none) full_ = true;
    stacks.record().full = loops::LaneRecord::none;
    return done;
  }

  // By several threads: the lanes are as they would be, and those behind one that has failed are made again.
  int64_t shared(int64_t begin, int64_t end, int64_t grain) {
    constexpr unsigned most = 64;  // bits of `free`
    std::vector<LaneStacks> stacks;
    const unsigned threads = std::min(context_.threads, most);
    for (unsigned k = 0; k < threads; ++k) stacks.emplace_back(*context_.pool, stacks_, rows_);
    std::atomic<uint64_t> free = threads == most ? ~uint64_t{0} : (uint64_t{1} << threads) - 1;
    kernels::LowestIndex failed;
    kernels::parallel_for(context_, (end - begin + max_lanes - 1) / max_lanes, grain, [&](int64_t from, int64_t to) {
      const int64_t first = begin + from * max_lanes, last = std::min(end, begin + to * max_lanes);
      uint64_t now = free.load();
      while (now != 0 && !free.compare_exchange_weak(now, now & (now - 1))) {
      }
      if (now == 0) return failed.report(first);
      const int64_t done = lanes(first, last, stacks[static_cast<size_t>(std::countr_zero(now))]);
      free.fetch_or(now & (~now + 1));
      if (done < last) failed.report(done);
    });
    return failed.value() < 0 ? end : failed.value();
  }

  const loops::LaneFunction function_;
  const uint32_t stacks_;
  loops::ActivationRecord& activation_;
  ops::Context& context_;
  int64_t& rows_;
  std::atomic<bool> full_ = false;
};

}  // namespace

void run_lane_loop(const loops::Plan& plan, const loops::step::RunLaneLoop& run, const Backend& backend,
                   loops::ActivationRecord& activation, std::span<Value> slots, LaneMemory memory) {
  const int64_t first = slots[run.first].i64(), count = slots[run.count].i64();
  slots[run.next] = Value(never);
  // A negative number counts from the end, as an index.
  if (backend.lane_loops == nullptr || first < 0) return;
  LaneRun lanes(backend.lane_loops[run.loop], plan.program.lane_loops[run.loop].stacks, activation, memory.context,
                memory.rows);
  int64_t done = first;
  try {
    done = lanes.run(first, count);
    slots[run.next] = Value(done + std::max(max_lanes, done == first ? done / 4 : 0));
  } catch (
      const OpError&) {  // no room for the stacks of all lanes (those of one iteration are smaller), or interrupted
  }
  memory.rows = std::min(memory.rows, max_first_rows);
  slots[run.first] = Value(done);
}

}  // namespace covec::runtime
