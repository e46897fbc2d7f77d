// Draws and prints under open vmaps: they happen for each example. And in what is staged again: not a second time.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

inline bool has_batched_effect(const ops::Context& context, const ops::Entry& entry) {
  return (!context.batches.empty() || context.replaying) && (entry.effects.random || entry.effects.prints);
}
Value apply_effect(ops::Builder& builder, ops::Call& call);

}  // namespace covec::autodiff
