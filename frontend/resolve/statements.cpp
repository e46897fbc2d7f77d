// See statements.hpp.
#include "frontend/resolve/statements.hpp"

#include "frontend/resolve/expressions.hpp"
#include "frontend/resolve/functions.hpp"
#include "frontend/resolve/pops.hpp"
#include "frontend/scopes/unread.hpp"

namespace covec::resolve {

using messages::message;

core::Block Statements::block(const ast::Block& body) {
  const Siblings* outer = siblings_;
  Siblings siblings = functions_.siblings(body);
  siblings_ = &siblings;
  core::Block out;
  out.reserve(body.size());
  for (const ast::Stmt* stmt : body) {
    if (stmt->kind == ast::StmtKind::broken) {  // its names are declared
      scopes_.current().binds_any |= static_cast<const ast::Broken*>(stmt)->any;
      continue;
    }
    const Pops::Statement here(pops_);
    core::Stmt* read = statement(stmt);
    here.put(read, out);
  }
  if (problems_.for_tools()) warn_of_unreachable(body);
  siblings_ = outer;
  return out;
}

void Statements::warn_of_unreachable(const ast::Block& body) {
  for (size_t i = 0; i + 1 < body.size(); ++i) {
    if (!always_leaves(*body[i])) continue;
    problems_.warn(message("unreachable"), body[i + 1]->span);
    return;
  }
}

core::Stmt* Statements::statement(const ast::Stmt* stmt) {
  switch (stmt->kind) {
    case ast::StmtKind::expression: return expression(*static_cast<const ast::ExpressionStmt*>(stmt));
    case ast::StmtKind::assign: return assign(*static_cast<const ast::Assign*>(stmt));
    case ast::StmtKind::update: return update(*static_cast<const ast::Update*>(stmt));
    case ast::StmtKind::function: return functions_.statement(*static_cast<const ast::FunctionStmt*>(stmt), *siblings_);
    case ast::StmtKind::if_: return if_statement(*static_cast<const ast::If*>(stmt));
    case ast::StmtKind::while_: return while_statement(*static_cast<const ast::While*>(stmt));
    case ast::StmtKind::for_: return for_statement(*static_cast<const ast::For*>(stmt));
    case ast::StmtKind::return_: return return_statement(*static_cast<const ast::Return*>(stmt));
    case ast::StmtKind::assert_: return assert_statement(*static_cast<const ast::Assert*>(stmt));
    case ast::StmtKind::try_: return try_statement(*static_cast<const ast::Try*>(stmt));
    case ast::StmtKind::import: return import_statement(*static_cast<const ast::Import*>(stmt));
    default: return jump(*stmt);
  }
}

core::Stmt* Statements::expression(const ast::ExpressionStmt& stmt) {
  if (const MutatingCall call = mutating_call(stmt.value); pops_.updates(call)) return mutation(call, stmt, nullptr);
  auto* out = nodes_.make<core::Evaluate>(stmt.span);
  out->value = expressions_.read(stmt.value);
  if (!is_used(*out->value)) report_unused(*stmt.value, *out->value);
  if (out->value->kind == core::ExprKind::method_call) note_alone(*static_cast<core::MethodCall*>(out->value));
  return out;
}

// A value that nobody sees: a literal, a name, what an operator or a builtin that does nothing else gives.
bool Statements::is_used(const core::Expr& value) {
  switch (value.kind) {
    case core::ExprKind::constant:
      // A name that is not known has been reported, and stands as none.
      return problems_.text(value.span) != "none" &&
             std::holds_alternative<std::monostate>(static_cast<const core::Constant&>(value).value);
    case core::ExprKind::op: return static_cast<const core::Op&>(value).builtin->acts;
    case core::ExprKind::local:
    case core::ExprKind::capture:
    case core::ExprKind::global:
    case core::ExprKind::builtin:
    case core::ExprKind::make_tensor:
    case core::ExprKind::make_tuple:
    case core::ExprKind::make_record:
    case core::ExprKind::make_closure: return false;
    default: return true;
  }
}

// Whether it is a builtin's method only the run knows.
void Statements::note_alone(core::MethodCall& call) {
  if (call.builtin == nullptr || call.builtin->acts) return;
  call.alone =
      scopes_.current().is_module() ? core::MethodCall::Alone::in_module : core::MethodCall::Alone::in_function;
}

namespace {

// push(xs, 2) gives another list; xs.push(2) changes this one.
std::string hint_for_update(const Problems& problems, const ast::Expr& written, const core::Expr& value) {
  if (written.kind != ast::ExprKind::call || value.kind != core::ExprKind::op) return {};
  const auto& call = static_cast<const ast::Call&>(written);
  const std::string_view name = static_cast<const core::Op&>(value).builtin->name;
  const bool updates = name == "push" || name == "pop" || name == "remove";
  if (!updates || call.callee->kind != ast::ExprKind::name || call.arguments.empty()) return {};
  if (call.arguments[0].value->kind != ast::ExprKind::name) return {};
  const std::string object(problems.text(call.arguments[0].value->span));
  std::string rest;
  for (size_t i = 1; i < call.arguments.size(); ++i)
    rest += (i > 1 ? ", " : "") + std::string(problems.text(call.arguments[i].value->span));
  return "to change " + object + ", write " + object + "." + std::string(name) + "(" + rest + ")";
}

}  // namespace

void Statements::report_unused(const ast::Expr& written, const core::Expr& value) {
  const std::string_view text = problems_.text(written.span);
  const std::string update = hint_for_update(problems_, written, value);
  if (scopes_.current().is_module()) {
    Diagnostic& warning = problems_.warn(message("unused_value"), written.span, {text});
    if (!update.empty()) warning.hint = update;
    return;
  }
  if (!update.empty()) {
    problems_.report(message("unused_in_function"), written.span, {update});
    return;
  }
  std::string replacement = "write return " + std::string(text);
  const bool call = written.kind == ast::ExprKind::call && value.kind == core::ExprKind::op;
  const core::Expr* first =
      call && !static_cast<const core::Op&>(value).args.empty() ? static_cast<const core::Op&>(value).args[0] : nullptr;
  if (first != nullptr && first->kind == core::ExprKind::local) {
    const std::string name(problems_.text(first->span));
    replacement = "write " + name + " = " + std::string(text) + ", or return it";
  }
  problems_.report(message("unused_in_function"), written.span, {replacement});
}

// xs.push(v): an update of xs, or a call of a record's field `push`.
core::Stmt* Statements::mutation(const MutatingCall& call, const ast::Stmt& stmt, const ast::Expr* result) {
  targets_.check_update(*root_of(call.target));
  pops_.is_statement(call);
  auto* out = nodes_.make<core::Push>(stmt.span);
  out->how = call.is_push()       ? core::Push::Kind::push
             : call.name == "pop" ? core::Push::Kind::pop
                                  : core::Push::Kind::remove;
  out->builtin = builtins_.find(call.name);
  out->target = targets_.path(call.target);
  out->call = static_cast<core::MethodCall*>(expressions_.read(call.call));
  if (!out->call->args.empty()) out->value = out->call->args[0].value;
  if (result != nullptr) out->result = targets_.target(result);
  return out;
}

// --- assignments ---

namespace {

// Variables and constants that are the same whenever they are read in a statement.
bool same_leaf(const core::Expr& a, const core::Expr& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case core::ExprKind::local:
      return static_cast<const core::Local&>(a).slot == static_cast<const core::Local&>(b).slot;
    case core::ExprKind::global:
      return static_cast<const core::Global&>(a).slot == static_cast<const core::Global&>(b).slot;
    case core::ExprKind::capture:
      return static_cast<const core::Capture&>(a).index == static_cast<const core::Capture&>(b).index;
    case core::ExprKind::constant:
      return static_cast<const core::Constant&>(a).value == static_cast<const core::Constant&>(b).value;
    default: return false;
  }
}

bool reads_root(const core::Expr& expr, const core::Slot& slot) {
  if (expr.kind == core::ExprKind::local)
    return !slot.global && static_cast<const core::Local&>(expr).slot == slot.index;
  return expr.kind == core::ExprKind::global && slot.global &&
         static_cast<const core::Global&>(expr).slot == slot.index;
}

const core::Expr* single_index(const std::vector<core::IndexItem>& items) {
  return items.size() == 1 && items[0].kind == core::IndexItem::Kind::at ? items[0].at : nullptr;
}

// Whether an expression is the target read, as far as its first `steps`.
bool reads(const core::Expr& expr, const core::Target& target, size_t steps) {
  if (steps == 0) return reads_root(expr, target.slot);
  const core::PathStep& last = target.steps[steps - 1];
  if (expr.kind == core::ExprKind::field && last.is_field) {
    const auto& field = static_cast<const core::Field&>(expr);
    return field.name == last.field && reads(*field.object, target, steps - 1);
  }
  if (expr.kind != core::ExprKind::index || last.is_field) return false;
  const auto& index = static_cast<const core::Index&>(expr);
  const core::Expr *read = single_index(index.items), *written = single_index(last.items);
  return read != nullptr && written != nullptr && same_leaf(*read, *written) && reads(*index.object, target, steps - 1);
}

bool operand_reads(const core::Expr& value, const core::Target& target) {
  if (value.kind != core::ExprKind::op) return false;
  const std::vector<core::Expr*>& args = static_cast<const core::Op&>(value).args;
  return !args.empty() && args[0] != nullptr && reads(*args[0], target, target.steps.size());
}

}  // namespace

