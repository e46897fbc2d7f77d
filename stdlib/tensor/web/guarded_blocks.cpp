// There are no pages that could be closed: blocks are those of the heap.
#include "stdlib/tensor/guarded_blocks.hpp"

#include <algorithm>
#include <cstdlib>

#include "stdlib/tensor/round_up.hpp"
#include "stdlib/tensor/system_memory.hpp"

namespace covec {

void* GuardedBlocks::take(size_t bytes) { return system_allocate(std::max<size_t>(bytes, 1)); }
void GuardedBlocks::give_back(void* block, size_t bytes, bool) { system_free(block, bytes); }
void GuardedBlocks::trim() {}

}  // namespace covec
