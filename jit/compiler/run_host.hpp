// Serves running compiled code with the interpreter: it raises errors at their places, and runs statements and calls
// that were not compiled.
#pragma once

#include <optional>
#include <vector>

#include "interpreter/compiler.hpp"
#include "jit/runtime/host.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::jit {

class RunHost final : public runtime::Host {
 public:
  RunHost(ops::Context& context, Walker& walker) : Host(walker.eager_builder()), context_(context), walker_(walker) {}

  const Span* call_site() const override { return site_; }
  [[noreturn]] void raise(const OpError& error, const ir::Graph& graph, uint32_t place) override;
  int64_t interpret(const ir::Operation& op, const ir::Graph& graph, std::span<Value> live,
                    std::span<Value> results) override;
  Value within(FunctionRef<Value()> f, const ir::Graph& graph, uint32_t place) override;
  Value call(const Value& function, std::span<Value> args, const ir::Graph& graph, uint32_t place) override;

  // The call that led from the program to this place, in a frame of the graph. Nothing: it is in the program's text.
  std::optional<ProgramCall> call_of_program(const ir::Graph& graph, Span place, uint32_t frame) const;

  // What statements and calls that were not compiled have taken so far, in ns.
  uint64_t interpreted() const { return interpreted_; }

  int64_t calls_left(size_t bytes) const override { return walker_.calls_left(bytes); }

  // Where running compiled code was called, while it runs: errors inside point there, whatever has run in between.
  class Site {
   public:
    explicit Site(RunHost& host) : host_(host), outer_(host.site_) { host.site_ = host.context_.site; }
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;
    ~Site() {
      host_.context_.site = host_.site_;
      host_.site_ = outer_;
    }

   private:
    RunHost& host_;
    const Span* outer_;
  };

 private:
  ops::Context& context_;
  Walker& walker_;
  class Timer;
  uint64_t interpreted_ = 0;
  unsigned timers_ = 0;         // one inside the other
  const Span* site_ = nullptr;  // where the running compiled function was called
};

}  // namespace covec::jit
