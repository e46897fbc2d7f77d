#include "jit/loops/build/induction.hpp"

#include <algorithm>

#include "jit/loops/fuse/fuse.hpp"
#include "jit/loops/operands.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec::loops {

using ir::id_of;
using ir::is_symbol;

namespace {

// `a + b`, `a − b` or `−a` of i64.
bool is_sum(const ir::Graph& graph, const ir::Operation& operation) {
  const ops::Handles& known = ops::handles();
  if (operation.entry != &known.add && operation.entry != &known.subtract && operation.entry != &known.negate) {
    return false;
  }
  const auto is_i64 = [&](const Value& value) { return dtype_of(graph, value) == Dtype::i64; };
  return std::ranges::all_of(operation.args, is_i64) && is_number_operation(graph, operation);
}

}  // namespace

const ir::Operation* Induction::made_by(const Value& value) const {
  if (!is_symbol(value)) return nullptr;
  const auto found = made_by_.find(id_of(value));
  return found == made_by_.end() ? nullptr : found->second;
}

bool Induction::is_iteration(const Value& value) const { return is_symbol(value) && id_of(value) == number_; }

void Induction::add(const ir::Operation& operation) {
  for (const ir::Id id : operation.results) made_by_[id] = &operation;
  if (operation.kind == ir::Kind::apply && operation.results.size() == 1) find_motion(operation);
}

void Induction::find_motion(const ir::Operation& operation) {
  if (!is_sum(graph_, operation)) return;
  const bool negates = operation.args.size() == 1;
  const auto left = negates ? std::optional(0) : motion(operation.args[0]), right = motion(operation.args.back());
  if (!left || !right) return;
  const int both = operation.entry == &ops::handles().add ? *left + *right : *left - *right;
  if (both >= -1 && both <= 1) motions_[operation.results[0]] = both;
}

std::optional<int> Induction::motion(const Value& value) const {
  if (!is_symbol(value)) return 0;
  if (is_iteration(value)) return 1;
  if (const auto known = motions_.find(id_of(value)); known != motions_.end()) return known->second;
  return made_by(value) == nullptr ? std::optional(0) : std::nullopt;
}

Induction::Sum Induction::sum(const Value& value) const {
  if (!is_symbol(value)) return {Value(), value.i64()};
  const ir::Operation* operation = made_by(value);
  if (operation == nullptr || operation->args.size() != 2 || !motions_.contains(id_of(value))) return {value, 0};
  const bool adds = operation->entry == &ops::handles().add;
  const Value &a = operation->args[0], &b = operation->args[1];
  if (!is_symbol(b)) {
    const Sum left = sum(a);
    const auto constant = static_cast<uint64_t>(b.i64());
    return {left.value, static_cast<int64_t>(static_cast<uint64_t>(left.constant) + (adds ? constant : -constant))};
  }
  if (adds && !is_symbol(a)) {
    const Sum right = sum(b);
    return {right.value, static_cast<int64_t>(static_cast<uint64_t>(right.constant) + static_cast<uint64_t>(a.i64()))};
  }
  return {value, 0};
}

}  // namespace covec::loops
