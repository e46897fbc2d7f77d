// Decides whether compiling is worth it for three kinds of function. They are partly interpreted, only call text
// functions, or do hardly anything. See cost_model.cpp.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::jit {

// Elements of a pass over memory, and the ns of a statement that the interpreter runs between compiled ones. Measured,
// roughly.
constexpr int64_t elements_in_ns = 8, interpreted_statement = 130;

// too_cheap: a call of the code takes longer; checks_cost_more: it takes longer to see that the code is the right one.
enum class Compiling : uint8_t { profitable, unprofitable, too_cheap, checks_cost_more };

// What goes into the code at the call that it is made for.
struct Given {
  int64_t checks = 0;    // numbers, tensors, trees, texts, … beyond one for each argument
  int64_t elements = 0;  // of the largest tensor
  bool texts = false;    // staging may have done most of the work, which no operation shows
};
Compiling cost_model(const ir::Graph& graph, const Given& given);

}  // namespace covec::jit
