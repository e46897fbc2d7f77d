// The compiler's Builder. Applying an operator appends an operation to the graph, unless all operands are known
// numbers. Type rules run here with symbolic dimensions. Start at apply().
#pragma once

#include "jit/lower/graph/example_draws.hpp"
#include "jit/lower/paths/list_levels.hpp"
#include "jit/lower/paths/special_operands.hpp"
#include "jit/lower/paths/staged_tangents.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ir {

class StagingBuilder final : public ops::Builder {
 public:
  // `eager` computes what is known.
  StagingBuilder(ops::Context& context, ops::Builder& eager, GraphWriter& writer, Lists& lists,
                 Conversions& conversions, ConditionalValues& conditional_values, ControlFlow& control_flow)
      : Builder(context),
        eager_(eager),
        writer_(writer),
        lists_(lists),
        control_flow_(control_flow),
        tangents_(context, writer, conversions, conditional_values, control_flow),
        operands_(*this, writer, lists),
        list_levels_(*this, writer, lists, conversions, conditional_values, tangents_, control_flow),
        example_draws_(*this, writer) {}

  Value apply(ops::Call& call) override;
  Value apply_traced(ops::Call& call) override;
  Dim unknown_dim() override { return writer_.dimensions().unknown(); }
  Dim dim_of(const Value& number) override;
  Value extent(Dim dim) override;
  void assume_equal(Dim a, Dim b) override { writer_.dimensions().assume_equal(a, b); }
  bool is_extent(const Value& number) const override;

  const autodiff::ConditionalTangents* conditional_tangents() const override { return &tangents_; }
  Value choose(const Value& condition, FunctionRef<Value()> then, FunctionRef<Value()> otherwise) override;
  Facts& facts() { return operands_.facts(); }
  // What may be none, used as what it holds.
  Value present(const Value& value) { return operands_.present(value); }
  Value few_or_all(Dim size, FunctionRef<void()> walk, FunctionRef<Value()> apart, FunctionRef<Value()> all) override;
  void attempt(FunctionRef<void()> body) override;
  Value each_example(Dim size, bool any, std::string_view what, FunctionRef<Value(const Value& number)> body) override;

 protected:
  void guard_equal(Dim a, Dim b, const ops::Mismatch& otherwise) override;
  Dim symbolic_add(Dim a, Dim b) override { return writer_.dimensions().sum(a, b); }
  Dim symbolic_multiply(Dim a, Dim b) override { return writer_.dimensions().product(a, b); }
  Dim symbolic_saturating_sub(Dim a, int64_t count) override { return writer_.dimensions().saturating_sub(a, count); }
  Dim symbolic_broadcast(Dim a, Dim b, const ops::Mismatch&) override { return writer_.dimensions().broadcast(a, b); }

 private:
  Value apply_typed(ops::Call& call);
  Value apply_opaque(ops::Call& call);
  Type type_of(ops::Call& call);

  ops::Builder& eager_;
  GraphWriter& writer_;
  Lists& lists_;
  ControlFlow& control_flow_;
  const StagedTangents tangents_;
  SpecialOperands operands_;
  ListLevels list_levels_;
  ExampleDraws example_draws_;
  bool in_type_rule_ = false;  // while one is asked
};

}  // namespace covec::ir
