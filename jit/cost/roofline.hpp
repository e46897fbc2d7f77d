// Measures this machine's peak rates with the session's threads: operations per second and bytes per second. They are
// measured once in a session, when a program asks how long its code takes. The roofline model gives a lower bound on
// the time of some work: the longer of the times for its bytes and for its operations. The peaks are the library's own:
// a matrix product in the nearest caches, copies and sums. If other processes use the machine during the measurement, a
// peak is too low, and shares are too high.
#pragma once

#include <string>

#include "jit/runtime/meter.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::jit {

class Roofline {
 public:
  explicit Roofline(ops::Builder& eager);
  // "12 times, each 3.10 us, 8.20 GB/s, 4.10 GFLOP/s: 61.0 % of the roofline (memory)"; of the median of the last ones.
  std::string text(const runtime::StepTimes& times) const;
  // "12 times, each 3.10 us"
  static std::string text(uint64_t times, double each);
  // The peaks.
  std::string text() const;

 private:
  double bandwidth(double bytes) const { return bytes <= cache_bytes_ ? from_cache_ : from_memory_; }
  double operations(Dtype dtype) const { return dtype == Dtype::f32 ? in_f32_ : in_f64_; }

  unsigned threads_;
  double cache_bytes_;                       // what stays in a core's second-level cache
  double from_cache_ = 0, from_memory_ = 0;  // bytes in a second
  double in_f32_ = 0, in_f64_ = 0;           // operations in a second
};

}  // namespace covec::jit
