#include "jit/loops/lanes/own_arrays.hpp"

#include <algorithm>
#include <cstring>

#include "jit/loops/operands.hpp"
#include "jit/loops/step_slots.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::loops {

namespace {

using What = LaneStep::Kind;
using Given = LaneStep::Number::Kind;

// Calls see(slot) for the slot that an instruction names by itself.
template <class See>
void each_slot(const Instruction& i, const See& see) {
  match(i, [&](const auto& each) {
    if constexpr (requires { each.slot; }) see(each.slot);
  });
}

// Calls see(step) for a step, or for those that it is made of, in their order.
template <class See>
void each_member(const Plan& plan, const Step& step, const See& see) {
  const auto* const run = step.get_if<step::RunRowTiles>();
  if (run == nullptr) return see(step);
  for (const RowTileSteps::Member& member : plan.row_tiles[run->row_tiles].members) see(plan.steps[member.step]);
}

}  // namespace

// Walks back from the step to the Store. Where the step is in a loop that the Store is not in, no round of the loop may
// change the register; and a Store in a branch holds for the rest of that branch alone.
const Register* stored_number(const Operand& operand, const std::vector<Instruction>& code, size_t step) {
  using namespace instruction;
  std::set<Register> changed;
  size_t closed = 0;       // blocks that have ended between the Store and the step
  bool other_way = false;  // behind the Else of a branch that the step is in
  const auto note = [&](const Instruction& i) {
    if (const Register* const to = written_by(i)) changed.insert(*to);
  };
  for (size_t at = step; operand.kind == Operand::Kind::slot && at-- > 0;) {
    const Instruction& i = code[at];
    note(i);
    if (const auto* const store = std::get_if<Store>(&i); store != nullptr && store->slot == operand.slot)
      return closed > 0 || other_way || changed.contains(store->from) ? nullptr : &store->from;
    if (is<EndIf, EndLoop>(i)) ++closed;
    if (is<Else>(i) && closed == 0) other_way = true;
    if (!is<If, Loop>(i)) continue;
    if (closed > 0) {
      --closed;
      continue;
    }
    other_way = false;
    size_t inside = 1;
    for (size_t later = at + 1; is<Loop>(i) && inside > 0; ++later) {
      note(code[later]);
      if (is<If, Loop>(code[later])) ++inside;
      if (is<EndIf, EndLoop>(code[later])) --inside;
    }
  }
  return nullptr;
}

OwnArrays::OwnArrays(const Plan& plan, size_t begin, size_t end, Register iteration)
    : plan_(plan), iteration_(iteration) {
  const std::vector<Instruction>& all = plan.program.code.instructions;
  StepSlots inside, outside;
  for (size_t at = 0; at < all.size(); ++at) {
    const bool is_inside = at >= begin && at < end;
    if (const auto* const call = std::get_if<instruction::CallStep>(&all[at]))
      note_step(plan, plan.steps[call->step], is_inside ? inside : outside);
    const bool writes = is<instruction::SetElement, instruction::Store>(all[at]);
    each_slot(all[at], [&](SlotId slot) {
      if (is_inside && writes) written_.insert(slot);
      if (!is_inside) outside_.insert(slot);
    });
  }
  outside_.insert(plan.inputs.begin(), plan.inputs.end());
  for (const auto& [slot, value] : plan.constants) outside_.insert(slot);
  for (const Plan::Given& given : plan.given) outside_.insert(given.slot);
  note_operand(plan.result, outside);
  for (const Operand& result : plan.results) note_operand(result, outside);
  written_.merge(inside.changed);
  outside_.merge(outside.read);
  outside_.merge(outside.changed);
}

// --- which slots ---

void OwnArrays::find_own(const Code& code) {
  do {
    own_.clear();
    for (size_t before = SIZE_MAX; before != own_.size();) {
      before = own_.size();
      for (const Instruction& i : code) {
        if (const auto* const call = std::get_if<instruction::CallStep>(&i)) add_own(plan_.steps[call->step]);
      }
    }
  } while (ban_strangers(code));
  for (const SlotId slot : own_) numbers_.emplace(slot, static_cast<uint32_t>(numbers_.size()));
}

