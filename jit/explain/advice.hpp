// The words of explain for those who want to know what to do: what a function's dearest line does, and what would make
// it faster. Start at dearest_text() and Advice::text().
#pragma once

#include "jit/explain/dearest.hpp"

namespace covec::jit {

// Characters of a message of one line.
constexpr size_t longest_line = 160;
// The beginning of a text.
std::string beginning_of(std::string_view text, size_t characters);
// room: characters of the line that are left.
std::string dearest_text(const Walker& walker, const Code& code, const Line* line, const Roofline* measured,
                         size_t room);

class Advice {
 public:
  // "x: f64[12]": how an argument would be annotated that has the extents of the first call along some of its axes.
  // Empty: it cannot be.
  using Annotation = FunctionRef<std::string(const std::set<std::pair<ir::Id, uint32_t>>& axes)>;
  // "n": the argument that a number is; empty: it is none.
  using NameOf = FunctionRef<std::string(ir::Id number)>;
  // The time that the line would take if these sizes were known, in ns; nothing: no numbers alone, or not much faster.
  using Try = FunctionRef<std::optional<double>(const FirstCall::Origins& sizes)>;

  // `lanes`: iterations of its loops that run at once; 0: none do.
  Advice(const ir::Graph& graph, std::span<const ir::FirstValue> first, Annotation annotation, NameOf name_of,
         Try try_sizes, int lanes)
      : graph_(graph),
        first_(graph, first),
        annotation_(annotation),
        name_of_(name_of),
        try_(try_sizes),
        lanes_(lanes) {}
  std::string text(const Line* line) const;

 private:
  std::string of_small(const Line& line) const;
  std::string of_sizes(const Line& line) const;
  bool is_of_examples(const Line& line) const;

  const ir::Graph& graph_;
  const FirstCall first_;
  const Annotation annotation_;
  const NameOf name_of_;
  const Try try_;
  const int lanes_;
};

}  // namespace covec::jit
