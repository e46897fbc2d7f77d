// A tape's memory: a bump allocator over blocks of the session's pool. So it is on the session's account. It is freed
// all at once.
#pragma once

#include <cstddef>

#include "stdlib/tensor/pool.hpp"

namespace covec::autodiff {

class Arena {
 public:
  explicit Arena(Pool& pool) : pool_(pool) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();
  // 16-byte aligned, uninitialised.
  void* allocate(size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > left_) grow(bytes);
    void* block = next_;
    next_ += bytes;
    left_ -= bytes;
    return block;
  }

  // Where the next block begins. What was allocated since is free again with rewind().
  struct Mark;
  Mark mark() const;
  void rewind(const Mark& mark) noexcept;

 private:
  struct alignas(16) Block {
    Block* previous;
    size_t bytes;
  };
  // Bytes of the first block and of the largest ones.
  static constexpr size_t first_bytes = 1024, last_bytes = size_t{1} << 20;
  void grow(size_t bytes);
  Pool& pool_;
  Block* block_ = nullptr;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
};

struct Arena::Mark {
  Block* block;
  std::byte* next;
  size_t left;
};
inline Arena::Mark Arena::mark() const { return {block_, next_, left_}; }

}  // namespace covec::autodiff
