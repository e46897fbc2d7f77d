#include "jit/emit/counts.hpp"

namespace covec::emit {

using loops::Instruction;
using loops::Register;
using Kind = Instruction::Kind;

std::optional<uint64_t> Counts::constant(Register r) const {
  if (writes_[r] != 1) return std::nullopt;
  const Instruction& maker = code_.instructions[written_at_[r]];
  if (maker.kind == Kind::constant) return maker.bits;
  if (maker.kind == Kind::move) return constant(maker.operands[0]);
  return std::nullopt;
}

// What follows from numbers of the program and extents.
std::optional<Size> Counts::number(Register r) const {
  if (writes_[r] != 1) return std::nullopt;
  const Instruction& maker = code_.instructions[written_at_[r]];
  if (maker.kind == Kind::constant) return static_cast<int64_t>(maker.bits);
  if (maker.kind == Kind::move) return number(maker.operands[0]);
  if (maker.kind == Kind::extent && types_[maker.slot]) return types_[maker.slot]->extents[maker.index];
  if (maker.kind != Kind::scalar || maker.arity != 2) return std::nullopt;
  const std::optional<Size> a = number(maker.operands[0]), b = number(maker.operands[1]);
  if (!a || !b) return std::nullopt;
  switch (maker.op) {
    case ops::ScalarOp::add: return *a + *b;
    case ops::ScalarOp::sub: return *a - *b;
    case ops::ScalarOp::mul: return *a * *b;
    default: return std::nullopt;
  }
}

// Of a loop as jit/loops builds it for a count: `index` is compared at the head, begins with 0 and grows by 1.
std::optional<Size> Counts::iterations(size_t loop) const {
  const std::vector<Instruction>& all = code_.instructions;
  size_t at = loop + 1;
  if (at < all.size() && all[at].kind == Kind::poll) ++at;
  Register count = 0, index = 0;
  bool compared = false;
  for (; at < all.size() && (all[at].kind == Kind::scalar || all[at].kind == Kind::constant); ++at) {
    if (all[at].kind != Kind::scalar || all[at].op != ops::ScalarOp::lt) continue;
    index = all[at].operands[0], count = all[at].operands[1], compared = true;
    if (at + 1 < all.size() && all[at + 1].kind == Kind::break_unless && all[at + 1].operands[0] == all[at].to) break;
    return std::nullopt;
  }
  if (!compared || writes_[index] != 2) return std::nullopt;
  const Instruction& step = all[written_at_[index]];
  const bool grows = step.kind == Kind::scalar && step.op == ops::ScalarOp::add && step.operands[0] == index &&
                     constant(step.operands[1]) == uint64_t{1};
  if (!grows) return std::nullopt;
  for (size_t k = 0; k < loop; ++k) {
    if (!loops::writes(all[k]) || all[k].to != index) continue;
    const bool zero = all[k].kind == Kind::constant
                          ? all[k].bits == 0
                          : all[k].kind == Kind::move && constant(all[k].operands[0]) == uint64_t{0};
    const std::optional<Size> most = number(count);
    if (zero && most) return Size::not_negative(*most);
  }
  return std::nullopt;
}

void Counts::add(Known& counts, size_t stack, std::span<const std::optional<Size>> loops, uint32_t place) const {
  constexpr int64_t most = int64_t{1} << 28;  // values: 2 GiB of f64; chosen, not measured
  Size product = 1;
  for (const std::optional<Size>& each : loops) {
    if (!each)
      throw Refusal{
          "its derivative keeps values of each iteration of a loop, and only the run knows how many there are", place};
    product *= *each;
    if (product.known() && product.number() > most) throw Refusal{"its derivative keeps too many values", place};
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
    if (!loops::writes(all[k])) continue;
    ++writes_[all[k].to];
    written_at_[all[k].to] = k;
  }
  std::vector<std::optional<Size>> open;
  for (size_t k = 0; k < all.size(); ++k) {
    const Instruction& i = all[k];
    if (i.kind == Kind::loop) open.push_back(iterations(k));
    if (i.kind == Kind::end_loop) open.pop_back();
    if (i.kind == Kind::push) {
      dtypes_[i.slot] = code_.registers[i.operands[0]];
      add(numbers_, i.slot, open, plan.steps[i.index].place);
    }
    if (i.kind == Kind::pop) dtypes_[i.slot] = code_.registers[i.to];
    if (i.kind != Kind::step) continue;
    const loops::Step& step = plan.steps[i.index];
    if (step.kind == loops::Step::Kind::push) add(values_, static_cast<size_t>(step.number), open, step.place);
  }
}

}  // namespace covec::emit
