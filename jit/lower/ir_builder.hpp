// The Builder of the compiler: applying an operator appends an operation to a graph. Type rules run on symbolic dimensions
// here; what they require becomes guards.
#pragma once

#include "jit/ir/graph.hpp"
#include "stdlib/ops/builder.hpp"

namespace covec::ir {

class IrBuilder : public ops::Builder {
 public:
  IrBuilder(ops::Context& context, Graph& graph) : Builder(context), graph_(graph) {}

  // A parameter of this dtype and rank; its dimensions are fresh symbols. All parameters come before all operations.
  Value parameter(std::string name, Dtype dtype, unsigned rank);
  void set_span(Span span) { span_ = span; }

  Value apply(ops::Call& call) override;
  Value apply_traced(ops::Call& call) override { return apply(call); }

 protected:
  void guard_equal(Dim a, Dim b, const ops::Mismatch& otherwise) override;
  Dim symbolic_add(Dim a, Dim b) override;
  Dim symbolic_multiply(Dim a, Dim b) override;
  Dim symbolic_broadcast(Dim a, Dim b, const ops::Mismatch& otherwise) override;

 private:
  Dim dimension(DimExpression expression);
  Value value(const Type& type);
  void guard(Guard::Kind kind, Dim a, Dim b);
  Graph& graph_;
  Span span_;
};

}  // namespace covec::ir
