// Examples of sparse matrices with one pattern as one matrix, whose blocks on the diagonal they are. So batch rules are
// made of ordinary operators, in compiled code, too, and each sum has the same terms in the same order.
#pragma once

#include "stdlib/ops/contract/steps.hpp"

namespace covec::ops {

class Blocks {
 public:
  Blocks(Builder& builder, Dim size);
  struct Pattern {
    Value indices, indptr;
  };
  // Of a pattern with so many columns. Where the pattern's rows do not share all its indices, those of the blocks do
  // not.
  Pattern pattern(const Value& indices, const Value& indptr, const Value& columns);
  // An extent as often as there are examples.
  Value times(const Value& extent);
  // The first two axes, examples and their rows, as one, and back.
  Value joined(Value x);
  Value apart(Value x, Dim rows);

 private:
  Steps steps_;
  Dim size_;
  Value count_, numbers_;  // of the examples
};

// The operands of `_sparse_matmul` and `_sparse_sample`.
struct MatmulOperands {
  Value data, indices, indptr, x, rows, columns;
  bool transposed;
  Value zeros;
  Value apply(Builder& builder) const;
};
struct SampleOperands {
  Value a, b, indices, indptr, zeros;
  Value apply(Builder& builder) const;
};
// The same of examples, which data and x, or a and b, have along their first axis.
Value matmul_of_examples(Builder& builder, const MatmulOperands& operands);
Value sample_of_examples(Builder& builder, const SampleOperands& operands);

// Whether any of these operands is batched.
bool is_batched(const Batching& batching, std::initializer_list<unsigned> operands);

}  // namespace covec::ops
