// Finds the line of a program whose operations cost the most, for explain. Sizes and counts are those of the call that
// the code was made for; times are estimates, unless the code has been measured. Start at find_dearest().
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jit/explain/explain_kernels.hpp"
#include "jit/explain/first_call.hpp"
#include "jit/passes/analysis/why_not.hpp"

namespace covec::jit {

// The operations of one line in one loop: times are those of an iteration.
struct Line {
  Span at;    // the dearest of them
  Span loop;  // unknown: they are in no loop
  double ns = 0, times = 0;
  size_t calls = 0, kernels = 0;        // of the library; on tensors
  std::optional<int64_t> elements = 0;  // of the largest tensor that would have to be small; nothing: not known
  bool rough = false;                   // a call is of work of which only its length is known
  std::optional<size_t> measured;       // the step of the plan that has taken the longest
  std::optional<size_t> loop_poll;      // the loop around it of which it is the dearest, by its Poll's step
  double seconds = 0;                   // that all its steps have taken, or that loop
  struct OnTensors {
    const ir::Graph* graph;
    const ir::Operation* operation;
  };
  std::vector<OnTensors> on_tensors;
  double dearest_ns = 0;
  double all() const { return ns * times; }
};

class CodeLines {
 public:
  using PlaceOf = FunctionRef<Span(const ir::Graph& graph, const ir::SourcePlace& place)>;
  // `first`: of `code` itself.
  CodeLines(const Walker& walker, const Code& code, std::span<const ir::FirstValue> first, PlaceOf place_of);
  // nullptr: none stands out. Of measured code the one that has taken the longest.
  const Line* dearest() const;
  // The line of the same place, if there is one.
  const Line* like(const Line& line) const;
  double ns() const;  // of a call

 private:
  // Loops of the graph around an operation.
  struct Loops {
    size_t depth = 0;
    double times = 1;  // that the body of the innermost one runs in a call
    Span innermost;    // its place
  };
  class Walk;
  Line& line(Span at, Span loop, double times);

  const Walker& walker_;
  std::map<std::pair<std::string, std::string>, Line> lines_;  // by the places of the line and its loop
};

}  // namespace covec::jit
