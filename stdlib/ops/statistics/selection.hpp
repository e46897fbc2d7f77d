// Finds the element of a given rank among numbers, without sorting them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace covec::ops {

// The number of rank `rank` (0: the smallest) of n numbers, none of them NaN. `room` has place for n. Floyd and Rivest,
// "Expected time bounds for selection" (1975), with a sample taken at equal distances: two of its numbers between which
// the one that is sought surely lies leave few to choose from; where it does not, all are looked at.
template <class T>
T select_rank(const T* x, int64_t n, int64_t rank, T* room) {
  constexpr int64_t least = 4096, large = 1 << 17;  // numbers, for a sample and for a larger one
  if (n >= least) {
    const int64_t sample = n < large ? 256 : 2048, margin = n < large ? 32 : 90;  // four deviations of a rank in it
    const int64_t step = n / sample, off = n - step * sample;
    for (int64_t i = 0; i < sample; ++i) room[i] = x[i * step + (i * 7919) % (i + 1 < sample ? step : step + off)];
    std::sort(room, room + sample);
    const auto middle =
        static_cast<int64_t>(static_cast<double>(rank) / static_cast<double>(n) * static_cast<double>(sample));
    const bool first = middle < margin, last = middle + margin >= sample;
    const T low = first ? room[0] : room[middle - margin], high = last ? room[sample - 1] : room[middle + margin];
    int64_t below = 0, kept = 0;
    for (int64_t i = 0; i < n; ++i) {
      const T number = x[i];
      const bool under = !first && number < low, over = !last && number > high;
      below += under;
      room[kept] = number;
      kept += !under && !over;
    }
    if (rank >= below && rank < below + kept) {
      std::nth_element(room, room + (rank - below), room + kept);
      return room[rank - below];
    }
  }
  std::copy_n(x, n, room);
  std::nth_element(room, room + rank, room + n);
  return room[rank];
}

// Where the number of rank `rank`, which is `value`, stands: equal ones are ranked in the order in which they stand.
template <class T>
int64_t place_of_rank(const T* x, int64_t n, T value, int64_t rank) {
  int64_t below = 0;
  for (int64_t i = 0; i < n; ++i) below += x[i] < value;
  int64_t seen = rank - below;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] == value && seen-- == 0) return i;
  }
  return 0;
}

}  // namespace covec::ops
