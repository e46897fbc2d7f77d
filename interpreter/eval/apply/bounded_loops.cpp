#include "interpreter/eval/apply/bounded_loops.hpp"

#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

Flow BoundedLoops::run(ops::Context& context, const autodiff::OpenLevel& level, int64_t most,
                       const RunIteration& run_iteration, Frame& f) const {
  // The function lives as long as its loop may run again.
  const Value function = reference_to(const_cast<Closure*>(f.closure));
  const auto again = [&stack = stack_, function, run_iteration](std::span<Value> variables, int64_t from, int64_t to) {
    CallStack::Activation activation(stack, static_cast<const Closure&>(function.function()), stack.innermost(),
                                     nullptr);
    Frame& frame = activation.frame;
    std::move(variables.begin(), variables.end(), frame.slots);
    activation.enter();
    for (Number number{from, true}; number.number < to; ++number.number) run_iteration(number, frame);
    std::move(frame.slots, frame.slots + variables.size(), variables.begin());
  };
  autodiff::Segments segments(context, level, {f.slots, f.closure->slots}, again, autodiff::with_replayed_pullbacks);
  for (Number number{0}; number.number < most; ++number.number) {
    segments.before_iteration(number.number);
    const uint64_t collectives = context.collectives;
    const Flow flow = run_iteration(number, f);
    if (context.collectives != collectives) fail(message("ranks_segments"));
    if (number.ended || flow == Flow::break_) break;
    if (flow == Flow::return_) return flow;
  }
  return Flow::next;
}

}  // namespace covec
