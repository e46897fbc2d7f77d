// Draws and prints under open vmaps: they happen for each example.
#pragma once

#include "stdlib/ops/entry.hpp"

namespace covec::autodiff {

inline bool has_batched_effect(const ops::Context& context, const ops::Entry& entry) {
  return !context.batches.empty() && (entry.effects.random || entry.effects.prints);
}
Value apply_effect(ops::Builder& builder, ops::Call& call);

}  // namespace covec::autodiff
