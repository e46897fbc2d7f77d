// Functions with a reverse rule: checkpoint(f), and f with the rule that @derivative(of=f) gave it.
#pragma once

#include "stdlib/autodiff/transformed.hpp"

namespace covec::autodiff {

// Recompute in the sweep instead of storing what f computes.
Value make_checkpoint(Value f);
// f, called as before; its reverse derivative is `rule(args…, result, ct)`, one cotangent per argument. What the engine
// binds in the place of f where it meets @derivative(of=f).
Value attach_rule(Value f, Value rule);

}  // namespace covec::autodiff
