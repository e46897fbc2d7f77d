// What can be written at a place: modules after `import`, paths, members after a dot, the named arguments of the call
// that is open, names, builtins, keywords. The client keeps of them what fits to further letters. Start reading at
// complete.
#include <algorithm>
#include <set>

#include "frontend/common/trimmed.hpp"
#include "frontend/parse/parse.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/source/fixes.hpp"
#include "interpreter/assist/completion.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/lsp/callables.hpp"
#include "interpreter/lsp/features.hpp"

namespace covec::lsp {

namespace {

// CompletionItemKind of the protocol.
enum class Kind : uint8_t {
  text = 1,
  method = 2,
  function = 3,
  field = 5,
  variable = 6,
  module = 9,
  property = 10,
  keyword = 14,
  file = 17,
  folder = 19,
  constant = 21
};

// The first line with an import, else the first line behind the comment that the text begins with, unless that is a
// function's.
size_t place_of_import(std::string_view text, const NameIndex& names) {
  size_t first = text.size();
  for (const IndexedImport& each : names.imports) {
    const bool begins_line = each.span.begin == 0 || text[each.span.begin - 1] == '\n';
    if (begins_line) first = std::min<size_t>(first, each.span.begin);
  }
  if (first < text.size()) return text.rfind('\n', first) + 1;
  size_t at = text.starts_with("#!") ? std::min(text.find('\n'), text.size() - 1) + 1 : 0;
  const size_t begin = at;
  while (text.substr(at).starts_with('#') && text.find('\n', at) != text.npos) at = text.find('\n', at) + 1;
  return at == text.size() || text[at] == '\n' || text[at] == '\r' ? at : begin;
}

class Candidates {
 public:
  Candidates(Workspace& workspace, const Cursor& place)
      : workspace_(workspace),
        place_(place),
        before_(std::string_view(place.document.text).substr(0, place.offset)),
        word_(word_start(before_)) {}

  Json take() {
    const std::string_view typed = before_.substr(word_);
    const std::string_view line = before_.substr(before_.rfind('\n') + 1);
    if (const std::optional<size_t> string = open_string(before_)) {
      offer_paths(*string, line);
    } else if (is_in_comment() || (!typed.empty() && typed[0] >= '0' && typed[0] <= '9')) {
      return items_;
    } else if (trimmed(line).starts_with("import ") && line.find(" as ") == line.npos) {
      for (const std::string& name : workspace_.module_names(place_.document.path)) offer(name, Kind::module);
    } else if (word_ > 0 && before_[word_ - 1] == '.') {
      offer_members();
    } else {
      offer_arguments();
      offer_names();
    }
    return std::move(items_);
  }

 private:
  Json* offer(std::string_view label, Kind kind, const std::string& detail = "") {
    if (!label.starts_with(before_.substr(word_)) || !offered_.insert(std::string(label)).second) return nullptr;
    Json item{{"label", label}, {"kind", static_cast<int>(kind)}};
    if (!detail.empty()) item["detail"] = detail;
    items_.push_back(std::move(item));
    return &items_.back();
  }
  bool is_in_comment() const {
    const size_t line = before_.rfind('\n') + 1;
    const auto styles = styles_of(before_, before_.size());
    return before_.size() > line && styles.back() == editor::Style::comment;
  }
  void offer_symbol(const NameIndex& names, uint32_t number) {
    const IndexedSymbol& symbol = names.symbols[number];
    if (symbol.name.starts_with('_') && !before_.substr(word_).starts_with('_')) return;
    const IndexedFunction* found = names.function_of(number);
    if (found != nullptr) {
      offer(symbol.name, Kind::function, found->signature);
    } else {
      offer(symbol.name, symbol.kind == SymbolKind::module ? Kind::module : Kind::variable);
    }
  }
  void offer_builtin(const Builtin& builtin, Kind kind) {
    if (builtin.name.starts_with(before_.substr(word_))) offer(builtin.name, kind, signature_of(builtin));
  }

  // Paths of modules, and what looks like a path in other strings.
  void offer_paths(size_t string, std::string_view line) {
    const std::string_view typed = before_.substr(string);
    const bool is_import = trimmed(line).starts_with("import ");
    if (!is_import && typed.find('/') == typed.npos) return;
    const std::string folder = directory_of(place_.document.path);
    const Json range = workspace_.positions(place_.document).range(string, place_.offset);
    for (const std::string& path : complete_path(typed, string, folder.empty() ? "." : folder).candidates) {
      const bool is_folder = path.ends_with('/');
      if (is_import && !is_folder && !path.ends_with(".covec")) continue;
      const Kind kind = is_folder ? Kind::folder : Kind::file;
      items_.push_back(
          {{"label", path}, {"kind", static_cast<int>(kind)}, {"textEdit", {{"range", range}, {"newText", path}}}});
    }
  }

