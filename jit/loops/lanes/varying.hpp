// What differs between the lanes of a lane loop: which numbers, and where lanes part. A number that is the same in all
// lanes is computed once. Lanes part at a branch whose condition differs, and where they leave a loop at different
// times. Start at Varying.
#pragma once

#include <optional>
#include <vector>

#include "jit/loops/program.hpp"

namespace covec::loops {

class Varying {
 public:
  explicit Varying(const LaneLoop& loop);

  // Lanes leave a loop from within a branch that only some of them take: no back end can do that.
  bool is_refused() const { return refused_; }
  bool varies(Register r) const { return varies_[r]; }
  // Of an If: only some lanes may take it; of a Loop: they may leave it at different times.
  bool parts(size_t at) const { return parts_[at]; }
  // What instruction `at` writes: lanes that are not active there keep what they have.
  bool blends(size_t at) const { return blends_[at]; }
  // Written once, and read only behind that, in the same block or in one inside it.
  bool is_local(Register r) const { return seen_[r].local; }
  // Nobody reads the local register after instruction `at`.
  bool dies(Register r, size_t at) const {
    return seen_[r].local && seen_[r].last == at && block_of_[at] == seen_[r].scope;
  }
  // The only number that the register ever has.
  const std::optional<uint64_t>& constant(Register r) const { return seen_[r].constant; }
  // An instruction that computes numbers that vary reads it.
  bool is_read_by_lanes(Register r) const { return seen_[r].read_by_lanes; }
  // Of a stack: its numbers vary, else a row is one number; lanes may have put there more than others.
  bool stack_varies(uint32_t stack) const { return stacks_[stack].varies; }
  bool stack_parts(uint32_t stack) const { return stacks_[stack].parts; }

 private:
  struct Block {
    size_t parent = 0;
    size_t opener = 0;  // the If or Loop; of the outermost: none
    bool loop = false;
  };
  struct Seen {
    size_t scope = 0;  // the innermost block around all that names it
    size_t first = 0, last = 0;
    size_t writes = 0;
    bool named = false, first_is_write = false, local = false, read_by_lanes = false;
    std::optional<uint64_t> constant = {};
  };
  struct Stack {
    bool varies = false, parts = false;
  };
  static constexpr size_t outermost = 0;

  void find_blocks();
  void find_scopes();
  void note(Register r, size_t at, bool writes);
  size_t common(size_t a, size_t b) const;
  bool vary();
  bool vary_loop(size_t at, Register condition);
  bool vary_stack(size_t at, uint32_t number, bool varies);
  bool reads_varying(const Instruction& i) const;
  bool is_parted(size_t block) const { return block != outermost && parts_[blocks_[block].opener]; }
  bool parts_between(size_t scope, size_t block) const;
  void find_reads_by_lanes();
  bool blends_what_it_writes(size_t at) const;

  const std::vector<Instruction>* code_;  // while it is being looked at
  std::vector<Block> blocks_;
  std::vector<size_t> block_of_;  // by instruction; of If, Else, EndIf, Loop and EndLoop: the one around
  std::vector<Seen> seen_;
  std::vector<Stack> stacks_;
  std::vector<bool> varies_, parts_, blends_;
  bool refused_ = false;
};

}  // namespace covec::loops
