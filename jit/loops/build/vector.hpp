// Vectorizes innermost counted loops whose iterations are independent. A kernel makes all iterations before the loop,
// which then has none left. VectorLoop in plan.hpp lists what is checked at run time. If a check fails, the kernel does
// nothing and the loop runs. Start at VectorLoopBuilder::build.
#pragma once

#include "jit/loops/build/stacks.hpp"

namespace covec::loops {

class Vectorizer;

class VectorLoopBuilder {
 public:
  VectorLoopBuilder(const ir::Graph& graph, Plan& plan, CodeBuilder& code, Scopes& scopes, Placement& places,
                    StepBuilder& steps, const StackBuilder& stacks, bool plain)
      : graph_(graph),
        plan_(plan),
        code_(code),
        scopes_(scopes),
        places_(places),
        steps_(steps),
        stacks_(stacks),
        plain_(plain) {}
  // Stands before the loop, whose carried values are all in slots. `index`, 0 before, is the first iteration that is
  // left.
  void build(const ir::Operation& loop, std::span<const SlotId> carried, ops::ScalarRef count, Register index);

 private:
  class Description;
  bool has_stacks_of_numbers(const Vectorizer& vectorizer) const;
  static int64_t fewest(const Vectorizer& vectorizer);

  const ir::Graph& graph_;
  Plan& plan_;
  CodeBuilder& code_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
  const StackBuilder& stacks_;
  const bool plain_;  // BuildOptions::plain: the loop as it is written
};

}  // namespace covec::loops
