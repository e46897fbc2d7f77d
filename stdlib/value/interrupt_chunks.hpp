// Walks over long arrays on the session's thread and checks the interrupt flag. About a megabyte lies between two
// checks (some hundred microseconds); no check is made per element. OpError(interrupted).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "stdlib/value/visits.hpp"

namespace covec {

// 1 MiB from one look at the interrupt flag to the next, as said above.
inline constexpr size_t bytes_between_polls = size_t{1} << 20;

// For walks whose steps differ.
class BytePolls {
 public:
  void pass(size_t bytes) {
    if ((passed_ += bytes) < bytes_between_polls) return;
    passed_ = 0;
    Visits::look();
  }

 private:
  size_t passed_ = 0;
};

// body(begin, end) for chunks of [0, count), of `bytes` an element.
template <class F>
void in_chunks(int64_t count, size_t bytes, const F& body) {
  const int64_t length = std::max<int64_t>(1, static_cast<int64_t>(bytes_between_polls / std::max<size_t>(bytes, 1)));
  for (int64_t begin = 0; begin < count; begin += length) {
    if (begin > 0) Visits::look();
    body(begin, std::min(count, begin + length));
  }
}

// memcpy.
inline void copy_long(void* to, const void* from, size_t bytes) {
  if (bytes <= bytes_between_polls) {
    std::memcpy(to, from, bytes);
    return;
  }
  in_chunks(static_cast<int64_t>(bytes), 1, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                static_cast<size_t>(end - begin));
  });
}

}  // namespace covec
