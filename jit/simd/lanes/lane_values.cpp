#include "jit/simd/lanes/lane_values.hpp"

namespace covec::simd {

using loops::Register;

// The register of a number that more than one instruction writes, or that is read in another block.
x86::Reg& LaneValues::lasting(Register r) {
  if (!vectors_[r].isValid()) vectors_[r] = v_.make(r_.dtype(r));
  return vectors_[r];
}

x86::Reg LaneValues::vector(Register r, bool& own) {
  const Dtype dtype = r_.dtype(r);
  own = true;
  if (varying_.constant(r)) return memory_.broadcast_constant(*varying_.constant(r), dtype);
  if (given_[r]) return memory_.broadcast(slots_.payload(*given_[r]), dtype);
  own = dtype == Dtype::boolean && e_.avx512();
  return dtype == Dtype::boolean ? masks_.copy(vectors_[r]) : vectors_[r];
}

Operand_ LaneValues::operand(Register r, bool may_be_memory, bool& own) {
  const Dtype dtype = r_.dtype(r);
  if (!may_be_memory || dtype == Dtype::boolean) return vector(r, own);
  own = false;
  if (varying_.constant(r)) return v_.splat(register_bits(dtype, *varying_.constant(r)), dtype);
  if (given_[r] && e_.avx512() && !is_narrow(dtype)) return v_.spread(slots_.payload(*given_[r]), dtype);
  return vector(r, own);
}

void LaneValues::give(Register r, size_t at, x86::Reg made, x86::Reg active) {
  if (varying_.is_local(r)) {
    vectors_[r] = made;
    return;
  }
  const Dtype dtype = r_.dtype(r);
  if (varying_.blends(at) && dtype == Dtype::boolean) {
    const x86::Reg blended = masks_.copy(lasting(r));
    v_.blend_into(blended, masks_.copy(active), made, dtype);
    v_.move(lasting(r), blended, dtype);
  } else if (varying_.blends(at)) {
    v_.blend_into(lasting(r), active, made, dtype);
  } else {
    v_.move(lasting(r), made, dtype);
  }
}

void LaneValues::note_computed(Register r) {
  if (!varying_.is_read_by_lanes(r) || varying_.constant(r) || given_[r]) return;
  v_.move(lasting(r), broadcast(r), r_.dtype(r));
}

// Of a scalar register.
x86::Reg LaneValues::broadcast(Register r) {
  const Dtype dtype = r_.dtype(r);
  if (is_float(dtype)) {
    const InstId id = v_.element(dtype) == 8 ? Inst::kIdVbroadcastsd : Inst::kIdVbroadcastss;
    return v_.emit(id, dtype, r_.xmm(r));
  }
  if (dtype != Dtype::boolean) return memory_.broadcast_integer(r_.gp(r), dtype);
  x86::Gp bits = cc_.newInt64();
  cc_.mov(bits.r32(), r_.gp(r).r32());
  cc_.neg(bits);
  if (!e_.avx512()) return memory_.broadcast_integer(bits, dtype);
  cc_.and_(bits.r32(), (1 << v_.lanes()) - 1);
  return v_.emit(Inst::kIdKmovw, dtype, bits.r32());
}

}  // namespace covec::simd
