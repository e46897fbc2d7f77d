// Roots of unity, the source of the factors of Fourier transforms. Both parts are accurate to slightly more than half a
// unit in the last place, and the same everywhere. The angle is reduced to an octant by integers and known to twice the
// precision. The language's sine takes one number, so it could not use that precision.
#pragma once

#include <cstdint>

namespace covec::kernels {

struct Root {
  double cos, sin;
};
// e^(2πi·a/n) for 0 ≤ a < n < 2^50.
Root root_of_unity(int64_t a, int64_t n);

}  // namespace covec::kernels
