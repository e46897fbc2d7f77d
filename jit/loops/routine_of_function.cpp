// A call through a step takes dozens of nanoseconds, one of a routine two. So a function that calls itself gets both:
// its code, and a routine of the same instructions in which a call of the function is one of the routine. A number that
// the code hands to a step in a slot, or takes from there, gets a register of its own. All that may go wrong makes the
// routine fail; it has changed nothing then, and the code makes the call from the start:
//
//     if slot6                      called from outside
//       r = routine[…], else step   the step calls the function again, from inside
//       slot5 = r
//       leave
//     end_if
//     …                             the function's code as it was
//
// There is no routine where a step does something but fail, or where anything is set, pushed or drawn. Start at
// make_routine_of_function, at the end.
#include "jit/loops/routine_of_function.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "jit/loops/build_code.hpp"
#include "jit/loops/fail_at_steps.hpp"
#include "jit/loops/operands.hpp"

namespace covec::loops {

namespace {

constexpr size_t longest = 2000;  // instructions, as they are compiled twice

class FunctionRoutine {
 public:
  FunctionRoutine(Plan& plan, uint32_t function) : plan_(plan), function_(function), code_(plan.program.code) {
    routine_.code.name = code_.name;
    routine_.code.registers = code_.registers;
    routine_.code.register_names = code_.register_names;
  }

  bool make() {
    if (plan_.results.size() != 1 || plan_.results[0].kind != Operand::Kind::slot) return false;
    if (!is_number(*plan_.graph, plan_.graph->body.results[0])) return false;
    find_inputs();
    if (numbers_.size() > Routine::max_parameters || !find_calls()) return false;
    take_slot(plan_.results[0].slot);
    for (const Instruction& i : code_.instructions) {
      place_ = i.place;
      if (!match<bool>(i, [&](const auto& each) { return add(each); })) return false;
    }
    return finish();
  }

 private:
  // --- what goes in and out ---

  void find_inputs() {
    const std::vector<ir::Id>& parameters = plan_.graph->body.parameters;
    for (size_t k = 0; k < plan_.inputs.size(); ++k) {
      const SlotId slot = plan_.inputs[k];
      if (!is_number(*plan_.graph, parameters[k])) {
        read_.insert(slot);
        continue;
      }
      numbers_.push_back(k);
      register_of_[slot] = fresh(plan_.graph->values[parameters[k]].type.dtype);
      routine_.parameters.push_back(register_of_[slot]);
    }
  }
  // Own calls, each of which hands on what is read as it is.
  bool find_calls() {
    bool any = false;
    for (const Step& step : plan_.steps) {
      if (!is_own_call(step)) continue;
      any = true;
      if (step.results.size() != 1) return false;
      for (size_t k = 0; k < plan_.inputs.size(); ++k) {
        const Operand& argument = step.operands[k + 1];
        const SlotId input = plan_.inputs[k];
        const bool from_slot = argument.kind == Operand::Kind::slot;
        if (read_.contains(input) && !(from_slot && argument.slot == input)) return false;
        if (!read_.contains(input) && from_slot) take_slot(argument.slot);
      }
      if (step.results[0] != Step::nowhere) take_slot(step.results[0]);
    }
    return any;
  }
  bool is_own_call(const Step& step) const {
    const auto* const call = step.get_if<step::Invoke>();
    return call != nullptr && call->function == function_;
  }

  // --- slots of numbers ---

  Register fresh(Dtype dtype) {
    routine_.code.registers.push_back(dtype);
    return static_cast<Register>(routine_.code.registers.size() - 1);
  }
  // Its number is needed; of which dtype it is its first use says.
  void take_slot(SlotId slot) { taken_.insert(slot); }
  std::optional<Register> number_in(SlotId slot, Dtype dtype) {
    if (!taken_.contains(slot) && !register_of_.contains(slot)) return std::nullopt;
    const auto [known, is_new] = register_of_.try_emplace(slot, 0);
    if (is_new) known->second = fresh(dtype);
    if (routine_.code.registers[known->second] != dtype) return std::nullopt;
    return known->second;
  }
  Dtype dtype(Register r) const { return routine_.code.registers[r]; }
  void append(Instruction i) {
    i.place = place_;
    routine_.code.instructions.push_back(std::move(i));
  }

  // --- instructions: whether the routine can have them ---

