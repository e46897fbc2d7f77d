// Tries what knowing some sizes would change: a function's optimized graph is optimized once more, with these sizes as
// they were at the first call. For explain, which advises nothing that does not help. Start at with_sizes().
#pragma once

#include <optional>

#include "jit/explain/first_call.hpp"
#include "jit/pipeline.hpp"

namespace covec::jit {

// A graph and a plan, no machine code. Nothing where it cannot be tried.
std::optional<Code> with_sizes(const Code& code, std::span<const ir::FirstValue> first,
                               const FirstCall::Origins& origins);

}  // namespace covec::jit
