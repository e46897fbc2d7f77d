// Reserves the value stack as address space for all calls that may ever be open. It never moves, so slots keep their
// addresses while calls open above them.
#include "interpreter/eval/apply/call_stack.hpp"

#include "interpreter/eval/report/messages.hpp"

namespace covec {

using eval::row;

CallStack::CallStack(const ops::Context& context, const Reporter& reporter)
    : context_(context), interrupt_(*context.interrupt), reporter_(reporter) {
  stack_ = top_ = reserve_values(max_values_of_calls);
  end_ = stack_ + max_values_of_calls;
}

CallStack::~CallStack() { release_values(stack_, max_values_of_calls); }

void CallStack::stop(const Frame& f, const Span& span) const {
  if (interrupt_.exchange(false)) reporter_.fail(row("interrupted"), {}, {{span, ""}}, f);
  if (depth_ >= max_calls_) reporter_.fail(row("recursion"), {std::to_string(depth_)}, {{span, ""}}, f);
  reporter_.fail(row("stack"), {}, {{span, ""}}, f);
}

void CallStack::overflow() const {
  reporter_.fail(row("stack"), {}, {{context_.site ? *context_.site : Span(), ""}}, innermost_);
}

}  // namespace covec
