// GuardedBlocks: memory in which each block has a page of its own beside one that nobody may touch, which catches reads
// and writes beyond it. For tests: it takes a page for the smallest tensor. Start at take().
#pragma once

#include <cstddef>

namespace covec {

class GuardedBlocks {
 public:
  GuardedBlocks() = default;
  GuardedBlocks(const GuardedBlocks&) = delete;
  GuardedBlocks& operator=(const GuardedBlocks&) = delete;
  ~GuardedBlocks() { trim(); }

  void* take(size_t bytes);  // nullptr where the system has none
  // With the same number of bytes. `keep`: blocks of one page may be used again.
  void give_back(void* block, size_t bytes, bool keep);
  void trim();  // gives kept pages back to the system

 private:
  struct FreePage {
    FreePage* next;
  };
  bool before_ = false;  // where the next block's guard lies; in turns
  int count_ = 0;
  FreePage* pages_[2] = {};  // kept blocks of one page; of [true] the guard lies before
};

}  // namespace covec
