// Builds operations on lists. Reading, writing and pushing a number become instructions. A step does the rest: an index
// out of range, a list that is shared or full. If the step is the operator itself, it finds its numbers in slots, so
// they are stored there before. Lists of tensors use steps.
#pragma once

#include "jit/loops/build/steps.hpp"

namespace covec::loops {

class ListBuilder {
 public:
  ListBuilder(const ir::Graph& graph, CodeBuilder& code, Scopes& scopes, Placement& places, StepBuilder& steps)
      : graph_(graph), code_(code), scopes_(scopes), places_(places), steps_(steps) {}
  // False: the operation is something else, and nothing has been built.
  bool build(const ir::Operation& operation);

 private:
  bool length(const ir::Operation& operation);
  bool read(const ir::Operation& operation);
  bool write(const ir::Operation& operation);
  bool push(const ir::Operation& operation);

  const ir::Graph& graph_;
  CodeBuilder& code_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
};

}  // namespace covec::loops
