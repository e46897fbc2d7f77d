#include "jit/loops/lanes/find_lanes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "jit/loops/fail_at_steps.hpp"
#include "jit/loops/lanes/lane_draws.hpp"
#include "jit/loops/lanes/own_arrays.hpp"
#include "jit/loops/lanes/varying.hpp"
#include "jit/loops/step_slots.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/derivatives/grad.hpp"
#include "stdlib/ops/general/staged.hpp"

namespace covec::loops {

namespace {

// Half of what a function's code may have (max_instructions in jit/pipeline.cpp); these are made besides.
constexpr size_t longest = 30'000;  // instructions
// Straight-line iterations of fewer are not worth the call.
constexpr size_t long_iteration = 64;  // instructions

constexpr const char* hands_on = "its iterations hand on values";
constexpr const char* has_lists = "it has a list or text";
constexpr const char* calls_itself = "it calls a function that calls itself";

// The largest array of an iteration where a kernel can run each inner loop: with larger ones the kernels are faster.
// Measured with stencils.
constexpr int64_t max_elements_with_kernels = 128;  // elements

// A loop `for i from what it is to count - 1`, by instructions.
struct Counted {
  size_t begin = 0, end = 0;      // its Loop and EndLoop
  size_t body = 0, body_end = 0;  // behind the question whether it goes on; where the counter is advanced
  Register index = 0, count = 0;
};

struct Made {
  LaneLoop loop;
  std::vector<std::pair<Register, size_t>> given;  // numbers from outside, and the loop's instructions that load them
};

class Lanes {
 public:
  explicit Lanes(Plan& plan) : plan_(plan), code_(plan.program.code) {}

  void run() {
    note_registers();
    for (size_t at = 0; at < code_.instructions.size(); ++at) {
      if (!is<instruction::Loop>(code_.instructions[at])) continue;
      const std::optional<Counted> loop = counted(at);
      if (!loop) continue;
      std::optional<Made> made = lanes_of(*loop);
      if (!made) continue;
      at = end_of(insert(*loop, std::move(*made)));  // the loops inside it run within a lane
      note_registers();
    }
  }

 private:
  // --- what the code is like ---

  void note_registers() {
    writes_.assign(code_.registers.size(), 0);
    constants_.assign(code_.registers.size(), std::nullopt);
    for (const Instruction& i : code_.instructions) {
      if (const Register* const to = written_by(i)) ++writes_[*to];
      if (const auto* const constant = std::get_if<instruction::Constant>(&i))
        constants_[constant->to] = constant->bits;
    }
  }
  bool is_constant(Register r) const { return writes_[r] == 1 && constants_[r].has_value(); }
  size_t end_of(size_t begin) const {
    size_t depth = 0;
    for (size_t at = begin;; ++at) {
      if (is<instruction::Loop>(code_.instructions[at])) ++depth;
      if (is<instruction::EndLoop>(code_.instructions[at]) && --depth == 0) return at;
    }
  }

  std::optional<Counted> counted(size_t begin) const {
    const std::vector<Instruction>& all = code_.instructions;
    Counted loop{begin, end_of(begin)};
    size_t at = begin + 1;
    if (!is<instruction::Poll>(all[at])) return std::nullopt;
    const auto* const compare = std::get_if<instruction::Scalar>(&all[++at]);
    if (compare == nullptr || compare->op != ops::ScalarOp::lt) return std::nullopt;
    const auto* const leave = std::get_if<instruction::BreakUnless>(&all[++at]);
    const auto* const advance = std::get_if<instruction::Scalar>(&all[loop.end - 1]);
    if (leave == nullptr || leave->condition != compare->to || advance == nullptr) return std::nullopt;
    loop.index = compare->operands[0];
    loop.count = compare->operands[1];
    loop.body = at + 1;
    loop.body_end = loop.end - 1;
    const bool by_one = advance->op == ops::ScalarOp::add && advance->to == loop.index &&
                        advance->operands[0] == loop.index && is_constant(advance->operands[1]) &&
                        constants_[advance->operands[1]] == 1;
    return by_one && code_.registers[loop.index] == Dtype::i64 ? std::optional(loop) : std::nullopt;
  }

