// Says how much of a function is compiled: its statements, those that the interpreter runs, and what would help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::jit {

// A statement that is left to the interpreter, with those inside it.
struct LeftOut {
  Span whole;  // the statement
  Span at;     // the cause
  std::string reason;
  bool loop = false;
  size_t statements = 1;
};

struct Share {
  size_t statements = 0;  // of the function, and of others of which some are left out
  std::vector<LeftOut> left_out;
  size_t interpreted() const;
  // Loops before others, the largest first; nullptr: nothing is left out.
  const LeftOut* worst() const;
};
Share share_of(const ir::Graph& graph);

// A reason as explain and strict compilation say it.
std::string reason_text(std::string_view reason);
// What a program could do about it; empty where nothing is known to help.
std::string_view cure_of(std::string_view reason);

}  // namespace covec::jit
