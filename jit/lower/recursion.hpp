// Stages recursive functions whose depth only the run knows. The outermost call is an operation whose region is the
// function (Kind::recursion). Inner calls name that region (Kind::invoke). The region's parameters stand for the
// arguments of all calls, as at a loop's head. They are numbers, tensors and trees of these, with the wrappers of
// derivatives and vmaps. An argument that every call passes on unchanged stays the value from outside.
//
// The function is walked a few times. The first walk only finds the type of its result: it leaves out the paths that
// reach a recursive call (UnknownResult). In later walks a call gives values of that type, until a walk needs no
// further adjustment. Start at Recursions::call, then Recursions::Walk::attempt.
#pragma once

#include "jit/lower/paths/loop_carried.hpp"
#include "jit/lower/recursive_calls.hpp"
#include "jit/lower/regions.hpp"

namespace covec::ir {

class Recursions final : public RecursiveCalls {
 public:
  Recursions(ops::Builder& builder, GraphWriter& writer, Conversions& conversions,
             ConditionalValues& conditional_values, Regions& regions)
      : builder_(builder),
        writer_(writer),
        conversions_(conversions),
        conditional_values_(conditional_values),
        regions_(regions) {}

  std::optional<Value> call(FunctionSource source) override;
  std::optional<Value> call_inside(const void* key, std::span<const Value> captured, std::span<const Value> args,
                                   unsigned depth, const PrimalCall& primal_call = {}) override;

 private:
  class Walk;
  ops::Builder& builder_;
  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  Regions& regions_;
  std::vector<Walk*> open_walks_;
};

}  // namespace covec::ir
