// Diagnostics of a text, and its outline.
#include "interpreter/lsp/features.hpp"
#include "interpreter/lsp/program_texts.hpp"

namespace covec::lsp {

namespace {

std::string message_of(const Diagnostic& problem) {
  std::string text = problem.message;
  for (const std::string& note : problem.notes) text += "\n" + note;
  return problem.hint.empty() ? text : text + "\nhint: " + problem.hint;
}

Json related(const Diagnostic& problem, const Document& document, const Positions& places) {
  Json others = Json::array();
  for (size_t i = 1; i < problem.labels.size(); ++i) {
    const Label& label = problem.labels[i];
    if (label.span.file != document.analysis.file || label.text.empty()) continue;
    const Json location{{"uri", document.uri}, {"range", places.range(label.span)}};
    others.push_back({{"location", location}, {"message", label.text}});
  }
  return others;
}

}  // namespace

// A copy of a module has none: it names what programs cannot.
const std::vector<Diagnostic>& told_problems(Workspace& workspace, Document& document) {
  static const std::vector<Diagnostic> none;
  const Analysis& analysis = workspace.analysis_of(document);
  return is_copy_of_module(document.path) ? none : analysis.problems;
}

Span place_of(const Diagnostic& problem, const Analysis& analysis) {
  const Span place = problem.labels.empty() ? Span() : problem.labels.front().span;
  return place.file == analysis.file ? place : Span();
}

Json diagnostics_of(const Diagnostic& problem, const Document& document, const Positions& places) {
  Json one{{"range", places.range(place_of(problem, document.analysis))},
           {"severity", problem.severity == Severity::error ? 1 : 2},
           {"code", problem.code},
           {"source", "covec"},
           {"message", message_of(problem)}};
  if (Json others = related(problem, document, places); !others.empty()) one["relatedInformation"] = std::move(others);
  Json all = Json::array();
  for (const Span also : problem.also) {
    all.push_back(one);
    all.back()["range"] = places.range(also);
  }
  all.push_back(std::move(one));
  return all;
}

Json problems_of(Workspace& workspace, Document& document) {
  const std::vector<Diagnostic>& told = told_problems(workspace, document);
  const Positions places = workspace.positions(document);
  Json all = Json::array();
  for (const Diagnostic& problem : told) {
    for (Json& each : diagnostics_of(problem, document, places)) all.push_back(std::move(each));
  }
  return {{"uri", document.uri}, {"version", document.version}, {"diagnostics", std::move(all)}};
}

int kind_of(const IndexedSymbol& symbol) {
  if (symbol.kind == SymbolKind::module) return module_kind;
  return symbol.kind == SymbolKind::function ? function_kind : variable_kind;
}

namespace {

Json symbol_of(const std::string& name, int kind, const Json& range, const Json& selection) {
  return {{"name", name}, {"kind", kind}, {"range", range}, {"selectionRange", selection}, {"children", Json::array()}};
}

// Functions by name, each with those inside it.
void add_functions(const NameIndex& names, const Positions& places, uint32_t scope, Json& out) {
  for (const IndexedFunction& function : names.functions) {
    if (function.name.empty() || function.scope != scope) continue;
    Json symbol =
        symbol_of(function.name, function_kind, places.range(function.span), places.range(function.name_span));
    symbol["detail"] = function.signature;
    for (uint32_t inner = 0; inner < names.scopes.size(); ++inner) {
      if (names.scopes[inner].function != no_index && &names.functions[names.scopes[inner].function] == &function)
        add_functions(names, places, inner, symbol["children"]);
    }
    out.push_back(std::move(symbol));
  }
}

}  // namespace

// Functions, and what the module's own code binds.
Json document_symbols(Workspace& workspace, const Json& params) {
  Document* document = workspace.find(params.at("textDocument").at("uri").get<std::string>());
  if (document == nullptr) return nullptr;
  const NameIndex& names = workspace.analysis_of(*document).names;
  const Positions places = workspace.positions(*document);
  Json out = Json::array();
  if (names.scopes.empty()) return out;
  add_functions(names, places, 0, out);
  for (const IndexedSymbol& symbol : names.symbols) {
    if (symbol.scope != 0 || symbol.bindings == 0 || symbol.kind == SymbolKind::function) continue;
    const Json range = places.range(symbol.definition);
    out.push_back(symbol_of(symbol.name, kind_of(symbol), range, range));
  }
  const auto place = [](const Json& symbol) {
    const Json& start = symbol.at("range").at("start");
    return std::pair(start.at("line").get<size_t>(), start.at("character").get<size_t>());
  };
  std::sort(out.begin(), out.end(), [&](const Json& a, const Json& b) { return place(a) < place(b); });
  return out;
}

}  // namespace covec::lsp
