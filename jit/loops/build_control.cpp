// Control flow while a plan is being built: branches and loops as they are written, with the values that they carry in
// registers and slots of their own. A value that is made to be carried is made where it will be (hint()), so that most
// passes of a loop move nothing. Start at units().
#include <algorithm>

#include "jit/loops/build_context.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;
using Op = Instruction::Kind;

void Building::units() {
  const Block& block = scope_->block;
  for (scope_->at = 0; scope_->at < block.units.size(); ++scope_->at) {
    taken_.clear();
    unit(block.units[scope_->at]);
  }
  taken_.clear();
}

// What a region gives for a target may be made in the target's slot, when it is one of its own operations' result.
void Building::hint(const Block& block, const std::vector<Target>& targets) {
  const std::vector<Value>& results = block.region->results;
  for (size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].number || !is_symbol(results[k])) continue;
    const Id id = id_of(results[k]);
    const auto same = [&](const Value& other) { return is_symbol(other) && id_of(other) == id; };
    if (std::count_if(results.begin(), results.end(), same) == 1) hints_[id] = targets[k].slot;
  }
}

// --- several values to their places at once ---

void Building::assign(const std::vector<Target>& targets, std::span<const Value> values, uint32_t place) {
  assign_numbers(targets, values);
  assign_slots(targets, values, place);
}

void Building::assign_numbers(const std::vector<Target>& targets, std::span<const Value> values) {
  std::vector<std::pair<Register, Register>> moves;  // to, from
  for (size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].number) continue;
    const Register from = code_.convert(number(values[k]), code_.dtype_of(targets[k].to)).id;
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

void Building::assign_slots(const std::vector<Target>& targets, std::span<const Value> values, uint32_t place) {
  Step step;
  step.kind = Step::Kind::move;
  step.place = place;
  std::vector<Value> moved;
  for (size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].number) continue;
    const bool there = is_symbol(values[k]) && !is_number(values[k]) && held_[id_of(values[k])].slot == targets[k].slot;
    if (there) {
      taken_.insert(id_of(values[k]));
    } else {
      moved.push_back(values[k]);
      step.results.push_back(targets[k].slot);
    }
  }
  if (moved.empty()) return;
  add_operands(step, moved);
  code_.step(add_step(std::move(step)));
}

// --- branches ---

void Building::if_operation(const Unit& unit) {
  const ir::Operation& operation = *unit.operations[0];
  const Register condition = number(operation.args[0]).id;
  std::vector<Target> targets;
  for (const Id id : operation.results) {
    Target& target = targets.emplace_back();
    target.number = is_number(id);
    if (target.number)
      target.to = define_number(id);
    else
      target.slot = define_slot(id, true);
  }
  code_.append(Op::if_, condition);
  branch(unit.blocks[0], targets);
  const size_t before = plan_->program.code.instructions.size();
  code_.append(Op::else_);
  branch(unit.blocks[1], targets);
  std::vector<Instruction>& instructions = plan_->program.code.instructions;
  if (instructions.size() == before + 1) instructions.pop_back();
  code_.append(Op::end_if);
  for (size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].number) owner_[targets[k].slot] = operation.results[k];
  }
  drop_unneeded(operation);
}

void Building::branch(const Block& block, const std::vector<Target>& targets) {
  Step drop;
  drop.kind = Step::Kind::drop;
  for (const Id id : scope_->block.deaths[scope_->at]) {
    const bool elsewhere = !is_number(id) && held_[id].slot != nowhere && dies(id) && !block.last.contains(id);
    if (elsewhere) drop.drops.push_back(held_[id].slot);
  }
  if (!drop.drops.empty()) code_.step(add_step(std::move(drop)));
  for (const Target& target : targets) {
    if (!target.number) owner_[target.slot] = nobody;
  }
  Scope inner{block, scope_, false, 0, {}};
  scope_ = &inner;
  hint(block, targets);
  units();
  assign(targets, block.region->results, 0);
  drop_deaths(nullptr);
  scope_ = inner.outer;
}

// --- loops ---

void Building::poll(const ir::Operation& operation) {
  Step step;
  step.kind = Step::Kind::interrupt;
  step.place = operation.place;
  code_.append(Op::poll).index = add_step(std::move(step));
}

// Places for carried values, with what they begin as. A value that nobody needs afterwards gives its slot.
std::vector<Target> Building::carry(const Unit& unit, std::span<const Value> values) {
  const ir::Operation& operation = *unit.operations[0];
  const auto needed_inside = [&](Id id) {
    return std::any_of(unit.blocks.begin(), unit.blocks.end(), [&](const Block& b) { return b.last.contains(id); });
  };
  std::vector<Target> targets;
  for (size_t k = 0; k < values.size(); ++k) {
    const Id result = operation.results[k];
    Target& target = targets.emplace_back();
    target.number = is_number(result);
    if (target.number) {
      target.to = code_.fresh(graph_.values[result].type.dtype, graph_.values[result].name);
      continue;
    }
    const bool given = is_symbol(values[k]) && !is_number(values[k]) && !needed_inside(id_of(values[k]));
    const auto same = [&](const Value& v) { return is_symbol(v) && id_of(v) == id_of(values[k]); };
    if (given && std::count_if(values.begin(), values.end(), same) == 1 && takes(id_of(values[k]))) {
      target.slot = held_[id_of(values[k])].slot;
    } else {
      const auto wanted = hints_.find(result);
      target.slot = wanted != hints_.end() && is_free(wanted->second, true) ? wanted->second : fresh_slot();
    }
    owner_[target.slot] = result;
  }
  // What is needed inside stays where it is.
  std::set<Id> kept;
  for (const Value& value : values) {
    if (is_symbol(value) && needed_inside(id_of(value)) && taken_.insert(id_of(value)).second)
      kept.insert(id_of(value));
  }
  assign(targets, values, operation.place);
  for (const Id id : kept) taken_.erase(id);
  return targets;
}

