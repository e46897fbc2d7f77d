#include "jit/prepared/worker_host.hpp"

#include <algorithm>

namespace covec::jit {

void WorkerHost::raise(const OpError& error, const ir::Graph& graph, uint32_t place) {
  throw Raised{error, &graph, place};
}

namespace {

[[noreturn]] void not_prepared() { fail(message("internal"), {"a prepared call that asks for the interpreter"}); }

constexpr int64_t max_calls = 10000;  // as the interpreter has it

}  // namespace

int64_t WorkerHost::interpret(const ir::Operation&, const ir::Graph&, std::span<Value>, std::span<Value>) {
  not_prepared();
}
Value WorkerHost::within(FunctionRef<Value()>, const ir::Graph&, uint32_t) { not_prepared(); }
Value WorkerHost::call(const Value&, std::span<Value>, const ir::Graph&, uint32_t) { not_prepared(); }

// The interpreter would find out more; here there is none.
void WorkerHost::replay(Again why) {
  const std::atomic<bool>* const interrupt = eager().context().interrupt;
  if (interrupt->load(std::memory_order_relaxed)) fail(message("interrupted"));
  if (why == Again::too_deep)
    throw OpError{"recursion",
                  "recursion too deep for the stack, or for the limit of " + std::to_string(max_calls) + " calls",
                  {},
                  {},
                  nullptr};
  throw Raised{{"recursion_failed",
                "recursion too deep, or a recursive call failed: a call in the session shows which",
                {},
                {},
                nullptr}};
}

int64_t WorkerHost::calls_left(size_t bytes) const {
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const int64_t room = here > floor_ ? (here - floor_) / static_cast<int64_t>(bytes) : 0;
  return std::min(room, max_calls);
}

}  // namespace covec::jit
