#include "jit/simd/vector/kernel_body.hpp"

#include <utility>

namespace covec::simd {

using loops::Kernel;
using loops::KernelInstruction;
using ops::ScalarOp;
using Kind = KernelInstruction::Kind;

template <class F>
void KernelBody::each_vector(F emit) {
  for (int vector = first_vector_; vector < last_vector_; ++vector) {
    values_.select(vector);
    emit();
  }
  values_.select(first_vector_);
}

void KernelBody::emit(int vectors) {
  values_.forget(0);
  values_.select(0);
  first_vector_ = 0;
  last_vector_ = vectors;
  check_lanes();
  range(0, static_cast<uint32_t>(kernel_.code.size()));
  if (kernel_.fails != Kernel::never) each_vector([&] { check_failures(); });
  store_outputs();
}

// All lanes that the body will touch. The bounce buffers of AVX2 have room for a vector, and hold what is there.
void KernelBody::check_lanes() {
  if (!e_.checked()) return;
  x86::Gp lanes = cc_.newInt64(), extent = cc_.newInt64();
  cc_.mov(lanes, last_vector_ * plan_.lanes);
  cc_.mov(extent, loop_.n);
  if (loop_.masked) {
    cc_.kmovw(lanes.r32(), loop_.active);
    cc_.popcnt(lanes.r32(), lanes.r32());
  } else if (loop_.tail.isValid()) {
    cc_.test(loop_.tail, loop_.tail);
    cc_.cmovnz(extent, lanes);
  }
  e_.check(Helper::check_lanes, lanes, loop_.i, extent);
}

void KernelBody::range(uint32_t begin, uint32_t end) {
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

void KernelBody::scalar(uint32_t k) {
  KernelInstruction i = kernel_.code[k];
  const auto commutes = [&] {
    using enum ScalarOp;
    return i.op == add || i.op == mul || i.op == bit_and || i.op == bit_or || i.op == bit_xor || i.op == eq ||
           i.op == ne;
  };
  if (i.arity == 2 && commutes() && values_.in_memory(i.operands[0]) && !values_.in_memory(i.operands[1]))
    std::swap(i.operands[0], i.operands[1]);
  const uint32_t last = i.operands[i.arity - 1];
  VectorRequest request{i.op, i.dtype, kernel_.code[last].dtype, {}, {}, {}};
  if (kernel_.code[last].kind == Kind::constant && i.arity > 1) request.constant = kernel_.code[last].bits;
  request.selects_zero = i.op == ScalarOp::select && kernel_.code[i.operands[1]].kind == Kind::constant &&
                         kernel_.code[i.operands[1]].bits == 0;
  for (unsigned operand = 0; operand + 1 < i.arity; ++operand) {
    if (operand == 1 && ops_.keeps_or_clears(request)) continue;
    request.operands[operand] = values_.value(i.operands[operand]);
  }
  if (!ops_.knows_constant(request)) request.operands[i.arity - 1] = values_.operand(last, ops_.may_be_memory(request));
  for (unsigned operand = 0; operand < i.arity; ++operand) request.dies[operand] = values_.dies(i.operands[operand], k);
  values_.give(k, ops_.apply(request));
}

// The results' registers hold the usual values; where a lane needs the others, they are put in, out of the way.
void KernelBody::rare(uint32_t k) {
  const uint32_t end = plan_.end_of[k];
  const x86::Reg condition = values_.value(kernel_.code[end].operands[0]);
  std::vector<x86::Reg> results;
  for (uint32_t at = end; at == end || is_further_result(at); ++at)
    results.push_back(values_.own_copy(kernel_.code[at].operands[2], at));
  Label slow = cc_.newLabel(), back = cc_.newLabel();
  test_any(condition);
  cc_.jnz(slow);
  cc_.bind(back);
  e_.out_of_line([&] {
    cc_.bind(slow);
    const size_t before = values_.mark();
    const int first = std::exchange(first_vector_, values_.vector()),
              last = std::exchange(last_vector_, values_.vector() + 1);
    range(k + 1, end);
    first_vector_ = first;
    last_vector_ = last;
    for (uint32_t r = 0; r < results.size(); ++r) values_.value(kernel_.code[end + r].operands[1]);
    for (uint32_t r = 0; r < results.size(); ++r) {
      const KernelInstruction& closing = kernel_.code[end + r];
      v_.blend_into(results[r], condition, values_.value(closing.operands[1]), closing.dtype);
    }
    values_.forget(before);
    cc_.jmp(back);
  });
  for (uint32_t r = 0; r < results.size(); ++r) values_.give(end + r, results[r]);
}

bool KernelBody::is_further_result(uint32_t k) const {
  return k < kernel_.code.size() && kernel_.code[k].kind == Kind::rare_result;
}

// As rare(); what is put in comes from the operator's eager kernel, which is given the operands of all lanes.
void KernelBody::outlined(uint32_t k) {
  const KernelInstruction& i = kernel_.code[k];
  const x86::Reg condition = values_.value(i.operands[0]);
  const x86::Reg result = values_.own_copy(i.operands[1], k);
  Label slow = cc_.newLabel(), back = cc_.newLabel();
  test_any(condition);
  cc_.jnz(slow);
  cc_.bind(back);
  e_.out_of_line([&] {
    cc_.bind(slow);
    const size_t before = values_.mark();
    for (unsigned operand = 2; operand < i.arity; ++operand) {
      const x86::Reg from = values_.value(i.operands[operand]);
      v_.move(outlined_area(offsetof(OutlinedCall, operands) + 64 * (operand - 2), v_.bytes(i.dtype)), from, i.dtype);
    }
    const Kernel::Outlined& outlined = kernel_.outlined[i.index];
    const uint32_t entry = e_.outlined(outlined);
    cc_.mov(outlined_area(offsetof(OutlinedCall, entry), 4), entry);
    cc_.mov(outlined_area(offsetof(OutlinedCall, lanes), 4), plan_.lanes);
    cc_.mov(outlined_area(offsetof(OutlinedCall, parameter), 8), static_cast<int32_t>(outlined.parameter));
    cc_.emit(Inst::kIdCall, e_.outlined_call());
    v_.move(result, outlined_area(offsetof(OutlinedCall, result), v_.bytes(i.dtype)), i.dtype);
    values_.forget(before);
    cc_.jmp(back);
  });
  values_.give(k, result);
}

// At the bottom of the frame, where a called function finds it right above the return address.
x86::Mem KernelBody::outlined_area(size_t offset, unsigned bytes) const {
  return x86::ptr(x86::rsp, static_cast<int32_t>(offset), bytes);
}

// Sets the zero flag where no lane that is there holds.
void KernelBody::test_any(x86::Reg condition) {
  if (!e_.avx512()) {
    cc_.emit(Inst::kIdVptest, condition, condition);
  } else if (loop_.masked) {
    cc_.emit(v_.mask_instruction(Inst::kIdKtestb, Inst::kIdKtestw), condition, loop_.active);
  } else {
    cc_.emit(v_.mask_instruction(Inst::kIdKortestb, Inst::kIdKortestw), condition, condition);
  }
}

void KernelBody::check_failures() {
  const x86::Reg failed = values_.value(kernel_.fails);
  x86::Gp lanes = cc_.newInt32();
  if (e_.avx512()) {  // copied first: of a mask that has been spilled, asmjit makes an instruction that there is not
    x86::KReg there = cc_.newKw();
    if (loop_.masked)
      cc_.kandw(there, failed.as<x86::KReg>(), loop_.active);
    else
      cc_.kmovw(there, failed.as<x86::KReg>());
    cc_.kmovw(lanes, there);
    cc_.test(lanes, lanes);
  } else {
    cc_.emit(plan_.widest == 8 ? Inst::kIdVmovmskpd : Inst::kIdVmovmskps, lanes, failed);
    cc_.and_(lanes, loop_.active_lanes);
  }
  Label leave = cc_.newLabel();
  cc_.jnz(leave);
  e_.out_of_line([&] {
    cc_.bind(leave);
    x86::Gp index = cc_.newInt64();
    cc_.tzcnt(index.r32(), lanes);
    cc_.lea(index, x86::ptr(index, loop_.i, 0, values_.vector() * plan_.lanes));
    if (!e_.avx512()) cc_.add(index, loop_.base);
    cc_.ret(index);
  });
}

// --- stores ---

// All values first: an output may be the same array as an input that is only copied.
void KernelBody::store_outputs() {
  each_vector([&] {
    for (const Kernel::Output& output : kernel_.outputs) values_.value(output.value);
  });
  each_vector([&] {
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const Dtype dtype = kernel_.outputs[k].dtype;
      memory_.store(values_.element(loop_.outputs[k], dtype), values_.value(kernel_.outputs[k].value), dtype,
                    loop_.masked ? &loop_.active : nullptr);
    }
  });
}

}  // namespace covec::simd