core::Expr* Statements::value_for(const ast::Expr* value, const ast::Expr& target) {
  FunctionScope& scope = scopes_.current();
  scope.bound_next = &target;
  core::Expr* const read = expressions_.read(value);
  scope.bound_next = nullptr;
  return read;
}

core::Stmt* Statements::assign(const ast::Assign& stmt) {
  const MutatingCall call = mutating_call(stmt.value);
  if (call.name == "pop" && pops_.updates(call)) return mutation(call, stmt, stmt.target);
  if (stmt.target->kind == ast::ExprKind::name) {
    auto* out = nodes_.make<core::Assign>(stmt.span);
    out->name = names_.intern(static_cast<const ast::Name*>(stmt.target)->name);
    out->value = value_for(stmt.value, *stmt.target);
    out->slot = targets_.slot(out->name);
    note_binding(scopes_.current(), out->name, stmt.target->span, false);
    return out;
  }
  if (stmt.target->kind == ast::ExprKind::tuple) {
    auto* out = nodes_.make<core::Destructure>(stmt.span);
    out->value = value_for(stmt.value, *stmt.target);
    out->target = targets_.target(stmt.target);
    return out;
  }
  auto* out = nodes_.make<core::UpdatePath>(stmt.span);
  targets_.check_update(*root_of(stmt.target));
  out->value = expressions_.read(stmt.value);
  out->target = targets_.path(stmt.target);
  out->reads_target = operand_reads(*out->value, *out->target);
  return out;
}

