// Appending operations, dimensions and effects; statements for the interpreter.
#include "jit/lower/stager.hpp"

#include <algorithm>
#include <set>

#include "jit/lower/open_region.hpp"
#include "jit/lower/region_tape.hpp"
#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/general.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/ops/pointwise/arithmetic.hpp"
#include "stdlib/ops/pointwise/compare.hpp"
#include "stdlib/ops/pointwise/logic.hpp"
#include "stdlib/ops/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

constexpr size_t most_operations = 20000;  // of one function; past it the rest is interpreted
constexpr Id pending = UINT32_MAX;         // the result of the operation whose type is being found

bool is_boxed(const Graph& graph, const Value& value) {
  bool boxed = false;
  each_symbol(value, [&](Id id) { boxed |= graph.values[id].boxed; });
  return boxed;
}

// Leaves none of the variables that it writes without a value.
bool always_assigns(const core::Stmt& statement) {
  return statement.kind == core::StmtKind::assign || statement.kind == core::StmtKind::destructure;
}

// Makes sequences, whose items loops take where they are.
bool walks(const ops::Entry& entry) { return &entry == &ops::enumerate_entry() || &entry == &ops::zip_entry(); }

bool is_number(const Value& value) { return value.is_scalar() || value.is_none() || value.is_unbound(); }

}  // namespace

void not_staged(std::string what) { fail(message("not_staged"), {std::move(what)}); }

Stager::Stager(ops::Context& context, ops::Builder& eager, Graph& graph)
    : Builder(context), graph_(graph), eager_(eager), open_{&graph.body} {
  graph_.places.emplace_back();
}

Value Stager::parameter(const Value& like, std::string name) {
  Type type{dtype_of(like), {}};
  const Id id = graph_.add(type, std::move(name));
  for (uint32_t axis = 0; axis < rank_of(like); ++axis) {
    type.shape.push_back(dimension({DimExpression::Kind::axis_of, id, axis}));
  }
  graph_.values[id].type = type;
  graph_.body.parameters.push_back(id);
  return graph_.symbol(id);
}

void Stager::finish(Value result) { graph_.body.results = {std::move(result)}; }

Operation& Stager::append(Operation operation) {
  check_size();
  if (operation.place == 0) operation.place = place_number();
  top().operations.push_back(std::move(operation));
  return top().operations.back();
}

void Stager::check_size() {
  if (++operations_ > most_operations) fail(message("compiler_limit"), {std::to_string(most_operations)});
}

uint32_t Stager::place_number() {
  if (place_ == nullptr) return 0;
  if (place_->number == 0) {
    Place place{place_->whole, {place_->operands.begin(), place_->operands.end()}, place_->entry, place_->frame};
    // What derivatives and comprehensions apply has the place of the node that called them.
    for (const StagedPlace* at = place_->outer; at != nullptr && !place.whole.known(); at = at->outer) {
      place.whole = at->whole;
      place.frame = at->frame;
    }
    graph_.places.push_back(std::move(place));
    place_->number = static_cast<uint32_t>(graph_.places.size() - 1);
  }
  return place_->number;
}

// --- operators ---

Value Stager::result_of(Operation& operation, const Type& type) {
  const Id id = graph_.add(type);
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    const Dim dim = type.shape[axis];
    if (dim.known() || graph_.dims[dim.id()].value != pending) continue;
    graph_.dims[dim.id()] = {DimExpression::Kind::axis_of, id, axis};
  }
  operation.results.push_back(id);
  return graph_.symbol(id);
}

Value Stager::boxed_result_of(Operation& operation) {
  const Id id = graph_.add_boxed();
  operation.results.push_back(id);
  return graph_.symbol(id);
}

// Numbers only, and nothing that can go wrong: now.
bool Stager::fold(ops::Call& call, Value& result) {
  const ops::Effects& effects = call.entry.effects;
  if (effects.random || effects.prints || effects.outside || effects.calls) return false;
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (!is_number(call.operand(i))) return false;
  }
  std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
  try {
    ops::Call again{call.entry, args, rest, call.literals};
    Value folded = eager_.apply(again);
    if (!folded.is_scalar()) return false;
    result = std::move(folded);
    return true;
  } catch (const OpError&) {
    return false;  // the run will say it, in its place
  }
}

