// The walk while a function is staged for the compiler (see interpreter/compiler.hpp): statements and choices whose
// condition or number of passes only the run knows become branches and loops of Staging. What is known now is walked as
// always. A statement that cannot be staged is taken back, and a call of the interpreter put in its place. Start at
// staged_body, then staged_statements.
#include <algorithm>

#include "frontend/resolve/walk.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"
#include "interpreter/eval/staged_place.hpp"
#include "interpreter/eval/staged_point.hpp"
#include "interpreter/eval/staged_slots.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/attributes.hpp"
#include "stdlib/ops/general.hpp"
#include "stdlib/ops/index.hpp"
#include "stdlib/ops/sequences.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using eval::row;

namespace {

Value flow_number(Flow flow) { return Value(static_cast<int64_t>(flow)); }

bool is_known_flow(const Value& flow) { return flow.tag() == Tag::i64; }

// Does a block always end with break, continue or return?
bool always_exits(const core::Block& block);
bool always_exits(const core::Stmt& stmt) {
  switch (stmt.kind) {
    case core::StmtKind::break_:
    case core::StmtKind::continue_:
    case core::StmtKind::return_: return true;
    case core::StmtKind::if_: {
      const auto& node = static_cast<const core::If&>(stmt);
      return always_exits(node.then) && always_exits(node.otherwise);
    }
    default: return false;
  }
}
bool always_exits(const core::Block& block) {
  for (const core::Stmt* stmt : block) {
    if (always_exits(*stmt)) return true;
  }
  return false;
}

bool may_return(const core::Block& block);
bool may_return(const core::Stmt& stmt) {
  switch (stmt.kind) {
    case core::StmtKind::return_: return true;
    case core::StmtKind::if_: {
      const auto& node = static_cast<const core::If&>(stmt);
      return may_return(node.then) || may_return(node.otherwise);
    }
    case core::StmtKind::while_: return may_return(static_cast<const core::While&>(stmt).body);
    case core::StmtKind::for_: return may_return(static_cast<const core::For&>(stmt).body);
    default: return false;
  }
}
bool may_return(const core::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const core::Stmt* stmt) { return may_return(*stmt); });
}

}  // namespace

// --- functions ---

Staging::Variables Interpreter::variables_of(Frame& f) {
  Staging::Variables variables;
  const size_t count = f.closure->function.slots;
  variables.reserve(count + 2);
  for (size_t i = 0; i < count; ++i) variables.push_back(&f.slots[i]);
  if (!f.exit) return variables;  // in a default
  variables.push_back(&f.exit->flow);
  variables.push_back(&f.exit->result);
  return variables;
}

// Of a loop: what its body assigns, and how it ends when it may return.
Staging::Variables Interpreter::variables_of(const core::Stmt& loop, Frame& f) {
  SlotsUsed used(f.closure->function.slots);
  used.see(loop);
  Staging::Variables variables;
  for (size_t i = 0; i < used.writes.size(); ++i) {
    if (used.writes[i]) variables.push_back(&f.slots[i]);
  }
  if (!may_return(loop)) return variables;
  variables.push_back(&f.exit->flow);
  variables.push_back(&f.exit->result);
  return variables;
}

// An annotated dimension. The arguments of the compiled function itself have been checked by the caller; those of the
// functions that it calls, and all results, must be seen to agree.
void Interpreter::staged_dimension(const core::DimAnnotation& dim, Dim size, Frame& f) {
  using Kind = core::DimAnnotation::Kind;
  if (dim.kind == Kind::any || dim.kind == Kind::ellipsis) return;
  const bool checked = !f.exit && (!f.caller || !f.caller->is_staged());
  if (dim.kind == Kind::name) {
    Value& slot = f.slots[dim.slot];
    if (slot.is_unbound()) {
      slot = builder_->extent(size);
      return;
    }
    if (is_operand(slot) && builder_->dim_of(slot) == size) return;
    if (checked && is_operand(slot)) return staging_->assume_equal(builder_->dim_of(slot), size);
    if (is_operand(slot)) return staged_agree(builder_->dim_of(slot), size, dim.span, f);
  }
  if (checked) return;
  if (dim.kind == Kind::literal) return staged_agree(Dim(dim.literal), size, dim.span, f);
  stop_staging("a dimension that must agree", dim.span, f);
}

