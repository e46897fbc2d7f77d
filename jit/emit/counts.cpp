#include "jit/emit/counts.hpp"

namespace covec::emit {

using loops::Instruction;
using loops::Register;
namespace instruction = loops::instruction;

std::optional<uint64_t> Counts::constant(Register r) const {
  if (writes_[r] != 1) return std::nullopt;
  const Instruction& maker = code_.instructions[written_at_[r]];
  if (const auto* const made = std::get_if<instruction::Constant>(&maker)) return made->bits;
  if (const auto* const move = std::get_if<instruction::Move>(&maker)) return constant(move->from);
  return std::nullopt;
}

// What follows from numbers of the program and extents.
std::optional<Size> Counts::number(Register r) const {
  if (writes_[r] != 1) return std::nullopt;
  const Instruction& maker = code_.instructions[written_at_[r]];
  if (const auto* const made = std::get_if<instruction::Constant>(&maker)) return static_cast<int64_t>(made->bits);
  if (const auto* const move = std::get_if<instruction::Move>(&maker)) return number(move->from);
  if (const auto* const extent = std::get_if<instruction::Extent>(&maker); extent != nullptr && types_[extent->slot])
    return types_[extent->slot]->extents[extent->axis];
  const auto* const scalar = std::get_if<instruction::Scalar>(&maker);
  if (scalar == nullptr || scalar->arity != 2) return std::nullopt;
  const std::optional<Size> a = number(scalar->operands[0]), b = number(scalar->operands[1]);
  if (!a || !b) return std::nullopt;
  switch (scalar->op) {
    case ops::ScalarOp::add: return *a + *b;
    case ops::ScalarOp::sub: return *a - *b;
    case ops::ScalarOp::mul: return *a * *b;
    default: return std::nullopt;
  }
}

// Of a loop as jit/loops builds it for a count: `index` is compared at the head, begins with 0 and grows by 1.
std::optional<Size> Counts::iterations(size_t loop) const {
  const std::vector<Instruction>& all = code_.instructions;
  const instruction::Scalar* const compare = comparison_at_head(loop);
  if (compare == nullptr) return std::nullopt;
  const Register index = compare->operands[0], count = compare->operands[1];
  if (writes_[index] != 2) return std::nullopt;
  const auto* const step = std::get_if<instruction::Scalar>(&all[written_at_[index]]);
  const bool grows = step != nullptr && step->op == ops::ScalarOp::add && step->operands[0] == index &&
                     constant(step->operands[1]) == uint64_t{1};
  if (!grows) return std::nullopt;
  for (size_t k = 0; k < loop; ++k) {
    const Register* const to = loops::written_by(all[k]);
    if (to == nullptr || *to != index) continue;
    const std::optional<Size> most = number(count);
    if (sets_zero(all[k]) && most) return Size::not_negative(*most);
  }
  return std::nullopt;
}

// What decides whether the loop goes on, if that is one comparison at its head.
const instruction::Scalar* Counts::comparison_at_head(size_t loop) const {
  const std::vector<Instruction>& all = code_.instructions;
  size_t at = loop + 1;
  if (at < all.size() && loops::is<instruction::Poll>(all[at])) ++at;
  for (; at < all.size() && loops::is<instruction::Scalar, instruction::Constant>(all[at]); ++at) {
    const auto* const compare = std::get_if<instruction::Scalar>(&all[at]);
    if (compare == nullptr || compare->op != ops::ScalarOp::lt) continue;
    const auto* const leaves = at + 1 < all.size() ? std::get_if<instruction::BreakUnless>(&all[at + 1]) : nullptr;
    return leaves != nullptr && leaves->condition == compare->to ? compare : nullptr;
  }
  return nullptr;
}

bool Counts::sets_zero(const Instruction& i) const {
  if (const auto* const made = std::get_if<instruction::Constant>(&i)) return made->bits == 0;
  const auto* const move = std::get_if<instruction::Move>(&i);
  return move != nullptr && constant(move->from) == uint64_t{0};
}

void Counts::add(Known& counts, size_t stack, std::span<const std::optional<Size>> loops, uint32_t place) const {
  constexpr int64_t most = int64_t{1} << 28;  // values: 2 GiB of f64
  Size product = 1;
  for (const std::optional<Size>& each : loops) {
    if (!each)
      throw Refusal{
          "its derivative saves values of each iteration of a loop, and the number of iterations is known only at run "
          "time",
          place};
    product *= *each;
    if (product.known() && product.number() > most) throw Refusal{"its derivative saves too many values", place};
  }
  counts[stack] += product;
}

std::optional<Dtype> Counts::dtype_of_numbers(size_t stack) const {
  const auto found = dtypes_.find(stack);
  if (found == dtypes_.end()) return std::nullopt;
  return found->second;
}

Counts::Counts(const loops::Plan& plan, std::span<const std::optional<SlotType>> types)
    : types_(types), code_(plan.program.code), writes_(code_.registers.size()), written_at_(code_.registers.size()) {
  const std::vector<Instruction>& all = code_.instructions;
  for (uint32_t k = 0; k < all.size(); ++k) {
    const Register* const to = loops::written_by(all[k]);
    if (to == nullptr) continue;
    ++writes_[*to];
    written_at_[*to] = k;
  }
  std::vector<std::optional<Size>> open;
  for (size_t k = 0; k < all.size(); ++k) {
    const Instruction& i = all[k];
    if (loops::is<instruction::Loop>(i)) open.push_back(iterations(k));
    if (loops::is<instruction::EndLoop>(i)) open.pop_back();
    if (const auto* const push = std::get_if<instruction::PushNumber>(&i)) {
      dtypes_[push->stack] = code_.registers[push->from];
      add(numbers_, push->stack, open, plan.steps[push->step].place);
    }
    if (const auto* const pop = std::get_if<instruction::PopNumber>(&i)) dtypes_[pop->stack] = code_.registers[pop->to];
    const auto* const call = std::get_if<instruction::CallStep>(&i);
    if (call == nullptr) continue;
    const loops::Step& step = plan.steps[call->step];
    if (const auto* push = step.get_if<loops::step::PushValue>()) add(values_, push->stack, open, step.place);
  }
}

}  // namespace covec::emit
