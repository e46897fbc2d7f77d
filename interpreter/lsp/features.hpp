// What editors ask of a text: each function answers one request of the protocol. Start reading at meaning_at.
#pragma once

#include <optional>
#include <string>

#include "interpreter/lsp/workspace.hpp"

namespace covec::lsp {

// A request that is understood and cannot be done; the client shows why.
struct Refusal {
  std::string why;
};

// The place in an open text that a request names; nothing: the text is not open.
struct Cursor {
  Document& document;
  const Analysis& analysis;
  uint32_t offset;
};
std::optional<Cursor> place_in(Workspace& workspace, const Json& params);

// A symbol of a text, which may be another one than that which names it.
struct Meaning {
  const ReadText* module;  // nullptr: the text itself
  const NameIndex* names;
  uint32_t file;
  uint32_t symbol;
  const IndexedSymbol& found() const { return names->symbols[symbol]; }
};
// What is named there. Nothing: no name that is known, or one of a module that is not there.
std::optional<Meaning> meaning_at(Workspace& workspace, const Cursor& place);
// The member of the module that the symbol is bound to.
std::optional<Meaning> member_of(Workspace& workspace, const Cursor& place, uint32_t object, std::string_view name);

// What `covec check` tells of a text, as far as the editor is told.
const std::vector<Diagnostic>& told_problems(Workspace& workspace, Document& document);
// Its place in the text; the text's begin, where it has none there.
Span place_of(const Diagnostic& problem, const Analysis& analysis);
// One diagnostic of the protocol for each place of the problem.
Json diagnostics_of(const Diagnostic& problem, const Document& document, const Positions& places);
// `textDocument/publishDiagnostics`.
Json problems_of(Workspace& workspace, Document& document);

// SymbolKind of the protocol.
inline constexpr int module_kind = 2, function_kind = 12, variable_kind = 13;
int kind_of(const IndexedSymbol& symbol);

Json document_symbols(Workspace& workspace, const Json& params);
Json hover(Workspace& workspace, const Json& params);
Json complete(Workspace& workspace, const Json& params);
Json help_with_signature(Workspace& workspace, const Json& params);
Json format(Workspace& workspace, const Json& params);
Json quick_fixes(Workspace& workspace, const Json& params);

}  // namespace covec::lsp
