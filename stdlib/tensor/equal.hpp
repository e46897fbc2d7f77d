// Equality of whole values.
#pragma once

#include "stdlib/value/value.hpp"

namespace covec {

// What `==` says of strings, none, functions and trees: leaf by leaf, tensors being equal when their shapes and all
// elements are (1 equals 1.0, NaN equals nothing). Functions are equal when they are of one definition and have
// captured the same, of one dtype and to the bit, all NaNs being one (so their copies in compiled code are equal to
// them); one that is compiled equals what it was made of. Traced leaves compare by their primals. Where two functions
// have captured different values that only the run knows, this is not staged. Throws OpError(too_deep) past 5000
// levels.
bool values_equal(const Value& a, const Value& b);

}  // namespace covec
