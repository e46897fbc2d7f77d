// Whether it pays to compile what must be interpreted in part, is calls of text alone, or hardly anything. See
// pays.cpp.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::jit {

enum class Pays : uint8_t { yes, no, too_little };  // too_little: a call of the code takes longer
// of_texts: staging it may have done most of the work, which no operation shows.
Pays pays(const ir::Graph& graph, bool of_texts);

}  // namespace covec::jit
