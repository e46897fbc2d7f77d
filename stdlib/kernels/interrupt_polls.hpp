// Checks the interrupt flag inside one piece of work, on any thread, where nothing may be thrown. An interrupted piece
// returns with its work undone. The code that distributed it throws (parallel_for does, or poll_interrupt).
#pragma once

#include <algorithm>
#include <cstdint>

#include "stdlib/value/context.hpp"

namespace covec::kernels {

// Whether the flag is set; counts as a poll.
bool interrupted(const ops::Context& context);

class InterruptPolls {
 public:
  explicit InterruptPolls(const ops::Context& context) : context_(context) {}
  // Tells of element operations that come now; whether to end instead.
  bool stop(int64_t operations) {
    done_ += operations;
    if (done_ < max_between) return stopped_;
    done_ = 0;
    stopped_ = stopped_ || interrupted(context_);
    return stopped_;
  }
  // Calls body(begin, end) for chunks of [0, n), each element so many operations; false where it is to end.
  template <class Body>
  bool in_chunks(int64_t n, int64_t operations, Body&& body) {
    const int64_t chunk = std::clamp(max_between / std::max<int64_t>(operations, 1), shortest, longest);
    for (int64_t begin = 0; begin < n; begin += chunk) {
      const int64_t end = std::min(n, begin + chunk);
      if (stop((end - begin) * operations)) return false;
      body(begin, end);
    }
    return true;
  }

 private:
  // Element operations between two polls: well within the 30 million of docs/language.md. Elements of a chunk, at
  // least and at most.
  static constexpr int64_t max_between = int64_t{1} << 22, shortest = 16, longest = int64_t{1} << 18;
  const ops::Context& context_;
  int64_t done_ = 0;
  bool stopped_ = false;
};

}  // namespace covec::kernels
