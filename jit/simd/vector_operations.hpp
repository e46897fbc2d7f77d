// Scalar operations on vectors: one request, the instructions for all lanes. A vector holds `lanes` elements whatever
// its dtype, so narrower elements are in narrower registers. Bools are mask registers on AVX-512; on AVX2 they are
// lanes of zeros or ones as wide as the kernel's widest element. The trade-off: where an instruction set has no
// instruction for an operation it is put together from others, or done lane by lane (helpers.hpp).
#pragma once

#include <optional>

#include "jit/simd/emitter.hpp"

namespace covec::simd {

struct VectorRequest {
  ops::ScalarOp op = ops::ScalarOp::add;
  Dtype to = Dtype::f64;
  Dtype from = Dtype::f64;           // of the last operand
  Operand_ operands[3];              // registers; the last may be memory where may_be_memory() says so
  bool dies[3] = {};                 // not needed any more: its register may take the result
  std::optional<uint64_t> constant;  // the last operand, where it is one
};

class VectorOperations {
 public:
  VectorOperations(Emitter& emitter, int lanes, int widest)
      : e_(emitter), cc_(emitter.cc), lanes_(lanes), widest_(widest) {}

  x86::Reg apply(const VectorRequest& r);
  bool may_be_memory(const VectorRequest& r) const;
  bool knows_constant(const VectorRequest& r) const;  // the last operand is not looked at: a constant says all

  x86::Reg make(Dtype dtype);  // a register for a vector
  unsigned bytes(Dtype dtype) const { return static_cast<unsigned>(lanes_) * element(dtype); }
  // The element at an address, or a constant, as an operand that stands for a vector of it.
  x86::Mem spread(x86::Mem element_at, Dtype dtype) const;  // AVX-512
  x86::Mem splat(uint64_t bits, Dtype dtype);
  void move(const Operand_& to, const Operand_& from, Dtype dtype);
  void blend_into(x86::Reg to, x86::Reg condition, x86::Reg other, Dtype dtype);  // to = condition ? other : to
  InstId mask_instruction(InstId eight, InstId sixteen) const { return lanes_ == 8 ? eight : sixteen; }
  int lanes() const { return lanes_; }
  int widest() const { return widest_; }

 private:
  unsigned element(Dtype dtype) const {
    return dtype == Dtype::boolean ? static_cast<unsigned>(widest_) : size_of(dtype);
  }
  x86::Vec vector(unsigned bytes);
  x86::Vec zero(Dtype dtype);
  x86::Vec ones();  // AVX2: all bits of a mask
  x86::Reg emit(InstId id, Dtype to, const Operand_& a, const Operand_& b);
  x86::Reg emit(InstId id, Dtype to, const Operand_& a);
  x86::Reg rounded(const VectorRequest& r, int mode);
  x86::Reg negated(const VectorRequest& r);
  x86::Reg multiplied(const VectorRequest& r);
  x86::Reg fused(const VectorRequest& r);
  x86::Reg compared(const VectorRequest& r);
  x86::Reg compared_integers(const VectorRequest& r);
  x86::Reg compared_bools(const VectorRequest& r);
  x86::Reg selected(const VectorRequest& r);
  x86::Reg bitwise(const VectorRequest& r);
  x86::Reg on_bools(ops::ScalarOp op, const Operand_& a, const Operand_& b);
  x86::Reg inverted(const VectorRequest& r);
  x86::Reg inverted_bool(const Operand_& a);
  x86::Reg shifted(const VectorRequest& r);
  x86::Reg shifted_arithmetic(const VectorRequest& r);
  x86::Reg shifted_by(InstId id, const VectorRequest& r, unsigned amount);
  static std::optional<uint64_t> power_of_two(const VectorRequest& r);
  x86::Reg divided(const VectorRequest& r);
  x86::Reg divided_i32(const VectorRequest& r);
  x86::Reg divided_i64(const VectorRequest& r);
  x86::Vec quotients_of_i32(x86::Vec a, x86::Vec b, unsigned wide);
  x86::Vec upper_half(x86::Vec v);
  x86::Reg zero_where_zero(x86::Reg number, x86::Reg divisor, Dtype dtype);
  void jump_where_large(x86::Reg a, x86::Reg b, Label large);
  x86::Reg small_i64_to_f64(x86::Reg n);
  x86::Reg small_f64_to_i64(x86::Reg x);
  x86::Reg remaindered(const VectorRequest& r);
  void jump_where_no_remainder(x86::Reg quotient, x86::Reg rest, Dtype dtype, Label other);
  void add_where_negative(x86::Reg number, x86::Reg what, Dtype dtype);
  x86::Reg lane_by_lane(const VectorRequest& r);
  x86::Reg converted(const VectorRequest& r);
  x86::Reg from_bool(const VectorRequest& r);
  x86::Reg to_bool(const VectorRequest& r);
  x86::Reg widened(const VectorRequest& r);
  x86::Reg between_floats_and_integers(const VectorRequest& r);
  x86::Reg saturated(const VectorRequest& r);
  x86::Reg saturated_by_clamp(const VectorRequest& r);
  x86::Reg i64_to_f64(x86::Vec a);
  x86::Reg i64_to_f32(x86::Vec a);
  x86::Reg f64_to_i64_lanes(x86::Vec a);
  x86::Vec narrowed(x86::Vec wide);          // AVX2: the low halves of 64-bit lanes
  x86::Reg as_mask(x86::Vec m, Dtype from);  // AVX2: lanes of a dtype to a bool
  x86::Vec mask_for(x86::Reg m, Dtype to);   // AVX2: a bool to lanes of a dtype

  Emitter& e_;
  x86::Compiler& cc_;
  int lanes_;
  int widest_;
  x86::Mem places_[2];  // operands of helpers, on the stack
};

}  // namespace covec::simd
