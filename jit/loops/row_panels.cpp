#include "jit/loops/row_panels.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "jit/loops/build_reduce.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::loops {

namespace {

using Op = Instruction::Kind;

// What a step has to do with slots, if it can be a member.
struct Access {
  struct Made {
    SlotId slot;
    uint32_t rank;
    bool whole;
    Dtype dtype;
  };
  uint32_t rank = 0;  // of the elements that it goes over
  std::optional<Launch::Reduction> reduction;
  std::vector<SlotId> reads, moved, numbers;
  std::vector<Made> made;
};

// Members as they are found, until something comes that is none.
class Growing {
 public:
  explicit Growing(Plan& plan) : plan_(plan) {}
  void clear();  // without members, and what was passed as it was
  bool add(uint32_t step);
  bool may_stand_between(const Instruction& i) const;
  // Whether the step, which is no member, may be taken before all members: a check of a tensor from outside, while
  // nothing before it can fail. If it was the last to need the tensor, the last member that reads it is now.
  bool pass(uint32_t step);
  // Whether a member has to do with what another has read or made.
  bool pays() const { return panels_.members.size() > 1 && shares_; }
  bool empty() const { return panels_.members.empty(); }
  uint32_t finish();

 private:
  struct Seen {
    bool made;
    uint32_t rank;
    uint32_t index;  // of Panels::reads or made
    bool gone = false;
  };
  bool describe_launch(const Launch& launch, Access& access) const;
  bool describe_call(const Step& step, Access& access) const;
  bool describe_reduction(const Step& step, Access& access) const;
  bool describe_elementwise(const Step& step, Access& access) const;
  bool fits(const Access& access) const;
  void take(uint32_t step, const Access& access);
  void move_passed();
  bool move_in(Step& step, SlotId slot);

