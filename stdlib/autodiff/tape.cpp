// Records operators. It collects the values that the rule will need, applies the operator one level down, then writes
// one compact entry. An entry is linked in only after the operator has succeeded, so an error leaves the tape as it
// was.
#include "stdlib/autodiff/tape.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/ops/contract/handles.hpp"
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

TapeEntry* Tape::allocate(size_t operands, size_t bytes_behind) {
  void* const block = arena_.allocate(sizeof(TapeEntry) + operands * sizeof(TapeSlot) + bytes_behind);
  TapeEntry* const entry = new (block) TapeEntry;
  entry->operands = static_cast<uint32_t>(operands);
  std::uninitialized_default_construct_n(entry->slots(), operands);
  return entry;
}

TapeEntry* Tape::allocate_general(size_t operands, size_t dims) {
  using General = TapeEntry::General;
  TapeEntry* const entry = allocate(operands, sizeof(General) + operands * sizeof(Value) + dims * sizeof(Dim));
  General* const general = new (&entry->general()) General;
  general->values = reinterpret_cast<Value*>(general + 1);
  std::uninitialized_default_construct_n(general->values, operands);
  general->dims = reinterpret_cast<Dim*>(general->values + operands);
  return entry;
}

void Tape::link(TapeEntry* entry, uint32_t results) {
  if (!entry->of_numbers) entry->general().results = results;
  entry->result_slot.node = nodes_ + 1;
  nodes_ += results;
  entry->previous = last_;
  last_ = entry;
}

namespace {

// What the entry knows of its operands; they are unwrapped for the level below.
void write_operands(TapeEntry& entry, ops::Call& call, uint64_t level) {
  const TapeEntry::General& general = entry.general();
  Dim* dims = general.dims;
  for (uint32_t i = 0; i < entry.operands; ++i) {
    Value& operand = call.operand(i);
    TapeSlot& slot = entry.slots()[i];
    if (is_traced_at(operand, level)) {
      slot.node = operand.traced().node;
      operand = take_primal(std::move(operand));
    }
    if (is_tensor_operand(call.entry, call.args.size(), i)) dims = write_slot(slot, type_view(operand), dims);
    if (keeps_operand(call.entry, call.args.size(), i)) general.values[i] = operand;
  }
}

TapeEntry::Number number_in(const Value& value) {
  TapeEntry::Number number;
  std::memcpy(number.bytes, value.scalar_data(), sizeof number.bytes);
  return number;
}

// An elementwise operator of numbers: the level below sees numbers alone, and gives one. A followed result is none.
bool is_of_numbers(const ops::Builder& b, const ops::Call& call, uint64_t level) {
  if (call.entry.pointwise == nullptr || !call.rest.empty() || !b.is_eager()) return false;
  if (b.context().rule_of != nullptr || b.watch() == ops::Watch::origins) return false;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const Value& operand = call.args[i];
    const Value& number = is_traced_at(operand, level) ? operand.traced().primal : operand;
    if (!number.is_scalar() || !is_tensor_operand(call.entry, call.args.size(), i)) return false;
  }
  return true;
}

void put_back(ops::Call& call, const TapeEntry& entry, uint64_t level) {
  restore_operands(call, [&](unsigned i, Value primal) {
    const uint32_t node = entry.slots()[i].node;
    return node == 0 ? primal : make_tape(level, std::move(primal), node);
  });
}

}  // namespace

