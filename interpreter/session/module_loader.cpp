// Registers a module before its text runs, so that cyclic imports are noticed.
#include "interpreter/session/module_loader.hpp"

#include <algorithm>

#include "frontend/common/nearest.hpp"
#include "frontend/source/foreign_syntax.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/session/text_file.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

using eval::row;

void ModuleLoader::fail(const Message& message, std::string part, Span span, std::string hint) const {
  reporter_.fail(message, {std::move(part)}, {{span, ""}}, stack_.innermost(), std::move(hint));
}

void ModuleLoader::add_path(std::vector<std::string> directories) {
  for (std::string& directory : directories) search_path_.push_back(std::move(directory));
}

std::vector<std::string> ModuleLoader::sibling_names(const std::string& file) const {
  std::vector<std::string> places = {directory_of(file)};
  places.insert(places.end(), search_path_.begin(), search_path_.end());
  return module_names_in(gate(), places);
}

std::optional<ModuleSource> ModuleLoader::find_source(const core::Import& import, const std::string& from) {
  if (host_ == nullptr) {
    return import.is_path ? find_module_file(gate(), import.path, directory_of(from))
                          : find_module(gate(), import.path, from, search_path_);
  }
  auto builtin = import.is_path ? std::nullopt : find_builtin_module(import.path);
  if (builtin) return builtin;
  const std::string key = "given " + import.path;
  if (modules_.contains(key)) return ModuleSource{key, import.path, {}, true};
  std::string text;
  if (!host_->resolve(import.path, text)) return std::nullopt;
  return ModuleSource{key, import.path, {}, true, std::move(text)};
}

ModuleSource ModuleLoader::find(const core::Import& import, const std::string& from) {
  auto source = find_source(import, from);
  if (!source) not_found(import, from);
  return *std::move(source);
}

Module& ModuleLoader::import(const core::Import& import, const Module& from) {
  const ModuleSource source = find(import, from.file);
  warn_of_file(import, source, from);
  if (!loading_keys_.empty()) modules_.at(loading_keys_.back()).imports.insert(source.key);
  const auto known = modules_.find(source.key);
  if (known == modules_.end()) return load(source, import);
  check_cycle(*known->second.module, import);
  return note_ && has_changed(source.key) ? load_again(source, import) : *known->second.module;
}

// Modules that import each other in a cycle do not load, so this ends.
bool ModuleLoader::has_changed(const std::string& key) const {
  const auto known = modules_.find(key);
  if (known == modules_.end()) return true;  // the last import of it failed
  const Loaded& loaded = known->second;
  if (new_text(loaded)) return true;
  return std::ranges::any_of(loaded.imports, [this](const std::string& one) { return has_changed(one); });
}

// Nothing: its file says what it said, cannot be read now, or it is built in.
std::optional<std::string> ModuleLoader::new_text(const Loaded& loaded) const {
  if (loaded.module->file.empty() || host_ != nullptr) return std::nullopt;
  TextFile now = read_text(gate().open_module(loaded.module->file).number());
  if (now.problem != nullptr || now.text == loaded.text) return std::nullopt;
  return std::move(now.text);
}

std::map<std::string, std::string> ModuleLoader::changed_files() const {
  std::map<std::string, std::string> changed;
  for (const auto& [key, loaded] : modules_) {
    if (std::optional<std::string> text = new_text(loaded)) changed[loaded.module->file] = *std::move(text);
  }
  return changed;
}

bool ModuleLoader::has_file(const std::string& path) const {
  const auto source = host_ == nullptr ? find_module_file(gate(), path, "") : std::nullopt;
  return source && modules_.contains(source->key);
}

std::string ModuleLoader::key_of(const Module& module) const {
  const auto found =
      std::ranges::find_if(modules_, [&](const auto& each) { return each.second.module.get() == &module; });
  if (found != modules_.end()) return found->first;
  const auto old =
      std::ranges::find_if(replaced_, [&](const Replaced& each) { return each.loaded.module.get() == &module; });
  return old != replaced_.end() ? old->key : "";
}

void ModuleLoader::reload(std::span<Module*> modules) {
  const size_t known = replaced_.size();
  try {
    for (const Module* const module : modules) {
      const std::string key = key_of(*module);
      const auto at = modules_.find(key);
      if (at == modules_.end() || !has_changed(key)) continue;
      core::Import import{Span()};
      import.path = at->second.path;
      import.is_path = at->second.is_path;
      load_again({key, at->second.module->file, {}}, import);
    }
  } catch (...) {
    rollback_reload(known);
    throw;
  }
  for (Module*& module : modules) {
    const auto newest = modules_.find(key_of(*module));
    if (newest != modules_.end()) module = newest->second.module.get();
  }
}

// The modules that have been replaced since there were so many of them are again what an import gives.
void ModuleLoader::rollback_reload(size_t known) {
  while (replaced_.size() > known) {
    Replaced old = std::move(replaced_.back());
    replaced_.pop_back();
    Loaded& now = modules_[old.key];
    if (now.module != nullptr) failed_.push_back(std::move(now.module));
    now = std::move(old.loaded);
  }
}

