// Meters the memory used for reading a text. The parts of the frontend report the bytes that they take. A caller may
// count them, and stop the reading by an exception: all of the frontend lets it pass. By itself a Meter only adds.
#pragma once

#include <cstddef>

namespace covec {

class Meter {
 public:
  Meter() = default;
  virtual ~Meter() = default;
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // Bytes that are needed while the text is read.
  void use(size_t bytes) {
    new_ += bytes;
    if (new_ >= between_polls) [[unlikely]]
      look();
  }
  // Bytes that stay as long as what the text was made into.
  void keep(size_t bytes) {
    kept_ += bytes;
    use(bytes);
  }
  size_t kept() const { return kept_; }

 protected:
  // So many more are in use: may throw.
  virtual void take(size_t) {}

 private:
  void look() {
    const size_t bytes = new_;
    new_ = 0;
    take(bytes);
  }
  static constexpr size_t between_polls = 64 << 10;  // bytes that are new
  size_t new_ = 0, kept_ = 0;
};

}  // namespace covec
