#include "jit/lower/paths/loop_carried.hpp"

#include <algorithm>

#include "jit/lower/graph/complex_parts.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

const Value& bottom_of(const Value& value) { return value.is_traced() ? bottom_of(value.traced().primal) : value; }

}  // namespace

void LoopCarried::begin_variable() {
  entered_ = left_ = {};
  lists_entered_ = lists_left_ = 0;
  renumbered_ = false;
}

// --- at the head ---

Value LoopCarried::enter(const Value& incoming, const Adjustments& known) {
  if (incoming.is_traced()) return enter_value(incoming, known, UINT64_MAX);
  if (is_list(incoming)) {
    const auto adjusted = known.lists.find(lists_entered_++);
    if (adjusted != known.lists.end()) {
      const Value one = conversions_.as_one(incoming, adjusted->second);
      if (!is_leaf(one)) not_staged("a list of active values that the first iteration of a loop makes");
      return enter_leaf(one, known);
    }
  }
  if (is_leaf(incoming)) return enter_value(incoming, known, UINT64_MAX);
  if (!is_compound(incoming)) return incoming;
  const Value entered = map_parts(incoming, [&](const Value& part) { return enter(part, known); });
  return is_complex(entered) ? with_parts_of_one_shape(writer_, entered) : entered;
}

// A number or tensor with what levels below `above` have wrapped around it, or have to wrap since an iteration leaves
// it so.
Value LoopCarried::enter_value(const Value& incoming, const Adjustments& known, uint64_t above) {
  const bool constant = incoming.is_traced() && incoming.traced().trace == TraceKind::tape &&
                        !is_open_tape(conversions_.context(), incoming);
  if (constant) return enter_value(incoming.traced().primal, known, above);
  const uint64_t own = incoming.is_traced() ? incoming.traced().level : 0;
  const uint64_t added = known.added_below(entered_, above);
  if (added > own) return enter_added(incoming, known, added);
  return own != 0 ? enter_traced(incoming.traced(), known) : enter_leaf(incoming, known);
}

uint64_t LoopCarried::Adjustments::added_below(const Leaf& leaf, uint64_t above) const {
  const auto next = levels.lower_bound({leaf, above});
  if (next == levels.begin()) return 0;
  const auto& [known, level] = *std::prev(next);
  return known == leaf ? level : 0;
}

std::optional<Type> LoopCarried::steady_type(const Value& incoming, const Adjustments& known) const {
  const bool numeric = is_operand(incoming) && !is_boxed_symbol(incoming) && !is_run_list(incoming);
  const auto first = known.leaves.lower_bound({entered_, 0});
  const bool changes = first != known.leaves.end() && first->first == entered_;
  return numeric && !changes ? std::optional(logical_type(incoming)) : std::nullopt;
}

Value LoopCarried::enter_added(const Value& incoming, const Adjustments& known, uint64_t level) {
  const autodiff::OpenLevel& open = *autodiff::find_level(conversions_.context(), level);
  switch (open.kind) {
    case TraceKind::tape: {
      const uint32_t node = tapes_.at(level).enter(0, steady_type(incoming, known));
      return autodiff::make_tape(level, enter_value(incoming, known, level), node);
    }
    case TraceKind::jvp:
      if (!is_run_list(incoming)) return enter_conditional(level, incoming, Value(), known);
      return enter_list(level, incoming, known);
    case TraceKind::batch: break;
  }
  return autodiff::make_batch(level, enter_value(conversions_.to_batch(incoming, open.size), known, level));
}

// Nothing has a tangent yet.
Value LoopCarried::enter_list(uint64_t level, const Value& incoming, const Adjustments& known) {
  Value primal = enter_value(incoming, known, level);
  const TangentLeaves tangent_leaves(entered_, level);
  Value masked = enter(conversions_.empty_masked_list(conversions_.items_of(incoming)), known);
  return autodiff::make_jvp(level, std::move(primal), std::move(masked));
}

