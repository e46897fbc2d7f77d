// Limits how deep a text may nest. The parser, the resolver and the engines walk it recursively. The limit is for a
// stack of 4 MB or more; on a smaller one it is lower.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace covec::grammar {

constexpr uint32_t kMaxNesting = 1000;                           // open brackets of all kinds
constexpr uint32_t kMaxExpressionDepth = 2 * kMaxNesting + 500;  // operators between brackets nest as well

// What is left of a stack, in levels: of the largest frames that a bracket takes, beside what every text needs.
uint32_t nesting_on(size_t stack);
// The same with upper estimates, in bytes of stack, for every text and for each level.
constexpr uint32_t nesting_within(size_t stack, size_t base, size_t level) {
  return static_cast<uint32_t>(std::clamp<size_t>(stack > base ? (stack - base) / level : 0, 3, kMaxNesting));
}
constexpr uint32_t expression_depth(uint32_t nesting) {
  return static_cast<uint32_t>(uint64_t{nesting} * kMaxExpressionDepth / kMaxNesting);
}

}  // namespace covec::grammar
