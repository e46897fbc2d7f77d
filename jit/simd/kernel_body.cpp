// One vector of a kernel: its values in the order of the code, failures, stores.
#include <utility>

#include "jit/simd/kernel_emitter.hpp"

namespace covec::simd {

using loops::Kernel;
using loops::KernelInstruction;
using ops::ScalarOp;

template <class F>
void KernelEmitter::each_vector(F emit) {
  for (vector_ = first_vector_; vector_ < last_vector_; ++vector_) emit();
  vector_ = first_vector_;
}

void KernelEmitter::body(int vectors) {
  for (size_t g : given_) has_register_[g] = false;
  given_.clear();
  first_vector_ = vector_ = 0;
  last_vector_ = vectors;
  range(0, static_cast<uint32_t>(kernel_.code.size()));
  if (kernel_.fails != Kernel::never) each_vector([&] { check_failures(); });
  store_outputs();
}

void KernelEmitter::range(uint32_t begin, uint32_t end) {
  for (uint32_t k = begin; k < end; ++k) {
    const Kind kind = kernel_.code[k].kind;
    if (kind == Kind::scalar && plan_.uses[k] > 0) each_vector([&] { scalar(k); });
    if (kind == Kind::outlined && plan_.uses[k] > 0) each_vector([&] { outlined(k); });
    if (kind == Kind::rare) {
      each_vector([&] { rare(k); });
      k = plan_.end_of[k];
    }
  }
}

void KernelEmitter::scalar(uint32_t k) {
  KernelInstruction i = kernel_.code[k];
  const auto commutes = [&] {
    using enum ScalarOp;
    return i.op == add || i.op == mul || i.op == bit_and || i.op == bit_or || i.op == bit_xor || i.op == eq ||
           i.op == ne;
  };
  if (i.arity == 2 && commutes() && in_memory(i.operands[0]) && !in_memory(i.operands[1]))
    std::swap(i.operands[0], i.operands[1]);
  const uint32_t last = i.operands[i.arity - 1];
  VectorRequest request{i.op, i.dtype, kernel_.code[last].dtype, {}, {}, {}};
  if (kernel_.code[last].kind == Kind::constant && i.arity > 1) request.constant = kernel_.code[last].bits;
  for (unsigned operand = 0; operand + 1 < i.arity; ++operand) request.operands[operand] = value(i.operands[operand]);
  if (!v_.knows_constant(request)) request.operands[i.arity - 1] = last_operand(last, request);
  for (unsigned operand = 0; operand < i.arity; ++operand) request.dies[operand] = dies(i.operands[operand], k);
  give(k, v_.apply(request));
}

// The result's register holds the usual value; where a lane needs the other, it is put in, out of the way.
void KernelEmitter::rare(uint32_t k) {
  const uint32_t end = plan_.end_of[k];
  const KernelInstruction& closing = kernel_.code[end];
  const x86::Reg condition = value(closing.operands[0]);
  const x86::Reg result = own_copy(closing.operands[2], end);
  Label slow = cc_.newLabel(), back = cc_.newLabel();
  test_any(condition);
  cc_.jnz(slow);
  cc_.bind(back);
  e_.out_of_the_way([&] {
    cc_.bind(slow);
    const size_t before = given_.size();
    const int first = std::exchange(first_vector_, vector_), last = std::exchange(last_vector_, vector_ + 1);
    range(k + 1, end);
    first_vector_ = first;
    last_vector_ = last;
    v_.blend_into(result, condition, value(closing.operands[1]), closing.dtype);
    for (size_t g = before; g < given_.size(); ++g) has_register_[given_[g]] = false;
    given_.resize(before);
    cc_.jmp(back);
  });
  give(end, result);
}

// As rare(); what is put in comes from the operator's eager kernel, which is given the operands of all lanes.
void KernelEmitter::outlined(uint32_t k) {
  const KernelInstruction& i = kernel_.code[k];
  const x86::Reg condition = value(i.operands[0]);
  const x86::Reg result = own_copy(i.operands[1], k);
  Label slow = cc_.newLabel(), back = cc_.newLabel();
  test_any(condition);
  cc_.jnz(slow);
  cc_.bind(back);
  e_.out_of_the_way([&] {
    cc_.bind(slow);
    const size_t before = given_.size();
    for (unsigned operand = 2; operand < i.arity; ++operand) {
      const x86::Reg from = value(i.operands[operand]);
      v_.move(outlined_area(offsetof(OutlinedCall, operands) + 64 * (operand - 2), v_.bytes(i.dtype)), from, i.dtype);
    }
    const Kernel::Outlined& outlined = kernel_.outlined[i.index];
    const uint32_t entry = e_.outlined(outlined);
    cc_.mov(outlined_area(offsetof(OutlinedCall, entry), 4), entry);
    cc_.mov(outlined_area(offsetof(OutlinedCall, lanes), 4), plan_.lanes);
    cc_.mov(outlined_area(offsetof(OutlinedCall, parameter), 8), static_cast<int32_t>(outlined.parameter));
    cc_.emit(Inst::kIdCall, e_.outlined_call());
    v_.move(result, outlined_area(offsetof(OutlinedCall, result), v_.bytes(i.dtype)), i.dtype);
    for (size_t g = before; g < given_.size(); ++g) has_register_[given_[g]] = false;
    given_.resize(before);
    cc_.jmp(back);
  });
  give(k, result);
}

// At the bottom of the frame, where a called function finds it right above the return address.
x86::Mem KernelEmitter::outlined_area(size_t offset, unsigned bytes) const {
  return x86::ptr(x86::rsp, static_cast<int32_t>(offset), bytes);
}

// Sets the zero flag where no lane that is there holds.
void KernelEmitter::test_any(x86::Reg condition) {
  if (!e_.avx512()) {
    cc_.emit(Inst::kIdVptest, condition, condition);
  } else if (masked_) {
    cc_.emit(v_.mask_instruction(Inst::kIdKtestb, Inst::kIdKtestw), condition, active_);
  } else {
    cc_.emit(v_.mask_instruction(Inst::kIdKortestb, Inst::kIdKortestw), condition, condition);
  }
}

void KernelEmitter::check_failures() {
  const x86::Reg failed = value(kernel_.fails);
  x86::Gp lanes = cc_.newInt32();
  if (e_.avx512()) {  // copied first: of a mask that has been spilled, asmjit makes an instruction that there is not
    x86::KReg there = cc_.newKw();
    if (masked_)
      cc_.kandw(there, failed.as<x86::KReg>(), active_);
    else
      cc_.kmovw(there, failed.as<x86::KReg>());
    cc_.kmovw(lanes, there);
    cc_.test(lanes, lanes);
  } else {
    cc_.emit(plan_.widest == 8 ? Inst::kIdVmovmskpd : Inst::kIdVmovmskps, lanes, failed);
    cc_.and_(lanes, active_lanes_);
  }
  Label leave = cc_.newLabel();
  cc_.jnz(leave);
  e_.out_of_the_way([&] {
    cc_.bind(leave);
    x86::Gp index = cc_.newInt64();
    cc_.tzcnt(index.r32(), lanes);
    cc_.lea(index, x86::ptr(index, i_, 0, vector_ * plan_.lanes));
    if (!e_.avx512()) cc_.add(index, base_);
    cc_.ret(index);
  });
}

// --- stores ---

// All values first: an output may be the same array as an input that is only copied.
void KernelEmitter::store_outputs() {
  each_vector([&] {
    for (const Kernel::Output& output : kernel_.outputs) value(output.value);
  });
  each_vector([&] {
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const Dtype dtype = kernel_.outputs[k].dtype;
      const x86::Mem to = element(outputs_[k], dtype);
      const x86::Reg from = value(kernel_.outputs[k].value);
      if (dtype == Dtype::boolean) {
        store_bool(to, from);
        continue;
      }
      if (masked_) cc_.k(active_);
      v_.move(to, from, dtype);
    }
  });
}

