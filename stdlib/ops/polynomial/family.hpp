// Polynomials by their coefficients.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family polynomial_calculus_entries();  // those of calculus.cpp
Family polynomial_family();

}  // namespace covec::ops
