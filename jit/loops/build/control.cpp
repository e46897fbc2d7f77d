#include "jit/loops/build/control.hpp"

#include <algorithm>

#include "jit/loops/operands.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;

namespace {

size_t times_in(std::span<const Value> values, Id id) {
  const auto same = [&](const Value& value) { return is_symbol(value) && id_of(value) == id; };
  return static_cast<size_t>(std::ranges::count_if(values, same));
}

bool is_needed_inside(const Unit& unit, Id id) {
  return std::ranges::any_of(unit.blocks, [&](const Block& block) { return block.last.contains(id); });
}

bool reads_element(const ir::Operation& operation, Id id) {
  return operation.kind == ir::Kind::apply && operation.entry == &ops::handles().index_read &&
         times_in(operation.rest, id) == 0;
}

// How often a value is named on the way through a region that names it most; in a loop it is more than once. Reading
// an element of it does not count as long as nothing else has been done with it, here or (`touched`) before: a loop
// that carries it on changes it where it lies.
size_t uses_in(const ir::Region& region, Id id, bool touched = false) {
  size_t uses = times_in(region.results, id);
  for (const ir::Operation& operation : region.operations) {
    if (!touched && reads_element(operation, id)) continue;
    const size_t here = times_in(operation.args, id) + times_in(operation.rest, id);
    uses += here;
    touched |= here > 0;
    size_t most = 0;
    for (const ir::Region& inner : operation.regions) most = std::max(most, uses_in(inner, id, touched));
    touched |= most > 0;
    uses += operation.kind == ir::Kind::if_ ? most : 2 * most;
  }
  return uses;
}

bool changes_in_place(const ir::Operation& operation) {
  const ops::Handles& known = ops::handles();
  return operation.kind == ir::Kind::apply &&
         (operation.entry == &known.index_add || operation.entry == &known.index_update);
}

const ir::Operation* maker_of(const ir::Region& region, Id id) {
  for (const ir::Operation& operation : region.operations) {
    if (std::ranges::find(operation.results, id) != operation.results.end()) return &operation;
  }
  return nullptr;
}

// The value from outside the region of which a value of it is made in place, on every path; none: there is no such one.
Value root_of(const ir::Region& region, Value value) {
  while (is_symbol(value)) {
    const ir::Operation* const maker = maker_of(region, id_of(value));
    if (maker == nullptr) return value;
    if (changes_in_place(*maker)) {
      value = maker->args[0];
    } else if (maker->kind == ir::Kind::for_) {
      const auto k = static_cast<size_t>(std::ranges::find(maker->results, id_of(value)) - maker->results.begin());
      const ir::Region& body = maker->regions[0];
      const Value root = root_of(body, body.results[k]);
      if (!is_symbol(root) || id_of(root) != body.parameters[k + 1]) return Value();
      value = maker->args[k + 1];
    } else if (maker->kind == ir::Kind::if_) {
      const auto k = std::ranges::find(maker->results, id_of(value)) - maker->results.begin();
      const Value first = root_of(maker->regions[0], maker->regions[0].results[static_cast<size_t>(k)]);
      const Value second = root_of(maker->regions[1], maker->regions[1].results[static_cast<size_t>(k)]);
      if (!is_symbol(first) || !is_symbol(second) || id_of(first) != id_of(second)) return Value();
      value = first;
    } else {
      return Value();
    }
  }
  return Value();
}

}  // namespace

void ControlBuilder::units() {
  const std::vector<Unit>& units = scopes_.block().units;
  for (uint32_t at = 0; at < units.size(); ++at) {
    scopes_.go_to(at);
    rows_.before(units[at]);
    unit(units[at]);
    rows_.after(units[at], at + 1 < units.size() ? &units[at + 1] : nullptr);
  }
  scopes_.go_to(static_cast<uint32_t>(units.size()));
}

void ControlBuilder::unit(const Unit& unit) {
  const uint32_t around = code_.set_place(unit.operations[0]->place);
  build(unit);
  code_.set_place(around);
}

void ControlBuilder::build(const Unit& unit) {
  if (unit.kernel) return launches_.launch(unit);
  switch (unit.operations[0]->kind) {
    case ir::Kind::if_: return if_operation(unit);
    case ir::Kind::for_: return for_operation(unit);
    case ir::Kind::while_: return while_operation(unit);
    default: return operations_.build(*unit.operations[0]);
  }
}

// --- several values to their places at once ---

