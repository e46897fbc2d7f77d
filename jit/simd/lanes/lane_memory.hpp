// Memory in which each lane has a place of its own: adjacent places, or such as lie anywhere (gathers and scatters).
// Only the places of active lanes are read or written.
#pragma once

#include <functional>

#include "jit/simd/lanes/lane_values.hpp"

namespace covec::simd {

// In lane k lies place base + offsets[k], counted from `data`, of 2^shift bytes each.
struct LanePlaces {
  x86::Gp data;
  uint32_t shift = 0;
  x86::Gp base;
  x86::Reg offsets = {};
  std::optional<x86::Gp> stride = {};  // from lane to lane, where it is the same
  // Checked code: what it asks before it reads or writes a place (its Gp).
  std::function<void(const x86::Gp&)> check = {};
};

class LaneMemory {
 public:
  LaneMemory(Emitter& emitter, VectorRegisters& vectors, LaneValues& values)
      : e_(emitter), cc_(emitter.cc), v_(vectors), values_(values) {}

  x86::Reg load(const LanePlaces& at, Dtype dtype, x86::Reg active);
  void store(const LanePlaces& at, x86::Reg from, Dtype dtype, x86::Reg active);
  x86::Mem first(const LanePlaces& at, Dtype dtype);  // of the first lane, or what the offsets count from
  x86::Reg in_all_lanes(const x86::Gp& number) { return values_.memory().broadcast_integer(number, Dtype::i64); }
  x86::Reg lane_numbers();  // 0, 1, 2, … as i64s

 private:
  void load_adjacent(const LanePlaces& at, x86::Reg to, Dtype dtype, x86::Reg active);
  void gather(const LanePlaces& at, x86::Reg to, Dtype dtype, x86::Reg active);
  void scatter(const LanePlaces& at, x86::Reg from, Dtype dtype, x86::Reg active);
  x86::Mem apart(const LanePlaces& at, Dtype dtype);
  bool moves_lane_by_lane(Dtype dtype, bool writes) const;
  void copy_lanes(const LanePlaces& at, Dtype dtype, x86::Reg active, bool writes);

  Emitter& e_;
  x86::Compiler& cc_;
  VectorRegisters& v_;
  LaneValues& values_;
  x86::Mem lanes_place_, offsets_place_;  // on the stack: elements side by side, and where they lie
};

}  // namespace covec::simd
