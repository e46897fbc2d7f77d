// There are no mappings: all memory is the heap's.
#include "stdlib/tensor/system_memory.hpp"

#include <cstdlib>

#include "stdlib/tensor/round_up.hpp"

namespace covec {

void* system_allocate(size_t bytes) { return std::aligned_alloc(block_alignment, round_up(bytes, block_alignment)); }

void system_free(void* block, size_t) { std::free(block); }

}  // namespace covec
