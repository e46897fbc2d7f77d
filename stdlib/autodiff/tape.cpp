// Records operators. It collects the values that the rule will need, applies the operator one level down, then writes
// one compact entry. An entry is linked in only after the operator has succeeded, so an error leaves the tape as it
// was.
#include "stdlib/autodiff/tape.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/value/memory.hpp"

namespace covec::autodiff {

namespace {

size_t rank_sum(const ops::Call& call) {
  size_t sum = 0;
  for (unsigned i = 0; i < call.operands(); ++i) sum += type_view(call.operand(i)).rank;
  return sum;
}

Dim* write_slot(TapeSlot& slot, const TypeView& type, Dim* dims) {
  slot.dtype = type.dtype;
  slot.rank = type.rank;
  slot.numeric = type.numeric;
  return type.copy_dims(dims);
}

// Of an operator without a derivative nothing is recorded.
Value apply_without_tape(ops::Builder& b, uint64_t level, ops::Call& call) {
  SmallVector<uint32_t, 4> nodes(call.operands());
  for (unsigned i = 0; i < call.operands(); ++i) {
    Value& operand = call.operand(i);
    if (!is_traced_at(operand, level)) continue;
    nodes[i] = operand.traced().node;
    operand = take_primal(std::move(operand));
  }
  try {
    return apply_constant(b, call);
  } catch (...) {
    restore_operands(call, [&](unsigned i, Value primal) {
      return nodes[i] == 0 ? primal : make_tape(level, std::move(primal), nodes[i]);
    });
    throw;
  }
}

// An entry whose operator has not succeeded yet: dropped when it fails.
class Pending {
 public:
  explicit Pending(TapeEntry* entry) : entry_(entry) {}
  ~Pending() {
    if (entry_ != nullptr) Tape::drop_values(*entry_);
  }
  TapeEntry* operator->() const { return entry_; }
  TapeEntry* take() { return std::exchange(entry_, nullptr); }

