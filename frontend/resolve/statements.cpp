// Statements: see resolver.hpp.
#include "frontend/resolve/resolver.hpp"

namespace covec::resolve {

using messages::message;

core::Block Resolver::block(const ast::Block& body) {
  const Siblings* outer = block_siblings_;
  Siblings siblings = declare_siblings(body);
  block_siblings_ = &siblings;
  core::Block out;
  out.reserve(body.size());
  for (const ast::Stmt* stmt : body) out.push_back(statement(stmt));
  block_siblings_ = outer;
  return out;
}

core::Stmt* Resolver::statement(const ast::Stmt* stmt) {
  switch (stmt->kind) {
    case ast::StmtKind::expression: return expression_statement(*static_cast<const ast::ExpressionStmt*>(stmt));
    case ast::StmtKind::assign: return assign(*static_cast<const ast::Assign*>(stmt));
    case ast::StmtKind::update: return update(*static_cast<const ast::Update*>(stmt));
    case ast::StmtKind::function: return function_statement(*static_cast<const ast::FunctionStmt*>(stmt));
    case ast::StmtKind::if_: return if_statement(*static_cast<const ast::If*>(stmt));
    case ast::StmtKind::while_: return while_statement(*static_cast<const ast::While*>(stmt));
    case ast::StmtKind::for_: return for_statement(*static_cast<const ast::For*>(stmt));
    case ast::StmtKind::return_: return return_statement(*static_cast<const ast::Return*>(stmt));
    case ast::StmtKind::assert_: return assert_statement(*static_cast<const ast::Assert*>(stmt));
    case ast::StmtKind::import: return import_statement(*static_cast<const ast::Import*>(stmt));
    default: return jump(*stmt);
  }
}

core::Stmt* Resolver::expression_statement(const ast::ExpressionStmt& stmt) {
  if (const ast::Expr* target = push_target(&stmt)) return push(stmt, *target);
  auto* out = make<core::Evaluate>(stmt.span);
  out->value = expr(stmt.value);
  return out;
}

// xs.push(v): an update of xs, or a call of a record's field `push`.
core::Stmt* Resolver::push(const ast::ExpressionStmt& stmt, const ast::Expr& object) {
  const ast::Name& root = *root_of(&object);
  check_update(root.name, root.span);
  auto* out = make<core::Push>(stmt.span);
  out->target = path(&object);
  out->call = static_cast<core::MethodCall*>(expr(stmt.value));
  out->value = out->call->args[0].value;
  return out;
}

// --- targets ---

// The slot that a name assigned here has.
bool Resolver::slot_of(std::string_view name, core::Slot& slot) const {
  if (scope_->is_module()) {
    auto found = module_.slots.find(name);
    if (found == module_.slots.end()) return false;
    slot = {true, found->second};
    return true;
  }
  auto found = scope_->locals.find(name.data());
  if (found == scope_->locals.end()) return false;
  slot = {false, found->second.slot};
  return true;
}

// An update needs a value to be there: of a name that the function never binds there can be none.
void Resolver::check_update(std::string_view written, Span span) {
  std::string_view name = intern(written);
  if (scope_->is_module()) {
    if (module_.slots.count(name) == 0) unknown_name(name, span);
    return;
  }
  auto local = scope_->locals.find(name.data());
  if (local == scope_->locals.end() || local->second.bindings > 0) return;
  bool exists = find(*scope_->parent, name).kind != Found::Kind::nothing;
  if (exists)
    report(message("update_of_outer"), span, {name, name});
  else
    unknown_name(name, span);
}

core::Target* Resolver::target(const ast::Expr* expr) {
  if (expr->kind != ast::ExprKind::tuple) return path(expr);
  auto* out = unit_.make<core::Target>();
  out->kind = core::Target::Kind::tuple;
  out->span = expr->span;
  for (const ast::Expr* item : static_cast<const ast::Tuple*>(expr)->items) {
    if (item->kind != ast::ExprKind::name && item->kind != ast::ExprKind::tuple) {
      check_update(root_of(item)->name, root_of(item)->span);
    }
    out->parts.push_back(target(item));
  }
  return out;
}

core::Target* Resolver::path(const ast::Expr* expr) {
  std::vector<const ast::Expr*> steps;
  const ast::Expr* root = expr;
  while (root->kind != ast::ExprKind::name) {
    steps.push_back(root);
    root = root->kind == ast::ExprKind::index ? static_cast<const ast::Index*>(root)->object
                                              : static_cast<const ast::Field*>(root)->object;
  }
  auto* out = unit_.make<core::Target>();
  out->span = expr->span;
  out->name = intern(static_cast<const ast::Name*>(root)->name);
  slot_of(out->name, out->slot);
  for (size_t i = steps.size(); i-- > 0;) {
    core::PathStep step;
    step.span = steps[i]->span;
    step.is_field = steps[i]->kind == ast::ExprKind::field;
    if (step.is_field) {
      step.field = intern(static_cast<const ast::Field*>(steps[i])->name);
    } else {
      for (const ast::IndexItem& item : static_cast<const ast::Index*>(steps[i])->items) {
        step.items.push_back(index_item(item));
      }
    }
    out->steps.push_back(std::move(step));
  }
  return out;
}

// --- assignments ---

core::Stmt* Resolver::assign(const ast::Assign& stmt) {
  if (stmt.target->kind == ast::ExprKind::name) {
    auto* out = make<core::Assign>(stmt.span);
    out->name = intern(static_cast<const ast::Name*>(stmt.target)->name);
    out->value = expr(stmt.value);
    slot_of(out->name, out->slot);
    return out;
  }
  if (stmt.target->kind == ast::ExprKind::tuple) {
    auto* out = make<core::Destructure>(stmt.span);
    out->value = expr(stmt.value);
    out->target = target(stmt.target);
    return out;
  }
  auto* out = make<core::UpdatePath>(stmt.span);
  const ast::Name& root = *root_of(stmt.target);
  check_update(root.name, root.span);
  out->value = expr(stmt.value);
  out->target = path(stmt.target);
  return out;
}

core::Stmt* Resolver::update(const ast::Update& stmt) {
  auto* out = make<core::UpdatePath>(stmt.span);
  const ast::Name& root = *root_of(stmt.target);
  check_update(root.name, root.span);
  out->op = &builtins_.of(stmt.op);
  out->value = expr(stmt.value);
  out->target = path(stmt.target);
  return out;
}

// --- control ---

// else if … is an `if` in the block of the else; the chain is built from its end, without recursion.
core::Stmt* Resolver::if_statement(const ast::If& stmt) {
  std::vector<core::If*> chain;
  for (const ast::Branch& branch : stmt.branches) {
    auto* one = make<core::If>(chain.empty() ? stmt.span : branch.span);
    one->condition = expr(branch.condition);
    one->then = block(branch.body);
    if (!chain.empty()) chain.back()->otherwise.push_back(one);
    chain.push_back(one);
  }
  chain.back()->otherwise = block(stmt.otherwise);
  return chain.front();
}

core::Stmt* Resolver::while_statement(const ast::While& stmt) {
  auto* out = make<core::While>(stmt.span);
  out->condition = expr(stmt.condition);
  ++scope_->loops;
  out->body = block(stmt.body);
  --scope_->loops;
  return out;
}

core::Stmt* Resolver::for_statement(const ast::For& stmt) {
  auto* out = make<core::For>(stmt.span);
  out->iterable = expr(stmt.iterable);
  if (stmt.target->kind == ast::ExprKind::index || stmt.target->kind == ast::ExprKind::field) {
    check_update(root_of(stmt.target)->name, root_of(stmt.target)->span);
  }
  out->target = target(stmt.target);
  ++scope_->loops;
  out->body = block(stmt.body);
  --scope_->loops;
  return out;
}

core::Stmt* Resolver::jump(const ast::Stmt& stmt) {
  bool is_break = stmt.kind == ast::StmtKind::break_;
  if (scope_->loops == 0) {
    report(is_break ? message("break_outside_loop") : message("continue_outside_loop"), stmt.span);
  }
  if (is_break) return make<core::Break>(stmt.span);
  return make<core::Continue>(stmt.span);
}

core::Stmt* Resolver::return_statement(const ast::Return& stmt) {
  if (scope_->is_module()) report(message("return_outside_function"), stmt.span);
  auto* out = make<core::Return>(stmt.span);
  if (stmt.value != nullptr) out->value = expr(stmt.value);
  return out;
}

core::Stmt* Resolver::assert_statement(const ast::Assert& stmt) {
  auto* out = make<core::Assert>(stmt.span);
  out->condition = expr(stmt.condition);
  if (stmt.message != nullptr) out->message = expr(stmt.message);
  return out;
}

core::Stmt* Resolver::import_statement(const ast::Import& stmt) {
  auto* out = make<core::Import>(stmt.span);
  out->path = stmt.path;
  out->is_path = stmt.is_path;
  slot_of(intern(stmt.name), out->slot);
  return out;
}

}  // namespace covec::resolve
