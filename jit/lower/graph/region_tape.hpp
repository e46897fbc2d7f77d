// Collects what open tapes record while a region is walked. On each tape the region's entries are replaced by one
// composite entry, whose reverse is a region as well (adjoint.hpp). Tapes keep counting their nodes, so a node older
// than the region is a value from outside.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/tape.hpp"

namespace covec::ir {

// Entries that have been taken off a tape, the latest first. Their values are let go with this.
class Entries {
 public:
  Entries() = default;
  explicit Entries(std::vector<autodiff::TapeEntry*> entries) : entries_(std::move(entries)) {}
  Entries(Entries&& other) noexcept : entries_(std::exchange(other.entries_, {})) {}
  Entries& operator=(Entries&& other) noexcept {
    entries_.swap(other.entries_);
    return *this;
  }
  ~Entries();
  std::span<autodiff::TapeEntry* const> all() const { return entries_; }

 private:
  std::vector<autodiff::TapeEntry*> entries_;
};

// What was recorded since then, forgotten.
void cut_back(autodiff::Tape& tape, const autodiff::TapeEntry* last);

// A region on one tape.
class RegionTape {
 public:
  RegionTape(autodiff::Tape& tape, uint64_t level);

  uint64_t level() const { return level_; }
  uint64_t memory_bound() const { return tape_->memory_bound(); }
  uint32_t first_node() const { return nodes_ + 1; }    // nodes from here on belong to the region
  Entries cut() { return Entries(tape_->cut(last_)); }  // what has been recorded since the last cut
  void forget() { cut_back(*tape_, last_); }

  // An active value that leaves the region: its node on each path (a loop: at entry, at the head, at the end of a
  // pass).
  struct LiveOut {
    uint32_t entry = 0, head = 0, first = 0, second = 0;
    std::optional<Type> type;  // where it is the same on all paths, or in all iterations
  };
  const std::vector<LiveOut>& live_outs() const { return live_outs_; }
  // A loop carries one: the node at the head of a value that has node `entry` before the loop (0: a constant), and then
  // the node at the end of an iteration.
  uint32_t enter(uint32_t entry, std::optional<Type> type);
  // Live-outs from this one on are made in the region.
  void begin_inside(size_t first);
  // Those of another region stand for what a call of it is given and gives.
  void continue_with(std::vector<LiveOut> live_outs) { live_outs_ = std::move(live_outs); }
  void leave(uint32_t head, uint32_t end);
  // Once the region has been walked: live-outs have nodes from `base` on, in order.
  void set_base() { base_ = tape_->nodes() + 1; }
  // What was made in the region is known as its family's from now on (autodiff::Tape::end_region).
  void end(uint32_t family) { tape_->end_region(family, first_node(), base_); }
  std::vector<autodiff::Tape::Nodes> nodes_of(uint32_t family) const { return tape_->nodes_of(family); }
  uint32_t base() const { return base_; }
  uint32_t node_after(uint32_t head) const;  // of what a loop carries; 0: it is a constant
  // The value after a branch, of what has these nodes on its paths.
  Value join(Value primal, uint32_t first, uint32_t second, std::optional<Type> type);
  // The one entry that stands for the region; what the tape then has stays there.
  void record(std::unique_ptr<autodiff::Composite> adjoint);
  // An entry more, of no operands and results.
  void note(std::unique_ptr<autodiff::Composite> entry);

 private:
  autodiff::Tape* tape_;
  uint64_t level_;
  autodiff::TapeEntry* last_;
  uint32_t nodes_;
  uint32_t base_ = 0;
  std::vector<LiveOut> live_outs_;
};

// A region on all open tapes, the innermost first.
class RegionTapes {
 public:
  explicit RegionTapes(const ops::Context& context);
  RegionTapes(const RegionTapes&) = delete;
  RegionTapes& operator=(const RegionTapes&) = delete;
  ~RegionTapes();  // forgets what is still there of a walk that failed

  bool any() const { return !all_.empty(); }
  RegionTape& at(uint64_t level);
  std::vector<RegionTape>& all() { return all_; }
  const std::vector<RegionTape>& all() const { return all_; }
  std::vector<Entries> cut();
  void set_base();

 private:
  std::vector<RegionTape> all_;
};

}  // namespace covec::ir