void OwnArrays::add_own(const Step& step) {
  each_member(plan_, step, [&](const Step& member) {
    if (!may_be_own(member)) return;
    for (const SlotId slot : results_of(member)) {
      if (slot != Step::nowhere && !banned_.contains(slot)) own_.insert(slot);
    }
  });
}

bool OwnArrays::may_be_own(const Step& step) const {
  if (filling(step) || takes(step) || (fits(step) && is_own(step.operands[0]))) return true;
  if (const Launch* const launch = maps(step)) {
    return std::ranges::all_of(launch->inputs, [&](const Launch::Input& input) {
      return own_.contains(input.slot) || !written_.contains(input.slot);
    });
  }
  return step.is<step::Move>() &&
         std::ranges::all_of(step.operands, [&](const Operand& each) { return is_outer(each) || is_own(each); });
}

// Slots that are named outside, hold numbers, or are read before they have been given anything.
bool OwnArrays::ban_strangers(const Code& code) {
  std::set<SlotId> made;
  const size_t before = banned_.size();
  const auto read = [&](SlotId slot) {
    if (own_.contains(slot) && !made.contains(slot)) banned_.insert(slot);
  };
  for (const Instruction& i : code) {
    each_slot(i, [&](SlotId slot) {
      read(slot);
      if (!is<instruction::Element, instruction::SetElement, instruction::Extent>(i) && own_.contains(slot))
        banned_.insert(slot);
    });
    const auto* const call = std::get_if<instruction::CallStep>(&i);
    if (call == nullptr) continue;
    each_member(plan_, plan_.steps[call->step], [&](const Step& member) {
      StepSlots slots;
      note_step(plan_, member, slots);
      std::ranges::for_each(slots.read, read);
      made.merge(slots.made);
    });
  }
  for (const SlotId slot : own_) {
    if (outside_.contains(slot)) banned_.insert(slot);
  }
  return banned_.size() != before;
}

// --- which steps ---

namespace {

const step::Apply* plain_apply(const Step& step) {
  const auto* const apply = step.get_if<step::Apply>();
  return apply != nullptr && apply->operation != nullptr ? apply : nullptr;
}
// x[i, …]: numbers along the first axes.
std::optional<size_t> leading_items(const Step& step, size_t spec) {
  if (step.operands.size() <= spec || step.operands[spec].kind != Operand::Kind::constant) return std::nullopt;
  const Value& value = step.operands[spec].value;
  if (value.tag() != Tag::i64) return std::nullopt;
  const ops::IndexSpec items(value.i64());
  if (step.operands.size() != spec + 1 + items.items()) return std::nullopt;
  for (unsigned k = 0; k < items.items(); ++k) {
    if (items.item(k) != ops::IndexSpec::Item::at) return std::nullopt;
  }
  return items.items();
}
const Type& type_of_result(const Plan& plan, const step::Apply& apply) {
  return plan.graph->values[apply.operation->results[0]].type;
}
bool has_rank(const Plan& plan, const step::Apply& apply) {
  const ir::ValueInfo& info = plan.graph->values[apply.operation->results[0]];
  const unsigned rank = info.type.shape.rank();
  return !info.boxed && !info.list && rank > 0 && rank <= LaneArray::max_rank;
}

}  // namespace

