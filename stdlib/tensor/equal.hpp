// Equality of whole values.
#pragma once

#include "stdlib/value/value.hpp"

namespace covec {

// What `==` says of strings, none, functions and trees: leaf by leaf, tensors being equal when their shapes and all
// elements are (1 equals 1.0, NaN equals nothing). Traced leaves compare by their primals.
bool values_equal(const Value& a, const Value& b);

}  // namespace covec
