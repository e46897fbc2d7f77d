// What a user's forward rule gets beside the arguments: their tangents, as trees of the same structure. A function's
// tangent is a function of its parameters. It gives the tangent of the function's result while its own arguments stay
// constant.
#pragma once

#include "stdlib/autodiff/level.hpp"

namespace covec::autodiff {

// `argument` with a tangent in the place of each float (zeros where there is none), a function in that of a function,
// and none for the rest. `next` runs over the tangents of the argument's deep leaves.
Value tangent_tree(ops::Builder& builder, const Value& argument, const Value*& next);

}  // namespace covec::autodiff