// A function's frame opens.
void Interpreter::enter_staged(Frame& f) {
  for (const Frame* outer = f.caller; outer && outer->is_staged(); outer = outer->caller) {
    if (outer->closure && &outer->closure->function == &f.closure->function) stop_recursion(f, *outer);
  }
  const uint32_t caller = f.caller && f.caller->is_staged() ? f.caller->staged : Staging::no_caller;
  f.staged = staging_->enter(*f.closure, caller, f.site ? *f.site : Span());
  f.globals = staging_->globals(f.closure->function, f.closure->globals);
}

// A function inside itself would be walked for ever: the statement that calls it from outside is interpreted. `outer`
// is its frame that is open.
void Interpreter::stop_recursion(const Frame& f, const Frame& outer) {
  for (const Frame* inside = f.caller;; inside = inside->caller) {
    if (inside->exit) inside->exit->recursive = true;
    if (inside == &outer) break;
  }
  const bool is_compiled_one = !outer.caller || !outer.caller->is_staged();
  if (is_compiled_one) staging_->recursive();
  fail_in(message("not_staged"), {"a recursive call"}, {{f.site ? *f.site : Span(), ""}}, f.caller);
}

// An expression function's body as the statement that it means.
const core::Stmt& Interpreter::as_statement(const core::Function& function) {
  std::unique_ptr<core::Return>& statement = expression_bodies_[&function];
  if (!statement) {
    statement = std::make_unique<core::Return>(function.expression->span);
    statement->value = function.expression;
  }
  return *statement;
}

// What must hold for the walk to be right; where it does not, the statement that needs it says so itself.
void Interpreter::staged_require(const Value& holds, std::string_view what, Span span, Frame& frame) {
  Frame* const at = frame.exit ? &frame : frame.caller;  // of a signature: the statement that calls
  if (!at || !at->exit) stop_staging(what, span, frame);
  Frame& f = *at;
  if (holds.tag() == Tag::boolean && holds.boolean()) return;
  const bool again = !staging_->may_interpret() || f.exit->returned;  // no statement of its own says it
  if (is_operand(holds) && holds.tag() != Tag::boolean && again) return staging_->require(holds);
  if (!is_operand(holds) || holds.tag() == Tag::boolean || !staging_->may_interpret() || !f.exit->statement) {
    stop_staging(what, span, f);
  }
  staging_->branch(
      holds, {}, [] {},
      [&] {
        const StagedPoint before(*staging_, f);
        unstaged(*f.exit->statement, std::string(what), span, f, true);
        before.restore();
      });
}

// Two extents that must agree.
void Interpreter::staged_agree(Dim a, Dim b, Span span, Frame& f) {
  if (a == b) return;
  Value extents[2] = {builder_->extent(a), builder_->extent(b)};
  staged_require(call_entry(*host_.operator_of(Operator::equal).entry, extents, {}, 0, span, {}, f),
                 "extents that must agree", span, f);
  staging_->assume_equal(a, b);
}

Raw Interpreter::staged_body(const core::Function& function, Frame& frame) {
  StagedExit exit;
  frame.exit = &exit;
  struct Forget {  // a walk that is given up as well: another one's variables may lie in the same places
    Staging& staging;
    const Frame& frame;
    const StagedExit& exit;
    ~Forget() {
      staging.forget(frame.slots, frame.closure->function.slots);
      staging.forget(&exit.result, 1);
    }
  } const forget{*staging_, frame, exit};
  Value result;
  const core::Stmt* expression = function.expression ? &as_statement(function) : nullptr;
  {
    const Flow flow = expression ? staged_statements({&expression, 1}, frame) : staged_statements(function.body, frame);
    if (flow == Flow::return_) result = std::move(exit.result);
    if (flow == Flow::staged && always_exits(function.body)) {
      settle(exit.result);
      result = std::move(exit.result);
    } else if (flow == Flow::staged) {  // some paths return, others fall off the end
      Value returned = is_flow(exit.flow, Flow::return_, frame);
      staging_->branch(
          returned, {&exit.result}, [&] { settle(exit.result); }, [&] { exit.result = Value(); });
      result = std::move(exit.result);
    }
  }
  exit.returned = true;
  if (function.result) check_result(function, result, frame);
  return give(std::move(result));
}

