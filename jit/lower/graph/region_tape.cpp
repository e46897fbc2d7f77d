#include "jit/lower/graph/region_tape.hpp"

#include <algorithm>
#include <stdexcept>

namespace covec::ir {

Entries::~Entries() {
  for (autodiff::TapeEntry* entry : entries_) autodiff::Tape::drop_values(*entry);
}

void cut_back(autodiff::Tape& tape, const autodiff::TapeEntry* last) {
  if (tape.last() != last) const Entries left(tape.cut(last));
}

RegionTape::RegionTape(autodiff::Tape& tape, uint64_t level)
    : tape_(&tape), level_(level), last_(tape.last()), nodes_(tape.nodes()) {}

uint32_t RegionTape::enter(uint32_t entry, std::optional<Type> type) {
  const uint32_t head = tape_->add_input();
  live_outs_.push_back({entry, head, 0, 0, std::move(type)});
  return head;
}

void RegionTape::begin_inside(size_t first) {
  for (size_t i = first; i < live_outs_.size(); ++i) {
    live_outs_[i].entry = 0;
    live_outs_[i].type.reset();
  }
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

Value RegionTape::join(Value primal, uint32_t first, uint32_t second, std::optional<Type> type) {
  live_outs_.push_back({0, 0, first, second, std::move(type)});
  return autodiff::make_tape(level_, std::move(primal), base_ + static_cast<uint32_t>(live_outs_.size() - 1));
}

void RegionTape::record(std::unique_ptr<autodiff::Composite> adjoint) {
  const std::vector<uint32_t> nodes = adjoint->outer_nodes();
  tape_->record(std::move(adjoint), nodes, static_cast<uint32_t>(live_outs_.size()), nullptr);
  last_ = tape_->last();
}

void RegionTape::note(std::unique_ptr<autodiff::Composite> entry) {
  tape_->record(std::move(entry), {}, 0, nullptr);
  last_ = tape_->last();
}

RegionTapes::RegionTapes(const ops::Context& context) {
  for (autodiff::OpenLevel* level = context.innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::tape) all_.emplace_back(*level->tape, level->level);
  }
}

RegionTapes::~RegionTapes() {
  for (RegionTape& tape : all_) tape.forget();
}

RegionTape& RegionTapes::at(uint64_t level) {
  const auto found = std::ranges::find_if(all_, [&](const RegionTape& tape) { return tape.level() == level; });
  if (found == all_.end()) throw std::logic_error("a value of a tape that is not open");
  return *found;
}

std::vector<Entries> RegionTapes::cut() {
  std::vector<Entries> entries;
  for (RegionTape& tape : all_) entries.push_back(tape.cut());
  return entries;
}

void RegionTapes::set_base() {
  for (RegionTape& tape : all_) tape.set_base();
}

}  // namespace covec::ir
