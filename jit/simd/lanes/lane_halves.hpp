// Products of numbers of 32 bits in i64, of which Philox is made (jit/loops/lanes/lane_draws.hpp): one instruction
// multiplies the lower halves of 64 bits and does not look at the upper ones. So these need not be cut off before.
#pragma once

#include <vector>

#include "jit/loops/lanes/varying.hpp"

namespace covec::simd {

class LaneHalves {
 public:
  LaneHalves(const loops::Code& code, const loops::Varying& varying);

  // A product whose operands have nothing in their upper halves.
  bool multiplies(const loops::instruction::Scalar& i) const;
  // A number from which the upper half is cut for such products alone.
  bool is_cut_in_vain(loops::Register r) const { return cut_[r]; }

 private:
  std::vector<bool> half_, cut_;  // by register
};

}  // namespace covec::simd