// Where a path is known to have defined a variable.
void Interpreter::settle(Value& variable) {
  Value value, whether;
  if (variable.is_unbound() && staging_->defined(&variable, value, whether)) variable = std::move(value);
}

Value Interpreter::is_flow(const Value& flow, Flow which, Frame& f) {
  if (is_known_flow(flow)) return Value(flow.i64() == static_cast<int64_t>(which));
  Value args[2] = {flow, flow_number(which)};
  return call_entry(*host_.operator_of(Operator::equal).entry, args, {}, 0, Span(), {}, f);
}

// --- statements ---

Flow Interpreter::staged_statements(std::span<const core::Stmt* const> statements, Frame& f) {
  for (size_t i = 0; i < statements.size(); ++i) {
    bool rest_done = false;
    const Flow flow = staged_statement(*statements[i], statements.subspan(i + 1), rest_done, f);
    if (rest_done) return flow;
    if (flow == Flow::next) continue;
    if (flow != Flow::staged) return flow;
    // Some paths go on: they do the rest.
    const std::span<const core::Stmt* const> rest = statements.subspan(i + 1);
    if (rest.empty()) return flow;
    const Value goes_on = is_flow(f.exit->flow, Flow::next, f);
    return staged_paths(
        goes_on, f, [&] { return staged_statements(rest, f); }, [] { return Flow::staged; });
  }
  return Flow::next;
}

// Two paths, either of which may end in its own way.
Flow Interpreter::staged_paths(const Value& condition, Frame& f, const std::function<Flow()>& then,
                               const std::function<Flow()>& otherwise) {
  Flow ends[2] = {Flow::next, Flow::next};
  const Value before = f.exit->flow;
  const auto walk = [&](const std::function<Flow()>& path, Flow& end) {
    f.exit->flow = before;
    end = path();
    if (end != Flow::staged) f.exit->flow = flow_number(end);
  };
  staging_->branch(
      condition, variables_of(f), [&] { walk(then, ends[0]); }, [&] { walk(otherwise, ends[1]); });
  if (ends[0] == ends[1] && ends[0] != Flow::staged) return ends[0];
  return is_known_flow(f.exit->flow) ? static_cast<Flow>(f.exit->flow.i64()) : Flow::staged;
}

Flow Interpreter::staged_statement(const core::Stmt& stmt, std::span<const core::Stmt* const> rest, bool& rest_done,
                                   Frame& f) {
  const StagedPoint before(*staging_, f);
  const auto must_pass = [&](std::string_view code) {
    return !staging_->may_interpret() || f.exit->recursive || code == "compiler_limit";
  };
  f.exit->statement = &stmt;
  std::string reason;
  Span at = stmt.span;
  try {
    const Flow flow = staged_execute(stmt, rest, rest_done, f);
    f.exit->statement = before.statement();
    return flow;
  } catch (const CovecError& error) {
    if (must_pass(error.diagnostics.front().code)) throw;
    reason = error.diagnostics.front().message;
    const std::vector<Label>& labels = error.diagnostics.front().labels;
    if (!labels.empty() && stmt.span.contains(labels.front().span)) at = labels.front().span;
  } catch (const OpError& error) {
    if (must_pass(error.code)) throw;
    reason = error.message;
  }
  rest_done = false;
  before.take_back();
  return unstaged(stmt, std::move(reason), at, f);
}

