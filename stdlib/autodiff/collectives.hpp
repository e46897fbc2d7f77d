// Collectives under derivatives. All ranks make a collective together, and so they make its tangent and its reverse:
// each operation of one rank has its like on every other, in the same order. Whether an operand depends on what is
// differentiated by may differ between ranks, as their branches do, and between engines: code knows the paths, the
// interpreter the one that was taken. So it does not count. Every open derivative follows every collective of floats:
// in forward mode with a tangent of zeros where there is none, and on a tape of all ranks also without a node. Tangents
// and cotangents have all examples of every open vmap. Sweeps pass a collective also where no cotangent has come to it.
// A gradient through one is that of a function of all ranks (parallel.grad): a tape of one rank refuses it.
#pragma once

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

// All examples of a vmap make the collective at once, by its batch rule.
inline bool is_of_all_examples(const ops::Entry& entry) {
  return entry.effects.meets && entry.batch != nullptr && entry.type != nullptr;
}
// An error where the examples of an open vmap run one by one: ranks may have different numbers of them.
void refuse_one_by_one(const ops::Builder& builder, const ops::Entry& entry);

// A derivative that follows every collective, and does not act already.
bool follows_collectives(const OpenLevel& level);
// The innermost one; nullptr: there is none.
const OpenLevel* innermost_follower(const ops::Context& context);
// The same where a tape of all ranks is open: then functions with rules of their own are followed, too.
const OpenLevel* follower_of_functions(const ops::Context& context);
// Makes the operand of a collective one of each level that follows it.
void follow(ops::Builder& builder, ops::Call& call);

// While a level acts, what it applies is for the levels below.
class ActingScope {
 public:
  explicit ActingScope(const OpenLevel& level, bool acts = true) : level_(level), before_(level.acts) {
    level.acts |= acts;
  }
  ActingScope(const ActingScope&) = delete;
  ActingScope& operator=(const ActingScope&) = delete;
  ~ActingScope() { level_.acts = before_; }

 private:
  const OpenLevel& level_;
  const bool before_;
};

// The bit that stands for a level.
int64_t active_bit(const OpenLevel& level);
// The level follows a collective: told to the other ranks.
void note_active(const OpenLevel& level, ops::Call& call);
// The same where a tape will record it. If the tape is of this rank alone, the collective will be an error on all
// ranks.
void begin_on_tape(const ops::Builder& builder, const OpenLevel& level, ops::Call& call);

}  // namespace covec::autodiff
