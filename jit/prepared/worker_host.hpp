// What prepared code asks for while it runs. There is no interpreter: errors leave as they are, with their place, and
// what only a session could do is an error itself. Start at WorkerHost::raise.
#pragma once

#include "jit/runtime/host.hpp"

namespace covec::jit {

// Raises errors as they are: what they are called in the program is looked up afterwards.
class WorkerHost final : public runtime::Host {
 public:
  struct Raised {
    OpError error;
    const ir::Graph* graph = nullptr;  // nullptr: in no place
    uint32_t place = 0;
  };
  using Host::Host;
  void set_stack_floor(const char* floor) { floor_ = floor; }
  [[noreturn]] void raise(const OpError& error, const ir::Graph& graph, uint32_t place) override;
  int64_t interpret(const ir::Operation& op, const ir::Graph& graph, std::span<Value> live,
                    std::span<Value> results) override;
  Value within(FunctionRef<Value()> f, const ir::Graph& graph, uint32_t place) override;
  Value call(const Value& function, std::span<Value> args, const ir::Graph& graph, uint32_t place) override;
  [[noreturn]] void replay(Again why) override;
  int64_t calls_left(size_t bytes) const override;

 private:
  const char* floor_ = nullptr;
};

}  // namespace covec::jit