Flow Interpreter::staged_execute(const core::Stmt& stmt, std::span<const core::Stmt* const> rest, bool& rest_done,
                                 Frame& f) {
  const PlaceScope place(*staging_, stmt.span, {}, nullptr, f.staged);
  switch (stmt.kind) {
    case core::StmtKind::if_: return staged_if(static_cast<const core::If&>(stmt), rest, rest_done, f);
    case core::StmtKind::while_: return staged_while(static_cast<const core::While&>(stmt), f);
    case core::StmtKind::for_: return staged_for(static_cast<const core::For&>(stmt), f);
    case core::StmtKind::break_: return Flow::break_;
    case core::StmtKind::continue_: return Flow::continue_;
    case core::StmtKind::return_: {
      const auto& node = static_cast<const core::Return&>(stmt);
      f.exit->result = node.value ? value_of(*node.value, f) : Value();
      return Flow::return_;
    }
    case core::StmtKind::assert_: {
      const auto& node = static_cast<const core::Assert&>(stmt);
      const size_t before = staging_->staged();
      const Value holds = staged_condition(*node.condition, f);
      // Where it fails, the interpreter evaluates it again, for what its parts were.
      if (staging_->has_effects(before)) stop_staging("an assertion that draws, prints or reads", stmt.span, f);
      if (holds.tag() == Tag::boolean) {
        if (!holds.boolean()) assert_(node, f);
        return Flow::next;
      }
      if (!staging_->may_interpret()) stop_staging("an assertion inside a derivative or vmap", stmt.span, f);
      staging_->branch(
          holds, {}, [] {}, [&] { unstaged(stmt, "an assertion", stmt.span, f, true); });
      return Flow::next;
    }
    case core::StmtKind::import: stop_staging("an import", stmt.span, f);
    default: return execute(stmt, f);
  }
}

void Interpreter::stop_staging(std::string_view what, Span span, Frame& f) {
  fail(message("not_staged"), {std::string(what)}, {{span, ""}}, f);
}

// For the reason that the last statement in it could not be staged.
void Interpreter::stop_loop(Span span, Frame& f) {
  fail(row("loop_not_staged"), {staging_->last_unstaged()}, {{span, ""}}, f);
}

// A condition: a bool known now, or a symbol.
Value Interpreter::staged_condition(const core::Expr& expr, Frame& f, const char* logical) {
  const Value value = value_of(expr, f);
  if (is_operand(value)) {
    const Type type = logical_type(value);
    if (type.dtype == Dtype::boolean && type.shape.empty()) return concrete(value);
  }
  return Value(truth(value, expr, f, logical));
}

// What follows an if of which one path leaves belongs to the other path: so nothing needs to be asked again.
Flow Interpreter::staged_if(const core::If& node, std::span<const core::Stmt* const> rest, bool& rest_done, Frame& f) {
  const Value condition = staged_condition(*node.condition, f);
  if (condition.tag() == Tag::boolean) {
    return staged_statements(condition.boolean() ? node.then : node.otherwise, f);
  }
  const bool then_leaves = always_exits(node.then), otherwise_leaves = always_exits(node.otherwise);
  const auto path = [&](const core::Block& block, bool with_rest) {
    return [&, with_rest] {
      const Flow flow = staged_statements(block, f);
      if (!with_rest || flow == Flow::return_ || flow == Flow::break_ || flow == Flow::continue_) return flow;
      if (flow == Flow::next) return staged_statements(rest, f);
      const Value goes_on = is_flow(f.exit->flow, Flow::next, f);
      return staged_paths(
          goes_on, f, [&] { return staged_statements(rest, f); }, [] { return Flow::staged; });
    };
  };
  rest_done = then_leaves != otherwise_leaves;
  return staged_paths(condition, f, path(node.then, rest_done && otherwise_leaves),
                      path(node.otherwise, rest_done && then_leaves));
}

// --- loops ---

// One pass: whether to go on (none: always), and exit.flow is next or return_ afterwards.
Value Interpreter::staged_pass(const core::Block& body, Frame& f) {
  f.exit->flow = flow_number(Flow::next);
  if (!may_return(body)) {  // what an earlier walk has left there means nothing
    f.exit->result = Value::unbound();
    staging_->forget(&f.exit->result, 1);
  }
  const Flow flow = staged_statements(body, f);
  if (flow == Flow::next || flow == Flow::continue_) {
    f.exit->flow = flow_number(Flow::next);
    return Value();
  }
  if (flow == Flow::break_ || flow == Flow::return_) {
    f.exit->flow = flow_number(flow == Flow::return_ ? flow : Flow::next);
    return Value(false);
  }
  const Value next = is_flow(f.exit->flow, Flow::next, f), again = is_flow(f.exit->flow, Flow::continue_, f);
  Value both[2] = {next, again};
  Value goes_on = call_entry(*host_.operator_of(Operator::bit_or).entry, both, {}, 0, Span(), {}, f);
  const Value returned = is_flow(f.exit->flow, Flow::return_, f);
  Value choice[3] = {returned, flow_number(Flow::return_), flow_number(Flow::next)};
  f.exit->flow = call_entry(*ops::find_entry("where"), choice, {}, 0, Span(), {}, f);
  return goes_on;
}

