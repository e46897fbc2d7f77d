#include "jit/lower/join.hpp"

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/rules.hpp"
#include "stdlib/ops/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

bool is_boxed(const Graph& graph, const Value& value) { return is_symbol(value) && graph.values[id_of(value)].boxed; }

bool is_list(const Value& value) { return value.is(ObjectKind::list) || is_list_symbol(value); }

bool is_open_tape(const Stager& stager, const Value& value) {
  const autodiff::OpenLevel* level = autodiff::find_level(stager.context(), value.traced().level);
  return level != nullptr && level->kind == TraceKind::tape;
}

// A conversion at the end of a path is no part of what a tape has recorded there.
void refuse_active(const Stager& stager, const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::tape && is_open_tape(stager, *at)) {
      not_staged("a value that differs between examples on one path only");
    }
  }
}

}  // namespace

bool is_leaf(const Value& value) { return value.is_scalar() || value.is_tensor() || is_symbol(value); }

bool same_value(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (!a.is_object()) return a.i64() == b.i64() || a.is_none() || a.is_unbound();
  if (a.object() == b.object()) return true;
  if (is_symbol(a) && is_symbol(b)) return id_of(a) == id_of(b);
  if (a.is(ObjectKind::string) && b.is(ObjectKind::string)) return a.string().text == b.string().text;
  if (a.is_traced() && b.is_traced()) {
    const Traced &x = a.traced(), &y = b.traced();
    return x.level == y.level && x.trace == y.trace && x.node == y.node && same_value(x.primal, y.primal) &&
           same_value(x.tangent, y.tangent);
  }
  if (!same_but_parts(a, b)) return false;
  const std::vector<Value> x = parts_of(a), y = parts_of(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_value);
}

bool is_compound(const Value& value) {
  ClosureParts parts;
  return is_tree(value) || value.is(ObjectKind::sequence) ||
         (value.is(ObjectKind::function) && closure_parts(value.function(), parts));
}

bool same_but_parts(const Value& a, const Value& b) {
  if (!a.is_object() || !b.is_object() || a.object()->kind != b.object()->kind) return false;
  switch (a.object()->kind) {
    case ObjectKind::tuple:
    case ObjectKind::list: break;
    case ObjectKind::record:
      if (a.record().layout->names != b.record().layout->names) return false;
      break;
    case ObjectKind::sequence:
      if (a.sequence().staging_key() != b.sequence().staging_key()) return false;
      break;
    case ObjectKind::function: {
      ClosureParts x, y;
      if (!closure_parts(a.function(), x) || !closure_parts(b.function(), y)) return false;
      if (x.function != y.function || x.globals != y.globals) return false;
      break;
    }
    default: return false;
  }
  return parts_of(a).size() == parts_of(b).size();
}

// --- two paths ---

Value Joiner::join(const Value& a, const Value& b) {
  if (same_value(a, b)) return a;
  if (a.is_traced() || b.is_traced()) return join_traced(a, b);
  Value list;
  if (join_lists(a, b, list)) return list;
  if (is_leaf(a) && is_leaf(b)) return join_leaves(a, b);
  if (same_but_parts(a, b)) {
    const std::vector<Value> others = parts_of(b);
    return map_parts(a, [&, i = size_t{0}](const Value& part) mutable { return join(part, others[i++]); });
  }
  return join_boxed(a, b);
}

Value Joiner::result(Value a, Value b, const Type& type, bool boxed) {
  first_.results.push_back(std::move(a));
  second_.results.push_back(std::move(b));
  return boxed ? stager_.boxed_result_of(operation_) : stager_.result_of(operation_, type);
}

Value Joiner::join_leaves(const Value& a, const Value& b) {
  if (is_boxed(stager_.graph_, a) || is_boxed(stager_.graph_, b)) return join_boxed(a, b);
  const Type x = logical_type(a), y = logical_type(b);
  if (x.dtype != y.dtype || x.shape.rank() != y.shape.rank()) return join_boxed(a, b);
  Type type = x;
  for (unsigned axis = 0; axis < x.shape.rank(); ++axis) {
    if (!(x.shape[axis] == y.shape[axis])) type.shape[axis] = stager_.unknown_dim();
  }
  return result(a, b, type, false);
}

// Lists of one type, of which one path has changed the length.
bool Joiner::join_lists(const Value& a, const Value& b, Value& result) {
  const ItemType x = stager_.items_of(a), y = stager_.items_of(b);
  if (!x.joins(y) || (x.empty && y.empty)) return false;
  if (same_but_parts(a, b)) return false;
  const ItemType& items = x.empty ? y : x;
  const auto as_list = [&](const Value& side, Region& region) {
    const Stager::OpenRegion open(stager_, region);
    return stager_.to_list(side, items);
  };
  first_.results.push_back(as_list(a, first_));
  second_.results.push_back(as_list(b, second_));
  operation_.results.push_back(stager_.graph_.add_list(items.dtype, items.rank));
  result = stager_.graph_.symbol(operation_.results.back());
  return true;
}

