#include "jit/lower/recursion_adjoint.hpp"

#include <algorithm>
#include <stdexcept>

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

// --- what is known of a function ---

std::set<uint32_t> outer_nodes_of(const RegionTape& tape, const Entries& entries) {
  std::set<uint32_t> nodes;
  add_outer_nodes(entries, tape.first_node(), nodes);
  for (const RegionTape::LiveOut& live_out : tape.live_outs()) {
    if (live_out.first != 0 && live_out.first < tape.first_node() && live_out.entry == 0) nodes.insert(live_out.first);
  }
  return nodes;
}

void FunctionTapes::begin(const RegionTapes& tapes, uint32_t family) {
  std::vector<std::shared_ptr<FunctionTape>> all;
  for (size_t i = 0; i < tapes.all().size(); ++i) {
    all.push_back(i < all_.size() ? std::make_shared<FunctionTape>(*all_[i]) : std::make_shared<FunctionTape>());
    all[i]->level = tapes.all()[i].level();
    all[i]->family = tapes.all()[i].nodes_of(family);
  }
  all_ = std::move(all);
}

bool FunctionTapes::learn(const RegionTapes& tapes, const std::vector<Entries>& entries) {
  bool changes = false;
  for (size_t i = 0; i < all_.size(); ++i) {
    const RegionTape& tape = tapes.all()[i];
    FunctionTape& known = *all_[i];
    if (any_meets(entries[i])) not_staged("a derivative of a recursive function in which ranks meet");
    known.types.clear();  // earlier walks' have extents that are gone
    add_types(entries[i], tape.first_node(), known.types);
    std::set<uint32_t> nodes = outer_nodes_of(tape, entries[i]);
    const bool recorded = !tape.live_outs().empty() || !nodes.empty() || (i > 0 && !entries[i].all().empty()) ||
                          any_always_gives(entries[i]);
    changes |= nodes != known.outer || recorded != known.is_recorded;
    known.outer = std::move(nodes);
    known.is_recorded = recorded;
  }
  return changes;
}

const std::shared_ptr<FunctionTape>& FunctionTapes::at(uint64_t level) const {
  const auto found = std::ranges::find_if(all_, [&](const auto& tape) { return tape->level == level; });
  if (found == all_.end()) throw std::logic_error("a function's tape that is not open");
  return *found;
}

namespace {

uint32_t node_at(const Value& leaf, uint64_t level) {
  for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().level == level && at->traced().trace == TraceKind::tape) return at->traced().node;
  }
  return 0;
}

std::vector<Value> leaves_of(std::span<const Value> values) {
  std::vector<Value> leaves;
  for (const Value& value : values) {
    autodiff::map_deep(value, [&](const Value& leaf) {
      leaves.push_back(leaf);
      return leaf;
    });
  }
  return leaves;
}

// A value that stands for one of a region: its node on a tape, 0 if it is a constant there, and its type.
struct Outside {
  uint32_t node;
  std::optional<Type> type;  // nothing: it is a list
};

// Finds those of a region that are active, by their nodes there; tangents of levels above the tape are such values,
// too.
class OutsideValues {
 public:
  OutsideValues(uint64_t level, const ConditionalValues& conditional_values)
      : level_(level), conditional_values_(conditional_values) {}
  std::map<uint32_t, Outside> of(std::span<const Value> heads, std::span<const Value> values) {
    all_.clear();
    add_all(heads, values);
    return std::move(all_);
  }

