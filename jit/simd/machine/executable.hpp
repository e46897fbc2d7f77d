// Holds machine code that may be run. Its pages are written first and then made executable: never both at once. A table
// of addresses of C++ functions lies in front of the code, which reaches it relative to itself. So the code's own bytes
// hold no addresses and may lie anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace covec::simd {

class Executable {
 public:
  // `table` is written over the first bytes of `code`. Null where the system gives no memory.
  static std::unique_ptr<Executable> make(std::span<const uint8_t> code, std::span<const void* const> table);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const void* at(size_t offset) const { return static_cast<const uint8_t*>(pages_) + offset; }
  size_t bytes() const { return bytes_; }

 private:
  Executable(void* pages, size_t bytes) : pages_(pages), bytes_(bytes) {}
  void* pages_;
  size_t bytes_;
};

}  // namespace covec::simd