Value Joiner::join_boxed(const Value& a, const Value& b) {
  const auto boxed = [&](const Value& side, Region& region) {
    const Stager::OpenRegion open(stager_, region);
    return stager_.box(side);
  };
  Value first = boxed(a, first_);
  return result(std::move(first), boxed(b, second_), Type(), true);
}

// No tangent is not the same as one of zeros: products with infinities would tell. Where a loop makes no second pass,
// which is rare, the call is made again by the interpreter.
Value Joiner::join_jvp(uint64_t level, const Value& x, const Value& y, const Value& tangent_x, const Value& tangent_y) {
  if (tangent_x.is_none() == tangent_y.is_none()) {
    Value primal = join(x, y);
    if (tangent_x.is_none()) return primal;
    return autodiff::make_jvp(level, std::move(primal), join(tangent_x, tangent_y));
  }
  if (!peeled_) not_staged("a value that a derivative follows on one path only");
  const Stager::OpenRegion open(stager_, second_);
  stager_.require(Value(false));
  if (tangent_x.is_none()) return join(x, y);
  Value primal = join(x, y);
  return autodiff::make_jvp(level, std::move(primal), join(tangent_x, stager_.undefined_like(tangent_x)));
}

Value Joiner::join_traced(const Value& a, const Value& b) {
  const bool first = a.is_traced() && (!b.is_traced() || a.traced().level >= b.traced().level);
  const Traced& leading = first ? a.traced() : b.traced();
  const auto part = [&](const Value& side) { return autodiff::is_traced_at(side, leading.level); };
  if (!(part(a) || is_leaf(a) || a.is_traced()) || !(part(b) || is_leaf(b) || b.is_traced())) {
    not_staged("a value that is a number on one path only");
  }
  const Value x = part(a) ? a.traced().primal : a, y = part(b) ? b.traced().primal : b;
  switch (leading.trace) {
    case TraceKind::tape: {
      if (!is_open_tape(stager_, first ? a : b)) return join(x, y);
      if (leading.level != tape_.level()) not_staged("a second derivative through a branch");
      Value primal = join(x, y);
      return tape_.cross(std::move(primal), {0, 0, part(a) ? a.traced().node : 0, part(b) ? b.traced().node : 0});
    }
    case TraceKind::jvp: {
      const Value s = part(a) ? a.traced().tangent : Value(), t = part(b) ? b.traced().tangent : Value();
      return join_jvp(leading.level, x, y, s, t);
    }
    case TraceKind::batch: {
      const autodiff::OpenLevel* level = autodiff::find_level(stager_.context(), leading.level);
      if (level == nullptr) not_staged("a batch that has ended");
      if (part(a) != part(b)) tape_.refuse_batched_on_one_path();
      const auto batch = [&](const Value& side, bool batched, Region& region) {
        if (batched) return side;
        refuse_active(stager_, side);
        const Stager::OpenRegion open(stager_, region);
        Shape shape = logical_type(side).shape;
        shape.insert(0, Dim(level->size));
        return ops::broadcast_to(stager_, side, shape);
      };
      const Value s = batch(x, part(a), first_), t = batch(y, part(b), second_);
      return autodiff::make_batch(leading.level, join(s, t));
    }
  }
  return Value();
}

Value Joiner::join(const Value& a, const std::pair<bool, Maybe>& maybe_a, const Value& b,
                   const std::pair<bool, Maybe>& maybe_b, Maybe& maybe, bool& has_maybe) {
  has_maybe = false;
  const bool none_a = a.is_unbound() && !maybe_a.first, none_b = b.is_unbound() && !maybe_b.first;
  if (!a.is_unbound() && !b.is_unbound()) return join(a, b);
  if (none_a && none_b) return a;
  has_maybe = true;
  const auto unknown = [](const std::pair<bool, Maybe>& side) { return side.first && side.second.whether.is_none(); };
  if (unknown(maybe_a) || unknown(maybe_b)) {
    if (!unknown(maybe_a) || !unknown(maybe_b) || !same_value(maybe_a.second.value, maybe_b.second.value)) {
      not_staged("whether a variable has a value");
    }
    maybe = maybe_a.second;
    return Value::unbound();
  }
  const auto value = [](const Value& side, const std::pair<bool, Maybe>& other) {
    return side.is_unbound() ? other.second.value : side;
  };
  const auto whether = [](const Value& side, const std::pair<bool, Maybe>& other, bool none) {
    return none ? Value(false) : side.is_unbound() ? other.second.whether : Value(true);
  };
  // What the other path does not define is never read: anything of the right type will do.
  const auto stand_in = [&](const Value& like, Region& region) {
    const Stager::OpenRegion open(stager_, region);
    return stager_.undefined_like(like);
  };
  const Value x = none_a ? stand_in(value(b, maybe_b), first_) : value(a, maybe_a);
  const Value y = none_b ? stand_in(value(a, maybe_a), second_) : value(b, maybe_b);
  maybe.value = join(x, y);
  maybe.whether = join(whether(a, maybe_a, none_a), whether(b, maybe_b, none_b));
  return Value::unbound();
}