  // --- whether its iterations are independent ---

  std::optional<Made> lanes_of(const Counted& loop) {
    const std::span body = std::span(code_.instructions).subspan(loop.body, loop.body_end - loop.body);
    if (!is_worth(loop, body)) {
      const std::optional<Refusal> refusal = always_takes_a_step(body);
      return refusal ? refuse_examples(loop, refusal->why, refusal->at) : std::nullopt;
    }
    if (!may_set_its_own(body, loop.index) || !keeps_to_itself(loop)) return refuse_examples(loop, hands_on);
    Made made;
    std::vector<Instruction>& code = made.loop.code.instructions;
    code.assign(body.begin(), body.end());
    const Kernels kernels = drop_loops_of_kernels(code);
    test_what_steps_test(code);
    OwnArrays arrays(plan_, loop.body, loop.body_end, loop.index);
    arrays.take(code, made.loop);
    const Sets sets = sets_elements(loop, made.loop, arrays);
    if (sets != Sets::its_own) {
      const std::optional<Refusal> refusal = always_takes_a_step(code);
      if (!refusal) return refuse_examples(loop, hands_on);
      return sets == Sets::nothing ? refuse_examples(loop, refusal->why, refusal->at)
                                   : refuse(loop, refusal->why, refusal->at);
    }
    if (body.size() > longest) return refuse(loop, "it is too long");
    if (kernels.count > 0 && made.loop.arrays == 0) return refuse(loop, "a loop in it is a kernel", kernels.place);
    if (kernels.count > 0 && kernels.count == innermost_loops(code)) made.loop.max_elements = max_elements_with_kernels;
    if (loads_what_it_stores(code) || !has_own_stacks(loop)) return refuse(loop, hands_on);
    if (const std::optional<Refusal> refusal = always_takes_a_step(code))
      return refuse(loop, refusal->why, refusal->at);
    if (!draws_by_itself(code)) return refuse(loop, "it draws from the session's random numbers");
    fail_at_steps(code);
    make_own(loop, made);
    compute_draws(made.loop);
    made.loop.varying = std::make_shared<const Varying>(made.loop);
    if (made.loop.varying->is_refused()) return refuse(loop, "a loop in it is left from within a branch");
    return made;
  }
  std::optional<Made> refuse(const Counted& loop, const char* why, uint32_t at = 0) {
    plan_.lane_refusals.push_back({place_of(loop), why, at});
    return std::nullopt;
  }
  // Of many other loops nobody would think that lanes can run them.
  std::optional<Made> refuse_examples(const Counted& loop, const char* why, uint32_t at = 0) {
    const auto& place = plan_.graph->places[place_of(loop)].whole;
    const bool examples = std::ranges::any_of(
        plan_.graph->one_by_one, [&](const auto& call) { return call.contains(place) && place.contains(call); });
    return examples && !is_kernel(loop) ? refuse(loop, why, at) : std::nullopt;
  }
  uint32_t place_of(const Counted& loop) const {
    return plan_.steps[std::get<instruction::Poll>(code_.instructions[loop.begin + 1]).step].place;
  }

