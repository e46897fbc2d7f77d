// Prints the loop IR for people: one instruction on a line, blocks indented, registers by name. It cannot be read back.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <span>

#include "jit/loops/program.hpp"
#include "jit/loops/scalar_ops.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/half.hpp"

namespace covec::loops {

namespace {

template <class T>
T number_of(uint64_t bits) {
  T number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

std::string number_text(Dtype dtype, uint64_t bits) {
  char text[64];
  if (is_half(dtype)) {
    std::snprintf(text, sizeof text, "%.5g (0x%04" PRIx64 ")",
                  double{float_of_half(dtype, static_cast<uint16_t>(bits))}, bits & 0xffff);
    return text;
  }
  switch (compute_of(dtype)) {
    case Compute::boolean: return (bits & 1) != 0 ? "true" : "false";
    case Compute::i32: return std::to_string(number_of<int32_t>(bits));
    case Compute::i64: return std::to_string(number_of<int64_t>(bits));
    case Compute::f32:
      std::snprintf(text, sizeof text, "%.9g (0x%08" PRIx64 ")", double{number_of<float>(bits)}, bits & 0xffffffff);
      return text;
    case Compute::f64:
      std::snprintf(text, sizeof text, "%.17g (0x%016" PRIx64 ")", number_of<double>(bits), bits);
      return text;
  }
  return "?";
}

std::string dtype_text(Dtype dtype) { return std::string(name_of(dtype)); }

// --- kernels ---

std::string value_name(uint32_t value) { return "v" + std::to_string(value); }

std::string operands_text(const KernelInstruction& i, unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + value_name(i.operands[k]);
  return text;
}

std::string instruction_text(const Kernel& kernel, const KernelInstruction& i) {
  switch (i.kind) {
    case KernelInstruction::Kind::load: return "load input " + std::to_string(i.index);
    case KernelInstruction::Kind::number: return "number " + std::to_string(i.index);
    case KernelInstruction::Kind::constant: return "constant " + number_text(i.dtype, i.bits);
    case KernelInstruction::Kind::scalar: return std::string(name_of(i.op)) + " " + operands_text(i, i.arity);
    case KernelInstruction::Kind::rare: return "rare " + operands_text(i, 1);
    case KernelInstruction::Kind::end_rare: return "end_rare " + operands_text(i, 3);
    case KernelInstruction::Kind::rare_result: return "rare_result " + operands_text(i, 3);
    case KernelInstruction::Kind::outlined:
      return std::string("outlined ") + kernel.outlined[i.index].op->info.name + " " + operands_text(i, i.arity);
  }
  return "?";
}

std::string head_text(const Kernel& kernel) {
  std::string text = "kernel " + kernel.name + "\n";
  for (size_t k = 0; k < kernel.inputs.size(); ++k) {
    text += "  input " + std::to_string(k) + ": " + dtype_text(kernel.inputs[k].dtype);
    text += kernel.inputs[k].uniform ? ", uniform\n" : "\n";
  }
  for (size_t k = 0; k < kernel.numbers.size(); ++k) {
    text += "  number " + std::to_string(k) + ": " + dtype_text(kernel.numbers[k]) + "\n";
  }
  return text;
}

// --- the function ---

class CodePrinter {
 public:
  explicit CodePrinter(const Code& code) : code_(code) {}

  std::string text(const Routine& routine) {
    return "routine " + code_.name + listed(routine.parameters) + " gives " + name(routine.result) + "\n" + body();
  }
  std::string text() { return "code " + code_.name + "\n" + body(); }

 private:
  using Kind = Instruction::Kind;

  std::string body() {
    std::string text = "  registers:";
    for (Register r = 0; r < code_.registers.size(); ++r) {
      text += (r > 0 ? ", " : " ") + name(r) + " " + dtype_text(code_.registers[r]);
    }
    text += "\n";
    for (size_t k = 0; k < code_.instructions.size(); ++k) text += line(k, code_.instructions[k]);
    return text;
  }

  std::string name(Register r) const {
    const std::string number = "r" + std::to_string(r);
    if (r >= code_.register_names.size() || code_.register_names[r].empty()) return number;
    return code_.register_names[r] + "." + std::to_string(r);
  }
  std::string operands(const Instruction& i, unsigned count) const {
    std::string text;
    for (unsigned k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + name(i.operands[k]);
    return text;
  }

  std::string line(size_t number, const Instruction& i) {
    if (i.kind == Kind::else_ || i.kind == Kind::end_if || i.kind == Kind::end_loop) depth_ -= depth_ > 0;
    char head[32];
    std::snprintf(head, sizeof head, "%5zu  ", number);
    std::string text = head + std::string(2 * depth_, ' ') + instruction(i) + "\n";
    if (i.kind == Kind::if_ || i.kind == Kind::else_ || i.kind == Kind::loop) ++depth_;
    return text;
  }

  std::string listed(std::span<const Register> registers) const {
    std::string text = "[";
    for (size_t k = 0; k < registers.size(); ++k) text += (k > 0 ? ", " : "") + name(registers[k]);
    return text + "]";
  }
  std::string element_name(const Instruction& i) const {
    if (i.view == Instruction::no_view) return "slot" + std::to_string(i.slot) + listed(i.indices);
    const size_t leading = code_.views[i.view].leading.size();
    return "view" + std::to_string(i.view) + listed(std::span(i.indices).subspan(leading));
  }
  std::string look_up(const Instruction& i) const {
    const View& view = code_.views[i.view];
    const std::string to = "view" + std::to_string(i.view) + " = ";
    if (view.parent == Instruction::no_view) return to + "slot" + std::to_string(view.slot);
    return to + "view" + std::to_string(view.parent) + listed(view.leading);
  }
  std::string otherwise(const Instruction& i) const {
    std::string text = ", else ";
    for (const Instruction::Saved& saved : i.saves)
      text += "slot" + std::to_string(saved.slot) + " = " + name(saved.number) + ", ";
    return text + "step " + std::to_string(i.index);
  }
  std::string instruction(const Instruction& i) const {
    const std::string to = name(i.to) + " = ", slot = std::to_string(i.slot), step = std::to_string(i.index);
    switch (i.kind) {
      case Kind::constant: return to + number_text(dtype_of(i.to), i.bits);
      case Kind::move: return to + operands(i, 1);
      case Kind::scalar: return to + std::string(name_of(i.op)) + " " + operands(i, i.arity);
      case Kind::if_: return (i.cold ? "if, cold, " : "if ") + operands(i, 1);
      case Kind::else_: return "else";
      case Kind::end_if: return "end_if";
      case Kind::loop: return "loop";
      case Kind::end_loop: return "end_loop";
      case Kind::break_if: return "break_if " + operands(i, 1);
      case Kind::break_unless: return "break_unless " + operands(i, 1);
      case Kind::poll: return "poll " + step;
      case Kind::leave: return i.indices.empty() ? "leave" : "leave " + name(i.indices[0]);
      case Kind::call: return to + "routine" + listed(i.indices);
      case Kind::fail: return "fail";
      case Kind::load: return to + "slot" + slot;
      case Kind::store: return "slot" + slot + " = " + operands(i, 1);
      case Kind::step: return "step " + step;
      case Kind::list_item:
      case Kind::element: return to + element_name(i) + otherwise(i);
      case Kind::list_set:
      case Kind::set_element: return element_name(i) + " = " + operands(i, 1) + otherwise(i);
      case Kind::view: return look_up(i);
      case Kind::push: return "push stack" + slot + ", " + operands(i, 1) + ", no room: step " + step;
      case Kind::extent: return to + "extent " + step + " of slot" + slot;
      case Kind::pop: return to + "pop stack" + slot;
      case Kind::list_length: return to + "length of slot" + slot;
      case Kind::list_push: return "push slot" + slot + ", " + operands(i, 1) + ", no room: step " + step;
      case Kind::part: return "part " + step;
    }
    return "?";
  }
  Dtype dtype_of(Register r) const { return r < code_.registers.size() ? code_.registers[r] : Dtype::i64; }

  const Code& code_;
  size_t depth_ = 0;
};

}  // namespace

std::string print(const Kernel& kernel) {
  std::string text = head_text(kernel);
  size_t depth = 1;
  for (size_t k = 0; k < kernel.code.size(); ++k) {
    const KernelInstruction& i = kernel.code[k];
    if (i.kind == KernelInstruction::Kind::end_rare && depth > 1) --depth;
    text += std::string(2 * depth, ' ');
    if (i.kind != KernelInstruction::Kind::rare) {
      text += value_name(static_cast<uint32_t>(k)) + ": " + dtype_text(i.dtype) + " = ";
    }
    text += instruction_text(kernel, i) + "\n";
    if (i.kind == KernelInstruction::Kind::rare) ++depth;
  }
  for (size_t k = 0; k < kernel.outputs.size(); ++k) {
    text += "  output " + std::to_string(k) + ": " + dtype_text(kernel.outputs[k].dtype) + " = ";
    text += value_name(kernel.outputs[k].value) + "\n";
  }
  if (kernel.fails != Kernel::never) text += "  fails: " + value_name(kernel.fails) + "\n";
  return text;
}

std::string print(const Program& program) {
  std::string text = CodePrinter(program.code).text();
  if (program.routine) text += "\n" + CodePrinter(program.routine->code).text(*program.routine);
  for (const Kernel& kernel : program.kernels) text += "\n" + print(kernel);
  return text;
}

}  // namespace covec::loops
