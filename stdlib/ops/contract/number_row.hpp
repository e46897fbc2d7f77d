// Makes a tensor from adjacent numbers (items of a list or of brackets) in one pass, without an operator call for each.
#pragma once

#include <cstdint>
#include <span>

#include "stdlib/value/context.hpp"
#include "stdlib/value/value.hpp"

namespace covec::ops {

bool all_numbers(std::span<const Value> items);
// Of one dtype, by the rules of arithmetic between them; bits of `literals` say which were written. There is one.
Value tensor_of_numbers(Pool& pool, std::span<const Value> items, uint64_t literals = 0);
// Of the numbers of several rows, one after the other.
Value tensor_of_numbers(Pool& pool, std::span<const std::span<const Value>> rows);

}  // namespace covec::ops
