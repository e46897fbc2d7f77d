// From two MiB on a block is a mapping of its own with huge pages.
#include "stdlib/tensor/system_memory.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#include "stdlib/tensor/round_up.hpp"

namespace covec {

namespace {

constexpr size_t huge_page = 2 << 20;  // bytes; x86-64's

// A mapping of its own that starts on a huge page. nullptr when the system has none.
void* map_huge(size_t bytes) {
  const size_t length = bytes + huge_page;
  void* raw = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* first = static_cast<std::byte*>(raw);
  auto* start = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<uintptr_t>(first), huge_page));
  const size_t before = static_cast<size_t>(start - first);
  if (before > 0) munmap(first, before);
  if (const size_t after = length - before - bytes; after > 0) munmap(start + bytes, after);
  madvise(start, bytes, MADV_HUGEPAGE);
  return start;
}

}  // namespace

void* system_allocate(size_t bytes) {
  return bytes >= huge_page ? map_huge(bytes) : std::aligned_alloc(block_alignment, round_up(bytes, block_alignment));
}

void system_free(void* block, size_t bytes) {
  if (bytes >= huge_page) {
    munmap(block, bytes);
  } else {
    std::free(block);
  }
}

}  // namespace covec
