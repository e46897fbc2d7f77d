// Builds operations without regions that are not part of a kernel. Each goes to the part that builds its kind, or
// becomes a step.
#pragma once

#include "jit/loops/build/draws.hpp"
#include "jit/loops/build/elements.hpp"
#include "jit/loops/build/lists.hpp"
#include "jit/loops/build/numbers.hpp"
#include "jit/loops/build/pause.hpp"
#include "jit/loops/build/stacks.hpp"

namespace covec::loops {

class OperationBuilder {
 public:
  OperationBuilder(const ir::Graph& graph, Plan& plan, CodeBuilder& code, Scopes& scopes, Placement& places,
                   StepBuilder& steps, bool plain);
  void build(const ir::Operation& operation);
  const StackBuilder& stacks() const { return stacks_; }
  // When all operations have been built.
  void finish() { pause_.finish(); }

 private:
  void apply(const ir::Operation& operation);
  void box(const ir::Operation& operation);
  void unbox(const ir::Operation& operation);
  void itself(const ir::Operation& operation);
  void dimension(const ir::Operation& operation);
  void undefined(const ir::Operation& operation);

  const ir::Graph& graph_;
  CodeBuilder& code_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
  NumberBuilder numbers_;
  ElementBuilder elements_;
  ListBuilder lists_;
  DrawBuilder draws_;
  StackBuilder stacks_;
  PauseBuilder pause_;
};

}  // namespace covec::loops
