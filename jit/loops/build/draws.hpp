// Builds draws of one number from the session's stream: they come from buffers that the library's vector kernels fill
// (stdlib/ops/random/ahead.hpp).
#pragma once

#include "jit/loops/build/steps.hpp"
#include "stdlib/ops/random/random.hpp"

namespace covec::loops {

class DrawBuilder {
 public:
  DrawBuilder(const ir::Graph& graph, CodeBuilder& code, Scopes& scopes, Placement& places, StepBuilder& steps)
      : graph_(graph), code_(code), scopes_(scopes), places_(places), steps_(steps) {}
  // False: the operation is another one.
  bool build(const ir::Operation& operation);

 private:
  void draw(const ir::Operation& operation, const ops::ScalarDraw& draw, Register to);
  void draw_integer(const ir::Operation& operation, const ops::ScalarDraw& draw);
  bool build_of_examples(const ir::Operation& operation);
  ops::ScalarRef integer(const Value& number);
  ops::Expr<int64_t> integer_word(const Value& number);

  const ir::Graph& graph_;
  CodeBuilder& code_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
};

}  // namespace covec::loops
