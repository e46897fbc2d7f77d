// See check.hpp. Start reading at Checker::check.
#include "interpreter/session/check.hpp"

#include <algorithm>
#include <set>

#include "frontend/common/nearest.hpp"
#include "frontend/resolve/analyse.hpp"
#include "frontend/source/fixes.hpp"
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/session/module_loader.hpp"
#include "interpreter/session/stack.hpp"

namespace covec {

namespace {

void append(std::vector<Diagnostic>& to, std::vector<Diagnostic> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

uint32_t place_of(const Diagnostic& each) { return each.labels.empty() ? 0 : each.labels.front().span.begin; }

bool is_before(const Diagnostic& a, const Diagnostic& b) { return place_of(a) < place_of(b); }

// A name that is wrong in several places is told once.
Diagnostic* find_told(std::map<std::pair<const core::Import*, std::string_view>, size_t>& told, const MemberUse& use,
                      std::vector<Diagnostic>& found) {
  const auto [known, is_new] = told.try_emplace({use.import, use.name}, found.size());
  return is_new ? nullptr : &found[known->second];
}

// An import that has another problem is not told to be unread.
void forget_unread(std::vector<Diagnostic>& found) {
  std::set<uint32_t> wrong;
  for (const Diagnostic& each : found) {
    if (each.code != "unread_import") wrong.insert(place_of(each));
  }
  std::erase_if(found,
                [&](const Diagnostic& each) { return each.code == "unread_import" && wrong.contains(place_of(each)); });
}

std::string name_of(const core::Import& import) { return import.is_path ? module_name_of(import.path) : import.path; }

}  // namespace

std::vector<Diagnostic> Checker::check(uint32_t file, const std::string& path, NameIndex* index) {
  ModuleScope scope;
  Analysis analysis =
      analyse_for_tools(session_.sources(), file, scope, session_.names(), session_.builtins(), stack_left(), index);
  std::vector<Diagnostic> found = std::move(analysis.errors);
  if (analysis.unit) {
    append(found, std::move(analysis.unit->warnings));
    check_imports(*analysis.unit, path, found);
    forget_unread(found);
  }
  std::stable_sort(found.begin(), found.end(), is_before);
  return found;
}

void Checker::check_imports(const core::Unit& unit, const std::string& path, std::vector<Diagnostic>& found) {
  const ImportUses uses = import_uses(unit);
  Modules modules;
  for (const core::Import* import : uses.imports) modules[import] = find(*import, path, found);
  check_members(uses.members, modules, found);
}

// Nothing, where its members cannot be known.
const Checker::Known* Checker::find(const core::Import& import, const std::string& path,
                                    std::vector<Diagnostic>& found) {
  try {
    const ModuleSource source = session_.modules().find(import, path);
    if (auto warning = session_.modules().warning_of_file(import, source, path)) found.push_back(*std::move(warning));
    const Known& module = read(source, import);
    if (module.wrong.empty()) return &module;
    Diagnostic warning;
    warning.severity = Severity::warning;
    warning.code = "module_errors";
    warning.message = "module `" + name_of(import) + "` has errors: its names are not checked";
    warning.labels.push_back({import.span, ""});
    warning.notes.push_back(module.wrong);
    found.push_back(std::move(warning));
  } catch (CovecError& error) {
    append(found, std::move(error.diagnostics));
  }
  return nullptr;
}

const Checker::Known& Checker::read(const ModuleSource& source, const core::Import& import) {
  SourceMap& sources = session_.sources();
  std::string text = session_.modules().text_of(source, import.span);
  Known& module = known_[source.key];
  if (module.file != 0 && sources.file(module.file).text() == text) return module;
  sources.remove(module.file);
  const uint32_t file = sources.add(source.file.empty() ? "<" + import.path + ".covec>" : source.file, std::move(text));
  module = {file, {}, ""};
  const Analysis analysis =
      analyse_unit(sources, file, module.scope, session_.names(), session_.builtins(), TextForm::program, stack_left());
  if (analysis.errors.empty()) return module;
  const Diagnostic& first = analysis.errors.front();
  const Position at = sources.position(first.labels.front().span);
  module.wrong = sources.file(file).name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                 first.message;
  return module;
}

void Checker::check_members(const std::vector<MemberUse>& uses, const Modules& modules,
                            std::vector<Diagnostic>& found) const {
  const Reporter& reporter = session_.interpreter().reporter();
  std::map<std::pair<const core::Import*, std::string_view>, size_t> told;
  for (const MemberUse& use : uses) {
    const auto module = modules.find(use.import);
    if (module == modules.end() || module->second == nullptr || module->second->scope.slots.contains(use.name))
      continue;
    if (Diagnostic* known = find_told(told, use, found)) {
      known->also.push_back(use.span);
      continue;
    }
    const std::string name = name_of(*use.import);
    const std::vector<std::string_view>& names = module->second->scope.names;
    std::string hint = hint_for_name_of_module(reporter, name, names, use.name);
    const std::string_view near = only_nearest_name(use.name, names);
    const bool exact = !near.empty() && hint == "did you mean `" + std::string(near) + "`?";
    found.push_back(reporter.diagnosis(eval::row("module_name"), {name, std::string(use.name)}, {{use.span, ""}},
                                       nullptr, std::move(hint)));
    if (exact) found.back().fix = Fix{use.span, std::string(near)};
  }
}

}  // namespace covec
