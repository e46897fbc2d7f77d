// Allocates a kernel's registers. Values that are alive in the loop come first. Uniform values get the remaining
// registers, the most used first; the others are read from memory at each use.
#include "jit/simd/vector/kernel_plan.hpp"

#include <algorithm>

#include "stdlib/value/half.hpp"

namespace covec::simd {

using loops::Kernel;
using loops::KernelInstruction;
using Kind = KernelInstruction::Kind;

namespace {

constexpr size_t registers_between = 3;      // for what is computed within one operation
constexpr size_t longest_side_by_side = 70;  // operations: longer code is compiled once only

bool keeps_register(const KernelInstruction& i, const Kernel& kernel) {
  if (i.kind != Kind::scalar) return false;
  return i.op == ops::ScalarOp::bitcast ||
         (i.op == ops::ScalarOp::convert &&
          (kernel.code[i.operands[0]].dtype == i.dtype || is_narrow(kernel.code[i.operands[0]].dtype)));
}

bool is_call(const KernelInstruction& i) {
  using enum ops::ScalarOp;
  return i.kind == Kind::scalar && (i.op == integer_power || i.op == common_divisor);
}

}  // namespace

KernelPlan::KernelPlan(const Kernel& kernel, bool avx512) {
  const size_t size = kernel.code.size();
  uses.assign(size, 0);
  last_use.assign(size, 0);
  root.resize(size);
  uniform.assign(size, false);
  kept.assign(size, false);
  end_of.assign(size, 0);
  std::vector<uint32_t> open;
  for (uint32_t k = 0; k < size; ++k) {
    const KernelInstruction& i = kernel.code[k];
    root[k] = keeps_register(i, kernel) ? root[i.operands[0]] : k;
    uniform[k] =
        i.kind == Kind::number || i.kind == Kind::constant || (i.kind == Kind::load && kernel.inputs[i.index].uniform);
    operations += i.kind == Kind::scalar;
    calls = calls || is_call(i);
    if (i.kind == Kind::rare) {
      open.push_back(k);
    } else if (i.dtype != Dtype::boolean) {
      widest = std::max(widest, static_cast<int>(size_of(computing_dtype(i.dtype))));
    }
    if (i.kind == Kind::end_rare) {
      end_of[open.back()] = k;
      open.pop_back();
    }
  }
  lanes = (avx512 ? 64 : 32) / widest;
  count_uses(kernel);
  keep(kernel, avx512);
}

void KernelPlan::use(uint32_t value, uint32_t at) {
  ++uses[value];
  last_use[value] = std::max(last_use[value], at);
  last_use[root[value]] = std::max(last_use[root[value]], at);
}

void KernelPlan::count_uses(const Kernel& kernel) {
  const auto size = static_cast<uint32_t>(kernel.code.size());
  for (uint32_t k = 0; k < size; ++k) {
    const KernelInstruction& i = kernel.code[k];
    for (unsigned operand = 0; operand < operands_of(i); ++operand) use(i.operands[operand], k);
    outlines = outlines || i.kind == Kind::outlined;
  }
  for (const Kernel::Output& output : kernel.outputs) use(output.value, size);
  if (kernel.fails != Kernel::never) use(kernel.fails, size);
}

// An estimate: as if each value were alive from where it is made to its last use.
unsigned KernelPlan::max_alive(const Kernel& kernel, bool avx512) const {
  std::vector<int> change(kernel.code.size() + 2, 0);
  for (uint32_t k = 0; k < kernel.code.size(); ++k) {
    const KernelInstruction& i = kernel.code[k];
    if (i.kind == Kind::rare || uniform[k] || root[k] != k || uses[k] == 0) continue;
    if (avx512 && i.dtype == Dtype::boolean) continue;
    ++change[k];
    --change[last_use[k] + 1];
  }
  int alive = 0, most = 0;
  for (int c : change) most = std::max(most, alive += c);
  return static_cast<unsigned>(most);
}

void KernelPlan::keep(const Kernel& kernel, bool avx512) {
  std::vector<uint32_t> candidates;
  for (uint32_t k = 0; k < kernel.code.size(); ++k) {
    if (!uniform[k] || uses[k] == 0) continue;
    if (kernel.code[k].dtype == Dtype::boolean)
      kept[k] = true;
    else
      candidates.push_back(k);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](uint32_t a, uint32_t b) { return uses[a] > uses[b]; });
  const size_t registers = (avx512 ? 32 : 16) - registers_between, alive = max_alive(kernel, avx512);
  const size_t uniform_ones = std::min<size_t>(candidates.size(), 6);
  if (!calls && operations <= longest_side_by_side && 2 * alive + uniform_ones <= registers)
    vectors = operations <= 4 && 4 * alive + uniform_ones <= registers ? 4 : 2;
  const size_t wanted = static_cast<size_t>(vectors) * alive;
  const size_t room = registers > wanted ? registers - wanted : 0;
  for (size_t k = 0; k < std::min(room, candidates.size()); ++k) kept[candidates[k]] = true;
}

}  // namespace covec::simd
