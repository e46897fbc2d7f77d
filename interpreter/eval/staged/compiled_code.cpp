// Builds frames for compiled code, which has none. Its errors, and statements that the interpreter runs in the middle
// of it, need the frames of the calls that were inlined into it.
#include "interpreter/eval/staged/compiled_code.hpp"

#include "interpreter/eval/staged/parts.hpp"

#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/walk/statements.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using eval::row;

void CompiledCode::stage(const Value& function, std::span<Value> args, ops::Builder& builder, Staging& staging,
                         FunctionRef<void(Value)> then) {
  const Applier::KeepSite keep(parts_.applier);
  const Applier::Switch staged(parts_.applier, builder, &staging);
  const CallStack::FrameScope outermost(parts_.stack, nullptr, 0);
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
      f.source_unit = &closure.source_unit;
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

void CompiledCode::raise_in(const OpError& error, const StagedSource& place, std::span<const WalkedCall> calls) {
  WalkedFrames frames(calls, parts_.stack.innermost(), parts_.applier.site());
  if (error.kind == ErrorKind::no_value) {  // require_value: the message is the interpreter's
    parts_.reporter.fail(row("no_value"), {error.message}, {{place.whole, ""}}, frames.innermost(),
                         hint_for_unassigned(frames.innermost(), error.message));
  }
  const Span whole = place.whole.known() ? place.whole : parts_.applier.site_span();
  parts_.reporter.raise(error, whole, place.operands, frames.innermost(), place.entry);
}

std::optional<ProgramCall> CompiledCode::call_of_program(Span place, std::span<const WalkedCall> calls) const {
  WalkedFrames frames(calls, parts_.stack.innermost(), parts_.applier.site());
  return parts_.reporter.call_of_program(place, frames.innermost());
}

Flow CompiledCode::run_statement(const core::Stmt& statement, std::span<Value> slots, std::span<const WalkedCall> calls,
                                 Value& result) {
  WalkedFrames frames(calls, parts_.stack.innermost(), parts_.applier.site());
  Frame& f = *frames.innermost();
  f.slots = slots.data();
  const CallStack::FrameScope scope(parts_.stack, &f, static_cast<unsigned>(calls.size()));
  const Applier::Switch eager(parts_.applier, parts_.applier.builder(), nullptr);
  const Flow flow = parts_.statements.run(statement, f);
  if (flow == Flow::return_) result = own(f.result);
  return flow;
}

Value CompiledCode::within(std::span<const WalkedCall> calls, FunctionRef<Value()> f) {
  WalkedFrames frames(calls, parts_.stack.innermost(), parts_.applier.site());
  const Applier::KeepSite keep(parts_.applier);
  const CallStack::FrameScope scope(parts_.stack, frames.innermost(), static_cast<unsigned>(calls.size()));
  return f();
}

Value CompiledCode::call_in(const Value& function, std::span<Value> args, const StagedSource& place,
                            std::span<const WalkedCall> calls) {
  return within(calls, [&] {
    parts_.applier.set_site(place.whole);
    try {
      return function.function().call(parts_.applier.builder(), args, {});
    } catch (...) {
      parts_.reporter.raise(current_error(), place.whole, place.operands, parts_.stack.innermost(), place.entry);
    }
  });
}

bool closure_parts(const Callable& callable, ClosureParts& parts) {
  if (callable.callable_kind != CallableKind::closure) return false;
  const auto& closure = static_cast<const Closure&>(callable);
  parts = {&closure.function, closure.globals, &closure.source_unit};
  return true;
}

Value kept_in_code(const Value& value) {
  if (value.is(ObjectKind::function) && value.function().callable_kind == CallableKind::closure) {
    const auto& closure = static_cast<const Closure&>(value.function());
    std::vector<Value> captured;
    for (const Value& each : closure.captured) captured.push_back(kept_in_code(each));
    return Value::adopt(
        new Closure(closure.caller, closure.function, closure.source_unit, std::move(captured), Closure::Holder::code));
  }
  if (!is_tree(value) && !value.is(ObjectKind::sequence) && !value.is(ObjectKind::function)) return value;
  return map_parts(value, kept_in_code);
}

int64_t CompiledCode::calls_left(size_t bytes) const { return parts_.stack.calls_left(bytes); }

std::string CompiledCode::place_text(Span span) const { return parts_.host.place_text(span); }

std::string_view CompiledCode::source(Span span) const { return parts_.host.source(span); }

ops::Builder& CompiledCode::eager_builder() { return parts_.applier.builder(); }

}  // namespace covec