Value LoopCarried::enter_traced(const Traced& incoming, const Adjustments& known) {
  const uint64_t level = incoming.level;
  if (incoming.trace == TraceKind::tape) {
    const uint32_t node = tapes_.at(level).enter(incoming.node, steady_type(incoming.primal, known));
    return autodiff::make_tape(level, enter_value(incoming.primal, known, level), node);
  }
  const bool conditional =
      incoming.trace == TraceKind::jvp && (incoming.tangent.is_unbound() || known.levels.contains({entered_, level}));
  if (conditional) return enter_conditional(level, incoming.primal, incoming.tangent, known);
  Value primal = enter_value(incoming.primal, known, level);
  if (incoming.trace == TraceKind::batch) return autodiff::make_batch(level, std::move(primal));
  if (incoming.tangent.is_none()) return autodiff::make_jvp(level, std::move(primal), Value());
  const TangentLeaves tangent_leaves(entered_, level);
  Value tangent = enter(incoming.tangent, known);
  return autodiff::make_jvp(level, std::move(primal), std::move(tangent));
}

// Zeros where it is not there, if iterations leave it so, too.
Value LoopCarried::enter_conditional(uint64_t level, const Value& incoming, const Value& tangent,
                                     const Adjustments& known) {
  using Absent = ConditionalValue::Absent;
  const Leaf leaf = entered_;
  Value head = enter_value(incoming, known, level);
  const ConditionalValue before = conversions_.conditional(incoming, tangent, Value());
  const Absent absent = known.any_absent.contains({leaf, level}) ? Absent::anything : before.absent;
  const TangentLeaves tangent_leaves(entered_, level);
  Value value = enter(before.value, known);
  if (tangent.is_none()) absent_.insert(id_of(bottom_of(value)));
  Value is_defined = enter(before.is_defined, known);
  Value both = conditional_values_.hold({std::move(value), std::move(is_defined), absent});
  return autodiff::make_jvp(level, std::move(head), std::move(both));
}

Value LoopCarried::enter_leaf(const Value& incoming, const Adjustments& known) {
  operation_.args.push_back(incoming);
  const Id id = parameter_for(incoming, entered_, known);
  ++entered_.number;
  body_.parameters.push_back(id);
  return writer_.graph().symbol(id);
}

Id LoopCarried::parameter_for(const Value& incoming, const Leaf& leaf, const Adjustments& known) {
  Graph& graph = writer_.graph();
  if (writer_.is_boxed(incoming)) return graph.add_like(id_of(incoming));
  Type type = logical_type(incoming);
  const Id id = graph.add(type);
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    const bool own = !type.shape[axis].known() && (known.own_extents || !writer_.is_fixed(type.shape[axis], body_));
    if (own || known.leaves.contains({leaf, axis})) type.shape[axis] = writer_.dimensions().axis_of(id, axis);
  }
  graph.values[id].type = type;
  return id;
}

// --- at the end of an iteration ---

LoopCarried::Fit LoopCarried::leave_all(const std::vector<Value>& head, const std::vector<Value>& outgoing,
                                        Adjustments& needed) {
  Fit fit = Fit::same;
  for (size_t i = 0; i < head.size(); ++i) fit = std::max(fit, leave(head[i], outgoing[i], needed));
  return fit;
}

LoopCarried::Fit LoopCarried::leave(const Value& head, const Value& outgoing, Adjustments& needed) {
  if (renumbered_) return Fit::again;
  if (is_run_list(head) && outgoing.is(ObjectKind::list)) {
    const ItemType at_head = conversions_.items_of(head);
    if (!conversions_.items_of(outgoing).joins(at_head)) return Fit::type;
    return leave(head, conversions_.as_one(outgoing, at_head), needed);
  }
  if (head.is(ObjectKind::list) && is_run_list(outgoing) && !is_list_symbol(outgoing))
    return leave_list(head, outgoing, lists_left_++, needed);
  if (outgoing.is_traced()) {
    const Traced& traced = outgoing.traced();
    if (autodiff::find_level(conversions_.context(), traced.level) == nullptr) {
      return traced.trace == TraceKind::tape ? leave(head, traced.primal, needed) : Fit::type;
    }
    const bool plain = is_leaf(head) && (!writer_.is_boxed(head) || is_list_symbol(head));
    const uint64_t at_head = head.is_traced() ? head.traced().level : 0;
    if ((plain || head.is_traced()) && traced.level > at_head) {  // a level more than at the head
      const bool batched = traced.trace == TraceKind::batch && conversions_.is_active_outside(traced.level);
      if (batched && !is_absent(head)) return Fit::type;
      needed.levels.insert({left_, traced.level});
      ++left_.number;
      return Fit::again;
    }
  }
  if (head.is_traced()) return leave_traced(head, outgoing, needed);
  if (outgoing.is_traced()) return Fit::type;
  if (is_list(head)) {
    const unsigned number = lists_left_++;
    if (is_list_symbol(head) || !same_but_parts(head, outgoing)) return leave_list(head, outgoing, number, needed);
  }
  if (is_leaf(head)) return leave_leaf(head, outgoing, needed);
  if (same_but_parts(head, outgoing)) return leave_all(parts_of(head), parts_of(outgoing), needed);
  return same_value(head, outgoing) ? Fit::same : Fit::type;
}