// One number fills all elements. The extents are operands by themselves, or in a tuple.
std::optional<OwnArrays::Filling> OwnArrays::filling(const Step& step) const {
  const auto* const apply = plain_apply(step);
  if (apply == nullptr || !has_rank(plan_, *apply)) return std::nullopt;
  const Type& type = type_of_result(plan_, *apply);
  const ops::Entry* const entry = apply->op.entry;
  const std::span operands(step.operands);
  std::span extents = operands.subspan(apply->op.parameters);
  Filling all;
  if (entry == &ops::handles().zeros || entry == &ops::ones_entry()) {
    all.number.value = Value::number(type.dtype, int64_t{entry == &ops::ones_entry()});
  } else if (entry == &ops::full_entry() && is_number(*plan_.graph, apply->operation->args[1])) {
    all.number = operands[1];
    extents = operands.first(1);
  } else if (entry == &ops::handles().broadcast_to && is_number(*plan_.graph, apply->operation->args[0])) {
    all.number = operands[0];
  } else {
    return std::nullopt;
  }
  for (const Operand& operand : extents) {
    if (operand.kind == Operand::Kind::slot || !operand.value.is(ObjectKind::tuple)) {
      all.extents.push_back(operand);
      continue;
    }
    for (const Value& item : operand.value.tuple().items) {
      Operand extent{.value = item};
      if (ir::is_symbol(item)) extent = {.kind = Operand::Kind::slot, .slot = ir::id_of(item), .value = {}};
      all.extents.push_back(extent);
    }
  }
  return all.extents.size() == type.shape.rank() ? std::optional(std::move(all)) : std::nullopt;
}
// An array that must have certain extents.
bool OwnArrays::fits(const Step& step) const {
  const auto* const apply = plain_apply(step);
  if (apply == nullptr || !has_rank(plan_, *apply)) return false;
  const Value& x = apply->operation->args[0];
  const Type& type = type_of_result(plan_, *apply);
  const unsigned rank = type.shape.rank();
  if (step.operands.size() != apply->op.parameters + rank || !ir::is_symbol(x)) return false;
  if (shape_of(*plan_.graph, x).rank() != rank || dtype_of(*plan_.graph, x) != type.dtype) return false;
  if (apply->op.entry == &ops::handles().broadcast_to) return true;
  const Operand& dtype = step.operands[2];
  return apply->op.entry == &ops::handles().expect_shape && dtype.kind == Operand::Kind::constant &&
         dtype.value.is(ObjectKind::string) && dtype.value.string().text == name_of(type.dtype);
}
// Part of a tensor from outside.
bool OwnArrays::takes(const Step& step) const {
  const auto* const apply = plain_apply(step);
  return apply != nullptr && apply->op.entry == &ops::handles().index_read && has_rank(plan_, *apply) &&
         is_outer(step.operands[0]) && leading_items(step, 1);
}
bool OwnArrays::puts(const Step& step) const {
  const auto* const apply = plain_apply(step);
  return apply != nullptr && apply->op.entry == &ops::handles().index_update && leading_items(step, 2) == 1 &&
         step.operands[0].kind == Operand::Kind::slot && !is_own(step.operands[0]) && is_own(step.operands[1]);
}

// A kernel over elements of arrays that are alike.
const Launch* OwnArrays::maps(const Step& step) const {
  const auto* const run = step.get_if<step::RunLaunch>();
  if (run == nullptr) return nullptr;
  const Launch& launch = plan_.launches[run->launch];
  const bool plain = !launch.of_numbers && launch.product == Launch::nowhere && launch.reductions.empty() &&
                     !launch.inputs.empty() && !launch.outputs.empty();
  const bool wanted = std::ranges::none_of(launch.outputs, [](const auto& each) { return each.slot == Step::nowhere; });
  return plain && wanted ? &launch : nullptr;
}
std::vector<SlotId> OwnArrays::results_of(const Step& step) const {
  const Launch* const launch = maps(step);
  if (launch == nullptr) return step.results;
  std::vector<SlotId> slots;
  for (const Launch::Output& output : launch->outputs) slots.push_back(output.slot);
  return slots;
}

bool OwnArrays::add(const Operand& operand, Dtype dtype, const Code& code, size_t at, Numbers& to) const {
  if (to.step.numbers.size() == LaneStep::max_numbers) return false;
  if (operand.kind == Operand::Kind::constant) {
    if (!operand.value.is_scalar() || operand.value.scalar_dtype() != dtype) return false;
    uint64_t bits = 0;
    std::memcpy(&bits, operand.value.scalar_data(), size_of(dtype));
    to.step.numbers.push_back({Given::constant, bits});
    return true;
  }
  if (is_outer(operand)) {
    to.step.numbers.push_back({Given::slot, operand.slot});
    return true;
  }
  const Register* const from = stored_number(operand, code, at);
  if (from == nullptr || plan_.program.code.registers[*from] != dtype) return false;
  to.step.numbers.push_back({Given::argument});
  to.arguments.push_back(*from);
  return true;
}