core::Stmt* Statements::update(const ast::Update& stmt) {
  auto* out = nodes_.make<core::UpdatePath>(stmt.span);
  targets_.check_update(*root_of(stmt.target));
  out->op = stmt.function.empty() ? &builtins_.of(stmt.op) : builtins_.find(stmt.function);
  out->value = expressions_.read(stmt.value);
  out->target = targets_.path(stmt.target);
  return out;
}

// --- control ---

// else if … is an `if` in the block of the else; the chain is built from its end, without recursion.
core::Stmt* Statements::if_statement(const ast::If& stmt) {
  std::vector<core::If*> chain;
  for (const ast::Branch& branch : stmt.branches) {
    auto* one = nodes_.make<core::If>(chain.empty() ? stmt.span : branch.span);
    if (chain.empty()) {
      one->condition = expressions_.read(branch.condition);
    } else {
      const Pops::Statement here(pops_);
      one->condition = expressions_.read(branch.condition);
      here.put(one, chain.back()->otherwise);
    }
    one->then = block(branch.body);
    chain.push_back(one);
  }
  chain.back()->otherwise = block(stmt.otherwise);
  return chain.front();
}

core::Stmt* Statements::while_statement(const ast::While& stmt) {
  auto* out = nodes_.make<core::While>(stmt.span);
  {
    const Pops::Uncertain uncertain(pops_);
    out->condition = expressions_.read(stmt.condition);
  }
  out->body = loop_body(stmt.body);
  return out;
}

