// Copies plans for other threads. A plan's Values have reference counts without atomics, so each thread needs Values of
// its own. The machine code is shared. Start at copy_plan().
#pragma once

#include "jit/loops/plan.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::jit {

// Of a value that cannot be copied for another thread: what it is.
struct NotCopied {
  std::string what;
};

// copied: tensors have elements of their own. shared: they lie where the original's do, which outlive the copy and are
// not written.
enum class Elements : uint8_t { copied, shared };

// The same value with objects of its own, in `pool`. Throws NotCopied.
Value deep_copy(const Value& value, Pool& pool, Elements elements);
// f(each Value of a plan).
void each_value(loops::Plan& plan, FunctionRef<void(Value&)> f);
// A plan that shares no Value with this one; the caller sees to it that nobody else looks at that meanwhile.
std::unique_ptr<loops::Plan> copy_plan(const loops::Plan& plan, Pool& pool, Elements elements);
// What running a plan needs of its graph: no Values.
std::shared_ptr<const ir::Graph> graph_to_run(const ir::Graph& graph);

}  // namespace covec::jit
