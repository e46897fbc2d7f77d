// Caller and called function have one plan, so their slots have one layout: a call moves arguments from slots to slots,
// runs the same code in the next frame, and moves the results back. What the code then does is known here, but for the
// kinds of values that slots hold. Start at find_own_calls, at the end.
#include "jit/loops/own_calls.hpp"

#include <algorithm>

#include "jit/loops/build_code.hpp"
#include "jit/loops/step_slots.hpp"

namespace covec::loops {

namespace {

constexpr size_t max_passed = 32;  // arguments, results or slots that are looked at

class OwnCalls {
 public:
  OwnCalls(Plan& plan, uint32_t function) : plan_(plan), function_(function), objects_(slots_of_objects(plan)) {}

  void run() {
    if (objects_.size() > max_passed || plan_.inputs.size() > max_passed) return;
    for (Instruction& i : plan_.program.code.instructions) {
      auto* const call = std::get_if<instruction::CallStep>(&i);
      if (call == nullptr) continue;
      const Step& step = plan_.steps[call->step];
      const auto* const invoke = step.get_if<step::Invoke>();
      if (invoke != nullptr && invoke->function == function_) call->own = describe(step);
    }
  }

 private:
  using OwnCall = instruction::OwnCall;

  // None where something is passed that lies in no slot and is no number.
  std::shared_ptr<const OwnCall> describe(const Step& step) {
    OwnCall call;
    call.depth = static_cast<uint32_t>(step.operands[0].value.i64());
    call.frames = plan_.frames_inside;
    call.drops = step.drops;
    call.objects = objects_;
    for (size_t k = 0; k < plan_.inputs.size(); ++k) {
      if (!pass(step.operands[k + 1], plan_.inputs[k], call.arguments)) return nullptr;
    }
    if (plan_.from_outside)
      call.arguments.push_back({.to = *plan_.from_outside, .tag = static_cast<uint8_t>(Tag::boolean)});
    for (size_t k = 0; k < step.results.size(); ++k) {
      if (step.results[k] == Step::nowhere) continue;
      if (plan_.results[k].kind != Operand::Kind::slot) return nullptr;
      pass(plan_.results[k], step.results[k], call.results);
    }
    return std::make_shared<OwnCall>(std::move(call));
  }
  bool pass(const Operand& operand, SlotId to, std::vector<OwnCall::Passed>& passed) {
    if (operand.kind == Operand::Kind::slot) {
      const bool number = !std::ranges::binary_search(objects_, operand.slot);
      passed.push_back({.from = operand.slot, .to = to, .last = operand.last, .number = number});
      // What the code reads elements of lies on the host already.
      if (to < plan_.elements.size() && plan_.elements[to]) plan_.elements[operand.slot] = true;
      return true;
    }
    if (operand.kind != Operand::Kind::constant || !operand.value.is_scalar()) return false;
    passed.push_back({.to = to, .tag = static_cast<uint8_t>(operand.value.tag()), .bits = bits_of(operand.value)});
    return true;
  }

  Plan& plan_;
  const uint32_t function_;
  const std::vector<SlotId> objects_;  // in order
};

}  // namespace

void find_own_calls(Plan& plan, uint32_t function) { OwnCalls(plan, function).run(); }

}  // namespace covec::loops
