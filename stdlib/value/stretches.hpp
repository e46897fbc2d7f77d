// Walks over long arrays on the session's thread and checks the interrupt flag. About a megabyte lies between two
// checks (some hundred microseconds); no check is made per element. OpError(interrupted).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "stdlib/value/visits.hpp"

namespace covec {

// 1 MiB from one look at the interrupt flag to the next, as said above; chosen, not measured.
inline constexpr size_t stretch_bytes = size_t{1} << 20;

// For walks whose steps differ.
class Stretches {
 public:
  void pass(size_t bytes) {
    if ((passed_ += bytes) < stretch_bytes) return;
    passed_ = 0;
    Visits::look();
  }

 private:
  size_t passed_ = 0;
};

// body(begin, end) for stretches of [0, count), of `bytes` an element.
template <class F>
void in_stretches(int64_t count, size_t bytes, const F& body) {
  const int64_t length = std::max<int64_t>(1, static_cast<int64_t>(stretch_bytes / std::max<size_t>(bytes, 1)));
  for (int64_t begin = 0; begin < count; begin += length) {
    if (begin > 0) Visits::look();
    body(begin, std::min(count, begin + length));
  }
}

// memcpy.
inline void copy_long(void* to, const void* from, size_t bytes) {
  if (bytes <= stretch_bytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  in_stretches(static_cast<int64_t>(bytes), 1, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                static_cast<size_t>(end - begin));
  });
}

}  // namespace covec
