// Draws and prints under open vmaps happen once for each example. When code is staged again, they do not happen a
// second time. Under a vmap, changing something that the examples share is an error.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

inline bool has_batched_effect(const ops::Context& context, const ops::Entry& entry) {
  return (!context.batches.empty() || context.replaying) && entry.effects.counts_examples();
}
Value apply_effect(ops::Builder& builder, ops::Call& call);

}  // namespace covec::autodiff
