// Derivatives of parallel.sum by what its function has captured.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

const ops::Entry& active_part_sum_entry();  // (f, parts), of an f that has captured active values

}  // namespace covec::autodiff
