// Why a call had no code yet: what its types are, and how they differ from those of the nearest code. For explain.
#pragma once

#include <span>

#include "jit/specialize/code_table.hpp"

namespace covec::jit {

// Notes in `made`, which is in the table, of what types its arguments are, and why there was no code for them yet.
void explain_cause(Specialization& made, const CodeTable& table, const Value& function, std::span<const Value> args);

}  // namespace covec::jit