void Building::define_parameters(const Block& block, size_t first, const std::vector<Target>& targets, bool pinned) {
  for (size_t k = 0; k < targets.size(); ++k) {
    const Id id = block.region->parameters[first + k];
    held_[id].home = &block;
    held_[id].pinned = pinned;
    if (targets[k].number) {
      held_[id].reg = targets[k].to;
    } else {
      held_[id].slot = targets[k].slot;
      owner_[targets[k].slot] = id;
    }
  }
}

void Building::end_of_pass(const ir::Operation& operation, const Block& block, const std::vector<Target>& targets,
                           const std::function<void()>& advance) {
  const std::vector<Value>& results = block.region->results;
  Register go_on = 0;
  if (operation.exits) {
    go_on = code_.fresh(Dtype::boolean);
    code_.move(go_on, number(results.back()).id);
  }
  assign(targets, std::span(results).first(targets.size()), operation.place);
  drop_deaths(nullptr);
  advance();
  if (operation.exits) code_.append(Op::break_unless, go_on);
}

void Building::define_loop_results(const ir::Operation& operation, const std::vector<Target>& targets) {
  for (size_t k = 0; k < targets.size(); ++k) {
    const Id id = operation.results[k];
    held_[id].home = &scope_->block;
    if (targets[k].number)
      held_[id].reg = targets[k].to;
    else
      define_at(id, targets[k].slot);
  }
  drop_unneeded(operation);
}

// Results that nobody reads hold on to nothing.
void Building::drop_unneeded(const ir::Operation& operation) {
  Step drop;
  drop.kind = Step::Kind::drop;
  for (const Id id : operation.results) {
    if (!is_number(id) && !is_needed(id)) drop.drops.push_back(held_[id].slot);
  }
  if (!drop.drops.empty()) code_.step(add_step(std::move(drop)));
}

void Building::for_operation(const Unit& unit) {
  const ir::Operation& operation = *unit.operations[0];
  const Block& block = unit.blocks[0];
  const Register count = code_.convert(number(operation.args[0]), Dtype::i64).id;
  const std::vector<Target> targets = carry(unit, std::span(operation.args).subspan(1));
  const std::set<Id> taken = taken_;
  const Id index_id = block.region->parameters[0];
  const Register index = code_.fresh(Dtype::i64, graph_.values[index_id].name);
  code_.move(index, code_.constant(Dtype::i64, 0).id);
  const Register one = code_.constant(Dtype::i64, 1).id;
  code_.append(Op::loop);
  poll(operation);
  const ops::ScalarRef at{index, Dtype::i64};
  code_.append(Op::break_unless, code_.emit(ops::ScalarOp::lt, Dtype::boolean, at, {count, Dtype::i64}, {}).id);
  Scope inner{block, scope_, true, 0, {}};
  scope_ = &inner;
  held_[index_id].home = &block;
  held_[index_id].reg = index;
  define_parameters(block, 1, targets, false);
  hint(block, targets);
  units();
  end_of_pass(operation, block, targets, [&] {
    Instruction& next = code_.append(Op::scalar);
    next.op = ops::ScalarOp::add;
    next.arity = 2;
    next.to = next.operands[0] = index;
    next.operands[1] = one;
  });
  code_.append(Op::end_loop);
  scope_ = inner.outer;
  taken_ = taken;
  define_loop_results(operation, targets);
  drop_deaths(nullptr);
}

void Building::while_operation(const Unit& unit) {
  const ir::Operation& operation = *unit.operations[0];
  const Block &condition = unit.blocks[0], &body = unit.blocks[1];
  const std::vector<Target> targets = carry(unit, operation.args);
  const std::set<Id> taken = taken_;
  code_.append(Op::loop);
  poll(operation);
  Scope asking{condition, scope_, true, 0, {}};
  scope_ = &asking;
  define_parameters(condition, 0, targets, true);
  units();
  const Register go_on = number(condition.region->results[0]).id;
  drop_deaths(nullptr);
  code_.append(Op::break_unless, go_on);
  Scope inner{body, asking.outer, true, 0, {}};
  scope_ = &inner;
  define_parameters(body, 0, targets, false);
  hint(body, targets);
  units();
  end_of_pass(operation, body, targets, [] {});
  code_.append(Op::end_loop);
  scope_ = inner.outer;
  taken_ = taken;
  define_loop_results(operation, targets);
  drop_deaths(nullptr);
}

}  // namespace covec::loops
