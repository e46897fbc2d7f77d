// Represents a function that a branch or loop has chosen among several: the functions, and the number of the chosen
// one. It is a value with parts like others, so branches and loops merge and carry it. A call of it becomes a branch
// over the functions. So does an operator that takes it as an argument.
#pragma once

#include "jit/lower/graph/graph_writer.hpp"
#include "stdlib/value/callable.hpp"

namespace covec::ir {

struct Chosen final : Callable {
  Chosen(Value w, std::vector<Value> f)
      : Callable(CallableKind::transformed), which(std::move(w)), functions(std::move(f)) {}
  Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) override;
  // Operators are given its functions, never itself.
  std::string name() const override { return "a chosen function"; }
  std::vector<std::string_view> parameter_names() const override { return {}; }
  std::vector<Value> captures() const override;
  Value with_captures(std::vector<Value> values) const override;  // with a known number: that function
  std::string staging_key() const override { return "chosen"; }
  bool only_the_run_knows() const override { return true; }
  bool same_but_captures(const Callable& other) const override;

  const Value which;  // an i64
  const std::vector<Value> functions;
};

// nullptr where it is something else.
const Chosen* chosen_in(const Value& value);
Value chosen_of(Value which, std::vector<Value> functions);
// Whether both are functions, and not the same one but for what they have captured.
bool differ_as_functions(const Value& a, const Value& b);
// Those of `a`, then those of `b` that are none of them.
std::vector<Value> functions_of(const Value& a, const Value& b);
// A function as one of `functions`, which has it; the others are `undefined` of these.
Value as_chosen(ops::Builder& builder, const Value& function, const std::vector<Value>& functions,
                FunctionRef<Value(const Value& like)> undefined);
// `f` of each deep leaf of `given`, beside the leaf in its place in `like`: a value that may be one of several
// functions, or none, where `given` is what it was in a run.
Value map_settled(const Value& like, const Value& given, FunctionRef<Value(const Value& like, const Value& leaf)> f);
// `make` of the function that it is.
Value at_each_function(ops::Builder& builder, const Chosen& chosen, FunctionRef<Value(const Value& function)> make);

}  // namespace covec::ir
