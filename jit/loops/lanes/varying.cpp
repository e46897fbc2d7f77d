#include "jit/loops/lanes/varying.hpp"

namespace covec::loops {

Varying::Varying(const LaneLoop& loop)
    : code_(&loop.code.instructions),
      seen_(loop.code.registers.size()),
      stacks_(loop.stacks),
      varies_(loop.code.registers.size(), false),
      parts_(loop.code.instructions.size(), false) {
  find_blocks();
  find_scopes();
  varies_[loop.iteration] = true;
  while (vary()) {
  }
  find_reads_by_lanes();
  for (size_t at = 0; at < code_->size(); ++at) blends_.push_back(blends_what_it_writes(at));
  code_ = nullptr;
}

void Varying::find_blocks() {
  blocks_.push_back({});
  size_t now = outermost;
  const auto open = [&](size_t at, bool is_loop) {
    blocks_.push_back({now, at, is_loop});
    now = blocks_.size() - 1;
  };
  const std::vector<Instruction>& all = *code_;
  for (size_t at = 0; at < all.size(); ++at) {
    size_t opener = at;
    if (is<instruction::Else, instruction::EndIf, instruction::EndLoop>(all[at])) {
      opener = blocks_[now].opener;
      now = blocks_[now].parent;
    }
    block_of_.push_back(now);
    if (is<instruction::If, instruction::Else>(all[at])) open(opener, false);
    if (is<instruction::Loop>(all[at])) open(at, true);
  }
}

size_t Varying::common(size_t a, size_t b) const {
  while (a != b) (a > b ? a : b) = blocks_[a > b ? a : b].parent;  // a block's parent has a smaller number
  return a;
}

void Varying::note(Register r, size_t at, bool writes) {
  Seen& seen = seen_[r];
  const size_t block = block_of_[at];
  seen.scope = seen.named ? common(seen.scope, block) : block;
  if (!seen.named) {
    seen.first = at;
    seen.first_is_write = writes;
  }
  seen.named = true;
  seen.last = at;
  seen.writes += writes ? 1 : 0;
}

void Varying::find_scopes() {
  const std::vector<Instruction>& all = *code_;
  for (size_t at = 0; at < all.size(); ++at) {
    each_read(all[at], [&](Register r) { note(r, at, false); });
    if (const Register* const to = written_by(all[at])) note(*to, at, true);
  }
  for (Seen& seen : seen_) {
    seen.local = seen.writes == 1 && seen.first_is_write && block_of_[seen.first] == seen.scope;
    if (!seen.first_is_write) seen.scope = outermost;  // what an earlier round has left
  }
  for (const Instruction& i : all) {
    const auto* const constant = std::get_if<instruction::Constant>(&i);
    if (constant != nullptr && seen_[constant->to].local) seen_[constant->to].constant = constant->bits;
  }
}

bool Varying::parts_between(size_t scope, size_t block) const {
  for (; block != scope; block = blocks_[block].parent) {
    if (is_parted(block)) return true;
  }
  return false;
}

bool Varying::blends_what_it_writes(size_t at) const {
  const Register* const to = written_by((*code_)[at]);
  if (to == nullptr) return false;
  const Seen& seen = seen_[*to];
  if (!parts_between(seen.scope, block_of_[at])) return false;
  if (!seen.first_is_write || seen.first != at) return true;
  for (size_t block = block_of_[at]; block != seen.scope; block = blocks_[block].parent) {
    if (blocks_[block].loop) return true;  // an earlier iteration may have written it for other lanes
  }
  return false;
}

bool Varying::reads_varying(const Instruction& i) const {
  bool any = false;
  each_operand(i, [&](Register r) { any = any || varies_[r]; });
  return any;
}

// The innermost loop around a break may be left at different times.
bool Varying::vary_loop(size_t at, Register condition) {
  size_t block = block_of_[at];
  bool inside_branch = false;
  for (; !blocks_[block].loop; block = blocks_[block].parent) inside_branch = inside_branch || is_parted(block);
  if (inside_branch) refused_ = true;
  if ((!varies_[condition] && !inside_branch) || parts_[blocks_[block].opener]) return false;
  return parts_[blocks_[block].opener] = true;
}

bool Varying::vary_stack(size_t at, uint32_t number, bool varies) {
  Stack& stack = stacks_[number];
  const Stack before = stack;
  stack.parts = stack.parts || parts_between(outermost, block_of_[at]);
  stack.varies = stack.varies || stack.parts || varies;
  return stack.parts != before.parts || stack.varies != before.varies;
}

// A round over all instructions; false: it has found nothing new.
bool Varying::vary() {
  bool any = false;
  const std::vector<Instruction>& all = *code_;
  for (size_t at = 0; at < all.size(); ++at) {
    if (const auto* const branch = std::get_if<instruction::If>(&all[at]); branch && varies_[branch->condition])
      parts_[at] = true;
    if (const auto* const left = std::get_if<instruction::BreakIf>(&all[at])) any |= vary_loop(at, left->condition);
    if (const auto* const left = std::get_if<instruction::BreakUnless>(&all[at])) any |= vary_loop(at, left->condition);
    if (const auto* const push = std::get_if<instruction::PushNumber>(&all[at]))
      any |= vary_stack(at, push->stack, varies_[push->from]);
    const auto* const pop = std::get_if<instruction::PopNumber>(&all[at]);
    if (pop != nullptr) any |= vary_stack(at, pop->stack, false);
    const Register* const to = written_by(all[at]);
    if (to == nullptr || varies_[*to]) continue;
    const auto* const element = std::get_if<instruction::Element>(&all[at]);
    const bool of_own = element != nullptr && element->array != no_array;
    const bool varies = of_own || reads_varying(all[at]) || (pop != nullptr && stacks_[pop->stack].varies);
    if (!varies && !parts_between(seen_[*to].scope, block_of_[at])) continue;
    varies_[*to] = any = true;
  }
  return any;
}

// Uniform numbers that are wanted in all lanes of a vector. Uniform indices and conditions are not.
void Varying::find_reads_by_lanes() {
  for (const Instruction& i : *code_) {
    const auto note_read = [&](Register r) { seen_[r].read_by_lanes = true; };
    const Register* const to = written_by(i);
    const bool computes = is<instruction::Scalar, instruction::Move>(i) && varies_[*to];
    if (computes) each_operand(i, note_read);
    if (const auto* const set = std::get_if<instruction::SetElement>(&i)) note_read(set->from);
    if (is<instruction::ArrayStep>(i)) each_operand(i, note_read);
    const auto* const push = std::get_if<instruction::PushNumber>(&i);
    if (push != nullptr && stacks_[push->stack].varies) note_read(push->from);
  }
}

}  // namespace covec::loops