void KernelEmitter::store_bool(x86::Mem to, x86::Reg value) {
  if (!e_.avx512()) return store_bool_as_bytes(to, value);
  x86::Xmm bytes = cc_.newXmm();
  cc_.vpmovm2b(bytes, value.as<x86::KReg>());
  cc_.vpabsb(bytes, bytes);
  if (masked_) {
    cc_.k(active_).vmovdqu8(to, bytes);
  } else if (plan_.lanes == 16) {
    cc_.vmovdqu8(to, bytes);
  } else {
    to.setSize(8);
    cc_.vmovq(to, bytes);
  }
}

void KernelEmitter::store_bool_as_bytes(x86::Mem to, x86::Reg value) {
  x86::Xmm high = cc_.newXmm(), bytes = cc_.newXmm();
  const x86::Ymm mask = value.as<x86::Vec>().ymm();
  cc_.vextracti128(high, mask, 1);
  if (plan_.widest == 8) {
    cc_.vshufps(bytes, mask.xmm(), high, 0x88);
    cc_.vpackssdw(bytes, bytes, bytes);
  } else {
    cc_.vpackssdw(bytes, mask.xmm(), high);
  }
  cc_.vpacksswb(bytes, bytes, bytes);
  cc_.vpabsb(bytes, bytes);
  to.setSize(static_cast<uint32_t>(plan_.lanes));
  if (plan_.lanes == 8)
    cc_.vmovq(to, bytes);
  else
    cc_.vmovd(to, bytes);
}