 private:
  void add_all(std::span<const Value> heads, std::span<const Value> values) {
    const std::vector<Value> inside = leaves_of(heads), outside = leaves_of(values);
    if (inside.size() != outside.size()) not_staged("a derivative of a list that is passed to a recursive call");
    for (size_t i = 0; i < inside.size(); ++i) add(inside[i], outside[i]);
  }
  void add(const Value& inside, const Value& outside) {
    if (!inside.is_traced() || inside.traced().level < level_) return;
    const Traced& traced = inside.traced();
    if (traced.level == level_) return note(traced.node, outside);
    const Traced* const same = autodiff::is_traced_at(outside, traced.level) ? &outside.traced() : nullptr;
    const Value& primal = same != nullptr ? same->primal : outside;
    add(traced.primal, primal);
    if (traced.trace != TraceKind::jvp || traced.tangent.is_none()) return;
    const Value tangent = same != nullptr ? read(same->tangent) : Value();
    if (tangent.is_none())  // a constant: of the primal's type
      add_all({{read(traced.tangent)}}, {{autodiff::without_derivatives(primal)}});
    else
      add_all({{read(traced.tangent)}}, {{tangent}});
  }
  void note(uint32_t node, const Value& outside) {
    const Value* on_tape = &outside;
    while (on_tape->is_traced() && on_tape->traced().level > level_) on_tape = &on_tape->traced().primal;
    const bool is_list = !is_operand(*on_tape) || is_boxed_symbol(*on_tape) || is_run_list(*on_tape);
    all_.try_emplace(
        node, Outside{node_at(*on_tape, level_), is_list ? std::nullopt : std::optional<Type>(logical_type(*on_tape))});
  }
  Value read(const Value& tangent) const {
    const ConditionalValue* const conditional = conditional_values_.find(tangent);
    return conditional != nullptr ? conditional->value : tangent;
  }

  const uint64_t level_;
  const ConditionalValues& conditional_values_;
  std::map<uint32_t, Outside> all_;
};

// Cotangents as arguments and results: a value, zeros where there is none, and whether there is one.
class Pairs {
 public:
  // `of_call`: they are given to a call, which has those that any call has; else it gives all back.
  Pairs(const FunctionParts& parts, FunctionTape& function, bool of_call)
      : parts_(parts), function_(function), of_call_(of_call) {}

  // `key`: tells it from others of the function.
  void give(uint32_t key, const Value& cotangent, const std::optional<Type>& type) {
    const ConditionalValue* const conditional = parts_.conditional_values.find(cotangent);
    const bool absent = cotangent.is_none() || is_undefined(cotangent);
    if (of_call_ && !function_.there.contains(key)) {
      if (absent) return add(Value(), Value(false));
      function_.there.emplace(key, conditional != nullptr ? conditional->value : cotangent);
      more_ = true;
    }
    if (conditional == nullptr && !absent) return add(cotangent, Value(true));
    if (conditional != nullptr && conditional->absent == ConditionalValue::Absent::zeros)
      return add(conditional->value, conditional->is_defined);
    if (!type) return give_list(key, conditional);
    if (absent) return add(zeros(*type), Value(false));
    Value value = Value::unbound();
    const ConditionalValue before = *conditional;
    parts_.control_flow.branch(
        before.is_defined, {&value}, [&] { value = before.value; }, [&] { value = zeros(*type); });
    add(std::move(value), before.is_defined);
  }
  std::vector<Value>& all() { return all_; }
  bool has_more() const { return more_; }  // of them are there than was known

  // One after the other, of values that have come.
  Value take(std::span<const Value> from) {
    const Value &value = from[next_], &is_defined = from[next_ + 1];
    next_ += 2;
    if (is_defined.tag() != Tag::boolean)
      return parts_.conditional_values.hold({value, is_defined, ConditionalValue::Absent::zeros});
    return is_defined.boolean() ? value : Value();
  }

 private:
  // Of a list: one of no item is the same as none.
  void give_list(uint32_t key, const ConditionalValue* conditional) {
    const auto like = function_.there.find(key);
    if (conditional != nullptr) {
      if (!conditional->value.is(ObjectKind::tuple))
        not_staged("a cotangent of a recursive call that is defined on one path only");
      Value value = Value::unbound();
      const ConditionalValue before = *conditional;
      parts_.control_flow.branch(
          before.is_defined, {&value}, [&] { value = before.value; },
          [&] { value = parts_.conversions.nothing_like(before.value); });
      return add(std::move(value), Value(true));
    }
    if (like == function_.there.end()) return add(Value(), Value(false));  // the next walk knows more
    if (!like->second.is(ObjectKind::tuple))
      not_staged("a cotangent of a recursive call that is defined on one path only");
    add(parts_.conversions.nothing_like(like->second), Value(true));
  }
  Value zeros(const Type& type) { return ops::RuleContext(parts_.builder, false).zeros(type); }
  void add(Value value, Value is_defined) {
    all_.push_back(std::move(value));
    all_.push_back(std::move(is_defined));
  }