  Plan& plan_;
  Panels panels_;
  std::unordered_map<SlotId, Seen> seen_;
  std::unordered_set<SlotId> numbers_;
  bool shares_ = false;
  bool may_fail_ = false;         // a member
  std::vector<Operand*> passed_;  // of steps that were passed, what they moved
  size_t before_member_ = 0;      // so many of them, before the last member
};

void Growing::clear() {
  panels_ = Panels();
  seen_.clear();
  numbers_.clear();
  shares_ = may_fail_ = false;
  for (Operand* operand : passed_) operand->last = true;
  passed_.clear();
  before_member_ = 0;
}

bool Growing::pass(uint32_t index) {
  Step& step = plan_.steps[index];
  if (may_fail_ || step.kind != Step::Kind::apply || step.entry != &ops::expect_elements_entry()) return false;
  if (step.raises || step.operands.empty() || !step.drops.empty()) return false;
  for (size_t i = 1; i < step.operands.size(); ++i) {
    if (step.operands[i].kind != Operand::Kind::constant) return false;
  }
  const bool wanted = std::ranges::any_of(step.results, [](SlotId slot) { return slot != Step::nowhere; });
  Operand& x = step.operands[0];
  const auto found = x.kind == Operand::Kind::slot ? seen_.find(x.slot) : seen_.end();
  if (wanted || found == seen_.end() || found->second.made || found->second.gone) return false;
  if (x.last) {
    x.last = false;
    passed_.push_back(&x);
  }
  return true;
}

// What stands behind the last member remains the last to need what it moves.
void Growing::move_passed() {
  for (const Operand* operand : std::span(passed_).first(before_member_)) {
    panels_.reads[seen_.at(operand->slot).index].last = true;
    for (size_t m = panels_.members.size(); m-- > 0;) {
      if (move_in(plan_.steps[panels_.members[m].step], operand->slot)) break;
    }
  }
  passed_.erase(passed_.begin(), passed_.begin() + static_cast<ptrdiff_t>(before_member_));
  before_member_ = 0;
}

// The step's operand in that slot, if it has one, is moved out of it.
bool Growing::move_in(Step& step, SlotId slot) {
  bool any = false;
  const auto move = [&](auto& operand) {
    if (operand.slot != slot) return;
    operand.last = true;
    any = true;
  };
  if (step.kind == Step::Kind::launch) {
    std::ranges::for_each(plan_.launches[static_cast<size_t>(step.number)].inputs, move);
  } else {
    for (size_t i = step.operands.size(); i-- > 0 && !any;) {
      if (step.operands[i].kind == Operand::Kind::slot) move(step.operands[i]);
    }
  }
  return any;
}

bool Growing::describe_launch(const Launch& launch, Access& access) const {
  if (launch.of_numbers || launch.can_fail || launch.into != Launch::nowhere || launch.product != Launch::nowhere)
    return false;
  access.rank = launch.extents.rank();
  if (access.rank == 0 || launch.inputs.empty()) return false;
  for (const Launch::Input& input : launch.inputs) {
    access.reads.push_back(input.slot);
    if (input.last) access.moved.push_back(input.slot);
  }
  access.numbers = launch.numbers;
  for (const Launch::Output& output : launch.outputs) {
    const ir::Id value = launch.members[output.member].value;
    if (plan_.graph->values[value].type.shape.rank() != access.rank) return false;
    access.made.push_back({output.slot, access.rank, true, output.dtype});
  }
  for (const Launch::Reduction& reduction : launch.reductions) {
    if (reduction.rank != access.rank || (reduction.axes & 1) != 0 || reduction.stays) return false;
    const auto gone = static_cast<uint32_t>(std::popcount(reduction.axes));
    access.made.push_back(
        {reduction.slot, reduction.keepdims ? reduction.rank : reduction.rank - gone, false, reduction.dtype});
  }
  return true;
}

// Of an operator that the library computes: a reduction, or one that is elementwise.
bool Growing::describe_call(const Step& step, Access& access) const {
  if (step.raises || step.unless_done || step.results.size() != 1 || step.operation == nullptr) return false;
  const bool known = step.entry->reduce != nullptr      ? describe_reduction(step, access)
                     : step.entry->pointwise != nullptr ? describe_elementwise(step, access)
                                                        : false;
  if (!known) return false;
  access.moved.insert(access.moved.end(), step.drops.begin(), step.drops.end());
  const ir::ValueInfo& result = plan_.graph->values[step.operation->results[0]];
  access.made.push_back({step.results[0], result.type.shape.rank(), step.entry->reduce == nullptr, result.type.dtype});
  return !result.boxed;
}

bool Growing::describe_reduction(const Step& step, Access& access) const {
  const std::optional<Launch::Reduction> reduction = reduction_of_rows(*plan_.graph, *step.operation);
  const auto is_constant = [](const Operand& operand) { return operand.kind == Operand::Kind::constant; };
  if (!reduction || step.operands[0].kind != Operand::Kind::slot) return false;
  if (!std::all_of(step.operands.begin() + 1, step.operands.end(), is_constant)) return false;
  access.rank = reduction->rank;
  if (is_fusible_reduction(*plan_.graph, *step.operation)) access.reduction = reduction;
  access.reads.push_back(step.operands[0].slot);
  if (step.operands[0].last) access.moved.push_back(step.operands[0].slot);
  return true;
}

bool Growing::describe_elementwise(const Step& step, Access& access) const {
  const ir::Operation& operation = *step.operation;
  if (step.operands.size() != operation.args.size()) return false;
  access.rank = plan_.graph->values[operation.results[0]].type.shape.rank();
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const Operand& operand = step.operands[i];
    if (operand.kind == Operand::Kind::constant) continue;
    if (operand.kind != Operand::Kind::slot || !ir::is_symbol(operation.args[i])) return false;
    const ir::ValueInfo& value = plan_.graph->values[ir::id_of(operation.args[i])];
    if (value.boxed) return false;
    (value.type.shape.empty() ? access.numbers : access.reads).push_back(operand.slot);
    if (operand.last) access.moved.push_back(operand.slot);
  }
  return access.rank > 0 && !access.reads.empty();
}

// What was made has the rows only if it is read as it is, and one slot has one content.
bool Growing::fits(const Access& access) const {
  for (const SlotId slot : access.reads) {
    const auto found = seen_.find(slot);
    if (found != seen_.end() && (found->second.gone || found->second.rank != access.rank)) return false;
  }
  for (const SlotId slot : access.moved) {
    const bool read = std::ranges::find(access.reads, slot) != access.reads.end();
    if (!read && (!seen_.contains(slot) || seen_.at(slot).gone)) return false;
  }
  return std::ranges::all_of(access.made, [&](const Access::Made& made) {
    return made.slot != Step::nowhere && !seen_.contains(made.slot) &&
           std::ranges::find(access.reads, made.slot) == access.reads.end();
  });
}

