#include "stdlib/ops/contract/halves.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// What is made of other operators on numbers (var, softmax) takes any value, and tensors among them: its steps are
// those of f32, and only its result is rounded. Its samples are differentiated, other than those of what handles values
// (list).
bool is_made_of_operators(const Entry& entry) {
  return entry.staging == Staging::structural && entry.derivative.by_parts && !entry.effects.calls &&
         std::ranges::any_of(entry.samples, [](const Sample& sample) { return sample.differentiate; });
}

bool takes_tensors(const Entry& entry, ParameterKind kind) {
  return kind == ParameterKind::tensor || kind == ParameterKind::tensors ||
         (kind == ParameterKind::any && is_made_of_operators(entry));
}

bool is_half_operand(const Value& value) {
  return is_operand(value) && !is_run_list(value) && is_half(operand_dtype(value));
}

bool holds_half(const Value& value) {
  if (!is_tree(value)) return is_half_operand(value);
  if (value.is(ObjectKind::list) && value.list().of_one_kind()) return is_half_operand(value.list().item(0));
  bool found = false;
  each_leaf(value, [&](const Value& leaf) { found |= is_half_operand(leaf); });
  return found;
}

// Whether it is worth a closer look: any object but a tensor of another dtype is.
bool may_be_half(const Value& value) {
  if (value.is_scalar()) return is_half(value.scalar_dtype());
  if (!value.is_object()) return false;
  return !value.is_tensor() || is_half(value.tensor().dtype());
}

// Calls see(value, position) for what becomes tensor operands, trees as they are.
template <class See>
void each_operand(const Entry& entry, std::span<Value> args, std::span<Value> rest, See see) {
  const size_t count = std::min(args.size(), entry.parameters.size());
  for (size_t i = 0; i < count; ++i) {
    if (takes_tensors(entry, entry.parameters[i].kind)) see(args[i], i);
  }
  if (rest.empty() || (entry.variadic && !takes_tensors(entry, entry.parameters[entry.variadic_at].kind))) return;
  for (size_t i = 0; i < rest.size(); ++i) see(rest[i], args.size() + i);
}

// The argument that asks for the result's dtype.
struct Asked {
  size_t at = 0;
  std::optional<Dtype> dtype;
};

Asked asked_for(const Entry& entry, std::span<const Value> args) {
  for (size_t i = 0; i < std::min(args.size(), entry.parameters.size()); ++i) {
    if (!args[i].is(ObjectKind::function) || entry.parameters[i].name != "dtype") continue;
    const Entry* const cast = args[i].function().entry();
    if (cast != nullptr) return {i, cast->dtype};
  }
  return {};
}

// What the float operands promote to.
std::optional<Dtype> promoted_float(const Entry& entry, std::span<Value> args, std::span<Value> rest,
                                    uint32_t literals) {
  std::vector<PromotionOperand> operands;
  each_operand(entry, args, rest, [&](const Value& value, size_t i) {
    const bool literal = i < 32 && (literals >> i & 1) != 0;
    each_leaf(value, [&](const Value& leaf) {
      if (!is_operand(leaf) || !is_float(operand_dtype(leaf))) return;
      const bool ranked = logical_type(leaf).shape.rank() > 0;
      operands.push_back({operand_dtype(leaf), ranked    ? OperandClass::tensor
                                               : literal ? OperandClass::literal
                                                         : OperandClass::rank0});
    });
  });
  if (operands.empty()) return std::nullopt;
  return promote(operands);
}

Value as_float(Builder& builder, const Value& value) {
  return is_half_operand(value) ? cast_to(builder, value, Dtype::f32) : value;
}

Value rounded(Builder& builder, const Value& value, Dtype dtype) {
  if (!is_operand(value) || operand_dtype(value) != Dtype::f32) return value;
  return cast_to(builder, value, dtype);
}

}  // namespace

// Every call of every entry that computes comes by: one look at each tag, where nothing is found.
bool has_halves(const Entry& entry, std::span<const Value> args, std::span<const Value> rest) {
  const size_t count = std::min(args.size(), entry.parameters.size());
  for (size_t i = 0; i < count; ++i) {
    if (may_be_half(args[i]) && takes_tensors(entry, entry.parameters[i].kind) && holds_half(args[i])) return true;
    if (args[i].is(ObjectKind::function)) {
      const Asked asked = asked_for(entry, args);
      if (asked.dtype && is_half(*asked.dtype)) return true;
    }
  }
  if (entry.variadic && !takes_tensors(entry, entry.parameters[entry.variadic_at].kind))
    return false;  // list(...): any depth
  return std::any_of(rest.begin(), rest.end(),
                     [](const Value& value) { return may_be_half(value) && holds_half(value); });
}

// The arguments stay as they are: whoever lent them gets them back where the call fails.
Value call_with_floats(Builder& builder, const Entry& entry, std::span<Value> args, std::span<Value> rest,
                       uint32_t literals) {
  const Asked asked = asked_for(entry, args);
  const std::optional<Dtype> result = asked.dtype ? asked.dtype : promoted_float(entry, args, rest, literals);
  std::vector<Value> floats(args.begin(), args.end()), more(rest.begin(), rest.end());
  each_operand(entry, floats, more, [&](Value& value, size_t) {
    if (holds_half(value)) value = map_leaves(value, [&](const Value& leaf) { return as_float(builder, leaf); });
  });
  if (asked.dtype && is_half(*asked.dtype)) floats[asked.at] = function_of(cast_entry(Dtype::f32));
  Value value = call(builder, entry, floats, more, literals);
  if (!result || !is_half(*result)) return value;
  return map_leaves(value, [&](const Value& leaf) { return rounded(builder, leaf, *result); });
}

}  // namespace covec::ops
