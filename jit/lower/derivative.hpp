// The derivative of regions. What a tape recorded while a branch or loop was walked becomes one entry, whose reverse is
// a branch or loop as well: the same entries, swept backwards once more inside the new region. Values of the forward
// region that it uses are brought there afterwards, by results and stacks (jit/passes/residuals.cpp). Cotangents of
// values from outside are variables of the reverse region, so they are added in the order of eager code.
#pragma once

#include "jit/lower/region_tape.hpp"

namespace covec::ir {

struct Serials {
  uint32_t first = 0, second = 0;
  bool peeled = false;  // Stager::AdjointOf
};
// A value that an active variable holds when the loop begins goes into it by another way as well.
bool has_aliases(const RegionTape& tape, const Entries& entries);
void record_branch(Stager& stager, RegionTape& tape, const Value& condition, Entries first, Entries second,
                   Serials serials);
// `trips`: how many passes there were.
void record_loop(Stager& stager, RegionTape& tape, const Value& trips, Entries entries, uint32_t serial);

}  // namespace covec::ir
