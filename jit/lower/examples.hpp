// Stages vmap and comprehensions whose control flow differs between examples, if only the run knows how many there are.
// It writes a loop over the examples, which stores each result at its position in the stacked results. The first
// example is walked by itself; it tells the types.
#pragma once

#include "jit/lower/regions.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ir {

// body(number) for each example, the results stacked leaf by leaf. `what` names it: "vmap(f)".
Value stack_examples(ops::Builder& builder, GraphWriter& writer, Regions& regions, Dim size, std::string_view what,
                     FunctionRef<Value(const Value& number)> body);

}  // namespace covec::ir
