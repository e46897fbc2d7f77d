// The interpreter as the compiler drives it (Walker in interpreter/compiler.hpp): staging a function, and what a
// running compiled function asks for: its errors in the program's words, statements that were not compiled, calls.
#include "interpreter/compiler.hpp"
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"

namespace covec {

using eval::row;

Value Interpreter::stage(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords,
                         ops::Builder& builder, Staging& staging) {
  struct Restore {
    Interpreter& interpreter;
    Staging* staging;
    ops::Builder* builder;
    const void* site;
    Frame* frame;
    ~Restore() {
      interpreter.staging_ = staging;
      interpreter.builder_ = builder;
      interpreter.frame_ = frame;
      interpreter.builder_->context().site = site;
    }
  } const restore{*this, staging_, builder_, builder.context().site, frame_};
  staging_ = &staging;
  builder_ = &builder;
  frame_ = nullptr;
  return function.function().call(builder, args, keywords);
}

namespace {

// The frames of calls that were put into a compiled function, on top of the frame that called it.
class WalkedFrames {
 public:
  WalkedFrames(std::span<const WalkedCall> calls, Frame* caller, const Span* site) : frames_(calls.size()) {
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
  Frame& innermost() { return frames_.front(); }
  bool empty() const { return frames_.empty(); }

 private:
  std::vector<Frame> frames_;
};

}  // namespace

void Interpreter::raise_in(const OpError& error, const StagedPlace& place, std::span<const WalkedCall> calls) {
  WalkedFrames frames(calls, frame_, site_span());
  if (error.code == "no_value_here") {  // require_value: the message is the interpreter's
    fail_in(row("no_value"), {error.message}, {{place.whole, ""}}, frames.empty() ? frame_ : &frames.innermost());
  }
  raise(error, place.whole, place.operands, frames.empty() ? frame_ : &frames.innermost(), place.entry);
}

Flow Interpreter::run_statement(const core::Stmt& statement, std::span<Value> slots, std::span<const WalkedCall> calls,
                                Value& result) {
  WalkedFrames frames(calls, frame_, site_span());
  struct Restore {
    Interpreter& interpreter;
    Frame* frame;
    unsigned depth;
    Staging* staging;
    ~Restore() {
      interpreter.frame_ = frame;
      interpreter.depth_ = depth;
      interpreter.staging_ = staging;
    }
  } const restore{*this, frame_, depth_, staging_};
  Frame& f = frames.innermost();
  f.slots = slots.data();
  frame_ = &f;
  depth_ += static_cast<unsigned>(calls.size());
  staging_ = nullptr;
  const Flow flow = execute(statement, f);
  if (flow == Flow::return_) result = own(f.result);
  return flow;
}

Value Interpreter::call_in(const Value& function, std::span<Value> args, const StagedPlace& place,
                           std::span<const WalkedCall> calls) {
  WalkedFrames frames(calls, frame_, site_span());
  struct Restore {
    Interpreter& interpreter;
    Frame* frame;
    const void* site;
    ~Restore() {
      interpreter.frame_ = frame;
      interpreter.builder_->context().site = site;
    }
  } const restore{*this, frame_, builder_->context().site};
  frame_ = frames.empty() ? frame_ : &frames.innermost();
  builder_->context().site = &place.whole;
  try {
    return function.function().call(*builder_, args, {});
  } catch (const OpError& error) {
    raise(error, place.whole, place.operands, frame_, place.entry);
  }
}

std::string Interpreter::place_text(Span span) const { return host_.place_text(span); }

bool closure_parts(const Callable& callable, ClosureParts& parts) {
  if (callable.callable_kind != CallableKind::closure) return false;
  const auto& closure = static_cast<const Closure&>(callable);
  parts = {&closure.function, closure.globals};
  return true;
}

}  // namespace covec
