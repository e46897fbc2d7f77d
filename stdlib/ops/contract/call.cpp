// ops::call: the one way to apply an operator. It fills in defaults, flattens tuples and lists of tensors into the
// call's rest, and hands the call to the engine. If an operand is traced, the open transformation gets the call
// instead. Every operation of every program passes here. So the common case (all arguments given, nothing to flatten)
// is one walk over the tags and allocates nothing. Other calls are prepared on the stack, and on the heap only past 8
// values.
#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/narrow_dtypes.hpp"
#include "stdlib/ops/contract/number_row.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using Buffer = SmallVector<Value, 8>;

struct Found {
  bool traced = false;   // an operand that a transformation must see
  bool prepare = false;  // a default to fill in or a tree to flatten
  bool complex = false;  // a complex operand, or dtype that is asked for
};

// A list or tuple that reductions take as a tensor.
bool is_row_of_numbers(const Value& value) {
  if (!value.is(ObjectKind::list) && !value.is(ObjectKind::tuple)) return false;
  if (value.is(ObjectKind::list) && value.list().of_one_kind()) return true;
  const std::vector<Value>& items = *children(value);
  return std::all_of(items.begin(), items.end(), is_operand);
}

// Whether a value that is no tensor needs more than handing over.
[[gnu::noinline]] void look_closer(const Entry& entry, const Value& value, ParameterKind kind, Found& found) {
  found.complex |= has_complex(entry, value, kind);
  if (kind == ParameterKind::any) return;
  found.traced |= value.is_traced();
  found.prepare |=
      (kind == ParameterKind::tensors && is_tree(value)) || (kind == ParameterKind::tensor && is_row_of_numbers(value));
}

[[gnu::always_inline]] inline Found look(const Builder& builder, const Entry& entry, std::span<const Value> args,
                                         std::span<const Value> rest) {
  Found found;
  // Draws and prints happen for each example of an open vmap, and not again in what is replayed.
  const Context& context = builder.context();
  // Every open derivative passes through a collective, and a pattern through draws.
  const bool is_met = entry.effects.meets || (entry.effects.random && builder.is_eager());
  found.traced = entry.effects.counts_examples() && (!context.batches.empty() || context.replaying || context.trying ||
                                                     (is_met && context.innermost != nullptr));
  found.prepare = args.size() != entry.parameters.size();
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].is_object()) {
      if (args[i].object()->kind != ObjectKind::tensor && i < entry.parameters.size()) {
        look_closer(entry, args[i], entry.parameters[i].kind, found);
      }
    } else {
      found.prepare |= args[i].is_unbound();
    }
  }
  for (const Value& value : rest) {
    if (value.is_object() && value.object()->kind != ObjectKind::tensor) {
      look_closer(
          entry, value,
          entry.parameters[entry.variadic_at].kind == ParameterKind::any ? ParameterKind::any : ParameterKind::tensor,
          found);
    }
  }
  return found;
}

Value hand_over(Builder& builder, Call& call, bool traced) {
  return traced ? builder.apply_traced(call) : builder.apply(call);
}

// Which parameter, if any, holds a tree of tensors that becomes the rest.
int tree_parameter(const Entry& entry, std::span<Value> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (entry.parameters[i].kind == ParameterKind::tensors && is_tree(args[i])) return static_cast<int>(i);
  }
  return -1;
}

// What is left out is as if it had been written: a number adapts, as literals do. Gives the literals.
uint32_t fill(const Entry& entry, std::span<Value> given, Buffer& all, uint32_t literals) {
  if (given.size() > entry.parameters.size()) {
    fail(message("argument_count"),
         {std::string(entry.name), std::to_string(entry.parameters.size()), std::to_string(given.size())});
  }
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const Parameter& parameter = entry.parameters[i];
    if (i < given.size() && !given[i].is_unbound()) {
      all[i] = std::move(given[i]);
    } else if (parameter.required && !(entry.variadic && entry.variadic_at == i)) {
      fail(message("argument_missing"), {std::string(entry.name), std::string(parameter.name)});
    } else {
      all[i] = parameter.fallback;
      if (i < 32 && parameter.kind == ParameterKind::tensor) literals |= uint32_t{1} << i;
    }
  }
  return literals;
}

size_t count_leaves(const Value& tree) {
  size_t count = 0;
  each_leaf(tree, [&](const Value&) { ++count; });
  return count;
}

