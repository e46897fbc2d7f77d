// Builds access to single elements. x[i, j], x[i, j] = a and x[i, j] += a become instructions if there are as many
// integers as x has axes. Some cases need the operator itself: an index out of range, a tensor that is shared. A step
// calls it with its numbers in slots; they are stored there only before that call.
#pragma once

#include "jit/loops/build/steps.hpp"

namespace covec::loops {

// The index is integers, one for each axis of args[0], a tensor; args[spec] tells what the index is.
bool names_element(const ir::Graph& graph, const ir::Operation& operation, size_t spec);
// index_update or index_add of one element, in a way that instructions know.
bool sets_element(const ir::Graph& graph, const ir::Operation& operation, bool adds);

class ElementBuilder {
 public:
  ElementBuilder(const ir::Graph& graph, CodeBuilder& code, Scopes& scopes, Placement& places, StepBuilder& steps)
      : graph_(graph), code_(code), scopes_(scopes), places_(places), steps_(steps) {}
  // False: the operation is something else, and nothing has been built.
  bool build(const ir::Operation& operation);

 private:
  bool read(const ir::Operation& operation);
  bool write(const ir::Operation& operation, bool adds);
  std::vector<Register> indices(const ir::Operation& operation);
  struct Otherwise {
    uint32_t step = 0;
    std::vector<instruction::Saved> saves;
  };
  void load(Register to, SlotId x, const Otherwise& otherwise, const std::vector<Register>& at);

  const ir::Graph& graph_;
  CodeBuilder& code_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
};

}  // namespace covec::loops
