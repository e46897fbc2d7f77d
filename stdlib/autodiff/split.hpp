// Moves values on a tape apart by an infinitesimal. Some reverse rules would divide 0 by 0, such as that of
// eigenvectors with equal eigenvalues. There the operator moves its result along a direction that the rest of the
// program does not depend on in the end. The direction is a tangent at a level of its own, right below the tape's. All
// later operations, and the sweep, carry that tangent along. From it the rule finds the derivatives of its numerator
// and denominator, hence the limit by l'Hôpital's rule. Such a level is open while its tape records and while the tape
// is swept; elsewhere its values are constants.
#pragma once

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

constexpr uint64_t split_level(uint64_t tape_level) { return tape_level - 1; }

// Of a value on an open tape, or a batch of such; any other comes back as it is. Where `direction` is 0, a tangent that
// the value has stays.
Value split(ops::Builder& builder, const Value& x, const Value& direction);

// A decomposition that is asked for twice must be one value on its tape: only all of its uses together show a limit.
// What was split of `operand` by the operator `key` before, on its tape; none where nothing was.
Value split_before(const ops::Context& context, const Value& operand, std::string_view key);
void cache_split(const ops::Context& context, const Value& operand, std::string_view key, Value result);

// Of a value, wherever in its wrapping: what lies below that level, and the tangent there (none for zero).
struct SplitParts {
  Value plain, tangent;
};
SplitParts split_parts(ops::Builder& builder, const Value& x, uint64_t level);

// A tape's split level opened again for its sweep.
class SplitScope {
 public:
  SplitScope(ops::Context& context, const Tape& tape);
  SplitScope(const SplitScope&) = delete;
  SplitScope& operator=(const SplitScope&) = delete;
  ~SplitScope();

 private:
  ops::Context& context_;
  OpenLevel open_{};
  bool is_open_ = false;
};

// Internal, for other families: split_before(operand, key); split(x, direction, operand, key), which caches it; and
// (whether the level is open, plain, tangent) of split_parts(x, level).
const ops::Entry& split_before_entry();
const ops::Entry& split_entry();
const ops::Entry& split_parts_entry();

}  // namespace covec::autodiff