// The old module stays as it is for those who hold it. Where the new text fails the next import tries again.
Module& ModuleLoader::load_again(const ModuleSource& source, const core::Import& import) {
  const auto old = modules_.find(source.key);
  replaced_.push_back({source.key, std::move(old->second)});
  modules_.erase(old);
  Module& module = load(source, import);
  if (note_) note_("read " + source.file + " again, because it or a module that it imports has changed");
  return module;
}

std::optional<Diagnostic> ModuleLoader::warning_of_file(const core::Import& import, const ModuleSource& source,
                                                        const std::string& from) const {
  if (host_ != nullptr || import.is_path || !source.file.empty()) return std::nullopt;
  const auto sibling = find_sibling_module(gate(), import.path, from);
  if (!sibling) return std::nullopt;
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.code = "builtin_module";
  warning.message = "`import " + import.path + "` is the built-in module, not " + sibling->file;
  warning.labels.push_back({import.span, ""});
  warning.hint = "import \"./" + import.path + ".covec\" imports the file";
  return warning;
}

// A built-in module's own imports are of no concern to the program.
void ModuleLoader::warn_of_file(const core::Import& import, const ModuleSource& source, const Module& from) {
  const bool is_builtin = from.file.empty() && std::ranges::find(loading_, &from) != loading_.end();
  if (is_builtin) return;
  const auto warning = warning_of_file(import, source, from.file);
  if (warning && warned_.insert(warning->message).second) tell_(*warning);
}

void ModuleLoader::not_found(const core::Import& import, const std::string& from) const {
  if (host_ == nullptr && !gate().allows(ops::Use::imports))
    fail(message("not_permitted"), std::string(ops::words_of(ops::Use::imports)), import.span);
  const std::vector<std::string> found = sibling_names(from);
  const std::string_view near = nearest_name(import.path, {found.begin(), found.end()});
  const std::string_view known = foreign_syntax::replacement(foreign_syntax::At::module, import.path);
  fail(row("module_not_found"), import.path, import.span, known.empty() ? did_you_mean(near) : std::string(known));
}

void ModuleLoader::check_cycle(const Module& module, const core::Import& import) const {
  if (module.state != Module::State::running) return;
  std::string chain;
  bool inside = false;
  for (const Module* open : loading_) {
    inside = inside || open == &module;
    if (inside) chain += open->name + " → ";
  }
  fail(row("module_cycle"), chain + module.name, import.span);
}

// A private part of a built-in module (`_name`) speaks for the public one that it is imported for.
std::string ModuleLoader::library_of(const ModuleSource& source, const std::string& name) const {
  if (!source.file.empty()) return {};
  const auto speaks = [](const Module* open) { return open->file.empty() && !open->name.starts_with('_'); };
  const auto open = std::find_if(loading_.rbegin(), loading_.rend(), speaks);
  return name.starts_with('_') && open != loading_.rend() ? (*open)->name : name;
}

std::string ModuleLoader::text_of(const ModuleSource& source, Span import) const {
  if (source.is_given) return source.given_text;
  if (source.file.empty()) return std::string(source.builtin_text);
  TextFile read = read_text(gate().open_module(source.file).number());
  if (read.problem != nullptr) fail(*read.problem, source.file, import);
  return std::move(read.text);
}

Module& ModuleLoader::load(const ModuleSource& source, const core::Import& import) {
  std::string text = text_of(source, import.span);
  std::string shown = source.file.empty() ? "<" + import.path + ".covec>" : source.file;
  const std::string name = import.is_path ? module_name_of(import.path) : import.path;
  Loaded& loaded = modules_[source.key];
  loaded = {std::make_unique<Module>(name, source.file),
            source.file.empty() ? std::string() : text,
            {},
            import.path,
            import.is_path};
  Module& module = *loaded.module;
  module.state = Module::State::running;
  loading_.push_back(&module);
  loading_keys_.push_back(source.key);
  try {
    run_(std::move(shown), std::move(text), library_of(source, import.path), module);
  } catch (...) {  // the next import tries again: the file may have been repaired
    loading_.pop_back();
    loading_keys_.pop_back();
    module.state = Module::State::failed;
    module.globals.clear();
    const auto at = modules_.find(source.key);
    failed_.push_back(std::move(at->second.module));
    modules_.erase(at);
    throw;
  }
  loading_.pop_back();
  loading_keys_.pop_back();
  module.state = Module::State::done;
  return module;
}

void ModuleLoader::forget_failed(FunctionRef<bool(const Module&)> in_use) {
  std::erase_if(failed_, [&](const auto& module) { return !in_use(*module); });
}

void ModuleLoader::clear() {
  for (auto& [key, loaded] : modules_) loaded.module->globals.clear();
  for (Replaced& old : replaced_) old.loaded.module->globals.clear();
  failed_.clear();
}

}  // namespace covec
