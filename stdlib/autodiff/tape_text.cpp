#include "stdlib/autodiff/tape_text.hpp"

#include <algorithm>
#include <span>

#include "stdlib/tensor/print.hpp"

namespace covec::autodiff {

namespace {

std::string node_text(uint32_t node) { return "%" + std::to_string(node); }

std::string type_text(const TapeSlot& slot, const Dim* dims) {
  std::string text(name_of(slot.dtype));
  for (uint8_t axis = 0; axis < slot.rank; ++axis) {
    text += (axis == 0 ? "[" : ", ") + (dims[axis].known() ? std::to_string(dims[axis].number()) : "_");
  }
  return slot.rank == 0 ? text : text + "]";
}

// A number or an attribute as it is, a tensor as its type.
std::string value_text(const Value& value) { return value.is_tensor() ? describe(value) : covec::text_of(value); }

// What entry `entry` keeps of operand i; beyond the last operand: of the result.
Value kept_by(const TapeEntry& entry, uint32_t i) {
  if (!entry.of_numbers) return i < entry.operands ? entry.general().values[i] : entry.general().result;
  const TapeSlot& slot = i < entry.operands ? entry.slots()[i] : entry.result_slot;
  if (!slot.kept) return Value();
  const auto before = std::count_if(entry.slots(), entry.slots() + i, [](const TapeSlot& one) { return one.kept; });
  return Value::scalar(slot.dtype, entry.numbers()[before].bytes);
}

std::string operand_text(const TapeEntry& entry, uint32_t i) {
  const TapeSlot& slot = entry.slots()[i];
  const Value value = kept_by(entry, i);
  if (!slot.numeric && slot.node == 0) return entry.composite() != nullptr ? "_" : value_text(value);
  const char* kept = value.is_none() ? "" : "*";
  if (slot.node != 0) return node_text(slot.node) + kept;
  return value.is_none() ? "_" : value_text(value) + kept;
}

std::string results_text(const TapeEntry& entry) {
  std::string text;
  for (uint32_t i = 0; i < entry.results(); ++i) text += (i > 0 ? ", " : "") + node_text(entry.result_slot.node + i);
  if (entry.composite() != nullptr) return text;
  const bool kept = !kept_by(entry, entry.operands).is_none();
  return text + (kept ? "*" : "") + ": " + type_text(entry.result_slot, entry.result_dims());
}

std::string line_of(const TapeEntry& entry) {
  if (entry.composite() == nullptr && entry.operation == nullptr)
    return node_text(entry.result_slot.node) + " = " + node_text(entry.slots()[0].node) + "\n";
  std::string text = results_text(entry) + " = ";
  text += (entry.composite() != nullptr ? "composite" : std::string(entry.operation->name)) + "(";
  for (uint32_t i = 0; i < entry.operands; ++i) text += (i > 0 ? ", " : "") + operand_text(entry, i);
  return text + ")\n";
}

}  // namespace

std::string text_of(const Tape& tape) {
  std::string text;
  for (const TapeEntry* entry = tape.last(); entry != nullptr; entry = entry->previous) text = line_of(*entry) + text;
  return text;
}

}  // namespace covec::autodiff
