// Collectives under derivatives. All ranks make a collective together, and so they make its tangent and its reverse:
// each operation of one rank has its like on every other, in the same order. So the operand must depend on what is
// differentiated by on all ranks or on none (each rank tells the others, Effects::meets), and sweeps pass a collective
// also where no cotangent has come to it. A gradient through one is that of a function of all ranks (parallel.grad): a
// tape of one rank refuses it.
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

// The bit that stands for a level.
int64_t active_bit(const OpenLevel& level);
// The operand of a collective is active at that level: told to the other ranks.
void note_active(const OpenLevel& level, ops::Call& call);
// The same where a tape will record it, or an error if the tape is of this rank alone.
void begin_on_tape(const ops::Builder& builder, const OpenLevel& level, ops::Call& call);

}  // namespace covec::autodiff
