// A hash of the bits of numbers: ranks compare numbers by it without sending them.
#pragma once

#include <cstdint>

#include "stdlib/value/context.hpp"

namespace covec::ops {

uint64_t hash_of_bits(Pool& pool, const Value& numbers);

}  // namespace covec::ops
