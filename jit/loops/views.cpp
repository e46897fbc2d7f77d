// Hoists the lookup of tensors out of loops. To find an element, code reads the slot and the tensor's header, which
// takes several loads and tests. If nothing in a loop moves the tensor, these run once before it (View in program.hpp).
// The outermost such loop is used. Start at find_views, at the end.
//
// A tensor may move at a step that changes the slot or moves its value out. If elements are set, no step may even read
// the slot: it could then share the tensor, and a shared tensor must not be written. Two kinds of step do not count.
// They are SetElement's own step, and rarely run steps of others. They leave the function or change only their own
// tensor.
#include "jit/loops/views.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "jit/loops/step_slots.hpp"

namespace covec::loops {

namespace {

constexpr size_t max_views = 512;  // of a program

struct Loop {
  size_t begin = 0;  // its instruction::Loop
  std::optional<size_t> parent;
  StepSlots steps;           // what stores change as well
  std::set<SlotId> written;  // by SetElement
  std::set<Register> sets;
};

class Views {
 public:
  Views(Plan& plan, Code& code) : plan_(plan), code_(code) {}

  void run() {
    find_loops();
    if (loops_.empty()) return;
    choose();
    if (!code_.views.empty()) insert();
  }

 private:
  // --- what loops do ---

  void find_loops() {
    loop_of_.resize(code_.instructions.size());
    find_constants();
    std::optional<size_t> now;
    for (size_t at = 0; at < code_.instructions.size(); ++at) {
      const Instruction& i = code_.instructions[at];
      if (is<instruction::Loop>(i)) {
        loops_.push_back({at, now, {}, {}, {}});
        now = loops_.size() - 1;
      }
      loop_of_[at] = now;
      if (is<instruction::EndLoop>(i)) now = loops_[*now].parent;
      if (now) note(i, *now);
    }
  }
  // Registers that are nothing but one constant: they may be set earlier, too.
  void find_constants() {
    std::vector<size_t> writes(code_.registers.size());
    for (const Instruction& i : code_.instructions) {
      if (const Register* const to = written_by(i)) ++writes[*to];
    }
    for (const Instruction& i : code_.instructions) {
      const auto* const constant = std::get_if<instruction::Constant>(&i);
      if (constant != nullptr && writes[constant->to] == 1) constants_[constant->to] = *constant;
    }
  }
  template <class Note>
  void in_all(size_t loop, const Note& note) {
    for (std::optional<size_t> at = loop; at; at = loops_[*at].parent) note(loops_[*at]);
  }
  void note(const Instruction& i, size_t loop) {
    if (const Register* const to = written_by(i)) in_all(loop, [&](Loop& l) { l.sets.insert(*to); });
    if (const auto* const store = std::get_if<instruction::Store>(&i))
      in_all(loop, [&](Loop& l) { l.steps.changed.insert(store->slot); });
    if (const auto* const set = std::get_if<instruction::SetElement>(&i))
      in_all(loop, [&](Loop& l) { l.written.insert(set->slot); });
    if (const auto* const call = std::get_if<instruction::CallStep>(&i))
      in_all(loop, [&](Loop& l) { note_step(plan_, plan_.steps[call->step], l.steps); });
  }

  // --- views ---

