// The ScalarBuilder of the loop IR: a pointwise operator's body becomes instructions of a Body.
#pragma once

#include <span>

#include "jit/loops/loop_ir.hpp"

namespace covec::loops {

class BodyBuilder : public ops::ScalarBuilder {
 public:
  explicit BodyBuilder(Body& body) : body_(body) {}
  ops::ScalarRef constant(Dtype dtype, uint64_t bits) override;
  ops::ScalarRef emit(ops::ScalarOp op, Dtype result, ops::ScalarRef a, ops::ScalarRef b, ops::ScalarRef c) override;
  ops::ScalarRef load(Dtype dtype, Access access);
  ops::ScalarRef argument(Dtype dtype, uint32_t number);
  ops::ScalarRef convert(ops::ScalarRef value, Dtype dtype);

 private:
  ops::ScalarRef append(Instruction instruction);
  Body& body_;
};

unsigned arity_of(ops::ScalarOp op);

}  // namespace covec::loops
