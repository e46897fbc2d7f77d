// Measures running code, if a program asks for it (explain(f, measure=true)). It times whole calls, each launch, vector
// loop and library call, and notes the least work that each has to do. Outermost loops of the code itself are timed by
// that (jit/simd/loop_timer.hpp). Unmeasured code has no overhead: a measured activation has another `step`
// (Activation::enter), and code of its own. Start at Meter.
#pragma once

#include <x86intrin.h>

#include <chrono>
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
  static constexpr size_t kept = 64;  // samples
  uint64_t times_ = 0;
  double seconds_ = 0;
  std::vector<Sample> last_;
};

class Meter {
 public:
  explicit Meter(const loops::Plan& plan)
      : times_(plan.steps.size()), loops_(plan.steps.size()), inside_(plan.steps.size()) {}
  // By the step's number.
  const StepTimes& of(size_t step) const { return times_[step]; }
  // `loop`: the outermost one that runs, as ActivationRecord::loop has it.
  void add(size_t step, const Sample& sample, uint64_t loop);

  const StepTimes& calls() const { return calls_; }
  void add_call(double seconds) { calls_.add({.seconds = seconds, .work = {}}); }
  // Of all calls together: what is timed of them.
  double accounted() const;

  // By the step of the loop's Poll.
  loops::LoopTime* loops() { return loops_.data(); }
  uint64_t times_of_loop(size_t poll) const { return loops_[poll].times; }
  // All that it has taken without the steps in it that are timed themselves.
  double seconds_of_loop(size_t poll) const;
  // A call has left the function from inside of the loop.
  void end_loop(size_t poll, uint64_t began);

 private:
  double seconds(uint64_t ticks) const;

  StepTimes calls_;
  std::vector<StepTimes> times_;
  std::vector<loops::LoopTime> loops_;
  std::vector<double> inside_;  // by loop: seconds of the steps in it
  double outside_ = 0;          // of the others
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin_ = Clock::now();
  const uint64_t first_tick_ = __rdtsc();
};

// Whether the step is work of which one wants to know how long it takes.
bool is_measured(const loops::Step& step, std::span<const Value> slots);
// What the step has to do, as far as its operands tell before it is taken; and what its results tell afterwards. False:
// it was found that there was nothing to do.
Work work_before(const loops::Plan& plan, const loops::Step& step, std::span<const Value> slots);
bool add_work_after(const loops::Plan& plan, const loops::Step& step, std::span<const Value> slots, Work& work);

}  // namespace covec::runtime
