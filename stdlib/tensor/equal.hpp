// Equality of whole values.
#pragma once

#include "stdlib/value/value.hpp"

namespace covec {

// What `==` says of strings, none, functions and trees: leaf by leaf, tensors being equal when their shapes and all
// elements are (1 equals 1.0, NaN equals nothing). Functions are equal when they are of one definition and have captured
// the same to the bit (their copies in compiled code are, too); one that is compiled equals what it was made of. Traced
// leaves compare by their primals. Not staged where a function has captured what only the run knows.
bool values_equal(const Value& a, const Value& b);

}  // namespace covec
