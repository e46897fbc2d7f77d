// What a forward rule of one's own gets beside the arguments: their tangents, as trees like them. A function's tangent
// is a function of its parameters, which gives the tangent of what it gives while its own arguments stand still.
#pragma once

#include "stdlib/autodiff/level.hpp"

namespace covec::autodiff {

// `argument` with a tangent in the place of each float (zeros where there is none), a function in that of a function,
// and none for the rest. `next` runs over the tangents of the argument's deep leaves.
Value tangent_tree(ops::Builder& builder, const Value& argument, const Value*& next);

}  // namespace covec::autodiff
