// Allocates the memory of one session: a pooling allocator with an account and a limit. It keeps freed blocks by size
// class (small ones for ever, large ones up to a bound). At large sizes page faults cost more than the arithmetic, and
// at small sizes malloc does. Large blocks ask the kernel for huge pages. A guarded pool puts each block beside a page
// without access rights, to catch reads and writes beyond the block. The pool serves one thread at a time; kernels
// never allocate. Start at allocate: the common case is here, the rest in pool.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "stdlib/tensor/guarded_blocks.hpp"
#include "stdlib/value/memory.hpp"
#include "stdlib/value/object.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define COVEC_POOL_KEEPS 0  // the sanitizer sees every block on its own
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COVEC_POOL_KEEPS 0
#endif
#endif
#ifndef COVEC_POOL_KEEPS
#define COVEC_POOL_KEEPS 1
#endif

namespace covec {

// What can be made again: it is dropped where memory runs short, before anything fails.
class PoolCache {
 public:
  virtual ~PoolCache() = default;
  virtual void drop() noexcept = 0;
};

class Pool final : public Memory, public ObjectOwner {
 public:
  // The pool lives until its session has released it and the last block has come back.
  static Pool* create(uint64_t limit_bytes = 0);  // 0: three quarters of the memory that the process may have
  void release();                                 // by the session, once
  // Bytes of a block: beyond this a size is absurd whatever the limit. With 32 bits a block that is rounded up to twice
  // as many still has differences of addresses.
  static constexpr uint64_t largest = uint64_t{1} << (sizeof(size_t) == 8 ? 56 : 30);

  // 64-byte aligned (at least). Throws OpError(out_of_memory) beyond the limit or when the system has none. The number
  // of bytes has 64 bits also where a size_t has 32: what does not fit into one is refused here.
  void* allocate(uint64_t bytes) {
    if (is_small(bytes)) {
      const size_t size_class = small_class(static_cast<size_t>(bytes));
      if (Free* block = small_[size_class]; block != nullptr && account_.used + bytes < quick_end_) {
        small_[size_class] = block->next;
        hand_out(bytes);
        return block;
      }
    }
    return allocate_slow(bytes);
  }
  void deallocate(void* block, size_t bytes) {  // with the same number of bytes
    account_.used -= bytes;
    if (is_small(bytes)) {
      const size_t size_class = small_class(bytes);
      small_[size_class] = ::new (block) Free{small_[size_class]};
    } else {
      deallocate_slow(block, bytes);
    }
    if (--held_ == 0) [[unlikely]]
      end_quick(block, bytes);
  }
  void dispose(Object* tensor) noexcept override;  // the objects among its blocks are tensors: tensor.cpp
  // Before the first block: from here on blocks are guarded.
  void guard() {
    guarded_ = std::make_unique<GuardedBlocks>();
    small_blocks_ = false;
  }
  bool guarded() const { return guarded_ != nullptr; }
  void trim();  // gives kept large blocks back to the system
  std::unique_ptr<PoolCache>& cache() { return cache_; }
  void relieve() noexcept override;
  // Memory for telling of an error when the system has no more: spent by relieve, and had again here.
  void fill_reserve() noexcept;

 private:
  Pool();
  ~Pool();
  struct Free {
    Free* next;
  };
  // Large pieces of memory that small blocks are cut from; they go back at the end.
  class Chunks {
   public:
    Chunks() = default;
    ~Chunks();
    void* carve(size_t bytes);  // nullptr where the system has none

   private:
    std::byte* newest_ = nullptr;  // what is left of the newest
    size_t left_ = 0;
    Free* all_ = nullptr;
  };
  struct Large;
  static constexpr bool keeps = COVEC_POOL_KEEPS;
  // Bytes: a cache line, and of the largest small block.
  static constexpr size_t small_step = 64, small_limit = 1024;
  bool is_small(uint64_t bytes) const { return bytes <= small_limit && small_blocks_; }
  static size_t small_class(size_t bytes) { return bytes == 0 ? 1 : (bytes + small_step - 1) / small_step; }
  void hand_out(uint64_t bytes) {
    count(bytes);
    ++account_.allocations;
    ++held_;
  }
  void* allocate_slow(uint64_t bytes);
  void* allocate_scarce(uint64_t bytes);  // beyond the limit, or watched
  void* take(size_t bytes);
  void deallocate_slow(void* block, size_t bytes);
  void* take_large(size_t bytes);
  void keep_large(void* block, size_t bytes);
  void evict(uint64_t target);
  bool has_room(uint64_t bytes) const { return bytes <= largest && account_.used + bytes <= account_.limit; }
  void expect_room(uint64_t bytes);
  void make_room(uint64_t bytes) override;
  void nothing_held() noexcept override;

  bool small_blocks_ = keeps;  // false: each is treated as a large one
  std::unique_ptr<GuardedBlocks> guarded_;
  Free* small_[small_limit / small_step + 1] = {};
  bool released_ = false;
  Chunks chunks_;
  std::unique_ptr<Large> large_;
  std::unique_ptr<PoolCache> cache_;
  uint64_t kept_bound_ = 0;
  void* reserve_ = nullptr;
};

// "8.0 TB": for messages and for people.
std::string human_bytes(uint64_t bytes);

[[noreturn]] void refuse_items(int64_t count, size_t bytes_each);

// The size of a container of `count` items, an extent. OpError(out_of_memory) if a size_t of 32 bits does not hold
// their bytes; one of 64 bits leaves it to the container to find that there are too many.
template <class T>
size_t size_for(int64_t count) {
  if constexpr (sizeof(size_t) < sizeof(int64_t)) {
    if (static_cast<uint64_t>(count) > Pool::largest / sizeof(T)) refuse_items(count, sizeof(T));
  }
  return static_cast<size_t>(count);
}

}  // namespace covec
