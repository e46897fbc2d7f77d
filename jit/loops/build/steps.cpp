#include "jit/loops/build/steps.hpp"

#include <algorithm>

#include "jit/loops/operands.hpp"
#include "stdlib/ops/shape/shape.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;

// --- a step's parts ---

SlotId StepBuilder::readable_slot(Id id) {
  if (!is_number(graph_, id)) return places_.slot(id);
  return saves_ != nullptr ? places_.stored_later(id, *saves_) : places_.stored(id);
}

Operand StepBuilder::operand(const Value& value) {
  if (!is_symbol(value) && ir::has_symbols(value)) return tree_operand(value);
  Operand operand;
  if (is_symbol(value)) {
    operand.kind = Operand::Kind::slot;
    operand.slot = readable_slot(id_of(value));
  } else {
    operand.value = value;
  }
  return operand;
}

Operand StepBuilder::saved(const Value& number, Saves& saves) {
  saves_ = &saves;
  Operand made = operand(number);
  saves_ = nullptr;
  return made;
}

// The template speaks of slots: the runtime knows no values of the graph.
Operand StepBuilder::tree_operand(const Value& value) {
  Operand operand;
  operand.kind = Operand::Kind::tree;
  operand.value = ir::replace_symbols(value, [&](const Value& symbol) {
    const Id id = id_of(symbol);
    return Value::adopt(new Symbol(graph_.values[id].type, readable_slot(id)));
  });
  return operand;
}

void StepBuilder::add_operands(Step& step, std::span<const Value> values) {
  const size_t first = step.operands.size();
  for (const Value& value : values) step.operands.push_back(operand(value));
  take_last(std::span(step.operands).subspan(first), values, step.drops);
}

void StepBuilder::add_moved(Step& step, std::span<const Value> values) {
  for (const Value& value : values) {
    if (places_.may_stay(value))
      step.operands.push_back({Operand::Kind::slot, false, places_.slot(id_of(value)), Value()});
    else
      step.operands.push_back(operand(value));
  }
  take_last(step.operands, values, step.drops);
}

// Of several operands that are one value, the last one moves it.
void StepBuilder::take_last(std::span<Operand> operands, std::span<const Value> values, std::vector<SlotId>& drops) {
  for (size_t i = values.size(); i-- > 0;) {
    if (is_symbol(values[i])) {
      const Id id = id_of(values[i]);
      operands[i].last = !is_number(graph_, id) && scopes_.takes(id);
    } else {
      ir::each_symbol(values[i], [&](Id id) {
        if (!is_number(graph_, id) && scopes_.takes(id)) drops.push_back(places_.slot(id));
      });
    }
  }
  // A value that a tree has taken may stand alone before it.
  for (Operand& operand : operands) {
    if (operand.last) operand.last = std::find(drops.begin(), drops.end(), operand.slot) == drops.end();
  }
}

SlotId StepBuilder::result_slot(Id id) {
  if (!scopes_.is_needed(id)) return Step::nowhere;
  if (!is_number(graph_, id)) return places_.define_slot(id);
  places_.define_number(id);
  return places_.number_slot(id);
}

void StepBuilder::load_result(Id id) {
  if (is_number(graph_, id) && scopes_.is_needed(id)) places_.load(id);
}

void StepBuilder::append_dead_values(std::vector<SlotId>& drops) {
  for (const Id id : scopes_.last_used()) {
    const bool placed = !is_number(graph_, id) && places_.slot(id) != Step::nowhere;
    if (placed && scopes_.takes(id)) drops.push_back(places_.slot(id));
  }
}

// --- whole steps ---

step::Operator operator_of(const ir::Operation& operation) {
  return {operation.entry, static_cast<uint32_t>(operation.args.size()), operation.literals};
}

step::Apply StepBuilder::application(const ir::Operation& operation) const {
  return {.op = operator_of(operation), .operation = &operation, .stacks_numbers = stacks_numbers(operation)};
}