  template <class Kind>
  bool add(const Kind& i) {
    using namespace instruction;
    constexpr bool is_of_numbers =
        std::is_same_v<Kind, Constant> || std::is_same_v<Kind, Move> || std::is_same_v<Kind, Scalar>;
    constexpr bool is_control = std::is_same_v<Kind, If> || std::is_same_v<Kind, Else> || std::is_same_v<Kind, EndIf> ||
                                std::is_same_v<Kind, Loop> || std::is_same_v<Kind, EndLoop> ||
                                std::is_same_v<Kind, BreakIf> || std::is_same_v<Kind, BreakUnless> ||
                                std::is_same_v<Kind, Poll>;
    constexpr bool reads = std::is_same_v<Kind, Element> || std::is_same_v<Kind, Extent> ||
                           std::is_same_v<Kind, ListLength> || std::is_same_v<Kind, ListItem>;
    if constexpr (reads) {
      if (!read_.contains(i.slot)) return false;
    } else if constexpr (!is_of_numbers && !is_control) {
      return false;
    }
    Kind copy = i;
    if constexpr (requires { copy.saves; }) copy.saves.clear();
    append(std::move(copy));
    return true;
  }
  bool add(const instruction::Load& i) {
    const std::optional<Register> from = number_in(i.slot, dtype(i.to));
    if (from) append(instruction::Move{i.to, *from});
    return from.has_value();
  }
  bool add(const instruction::Store& i) {
    if (read_.contains(i.slot)) return false;
    if (!taken_.contains(i.slot) && !register_of_.contains(i.slot)) return true;  // an error step's
    const std::optional<Register> to = number_in(i.slot, dtype(i.from));
    if (to) append(instruction::Move{*to, i.from});
    return to.has_value();
  }
  bool add(const instruction::Leave&) {
    const auto known = register_of_.find(plan_.results[0].slot);
    if (known == register_of_.end()) return false;
    routine_.result = known->second;
    append(instruction::Leave{routine_.result});
    return true;
  }
  bool add(const instruction::CallStep& i) {
    const Step& step = plan_.steps[i.step];
    if (is_own_call(step)) return call(step);
    if (step.is<step::Drop>()) return true;
    append(i);
    return step.is<step::Raise>() || step.is<step::Assertion>() || step.is<step::Replay>();
  }
  bool call(const Step& step) {
    instruction::CallRoutine call;
    call.depth = static_cast<uint32_t>(step.operands[0].value.i64());
    for (size_t k = 0; k < numbers_.size(); ++k) {
      const std::optional<Register> number = argument(step.operands[numbers_[k] + 1], dtype(routine_.parameters[k]));
      if (!number) return false;
      call.arguments.push_back(*number);
    }
    const Dtype gives = dtype_of(*plan_.graph, plan_.graph->body.results[0]);
    const std::optional<Register> to =
        step.results[0] == Step::nowhere ? std::optional(fresh(gives)) : number_in(step.results[0], gives);
    if (!to) return false;
    call.to = *to;
    append(std::move(call));
    return true;
  }
  std::optional<Register> argument(const Operand& operand, Dtype dtype) {
    if (operand.kind == Operand::Kind::slot) return number_in(operand.slot, dtype);
    if (operand.kind != Operand::Kind::constant || !operand.value.is_scalar() ||
        operand.value.scalar_dtype() != dtype) {
      return std::nullopt;
    }
    const Register constant = fresh(dtype);
    append(instruction::Constant{constant, bits_of(operand.value)});
    return constant;
  }

  // --- the function's code ---

  bool finish() {
    fail_at_steps(routine_.code.instructions);
    routine_.frames = plan_.graph->frames_inside();
    plan_.program.routine = std::move(routine_);
    begin_with_routine();
    return true;
  }
  void begin_with_routine() {
    const Routine& routine = *plan_.program.routine;
    const SlotId from_outside = plan_.slots++;
    plan_.from_outside = from_outside;
    if (!plan_.elements.empty()) plan_.elements.push_back(false);
    const auto own = [&](Dtype dtype) {
      code_.registers.push_back(dtype);
      return static_cast<Register>(code_.registers.size() - 1);
    };
    const Register is_first = own(Dtype::boolean), result = own(routine.code.registers[routine.result]);
    std::vector<Instruction> made = {instruction::Load{is_first, from_outside}, instruction::If{is_first}};
    instruction::CallRoutine call{result, {}, again(), 0};
    for (size_t k = 0; k < numbers_.size(); ++k) {
      call.arguments.push_back(own(routine.code.registers[routine.parameters[k]]));
      made.emplace_back(instruction::Load{call.arguments.back(), plan_.inputs[numbers_[k]]});
    }
    made.emplace_back(std::move(call));
    made.emplace_back(instruction::Store{plan_.results[0].slot, result});
    made.emplace_back(instruction::Leave{});
    made.emplace_back(instruction::EndIf{});
    code_.instructions.insert(code_.instructions.begin(), made.begin(), made.end());
  }
  // The step that makes the call again.
  uint32_t again() {
    Step step{.action = step::Invoke{function_}};
    step.operands.emplace_back().value = Value(int64_t{0});
    for (const SlotId input : plan_.inputs)
      step.operands.push_back({.kind = Operand::Kind::slot, .last = true, .slot = input, .value = {}});
    step.results.push_back(plan_.results[0].slot);
    plan_.steps.push_back(std::move(step));
    return static_cast<uint32_t>(plan_.steps.size() - 1);
  }

  Plan& plan_;
  const uint32_t function_;
  Code& code_;
  Routine routine_;
  uint32_t place_ = 0;                      // of what is added
  std::vector<size_t> numbers_;             // inputs that are
  std::set<SlotId> read_;                   // inputs that are no numbers
  std::set<SlotId> taken_;                  // slots of numbers that go to own calls and come from them
  std::map<SlotId, Register> register_of_;  // of slots of numbers
};

}  // namespace

void make_routine_of_function(Plan& plan, uint32_t function) {
  if (plan.program.code.instructions.size() <= longest) FunctionRoutine(plan, function).make();
}

}  // namespace covec::loops
