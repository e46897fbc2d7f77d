// Roots of unity, from which the factors of Fourier transforms are made: both parts to half a unit in the last place
// and a little, the same everywhere. The angle is reduced to an octant by integers and known to twice the precision,
// which the language's sine, a function of one number, could not be told.
#pragma once

#include <cstdint>

namespace covec::kernels {

struct Root {
  double cos, sin;
};
// e^(2πi·a/n) for 0 ≤ a < n < 2^50.
Root root_of_unity(int64_t a, int64_t n);

}  // namespace covec::kernels
