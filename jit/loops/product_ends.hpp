// The elementwise end of a matrix product: bias, activation and its derivative, scaling, what is added.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// Whether the kernel can take the product's rows is found out when it runs (jit/runtime/product_launch.hpp).
void product_ends(Plan& plan);

}  // namespace covec::loops
