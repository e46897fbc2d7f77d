// Rounds sizes up to whole pages and alignments.
#pragma once

#include <cstddef>

namespace covec {

constexpr size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace covec