// --- loops ---

Value Carrier::enter(const Value& incoming, const Adjustments& known) {
  if (incoming.is_traced()) {
    const Traced& traced = incoming.traced();
    if (traced.trace == TraceKind::tape) {
      if (!is_open_tape(stager_, incoming)) return enter(traced.primal, known);
      if (traced.level != tape_.level()) not_staged("a second derivative through a loop");
      const uint32_t node = tape_.tape().add_input();
      tape_.crossings.push_back({traced.node, node, 0, 0});
      return autodiff::make_tape(traced.level, enter(traced.primal, known), node);
    }
    Value primal = enter(traced.primal, known);
    if (traced.trace == TraceKind::batch) return autodiff::make_batch(traced.level, std::move(primal));
    Value tangent = traced.tangent.is_none() ? Value() : enter(traced.tangent, known);
    return autodiff::make_jvp(traced.level, std::move(primal), std::move(tangent));
  }
  if (is_list(incoming)) {
    const auto adjusted = known.lists.find(lists_entered_++);
    if (adjusted != known.lists.end()) return enter_leaf(stager_.to_list(incoming, adjusted->second), known);
  }
  if (is_leaf(incoming)) return enter_leaf(incoming, known);
  if (!is_compound(incoming)) return incoming;
  return map_parts(incoming, [&](const Value& part) { return enter(part, known); });
}

Value Carrier::enter_leaf(const Value& incoming, const Adjustments& known) {
  const unsigned number = entered_++;
  Graph& graph = stager_.graph_;
  const auto parameter = [&](Region& region) {
    if (is_boxed(graph, incoming)) {
      region.parameters.push_back(graph.add_like(id_of(incoming)));
      return;
    }
    Type type = logical_type(incoming);
    const Id id = graph.add(type);
    for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
      if (known.leaves.contains({number, axis}))
        type.shape[axis] = stager_.dimension({DimExpression::Kind::axis_of, id, axis});
    }
    graph.values[id].type = type;
    region.parameters.push_back(id);
  };
  operation_.args.push_back(incoming);
  parameter(body_);
  const Id id = body_.parameters.back();
  Value head = graph.symbol(id);
  if (!known.leaves.contains({number, traced}) || graph.values[id].boxed) return head;
  const uint32_t node = tape_.tape().add_input();
  tape_.crossings.push_back({0, node, 0, 0});
  return autodiff::make_tape(tape_.level(), std::move(head), node);
}

Carrier::Fit Carrier::leave_all(const std::vector<Value>& head, const std::vector<Value>& outgoing,
                                Adjustments& needed) {
  Fit fit = Fit::same;
  for (size_t i = 0; i < head.size(); ++i) fit = std::max(fit, leave(head[i], outgoing[i], needed));
  return fit;
}

Carrier::Fit Carrier::leave(const Value& head, const Value& outgoing, Adjustments& needed) {
  if (renumbered_) return Fit::again;
  if (head.is_traced()) return leave_traced(head, outgoing, needed);
  if (outgoing.is_traced()) {
    if (outgoing.traced().trace != TraceKind::tape || !is_leaf(head)) return Fit::type;
    if (!is_open_tape(stager_, outgoing)) return leave(head, outgoing.traced().primal, needed);
    if (outgoing.traced().level != tape_.level()) not_staged("a second derivative through a loop");
    needed.leaves.insert({left_++, traced});
    return Fit::again;
  }
  if (is_list(head)) {
    const unsigned number = lists_left_++;
    if (is_list_symbol(head) || !same_but_parts(head, outgoing)) return leave_list(head, outgoing, number, needed);
  }
  if (is_leaf(head)) return leave_leaf(head, outgoing, needed);
  if (same_but_parts(head, outgoing)) return leave_all(parts_of(head), parts_of(outgoing), needed);
  return same_value(head, outgoing) ? Fit::same : Fit::type;
}

// A list that a pass leaves with another length is one value at the head, if its items are of one type. Leaves are
// numbered anew then.
Carrier::Fit Carrier::leave_list(const Value& head, const Value& outgoing, unsigned number, Adjustments& needed) {
  const ItemType at_head = stager_.items_of(head), items = stager_.items_of(outgoing);
  if (!items.joins(at_head)) return Fit::type;
  if (is_list_symbol(head)) {
    ++left_;
    body_.results.push_back(stager_.to_list(outgoing, at_head));
    return Fit::same;
  }
  renumbered_ = true;
  needed.leaves.clear();
  needed.lists[number] = at_head.empty ? items : at_head;
  return Fit::again;
}

