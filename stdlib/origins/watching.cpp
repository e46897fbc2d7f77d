#include "stdlib/origins/watching.hpp"

#include <utility>

#include "stdlib/autodiff/not_finite.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/origins/made.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::origins {

using autodiff::not_finite;

namespace {

// Operands may be moved from, and written over.
class SavedOperands {
 public:
  explicit SavedOperands(const ops::Call& call) : all_(call.operands()) {
    for (unsigned i = 0; i < call.operands(); ++i) all_[i] = call.operand(i);
  }
  std::span<const Value> all() const { return span_of(all_); }

 private:
  SmallVector<Value, 4> all_;
};

// Whether a forward derivative around the value, at any level, has a tangent that is not finite.
bool has_wrong_tangent(ops::Context& context, const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (!at->traced().tangent.is_none() && not_finite(context, at->traced().tangent).any()) return true;
  }
  return false;
}

}  // namespace

Value WatchingBuilder::apply(ops::Call& call) {
  // What comes from outside is no operator's doing; of what runs functions there, the sum of parts, it is.
  if (is_inside() || (call.entry.effects.outside && !call.entry.effects.calls)) return EagerBuilder::apply(call);
  const SavedOperands operands(call);
  struct Inside {
    const ops::Entry*& outer;
    ~Inside() { outer = nullptr; }
  };
  Value result;
  {
    const Inside inside{outer_ = call.entry.effects.calls ? nullptr : &call.entry};
    result = EagerBuilder::apply(call);
  }
  if (const auto made = made_of_numbers(context(), call.entry, operands.all(), result))
    fail_made(context(), call.entry, *made);
  return result;
}

Value WatchingBuilder::apply_traced(ops::Call& call) {
  if (is_inside()) return EagerBuilder::apply_traced(call);
  const SavedOperands operands(call);
  const ops::Entry& entry = call.entry;
  Value result = EagerBuilder::apply_traced(call);
  if (!has_wrong_tangent(context(), result)) return result;
  for (const Value& operand : operands.all()) {
    if (has_wrong_tangent(context(), operand) || not_finite(context(), operand).any()) return result;
  }
  fail_tangent(context(), entry);
}

}  // namespace covec::origins