// --- values ---

void KernelEmitter::give(uint32_t k, x86::Reg reg) {
  registers_[place(k)] = reg;
  has_register_[place(k)] = true;
  given_.push_back(place(k));
}

x86::Reg KernelEmitter::value(uint32_t k) {
  if (!has_register_[place(k)]) give(k, plan_.uniform[k] ? spread(k) : load(k));
  return registers_[place(k)];
}

// Whether the value is not needed after instruction `at`, and its register is not one that outlives the body.
bool KernelEmitter::dies(uint32_t k, uint32_t at) const {
  const uint32_t root = plan_.root[k];
  return !plan_.kept[root] && plan_.last_use[root] == at;
}

x86::Reg KernelEmitter::own_copy(uint32_t k, uint32_t last) {
  const x86::Reg from = value(k);
  if (dies(k, last)) return from;
  x86::Reg copy = v_.make(kernel_.code[k].dtype);
  v_.move(copy, from, kernel_.code[k].dtype);
  return copy;
}

// Whether an instruction can take the value from where it lies.
bool KernelEmitter::in_memory(uint32_t k) const {
  const KernelInstruction& i = kernel_.code[k];
  if (has_register_[place(k)] || i.dtype == Dtype::boolean) return false;
  if (plan_.uniform[k]) return e_.avx512() || i.kind == Kind::constant;
  return i.kind == Kind::load && plan_.uses[k] == 1 && !masked_;
}

Operand_ KernelEmitter::last_operand(uint32_t k, const VectorRequest& request) {
  const KernelInstruction& i = kernel_.code[k];
  if (!in_memory(k) || !v_.may_be_memory(request)) return value(k);
  if (i.kind == Kind::constant) return v_.splat(i.bits, i.dtype);
  if (plan_.uniform[k]) return v_.spread(only_element(k), i.dtype);
  x86::Mem from = element(inputs_[i.index], i.dtype);
  from.setSize(v_.bytes(i.dtype));
  return from;
}

x86::Mem KernelEmitter::element(x86::Gp base, Dtype dtype) const {
  const size_t size = size_of(dtype);
  return x86::ptr(base, i_, static_cast<uint32_t>(std::countr_zero(size)),
                  vector_ * plan_.lanes * static_cast<int>(size));
}