  // Registers that an iteration writes are read nowhere else, and nowhere before.
  bool keeps_to_itself(const Counted& loop) const {
    enum : uint8_t { elsewhere, inside, written };
    std::vector<uint8_t> state(code_.registers.size(), elsewhere);
    const std::vector<Instruction>& all = code_.instructions;
    for (size_t at = loop.body; at < loop.body_end; ++at) {
      if (const Register* const to = written_by(all[at])) state[*to] = inside;
    }
    if (state[loop.index] == inside || state[loop.count] == inside) return false;
    bool keeps = true;
    for (size_t at = 0; at < all.size() && keeps; ++at) {
      const bool is_inside = at >= loop.body && at < loop.body_end;
      each_read(all[at],
                [&](Register r) { keeps = keeps && (state[r] == elsewhere || (is_inside && state[r] == written)); });
      const Register* const to = written_by(all[at]);
      if (to == nullptr || state[*to] == elsewhere) continue;
      keeps = keeps && is_inside;
      state[*to] = written;
    }
    return keeps;
  }

  struct Kernels {
    size_t count = 0;
    uint32_t place = 0;  // of the last one
  };
  // Steps that make all iterations of a loop at once, where they can: in lanes it runs as it is written.
  Kernels drop_loops_of_kernels(std::vector<Instruction>& code) const {
    Kernels dropped;
    for (size_t at = 0; at < code.size(); ++at) {
      const auto* const call = std::get_if<instruction::CallStep>(&code[at]);
      if (call == nullptr || !plan_.steps[call->step].is<step::RunVectorLoop>()) continue;
      size_t first = at, last = at;
      while (!is<instruction::If>(code[first])) --first;
      while (!is<instruction::EndIf>(code[last])) ++last;
      dropped = {dropped.count + 1, plan_.steps[call->step].place};
      code.erase(code.begin() + static_cast<std::ptrdiff_t>(first),
                 code.begin() + static_cast<std::ptrdiff_t>(last) + 1);
      at = first;
    }
    return dropped;
  }
  static size_t innermost_loops(const std::vector<Instruction>& code) {
    size_t count = 0;
    bool inside = false;
    for (const Instruction& i : code) {
      if (is<instruction::EndLoop>(i) && inside) ++count;
      if (is<instruction::Loop, instruction::EndLoop>(i)) inside = is<instruction::Loop>(i);
    }
    return count;
  }

  // Steps that do nothing where a number holds: the iteration fails where it does not.
  void test_what_steps_test(std::vector<Instruction>& code) const {
    for (size_t at = 0; at < code.size(); ++at) {
      const auto* const call = std::get_if<instruction::CallStep>(&code[at]);
      const Step* const step = call == nullptr ? nullptr : &plan_.steps[call->step];
      const auto* const apply = step == nullptr ? nullptr : step->get_if<step::Apply>();
      if (apply == nullptr ||
          (apply->op.entry != &autodiff::warn_unless_entry() && apply->op.entry != &ops::require_entry()))
        continue;
      const Register* const condition = stored_number(step->operands[0], code, at);
      if (condition == nullptr) continue;
      Instruction test[] = {instruction::If{*condition}, instruction::Else{}, instruction::Fail{},
                            instruction::EndIf{}};
      for (Instruction& i : test) i.place = code[at].place;
      code.erase(code.begin() + static_cast<std::ptrdiff_t>(at));
      code.insert(code.begin() + static_cast<std::ptrdiff_t>(at), std::begin(test), std::end(test));
      at += std::size(test) - 1;
    }
  }
  static bool loads_what_it_stores(const std::vector<Instruction>& code) {
    std::set<SlotId> stored;
    bool steps = false;
    for (const Instruction& i : code) {
      if (const auto* const store = std::get_if<instruction::Store>(&i)) stored.insert(store->slot);
    }
    return std::ranges::any_of(code, [&](const Instruction& i) {
      steps = is<instruction::CallStep>(i) || (steps && !is<instruction::Else, instruction::EndIf>(i));
      const auto* const load = std::get_if<instruction::Load>(&i);
      return load != nullptr && !steps && stored.contains(load->slot);
    });
  }