bool LoopCarried::is_absent(const Value& head) const {
  const Value& parameter = bottom_of(head);
  return is_symbol(parameter) && absent_.contains(id_of(parameter));
}

// A list that an iteration leaves with another length is one value at the head, if
// its items are of one type. Leaves are numbered anew then.
LoopCarried::Fit LoopCarried::leave_list(const Value& head, const Value& outgoing, unsigned number,
                                         Adjustments& needed) {
  const ItemType at_head = conversions_.items_of(head), items = conversions_.items_of(outgoing);
  if (!items.joins(at_head)) return Fit::type;
  if (is_list_symbol(head)) {
    ++left_.number;
    body_.results.push_back(outgoing);
    return Fit::same;
  }
  renumbered_ = true;
  needed.leaves.clear();
  needed.levels.clear();
  needed.any_absent.clear();
  needed.lists[number] = items.empty ? at_head : items;
  return Fit::again;
}

LoopCarried::Fit LoopCarried::leave_traced(const Value& head, const Value& outgoing, Adjustments& needed) {
  const Traced& at_head = head.traced();
  const bool same_level = autodiff::is_traced_at(outgoing, at_head.level);
  if (!same_level && !is_leaf(outgoing) && !outgoing.is_traced()) return Fit::type;
  const Value primal = same_level ? outgoing.traced().primal : outgoing;
  switch (at_head.trace) {
    case TraceKind::tape:
      tapes_.at(at_head.level).leave(at_head.node, same_level ? outgoing.traced().node : 0);
      return leave(at_head.primal, primal, needed);
    case TraceKind::jvp: {
      Value tangent = same_level ? outgoing.traced().tangent : Value();
      if (tangent.is_none() && is_run_list(primal))
        tangent = conversions_.empty_masked_list(conversions_.items_of(primal));
      return leave_tangents(at_head, primal, tangent, needed);
    }
    case TraceKind::batch:
      return same_level ? leave(at_head.primal, primal, needed) : leave_unbatched(at_head, outgoing, needed);
  }
  return Fit::type;
}

LoopCarried::Fit LoopCarried::leave_tangents(const Traced& head, const Value& primal, const Value& tangent,
                                             Adjustments& needed) {
  const Leaf leaf = left_;
  const Fit fit = leave(head.primal, primal, needed);
  if (head.tangent.is_none() && tangent.is_none()) return fit;
  const TangentLeaves tangent_leaves(left_, head.level);
  if (const ConditionalValue* const at_head = conditional_values_.find(head.tangent)) {
    const ConditionalValue left = conversions_.conditional(primal, tangent, at_head->value);
    const bool is_zeros = left.absent >= at_head->absent || needed.any_absent.contains({leaf, head.level});
    if (!is_zeros) needed.any_absent.insert({leaf, head.level});
    return std::max({fit, leave(at_head->value, left.value, needed),
                     leave(at_head->is_defined, left.is_defined, needed), is_zeros ? Fit::same : Fit::again});
  }
  if (!head.tangent.is_none() && !tangent.is_none() && !tangent.is_unbound())
    return std::max(fit, leave(head.tangent, tangent, needed));
  needed.levels.insert({leaf, head.level});
  return std::max(fit, Fit::again);
}

