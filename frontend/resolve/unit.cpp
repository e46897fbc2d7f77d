// Takes one text from source to core: it parses, declares the module's names, resolves, then runs the passes over whole
// functions. A text with errors leaves the module's names as they were. Start reading at compile_unit, at the end.
#include "frontend/core/definite.hpp"
#include "frontend/core/liveness.hpp"
#include "frontend/parse/parse.hpp"
#include "frontend/resolve/analyse.hpp"
#include "frontend/resolve/resolver.hpp"
#include "frontend/scopes/unread.hpp"

namespace covec {

namespace resolve {

Resolver::Resolver(std::string_view text, core::Unit& unit, ModuleScope& module, Names& names, const Builtins& builtins,
                   const TextLimits& limits, Meter& meter, bool for_tools)
    : unit_(unit),
      module_(module),
      names_(names),
      problems_(text, limits.problems, for_tools),
      nodes_(unit, builtins, meter),
      lookup_(module, builtins),
      unknown_(problems_, lookup_),
      references_(nodes_, scopes_, module, names, lookup_, captures_, unknown_),
      literals_(nodes_, problems_),
      indices_(nodes_, scopes_, names, lookup_, expressions_),
      calls_(nodes_, problems_, scopes_, names, builtins, lookup_, references_, comprehensions_, expressions_, pops_),
      comprehensions_(nodes_, scopes_, names, builtins, problems_, references_, expressions_, pops_),
      signatures_(nodes_, names, literals_, expressions_, problems_),
      decorators_(problems_, names, references_, expressions_),
      functions_(nodes_, scopes_, names, lookup_, signatures_, decorators_, expressions_, statements_, pops_),
      expressions_(nodes_, scopes_, names, references_, literals_, indices_, calls_, comprehensions_, functions_,
                   pops_),
      targets_(nodes_, problems_, scopes_, names, lookup_, unknown_, indices_),
      pops_(nodes_, scopes_, names, builtins, references_, targets_),
      statements_(nodes_, problems_, scopes_, names, builtins, targets_, expressions_, functions_, pops_) {}

std::vector<Diagnostic> Resolver::resolve(const ast::Unit& tree, bool interactive) {
  declare(tree);
  functions_.set_module(tree.body);
  unit_.body = statements_.block(tree.body);
  for (const auto& scope : scopes_.all()) warn_of_unread(*scope, problems_);
  unit_.warnings = problems_.take_warnings();
  captures_.connect_siblings();
  captures_.fill(scopes_.all());
  if (!problems_.empty()) return problems_.take();
  analyse();
  // In a session a failing or interrupted statement must leave its variables as they were, so nothing is moved out.
  if (!interactive) mark_last_uses(unit_, module_);
  return {};
}

// The names that the module's own code assigns.
void Resolver::declare(const ast::Unit& tree) {
  std::vector<Assigned> assigned;
  collect_assigned(tree.body, assigned);
  for (const Assigned& a : assigned) {
    if (a.update) continue;
    std::string_view name = names_.intern(a.name);
    if (problems_.for_tools()) scopes_.current().uses[name.data()].name = name;
    if (module_.slots.try_emplace(name, static_cast<uint32_t>(module_.names.size())).second) {
      module_.names.push_back(name);
    }
  }
  module_.read_by_functions.resize(module_.names.size(), false);
}

void Resolver::analyse() {
  for (const auto& scope : scopes_.all()) {
    if (scope->is_module()) {
      unit_.slot_names = scope->slot_names;
      unit_.slots = static_cast<uint32_t>(unit_.slot_names.size());
      continue;
    }
    core::Function& function = *scope->function;
    function.slot_names = scope->slot_names;
    function.slots = static_cast<uint32_t>(function.slot_names.size());
    mark_definite(function, scope->named_slots);
    if (!function.stop.known()) mark_last_uses(function);
  }
}

}  // namespace resolve

namespace {

// Takes back the names that a text with errors added to its module, or one that memory did not suffice for.
class NewNames {
 public:
  explicit NewNames(ModuleScope& module)
      : module_(module), known_(module.names.size()), known_rules_(module.given_rules.size()) {}
  ~NewNames() {
    if (kept_) return;
    std::erase_if(module_.slots, [&](const auto& each) { return each.second >= known_; });
    module_.names.resize(known_);
    module_.read_by_functions.resize(known_);
    module_.given_rules.resize(known_rules_);
  }
  NewNames(const NewNames&) = delete;
  NewNames& operator=(const NewNames&) = delete;
  void keep() { kept_ = true; }

