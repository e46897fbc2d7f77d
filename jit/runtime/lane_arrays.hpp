// Arrays of lanes' own: the steps of a lane loop that make and copy them (loops::LaneStep). They lie in memory that the
// loop's thread has been given before, as workers may not ask the session's pool. Start at run_lane_step().
#pragma once

#include <bit>
#include <optional>
#include <span>

#include "jit/loops/plan.hpp"
#include "jit/runtime/run.hpp"
#include "stdlib/value/value.hpp"

namespace covec::runtime {

// The lane loop that runs: the same for all threads that share it.
struct LaneTask {
  const loops::Plan& plan;
  const Backend& backend;
  const loops::LaneLoop& loop;
  std::span<Value> slots;
};

// A thread's record, with the memory of its arrays.
struct LaneThread : loops::LaneRecord {
  const LaneTask* task = nullptr;
  std::byte* free = nullptr;                 // places for arrays: those that are left
  uint64_t used = 0, room = 0;               // bytes: of the places that are taken, and of all
  uint64_t wanted = 0;                       // bytes that `room` had better been; 0: it is enough
  static constexpr uint64_t alignment = 64;  // bytes of the widest vectors: a row is one cache line
  // All arrays together. If they are larger, kernels over an example's own tensors do as well.
  static constexpr uint64_t max_room = uint64_t{4} << 20;  // bytes
  // An array keeps a place that is large enough. False: there is none.
  bool find_place(loops::LaneArray& array, uint64_t bytes);
};

// LaneRecord::step, of a LaneThread.
int64_t run_lane_step(loops::LaneRecord* thread, uint32_t step, int64_t first, int64_t end, uint32_t active,
                      uint32_t lanes);

// A step, and the lanes for which it is done.
class LaneStepRun {
 public:
  LaneStepRun(LaneThread& thread, const loops::LaneStep& step, int64_t first, int64_t end, uint32_t active,
              int64_t lanes)
      : thread_(thread), step_(step), first_(first), end_(end), active_(active), lanes_(lanes) {}
  bool run() const;  // false: the iterations cannot be made in lanes

 private:
  bool fill() const;
  bool take() const;
  bool copy() const;
  bool has_extents(const loops::LaneArray& array) const;
  bool swap() const;
  bool launch() const;
  bool put() const;

  bool all() const { return active_ == (uint32_t{1} << (end_ - first_)) - 1; }
  bool make(loops::LaneArray& array, std::span<const int64_t> extents, size_t size) const;
  const std::byte* number(size_t k, Dtype dtype, std::span<std::byte> room) const;
  std::optional<Value> known(size_t k, Dtype dtype) const;
  const std::byte* argument(size_t k) const;
  std::optional<Value> uniform(size_t k, Dtype dtype) const;
  template <class See>
  void each_lane(const See& see) const {
    for (uint32_t left = active_; left != 0; left &= left - 1) see(std::countr_zero(left));
  }
  loops::LaneArray& to() const { return thread_.arrays[step_.to]; }
  loops::LaneArray& from() const { return thread_.arrays[step_.from]; }
  Value& slot(uint64_t number) const { return thread_.task->slots[number]; }

  LaneThread& thread_;
  const loops::LaneStep& step_;
  const int64_t first_, end_;  // iterations
  const uint32_t active_;      // lanes, a bit for each
  const int64_t lanes_;
};

}  // namespace covec::runtime
