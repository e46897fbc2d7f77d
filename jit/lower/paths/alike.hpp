// Finds what the values that two paths leave in a variable have in common.
#pragma once

#include "jit/ir/graph.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ir {

bool is_leaf(const Value& value);      // a number, tensor or Symbol
bool is_list(const Value& value);      // a tree, or a Symbol for one whose length only the run knows
bool is_compound(const Value& value);  // a tree, a sequence, or a function that is known by its parts
// On a tape that is still open; of a closed one, a value is a constant.
bool is_open_tape(const ops::Context& context, const Value& traced);
// The same value, whatever happens.
bool same_value(const Value& a, const Value& b);
// Compounds that differ in their parts only.
bool same_but_parts(const Value& a, const Value& b);

}  // namespace covec::ir