// What a region gives for a target may be made in the target's slot, when it is one of its own operations' result.
void ControlBuilder::hint(const Block& block, const Targets& targets) {
  const std::vector<Value>& results = block.region->results;
  for (size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].number || !is_symbol(results[k])) continue;
    if (times_in(results, id_of(results[k])) == 1) places_.hint(id_of(results[k]), targets[k].slot);
  }
}

void ControlBuilder::assign(const Targets& targets, std::span<const Value> values, uint32_t place) {
  read_before(targets, values);
  assign_numbers(targets, values);
  assign_slots(targets, values, place);
}

// What goes from a slot to a register, or from a register to a slot, is read before either has changed.
void ControlBuilder::read_before(const Targets& targets, std::span<const Value> values) {
  for (size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].number)
      places_.settle(values[k]);
    else if (is_symbol(values[k]) && in_register(id_of(values[k])))
      places_.stored(id_of(values[k]));
  }
}

void ControlBuilder::assign_numbers(const Targets& targets, std::span<const Value> values) {
  std::vector<std::pair<Register, Register>> moves;  // to, from
  for (size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].number) continue;
    const Register from = code_.convert(places_.number(values[k]), code_.dtype_of(targets[k].to)).id;
    if (from != targets[k].to) moves.emplace_back(targets[k].to, from);
  }
  const auto overwritten = [&](size_t k) {
    for (size_t j = 0; j < k; ++j) {
      if (moves[j].first == moves[k].second) return true;
    }
    return false;
  };
  for (size_t k = 0; k < moves.size(); ++k) {
    if (!overwritten(k)) continue;
    const Register kept = code_.fresh(code_.dtype_of(moves[k].second));
    code_.move(kept, moves[k].second);
    moves[k].second = kept;
  }
  for (const auto& [to, from] : moves) code_.move(to, from);
}

void ControlBuilder::assign_slots(const Targets& targets, std::span<const Value> values, uint32_t place) {
  Step step{.action = step::Move{}, .place = place};
  std::vector<Value> moved;
  for (size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].number) continue;
    const bool placed = is_symbol(values[k]) && (!is_number(graph_, values[k]) || places_.may_stay(values[k]));
    if (placed && places_.slot(id_of(values[k])) == targets[k].slot) {
      scopes_.hold(id_of(values[k]));  // it is there
    } else {
      moved.push_back(values[k]);
      step.results.push_back(targets[k].slot);
    }
  }
  if (moved.empty()) return;
  steps_.add_moved(step, moved);
  steps_.call(std::move(step));
}

// A carried number in a register; one that may stay on a device is in a slot.
bool ControlBuilder::in_register(Id id) const { return is_number(graph_, id) && !places_.may_stay(id); }

void ControlBuilder::define_carried(Id id, const Target& target) {
  if (target.number)
    places_.define_number_in(id, target.to);
  else if (places_.may_stay(id))
    places_.define_staying(id, target.slot);
  else
    places_.define_at(id, target.slot);
}

// --- branches ---

void ControlBuilder::if_operation(const Unit& unit) {
  const ir::Operation& operation = *unit.operations[0];
  const Register condition = places_.number(operation.args[0]).id;
  Targets targets;
  for (const Id id : operation.results) {
    Target& target = targets.emplace_back();
    target.number = in_register(id);
    if (target.number) {
      target.to = places_.define_number(id);
    } else if (places_.may_stay(id)) {
      target.slot = places_.fresh_slot();
      places_.define_staying(id, target.slot);
    } else if (const SlotId kept = kept_slot(operation, targets.size() - 1); kept != Step::nowhere) {
      target.slot = kept;
      places_.define_at(id, kept);
    } else if (const std::optional<Id> handed = handed_on(operation, targets); handed.has_value()) {
      target.slot = places_.slot(*handed);
      target.holds = *handed;
      places_.define_at(id, target.slot);
      places_.give(target.slot, *handed);
    } else {
      target.slot = places_.define_slot(id, true);
    }
  }
  code_.append(instruction::If{condition});
  branch(unit.blocks[0], targets);
  code_.append(instruction::Else{});
  branch(unit.blocks[1], targets);
  code_.drop_empty_else();
  code_.append(instruction::EndIf{});
  for (size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].number) places_.give(targets[k].slot, operation.results[k]);
  }
  drop_unneeded(operation);
}