  const FunctionParts& parts_;
  FunctionTape& function_;
  const bool of_call_;
  std::vector<Value> all_;
  bool more_ = false;
  size_t next_ = 0;
};

// A call has a cotangent that none had: the adjoint is to be walked again, with one in all calls.
struct MoreCotangents {
  const FunctionTape* of;
};

std::optional<Type> find(const std::map<uint32_t, Type>& types, uint32_t node) {
  const auto found = types.find(node);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

// A call as its adjoint sees it: the nodes of its arguments (0: a constant), of what it gives and of what it uses.
struct CallNodes {
  CallNodes(const FunctionParts& parts, const FunctionTape& function, const RegionTape& tape, size_t parameters,
            const CallValues& values, uint32_t RegionTape::LiveOut::*argument) {
    OutsideValues outside_values(function.level, parts.conditional_values);
    const auto of_arguments = outside_values.of(values.heads, values.arguments);
    const auto of_given = outside_values.of({&values.gives, 1}, {&values.given, 1});
    for (const auto& [head, outside] : outside_values.of(values.primal_call.heads, values.primal_call.arguments)) {
      if (function.is_handed_over(head)) primal_arguments.emplace_back(head, outside);
    }
    for (size_t k = 0; k < tape.live_outs().size(); ++k) {
      const RegionTape::LiveOut& live_out = tape.live_outs()[k];
      const bool is_argument = k < parameters;
      const std::optional<Type>& type = (is_argument ? of_arguments : of_given).at(live_out.head).type;
      if (is_argument)
        arguments.push_back({live_out.*argument, live_out.head, type});
      else
        given.push_back({tape.base() + static_cast<uint32_t>(k), live_out.head, type});
    }
  }
  struct Node {
    uint32_t node, head;  // where it is called, and in the function
    std::optional<Type> type;
  };
  std::vector<Node> arguments, given;
  // Of an adjoint: arguments of the call that it goes back through, by their nodes in the function. They are no new
  // values: what the adjoint adds to their cotangents comes behind what its callers add.
  std::vector<std::pair<uint32_t, Outside>> primal_arguments;

  template <class F>
  void each_primal_argument(const FunctionTape& function, F f) const {
    for (const auto& [head, outside] : primal_arguments) {
      if (function.outer.contains(head)) f(head, outside);
    }
  }
  void add_nodes(const FunctionTape& function, std::vector<uint32_t>& nodes) const {
    const auto add = [&](uint32_t node) {
      if (node != 0) nodes.push_back(node);
    };
    for (const Node& argument : arguments) add(argument.node);
    each_primal_argument(function, [&](uint32_t, const Outside& outside) { add(outside.node); });
  }
  std::vector<Value> take(const FunctionParts& parts, FunctionTape& function, std::vector<Value>& cotangents,
                          bool inside) {
    Pairs pairs(parts, function, true);
    for (const Node& each : given) pairs.give(each.head, std::exchange(cotangents[each.node], Value()), each.type);
    for (const Node& each : arguments)
      pairs.give(each.head, each.node == 0 ? Value() : cotangents[each.node], each.type);
    for (const uint32_t node : function.outer) {
      if (!function.is_handed_over(node)) pairs.give(node, cotangents[node], find(function.types, node));
    }
    each_primal_argument(function, [&](uint32_t head, const Outside& outside) {
      pairs.give(head, outside.node == 0 ? Value() : cotangents[outside.node], outside.type);
    });
    if (inside && pairs.has_more()) throw MoreCotangents{&function};
    return std::move(pairs.all());
  }
  void put_back(const FunctionParts& parts, FunctionTape& function, const Value& sums, std::vector<Value>& cotangents) {
    Pairs pairs(parts, function, false);
    const std::vector<Value>& from = *children(sums);
    for (const Node& each : arguments) {
      const Value sum = pairs.take(from);
      if (each.node != 0) cotangents[each.node] = with_extents_of(parts, sum, each.type);
    }
    for (const uint32_t node : function.outer) {
      if (function.is_handed_over(node)) continue;
      const Value sum = pairs.take(from);
      cotangents[node] = with_extents_of(parts, sum, find(function.types, node));
    }
    each_primal_argument(function, [&](uint32_t, const Outside& outside) {
      const Value sum = pairs.take(from);
      if (outside.node != 0) cotangents[outside.node] = with_extents_of(parts, sum, outside.type);
    });
  }
  // A cotangent has those of the value.
  static Value with_extents_of(const FunctionParts& parts, const Value& cotangent, const std::optional<Type>& type) {
    return type ? with_extents(parts, cotangent, type->shape) : cotangent;
  }
  static Value with_extents(const FunctionParts& parts, const Value& cotangent, const Shape& shape) {
    if (const ConditionalValue* const conditional = parts.conditional_values.find(cotangent)) {
      const ConditionalValue before = *conditional;
      return parts.conditional_values.hold(
          {with_extents(parts, before.value, shape), before.is_defined, before.absent});
    }
    if (cotangent.is_traced()) return traced_with_extents(parts, cotangent.traced(), shape);
    if (!is_symbol(cotangent) || parts.writer.is_boxed(cotangent)) return cotangent;
    Graph& graph = parts.writer.graph();
    Type& type = graph.values[id_of(cotangent)].type;
    if (type.shape.rank() == shape.rank()) type.shape = shape;
    return graph.symbol(id_of(cotangent));
  }
  static Value traced_with_extents(const FunctionParts& parts, const Traced& cotangent, const Shape& shape) {
    switch (cotangent.trace) {
      case TraceKind::tape:
        return autodiff::make_tape(cotangent.level, with_extents(parts, cotangent.primal, shape), cotangent.node);
      case TraceKind::jvp: {
        Value primal = with_extents(parts, cotangent.primal, shape);
        return autodiff::make_jvp(cotangent.level, std::move(primal), with_extents(parts, cotangent.tangent, shape));
      }
      case TraceKind::batch: break;
    }
    Shape of_examples = shape;
    of_examples.insert(0, autodiff::find_level(parts.builder.context(), cotangent.level)->size);
    return autodiff::make_batch(cotangent.level, with_extents(parts, cotangent.primal, of_examples));
  }
  void add_types(std::map<uint32_t, Type>& types) const {
    for (const Node& each : arguments) {
      if (each.node != 0 && each.type) types.try_emplace(each.node, *each.type);
    }
    for (const auto& [head, outside] : primal_arguments) {
      if (outside.node != 0 && outside.type) types.try_emplace(outside.node, *outside.type);
    }
  }
};

// An adjoint goes back through the calls of what it is the adjoint of, too, and may use their arguments.
PrimalCall call_gone_back_through(const CallValues& values) {
  PrimalCall call = values.primal_call;
  call.heads.insert(call.heads.end(), values.heads.begin(), values.heads.end());
  call.arguments.insert(call.arguments.end(), values.arguments.begin(), values.arguments.end());
  return call;
}

class FunctionAdjoint final : public RegionAdjoint {
 public:
  FunctionAdjoint(const FunctionParts& parts, std::shared_ptr<FunctionTape> function, const RegionTape& tape,
                  size_t parameters, Entries entries, uint32_t serial, const CallValues& values)
      : RegionAdjoint(parts.builder, parts.writer, parts.control_flow, tape),
        parts_(parts),
        function_(std::move(function)),
        nodes_(parts, *function_, tape, parameters, values, &RegionTape::LiveOut::entry),
        of_heads_(OutsideValues(function_->level, parts.conditional_values).of(values.heads, values.heads)),
        of_primal_heads_(OutsideValues(function_->level, parts.conditional_values)
                             .of(values.primal_call.heads, values.primal_call.heads)),
        primal_call_(call_gone_back_through(values)),
        parameters_(parameters),
        entries_(std::move(entries)),
        serial_(serial) {
    outer_ = function_->outer;
    types_ = function_->types;
    nodes_.add_types(types_);
    find_handed_over(tape, parts.writer.forward_of(serial).serial);
  }
  autodiff::RuleUse rule_use() const override { return rule_use_of(entries_); }
  bool always_gives() const override { return true; }
  std::vector<uint32_t> outer_nodes() const override {
    std::vector<uint32_t> nodes(outer_.begin(), outer_.end());
    nodes_.add_nodes(*function_, nodes);
    return nodes;
  }

  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions& options) override {
    refuse_another_loop();
    begin(cotangents);
    if (nothing_came(cotangents) && !writer_.is_in_adjoint()) return true;
    const std::vector<Value> before = cotangents;
    const GraphWriter::Position position = writer_.position();
    std::optional<Value> sums;
    for (bool walked = false; !walked;) {
      try {
        sums = walk_back(cotangents, options);
        walked = true;
      } catch (const MoreCotangents& more) {
        if (more.of != function_.get()) throw;
        writer_.rollback(position);
        cotangents = before;
      }
    }
    if (!sums) not_staged("a derivative of a recursive call with two cotangents that are the same value");
    clear_inner(cotangents);
    nodes_.put_back(parts_, *function_, *sums, cotangents);
    return true;
  }

 private:
  std::optional<Value> walk_back(std::vector<Value>& cotangents, const autodiff::SweepOptions& options) {
    std::vector<Value> given = nodes_.take(parts_, *function_, cotangents, false);
    FunctionSource source;
    source.key = function_.get();
    for (Value& value : given) source.arguments.push_back(&value);
    source.body = [&] { return sweep_call(given, cotangents, options); };
    source.primal_call = primal_call_;
    source.adjoint_of = serial_;
    source.sweep = writer_.walk_back(serial_);
    return parts_.calls.call(std::move(source));
  }
  Value sweep_call(std::span<const Value> given, std::vector<Value>& cotangents,
                   const autodiff::SweepOptions& options) {
    start_inner(cotangents);
    start_handed_over(cotangents);
    Pairs come(parts_, *function_, true);
    std::vector<Value> results;
    for (size_t k = parameters_; k < live_outs_.size(); ++k) results.push_back(come.take(given));
    for (size_t k = 0; k < parameters_; ++k) {
      Value& sum = cotangents[live_outs_[k].head];
      if (!sum.is_none()) not_staged("a second reverse mode through an argument of a recursive call");
      sum = come.take(given);
    }
    each_carried([&](uint32_t node) { cotangents[node] = come.take(given); });
    nodes_.each_primal_argument(*function_,
                                [&](uint32_t head, const Outside&) { cotangents[head] = come.take(given); });
    ops::RuleContext rules(builder_, options.ieee);
    for (size_t k = live_outs_.size(); k-- > parameters_;) {
      const uint32_t node = live_outs_[k].first;
      if (node != 0) autodiff::accumulate(rules, cotangents[node], std::move(results[k - parameters_]));
    }
    autodiff::sweep_entries(builder_, entries_.all(), cotangents, options);
    Pairs sums(parts_, *function_, false);
    for (size_t k = 0; k < parameters_; ++k)
      sums.give(live_outs_[k].head, cotangents[live_outs_[k].head], of_heads_.at(live_outs_[k].head).type);
    each_carried([&](uint32_t node) { sums.give(node, cotangents[node], find(function_->types, node)); });
    nodes_.each_primal_argument(*function_, [&](uint32_t head, const Outside&) {
      sums.give(head, std::exchange(cotangents[head], Value()), of_primal_heads_.at(head).type);
    });
    return make_tuple(std::move(sums.all()));
  }
  template <class F>
  void each_carried(F f) const {
    for (const uint32_t node : function_->outer) {
      if (!function_->is_handed_over(node)) f(node);
    }
  }
  void refuse_another_loop() const {
    for (const uint32_t serial : writer_.open_loops()) {
      if (!loops_.contains(serial)) not_staged("a pullback called in a loop after its function");
    }
  }

  const FunctionParts parts_;
  const std::shared_ptr<FunctionTape> function_;
  CallNodes nodes_;
  const std::map<uint32_t, Outside> of_heads_, of_primal_heads_;
  const PrimalCall primal_call_;
  const size_t parameters_;
  const Entries entries_;
  const uint32_t serial_;
  const std::set<uint32_t> loops_ = writer_.open_loops();  // that it stands in
};

