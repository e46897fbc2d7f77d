// What open tapes record while a region is walked. Its entries are taken off the tape and become one entry: a composite
// whose reverse is a region as well (derivative.cpp). Tapes number their nodes on, so a node older than the region is a
// value from outside.
#pragma once

#include <memory>
#include <vector>

#include "jit/lower/stager.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/tape.hpp"

namespace covec::ir {

using Entries = std::vector<autodiff::TapeEntry*>;  // the latest first; their values are let go by release()
void release(Entries& entries) noexcept;

class RegionTape {
 public:
  explicit RegionTape(Stager& stager);
  RegionTape(const RegionTape&) = delete;
  RegionTape& operator=(const RegionTape&) = delete;
  ~RegionTape();

  bool is_open() const { return tape_ != nullptr; }
  uint64_t level() const { return level_; }
  // A value that differs between examples on one path only decides whether what depends on it is done once or for each
  // example: for a derivative that is not the same.
  void refuse_batched_on_one_path() const {
    if (is_open()) not_staged("a value that differs between examples on one path only");
  }
  autodiff::Tape& tape() { return *tape_; }
  uint32_t first_node() const { return nodes_ + 1; }  // nodes from here on belong to the region
  // What has been recorded since the last cut. Throws not_staged when an outer tape has recorded too.
  Entries cut();

  // A value that leaves the region: its node on each path (a loop: at entry, at the head, at the end of a pass).
  struct Crossing {
    uint32_t entry = 0, head = 0, first = 0, second = 0;
  };
  std::vector<Crossing> crossings;
  // The level's value after the region, for the crossing that is added.
  Value cross(Value primal, Crossing crossing);
  uint32_t base() const { return base_; }
  void finish() { last_ = tape_->last(); }  // what it now has on the tape stays there
  void set_base() { base_ = tape_->nodes() + 1; }

 private:
  struct Outer {
    autodiff::Tape* tape;
    autodiff::TapeEntry* last;
  };
  std::vector<Outer> outer_;
  autodiff::Tape* tape_ = nullptr;  // of the innermost open derivative
  uint64_t level_ = 0;
  autodiff::TapeEntry* last_ = nullptr;
  uint32_t nodes_ = 0;
  uint32_t base_ = 0;
};

}  // namespace covec::ir
