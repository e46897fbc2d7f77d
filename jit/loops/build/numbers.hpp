// Builds operators on numbers alone: their bodies become instructions of the function itself.
#pragma once

#include "jit/loops/build/steps.hpp"

namespace covec::loops {

class NumberBuilder {
 public:
  NumberBuilder(const ir::Graph& graph, CodeBuilder& code, Scopes& scopes, Placement& places, StepBuilder& steps,
                bool plain)
      : graph_(graph), code_(code), scopes_(scopes), places_(places), steps_(steps), plain_(plain) {}
  // is_number_operation(): the operator's body, here. Where it may fail, a step raises its error.
  void apply(const ir::Operation& operation);

 private:
  bool is_step(const ir::Operation& operation) const;
  void define(ir::Id id, ops::ScalarRef result, std::span<const ops::ScalarRef> operands);
  void apply_where(const ir::Operation& operation, Register condition);

  const ir::Graph& graph_;
  CodeBuilder& code_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
  const bool plain_;  // BuildOptions::plain
};

}  // namespace covec::loops
