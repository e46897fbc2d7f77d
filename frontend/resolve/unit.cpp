// One text from source to core: parse, declare the module's names, resolve, then the passes over whole functions.
// A text with errors leaves the module's names as they were. Start reading at compile_unit, at the end.
#include "frontend/parse/parse.hpp"
#include "frontend/resolve/definite.hpp"
#include "frontend/resolve/liveness.hpp"
#include "frontend/resolve/resolver.hpp"

namespace covec {

namespace resolve {

namespace {
constexpr size_t kMostProblems = 50;
}

Resolver::Resolver(std::string_view text, core::Unit& unit, ModuleScope& module, Names& names, const Builtins& builtins)
    : text_(text), unit_(unit), module_(module), names_(names), builtins_(builtins) {}

Diagnostic& Resolver::report(const messages::Message& message, Span span,
                             std::initializer_list<std::string_view> values) {
  if (problems_.size() > kMostProblems) problems_.pop_back();
  problems_.push_back(messages::make(message, span, values));
  return problems_.back();
}

void Resolver::resolve(const ast::Unit& tree, bool interactive) {
  std::vector<Assigned> assigned;
  collect_assigned(tree.body, assigned);
  for (const Assigned& a : assigned) {
    if (a.update) continue;
    std::string_view name = intern(a.name);
    if (module_.slots.try_emplace(name, static_cast<uint32_t>(module_.names.size())).second) {
      module_.names.push_back(name);
    }
  }
  module_.read_by_functions.resize(module_.names.size(), false);
  scopes_.push_back(std::make_unique<FunctionScope>());
  scope_ = scopes_.back().get();
  unit_.body = block(tree.body);
  if (!problems_.empty()) return;
  connect_siblings();
  fill_captures();
  analyse();
  // In a session a failing or interrupted statement must leave its variables as they were, so nothing is moved out.
  if (!interactive) mark_last_uses(unit_, module_);
}

void Resolver::analyse() {
  unit_.slot_names = scopes_.front()->slot_names;
  unit_.slots = static_cast<uint32_t>(unit_.slot_names.size());
  for (size_t i = 0; i < scopes_.size(); ++i) {
    FunctionScope& scope = *scopes_[i];
    if (scope.is_module()) continue;
    scope.function->slot_names = scope.slot_names;
    scope.function->slots = static_cast<uint32_t>(scope.slot_names.size());
    mark_definite(*scope.function, scope.named_slots);
    mark_last_uses(*scope.function);
  }
}

}  // namespace resolve

namespace {

// Takes back the names that a text with errors added to its module.
void forget_names(ModuleScope& module, size_t kept) {
  for (size_t i = kept; i < module.names.size(); ++i) module.slots.erase(module.names[i]);
  module.names.resize(kept);
  module.read_by_functions.resize(kept);
}

}  // namespace

std::unique_ptr<core::Unit> compile_unit(SourceMap& sources, uint32_t file, ModuleScope& module, Names& names,
                                         const Builtins& builtins, bool interactive) {
  ParseResult parsed = parse(sources, file, interactive);
  if (parsed.incomplete) return nullptr;
  if (!parsed.problems.empty()) throw CovecError(std::move(parsed.problems));
  auto unit = std::make_unique<core::Unit>();
  unit->file = file;
  size_t known = module.names.size();
  module.read_by_functions.resize(known, false);
  resolve::Resolver resolver(sources.file(file).text(), *unit, module, names, builtins);
  resolver.resolve(*parsed.unit, interactive);
  if (!resolver.problems().empty()) {
    forget_names(module, known);
    throw CovecError(std::move(resolver.problems()));
  }
  unit->ends_in_value = !unit->body.empty() && unit->body.back()->kind == core::StmtKind::evaluate;
  return unit;
}

}  // namespace covec
