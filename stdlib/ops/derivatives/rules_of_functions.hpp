// Functions with rules of their own: checkpoint(f), and f with the rules that @derivative(of=f) gave it.
#pragma once

#include "stdlib/ops/derivatives/taped.hpp"

namespace covec::autodiff {

// Recompute in the sweep instead of storing what f computes.
Value make_checkpoint(Value f);
// f, called as before. Its reverse derivative is `rule(args…, result, ct)`, one cotangent per argument; its forward one
// `rule(args…, result, tangents…)`, the tangent of the result. A rule of the other mode that f has stays, one of the
// same mode is replaced. What the engine binds in the place of f where it meets @derivative(of=f).
enum class RuleMode : uint8_t { reverse, forward };
Value attach_rule(Value f, Value rule, RuleMode mode = RuleMode::reverse);
// How many arguments such a rule gets for a function of `count`.
constexpr size_t rule_arguments(RuleMode mode, size_t count) {
  return mode == RuleMode::reverse ? count + 2 : 2 * count + 1;
}

}  // namespace covec::autodiff
