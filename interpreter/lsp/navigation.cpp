#include "interpreter/lsp/navigation.hpp"

#include <algorithm>

namespace covec::lsp {

const IndexedFunction* function_with(const Meaning& meaning) {
  for (const IndexedFunction& function : meaning.names->functions) {
    for (const IndexedParameter& each : function.parameters) {
      if (each.symbol == meaning.symbol) return &function;
    }
  }
  return nullptr;
}

std::string name_in_module(const NameIndex& names, const IndexedFunction& function) {
  for (uint32_t i = 0; i < names.symbols.size(); ++i) {
    if (names.symbols[i].scope == 0 && names.function_of(i) == &function) return names.symbols[i].name;
  }
  return "";
}

std::vector<uint32_t> names_of_module(Workspace& workspace, const ReadText& text, const std::string& key) {
  std::vector<uint32_t> objects;
  for (const IndexedImport& import : text.names.imports) {
    const ReadText* module = workspace.module(import, text.key);
    const bool is_only = text.names.import_of(import.symbol) == &import;
    if (is_only && module != nullptr && module->key == key) objects.push_back(import.symbol);
  }
  return objects;
}

namespace {

// Uses of a symbol in the text that defines it.
void add_own(const Meaning& meaning, std::vector<FoundUse>& out) {
  const Span definition = meaning.found().definition;
  for (const NameUse& use : meaning.names->uses) {
    if (use.symbol != meaning.symbol) continue;
    const bool defines = definition.known() && use.span.begin == definition.begin;
    out.push_back({meaning.module, use.span, use.writes, defines});
  }
}

// `module.name` and `module.function(name=…)` in a text that imports the module.
void add_members(Workspace& workspace, const ReadText& text, const std::string& key, const Meaning& meaning,
                 std::vector<FoundUse>& out) {
  const IndexedSymbol& symbol = meaning.found();
  const IndexedFunction* own = function_with(meaning);
  const std::string function = own == nullptr ? "" : name_in_module(*meaning.names, *own);
  for (const uint32_t object : names_of_module(workspace, text, key)) {
    if (symbol.scope == 0) {
      for (const IndexedMember& each : text.names.members) {
        if (each.object == object && each.name == symbol.name) out.push_back({&text, each.span});
      }
    } else if (!function.empty()) {
      for (const IndexedArgument& each : text.names.arguments) {
        const bool fits = each.object == object && each.member == function && each.name == symbol.name;
        if (fits) out.push_back({&text, each.span});
      }
    }
  }
}

}  // namespace

bool is_seen_elsewhere(const Meaning& meaning) {
  const IndexedSymbol& symbol = meaning.found();
  const IndexedFunction* own = function_with(meaning);
  if (own != nullptr) return !name_in_module(*meaning.names, *own).empty();
  return symbol.kind != SymbolKind::builtin && symbol.scope == 0;
}

std::vector<FoundUse> uses_of(Workspace& workspace, const Cursor& place, const Meaning& meaning) {
  std::vector<FoundUse> out;
  add_own(meaning, out);
  const std::string key = meaning.module == nullptr ? place.document.path : meaning.module->key;
  if (key.empty() || !is_seen_elsewhere(meaning)) return out;
  for (const ReadText* text : workspace.all_texts(place.document)) {
    if (text->key != key) add_members(workspace, *text, key, meaning, out);
  }
  return out;
}

Json location_of(Workspace& workspace, const Cursor& place, const ReadText* text, Span span) {
  if (text == nullptr) return {{"uri", place.document.uri}, {"range", workspace.positions(place.document).range(span)}};
  const std::string uri = workspace.uri_of_text(*text);
  if (uri.empty()) return nullptr;  // a module that comes with Covec, where there is no place to put its text
  return {{"uri", uri}, {"range", workspace.positions(text->file).range(span)}};
}

namespace {

// The import whose path or name is there.
const IndexedImport* import_at(const NameIndex& names, uint32_t offset) {
  for (const IndexedImport& each : names.imports) {
    if (each.span.begin <= offset && offset <= each.span.end) return &each;
  }
  return nullptr;
}

}  // namespace

// The name of a module leads to its text.
Json define(Workspace& workspace, const Json& params) {
  const std::optional<Cursor> place = place_in(workspace, params);
  if (!place) return nullptr;
  const NameIndex& names = place->analysis.names;
  const IndexedImport* import = import_at(names, place->offset);
  const std::optional<Meaning> meaning = meaning_at(workspace, *place);
  if (import == nullptr && meaning && meaning->module == nullptr) import = names.import_of(meaning->symbol);
  if (import != nullptr) {
    const ReadText* module = workspace.module(*import, place->document.path);
    return module == nullptr ? Json() : location_of(workspace, *place, module, {});
  }
  if (!meaning || !meaning->found().definition.known()) return nullptr;
  return location_of(workspace, *place, meaning->module, meaning->found().definition);
}

Json references(Workspace& workspace, const Json& params) {
  const std::optional<Cursor> place = place_in(workspace, params);
  const std::optional<Meaning> meaning = place ? meaning_at(workspace, *place) : std::nullopt;
  if (!meaning) return nullptr;
  const bool with_definition = params.at("context").at("includeDeclaration").get<bool>();
  Json out = Json::array();
  for (const FoundUse& use : uses_of(workspace, *place, *meaning)) {
    if (use.defines && !with_definition) continue;
    Json location = location_of(workspace, *place, use.text, use.span);
    if (!location.is_null()) out.push_back(std::move(location));
  }
  return out;
}

Json highlights(Workspace& workspace, const Json& params) {
  constexpr int read = 2, written = 3;  // DocumentHighlightKind of the protocol
  const std::optional<Cursor> place = place_in(workspace, params);
  if (!place) return nullptr;
  const NameIndex& names = place->analysis.names;
  const Positions places = workspace.positions(place->document);
  Json out = Json::array();
  if (const IndexedMember* member = names.member_at(place->offset)) {
    for (const IndexedMember& each : names.members) {
      const bool same = member->object != no_index && each.object == member->object && each.name == member->name;
      if (same) out.push_back({{"range", places.range(each.span)}, {"kind", read}});
    }
    return out;
  }
  const NameUse* use = names.use_at(place->offset);
  if (use == nullptr) return nullptr;
  for (const NameUse& each : names.uses) {
    if (each.symbol == use->symbol)
      out.push_back({{"range", places.range(each.span)}, {"kind", each.writes ? written : read}});
  }
  return out;
}

namespace {

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return text;
}

}  // namespace

// Names of modules that contain what is asked for, and functions inside functions.
Json workspace_symbols(Workspace& workspace, const Json& params) {
  const std::string query = in_small_letters(params.at("query"));
  Json out = Json::array();
  for (const ReadText* text : workspace.all_texts()) {
    const Positions places = workspace.positions(text->file);
    const std::string uri = workspace.uri_of_text(*text);
    for (const IndexedSymbol& symbol : text->names.symbols) {
      const bool is_listed = symbol.bindings > 0 && symbol.kind != SymbolKind::module &&
                             (symbol.scope == 0 || symbol.kind == SymbolKind::function);
      if (!is_listed || in_small_letters(symbol.name).find(query) == std::string::npos) continue;
      out.push_back({{"name", symbol.name},
                     {"kind", kind_of(symbol)},
                     {"location", {{"uri", uri}, {"range", places.range(symbol.definition)}}},
                     {"containerName", module_name_of(text->key)}});
    }
  }
  return out;
}

}  // namespace covec::lsp