 private:
  ModuleScope& module_;
  const size_t known_, known_rules_;
  bool kept_ = false;
};

}  // namespace

namespace {

const ast::Function& last_function(const ast::Block& body, uint32_t file) {
  for (size_t i = body.size(); i-- > 0;) {
    if (body[i]->kind == ast::StmtKind::function) return *static_cast<const ast::FunctionStmt*>(body[i])->function;
  }
  throw CovecError({messages::make(messages::message("no_function_in_text"), {file, 0, 0})});
}

// The text as the body of a function without parameters, so that the names which it assigns are its own.
void enclose(ast::Unit& tree, uint32_t file) {
  const ast::Function& last = last_function(tree.body, file);
  auto* const name = tree.arena.make<ast::Name>(last.name_span);
  name->name = last.name;
  auto* const result = tree.arena.make<ast::Return>(last.name_span);
  result->value = name;
  std::vector<ast::Stmt*> body(tree.body.begin(), tree.body.end());
  body.push_back(result);
  auto* const function = tree.arena.make<ast::Function>();
  function->span = function->name_span = last.name_span;
  function->body = tree.arena.list(body);
  auto* const value = tree.arena.make<ast::FunctionExpr>(last.name_span);
  value->function = function;
  auto* const statement = tree.arena.make<ast::ExpressionStmt>(last.name_span);
  statement->value = value;
  tree.body = tree.arena.list(std::vector<ast::Stmt*>{statement});
}

// Resolves a tree. The module's names stay as they were if there are errors.
Analysis resolve_unit(const SourceMap& sources, uint32_t file, const ast::Unit& tree, ModuleScope& module, Names& names,
                      const Builtins& builtins, bool interactive, Meter& cost, const TextLimits& limits,
                      bool for_tools = false) {
  Analysis found{std::make_unique<core::Unit>(), {}};
  found.unit->file = file;
  module.read_by_functions.resize(module.names.size(), false);
  NewNames names_of_unit(module);
  resolve::Resolver resolver(sources.file(file).text(), *found.unit, module, names, builtins, limits, cost, for_tools);
  try {
    found.errors = resolver.resolve(tree, interactive);
  } catch (CovecError& too_many) {
    found.errors = std::move(too_many.diagnostics);
  }
  if (found.errors.empty()) names_of_unit.keep();
  return found;
}

NameIndex index_of(const ParseResult& parsed, const SourceMap& sources, uint32_t file, const Builtins& builtins) {
  NameIndex index = index_names(*parsed.unit, sources.file(file), file, builtins);
  index.whole = parsed.problems.empty();
  return index;
}

// No fix names an import as a builtin is named: the program may call that.
void keep_builtins(std::vector<Diagnostic>& problems, const Builtins& builtins) {
  for (Diagnostic& problem : problems) {
    if (problem.code != "import_needs_name" || !problem.fix) continue;
    const std::string_view text = problem.fix->text;  // ` as name`
    if (builtins.find(text.substr(text.rfind(' ') + 1)) != nullptr) problem.fix.reset();
  }
}

// What a text ends in is its value, which may be shown.
void note_value(core::Unit& unit) {
  unit.value = unit.body.back()->span;
  core::Expr* value = static_cast<core::Evaluate*>(unit.body.back())->value;
  if (value->kind == core::ExprKind::method_call)
    static_cast<core::MethodCall*>(value)->alone = core::MethodCall::Alone::no;
}

}  // namespace

Analysis analyse_unit(SourceMap& sources, uint32_t file, ModuleScope& module, Names& names, const Builtins& builtins,
                      TextForm form, size_t stack, Meter* meter, const TextLimits& limits) {
  Meter nobody;
  Meter& cost = meter != nullptr ? *meter : nobody;
  cost.keep(sources.file(file).text().size());
  const bool interactive = form == TextForm::input;
  ParseResult parsed = parse(sources, file, interactive, stack, cost, limits);
  if (parsed.incomplete) return {};
  if (!parsed.problems.empty()) return {nullptr, std::move(parsed.problems)};
  if (form == TextForm::enclosed) enclose(*parsed.unit, file);
  Analysis found = resolve_unit(sources, file, *parsed.unit, module, names, builtins, interactive, cost, limits);
  core::Unit& unit = *found.unit;
  unit.ends_in_value = found.errors.empty() && !unit.body.empty() && unit.body.back()->kind == core::StmtKind::evaluate;
  if (unit.ends_in_value) note_value(unit);
  return found;
}

Analysis analyse_for_tools(SourceMap& sources, uint32_t file, ModuleScope& module, Names& names,
                           const Builtins& builtins, size_t stack, NameIndex* index) {
  constexpr size_t max_problems = 1000;  // of a file
  TextLimits limits;
  limits.problems = max_problems;
  Meter nobody;
  ParseResult parsed = parse(sources, file, false, stack, nobody, limits, true);
  if (parsed.unit == nullptr) return {nullptr, std::move(parsed.problems)};
  if (index != nullptr) *index = index_of(parsed, sources, file, builtins);
  keep_builtins(parsed.problems, builtins);
  Analysis found = resolve_unit(sources, file, *parsed.unit, module, names, builtins, false, nobody, limits, true);
  if (parsed.problems.empty()) return found;
  // Other errors, and warnings, may come of what is missing.
  std::erase_if(found.errors, [](const Diagnostic& error) { return error.code != "unknown_name"; });
  found.unit->warnings.clear();
  found.errors.insert(found.errors.begin(), parsed.problems.begin(), parsed.problems.end());
  return found;
}

NameIndex index_of(const SourceMap& sources, uint32_t file, const Builtins& builtins, size_t stack) {
  Meter nobody;
  const ParseResult parsed = parse(sources, file, false, stack, nobody, {}, true);
  return parsed.unit == nullptr ? NameIndex() : index_of(parsed, sources, file, builtins);
}

std::unique_ptr<core::Unit> compile_unit(SourceMap& sources, uint32_t file, ModuleScope& module, Names& names,
                                         const Builtins& builtins, TextForm form, size_t stack, Meter* meter,
                                         const TextLimits& limits) {
  Analysis found = analyse_unit(sources, file, module, names, builtins, form, stack, meter, limits);
  if (!found.errors.empty()) throw CovecError(std::move(found.errors));
  return std::move(found.unit);
}

}  // namespace covec