// Where a uniform value that is no constant lies.
x86::Mem KernelEmitter::only_element(uint32_t k) {
  const KernelInstruction& i = kernel_.code[k];
  const auto size = static_cast<uint32_t>(size_of(i.dtype));
  if (i.kind == Kind::number) return x86::ptr(numbers_, 8 * static_cast<int>(i.index), size);
  if (only_places_[k].isMem() && only_places_[k].size() != 0) return only_places_[k];
  x86::Gp at = inputs_[i.index];
  cc_.mov(at, x86::qword_ptr(input_array_, 8 * static_cast<int>(i.index)));
  return x86::ptr(at, 0, size);
}

x86::Reg KernelEmitter::load(uint32_t k) {
  const Dtype dtype = kernel_.code[k].dtype;
  const x86::Mem from = element(inputs_[kernel_.code[k].index], dtype);
  if (dtype == Dtype::boolean) return load_bool(from);
  x86::Reg d = v_.make(dtype);
  if (masked_) cc_.k(active_).z();
  v_.move(d, from, dtype);
  return d;
}

x86::Reg KernelEmitter::load_bool(x86::Mem from) {
  x86::Reg d = v_.make(Dtype::boolean);
  from.setSize(static_cast<uint32_t>(plan_.lanes));
  if (!e_.avx512()) {  // 0 − byte
    x86::Vec zeros = v_.make(Dtype::boolean).as<x86::Vec>();
    cc_.emit(Inst::kIdVpxor, zeros, zeros, zeros);
    cc_.emit(plan_.widest == 8 ? Inst::kIdVpmovzxbq : Inst::kIdVpmovzxbd, d, from);
    cc_.emit(plan_.widest == 8 ? Inst::kIdVpsubq : Inst::kIdVpsubd, d, zeros, d);
    return d;
  }
  x86::Xmm bytes = cc_.newXmm();
  if (masked_) {
    from.setSize(16);
    cc_.k(active_).z().vmovdqu8(bytes, from);
  } else if (plan_.lanes == 16) {
    cc_.vmovdqu8(bytes, from);
  } else {
    cc_.vmovq(bytes, from);
  }
  cc_.vptestmb(d.as<x86::KReg>(), bytes, bytes);
  return d;
}

// A uniform value in all lanes.
x86::Reg KernelEmitter::spread(uint32_t k) {
  const KernelInstruction& i = kernel_.code[k];
  if (i.dtype == Dtype::boolean)
    return spread_bool(i.kind == Kind::constant ? e_.constant(i.bits & 1, 1) : only_element(k));
  x86::Reg d = v_.make(i.dtype);
  const bool wide = size_of(i.dtype) == 8;
  if (i.kind == Kind::constant && i.bits == 0) {
    cc_.emit(e_.avx512() ? Inst::kIdVpxord : Inst::kIdVpxor, d, d, d);
    return d;
  }
  const x86::Mem from = i.kind == Kind::constant ? e_.constant(i.bits, size_of(i.dtype)) : only_element(k);
  cc_.emit(wide ? Inst::kIdVpbroadcastq : Inst::kIdVpbroadcastd, d, from);
  return d;
}

x86::Reg KernelEmitter::spread_bool(x86::Mem byte) {
  x86::Reg d = v_.make(Dtype::boolean);
  byte.setSize(1);
  x86::Gp bits = cc_.newInt32();
  cc_.movzx(bits, byte);
  cc_.neg(bits);
  if (e_.avx512()) {
    cc_.and_(bits, (1 << plan_.lanes) - 1);
    cc_.emit(Inst::kIdKmovw, d, bits);
  } else {
    x86::Xmm low = cc_.newXmm();
    cc_.vmovd(low, bits);
    cc_.emit(Inst::kIdVpbroadcastd, d, low);
  }
  return d;
}

}  // namespace covec::simd