 private:
  TapeEntry* entry_;
};

}  // namespace

TapeEntry* Tape::allocate(size_t operands, size_t dims) {
  const size_t bytes = sizeof(TapeEntry) + operands * (sizeof(Value) + sizeof(TapeSlot)) + dims * sizeof(Dim);
  std::byte* block = static_cast<std::byte*>(arena_.allocate(bytes));
  TapeEntry* entry = new (block) TapeEntry;
  entry->operands = static_cast<uint32_t>(operands);
  entry->values = new (block + sizeof(TapeEntry)) Value[operands];
  std::byte* after_values = reinterpret_cast<std::byte*>(entry->values + operands);
  entry->dims = reinterpret_cast<Dim*>(after_values);
  entry->slots = new (after_values + dims * sizeof(Dim)) TapeSlot[operands];
  return entry;
}

void Tape::link(TapeEntry* entry, uint32_t results) {
  entry->results = results;
  entry->result_slot.node = nodes_ + 1;
  nodes_ += results;
  entry->previous = last_;
  last_ = entry;
}

// What the entry knows of its operands; they are unwrapped for the level below.
void Tape::write_operands(TapeEntry& entry, ops::Call& call, uint64_t level) {
  Dim* dims = entry.dims;
  for (uint32_t i = 0; i < entry.operands; ++i) {
    Value& operand = call.operand(i);
    if (is_traced_at(operand, level)) {
      entry.slots[i].node = operand.traced().node;
      operand = take_primal(std::move(operand));
    }
    if (is_tensor_operand(call.entry, call.args.size(), i)) dims = write_slot(entry.slots[i], type_view(operand), dims);
    if (keeps_operand(call.entry, call.args.size(), i)) entry.values[i] = operand;
  }
}

Value Tape::record(ops::Builder& b, uint64_t level, ops::Call& call) {
  const ops::Derivative& derivative = call.entry.derivative;
  if (derivative.none() != nullptr) {
    return apply_without_tape(b, level, call);
  }
  Pending entry(allocate(call.operands(), rank_sum(call)));
  write_operands(*entry.operator->(), call, level);
  entry->operation = &call.entry;
  entry->written = b.context().rule_of != nullptr ? b.context().rule_of : &call.entry;
  entry->site = b.context().site;
  entry->parameters = static_cast<uint32_t>(call.args.size());
  entry->literals = call.literals;
  Value result;
  try {
    result = apply_below(b, call);
  } catch (...) {
    restore_operands(call, [&](unsigned i, Value primal) {
      const uint32_t node = entry->slots[i].node;
      return node == 0 ? primal : make_tape(level, std::move(primal), node);
    });
    throw;
  }
  if (!is_differentiable(result)) return result;
  const TypeView type = type_view(result);
  if (type.rank > 0) entry->result_dims = static_cast<Dim*>(arena_.allocate(type.rank * sizeof(Dim)));
  write_slot(entry->result_slot, type, entry->result_dims);
  if (derivative.keeps & ops::Derivative::result_bit) entry->result = result;
  link(entry.take(), 1);
  return make_tape(level, std::move(result), nodes_);
}

uint32_t Tape::record(std::unique_ptr<Composite> composite, std::span<const uint32_t> operands, uint32_t results,
                      const Span* site) {
  TapeEntry* entry = allocate(operands.size(), 0);
  for (size_t i = 0; i < operands.size(); ++i) entry->slots[i].node = operands[i];
  entry->composite = composite.release();
  entry->site = site;
  link(entry, results);
  has_composites_ = true;
  return entry->result_slot.node;
}

bool Tape::has_rules() const {
  for (const TapeEntry* entry = last_; entry != nullptr && has_composites_; entry = entry->previous) {
    if (entry->composite != nullptr && entry->composite->has_rule()) return true;
  }
  return false;
}

uint32_t Tape::pass_on(uint32_t node) {
  TapeEntry* entry = allocate(1, 0);
  entry->slots[0].node = node;
  link(entry, 1);
  return nodes_;
}

void Tape::rewind(const Mark& mark) noexcept {
  for (; last_ != mark.last; last_ = last_->previous) drop_values(*last_);
  nodes_ = mark.nodes;
  while (!regions_.empty() && regions_.back().nodes.second > nodes_ + 1) regions_.pop_back();
  arena_.rewind(mark.arena);
}

std::vector<Tape::Nodes> Tape::nodes_of(uint32_t family) const {
  std::vector<Nodes> nodes;
  for (const EndedRegion& region : regions_) {
    if (region.family == family) nodes.push_back(region.nodes);
  }
  return nodes;
}

void Tape::bound_memory(uint64_t bytes) {
  const covec::Memory* const memory = covec::Memory::current();
  memory_bound_ = memory == nullptr ? 0 : bytes;
  memory_before_ = memory == nullptr ? 0 : memory->account().used;
}

std::vector<TapeEntry*> Tape::cut(const TapeEntry* mark) {
  std::vector<TapeEntry*> entries;
  for (; last_ != mark; last_ = last_->previous) entries.push_back(last_);
  return entries;
}

void Tape::drop_values(TapeEntry& entry) noexcept {
  for (uint32_t i = 0; i < entry.operands; ++i) entry.values[i] = Value();
  entry.result = Value();
  delete entry.composite;
  entry.composite = nullptr;
}

Tape::Tape(Pool& pool) : arena_(pool) {}

uint64_t Tape::split_number() const { return split_->level; }
OpenLevel* Tape::split_outer() const { return split_->outer; }
OpenLevel* Tape::split_below(uint64_t level, OpenLevel* outer) {
  split_ = std::make_unique<OpenLevel>(OpenLevel{TraceKind::jvp, level, outer});
  split_->split = true;
  return split_.get();
}

Value Tape::cached(uint32_t operand, std::string_view key) const {
  for (size_t i = memory_.size(); i-- > 0;) {
    if (memory_[i].operand == operand && memory_[i].key == key) return memory_[i].result;
  }
  return Value();
}
void Tape::cache(uint32_t operand, std::string_view key, Value result) {
  memory_.push_back({operand, std::string(key), std::move(result)});
}

Tape::~Tape() {
  for (TapeEntry* entry = last_; entry != nullptr; entry = entry->previous) drop_values(*entry);
}

}  // namespace covec::autodiff
