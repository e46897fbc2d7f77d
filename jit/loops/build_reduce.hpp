// Says which reductions a kernel can feed, and what the runtime needs to know of them.
#pragma once

#include <optional>

#include "jit/loops/plan.hpp"

namespace covec::loops {

// A reduction that cannot fail once its attributes have been checked.
bool is_safe_reduction(const ir::Graph& graph, const ir::Operation& operation);
// One whose operand may come from a kernel block by block: of the first axes, the last ones, or all.
bool is_fusible_reduction(const ir::Graph& graph, const ir::Operation& operation);
// One that gives a number, which a device may keep: of elements, or of the products of two vectors'.
bool gives_device_number(const ir::Graph& graph, const ir::Operation& operation);
// A reduction that keeps the first axis: which axes it takes.
std::optional<Launch::Reduction> reduction_of_rows(const ir::Graph& graph, const ir::Operation& operation);
// `operation` is fusible. The member and the slot remain to be filled in.
Launch::Reduction describe_reduction(const ir::Graph& graph, const ir::Operation& operation);

}  // namespace covec::loops
