// The files of the sparse family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& sparse_product_entry();  // (a, b): for `@`

Family sparse_incomplete_entries();
Family sparse_pattern_entries();
Family sparse_product_entries();
Family sparse_record_entries();
Family sparse_solve_entries();
Family sparse_sparse_product_entries();

Family sparse_family();

}  // namespace covec::ops