  // Nobody else uses them, so that what is taken from them has been put there by the same iteration.
  bool has_own_stacks(const Counted& loop) const {
    std::set<uint32_t> inside, outside;
    for (size_t at = 0; at < code_.instructions.size(); ++at) {
      std::set<uint32_t>& used = at >= loop.body && at < loop.body_end ? inside : outside;
      if (const auto* const push = std::get_if<instruction::PushNumber>(&code_.instructions[at]))
        used.insert(push->stack);
      if (const auto* const pop = std::get_if<instruction::PopNumber>(&code_.instructions[at])) used.insert(pop->stack);
    }
    return std::ranges::none_of(inside, [&](uint32_t stack) { return outside.contains(stack); });
  }

  // What no way through it is without, and lanes cannot do.
  struct Refusal {
    const char* why;
    uint32_t at;
  };
  std::optional<Refusal> always_takes_a_step(std::span<const Instruction> code) const {
    using namespace instruction;
    std::vector<bool> branches;  // that are open: true; loops: false
    uint32_t place = 0;
    std::optional<Refusal> moves;  // told of if nothing else is
    for (const Instruction& i : code) {
      if (i.place != 0) place = i.place;
      if (!is<Constant, Move, Scalar, If, Else, EndIf, Loop, EndLoop, BreakIf, BreakUnless, Poll, Load, Store, Extent,
              Element, SetElement, PushNumber, PopNumber, ArrayStep, CallStep, Fail, Draw, NextCall, SetNextCall>(i))
        return Refusal{is<CallRoutine>(i) ? calls_itself : has_lists, place};
      if (is<If, Loop>(i)) branches.push_back(is<If>(i));
      if (is<EndIf, EndLoop>(i)) branches.pop_back();
      const auto* const call = std::get_if<CallStep>(&i);
      if (call == nullptr || (!branches.empty() && branches.back())) continue;
      const Step& step = plan_.steps[call->step];
      const Refusal refusal{what_it_does(step), step.place};
      if (!step.is<step::Move>() && !step.is<step::Drop>()) return refusal;
      if (!moves) moves = refusal;
    }
    return moves;
  }

  const char* what_it_does(const Step& step) const {
    if (step.is<step::Invoke>()) return calls_itself;
    if (step.is<step::CallValue>()) return "it calls a function that is not compiled with it";
    if (step.is<step::Interpret>()) return "a part of it is interpreted";
    const auto* const apply = step.get_if<step::Apply>();
    const bool makes_boxed =
        apply != nullptr && apply->operation != nullptr &&
        std::ranges::any_of(apply->operation->results, [&](ir::Id id) { return plan_.graph->values[id].boxed; });
    return makes_boxed || step.is<step::ListPush>() || step.is<step::ListSet>() || step.is<step::ListItem>()
               ? has_lists
               : "it has an operation on tensors";
  }

  // Loops and branches are, and long iterations; the rest is a kernel's work.
  bool is_worth(const Counted& loop, std::span<const Instruction> code) const {
    const bool branches = std::ranges::any_of(code, [](const Instruction& i) {
      const auto* const branch = std::get_if<instruction::If>(&i);
      return is<instruction::Loop>(i) || (branch != nullptr && !branch->cold);
    });
    return branches || (code.size() >= long_iteration && !is_kernel(loop));
  }
  // A step before it makes all iterations, where it can.
  bool is_kernel(const Counted& loop) const {
    for (size_t at = loop.begin; at-- > 0;) {
      if (is<instruction::Loop, instruction::EndLoop>(code_.instructions[at])) return false;
      const auto* const call = std::get_if<instruction::CallStep>(&code_.instructions[at]);
      if (call != nullptr && plan_.steps[call->step].is<step::RunVectorLoop>()) return true;
    }
    return false;
  }

  // Few loops do; to know what they set takes long.
  bool may_set_its_own(std::span<const Instruction> code, Register index) const {
    return std::ranges::any_of(code, [&](const Instruction& i) {
      if (const auto* const sets = std::get_if<instruction::SetElement>(&i))
        return std::ranges::find(sets->indices, index) != sets->indices.end();
      const auto* const call = std::get_if<instruction::CallStep>(&i);
      const auto* const apply = call == nullptr ? nullptr : plan_.steps[call->step].get_if<step::Apply>();
      return apply != nullptr && apply->op.entry == &ops::handles().index_update;
    });
  }

