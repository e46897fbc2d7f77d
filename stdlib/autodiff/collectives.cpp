#include "stdlib/autodiff/collectives.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::autodiff {

void refuse_one_by_one(const ops::Builder& b, const ops::Entry& entry) {
  const auto is_one = [](const ops::OpenBatch& batch) { return batch.level == 0; };
  if (std::ranges::none_of(b.context().batches, is_one)) return;
  if (!b.is_eager()) fail_not_staged("a collective for each example");
  fail(message("ranks_examples"), {ops::shown_name(entry)});
}

int64_t active_bit(const OpenLevel& level) {
  unsigned depth = 0;
  for (const OpenLevel* outer = level.outer; outer != nullptr; outer = outer->outer) ++depth;
  return int64_t{1} << depth % 63;
}

void note_active(const OpenLevel& level, ops::Call& call) {
  if (!call.entry.effects.meets || call.entry.derivative.none() != nullptr) return;
  Value& active = call.args.back();
  active = Value(active.i64() | active_bit(level));
}

void begin_on_tape(const ops::Builder& b, const OpenLevel& level, ops::Call& call) {
  if (!call.entry.effects.meets || call.entry.derivative.none() != nullptr) return;
  if (!level.of_all_ranks && !b.is_eager()) fail_not_staged("a collective in a gradient of one rank");
  if (!level.of_all_ranks) fail(message("ranks_gradient"), {ops::shown_name(call.entry)});
  note_active(level, call);
}

}  // namespace covec::autodiff
