#include "jit/lower/paths/merge.hpp"

#include "jit/lower/graph/complex_parts.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"
#include "jit/lower/paths/chosen.hpp"
#include "jit/lower/paths/optional.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

const Value& below(const Value& value, uint64_t level) {
  return autodiff::is_traced_at(value, level) ? value.traced().primal : value;
}

Value tangent_of(const Value& value, uint64_t level) {
  return autodiff::is_traced_at(value, level) ? value.traced().tangent : Value();
}

uint32_t node_of(const Value& value, uint64_t level) {
  return autodiff::is_traced_at(value, level) ? value.traced().node : 0;
}

}  // namespace

Value Merger::merge(const Value& a, const Value& b) {
  if (same_value(a, b)) return a;
  const bool optional = optional_in(a) != nullptr || optional_in(b) != nullptr;
  if (optional || a.is_none() != b.is_none()) return merge_optional(a, b);
  if (is_run_list(a) && b.is(ObjectKind::list)) return merge(a, as_list(b, a, paths_.second));
  if (is_run_list(b) && a.is(ObjectKind::list)) return merge(as_list(a, b, paths_.first), b);
  if (a.is_traced() || b.is_traced()) return merge_traced(a, b);
  Value list;
  if (merge_lists(a, b, list)) return list;
  if (is_leaf(a) && is_leaf(b)) return merge_leaves(a, b);
  if (differ_as_functions(a, b)) return merge_functions(a, b);
  if (same_but_parts(a, b)) {
    const std::vector<Value> others = parts_of(b);
    const Value merged =
        map_parts(a, [&, i = size_t{0}](const Value& part) mutable { return merge(part, others[i++]); });
    return is_complex(merged) ? with_parts_of_one_shape(writer_, merged) : merged;
  }
  return merge_boxed(a, b);
}

// Without a type: boxed.
Value Merger::result(Value a, Value b, const Type* type) {
  paths_.first.results.push_back(std::move(a));
  paths_.second.results.push_back(std::move(b));
  return type == nullptr ? writer_.boxed_result_of(paths_.operation) : writer_.result_of(paths_.operation, *type);
}

Value Merger::merge_leaves(const Value& a, const Value& b) {
  if (writer_.is_boxed(a) || writer_.is_boxed(b)) return merge_boxed(a, b);
  const Type x = logical_type(a), y = logical_type(b);
  if (x.dtype != y.dtype || x.shape.rank() != y.shape.rank()) return merge_boxed(a, b);
  Type type = x;
  for (unsigned axis = 0; axis < x.shape.rank(); ++axis) {
    if (!(x.shape[axis] == y.shape[axis])) type.shape[axis] = writer_.dimensions().unknown();
  }
  return result(a, b, &type);
}

// Of something and none.
Value Merger::merge_optional(const Value& a, const Value& b) {
  const auto boxed = [&](const Value& value) { return writer_.is_boxed(value) && !is_list_symbol(value); };
  if (boxed(a) || boxed(b)) return merge_boxed(a, b);
  const auto optional = [&](const Value& value, const Value& like, Region& region) {
    const GraphWriter::InRegion inside(writer_, region);
    return conversions_.as_optional(value, like);
  };
  const ConditionalValue x = optional(a, b, paths_.first), y = optional(b, a, paths_.second);
  return optional_of(merge_both(x, y));
}

Value Merger::merge_functions(const Value& a, const Value& b) {
  const std::vector<Value> functions = functions_of(a, b);
  const auto chosen = [&](const Value& function, Region& region) {
    const GraphWriter::InRegion inside(writer_, region);
    return conversions_.as_one_of(function, functions);
  };
  const Value x = chosen(a, paths_.first), y = chosen(b, paths_.second);
  return map_parts(
      x, [&, others = parts_of(y), i = size_t{0}](const Value& part) mutable { return merge(part, others[i++]); });
}

