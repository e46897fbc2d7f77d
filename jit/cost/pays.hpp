// Decides whether compiling is worth it for three kinds of function. They are partly interpreted, only call text
// functions, or do hardly anything. See pays.cpp.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::jit {

// too_little: a call of the code takes longer; too_much: it takes longer to see that the code is the right one.
enum class Pays : uint8_t { yes, no, too_little, too_much };

// What goes into the code at the call that it is made for.
struct Given {
  int64_t checks = 0;    // numbers, tensors, trees, texts, … beyond one for each argument
  int64_t elements = 0;  // of the largest tensor
  bool texts = false;    // staging may have done most of the work, which no operation shows
};
Pays pays(const ir::Graph& graph, const Given& given);

}  // namespace covec::jit