Value Tape::record_numbers(ops::Builder& b, uint64_t level, ops::Call& call) {
  const ops::Derivative& derivative = call.entry.derivative;
  const size_t operands = call.args.size();
  const bool keeps_result = (derivative.keeps & ops::Derivative::result_bit) != 0;
  size_t kept = keeps_result ? 1 : 0;
  for (size_t i = 0; i < operands; ++i) kept += keeps_operand(call.entry, operands, i);
  const Arena::Mark before = arena_.mark();
  TapeEntry* const entry = allocate(operands, kept * sizeof(TapeEntry::Number));
  entry->of_numbers = true;
  TapeEntry::Number* number = entry->numbers();
  for (size_t i = 0; i < operands; ++i) {
    Value& operand = call.args[i];
    TapeSlot& slot = entry->slots()[i];
    if (operand.is_traced()) {
      slot.node = operand.traced().node;
      operand = take_primal(std::move(operand));
    }
    slot.dtype = operand.scalar_dtype();
    slot.numeric = true;
    slot.kept = keeps_operand(call.entry, operands, i);
    if (slot.kept) *number++ = number_in(operand);
  }
  entry->operation = &call.entry;
  entry->site = b.context().site;
  entry->parameters = static_cast<uint32_t>(operands);
  entry->literals = call.literals;
  Value result;
  try {
    result = b.apply(call);
  } catch (...) {
    put_back(call, *entry, level);
    throw;
  }
  if (!is_differentiable(result)) {
    arena_.rewind(before);
    return result;
  }
  entry->result_slot.dtype = result.scalar_dtype();
  entry->result_slot.numeric = true;
  entry->result_slot.kept = keeps_result;
  if (keeps_result) *number = number_in(result);
  link(entry, 1);
  return make_tape(level, std::move(result), nodes_);
}

Value Tape::record(ops::Builder& b, uint64_t level, ops::Call& call) {
  const ops::Derivative& derivative = call.entry.derivative;
  if (derivative.none() != nullptr) return apply_without_tape(b, level, call);
  if (is_of_numbers(b, call, level)) return record_numbers(b, level, call);
  Pending entry(allocate_general(call.operands(), rank_sum(call)));
  write_operands(*entry.operator->(), call, level);
  entry->operation = &call.entry;
  TapeEntry::General& general = entry->general();
  general.written = b.context().rule_of != nullptr ? b.context().rule_of : &call.entry;
  entry->site = b.context().site;
  entry->parameters = static_cast<uint32_t>(call.args.size());
  entry->literals = call.literals;
  Value result;
  try {
    result = apply_below(b, call);
  } catch (...) {
    put_back(call, *entry.operator->(), level);
    throw;
  }
  if (!is_differentiable(result)) return result;
  const TypeView type = type_view(result);
  if (type.rank > 0) general.result_dims = static_cast<Dim*>(arena_.allocate(type.rank * sizeof(Dim)));
  write_slot(entry->result_slot, type, general.result_dims);
  if (derivative.keeps & ops::Derivative::result_bit) general.result = result;
  link(entry.take(), 1);
  return make_tape(level, std::move(result), nodes_);
}

uint32_t Tape::record(std::unique_ptr<Composite> composite, std::span<const uint32_t> operands, uint32_t results,
                      const Span* site) {
  TapeEntry* entry = allocate_general(operands.size(), 0);
  for (size_t i = 0; i < operands.size(); ++i) entry->slots()[i].node = operands[i];
  entry->general().composite = composite.release();
  entry->site = site;
  link(entry, results);
  has_composites_ = true;
  return entry->result_slot.node;
}

Value either(ops::Builder& b, const Value& one, const Value& other) {
  const auto is = [](const Value& value, bool truth) {
    return value.tag() == Tag::boolean && value.boolean() == truth;
  };
  if (is(one, true) || is(other, false)) return one;
  if (is(other, true) || is(one, false)) return other;
  if (one.is_none() || other.is_none()) return Value();
  return ops::call(b, ops::handles().bit_or, {one, other});
}

Value Tape::uses_rule(ops::Builder& b) const {
  Value uses(false);
  for (const TapeEntry* entry = last_; entry != nullptr && has_composites_; entry = entry->previous) {
    if (entry->composite() != nullptr) uses = either(b, uses, entry->composite()->uses_rule(b));
  }
  return uses;
}

uint32_t Tape::pass_on(uint32_t node) {
  TapeEntry* entry = allocate_general(1, 0);
  entry->slots()[0].node = node;
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
  if (entry.of_numbers) return;
  TapeEntry::General& general = entry.general();
  for (uint32_t i = 0; i < entry.operands; ++i) general.values[i] = Value();
  general.result = Value();
  delete general.composite;
  general.composite = nullptr;
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