  // Its own elements: each is set by one iteration alone, and no other one reads it. Lanes may set elements of later
  // iterations before an earlier one fails. And where tensors lie that are read is looked up once, before the first
  // iteration.
  enum class Sets : uint8_t { nothing, its_own, more_than_its_own };
  Sets sets_elements(const Counted& loop, const LaneLoop& lanes, const OwnArrays& arrays) const {
    StepSlots steps;
    std::map<SlotId, std::set<size_t>> own;  // of what is set: the axes along which an iteration has its number's part
    const auto set = [&](SlotId slot, const std::set<size_t>& axes) {
      const auto [known, is_new] = own.try_emplace(slot, axes);
      if (!is_new) std::erase_if(known->second, [&](size_t axis) { return !axes.contains(axis); });
    };
    for (const Instruction& i : lanes.code.instructions) {
      if (const auto* const call = std::get_if<instruction::CallStep>(&i))
        note_step(plan_, plan_.steps[call->step], steps);
    }
    for (const LaneStep& step : lanes.steps) {
      if (step.kind == LaneStep::Kind::take) steps.read.insert(step.from);
      if (step.kind == LaneStep::Kind::put) set(step.to, {0});
    }
    std::vector<Instruction> reached = lanes.code.instructions;
    fail_at_steps(reached);
    bool stays = std::ranges::none_of(reached, [&](const Instruction& i) {  // each tensor that is read, or set
      const auto* const element = std::get_if<instruction::Element>(&i);
      return element != nullptr && element->array == no_array && steps.changed.contains(element->slot);
    });
    for (const Instruction& i : lanes.code.instructions) {
      match(i, [&](const auto& each) {
        if constexpr (requires { each.slot; }) stays = stays && !arrays.is_renamed_result(each.slot);
      });
      const auto* const sets = std::get_if<instruction::SetElement>(&i);
      if (sets != nullptr && sets->array == no_array) set(sets->slot, own_axes(*sets, loop.index));
    }
    const bool reads_its_own = sets_no_more_where_it_may_fail(lanes.code.instructions);
    for (const Instruction& i : lanes.code.instructions) {
      const auto* const element = std::get_if<instruction::Element>(&i);
      if (element == nullptr || element->array != no_array) continue;
      if (own.contains(element->slot) && reads_its_own)
        set(element->slot, own_axes(*element, loop.index));
      else
        steps.read.insert(element->slot);
    }
    if (std::ranges::all_of(own, [](const auto& each) { return each.second.empty(); })) return Sets::nothing;
    const bool apart =
        std::ranges::none_of(own, [&](const auto& each) { return each.second.empty() || steps.mention(each.first); });
    return stays && apart ? Sets::its_own : Sets::more_than_its_own;
  }