// After a loop: what a return inside it means.
Flow Interpreter::after_loop(const core::Stmt& loop, Frame& f) {
  if (!may_return(loop)) {  // what is left there belongs to the last pass
    f.exit->flow = flow_number(Flow::next);
    f.exit->result = Value::unbound();
    staging_->forget(&f.exit->result, 1);
  }
  if (is_known_flow(f.exit->flow)) return static_cast<Flow>(f.exit->flow.i64());
  return Flow::staged;
}

// A loop with statements that must be interpreted is interpreted as a whole: going to and fro in each pass costs more.
class WholeLoop {
 public:
  explicit WholeLoop(Staging& staging) : staging_(staging), before_(staging.unstaged()) {}
  bool broken() const { return staging_.unstaged() != before_; }

 private:
  Staging& staging_;
  const size_t before_;
};

Flow Interpreter::staged_while(const core::While& node, Frame& f) {
  const WholeLoop whole(*staging_);
  f.exit->flow = flow_number(Flow::next);
  staging_->loop(
      variables_of(node, f), [&] { return staged_condition(*node.condition, f); },
      [&] { return staged_pass(node.body, f); });
  if (whole.broken()) stop_loop(node.span, f);
  return after_loop(node, f);
}

Flow Interpreter::staged_for(const core::For& node, Frame& f) {
  const Value iterable = value_of(*node.iterable, f);
  const Span span = node.iterable->span;
  f.exit->flow = flow_number(Flow::next);
  const WholeLoop whole(*staging_);
  const StagedItems items = staged_items(iterable, span, f);
  if (items.count.tag() == Tag::i64 && items.count.i64() == 0) return Flow::next;
  if (items.unrolled) {
    if (items.count.tag() != Tag::i64 || items.count.i64() > longest_unrolled) {
      stop_staging("a loop over a long list", span, f);
    }
    return staged_item(node, items, 0, f);
  }
  const auto repeat = [&] {
    staging_->repeat(items.count, variables_of(node, f), [&](const Value& index) {
      assign(*node.target, items.at(index), span, f);
      return staged_pass(node.body, f);
    });
  };
  const bool few = items.count.tag() == Tag::i64 && items.count.i64() <= longest_unrolled;
  if (!few || staging_->may_interpret()) {
    repeat();
  } else if (!staged_attempt(repeat, f)) {
    return staged_item(node, items, 0, f);
  }
  if (whole.broken()) stop_loop(node.span, f);
  return after_loop(node, f);
}

// False where a list of values that a derivative follows grows, or is asked for an item that only the run can find:
// what the walk has done is taken back. With a pass for each index such a list is a tree like others.
bool Interpreter::staged_attempt(const std::function<void()>& walk, Frame& f) {
  constexpr std::string_view active = "list_active";
  const StagedPoint before(*staging_, f);
  try {
    walk();
    return true;
  } catch (const CovecError& error) {
    if (error.diagnostics.front().code != active) throw;
  } catch (const OpError& error) {
    if (error.code != active) throw;
  }
  before.take_back();
  return false;
}

// Items that may be of different types have a pass each.
Flow Interpreter::staged_item(const core::For& node, const StagedItems& items, int64_t number, Frame& f) {
  for (; number < items.count.i64(); ++number) {
    assign(*node.target, items.at(Value(number)), node.iterable->span, f);
    const Value goes_on = staged_pass(node.body, f);
    if (goes_on.is_none()) continue;
    if (goes_on.tag() == Tag::boolean) {
      if (goes_on.boolean()) continue;
      return after_loop(node, f);
    }
    return staged_paths(
        goes_on, f, [&] { return staged_item(node, items, number + 1, f); }, [&] { return after_loop(node, f); });
  }
  return Flow::next;
}

