// Records the tier of a group of similar calls, those of the same types and about the same sizes. It holds the engine
// that makes them, until when, and what the last calls took (dispatcher.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace covec::jit {

enum class Engine : uint8_t { code, interpreter };

// What calls took, in ns.
class Samples {
 public:
  static constexpr unsigned most = 6;  // calls of a probe
  void add(uint64_t ns) {
    if (count_ < most) ns_[count_++] = ns;
  }
  void clear() { count_ = 0; }
  unsigned count() const { return count_; }
  uint64_t least() const { return *std::min_element(ns_, ns_ + count_); }
  uint64_t largest() const { return *std::max_element(ns_, ns_ + count_); }
  // The mean without the largest, which may be a disturbance. A median would not see one of two amounts of work.
  uint64_t typical() const {
    const uint64_t sum = std::accumulate(ns_, ns_ + count_, uint64_t{0});
    return count_ < 2 ? sum : (sum - largest()) / (count_ - 1);
  }

 private:
  uint64_t ns_[most];
  unsigned count_ = 0;
};

struct TierTiming {
  enum class State : uint8_t { unseen, code, interpreter, probing };
  State state = State::unseen, before = State::unseen;
  uint64_t overhead = 0;  // ns of a call of code beyond what it is for, as estimated
  uint64_t saved = 0;     // ns that a call of the interpreter takes less where it is not looked at nor timed
  uint64_t left = 0;      // calls until the next probe
  uint64_t interval = 0;  // as it was when the last probe had ended
  uint64_t trip = 0;      // calls of code after the interpreter has taken too long
  unsigned calls = 0;     // in probes
  unsigned untimed = 0;   // calls of the interpreter in turn
  uint64_t of_code = 0;   // ns, in the last probe; 0: there was none
  int64_t balance = 0;    // ns that the interpreter has won since
  Samples code, interpreter;
};

// By the elements that go in.
struct TierTimings {
  static constexpr unsigned classes = 3;  // small, medium and large (docs/compiling.md)
  // Elements that go in (docs/compiling.md).
  static constexpr int64_t max_small_elements = 64, max_medium_elements = 4096;
  static unsigned class_of(int64_t elements) {
    return elements <= max_small_elements ? 0 : elements <= max_medium_elements ? 1 : 2;
  }
  TierTiming of_class[classes];
};

}  // namespace covec::jit