std::optional<OwnArrays::Found> OwnArrays::found(const Step& step, const Code& code, size_t at) {
  if (const std::optional<Filling> all = filling(step)) return fill(step, *all, code, at);
  if (fits(step)) return fit(step, code, at);
  if (step.is<step::RunRowTiles>()) return members(step, code, at);
  if (takes(step)) return part(step, code, at);
  if (puts(step)) return put(step, code, at);
  if (step.is<step::RunLaunch>()) return launch(step, code, at);
  if (step.is<step::Move>()) return moves(step);
  if (step.is<step::Drop>()) return Found();
  return std::nullopt;
}

std::optional<OwnArrays::Found> OwnArrays::fill(const Step& step, const Filling& all, const Code& code, size_t at) {
  if (!own_.contains(step.results[0])) return std::nullopt;
  const Dtype dtype = type_of_result(plan_, std::get<step::Apply>(step.action)).dtype;
  Numbers numbers{{.kind = What::fill, .to = number(step.results[0]), .dtype = dtype}};
  if (!add(all.number, dtype, code, at, numbers)) return std::nullopt;
  for (const Operand& extent : all.extents) {
    if (!add(extent, Dtype::i64, code, at, numbers)) return std::nullopt;
  }
  return Found{{numbers.step}, {numbers.arguments}};
}

std::optional<OwnArrays::Found> OwnArrays::fit(const Step& step, const Code& code, size_t at) {
  const bool copies = step.results[0] != Step::nowhere;
  if (!is_own(step.operands[0]) || (copies && !own_.contains(step.results[0]))) return std::nullopt;
  Numbers numbers{{.kind = What::expect, .from = number(step.operands[0].slot)}};
  if (copies) {
    numbers.step.kind = What::copy;
    numbers.step.to = number(step.results[0]);
  }
  const uint32_t first = std::get<step::Apply>(step.action).op.parameters;
  for (size_t k = first; k < step.operands.size(); ++k) {
    if (!add(step.operands[k], Dtype::i64, code, at, numbers)) return std::nullopt;
  }
  return Found{{numbers.step}, {numbers.arguments}};
}

// One after the other.
std::optional<OwnArrays::Found> OwnArrays::members(const Step& step, const Code& code, size_t at) {
  Found all;
  bool known = true;
  each_member(plan_, step, [&](const Step& member) {
    std::optional<Found> one = known ? found(member, code, at) : std::nullopt;
    known = one.has_value();
    if (!known) return;
    std::ranges::move(one->steps, std::back_inserter(all.steps));
    std::ranges::move(one->arguments, std::back_inserter(all.arguments));
  });
  return known ? std::optional(std::move(all)) : std::nullopt;
}

std::optional<OwnArrays::Found> OwnArrays::part(const Step& step, const Code& code, size_t at) {
  if (!own_.contains(step.results[0])) return std::nullopt;
  Numbers numbers{{.kind = What::take, .to = number(step.results[0]), .from = step.operands[0].slot}};
  for (size_t k = 2; k < step.operands.size(); ++k) {
    if (!add(step.operands[k], Dtype::i64, code, at, numbers)) return std::nullopt;
  }
  return Found{{numbers.step}, {numbers.arguments}};
}

std::optional<OwnArrays::Found> OwnArrays::put(const Step& step, const Code& code, size_t at) {
  const Register* const index = stored_number(step.operands[3], code, at);
  if (index == nullptr || *index != iteration_ || step.results[0] == Step::nowhere) return std::nullopt;
  const SlotId given = step.operands[0].slot;
  const SlotId result = results_.contains(given) ? results_.at(given) : given;
  if (step.results[0] != result) results_[step.results[0]] = result;
  return Found{{{.kind = What::put, .to = result, .from = number(step.operands[1].slot)}}, {{}}};
}