Value tensor_of_row(Builder& builder, const Value& row) {
  const std::vector<Value>& items = *children(row);
  if (items.empty()) return make_tensor(*builder.context().pool, Dtype::f64, Shape{0});
  if (builder.is_eager() && all_numbers(items)) return tensor_of_numbers(builder.pool(), items);
  std::vector<Value> parts = items;
  return stack(builder, parts, 0);
}

Value call_filled(Builder& builder, const Entry& entry, Buffer& all, std::span<Value> rest, uint32_t literals) {
  if (entry.reduce != nullptr && is_row_of_numbers(all[0])) all[0] = tensor_of_row(builder, all[0]);
  const int tree = tree_parameter(entry, span_of(all));
  if (tree < 0) {
    Call call{entry, span_of(all), rest, literals};
    return hand_over(builder, call, look(builder, entry, span_of(all), rest).traced);
  }
  const Value leaves = std::move(all[tree]);
  all[tree] = Value();
  const size_t count = count_leaves(leaves);
  const MemoryCharge charge(count * sizeof(Value));
  Buffer flat(count + rest.size());
  size_t next = 0;
  each_leaf(leaves, [&](const Value& leaf) { flat[next++] = leaf; });
  for (Value& value : rest) flat[next++] = std::move(value);
  Call call{entry, span_of(all), span_of(flat), literals};
  return hand_over(builder, call, look(builder, entry, span_of(all), span_of(flat)).traced);
}

// The leaves of trees of tensors, where a complex value is one.
void each_operand_leaf(const Value& tree, std::vector<Value>& leaves) {
  if (!is_container(tree)) return leaves.push_back(tree);
  for (const Value& item : *children(tree)) each_operand_leaf(item, leaves);
}

Value call_of_complex(Builder& builder, const Entry& entry, std::span<Value> args, std::span<Value> rest,
                      uint32_t literals) {
  Buffer all(entry.parameters.size());
  std::vector<Value> flat;
  const uint32_t adapting = fill(entry, args, all, literals);
  const int tree = tree_parameter(entry, span_of(all));
  if (tree >= 0) {
    each_operand_leaf(all[static_cast<size_t>(tree)], flat);
    all[static_cast<size_t>(tree)] = Value();
  }
  flat.insert(flat.end(), rest.begin(), rest.end());
  Call call{entry, span_of(all), flat, adapting};
  try {
    return call_complex(builder, call);
  } catch (...) {
    for (size_t i = 0; i < args.size() && i < all.size(); ++i) {
      if (args[i].is_none()) args[i] = std::move(all[i]);
    }
    throw;
  }
}

// What was given goes back where the call fails, unless somebody has taken it: it may be a variable's.
Value call_prepared(Builder& builder, const Entry& entry, std::span<Value> args, std::span<Value> rest,
                    uint32_t literals) {
  Buffer all(entry.parameters.size());
  try {
    const uint32_t adapting = fill(entry, args, all, literals);
    return call_filled(builder, entry, all, rest, adapting);
  } catch (...) {
    for (size_t i = 0; i < std::min(args.size(), all.size()); ++i) {
      if (args[i].is_none()) args[i] = std::move(all[i]);
    }
    throw;
  }
}

}  // namespace

Value call(Builder& builder, const Entry& entry, std::span<Value> args, std::span<Value> rest, uint32_t literals) {
  const Found found = look(builder, entry, args, rest);
  if (found.complex && is_of_complex(entry, args, rest)) [[unlikely]] {
    // A tree of operands is flattened there, so what it is has to be asked before.
    const bool of_tree = entry.instead != nullptr && entry.parameters[0].kind == ParameterKind::tensors;
    if (const Entry* other = of_tree ? entry.instead(args, literals) : nullptr)
      return call(builder, *other, args, rest, literals);
    return call_of_complex(builder, entry, args, rest, literals);
  }
  if (entry.instead) {
    if (const Entry* other = entry.instead(args, literals)) return call(builder, *other, args, rest, literals);
  }
  if (!entry.carries && entry.pointwise == nullptr && has_narrow(entry, args, rest)) [[unlikely]]
    return call_widened(builder, entry, args, rest, literals);
  if (found.prepare) [[unlikely]]
    return call_prepared(builder, entry, args, rest, literals);
  Call call{entry, args, rest, literals};
  return hand_over(builder, call, found.traced);
}

Value call(Builder& builder, const Entry& entry, std::initializer_list<Value> args, uint32_t literals) {
  Buffer copy(args.size());
  size_t next = 0;
  for (const Value& value : args) copy[next++] = value;
  return call(builder, entry, span_of(copy), {}, literals);
}

}  // namespace covec::ops
