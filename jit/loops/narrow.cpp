// Moves conversions of numbers out of kernels. A written 0.5 is f64; if the array is f32, the number is converted
// before the launch. The widest element decides how many elements a vector holds, so one f64 would halve that for all.
// Instructions that become unused are removed.
#include "jit/loops/narrow.hpp"

#include <cstring>

#include "stdlib/ops/contract/attributes.hpp"

namespace covec::loops {

namespace {

using Kind = KernelInstruction::Kind;

bool converts(const Kernel& kernel, const KernelInstruction& i, Kind from) {
  if (i.kind != Kind::scalar || i.op != ops::ScalarOp::convert || kernel.code[i.operands[0]].kind != from) return false;
  const bool is_shorter = i.dtype != Dtype::boolean && size_of(i.dtype) < size_of(kernel.code[i.operands[0]].dtype);
  return is_float(i.dtype) || is_shorter;
}

void make_constant(KernelInstruction& i, const KernelInstruction& from) {
  const Value number = ops::converted_number(Value::scalar(from.dtype, &from.bits), i.dtype);
  const Dtype dtype = i.dtype;
  i = KernelInstruction{};
  i.kind = Kind::constant;
  i.dtype = dtype;
  std::memcpy(&i.bits, number.scalar_data(), size_of(dtype));
}

void make_number(Kernel& kernel, Launch& launch, KernelInstruction& i) {
  const uint32_t from = kernel.code[i.operands[0]].index;
  const Dtype dtype = i.dtype;
  i = KernelInstruction{};
  i.kind = Kind::number;
  i.dtype = dtype;
  i.index = static_cast<uint32_t>(kernel.numbers.size());
  kernel.numbers.push_back(dtype);
  launch.numbers.push_back(launch.numbers[from]);
}

// Constants and numbers that nothing reads become a bool, which needs no room.
void drop_unused(Kernel& kernel) {
  std::vector<bool> used(kernel.code.size(), false);
  for (const KernelInstruction& i : kernel.code) {
    if (i.kind == Kind::load || i.kind == Kind::number || i.kind == Kind::constant) continue;
    for (unsigned k = 0; k < operands_of(i); ++k) used[i.operands[k]] = true;
  }
  for (const Kernel::Output& output : kernel.outputs) used[output.value] = true;
  if (kernel.fails != Kernel::never) used[kernel.fails] = true;
  for (size_t i = 0; i < used.size(); ++i) {
    KernelInstruction& instruction = kernel.code[i];
    if (used[i] || (instruction.kind != Kind::constant && instruction.kind != Kind::number)) continue;
    instruction = KernelInstruction{};
    instruction.kind = Kind::constant;
    instruction.dtype = Dtype::boolean;
  }
}

}  // namespace

void take_converted_numbers(Kernel& kernel, Launch& launch) {
  const size_t own = kernel.numbers.size();  // later ones are converted already: what converts them again stays
  bool any = false;
  for (KernelInstruction& i : kernel.code) {
    if (converts(kernel, i, Kind::constant)) {
      make_constant(i, kernel.code[i.operands[0]]);
    } else if (converts(kernel, i, Kind::number) && kernel.code[i.operands[0]].index < own &&
               !kernel.stays(kernel.code[i.operands[0]].index)) {
      make_number(kernel, launch, i);
    } else {
      continue;
    }
    any = true;
  }
  if (any) drop_unused(kernel);
}

}  // namespace covec::loops
