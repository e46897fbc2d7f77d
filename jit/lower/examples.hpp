// Stages vmap and comprehensions whose control flow differs between examples, if only the run knows how many there are.
// It writes a loop over the examples, which stores each result at its position in the stacked results. The first
// example is walked by itself; it tells the types. And the choice between this form and all examples at once, which the
// pass examples_apart makes.
#pragma once

#include "jit/lower/graph/graph_writer.hpp"
#include "jit/lower/paths/control_flow.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ir {

// body(number) for each example, the results stacked leaf by leaf. `what` names it: "vmap(f)". `draws`: it may draw.
Value stack_examples(ops::Builder& builder, GraphWriter& writer, ControlFlow& control_flow, Dim size,
                     std::string_view what, bool draws, FunctionRef<Value(const Value& number)> body);

// Whether what `walk` does meets loops or recursion that are staged. Nothing that it has staged stays.
bool meets_loops(GraphWriter& writer, FunctionRef<void()> walk);
// ops::Builder::few_or_all, where loops are met.
Value few_or_all(ops::Builder& builder, GraphWriter& writer, Dim size, FunctionRef<Value()> apart,
                 FunctionRef<Value()> all);

}  // namespace covec::ir
