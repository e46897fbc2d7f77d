// prod and cumprod of complex tensors (Entry::complex). Private to the family.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Value complex_prod(Builder& builder, Call& call);
Value complex_cumprod(Builder& builder, Call& call);

}  // namespace covec::ops
