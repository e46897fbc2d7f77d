// Elementwise operators on complex operands.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// Entry::complex, by the entry's name, or a hint where it has none.
void set_complex_rule(Entry& entry);

}  // namespace covec::ops
