// Contractions: out[…] = Σ f0[…]·f1[…]·… over reduced indices. The order is that of products. The reduced indices,
// row-major in the order given, are cut into blocks of 512. A block is one chain of fused multiply-adds from zero; all
// factors but the last are multiplied first, left to right, each product rounded. Blocks are added in order. Two
// factors run on the product kernels.
#pragma once

#include <span>

#include "stdlib/kernels/strided.hpp"

namespace covec::kernels {

// How far a factor moves along each index; 0 where it does not have it.
struct ContractFactor {
  const std::byte* data;
  int64_t out_stride[max_rank];
  int64_t reduced_stride[max_rank];
};

struct Contraction {
  Dtype dtype;  // of the factors: f32, f64, i64; i32, whose products wrap and are added in i64
  unsigned outs = 0;
  int64_t out_dim[max_rank];
  unsigned reduced = 0;
  int64_t reduced_dim[max_rank];
  std::span<ContractFactor> factors;  // at least one
  std::byte* out;                     // row-major
};

void contract(ops::Context& context, const Contraction& contraction);

}  // namespace covec::kernels
