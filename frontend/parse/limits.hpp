// How deep a text may nest. The parser, the resolver and the engines walk it recursively, on a stack of 4 MB or more.
#pragma once

#include <cstdint>

namespace covec::grammar {

constexpr uint32_t kMaxNesting = 1000;                           // open brackets of all kinds
constexpr uint32_t kMaxExpressionDepth = 2 * kMaxNesting + 500;  // operators between brackets nest as well

}  // namespace covec::grammar
