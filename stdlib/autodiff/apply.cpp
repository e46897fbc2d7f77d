// Dispatches over levels. Attributes are plain values: a batched attribute makes the vmap run example by example.
#include "stdlib/autodiff/apply.hpp"

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/effects.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/autodiff/pattern.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

OperandTypes::OperandTypes(const ops::Call& call) : types_(call.operands()), numeric_(call.operands()) {
  for (unsigned i = 0; i < call.operands(); ++i) {
    const Value& operand = call.operand(i);
    numeric_[i] = is_tensor_operand(call.entry, call.args.size(), i) && is_operand(operand);
    if (numeric_[i]) types_[i] = logical_type(operand);
  }
}

TypeView type_view(const Value& value) {
  unsigned hidden = 0;
  const Value* at = &value;
  for (; at->is_traced(); at = &at->traced().primal) hidden += at->traced().trace == TraceKind::batch;
  if (at->is_scalar()) return {at->scalar_dtype(), 0, true};
  if (at->is_symbol()) {
    const Type& type = symbol_type(*at);
    return {type.dtype, static_cast<uint8_t>(type.shape.rank() - hidden), true, nullptr, type.shape.begin() + hidden};
  }
  if (!at->is_tensor()) return {};
  const Tensor& tensor = at->tensor();
  return {tensor.dtype(), static_cast<uint8_t>(tensor.rank() - hidden), true, tensor.dims().data() + hidden};
}

namespace {

// A range among tensors is the tensor of its numbers: rules want its type.
void make_tensor_of_range(ops::Builder& b, Value& operand) {
  if (const auto* symbolic = dynamic_cast<const SymbolicRange*>(&operand.sequence())) {
    operand = ops::numbers_of(b, *symbolic);
  } else if (const auto* range = dynamic_cast<const Range*>(&operand.sequence())) {
    operand = ops::numbers_of(b, *range);
  }  // else the operator will say what it thinks of it
}

// The highest open level among the operands; closed levels are taken off on the way, attributes made plain.
const OpenLevel* acting_level(ops::Builder& b, ops::Call& call) {
  ops::Context& context = b.context();
  const OpenLevel* highest = nullptr;
  for (unsigned i = 0; i < call.operands(); ++i) {
    Value& operand = call.operand(i);
    if (!operand.is_object()) continue;
    if (operand.is(ObjectKind::sequence) && is_tensor_operand(call.entry, call.args.size(), i)) {
      make_tensor_of_range(b, operand);
    }
    if (!operand.is_traced()) continue;
    if (!is_tensor_operand(call.entry, call.args.size(), i)) {
      const bool attribute = i >= call.args.size() || call.entry.parameters[i].kind == ops::ParameterKind::attribute;
      if (attribute) operand = concrete(operand);
      continue;
    }
    const OpenLevel* open = nullptr;
    while (operand.is_traced() && operand.traced().level != origin_level &&
           (open = find_level(context, operand.traced().level)) == nullptr) {
      if (operand.traced().trace == TraceKind::batch) fail(message("escaped_batch"), {std::string(call.entry.name)});
      operand = take_primal(std::move(operand));
    }
    if (open != nullptr && (highest == nullptr || open->level > highest->level)) highest = open;
  }
  return highest;
}

bool any_traced(const ops::Call& call) {
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (call.operand(i).is_traced() && is_tensor_operand(call.entry, call.args.size(), i)) return true;
  }
  return false;
}

}  // namespace

namespace {

// What an operator without a derivative gives depends on its operands.
Value look_at(ops::Builder& b, const OpenLevel& level, const ops::Call& call) {
  const auto below = [&](std::span<const Value> operands) {
    std::vector<Value> values(operands.begin(), operands.end());
    for (Value& value : values) {
      if (is_traced_at(value, level.level)) value = value.traced().primal;
    }
    return values;
  };
  uint32_t node = 0;
  for (unsigned i = 0; i < call.operands() && node == 0; ++i) {
    if (is_traced_at(call.operand(i), level.level)) node = call.operand(i).traced().node;
  }
  std::vector<Value> args = below(call.args), rest = below(call.rest);
  ops::Call again{call.entry, args, rest, call.literals};
  Value result = apply_below(b, again);
  if (call.entry.derivative.none()->zero || !is_differentiable(result)) return result;
  return make_tape(level.level, std::move(result), level.tape->pass_on(node));
}

Value apply_at_level(ops::Builder& b, ops::Call& call) {
  if (has_batched_effect(b.context(), call.entry)) {
    if (!is_of_all_examples(call.entry)) return apply_effect(b, call);
    if (b.context().trying) return ops::RuleContext(b, false).zeros(call.entry.type(b, call));
    refuse_one_by_one(b, call.entry);
  }
  const bool meets = call.entry.effects.meets;
  if (meets) follow(b, call);
  const OpenLevel* level = acting_level(b, call);
  if (level == nullptr) return b.apply(call);
  const ActingScope acting(*level, meets);
  switch (level->kind) {
    case TraceKind::jvp:
      return level->pattern != nullptr ? apply_pattern(b, *level, call) : apply_forward(b, *level, call);
    case TraceKind::tape:
      if (level->only_looks && call.entry.derivative.none() != nullptr) return look_at(b, *level, call);
      begin_on_tape(b, *level, call);
      return level->tape->record(b, level->level, call);
    case TraceKind::batch: return apply_batched(b, *level, call);
  }
  return Value();
}

}  // namespace

Value apply_traced(ops::Builder& b, ops::Call& call) {
  const bool draws = call.entry.effects.random;  // the call may be moved from
  Value result = apply_at_level(b, call);
  return draws && b.context().innermost != nullptr ? tell_patterns(b.context(), std::move(result)) : result;
}

Value apply_below(ops::Builder& b, ops::Call& call) {
  return any_traced(call) || call.entry.effects.meets ? b.apply_traced(call) : b.apply(call);
}

Value apply_constant(ops::Builder& b, ops::Call& call) {
  const ops::Entry& entry = call.entry;
  Value result = apply_below(b, call);
  const ops::Derivative::None* const none = entry.derivative.none();
  if ((none == nullptr || !none->zero) && is_differentiable(result))
    fail(message("no_derivative"), {ops::shown_name(entry), none == nullptr ? "has no derivative rule" : none->reason});
  return result;
}

bool is_differentiable(const Value& result) {
  const Value* at = &result;
  while (at->is_traced()) at = &at->traced().primal;
  if (at->is_scalar()) return is_float(at->scalar_dtype());
  if (at->is_tensor()) return is_float(at->tensor().dtype());
  return at->is(ObjectKind::symbol) && is_float(static_cast<Symbol*>(at->object())->type.dtype);
}

}  // namespace covec::autodiff
