#include "stdlib/ops/contract/narrow_dtypes.hpp"

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
// those of what is computed with, and only its result is narrowed. Its samples are differentiated, other than those of
// what handles values (list).
bool is_made_of_operators(const Entry& entry) {
  return entry.staging == Staging::structural && entry.derivative.by_parts() && !entry.effects.calls &&
         std::ranges::any_of(entry.samples, [](const Sample& sample) { return sample.differentiate; });
}

bool takes_tensors(const Entry& entry, ParameterKind kind) {
  return kind == ParameterKind::tensor || kind == ParameterKind::tensors ||
         (kind == ParameterKind::any && is_made_of_operators(entry));
}

bool is_narrow_operand(const Value& value) {
  return is_operand(value) && !is_run_list(value) && is_narrow(operand_dtype(value));
}

bool holds_narrow(const Value& value) {
  if (!is_tree(value)) return is_narrow_operand(value);
  if (value.is(ObjectKind::list) && value.list().of_one_kind()) return is_narrow_operand(value.list().item(0));
  bool found = false;
  each_leaf(value, [&](const Value& leaf) { found |= is_narrow_operand(leaf); });
  return found;
}

// Whether it is worth a closer look: any object but a tensor of another dtype is.
bool may_be_narrow(const Value& value) {
  if (value.is_scalar()) return is_narrow(value.scalar_dtype());
  if (!value.is_object()) return false;
  return !value.is_tensor() || is_narrow(value.tensor().dtype());
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

// What the operands promote to.
std::optional<Dtype> promoted_dtype(const Entry& entry, std::span<Value> args, std::span<Value> rest,
                                    uint32_t literals) {
  std::vector<PromotionOperand> operands;
  each_operand(entry, args, rest, [&](const Value& value, size_t i) {
    const bool literal = i < 32 && (literals >> i & 1) != 0;
    // Places are no elements, and what is added to an operand becomes what that is.
    if (i < entry.parameters.size() && (entry.parameters[i].name == "indices" || entry.parameters[i].name == "updates"))
      return;
    each_leaf(value, [&](const Value& leaf) {
      if (!is_operand(leaf)) return;
      const bool ranked = logical_type(leaf).shape.rank() > 0;
      operands.push_back({operand_dtype(leaf), ranked    ? OperandClass::tensor
                                               : literal ? OperandClass::literal
                                                         : OperandClass::rank0});
    });
  });
  if (operands.empty()) return std::nullopt;
  return promote(operands);
}

// What is computed in place of the narrow dtype that is asked for: floats for an integer where floats may come of it,
// so that these saturate.
Dtype asked_instead(const Entry& entry, Dtype asked, std::span<const Value> args) {
  if (is_float(asked)) return computing_dtype(asked);
  const auto is_real = [](const Value& arg) { return is_operand(arg) && is_float(operand_dtype(arg)); };
  const bool real = &entry == &handles().linspace || std::any_of(args.begin(), args.end(), is_real);
  return real ? Dtype::f64 : Dtype::i64;
}

Value widened(Builder& builder, const Entry& entry, const Value& value) {
  if (!is_narrow_operand(value)) return value;
  const Dtype dtype = operand_dtype(value);
  const bool multiplies = entry.widens_integers && !is_float(dtype);
  return cast_to(builder, value, multiplies ? factor_dtype(dtype) : computing_dtype(dtype));
}

Value narrowed(Builder& builder, const Value& value, Dtype from, Dtype dtype) {
  if (!is_operand(value) || operand_dtype(value) != from) return value;
  return cast_to(builder, value, dtype);
}

}  // namespace

Dtype factor_dtype(Dtype dtype) {
  if (!is_narrow_integer(dtype)) return dtype;
  return 2 * info_of(dtype).digits > info_of(Dtype::i32).digits ? Dtype::i64 : Dtype::i32;
}

// Every call of every entry that computes comes by: one look at each tag, where nothing is found.
bool has_narrow(const Entry& entry, std::span<const Value> args, std::span<const Value> rest) {
  const size_t count = std::min(args.size(), entry.parameters.size());
  for (size_t i = 0; i < count; ++i) {
    if (may_be_narrow(args[i]) && takes_tensors(entry, entry.parameters[i].kind) && holds_narrow(args[i])) return true;
    if (args[i].is(ObjectKind::function)) {
      const Asked asked = asked_for(entry, args);
      if (asked.dtype && is_narrow(*asked.dtype)) return true;
    }
  }
  if (entry.variadic && !takes_tensors(entry, entry.parameters[entry.variadic_at].kind))
    return false;  // list(...): any depth
  return std::any_of(rest.begin(), rest.end(),
                     [](const Value& value) { return may_be_narrow(value) && holds_narrow(value); });
}

// The arguments stay as they are: their variables get them back where the call fails.
Value call_widened(Builder& builder, const Entry& entry, std::span<Value> args, std::span<Value> rest,
                   uint32_t literals) {
  const Asked asked = asked_for(entry, args);
  const std::optional<Dtype> result = asked.dtype ? asked.dtype : promoted_dtype(entry, args, rest, literals);
  std::vector<Value> wide(args.begin(), args.end()), more(rest.begin(), rest.end());
  each_operand(entry, wide, more, [&](Value& value, size_t) {
    if (holds_narrow(value))
      value = map_leaves(value, [&](const Value& leaf) { return widened(builder, entry, leaf); });
  });
  const bool asks = asked.dtype && is_narrow(*asked.dtype);
  const Dtype from = asks ? asked_instead(entry, *asked.dtype, args) : computing_dtype(result.value_or(Dtype::f64));
  if (asks) wide[asked.at] = function_of(cast_entry(from));
  Value value = call(builder, entry, wide, more, literals);
  if (!result || !is_narrow(*result) || (entry.widens_integers && !is_float(*result) && !asked.dtype)) return value;
  return map_leaves(value, [&](const Value& leaf) { return narrowed(builder, leaf, from, *result); });
}

}  // namespace covec::ops
