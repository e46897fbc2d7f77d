// What operations on small tensors cost, and what they cost as numbers: in nanoseconds, roughly. Measured in loops of a
// few operations on four elements.
#pragma once

namespace covec::passes::costs {

// A kernel; a call of the library, which sums and products of matrices are, and which sets a row, too; another shape
// for the same elements.
constexpr double launch = 25, call = 150, view = 15;
constexpr double kept = 25;          // pushed on a stack of a reverse sweep, or popped
constexpr double system_call = 450;  // of linear algebra: solve of two rows to inv of four
constexpr double load = 1, instruction = 0.25;
// An operation on numbers in a loop, which mostly waits for the one before, or for its own many instructions.
constexpr double number_time = 0.9, instruction_time = 0.45;
// A view that the library makes in each iteration: `view` is what it costs beside what needs it.
constexpr double view_call = 80;

}  // namespace covec::passes::costs
