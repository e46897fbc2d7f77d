#include "jit/emit/frame.hpp"

#include <algorithm>
#include <stdexcept>

#include "jit/emit/library.hpp"
#include "jit/loops/build_code.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::emit {

using loops::Operand;
using loops::SlotId;
using loops::Step;

Frame::Frame(const loops::Plan& given, const Shapes& types, File& to, std::span<const Port> inputs,
             std::span<const Port> outputs)
    : plan(given),
      shapes(types),
      file(to),
      types_(find_types(given, types)),
      inputs_(inputs),
      outputs_(outputs),
      placement_(given, types_, inputs, outputs),
      stacks_(given, Counts(given, types_), [this](const Operand& operand) { return argument(operand).type; }) {}

Size Frame::take(const Size& bytes) {
  Size at = aligned_work_;
  aligned_work_ += Size::blocks(bytes);
  return at;
}

std::string Frame::declare(const std::string& type, const std::string& name, const Size& at) const {
  return "  " + type + "* " + name + " = (" + type + "*)(void*)((char*)work + " + at.text() + ");\n";
}

std::string Frame::declarations(const std::string& lines) {
  std::string text, copies;
  const auto is_named = [&](SlotId slot) { return names_word(lines, pointer(slot)); };
  const auto own = [&](SlotId slot) {
    return declare(memory_type(type(slot).dtype), pointer(slot), take(type(slot).bytes()));
  };
  const auto pointer_to = [&](SlotId slot, const std::string& memory, bool constant) {
    const std::string type_text = (constant ? "const " : "") + memory_type(type(slot).dtype);
    return "  " + type_text + "* const " + pointer(slot) + " = " + memory + ";\n";
  };
  for (SlotId slot = 0; slot < plan.slots; ++slot) {
    if (memory_of(slot) == Memory::work && is_named(slot)) text += own(slot);
  }
  const auto copy = [&](SlotId slot, const std::string& from) {
    if (!type(slot).is_empty()) copies += "  " + copy_text(pointer(slot), from, type(slot).bytes()) + "\n";
  };
  for (const Port& input : inputs_) {
    if (input.slot == Step::nowhere || input.type.number || !is_named(input.slot)) continue;
    if (memory_of(input.slot) == Memory::input)
      text += pointer_to(input.slot, input.name, true);
    else
      copy(input.slot, input.name);
  }
  for (const Port& output : outputs_) {
    if (output.slot != Step::nowhere && memory_of(output.slot) == Memory::output && is_named(output.slot))
      text += pointer_to(output.slot, output.name, false);
  }
  for (const auto& [slot, value] : plan.constants) {
    if (!value.is_tensor() || !is_named(slot)) continue;
    if (memory_of(slot) == Memory::constant)
      text += pointer_to(slot, file.constant(value), true);
    else
      copy(slot, file.constant(value));
  }
  for (const Stack& stack : stacks_.numbers()) {
    if (stack.dtype && names_word(lines, stack.name))
      text += declare(number_type(*stack.dtype), stack.name, take(stack.bytes));
  }
  for (const Stack& stack : stacks_.values()) {
    if (!stack.each.is(0) && names_word(lines, stack.name))
      text += "  char* " + stack.name + " = (char*)work + " + take(stack.bytes).text() + ";\n";
  }
  if (names_word(lines, "scratch")) text += "  char* const scratch = (char*)work + " + aligned_work_.text() + ";\n";
  return text + copies;
}

const SlotType& Frame::type(SlotId slot) const {
  if (slot >= types_.size() || !types_[slot]) throw std::logic_error("it reads what no step has made");
  return *types_[slot];
}

Argument Frame::argument(SlotId slot) const {
  const SlotType& known = type(slot);
  return {known, known.number ? number(slot) : pointer(slot), nullptr, slot};
}

Argument Frame::argument(const Value& constant, uint32_t place) const {
  const SlotType type = type_of(constant, place);
  std::string text = type.number ? number_text(type.dtype, loops::bits_of(constant)) : file.constant(constant);
  return {type, std::move(text), &constant, loops::Step::nowhere};
}

Argument Frame::argument(const Operand& operand) const {
  if (operand.kind == Operand::Kind::slot) return argument(operand.slot);
  return argument(operand.value, Refusal::nowhere);
}

std::string Frame::scratch(const Size& bytes, const std::string& type) {
  const std::string name = fresh("t");
  put(type + "* const " + name + " = (" + type + "*)(void*)(scratch + " + in_use_.text() + ");");
  if (!bytes.known() || bytes.is(0)) put("(void)" + name + ";");  // perhaps no loop names it
  in_use_ += Size::blocks(bytes);
  if (std::ranges::find(scratch_, in_use_) == scratch_.end()) scratch_.push_back(in_use_);
  return name;
}

std::string Frame::open_loop(const Size& count) {
  std::string index = fresh("i");
  open("for (int64_t " + index + " = 0; " + index + " < " + count.factor() + "; ++" + index + ")");
  return index;
}

std::string Frame::copy_text(const std::string& to, const std::string& from, const Size& bytes) {
  return (bytes.known() ? "memcpy(" : "covec_copy(") + to + ", " + from + ", " + bytes.text() + ");";
}

void Frame::clear(const std::string& to, const Size& bytes) {
  if (bytes.known()) return put("memset(" + to + ", 0, " + bytes.text() + ");");
  put("if (" + bytes.factor() + " > 0) memset(" + to + ", 0, (size_t)(" + bytes.text() + "));");
}

void Frame::check_equal(const Size& a, const Size& b, uint32_t place, const std::string& error) {
  if (a == b) return;
  put("if (" + a.factor() + " != " + b.factor() + ") " + fail(place, error));
}

}  // namespace covec::emit
