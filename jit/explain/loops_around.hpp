// Finds the loops that stand around an operation in the program's text, innermost first: those of the function that it
// stands in, then those around the call of that function, and so on. Start at LoopsAround::of().
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/core/core.hpp"
#include "jit/ir/graph.hpp"

namespace covec::jit {

// In a rule of a derivative that of the operator which it is the rule of.
Span written_at(const ir::SourcePlace& place);
// The frame of what stands there: `frame`, or where that is another one (an adjoint's) one whose function has this
// text. if_only: not if there are several.
uint32_t frame_of(const ir::Graph& graph, Span at, uint32_t frame, bool if_only);

// Whether what stands at a place stands in the call at `call`, or in a function that is called there.
bool stands_in(const ir::Graph& graph, const ir::SourcePlace& place, Span call);

class LoopsAround {
 public:
  explicit LoopsAround(const ir::Graph& graph) : graph_(graph) {}
  // The statements' places. place: of Graph::places.
  const std::vector<Span>& of(uint32_t place);

 private:
  const ir::Graph& graph_;
  std::unordered_map<uint32_t, std::vector<Span>> found_;
};

}  // namespace covec::jit
