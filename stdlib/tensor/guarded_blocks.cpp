#include "stdlib/tensor/guarded_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "stdlib/tensor/round_up.hpp"

namespace covec {

namespace {

// A guarded block: pages of its own, and one that must not be touched before or behind them. The block begins or ends
// where that page does, but for what its elements' alignment costs.
constexpr size_t page = 4096, guarded_alignment = 8;

size_t guarded_bytes(size_t bytes) { return round_up(std::max<size_t>(bytes, 1), guarded_alignment); }

// A block that fills its pages has its guard behind it, so that its address tells where the guard is.
bool may_guard_before(size_t bytes) { return guarded_bytes(bytes) % page != 0; }

// The system bounds the mappings of a process (65,530), and each guard parts one: where so many blocks are held, by all
// pools together, further ones have none.
constexpr int64_t max_guards = 16'000;
constexpr int max_kept = 1000;  // of a pool
std::atomic<int64_t> guarded_blocks = 0;

void* map_guarded(size_t bytes, bool guard_before) {
  const size_t size = guarded_bytes(bytes), pages = round_up(size, page);
  void* raw = mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* first = static_cast<std::byte*>(raw);
  guard_before = guard_before && may_guard_before(bytes);
  if (guarded_blocks.fetch_add(1, std::memory_order_relaxed) < max_guards)
    mprotect(guard_before ? first : first + pages, page, PROT_NONE);
  return guard_before ? first + page : first + pages - size;
}

// Where a guarded block's pages begin, and whether its guard lies before them.
struct GuardedPages {
  std::byte* first;
  bool guard_before;
};

GuardedPages pages_of_guarded(void* block, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  const bool guard_before = address % page == 0 && may_guard_before(bytes);
  return {static_cast<std::byte*>(block) - address % page, guard_before};
}

void unmap_guarded(GuardedPages pages, size_t bytes) {
  guarded_blocks.fetch_sub(1, std::memory_order_relaxed);
  munmap(pages.guard_before ? pages.first - page : pages.first, bytes + page);
}

}  // namespace

void* GuardedBlocks::take(size_t bytes) {
  before_ = !before_;
  const size_t size = guarded_bytes(bytes);
  FreePage*& kept = pages_[before_ && may_guard_before(bytes)];
  if (size > page || kept == nullptr) return map_guarded(bytes, before_);
  auto* first = reinterpret_cast<std::byte*>(kept);
  kept = kept->next;
  --count_;
  return &kept == &pages_[true] ? first : first + page - size;
}

// Blocks of one page are used again, since mapping each tensor anew costs minutes in a test run. What is read of them
// in between is NaN, or -1.
void GuardedBlocks::give_back(void* block, size_t bytes, bool keep) {
  const GuardedPages pages = pages_of_guarded(block, bytes);
  const size_t size = round_up(guarded_bytes(bytes), page);
  if (size > page || count_ == max_kept || !keep) return unmap_guarded(pages, size);
  std::memset(pages.first, 0xff, page);
  FreePage*& kept = pages_[pages.guard_before];
  kept = ::new (static_cast<void*>(pages.first)) FreePage{kept};
  ++count_;
}

void GuardedBlocks::trim() {
  for (const bool before : {false, true}) {
    for (FreePage*& kept = pages_[before]; kept != nullptr;) {
      auto* first = reinterpret_cast<std::byte*>(kept);
      kept = kept->next;
      unmap_guarded({first, before}, page);
    }
  }
  count_ = 0;
}

}  // namespace covec
