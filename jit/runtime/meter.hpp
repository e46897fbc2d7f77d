// Measures the steps of running code, if a program asks for it (explain(f, measure=true)). It times each launch, vector
// loop and library call, and notes the least work that each has to do. Unmeasured code has no overhead: a measured
// activation has another `step` (Activation::enter). Start at Meter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jit/loops/plan.hpp"

namespace covec::runtime {

// Each element that is read or written once, and operations on floats.
struct Work {
  double bytes = 0;
  double operations = 0;
  Dtype dtype = Dtype::f64;  // of the operations
  bool known = false;        // false: a library call of which only the time can be told
};

struct Sample {
  double seconds = 0;
  Work work;
};

class StepTimes {
 public:
  void add(const Sample& sample);
  uint64_t times() const { return times_; }
  double seconds() const { return seconds_; }  // all of them
  Sample median() const;                       // of the last ones; there is one
 private:
  static constexpr size_t kept = 64;  // samples; chosen, not measured
  uint64_t times_ = 0;
  double seconds_ = 0;
  std::vector<Sample> last_;
};

class Meter {
 public:
  explicit Meter(const loops::Plan& plan) : times_(plan.steps.size()) {}
  // By the step's number.
  StepTimes& of(size_t step) { return times_[step]; }
  const StepTimes& of(size_t step) const { return times_[step]; }

 private:
  std::vector<StepTimes> times_;
};

// Whether the step is work of which one wants to know how long it takes.
bool is_measured(const loops::Step& step, std::span<const Value> slots);
// What the step has to do, as far as its operands tell before it is taken; and what its results tell afterwards. False:
// it was found that there was nothing to do.
Work work_before(const loops::Plan& plan, const loops::Step& step, std::span<const Value> slots);
bool add_work_after(const loops::Plan& plan, const loops::Step& step, std::span<const Value> slots, Work& work);

}  // namespace covec::runtime
