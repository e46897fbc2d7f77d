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
  // Of a pattern with so many columns.
  Pattern pattern(const Value& indices, const Value& indptr, const Value& columns);
  // An extent as often as there are examples.
  Value times(const Value& extent);
  // Operand `operand` of a call with the first axis of all examples as one, and back.
  Value joined(const Call& call, unsigned operand, const Batching& batching);
  Value apart(Value x, Dim rows);

 private:
  Steps steps_;
  Dim size_;
  Value count_, numbers_;  // of the examples
};

// Whether any of these operands is batched.
bool is_batched(const Batching& batching, std::initializer_list<unsigned> operands);

}  // namespace covec::ops
