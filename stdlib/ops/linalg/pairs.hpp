// Contractions of three and more factors, two at a time, in the cheapest order by the extents (kernels/pair_order.hpp).
// Private to the family.
#pragma once

#include "stdlib/ops/linalg/linalg.hpp"

namespace covec::ops {

// The result of `type` into `out`. The factors are of dtype `type.dtype` and moved from: each is given up when it has
// been used. `reduced` has the extents of spec.reduced.
void contract_by_pairs(Builder& builder, const ContractSpec& spec, std::span<const int64_t> reduced, const Type& type,
                       std::span<Value> factors, std::byte* out);

}  // namespace covec::ops
