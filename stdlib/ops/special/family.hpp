// Special functions of several numbers, or without a short closed body: gammainc, betainc, i0, zeta and their kin.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family special_family();

}  // namespace covec::ops
