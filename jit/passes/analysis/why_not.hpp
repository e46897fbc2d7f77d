// Says of an operation on tensors that an optimized graph still has why it was not done with numbers (scalarize.cpp).
// For explain, which asks when all is compiled. Start at why_not().
#pragma once

#include <cstdint>

#include "jit/passes/analysis/scalar_recipe.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::passes {

enum class WhyNot : uint8_t {
  unknown_extent,     // of the result or an operand
  too_many_elements,  // or axes
  no_form,            // the operator has none for numbers, or not for these types
  may_fail,           // which its form for numbers would not do
  no_gain,            // it could be done so; but all that hangs together would cost more, or be too much code
};

WhyNot why_not(const ir::Graph& graph, Evaluator& evaluator, const ir::Operation& operation);
// Calls f(type) for the result and the operands: the tensors that must be small. One in memory, of which some elements
// are read or set, may have any size.
void each_small_part(const ir::Graph& graph, const ir::Operation& operation, FunctionRef<void(const Type&)> f);

}  // namespace covec::passes
