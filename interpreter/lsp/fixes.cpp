// Quick fixes: the edits that `covec check --fix` makes, offered where the problem is. Start reading at quick_fixes.
#include "frontend/source/fixes.hpp"
#include "frontend/common/trimmed.hpp"

#include <algorithm>

#include "interpreter/assist/syntax.hpp"
#include "interpreter/lsp/features.hpp"

namespace covec::lsp {

namespace {

constexpr std::string_view quick_fix_kind = "quickfix";  // CodeActionKind of the protocol

// Whether the client wants quick fixes: it may name the kinds that it wants, and "" is all of them.
bool are_wanted(const Json& context) {
  const Json only = context.value("only", Json());
  if (!only.is_array()) return true;
  return std::ranges::any_of(only, [](const Json& kind) { return kind == quick_fix_kind || kind == ""; });
}

std::string in_code(std::string_view text) { return "`" + std::string(trimmed(text)) + "`"; }

std::string title_of(const std::vector<Fix>& edits, std::string_view text) {
  const Fix& first = edits.front();
  const std::string_view old = text.substr(first.span.begin, first.span.end - first.span.begin);
  if (old.empty()) return "Insert " + in_code(first.text);
  if (first.text.empty()) return "Remove " + in_code(old);
  const std::string title = "Change " + in_code(old) + " to " + in_code(first.text);
  return edits.size() == 1 ? title : title + " (" + std::to_string(edits.size()) + " places)";
}

// Edits of one text. The client refuses them where it knows a newer version of it.
Json workspace_edit(const Workspace& workspace, const Document& document, Json edits) {
  if (!workspace.client().versioned_edits) return {{"changes", {{document.uri, std::move(edits)}}}};
  const Json versioned{{"uri", document.uri}, {"version", document.version}};
  return {{"documentChanges", Json::array({{{"textDocument", versioned}, {"edits", std::move(edits)}}})}};
}

// Whether a range has the problem's place, another one of it, or what the fix replaces.
bool touches(const Diagnostic& problem, const Analysis& analysis, size_t begin, size_t end) {
  const auto meets = [&](Span span) { return span.begin <= end && begin <= span.end; };
  const Span fixed = problem.fix->span;
  return meets(place_of(problem, analysis)) || std::ranges::any_of(problem.also, meets) ||
         (fixed.begin < fixed.end && meets(fixed));
}

}  // namespace

Json quick_fixes(Workspace& workspace, const Json& params) {
  Document* document = workspace.find(params.at("textDocument").at("uri").get<std::string>());
  const Json& range = params.at("range");
  Json actions = Json::array();
  if (document == nullptr || !are_wanted(params.value("context", Json::object()))) return actions;
  const std::vector<Diagnostic>& problems = told_problems(workspace, *document);
  const Positions places = workspace.positions(*document);
  const size_t begin = places.offset(range.at("start")), end = places.offset(range.at("end"));
  for (const Diagnostic& problem : problems) {
    const std::vector<Fix> fixes = edits_of(problem);
    if (fixes.empty() || !touches(problem, document->analysis, begin, end)) continue;
    Json edits = Json::array();
    for (const Fix& fix : fixes) edits.push_back({{"range", places.range(fix.span)}, {"newText", fix.text}});
    actions.push_back({{"title", title_of(fixes, document->text)},
                       {"kind", quick_fix_kind},
                       {"diagnostics", diagnostics_of(problem, *document, places)},
                       {"isPreferred", true},
                       {"edit", workspace_edit(workspace, *document, std::move(edits))}});
  }
  return actions;
}

}  // namespace covec::lsp
