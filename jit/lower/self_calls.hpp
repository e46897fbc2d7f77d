// Calls of functions that call themselves. A compiled function of numbers calls its own code (Kind::itself); any other
// is a region of the graph (recursion.hpp). Start at itself() and call().
#pragma once

#include <set>

#include "jit/lower/recursion.hpp"

namespace covec::ir {

class SelfCalls final : public StagedRecursion {
 public:
  // `recursive`: functions that an earlier walk has found to call themselves as often as only the run knows, and those
  // that this one finds.
  using Recursive = std::set<const core::Function*>;
  SelfCalls(ops::Builder& builder, GraphWriter& writer, Conversions& conversions, ConditionalValues& conditional_values,
            Regions& regions, Recursive& recursive)
      : writer_(writer),
        recursions_(builder, writer, conversions, conditional_values, regions),
        recursive_(recursive) {}
  // The function may call itself: the first `arguments` parameters are its own, all numbers, and what it gives is a
  // number of this dtype, as far as that is known.
  void set_itself(size_t arguments, std::optional<Dtype> result) { itself_ = {arguments, result}; }
  // At the end of the walk: globals that have become parameters since a call are handed on by it.
  void complete();

  std::optional<Value> itself(std::span<const Value> args, unsigned deeper) override;
  bool may_be_itself(std::span<const Value> args) const override;
  bool is_recursive(const core::Function& function) const override { return recursive_.contains(&function); }
  void note_recursive(const core::Function& function) override { recursive_.insert(&function); }
  std::optional<Value> call(const core::Function& function, std::span<const Value> captured, Staging::Variables slots,
                            unsigned depth, FunctionRef<Value()> body) override;
  std::optional<Value> call_inside(const core::Function& function, std::span<const Value> captured,
                                   std::span<const Value> slots, unsigned depth) override;

 private:
  GraphWriter& writer_;
  Recursions recursions_;
  Recursive& recursive_;
  struct Itself {
    size_t arguments = 0;
    std::optional<Dtype> result;
  };
  std::optional<Itself> itself_;
};

}  // namespace covec::ir
