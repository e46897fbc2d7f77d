// The linalg family: products. matmul (`@`), dot, and contract, the sum of a product of indexed tensors. contract is
// internal: `sum(A[i, k] * B[k, j] for k)` becomes one. Orders are those of stdlib/kernels/gemm.hpp.
#pragma once

#include <span>
#include <vector>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& matmul_entry();    // (a, b)
const Entry& dot_entry();       // (a, b), ranks 1 and 2
const Entry& contract_entry();  // (spec, *factors)
// (a, b, zeros): matmul in a derivative; terms are 0 where a factor is ±0 that stands for a cotangent (bits of zeros).
const Entry& scaled_matmul_entry();

// Which index each axis of each factor is, by any small numbers that name them. Every index is either one of `output`
// (the result's axes, in order) or of `reduced` (summed over, row-major in this order, which fixes the order of
// adding). An index that occurs twice in one factor walks its diagonal.
struct ContractSpec {
  std::vector<std::vector<int64_t>> factors;
  std::vector<int64_t> output;
  std::vector<int64_t> reduced;
  uint64_t zeros = 0;  // bit i: factor i is a cotangent, and makes a term 0 where it is ±0 (convolution/repair_nan.hpp)
  // Three factors and more are contracted two at a time, in the cheapest order by their extents. What a program writes
  // as one sum of products (`sum(a[i, k] * b[k, j] * c[k] for k)`) is one sum, whatever that takes.
  bool by_pairs = false;
  bool broadcasts = false;  // along reduced indices too, as in a derivative: an extent of 1 fits any other
  std::vector<int64_t> examples =
      {};  // the indices that vmap has added: no order depends on how many examples there are

  // Of a factor behind the 64th nothing is noted: what it makes NaN stays NaN.
  bool makes_zeros(size_t factor) const { return factor < 64 && (zeros >> factor & 1) != 0; }
  void set_makes_zeros(size_t factor) { zeros |= factor < 64 ? uint64_t{1} << factor : 0; }

  Value value() const;  // as the attribute
  static ContractSpec of(const Value& attribute);
};

// The factors are moved from.
Value contract(Builder& builder, const ContractSpec& spec, std::span<Value> factors);

}  // namespace covec::ops
