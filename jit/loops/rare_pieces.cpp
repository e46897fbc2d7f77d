#include "jit/loops/rare_pieces.hpp"

namespace covec::loops {

using ops::ScalarOp;
using ops::ScalarRef;

bool RarePieces::leaves_out(ops::ScalarBuilder& builder, ScalarRef condition, ScalarRef usual, uint32_t longest,
                            ScalarRef (*slow)(void* state), void* state) {
  if (!may_leave_out_) return false;
  counting_ = true;
  count_ = 0;
  widens_ = false;
  width_ = size_of(computing_dtype(usual.dtype));
  slow(state);
  counting_ = false;
  if (!widens_ && count_ <= longest) return false;
  condition_ = condition_ ? builder.emit(ScalarOp::bit_or, Dtype::boolean, *condition_, condition) : condition;
  return true;
}

}  // namespace covec::loops
