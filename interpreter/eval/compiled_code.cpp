// Compiled code has no frames. For its errors, and for what the interpreter does in the middle of it, the frames of the
// calls that were put into it are made again.
#include "interpreter/eval/compiled_code.hpp"

#include "interpreter/eval/hints.hpp"
#include "interpreter/eval/messages.hpp"
#include "interpreter/eval/statements.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using eval::row;

void CompiledCode::stage(const Value& function, std::span<Value> args, ops::Builder& builder, Staging& staging,
                         FunctionRef<void(Value)> then) {
  const Applier::KeepSite keep(applier_);
  const Applier::Switch staged(applier_, builder, &staging);
  const CallStack::Detour outermost(stack_, nullptr, 0);
  then(function.function().call_bound(builder, args));
}

namespace {

// The frames of calls that were put into a compiled function, on top of the frame that called it.
class WalkedFrames {
 public:
  WalkedFrames(std::span<const WalkedCall> calls, Frame* caller, const Span* site) : caller_(caller) {
    frames_.resize(calls.size());
    for (size_t i = calls.size(); i-- > 0;) {
      Frame& f = frames_[i];
      const auto& closure = static_cast<const Closure&>(calls[i].closure.function());
      f.closure = &closure;
      f.constants = closure.constants;
      f.globals = closure.globals;
      f.home = &closure.home;
      f.caller = i + 1 < calls.size() ? &frames_[i + 1] : caller;
      f.site = calls[i].site.known() ? &calls[i].site : site;
    }
  }
  Frame* innermost() { return frames_.empty() ? caller_ : &frames_.front(); }

 private:
  Frame* caller_;
  std::vector<Frame> frames_;
};

}  // namespace

void CompiledCode::raise_in(const OpError& error, const StagedPlace& place, std::span<const WalkedCall> calls) {
  WalkedFrames frames(calls, stack_.innermost(), applier_.site());
  if (error.kind == ErrorKind::no_value) {  // require_value: the message is the interpreter's
    reporter_.fail(row("no_value"), {error.message}, {{place.whole, ""}}, frames.innermost(),
                   hint_for_unassigned(frames.innermost(), error.message));
  }
  const Span whole = place.whole.known() ? place.whole : applier_.site_span();
  reporter_.raise(error, whole, place.operands, frames.innermost(), place.entry);
}

Flow CompiledCode::run_statement(const core::Stmt& statement, std::span<Value> slots, std::span<const WalkedCall> calls,
                                 Value& result) {
  WalkedFrames frames(calls, stack_.innermost(), applier_.site());
  Frame& f = *frames.innermost();
  f.slots = slots.data();
  const CallStack::Detour detour(stack_, &f, static_cast<unsigned>(calls.size()));
  const Applier::Switch eager(applier_, applier_.builder(), nullptr);
  const Flow flow = statements_.run(statement, f);
  if (flow == Flow::return_) result = own(f.result);
  return flow;
}

Value CompiledCode::within(std::span<const WalkedCall> calls, FunctionRef<Value()> f) {
  WalkedFrames frames(calls, stack_.innermost(), applier_.site());
  const Applier::KeepSite keep(applier_);
  const CallStack::Detour detour(stack_, frames.innermost(), static_cast<unsigned>(calls.size()));
  return f();
}

Value CompiledCode::call_in(const Value& function, std::span<Value> args, const StagedPlace& place,
                            std::span<const WalkedCall> calls) {
  return within(calls, [&] {
    applier_.set_site(place.whole);
    try {
      return function.function().call(applier_.builder(), args, {});
    } catch (...) {
      reporter_.raise(current_error(), place.whole, place.operands, stack_.innermost(), place.entry);
    }
  });
}

bool closure_parts(const Callable& callable, ClosureParts& parts) {
  if (callable.callable_kind != CallableKind::closure) return false;
  const auto& closure = static_cast<const Closure&>(callable);
  parts = {&closure.function, closure.globals, &closure.home};
  return true;
}

Value kept_in_code(const Value& value) {
  if (value.is(ObjectKind::function) && value.function().callable_kind == CallableKind::closure) {
    const auto& closure = static_cast<const Closure&>(value.function());
    std::vector<Value> captured;
    for (const Value& each : closure.captured) captured.push_back(kept_in_code(each));
    return Value::adopt(
        new Closure(closure.entrance, closure.function, closure.home, std::move(captured), Closure::Holder::code));
  }
  if (!is_tree(value) && !value.is(ObjectKind::sequence) && !value.is(ObjectKind::function)) return value;
  return map_parts(value, kept_in_code);
}

}  // namespace covec