Carrier::Fit Carrier::leave_traced(const Value& head, const Value& outgoing, Adjustments& needed) {
  const Traced& traced_head = head.traced();
  const bool same_level = autodiff::is_traced_at(outgoing, traced_head.level);
  if (!same_level && !is_leaf(outgoing) && !outgoing.is_traced()) return Fit::type;
  const Value primal = same_level ? outgoing.traced().primal : outgoing;
  switch (traced_head.trace) {
    case TraceKind::tape: {
      for (RegionTape::Crossing& crossing : tape_.crossings) {
        if (crossing.head == traced_head.node) crossing.first = same_level ? outgoing.traced().node : 0;
      }
      return leave(traced_head.primal, primal, needed);
    }
    case TraceKind::jvp: {
      const Fit fit = leave(traced_head.primal, primal, needed);
      const Value tangent = same_level ? outgoing.traced().tangent : Value();
      if (traced_head.tangent.is_none() != tangent.is_none()) return Fit::type;
      return tangent.is_none() ? fit : std::max(fit, leave(traced_head.tangent, tangent, needed));
    }
    case TraceKind::batch: {
      if (same_level) return leave(traced_head.primal, primal, needed);
      const autodiff::OpenLevel* level = autodiff::find_level(stager_.context(), traced_head.level);
      if (level == nullptr) return Fit::type;
      refuse_active(stager_, primal);
      tape_.refuse_batched_on_one_path();
      if (!is_leaf(primal)) return Fit::type;
      Shape shape = logical_type(primal).shape;
      shape.insert(0, Dim(level->size));
      return leave(traced_head.primal, ops::broadcast_to(stager_, primal, shape), needed);
    }
  }
  return Fit::type;
}

Carrier::Fit Carrier::leave_leaf(const Value& head, const Value& outgoing, Adjustments& needed) {
  const unsigned number = left_++;
  Graph& graph = stager_.graph_;
  const ValueInfo& info = graph.values[id_of(head)];
  if (info.boxed) {
    body_.results.push_back(stager_.box(outgoing));
    return Fit::same;
  }
  if (!is_leaf(outgoing) || is_boxed(graph, outgoing)) return Fit::type;
  const Type type = logical_type(outgoing);
  if (type.dtype != info.type.dtype || type.shape.rank() != info.type.shape.rank()) return Fit::type;
  Fit fit = Fit::same;
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    const Dim dim = graph.values[id_of(head)].type.shape[axis];
    const Dim own = stager_.dimension({DimExpression::Kind::axis_of, id_of(head), axis});
    if (dim == own || dim == type.shape[axis]) continue;
    needed.leaves.insert({number, axis});
    fit = Fit::again;
  }
  body_.results.push_back(outgoing);
  return fit;
}

Value Carrier::after(const Value& head) {
  if (head.is_traced()) {
    const Traced& traced = head.traced();
    Value primal = after(traced.primal);
    if (traced.trace == TraceKind::batch) return autodiff::make_batch(traced.level, std::move(primal));
    if (traced.trace == TraceKind::jvp) {
      return autodiff::make_jvp(traced.level, std::move(primal),
                                traced.tangent.is_none() ? Value() : after(traced.tangent));
    }
    for (size_t i = 0; i < tape_.crossings.size(); ++i) {
      if (tape_.crossings[i].head != traced.node) continue;
      return autodiff::make_tape(traced.level, std::move(primal), tape_.base() + static_cast<uint32_t>(i));
    }
    return primal;
  }
  if (is_symbol(head)) {
    const auto known = results_.find(id_of(head));
    if (known != results_.end()) return stager_.graph_.symbol(known->second);
    Graph& graph = stager_.graph_;
    const auto& parameters = body_.parameters;
    const size_t first = operation_.kind == Kind::for_ ? 1 : 0;
    for (size_t i = first; i < parameters.size(); ++i) {
      if (parameters[i] != id_of(head)) continue;
      const Id result = operation_.results[i - first];
      Type type = graph.values[id_of(head)].type;
      for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
        const Dim own = stager_.dimension({DimExpression::Kind::axis_of, id_of(head), axis});
        if (type.shape[axis] == own) type.shape[axis] = stager_.dimension({DimExpression::Kind::axis_of, result, axis});
      }
      graph.values[result].type = type;
      results_[id_of(head)] = result;
      return graph.symbol(result);
    }
    return head;
  }
  if (!is_compound(head)) return head;
  return map_parts(head, [&](const Value& part) { return after(part); });
}

}  // namespace covec::ir
