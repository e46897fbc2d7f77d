#include "frontend/source/fixes.hpp"

#include <cctype>
#include <utility>

namespace covec {

std::vector<Fix> edits_of(const Diagnostic& diagnostic) {
  if (!diagnostic.fix) return {};
  std::vector<Fix> edits = {*diagnostic.fix};
  const Span first = diagnostic.labels.front().span, fixed = diagnostic.fix->span;
  if (first.begin != fixed.begin || first.end != fixed.end) return edits;
  for (const Span again : diagnostic.also) edits.push_back({again, diagnostic.fix->text});
  return edits;
}

Fix separate_word(std::string_view text, Span span, std::string word) {
  const auto joins = [&](size_t at) {
    if (at >= text.size()) return false;
    const auto c = static_cast<unsigned char>(text[at]);
    return c == '_' || c == '.' || c >= 0x80 || std::isalnum(c) != 0;  // of a name, or of a number
  };
  if (span.begin > 0 && joins(span.begin - 1)) word.insert(0, " ");
  if (joins(span.end)) word += " ";
  return {span, std::move(word)};
}

std::string_view line_end_of(std::string_view text) {
  const size_t end = text.find('\n');
  return end != text.npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

}  // namespace covec
