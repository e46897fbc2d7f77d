#include <algorithm>
#include <iterator>

#include "frontend/resolve/resolve.hpp"
#include "interpreter/assist/documentation.hpp"
#include "interpreter/assist/keyword_pages.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/lsp/features.hpp"
#include "interpreter/lsp/shapes.hpp"

namespace covec::lsp {

namespace {

std::string program(const std::string& text) { return "```covec\n" + text + "\n```\n"; }

std::string page_of(const IndexedFunction& function) {
  return program("fn " + function.signature) + (function.doc.empty() ? "" : "\n" + markdown_of(function.doc));
}

// The comment that the module's text begins with; there is none where it has syntax errors.
std::string page_of_module(Workspace& workspace, const IndexedImport& import, const std::string& from) {
  const ReadText* module = workspace.module(import, from);
  std::string text = program("import " + (import.is_path ? "\"" + import.path + "\"" : import.path));
  if (module == nullptr) return text;
  try {
    const std::string doc = documentation_of(workspace.session().sources(), module->file).doc;
    return doc.empty() ? text : text + "\n" + markdown_of(doc);
  } catch (const CovecError&) {
    return text;
  }
}

std::string page_of_parameter(const Meaning& meaning) {
  for (const IndexedFunction& function : meaning.names->functions) {
    for (const IndexedParameter& each : function.parameters) {
      if (each.symbol == meaning.symbol) return program(each.text) + "\nA parameter of `" + function.signature + "`.\n";
    }
  }
  return "";
}

std::string page_of(Workspace& workspace, const Meaning& meaning, const std::string& path) {
  const IndexedSymbol& symbol = meaning.found();
  switch (symbol.kind) {
    case SymbolKind::builtin: return workspace.page(symbol.name);
    case SymbolKind::parameter: return page_of_parameter(meaning);
    case SymbolKind::function: {
      const IndexedFunction* function = meaning.names->function_of(meaning.symbol);
      return function == nullptr ? "" : page_of(*function);
    }
    case SymbolKind::module: {
      const IndexedImport* import = meaning.names->import_of(meaning.symbol);
      return import == nullptr ? "" : page_of_module(workspace, *import, path);
    }
    case SymbolKind::variable: break;
  }
  return "";
}

std::string page_of_keyword(std::string_view word) {
  const auto* const page = std::ranges::find(keyword_pages, word, &KeywordPage::word);
  if (page == std::end(keyword_pages)) return "";
  return program(std::string(page->form)) + "\n" + std::string(page->does) + "\n\n" +
         program(std::string(page->example));
}

std::string page_of_variable(Workspace& workspace, const Cursor& place, const NameUse& use) {
  const std::string shape = shape_at(workspace, place, use);
  return shape.empty() ? "" : program(place.analysis.names.symbols[use.symbol].name + ": " + shape);
}

std::string page_at(Workspace& workspace, const Cursor& place) {
  const NameIndex& names = place.analysis.names;
  if (const std::optional<Meaning> meaning = meaning_at(workspace, place)) {
    const NameUse* use = names.use_at(place.offset);
    const bool is_variable = meaning->module == nullptr && meaning->found().kind == SymbolKind::variable;
    if (is_variable && use != nullptr) return page_of_variable(workspace, place, *use);
    return page_of(workspace, *meaning, place.document.path);
  }
  if (const IndexedMember* member = names.member_at(place.offset)) {
    const Builtin* builtin = workspace.session().builtins().find(member->name);
    const bool of_module = member->object != no_index && names.import_of(member->object) != nullptr;
    return builtin == nullptr || !builtin->method || of_module ? "" : workspace.page(member->name);
  }
  return "";
}

}  // namespace

Json hover(Workspace& workspace, const Json& params) {
  const std::optional<Cursor> place = place_in(workspace, params);
  if (!place) return nullptr;
  const std::string_view text = place->document.text;
  const size_t begin = word_start(text.substr(0, place->offset));
  size_t end = place->offset;
  while (end < text.size() && is_in_name(text[end])) ++end;
  std::string page = page_at(workspace, *place);
  const bool is_keyword = page.empty() && begin < end && styles_of(text, text.size())[begin] == editor::Style::keyword;
  if (is_keyword) page = page_of_keyword(text.substr(begin, end - begin));
  if (page.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", page}}},
          {"range", workspace.positions(place->document).range(begin, end)}};
}

}  // namespace covec::lsp
