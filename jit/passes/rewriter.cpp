#include "jit/passes/rewriter.hpp"

#include "stdlib/ops/linalg/linalg.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr unsigned max_rewrites = 16;  // of one operation, in a row

}  // namespace

Rewriter::Rewriter(Graph& graph, Rule rule)
    : graph_(graph),
      rule_(rule),
      values_(graph),
      edits_(graph),
      control_(graph, *this, values_, edits_, evaluator_),
      stacks_(graph.stacks) {}

void Rewriter::run() {
  for (const Id id : graph_.body.parameters) values_.define(id, nullptr);
  body(graph_.body);
  edits_.tidy(graph_.body, [&](const Operation& operation) {
    return operation.kind == Kind::push && !stack_of(operation).popped && !graph_.shares_stacks();
  });
}

// --- changes ---

bool Rewriter::replace(Operation& operation, Value by) {
  values_.replace(operation.results[0], std::move(by));
  edits_.bury(operation);
  return true;
}

Value Rewriter::insert(const Operation& before, const ops::Entry& entry, std::vector<Value> args, const Type& type) {
  Operation& made = edits_.insert(before, entry, std::move(args), type);
  values_.grow();
  const Id id = made.results[0];
  operation(made);
  return values_.now(id);
}

// --- the walk ---

// An extent that was not known when the operation was staged may follow from its operands now.
void Rewriter::infer(const Operation& operation) {
  if (operation.kind != Kind::apply || operation.entry->staging != ops::Staging::typed) return;
  const Shape& shape = graph_.values[operation.results[0]].type.shape;
  bool known = true;
  for (const Dim dim : shape) known &= extents().canonical(dim).has_value();
  if (known) return;
  values_.take_extents(operation.results[0], extents().shape_of(operation));
}

void Rewriter::region(Region& region, FunctionRef<void()> at_end) {
  const KnownValues::Scope scope = values_.open();
  for (const Id id : region.parameters) {
    if (values_.is_itself(id)) values_.define(id, nullptr);
  }
  body(region);
  if (at_end) at_end();
  values_.close(scope);
}

void Rewriter::body(Region& region) {
  for (Operation& operation : region.operations) this->operation(operation);
  for (Value& result : region.results) values_.resolve(result);
}

void Rewriter::operation(Operation& operation) {
  for (Value& arg : operation.args) values_.resolve(arg);
  for (Value& arg : operation.rest) values_.resolve(arg);
  if (operation.kind == Kind::if_) return control_.branch(operation);
  if (operation.kind == Kind::for_ || operation.kind == Kind::while_) return control_.loop(operation);
  if (through_stack(operation)) return;
  infer(operation);
  for (unsigned i = 0; i < max_rewrites && rule_(*this, operation); ++i) {
    if (GraphEdits::buried(operation)) return;
  }
  for (const Id id : operation.results) values_.define(id, &operation);
  learn(operation);
}

// What is pushed in one place, and was there before the loop that pushes it, need not be: every pop gives it.
bool Rewriter::through_stack(Operation& operation) {
  if (graph_.shares_stacks()) return false;
  if (operation.kind == Kind::push) {
    Stack& stack = stack_of(operation);
    ++stack.pushes;
    stack.pushed = operation.args[0];
    stack.shape = type(stack.pushed).shape;
    for (unsigned axis = 0; axis < stack.shape.rank(); ++axis) {  // what is known in that pass
      stack.shape[axis] = extents().canonical(stack.shape[axis]).value_or(stack.shape[axis]);
    }
  } else if (operation.kind == Kind::pop) {
    Stack& stack = stack_of(operation);
    if (stack.pushes == 1 && visible(stack.pushed)) return replace(operation, stack.pushed);
    stack.popped = true;
    const ValueInfo& info = graph_.values[operation.results[0]];
    if (stack.pushes == 1 && !info.boxed && !info.type.shape.empty())
      values_.take_extents(operation.results[0], stack.shape);
  }
  return false;
}

// What is known because the operation has not failed.
void Rewriter::learn(const Operation& operation) {
  if (operation.kind != Kind::apply || operation.entry != &ops::matmul_entry()) return;
  const Shape a = type(operation.args[0]).shape, b = type(operation.args[1]).shape;
  if (a.empty() || b.empty()) return;
  extents().equate(a[a.rank() - 1], b[b.rank() == 1 ? 0 : b.rank() - 2]);
}

}  // namespace covec::passes
