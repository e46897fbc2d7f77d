// The sparse family: operators on the tensors of sparse matrices (value/sparse_record.hpp). Products with dense
// matrices and products sampled at the nonzeros are each other's derivatives, so these two have derivatives of any
// order.
#pragma once

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/sparse/csr.hpp"
#include "stdlib/tensor/sparse_record.hpp"

namespace covec::ops {

// (data, indices, indptr, x, rows, columns, transposed=false, zeros=0)
const Entry& sparse_matmul_entry();
// (a, b, indices, indptr, zeros=0)
const Entry& sparse_sample_entry();
// (a_data, a_indices, a_indptr, b_data, b_indices, b_indptr, indices, indptr, rows, inner, columns, a_transposed=false,
//  b_transposed=false, zeros=0)
const Entry& sparse_masked_entry();

const Entry& sparse_ilu_solve_entry();  // (data, indices, indptr, b, transposed=false)

// Which factors of a product stand for cotangents, in its attribute `zeros`.
constexpr uint64_t left_bit = 1, right_bit = 2;

// A product of two sparse matrices that fit.
struct SparseProduct {
  Value data, indices, indptr;
};
SparseProduct sparse_product_of(Builder& builder, const SparseRecord& a, const SparseRecord& b);

// Calls f(float{}) or f(double{}).
template <class F>
void with_sparse_float(Dtype dtype, F f) {
  dtype == Dtype::f32 ? f(float{}) : f(double{});
}

// A batch rule: examples of this operand, vectors or matrices behind so many leading axes, become columns of one.
// Examples of any other run one by one.
Value batch_of_columns(Builder& builder, Call& call, const Batching& batching, unsigned operand, unsigned leading = 0);

// The vector at `operand`, of integers where so said.
Type sparse_vector(const Call& call, unsigned operand, bool integers);

// The pattern of an eager call, of i64 tensors in one piece. Its lengths are checked here, its indices by kernels.
struct EagerPattern {
  Value indices, indptr;
  sparse::Pattern pattern;
  EagerPattern(Builder& builder, const Call& call, unsigned indices, unsigned indptr, int64_t rows, int64_t columns);
  EagerPattern(Builder& builder, const Value& indices, const Value& indptr, int64_t rows, int64_t columns);
};
// An error where there are not as many numbers as indices.
void require_count(int64_t numbers, const sparse::Pattern& pattern);
// The error of a pattern that a kernel did not accept.
[[noreturn]] void fail_pattern(const sparse::Pattern& pattern);

}  // namespace covec::ops
