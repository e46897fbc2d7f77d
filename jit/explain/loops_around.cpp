#include "jit/explain/loops_around.hpp"

#include <algorithm>

#include "frontend/core/walk.hpp"
#include "interpreter/compiler.hpp"

namespace covec::jit {

namespace {

// Outermost first.
void find_loops(const core::Block& block, Span at, std::vector<Span>& loops) {
  for (const core::Stmt* statement : block) {
    if (!statement->span.contains(at)) continue;
    if (statement->kind == core::StmtKind::for_ || statement->kind == core::StmtKind::while_)
      loops.push_back(statement->span);
    resolve::each_part(
        *statement, [](core::Expr*) {}, [](const core::Target&) {},
        [&](const core::Block& inner) { find_loops(inner, at, loops); });
  }
}

const core::Function* function_of(const ir::Frame& frame) {
  ClosureParts parts;
  return closure_parts(frame.closure.function(), parts) ? parts.function : nullptr;
}

}  // namespace

Span written_at(const ir::SourcePlace& place) {
  return place.rule_of != nullptr && place.site.known() ? place.site : place.whole;
}

bool stands_in(const ir::Graph& graph, const ir::SourcePlace& place, Span call) {
  Span at = written_at(place);
  for (uint32_t frame = frame_of(graph, at, place.frame, false);;) {
    if (call.contains(at)) return true;
    if (frame >= graph.frames.size()) return false;
    at = graph.frames[frame].site;
    frame = graph.frames[frame].caller;
  }
}

uint32_t frame_of(const ir::Graph& graph, Span at, uint32_t frame, bool if_only) {
  // The length of the part of a function's text in which it stands; functions stand in others.
  const auto around = [&](const ir::Frame& each) {
    uint32_t length = UINT32_MAX;
    const auto part = [&](Span span) {
      if (span.contains(at)) length = span.end - span.begin;
    };
    const core::Function* const function = function_of(each);
    if (function != nullptr && function->expression != nullptr) part(function->expression->span);
    for (size_t i = 0; function != nullptr && i < function->body.size(); ++i) part(function->body[i]->span);
    return length;
  };
  std::vector<uint32_t> all;
  for (const ir::Frame& each : graph.frames) all.push_back(around(each));
  const uint32_t least = all.empty() ? UINT32_MAX : *std::ranges::min_element(all);
  if (least == UINT32_MAX || (frame < all.size() && all[frame] == least)) return frame;
  if (if_only && std::ranges::count(all, least) > 1) return frame;
  return static_cast<uint32_t>(std::ranges::find(all, least) - all.begin());
}

const std::vector<Span>& LoopsAround::of(uint32_t place) {
  const auto [found, is_new] = found_.try_emplace(place);
  std::vector<Span>& all = found->second;
  if (!is_new) return all;
  const ir::SourcePlace& where = graph_.places[place];
  Span at = written_at(where);
  for (uint32_t frame = frame_of(graph_, at, where.frame, false); frame < graph_.frames.size();) {
    std::vector<Span> loops;
    if (const core::Function* const function = function_of(graph_.frames[frame])) find_loops(function->body, at, loops);
    all.insert(all.end(), loops.rbegin(), loops.rend());
    at = graph_.frames[frame].site;
    frame = graph_.frames[frame].caller;
  }
  return all;
}

}  // namespace covec::jit
