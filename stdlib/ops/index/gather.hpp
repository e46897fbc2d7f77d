// Reads and adds along one axis by a tensor of positions, and makes rows of zeros with a one (one-hot).
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& gather_entry();       // (x, indices, axis=-1)
const Entry& scatter_add_entry();  // (x, indices, updates, axis=-1)

}  // namespace covec::ops
