#include "jit/lower/fallback.hpp"

#include <set>

namespace covec::ir {

namespace {

// Leaves none of the variables that it writes without a value.
bool always_assigns(const core::Stmt& statement) {
  return statement.kind == core::StmtKind::assign || statement.kind == core::StmtKind::destructure;
}

}  // namespace

Value Fallback::interpret(const Staging::Unstaged& unstaged, Value* slots, Value& result) {
  Graph& graph = writer_.graph();
  Operation operation;
  operation.kind = Kind::interpret;
  operation.node = unstaged.statement;
  operation.exits = unstaged.exits;
  operation.only_fails = unstaged.only_fails;
  if (!unstaged.only_fails)
    graph.unstaged.push_back({unstaged.at, unstaged.reason, unstaged.statement, unstaged.frame});
  // args: the frame's function; then pairs of slot number and value. rest: the slots that are written.
  operation.args.push_back(graph.frames[unstaged.frame].closure);
  // What is written may keep what it holds: it is handed over as well.
  std::set<uint32_t> handed(unstaged.reads.begin(), unstaged.reads.end());
  handed.insert(unstaged.writes.begin(), unstaged.writes.end());
  for (const uint32_t slot : handed) hand_over(operation, slot, slots[slot]);
  for (const uint32_t slot : unstaged.writes) {
    operation.rest.push_back(Value(static_cast<int64_t>(slot)));
    leave_in(slots[slot], slots[slot].is_unbound() && !always_assigns(*unstaged.statement), operation);
  }
  Value flow(static_cast<int64_t>(Flow::next));
  if (unstaged.exits) {
    result = writer_.boxed_result_of(operation);
    flow = writer_.result_of(operation, Type{Dtype::i64, {}});
  }
  writer_.append(std::move(operation));
  return flow;
}

void Fallback::hand_over(Operation& operation, uint32_t slot, const Value& variable) {
  if (is_undefined(variable)) return;
  Value handed_over = variable;
  if (const ConditionalValue* held = conditional_values_.find(variable)) {
    handed_over = held->value;  // what the interpreter has left there, or not
    if (!held->is_defined.is_none()) {
      handed_over = Value::unbound();
      control_flow_.branch(
          held->is_defined, {&handed_over}, [&] { handed_over = writer_.box(held->value); },
          [&] { handed_over = writer_.box(Value::unbound()); });
    }
  }
  operation.args.push_back(Value(static_cast<int64_t>(slot)));
  operation.args.push_back(std::move(handed_over));
}

// `may_stay`: it may be that the statement does not assign it.
void Fallback::leave_in(Value& variable, bool may_stay, Operation& operation) {
  Value left = writer_.boxed_result_of(operation);
  variable = may_stay ? conditional_values_.hold({std::move(left), Value()}) : std::move(left);
}

}  // namespace covec::ir