// A tape would have to record what that is made of, on a path that has been walked.
Value Merger::as_list(const Value& items, const Value& like, Region& region) {
  if (autodiff::is_active(conversions_.context(), items))
    not_staged("a list of active values that grows on one path only");
  const GraphWriter::InRegion inside(writer_, region);
  return conversions_.as_one(items, conversions_.items_of(like));
}

// Lists of one type, of which one path has changed the length.
bool Merger::merge_lists(const Value& a, const Value& b, Value& result) {
  const ItemType x = conversions_.items_of(a), y = conversions_.items_of(b);
  if (!x.joins(y) || (x.empty && y.empty) || same_but_parts(a, b)) return false;
  if (is_list_symbol(a) && is_list_symbol(b)) {
    paths_.first.results.push_back(a);
    paths_.second.results.push_back(b);
    const Type& type = writer_.graph().values[id_of(a)].type;
    result = writer_.list_result_of(paths_.operation, type.dtype, type.shape.rank());
    return true;
  }
  const Value& like = x.empty ? b : a;
  Value first = as_list(a, like, paths_.first);
  result = merge(first, as_list(b, like, paths_.second));
  return true;
}

Value Merger::merge_boxed(const Value& a, const Value& b) {
  const auto boxed = [&](const Value& side, Region& region) {
    const GraphWriter::InRegion inside(writer_, region);
    return conversions_.box(side);
  };
  Value first = boxed(a, paths_.first);
  return result(std::move(first), boxed(b, paths_.second), nullptr);
}

// --- what transformations have wrapped ---

Value Merger::merge_traced(const Value& a, const Value& b) {
  const bool first = a.is_traced() && (!b.is_traced() || a.traced().level >= b.traced().level);
  const Value& leading = first ? a : b;
  const auto number = [](const Value& side) { return is_leaf(side) || side.is_traced(); };
  if (!number(a) || !number(b)) not_staged("a value that is a number on one path only");
  const uint64_t level = leading.traced().level;
  switch (leading.traced().trace) {
    case TraceKind::tape: return merge_tape(a, b, leading);
    case TraceKind::jvp:
      return merge_jvp(level, below(a, level), below(b, level), tangent_of(a, level), tangent_of(b, level));
    case TraceKind::batch: return merge_batch(level, a, b);
  }
  return Value();
}

Value Merger::merge_tape(const Value& a, const Value& b, const Value& leading) {
  const uint64_t level = leading.traced().level;
  const bool open = is_open_tape(conversions_.context(), leading);
  const Value x = below(a, level), y = below(b, level);
  Value primal = merge(x, y);
  if (!open) return primal;
  const auto numeric = [](const Value& side) {
    return is_operand(side) && !is_boxed_symbol(side) && !is_run_list(side);
  };
  std::optional<Type> type;
  if (numeric(x) && numeric(y) && has_type(x, logical_type(y))) type = logical_type(y);
  return tapes_.at(level).join(std::move(primal), node_of(a, level), node_of(b, level), std::move(type));
}

// No tangent is not the same as one of zeros: products with infinities would tell. So it is zeros that may be there.
Value Merger::merge_jvp(uint64_t level, const Value& x, const Value& y, const Value& tangent_x,
                        const Value& tangent_y) {
  Value primal = merge(x, y);
  if (tangent_x.is_none() && tangent_y.is_none()) return primal;
  if (is_run_list(x)) {
    const auto masked = [&](const Value& tangent, Region& region) {
      const GraphWriter::InRegion inside(writer_, region);
      return tangent.is_none() ? conversions_.empty_masked_list(conversions_.items_of(x)) : tangent;
    };
    Value s = masked(tangent_x, paths_.first);
    return autodiff::make_jvp(level, std::move(primal), merge(s, masked(tangent_y, paths_.second)));
  }
  if (!tangent_x.is_none() && !tangent_y.is_none() && !tangent_x.is_unbound() && !tangent_y.is_unbound())
    return autodiff::make_jvp(level, std::move(primal), merge(tangent_x, tangent_y));
  const auto value_in = [&](const Value& tangent) {
    const ConditionalValue* const held = conditional_values_.find(tangent);
    return held != nullptr ? held->value : tangent;
  };
  const auto conditional = [&](const Value& value, const Value& tangent, const Value& other, Region& region) {
    const GraphWriter::InRegion inside(writer_, region);
    return conversions_.conditional(value, tangent, value_in(other));
  };
  const ConditionalValue s = conditional(x, tangent_x, tangent_y, paths_.first);
  const ConditionalValue t = conditional(y, tangent_y, tangent_x, paths_.second);
  ConditionalValue tangent = merge_both(s, t);
  const bool certain = tangent.is_defined.tag() == Tag::boolean && tangent.is_defined.boolean();
  return autodiff::make_jvp(level, std::move(primal),
                            certain ? std::move(tangent.value) : conditional_values_.hold(std::move(tangent)));
}

