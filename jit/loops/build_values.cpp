// Values while a plan is being built: which register or slot holds one, and which operation moves it out.
#include <algorithm>

#include "jit/loops/build_context.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;

Dtype Building::dtype_of_number(const Value& value) const {
  return is_symbol(value) ? graph_.values[id_of(value)].type.dtype : value.scalar_dtype();
}

bool Building::is_needed(Id id) const { return scope_->block.last.contains(id); }

// Through branches the last use may be further in; what a loop did not define it needs again.
bool Building::dies(Id id) const {
  const Held& held = held_[id];
  if (held.pinned) return false;
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    const auto last = scope->block.last.find(id);
    if (last == scope->block.last.end() || last->second != scope->at) return false;
    if (held.home == &scope->block) return true;
    if (scope->repeats) return false;
  }
  return false;
}

bool Building::takes(Id id) { return dies(id) && taken_.insert(id).second; }

SlotId Building::fresh_slot() {
  owner_.push_back(nobody);
  return plan_->slots++;
}

Register Building::define_number(Id id) {
  held_[id].home = &scope_->block;
  return held_[id].reg = code_.fresh(graph_.values[id].type.dtype, graph_.values[id].name);
}

bool Building::is_free(SlotId slot, bool strict) const {
  const Id owner = owner_[slot];
  if (owner == nobody) return true;
  if (held_[owner].home != &scope_->block) return false;
  const auto last = scope_->block.last.find(owner);
  if (last == scope_->block.last.end()) return true;
  return strict ? last->second < scope_->at : last->second <= scope_->at;
}

SlotId Building::define_slot(Id id, bool strict) {
  const auto wanted = hints_.find(id);
  const bool use = wanted != hints_.end() && is_free(wanted->second, strict);
  define_at(id, use ? wanted->second : fresh_slot());
  return held_[id].slot;
}

void Building::define_at(Id id, SlotId slot) {
  held_[id].home = &scope_->block;
  held_[id].slot = slot;
  owner_[slot] = id;
}

SlotId Building::number_slot(Id id) {
  if (held_[id].slot == nowhere) held_[id].slot = fresh_slot();
  return held_[id].slot;
}

SlotId Building::constant_slot(const Value& value) {
  const auto [found, added] = constants_.try_emplace(value.object(), plan_->slots);
  if (added) plan_->constants.emplace_back(fresh_slot(), value);
  return found->second;
}

ops::ScalarRef Building::number(const Value& value) {
  if (!is_symbol(value)) return code_.constant(value.scalar_dtype(), bits_of(value));
  const Id id = id_of(value);
  return {held_[id].reg, graph_.values[id].type.dtype};
}

SlotId Building::stored(Id id) {
  const SlotId slot = number_slot(id);
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    if (scope->stored.contains(id)) return slot;
  }
  code_.store(slot, held_[id].reg);
  scope_->stored.insert(id);
  return slot;
}

SlotId Building::slot_of(const Value& value) {
  return is_symbol(value) ? held_[id_of(value)].slot : constant_slot(value);
}

Operand Building::operand(const Value& value) {
  Operand operand;
  if (is_symbol(value)) {
    const Id id = id_of(value);
    operand.kind = Operand::Kind::slot;
    operand.slot = is_number(id) ? stored(id) : held_[id].slot;
    return operand;
  }
  if (ir::has_symbols(value)) return tree_operand(value);
  operand.value = value;
  return operand;
}

// The template speaks of slots: the runtime knows no values of the graph.
Operand Building::tree_operand(const Value& value) {
  Operand operand;
  operand.kind = Operand::Kind::tree;
  operand.value = ir::replace_symbols(value, [&](const Value& symbol) {
    const Id id = id_of(symbol);
    const SlotId slot = is_number(id) ? stored(id) : held_[id].slot;
    return Value::adopt(new Symbol(graph_.values[id].type, slot));
  });
  return operand;
}

void Building::add_operands(Step& step, std::span<const Value> values) {
  const size_t first = step.operands.size();
  for (const Value& value : values) step.operands.push_back(operand(value));
  take_last(std::span(step.operands).subspan(first), values, step.drops);
}

// Of several operands that are one value, the last one moves it.
void Building::take_last(std::span<Operand> operands, std::span<const Value> values, std::vector<SlotId>& drops) {
  for (size_t i = values.size(); i-- > 0;) {
    if (is_symbol(values[i])) {
      const Id id = id_of(values[i]);
      operands[i].last = !is_number(id) && takes(id);
    } else {
      ir::each_symbol(values[i], [&](Id id) {
        if (!is_number(id) && takes(id)) drops.push_back(held_[id].slot);
      });
    }
  }
  // A value that a tree has taken may stand alone before it.
  for (Operand& operand : operands) {
    if (operand.last) operand.last = std::find(drops.begin(), drops.end(), operand.slot) == drops.end();
  }
}

SlotId Building::result_slot(Id id) {
  if (!is_needed(id)) return nowhere;
  if (!is_number(id)) return define_slot(id);
  define_number(id);
  return number_slot(id);
}

void Building::load_result(Id id) {
  if (!is_number(id) || !is_needed(id)) return;
  code_.load(held_[id].reg, held_[id].slot);
  scope_->stored.insert(id);
}

uint32_t Building::add_step(Step step) {
  plan_->steps.push_back(std::move(step));
  return static_cast<uint32_t>(plan_->steps.size() - 1);
}

// What this unit was the last to need, and has not moved, goes: with `step`, or in a step of its own.
void Building::drop_deaths(Step* step) {
  std::vector<SlotId> drops;
  for (const Id id : scope_->block.deaths[scope_->at]) {
    if (!is_number(id) && held_[id].slot != nowhere && takes(id)) drops.push_back(held_[id].slot);
  }
  if (drops.empty()) return;
  if (step != nullptr) {
    step->drops.insert(step->drops.end(), drops.begin(), drops.end());
    return;
  }
  Step own;
  own.kind = Step::Kind::drop;
  own.drops = std::move(drops);
  code_.step(add_step(std::move(own)));
}

}  // namespace covec::loops