  static std::set<size_t> own_axes(const instruction::ElementPlace& place, Register index) {
    std::set<size_t> axes;
    for (size_t axis = 0; axis < place.indices.size(); ++axis) {
      if (place.indices[axis] == index) axes.insert(axis);
    }
    return axes;
  }
  // An iteration that fails runs again, and must find what it reads as it was. So behind the first element that it sets
  // of a tensor that it reads, it reads and sets only such elements as have been there before.
  bool sets_no_more_where_it_may_fail(const std::vector<Instruction>& code) const {
    using namespace instruction;
    std::set<SlotId> read;
    for (const Instruction& i : code) {
      if (const auto* const element = std::get_if<Element>(&i)) read.insert(element->slot);
    }
    std::set<std::pair<SlotId, std::vector<uint64_t>>> there;
    bool has_set = false;
    for (const Instruction& i : code) {
      if (!is<Constant, Move, Scalar, Element, SetElement>(i)) return false;
      const ElementPlace* place = std::get_if<Element>(&i);
      if (place == nullptr) place = std::get_if<SetElement>(&i);
      if (place == nullptr) continue;
      if (place->array != no_array || (there.insert(name_of(*place)).second && has_set)) return false;
      has_set = has_set || (is<SetElement>(i) && read.contains(place->slot));
    }
    return true;
  }
  // Equal constants are equal indices.
  std::pair<SlotId, std::vector<uint64_t>> name_of(const instruction::ElementPlace& place) const {
    std::vector<uint64_t> indices;
    for (const Register r : place.indices) {
      indices.push_back(is_constant(r) ? 1 : 0);
      indices.push_back(is_constant(r) ? *constants_[r] : r);
    }
    return {place.slot, indices};
  }

  // --- the code for lanes ---

  // Registers and views of its own. Before the iteration it gets what it needs of outside.
  void make_own(const Counted& loop, Made& made) const {
    Code& code = made.loop.code;
    code.name = code_.name;
    std::map<std::pair<SlotId, size_t>, uint32_t> views;
    std::set<Register> written, inside;  // in the code for lanes; in all of the iteration, where steps may have failed
    for (size_t at = loop.body; at < loop.body_end; ++at) {
      if (const Register* const to = written_by(code_.instructions[at])) inside.insert(*to);
    }
    for (Instruction& i : code.instructions) {
      if (const Register* const to = written_by(i)) written.insert(*to);
      match(i, [&](auto& each) {
        if constexpr (std::is_base_of_v<instruction::ElementPlace, std::decay_t<decltype(each)>>)
          see(each, views, code);
      });
    }
    std::map<uint32_t, uint32_t> stacks;
    for (Instruction& i : code.instructions) {
      match(i, [&](auto& each) {
        if constexpr (requires { each.stack; })
          each.stack = stacks.try_emplace(each.stack, static_cast<uint32_t>(stacks.size())).first->second;
      });
    }
    made.loop.stacks = static_cast<uint32_t>(stacks.size());
    std::vector<Instruction> head;
    for (uint32_t view = 0; view < code.views.size(); ++view) head.emplace_back(instruction::LookUp{view, {}});
    std::map<Register, Register> names;
    const auto rename = [&](Register& r) {
      const auto [name, is_new] = names.try_emplace(r, static_cast<Register>(code.registers.size()));
      if (is_new) {
        code.registers.push_back(code_.registers[r]);
        code.register_names.push_back(code_.register_names[r]);
        if (r == loop.index || written.contains(r)) {
        } else if (inside.contains(r)) {
          head.emplace_back(instruction::Constant{name->second, 0});
        } else if (is_constant(r)) {
          head.emplace_back(instruction::Constant{name->second, *constants_[r]});
        } else {
          made.given.emplace_back(r, head.size());
          head.emplace_back(instruction::Load{name->second, 0});  // the slot is chosen later
        }
      }
      r = name->second;
    };
    made.loop.iteration = loop.index;
    rename(made.loop.iteration);
    for (Instruction& i : code.instructions) {
      each_operand(i, rename);
      if (Register* const to = written_by(i)) rename(*to);
    }
    made.loop.head = head.size();
    code.instructions.insert(code.instructions.begin(), head.begin(), head.end());
  }
  template <class AnyPlace>
  void see(AnyPlace& place, std::map<std::pair<SlotId, size_t>, uint32_t>& views, Code& code) const {
    constexpr bool sets = std::is_same_v<AnyPlace, instruction::SetElement>;
    place.saves.clear();
    if (place.array != no_array) return;
    const auto [view, is_new] =
        views.try_emplace({place.slot, place.indices.size()}, static_cast<uint32_t>(code.views.size()));
    Register number = 0;
    if constexpr (sets)
      number = place.from;
    else
      number = place.to;
    if (is_new)
      code.views.push_back({place.slot, code_.registers[number], static_cast<unsigned>(place.indices.size()), false});
    code.views[view->second].written |= sets;
    place.view = view->second;
  }