// One value for all examples, where the head has one for each.
LoopCarried::Fit LoopCarried::leave_unbatched(const Traced& head, const Value& outgoing, Adjustments& needed) {
  const autodiff::OpenLevel* level = autodiff::find_level(conversions_.context(), head.level);
  if (level == nullptr) return Fit::type;
  conversions_.refuse_active(outgoing);
  if (conversions_.is_active_outside(head.level)) not_staged("a batched value on one path only");
  if (!is_leaf(outgoing)) return Fit::type;
  return leave(head.primal, conversions_.to_batch(outgoing, level->size), needed);
}

LoopCarried::Fit LoopCarried::leave_leaf(const Value& head, const Value& outgoing, Adjustments& needed) {
  const Leaf leaf = left_;
  ++left_.number;
  if (writer_.is_boxed(head)) {
    body_.results.push_back(conversions_.box(outgoing));
    return Fit::same;
  }
  if (!is_leaf(outgoing) || writer_.is_boxed(outgoing)) return Fit::type;
  const Type at_head = writer_.graph().values[id_of(head)].type, type = logical_type(outgoing);
  if (type.dtype != at_head.dtype || type.shape.rank() != at_head.shape.rank()) return Fit::type;
  Fit fit = Fit::same;
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    const Dim dim = at_head.shape[axis];
    if (dim == type.shape[axis] || parameter_of(dim)) continue;
    needed.leaves.insert({leaf, axis});
    fit = Fit::again;
  }
  body_.results.push_back(outgoing);
  return fit;
}

// The parameter whose extent a dimension is: the value's own, or that of a complex value's other part.
std::optional<Id> LoopCarried::parameter_of(Dim dim) const {
  if (dim.known()) return std::nullopt;
  const DimExpression expression = writer_.dimensions().expression(dim);
  const bool is_one = expression.kind == DimExpression::Kind::axis_of &&
                      std::ranges::find(body_.parameters, expression.value) != body_.parameters.end();
  return is_one ? std::optional(expression.value) : std::nullopt;
}

// --- after the loop ---

Value LoopCarried::after(const Value& head) {
  if (head.is_traced()) return after_traced(head.traced());
  if (is_symbol(head)) {
    const auto parameter = std::find(body_.parameters.begin(), body_.parameters.end(), id_of(head));
    return parameter == body_.parameters.end() ? head : writer_.graph().symbol(result_for(*parameter));
  }
  if (!is_compound(head)) return head;
  return map_parts(head, [&](const Value& part) { return after(part); });
}

Value LoopCarried::after_traced(const Traced& head) {
  Value primal = after(head.primal);
  switch (head.trace) {
    case TraceKind::batch: return autodiff::make_batch(head.level, std::move(primal));
    case TraceKind::jvp: {
      Value tangent = head.tangent;
      if (const ConditionalValue* const conditional = conditional_values_.find(tangent)) {
        const ConditionalValue::Absent absent = conditional->absent;
        Value value = after(conditional->value);
        tangent = conditional_values_.hold({std::move(value), after(conditional->is_defined), absent});
      } else if (!tangent.is_none()) {
        tangent = after(tangent);
      }
      return autodiff::make_jvp(head.level, std::move(primal), std::move(tangent));
    }
    case TraceKind::tape: break;
  }
  const uint32_t node = tapes_.at(head.level).node_after(head.node);
  return node == 0 ? primal : autodiff::make_tape(head.level, std::move(primal), node);
}

// The result that a parameter gives; extents that are parameters' own are results' own.
Id LoopCarried::result_for(Id parameter) {
  const auto [known, is_new] = results_.try_emplace(parameter, 0);
  if (!is_new) return known->second;
  const auto at = std::find(body_.parameters.begin(), body_.parameters.end(), parameter) - body_.parameters.begin();
  const ptrdiff_t index = operation_.kind == Kind::for_ ? 1 : 0;  // the first parameter
  const Id result = known->second = operation_.results[static_cast<size_t>(at - index)];
  Dimensions& dimensions = writer_.dimensions();
  Type type = writer_.graph().values[parameter].type;
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    const std::optional<Id> of = parameter_of(type.shape[axis]);
    if (!of) continue;
    const unsigned its_axis = dimensions.expression(type.shape[axis]).axis;
    type.shape[axis] = dimensions.axis_of(*of == parameter ? result : result_for(*of), its_axis);
  }
  writer_.graph().values[result].type = type;
  return result;
}

}  // namespace covec::ir
