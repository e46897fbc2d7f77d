// An open file or folder, closed by its last owner.
#pragma once

#include <utility>

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

 private:
  int number_ = -1;
};

}  // namespace covec::gate
