// Accounts for a session's memory: what its tensors, trees, strings and functions take together, and the limit. Each
// session has one Memory (the pool of stdlib/tensor is one). While the session runs, it is the thread's current Memory.
// New objects are charged to the current Memory. When they are destroyed, they report it to the same Memory, whatever
// session runs then. Objects made outside of any session are charged to nobody. Start at MemoryCharge.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace covec {

struct MemoryAccount {
  uint64_t used = 0;  // bytes handed out or charged now
  uint64_t peak = 0;
  uint64_t allocations = 0;  // number of blocks ever handed out
  uint64_t kept = 0;         // bytes of large blocks kept for reuse
  uint64_t limit = 0;        // bytes that may be used at once
};

class Memory {
 public:
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Of the session that runs on this thread; nullptr outside of one.
  static Memory* current() noexcept { return current_; }
  // This is the thread's until the end of the scope.
  class Use {
   public:
    explicit Use(Memory& memory) noexcept : outer_(current_) { current_ = &memory; }
    ~Use() { current_ = outer_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Memory* const outer_;
  };

  const MemoryAccount& account() const { return account_; }
  // What is below the limit is a size_t, too, where that has 32 bits.
  void set_limit(uint64_t bytes) { account_.limit = std::min<uint64_t>(bytes, SIZE_MAX); }
  void reset_peak() { account_.peak = account_.used; }

  // Throws OpError(out_of_memory) beyond the limit.
  void charge(uint64_t bytes) {
    need(bytes);
    account_.used += bytes;
    if (account_.used > account_.peak) account_.peak = account_.used;
    ++held_;
  }
  void give_back(uint64_t bytes) noexcept {
    account_.used -= bytes;
    if (--held_ == 0) [[unlikely]]
      nothing_held();
  }
  // The same charge with another number of bytes.
  void change(uint64_t from, uint64_t to) {
    if (to > from) need(to - from);
    account_.used += to - from;
    if (account_.used > account_.peak) account_.peak = account_.used;
  }
  // There would be room for as many more.
  void need(uint64_t bytes) {
    if (account_.used + account_.kept + bytes > account_.limit) [[unlikely]]
      make_room(bytes);
  }
  // The system has no more: gives it what can be spared, so that the error can be told.
  virtual void relieve() noexcept = 0;

 protected:
  Memory() = default;
  ~Memory() = default;
  virtual void make_room(uint64_t bytes) = 0;  // or throws
  virtual void nothing_held() noexcept = 0;

  MemoryAccount account_;
  uint64_t held_ = 0;  // blocks handed out, and charges

 private:
  static constinit inline thread_local Memory* current_ = nullptr;
};

// What one object takes, from its beginning to its end.
class MemoryCharge {
 public:
  explicit MemoryCharge(uint64_t bytes) : memory_(Memory::current()), bytes_(bytes) {
    if (memory_ != nullptr) memory_->charge(bytes);
  }
  ~MemoryCharge() {
    if (memory_ != nullptr) memory_->give_back(bytes_);
  }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  void change(uint64_t bytes) {
    if (memory_ != nullptr) memory_->change(bytes_, bytes);
    bytes_ = bytes;
  }

 private:
  Memory* const memory_;
  uint64_t bytes_;
};

// With what the system keeps for each block.
constexpr size_t block_bytes(size_t bytes) { return bytes + 16; }
template <class T>
size_t bytes_behind(const std::vector<T>& items) {
  return items.capacity() == 0 ? 0 : block_bytes(items.capacity() * sizeof(T));
}
inline size_t bytes_behind(const std::string& text) {
  return text.capacity() < sizeof(std::string) / 2 ? 0 : block_bytes(text.capacity() + 1);
}

}  // namespace covec
