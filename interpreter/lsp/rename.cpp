// Renames what a text names, in all texts of the workspace, or says why not. Start reading at rename.
#include <algorithm>
#include <map>

#include "frontend/parse/parse.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/source/foreign_syntax.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/lsp/navigation.hpp"
#include "interpreter/lsp/program_texts.hpp"

namespace covec::lsp {

namespace {

std::string in_quotes(std::string_view name) { return "`" + std::string(name) + "`"; }

bool overlaps(const NameIndex& names, uint32_t symbol, Span span) {
  for (const NameUse& use : names.uses) {
    if (use.symbol == symbol && span.contains(use.span)) return true;
  }
  return false;
}

bool is_inside(const NameIndex& names, uint32_t scope, uint32_t outer) {
  while (scope != no_index && scope != outer) scope = names.scopes[scope].parent;
  return scope == outer;
}

// Another symbol with the new name that would catch uses of this one, or lose its own to it; or an unknown name.
bool clashes(const NameIndex& names, uint32_t renamed, std::string_view name) {
  const uint32_t scope = names.symbols[renamed].scope;
  for (const UnknownUse& each : names.unknown) {
    if (each.name == name && names.scopes[scope].span.contains(each.span)) return true;
  }
  for (uint32_t i = 0; i < names.symbols.size(); ++i) {
    const IndexedSymbol& other = names.symbols[i];
    if (i == renamed || other.kind == SymbolKind::builtin || other.name != name) continue;
    if (other.scope == scope) return true;
    if (is_inside(names, scope, other.scope) && overlaps(names, i, names.scopes[scope].span)) return true;
    if (is_inside(names, other.scope, scope) && overlaps(names, renamed, names.scopes[other.scope].span)) return true;
  }
  return false;
}

void check_name(Workspace& workspace, const Meaning& meaning, const std::string& name) {
  if (is_keyword(name)) throw Refusal{in_quotes(name) + " is a keyword"};
  if (!is_variable_name(name)) throw Refusal{in_quotes(name) + " is no name"};
  if (workspace.session().builtins().find(name) != nullptr) throw Refusal{in_quotes(name) + " is a builtin"};
  if (!foreign_syntax::replacement_of_name(name).empty())
    throw Refusal{in_quotes(name) + " is a name of other systems, which errors explain"};
  if (clashes(*meaning.names, meaning.symbol, name)) throw Refusal{in_quotes(name) + " means something else there"};
}

Meaning renamed_at(Workspace& workspace, const std::optional<Cursor>& place) {
  const std::optional<Meaning> meaning = place ? meaning_at(workspace, *place) : std::nullopt;
  if (!meaning) throw Refusal{"there is no name that can be renamed"};
  if (meaning->found().kind == SymbolKind::builtin) throw Refusal{in_quotes(meaning->found().name) + " is a builtin"};
  const bool is_in_copy = meaning->module == nullptr && is_copy_of_module(place->document.path);
  if (is_in_copy || (meaning->module != nullptr && meaning->module->uri.empty()))
    throw Refusal{in_quotes(meaning->found().name) + " belongs to a module that comes with Covec"};
  if (meaning->found().bindings == 0) throw Refusal{in_quotes(meaning->found().name) + " is bound nowhere"};
  return *meaning;
}

// Whether a word stands in a text, in comments and strings, too.
bool mentions(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_in_name(text[at - 1]), ends = end == text.size() || !is_in_name(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

// What a statement with a syntax error names is not known. A text may import the module in such a statement.
void check_errors(Workspace& workspace, const Cursor& place, const Meaning& meaning) {
  const std::string name = in_quotes(meaning.found().name);
  if (!meaning.names->whole) throw Refusal{"the text has syntax errors, so not all uses of " + name + " are known"};
  if (!is_seen_elsewhere(meaning)) return;
  const std::string module = module_name_of(meaning.module == nullptr ? place.document.path : meaning.module->key);
  for (const ReadText* text : workspace.all_texts(place.document)) {
    const std::string_view written = workspace.text(text->file);
    if (!text->names.whole && mentions(written, module) && mentions(written, meaning.found().name))
      throw Refusal{text->key + " has syntax errors, so not all uses of " + name + " are known"};
  }
}

// Finds calls that may give an argument to a parameter by its name, without a sign of which function they call. Where
// the function takes options, also calls that give one of the parameter's new name.
class Calls {
 public:
  // `new_name`: "" while it is not known.
  Calls(Workspace& workspace, const Cursor& place, const Meaning& meaning, std::string_view new_name = {})
      : workspace_(workspace),
        current_(place.document),
        meaning_(meaning),
        own_(function_with(meaning)),
        is_starred_(own_ != nullptr && is_starred(*own_, meaning)),
        option_(own_ != nullptr && own_->takes_options() && !is_starred_ ? new_name : std::string_view()),
        key_(meaning.module == nullptr ? current_.path : meaning.module->key) {}

  void check() {
    if (own_ == nullptr) return;
    check_text(*meaning_.names, key_);
    for (const ReadText* text : workspace_.all_texts(current_)) {
      const bool is_other = text->key != key_ && !names_of_module(workspace_, *text, key_).empty();
      if (is_other) check_text(text->names, text->key);
    }
  }

 private:
  // No call gives an argument to *rest or **options by that name.
  static bool is_starred(const IndexedFunction& function, const Meaning& meaning) {
    return std::ranges::any_of(function.parameters, [&](const IndexedParameter& each) {
      return each.name == meaning.found().name && each.text.starts_with('*');
    });
  }
  void check_text(const NameIndex& names, const std::string& key) {
    for (const LooseArgument& each : names.loose) {
      const bool is_known = each.function != no_index, is_own = is_known && &names.functions[each.function] == own_;
      if (is_known && !is_own) continue;
      if (is_own && is_option(each.name)) refuse_option(each.name, each.span);
      if (is_option(each.name) || fits(each.name, each.in_text)) refuse(each.name, each.span, each.in_text);
    }
    for (const IndexedArgument& each : names.arguments) {
      if (is_option(each.name) && is_call_of_own(names, key, each)) refuse_option(each.name, each.span);
      const bool matters = is_option(each.name) || fits(each.name);
      if (matters && may_be_own(names, key, each)) refuse(each.name, each.span);
    }
  }
  bool fits(std::string_view argument, bool in_text = false) const {
    return (in_text || !is_starred_) && (argument.empty() || argument == meaning_.found().name);
  }
  bool is_option(std::string_view argument) const { return !option_.empty() && argument == option_; }

  bool is_call_of_own(const NameIndex& names, const std::string& key, const IndexedArgument& call) {
    const IndexedImport* import = call.object == no_index ? nullptr : names.import_of(call.object);
    const ReadText* module = import == nullptr ? nullptr : workspace_.module(*import, key);
    return module != nullptr && module->key == key_ && call.member == name_in_module(*meaning_.names, *own_);
  }
  // `object.member(…)`. One that names the parameter of a module's function is found as a use of it.
  bool may_be_own(const NameIndex& names, const std::string& key, const IndexedArgument& call) {
    const IndexedImport* import = call.object == no_index ? nullptr : names.import_of(call.object);
    if (import == nullptr) {
      const Builtin* builtin = workspace_.session().builtins().find(call.member);
      const bool is_field = std::ranges::binary_search(names.fields, call.member);
      return builtin == nullptr || !builtin->method || is_field;
    }
    const ReadText* module = workspace_.module(*import, key);
    if (module == nullptr || module->uri.empty()) return false;
    const uint32_t symbol = module->names.find(0, call.member);
    if (symbol == no_index || module->names.function_of(symbol) == nullptr) return true;
    return call.name.empty() && is_call_of_own(names, key, call);
  }

  std::string line_of(Span span) const {
    const SourceMap& sources = workspace_.session().sources();
    const bool is_here = span.file == meaning_.file && meaning_.module == nullptr;
    return "line " + std::to_string(sources.position(span).line) +
           (is_here ? "" : " of " + sources.file(span.file).name());
  }
  [[noreturn]] void refuse_option(std::string_view name, Span span) const {
    throw Refusal{line_of(span) + " gives " + in_quotes(name) + " as an option"};
  }
  [[noreturn]] void refuse(std::string_view argument, Span span, bool in_text = false) const {
    const std::string line = line_of(span);
    if (argument.empty()) throw Refusal{line + " spreads a record into arguments, whose names only a run knows"};
    if (in_text) throw Refusal{line + " names " + in_quotes(argument) + " in a text"};
    throw Refusal{line + " gives " + in_quotes(argument) + " to a function that only a run knows"};
  }

  Workspace& workspace_;
  const Document& current_;
  const Meaning& meaning_;
  const IndexedFunction* own_;     // the parameter's; nullptr: it is no parameter
  const bool is_starred_;          // the parameter
  const std::string_view option_;  // the new name, where it may be that of an option; "": it may not
  const std::string key_;          // of its text
};

// Whether the name of an import stands there without `as`: it is the module's, too.
bool names_module(const NameIndex& names, std::string_view text, Span span) {
  for (const IndexedImport& each : names.imports) {
    const bool ends_there = each.span.contains(span) && each.span.end == span.end;
    if (ends_there && !each.is_path && names.symbols[each.symbol].name == each.path)
      return text.substr(each.span.begin, span.begin - each.span.begin).find(" as ") == std::string_view::npos;
  }
  return false;
}

}  // namespace

Json prepare_rename(Workspace& workspace, const Json& params) {
  const std::optional<Cursor> place = place_in(workspace, params);
  const Meaning meaning = renamed_at(workspace, place);
  check_errors(workspace, *place, meaning);
  Calls(workspace, *place, meaning).check();
  const IndexedMember* member = place->analysis.names.member_at(place->offset);
  const NameUse* use = place->analysis.names.use_at(place->offset);
  const Span span = member != nullptr ? member->span : use->span;
  return {{"range", workspace.positions(place->document).range(span)}, {"placeholder", meaning.found().name}};
}

Json rename(Workspace& workspace, const Json& params) {
  const std::optional<Cursor> place = place_in(workspace, params);
  const Meaning meaning = renamed_at(workspace, place);
  const std::string name = params.at("newName");
  check_name(workspace, meaning, name);
  check_errors(workspace, *place, meaning);
  Calls(workspace, *place, meaning, name).check();
  std::map<std::string, Json> changes;
  for (const FoundUse& use : uses_of(workspace, *place, meaning)) {
    const NameIndex& names = use.text == nullptr ? place->analysis.names : use.text->names;
    const uint32_t file = use.text == nullptr ? place->analysis.file : use.text->file;
    const bool keeps_module = names_module(names, workspace.text(file), use.span);
    const Json location = location_of(workspace, *place, use.text, use.span);
    const std::string written = keeps_module ? meaning.found().name + " as " + name : name;
    changes[location.at("uri")].push_back({{"range", location.at("range")}, {"newText", written}});
  }
  return {{"changes", changes}};
}

}  // namespace covec::lsp
