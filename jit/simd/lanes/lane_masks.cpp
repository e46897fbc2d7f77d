#include "jit/simd/lanes/lane_masks.hpp"

namespace covec::simd {

using ops::ScalarOp;

x86::Reg LaneMasks::copy(x86::Reg lanes) {
  if (!e_.avx512()) return lanes;
  x86::KReg made = cc_.newKw();
  cc_.kmovw(made, lanes.as<x86::KReg>());
  return made;
}

x86::Reg LaneMasks::both(x86::Reg a, x86::Reg b) { return v_.on_bools(ScalarOp::bit_and, copy(a), copy(b)); }

x86::Reg LaneMasks::except(x86::Reg lanes, x86::Reg those) { return both(lanes, v_.inverted_bool(copy(those))); }

// Sets the zero flag where there are none.
void LaneMasks::test(x86::Reg lanes) {
  const x86::Reg mask = copy(lanes);
  cc_.emit(e_.avx512() ? Inst::kIdKortestb : Inst::kIdVptest, mask, mask);
}

void LaneMasks::jump_if_any(x86::Reg lanes, const Label& to) {
  test(lanes);
  cc_.jnz(to);
}
void LaneMasks::jump_if_none(x86::Reg lanes, const Label& to) {
  test(lanes);
  cc_.jz(to);
}

x86::Gp LaneMasks::bits(x86::Reg lanes) {
  x86::Gp bits = cc_.newInt32();
  if (e_.avx512()) {
    cc_.kmovw(bits, copy(lanes).as<x86::KReg>());
    cc_.and_(bits, (1 << v_.lanes()) - 1);
  } else {
    cc_.emit(Inst::kIdVmovmskpd, bits, lanes);
  }
  return bits;
}

}  // namespace covec::simd
