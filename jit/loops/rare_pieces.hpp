// Leaves rarely needed pieces of an operator's body out of a kernel. A long piece is counted instead of emitted, to see
// that it is long, and its condition is kept. Where the condition holds, the operator's eager kernel gives the result.
#pragma once

#include <optional>

#include "stdlib/ops/contract/scalar_builder.hpp"

namespace covec::loops {

class RarePieces {
 public:
  void begin(bool may_leave_out) {
    may_leave_out_ = may_leave_out;
    condition_.reset();
  }
  std::optional<ops::ScalarRef> end() {
    may_leave_out_ = false;
    return condition_;
  }
  // Whether the piece is left out: `usual` stands for it.
  bool leaves_out(ops::ScalarBuilder& builder, ops::ScalarRef condition, ops::ScalarRef usual, uint32_t longest,
                  ops::ScalarRef (*slow)(void* state), void* state);
  // Instructions are only counted.
  bool counting() const { return counting_; }
  ops::ScalarRef count(Dtype dtype) {
    ++count_;
    widens_ |= dtype != Dtype::boolean && size_of(computing_dtype(dtype)) > width_;
    return {0, dtype};
  }

 private:
  bool may_leave_out_ = false, counting_ = false, widens_ = false;
  uint32_t count_ = 0;
  size_t width_ = 8;
  std::optional<ops::ScalarRef> condition_;
};

}  // namespace covec::loops
