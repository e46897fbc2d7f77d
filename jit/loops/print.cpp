// Prints the loop IR for people: one instruction on a line, blocks indented, registers by name. It cannot be read back.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <span>

#include "jit/loops/program.hpp"
#include "jit/loops/scalar_ops.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/match.hpp"

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
  explicit CodePrinter(const LaneLoop& lanes) : code_(lanes.code), lanes_(&lanes) {}

  std::string text(const Routine& routine) {
    return "routine " + code_.name + listed(routine.parameters) + " gives " + name(routine.result) + "\n" + body();
  }
  std::string text() { return "code " + code_.name + "\n" + body(); }
  std::string text_of_lanes() {
    return "lanes of " + code_.name + ", iteration " + name(lanes_->iteration) + "\n" + body();
  }

 private:
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
  std::string line(size_t number, const Instruction& i) {
    if (is<instruction::Else, instruction::EndIf, instruction::EndLoop>(i)) depth_ -= depth_ > 0;
    char head[32];
    std::snprintf(head, sizeof head, "%5zu  ", number);
    std::string text = head + std::string(2 * depth_, ' ') + instruction_text(i) + "\n";
    if (is<instruction::If, instruction::Else, instruction::Loop>(i)) ++depth_;
    return text;
  }

  std::string listed(std::span<const Register> registers) const {
    std::string text = "[";
    for (size_t k = 0; k < registers.size(); ++k) text += (k > 0 ? ", " : "") + name(registers[k]);
    return text + "]";
  }
  std::string element_name(const instruction::ElementPlace& i) const {
    if (i.array != no_array) return array_name(i.array) + listed(i.indices);
    if (i.view == no_view) return slot_name(i.slot) + listed(i.indices);
    const size_t leading = code_.views[i.view].leading.size();
    return "view" + std::to_string(i.view) + listed(std::span(i.indices).subspan(leading));
  }
  std::string otherwise(const instruction::ElementPlace& i) const { return ", else " + step_with(i.saves, i.step); }
  std::string step_with(std::span<const instruction::Saved> saves, uint32_t step) const {
    std::string text;
    for (const instruction::Saved& saved : saves) text += slot_name(saved.slot) + " = " + name(saved.number) + ", ";
    return text + step_name(step);
  }
  static std::string slot_name(SlotId slot) { return "slot" + std::to_string(slot); }
  static std::string stack_name(uint32_t stack) { return "stack" + std::to_string(stack); }
  static std::string array_name(uint32_t array) { return "array" + std::to_string(array); }
  static std::string step_name(uint32_t step) { return "step " + std::to_string(step); }
  std::string set(Register to) const { return name(to) + " = "; }

  std::string instruction_text(const Instruction& any) const {
    return match<std::string>(
        any, [&](const instruction::Constant& i) { return set(i.to) + number_text(dtype_of(i.to), i.bits); },
        [&](const instruction::Move& i) { return set(i.to) + name(i.from); },
        [&](const instruction::If& i) { return (i.cold ? "if, cold, " : "if ") + name(i.condition); },
        [&](const instruction::Else&) { return "else"; }, [&](const instruction::EndIf&) { return "end_if"; },
        [&](const instruction::Loop&) { return "loop"; }, [&](const instruction::EndLoop&) { return "end_loop"; },
        [&](const instruction::BreakIf& i) { return "break_if " + name(i.condition); },
        [&](const instruction::BreakUnless& i) { return "break_unless " + name(i.condition); },
        [&](const instruction::Poll& i) { return "poll " + std::to_string(i.step); },
        [&](const instruction::Leave& i) { return i.result ? "leave " + name(*i.result) : "leave"; },
        [&](const instruction::CallRoutine& i) { return set(i.to) + "routine" + listed(i.arguments); },
        [&](const instruction::Fail&) { return "fail"; },
        [&](const instruction::Load& i) { return set(i.to) + slot_name(i.slot); },
        [&](const instruction::Store& i) { return slot_name(i.slot) + " = " + name(i.from); },
        [&](const instruction::CallStep& i) { return step_name(i.step); },
        [&](const instruction::Extent& i) {
          return set(i.to) + "extent " + std::to_string(i.axis) + " of " +
                 (i.array != no_array ? array_name(i.array) : slot_name(i.slot));
        },
        [&](const instruction::Element& i) { return set(i.to) + element_name(i) + otherwise(i); },
        [&](const instruction::SetElement& i) { return element_name(i) + " = " + name(i.from) + otherwise(i); },
        [&](const instruction::PushNumber& i) {
          return "push " + stack_name(i.stack) + ", " + name(i.from) + ", no room: " + step_name(i.step);
        },
        [&](const instruction::PopNumber& i) { return set(i.to) + "pop " + stack_name(i.stack); },
        [&](const instruction::ListLength& i) { return set(i.to) + "length of " + slot_name(i.slot); },
        [&](const instruction::ListItem& i) {
          return set(i.to) + item_name(i.slot, i.index) + ", else " + step_name(i.step);
        },
        [&](const instruction::ListSet& i) {
          return item_name(i.slot, i.index) + " = " + name(i.from) + ", else " + step_name(i.step);
        },
        [&](const instruction::ListPush& i) {
          return "push " + slot_name(i.slot) + ", " + name(i.from) + ", no room: " + step_name(i.step);
        },
        [&](const instruction::Draw& i) {
          return set(i.to) + (i.takes ? "draw " : "look at draw ") + std::to_string(i.buffer) +
                 (i.key ? " of " + name(*i.key) : "") + ", none: " + step_with(i.saves, i.step);
        },
        [&](const instruction::NextCall& i) { return set(i.to) + "next call"; },
        [&](const instruction::SetNextCall& i) { return "next call = " + name(i.from); },
        [&](const instruction::CallPart& i) { return "part " + std::to_string(i.part); },
        [&](const instruction::ArrayStep& i) { return told(lanes_->steps[i.step], i.arguments); },
        [&](const auto& each) { return told(each); });
  }
  std::string told(const instruction::Scalar& i) const {
    std::string text = set(i.to) + std::string(name_of(i.op)) + " ";
    for (unsigned k = 0; k < i.arity; ++k) text += (k > 0 ? ", " : "") + name(i.operands[k]);
    return text;
  }
  std::string told(const instruction::LookUp& i) const {
    const View& view = code_.views[i.view];
    const std::string to = "view" + std::to_string(i.view) + " = ";
    if (view.parent == no_view) return to + slot_name(view.slot);
    return to + "view" + std::to_string(view.parent) + listed(view.leading);
  }
  std::string told(const LaneStep& step, std::span<const Register> arguments) const {
    std::string numbers;
    size_t argument = 0;
    for (const LaneStep::Number& number : step.numbers) {
      const bool fills = step.kind == LaneStep::Kind::fill && numbers.empty();
      numbers += numbers.empty() ? "" : ", ";
      switch (number.kind) {
        case LaneStep::Number::Kind::argument: numbers += name(arguments[argument++]); break;
        case LaneStep::Number::Kind::slot: numbers += slot_name(static_cast<SlotId>(number.bits)); break;
        case LaneStep::Number::Kind::constant:
          numbers += number_text(fills ? step.dtype : Dtype::i64, number.bits);
          break;
      }
    }
    const std::string to = array_name(step.to), from = array_name(step.from),
                      as = numbers.empty() ? "" : " as " + numbers;
    switch (step.kind) {
      case LaneStep::Kind::fill: return to + " = filled with " + numbers;
      case LaneStep::Kind::take: return to + " = " + slot_name(step.from) + "[" + numbers + "]";
      case LaneStep::Kind::copy: return to + " = " + from + as;
      case LaneStep::Kind::expect: return "expect " + from + as;
      case LaneStep::Kind::swap: return "swap " + to + ", " + from;
      case LaneStep::Kind::put: return slot_name(step.to) + "[" + name(lanes_->iteration) + "] = " + from;
      case LaneStep::Kind::launch: break;
    }
    std::string text = "launch " + std::to_string(step.from) + " over";
    for (const uint32_t array : step.arrays) text += " " + array_name(array);
    return text + (numbers.empty() ? "" : ", " + numbers);
  }
  std::string item_name(SlotId slot, Register index) const { return slot_name(slot) + "[" + name(index) + "]"; }
  Dtype dtype_of(Register r) const { return r < code_.registers.size() ? code_.registers[r] : Dtype::i64; }

  const Code& code_;
  const LaneLoop* lanes_ = nullptr;
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
  for (const LaneLoop& loop : program.lane_loops) text += "\n" + CodePrinter(loop).text_of_lanes();
  for (const Kernel& kernel : program.kernels) text += "\n" + print(kernel);
  return text;
}

}  // namespace covec::loops