  void choose() {
    for (size_t at = 0; at < code_.instructions.size(); ++at) {
      Instruction& i = code_.instructions[at];
      if (auto* const read = std::get_if<instruction::Element>(&i)) choose(at, *read, read->to, false);
      if (auto* const set = std::get_if<instruction::SetElement>(&i)) choose(at, *set, set->from, true);
    }
  }
  void choose(size_t at, instruction::ElementPlace& i, Register number, bool writes) {
    const std::optional<size_t> loop = outermost(at, i.slot);
    if (!loop) return;
    const auto [known, is_new] = views_.try_emplace({*loop, i.slot}, static_cast<uint32_t>(code_.views.size()));
    if (is_new)
      code_.views.push_back({i.slot, code_.registers[number], static_cast<unsigned>(i.indices.size()),
                             loops_[*loop].written.contains(i.slot)});
    i.view = known->second;
    choose_part(at, i, *loop, writes);
  }
  // Where the first indices do not change in the innermost loop, or in some around it, the element is one of a part.
  void choose_part(size_t at, instruction::ElementPlace& i, size_t outermost_loop, bool writes) {
    size_t leading = i.indices.size() - 1, loop = *loop_of_[at];
    const auto stay = [&](size_t in) {
      return std::all_of(i.indices.begin(), i.indices.begin() + static_cast<std::ptrdiff_t>(leading),
                         [&](Register r) { return !loops_[in].sets.contains(r) || constants_.contains(r); });
    };
    while (leading > 0 && !stay(loop)) --leading;
    if (leading == 0) return;
    while (loop != outermost_loop && stay(*loops_[loop].parent)) loop = *loops_[loop].parent;
    const std::vector<Register> at_indices(i.indices.begin(), i.indices.begin() + static_cast<std::ptrdiff_t>(leading));
    const bool is_known = parts_.contains({loop, i.view, at_indices});
    if (!is_known && code_.views.size() >= max_views) return;
    uint32_t& part = parts_[{loop, i.view, at_indices}];
    if (!is_known) {
      const View whole = code_.views[i.view];
      part = static_cast<uint32_t>(code_.views.size());
      const auto left = static_cast<unsigned>(i.indices.size() - leading);
      code_.views.push_back({i.slot, whole.dtype, left, false, i.view, at_indices});
    }
    code_.views[part].written |= writes;
    i.view = part;
  }

  std::optional<size_t> outermost(size_t at, SlotId slot) const {
    std::optional<size_t> found;
    for (std::optional<size_t> loop = loop_of_[at]; loop && stays(loops_[*loop], slot); loop = loops_[*loop].parent)
      found = loop;
    return found && (code_.views.size() < max_views || views_.contains({*found, slot})) ? found : std::nullopt;
  }
  static bool stays(const Loop& loop, SlotId slot) {
    const StepSlots& steps = loop.steps;
    return !steps.changed.contains(slot) && !(loop.written.contains(slot) && steps.mention(slot));
  }

  // Parts stand behind what they are parts of.
  void insert() {
    std::map<size_t, std::vector<uint32_t>> before;
    for (const auto& [where, view] : views_) before[loops_[where.first].begin].push_back(view);
    for (const auto& [where, view] : parts_) before[loops_[std::get<0>(where)].begin].push_back(view);
    std::vector<Instruction> made;
    made.reserve(code_.instructions.size() + views_.size());
    for (size_t at = 0; at < code_.instructions.size(); ++at) {
      for (const uint32_t view : before[at]) look_up(view, loop_of_[at], code_.instructions[at].place, made);
      made.push_back(std::move(code_.instructions[at]));
    }
    code_.instructions = std::move(made);
  }

  void look_up(uint32_t view, std::optional<size_t> loop, uint32_t place, std::vector<Instruction>& to) const {
    const auto add = [&](Instruction i) {
      i.place = place;
      to.push_back(std::move(i));
    };
    for (const Register r : code_.views[view].leading) {
      const auto constant = constants_.find(r);
      if (constant != constants_.end() && loops_[*loop].sets.contains(r)) add(constant->second);
    }
    add(instruction::LookUp{view, code_.views[view].leading});
  }

  Plan& plan_;
  Code& code_;
  std::map<Register, instruction::Constant> constants_;
  std::vector<Loop> loops_;                              // in order of their beginnings
  std::vector<std::optional<size_t>> loop_of_;           // by instruction: the innermost loop around it
  std::map<std::pair<size_t, SlotId>, uint32_t> views_;  // by loop and slot
  std::map<std::tuple<size_t, uint32_t, std::vector<Register>>, uint32_t> parts_;  // by loop, view and indices
};

}  // namespace

void find_views(Plan& plan) {
  Views(plan, plan.program.code).run();
  if (plan.program.routine) Views(plan, plan.program.routine->code).run();
}

}  // namespace covec::loops
