// Draws and prints under open vmaps happen once for each example. When code is staged again, they do not happen a
// second time. Under a vmap, changing something that the examples share is an error.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

inline bool has_batched_effect(const ops::Context& context, const ops::Entry& entry) {
  const bool open = !context.batches.empty() || context.replaying;
  return (open && entry.effects.counts_examples()) || (context.trying && entry.effects.shared);
}
Value apply_effect(ops::Builder& builder, ops::Call& call);

}  // namespace covec::autodiff