// A call from inside of the function: its adjoint is one from inside of the function's adjoint.
class CallAdjoint final : public autodiff::Composite {
 public:
  CallAdjoint(const FunctionParts& parts, std::shared_ptr<FunctionTape> function, const RegionTape& tape,
              size_t parameters, const CallValues& values)
      : parts_(parts),
        function_(std::move(function)),
        nodes_(parts, *function_, tape, parameters, values, &RegionTape::LiveOut::first),
        primal_call_(call_gone_back_through(values)) {}
  autodiff::RuleUse rule_use() const override { return autodiff::RuleUse::none; }  // it is the function's
  bool always_gives() const override { return true; }
  // Nodes that are handed over are of the callee's own call of the function gone back through, not of this one.
  std::vector<uint32_t> outer_nodes() const override {
    std::vector<uint32_t> nodes;
    std::ranges::copy_if(function_->outer, std::back_inserter(nodes),
                         [&](uint32_t node) { return !function_->is_handed_over(node); });
    nodes_.add_nodes(*function_, nodes);
    return nodes;
  }
  std::map<uint32_t, Type> outer_types() const override {
    std::map<uint32_t, Type> types = function_->types;
    nodes_.add_types(types);
    return types;
  }
  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions&) override {
    const std::vector<Value> given = nodes_.take(parts_, *function_, cotangents, true);
    const std::optional<Value> sums = parts_.calls.call_inside(function_.get(), {}, given, 1, primal_call_);
    if (!sums) not_staged("a derivative of a recursive call");
    nodes_.put_back(parts_, *function_, *sums, cotangents);
    return true;
  }

 private:
  const FunctionParts parts_;
  const std::shared_ptr<FunctionTape> function_;
  CallNodes nodes_;
  const PrimalCall primal_call_;
};

