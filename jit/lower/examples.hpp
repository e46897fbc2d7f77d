// vmap and comprehensions whose control flow differs between examples, as many as only the run knows: a loop over the
// examples, each written to its place in the stacked results. The first one is walked by itself; it tells the types.
#pragma once

#include "jit/lower/regions.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ir {

// body(number) for each example, the results stacked leaf by leaf. `what` names it: "vmap(f)".
Value stack_examples(ops::Builder& builder, GraphWriter& writer, Regions& regions, Dim size, std::string_view what,
                     FunctionRef<Value(const Value& number)> body);

}  // namespace covec::ir
