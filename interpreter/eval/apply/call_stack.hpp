// CallStack: the values of all activations in one contiguous stack, the innermost activation, and the limits of
// nesting. A Window is room for the operands of one operation or the slots of one frame. Activation opens a callee's
// frame; FrameScope runs something in another frame. Code that a program can nest to any depth calls check() or
// check_call() first.
#pragma once

#include <algorithm>
#include <atomic>
#include <new>
#include <span>

#include "interpreter/eval/report/reporter.hpp"
#include "interpreter/eval/values/frame.hpp"
#include "interpreter/eval/values/reserved_values.hpp"
#include "stdlib/value/context.hpp"

namespace covec {

class CallStack {
  // Open calls, the language's limit (docs/language.md).
  static constexpr unsigned ample_calls = 10000;

 public:
  CallStack(const ops::Context& context, const Reporter& reporter);
  ~CallStack();
  CallStack(const CallStack&) = delete;
  CallStack& operator=(const CallStack&) = delete;

  Frame* innermost() const { return innermost_; }
  const ops::Context& context() const { return context_; }
  // The lowest address that the walk may use of the machine's stack.
  const char* floor() const { return floor_; }
  void set_floor(const char* floor) { floor_ = floor; }
  void set_most_calls(unsigned calls) { max_calls_ = std::min(calls, ample_calls); }

  // Before a call.
  void check_call(const Frame& f, const Span& span) const {
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    if (depth_ >= max_calls_ || here < floor_ || interrupt_.load(std::memory_order_relaxed)) [[unlikely]] {
      stop(f, span);
    }
  }
  // How many more, each of so many bytes of the machine's stack, check_call() would let by.
  int64_t calls_left(size_t bytes) const {
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    const int64_t room = here > floor_ ? (here - floor_) / static_cast<int64_t>(bytes) : 0;
    return std::min<int64_t>(room, depth_ < max_calls_ ? max_calls_ - depth_ : 0);
  }
  // Long chains of operators nest as deep as calls do.
  [[gnu::always_inline]] void check(const Frame& f, const Span& span) const {
    if (static_cast<const char*>(__builtin_frame_address(0)) < floor_) [[unlikely]]
      stop(f, span);
  }
  // Once in each iteration of a loop.
  void poll(const Frame& f, const Span& span) const {
    if (interrupt_.load(std::memory_order_relaxed)) [[unlikely]]
      stop(f, span);
  }

  class Window {
   public:
    Window(CallStack& stack, size_t count) : stack_(stack), data_(stack.top_), count_(count) {
      if (static_cast<size_t>(stack.end_ - data_) < count) [[unlikely]]
        stack.overflow();
      for (size_t i = 0; i < count; ++i) new (data_ + i) Value(Value::unbound());
      stack.top_ = data_ + count;
    }
    ~Window() {
      for (size_t i = count_; i-- > 0;) data_[i].~Value();
      stack_.top_ = data_;
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    Value& operator[](size_t i) { return data_[i]; }
    std::span<Value> span() { return {data_, count_}; }

   private:
    CallStack& stack_;
    Value* data_;
    size_t count_;
  };

  // Opens a callee's frame. It becomes the innermost one only with enter(), after the arguments have been evaluated.
  class Activation {
   public:
    Activation(CallStack& stack, const Closure& closure, Frame* caller, const Span* site)
        : stack_(stack), window_(stack, closure.slots), outer_(stack.innermost_) {
      frame.slots = window_.span().data();
      frame.constants = closure.constants;
      frame.globals = closure.globals;
      frame.source_unit = &closure.source_unit;
      frame.closure = &closure;
      frame.caller = caller;
      frame.site = site;
    }
    ~Activation() {
      stack_.innermost_ = outer_;
      std::atomic_signal_fence(std::memory_order_release);
      stack_.depth_ -= entered_;
    }
    // The caller's frame is the innermost one again.
    void leave() {
      stack_.innermost_ = outer_;
      stack_.depth_ -= entered_;
      entered_ = 0;
    }
    void enter() {
      std::atomic_signal_fence(std::memory_order_release);  // a profile's signal handler sees whole frames alone
      stack_.innermost_ = &frame;
      stack_.depth_ += entered_ = 1;
    }
    Frame frame;

   private:
    CallStack& stack_;
    Window window_;
    Frame* outer_;
    unsigned entered_ = 0;
  };

  // `frame` is the innermost one, `calls` deeper, until the end of the scope.
  class FrameScope {
   public:
    FrameScope(CallStack& stack, Frame* frame, unsigned calls)
        : stack_(stack), outer_(stack.innermost_), depth_(stack.depth_) {
      std::atomic_signal_fence(std::memory_order_release);
      stack.innermost_ = frame;
      stack.depth_ += calls;
    }
    ~FrameScope() {
      stack_.innermost_ = outer_;
      std::atomic_signal_fence(std::memory_order_release);
      stack_.depth_ = depth_;
    }
    FrameScope(const FrameScope&) = delete;
    FrameScope& operator=(const FrameScope&) = delete;

   private:
    CallStack& stack_;
    Frame* outer_;
    unsigned depth_;
  };

 private:
  [[noreturn, gnu::cold]] void stop(const Frame& f, const Span& span) const;  // too deep, or interrupted
  [[noreturn, gnu::cold]] void overflow() const;

  const ops::Context& context_;
  std::atomic<bool>& interrupt_;
  const Reporter& reporter_;
  Value* stack_;  // the first, the first free and the last value
  Value* top_;
  Value* end_;
  Frame* innermost_ = nullptr;
  unsigned depth_ = 0, max_calls_ = ample_calls;
  const char* floor_ = nullptr;
};

using Window = CallStack::Window;

}  // namespace covec
