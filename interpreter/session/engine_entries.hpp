// Builtins on the engine instead of tensors: compile.
#pragma once

#include <span>

#include "stdlib/ops/contract/entry.hpp"

namespace covec {

std::span<const ops::Entry* const> engine_entries();
// [*a, b]: brackets around items that come one by one.
const ops::Entry& spread_brackets_entry();

}  // namespace covec
