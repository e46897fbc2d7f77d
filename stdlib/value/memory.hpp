// Accounts for a session's memory: what its tensors, trees, strings and functions take together, and the limit. Each
// session has one Memory (the pool of stdlib/tensor is one). While the session runs, it is the thread's current Memory.
// New objects are charged to the current Memory. When they are destroyed, they report it to the same Memory, whatever
// session runs then. Objects made outside of any session are charged to nobody. A MemoryWatch is told of every block
// and charge; without one nothing is checked for it. Start at MemoryCharge.
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

// Is told of each block and each charge, by its address, from Memory::watch() on.
class MemoryWatch {
 public:
  virtual void taken(const void* what, uint64_t bytes) noexcept = 0;
  // The same with another number of bytes.
  virtual void changed(const void* what, uint64_t from, uint64_t to) noexcept = 0;
  // Also what was there before the watch.
  virtual void given_back(const void* what, uint64_t bytes) noexcept = 0;

 protected:
  ~MemoryWatch() = default;
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
  void set_limit(uint64_t bytes) {
    account_.limit = std::min<uint64_t>(bytes, SIZE_MAX);
    if (watch_ == nullptr) quick_end_ = end_of_limit();
  }
  void reset_peak() { account_.peak = account_.used; }

  // Throws OpError(out_of_memory) beyond the limit. `what`: the address by which a watch knows it.
  void charge(const void* what, uint64_t bytes) {
    if (is_beyond(bytes)) [[unlikely]]
      return charge_slowly(what, bytes);
    count(bytes);
    ++held_;
  }
  void give_back(const void* what, uint64_t bytes) noexcept {
    account_.used -= bytes;
    if (--held_ == 0) [[unlikely]]
      end_quick(what, bytes);
  }
  // The same charge with another number of bytes.
  void change(const void* what, uint64_t from, uint64_t to) {
    if (is_beyond(to - from)) [[unlikely]]
      return change_slowly(what, from, to);
    count(to - from);
  }
  // There would be room for as many more.
  void need(uint64_t bytes) {
    if (is_beyond(bytes)) [[unlikely]]
      make_room(bytes);
  }
  // From here on `watch` is told of all that is taken and given back; nullptr: nobody is.
  void watch(MemoryWatch* watch) noexcept {
    if (watch_ == nullptr) held_while_watched_ = held_;
    watch_ = watch;
    quick_end_ = watch != nullptr ? 0 : end_of_limit();
    held_ = watch != nullptr ? 1 : held_while_watched_;
  }
  // The system has no more: gives it what can be spared, so that the error can be told.
  virtual void relieve() noexcept = 0;

 protected:
  Memory() = default;
  ~Memory() = default;
  virtual void make_room(uint64_t bytes) = 0;  // or throws
  virtual void nothing_held() noexcept = 0;
  void count(uint64_t bytes) {  // of a charge that shrinks: 2^64 less what goes
    account_.used += bytes;
    if (account_.used > account_.peak) account_.peak = account_.used;
  }
  // After something has been counted on a slow path.
  void tell_taken(const void* what, uint64_t bytes) noexcept {
    if (watch_ == nullptr) return;
    ++held_while_watched_;
    held_ = 1;
    watch_->taken(what, bytes);
  }
  // held_ has come to 0.
  [[gnu::cold]] void end_quick(const void* what, uint64_t bytes) noexcept {
    if (watch_ != nullptr) {
      --held_while_watched_;
      held_ = 1;
      watch_->given_back(what, bytes);
    }
    if (watch_ == nullptr || held_while_watched_ == 0) nothing_held();
  }

  MemoryAccount account_;
  // Two numbers that are compared at each block and charge anyway. While there is a watch they are 0 and 1: then
  // everything takes the slow path, which tells the watch.
  uint64_t quick_end_ = 0;  // the first number of bytes that is beyond the limit
  uint64_t held_ = 0;       // blocks handed out, and charges

 private:
  bool is_beyond(uint64_t bytes) const { return account_.used + account_.kept + bytes >= quick_end_; }
  uint64_t end_of_limit() const { return std::min(account_.limit, UINT64_MAX - 1) + 1; }
  [[gnu::cold]] void charge_slowly(const void* what, uint64_t bytes) {
    make_room(bytes);
    count(bytes);
    ++held_;
    tell_taken(what, bytes);
  }
  [[gnu::cold]] void change_slowly(const void* what, uint64_t from, uint64_t to) {
    if (to > from) make_room(to - from);
    count(to - from);
    if (watch_ != nullptr) watch_->changed(what, from, to);
  }

  MemoryWatch* watch_ = nullptr;
  uint64_t held_while_watched_ = 0;
  static constinit inline thread_local Memory* current_ = nullptr;
};

// What one object takes, from its beginning to its end.
class MemoryCharge {
 public:
  explicit MemoryCharge(uint64_t bytes) : memory_(Memory::current()), bytes_(bytes) {
    if (memory_ != nullptr) memory_->charge(this, bytes);
  }
  ~MemoryCharge() {
    if (memory_ != nullptr) memory_->give_back(this, bytes_);
  }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  void change(uint64_t bytes) {
    if (memory_ != nullptr) memory_->change(this, bytes_, bytes);
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