  // Of a module what it defines; of another value fields that the text writes, and the methods of all values.
  void offer_members() {
    const std::string_view chain = chain_before(before_, word_ - 1);
    if (!chain.empty() && chain[0] >= '0' && chain[0] <= '9') return;  // the point of a number
    const NameIndex& names = place_.analysis.names;
    const uint32_t object = names.find(names.scope_at(place_.offset), chain);
    if (const IndexedImport* import = object == no_index ? nullptr : names.import_of(object)) {
      const ReadText* found = workspace_.module(*import, place_.document.path);
      if (found != nullptr) offer_all_of(found->names, 0);
      return;
    }
    for (const std::string& name : names.fields) offer(name, Kind::field);
    for (const std::string_view name : attributes) offer(name, Kind::property);
    for (const std::string_view name : workspace_.session().builtins().names()) {
      const Builtin& builtin = *workspace_.session().builtins().find(name);
      if (builtin.method) offer_builtin(builtin, Kind::method);
    }
  }
  void offer_all_of(const NameIndex& names, uint32_t scope) {
    for (uint32_t i = 0; i < names.symbols.size(); ++i) {
      const IndexedSymbol& symbol = names.symbols[i];
      const bool is_imported = scope == 0 && symbol.kind == SymbolKind::module && &names != &place_.analysis.names;
      if (symbol.scope == scope && symbol.bindings > 0 && !is_imported) offer_symbol(names, i);
    }
  }

  // Those that the call does not have yet, with their `=`.
  void offer_arguments() {
    const std::optional<OpenBracket> bracket = open_bracket(before_);
    if (!bracket || before_[bracket->at] != '(') return;
    if (trimmed(bracket->arguments.back()) != before_.substr(word_)) return;  // in the middle of an argument
    const std::string_view chain = chain_before(before_, bracket->at);
    const std::optional<CallableText> callable = chain.empty() ? std::nullopt : callable_of(workspace_, place_, chain);
    if (!callable) return;
    std::set<std::string_view> given;
    size_t filled = callable->after_receiver ? 1 : 0;
    for (const std::string_view argument : bracket->arguments) {
      const std::string_view name = name_of_argument(trimmed(argument));
      name.empty() ? void(++filled) : void(given.insert(name));
    }
    for (size_t i = filled == 0 ? 0 : filled - 1; i < callable->names.size(); ++i) {
      if (callable->parameters[i].starts_with('*')) continue;
      if (!given.contains(callable->names[i])) offer(callable->names[i] + "=", Kind::property);
    }
    for (const std::string& name : callable->option_names) {
      if (!given.contains(name)) offer(name + "=", Kind::property);
    }
  }
  void offer_names() {
    const NameIndex& names = place_.analysis.names;
    for (uint32_t scope = names.scope_at(place_.offset); scope != no_index; scope = names.scopes[scope].parent)
      offer_all_of(names, scope);
    for (const std::string_view name : workspace_.session().builtins().names()) {
      const Builtin& builtin = *workspace_.session().builtins().find(name);
      offer_builtin(builtin, builtin.entry->constant ? Kind::constant : Kind::function);
    }
    for (const std::string& word : keywords()) offer(word, Kind::keyword);
    if (word_ < before_.size()) offer_imports();
    if (!place_.analysis.problems.empty()) offer_words();
  }
  // A module that is not imported yet, with its import.
  void offer_imports() {
    const size_t at = place_of_import(place_.document.text, place_.analysis.names);
    const Json range = workspace_.positions(place_.document).range(at, at);
    const std::string end(line_end_of(place_.document.text));
    for (const std::string& name : workspace_.module_names(place_.document.path)) {
      const bool is_itself = name == module_name_of(place_.document.path);
      Json* item = is_itself || !is_variable_name(name) ? nullptr : offer(name, Kind::module, "import " + name);
      if (item == nullptr) continue;
      (*item)["additionalTextEdits"] = Json::array({{{"range", range}, {"newText", "import " + name + end}}});
    }
  }
  // While a statement cannot be read its names are not known: words of the text stand for them.
  void offer_words() {
    const std::string_view text = place_.document.text;
    const auto styles = styles_of(text, text.size());
    for (size_t i = 0; i < text.size();) {
      size_t end = i;
      while (end < text.size() && is_in_name(text[end])) ++end;
      const bool is_name = end > i && styles[i] == editor::Style::plain && (i == 0 || text[i - 1] != '.');
      if (is_name && i != word_) offer(text.substr(i, end - i), Kind::text);
      i = end + 1;
    }
  }

  Workspace& workspace_;
  const Cursor& place_;
  std::string_view before_;
  size_t word_;  // where the name begins that is typed
  Json items_ = Json::array();
  std::set<std::string> offered_;
};

}  // namespace

Json complete(Workspace& workspace, const Json& params) {
  const std::optional<Cursor> place = place_in(workspace, params);
  if (!place) return nullptr;
  return {{"isIncomplete", false}, {"items", Candidates(workspace, *place).take()}};
}

}  // namespace covec::lsp
