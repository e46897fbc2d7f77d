// Memory of the pool's larger blocks: it comes from the system, and goes back there.
#pragma once

#include <cstddef>

namespace covec {

constexpr size_t block_alignment = 64;  // bytes of a cache line

// nullptr when the system has none.
void* system_allocate(size_t bytes);
void system_free(void* block, size_t bytes);  // with the same number of bytes

}  // namespace covec
