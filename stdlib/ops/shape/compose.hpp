// Operators written with others of the family: split, tile, repeat. They take their operand as it is, so that
// derivatives and batches pass through the operators that they are made of.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& split_entry();  // (x, parts, axis=0)
const Entry& tile_entry();   // (x, *counts)

const Entry& expect_count_entry();  // internal

}  // namespace covec::ops