// A node that two arguments have, or one and the function itself, would get cotangents from both.
void refuse_shared(const FunctionTape& function, const RegionTape& tape, size_t parameters) {
  std::set<uint32_t> nodes = function.outer;
  for (size_t k = 0; k < parameters; ++k) {
    const uint32_t node = tape.live_outs()[k].first;
    if (node != 0 && !nodes.insert(node).second)
      not_staged("a derivative of a recursive call that gets one value twice");
  }
}

}  // namespace

void record_function(const FunctionParts& parts, const FunctionTapes& tapes, RegionTapes& own,
                     std::vector<Entries> entries, const std::vector<size_t>& parameters, uint32_t serial,
                     const CallValues& values) {
  for (size_t i = 0; i < own.all().size(); ++i) {
    RegionTape& tape = own.all()[i];
    tape.end(parts.writer.forward_of(serial).serial);
    const std::shared_ptr<FunctionTape>& function = tapes.at(tape.level());
    if (!function->is_recorded) continue;
    tape.record(
        std::make_unique<FunctionAdjoint>(parts, function, tape, parameters[i], std::move(entries[i]), serial, values));
  }
}

void record_call(const FunctionParts& parts, const FunctionTapes& tapes, RegionTapes& own,
                 const std::vector<size_t>& parameters, const CallValues& values) {
  for (size_t i = 0; i < own.all().size(); ++i) {
    RegionTape& tape = own.all()[i];
    const std::shared_ptr<FunctionTape>& function = tapes.at(tape.level());
    if (!function->is_recorded && tape.live_outs().empty()) continue;
    refuse_shared(*function, tape, parameters[i]);
    tape.record(std::make_unique<CallAdjoint>(parts, function, tape, parameters[i], values));
  }
}

}  // namespace covec::ir
