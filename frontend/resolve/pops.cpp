// See pops.hpp.
#include "frontend/resolve/pops.hpp"

#include <algorithm>

namespace covec::resolve {

Pops::Statement::Statement(Pops& pops) : pops_(pops), reading_{pops.statement_, pops.references_.names_read().size()} {
  pops.statement_ = &reading_;
}

Pops::Statement::~Statement() {
  pops_.statement_ = reading_.outer;
  if (reading_.outer == nullptr) pops_.references_.forget_names_read();
}

void Pops::Statement::put(core::Stmt* statement, core::Block& out) const {
  out.insert(out.end(), reading_.before.begin(), reading_.before.end());
  out.push_back(statement);
}

Pops::Arguments::Arguments(Pops& pops, const ast::Call& call) {
  const MutatingCall found = mutating_call(&call);
  const bool taken = pops.statement_ != nullptr && &call != pops.statement_->own_call && found.name == "pop" &&
                     found.target->kind == ast::ExprKind::name && pops.updates(found);
  if (!taken) return;
  statement_ = pops.statement_;
  statement_->receivers.push_back(pops.names_.intern(root_of(found.target)->name));
}

void Pops::is_statement(const MutatingCall& call) {
  statement_->own_call = call.call;
  if (call.target->kind == ast::ExprKind::name) statement_->own_name = names_.intern(root_of(call.target)->name);
}

bool Pops::updates(const MutatingCall& call) const {
  if (call.target == nullptr || call.is_push()) return call.target != nullptr;
  const FunctionScope& scope = scopes_.current();
  const std::string_view name = names_.intern(root_of(call.target)->name);
  if (scope.is_module()) return targets_.is_assigned(name);
  const auto local = scope.locals.find(name.data());
  return local != scope.locals.end() && local->second.bindings > 0;
}

// In the statement so far, but for pops and what the statement itself updates.
size_t Pops::reads_of(std::string_view name) const {
  const std::vector<std::string_view>& all = references_.names_read();
  const auto from = all.begin() + static_cast<ptrdiff_t>(statement_->reads);
  const auto read = static_cast<size_t>(std::count(from, all.end(), name));
  const auto of_name = [&](const std::vector<std::string_view>& some) {
    return static_cast<size_t>(std::count(some.begin(), some.end(), name));
  };
  const size_t pops =
      of_name(statement_->popped) + of_name(statement_->receivers) + (statement_->own_name == name ? 1 : 0);
  return read - std::min(read, pops);
}

core::Expr* Pops::take(const ast::Call& call, core::MethodCall& as_call) {
  as_call.bind_hint = "pop() removes an item: write it as a statement, x.pop() or v = x.pop()";
  const MutatingCall found = mutating_call(&call);
  if (statement_ == nullptr || &call == statement_->own_call || found.target == nullptr || !updates(found))
    return nullptr;
  const std::string_view name = names_.intern(root_of(found.target)->name);
  if (const auto known = statement_->slots.find(&call); known != statement_->slots.end()) {
    statement_->popped.push_back(name);
    return references_.to_temporary(known->second, call.span);
  }
  const std::string replacement = "write v = " + std::string(name) + ".pop() in an earlier statement";
  if (statement_->uncertain > 0) {
    as_call.bind_hint = "here, it might run several times or not at all: " + replacement;
    return nullptr;
  }
  if (reads_of(name) > 1) {  // one is that of the pop itself
    as_call.bind_hint = "`" + std::string(name) + "` is read before the pop in the same statement: " + replacement;
    return nullptr;
  }
  auto* out = nodes_.make<core::Push>(call.span);
  out->how = core::Push::Kind::pop;
  out->builtin = builtins_.find("pop");
  out->target = targets_.path(found.target);
  out->call = &as_call;
  if (!as_call.args.empty()) out->value = as_call.args[0].value;
  out->result = nodes_.make<core::Target>();
  out->result->span = call.span;
  out->result->slot = {false, scopes_.current().new_slot({})};
  statement_->before.push_back(out);
  statement_->popped.push_back(name);
  statement_->slots[&call] = out->result->slot.index;
  return references_.to_temporary(out->result->slot.index, call.span);
}

}  // namespace covec::resolve