core::Stmt* Statements::for_statement(const ast::For& stmt) {
  auto* out = nodes_.make<core::For>(stmt.span);
  out->iterable = value_for(stmt.iterable, *stmt.target);
  if (stmt.target->kind == ast::ExprKind::index || stmt.target->kind == ast::ExprKind::field) {
    targets_.check_update(*root_of(stmt.target));
  }
  out->target = targets_.target(stmt.target);
  warn_of_constants(stmt.target);
  out->body = loop_body(stmt.body);
  return out;
}

void Statements::warn_of_constants(const ast::Expr* target) {
  if (target->kind == ast::ExprKind::name)
    return problems_.warn_of_constant(static_cast<const ast::Name*>(target)->name, target->span);
  if (target->kind != ast::ExprKind::tuple) return;
  for (const ast::Expr* item : static_cast<const ast::Tuple*>(target)->items) warn_of_constants(item);
}

core::Block Statements::loop_body(const ast::Block& body) {
  ++scopes_.current().loops;
  core::Block out = block(body);
  --scopes_.current().loops;
  return out;
}

core::Stmt* Statements::jump(const ast::Stmt& stmt) {
  bool is_break = stmt.kind == ast::StmtKind::break_;
  if (scopes_.current().loops == 0) {
    problems_.report(is_break ? message("break_outside_loop") : message("continue_outside_loop"), stmt.span);
  }
  if (is_break) return nodes_.make<core::Break>(stmt.span);
  return nodes_.make<core::Continue>(stmt.span);
}

core::Stmt* Statements::return_statement(const ast::Return& stmt) {
  if (scopes_.current().is_module()) problems_.report(message("return_outside_function"), stmt.span);
  auto* out = nodes_.make<core::Return>(stmt.span);
  if (stmt.value != nullptr) out->value = expressions_.read(stmt.value);
  return out;
}

core::Stmt* Statements::assert_statement(const ast::Assert& stmt) {
  auto* out = nodes_.make<core::Assert>(stmt.span);
  out->condition = expressions_.read(stmt.condition);
  const Pops::Uncertain uncertain(pops_);
  if (stmt.message != nullptr) out->message = expressions_.read(stmt.message);
  return out;
}

core::Stmt* Statements::try_statement(const ast::Try& stmt) {
  auto* out = nodes_.make<core::Try>(stmt.span);
  ++tries_;
  out->body = block(stmt.body);
  --tries_;
  if (stmt.name != nullptr) {
    out->target = targets_.target(stmt.name);
    if (scopes_.current().is_module() && builtins_.find(stmt.name->name) != nullptr)
      problems_.warn(message("hides_builtin"), stmt.name->span, {stmt.name->name});
  }
  out->handler = block(stmt.handler);
  return out;
}

core::Stmt* Statements::import_statement(const ast::Import& stmt) {
  if (tries_ > 0) problems_.report(message("import_in_try"), stmt.span);
  auto* out = nodes_.make<core::Import>(stmt.span);
  out->path = stmt.path;
  out->is_path = stmt.is_path;
  const std::string_view name = names_.intern(stmt.name);
  out->slot = targets_.slot(name);
  note_binding(scopes_.current(), name, stmt.span, true);
  return out;
}

}  // namespace covec::resolve
