#include "jit/lower/region_tape.hpp"

#include "jit/lower/not_staged.hpp"

namespace covec::ir {

Entries::~Entries() {
  for (autodiff::TapeEntry* entry : entries_) autodiff::Tape::drop_values(*entry);
}

void cut_back(autodiff::Tape& tape, const autodiff::TapeEntry* last) {
  if (tape.last() != last) const Entries left(tape.cut(last));
}

RegionTape::RegionTape(const ops::Context& context) {
  for (autodiff::OpenLevel* level = context.innermost; level != nullptr; level = level->outer) {
    if (level->kind != TraceKind::tape) continue;
    if (tape_ == nullptr) {
      tape_ = level->tape;
      level_ = level->level;
      last_ = tape_->last();
      nodes_ = tape_->nodes();
    } else {
      outer_.push_back({level->tape, level->tape->last()});
    }
  }
}

RegionTape::~RegionTape() {
  if (tape_ != nullptr) cut_back(*tape_, last_);  // a walk that failed
}

Entries RegionTape::cut() {
  if (tape_ == nullptr) return {};
  Entries entries(tape_->cut(last_));
  for (const Outer& outer : outer_) {
    if (outer.tape->last() != outer.last) not_staged("a second derivative through control flow");
  }
  return entries;
}

uint32_t RegionTape::enter(uint32_t entry, std::optional<Type> type) {
  const uint32_t head = tape_->add_input();
  live_outs_.push_back({entry, head, 0, 0, std::move(type)});
  return head;
}

void RegionTape::leave(uint32_t head, uint32_t end) {
  for (LiveOut& live_out : live_outs_) {
    if (live_out.head == head) live_out.first = end;
  }
}

uint32_t RegionTape::node_after(uint32_t head) const {
  for (size_t i = 0; i < live_outs_.size(); ++i) {
    if (live_outs_[i].head == head) return base_ + static_cast<uint32_t>(i);
  }
  return 0;
}

Value RegionTape::join(Value primal, uint32_t first, uint32_t second) {
  live_outs_.push_back({0, 0, first, second, {}});
  return autodiff::make_tape(level_, std::move(primal), base_ + static_cast<uint32_t>(live_outs_.size() - 1));
}

void RegionTape::record(std::unique_ptr<autodiff::Composite> adjoint) {
  const std::vector<uint32_t> nodes = adjoint->outer_nodes();
  tape_->record(std::move(adjoint), nodes, static_cast<uint32_t>(live_outs_.size()), nullptr);
  last_ = tape_->last();
}

}  // namespace covec::ir