  // --- asking for it ---

  Register fresh(Dtype dtype) {
    code_.registers.push_back(dtype);
    code_.register_names.emplace_back();
    return static_cast<Register>(code_.registers.size() - 1);
  }
  SlotId fresh_slot() {
    plan_.elements.push_back(false);
    return plan_.slots++;
  }

  // Where there are enough iterations. Gives where the loop stands now.
  size_t insert(const Counted& loop, Made&& made) {
    // Iterations for which it is worth asking: of loops two, of other code as many as make up for the call.
    const bool loops = std::ranges::any_of(made.loop.code.instructions, is<instruction::Loop>);
    const uint64_t fewest = loops ? 2 : 8;
    const Register next = fresh(Dtype::i64), never = fresh(Dtype::i64), few = fresh(Dtype::i64);
    const Register at_once = fresh(Dtype::i64), enough = fresh(Dtype::boolean), asks = fresh(Dtype::boolean);
    const Register goes_on = fresh(Dtype::boolean);
    std::vector<Instruction> before, inside;
    before.emplace_back(instruction::Constant{never, static_cast<uint64_t>(INT64_MAX)});
    before.emplace_back(instruction::Constant{few, fewest});
    before.emplace_back(instruction::Constant{at_once, 0});
    before.emplace_back(instruction::Scalar{ops::ScalarOp::le, 2, enough, {few, loop.count}});
    before.emplace_back(instruction::Scalar{ops::ScalarOp::select, 3, next, {enough, at_once, never}});
    const auto number = static_cast<uint32_t>(plan_.program.lane_loops.size());
    const step::RunLaneLoop run{number, fresh_slot(), fresh_slot(), fresh_slot()};
    inside.emplace_back(instruction::Scalar{ops::ScalarOp::le, 2, asks, {next, loop.index}});
    inside.emplace_back(instruction::If{asks, true});
    inside.emplace_back(instruction::Store{run.first, loop.index});
    inside.emplace_back(instruction::Store{run.count, loop.count});
    give_numbers(made, inside);
    inside.emplace_back(instruction::CallStep{static_cast<uint32_t>(plan_.steps.size())});
    plan_.steps.push_back({.action = run, .place = place_of(loop), .results = {run.first, run.next}});
    inside.emplace_back(instruction::Load{loop.index, run.first});
    inside.emplace_back(instruction::Load{next, run.next});
    inside.emplace_back(instruction::EndIf{});
    inside.emplace_back(instruction::Scalar{ops::ScalarOp::lt, 2, goes_on, {loop.index, loop.count}});
    inside.emplace_back(instruction::BreakUnless{goes_on});
    for (std::vector<Instruction>* each : {&before, &inside}) {
      for (Instruction& i : *each) i.place = place_of(loop);
    }
    plan_.program.lane_loops.push_back(std::move(made.loop));
    std::vector<Instruction>& all = code_.instructions;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(loop.body), inside.begin(), inside.end());
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(loop.begin), before.begin(), before.end());
    return loop.begin + before.size();
  }
  // Numbers from outside go by slots.
  void give_numbers(Made& made, std::vector<Instruction>& code) {
    for (const auto& [from, at] : made.given) {
      const SlotId slot = fresh_slot();
      code.emplace_back(instruction::Store{slot, from});
      std::get<instruction::Load>(made.loop.code.instructions[at]).slot = slot;
    }
  }

  Plan& plan_;
  Code& code_;
  std::vector<size_t> writes_;
  std::vector<std::optional<uint64_t>> constants_;
};

}  // namespace

void find_lanes(Plan& plan) { Lanes(plan).run(); }

}  // namespace covec::loops