// What the run is handed: without what derivatives have wrapped around it.
Value Stager::plain(const Value& value) {
  Value stripped = autodiff::without_derivatives(value);
  autodiff::map_deep(stripped, [](const Value& leaf) {
    if (leaf.is_traced()) not_staged("a batch in an operation of the run");
    return leaf;
  });
  return stripped;
}

Value Stager::apply(ops::Call& call) {
  const ops::Entry& entry = call.entry;
  Value of_list;
  if (apply_to_list(call, of_list)) return of_list;
  ops::check_operands(*this, call);
  if (entry.staging == ops::Staging::structural) {
    for (unsigned i = 0; i < call.operands(); ++i) {
      const bool walked = walks(entry) && is_list_symbol(call.operand(i));
      if (!walked && is_boxed(graph_, call.operand(i))) not_staged("a value whose structure only the run knows");
    }
    return entry.eager(*this, call);
  }
  Operation operation;
  operation.kind = Kind::apply;
  operation.entry = &entry;
  operation.literals = call.literals;
  Value result;
  if (entry.staging == ops::Staging::typed) {
    if (entry.reduce != nullptr && entry.reduce->composed) return entry.eager(*this, call);
    for (unsigned i = 0; i < call.operands(); ++i) {
      if (is_boxed(graph_, call.operand(i))) not_staged("a value whose type only the run knows");
    }
    if (fold(call, result)) return result;
    const TypeRule rule(in_type_rule_);
    const Type type = entry.type(*this, call);
    operation.args.assign(call.args.begin(), call.args.end());
    operation.rest.assign(call.rest.begin(), call.rest.end());
    result = result_of(operation, type);
  } else {
    for (const Value& arg : call.args) operation.args.push_back(plain(arg));
    for (const Value& arg : call.rest) operation.rest.push_back(plain(arg));
    result = boxed_result_of(operation);
  }
  note_batch(operation);
  append(std::move(operation));
  return result;
}

void Stager::note_batch(const Operation& operation) {
  if (!graph_.fails_in_batch && in_batch()) graph_.fails_in_batch = is_ordered(graph_, operation);
}

bool Stager::in_batch() const {
  for (const autodiff::OpenLevel* level = context().innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::batch) return true;
  }
  return false;
}

Value Stager::apply_traced(ops::Call& call) { return autodiff::apply_traced(*this, call); }

Value Stager::arithmetic(const ops::Entry& entry, Value a, Value b) {
  return ops::call(*this, entry, {std::move(a), std::move(b)});
}

// --- dimensions ---

// An operation checks again when it runs. What is made of others has nobody who does: it must see that they agree.
void Stager::guard_equal(Dim a, Dim b, const ops::Mismatch&) {
  if (!in_type_rule_ && !(same_class(a) == same_class(b))) not_staged("whether sizes agree");
}

Dim Stager::dimension(const DimExpression& expression) {
  const auto key = std::make_tuple(static_cast<int>(expression.kind), expression.value, expression.axis,
                                   expression.left.number(), expression.right.number());
  const auto known = known_dims_.find(key);
  if (known != known_dims_.end()) return Dim::symbol(known->second);
  graph_.dims.push_back(expression);
  const auto number = static_cast<uint32_t>(graph_.dims.size() - 1);
  known_dims_.emplace(key, number);
  return Dim::symbol(number);
}

Dim Stager::unknown_dim() {
  graph_.dims.push_back({DimExpression::Kind::axis_of, pending, 0});
  return Dim::symbol(static_cast<uint32_t>(graph_.dims.size() - 1));
}

Dim Stager::dim_of(const Value& number) {
  if (number.is_scalar()) return Dim(number.tag() == Tag::i32 ? number.i32() : number.i64());
  if (!is_symbol(number)) not_staged("a size");
  const auto known = extents_.find(id_of(number));  // an extent, read, is that extent again
  if (known != extents_.end()) return known->second;
  return dimension({DimExpression::Kind::number, id_of(number), 0});
}

Value Stager::extent(Dim dim) {
  if (dim.known()) return Value(dim.number());
  const Value number = make_extent(dim);
  if (is_symbol(number)) extents_.emplace(id_of(number), dim);
  return number;
}

