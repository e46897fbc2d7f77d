// Operators composed of others of the family: split, tile, repeat. They take their operand as it is, so derivatives and
// batches pass through the operators inside.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& split_entry();  // (x, parts, axis=0)
const Entry& tile_entry();   // (x, *counts)

// Internal:
const Entry& expect_count_entry();
const Entry& expect_parts_entry();     // (x, parts, axis)
const Entry& repeated_places_entry();  // (counts, length)
const Entry& expect_axis_entry();      // (axis, rank, name, hint)

}  // namespace covec::ops