// A tensor that one path hands on, and the other one changes in place, stays where it is, and nothing is moved.
SlotId ControlBuilder::kept_slot(const ir::Operation& operation, size_t k) {
  const ir::Region &then = operation.regions[0], &otherwise = operation.regions[1];
  const Value first = root_of(then, then.results[k]), second = root_of(otherwise, otherwise.results[k]);
  if (!is_symbol(first) || !is_symbol(second) || id_of(first) != id_of(second)) return Step::nowhere;
  const Id id = id_of(first);
  if (is_number(graph_, id) || uses_in(then, id) != 1 || uses_in(otherwise, id) != 1) return Step::nowhere;
  return scopes_.dies(id) ? places_.slot(id) : Step::nowhere;
}

// A tensor that one path hands on as it is, and the other one does not: it stays where it is, and the other path's
// result comes there. `targets`: the last one is its own.
std::optional<Id> ControlBuilder::handed_on(const ir::Operation& operation, const Targets& targets) const {
  const size_t k = targets.size() - 1;
  for (size_t path = 0; path < 2; ++path) {
    const std::vector<Value>&results = operation.regions[path].results, &others = operation.regions[1 - path].results;
    if (!is_symbol(results[k])) continue;
    const Id id = id_of(results[k]);
    if (is_number(graph_, id) || !scopes_.dies(id) || times_in(results, id) != 1 || times_in(others, id) != 0) continue;
    const SlotId slot = places_.slot(id);
    const auto is_taken = [&](const Target& target) { return !target.number && target.slot == slot; };
    if (std::none_of(targets.begin(), targets.end() - 1, is_taken)) return id;
  }
  return std::nullopt;
}

void ControlBuilder::branch(const Block& block, const Targets& targets) {
  std::vector<SlotId> elsewhere;  // what only the other branch needs
  for (const Id id : scopes_.last_used()) {
    const bool placed = !is_number(graph_, id) && places_.slot(id) != Step::nowhere;
    if (placed && scopes_.dies(id) && !block.last.contains(id)) elsewhere.push_back(places_.slot(id));
  }
  steps_.drop(std::move(elsewhere));
  for (const Target& target : targets) {
    if (target.number) continue;
    if (target.holds)
      places_.give(target.slot, *target.holds);
    else
      places_.free(target.slot);
  }
  const OpenScope inside(scopes_, block);
  hint(block, targets);
  units();
  assign(targets, block.region->results, 0);
  steps_.drop_dead_values();
}

// Results that nobody reads hold on to nothing.
void ControlBuilder::drop_unneeded(const ir::Operation& operation) {
  std::vector<SlotId> slots;
  for (const Id id : operation.results) {
    if (!is_number(graph_, id) && !scopes_.is_needed(id)) slots.push_back(places_.slot(id));
  }
  steps_.drop(std::move(slots));
}

// --- loops ---

void ControlBuilder::poll(const ir::Operation& operation) {
  code_.append(instruction::Poll{steps_.add({.action = step::PollInterrupt{}, .place = operation.place})});
}

// Numbers from before the loop that its own code needs are fetched once, not in each iteration.
void ControlBuilder::settle_before(const ir::Region& body) {
  if (!places_.any_may_stay()) return;
  for (const ir::Operation& operation : body.operations) {
    for (const ir::Region& inner : operation.regions) settle_before(inner);
    if (!is_number_operation(graph_, operation) || places_.may_stay(operation.results[0])) continue;
    for (const Value& operand : operation.args) {
      if (is_symbol(operand) && places_.slot(id_of(operand)) != Step::nowhere) places_.settle(operand);
    }
  }
}

// Where the k-th carried value is kept. A value that nobody needs afterwards gives its slot.
SlotId ControlBuilder::carried_slot(const Unit& unit, std::span<const Value> values, size_t k) {
  const Value& value = values[k];
  if (places_.may_stay(unit.operations[0]->results[k])) return places_.fresh_slot();
  const bool given = is_symbol(value) && !is_number(graph_, value) && !is_needed_inside(unit, id_of(value));
  if (given && times_in(values, id_of(value)) == 1 && scopes_.takes(id_of(value))) return places_.slot(id_of(value));
  return places_.slot_for(unit.operations[0]->results[k], true);
}

// Places for carried values, with what they begin as.
ControlBuilder::Targets ControlBuilder::carry(const Unit& unit, std::span<const Value> values) {
  const ir::Operation& operation = *unit.operations[0];
  Targets targets;
  for (size_t k = 0; k < values.size(); ++k) {
    const Id result = operation.results[k];
    Target& target = targets.emplace_back();
    target.number = in_register(result);
    if (target.number) {
      target.to = code_.fresh(graph_.values[result].type.dtype, graph_.values[result].name);
    } else {
      target.slot = carried_slot(unit, values, k);
      places_.give(target.slot, result);
    }
  }
  // What is needed inside stays where it is.
  std::set<Id> kept;
  for (const Value& value : values) {
    if (is_symbol(value) && is_needed_inside(unit, id_of(value)) && scopes_.hold(id_of(value)))
      kept.insert(id_of(value));
  }
  assign(targets, values, operation.place);
  for (const Id id : kept) scopes_.release(id);
  return targets;
}

