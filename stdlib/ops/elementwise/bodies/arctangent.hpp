// The arc tangent of 0 to 1, which atan and atan2 share. Polynomial: polynomials.py.
#pragma once

#include "stdlib/ops/elementwise/bodies/bits.hpp"

namespace covec::ops {

// atan t − t for 0 ≤ t ≤ 1.
template <class T>
[[gnu::always_inline]] inline T arctangent_rest(T t) {
  const T z = t * t;
  if constexpr (is_single<T>) {
    return t * (z * polynomial(z, -0x1.55553ep-2, 0x1.9991fep-3, -0x1.2421b6p-3, 0x1.c09ap-4, -0x1.583498p-4,
                               0x1.dac9fep-5, -0x1.fed19ap-6, 0x1.65a6a4p-7, -0x1.d6307cp-10));
  } else {
    return t *
           (z * polynomial(z, -0x1.555555555544bp-2, 0x1.9999999984050p-3, -0x1.2492491fa0359p-3, 0x1.c71c709dc99b4p-4,
                           -0x1.745d022ccf0cdp-4, 0x1.3b12b2c2ba68bp-4, -0x1.11089c0d34ac0p-4, 0x1.e1780e200af16p-5,
                           -0x1.ad3299f316888p-5, 0x1.7ee39e2848142p-5, -0x1.4f44694d2d249p-5, 0x1.1714b03bfebb5p-5,
                           -0x1.a723bfb52d661p-6, 0x1.1629786e59c50p-6, -0x1.2cf37a3b49bc3p-7, 0x1.f964a56ca12bbp-9,
                           -0x1.3124845d45354p-10, 0x1.d3b133233ba12p-13, -0x1.53ddf46c7ae50p-16));
  }
}

}  // namespace covec::ops
