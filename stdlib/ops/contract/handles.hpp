// Handles: the operators that C++ code applies or looks for. Rules, engines and families name an operator of another
// family by its handle. So no family sees another's headers, and no operator is found by a string. The contract
// declares the struct. The registry, which sees all families, fills it in before main
// (stdlib/ops/registry/registry.cpp).
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

struct Handles {
  // elementwise
  const Entry &absolute, &add, &bit_and, &bit_or, &divide, &equal, &exp, &floor, &floor_divide, &greater,
      &greater_equal, &isnan, &less, &less_equal, &log, &log10, &logical_not, &maximum, &minimum, &multiply, &negate,
      &not_equal, &power, &round, &scale, &scale_both, &sigmoid, &softplus, &sqrt, &subtract, &warn_where, &where;
  std::array<const Entry*, dtype_count> casts;
  // complex
  const Entry &c64, &c128, &conj;
  // reduce
  const Entry &all, &any, &argmax, &argmin, &cumsum, &max, &mean, &min, &prod, &sum, &var;
  // shape
  const Entry &broadcast_to, &concat, &expect_shape, &expect_size, &fit_to, &narrow, &permute, &reshape, &max_apart,
      &squeeze, &stack, &stack_examples, &sum_to, &unsqueeze;
  // index
  const Entry &gather, &index_add, &index_read, &index_update, &scatter_add;
  // create
  const Entry &arange, &diagonal, &eye, &linspace, &tril, &zeros;
  // linalg
  const Entry &complex_singular_norm, &lstsq, &matmul, &singular_norm;
  // sparse
  const Entry& sparse_product;
  // order
  const Entry &max_item, &min_item, &searchsorted, &sort;
  // autodiff
  const Entry &split, &split_before, &split_parts;
  // ranks
  const Entry &part_sum, &rank_part, &rank_result, &rank_sum, &rank_variable;
  // general
  const Entry &format, &join_text, &require, &require_value;
  // text
  const Entry& split_text;
};
inline constinit const Handles* filled_handles = nullptr;
inline const Handles& handles() { return *filled_handles; }

// The cast to a dtype.
const Entry& cast_entry(Dtype to);

}  // namespace covec::ops
