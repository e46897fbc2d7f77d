// The compiler's side of staging, put together. The walk asks Staging, and each question goes to the part that knows:
//
//   GraphWriter       the graph under construction: open regions, source places, undoing; its Dimensions
//   Parameters        Symbols for the arguments
//   StagingBuilder    turns applied operators into operations
//   ExampleDraws      random numbers under a vmap
//   Lists             lists whose length only the run knows
//   ConditionalValues variables that only some paths have defined
//   Optional values   those that are none on some paths
//   Regions           conditions and loops; Merger and LoopCarried merge what the paths leave into one value. Other
//                     parts stage branches and loops through its interface ControlFlow
//   Conversions       what is appended at the end of a path for that
//   SelfCalls         calls of functions that call themselves
//   Fallback          statements for the interpreter
//   Marks             points that the walk may go back to
//
// These invariants hold between them:
//
// - An operation is appended once, to the innermost open region, and only the end of a region is ever removed. (What
//   draws of examples need is put before them once they are there.) So an operation's operands stand before it. The
//   exceptions are results of a forward region in its adjoint, which jit/passes/residuals.cpp makes visible.
// - A variable holds its value on the path that is being walked. Code that walks another path first restores the old
//   value, and merges both afterwards. Everything known of a variable lies in it, so nothing else needs restoring.
// - A type never claims more than all paths keep. Dimensions that differ become new ones that only the run knows, and
//   values without a common type are boxed.
// - Two dimensions with one number are equal in each run. Other dimensions are assumed equal only where the run checks
//   it.
// - Of a region that has been left, tapes hold only its one entry. So a sweep meets regions and operators in program
//   order.
//
// Start at StagingBuilder::apply and Regions::branch.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "interpreter/compiler.hpp"
#include "jit/lower/builder.hpp"
#include "jit/lower/fallback.hpp"
#include "jit/lower/graph/active.hpp"
#include "jit/lower/graph/marks.hpp"
#include "jit/lower/graph/parameters.hpp"
#include "jit/lower/regions.hpp"
#include "jit/lower/self_calls.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ir {

class Stager final : public Staging {
 public:
  // The globals as a function is to see them (Staging::globals).
  using Globals = std::function<Value*(const core::Function&, Value*, std::span<const uint32_t> given_rules)>;

  Stager(ops::Context& context, ops::Builder& eager, Graph& graph, SelfCalls::Recursive& recursive);

  ops::Builder& builder() { return builder_; }
  Parameters& parameters() { return parameters_; }
  void set_globals(Globals globals) { globals_ = std::move(globals); }
  // Where arguments are active; before the walk.
  std::unique_ptr<ActiveWalk> active_walk(uint64_t memory);
  void finish(Value result);

  void assume_equal(Dim a, Dim b) override { writer_.dimensions().assume_equal(a, b); }
  Value with_extent(const Value& parameter, unsigned axis, int64_t extent) override {
    return parameters_.with_dim(parameter, axis, Dim(extent));
  }
  void require(const Value& holds) override { writer_.require(holds); }
  SelfCalls& recursion() override { return self_calls_; }
  size_t unstaged() const override { return writer_.graph().unstaged.size(); }
  std::string why_unstaged(size_t number) const override { return writer_.graph().unstaged.at(number).reason; }
  void branch(const Value& condition, const Variables& variables, FunctionRef<void()> then,
              FunctionRef<void()> otherwise) override {
    regions_.branch(condition, variables, then, otherwise);
  }
  void repeat(const Value& count, const Variables& variables, FunctionRef<Value(const Value& index)> body) override {
    regions_.repeat(count, variables, body);
  }
  void loop(const Variables& variables, FunctionRef<Value()> condition, FunctionRef<Value()> body) override {
    regions_.loop(variables, condition, body);
  }
  bool in_loop() const override { return regions_.in_loop(); }
  bool defined(const Value* variable, Value& value, Value& is_defined) override;
  Value present(const Value& value) override { return builder_.present(value); }
  uint32_t enter(const Callable& closure, uint32_t caller, Span site) override {
    return writer_.enter(closure, caller, site);
  }
  Value* globals(const core::Function& function, Value* globals, std::span<const uint32_t> given_rules) override {
    return globals_(function, globals, given_rules);
  }
  void set_place(const StagedSource* place) override { writer_.set_place(place); }
  const StagedSource* place() const override { return writer_.place(); }
  size_t mark() override { return marks_.mark(); }
  size_t staged() const override { return writer_.position().operations; }
  bool has_effects(size_t since) const override { return std::ranges::any_of(writer_.appended_since(since), acts); }
  bool draws(size_t since) const override;
  void rollback(size_t mark) override { marks_.rollback(mark); }
  bool may_interpret() const override;
  Value interpret(const Unstaged& unstaged, Value* slots, Value& result) override {
    return fallback_.interpret(unstaged, slots, result);
  }

 private:
  GraphWriter writer_;
  Parameters parameters_;
  ConditionalValues conditional_values_;
  Lists lists_;
  StagingBuilder builder_;
  Conversions conversions_;
  Regions regions_;
  SelfCalls self_calls_;
  Fallback fallback_;
  Marks marks_;
  Globals globals_;
};

}  // namespace covec::ir
