#include "jit/simd/vector/kernel_values.hpp"

namespace covec::simd {

using loops::KernelInstruction;
using Kind = KernelInstruction::Kind;

KernelValues::KernelValues(Emitter& emitter, const loops::Kernel& kernel, const KernelPlan& plan, KernelLoop& loop,
                           VectorRegisters& registers)
    : e_(emitter),
      cc_(emitter.cc),
      kernel_(kernel),
      plan_(plan),
      loop_(loop),
      v_(registers),
      memory_(emitter, registers),
      registers_(kernel.code.size() * static_cast<size_t>(plan.vectors)),
      has_register_(registers_.size(), false),
      only_places_(kernel.code.size()) {}

void KernelValues::forget(size_t from) {
  for (size_t g = from; g < given_.size(); ++g) has_register_[given_[g]] = false;
  given_.resize(from);
}

// An empty kernel reads nothing, but the uniform elements are there all the same.
void KernelValues::keep_uniform_values() {
  for (uint32_t k = 0; k < kernel_.code.size(); ++k) {
    if (!plan_.uniform[k] || plan_.uses[k] == 0) continue;
    if (plan_.kept[k]) {
      registers_[k] = spread(k);
      has_register_[k] = true;
    } else if (kernel_.code[k].kind == Kind::load) {
      const auto size = static_cast<uint32_t>(size_of(kernel_.code[k].dtype));
      x86::Gp element = size == 8 ? cc_.newInt64() : cc_.newInt32();
      if (size < 4)
        cc_.movzx(element, only_element(k));
      else
        cc_.mov(element, only_element(k));
      only_places_[k] = cc_.newStack(8, 8);
      only_places_[k].setSize(size);
      const x86::Gp byte = element.r8(), word = element.r16();
      cc_.mov(only_places_[k], size == 1 ? byte : size == 2 ? word : element);
    }
  }
}

void KernelValues::give(uint32_t k, x86::Reg reg) {
  registers_[place(k)] = reg;
  has_register_[place(k)] = true;
  given_.push_back(place(k));
}

x86::Reg KernelValues::value(uint32_t k) {
  if (!has_register_[place(k)]) give(k, plan_.uniform[k] ? spread(k) : load(k));
  return registers_[place(k)];
}

// Whether the value is not needed after instruction `at`, and its register is not one that outlives the body.
bool KernelValues::dies(uint32_t k, uint32_t at) const {
  const uint32_t root = plan_.root[k];
  return !plan_.kept[root] && plan_.last_use[root] == at;
}

x86::Reg KernelValues::own_copy(uint32_t k, uint32_t last) {
  const x86::Reg from = value(k);
  if (dies(k, last)) return from;
  x86::Reg copy = v_.make(kernel_.code[k].dtype);
  v_.move(copy, from, kernel_.code[k].dtype);
  return copy;
}

// Whether an instruction can take the value from where it lies.
bool KernelValues::in_memory(uint32_t k) const {
  const KernelInstruction& i = kernel_.code[k];
  if (has_register_[place(k)] || i.dtype == Dtype::boolean || is_narrow(i.dtype)) return false;
  if (plan_.uniform[k]) return e_.avx512() || i.kind == Kind::constant;
  return i.kind == Kind::load && plan_.uses[k] == 1 && !loop_.masked;
}

Operand_ KernelValues::operand(uint32_t k, bool may_be_memory) {
  const KernelInstruction& i = kernel_.code[k];
  if (!may_be_memory || !in_memory(k)) return value(k);
  if (i.kind == Kind::constant) return v_.splat(i.bits, i.dtype);
  if (plan_.uniform[k]) return v_.spread(only_element(k), i.dtype);
  x86::Mem from = element(loop_.inputs[i.index], i.dtype);
  from.setSize(v_.bytes(i.dtype));
  return from;
}

x86::Mem KernelValues::element(x86::Gp base, Dtype dtype) const {
  const size_t size = size_of(dtype);
  return x86::ptr(base, loop_.i, static_cast<uint32_t>(std::countr_zero(size)),
                  vector_ * plan_.lanes * static_cast<int>(size));
}

// Where a uniform value that is no constant lies.
x86::Mem KernelValues::only_element(uint32_t k) {
  const KernelInstruction& i = kernel_.code[k];
  const auto size = static_cast<uint32_t>(size_of(i.dtype));
  if (i.kind == Kind::number) return x86::ptr(loop_.numbers, 8 * static_cast<int>(i.index), size);
  if (only_places_[k].isMem() && only_places_[k].size() != 0) return only_places_[k];
  x86::Gp at = loop_.inputs[i.index];
  cc_.mov(at, x86::qword_ptr(loop_.input_array, 8 * static_cast<int>(i.index)));
  return x86::ptr(at, 0, size);
}

x86::Reg KernelValues::load(uint32_t k) {
  const Dtype dtype = kernel_.code[k].dtype;
  return memory_.load(element(loop_.inputs[kernel_.code[k].index], dtype), dtype,
                      loop_.masked ? &loop_.active : nullptr);
}

// A uniform value in all lanes.
x86::Reg KernelValues::spread(uint32_t k) {
  const KernelInstruction& i = kernel_.code[k];
  return i.kind == Kind::constant ? memory_.broadcast_constant(i.bits, i.dtype)
                                  : memory_.broadcast(only_element(k), i.dtype);
}

}  // namespace covec::simd
