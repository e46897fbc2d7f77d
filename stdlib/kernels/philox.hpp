// Computes Philox4x32-10 one block at a time, for keys and tests. Draws use vectors of blocks (stdlib/ops/random).
#pragma once

#include <array>
#include <cstdint>

namespace covec::kernels {

// The key of example `example` of a vmap opened under `key`: words 0 and 1 of the block with counter (example, 2^64 -
// 1). No draw has that call number.
uint64_t example_key(uint64_t key, int64_t example);

// The block itself, for tests and keys.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

}  // namespace covec::kernels