// --- choice ---

Raw Interpreter::staged_select(const core::Select& node, Frame& f) {
  using Form = core::Select::Form;
  const char* name = node.form == Form::and_ ? "and" : "or";
  const Value condition = staged_condition(*node.condition, f, node.form == Form::conditional ? nullptr : name);
  const auto side = [&](bool taken) -> Value {
    if (node.form == Form::conditional) return value_of(taken ? *node.then : *node.otherwise, f);
    if (taken != (node.form == Form::and_)) return Value(taken);
    return staged_condition(node.form == Form::and_ ? *node.then : *node.otherwise, f, name);
  };
  if (condition.tag() == Tag::boolean) return give(side(condition.boolean()));
  Value result = Value::unbound();
  Staging::Variables variables = variables_of(f);
  variables.push_back(&result);
  staging_->branch(
      condition, variables, [&] { result = side(true); }, [&] { result = side(false); });
  return give(std::move(result));
}

Value Interpreter::staged_size(const Shape& shape, Frame& f) {
  Value size(int64_t{1});
  for (const Dim dim : shape) {
    Value args[2] = {std::move(size), builder_->extent(dim)};
    size = call_entry(*host_.operator_of(Operator::mul).entry, args, {}, 0, Span(), {}, f);
  }
  return size;
}

Raw Interpreter::staged_format(const core::Format& node, Frame& f) {
  const ops::Entry& format = *ops::find_entry("format");
  Value text = make_string("");
  const auto join = [&](Value part) {
    Value args[2] = {std::move(text), std::move(part)};
    text = call_entry(*ops::find_entry("join_text"), args, {}, 0, node.span, {}, f);
  };
  for (const core::Format::Piece& piece : node.pieces) {
    if (!piece.value) {
      join(make_string(piece.text));
      continue;
    }
    Value args[2] = {value_of(*piece.value, f), make_string(piece.spec)};
    join(call_entry(format, args, {}, 0, piece.value->span, {}, f));
  }
  return give(std::move(text));
}

// --- variables that only some paths have defined ---

// Gives the value, after a check that the run makes.
Value Interpreter::staged_local(const core::Local& node, Frame& f) {
  Value value, whether;
  if (!staging_->defined(&f.slots[node.slot], value, whether)) {
    const auto& names = f.closure->function.slot_names;
    fail(row("no_value"), {std::string(names[node.slot])}, {{node.span, ""}}, f);
  }
  if (whether.is_none()) stop_staging("whether a variable has a value", node.span, f);
  const ops::Entry& check = *ops::find_entry("require_value");
  const std::string name(f.closure->function.slot_names[node.slot]);
  Value args[2] = {whether, make_string(name)};
  call_entry(check, args, {}, 0, node.span, {}, f);
  return value;
}

// A function captures what a variable holds when it is made: whether it holds anything must be known then.
void Interpreter::staged_capture(const core::MakeClosure& node, const Value& variable, Frame& f) {
  Value value, whether;
  if (staging_->defined(&variable, value, whether))
    stop_staging("whether a captured variable has a value", node.span, f);
}

// --- what is not staged ---

Flow Interpreter::unstaged(const core::Stmt& stmt, std::string reason, Span at, Frame& f, bool only_fails) {
  SlotsUsed used(f.closure->function.slots);
  used.see(stmt);
  Staging::Unstaged region{&stmt, f.staged, {}, {}, used.exits, std::move(reason), at, only_fails};
  for (uint32_t i = 0; i < f.closure->function.slots; ++i) {
    if (used.reads[i]) region.reads.push_back(i);
    if (used.writes[i]) region.writes.push_back(i);
  }
  const PlaceScope place(*staging_, stmt.span, {}, nullptr, f.staged);
  const Value flow = staging_->interpret(region, f.slots, f.exit->result);
  if (!used.exits) return Flow::next;
  if (stmt.kind == core::StmtKind::return_) return Flow::return_;
  f.exit->flow = flow;
  return Flow::staged;
}

}  // namespace covec