Value Stager::make_extent(Dim dim) {
  const DimExpression expression = graph_.dims[dim.id()];
  switch (expression.kind) {
    case DimExpression::Kind::number: return graph_.symbol(expression.value);
    case DimExpression::Kind::add:
      return arithmetic(ops::entry_of<ops::Add>(), extent(expression.left), extent(expression.right));
    case DimExpression::Kind::multiply:
      return arithmetic(ops::entry_of<ops::Multiply>(), extent(expression.left), extent(expression.right));
    case DimExpression::Kind::broadcast: {
      const Value left = extent(expression.left), right = extent(expression.right);
      return ops::call(*this, ops::entry_of<ops::Where>(),
                       {arithmetic(ops::entry_of<ops::Equal>(), left, Value(int64_t{1})), right, left});
    }
    case DimExpression::Kind::axis_of: break;
  }
  Operation operation;
  operation.kind = Kind::dimension;
  operation.args = {graph_.symbol(expression.value)};
  operation.number = expression.axis;
  const Value result = result_of(operation, Type{Dtype::i64, {}});
  append(std::move(operation));
  return result;
}

Dim Stager::symbolic_add(Dim a, Dim b) {
  if (a == Dim(0)) return b;
  if (b == Dim(0)) return a;
  return dimension({DimExpression::Kind::add, 0, 0, a, b});
}

Dim Stager::symbolic_multiply(Dim a, Dim b) {
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  return dimension({DimExpression::Kind::multiply, 0, 0, a, b});
}

Dim Stager::symbolic_broadcast(Dim a, Dim b, const ops::Mismatch&) {
  if (same_class(a) == same_class(b) || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (a.known()) return a;  // a number other than 1: the other is that, or 1, or it is an error
  if (b.known()) return b;
  // a | (a | b) is a | b: chains of operators would grow without end.
  const std::vector<Dim> of_a = broadcast_parts(a), of_b = broadcast_parts(b);
  const auto within = [](const std::vector<Dim>& few, const std::vector<Dim>& many) {
    return std::all_of(few.begin(), few.end(),
                       [&](Dim dim) { return std::find(many.begin(), many.end(), dim) != many.end(); });
  };
  if (within(of_b, of_a)) return a;
  if (within(of_a, of_b)) return b;
  const Dim result = dimension({DimExpression::Kind::broadcast, 0, 0, a, b});
  std::vector<Dim> parts = of_a;
  for (const Dim dim : of_b) {
    if (std::find(parts.begin(), parts.end(), dim) == parts.end()) parts.push_back(dim);
  }
  parts_.emplace(result.id(), std::move(parts));
  return result;
}

std::vector<Dim> Stager::broadcast_parts(Dim dim) const {
  const auto parts = parts_.find(dim.id());
  return parts == parts_.end() ? std::vector<Dim>{same_class(dim)} : parts->second;
}

void Stager::require(const Value& holds) {
  Operation operation;
  operation.kind = Kind::apply;
  operation.entry = ops::find_entry("require");
  operation.args = {holds};
  boxed_result_of(operation);
  append(std::move(operation));
  graph_.fails_in_batch = true;
}

void Stager::recursive() { graph_.recursive = true; }

size_t Stager::unstaged() const { return graph_.unstaged.size(); }

std::string Stager::last_unstaged() const { return graph_.unstaged.empty() ? "" : graph_.unstaged.back().reason; }

void Stager::assume_equal(Dim a, Dim b) {
  const Dim x = same_class(a), y = same_class(b);
  if (!(x == y)) equal_.emplace(std::max(x.number(), y.number()), Dim(std::min(x.number(), y.number())));
}

Dim Stager::same_class(Dim dim) const {
  for (auto next = equal_.find(dim.number()); next != equal_.end(); next = equal_.find(dim.number()))
    dim = next->second;
  return dim;
}

// --- variables ---

Stager::Saved Stager::save(const Variables& variables) const {
  Saved saved;
  for (const Value* variable : variables) {
    saved.values.push_back(*variable);
    const auto maybe = maybes_.find(variable);
    const bool has = variable->is_unbound() && maybe != maybes_.end();
    saved.maybes.emplace_back(has, has ? maybe->second : Maybe{});
  }
  return saved;
}

void Stager::restore(const Variables& variables, const Saved& saved) {
  for (size_t i = 0; i < variables.size(); ++i) {
    *variables[i] = saved.values[i];
    if (saved.maybes[i].first)
      maybes_[variables[i]] = saved.maybes[i].second;
    else
      maybes_.erase(variables[i]);
  }
}

bool Stager::defined(const Value* variable, Value& value, Value& whether) {
  const auto maybe = maybes_.find(variable);
  if (maybe == maybes_.end()) return false;
  value = maybe->second.value;
  whether = maybe->second.whether;
  return true;
}

void Stager::forget(const Value* first, size_t count) {
  for (size_t i = 0; i < count && !maybes_.empty(); ++i) maybes_.erase(first + i);
}

uint32_t Stager::enter(const Callable& closure, uint32_t caller, Span site) {
  graph_.frames.push_back({reference_to(const_cast<Callable*>(&closure)), caller, site});
  return static_cast<uint32_t>(graph_.frames.size() - 1);
}

size_t Stager::mark() {
  marks_.push_back({top().operations.size(), graph_.unstaged.size(), maybes_, {}});
  for (const autodiff::OpenLevel* level = context().innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::tape) marks_.back().tapes.emplace_back(level->tape, level->tape->last());
  }
  return marks_.size() - 1;
}