std::optional<OwnArrays::Found> OwnArrays::launch(const Step& step, const Code& code, size_t at) {
  const Launch* const launch = maps(step);
  if (launch == nullptr) return std::nullopt;
  Found found;
  Numbers numbers{{.kind = What::launch, .from = std::get<step::RunLaunch>(step.action).launch}};
  for (const Launch::Output& output : launch->outputs) {
    if (!own_.contains(output.slot)) return std::nullopt;
    numbers.step.arrays.push_back(number(output.slot));
  }
  for (const Launch::Input& input : launch->inputs) {
    if (own_.contains(input.slot)) {
      numbers.step.arrays.push_back(number(input.slot));
    } else if (!written_.contains(input.slot)) {
      numbers.step.arrays.push_back(arrays_);
      found.steps.push_back({.kind = What::take, .to = arrays_++, .from = input.slot});
      found.arguments.emplace_back();
    } else {
      return std::nullopt;
    }
  }
  for (size_t k = 0; k < launch->numbers.size(); ++k) {
    const Operand operand{.kind = Operand::Kind::slot, .slot = launch->numbers[k], .value = {}};
    if (!add(operand, launch->number_dtypes[k], code, at, numbers)) return std::nullopt;
  }
  found.steps.push_back(std::move(numbers.step));
  found.arguments.push_back(std::move(numbers.arguments));
  return found;
}

// All at once: what a move takes away another one may still need, which then finds it where the first one's was.
std::optional<OwnArrays::Found> OwnArrays::moves(const Step& step) const {
  Found found;
  std::map<SlotId, SlotId> now;  // where an array is, by the slot where it was
  const auto place = [&](SlotId slot) { return now.contains(slot) ? now[slot] : slot; };
  for (size_t k = 0; k < step.results.size(); ++k) {
    const SlotId to = step.results[k];
    const Operand& operand = step.operands[k];
    if (operand.kind == Operand::Kind::slot && results_.contains(operand.slot) && results_.at(operand.slot) == to)
      continue;
    if (!own_.contains(to) || (!is_outer(operand) && !is_own(operand))) return std::nullopt;
    found.arguments.emplace_back();
    if (is_outer(operand)) {
      found.steps.push_back({.kind = What::take, .to = number(to), .from = operand.slot});
    } else if (operand.last) {
      const SlotId from = place(operand.slot);
      found.steps.push_back({.kind = What::swap, .to = number(to), .from = number(from)});
      for (const SlotId slot : own_) {
        if (place(slot) == to && slot != operand.slot) now[slot] = from;
      }
      continue;
    } else {
      found.steps.push_back({.kind = What::copy, .to = number(to), .from = number(place(operand.slot))});
    }
    for (size_t later = k + 1; later < step.results.size(); ++later) {
      if (is_own(step.operands[later]) && place(step.operands[later].slot) == to) return std::nullopt;
    }
  }
  return found;
}

// --- the code ---

void OwnArrays::take(Code& code, LaneLoop& loop) {
  find_own(code);
  arrays_ = static_cast<uint32_t>(own_.size());
  Code made;
  for (size_t at = 0; at < code.size(); ++at) {
    const auto* const call = std::get_if<instruction::CallStep>(&code[at]);
    const std::optional<Found> steps = call == nullptr ? std::nullopt : found(plan_.steps[call->step], code, at);
    if (steps) {
      for (size_t k = 0; k < steps->steps.size(); ++k) {
        made.emplace_back(instruction::ArrayStep{static_cast<uint32_t>(loop.steps.size()), steps->arguments[k]});
        made.back().place = code[at].place;
        loop.steps.push_back(steps->steps[k]);
      }
      continue;
    }

    made.push_back(code[at]);
    match(made.back(), [&](auto& each) {
      if constexpr (requires { each.array; }) {
        if (own_.contains(each.slot)) each.array = number(each.slot);
      }
    });
  }
  code = std::move(made);
  loop.arrays = arrays_;
}

}  // namespace covec::loops
