#include "jit/passes/rewriter.hpp"

#include <cstring>

#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr unsigned most_rewrites = 16;  // of one operation, in a row

bool is_one_of(const ops::Entry* entry, const ops::Entry& a, const ops::Entry& b) { return entry == &a || entry == &b; }

}  // namespace

Rewriter::Rewriter(Graph& graph, Rule rule)
    : graph_(graph), rule_(rule), values_(graph.values.size()), extents_(graph, *this), stacks_(graph.stacks) {}

void Rewriter::run() {
  for (const Id id : graph_.body.parameters) define(id, nullptr);
  body(graph_.body);
  if (changed_) tidy(graph_.body);
}

// --- questions ---

bool same_operand(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (a.is_scalar()) return std::memcmp(a.scalar_data(), b.scalar_data(), size_of(a.scalar_dtype())) == 0;
  if (!a.is_object()) return true;
  if (is_symbol(a) && is_symbol(b)) return id_of(a) == id_of(b);
  return a.object() == b.object();
}

bool Rewriter::visible(const Value& value) const {
  bool all = true;
  each_symbol(value, [&](Id id) { all &= values_[id].visible; });
  return all;
}

const Operation* Rewriter::maker(const Value& value, const ops::Entry& entry) const {
  const Operation* made_by = maker(value);
  return made_by != nullptr && made_by->kind == Kind::apply && made_by->entry == &entry ? made_by : nullptr;
}

Type Rewriter::type(const Value& value) const {
  return is_symbol(value) ? graph_.values[id_of(value)].type : logical_type(value);
}

bool Rewriter::same_type(const Value& a, const Value& b) {
  if (is_boxed(a) || is_boxed(b)) return false;
  const Type x = type(a), y = type(b);
  return x.dtype == y.dtype && extents_.same(x.shape, y.shape);
}

Value Rewriter::filling(const Value& value) const {
  if (value.is_scalar()) return value;
  if (value.is_tensor()) return Value::unbound();
  if (!is_symbol(value) || is_boxed(value)) return Value::unbound();
  const Type& type = graph_.values[id_of(value)].type;
  if (type.shape.empty()) return value;
  const Operation* made_by = maker(value);
  if (made_by == nullptr || made_by->kind != Kind::apply) return Value::unbound();
  if (is_one_of(made_by->entry, ops::zeros_entry(), ops::zeros_like_entry())) return Evaluator::number(0, type.dtype);
  if (is_one_of(made_by->entry, ops::ones_entry(), ops::ones_like_entry())) return Evaluator::number(1, type.dtype);
  const bool full = made_by->entry == &ops::full_entry();
  if (!full && made_by->entry != &ops::broadcast_to_entry()) return Value::unbound();
  const Value& filler = made_by->args[full ? 1 : 0];
  if (this->type(filler).dtype != type.dtype) return Value::unbound();
  return filling(filler);
}

// --- changes ---

void Rewriter::resolve(Value& value) const {
  if (is_symbol(value)) {
    const Value& now = values_[id_of(value)].now;
    if (!now.is_unbound()) value = now;
    return;
  }
  if (!value.is_object() || value.is_tensor()) return;
  bool stale = false;
  each_symbol(value, [&](Id id) { stale |= !values_[id].now.is_unbound(); });
  if (stale) value = replace_symbols(value, [&](const Value& symbol) { return now(id_of(symbol)); });
}

void Rewriter::bury(Operation& operation) {
  operation.kind = Kind::undefined;
  operation.results.clear();
}

void Rewriter::replace_result(Operation& operation, size_t result, Value by) {
  resolve(by);
  values_[operation.results[result]].now = std::move(by);
}

bool Rewriter::replace(Operation& operation, Value by) {
  replace_result(operation, 0, std::move(by));
  bury(operation);
  changed_ = true;
  return true;
}

Value Rewriter::insert(const Operation& before, const ops::Entry& entry, std::vector<Value> args, const Type& type) {
  Operation& made = made_.emplace_back();
  made.entry = &entry;
  made.args = std::move(args);
  made.place = before.place;
  made.results = {graph_.add(type)};
  const Id id = made.results[0];
  values_.resize(graph_.values.size());
  inserted_[&before].push_back(&made);
  changed_ = true;
  operation(made);
  return now(id);
}

// --- the walk ---

Rewriter::Scope Rewriter::open() const { return {defined_.size(), extents_.mark()}; }

void Rewriter::close(const Scope& scope) {
  while (defined_.size() > scope.defined) {
    values_[defined_.back()].visible = false;
    defined_.pop_back();
  }
  extents_.take_back(scope.equal);
}

void Rewriter::define(Id id, const Operation* maker) {
  Known& known = values_[id];
  known.maker = maker;
  known.visible = true;
  defined_.push_back(id);
  if (!graph_.values[id].boxed && !graph_.values[id].type.shape.empty()) retype(id);
}

