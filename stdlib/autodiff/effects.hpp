// Draws and prints under open vmaps happen once for each example. When code is staged again, they do not happen a
// second time. Under a vmap, changing something that the examples share is an error.
#pragma once

#include <optional>
#include <vector>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

inline bool has_batched_effect(const ops::Context& context, const ops::Entry& entry) {
  const bool open = !context.batches.empty() || context.replaying;
  return (open && entry.effects.counts_examples()) || (context.trying && (entry.effects.shared || entry.effects.meets));
}
Value apply_effect(ops::Builder& builder, ops::Call& call);

// A draw's numbers (bounds, sizes) are plain, whether they are active or not.
void make_draw_plain(ops::Call& call);
// What a draw gives the examples of these vmaps under a key, or the session's: the axes of those that run all at once
// stand in front of the result.
Value draw_for(ops::Builder& builder, const ops::Call& call, std::vector<ops::OpenBatch> batches,
               std::optional<uint64_t> key);

}  // namespace covec::autodiff