Step StepBuilder::describe(const ir::Operation& operation, step::Action action) {
  Step step{.action = std::move(action), .place = operation.place};
  std::vector<Value> values = operation.args;
  values.insert(values.end(), operation.rest.begin(), operation.rest.end());
  if (repeats_number(operation)) {
    for (const Value& extent : operation.rest) places_.settle(extent);
    add_moved(step, values);
  } else if (stacks_numbers(operation)) {
    add_moved(step, values);
  } else {
    add_operands(step, values);
  }
  return step;
}

bool StepBuilder::stacks_numbers(const ir::Operation& operation) const {
  if (operation.kind != ir::Kind::apply || operation.entry != &ops::stack_entry()) return false;
  const ir::ValueInfo& result = graph_.values[operation.results[0]];
  if (operation.rest.empty()) return false;  // the items of a list
  return !result.boxed && std::ranges::all_of(operation.rest, [&](const Value& part) {
    return is_number(graph_, part) && dtype_of(graph_, part) == result.type.dtype;
  });
}

// A tensor of one element repeats as a number does.
bool StepBuilder::repeats_number(const ir::Operation& operation) const {
  return operation.kind == ir::Kind::apply && operation.entry == &ops::broadcast_to_entry() &&
         places_.may_stay(operation.args[0]) && !is_number(graph_, operation.results[0]);
}

Step StepBuilder::changing(const ir::Operation& operation, step::Action action, SlotId slot, Saves* saves) {
  saves_ = saves;
  Step step = describe(operation, std::move(action));
  saves_ = nullptr;
  step.operands[0] = Operand{Operand::Kind::slot, true, slot, Value()};
  step.results = {slot};
  return step;
}

uint32_t StepBuilder::raising(const ir::Operation& operation, Saves* saves) {
  saves_ = saves;
  Step step = describe(operation, step::Raise{operator_of(operation)});
  saves_ = nullptr;
  for (Operand& operand : step.operands) operand.last = false;
  scopes_.release_all();
  return add(std::move(step));
}

void StepBuilder::raise_where(const ir::Operation& operation, Register failing) {
  const OpenScope piece(scopes_);
  code_.begin_cold(failing);
  code_.step(raising(operation));
  code_.append(instruction::EndIf{});
}

SlotId StepBuilder::slot_to_change(const ir::Operation& operation) {
  const Value& x = operation.args[0];
  const Id result = operation.results[0];
  if (is_symbol(x) && scopes_.takes(id_of(x))) {
    places_.define_at(result, places_.slot(id_of(x)));
    return places_.slot(result);
  }
  Step share{.action = step::Box{}};
  share.operands.push_back(operand(is_symbol(x) ? x : Value()));
  if (!is_symbol(x)) share.operands[0].value = x;
  share.results.push_back(places_.define_slot(result));
  call(std::move(share));
  return places_.slot(result);
}

// --- into the code ---

uint32_t StepBuilder::add(Step step) {
  plan_.steps.push_back(std::move(step));
  return static_cast<uint32_t>(plan_.steps.size() - 1);
}

void StepBuilder::call(Step step) {
  const uint32_t number = add(std::move(step));
  held_ != nullptr ? held_->push_back(number) : code_.step(number);
}

void StepBuilder::perform(const ir::Operation& operation, step::Action action) {
  Step step = describe(operation, std::move(action));
  drop_dead_values(step);
  for (const Id id : operation.results) step.results.push_back(result_slot(id));
  call(std::move(step));
  for (const Id id : operation.results) load_result(id);
}

void StepBuilder::apply(const ir::Operation& operation) {
  step::Apply apply = application(operation);
  apply.stays = operation.results.size() == 1 && places_.may_stay(operation.results[0]);
  perform(operation, apply);
}

void StepBuilder::drop(std::vector<SlotId> slots) {
  if (slots.empty()) return;
  call({.action = step::Drop{}, .drops = std::move(slots)});
}

void StepBuilder::drop_dead_values() {
  std::vector<SlotId> slots;
  append_dead_values(slots);
  drop(std::move(slots));
}

}  // namespace covec::loops
