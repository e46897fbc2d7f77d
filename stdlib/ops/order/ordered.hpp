// The order of numbers, strings and tuples of them, for sort, max and min of items. Numbers of one dtype are sorted as
// a tensor's are. Strings are compared by their first eight bytes, then by the rest if these are equal.
#pragma once

#include <span>
#include <vector>

#include "stdlib/ops/contract/builder.hpp"

namespace covec::ops {

// Whether all can be sorted, as can be seen at one look: numbers of one dtype, or strings.
bool are_plain_keys(std::span<const Value> keys);
// The places of the keys in order; those of equal keys as they stand. The keys are numbers, strings or tuples of them.
// OpError(sort_mixed) where two cannot be compared.
std::vector<int64_t> ordered_places(Builder& b, std::span<const Value> keys, bool descending);

}  // namespace covec::ops
