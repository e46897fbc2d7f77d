// An open file or folder, closed by its last owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

struct stat;

namespace covec::gate {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  bool close();  // false: what was written may be lost (errno)

  // Bytes from `offset` on: how many there were, at most `count`; −1: errno says why.
  int64_t read_at(uint64_t offset, void* to, size_t count) const;
  int64_t write_at(uint64_t offset, const void* from, size_t count) const;
  // False: errno says why.
  bool look_at(struct stat& facts) const;
  bool set_mode(unsigned mode) const;
  bool sync() const;  // until it is on the disk, where the file system can say so

 private:
  int number_ = -1;
};

// What an errno of these means, for messages.
std::string reason_of(int code);

// The next bytes of an open file: how many there were, at most `count`; 0 at its end; −1: errno says why.
int64_t read_next(int number, void* to, size_t count);

}  // namespace covec::gate
