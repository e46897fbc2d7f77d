#include "jit/simd/machine/scalar_memory.hpp"

namespace covec::simd {

using loops::Register;

void ScalarMemory::load(Register to, x86::Mem from) {
  const Dtype dtype = r_.dtype(to);
  from.setSize(static_cast<uint32_t>(size_of(dtype)));
  const x86::Reg& machine_register = r_.machine_register(to);
  if (is_half(dtype)) return load_half(machine_register.as<x86::Xmm>(), from, dtype);
  if (is_narrow(dtype)) return load_integer(machine_register.as<x86::Gp>(), from, dtype);
  switch (compute_of(dtype)) {
    case Compute::boolean: cc_.movzx(machine_register.as<x86::Gp>(), from); break;
    case Compute::f32: cc_.vmovss(machine_register.as<x86::Xmm>(), from); break;
    case Compute::f64: cc_.vmovsd(machine_register.as<x86::Xmm>(), from); break;
    default: cc_.mov(machine_register.as<x86::Gp>(), from);
  }
}

void ScalarMemory::store(x86::Mem to, Register from) {
  const Dtype dtype = r_.dtype(from);
  to.setSize(static_cast<uint32_t>(size_of(dtype)));
  switch (compute_of(dtype)) {
    case Compute::boolean: cc_.mov(to, r_.gp(from).r8()); break;
    case Compute::f32:
      if (is_half(dtype))
        cc_.mov(to, half_bits(from).r16());
      else
        cc_.vmovss(to, r_.xmm(from));
      break;
    case Compute::f64: cc_.vmovsd(to, r_.xmm(from)); break;
    default:
      if (is_narrow(dtype))
        store_integer(to, r_.gp(from));
      else
        cc_.emit(Inst::kIdMov, to, r_.integer_operand(from));
  }
}

// Narrow integers are what they are computed with in registers.
void ScalarMemory::load_integer(const x86::Gp& to, const x86::Mem& from, Dtype dtype) {
  if (size_of(dtype) == 4)
    cc_.mov(to.r32(), from);  // the upper half becomes 0
  else if (is_unsigned(dtype))
    cc_.movzx(to.r32(), from);
  else
    cc_.movsx(to.r32(), from);
}

// The lower bytes, as many as the place has.
void ScalarMemory::store_integer(const x86::Mem& to, const x86::Gp& from) {
  const x86::Gp bytes = from.r8(), words = from.r16(), lower = from.r32();
  cc_.mov(to, to.size() == 1 ? bytes : to.size() == 2 ? words : lower);
}

// Half-precision numbers are f32 in registers.
void ScalarMemory::load_half(const x86::Xmm& to, const x86::Mem& from, Dtype dtype) {
  x86::Gp bits = r_.word().r32();
  cc_.movzx(bits, from);
  if (dtype == Dtype::bf16) cc_.shl(bits, 16);
  cc_.vmovd(to, bits);
  if (dtype == Dtype::f16) cc_.vcvtph2ps(to, to);
}

// In the low 16 bits, with zeros above.
x86::Gp ScalarMemory::half_bits(Register from) {
  x86::Gp bits = r_.word().r32();
  x86::Xmm number = r_.xmm(from);
  if (r_.dtype(from) == Dtype::f16) {
    number = r_.float_word();
    cc_.vcvtps2ph(number, r_.xmm(from), imm(0));
  }
  cc_.vpextrd(bits, number, 0);
  if (r_.dtype(from) == Dtype::bf16)
    cc_.shr(bits, 16);
  else
    cc_.movzx(bits, bits.r16());
  return bits;
}

// As a word of 8 bytes, with zeros above the number's; narrow integers fill it.
void ScalarMemory::store_word(x86::Mem to, Register from) {
  const Dtype dtype = r_.dtype(from);
  if (size_of(dtype) == 8 || dtype == Dtype::f32) store(to, from);
  if (size_of(dtype) == 8) return;
  if (is_narrow_integer(dtype)) {
    to.setSize(8);
    x86::Gp word = r_.gp(from).r64();
    if (!r_.wide(from)) {
      word = r_.word();
      cc_.movsxd(word, r_.gp(from).r32());
    }
    cc_.mov(to, word);
    return;
  }
  if (is_half(dtype)) {
    to.setSize(8);
    cc_.mov(to, half_bits(from).r64());
    return;
  }
  if (dtype == Dtype::f32) {
    x86::Mem above = to.cloneAdjusted(4);
    above.setSize(4);
    cc_.mov(above, 0);
    return;
  }
  x86::Gp word = r_.word();
  cc_.mov(word.r32(), r_.gp(from).r32());
  to.setSize(8);
  cc_.mov(to, word);
}

}  // namespace covec::simd
