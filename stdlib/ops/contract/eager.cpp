// The eager engine: checks that operands are tensors of numbers, then computes. Ranges become tensors where a tensor is
// expected. It has no symbolic dimensions, so the hooks for them are internal errors.
#include "stdlib/device/devices.hpp"
#include "stdlib/gate/effect_journal.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/offload.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

ParameterKind rest_kind(const Entry& entry) {
  if (entry.variadic) return entry.parameters[entry.variadic_at].kind;
  return ParameterKind::tensor;  // the leaves of a tree of tensors, or the items of an index
}

// What is no number and no tensor: right where an attribute or any value is asked for, else made numeric.
[[gnu::noinline]] void check_operand(Builder& builder, Call& call, unsigned i) {
  const Entry& entry = call.entry;
  const bool in_rest = i >= call.args.size();
  const ParameterKind kind = in_rest ? rest_kind(entry) : entry.parameters[i].kind;
  if (kind == ParameterKind::attribute || kind == ParameterKind::any) return;
  if (!in_rest && kind == ParameterKind::tensors) return;  // flattened, or for the operator to turn away
  if (!in_rest && entry.variadic && entry.variadic_at == i && call.args[i].is_none()) return;
  if (!is_operand(call.operand(i))) make_numeric(builder, call, i);
}

[[noreturn]] void fail_symbolic() { fail(message("internal"), {"a symbolic dimension in the eager engine"}); }

}  // namespace

[[gnu::noinline]] void make_numeric(Builder& builder, Call& call, unsigned i) {
  Value& value = call.operand(i);
  if (value.is(ObjectKind::sequence)) {
    if (const Range* range = dynamic_cast<const Range*>(&value.sequence())) {
      value = numbers_of(builder, *range);
      return;
    }
    if (const auto* range = dynamic_cast<const SymbolicRange*>(&value.sequence())) {
      value = numbers_of(builder, *range);
      return;
    }
  }
  if (value.is_none() && i < call.args.size()) {
    const Parameter& parameter = call.entry.parameters[i];
    if (!parameter.required && parameter.fallback.is_none()) return;  // an optional tensor that was not given
  }
  if (is_complex(value)) fail_complex(call, i);
  fail_operand(call, i);
}

void check_operands(Builder& builder, Call& call) {
  for (unsigned i = 0; i < call.args.size(); ++i) {
    if (!call.args[i].is_numeric()) check_operand(builder, call, i);
  }
  for (unsigned i = 0; i < call.rest.size(); ++i) {
    if (!call.rest[i].is_numeric()) check_operand(builder, call, static_cast<unsigned>(call.args.size()) + i);
  }
}

Value Builder::choose(const Value& condition, FunctionRef<Value()> then, FunctionRef<Value()> otherwise) {
  return condition.boolean() ? then() : otherwise();
}
Value Builder::few_or_all(Dim, FunctionRef<void()>, FunctionRef<Value()>, FunctionRef<Value()> all) { return all(); }

Value Builder::each_example(Dim, bool, std::string_view what, FunctionRef<Value(const Value&)>) {
  fail_not_staged("a condition that differs between examples of " + std::string(what));
}

namespace {

inline Value compute(ComputingBuilder& builder, Call& call) {
  const device::Devices* const devices = builder.context().devices;
  if (devices != nullptr && devices->offload != nullptr) [[unlikely]]
    return devices->offload->apply(builder, call);
  return call.entry.eager(builder, call);
}

}  // namespace

Value ComputingBuilder::apply(Call& call) {
  check_operands(*this, call);
  if (call.entry.effects.meets) [[unlikely]]
    ++context().collectives;
  const Entry& entry = call.entry;
  if (entry.effects.outside && !entry.effects.repeatable) [[unlikely]] {
    const Effecting by{&entry, entry.name, entry.effects.outside, entry.effects.meets};
    return EffectJournal::perform(context(), by, [&] { return compute(*this, call); });
  }
  return compute(*this, call);
}

Value ComputingBuilder::extent(Dim dim) {
  if (!dim.known()) fail_symbolic();
  return dim.number();
}
Dim ComputingBuilder::dim_of(const Value& number) { return Dim(integer_of(number)); }
Dim ComputingBuilder::unknown_dim() { fail_symbolic(); }
void ComputingBuilder::guard_equal(Dim, Dim, const Mismatch&) { fail_symbolic(); }
Dim ComputingBuilder::symbolic_add(Dim, Dim) { fail_symbolic(); }
Dim ComputingBuilder::symbolic_multiply(Dim, Dim) { fail_symbolic(); }
Dim ComputingBuilder::symbolic_broadcast(Dim, Dim, const Mismatch&) { fail_symbolic(); }

}  // namespace covec::ops
