// Saves and sets the floating-point environment of a thread: rounding, flushing of subnormals, traps, the x87 unit's
// precision. All arithmetic needs the standard one, but a host or its libraries may have left another. When a host's
// thread comes in, its environment is saved, and it is restored when the thread leaves. Functions of the host that are
// called in between run in the host's own environment. On machines other than x86-64 it does nothing: the standard
// environment is taken for granted there. Start at FloatingScope.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <array>
#include <cstdint>

namespace covec {

#if defined(__x86_64__)
class FloatingState {
 public:
  FloatingState() = default;  // the standard one: to nearest, nothing flushed, nothing traps, 64 bits of precision

  // Becomes the thread's own. In place: it is on the way of every call of a host's, and a copy would cost more.
  void read() {
    vectors_ = _mm_getcsr();
    asm volatile("fnstcw %0" : "=m"(x87_));
    if (x87_ != standard_x87) asm volatile("fnstenv %0" : "=m"(x87_environment_));
  }

  // But for flags, which change no result.
  bool is_standard() const { return (vectors_ & ~vector_flags) == standard_vectors && x87_ == standard_x87; }
  // Where only arithmetic of ours has been done since: that leaves the x87 unit's controls alone.
  void put_back() const {
    if (x87_ != standard_x87) return set();
    if (_mm_getcsr() != vectors_) _mm_setcsr(vectors_);
  }

  // Flags that were raised meanwhile are forgotten where they could trap: they were not the host's doing.
  void set() const {
    _mm_setcsr(vectors_);
    uint16_t now;
    asm volatile("fnstcw %0" : "=m"(now));
    if (x87_ != standard_x87)
      asm volatile("fldenv %0" : : "m"(x87_environment_));
    else if (now != standard_x87)
      asm volatile("fldcw %0" : : "m"(x87_));
  }

 private:
  static constexpr uint16_t standard_x87 = 0x37f;  // the control word after FNINIT (Intel's manual, volume 1, 8.1.5)
  // MXCSR after a reset, and its bits of exceptions (the same, 10.2.3).
  static constexpr uint32_t standard_vectors = 0x1f80, vector_flags = 0x3f;
  uint32_t vectors_ = standard_vectors;
  uint16_t x87_ = standard_x87;
  std::array<uint32_t, 7> x87_environment_ = {};  // with its flags; where it is not the standard one
};
#else
class FloatingState {
 public:
  void read() {}
  bool is_standard() const { return true; }
  void put_back() const {}
  void set() const {}
};
#endif

// Another state until the end of a block.
class FloatingScope {
 public:
  explicit FloatingScope(const FloatingState& inside = {}) {
    outside_.read();
    inside.set();
  }
  FloatingScope(const FloatingScope&) = delete;
  FloatingScope& operator=(const FloatingScope&) = delete;
  ~FloatingScope() { outside_.set(); }

 private:
  FloatingState outside_;
};

}  // namespace covec