void Growing::take(uint32_t step, const Access& access) {
  Panels::Member& member = panels_.members.emplace_back(Panels::Member{.step = step, .reads = {}});
  member.reduction = access.reduction;
  for (const SlotId slot : access.reads) {
    const auto [at, is_new] = seen_.try_emplace(slot, Seen{false, access.rank, 0});
    if (is_new) {
      at->second.index = static_cast<uint32_t>(panels_.reads.size());
      panels_.reads.push_back({slot, access.rank, false});
    } else if (panels_.members.size() > 1) {
      shares_ = true;
    }
    if (at->second.made)
      member.reads_made = true;
    else
      member.reads.push_back(at->second.index);
  }
  for (const SlotId slot : access.moved) {
    Seen& seen = seen_.at(slot);
    seen.gone = true;
    if (seen.made)
      panels_.made[seen.index].needed = false;
    else
      panels_.reads[seen.index].last = true;
  }
  for (const Access::Made& made : access.made) {
    seen_.emplace(made.slot, Seen{true, made.rank, static_cast<uint32_t>(panels_.made.size())});
    panels_.made.push_back({made.slot, true, made.whole, made.dtype});
  }
  numbers_.insert(access.numbers.begin(), access.numbers.end());
  before_member_ = passed_.size();
  may_fail_ |= access.reads.size() != 1 || plan_.steps[step].kind != Step::Kind::launch;
}

bool Growing::add(uint32_t index) {
  const Step& step = plan_.steps[index];
  Access access;
  if (step.kind == Step::Kind::launch) {
    if (!describe_launch(plan_.launches[static_cast<size_t>(step.number)], access)) return false;
  } else if (step.kind != Step::Kind::apply || !describe_call(step, access)) {
    return false;
  }
  if (!fits(access)) return false;
  take(index, access);
  return true;
}

// Numbers may be computed before all members.
bool Growing::may_stand_between(const Instruction& i) const {
  switch (i.kind) {
    case Op::constant:
    case Op::move:
    case Op::scalar: return true;
    case Op::load: return !seen_.contains(i.slot);
    case Op::store: return !numbers_.contains(i.slot) && !seen_.contains(i.slot);
    case Op::extent: return !seen_.contains(i.slot) || !seen_.at(i.slot).made;
    default: return false;
  }
}

uint32_t Growing::finish() {
  move_passed();
  Step step;
  step.kind = Step::Kind::panels;
  step.place = plan_.steps[panels_.members[0].step].place;
  step.number = static_cast<int64_t>(plan_.panels.size());
  plan_.panels.push_back(std::move(panels_));
  plan_.steps.push_back(std::move(step));
  return static_cast<uint32_t>(plan_.steps.size() - 1);
}

// Replaces members by one step.
class Gathering {
 public:
  explicit Gathering(Plan& plan) : plan_(plan), code_(plan.program.code.instructions), goes_(code_.size(), false) {}

  void run() {
    for (size_t at = 0; at < code_.size(); ++at) {
      if (code_[at].kind == Op::step)
        step(at);
      else if (!growing_.empty() && !growing_.may_stand_between(code_[at]))
        close();
    }
    close();
    size_t kept = 0;
    for (size_t at = 0; at < code_.size(); ++at) {
      if (!goes_[at]) std::swap(code_[kept++], code_[at]);
    }
    code_.resize(kept);
  }

 private:
  void step(size_t at) {
    bool added = growing_.add(code_[at].index);
    if (!added && !growing_.empty() && growing_.pass(code_[at].index)) return;
    if (!added && !growing_.empty()) {
      close();
      added = growing_.add(code_[at].index);
    }
    if (added) members_.push_back(at);
  }
  void close() {
    if (growing_.pays()) {
      for (const size_t at : members_) goes_[at] = at != members_.back();
      code_[members_.back()].index = growing_.finish();
    }
    growing_.clear();
    members_.clear();
  }

  Plan& plan_;
  std::vector<Instruction>& code_;
  std::vector<bool> goes_;
  Growing growing_{plan_};
  std::vector<size_t> members_;
};

}  // namespace

void row_panels(Plan& plan) { Gathering(plan).run(); }

}  // namespace covec::loops