Value Merger::merge_batch(uint64_t level, const Value& a, const Value& b) {
  const autodiff::OpenLevel* open = autodiff::find_level(conversions_.context(), level);
  if (open == nullptr) not_staged("a batch of a vmap that has ended");
  const bool batched_a = autodiff::is_traced_at(a, level), batched_b = autodiff::is_traced_at(b, level);
  if (batched_a != batched_b && conversions_.is_active_outside(level)) not_staged("a batched value on one path only");
  const auto examples = [&](const Value& side, bool batched, Region& region) {
    if (batched) return side.traced().primal;
    const GraphWriter::InRegion inside(writer_, region);
    return conversions_.to_batch(side, open->size);
  };
  const Value s = examples(a, batched_a, paths_.first), t = examples(b, batched_b, paths_.second);
  return autodiff::make_batch(level, merge(s, t));
}

// --- variables that a path does not define ---

Value Merger::merge_variable(const Value& a, const Value& b) {
  if (!a.is_unbound() && !b.is_unbound()) return merge(a, b);
  if (is_undefined(a) && is_undefined(b)) return a;
  return conditional_values_.hold(merge_conditional(a, b));
}

// What a path does not define is never read: anything of the right type will do.
Value Merger::undefined_like(const Value& like, Region& region) {
  const GraphWriter::InRegion inside(writer_, region);
  return conversions_.undefined_like(like);
}

ConditionalValue Merger::merge_conditional(const Value& a, const Value& b) {
  const ConditionalValue* const conditional_a = conditional_values_.find(a);
  const ConditionalValue* const conditional_b = conditional_values_.find(b);
  const auto unknown = [](const ConditionalValue* side) { return side != nullptr && side->is_defined.is_none(); };
  if (unknown(conditional_a) || unknown(conditional_b)) {
    if (!unknown(conditional_a) || !unknown(conditional_b) || !same_value(conditional_a->value, conditional_b->value)) {
      not_staged("a conditionally defined variable");
    }
    return *conditional_a;
  }
  const auto of = [&](const Value& side, const ConditionalValue* conditional, const Value& like, Region& region) {
    if (conditional != nullptr) return *conditional;
    if (side.is_unbound()) return ConditionalValue{undefined_like(like, region), Value(false)};
    return ConditionalValue{side, Value(true), ConditionalValue::Absent::zeros};
  };
  const auto value = [](const Value& side, const ConditionalValue* conditional) {
    return conditional != nullptr ? conditional->value : side;
  };
  const ConditionalValue x = of(a, conditional_a, value(b, conditional_b), paths_.first);
  const ConditionalValue y = of(b, conditional_b, value(a, conditional_a), paths_.second);
  return merge_both(x, y);
}

ConditionalValue Merger::merge_both(const ConditionalValue& x, const ConditionalValue& y) {
  Value value = merge(x.value, y.value);
  return {std::move(value), merge(x.is_defined, y.is_defined), std::min(x.absent, y.absent)};
}

}  // namespace covec::ir
