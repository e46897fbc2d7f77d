// The pool's slow paths. Small blocks are carved from chunks. Large blocks come in four size classes per power of two,
// which wastes at most a quarter, and only as address space. Freed large blocks are kept for reuse up to a bound. Past
// it, the class that was used longest ago is freed first, so that a program's phases do not starve each other. From 2
// MiB on a block is a mapping of its own with huge pages. Start at allocate_slow.
#include "stdlib/tensor/pool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "stdlib/gate/system.hpp"
#include "stdlib/tensor/round_up.hpp"
#include "stdlib/tensor/system_memory.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

namespace {

constexpr size_t chunk_bytes = 64 << 10;    // bytes of which small blocks are cut
constexpr unsigned large_classes = 4 * 64;  // four for each power of two that size_t has

// Four classes per power of two: their number, and the bytes of its blocks.
unsigned large_class(size_t bytes) {
  const unsigned power = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;  // 2^power < bytes ≤ 2^(power+1)
  const size_t step = size_t{1} << (power - 2);
  return 4 * power + static_cast<unsigned>((bytes - 1 - (size_t{1} << power)) / step);
}

size_t class_bytes(unsigned size_class) {
  const unsigned power = size_class / 4;
  return (size_t{1} << power) + (size_t{1} << (power - 2)) * (size_class % 4 + 1);
}

}  // namespace

struct Pool::Large {
  std::array<Free*, large_classes> free = {};
  std::array<uint64_t, large_classes> last_use = {};
  uint64_t clock = 0;
};

Pool::Chunks::~Chunks() {
  while (all_ != nullptr) {
    Free* chunk = all_;
    all_ = chunk->next;
    std::free(chunk);
  }
}

void* Pool::Chunks::carve(size_t bytes) {
  if (left_ < bytes) {  // what is left of the old chunk (less than 1 KiB) is lost
    void* raw = std::aligned_alloc(block_alignment, chunk_bytes);
    if (raw == nullptr) return nullptr;
    all_ = ::new (raw) Free{all_};
    newest_ = static_cast<std::byte*>(raw) + block_alignment;
    left_ = chunk_bytes - block_alignment;
  }
  void* block = newest_;
  newest_ += bytes;
  left_ -= bytes;
  return block;
}

Pool::Pool() : large_(std::make_unique<Large>()) {}

Pool::~Pool() {
  trim();
  std::free(reserve_);
}

Pool* Pool::create(uint64_t limit_bytes) {
  Pool* pool = new Pool;
  const uint64_t memory = gate::usable_memory();
  pool->set_limit(limit_bytes != 0 ? limit_bytes : memory / 4 * 3);
  pool->kept_bound_ = memory / 4;
  pool->fill_reserve();
  return pool;
}

void Pool::release() {
  cache_.reset();
  released_ = true;
  if (held_ == 0) {
    delete this;
  } else {
    trim();
  }
}

void* Pool::allocate_slow(uint64_t wanted) {
  if (wanted > largest || account_.used + wanted >= quick_end_) return allocate_scarce(wanted);
  return take(static_cast<size_t>(wanted));
}

void* Pool::allocate_scarce(uint64_t wanted) {
  expect_room(wanted);
  const auto bytes = static_cast<size_t>(wanted);  // which is as much, as there is room for it
  void* const block = take(bytes);
  tell_taken(block, bytes);
  return block;
}

void* Pool::take(size_t bytes) {
  void* block;
  if (is_small(bytes)) {
    Free*& kept = small_[small_class(bytes)];
    block = kept != nullptr ? std::exchange(kept, kept->next) : chunks_.carve(small_class(bytes) * small_step);
  } else {
    block = guarded_ ? guarded_->take(bytes) : take_large(bytes);
  }
  if (block == nullptr) fail(message("out_of_memory"), {human_bytes(bytes), human_bytes(account_.limit)});
  hand_out(bytes);
  return block;
}

