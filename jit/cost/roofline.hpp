// What this machine can do at most, with the session's threads: operations in a second and bytes in a second, measured
// once in a session where a program asks what its code takes. Of work that moves so many bytes and does so many
// operations no code can take less time than the slower of the two needs: the roofline model. The peaks are those of
// the library itself, a product of matrices in the nearest caches, copies and sums; a peak measured while others use
// the machine is too low, and shares are too high.
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