// Dimensions in canonical form, so that they can be compared later; one that mentions what is not visible here is the
// value's own. Symbols made before have the type that the value had then: a new one stands for it.
void Rewriter::retype(Id id) {
  Shape& shape = graph_.values[id].type.shape;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    const Dim dim = shape[axis];
    if (dim.known() || extents_.is_own(dim, id, axis)) continue;
    const std::optional<Dim> canonical = extents_.canonical(dim);
    graph_.values[id].type.shape[axis] = canonical ? *canonical : extents_.own(id, axis);
  }
  values_[id].now = graph_.symbol(id);
}

// An extent that was not known when the operation was staged may follow from its operands now.
void Rewriter::infer(const Operation& operation) {
  if (operation.kind != Kind::apply || operation.entry->staging != ops::Staging::typed) return;
  const Shape& shape = graph_.values[operation.results[0]].type.shape;
  bool known = true;
  for (const Dim dim : shape) known &= extents_.canonical(dim).has_value();
  if (known) return;
  take_extents(operation.results[0], extents_.shape_of(operation));
}

void Rewriter::take_extents(Id id, const Shape& from) {
  Shape& shape = graph_.values[id].type.shape;
  for (unsigned axis = 0; axis < shape.rank() && from.rank() == shape.rank(); ++axis) {
    if (const std::optional<Dim> dim = extents_.canonical(from[axis])) shape[axis] = *dim;
  }
}

void Rewriter::region(Region& region, const std::function<void()>& at_end) {
  const Scope scope = open();
  for (const Id id : region.parameters) {
    if (values_[id].now.is_unbound()) define(id, nullptr);
  }
  body(region);
  if (at_end) at_end();
  close(scope);
}

void Rewriter::body(Region& region) {
  for (Operation& operation : region.operations) this->operation(operation);
  for (Value& result : region.results) resolve(result);
}

void Rewriter::operation(Operation& operation) {
  for (Value& arg : operation.args) resolve(arg);
  for (Value& arg : operation.rest) resolve(arg);
  if (operation.kind == Kind::if_) return branch(operation);
  if (operation.kind == Kind::for_ || operation.kind == Kind::while_) return loop(operation);
  if (through_stack(operation)) return;
  infer(operation);
  for (unsigned i = 0; i < most_rewrites && rule_(*this, operation); ++i) {
    if (buried(operation)) return;
  }
  for (const Id id : operation.results) define(id, &operation);
  learn(operation);
}

// What is pushed in one place, and was there before the loop that pushes it, need not be: every pop gives it.
bool Rewriter::through_stack(Operation& operation) {
  if (operation.kind == Kind::push) {
    Stack& stack = stacks_[static_cast<size_t>(operation.number)];
    ++stack.pushes;
    stack.pushed = operation.args[0];
    stack.shape = type(stack.pushed).shape;
    for (unsigned axis = 0; axis < stack.shape.rank(); ++axis) {  // what is known in that pass
      stack.shape[axis] = extents_.canonical(stack.shape[axis]).value_or(stack.shape[axis]);
    }
  } else if (operation.kind == Kind::pop) {
    Stack& stack = stacks_[static_cast<size_t>(operation.number)];
    if (stack.pushes == 1 && visible(stack.pushed)) return replace(operation, stack.pushed);
    stack.popped = true;
    const ValueInfo& info = graph_.values[operation.results[0]];
    if (stack.pushes == 1 && !info.boxed && !info.type.shape.empty()) take_extents(operation.results[0], stack.shape);
  }
  return false;
}

// What is known because the operation has not failed.
void Rewriter::learn(const Operation& operation) {
  if (operation.kind != Kind::apply || operation.entry != &ops::matmul_entry()) return;
  const Shape a = type(operation.args[0]).shape, b = type(operation.args[1]).shape;
  if (a.empty() || b.empty()) return;
  extents_.equate(a[a.rank() - 1], b[b.rank() == 1 ? 0 : b.rank() - 2]);
}

// --- tidying up ---

void Rewriter::tidy(Region& region) {
  std::vector<Operation> out;
  out.reserve(region.operations.size());
  tidy_into(region, out);
  region.operations = std::move(out);
}

void Rewriter::tidy_into(Region& region, std::vector<Operation>& out) {
  for (Operation& operation : region.operations) keep(operation, out);
  const auto after = appended_.find(&region);
  if (after == appended_.end()) return;
  for (Operation* made : after->second) keep(*made, out);
}

void Rewriter::keep(Operation& operation, std::vector<Operation>& out) {
  const auto before = inserted_.find(&operation);
  if (before != inserted_.end()) {
    for (Operation* made : before->second) keep(*made, out);
  }
  const auto in_place = spliced_.find(&operation);
  if (in_place != spliced_.end()) return tidy_into(*in_place->second, out);
  if (buried(operation)) return;
  if (operation.kind == Kind::push && !stacks_[static_cast<size_t>(operation.number)].popped) return;
  for (Region& inner : operation.regions) tidy(inner);
  out.push_back(std::move(operation));
}

}  // namespace covec::passes
