// Memory of one session: a pooling allocator with an account and a limit. Freed blocks are kept by size class (small
// ones for ever, large ones up to a bound), because at large sizes page faults cost more than the arithmetic, and at small ones
// malloc does. Large blocks ask the kernel for huge pages. One thread at a time; kernels never allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace covec {

struct PoolAccount {
  uint64_t used = 0;         // bytes handed out now
  uint64_t peak = 0;
  uint64_t allocations = 0;  // number of calls of allocate
  uint64_t kept = 0;         // bytes kept for reuse
  uint64_t limit = 0;        // bytes that may be handed out at once
};

class Pool {
 public:
  // The pool lives until its session has released it and the last block has come back.
  static Pool* create(uint64_t limit_bytes = 0);  // 0: three quarters of the machine's memory
  void release();                                 // by the session, once

  // 64-byte aligned (at least). Throws OpError(out_of_memory) beyond the limit or when the system has none.
  void* allocate(size_t bytes);
  void deallocate(void* block, size_t bytes);     // with the same number of bytes
  const PoolAccount& account() const { return account_; }
  void set_limit(uint64_t bytes) { account_.limit = bytes; }
  void reset_peak() { account_.peak = account_.used; }
  void trim();                                    // gives kept memory back to the system

 private:
  Pool() = default;
  ~Pool();
  struct Free { Free* next; };
  static constexpr size_t small_step = 64, small_limit = 1024;
  void* allocate_slow(size_t bytes);
  void destroy_if_done();
  Free* small_[small_limit / small_step + 1] = {};
  PoolAccount account_;
  bool released_ = false;
  struct Large;
  Large* large_ = nullptr;
};

}  // namespace covec