bool Stager::has_effects(size_t since) const {
  const std::vector<Operation>& operations = open_.back()->operations;
  return std::any_of(operations.begin() + static_cast<ptrdiff_t>(since), operations.end(), acts);
}

void Stager::take_back(size_t mark) {
  top().operations.resize(marks_[mark].operations);
  graph_.unstaged.resize(marks_[mark].unstaged);
  maybes_ = marks_[mark].maybes;
  for (const auto& [tape, last] : marks_[mark].tapes) {
    if (tape->last() == last) continue;
    Entries left = tape->cut(last);
    release(left);
  }
  marks_.resize(mark);
}

// --- what the interpreter does ---

Value Stager::box(const Value& tree) {
  if (is_symbol(tree) && graph_.values[id_of(tree)].boxed && !is_list_symbol(tree)) return tree;
  Operation operation;
  operation.kind = Kind::box;
  operation.args = {tree};
  const Value result = boxed_result_of(operation);
  append(std::move(operation));
  return result;
}

Value Stager::interpret(const Unstaged& unstaged, Value* slots, Value& result) {
  Operation operation;
  operation.kind = Kind::interpret;
  operation.node = unstaged.statement;
  operation.exits = unstaged.exits;
  if (!unstaged.only_fails) graph_.unstaged.push_back({unstaged.at, unstaged.reason});
  // args: the frame's function; then pairs of slot number and value. rest: the slots that are written.
  operation.args.push_back(graph_.frames[unstaged.frame].closure);
  // What is written may keep what it holds: it is handed over as well.
  std::set<uint32_t> handed(unstaged.reads.begin(), unstaged.reads.end());
  handed.insert(unstaged.writes.begin(), unstaged.writes.end());
  for (const uint32_t slot : handed) {
    if (slots[slot].is_unbound()) {
      const auto maybe = maybes_.find(&slots[slot]);
      if (maybe == maybes_.end()) continue;
      const Maybe held = maybe->second;
      if (held.whether.is_none()) {  // what the interpreter has left there, or not
        operation.args.push_back(Value(static_cast<int64_t>(slot)));
        operation.args.push_back(held.value);
        continue;
      }
      Value handed_over = Value::unbound();
      branch(
          held.whether, {&handed_over}, [&] { handed_over = box(held.value); },
          [&] { handed_over = box(Value::unbound()); });
      operation.args.push_back(Value(static_cast<int64_t>(slot)));
      operation.args.push_back(handed_over);
      continue;
    }
    operation.args.push_back(Value(static_cast<int64_t>(slot)));
    operation.args.push_back(slots[slot]);
  }
  for (const uint32_t slot : unstaged.writes) {
    operation.rest.push_back(Value(static_cast<int64_t>(slot)));
    const bool may_stay = slots[slot].is_unbound() && !always_assigns(*unstaged.statement);
    maybes_.erase(&slots[slot]);
    slots[slot] = boxed_result_of(operation);
    if (!may_stay) continue;
    maybes_[&slots[slot]] = {slots[slot], Value()};
    slots[slot] = Value::unbound();
  }
  Value flow(static_cast<int64_t>(Flow::next));
  if (unstaged.exits) {
    result = boxed_result_of(operation);
    flow = result_of(operation, Type{Dtype::i64, {}});
  }
  append(std::move(operation));
  return flow;
}

}  // namespace covec::ir
