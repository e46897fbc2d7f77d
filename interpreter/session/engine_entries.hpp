// Builtins that speak of the engine and not of tensors: compile.
#pragma once

#include <span>

#include "stdlib/ops/contract/entry.hpp"

namespace covec {

std::span<const ops::Entry* const> engine_entries();

}  // namespace covec
