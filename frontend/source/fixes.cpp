#include "frontend/source/fixes.hpp"

namespace covec {

std::vector<Fix> edits_of(const Diagnostic& diagnostic) {
  if (!diagnostic.fix) return {};
  std::vector<Fix> edits = {*diagnostic.fix};
  const Span first = diagnostic.labels.front().span, fixed = diagnostic.fix->span;
  if (first.begin != fixed.begin || first.end != fixed.end) return edits;
  for (const Span again : diagnostic.also) edits.push_back({again, diagnostic.fix->text});
  return edits;
}

}  // namespace covec
