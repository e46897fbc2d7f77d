// The slots of one call: each holds a value that steps read and write. A value read for the last time is moved, so that
// its memory can be reused. Start at taken() and give().
#pragma once

#include <span>
#include <vector>

#include "jit/runtime/run.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

class Slots {
 public:
  explicit Slots(const loops::Plan& plan) : plan_(plan), values_(plan.slots) { forget(); }

  std::span<Value> all() { return values_; }
  Value& operator[](loops::SlotId slot) { return values_[slot]; }
  const Value& operator[](loops::SlotId slot) const { return values_[slot]; }

  // An operand's value.
  Value taken(const loops::Operand& operand) {
    using Kind = loops::Operand::Kind;
    if (operand.kind == Kind::tree) [[unlikely]]
      return tree(operand);
    if (operand.kind == Kind::constant) return operand.value;
    return operand.last ? std::move(values_[operand.slot]) : values_[operand.slot];
  }
  // All operands of a step, in order; what the step drops is dropped.
  void take_operands(const loops::Step& step, std::span<Value> to) {
    for (size_t i = 0; i < step.operands.size(); ++i) to[i] = taken(step.operands[i]);
    drop(step);
  }
  void drop(const loops::Step& step) {
    for (const loops::SlotId slot : step.drops) values_[slot] = Value();
  }
  void give(loops::SlotId slot, Value&& value) {
    if (slot == loops::Step::nowhere) return;
    values_[slot] = std::move(value);
    bring_to_host(plan_, slot, values_[slot]);
  }
  void move(const loops::Step& step);

  // Calls use() with room for the operands of a step. Where they are many, the memory stays for the next step.
  template <class Use>
  void with_room(size_t count, Use use) {
    constexpr size_t inline_members = 8;  // values
    if (count <= inline_members) {
      SmallVector<Value, inline_members> values(count);
      return use(span_of(values));
    }
    struct Clear {
      std::vector<Value>& values;
      ~Clear() { values.clear(); }
    } const clear{many_};
    many_.resize(count);
    use(std::span<Value>(many_));
  }

  // The call has ended, and no other slots hold more than a number.
  void forget(std::span<const loops::SlotId> objects) {
    uint8_t tags = 0;
    for (const loops::SlotId slot : objects) tags |= static_cast<uint8_t>(values_[slot].tag());
    if ((tags & static_cast<uint8_t>(Tag::object)) == 0) return;
    for (const loops::SlotId slot : objects) {
      if (values_[slot].is_object()) values_[slot] = Value();
    }
  }
  // The call has ended: only constants stay.
  [[gnu::always_inline]] void forget() {
    for (Value& value : values_) {
      if (value.is_object()) value = Value();
    }
    for (const auto& [slot, value] : plan_.constants) give(slot, Value(value));
  }

 private:
  Value tree(const loops::Operand& operand);

  const loops::Plan& plan_;
  std::vector<Value> values_;
  std::vector<Value> many_;  // operands of the step that is performed
};

}  // namespace covec::runtime
