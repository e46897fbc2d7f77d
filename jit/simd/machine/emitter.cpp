// Emits the table in front of the code, and calls of eager kernels inside a loop.
#include "jit/simd/machine/emitter.hpp"

#include <algorithm>
#include <iterator>

#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::simd {

uint32_t Emitter::outlined(const loops::Kernel::Outlined& outlined) {
  const kernels::PointwiseKernel kernel = outlined.op->kernel(isa_, outlined.dtype);
  const auto found = std::find(outlined_.begin(), outlined_.end(), kernel);
  const auto number = static_cast<uint32_t>(found - outlined_.begin());
  if (found == outlined_.end()) outlined_.push_back(kernel);
  return number;
}

std::vector<const void*> Emitter::table(size_t words) const {
  std::vector<const void*> table;
  std::ranges::copy(helper_table(), std::back_inserter(table));
  for (const kernels::PointwiseKernel kernel : outlined_) table.push_back(reinterpret_cast<const void*>(kernel));
  table.resize(words);
  return table;
}

namespace {

// The registers that a called function may change, but for vectors.
constexpr x86::Gp words[] = {x86::rax, x86::rcx, x86::rdx, x86::rsi, x86::rdi, x86::r8, x86::r9, x86::r10, x86::r11};
constexpr int32_t words_at = 64 * 32 + 64;        // behind vectors and masks
constexpr int32_t largest_area = words_at + 128;  // bytes: nine words take 72, and the stack is aligned to 64

}  // namespace

void Emitter::enter(int32_t bytes) {
  cc.emit(Inst::kIdPush, x86::rbp);
  cc.emit(Inst::kIdMov, x86::rbp, x86::rsp);
  cc.emit(Inst::kIdAnd, x86::rsp, imm(-64));
  cc.emit(Inst::kIdSub, x86::rsp, imm(bytes));
}

void Emitter::leave() {
  cc.emit(Inst::kIdMov, x86::rsp, x86::rbp);
  cc.emit(Inst::kIdPop, x86::rbp);
  cc.emit(Inst::kIdRet);
}

void Emitter::keep(bool save, InstId id, const x86::Reg& reg, int32_t at) {
  const x86::Mem place = x86::ptr(x86::rsp, at);
  if (save)
    cc.emit(id, place, reg);
  else
    cc.emit(id, reg, place);
}

void Emitter::keep_all(bool save) {
  for (uint32_t k = 0; k < (avx512() ? 32 : 16); ++k) {
    const auto at = static_cast<int32_t>(64 * k);
    if (avx512())
      keep(save, Inst::kIdVmovups, x86::zmm(k), at);
    else
      keep(save, Inst::kIdVmovups, x86::ymm(k), at);
  }
  for (uint32_t k = 0; k < 8 && avx512(); ++k)
    keep(save, Inst::kIdKmovq, x86::k(k), 64 * 32 + static_cast<int32_t>(8 * k));
  for (size_t k = 0; k < std::size(words); ++k)
    keep(save, Inst::kIdMov, words[k], words_at + static_cast<int32_t>(8 * k));
}

void Emitter::check(Helper helper, const Operand_& whose, const Operand_& place, const Operand_& extent) {
  if (!checked_) return;
  asmjit::InvokeNode* node = nullptr;
  cc.invoke(&node, this->helper(helper), asmjit::FuncSignatureT<void, const void*, int64_t, int64_t>());
  if (node == nullptr) return;
  const Operand_ operands[] = {whose, place, extent};
  for (size_t k = 0; k < 3; ++k) {
    if (operands[k].isImm())
      node->setArg(k, operands[k].as<asmjit::Imm>());
    else
      node->setArg(k, operands[k].as<asmjit::BaseReg>());
  }
}

void Emitter::emit_outlined_call() {
  if (outlined_.empty()) return;
  cc.bind(outlined_call_);
  enter(largest_area);
  keep_all(true);
  cc.emit(Inst::kIdLea, x86::rdi, x86::ptr(x86::rbp, 16));
  cc.emit(Inst::kIdLea, x86::rsi, x86::ptr(table_, 8 * static_cast<int32_t>(helper_count)));
  cc.emit(Inst::kIdCall, helper(Helper::call_outlined));
  keep_all(false);
  leave();
}

// A function has one number in a vector register.
void Emitter::keep_numbers(bool save) {
  for (uint32_t k = 0; k < 16; ++k) keep(save, Inst::kIdVmovsd, x86::xmm(k), static_cast<int32_t>(8 * k));
  for (size_t k = 0; k < std::size(words); ++k) keep(save, Inst::kIdMov, words[k], 128 + static_cast<int32_t>(8 * k));
}

void Emitter::emit_cold_call() {
  if (!calls_cold_) return;
  const auto area = [](size_t offset, uint32_t size) {
    return x86::ptr(x86::rbp, static_cast<int32_t>(16 + offset), size);
  };
  cc.bind(cold_call_);
  enter(256);
  keep_numbers(true);
  cc.emit(Inst::kIdMov, x86::rdi, area(offsetof(ColdCall, activation), 8));
  cc.emit(Inst::kIdMov, x86::esi, area(offsetof(ColdCall, index), 4));
  cc.emit(Inst::kIdMov, x86::rax, area(offsetof(ColdCall, member), 8));
  cc.emit(Inst::kIdCall, x86::qword_ptr(x86::rdi, x86::rax));
  cc.emit(Inst::kIdMov, area(offsetof(ColdCall, status), 4), x86::eax);
  keep_numbers(false);
  leave();
}

}  // namespace covec::simd
