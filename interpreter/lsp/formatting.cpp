// Formats a text as `covec fmt` does: by edits of the lines that differ, so that the client keeps its place.
#include "frontend/format/format.hpp"
#include "interpreter/lsp/features.hpp"
#include "interpreter/session/stack.hpp"

namespace covec::lsp {

namespace {

// One edit of what lies between the lines that both texts begin and end with.
Json edit_between(std::string_view old, std::string_view text, const Positions& places) {
  size_t begin = 0, ends = 0;
  const size_t shorter = std::min(old.size(), text.size());
  while (begin < shorter && old[begin] == text[begin]) ++begin;
  while (begin > 0 && old[begin - 1] != '\n') --begin;
  while (ends < shorter - begin && old[old.size() - 1 - ends] == text[text.size() - 1 - ends]) ++ends;
  while (ends > 0 && old[old.size() - ends - 1] != '\n') --ends;
  return {{"range", places.range(begin, old.size() - ends)},
          {"newText", text.substr(begin, text.size() - ends - begin)}};
}

}  // namespace

Json format(Workspace& workspace, const Json& params) {
  Document* document = workspace.find(params.at("textDocument").at("uri").get<std::string>());
  if (document == nullptr) return nullptr;
  const uint32_t file = workspace.analysis_of(*document).file;
  const Formatted made = format_text(workspace.session().sources(), file, stack_left());
  if (made.outcome == FormatOutcome::mistaken) throw Refusal{"this is a bug in covec: the text is kept as it was"};
  if (made.outcome == FormatOutcome::left_alone)
    throw Refusal{"the text is kept as it was: " + (made.problems.empty() ? "" : made.problems.front().message)};
  if (made.text == document->text) return Json::array();
  return Json::array({edit_between(document->text, made.text, workspace.positions(*document))});
}

}  // namespace covec::lsp
