// Records loops under a derivative with bounded memory. Their iterations are recorded in segments, which the sweep runs
// again (stdlib/autodiff/segments.hpp).
#pragma once

#include <functional>

#include "interpreter/compiler.hpp"
#include "interpreter/eval/apply/call_stack.hpp"
#include "stdlib/autodiff/segments.hpp"

namespace covec {

class BoundedLoops {
 public:
  explicit BoundedLoops(CallStack& stack) : stack_(stack) {}

  // The derivative that bounds a loop in this frame; nullptr where none does.
  static const autodiff::OpenLevel* bound_of(const ops::Context& context, const Frame& f) {
    return context.innermost == nullptr || f.closure == nullptr ? nullptr : autodiff::bounded_level(context);
  }

  struct Number {
    int64_t number;
    bool again = false;  // the sweep runs it
    bool ended = false;  // set where there was no such pass
  };
  using RunIteration = std::function<Flow(Number& number, Frame& f)>;
  // Of `most` passes at most: how they ended.
  Flow run(ops::Context& context, const autodiff::OpenLevel& level, int64_t most, const RunIteration& run_iteration,
           Frame& f) const;

 private:
  CallStack& stack_;
};

}  // namespace covec