void ControlBuilder::define_parameters(const Block& block, size_t first, const Targets& targets, bool pinned) {
  for (size_t k = 0; k < targets.size(); ++k) {
    const Id id = block.region->parameters[first + k];
    define_carried(id, targets[k]);
    if (pinned) scopes_.pin(id);
  }
}

void ControlBuilder::end_of_iteration(const ir::Operation& operation, const Block& block, const Targets& targets,
                                      FunctionRef<void()> advance) {
  const std::vector<Value>& results = block.region->results;
  Register go_on = 0;
  if (operation.exits) {
    go_on = code_.fresh(Dtype::boolean);
    code_.move(go_on, places_.number(results.back()).id);
  }
  assign(targets, std::span(results).first(targets.size()), operation.place);
  steps_.drop_dead_values();
  advance();
  if (operation.exits) code_.append(instruction::BreakUnless{go_on});
}

void ControlBuilder::define_loop_results(const ir::Operation& operation, const Targets& targets) {
  for (size_t k = 0; k < targets.size(); ++k) define_carried(operation.results[k], targets[k]);
  drop_unneeded(operation);
  steps_.drop_dead_values();
}

void ControlBuilder::for_operation(const Unit& unit) {
  const ir::Operation& operation = *unit.operations[0];
  const Block& block = unit.blocks[0];
  const ops::ScalarRef count = code_.convert(places_.number(operation.args[0]), Dtype::i64);
  const Targets targets = carry(unit, std::span(operation.args).subspan(1));
  const Register index = code_.fresh(Dtype::i64, graph_.values[block.region->parameters[0]].name);
  code_.move(index, code_.constant(Dtype::i64, 0).id);
  all_iterations(operation, targets, count, index);
  const Register one = code_.constant(Dtype::i64, 1).id;
  settle_before(operation.regions[0]);
  code_.append(instruction::Loop{});
  poll(operation);
  const ops::ScalarRef goes_on = code_.emit(ops::ScalarOp::lt, Dtype::boolean, {index, Dtype::i64}, count, {});
  code_.append(instruction::BreakUnless{goes_on.id});
  for_body(operation, block, {index, one}, targets);
  code_.append(instruction::EndLoop{});
  define_loop_results(operation, targets);
}

// At once, where a kernel can.
void ControlBuilder::all_iterations(const ir::Operation& operation, const Targets& targets, ops::ScalarRef count,
                                    Register index) {
  std::vector<SlotId> carried;
  for (size_t k = 0; k < targets.size(); ++k) {
    if (is_number(graph_, operation.results[k])) return;
    carried.push_back(targets[k].slot);
  }
  vectors_.build(operation, carried, count, index);
}

void ControlBuilder::for_body(const ir::Operation& operation, const Block& block, Counter counter,
                              const Targets& targets) {
  const OpenScope inside(scopes_, block, true);
  places_.define_number_in(block.region->parameters[0], counter.index);
  define_parameters(block, 1, targets, false);
  hint(block, targets);
  units();
  end_of_iteration(operation, block, targets, [&] {
    code_.append(instruction::Scalar{ops::ScalarOp::add, 2, counter.index, {counter.index, counter.one}});
  });
}

void ControlBuilder::while_operation(const Unit& unit) {
  const ir::Operation& operation = *unit.operations[0];
  const Targets targets = carry(unit, operation.args);
  for (const ir::Region& region : operation.regions) settle_before(region);
  code_.append(instruction::Loop{});
  poll(operation);
  while_condition(unit.blocks[0], targets);
  {
    const Block& body = unit.blocks[1];
    const OpenScope inside(scopes_, body, true);
    define_parameters(body, 0, targets, false);
    hint(body, targets);
    units();
    end_of_iteration(operation, body, targets, [] {});
  }
  code_.append(instruction::EndLoop{});
  define_loop_results(operation, targets);
}

void ControlBuilder::while_condition(const Block& block, const Targets& targets) {
  const OpenScope inside(scopes_, block, true);
  define_parameters(block, 0, targets, true);
  units();
  const Register go_on = places_.number(block.region->results[0]).id;
  steps_.drop_dead_values();
  code_.append(instruction::BreakUnless{go_on});
}

}  // namespace covec::loops