void* Pool::take_large(size_t bytes) {
  if (!keeps) return std::aligned_alloc(block_alignment, round_up(std::max<size_t>(bytes, 1), block_alignment));
  const unsigned size_class = large_class(bytes);
  large_->last_use[size_class] = ++large_->clock;
  if (Free* block = large_->free[size_class]; block != nullptr) {
    large_->free[size_class] = block->next;
    account_.kept -= class_bytes(size_class);
    return block;
  }
  const size_t size = class_bytes(size_class);
  if (account_.used + account_.kept + size > account_.limit) {  // kept and used memory share the limit
    const uint64_t room = account_.limit - account_.used;
    evict(room > size ? room - size : 0);
  }
  void* block = system_allocate(size);
  if (block == nullptr && (account_.kept > 0 || cache_ != nullptr)) {
    if (cache_ != nullptr) cache_->drop();
    trim();
    block = system_allocate(size);
  }
  return block;
}

void Pool::deallocate_slow(void* block, size_t bytes) {
  if (guarded_) {
    guarded_->give_back(block, bytes, !released_);
  } else if (keeps) {
    keep_large(block, bytes);
  } else {
    std::free(block);
  }
}

void Pool::keep_large(void* block, size_t bytes) {
  const unsigned size_class = large_class(bytes);
  const size_t size = class_bytes(size_class);
  if (size > kept_bound_ || released_) {
    system_free(block, size);
    return;
  }
  if (account_.kept + size > kept_bound_) evict(kept_bound_ - size);
  large_->last_use[size_class] = ++large_->clock;
  large_->free[size_class] = ::new (block) Free{large_->free[size_class]};
  account_.kept += size;
}

// Gives kept blocks back, the class used longest ago first, until at most `target` bytes are kept.
void Pool::evict(uint64_t target) {
  while (account_.kept > target) {
    unsigned oldest = large_classes;
    for (unsigned c = 0; c < large_classes; ++c) {
      if (large_->free[c] == nullptr) continue;
      if (oldest == large_classes || large_->last_use[c] < large_->last_use[oldest]) oldest = c;
    }
    if (oldest == large_classes) return;
    Free* block = large_->free[oldest];
    large_->free[oldest] = block->next;
    account_.kept -= class_bytes(oldest);
    system_free(block, class_bytes(oldest));
  }
}

void Pool::trim() {
  evict(0);
  if (guarded_) guarded_->trim();
}

void Pool::expect_room(uint64_t bytes) {
  if (!has_room(bytes) && cache_ != nullptr) cache_->drop();
  if (!has_room(bytes)) fail(message("out_of_memory"), {human_bytes(bytes), human_bytes(account_.limit)});
}

// Charges share the limit with kept blocks, as blocks do.
void Pool::make_room(uint64_t bytes) {
  expect_room(bytes);
  evict(account_.limit - account_.used - bytes);
}

void Pool::nothing_held() noexcept {
  if (released_) delete this;
}

void Pool::relieve() noexcept {
  if (cache_ != nullptr) cache_->drop();
  trim();
  std::free(reserve_);
  reserve_ = nullptr;
}

void Pool::fill_reserve() noexcept {
  constexpr size_t enough = 96 << 10;  // less than what the system maps by itself: it can be split
  if (reserve_ == nullptr) reserve_ = std::malloc(enough);
}

void refuse_items(int64_t count, size_t bytes_each) {
  uint64_t bytes;
  if (__builtin_mul_overflow(count, bytes_each, &bytes)) bytes = UINT64_MAX;
  fail(message("out_of_memory"), {human_bytes(bytes), human_bytes(Pool::largest)});
}

std::string human_bytes(uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  static constexpr const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double amount = static_cast<double>(bytes) / 1000;
  unsigned unit = 0;
  for (; amount >= 999.95 && unit < 5; ++unit) amount /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", amount, units[unit]);
  return text;
}

}  // namespace covec
